"""A command that is not up to its work is nobody's fault, and never a program's result."""

from __future__ import annotations

import pytest

from rlvr_course.sandbox import one_process
from rlvr_course.sandbox.one_process import READY, Command, run_once
from rlvr_course.sandbox.records import Limits, Program


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (["/no/such/command"], "No such file or directory: '/no/such/command'"),
        (["/bin/sh", "-c", "echo 'sh: denied' >&2; exit 1"], "sh: denied"),
        (["/bin/sh", "-c", "exit 5"], "/bin/sh ended with 5, nothing was run"),
        (["/bin/sh", "-c", "echo 42; exit 0"], "/bin/sh ended with 0, nothing was run"),
    ],
    ids=["missing", "complaining", "failing", "answering"],
)
def test_a_command_that_runs_nothing_is_infra(line, detail):
    result = run_once(Command(line=line, tier="mine"), Program("print(42)"), Limits())
    assert (result.reason, result.exit_code, result.stdout) == ("infra", None, "")
    assert detail in result.detail


def test_a_command_that_never_gets_to_the_program_is_given_up(monkeypatch):
    monkeypatch.setattr(one_process, "START_S", 0.2)
    result = run_once(Command(line=["/bin/sleep", "30"], tier="mine"), Program(""), Limits())
    assert result.reason == "infra"


def test_the_wall_limit_counts_from_the_programs_start():
    started = f"sleep 0.6; printf '{READY.strip()}\\n42'; exit 0"
    command = Command(line=["/bin/sh", "-c", started], tier="mine")
    result = run_once(command, Program(""), Limits(wall_s=0.3))
    assert (result.stdout, result.reason) == ("42", "exit")


@pytest.mark.parametrize(("code", "reason"), [(152, "timeout"), (139, "exit"), (1, "exit")])
def test_a_signal_in_an_exit_code_is_read_where_the_command_puts_it(code, reason):
    line = ["/bin/sh", "-c", f"printf '{READY.strip()}\\n'; exit {code}"]
    result = run_once(Command(line=line, tier="mine"), Program(""), Limits())
    assert (result.exit_code, result.reason) == (code, reason)
