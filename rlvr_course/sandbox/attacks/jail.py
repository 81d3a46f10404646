"""A disposable outer jail, so that attacks may succeed and yet reach nothing of this machine.

Private mounts, processes, network and IPC, an empty /tmp, the rights of an ordinary user, and
bounds on memory, files and processes. When its first process ends, so does everything in it. It
keeps hostile programs that are known, written here and harmless on purpose; the sandbox, not this,
is for programs that nobody has read.

    python -m rlvr_course.sandbox.attacks.jail TIER    runs a battery inside and prints JSON lines
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox import kernel
from rlvr_course.sandbox.attacks.attack import Attack
from rlvr_course.sandbox.attacks.battery import Battery, Outcome
from rlvr_course.sandbox.attacks.victim import NOBODY

_SPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)
_BOUNDS = {
    resource.RLIMIT_AS: 4 << 30,
    resource.RLIMIT_FSIZE: 1 << 30,
    resource.RLIMIT_NPROC: 6000,
    resource.RLIMIT_CORE: 0,
}
_OPEN_TO_ALL = 0o001
_SET_FLAGS, _INTERFACE_UP = 0x8914, 0x1


def run_in_jail(tier: str, attacks: Sequence[Attack]) -> Iterator[Outcome]:
    """Run attacks in a sandbox that is itself in a jail of its own.

    Args:
        tier: any tier that this machine has, "unsafe-subprocess" included.
        attacks: out of ``ATTACKS``.

    Raises:
        SandboxUnavailable: this machine can't make the jail, or the tier in it.
    """
    names = json.dumps([attack.name for attack in attacks])
    command = [sys.executable, "-m", __name__, tier]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as jail:
        assert jail.stdin is not None and jail.stdout is not None
        jail.stdin.write(names)
        jail.stdin.close()
        try:
            for line in jail.stdout:
                fields = json.loads(line)
                if "failed" in fields:
                    raise SandboxUnavailable(f"the outer jail: {fields['failed']}")
                yield Outcome(**fields)
        finally:
            jail.kill()
    if jail.returncode > 0:
        raise SandboxUnavailable(f"the outer jail ended with exit code {jail.returncode}")


def enter() -> None:
    """Move into the jail; the calling process, which must have one thread, stays outside to wait.

    Raises:
        OSError: a namespace or a mount is refused.
    """
    user = os.getuid()
    if user == 0:
        kernel.unshare(_SPACES)
    else:
        _become_root_inside(user)
    _wait_outside()
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    if user == 0:
        _open_way([sys.base_prefix, sys.prefix, str(Path(__file__).parents[3])])
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    for folder in ("/tmp", "/dev/shm"):
        with contextlib.suppress(FileNotFoundError):
            kernel.mount("tmpfs", folder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1g")
    _raise_loopback()
    _give_up_rights(user)


def _become_root_inside(user: int) -> None:
    group = os.getgid()
    kernel.unshare(_SPACES | kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _wait_outside() -> None:
    """Go on as the jail's second process; the first reaps orphans and ends when this one does."""
    if first := os.fork():
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if second := os.fork():
        while True:
            ended, status = os.wait()
            if ended == second:
                os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _open_way(needed: Sequence[str]) -> None:
    """Cover folders that an ordinary user can't pass by ones with nothing but what is needed."""
    closed: dict[str, list[tuple[str, int]]] = {}
    for path in map(os.path.realpath, needed):
        for folder in reversed(Path(path).parents):
            if not folder.stat().st_mode & _OPEN_TO_ALL:
                held = os.open(path, os.O_PATH | os.O_DIRECTORY)
                closed.setdefault(str(folder), []).append((path, held))
                break
    for folder, contents in closed.items():
        kernel.mount("tmpfs", folder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")
        for path, held in contents:
            Path(path).mkdir(parents=True, exist_ok=True)
            kernel.mount(f"/proc/self/fd/{held}", path, None, kernel.MS_BIND)
            os.close(held)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _INTERFACE_UP))


def _give_up_rights(user: int) -> None:
    for limit, most in _BOUNDS.items():
        hard = resource.getrlimit(limit)[1]
        most = most if hard < 0 else min(most, hard)
        resource.setrlimit(limit, (most, most))
    if user == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    os.chdir("/tmp")
    os.environ.update(HOME="/tmp", TMPDIR="/tmp")


def main(tier: str, names: str) -> None:
    """Enter the jail, run the named attacks there and print an outcome a line."""
    from rlvr_course.sandbox.attacks import ATTACKS
    from rlvr_course.sandbox.tiers import open_worker

    wanted = set(json.loads(names))
    warnings.simplefilter("ignore")  # "not a sandbox" is the point here
    try:
        enter()
        battery = Battery(lambda: open_worker(tier))
    except (OSError, SandboxUnavailable) as error:
        print(json.dumps({"failed": str(error)}))
        return
    with battery:
        for outcome in battery.run_all(attack for attack in ATTACKS if attack.name in wanted):
            print(json.dumps(outcome.to_dict()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.stdin.read())
