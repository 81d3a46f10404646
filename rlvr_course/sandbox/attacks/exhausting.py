"""Attacks on the machine itself: memory, files, descriptors, output, time; and crashes.

Each is bounded, so that one that gets through costs this machine a second or a gigabyte, not more.
"""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, reach, with_libc
from rlvr_course.sandbox.records import Limits

_SHORT = Limits(wall_s=0.5, cpu_s=1)
_PATIENT = Limits(wall_s=15.0, cpu_s=15)  # so that it is not time that stops it
_ONLY_TIME = Limits(wall_s=0.5, cpu_s=30)
_TIMED = "a harness with a timeout stops it too; it is here so that no limit is taken on trust"
_ALONE = "a process of its own for each program survives it too"

RESOURCES = (
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
        "a trickle of output for ever",
        "resources",
        "import time\nwhile True:\n    print('.', end='', flush=True)\n    time.sleep(0.05)\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "loop that ignores signals",
        "resources",
        "import signal\nfor number in range(1, 65):\n    try:\n"
        "        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n"
        "        pass\nwhile True:\n    pass\n",
        "time",
        limits=_SHORT,
        unconfined=_TIMED,
    ),
    Attack(
        "loop that blocks signals",
        "resources",
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "while True:\n    pass\n",
        "time",
        limits=_SHORT,
        unconfined=_TIMED,
    ),
    Attack(
        "sleep past the limit",
        "resources",
        "import time\ntime.sleep(60)\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "eight loops in threads",
        "resources",
        "import threading\ndef loop():\n    while True:\n        pass\n"
        "for _ in range(8):\n    threading.Thread(target=loop).start()\n",
        "time",
        limits=_SHORT,
        unconfined=_TIMED,
    ),
    Attack(
        "one long step of C",
        "resources",
        "print(len(str(7 ** (10 ** 8))))\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "pattern that backtracks",
        "resources",
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "closes its output and goes on",
        "resources",
        "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "thread that never ends",
        "resources",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "never ends its exit",
        "resources",
        "import atexit, time\natexit.register(time.sleep, 60)\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "catches its MemoryError for ever",
        "resources",
        "held = []\nwhile True:\n    try:\n        held.append(bytearray(1 << 20))\n"
        "    except BaseException:\n        pass\n",
        "time",
        limits=Limits(wall_s=0.5, cpu_s=30, memory_bytes=256 << 20),
        unconfined=_TIMED,
    ),
    Attack(
        "waits for input that doesn't come",
        "resources",
        "import sys\nprint(repr(sys.stdin.read()))\n",
        "time",
        limits=_ONLY_TIME,
        unconfined=_TIMED,
    ),
    Attack(
        "folders 400 deep",
        "resources",
        attempt(
            "os.chdir('/tmp')\nfor _ in range(400):\n    os.mkdir('d' * 200)\n"
            "    os.chdir('d' * 200)\nprint('deep')"
        ),
        "canary",
        unconfined="would leave a tree behind that is tedious to remove",
    ),
    Attack(
        "locks without number",
        "resources",
        "import fcntl\nat = 0\nwhile True:\n    fcntl.lockf(0, fcntl.LOCK_SH, 1, at)\n"
        "    at += 2\n",
        "canary",
        stdin="x",
        limits=_SHORT,
        unconfined=_TIMED,
    ),
    Attack(
        "60,000 maps, undone by its end",
        "resources",
        attempt(
            "import mmap\n"
            "held = [mmap.mmap(-1, 4096, prot=1 + 2 * (i % 2)) for i in range(60000)]\n"
            "os.kill(os.getpid(), 9)"
        ),
        "canary",
        unconfined=_TIMED,
    ),
    Attack(
        "files mapped and written by threads at the end",
        "resources",
        attempt(
            "import mmap, threading, time\nfd = os.open('/tmp/map', os.O_CREAT | os.O_RDWR)\n"
            "os.ftruncate(fd, 1 << 20)\nmaps = [mmap.mmap(fd, 1 << 20) for _ in range(20)]\n"
            "def write():\n    while True:\n        for one in maps:\n"
            "            one[:] = bytes(1 << 20)\n"
            "for _ in range(6):\n    threading.Thread(target=write, daemon=True).start()\n"
            "time.sleep(0.1)\nos._exit(0)"
        ),
        "canary",
        unconfined="would leave a file behind",
    ),
    Attack("asynchronous input and output", "resources", reach("io_setup", "0", "0")),
    Attack("timer of its own", "resources", reach("timer_create", "99", "0", "0")),
    Attack("watch on files", "resources", reach("inotify_init1", "-1")),
)

CRASHES = (
    Attack(
        "invalid address",
        "crashes",
        "import ctypes\nctypes.string_at(0)\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack("abort", "crashes", "import os\nos.abort()\n", "canary", unconfined=_ALONE),
    Attack(
        "recursion without a limit",
        "crashes",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f():\n    return f()\nf()\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "recursion through C",
        "crashes",
        "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n"
        "    def __repr__(self):\n        return repr(self)\nrepr(A())\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "recursion in a thread",
        "crashes",
        "import sys, threading\nsys.setrecursionlimit(10**9)\nthreading.stack_size(1 << 16)\n"
        "def f():\n    return f()\nthreading.Thread(target=f).start()\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "brackets 200,000 deep",
        "crashes",
        "(" * 200_000 + ")" * 200_000,
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "minus signs 200,000 deep",
        "crashes",
        "x = " + "-" * 200_000 + "1",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "sum of 100,000 terms",
        "crashes",
        "x = " + "+".join("1" * 100_000),
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "literal of 300,000 digits",
        "crashes",
        "print(" + "9" * 300_000 + " % 7)",
        "canary",
        unconfined=_ALONE,
    ),
    Attack("source of 5 MB", "crashes", "x = 1\n" * 800_000, "canary", unconfined=_ALONE),
    Attack(
        "NUL in the source",
        "crashes",
        "print(1)\n\0print(2)\n",
        "canary",
        unconfined="a command line can't hold it: the run doesn't start",
    ),
    Attack(
        "half a character in the source",
        "crashes",
        "print('\ud800')\n",
        "canary",
        unconfined="a command line can't hold it: the run doesn't start",
    ),
    Attack(
        "half a character on stdin",
        "crashes",
        "print(len(input()))\n",
        "canary",
        stdin="\udfff\n",
        unconfined=_ALONE,
    ),
    Attack(
        "bytes that aren't text",
        "crashes",
        "import os\nos.write(1, bytes(range(256)) * 9)\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "half a character printed", "crashes", "print('\\udcff')\n", "canary", unconfined=_ALONE
    ),
    Attack(
        "ends itself by a signal",
        "crashes",
        "import os\nos.kill(os.getpid(), 9)\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "frees what isn't its own",
        "crashes",
        "import ctypes\nctypes.CDLL(None).free(ctypes.c_void_p(id(None)))\n",
        "canary",
        unconfined=_ALONE,
    ),
    Attack(
        "writes over the interpreter",
        "crashes",
        "import ctypes\nfor name in (None, True, int, dict, type):\n"
        "    ctypes.memset(id(name), 0xff, 64)\nprint(1)\n",
        "canary",
        unconfined=_ALONE,
    ),
)
