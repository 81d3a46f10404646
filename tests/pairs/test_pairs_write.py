"""The file: whole lines or none, and what ``datasets`` and TRL make of it."""

import json
from pathlib import Path

import pytest
from pairs_samples import group, sample, texts

from rlvr_course.errors import DataError
from rlvr_course.pairs import build_preferences, iter_preferences, write_preferences
from rlvr_course.records import PreferencePair

ODD = 'line\nbreak \u2028 \x85 nul \x00 tab\t quote" back\\slash é 😀 \u200f'


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def failing_after(count: int):
    yield from iter_preferences([group("r" + "w" * count)])
    raise RuntimeError("the stream broke")


def test_records_and_rows_are_written_alike(tmp_path: Path):
    groups = [group("rww"), [sample("r", 0, text=ODD, name="q"), sample("w", 1, name="q")]]
    rows = build_preferences(groups, path=tmp_path / "rows.jsonl")
    assert write_preferences(tmp_path / "records.jsonl", iter_preferences(groups)) == 3
    assert lines(tmp_path / "rows.jsonl") == lines(tmp_path / "records.jsonl") == rows


def test_a_written_line_is_a_record_again(tmp_path: Path):
    pairs = list(iter_preferences([group("rww")]))
    write_preferences(tmp_path / "p.jsonl", pairs)
    read = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [PreferencePair.from_json(line) for line in read] == pairs


def test_missing_folders_are_made_and_nothing_else_is_left(tmp_path: Path):
    write_preferences(tmp_path / "a" / "b" / "p.jsonl", iter_preferences([group("rw")]))
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["p.jsonl"]


@pytest.mark.parametrize("append", [False, True], ids=["replace", "append"])
def test_a_stream_that_breaks_leaves_the_file_as_it_was(tmp_path: Path, append: bool):
    path = tmp_path / "p.jsonl"
    write_preferences(path, iter_preferences([group("rw")]))
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="the stream broke"):
        write_preferences(path, failing_after(2500), append=append)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


def test_appending_adds_whole_lines_and_replacing_does_not(tmp_path: Path):
    path = tmp_path / "p.jsonl"
    for name in "ab":
        write_preferences(path, iter_preferences([group("rw", name)]), append=True)
    assert [row["provenance"]["problem_id"] for row in lines(path)] == ["a", "b"]
    write_preferences(path, iter_preferences([group("rw", "c")]))
    assert [row["provenance"]["problem_id"] for row in lines(path)] == ["c"]


def test_nothing_is_appended_to_a_torn_line(tmp_path: Path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"prompt": [')
    with pytest.raises(DataError, match=r"p\.jsonl ends in the middle of a line: delete"):
        write_preferences(path, iter_preferences([group("rw")]), append=True)
    assert path.read_text() == '{"prompt": ['


@pytest.mark.parametrize("append", [False, True], ids=["replace", "append"])
def test_a_path_that_can_t_be_written_is_one_line_with_the_remedy(tmp_path: Path, append: bool):
    (tmp_path / "taken").write_text("a file")
    for path in (tmp_path / "taken" / "p.jsonl", tmp_path):
        with pytest.raises(DataError, match=r"can't be written \(.*\): free space, or give"):
            write_preferences(path, iter_preferences([group("rw")]), append=append)
    assert (tmp_path / "taken").read_text() == "a file"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"prompt": [], "chosen": []}, r"no 'rejected'; it has \['chosen', 'prompt'\]"),
        ({"prompt": "a", "chosen": "b\ud800", "rejected": "c"}, r"surrogate pair \(U\+D800\)"),
        ({"prompt": "a", "chosen": {1}, "rejected": "c"}, "set is not JSON serializable"),
        ({"prompt": "a", "chosen": float("nan"), "rejected": "c"}, "not JSON compliant"),
    ],
    ids=["field", "surrogate", "set", "nan"],
)
def test_a_row_that_no_line_can_hold_is_refused(tmp_path: Path, row: dict, said: str):
    with pytest.raises(ValueError, match=said):
        write_preferences(tmp_path / "p.jsonl", [row])
    assert list(tmp_path.iterdir()) == []


def test_progress_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pairs = list(iter_preferences([group("rrww")]))
    assert write_preferences(tmp_path / "p.jsonl", pairs, progress=True) == 4
    shown = capsys.readouterr()
    assert (shown.out, "4/4" in shown.err) == ("", True)


def test_datasets_loads_the_file_as_it_was_built(tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    groups = [group("rrww"), [sample("r", 0, text=ODD, name="q"), sample("w", 1, name="q")]]
    rows = build_preferences(groups, path=tmp_path / "p.jsonl")
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "p.jsonl"), split="train", cache_dir=str(tmp_path / "c")
    )
    assert loaded.column_names == ["prompt", "chosen", "rejected", "provenance"]
    assert loaded.to_list() == rows
    assert texts(loaded.to_list())[-1] == (ODD, "w1")
