"""What a program may read: the standard library with what it loads, and packages by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.sandbox import filesystem
from rlvr_course.sandbox.filesystem import Readable, outermost
from rlvr_course.sandbox.packages import locate

PART = st.sampled_from(["a", "b", "ab", "a-b", "a.b"])
PATH = st.lists(PART, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


def inside(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)


@given(st.lists(PATH, max_size=8))
def test_outermost_paths_cover_all_and_none_covers_another(paths: list[str]) -> None:
    kept = outermost(paths)
    assert all(any(inside(path, folder) for folder in kept) for path in paths)
    assert not any(inside(a, b) for a in kept for b in kept if a != b)
    assert set(kept) <= set(paths)


def test_the_standard_library_is_readable_and_nothing_personal_is() -> None:
    library = filesystem.readable().library
    assert any(inside(os.path.realpath(os.__file__), folder) for folder in library)
    for private in (Path.home(), Path("/etc/passwd"), Path(__file__).resolve(), Path("/proc/1")):
        assert not any(inside(str(private), folder) for folder in library), private


def test_hidden_folders_are_left_out_and_asked_packages_are_not(tmp_path: Path) -> None:
    for name in ("json/decoder.py", "os.py", "site-packages/numpy/core.py", "site-packages/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    site = tmp_path / "site-packages"
    shown = Readable((str(tmp_path),), (str(site),), (str(site / "numpy"),))
    assert dict(shown.without_hidden()) == {
        str(tmp_path): False,  # to be listed only
        str(tmp_path / "json"): True,
        str(tmp_path / "os.py"): True,
        str(site / "numpy"): True,
    }


def test_a_folder_is_open_to_everyone_if_each_of_its_parents_is(tmp_path: Path) -> None:
    inner = tmp_path / "closed" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    assert filesystem.open_to_everyone("/usr")
    assert not filesystem.open_to_everyone(str(inner))


def test_a_package_comes_with_what_it_requires() -> None:
    pytest.importorskip("pandas")
    names = {Path(path).name for path in locate(["pandas"])}
    assert {"pandas", "numpy", "dateutil"} <= names
    assert "matplotlib" not in names  # an extra of pandas
    assert all(Path(path).exists() for path in locate(["pandas"]))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_such_package", "can't be imported here: install it first"),
        ("json.no_such_module", "can't be imported here"),
        ("no_such_package.part", "can't be imported here"),
        ("sys", "has no files of its own"),
    ],
)
def test_what_is_no_package_is_refused(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"package {name!r} {reason}"):
        locate([name])


def test_a_module_of_a_package_stands_for_the_whole_package() -> None:
    assert locate(["rlvr_course.records"]) == locate(["rlvr_course"])


def test_no_packages_need_no_search() -> None:
    assert locate([]) == []
