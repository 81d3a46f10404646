"""Attacks on time, and crashes: programs that go on, and ones that fall over."""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt
from rlvr_course.sandbox.records import Limits

_SHORT = Limits(wall_s=0.5, cpu_s=1)
_ONLY_TIME = Limits(wall_s=0.5, cpu_s=30)
_TIMED = "a harness with a timeout stops it too; it is here so that no limit is taken on trust"
_ALONE = "a process of its own for each program survives it too"

TIME = (
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
    Attack(
        "single bytes in packets",
        "resources",
        "import fcntl, os\nfor fd in (1, 2):\n    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_DIRECT)\n"
        "while True:\n    os.write(1, b'x')\n    os.write(2, b'x')\n",
        "time",
        limits=_SHORT,
        unconfined=_TIMED,
    ),
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
