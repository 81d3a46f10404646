"""Attacks on what a machine has: memory, disk, descriptors, output.

Each is bounded, so that one that gets through costs this machine a second or a gigabyte, not more.
"""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, reach, with_libc
from rlvr_course.sandbox.records import Limits

_PATIENT = Limits(wall_s=15.0, cpu_s=15)  # so that it is not time that stops it

SPACE = (
    Attack(
        "memory of 1 GB",
        "resources",
        attempt(
            "block = bytearray(1 << 30)\nblock[::4096] = b'x' * (1 << 18)\n"
            "print('ESCAPED', len(block))"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "shared memory of 1 GB",
        "resources",
        attempt(
            "import mmap\nblock = mmap.mmap(-1, 1 << 30)\n"
            "for at in range(0, 1 << 30, 4096):\n    block[at] = 1\nprint('ESCAPED')"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "file in memory of 600 MB",
        "resources",
        attempt(
            "for _ in range(3):\n    fd = os.memfd_create('a')\n"
            "    for _ in range(200):\n        os.write(fd, bytes(1 << 20))\nprint('ESCAPED')"
        ),
        limits=_PATIENT,
    ),
    Attack("shared segment (System V)", "resources", reach("shmget", "0", "4096", "0o1600")),
    Attack(
        "message queue",
        "resources",
        reach("mq_open", "b'none'", "0", "0", "0"),
    ),
    Attack(
        "disk of 200 MB in /tmp",
        "resources",
        attempt(
            "stream = open('/tmp/rlvr-attack-fill', 'wb')\ntry:\n"
            "    for _ in range(200):\n        stream.write(bytes(1 << 20))\n"
            "    stream.flush()\n    print('ESCAPED')\n"
            "finally:\n    os.unlink('/tmp/rlvr-attack-fill')"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "disk of 200 MB in 40 files",
        "resources",
        attempt(
            "names = [f'/tmp/rlvr-attack-{i}' for i in range(40)]\ntry:\n"
            "    for name in names:\n"
            "        with open(name, 'wb') as stream:\n            stream.write(bytes(5 << 20))\n"
            "    print('ESCAPED')\n"
            "finally:\n    for name in names:\n        os.path.exists(name) and os.unlink(name)"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "disk of 20,000 empty files",
        "resources",
        attempt(
            "import tempfile, shutil\nfolder = tempfile.mkdtemp()\ntry:\n"
            "    for i in range(20000):\n"
            "        os.close(os.open(f'{folder}/{i}', os.O_CREAT | os.O_WRONLY))\n"
            "    print('ESCAPED')\nfinally:\n    shutil.rmtree(folder)"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "shared memory folder of 200 MB",
        "resources",
        attempt(
            "stream = open('/dev/shm/rlvr-attack-fill', 'wb')\ntry:\n"
            "    for _ in range(200):\n        stream.write(bytes(1 << 20))\n"
            "    stream.flush()\n    print('ESCAPED')\n"
            "finally:\n    os.unlink('/dev/shm/rlvr-attack-fill')"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "600 descriptors",
        "resources",
        attempt("held = [os.dup(1) for _ in range(600)]\nprint('ESCAPED', len(held))"),
    ),
    Attack(
        "pipes of 1 MB each",
        "resources",
        attempt(
            "import fcntl\npairs = [os.pipe() for _ in range(20)]\n"
            "print('ESCAPED', [fcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 1 << 20) for _, w in pairs])"
        ),
    ),
    Attack(
        "descriptors of a thread's own",
        "resources",
        attempt(
            "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            "stack = ctypes.create_string_buffer(1 << 16)\n"
            "top = ctypes.c_void_p((ctypes.addressof(stack) + (1 << 15)) & ~15)\n"
            "started = libc.clone(libc.pause, top, 0x10900, None)\n"  # CLONE_FILES is not in it
            "print('blocked:' if started < 0 else 'ESCAPED', os.strerror(ctypes.get_errno()))"
        ),
    ),
    Attack(
        "limits raised",
        "resources",
        attempt(
            "import resource\nfor name in ('AS', 'CPU', 'NOFILE', 'NPROC', 'FSIZE', 'CORE'):\n"
            "    limit = getattr(resource, 'RLIMIT_' + name)\n"
            "    hard = resource.getrlimit(limit)[1]\n"
            "    if hard == -1:\n        print('ESCAPED', name, 'has no limit')\n        continue\n"
            "    try:\n        resource.setrlimit(limit, (hard + 1, hard + 1))\n"
            "        print('ESCAPED', name)\n    except (OSError, ValueError) as error:\n"
            "        print('blocked:', name, error)"
        ),
    ),
    Attack(
        "real-time scheduling",
        "resources",
        attempt("os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))\nprint('ESCAPED')"),
        unconfined="needs root, which nobody should give a naive harness either",
    ),
    Attack(
        "locked memory",
        "resources",
        with_libc(
            "block = ctypes.create_string_buffer(8192)\nverdict(call(@NR:mlock@, block, 8192))"
        ),
    ),
    Attack(
        "endless stdout",
        "resources",
        "import os\ntry:\n    for _ in range(300):\n        os.write(1, b'y' * (1 << 20))\n"
        "except OSError:\n    pass\n",
        "output",
        unconfined="the one that isn't a sandbox keeps no more than the limit either",
    ),
    Attack(
        "endless stderr",
        "resources",
        "import os\ntry:\n    for _ in range(300):\n        os.write(2, b'y' * (1 << 20))\n"
        "except OSError:\n    pass\n",
        "output",
        unconfined="the one that isn't a sandbox keeps no more than the limit either",
    ),
    Attack(
        "disk of the host flushed",
        "resources",
        attempt(
            "reader, writer = os.pipe()\nos.fsync(os.open(os.__file__, os.O_RDONLY))\n"
            "try:\n    os.fsync(writer)  # the kernel itself refuses this for a pipe\n"
            "except OSError as error:\n"
            "    print('blocked:' if error.errno == 1 else 'ESCAPED', error)"
        ),
    ),
    Attack(
        "cache of the host emptied",
        "resources",
        attempt(
            "reader, writer = os.pipe()\n"
            "try:\n    os.posix_fadvise(writer, 0, 0, os.POSIX_FADV_DONTNEED)\n"
            "except OSError as error:\n"
            "    print('blocked:' if error.errno == 1 else 'ESCAPED', error)"
        ),
    ),
    Attack("asynchronous input and output", "resources", reach("io_setup", "0", "0")),
    Attack("timer of its own", "resources", reach("timer_create", "99", "0", "0")),
    Attack("watch on files", "resources", reach("inotify_init1", "-1")),
)
