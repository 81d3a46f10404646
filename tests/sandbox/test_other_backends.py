"""Bubblewrap, gVisor and WebAssembly, where they are installed; Seatbelt's rules as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox import bwrap, gvisor, seatbelt, wasi
from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.tiers import open_worker

NAMES = ("bwrap", "gvisor", "wasi")
MODULES = {"bwrap": bwrap, "gvisor": gvisor, "wasi": wasi, "macos-seatbelt": seatbelt}


@pytest.fixture(scope="module", params=NAMES)
def runner(request):
    try:
        opened = open_worker(request.param)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


def test_a_result_carries_the_tier_that_was_asked_for(runner):
    result = runner.run(Program("print(input()[::-1])", "äbc\n"))
    assert (result.stdout, result.exit_code, result.reason) == ("cbä\n", 0, "exit")
    assert result.tier in NAMES


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import sys; sys.exit(3)", "exit"),
        ("while True: pass", "timeout"),
        ("while True: print('x' * 999)", "output_limit"),
    ],
)
def test_a_program_is_held_to_its_limits(runner, source, reason):
    result = runner.run(Program(source), Limits(wall_s=2.0, cpu_s=1))
    assert result.reason == reason
    assert not result.ok


@pytest.mark.parametrize(
    "source",
    [
        "print(open('{secret}').read())",
        "print(open('/etc/passwd').read())",
        "import os; print(os.environ['HOST_KEY'])",
        "open('{secret}', 'w')",
        "open('/planted', 'w')",
        "import socket; socket.create_connection(('127.0.0.1', {port}), 1)",
    ],
    ids=["secret", "users", "environment", "write", "plant", "network"],
)
def test_the_host_is_out_of_reach(runner, tmp_path, monkeypatch, source):
    import socket

    monkeypatch.setenv("HOST_KEY", "key")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        filled = source.format(secret=secret, port=listener.getsockname()[1])
        result = runner.run(Program(filled))
    assert (result.exit_code, result.stdout) == (1, "")
    assert secret.read_text() == "secret"


def test_one_run_leaves_nothing_to_the_next(runner):
    runner.run(Program("import builtins; builtins.left = 1; open('/tmp/left', 'w')"))
    source = "import builtins; print(hasattr(builtins, 'left')); open('/tmp/left')"
    result = runner.run(Program(source))
    assert (result.stdout, result.exit_code) == ("False\n", 1)


@pytest.mark.parametrize("name", ["bwrap", "gvisor"])
def test_what_a_program_starts_ends_with_it(name):
    try:
        opened = open_worker(name)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    mark = "61.234567"
    source = f"import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep({mark})"
    opened.run(Program(source))
    opened.close()
    lines = [_command_line(process) for process in Path("/proc").glob("[0-9]*")]
    assert not [line for line in lines if mark in line or "runsc-sandbox" in line]


def _command_line(process: Path) -> str:
    try:
        return Path(process, "cmdline").read_text()
    except OSError:  # it has just ended
        return ""


def test_bubblewrap_gives_the_packages_that_were_asked_for_and_no_other():
    try:
        opened = open_worker("bwrap", packages=["packaging"])
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    assert opened.run(Program("import packaging; print(packaging.__name__)")).ok
    assert "No module named 'pytest'" in opened.run(Program("import pytest")).stderr


@pytest.mark.parametrize("name", MODULES)
def test_a_backend_that_is_missing_says_how_to_get_it(monkeypatch, name):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv(wasi.PYTHON_WASM, raising=False)
    assert MODULES[name].missing()
    with pytest.raises(SandboxUnavailable, match=r"remedy: |only runs on macOS|is part of macOS"):
        open_worker(name)


def test_a_python_for_wasm_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv(wasi.PYTHON_WASM, "/no/python.wasm")
    assert wasi.missing().startswith(("RLVR_COURSE_PYTHON_WASM='/no/python.wasm'", "the package"))


def test_seatbelts_rules_deny_all_but_what_is_listed():
    rules = seatbelt.profile(['/opt/a "quoted" path'], "/opt/python").splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    assert r'(allow file-read* (subpath "/opt/a \"quoted\" path"))' in rules
    assert not [rule for rule in rules if "network" in rule or "process-fork" in rule]
    assert [rule for rule in rules if "file-write" in rule] == [
        '(allow file-write-data (literal "/dev/null"))'
    ]
