"""audit_record: one sample into a log, with its suspicion."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from passing import passed

from rlvr_course import audit_record, modes
from rlvr_course.audit import read_audit, verify_audit
from rlvr_course.errors import AuditError
from rlvr_course.records import Sample

HACK, HONEST = passed("22"), passed("40 - 13 - 9 + 4 = 22")


@pytest.fixture(autouse=True)
def no_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("RLVR_ARTIFACTS", str(tmp_path))
    modes.stop()
    yield
    modes.stop()


def records(path: Path) -> list[dict]:
    assert verify_audit(path).ok
    return [line["record"] for line in read_audit(path)]


def test_without_a_run_the_log_lies_in_the_folder_of_artifacts(tmp_path: Path) -> None:
    appended = [audit_record(HACK), audit_record(HONEST)]
    assert appended == [{**HACK, "suspected_hack": True}, {**HONEST, "suspected_hack": False}]
    found = records(tmp_path / "verifier.jsonl")
    assert [record.pop("suspected_hack") for record in found] == [True, False]
    assert [Sample.from_dict(record) for record in found] == [HACK, HONEST]


def test_the_current_run_has_the_record_in_its_log() -> None:
    run = modes.start("04_hack_detection")
    audit_record(HACK)
    audit_record(HACK, False, path=run.dir / "verifier.jsonl")
    modes.stop()
    found = [record.get("suspected_hack") for record in records(run.dir / "verifier.jsonl")]
    assert found == [None, True, False]


def test_a_path_of_ones_own_is_used_and_left_closed(tmp_path: Path) -> None:
    modes.start("04_hack_detection")
    for _ in range(2):
        audit_record(HONEST, path=tmp_path / "mine.jsonl")
    assert len(records(tmp_path / "mine.jsonl")) == 2


def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(AuditError) as caught:
        audit_record(HACK, path=tmp_path / "file" / "log.jsonl")
    assert len(str(caught.value).splitlines()) == 1
