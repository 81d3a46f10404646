"""In fake mode no process gets off the machine and no key gets into the kernel."""

from __future__ import annotations

import ipaddress
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.namespace import namespace_available
from rlvr_course.classroom.netguard import is_local, refuse_outside
from rlvr_course.classroom.offline import is_secret, kernel_environment

CONNECT = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=1)"
RESOLVE = "import socket; socket.getaddrinfo('example.org', 80)"
DATAGRAM = (
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
)
GRANDCHILD = (
    f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CONNECT!r}], check=True)"
)
LOOPBACK = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
a, b = socket.socketpair()
a.sendall(b"x")
print(b.recv(1))
"""


def run_python(code: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize(
    "code",
    [CONNECT, RESOLVE, DATAGRAM, GRANDCHILD],
    ids=["connect", "resolve", "datagram", "grandchild"],
)
def test_python_is_held_and_told_why(tmp_path, code):
    done = run_python(code, kernel_environment(os.environ, "fake", tmp_path))
    assert done.returncode != 0
    assert "fake mode has no network" in done.stderr and "--mode api" in done.stderr


def test_loopback_and_unix_sockets_stay_open(tmp_path):
    done = run_python(LOOPBACK, kernel_environment(os.environ, "fake", tmp_path))
    assert (done.returncode, done.stdout.strip()) == (0, "b'x'")


def test_fake_mode_takes_keys_out_and_other_modes_leave_them(tmp_path):
    base = {"OPENAI_API_KEY": "sk-1", "openai_base_url": "u", "HF_TOKEN": "t", "HOME": "/h"}
    fake = kernel_environment(base, "fake", tmp_path)
    assert not {"OPENAI_API_KEY", "openai_base_url", "HF_TOKEN"} & set(fake)
    assert fake["HOME"] == "/h"
    live = kernel_environment(base, "api", tmp_path)
    assert live["OPENAI_API_KEY"] == "sk-1" and "PYTHONPATH" not in live


def test_a_python_path_of_the_users_own_is_kept(tmp_path):
    environment = kernel_environment({"PYTHONPATH": "mine"}, "fake", tmp_path)
    assert environment["PYTHONPATH"].split(os.pathsep)[1:] == ["mine"]


@given(st.text(max_size=8), st.sampled_from(["_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD"]))
def test_names_that_end_like_a_secret_are_secrets(start, ending):
    assert is_secret(start + ending) and is_secret(start + ending.lower())


@given(st.ip_addresses(network="127.0.0.0/8"))
def test_all_of_the_loopback_range_is_local(address):
    assert is_local(str(address)) and is_local(str(address).encode())


@given(st.ip_addresses())
def test_no_address_that_leaves_the_machine_is_local(address):
    here = address.is_loopback or address.is_unspecified
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is None:
        assert is_local(str(address)) == here


@given(st.from_regex(r"[a-z0-9-]{1,10}(\.[a-z0-9-]{1,10}){1,3}", fullmatch=True))
def test_a_name_is_never_local_but_localhost(name):
    try:
        ipaddress.ip_address(name)
    except ValueError:
        assert not is_local(name)


def test_events_that_are_not_about_other_hosts_pass():
    assert refuse_outside("open", ("file", "r", 0)) is None
    assert refuse_outside("socket.connect", (None, "/tmp/a.sock")) is None
    assert refuse_outside("socket.getaddrinfo", (None, 80, 0, 0, 0)) is None


NAMESPACE = f"""
from rlvr_course.classroom.namespace import enter_namespace
assert enter_namespace()
{LOOPBACK}
try:
    {CONNECT}
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(not namespace_available(), reason="this system gives no network namespace")
def test_a_namespace_has_loopback_and_nothing_else():
    done = run_python(NAMESPACE, dict(os.environ))
    assert done.stdout.split("\n")[:2] == ["b'x'", "Network is unreachable"]
