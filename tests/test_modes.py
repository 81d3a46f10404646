"""Starting a run, and the two functions that use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlvr_course import modes
from rlvr_course.audit import read_audit, verify_audit
from rlvr_course.errors import AuditError, NotRecorded, PolicyUnavailable
from rlvr_course.problems.recorded import load_problems, load_rollouts
from rlvr_course.records import Problem, Sample


@pytest.fixture(autouse=True)
def no_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("RLVR_ARTIFACTS", raising=False)
    modes.stop()
    yield
    modes.stop()


def recorded_texts() -> tuple[Problem, list[str]]:
    problem = load_problems("math")[0]
    rows = [r for r in load_rollouts("math") if r.problem_id == problem.id]
    return problem, [r.completion.text for r in sorted(rows, key=lambda r: r.completion.index)]


def test_start_makes_a_folder_and_a_log_and_prints_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = modes.start("00_start_here", artifacts=tmp_path)
    printed = capsys.readouterr().out
    assert printed == f"mode fake · {run.policy.policy_id} · run {run.run_id}\n"
    assert run.dir == tmp_path / run.run_id
    assert (run.dir / "verifier.jsonl").is_file()
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}", run.run_id)


def test_each_start_is_a_fresh_run_and_closes_the_one_before(tmp_path: Path) -> None:
    first = modes.start("00_start_here", artifacts=tmp_path)
    second = modes.start("00_start_here", artifacts=tmp_path)
    assert first.dir != second.dir
    assert modes.current() is second
    with pytest.raises(AuditError):
        first.log.append({"late": True})


def test_the_environment_can_move_the_artifacts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVR_ARTIFACTS", str(tmp_path / "elsewhere"))
    assert modes.start("00", artifacts=tmp_path).dir.parent == tmp_path / "elsewhere"


def test_an_unknown_mode_names_the_three() -> None:
    with pytest.raises(ValueError, match="'fast' is not one of fake, local, api"):
        modes.start("00", "fast")


def test_local_mode_without_its_model_says_what_to_use_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RLVR_SMOLLM2", str(tmp_path / "nowhere"))
    with pytest.raises(PolicyUnavailable, match=r"mode 'local': .*; or use 'fake', or 'api'"):
        modes.start("00", "local", artifacts=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_artifacts_that_cannot_be_written_are_one_line_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(AuditError, match=r"can't be created.*RLVR_ARTIFACTS") as caught:
        modes.start("00", artifacts=tmp_path / "file")
    assert len(str(caught.value).splitlines()) == 1
    assert modes.current() is None


def test_a_failed_start_leaves_the_run_before_it_in_place(tmp_path: Path) -> None:
    run = modes.start("00", artifacts=tmp_path)
    with pytest.raises(ValueError):
        modes.start("00", "fast")
    assert modes.current() is run
    run.log.append({"still": "open"})


def test_successive_completions_replay_successive_samples_and_wrap() -> None:
    problem, texts = recorded_texts()
    system = problem.metadata["system"]
    got = [modes.simple_complete(problem.question, system) for _ in range(len(texts) + 2)]
    assert got == [*texts, *texts[:2]]


def test_a_fresh_run_replays_from_the_first_sample(tmp_path: Path) -> None:
    problem, texts = recorded_texts()
    modes.simple_complete(problem.question, problem.metadata["system"])
    modes.start("00", artifacts=tmp_path)
    assert modes.simple_complete(problem.question, problem.metadata["system"]) == texts[0]


def test_a_prompt_that_is_not_recorded_says_so() -> None:
    with pytest.raises(NotRecorded, match="not recorded"):
        modes.simple_complete("A prompt of my own")


def test_sample_and_verify_works_without_a_run() -> None:
    problem, texts = recorded_texts()
    samples = modes.sample_and_verify(problem, n_samples=3)
    assert [sample.response for sample in samples] == texts[:3]
    assert all(sample.reward in (1.0, -0.1) for sample in samples)


def test_samples_are_logged_to_the_current_run(tmp_path: Path) -> None:
    run = modes.start("00", artifacts=tmp_path)
    samples = modes.sample_and_verify(recorded_texts()[0], n_samples=2)
    path = run.dir / "verifier.jsonl"
    modes.stop()
    assert verify_audit(path).ok
    records = [line["record"] for line in read_audit(path)]
    assert records[0]["notebook"] == "00"
    assert [Sample.from_dict(record) for record in records[1:]] == samples


def test_a_group_needs_a_size() -> None:
    with pytest.raises(ValueError, match="n=0"):
        modes.sample_and_verify(recorded_texts()[0], n_samples=0)
