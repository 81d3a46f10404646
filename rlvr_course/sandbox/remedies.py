"""What to do about a sandbox that can't be had: from what the kernel said and how it is set up.

Whether a tier works is found by trying it. The settings read here only choose the advice.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

WSL = "on Windows, run the course inside WSL2"


@dataclass(frozen=True)
class Machine:
    """The settings that decide which advice fits.

    Args:
        system: as ``sys.platform``.
        processor: as ``platform.machine()``.
        in_container: Docker, Podman or the like.
        apparmor_restricts: AppArmor strips rights from user namespaces (Ubuntu 23.10 and later).
        userns_switched_off: Debian's own switch for ordinary users.
        most_userns: how many user namespaces there may be, -1 if unknown.
    """

    system: str = "linux"
    processor: str = "x86_64"
    in_container: bool = False
    apparmor_restricts: bool = False
    userns_switched_off: bool = False
    most_userns: int = -1


def this_machine(root: Path = Path("/")) -> Machine:
    """Read the settings, as far as they can be read.

    Args:
        root: where /proc is found.
    """
    settings = root / "proc/sys"
    container_signs = (root / ".dockerenv", root / "run/.containerenv")
    return Machine(
        system=sys.platform,
        processor=platform.machine(),
        in_container=any(sign.exists() for sign in container_signs),
        apparmor_restricts=_number(settings / "kernel/apparmor_restrict_unprivileged_userns") == 1,
        userns_switched_off=_number(settings / "kernel/unprivileged_userns_clone") == 0,
        most_userns=_number(settings / "user/max_user_namespaces"),
    )


def _number(file: Path) -> int:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return -1


def remedy(tier: str, failure: str, machine: Machine) -> str:
    """The way on after a tier could not be opened, "" where there is none to name.

    Args:
        tier: its name.
        failure: what was raised, with the kernel's words for an error if it has any.
        machine: the settings.

    >>> remedy("linux-ns", "unshare: No space left on device", Machine())
    'sudo sysctl user.max_user_namespaces=15000'
    >>> remedy("linux-ns", "it only runs on Linux", Machine(system="win32"))
    'on Windows, run the course inside WSL2'
    """
    if machine.system == "win32":
        return WSL
    if tier == "linux-ns" and machine.system == "linux":
        return _for_namespaces(failure, machine)
    if tier == "linux-landlock" and machine.system == "linux":
        return _for_landlock(failure, machine)
    return ""


def _error_number(failure: str) -> int:
    """The kernel's error number, by its words; 0 if there are none."""
    known = (errno.ENOSPC, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOSYS)
    return next((number for number in known if os.strerror(number) in failure), 0)


def _for_namespaces(failure: str, machine: Machine) -> str:
    number = _error_number(failure)
    if number == errno.ENOSPC or machine.most_userns == 0:
        return "sudo sysctl user.max_user_namespaces=15000"
    if machine.userns_switched_off:
        return "sudo sysctl kernel.unprivileged_userns_clone=1"
    if number in (errno.EPERM, errno.EACCES) and machine.apparmor_restricts:
        return (
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, "
            "or an AppArmor profile with 'userns,' for this Python"
        )
    if number in (errno.EPERM, errno.EACCES) and machine.in_container:
        return (
            "start the container with --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
        )
    if number in (errno.EPERM, errno.EACCES):
        return "allow this user to make user namespaces: its seccomp filter or LSM refuses them"
    if number in (errno.EINVAL, errno.ENOSYS):
        return "a kernel with CONFIG_USER_NS, CONFIG_PID_NS and CONFIG_NET_NS"
    return ""


def _for_landlock(failure: str, machine: Machine) -> str:
    """The failure itself names the kernel that it takes; what else may stand in the way."""
    if "Landlock" in failure and machine.in_container:
        return "the kernel is the host's, and the container's seccomp filter has to let it through"
    number = _error_number(failure)
    if number in (errno.EPERM, errno.ENOSYS) and machine.in_container:
        return "a newer container engine, or --security-opt seccomp=unconfined"
    if number == errno.EINVAL:
        return "a kernel with CONFIG_SECCOMP_FILTER"
    return ""
