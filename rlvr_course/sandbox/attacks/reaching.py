"""Attacks that reach out: to the network, and to other processes."""

from __future__ import annotations

from rlvr_course.sandbox.attacks.attack import Attack, attempt, reach, with_libc
from rlvr_course.sandbox.records import Limits

_SOCKET = "import socket\n"
_NEEDS_ROOT = "needs root, which nobody should give a naive harness either"
_PATIENT = Limits(wall_s=15.0, cpu_s=15)  # so that it is not time that stops it
_NO_SIGN = "it ends with the program: what matters is that nothing else is held up"

NETWORK = (
    Attack(
        "TCP to the host",
        "network",
        attempt(_SOCKET + "socket.create_connection(('127.0.0.1', @PORT@), 1)"),
        "connection",
    ),
    Attack(
        "TCP by MSG_FASTOPEN",
        "network",
        attempt(
            _SOCKET + "stream = socket.socket()\n"
            "stream.sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', @PORT@))"
        ),
        "connection",
    ),
    Attack(
        "UDP to the host",
        "network",
        attempt(
            _SOCKET
            + "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @UDP_PORT@))"
        ),
        "connection",
    ),
    Attack(
        "UNIX socket with a path",
        "network",
        attempt(_SOCKET + "socket.socket(socket.AF_UNIX).connect(@SERVICE@)"),
        "connection",
    ),
    Attack(
        "UNIX socket without a path",
        "network",
        attempt(_SOCKET + "socket.socket(socket.AF_UNIX).connect(@ABSTRACT@)"),
        "connection",
    ),
    Attack(
        "datagram out of a socket pair",
        "network",
        attempt(
            _SOCKET + "here, _ = socket.socketpair(type=socket.SOCK_DGRAM)\n"
            "here.sendto(b'x', @ABSTRACT@)\nprint('ESCAPED')"
        ),
        unconfined="a datagram can't reach a stream listener; the filter's condition is the point",
    ),
    Attack(
        "socket pair turned to another address",
        "network",
        attempt(_SOCKET + "socket.socketpair()[0].connect(@ABSTRACT@)"),
        "connection",
        unconfined="a connected pair can't be connected again",
    ),
    Attack(
        "descriptor sent through a socket pair",
        "network",
        attempt(
            _SOCKET + "a, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [0])\n"
            "print('ESCAPED', socket.recv_fds(b, 1, 1)[1])"
        ),
    ),
    Attack(
        "listening on the host's loopback",
        "network",
        attempt(_SOCKET + "socket.create_server(('127.0.0.1', 0))\nprint('ESCAPED')"),
    ),
    Attack(
        "routing socket (netlink)",
        "network",
        attempt(_SOCKET + "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\nprint('ESCAPED')"),
    ),
    Attack(
        "raw socket",
        "network",
        attempt(_SOCKET + "socket.socket(type=socket.SOCK_RAW, proto=1)\nprint('ESCAPED')"),
        unconfined=_NEEDS_ROOT,
    ),
    Attack(
        "packet socket",
        "network",
        attempt(_SOCKET + "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nprint('ESCAPED')"),
        unconfined=_NEEDS_ROOT,
    ),
    Attack("socket to a hypervisor (vsock)", "network", reach("socket", "40", "1", "0")),
    Attack("cipher socket (AF_ALG)", "network", reach("socket", "38", "5", "0")),
    Attack(
        "name look-up",
        "network",
        attempt(_SOCKET + "print('ESCAPED', socket.getaddrinfo('localhost', 80)[0][4])"),
    ),
)

_SIGNAL = "import signal\n"
_LEFT_BEHIND = """\
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        import time
        time.sleep(1)
        open(@FOLDER@ + '/survivor', 'w')
    os._exit(0)
os.wait()"""

PROCESSES = (
    Attack(
        "shell",
        "processes",
        attempt(
            "import subprocess\n"
            "print('ESCAPED', subprocess.check_output(['/bin/sh', '-c', 'echo $((6*7))']))"
        ),
    ),
    Attack(
        "program by posix_spawn",
        "processes",
        attempt(
            "pid = os.posix_spawn('/bin/true', ['true'], {})\nprint('ESCAPED', os.waitpid(pid, 0))"
        ),
    ),
    Attack(
        "program in its own place",
        "processes",
        attempt("os.execv('/bin/echo', ['echo', 'ESCAPED'])"),
    ),
    Attack(
        "another Python in its own place",
        "processes",
        attempt("os.execv(sys.executable, [sys.executable, '-c', 'print(\"ESCAPED\")'])"),
    ),
    Attack(
        "program out of memory",
        "processes",
        attempt(
            "fd = os.memfd_create('program')\nos.write(fd, open('/bin/echo', 'rb').read())\n"
            "os.execve(fd, ['echo', 'ESCAPED'], {})"
        ),
    ),
    Attack(
        "fork bomb of 300",
        "processes",
        attempt(
            "import time\nfor count in range(300):\n    if os.fork() == 0:\n"
            "        time.sleep(1)\n        os._exit(0)\nprint('ESCAPED', count + 1)"
        ),
    ),
    Attack("process by clone3", "processes", reach("clone3", "b'\\0' * 64", "64")),
    Attack(
        "process by clone",
        "processes",
        with_libc(
            "child = call(@NR:clone@, 17, 0, 0, 0, 0)\nif child == 0:\n    os._exit(0)\n"
            "verdict(child)"
        ),
    ),
    Attack(
        "grandchild that outlives its program",
        "processes",
        attempt(_LEFT_BEHIND),
        "files",
        settle_s=1.5,
    ),
    Attack(
        "pipe held open by a grandchild",
        "processes",
        attempt(
            "import time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(7)\n    os._exit(0)"
        ),
        "time",
        unconfined="a harness that kills the process group or stops reading survives it too",
    ),
    Attack(
        "thread bomb of 200",
        "processes",
        attempt(
            "import threading, time\nfor count in range(200):\n"
            "    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()\n"
            "print('ESCAPED', count + 1)"
        ),
    ),
    Attack(
        "thread bomb of 2,000 with small stacks",
        "processes",
        attempt(
            "import threading\nthreading.stack_size(32768)\nend = threading.Event()\n"
            "for count in range(2000):\n"
            "    threading.Thread(target=end.wait, daemon=True).start()\n"
            "print('ESCAPED', count + 1)"
        ),
        limits=_PATIENT,
    ),
    Attack(
        "which processes there are",
        "processes",
        attempt("print('ESCAPED', os.getpgid(@PID@), os.stat('/proc/%d' % @PID@).st_uid)"),
        declared=frozenset({"linux-landlock"}),
    ),
    Attack(
        "signal to the parent", "processes", attempt("os.kill(os.getppid(), 0)\nprint('ESCAPED')")
    ),
    Attack("signal to everyone", "processes", attempt("os.kill(-1, 0)\nprint('ESCAPED')")),
    Attack("signal to its group", "processes", attempt("os.kill(0, 0)\nprint('ESCAPED')")),
    Attack(
        "signal to a process",
        "processes",
        attempt(_SIGNAL + "os.kill(@PID@, signal.SIGUSR1)"),
        "victim",
    ),
    *(
        Attack(f"signal to a process by {name}", "processes", reach(name, *arguments), "victim")
        for name, arguments in {
            "tkill": ("@PID@", "10"),
            "tgkill": ("@PID@", "@PID@", "10"),
            "rt_sigqueueinfo": ("@PID@", "10", "(ctypes.c_int * 32)(10, 0, -1)"),
        }.items()
    ),
    Attack(
        "signal to a process by its descriptor",
        "processes",
        with_libc(
            "verdict(call(@NR:pidfd_send_signal@, call(@NR:pidfd_open@, @PID@, 0), 10, 0, 0))"
        ),
        "victim",
    ),
    Attack(
        "signal to a process by F_SETOWN",
        "processes",
        attempt(
            "import fcntl\nreader, writer = os.pipe()\nfcntl.fcntl(reader, fcntl.F_SETOWN, @PID@)\n"
            "fcntl.fcntl(reader, 10, 10)  # F_SETSIG\n"
            "fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)\nos.write(writer, b'x')"
        ),
        "victim",
    ),
    Attack(
        "signal to a process by FIOASYNC",
        "processes",
        attempt(
            "import fcntl, struct\nreader, writer = os.pipe()\n"
            "fcntl.ioctl(reader, 0x8901, struct.pack('i', @PID@))\n"
            "fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)\nos.write(writer, b'x')\n"
        ),
        "victim",
        unconfined="the owner of a pipe can't be set this way; the filter's condition is the point",
    ),
    Attack(
        "end a process",
        "processes",
        attempt(_SIGNAL + "os.kill(@PID@, signal.SIGKILL)"),
        "victim",
    ),
    Attack("trace its parent", "processes", reach("ptrace", "0x4206", "os.getppid()", "0", "0")),
    Attack("trace a process", "processes", reach("ptrace", "0x4206", "@PID@", "0", "0")),
    Attack(
        "offer itself to a tracer",
        "processes",
        reach("ptrace", "0", "0", "0", "0"),
        unconfined="the parent becomes its tracer, and waits for ever for a stop: it can hang",
    ),
    Attack(
        "memory of a process overwritten",
        "processes",
        with_libc("""\
buffer = ctypes.create_string_buffer(b"overwritten")
here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
there = (ctypes.c_size_t * 2)(@ADDRESS@, 8)
verdict(call(@NR:process_vm_writev@, @PID@, here, 1, there, 1, 0))"""),
        "victim",
    ),
    Attack(
        "memory of a process overwritten by /proc",
        "processes",
        attempt(
            "memory = open('/proc/%d/mem' % @PID@, 'r+b', 0)\n"
            "memory.seek(@ADDRESS@)\nmemory.write(b'overwritten')"
        ),
        "victim",
    ),
    Attack(
        "limits of a process",
        "processes",
        attempt("import resource\nresource.prlimit(@PID@, resource.RLIMIT_NOFILE, (99, 99))"),
        "victim",
    ),
    Attack(
        "priority of a process",
        "processes",
        attempt("os.setpriority(os.PRIO_PROCESS, @PID@, 19)"),
        "victim",
    ),
    Attack(
        "processors of a process",
        "processes",
        attempt("os.sched_setaffinity(@PID@, {max(os.sched_getaffinity(0))})"),
        "victim",
        unconfined="shows nothing on a machine with one processor",
    ),
    Attack(
        "out-of-memory score of its own",
        "processes",
        attempt("open('/proc/self/oom_score_adj', 'w').write('1000')\nprint('ESCAPED')"),
    ),
    Attack("futex list of a process", "processes", reach("get_robust_list", "@PID@", "0", "0")),
    Attack("comparison of processes", "processes", reach("kcmp", "@PID@", "@PID@", "99", "0", "0")),
    Attack(
        "pages of a process moved",
        "processes",
        reach("move_pages", "@PID@", "0", "0", "0", "0", "9999"),
    ),
    Attack(
        "new session and group",
        "processes",
        attempt("os.setsid()\nprint('ESCAPED')"),
        unconfined="a harness may give it a session of its own already",
    ),
    Attack(
        "stops itself",
        "processes",
        attempt(_SIGNAL + "os.kill(os.getpid(), signal.SIGSTOP)\nprint('went on')"),
        "time",
        limits=Limits(wall_s=1.0, cpu_s=1),
        unconfined=_NO_SIGN,
    ),
)
