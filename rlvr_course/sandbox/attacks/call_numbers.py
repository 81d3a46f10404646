"""Numbers of the system calls that attacks make and that the sandbox doesn't list as allowed."""

from __future__ import annotations

_OLD = {
    "accept4": (288, 242),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_settime": (227, 112),
    "copy_file_range": (326, 285),
    "delete_module": (176, 106),
    "execveat": (322, 281),
    "fallocate": (285, 47),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "flock": (73, 32),
    "fsetxattr": (190, 7),
    "get_robust_list": (274, 100),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "migrate_pages": (256, 238),
    "mlock": (149, 228),
    "mount": (165, 40),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setattr": (314, 274),
    "seccomp": (317, 277),
    "sendfile": (40, 71),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "signalfd4": (289, 74),
    "socket": (41, 198),
    "splice": (275, 76),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tee": (276, 77),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "timerfd_create": (283, 85),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
    "clone": (56, 220),
}
"""On x86_64 and on aarch64, from the kernel's asm/unistd_64.h and asm-generic/unistd.h."""

_SINCE_5_1 = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fspick": 433,
    "pidfd_open": 434,
    "clone3": 435,
    "openat2": 437,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "landlock_create_ruleset": 444,
    "memfd_secret": 447,
    "process_mrelease": 448,
    "set_mempolicy_home_node": 450,
    "statmount": 457,
    "listmount": 458,
    "lsm_list_modules": 461,
}
"""The same on every architecture."""


def call_number(name: str, machine: str) -> int:
    """The number of a system call.

    Args:
        name: one of the calls above.
        machine: as ``platform.machine()`` names it. Anything but aarch64 is read as x86_64, as
            the sandbox's Linux tiers know only these two.

    Raises:
        KeyError: a call that is not above.

    >>> call_number("mount", "x86_64"), call_number("mount", "aarch64")
    (165, 40)
    """
    if name in _SINCE_5_1:
        return _SINCE_5_1[name]
    x86_64, aarch64 = _OLD[name]
    return aarch64 if machine in ("aarch64", "arm64") else x86_64
