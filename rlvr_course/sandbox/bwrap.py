"""Bubblewrap: each program in namespaces of its own, made by the command ``bwrap``.

For machines where bubblewrap is allowed what an ordinary program is not (it may be installed
setuid, or have an AppArmor profile), and to compare with. Opened only by name.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox import filesystem
from rlvr_course.sandbox.one_process import LAUNCHER, Command, run_once
from rlvr_course.sandbox.packages import locate, refuse_under_tmp
from rlvr_course.sandbox.records import Limits, Program, RunResult

TIER = "bwrap"
INSTALL = "install bubblewrap 0.8 or later: sudo apt install bubblewrap"
TMP_BYTES = 16 << 20
_SEARCH_PATH = {"PATH": os.environ.get("PATH", os.defpath)}
_OUTSIDE_USR = ("/bin", "/lib", "/lib64")  # links into it, or folders on older systems


def missing() -> str:
    """Why there is no bubblewrap here and how to get it; "" if there is one."""
    return "" if shutil.which("bwrap") else f"bwrap is not on the PATH (remedy: {INSTALL})"


class Bwrap:
    """Runs each program in a new bubblewrap.

    Args:
        packages: that programs may import besides the standard library.

    Raises:
        ValueError: a package that isn't installed.
        SandboxUnavailable: no bubblewrap, or it can't start here.

    Limits: fork is allowed, so ``memory_bytes`` holds for each process, not for all together;
    ``threads`` is not held. A signal shows as exit code 128 plus its number.
    """

    tier = TIER

    def __init__(self, *, packages: Sequence[str] = ()) -> None:
        if why := missing():
            raise SandboxUnavailable(why)
        self._command = Command(
            line=tuple(_command_line(packages)),
            tier=TIER,
            environment=_SEARCH_PATH,
            tells_usage=False,
        )
        began = time.perf_counter()
        result = self.run(Program("pass"))
        self.start_ms = (time.perf_counter() - began) * 1000
        if not result.ok:
            raise SandboxUnavailable(f"bwrap can't start here: {result.detail or result.stderr}")

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program."""
        return run_once(self._command, program, limits or Limits())

    def close(self) -> None:
        """Nothing is left to close."""


def _command_line(packages: Sequence[str]) -> Iterator[str]:
    package_paths = locate(packages)
    refuse_under_tmp(TIER, package_paths)
    folders = sorted({str(Path(path).parent) for path in package_paths})
    yield from ("bwrap", "--unshare-all", "--die-with-parent", "--new-session")
    yield from ("--cap-drop", "ALL", "--hostname", "sandbox", "--uid", "65534", "--gid", "65534")
    yield from ("--clearenv", "--setenv", "PYTHONHASHSEED", "0", "--setenv", "LC_ALL", "C.UTF-8")
    if folders:
        yield from ("--setenv", "PYTHONPATH", ":".join(folders))
    for kind, *paths in tree(package_paths):
        yield from (f"--{kind}", *paths)
    for device in filesystem.DEVICES:
        yield from ("--dev-bind", device, device)
    yield from ("--size", str(TMP_BYTES), "--tmpfs", "/tmp", "--remount-ro", "/")
    yield from ("--chdir", "/tmp", str(Path(sys.executable).resolve()))
    yield from ("-P", "-s", "-X", "utf8", "-c", LAUNCHER)


def tree(package_paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What to mount, in order, so that this Python starts: /usr, its library, the packages.

    Yields:
        ("ro-bind", source, target), ("tmpfs", folder) to cover what else is installed,
        ("symlink", to, link), or ("remount-ro", folder).
    """
    own = [Path(sys.executable).resolve(), Path(sys.base_prefix, "lib").resolve()]
    library = filesystem.standard_library()
    paths = filesystem.outermost(["/usr", *map(str, own), *library])
    for path in paths:
        yield ("ro-bind", path, path)
    covered = [folder for folder in _installed_packages(library) if Path(folder).is_dir()]
    yield from (("tmpfs", folder) for folder in covered)
    yield from (("ro-bind", path, path) for path in package_paths)
    yield from (("remount-ro", folder) for folder in covered)
    for name in _OUTSIDE_USR:
        if Path(name).is_symlink():
            yield ("symlink", str(Path(name).readlink()), name)
        elif Path(name).is_dir():
            yield ("ro-bind", name, name)


def _installed_packages(library: Sequence[str]) -> list[str]:
    names = ("site-packages", "dist-packages")
    folders = [f"{path}/{name}" for path in library for name in names]
    return sorted({*folders, "/usr/lib/python3/dist-packages"})
