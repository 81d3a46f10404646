"""``rlvr-course sandbox``: what this machine can hold, in words."""

from __future__ import annotations

import pytest

from rlvr_course.cli import main
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.tiers import TIERS, WITHOUT, open_worker

AUTOMATIC = ("linux-ns", "linux-landlock", "macos-seatbelt")


def lines_by_tier(text: str) -> dict[str, str]:
    """A tier's first line under its name."""
    lines = [line for line in text.splitlines() if line and not line.startswith(" ")]
    return {line.split()[0]: line for line in lines}


def test_doctor_has_a_line_for_every_tier(capsys):
    main(["sandbox", "doctor"])
    found = lines_by_tier(capsys.readouterr().out)
    assert [name for name in found if name != "auto:"] == [tier.name for tier in TIERS]


def test_doctor_names_what_auto_takes(capsys):
    try:
        runner = open_worker()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    runner.close()
    assert main(["sandbox", "doctor"]) == 0
    said = capsys.readouterr().out
    assert f"auto: takes {runner.tier}, in which these attacks failed:" in said
    assert "read a file of the host" in said


def test_without_a_tier_doctor_fails_and_says_so(capsys, monkeypatch):
    monkeypatch.setenv(WITHOUT, ",".join(AUTOMATIC))
    assert main(["sandbox", "doctor"]) == 1
    said = capsys.readouterr().out
    assert said.count("taken away by") == 3
    assert said.splitlines()[-1].startswith("auto: none of the automatic tiers works here")


def test_doctor_fits_a_narrow_terminal(capsys):
    main(["sandbox", "doctor"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100


@pytest.mark.parametrize("command", ["doctor", "attack"])
def test_each_command_explains_itself(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main(["sandbox", command, "--help"])
    assert stop.value.code == 0
    assert f"usage: rlvr-course sandbox {command}" in capsys.readouterr().out


def test_a_command_has_to_be_named(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["sandbox"])
    assert stop.value.code == 2
    assert "required: COMMAND" in capsys.readouterr().err
