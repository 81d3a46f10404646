"""``audit verify``: exit status, one line for each problem, help that teaches."""

import argparse

import pytest

from rlvr_course.audit import AuditLog
from rlvr_course.cli import audit
from rlvr_course.errors import AuditError


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser(prog="rlvr-course")
    audit.add_parser(parser.add_subparsers())
    args = parser.parse_args(["audit", *arguments])
    return args.handler(args)


@pytest.fixture
def path(tmp_path):
    with AuditLog(tmp_path / "verifier.jsonl") as log:
        for i in range(3):
            log.append({"i": i})
    return log.path


def test_a_log_that_holds_exits_0_and_prints_its_anchor(path, capsys):
    anchor = path.with_name("verifier.jsonl.head").read_text().strip()
    assert run("verify", str(path), "--anchor", anchor) == 0
    assert capsys.readouterr().out == f"OK: 3 records, anchor {anchor}\n"


def test_a_changed_log_exits_1_with_a_line_for_each_problem(path, capsys):
    path.write_bytes(path.read_bytes().replace(b'"i":0', b'"i":9'))
    assert run("verify", str(path)) == 1
    problem, outcome = capsys.readouterr().out.splitlines()
    assert problem.startswith(f"{path}: line 2: prev is not the hash")
    assert outcome.startswith("FAILED: 3 records")


def test_a_missing_log_and_a_bad_anchor_raise_what_the_top_level_prints(path):
    with pytest.raises(AuditError, match="there is no audit log"):
        run("verify", "nowhere.jsonl")
    with pytest.raises(ValueError, match="'3' is not COUNT:HASH"):
        run("verify", str(path), "--anchor", "3")


def test_help_says_what_is_found_and_gives_an_example(capsys):
    with pytest.raises(SystemExit):
        run("verify", "--help")
    text = capsys.readouterr().out
    assert "--anchor 592:" in text and "sha256sum" in text
