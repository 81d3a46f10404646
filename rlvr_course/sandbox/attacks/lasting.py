"""Attacks on the result, and on whatever comes after: forged replies and traces left behind."""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, with_libc

_NOT_THERE = "a process of its own with its code on the command line has none of it to reach"
_ALONE = "a process of its own for each program leaves none of it behind"

_SEARCH = """\
import gc
wanted = 'answer' + '-'
seen = set()
def look(value):
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode('latin-1')
        if wanted in text and len(text) < 10_000 and text not in seen:
            seen.add(text)
            print(text)
for thing in gc.get_objects():
    try:
        for other in gc.get_referents(thing):
            look(other)
    except Exception:
        pass
frame = sys._getframe()
while frame:
    for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
        look(value)
    frame = frame.f_back"""

_HARNESS = """\
import mmap, socket, types
things = []
frame = sys._getframe()
while frame:
    for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
        things.append(value)
        if type(value).__module__.startswith('rlvr'):
            things += vars(value).values() if hasattr(value, '__dict__') else ()
    frame = frame.f_back
"""
"""What a program finds of the harness that runs it, by walking up its own frames."""

FORGING = (
    Attack(
        "expected answer in objects and frames",
        "result forging",
        attempt(_SEARCH),
        "secret",
        unconfined="the answer isn't in that process either: it stays with the host",
    ),
    Attack(
        "expected answer in arguments and files",
        "result forging",
        attempt(
            "print(sys.orig_argv, sys.argv, dict(os.environ))\n"
            "for name in ('.', '/', '/tmp', '/proc/self/fd'):\n"
            "    try:\n        print(os.listdir(name))\n"
            "    except OSError as error:\n        print('blocked:', error)"
        ),
        "secret",
    ),
    Attack(
        "forged reply into every descriptor",
        "result forging",
        attempt(
            "for fd in range(3, 1024):\n    try:\n"
            "        os.write(fd, b'k' + bytes(60))\n        print('ESCAPED', fd)\n"
            "    except OSError:\n        pass"
        ),
        unconfined=_NOT_THERE,
    ),
    Attack(
        "forged reply by the harness's own objects",
        "result forging",
        attempt(
            _HARNESS + "for thing in things:\n"
            "    if isinstance(thing, socket.socket):\n        try:\n"
            "            thing.send(bytes(64))\n            print('ESCAPED')\n"
            "        except OSError as error:\n            print('blocked:', error)"
        ),
        unconfined=_NOT_THERE,
    ),
    Attack(
        "memory shared with the harness",
        "result forging",
        attempt(
            _HARNESS + "for thing in things:\n    if isinstance(thing, mmap.mmap):\n"
            "        thing[:] = b'\\xff' * len(thing)\n        print('wrote')"
        ),
        "canary",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "harness's frames called",
        "result forging",
        attempt(
            "frame = sys._getframe()\nwhile frame.f_back:\n    frame = frame.f_back\n"
            "    for name, value in {**frame.f_globals, **frame.f_locals}.items():\n"
            "        for method in ('serve', 'run', 'close', 'end', '_run'):\n"
            "            if hasattr(value, method):\n"
            "                try:\n                    getattr(value, method)()\n"
            "                except BaseException as error:\n"
            "                    print('blocked:', name, method, error)"
        ),
        "canary",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "harness's code patched",
        "result forging",
        attempt(
            _HARNESS + "def other(*a, **k):\n    return 0\n"
            "for thing in things:\n    if isinstance(thing, types.FunctionType):\n"
            "        try:\n            thing.__code__ = other.__code__\n"
            "        except ValueError:\n            pass\nprint('patched')"
        ),
        "canary",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "return into the harness",
        "result forging",
        attempt(
            "frame = sys._getframe()\nwhile frame:\n"
            "    frame.f_globals.get('_exit') and frame.f_globals.update(_exit=lambda code: None)\n"
            "    frame = frame.f_back\nprint('returning')"
        ),
        "canary",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "program rewritten through its descriptor",
        "result forging",
        attempt(
            "for fd in range(0, 1024):\n    try:\n        os.ftruncate(fd, 0)\n"
            "        print('ESCAPED', fd)\n    except OSError:\n        pass"
        ),
        stdin="mine",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "input rewritten through its descriptor",
        "result forging",
        attempt("os.pwrite(0, b'other', 0)\nprint('ESCAPED')"),
        stdin="mine",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "input mapped for writing",
        "result forging",
        attempt("import mmap\nmmap.mmap(0, 4)[:] = b'evil'\nprint('ESCAPED')"),
        stdin="mine",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "input opened again for writing",
        "result forging",
        attempt("os.write(os.open('/proc/self/fd/0', os.O_RDWR), b'x')\nprint('ESCAPED')"),
        stdin="mine",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "output read back",
        "result forging",
        attempt("print('ESCAPED', os.read(os.open('/proc/self/fd/1', os.O_RDONLY), 1))"),
        unconfined="the pipe is empty: it waits for itself",
    ),
    Attack(
        "input left non-blocking for the next",
        "result forging",
        attempt("os.set_blocking(0, False)\nos.set_blocking(1, False)\nos.lseek(0, 0, 2)"),
        "canary",
        stdin="mine",
        unconfined=_ALONE,
    ),
    Attack(
        "another candidate's input",
        "result forging",
        attempt("import gc\ngc.collect()\nprint(os.read(0, 100), os.pread(0, 100, 0))\n" + _SEARCH),
        "secret",
        first="held = open(0).read()\nimport os\nos.environ['HELD'] = held\n",
        first_stdin="@ANSWER@",
        unconfined=_ALONE,
    ),
    Attack(
        "own death passed off as success",
        "result forging",
        attempt(
            "import faulthandler, signal\n"
            "for number in (signal.SIGSEGV, signal.SIGXCPU, signal.SIGTERM):\n"
            "    signal.signal(number, lambda *a: os._exit(0))\nprint('ready')\n"
            "while True:\n    pass"
        ),
        "time",
        unconfined="a harness with a timeout stops it too",
    ),
)

PERSISTENCE = (
    Attack(
        "file left in /tmp",
        "persistence",
        attempt(
            "name = '/tmp/rlvr-attack-left'\nif os.path.exists(name):\n"
            "    os.unlink(name)\n    print('ESCAPED')"
        ),
        first="open('/tmp/rlvr-attack-left', 'w').close()\n",
    ),
    Attack(
        "folder of /tmp closed to the next",
        "persistence",
        attempt("open('/tmp/a', 'w')\nos.chmod('/tmp', 0)\nprint(oct(os.stat('/tmp').st_mode))"),
        "canary",
        unconfined="would close /tmp to everyone where it were root's",
    ),
    Attack(
        "file with an odd name left in /tmp",
        "persistence",
        attempt("print('ESCAPED' if os.listdir('/tmp') else 'clean')"),
        first="open('/tmp/\\udcff\\n -rf', 'w').close()\n",
        unconfined="a shared /tmp is never empty: it would show nothing",
    ),
    Attack(
        "note left in memory shared with the harness",
        "persistence",
        attempt(
            _HARNESS + "for thing in things:\n"
            "    if isinstance(thing, mmap.mmap) and b'planted' in thing[:]:\n"
            "        print('ESCAPED')"
        ),
        first="import sys\n" + _HARNESS + "for thing in things:\n"
        "    if isinstance(thing, mmap.mmap):\n        thing[-7:] = b'planted'\n",
        unconfined=_NOT_THERE,
    ),
    Attack(
        "builtins patched",
        "persistence",
        attempt("import builtins\nhasattr(builtins, 'planted') and print('ESCAPED')"),
        first="import builtins\nbuiltins.planted = 1\nbuiltins.print = lambda *a, **k: None\n",
        unconfined=_ALONE,
    ),
    Attack(
        "module planted",
        "persistence",
        attempt("import planted\nprint('ESCAPED')"),
        first="import sys, types\nsys.modules['planted'] = types.ModuleType('planted')\n",
        unconfined=_ALONE,
    ),
    Attack(
        "module patched",
        "persistence",
        attempt("import json\njson.dumps(1) == 'planted' and print('ESCAPED')"),
        first="import json\njson.dumps = lambda value: 'planted'\n",
        unconfined=_ALONE,
    ),
    Attack(
        "type's cache and immortals changed",
        "persistence",
        attempt("ctypes = __import__('ctypes')\n1000 + 1 == 1001 or print('ESCAPED')"),
        first="import ctypes\nctypes.memset(id(7) + 24, 8, 1)\n",
        unconfined=_ALONE,
    ),
    Attack(
        "random numbers fixed",
        "persistence",
        attempt("import random\nrandom.random() == 0.6229016948897019 and print('ESCAPED')"),
        first="import random\nrandom.seed(5)\n",
        unconfined=_ALONE,
    ),
    Attack(
        "environment, folder and mask kept",
        "persistence",
        attempt("if os.environ.get('PLANTED') or os.umask(0o22) == 0o777:\n    print('ESCAPED')"),
        first="import os\nos.environ['PLANTED'] = '1'\nos.umask(0o777)\nos.chdir('/usr')\n",
        unconfined=_ALONE,
    ),
    Attack(
        "limits lowered for the next",
        "persistence",
        attempt("open('/dev/null')\nprint('fine')"),
        "canary",
        first=(
            "import resource\nfor name in ('AS', 'NOFILE', 'FSIZE', 'CPU', 'NPROC'):\n"
            "    resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (1, 1))\n"
        ),
        unconfined=_ALONE,
    ),
    Attack(
        "lower priority for the next",
        "persistence",
        attempt("os.getpriority(0, 0) > 10 and print('ESCAPED')"),
        first="import os\nos.nice(15)\n",
        unconfined=_ALONE,
    ),
    Attack(
        "standard library rewritten",
        "persistence",
        attempt("open(os.__file__, 'a').write('')\nprint('ESCAPED')"),
        unconfined="belongs to root, or would change the Python that runs this",
    ),
    Attack(
        "compiled file planted",
        "persistence",
        attempt(
            "name = os.path.dirname(os.__file__) + '/__pycache__/rlvr_attack.pyc'\n"
            "open(name, 'w')\nos.unlink(name)\nprint('ESCAPED')"
        ),
        unconfined="belongs to root, or would change the Python that runs this",
    ),
    Attack(
        "file left in shared memory",
        "persistence",
        attempt(
            "name = '/dev/shm/rlvr-attack-left'\nif os.path.exists(name):\n"
            "    os.unlink(name)\n    print('ESCAPED')"
        ),
        first="open('/dev/shm/rlvr-attack-left', 'w').close()\n",
    ),
    Attack(
        "segment left in memory",
        "persistence",
        with_libc(
            "found = call(@NR:shmget@, 0x52565241, 4096, 0)\n"
            "found >= 0 and print('ESCAPED', found)\n"
            "libc.shmctl(found, 0, None) if found >= 0 else print('blocked:', found)"
        ),
        first="import ctypes\nctypes.CDLL(None).shmget(0x52565241, 4096, 0o1600)\n",
    ),
    Attack(
        "key left in a keyring",
        "persistence",
        with_libc(
            "key = call(@NR:keyctl@, 10, -4, b'user', b'rlvr-attack', 0)\n"
            "if key > 0:\n    call(@NR:keyctl@, 9, key, -4)\n    print('ESCAPED', key)"
        ),
        first=(
            "import ctypes\nlibc = ctypes.CDLL(None)\n"
            "libc.syscall(@NR:add_key@, b'user', b'rlvr-attack', b'x', 1, -4)\n"
        ),
    ),
)
