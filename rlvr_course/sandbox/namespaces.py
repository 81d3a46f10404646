"""Private namespaces: the fork server's own files, processes, network, IPC and host name.

Answers: reading and writing the host's files, reaching its network and processes, outliving the
run, learning the host's name. It takes two steps, for root and for an ordinary user alike:

1. ``build_root`` makes a small read-only tree of binds, as a user who may still reach the sources
   (a Python under a home of mode 0700), and pivots into it. Nothing else is left to mount from.
2. ``enter`` drops root, and makes new namespaces in which those mounts are locked: even a process
   with every capability in there can't unmount, remount or uncover them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from rlvr_course.sandbox import filesystem, kernel

HOSTNAME = b"sandbox"
INNER_ID = 65534
TMP_BYTES = 16 << 20
TMP_INODES = 4096

_MOUNT_POINTS = ("/tmp", "/mnt", "/srv", "/media", "/opt", "/var/tmp", "/run")
_PRIVATE = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
_SAFE = kernel.MS_NOSUID | kernel.MS_NODEV
_READ_ONLY = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _SAFE


def build_root(readable: filesystem.Readable) -> int:
    """Pivot into a read-only tree with nothing but these paths, three devices and an empty /tmp.

    Args:
        readable: each path of it appears where it was.

    Returns:
        A descriptor of the old /proc, for ``enter``.

    Raises:
        OSError: a namespace or a mount is refused.
    """
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    _private_mounts(proc)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    root = _mount_point([*readable.library, *readable.packages])
    kernel.mount("tmpfs", root, "tmpfs", _SAFE, "size=1m,mode=755")
    for path in readable.library:
        _bind(path, root + path, _SAFE)
    _cover(root, readable)
    _link_library_folders(root)
    for device in filesystem.DEVICES:
        _bind(device, root + device, kernel.MS_NOSUID | kernel.MS_NOEXEC)
    Path(root, "tmp").mkdir(exist_ok=True)
    os.chdir(root)
    kernel.pivot_root_here()
    kernel.mount(None, "/", None, _READ_ONLY)
    return proc


def _private_mounts(proc: int) -> None:
    """A mount namespace of one's own: for root at once, for others within a user namespace."""
    with contextlib.suppress(PermissionError):
        kernel.unshare(kernel.CLONE_NEWNS)
        return
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    _map_ids(proc, uid, uid, gid, gid)


def _mount_point(paths: Sequence[str]) -> str:
    """A folder to mount the new root on that hides none of the paths."""
    for folder in _MOUNT_POINTS:
        if Path(folder).is_dir() and not any(p.startswith(f"{folder}/") for p in paths):
            return folder
    raise OSError(f"none of {', '.join(_MOUNT_POINTS)} is free to mount the sandbox's root on")


def _bind(source: str, target: str, flags: int) -> None:
    """Show a file or a folder of the host at another place, read-only (a device's node too)."""
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)
    # What the host's mount forbids has to be forbidden here too, or the kernel refuses.
    kept = os.statvfs(target).f_flag & (_SAFE | kernel.MS_NOEXEC)
    read_only = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY
    kernel.mount(None, target, None, read_only | kept | flags)


def _link_library_folders(root: str) -> None:
    """Where /lib is a link into /usr, the loader has to find it here too."""
    for name in ("lib", "lib64"):
        link, here = Path("/", name), Path(root, name)
        if link.is_symlink() and not here.exists():
            here.symlink_to(link.readlink())


def _cover(root: str, readable: filesystem.Readable) -> None:
    """Hide installed packages under file systems that hold only those that were asked for."""
    for folder in readable.hidden:
        kernel.mount("tmpfs", root + folder, "tmpfs", _SAFE, "size=64k,mode=755")
    for path in readable.packages:
        _bind(path, root + path, _SAFE)
    for folder in readable.hidden:
        kernel.mount(None, root + folder, None, _READ_ONLY)


def _map_ids(proc: int, inner_uid: int, uid: int, inner_gid: int, gid: int) -> None:
    """Give the new user namespace one user and one group, those of the caller."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inner_uid} {uid} 1"),
        ("gid_map", f"{inner_gid} {gid} 1"),
    ):
        file = os.open(f"self/{name}", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        try:
            os.write(file, text.encode())
        except OSError as error:
            raise OSError(error.errno, f"{name} {text!r}: {error.strerror}") from None
        finally:
            os.close(file)


def enter(proc: int) -> None:
    """Go into the private namespaces; the caller's next child is their first process.

    Args:
        proc: what ``build_root`` returned; closed here.

    Raises:
        OSError: a namespace is refused.
    """
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(_PRIVATE)
    _map_ids(proc, INNER_ID, uid, INNER_ID, gid)
    os.close(proc)
    kernel.set_names(HOSTNAME)


class ScratchSpace:
    """The one place that a program can write to: a /tmp in memory, new for each program."""

    def __init__(self) -> None:
        self._untouched: tuple[object, ...] = ()
        self._mount()

    def _mount(self) -> None:
        flags = _SAFE | kernel.MS_NOEXEC | kernel.MS_NOATIME
        options = f"size={TMP_BYTES},nr_inodes={TMP_INODES},mode=700"
        kernel.mount("tmpfs", "/tmp", "tmpfs", flags, options)
        os.chdir("/tmp")
        self._untouched = self._state()

    @staticmethod
    def _state() -> tuple[object, ...]:
        """All that a program can change about an empty folder, attributes and times included."""
        seen = Path("/tmp").stat()
        times = (seen.st_atime_ns, seen.st_mtime_ns, seen.st_ctime_ns)
        return (seen.st_ino, seen.st_dev, seen.st_mode, *times, *os.listxattr("/tmp"))

    def renew(self) -> bool:
        """Mount a new one if a program may have left anything; whether that was needed."""
        if self._state() == self._untouched and not os.listdir("/tmp"):  # noqa: PTH208
            return False
        os.chdir("/")
        kernel.unmount("/tmp", kernel.MNT_DETACH)  # a tool of the host's may be looking at it
        self._mount()
        return True
