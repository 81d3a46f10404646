"""The command's table, its summary and its exit status."""

from __future__ import annotations

import argparse
import dataclasses

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.attacks import ATTACKS, GROUPS, command


def run(capsys, *argv):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    try:
        status = command.run(parser.parse_args(argv))
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    return status, capsys.readouterr().out.splitlines()


def test_the_list_has_every_attack_below_its_class(capsys):
    status, lines = run(capsys, "--list")
    assert status == 0
    assert [line for line in lines if line in GROUPS] == list(GROUPS)
    assert lines[-1] == f"{len(ATTACKS)} attacks"
    assert max(map(len, lines)) <= 100


def test_a_tier_that_holds_ends_with_0_and_says_what_it_declares(capsys):
    status, lines = run(capsys, "--class", "identity")
    row = next(line for line in lines if line.startswith("  kernel version"))
    assert status == 0 and "declared" in row
    assert lines[-1].split() == ["all", "5", "4", "1", "0"] or "linux-ns" not in lines[0]
    assert max(map(len, lines)) <= 100


def test_without_a_sandbox_the_escapes_are_shown_and_are_no_failure(capsys):
    status, lines = run(capsys, "--tier", "unsafe", "--class", "identity")
    assert status == 0 and "NOT A SANDBOX" in lines[0]
    assert lines[-1].split()[-1] == "5"


def test_an_escape_that_is_not_declared_ends_with_1(capsys, monkeypatch):
    bare = tuple(dataclasses.replace(attack, declared=frozenset()) for attack in ATTACKS)
    monkeypatch.setattr("rlvr_course.sandbox.attacks.ATTACKS", bare)
    status, lines = run(capsys, "--class", "identity")
    row = next(line for line in lines if line.startswith("  kernel version"))
    assert status == 1 and "ESCAPED" in row


def test_an_unknown_class_is_named_with_the_known_ones(capsys):
    with pytest.raises(ValueError, match=r"no class 'secret'; the classes are secrets, audit log"):
        run(capsys, "--class", "secret")


def test_an_unknown_tier_is_named_with_the_nearest(capsys):
    with pytest.raises(ValueError, match="did you mean 'linux-ns'"):
        run(capsys, "--tier", "linux-nss")
