"""Which system calls an outer jail refuses to a program that needs nearly all of them.

The jail's own bounds hold processes and files. Refused are ways around them (namespaces and mounts
of one's own, memory that belongs to no process), other programs' memory, and those parts of the
kernel that no notebook needs and that have been attacked most.
"""

from __future__ import annotations

import os

from rlvr_course.sandbox import kernel
from rlvr_course.sandbox.seccomp import denying_program

_COLUMN = {"x86_64": 0, "aarch64": 1}
REFUSED = {
    # namespaces and mounts: each new tmpfs would be more memory
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # memory and messages that outlive what made them
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_secret": (447, 447),
    # other programs, even of one's own
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    # keys, programs and queues in the kernel
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
}
"""Each call's number on x86_64 and on aarch64."""


def refuse_calls() -> None:
    """Put the filter on this thread and all that it starts, for good; needs no-new-privs.

    Raises:
        OSError: the kernel has no seccomp filters.
        KeyError: an architecture without a table.
    """
    arch = os.uname().machine
    numbers = [pair[_COLUMN[arch]] for pair in REFUSED.values()]
    kernel.install_filter(denying_program(arch, numbers))
