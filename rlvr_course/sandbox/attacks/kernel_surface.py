"""Attacks on the kernel by its less trodden calls, and on the machine's identity.

Where a bug in the kernel would give everything away, all that can be tested is whether the kernel's
code for a call is reached at all. So most of these make one call with arguments that it refuses:
an error other than "not permitted" or "no such call" shows that it looked at them.
"""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, reach, with_libc

_NEEDS_ROOT = "needs root, which nobody should give a naive harness either"
_OFTEN_OFF = "many machines have it switched off, and say so with the same error"
_KNOWN = frozenset({"linux-ns", "linux-landlock"})
_NO_UTS = frozenset({"linux-landlock"})


def _calls(unconfined: str, calls: dict[str, tuple[str, ...]]) -> tuple[Attack, ...]:
    return tuple(
        Attack(name, "kernel surface", reach(*call), unconfined=unconfined)
        for name, call in calls.items()
    )


_FOR_ANYONE = {
    "user namespace": ("unshare", "0x10000000 | 0x80"),
    "entering a namespace": ("setns", "-1", "0"),
    "io_uring": ("io_uring_setup", "0", "0"),
    "kernel keys": ("keyctl", "0", "-3", "0"),
    "adding a key": ("add_key", "b'user'", "b'rlvr-attack'", "0", "0", "-3"),
    "performance events": ("perf_event_open", "0", "0", "-1", "-1", "0"),
    "filter of its own": ("seccomp", "99", "0", "0"),
    "ruleset of its own": ("landlock_create_ruleset", "0", "0", "1"),
    "another personality": ("personality", "0xffffffff"),
    "file in memory": ("memfd_create", "0", "0"),
    "program by descriptor": ("execveat", "-1", "b''", "0", "0", "0x1000"),
    "moving data between pipes": ("splice", "-1", "0", "-1", "0", "1", "0"),
    "copying between pipes": ("tee", "-1", "-1", "1", "0"),
    "memory into a pipe": ("vmsplice", "-1", "0", "1", "0"),
    "sending a file": ("sendfile", "-1", "-1", "0", "1"),
    "copying a file range": ("copy_file_range", "-1", "0", "-1", "0", "1", "0"),
    "signals by descriptor": ("signalfd4", "-1", "0", "0", "0"),
    "timer by descriptor": ("timerfd_create", "99", "0"),
    "process by descriptor": ("pidfd_open", "-1", "0"),
    "opening with openat2": ("openat2", "-1", "b'x'", "0", "0"),
    "migrating memory": ("migrate_pages", "0", "0", "0", "0"),
    "advice on another's memory": ("process_madvise", "-1", "0", "0", "0", "0"),
    "reaping another's memory": ("process_mrelease", "-1", "0"),
    "scheduling attributes": ("sched_setattr", "0", "0", "0"),
    "input and output priority": ("ioprio_set", "99", "0", "0"),
    "locking a file": ("flock", "-1", "99"),
    "reserving a file's space": ("fallocate", "-1", "0", "0", "1"),
    "accepting a connection": ("accept4", "-1", "0", "0", "0"),
    "clock adjustment, read": ("adjtimex", "b'\\0' * 208"),
}

_FOR_ROOT = {
    "mount": ("mount", "b'none'", "b'/nowhere'", "b'tmpfs'", "0", "0"),
    "unmount": ("umount2", "b'/nowhere'", "0"),
    "root moved": ("pivot_root", "b'/nowhere'", "b'/nowhere'"),
    "root changed": ("chroot", "b'/nowhere'"),
    "file system opened": ("fsopen", "b'none'", "0"),
    "mount moved": ("move_mount", "-1", "b''", "-1", "b''", "0"),
    "mount's attributes": ("mount_setattr", "-1", "b''", "0", "0", "0"),
    "mount's configuration": ("fspick", "-1", "b'/nowhere'", "0"),
    "BPF program": ("bpf", "99", "0", "0"),
    "page faults by descriptor": ("userfaultfd", "0"),
    "new kernel": ("kexec_load", "0", "9999", "0", "0"),
    "restart": ("reboot", "0", "0", "0", "0"),
    "swap file": ("swapon", "b'/nowhere'", "0"),
    "module into the kernel": ("finit_module", "-1", "b''", "0"),
    "module out of the kernel": ("delete_module", "b'none'", "0"),
    "clock set": ("clock_settime", "99", "0"),
    "date set": ("settimeofday", "0", "0"),
    "accounting": ("acct", "b'/nowhere'"),
    "quotas": ("quotactl", "-1", "0", "0", "0"),
    "quotas by descriptor": ("quotactl_fd", "-1", "0", "0", "0"),
    "hostname set": ("sethostname", "b'x'", "-1"),
    "domain set": ("setdomainname", "b'x'", "-1"),
    "watch on all files": ("fanotify_init", "0xffffffff", "0"),
    "kernel's log": ("syslog", "99", "0", "0"),
}

KERNEL_SURFACE = (
    *_calls("", _FOR_ANYONE),
    *_calls(_NEEDS_ROOT, _FOR_ROOT),
    *_calls(
        _OFTEN_OFF,
        {
            "secret memory": ("memfd_secret", "99"),
            "mount tree opened": ("open_tree", "-1", "b''", "99"),
            "facts of a mount": ("statmount", "0", "0", "0", "0"),
            "list of mounts": ("listmount", "0", "0", "0", "0"),
            "list of security modules": ("lsm_list_modules", "0", "0", "99"),
        },
    ),
    Attack(
        "32-bit system call",
        "kernel surface",
        with_libc("""\
import mmap
if os.uname().machine != 'x86_64':
    raise OSError('this machine has no such calls')
code = bytes.fromhex('53' 'b814000000' 'cd80' '5b' 'c3')  # push rbx; getpid; pop rbx; ret
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print('ESCAPED', ctypes.CFUNCTYPE(ctypes.c_int)(address)())"""),
        unconfined="some kernels are built without them",
    ),
    Attack(
        "x32 system call",
        "kernel surface",
        with_libc("verdict(call(0x40000000 + 39))"),
        unconfined="most kernels are built without them",
    ),
    Attack(
        "call numbers past the list",
        "kernel surface",
        with_libc(
            "for number in (*range(463, 700), 1023, 2**31 - 1, -1):\n"
            "    if not refused(call(number)):\n        print('ESCAPED', number)"
        ),
        unconfined="they are answered with 'no such call' there as well",
    ),
    Attack(
        "device node",
        "kernel surface",
        attempt(
            "import stat\nname = '/tmp/rlvr-attack-device'\n"
            "os.mknod(name, 0o600 | stat.S_IFBLK, os.makedev(7, 0))\nos.unlink(name)\n"
            "print('ESCAPED')"
        ),
        unconfined=_NEEDS_ROOT,
    ),
    Attack(
        "devices to read",
        "kernel surface",
        attempt(
            "for name in ('mem', 'kmsg', 'port', 'vda', 'sda', 'nvme0n1', 'loop0', 'fuse', 'kvm',"
            " 'net/tun', 'tty', 'ptmx', 'console', 'full', 'random', 'shm', 'mqueue'):\n"
            "    try:\n        os.open('/dev/' + name, os.O_RDONLY | os.O_NONBLOCK)\n"
            "        print('ESCAPED', name)\n"
            "    except OSError as error:\n        print('blocked:', error)"
        ),
    ),
    Attack(
        "characters typed into the terminal",
        "kernel surface",
        attempt(
            "import fcntl\nfor fd in (0, 1, 2, os.open('/dev/tty', os.O_RDWR)):\n"
            "    fcntl.ioctl(fd, 0x5412, b'x')  # TIOCSTI\n    print('ESCAPED', fd)"
        ),
        unconfined="needs a terminal",
    ),
    Attack(
        "ioctl calls by number",
        "kernel surface",
        with_libc(
            "for request in (0x5412, 0x541c, 0x540e, 0x5410, 0x8901, 0x8902, 0x5452, 0x1260,"
            " 0x2285, 0xae00, 0x2400, 0xc0506617):\n"
            "    result = libc.ioctl(1, ctypes.c_ulong(request | 1 << 32), 0)\n"
            "    if not (refused(result) or ctypes.get_errno() == errno.ENOTTY):\n"
            "        print('ESCAPED', hex(request), errno.errorcode.get(ctypes.get_errno()))"
        ),
        unconfined="a pipe answers as the filter does",
    ),
    Attack(
        "files of the kernel",
        "kernel surface",
        attempt(
            "for name in ('/proc/self/maps', '/proc/kallsyms', '/proc/cpuinfo', '/proc/version',"
            " '/sys/kernel/notes', '/proc/sys/kernel/random/boot_id', '/etc/machine-id'):\n"
            "    try:\n        open(name, 'rb').read(10)\n        print('ESCAPED', name)\n"
            "    except OSError as error:\n        print('blocked:', error)"
        ),
    ),
    Attack(
        "file mapped to be run as code",
        "kernel surface",
        attempt(
            "import mmap\nname = '/tmp/rlvr-attack-code'\n"
            "fd = os.open(name, os.O_CREAT | os.O_RDWR, 0o700)\nos.write(fd, bytes(4096))\n"
            "try:\n    mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)\n"
            "    print('ESCAPED')\nfinally:\n    os.unlink(name)"
        ),
    ),
)

IDENTITY = (
    Attack(
        "hostname",
        "identity",
        attempt("os.uname().nodename == @HOSTNAME@ and print('ESCAPED', os.uname().nodename)"),
        declared=_NO_UTS,
    ),
    Attack(
        "kernel version",
        "identity",
        attempt("print('ESCAPED', os.uname().release)"),
        declared=_KNOWN,
    ),
    Attack(
        "name of the user",
        "identity",
        attempt("import pwd\nprint('ESCAPED', pwd.getpwall()[0].pw_name)"),
    ),
    Attack(
        "list of users' folders",
        "identity",
        attempt("print('ESCAPED', os.listdir('/home'))"),
    ),
    Attack(
        "network interfaces",
        "identity",
        attempt("import socket\nprint('ESCAPED', socket.if_nameindex())"),
    ),
)
