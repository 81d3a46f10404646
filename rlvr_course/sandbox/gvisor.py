"""gVisor: each program under a kernel of its own, written in Go, by the command ``runsc``.

The one tier here, WebAssembly aside, that an exploit of the host's kernel has to get through
another kernel for. Opened only by name.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.bwrap import TMP_BYTES, tree
from rlvr_course.sandbox.one_process import LAUNCHER, Command, run_once
from rlvr_course.sandbox.packages import locate, refuse_under_tmp
from rlvr_course.sandbox.records import Limits, Program, RunResult

TIER = "gvisor"
INSTALL = "install gVisor's runsc: sudo apt install runsc, or see gvisor.dev"
_RIGHTS = () if hasattr(os, "getuid") and os.getuid() == 0 else ("--rootless",)


def missing() -> str:
    """Why there is no gVisor here and how to get it; "" if there is one."""
    return "" if shutil.which("runsc") else f"runsc is not on the PATH (remedy: {INSTALL})"


class Gvisor:
    """Runs each program in a new gVisor sandbox.

    Args:
        packages: that programs may import besides the standard library.

    Raises:
        ValueError: a package that isn't installed.
        SandboxUnavailable: no runsc, or it can't start here.

    Limits: ``threads`` is not held; ``memory_bytes`` for each process. A signal shows as exit
    code 128 plus its number. A run takes some tenths of a second to start.
    """

    tier = TIER

    def __init__(self, *, packages: Sequence[str] = ()) -> None:
        if why := missing():
            raise SandboxUnavailable(why)
        self._folder = tempfile.mkdtemp(prefix="gvisor-")
        self._finalizer = weakref.finalize(self, shutil.rmtree, self._folder, True)
        bundle = Path(self._folder, "bundle")
        Path(bundle, "root").mkdir(parents=True)
        Path(bundle, "config.json").write_text(json.dumps(_container(packages)), "utf-8")
        self._runsc = (
            *("runsc", "--network=none", "--ignore-cgroups", *_RIGHTS),
            f"--root={self._folder}/state",
        )
        began = time.perf_counter()
        result = self.run(Program("pass"))
        self.start_ms = (time.perf_counter() - began) * 1000
        if not result.ok:
            self.close()
            raise SandboxUnavailable(f"runsc can't start here: {result.detail or result.stderr}")

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program in a container of its own."""
        name = f"run-{uuid.uuid4().hex}"
        line = (*self._runsc, "run", "--bundle", f"{self._folder}/bundle", name)
        try:
            command = Command(line=line, tier=TIER, tells_usage=False)
            return run_once(command, program, limits or Limits())
        finally:  # runsc, killed at a limit, leaves its container behind
            subprocess.run(
                [*self._runsc, "delete", "--force", name], capture_output=True, check=False
            )

    def close(self) -> None:
        """Remove the container's description."""
        self._finalizer()


def _container(packages: Sequence[str]) -> dict[str, Any]:
    """The container's description, as the Open Container Initiative has it."""
    package_paths = locate(packages)
    refuse_under_tmp(TIER, package_paths)
    folders = sorted({str(Path(path).parent) for path in package_paths})
    environment = ["PYTHONHASHSEED=0", "LC_ALL=C.UTF-8", f"PYTHONPATH={':'.join(folders)}"]
    python = str(Path(sys.executable).resolve())
    return {
        "ociVersion": "1.0.0",
        "process": {
            "user": {"uid": 65534, "gid": 65534},
            "args": [python, "-P", "-s", "-X", "utf8", "-c", LAUNCHER],
            "env": environment,
            "cwd": "/tmp",
            "capabilities": {},
            "noNewPrivileges": True,
        },
        "root": {"path": "root", "readonly": True},
        "hostname": "sandbox",
        "mounts": list(_mounts(package_paths)),
        "linux": {"namespaces": [{"type": kind} for kind in _NAMESPACES]},
    }


_NAMESPACES = ("pid", "network", "ipc", "uts", "mount")


def _mounts(package_paths: Sequence[str]) -> Iterator[dict[str, object]]:
    for kind, *paths in tree(package_paths):
        if kind == "ro-bind":
            yield _bind(*paths)
        elif kind == "symlink":  # a container's description has no links; a bind does the same
            yield _bind(str(Path(paths[1]).resolve()), paths[1])
        elif kind == "tmpfs":
            yield _memory(paths[0], 1 << 20)
    yield _memory("/tmp", TMP_BYTES)


def _bind(source: str, target: str) -> dict[str, object]:
    options = ["ro", "rbind"]
    return {"destination": target, "source": source, "type": "bind", "options": options}


def _memory(target: str, size: int) -> dict[str, object]:
    options = ["nosuid", "nodev", f"size={size}"]
    return {"destination": target, "source": "tmpfs", "type": "tmpfs", "options": options}
