"""Reading hand-ins: honest ones whole, hostile ones to a sentence, and never an exception."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlvr_course.errors import NotebookError
from rlvr_course.grading.evidence.package_evidence import package_findings
from rlvr_course.grading.handin.submission import find_submissions, read_submission

LOG = b'{"prev":"0"}\n{"prev":"1"}\n{"torn'
HEAD = b"2:" + b"a" * 64 + b"\n"
MANIFEST = {"notebook": "01_tiny", "learner": "ada", "run_id": "r1"}


def notebook_of(*sources: str, **fields: Any) -> dict[str, Any]:
    cells = [
        {"id": f"c{i}", "cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        for i, source in enumerate(sources)
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **fields}


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


TINY = as_json(notebook_of("x = 1", "x + 1"))
PACKAGE = {
    "notebook.ipynb": TINY,
    "verifier.jsonl": LOG,
    "verifier.jsonl.head": HEAD,
    "manifest.json": as_json(MANIFEST),
}


@pytest.fixture
def handed_out(tmp_path: Path) -> Path:
    """Two released notebooks, each of its own cells."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name, sources in {"01_tiny": ["x = 1", "x + 1"], "02_other": ["y = 2", "y - 1"]}.items():
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in sources]
        nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Writes one file into a folder of submissions."""

    def write(name: str, data: bytes = TINY) -> Path:
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    return write


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


# ---- what is read of an honest one


def test_a_package_is_read_whole(put, handed_out):
    found = read_submission(put("ada.zip", zipped(PACKAGE)), notebooks=handed_out)
    assert (found.problem, found.remarks, found.learner) == ("", [], "ada")
    assert (found.notebook_name, found.manifest) == ("01_tiny", MANIFEST)
    assert found.notebook is not None
    assert [cell["source"] for cell in found.notebook["cells"]] == ["x = 1", "x + 1"]
    assert found.log == [b'{"prev":"0"}\n', b'{"prev":"1"}\n', b'{"torn']
    assert found.head_file == HEAD.decode().strip()
    assert found.sha256["verifier.jsonl"] == hashlib.sha256(LOG).hexdigest()


@pytest.mark.parametrize("name", ["ada.ipynb", "ada_01_tiny.ipynb", "ada (2).ipynb", "ada.zip"])
def test_a_bare_notebook_has_no_log_and_its_name_says_who(put, handed_out, name):
    path = put(name)
    os.utime(path, (1, 1_000_000))
    found = read_submission(path, notebooks=handed_out)
    assert (found.learner, found.notebook_name, found.problem) == ("ada", "01_tiny", "")
    assert (found.log, found.manifest, found.received) == (None, {}, 1_000_000)


def test_a_learner_given_by_the_caller_comes_first(put, handed_out):
    found = read_submission(put("ada.zip", zipped(PACKAGE)), learner="eve", notebooks=handed_out)
    assert found.learner == "eve"


def test_a_package_by_its_first_name_is_from_the_learner_of_its_manifest(put, handed_out):
    assert read_submission(put("01_tiny.zip", zipped(PACKAGE)), notebooks=handed_out).learner == (
        "ada"
    )


@pytest.mark.parametrize("prefix", ["", "ada/", "ada/deep/"])
def test_a_folder_may_be_packed_with_its_files(put, handed_out, prefix):
    inside = {f"{prefix}{name}": data for name, data in PACKAGE.items()}
    inside["__MACOSX/._notebook.ipynb"] = inside[".ipynb_checkpoints/a.ipynb"] = b"\0"
    found = read_submission(put("ada.zip", zipped(inside)), notebooks=handed_out)
    assert (found.problem, found.manifest) == ("", MANIFEST)


def test_loose_files_in_a_folder_are_one_hand_in(put, handed_out):
    for name, data in PACKAGE.items():
        put(f"ada/{name}", data)
    found = read_submission(handed_out.parent / "in" / "ada", notebooks=handed_out)
    assert (found.learner, found.problem, found.manifest) == ("ada", "", MANIFEST)
    assert found.log is not None and len(found.log) == 3


def test_a_notebook_is_known_by_its_cells_and_not_by_its_name(put, handed_out):
    path = put("ada_02_other.ipynb")
    assert read_submission(path, notebooks=handed_out).notebook_name == "01_tiny"


SOLUTIONS = sorted((Path(__file__).parents[2] / "solutions_private").glob("*.ipynb"))


@pytest.mark.parametrize("keeps_ids", [True, False], ids=["ids kept", "ids lost"])
@pytest.mark.parametrize("path", SOLUTIONS, ids=[path.stem for path in SOLUTIONS])
def test_a_worked_notebook_of_the_course_is_known_by_any_name(put, path, keeps_ids):
    notebook = json.loads(path.read_bytes())
    for cell in notebook["cells"]:
        cell["id"] = cell["id"] if keeps_ids else ""
    found = read_submission(put("ada.ipynb", as_json(notebook)))
    assert (found.notebook_name, found.problem, found.learner) == (path.stem, "", "ada")


def test_a_foreign_notebook_has_no_name_and_no_problem(put, handed_out):
    path = put("ada_01_tiny.ipynb", as_json(notebook_of("import this", "print(3)")))
    found = read_submission(path, notebooks=handed_out)
    assert (found.notebook_name, found.problem) == ("", "")


def test_a_notebook_of_format_3_is_brought_up_to_4(put, handed_out):
    cell = {"cell_type": "code", "input": "x = 1", "outputs": [], "language": "python"}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [cell]}]}
    found = read_submission(put("ada.ipynb", as_json(old)), notebooks=handed_out)
    assert found.problem == "" and found.notebook is not None
    assert [cell["source"] for cell in found.notebook["cells"]] == ["x = 1"]


def test_texts_kept_as_lines_are_joined(put, handed_out):
    stream = {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]}
    shown = {"output_type": "display_data", "data": {"text/plain": ["c", "d"]}, "metadata": {}}
    cell = {"cell_type": "code", "source": ["p()\n", "q()"], "outputs": [stream, shown]}
    data = as_json(notebook_of(cells=[cell]))
    found = read_submission(put("ada.ipynb", data), notebooks=handed_out)
    assert found.notebook is not None
    known = found.notebook["cells"][0]
    assert (known["source"], known["outputs"][0]["text"]) == ("p()\nq()", "a\nb")
    assert known["outputs"][1]["data"] == {"text/plain": "cd"}
    assert (known["id"], known["metadata"], known["execution_count"]) == ("", {}, None)


def test_a_byte_order_mark_is_no_problem(put, handed_out):
    found = read_submission(put("ada.ipynb", b"\xef\xbb\xbf" + TINY), notebooks=handed_out)
    assert found.problem == ""


# ---- hostile archives


def linked() -> bytes:
    info = zipfile.ZipInfo("notebook.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def doubled() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("notebook.ipynb", TINY)
        archive.writestr("notebook.ipynb", TINY + b" ")
    return stream.getvalue()


def with_password() -> bytes:
    data = bytearray(zipped({"notebook.ipynb": TINY}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def corrupted() -> bytes:
    data = bytearray(zipped({"notebook.ipynb": TINY}, zipfile.ZIP_STORED))
    data[data.index(b"x = 1")] ^= 1
    return bytes(data)


def many_entries() -> bytes:
    return zipped({f"{i}.txt": b"" for i in range(1001)} | PACKAGE, zipfile.ZIP_STORED)


WHOLE = zipped(PACKAGE)
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "zip bomb": (lambda: zipped({"notebook.ipynb": b" " * 20_000_001}), "is over 20 MB"),
    "up and out": (lambda: zipped({"../../notebook.ipynb": TINY}), "path that leaves its folder"),
    "from the root": (lambda: zipped({"/notebook.ipynb": TINY}), "path that leaves its folder"),
    "backslashes": (lambda: zipped({"..\\notebook.ipynb": TINY}), "path that leaves its folder"),
    "drive letter": (lambda: zipped({"C:notebook.ipynb": TINY}), "path that leaves its folder"),
    "symbolic link": (linked, "is a link"),
    "twice the same name": (doubled, "is there 2 times"),
    "password": (with_password, "has a password"),
    "lzma": (lambda: zipped({"notebook.ipynb": TINY}, zipfile.ZIP_LZMA), "compressed in another"),
    "bzip2": (lambda: zipped({"notebook.ipynb": TINY}, zipfile.ZIP_BZIP2), "compressed in another"),
    "wrong checksum": (corrupted, "is damaged or was cut short (BadZipFile: Bad CRC-32"),
    "cut in half": (lambda: WHOLE[: len(WHOLE) // 2], "is damaged or was cut short"),
    "only its start": (lambda: b"PK\x03\x04", "is damaged or was cut short"),
    "endless directory": (many_entries, "over 1,000 entries"),
    "empty": (lambda: zipped({}), "holds no notebook"),
    "no notebook": (lambda: zipped({"essay.txt": b"hello"}), "holds no notebook"),
    "two notebooks": (lambda: zipped({"a.ipynb": TINY, "b.ipynb": TINY}), "holds 2 notebooks"),
    "no zip": (lambda: b"hello", "is not a zip file"),
    "nothing": (lambda: b"", "is not a zip file"),
    "rar": (lambda: b"Rar!\x1a\x07\x00" + b"\0" * 99, "is not a zip file"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_zip_is_a_problem_in_one_line(put, handed_out, case):
    make, said = HOSTILE[case]
    found = read_submission(put("ada_01_tiny.zip", make()), notebooks=handed_out)
    assert said in found.problem and "\n" not in found.problem
    assert (found.notebook, found.learner, found.notebook_name) == (None, "ada", "01_tiny")


def test_nothing_of_an_archive_is_written(put, handed_out, tmp_path):
    data = zipped({**PACKAGE, "../escaped": b"x", "/tmp/escaped-too": b"x"})
    path = put("ada.zip", data)
    before = sorted(tmp_path.rglob("*"))
    found = read_submission(path, notebooks=handed_out)
    assert found.problem == "" and len(found.remarks) == 2
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("part", "data", "said"),
    [
        ("manifest.json", b"[" * 100_000, "nests deeper than 100"),
        ("manifest.json", b"[1, 2]", "is a list, not an object"),
        ("manifest.json", b"\xff\xfe{", "not UTF-8 at byte 0"),
        ("manifest.json", b" " * 1_000_001, "is over 1 MB"),
        ("verifier.jsonl", b"\n" * 200_001, "over 200,000 lines"),
        ("verifier.jsonl", b"x" * 64_000_001, "is over 64 MB"),
        ("verifier.jsonl.head", b"1" * 201, "is over 200 bytes"),
    ],
    ids=["nested", "a list", "not utf-8", "too long", "lines", "log too long", "head too long"],
)
def test_a_bad_part_beside_the_notebook_is_left_out_with_a_remark(
    put, handed_out, part, data, said
):
    path = put("ada.zip", zipped({**PACKAGE, part: data}))
    found = read_submission(path, notebooks=handed_out)
    assert found.problem == "" and found.notebook is not None
    assert len(found.remarks) == 1 and said in found.remarks[0]


def test_an_archive_over_90_mb_is_not_opened(put, handed_out):
    path = put("ada.zip", b"PK\x03\x04")
    os.truncate(path, 90_000_001)
    assert "is over 90 MB" in read_submission(path, notebooks=handed_out).problem


# ---- hostile notebooks


def of_cell(**fields: Any) -> bytes:
    return as_json(notebook_of(cells=[{"cell_type": "code", "source": "", **fields}]))


MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "not JSON, or was cut short, at line 1"),
    "cut": (TINY[:-20], "not JSON, or was cut short"),
    "not json": (b"x = 1\n", "not JSON"),
    "a list": (b"[]", "no 'nbformat'"),
    "null": (b"null", "no 'nbformat'"),
    "no format": (b'{"cells": []}', "no 'nbformat'"),
    "format 5": (as_json(notebook_of(nbformat=5)), "of format 5"),
    "format -1": (as_json(notebook_of(nbformat=-1)), "of format -1"),
    "format true": (as_json(notebook_of(nbformat=True)), "no 'nbformat'"),
    "format text": (as_json(notebook_of(nbformat="4")), "no 'nbformat'"),
    "format 3, a lie": (as_json(notebook_of(nbformat=3)), "old notebook that can't be converted"),
    "nested": (b"[" * 100_000, "nests deeper than 100"),
    "nested, closed": (b"[" * 100_000 + b"]" * 100_000, "nests deeper than 100"),
    "nested 101": (b'{"nbformat":4,"x":' + b"[" * 101 + b"]" * 101 + b"}", "nests deeper than 100"),
    "many lists": (b"[" + b"[]," * 1_000_001 + b"1]", "over 1,000,000 lists"),
    "huge number": (b'{"nbformat":' + b"4" * 5000 + b"}", "thousands of digits"),
    "utf-16": (TINY.decode().encode("utf-16"), "not UTF-8 at byte 0"),
    "latin-1": (b'{"nbformat": 4, "x": "caf\xe9"}', "not UTF-8 at byte"),
    "cells a mapping": (as_json(notebook_of(cells={"a": 1})), "'cells' of the notebook is a dict"),
    "cell a text": (as_json(notebook_of(cells=["x"])), "cell 1 is a str"),
    "source a number": (of_cell(source=3), "'source' of cell 1 is a int"),
    "source of numbers": (of_cell(source=[3]), "'source' of cell 1 is a list"),
    "id a list": (of_cell(id=[]), "'id' of cell 1 is a list"),
    "outputs a text": (of_cell(outputs="x"), "'outputs' of cell 1 is a str"),
    "output a number": (of_cell(outputs=[1]), "an output of cell 1 is a int"),
    "data a text": (of_cell(outputs=[{"output_type": "display_data", "data": "x"}]), "'data' of"),
    "metadata a list": (of_cell(metadata=[1]), "'metadata' of cell 1 is a list"),
    "over 20 MB": (b" " * 20_000_001, "is over 20 MB: clear its large outputs"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_notebook_is_a_problem_in_one_line(put, handed_out, case):
    data, said = MALFORMED[case]
    found = read_submission(put("ada_01_tiny.ipynb", data), notebooks=handed_out)
    assert said in found.problem and "\n" not in found.problem
    assert (found.notebook, found.learner, found.notebook_name) == (None, "ada", "01_tiny")


@pytest.mark.parametrize("count", ["3", True, 2.5, [1], None])
def test_an_execution_count_that_is_no_number_counts_as_none(put, handed_out, count):
    found = read_submission(put("a.ipynb", of_cell(execution_count=count)), notebooks=handed_out)
    assert found.notebook is not None
    assert found.notebook["cells"][0]["execution_count"] is None


def test_what_json_lets_in_and_writers_choke_on_is_made_plain(put, handed_out):
    data = b'{"nbformat": 4, "x": ["a\\ud800b", NaN, 1e999, "\\ud83d\\ude00"]}'
    found = read_submission(put("ada.ipynb", data), notebooks=handed_out)
    assert found.notebook is not None
    assert found.notebook["x"] == ["a\N{REPLACEMENT CHARACTER}b", "NaN", "inf", "\N{GRINNING FACE}"]


# ---- what is no file


def test_links_folders_pipes_and_missing_files_are_problems(put, handed_out, tmp_path):
    put("real.ipynb")
    (tmp_path / "in" / "ada.ipynb").symlink_to("real.ipynb")
    (tmp_path / "in" / "bob.ipynb").mkdir()
    os.mkfifo(tmp_path / "in" / "cyd.ipynb")
    said = {"ada": "is a symbolic link", "bob": "holds no notebook", "cyd": "not a regular file"}
    said["dan"] = "can't be read (No such file"
    for who, problem in said.items():
        found = read_submission(tmp_path / "in" / f"{who}.ipynb", notebooks=handed_out)
        assert problem in found.problem and found.learner == who


def test_a_link_in_a_folder_is_not_followed(put, handed_out, tmp_path):
    put("secret.txt", b"secret")
    put("ada/notebook.ipynb")
    (tmp_path / "in/ada/verifier.jsonl").symlink_to("../secret.txt")
    found = read_submission(tmp_path / "in" / "ada", notebooks=handed_out)
    assert (found.problem, found.log) == ("", None)
    assert found.remarks == ["verifier.jsonl is no regular file"]


# ---- any bytes


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(
    st.binary(max_size=300),
    st.sampled_from([TINY, WHOLE, b""]),
    st.integers(0, 900),
    st.sampled_from(["ada.zip", "ada.ipynb"]),
)
def test_no_bytes_raise(put, handed_out, noise, whole, at, name):
    path = put(name, whole[:at] + noise + whole[at + len(noise) :])
    found = read_submission(path, notebooks=handed_out)
    assert bool(found.problem) == (found.notebook is None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(
    st.fixed_dictionaries(
        {"cell_type": st.just("code") | JSON},
        optional=dict.fromkeys(("id", "source", "metadata", "outputs", "execution_count"), JSON),
    )
)
def test_a_cell_that_is_read_has_the_promised_shape(put, handed_out, cell):
    data = as_json(notebook_of(cells=[cell]))
    found = read_submission(put("ada.ipynb", data), notebooks=handed_out)
    if found.notebook is not None:
        known = found.notebook["cells"][0]
        assert all(isinstance(known[key], str) for key in ("id", "cell_type", "source"))
        assert isinstance(known["metadata"], dict)
        json.dumps(found.notebook, ensure_ascii=False, allow_nan=False).encode("utf-8")


# ---- finding them


LAYOUTS = {
    "zips and notebooks": {
        "ada.zip": ("ada", "ada.zip"),
        "bob.ipynb": ("bob", "bob.ipynb"),
        "cyd_01_tiny.ipynb": ("cyd", "cyd_01_tiny.ipynb"),
        "grades.csv": None,
        "readme.md": None,
        ".ipynb_checkpoints/x.ipynb": None,
    },
    "folders": {
        "ada/notebook.ipynb": ("ada", "ada"),
        "ada/verifier.jsonl": None,
        "bob/01_tiny.zip": ("bob", "bob/01_tiny.zip"),
        "bob/01_tiny.ipynb": None,
        "cyd/01_tiny.ipynb": ("cyd", "cyd/01_tiny.ipynb"),
        "cyd/02_other.ipynb": ("cyd", "cyd/02_other.ipynb"),
    },
    "nbgrader": {
        "submitted/ada/ps1/01_tiny.ipynb": ("ada", "submitted/ada/ps1"),
        "submitted/ada/ps1/timestamp.txt": None,
        "submitted/bob/ps1/01_tiny.ipynb": ("bob", "submitted/bob/ps1/01_tiny.ipynb"),
        "submitted/bob/ps1/02_other.ipynb": ("bob", "submitted/bob/ps1/02_other.ipynb"),
        "gradebook.db": None,
    },
    "other kinds": {"ada.pdf": ("ada", "ada.pdf"), "bob/essay.txt": ("bob", "bob")},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_hand_ins_are_found_in_every_layout(put, tmp_path, layout):
    for name in LAYOUTS[layout]:
        put(name)
    expected = [
        (who, tmp_path / "in" / path) for who, path in filter(None, LAYOUTS[layout].values())
    ]
    assert find_submissions(tmp_path / "in") == expected


def test_all_that_is_found_can_be_read_or_says_why_not(put, handed_out, tmp_path):
    put("ada.pdf", b"%PDF-1.7")
    put("bob/essay.txt")
    put("cyd/ps1/01_tiny.ipynb")
    found = [
        read_submission(p, learner=who, notebooks=handed_out)
        for who, p in find_submissions(tmp_path / "in")
    ]
    assert [bool(each.problem) for each in found] == [True, True, False]
    assert [each.learner for each in found] == ["ada", "bob", "cyd"]


def test_a_linked_submission_is_found_and_not_followed(put, handed_out, tmp_path):
    put("real.ipynb")
    (tmp_path / "in" / "eve.ipynb").symlink_to("real.ipynb")
    (who, path), _ = find_submissions(tmp_path / "in")
    assert who == "eve" and "symbolic link" in read_submission(path).problem


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_folder_without_submissions_says_what_one_is(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotebookError, match=r"not a folder|no submissions in"):
        find_submissions(tmp_path / name)


@pytest.mark.parametrize(
    ("file", "named"),
    [("01_tiny.zip", True), ("01_tiny (2).zip", True), ("mallory.zip", False)],
)
def test_a_hand_in_that_alone_says_whose_it_is_has_a_note(
    file: str, named: bool, put: Callable[[str, bytes], Path], handed_out: Path
) -> None:
    submission = read_submission(put(file, zipped(PACKAGE)), notebooks=handed_out)
    assert (submission.learner == "ada") is named
    assert ("named_by_itself" in {f.code for f in package_findings(submission)}) is named
