"""A disposable outer jail, so that attacks may succeed and yet reach nothing of this machine.

A root of its own with the system and this Python read-only and an empty /tmp; its own processes,
network, IPC and environment; the rights of an ordinary user; bounds on memory, files and
processes. When its first process ends, so does everything in it. It keeps hostile programs that are
known, written here and harmless on purpose; the sandbox, not this, is for programs that nobody has
read.
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
from rlvr_course.sandbox.attacks.jail_files import show_only_needed
from rlvr_course.sandbox.attacks.victim import NOBODY
from rlvr_course.sandbox.tiers import WITHOUT

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
_KEYCTL, _JOIN_SESSION_KEYRING = {"x86_64": 250, "aarch64": 219}, 1
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
    script = f"from {__name__} import main\nmain({tier!r}, sys.stdin.read())"
    with subprocess.Popen(
        python_for_jail(script),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a terminal, perhaps, which could be typed into
        text=True,
        start_new_session=True,
        env=environment(),
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


def python_for_jail(script: str) -> list[str]:
    """A command that runs a script which has ``sys``, and this very package to import from."""
    beside = str(Path(__file__).parents[3])
    found = f"import sys\nsys.path.insert(0, {beside!r})\nimport rlvr_course\ndel sys.path[0]\n"
    return [sys.executable, "-c", found + script]


def environment() -> dict[str, str]:
    """What a jail is told of the environment: where things are, and which tiers it may use."""
    return {name: os.environ[name] for name in ("PATH", "HOME", WITHOUT) if name in os.environ}


def enter() -> None:
    """Move into the jail; the calling process, which must have one thread, stays outside to wait.

    Raises:
        OSError: a namespace or a mount is refused, or Python doesn't start in there.
    """
    user = os.getuid()
    if user == 0:
        kernel.unshare(_SPACES)
    else:
        _become_root_inside(user)
    _wait_outside()
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    show_only_needed()
    _raise_loopback()
    _leave_keys()
    _give_up_rights(user)
    trial = subprocess.run([sys.executable, "-c", ""], capture_output=True, text=True)
    if trial.returncode:
        raise OSError(f"Python doesn't start in it: {trial.stderr.strip()[-200:]}")


def _become_root_inside(user: int) -> None:
    group = os.getgid()
    kernel.unshare(_SPACES | kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _wait_outside() -> None:
    """Go on as the jail's second process; the first reaps orphans and ends when this one does."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if first := os.fork():
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if second := os.fork():
        while True:
            ended, status = os.wait()
            if ended == second:
                os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _leave_keys() -> None:
    """Have an empty ring of keys, where the kernel keeps such."""
    with contextlib.suppress(OSError, KeyError):  # what is refused here is refused in there too
        number = _KEYCTL[os.uname().machine]
        kernel.syscall(number, _JOIN_SESSION_KEYRING, None, what="keyctl")


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
