"""A notebook's programs run in a sandbox, or are answered from the record, and never run bare."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.sandboxed import (
    UNSAFE,
    RecordedPool,
    RecordingPool,
    attack_outcomes,
    doctor,
    jailed,
    open_sandbox,
    recorded,
    run_key,
)
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.records import Program
from rlvr_course.sandbox.tiers import WITHOUT
from rlvr_course.verifiers.programs.calls import call_program
from rlvr_course.verifiers.programs.cases import CallCase

NONE = f"linux-ns,linux-landlock,macos-seatbelt,{UNSAFE}"
CASE = CallCase("total", (3,), 14)
NEEDED_IN_TMP = sorted(
    {
        Path(path).parts[2]
        for path in (sys.prefix, sys.base_prefix, __file__)
        if path.startswith("/tmp/")
    }
)
"""What a jail with a /tmp of its own shows of the machine's: the way to this Python."""

rows = st.tuples(st.text(), st.text(), st.integers(0, 255), st.just("exit")).map(list)


@pytest.fixture
def without_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WITHOUT, NONE)


@given(st.text(), st.text(), st.lists(rows, min_size=1, max_size=4))
def test_a_recorded_program_gets_its_results_in_their_order(
    source: str, stdin: str, results: list[list[object]]
) -> None:
    program = Program(source, stdin)
    pool = RecordedPool({run_key(program): results})
    said = pool.run_many([program] * 2 * len(results))
    assert [[r.stdout, r.stderr, r.exit_code, r.reason] for r in said] == 2 * results


def test_a_program_that_was_not_recorded_is_not_graded() -> None:
    assert [r.reason for r in RecordedPool({}).run_many([Program("print(1)")])] == ["infra"]


@given(st.text(), st.text(), st.text(), st.text())
def test_other_programs_or_inputs_have_other_keys(a: str, b: str, c: str, d: str) -> None:
    assert (run_key(Program(a, b)) == run_key(Program(c, d))) is ((a, b) == (c, d))


def test_a_function_test_is_found_again_whatever_its_nonce() -> None:
    (one, first), (other, second) = (call_program("def total(n): ...", CASE) for _ in "ab")
    assert first != second
    assert run_key(one) == run_key(other)
    pool = RecordedPool({run_key(one): [["0" * 32 + "v14", "", 0, "exit"]]})
    assert pool.run_many([other])[0].stdout == f"{second}v14"


def test_what_was_recorded_is_what_is_replayed() -> None:
    program = Program("print(input())", "7")
    told = RecordedPool({run_key(program): [["7\n", "", 0, "exit"], ["8\n", "", 0, "exit"]]})
    recording = RecordingPool(told)
    before = recording.run_many([program] * 3)
    assert RecordedPool(recording.runs).run_many([program] * 3) == before


@pytest.mark.usefixtures("without_a_sandbox")
def test_without_a_sandbox_the_record_answers_and_says_why() -> None:
    pool, why_not = open_sandbox()
    assert isinstance(pool, RecordedPool)
    assert "linux-ns" in why_not


@pytest.mark.usefixtures("without_a_sandbox")
@pytest.mark.parametrize("tier", [UNSAFE, "linux-landlock", "linux-ns"])
def test_without_a_sandbox_attacks_are_recorded_ones(tier: str) -> None:
    outcomes, why = attack_outcomes(tier, ["environment", "loop that ignores signals"])
    assert why
    assert [escaped for escaped, _ in outcomes.values()] == [tier == UNSAFE, False]


@pytest.mark.usefixtures("without_a_sandbox")
def test_nothing_runs_in_a_jail_that_was_taken_away() -> None:
    with pytest.raises(SandboxUnavailable, match="outer jail"):
        jailed("print(6 * 7)")


@pytest.mark.skipif(sys.platform != "linux", reason="the jail is made of Linux namespaces")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print(6 * 7)", "42"),
        ("import time\ntime.sleep(60)", "HANGS"),
        ("import os\nprint(sorted(os.listdir('/tmp')))", str(NEEDED_IN_TMP)),
        ("raise SystemExit(3)", "ended with exit code 3"),
    ],
    ids=["prints", "hangs", "own /tmp", "exits"],
)
def test_a_jailed_script_is_heard_or_ended(script: str, said: str) -> None:
    assert jailed(script, 2.0) == said


@pytest.mark.usefixtures("without_a_sandbox")
def test_without_a_sandbox_the_reason_is_said_once_with_its_remedy() -> None:
    assert open_sandbox()[1].count(f"taken away by {WITHOUT} (unset it)") == 1
    rows = dict(line.split(": ", 1) for line in doctor())
    assert rows["linux-ns"] == rows[UNSAFE] == "taken away"
    assert not any(line.endswith("works") for line in rows.values())


def test_a_loop_is_given_less_time_and_still_seen_to_be_stopped() -> None:
    outcomes, _ = attack_outcomes(UNSAFE, ["loop that ignores signals"])
    assert outcomes == {"loop that ignores signals": (False, "nothing")}


def test_the_record_holds_no_escape_that_its_tier_does_not_declare() -> None:
    from rlvr_course.sandbox.attacks import ATTACKS

    declared = {attack.name: attack.declared for attack in ATTACKS}
    escaped = {
        (tier, name)
        for tier, outcomes in recorded()["attacks"].items()
        for name, (through, _) in outcomes.items()
        if through and tier != UNSAFE
    }
    assert {pair for pair in escaped if pair[0] not in declared[pair[1]]} == set()


def test_notebook_05_gives_the_same_results_from_the_record(tmp_path: Path) -> None:
    notebook = find_checkout(Path(__file__).parent).solutions / "05_sandboxed_code.ipynb"
    alike = Path(__file__).parents[1] / "nbval_sanitize.cfg"  # where programs ran may differ
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "-p", "no:cacheprovider"]
    command += ["--nbval-sanitize-with", str(alike)]
    done = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", str(tmp_path), str(notebook)],
        cwd=tmp_path,
        env={**os.environ, "RLVR_ARTIFACTS": str(tmp_path / "artifacts"), WITHOUT: NONE},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:]
