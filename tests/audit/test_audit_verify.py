"""The readers: every change to a log is found, and nothing else is called one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.audit import Anchor, AuditLog, read_audit, verify_audit
from rlvr_course.audit.chain import (
    GENESIS,
    MAX_LINE_BYTES,
    decode_entry,
    encode_entry,
    head_path,
    line_hash,
    write_anchor,
)
from rlvr_course.audit.verify import MAX_PROBLEMS
from rlvr_course.errors import AuditError, AuditTampered


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of five records with its head file."""
    return write(tmp_path / "verifier.jsonl", 5)


def write(path: Path, count: int) -> Path:
    with AuditLog(path, run_id="r") as log:
        for i in range(count):
            log.append({"i": i})
    return path


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def rechained(lines: list[bytes]) -> list[bytes]:
    """The lines with fresh sequence numbers and hashes, as a forger would write them."""
    head, fresh = GENESIS, []
    for seq, line in enumerate(lines):
        fresh.append(encode_entry({**decode_entry(line), "prev": head, "seq": seq}))
        head = line_hash(fresh[-1])
    return fresh


def reasons(path: Path, anchor: str | None = None) -> list[str]:
    return [str(problem) for problem in verify_audit(path, anchor).problems]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_log_as_written_holds(tmp_path, count):
    report = verify_audit(write(tmp_path / "a", count))
    assert report.ok and report.anchor == "holds"
    assert (report.records, report.ahead, report.torn_bytes) == (count, 0, 0)


def test_every_flipped_bit_of_a_log_is_found(path):
    whole = bytearray(path.read_bytes())
    for place in range(len(whole)):
        for bit in range(8):
            changed = whole.copy()
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            assert not verify_audit(path).ok, f"byte {place}, bit {bit}"


def test_every_flipped_bit_of_the_head_file_is_found(path):
    whole = bytearray(head_path(path).read_bytes().strip())
    for place in range(len(whole)):
        for bit in range(8):
            changed = whole.copy()
            changed[place] ^= 1 << bit
            head_path(path).write_bytes(changed)
            assert not verify_audit(path).ok, f"byte {place}, bit {bit}"


@given(
    edit=st.sampled_from(["delete", "double", "swap", "move"]),
    i=st.integers(0, 4),
    j=st.integers(0, 4),
)
def test_lines_deleted_doubled_swapped_or_moved_are_found(tmp_path_factory, edit, i, j):
    path = write(tmp_path_factory.mktemp("log") / "a", 5)
    before = lines_of(path)
    after = before.copy()
    if edit == "delete":
        del after[i]
    elif edit == "double":
        after.insert(j, after[i])
    elif edit == "swap":
        after[i], after[j] = after[j], after[i]
    else:
        after.insert(j, after.pop(i))
    path.write_bytes(b"".join(after))
    assert verify_audit(path).ok == (after == before)


def test_a_changed_line_is_one_problem_at_the_line_after_it(path):
    path.write_bytes(path.read_bytes().replace(b'"i":1', b'"i":7'))
    assert [(p.line, "line 2 was changed" in p.reason) for p in verify_audit(path).problems] == [
        (3, True)
    ]


def test_a_missing_line_shows_in_hash_and_sequence(path):
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    found = reasons(path)
    assert found[0].startswith("line 3: prev is not the hash")
    assert found[1] == "line 3: sequence number 3, 2 was due"
    assert "counts 5 records, 1 are gone" in found[2] and len(found) == 3


@pytest.mark.parametrize("kept", range(5))
def test_a_tail_cut_at_a_line_end_is_found_against_the_head_file(path, kept):
    path.write_bytes(b"".join(lines_of(path)[:kept]))
    report = verify_audit(path)
    assert (report.ok, report.anchor, report.records) == (False, "broken", kept)
    assert f"counts 5 records, {5 - kept} are gone from the end" in str(report)


def test_a_head_file_taken_away_is_a_problem_unless_an_anchor_was_kept(path):
    anchor = head_path(path).read_text()
    head_path(path).unlink()
    assert "can't be ruled out: give the anchor" in reasons(path)[0]
    assert verify_audit(path).anchor == "missing"
    assert verify_audit(path, anchor).ok


def test_a_rebuilt_log_passes_its_own_head_file_and_fails_the_kept_anchor(path):
    kept = head_path(path).read_text()
    forged = rechained([line.replace(b'"i":1', b'"i":7') for line in lines_of(path)])
    path.write_bytes(b"".join(forged))
    write_anchor(path, Anchor(5, line_hash(forged[-1])))
    assert verify_audit(path).ok
    assert ["the log was rebuilt" in reason for reason in reasons(path, kept)] == [True]


def test_a_log_rebuilt_without_its_head_file_fails_that(path):
    lines = lines_of(path)
    path.write_bytes(b"".join(rechained(lines[:2] + lines[3:] + lines[:1])))
    assert "has another hash for record 5" in reasons(path)[0]


def test_an_anchor_kept_midway_holds_and_counts_what_came_after(path):
    with AuditLog(path) as log:
        midway = log.anchor
        log.append({"i": 5})
    report = verify_audit(path, midway)
    assert (report.ok, report.anchor, report.ahead) == (True, "holds", 1)


def test_an_unfinished_last_line_is_reported_and_is_no_problem(path):
    with path.open("ab") as stream:
        stream.write(b'{"prev":"12')
    report = verify_audit(path)
    assert (report.ok, report.records, report.torn_bytes) == (True, 5, 11)
    assert "unfinished last line of 11 bytes" in str(report)
    assert len(list(read_audit(path))) == 5


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"[1]", b"\xff", b"nonsense", b"[" * 100_000, b"9" * 9999],
    ids=["blank", "empty", "list", "bytes", "text", "nested", "number"],
)
def test_a_malformed_line_is_named_and_what_follows_is_still_checked(path, line):
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:2], line, b"\n", lines[2], lines[4]]))
    found = [problem.line for problem in verify_audit(path).problems]
    # The line itself; line 4, whose hash is of line 2; line 5, before which one is missing.
    assert sorted(set(found)) == [3, 4, 5]


@pytest.mark.parametrize("seq", [True, 1.0, "1", None, -1, 10**30], ids=repr)
def test_a_sequence_number_that_is_not_the_next_integer_is_found(path, seq):
    first, second = lines_of(path)[:2]
    forged = encode_entry({**decode_entry(second), "seq": seq})
    path.write_bytes(first + forged)
    write_anchor(path, Anchor(2, line_hash(forged)))
    assert [problem.line for problem in verify_audit(path).problems] == [2]


def test_an_endless_line_is_a_problem_and_the_check_stops_there(path):
    with path.open("ab") as stream:
        stream.write(b"x" * (MAX_LINE_BYTES + 1))
    assert reasons(path) == ["line 6: longer than 16 MiB; nothing from here on was checked"]


def test_problems_beyond_the_limit_are_counted(path):
    path.write_bytes(b"bad\n" * (MAX_PROBLEMS + 7))
    report = verify_audit(path)
    # 107 bad lines, and a head file whose hash for record 5 is another.
    assert (len(report.problems), report.more_problems) == (MAX_PROBLEMS, 8)
    assert "8 more problems" in str(report)


def test_reading_a_malformed_line_names_it_and_the_command(path):
    lines = lines_of(path)
    path.write_bytes(lines[0] + b"bad\n" + lines[1])
    entries = read_audit(path)
    assert next(entries)["seq"] == 0
    with pytest.raises(AuditTampered, match=r"line 2 is not JSON .*audit verify"):
        next(entries)


@pytest.mark.parametrize("read", [read_audit, verify_audit])
def test_a_missing_log_and_a_folder_are_one_line(tmp_path, read):
    with pytest.raises(AuditError, match=r"there is no audit log at .*: check the path"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(AuditError, match="can't read the audit log"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["", "5", "5:abc", f"05:{GENESIS}", f"-1:{GENESIS}", "x" * 999])
def test_what_is_no_anchor_is_a_value_error(path, text):
    with pytest.raises(ValueError, match="is not COUNT:HASH"):
        verify_audit(path, text)


@given(count=st.integers(0, 10**17), head=st.binary(min_size=32, max_size=32))
def test_an_anchor_s_text_reads_back(count, head):
    anchor = Anchor(count, head.hex())
    assert Anchor.parse(f" {anchor}\n") == anchor


def test_progress_adds_up_to_the_size_of_the_log(path):
    steps: list[int] = []
    verify_audit(path, progress=steps.append)
    assert sum(steps) == path.stat().st_size
