"""What an outer jail shows of this machine: a system and this Python, read-only, nothing else.

A new root is built in memory and only what is listed here appears in it, so no home, no key, no
project beside this package and no folder that anybody may write to is there to be found.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlvr_course.sandbox import kernel

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts"),
)
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
_OF_A_PREFIX = ("bin", "lib", "lib64", "pyvenv.cfg")
_EMPTY = ("/tmp", "/dev/shm")
_BUILT_ON = "/tmp"
_SAFE = kernel.MS_NOSUID | kernel.MS_NODEV
_TERMINAL = kernel.MS_NOSUID | kernel.MS_NOEXEC
_KEPT = _SAFE | kernel.MS_NOEXEC
_PACKAGE = Path(__file__).parents[1]


def show_only_needed(room_bytes: int = 1 << 30, *, terminals: bool = False) -> None:
    """Pivot into the new root, in a mount namespace of one's own.

    Args:
        room_bytes: how much /tmp, and /dev/shm as well, can hold.
        terminals: with pseudo-terminals of its own, where they are to be had.

    Raises:
        OSError: a mount is refused.
    """
    os.umask(0o022)
    system, python = _opened(_SYSTEM + _DEVICES), _opened(list(_python()))
    kernel.mount("tmpfs", _BUILT_ON, "tmpfs", _SAFE, "mode=755")
    _bind_all(system)
    _cover_homes()
    for path in _EMPTY:
        _mount_empty(path, f"size={room_bytes},mode=1777")
    _bind_all(python)  # last, since it may be in a home or in /tmp
    for name in ("home", "proc", "dev/pts"):
        Path(_BUILT_ON, name).mkdir(exist_ok=True)
    Path(_BUILT_ON, "dev/ptmx").symlink_to("pts/ptmx")
    _make_read_only()
    if terminals:
        with contextlib.suppress(OSError):  # IPython's "!" needs one, and says so without it
            options = "newinstance,ptmxmode=0666,mode=0620"
            kernel.mount("devpts", f"{_BUILT_ON}/dev/pts", "devpts", _TERMINAL, options)
    kernel.mount("proc", f"{_BUILT_ON}/proc", "proc", _KEPT)
    os.chdir(_BUILT_ON)
    kernel.pivot_root_here()


def _python() -> Iterator[str]:
    """This interpreter, what it imports and this package, by each name that leads to them."""
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        for name in _OF_A_PREFIX:
            yield from {f"{prefix}/{name}", os.path.realpath(f"{prefix}/{name}")}
    yield from {str(_PACKAGE), os.path.realpath(_PACKAGE)}
    program = sys.executable
    while Path(program).is_symlink():  # a link to a link: every one has to be there
        program = str(Path(program).parent / Path(program).readlink())
        yield os.path.normpath(program)


def _opened(paths: Sequence[str]) -> dict[str, int]:
    """A descriptor of each that exists, since the new root is built over some of them."""
    found = sorted({path for path in paths if Path(path).exists()})
    return {path: os.open(path, os.O_PATH) for path in found}


def _bind_all(opened: dict[str, int]) -> None:
    for path, descriptor in opened.items():
        source, target = f"/proc/self/fd/{descriptor}", Path(_BUILT_ON + path)
        if not target.exists() or target.is_dir():
            if Path(source).is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
            kernel.mount(source, str(target), None, kernel.MS_BIND | kernel.MS_REC)
        os.close(descriptor)


def _cover_homes() -> None:
    """Empty a home that lies within the system's folders, as in /usr/users."""
    for home in {os.path.expanduser("~"), os.path.realpath(os.path.expanduser("~"))}:  # noqa: PTH111
        if home != "/" and Path(_BUILT_ON + home).is_dir():
            _mount_empty(home, "mode=755")


def _mount_empty(path: str, options: str) -> None:
    Path(_BUILT_ON + path).mkdir(parents=True, exist_ok=True)
    kernel.mount("tmpfs", _BUILT_ON + path, "tmpfs", _SAFE, options)


def _make_read_only() -> None:
    """All that is mounted but the empty folders, with what came along below the others."""
    table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    for line in table.splitlines():
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[4])
        inside = point == _BUILT_ON or point.startswith(f"{_BUILT_ON}/")
        if inside and point.removeprefix(_BUILT_ON) not in _EMPTY:
            # What the host's mount forbids has to be forbidden here too, or the kernel refuses.
            kept = os.statvfs(point).f_flag & _KEPT
            flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kept
            kernel.mount(None, point, None, flags)
