"""A throwaway checkout, and notebooks to put into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from rlvr_course.classroom.checkout import Checkout

PARAMETERS = 'MODE: str = "fake"  # fake, local or api'


def make_checkout(root: Path) -> Checkout:
    checkout = Checkout(root)
    checkout.notebooks.mkdir()
    checkout.sources.mkdir(parents=True)
    (root / "pyproject.toml").touch()
    return checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return make_checkout(tmp_path)


@pytest.fixture
def source(checkout: Checkout) -> Callable[[str, str], Path]:
    """Writes a source and returns its path."""

    def write(name: str, text: str) -> Path:
        path = checkout.sources / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def write_notebook(path: Path, *cells: str, parameters: str | None = "") -> Path:
    """A notebook of code cells; a text that begins with ``md:`` becomes a Markdown cell.

    ``parameters`` are more than ``MODE``; None leaves them all out.
    """
    notebook = nbformat.v4.new_notebook()
    if parameters is not None:
        text = f"{PARAMETERS}\n{parameters}".strip()
        tagged = nbformat.v4.new_code_cell(text, metadata={"tags": ["parameters"]})
        notebook.cells.append(tagged)
    for text in cells:
        new = nbformat.v4.new_markdown_cell if text[:3] == "md:" else nbformat.v4.new_code_cell
        notebook.cells.append(new(text.removeprefix("md:")))
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path
