"""The store of completions: what was kept is there again, whatever cut the process short."""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.policies.store import CompletionStore, Kept, Slot

SLOTS = st.builds(
    Slot, st.text(), st.text(), st.text(), st.integers(1), st.none() | st.integers(), st.integers(0)
)
KEPT = st.builds(Kept, st.text(st.characters()), st.text(), st.none() | st.integers(0))
SLOT = Slot("h", "m", "k", 10, None, 0)


@given(st.dictionaries(SLOTS, KEPT, max_size=5))
def test_what_was_kept_is_there_again(entries):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        store = CompletionStore(path)
        for slot, kept in entries.items():
            store.keep(slot, kept)
        again = CompletionStore(path)
        assert {slot: again.get(slot) for slot in entries} == entries
        assert len(again) == len(entries)


@settings(max_examples=50)
@given(st.data())
def test_a_file_cut_anywhere_loses_only_the_line_in_flight(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        for index in range(3):
            CompletionStore(path).keep(Slot("h", "m", "k", 9, None, index), Kept("t", "stop"))
        whole = path.read_bytes()
        at = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:at])
        store = CompletionStore(path)
        assert len(store) == whole[:at].count(b"\n")
        store.keep(Slot("h", "m", "k", 9, None, 7), Kept("new", "stop"))
        assert len(CompletionStore(path)) == len(store)


def test_a_forgotten_completion_stays_in_the_file(tmp_path):
    store = CompletionStore(tmp_path / "c.jsonl")
    store.keep(SLOT, Kept("t", "stop"))
    store.forget([SLOT])
    assert store.get(SLOT) is None
    assert CompletionStore(tmp_path / "c.jsonl").get(SLOT) == Kept("t", "stop")


GOOD = {"host": "h", "model": "m", "key": "k", "max_tokens": 9, "seed": None, "index": 0}
GOOD |= {"text": "t", "finish_reason": "stop", "prompt_tokens": None, "completion_tokens": None}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("{}", "field 'host' is missing"),
        (json.dumps(GOOD | {"key": []}), "texts and whole numbers"),
        (json.dumps(GOOD | {"text": None}), "must be texts"),
    ],
    ids=["torn", "empty", "list", "no text"],
)
def test_damage_before_the_last_line_is_named(tmp_path, line, said):
    path = tmp_path / "c.jsonl"
    path.write_text(f"{line}\n{json.dumps(GOOD)}\n")
    with pytest.raises(DataError, match=rf"c\.jsonl, line 1: .*{said}"):
        CompletionStore(path)


def test_a_folder_in_its_place_is_named(tmp_path):
    with pytest.raises(DataError, match="can't hold the completions"):
        CompletionStore(tmp_path)


def test_a_parent_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="choose another cache_path"):
        CompletionStore(tmp_path / "file" / "c.jsonl").keep(SLOT, Kept("t", "stop"))


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path):
    code = (
        "import resource, signal, sys\n"
        "from rlvr_course.policies.store import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.RLIM_INFINITY))\n"
        "store = CompletionStore(sys.argv[1])\n"
        "store.keep(Slot('h', 'm', 'k', 9, None, 0), Kept('t', 'stop'))\n"
        "try: store.keep(Slot('h', 'm', 'k', 9, None, 1), Kept('t' * 400, 'stop'))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    path = tmp_path / "c.jsonl"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout.startswith("DataError") and "File too large" in done.stdout
    assert path.read_bytes().count(b"\n") == 1 and path.read_bytes().endswith(b"\n")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 300
