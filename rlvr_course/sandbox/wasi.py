"""WASI: each program in a Python compiled to WebAssembly, which can only do what it is handed.

It is handed its input and two outputs: no folder, no clock to set, no socket, no process. It needs
the package ``wasmtime`` and a Python built for wasm32-wasi whose standard library is in the same
file; ``RLVR_COURSE_PYTHON_WASM`` says where that is. Opened only by name.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.one_process import LAUNCHER, Command, run_once
from rlvr_course.sandbox.records import Limits, Program, RunResult

TIER = "wasi"
PYTHON_WASM = "RLVR_COURSE_PYTHON_WASM"
TRAPPED = 134
"""The exit code of a program that WebAssembly stopped, as for an abort."""

_HOST = "from rlvr_course.sandbox.wasi import main; main()"


def missing() -> str:
    """What is not there and how to get it; "" if all is."""
    if find_spec("wasmtime") is None:
        return "the package wasmtime is not installed (remedy: uv pip install wasmtime)"
    path = os.environ.get(PYTHON_WASM, "")
    if not path:
        return f"{PYTHON_WASM} is not set (remedy: the path of a python.wasm for wasm32-wasi)"
    if not Path(path).is_file():
        return f"{PYTHON_WASM}={path!r} is not a file (remedy: the path of a python.wasm)"
    return ""


class Wasi:
    """Runs each program in a WebAssembly machine of its own.

    Args:
        packages: have to be none: a compiled Python holds what was compiled into it.

    Raises:
        ValueError: a package was asked for.
        SandboxUnavailable: something is missing, or it can't start.

    Limits: no threads and no signals. A program that overflows the stack or the memory ends with
    exit code 134 or a MemoryError. The first start compiles for some seconds.
    """

    tier = TIER

    def __init__(self, *, packages: Sequence[str] = ()) -> None:
        if packages:
            raise ValueError(f"packages={tuple(packages)!r}: wasi has only the standard library")
        if why := missing():
            raise SandboxUnavailable(why)
        began = time.perf_counter()
        result = self.run(Program("pass"))
        self.start_ms = (time.perf_counter() - began) * 1000
        if not result.ok:
            raise SandboxUnavailable(f"wasi can't start here: {result.detail or result.stderr}")

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program."""
        limits = limits or Limits()
        wasm = os.environ.get(PYTHON_WASM, "")
        numbers = (str(limits.memory_bytes), str(int(limits.cpu_s)))
        line = (sys.executable, "-P", "-c", _HOST, wasm, *numbers)
        command = Command(line=line, tier=TIER, resources=(), signal_base=0)
        return run_once(command, program, limits)

    def close(self) -> None:
        """Nothing is left to close."""


def main() -> None:
    """In a process of its own: load the compiled Python, hand it descriptors 0 to 2, run it."""
    wasmtime: Any = import_module("wasmtime")
    wasm, memory_bytes, cpu_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    settings = wasmtime.Config()
    settings.cache = True  # or each run would compile for seconds
    engine = wasmtime.Engine(settings)
    module = wasmtime.Module.from_file(engine, wasm)
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=memory_bytes)
    inside = wasmtime.WasiConfig()
    inside.argv = ["python", "-c", LAUNCHER]
    inside.env = [("PYTHONHASHSEED", "0"), ("PYTHONUTF8", "1")]
    inside.inherit_stdin()
    inside.inherit_stdout()
    inside.inherit_stderr()
    store.set_wasi(inside)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    _bound_processor_time(cpu_s)
    try:
        linker.instantiate(store, module).exports(store)["_start"](store)
    except wasmtime.ExitTrap as leaving:
        os._exit(leaving.code & 0xFF)
    except (wasmtime.Trap, wasmtime.WasmtimeError) as trap:
        os.write(2, f"stopped by WebAssembly: {trap}\n".encode())
        os._exit(TRAPPED)


def _bound_processor_time(cpu_s: int) -> None:
    """From now on, since compiling is not the program's doing."""
    try:
        import resource
    except ImportError:  # Windows: wall time is held all the same
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
