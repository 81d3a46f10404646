"""The leak test finds what is planted, wherever and however, and nothing in what is handed out."""

from __future__ import annotations

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import py_compile
import shutil
import subprocess
import tarfile
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from course_secrets import CHECKOUT, course_bundle, leak_test, one_secret
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.disguises import skeleton, views
from rlvr_course.classroom.leaks import LeakTest, read_files, refuse
from rlvr_course.errors import NotebookError

KINDS = ["solution", "hidden case", "rubric"]


def zipped(data: bytes, name: str = "member.txt") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def tarred(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("member.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def tagged(data: bytes) -> bytes:
    """As a highlighter marks code up: a tag around each word."""
    words = html.escape(data.decode()).split(" ")
    return (" ".join(f'<span class="n">{word}</span>' for word in words)).encode()


DISGUISES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "indented": lambda data: b"\t    " + data.replace(b" ", b"   "),
    "upper case": lambda data: data.decode().upper().encode(),
    "JSON": lambda data: json.dumps({"a": [data.decode()]}).encode(),
    "JSON in JSON": lambda data: json.dumps(json.dumps(data.decode())).encode(),
    "Python's repr": lambda data: repr(data.decode()).encode(),
    "HTML": tagged,
    "base64": base64.b64encode,
    "base64 in lines": base64.encodebytes,
    "base64 for addresses": base64.urlsafe_b64encode,
    "hexadecimal": lambda data: data.hex().encode(),
    "percent": lambda data: urllib.parse.quote(data.decode()).encode(),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "tar": tarred,
    "wrapped": lambda data: b"\n".join(data[i : i + 30] for i in range(0, len(data), 30)),
}


def found_in(data: bytes, name: str = "some/file") -> set[str]:
    return {leak.secret.line for leak in leak_test().find({name: data}) if leak.secret}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_line_of_each_kind_is_found_in_every_disguise(kind: str, disguise: str) -> None:
    secret = one_secret(kind)
    assert secret.line.isascii()
    assert secret.line in found_in(DISGUISES[disguise](secret.line.encode()))


@given(st.data())
def test_any_line_is_found_inside_any_text_through_two_disguises(data: st.DataObject) -> None:
    ascii_only = [s for s in leak_test().secrets if s.line.isascii()]
    secret = data.draw(st.sampled_from(ascii_only))
    safe = st.text("abc \n", max_size=30)
    plain = f"{data.draw(safe)}\n{secret.line}\n{data.draw(safe)}".encode()
    inner = DISGUISES[data.draw(st.sampled_from(["as it is", "JSON", "indented"]))]
    outer = DISGUISES[data.draw(st.sampled_from(["zip", "gzip", "base64 in lines", "JSON"]))]
    assert secret.line in found_in(outer(inner(plain)))


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_any_bytes_are_read_and_nothing_is_found_in_them(data: bytes) -> None:
    assert found_in(data) == set()
    assert list(views(data)) or data


@pytest.mark.parametrize("magic", [b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", b"\x78\x9c"])
@given(tail=st.binary(max_size=60))
def test_a_cut_or_broken_archive_is_read_as_far_as_it_goes(magic: bytes, tail: bytes) -> None:
    assert found_in(magic + tail) == set()


def test_a_stretch_of_a_sentence_gives_it_away() -> None:
    secret = max(leak_test().secrets, key=lambda secret: len(skeleton(secret.line)))
    words = secret.line.split(" ")
    middle = " ".join(words[len(words) // 4 : -len(words) // 4])
    assert len(skeleton(middle)) > 50
    assert secret.line in found_in(f"Somebody said: {middle}".encode())


# -- the four places


def planted_notebook(place: str, line: str) -> bytes:
    path = sorted(CHECKOUT.notebooks.glob("*.ipynb"))[0]
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    if place == "source":
        cell.source += f"\n{line}"
    elif place == "output":
        cell.outputs = [nbformat.v4.new_output("stream", text=f"said {line}")]
    elif place == "cell metadata":
        cell.metadata["note"] = {"old": line}
    elif place == "notebook metadata":
        notebook.metadata["history"] = [line]
    else:
        page = base64.b64encode(f"<p>{line}</p>".encode()).decode()
        notebook.cells[0]["attachments"] = {"a.html": {"text/html": page}}
    return nbformat.writes(notebook).encode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "place", ["source", "output", "cell metadata", "notebook metadata", "attachment"]
)
def test_a_leak_planted_in_a_notebook_is_found(kind: str, place: str) -> None:
    secret = one_secret(kind)
    leaks = leak_test().find({"notebooks/00.ipynb": planted_notebook(place, secret.line)})
    assert [leak.secret for leak in leaks] == [secret]
    assert str(leaks[0]).startswith(f"notebooks/00.ipynb: a {kind}'s line of {secret.source}")


def test_nothing_leaks_in_the_notebooks_and_the_bundle() -> None:
    files = {f"notebooks/{p.name}": p.read_bytes() for p in CHECKOUT.notebooks.glob("*.ipynb")}
    assert len(files) >= 8 and len(course_bundle()) > 300
    assert [str(leak) for leak in leak_test().find(files | course_bundle())] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["docs/API.md", "rlvr_course/rewards.py", "README.md"])
def test_a_leak_planted_in_the_bundle_is_found(kind: str, name: str) -> None:
    secret = one_secret(kind)
    planted = course_bundle()[name] + f"\n# {secret.line}\n".encode()
    assert [leak.secret for leak in leak_test().find({name: planted})] == [secret]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The wheel as uv builds it."""
    out = tmp_path_factory.mktemp("dist")
    if shutil.which("uv") is None:
        pytest.skip("uv, which builds the wheel, is not on the path")
    command = ["uv", "build", "--wheel", "--offline", "--out-dir", str(out), str(CHECKOUT.root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0 and "hatchling" in done.stderr:
        pytest.skip("the build backend (hatchling) is not in uv's cache")
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return read_files(built)


def test_nothing_leaks_in_the_wheel(wheel: dict[str, bytes]) -> None:
    assert "rlvr_course/classroom/leaks.py" in wheel
    assert [str(leak) for leak in leak_test().find(wheel)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_leak_planted_in_the_wheel_is_found(kind: str, wheel: dict[str, bytes]) -> None:
    secret = one_secret(kind)
    name = "rlvr_course/data/recorded_runs/dice-0.1.json.gz"
    note = json.dumps({"note": secret.line}).encode()
    planted = {name: gzip.compress(gzip.decompress(wheel[name]) + note)}
    assert [leak.secret for leak in leak_test().find(planted)] == [secret]


# -- files that have no business there


@pytest.mark.parametrize(
    "name",
    [
        "solutions_private/rubrics/x.md",
        "a/.git/objects/aa/bb",
        "docs/INSTRUCTORS.md",
        "notebooks/.ipynb_checkpoints/00-checkpoint.ipynb",
        "rlvr_course/__pycache__/x.pyc",
    ],
)
def test_what_is_not_for_learners_is_told_by_its_path(name: str) -> None:
    assert [leak.secret for leak in leak_test().find({name: b"harmless"})] == [None]


def test_compiled_python_and_git_packs_are_told_by_their_bytes(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("def answer():\n    return 1\n")
    compiled = Path(py_compile.compile(str(source), cfile=str(tmp_path / "data.bin")) or "")
    files = {"a": compiled.read_bytes(), "b": b"PACK\0\0\0\2", "c": b"# v2 git bundle\n"}
    assert [leak.what for leak in leak_test().find(files)] == [
        "is compiled Python",
        "is a git history",
        "is a git history",
    ]


# -- lines that are public on purpose


def test_a_published_line_may_stand_in_its_file_alone() -> None:
    line = b"return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))"
    assert found_in(line, "x/rlvr_course/classroom/checks_06.py") == set()
    assert found_in(line, "rlvr_course/classroom/checks_05.py") == {line.decode()}


def test_every_published_line_is_still_a_secret_that_stands_there() -> None:
    bare = {skeleton(secret.line) for secret in leak_test().secrets}
    for name, lines in leak_test().published.items():
        assert lines <= bare, name
        if not name.endswith(".html"):  # pages are made of notebooks, and their outputs
            folder = CHECKOUT.notebooks if name.endswith(".ipynb") else CHECKOUT.root
            standing = {skeleton(line) for line in found_in((folder / name).read_bytes())}
            assert lines <= standing, name


def test_a_broken_list_of_published_lines_says_how_it_is_written(checkout, source) -> None:
    source("00_a", "# %%\nx = 1\n")
    (checkout.solutions / "published.toml").write_text('["a.py"]\nlines = ["x"]\n')
    with pytest.raises(NotebookError, match="'why' and 'lines'"):
        LeakTest(checkout)


def test_the_refusal_names_the_file_the_line_and_the_way_on() -> None:
    secret = one_secret("solution")
    leaks = leak_test().find({"a.txt": secret.line.encode(), "b.txt": secret.line.encode()})
    with pytest.raises(NotebookError, match=r"a\.txt.*\(and 1 more\).*published\.toml"):
        refuse(leaks, "the bundle")


def test_a_path_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="there is no"):
        read_files(tmp_path / "x.whl")
