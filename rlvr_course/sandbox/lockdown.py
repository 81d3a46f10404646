"""What a forked child takes from itself before it runs a program, none of which it can undo.

Resource limits bound processor time, memory, files and threads; empty capability sets and
no-new-privs bar every way to more rights; Landlock bounds files; seccomp bounds the kernel.

Limits: what the kernel itself holds for a program isn't in its address space. Some 500 MB of page
tables can be had by single pages mapped far apart, and 14 MB of buffers by 64 descriptors.
"""

from __future__ import annotations

import os
import resource
import signal
from dataclasses import dataclass

from rlvr_course.sandbox import kernel, landlock
from rlvr_course.sandbox.seccomp import FilterTemplate

DESCRIPTORS = 64
STACK_BYTES = 64 << 20
_NEVER_LESS = {resource.RLIMIT_CPU: "ulimit -t", resource.RLIMIT_AS: "ulimit -v"}
"""With less of these than was asked for, a program would be blamed for the host's own limit."""


@dataclass(frozen=True)
class Bounds:
    """Resource limits as the kernel takes them; ``processes`` is None where it can't count."""

    cpu_s: int
    address_bytes: int
    file_bytes: int
    processes: int | None


def set_standing_limits() -> None:
    """Lower the limits that are the same for each program, once, in the process that forks them."""
    _lower(
        {
            resource.RLIMIT_STACK: (STACK_BYTES, STACK_BYTES),
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_MEMLOCK: (0, 0),
            resource.RLIMIT_MSGQUEUE: (0, 0),
            resource.RLIMIT_SIGPENDING: (64, 64),
        }
    )


def set_resource_limits(bounds: Bounds) -> None:
    """Lower the limits of one program, hard ones too: without capabilities none can be raised.

    Raises:
        ValueError: the host's own limit on time or memory is below these.
    """
    limits = {
        resource.RLIMIT_CPU: (bounds.cpu_s, bounds.cpu_s + 1),  # SIGXCPU, then SIGKILL
        resource.RLIMIT_FSIZE: (bounds.file_bytes, bounds.file_bytes),
        resource.RLIMIT_NOFILE: (DESCRIPTORS, DESCRIPTORS),
        resource.RLIMIT_AS: (bounds.address_bytes, bounds.address_bytes),
    }
    if bounds.processes is not None:
        limits[resource.RLIMIT_NPROC] = (bounds.processes, bounds.processes)
    _lower(limits)


def _lower(limits: dict[int, tuple[int, int]]) -> None:
    for limit, (soft, hard) in limits.items():
        most = resource.getrlimit(limit)[1]
        if most != resource.RLIM_INFINITY:
            hard = min(hard, most)
            if hard < soft and limit in _NEVER_LESS:
                raise ValueError(f"this host's own {_NEVER_LESS[limit]} has to be raised to {soft}")
            soft = min(soft, hard)
        resource.setrlimit(limit, (soft, hard))


def confine(bounds: Bounds, ruleset: int | None, template: FilterTemplate) -> None:
    """Apply every measure to this process, the filter last; its parent has the standing limits.

    Raises:
        OSError, ValueError: one could not be applied; nothing may run then.
    """
    set_resource_limits(bounds)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # no child outlives its fork server
    if ruleset is not None:
        landlock.restrict(ruleset)
        os.close(ruleset)
    kernel.install_filter(template.for_process(os.getpid()))
