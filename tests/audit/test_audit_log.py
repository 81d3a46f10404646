"""The writer: what it puts into the file, who may write, what a failure leaves behind."""

import json
import os
import resource
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from rlvr_course.audit import AuditLog, read_audit, verify_audit
from rlvr_course.audit.chain import GENESIS, MAX_LINE_BYTES, head_path
from rlvr_course.errors import AuditError, AuditTampered
from rlvr_course.records import Problem, Sample


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verifier.jsonl"


def write(path: Path, count: int) -> None:
    with AuditLog(path, run_id="r") as log:
        for i in range(count):
            log.append({"i": i})


def test_each_line_holds_the_hash_of_the_raw_line_before_it(path):
    write(path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    held = [json.loads(line)["prev"] for line in lines]
    assert held == [GENESIS, sha256(lines[0]).hexdigest(), sha256(lines[1]).hexdigest()]


def test_a_line_holds_run_sequence_utc_time_and_payload(path):
    with AuditLog(path, run_id="run-7") as log:
        entry = log.append({"reward": 1.0})
    assert list(read_audit(path)) == [entry]
    assert (entry["run"], entry["seq"], entry["record"]) == ("run-7", 0, {"reward": 1.0})
    assert entry["at"].endswith("Z") and len(entry["at"]) == len("2030-01-02T03:04:05.678Z")


def test_a_sample_unpacked_with_a_note_is_logged_whole(path):
    sample = Sample(Problem("2+2?", "4"), "\\boxed{4}", "4", 1.0, True)
    with AuditLog(path) as log:
        logged = log.append({**sample, "suspected_hack": False})["record"]
    assert logged.pop("suspected_hack") is False
    assert Sample.from_dict(logged) == sample


def test_the_anchor_names_count_and_head_after_every_record(path):
    with AuditLog(path) as log:
        for count in (1, 2, 3):
            log.append({})
            head = sha256(path.read_bytes().splitlines(keepends=True)[-1]).hexdigest()
            assert log.anchor == f"{count}:{head}" == head_path(path).read_text().strip()


def test_a_reopened_log_goes_on_where_it_ended(path):
    write(path, 2)
    write(path, 3)
    assert [entry["seq"] for entry in read_audit(path)] == [0, 1, 2, 3, 4]
    assert verify_audit(path).ok


def test_two_logs_opened_without_a_run_id_get_different_ones(tmp_path):
    with AuditLog(tmp_path / "a") as first, AuditLog(tmp_path / "b") as second:
        assert first.run_id != second.run_id


@pytest.mark.parametrize("options", [{"durable": True}, {"anchor_every": 10}], ids=str)
def test_options_change_no_byte_of_the_chain(path, options):
    with AuditLog(path, **options) as log:
        for i in range(25):
            log.append({"i": i})
    report = verify_audit(path)
    assert (report.ok, report.records, report.ahead) == (True, 25, 0)


def test_a_log_left_unclosed_is_ahead_of_its_anchor_by_what_came_after_it(path):
    log = AuditLog(path, anchor_every=10)
    for i in range(25):
        log.append({"i": i})
    report = verify_audit(path)
    assert (report.ok, report.records, report.ahead) == (True, 25, 5)
    log.close()


def test_threads_sharing_a_log_lose_nothing_and_keep_the_chain(path):
    with AuditLog(path) as log:
        work = [threading.Thread(target=log.append, args=({"i": i},)) for i in range(20)]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
    assert verify_audit(path).ok
    assert sorted(entry["record"]["i"] for entry in read_audit(path)) == list(range(20))


def test_a_second_writer_in_this_process_is_told_the_file_and_the_remedy(path):
    with AuditLog(path), pytest.raises(AuditError, match=r"verifier\.jsonl is open .*log\.close"):
        AuditLog(path)


def test_a_second_writer_in_another_process_is_refused(path):
    code = f"from rlvr_course.audit import AuditLog; AuditLog({str(path)!r})"
    with AuditLog(path):
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1 and "is open for writing already" in found.stderr


def test_a_refused_writer_changes_nothing_and_the_first_goes_on(path):
    with AuditLog(path) as log:
        log.append({"i": 0})
        with pytest.raises(AuditError):
            AuditLog(path)
        log.append({"i": 1})
    assert verify_audit(path).ok and verify_audit(path).records == 2


def test_a_dropped_log_gives_its_lock_back(path):
    AuditLog(path).append({"i": 0})
    write(path, 1)
    assert verify_audit(path).records == 2


FORK = """
import os, sys
from rlvr_course.audit import AuditLog
log = AuditLog(sys.argv[1])
if child := os.fork():
    os.waitpid(child, 0)
log.append({"i": 0})
"""


def test_a_forked_child_may_not_append_and_its_parent_still_may(path):
    command = [sys.executable, "-c", FORK, str(path)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0
    assert found.stderr.count("return results from worker processes") == 1
    assert verify_audit(path).records == 1


def test_a_closed_log_refuses_and_closing_twice_is_fine(path):
    log = AuditLog(path)
    log.close()
    log.close()
    with pytest.raises(AuditError, match="is closed: open a new AuditLog"):
        log.append({})


@pytest.mark.parametrize(
    "options", [{"anchor_every": 0}, {"run_id": ""}, {"run_id": 7}], ids=["anchor", "empty", "int"]
)
def test_a_caller_s_mistake_is_a_value_error_before_a_file_is_made(path, options):
    with pytest.raises(ValueError, match=r"anchor_every is 0|run_id is"):
        AuditLog(path, **options)
    assert not path.exists()


@pytest.mark.parametrize("record", [None, 3, "text", [1], dict], ids=repr)
def test_what_is_no_mapping_is_a_value_error_and_leaves_no_line(path, record):
    with AuditLog(path) as log, pytest.raises(ValueError, match="mapping or a dataclass"):
        log.append(record)
    assert path.read_bytes() == b""


def test_a_record_over_the_line_limit_is_logged_as_its_length_and_hash(path):
    with AuditLog(path) as log:
        entry = log.append({"response": "x" * MAX_LINE_BYTES})
    assert "more than 16 MiB; SHA-256" in entry["record"]["$left_out"]
    assert verify_audit(path).ok and path.stat().st_size < 1000


def test_a_full_disk_is_one_line_with_the_remedy_and_appending_again_works(path):
    with AuditLog(path, run_id="r") as log:
        first = log.append({"text": "a" * 700})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))  # half a record more
        try:
            with pytest.raises(AuditError, match=r"can't write .*free some space") as caught:
                log.append({"text": "b" * 700})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        second = log.append({"text": "c" * 700})
    assert "\n" not in str(caught.value)
    assert list(read_audit(path)) == [first, second]
    assert verify_audit(path).ok


def test_an_anchor_that_fails_is_written_with_a_later_record(path):
    with AuditLog(path) as log:
        blocked = Path(f"{head_path(path)}.tmp")
        blocked.mkdir()
        log.append({"i": 0})
        assert verify_audit(path).ahead == 1
        blocked.rmdir()
        log.append({"i": 1})
        assert (verify_audit(path).ok, verify_audit(path).ahead) == (True, 0)


def test_closing_raises_where_the_anchor_can_t_be_written_and_gives_the_lock_back(path):
    log = AuditLog(path)
    blocked = Path(f"{head_path(path)}.tmp")
    blocked.mkdir()
    log.append({"i": 0})
    with pytest.raises(AuditError, match="can't write the audit log"):
        log.close()
    blocked.rmdir()
    write(path, 1)
    assert verify_audit(path).records == 2


def test_a_folder_that_can_t_be_made_is_one_line_with_the_remedy(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AuditError, match="a part of the path is taken"):
        AuditLog(tmp_path / "file" / "verifier.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_one_line_with_the_remedy(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(AuditError, match="a folder that you may write to"):
        AuditLog(tmp_path / "verifier.jsonl")
    tmp_path.chmod(0o700)


def test_a_folder_or_a_pipe_in_the_log_s_place_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AuditError, match="not a regular file"):
        AuditLog(tmp_path / "pipe")
    with pytest.raises(AuditError, match="give another path"):
        AuditLog(tmp_path)


def test_a_relative_path_stays_the_same_file_after_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with AuditLog("a.jsonl") as log:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        log.append({"i": 0})
    report = verify_audit(tmp_path / "a.jsonl")
    assert (report.ok, report.records, report.ahead) == (True, 1, 0)


def test_a_write_from_outside_stops_the_writer(path):
    with pytest.raises(AuditTampered, match="start a new log"), AuditLog(path) as log:
        log.append({"i": 0})
        with path.open("ab") as stream:
            stream.write(b"{}\n")
        log.append({"i": 1})
    assert path.read_bytes().endswith(b"{}\n")


def test_deleting_the_file_under_a_writer_stops_it(path):
    with pytest.raises(AuditTampered, match="moved, replaced or deleted"), AuditLog(path) as log:
        path.unlink()
        log.append({"i": 0})


def test_an_interrupt_after_the_write_costs_no_record(path, monkeypatch):
    def write_then_interrupt(descriptor, line, write=os.write):
        monkeypatch.undo()
        write(descriptor, line)
        raise KeyboardInterrupt

    with AuditLog(path) as log:
        monkeypatch.setattr(os, "write", write_then_interrupt)
        with pytest.raises(KeyboardInterrupt):
            log.append({"i": 0})
        log.append({"i": 1})
    assert [entry["record"]["i"] for entry in read_audit(path)] == [0, 1]
    assert verify_audit(path).ok


def test_a_tampered_log_is_not_gone_on_with(path):
    write(path, 3)
    path.write_bytes(path.read_bytes().replace(b'"i":1', b'"i":9'))
    before = path.read_bytes()
    with pytest.raises(AuditTampered, match=r"line 3: .*start a new log at another path"):
        AuditLog(path)
    assert path.read_bytes() == before


def test_every_torn_tail_is_moved_aside_whole_and_the_chain_goes_on(tmp_path):
    write(tmp_path / "whole", 3)
    *kept, last = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
    write(tmp_path / "two", 2)
    head = f"2:{sha256(kept[-1]).hexdigest()}\n"  # a writer killed here had not moved its anchor
    for length in range(1, len(last)):
        path = tmp_path / f"torn{length}"
        path.write_bytes(b"".join(kept) + last[:length])
        head_path(path).write_text(head)
        with AuditLog(path) as log:
            assert log.recovered is not None
            assert log.recovered.read_bytes() == last[:length]
            assert log.append({"i": "next"})["seq"] == 2
        assert verify_audit(path).ok


def test_a_second_torn_tail_does_not_replace_the_first(path):
    for n in (1, 2):
        write(path, 1)
        with path.open("ab") as stream:
            stream.write(b"half %d" % n)
    with AuditLog(path) as log:
        assert log.recovered == path.with_name("verifier.jsonl.torn-2")
    assert path.with_name("verifier.jsonl.torn-1").read_bytes() == b"half 1"


def test_a_log_without_a_torn_tail_reports_none(path):
    write(path, 1)
    with AuditLog(path) as log:
        assert log.recovered is None
