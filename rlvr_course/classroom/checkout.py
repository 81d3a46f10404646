"""Where the notebooks are: a checkout of the course, found from the current directory upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rlvr_course.errors import NotebookError


@dataclass(frozen=True)
class Checkout:
    """The folders of one checkout (or of a learner's bundle, which has no solutions)."""

    root: Path

    @property
    def notebooks(self) -> Path:
        """Learner notebooks: generated, without outputs."""
        return self.root / "notebooks"

    @property
    def given(self) -> Path:
        """The notebooks as they were handed out: a bundle has copies that nobody works in."""
        copies = self.root / "given"
        return copies if copies.is_dir() else self.notebooks

    @property
    def solutions(self) -> Path:
        """Executed solutions."""
        return self.root / "solutions_private"

    @property
    def sources(self) -> Path:
        """The one source of each notebook, in the py:percent format."""
        return self.solutions / "src"


def find_checkout(start: Path | None = None) -> Checkout:
    """The nearest folder at or above ``start`` that has a ``notebooks`` folder and a project file.

    Raises:
        NotebookError: there is none.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "notebooks").is_dir() and (folder / "pyproject.toml").is_file():
            return Checkout(folder)
    raise NotebookError(
        f"no notebooks/ in {here} or above it: change into your copy of the course and try again"
    )


def select(folder: Path, pattern: str, numbers: Sequence[str] = ()) -> list[Path]:
    """Files in ``folder`` that match ``pattern``, by number (``1``, ``01``) or name.

    Args:
        folder: where to look.
        pattern: a glob such as ``*.ipynb``; files that do not begin with two digits are left out.
        numbers: which ones; all of them if empty.

    Raises:
        NotebookError: there are none, or none for one of ``numbers``.
    """
    files = sorted(path for path in folder.glob(pattern) if path.stem[:2].isdigit())
    if not files:
        raise NotebookError(f"no numbered {pattern} in {folder}: build them with rlvr-course build")
    if not numbers:
        return files
    chosen = {path for number in numbers for path in _matching(files, number)}
    return sorted(chosen)


def _matching(files: Sequence[Path], number: str) -> list[Path]:
    wanted = Path(number).stem
    if wanted.isdigit():
        found = [path for path in files if int(path.stem[:2]) == int(wanted)]
    else:
        found = [path for path in files if path.stem == wanted]
    if not found:
        raise NotebookError(
            f"no notebook {number!r}; there are {', '.join(path.stem for path in files)}"
        )
    return found
