"""Notebooks are found from anywhere inside the checkout, by number or name."""

from __future__ import annotations

import pytest

from rlvr_course.classroom.checkout import find_checkout, select
from rlvr_course.errors import NotebookError

NAMES = ("00_start", "01_verify", "10_evaluate")


@pytest.fixture
def folder(checkout):
    for name in (*NAMES, "notes"):
        (checkout.notebooks / f"{name}.ipynb").touch()
    return checkout.notebooks


def test_a_checkout_is_found_from_a_folder_inside_it(checkout):
    deep = checkout.root / "artifacts" / "run"
    deep.mkdir(parents=True)
    assert find_checkout(deep).root == checkout.root.resolve()


def test_outside_a_checkout_the_way_on_is_named(tmp_path):
    with pytest.raises(NotebookError, match="change into your copy of the course"):
        find_checkout(tmp_path)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((), NAMES),
        (("1",), ("01_verify",)),
        (("01",), ("01_verify",)),
        (("0",), ("00_start",)),
        (("10", "00"), ("00_start", "10_evaluate")),
        (("01_verify",), ("01_verify",)),
        (("notebooks/01_verify.ipynb",), ("01_verify",)),
        (("1", "01"), ("01_verify",)),
    ],
)
def test_notebooks_are_selected(folder, numbers, expected):
    assert tuple(path.stem for path in select(folder, "*.ipynb", numbers)) == expected


@pytest.mark.parametrize("number", ["7", "verify", "", "100"])
def test_an_unknown_number_lists_what_there_is(folder, number):
    with pytest.raises(NotebookError, match="00_start, 01_verify, 10_evaluate"):
        select(folder, "*.ipynb", [number])


def test_an_empty_folder_says_how_to_fill_it(checkout):
    with pytest.raises(NotebookError, match="rlvr-course build"):
        select(checkout.notebooks, "*.ipynb")
