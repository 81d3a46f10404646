"""Attacks on what is kept: secrets of the host, and the log that says what happened."""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, reach, with_libc

_AS_SUBPROCESS = "subprocess closes inherited descriptors too"
_NEEDS_ROOT = "needs root, which nobody should give a naive harness either"
_LANDLOCK = frozenset({"linux-landlock"})

SECRETS = (
    Attack("environment", "secrets", attempt("print(dict(os.environ))"), "secret"),
    Attack(
        "environment as C sees it",
        "secrets",
        with_libc("libc.getenv.restype = ctypes.c_char_p\nprint(libc.getenv(@VARIABLE@.encode()))"),
        "secret",
    ),
    Attack("password file", "secrets", attempt("print('ESCAPED', open('/etc/passwd').readline())")),
    Attack("another user's file", "secrets", attempt("print(open(@KEY@).read())"), "secret"),
    Attack("folder listing", "secrets", attempt("print('ESCAPED', sorted(os.listdir(@FOLDER@)))")),
    Attack(
        "climbing out with ..",
        "secrets",
        attempt("os.chdir('/')\nprint(open('../../../..' + @KEY@).read())"),
        "secret",
    ),
    Attack(
        "file below the old root by /proc",
        "secrets",
        attempt(
            "for pid in ('self', '1', @PID@, os.getppid()):\n"
            "    try:\n"
            "        print(open(f'/proc/{pid}/root' + @KEY@).read())\n"
            "    except OSError as error:\n"
            "        print('blocked:', error)"
        ),
        "secret",
    ),
    Attack(
        "size and times of a file",
        "secrets",
        attempt("print('ESCAPED', os.stat(@KEY@).st_size)"),
        declared=_LANDLOCK,
    ),
    Attack(
        "environment of a process",
        "secrets",
        attempt("print(open('/proc/%d/environ' % @PID@, 'rb').read())"),
        "secret",
    ),
    Attack(
        "environment of every process",
        "secrets",
        attempt(
            "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
            "    try:\n"
            "        text = open(f'/proc/{pid}/environ', 'rb').read()\n"
            "    except OSError:\n"
            "        continue\n"
            "    print(*(v for v in text.split(b'\\0') if v.startswith(@VARIABLE@.encode())))"
        ),
        "secret",
    ),
    Attack(
        "command line of a process",
        "secrets",
        attempt("print(open('/proc/%d/cmdline' % @PID@, 'rb').read())"),
        "secret",
    ),
    Attack(
        "memory of a process by /proc",
        "secrets",
        attempt(
            "memory = open('/proc/%d/mem' % @PID@, 'rb', 0)\n"
            "memory.seek(@ADDRESS@)\nprint(memory.read(40))"
        ),
        "secret",
    ),
    Attack(
        "memory of a process by process_vm_readv",
        "secrets",
        with_libc("""\
buffer = ctypes.create_string_buffer(40)
here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 40)
there = (ctypes.c_size_t * 2)(@ADDRESS@, 40)
verdict(call(@NR:process_vm_readv@, @PID@, here, 1, there, 1, 0))
print(buffer.raw)"""),
        "secret",
    ),
    Attack(
        "descriptor of another process",
        "secrets",
        with_libc("""\
process = call(@NR:pidfd_open@, @PID@, 0)
verdict(process)
verdict(call(@NR:pidfd_getfd@, process, 0, 0))"""),
    ),
    Attack(
        "what descriptors are open",
        "secrets",
        attempt(
            "for fd in range(3, 1024):\n"
            "    try:\n"
            "        print('ESCAPED', fd, os.fstat(fd).st_mode)\n"
            "    except OSError:\n"
            "        pass"
        ),
        unconfined=_AS_SUBPROCESS,
    ),
    Attack(
        "own memory, page by page",
        "secrets",
        with_libc("""\
prefix = b"secret" + b"-"
reader, writer = os.pipe()
libc.sbrk.restype = ctypes.c_void_p
libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
anchors = {libc.sbrk(0) - (12 << 20), id(object()), id([]), id(os), id(sys.modules)}
for page in sorted({(a & ~4095) + 4096 * k for a in anchors for k in range(-512, 3072)}):
    if libc.write(writer, page, 4096) != 4096:
        continue
    text = os.read(reader, 4096)
    at = text.find(prefix)
    if at >= 0:
        print(text[at : at + 23])"""),
        "secret",
        first="held = 'secret' + '-'\nwith open(0) as stdin:\n    held = stdin.read() * 1000\n",
        first_stdin="@SECRET@",
        unconfined="an operating system gives a new process clean memory as well",
    ),
    Attack(
        "the course's own files",
        "secrets",
        attempt("print('ESCAPED', len(open(@PACKAGE@ + '/records.py').read()))"),
    ),
    Attack(
        "file by its handle",
        "secrets",
        reach("open_by_handle_at", "-100", "b'\\0' * 24", "0"),
        unconfined=_NEEDS_ROOT,
    ),
    Attack("handle of a file", "secrets", reach("name_to_handle_at", "-1", "0", "0", "0", "0")),
)

AUDIT_LOG = (
    Attack("read the log", "audit log", attempt("print('ESCAPED', open(@LOG@).read())")),
    Attack("append to the log", "audit log", attempt("open(@LOG@, 'a').write('{}')"), "files"),
    Attack("empty the log", "audit log", attempt("os.truncate(@LOG@, 0)"), "files"),
    Attack(
        "empty the log by O_TRUNC",
        "audit log",
        attempt("os.open(@LOG@, os.O_RDONLY | os.O_TRUNC)"),
        "files",
    ),
    Attack("remove the log", "audit log", attempt("os.unlink(@LOG@)"), "files"),
    Attack("rename the log", "audit log", attempt("os.rename(@LOG@, @LOG@ + '.old')"), "files"),
    Attack(
        "put another file over the log", "audit log", attempt("os.rename(@KEY@, @LOG@)"), "files"
    ),
    Attack("second name for the log", "audit log", attempt("os.link(@LOG@, @LOG@ + '2')"), "files"),
    Attack(
        "second name for the log in /tmp",
        "audit log",
        attempt(
            "name = '/tmp/rlvr-attack-link'\n"
            "os.link(@LOG@, name)\nopen(name, 'a').write('{}')\nos.unlink(name)"
        ),
        "files",
    ),
    Attack(
        "link from a writable folder",
        "audit log",
        attempt(
            "name = '/tmp/rlvr-attack-symlink'\nos.symlink(@LOG@, name)\n"
            "try:\n    open(name, 'a').write('{}')\nfinally:\n    os.unlink(name)"
        ),
        "files",
    ),
    Attack("link beside the log", "audit log", attempt("os.symlink('/', @LOG@ + '.d')"), "files"),
    Attack("date the log back", "audit log", attempt("os.utime(@LOG@, (0, 0))"), "files"),
    Attack("take the log's rights away", "audit log", attempt("os.chmod(@LOG@, 0)"), "files"),
    Attack(
        "extended attribute on the log",
        "audit log",
        attempt("os.setxattr(@LOG@, 'user.note', b'x')\nprint('ESCAPED', os.listxattr(@LOG@))"),
    ),
    Attack(
        "lock the log",
        "audit log",
        attempt(
            "import fcntl\nfcntl.flock(os.open(@LOG@, os.O_RDONLY), fcntl.LOCK_EX)\n"
            "print('ESCAPED')"
        ),
    ),
    Attack(
        "write to the log through a map",
        "audit log",
        attempt("import mmap\nlog = mmap.mmap(os.open(@LOG@, os.O_RDWR), 0)\nlog[:2] = b'[]'"),
        "files",
    ),
    Attack("new file beside the log", "audit log", attempt("open(@LOG@ + '.x', 'w')"), "files"),
    Attack("new folder beside the log", "audit log", attempt("os.mkdir(@LOG@ + '.d')"), "files"),
    Attack("pipe beside the log", "audit log", attempt("os.mkfifo(@LOG@ + '.f')"), "files"),
    Attack(
        "extend the log by fallocate",
        "audit log",
        attempt("os.posix_fallocate(os.open(@LOG@, os.O_WRONLY), 0, 8192)"),
        "files",
    ),
)
