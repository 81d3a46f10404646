"""A submission's cells beside the released ones: which is which, and what the learner wrote.

Editors keep cells' ids, most of the time. Where they don't, an exercise is known by its grade id,
what was given by its text, and the rest by the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlvr_course.grading.released import Released, ReleasedCell


@dataclass(frozen=True)
class HandedCell:
    """One cell of a submission, or of what was handed out if the submission lacks it.

    Args:
        place: in the submission, from 1; None if it isn't there.
        cell_type: "code", "markdown" or "raw".
        source: as submitted; "" if it isn't there.
        released: what it was when it was handed out; None for a cell of the learner's own.
    """

    place: int | None
    cell_type: str
    source: str
    released: ReleasedCell | None = None

    @property
    def is_learners(self) -> bool:
        """Whether what stands in it is the learner's to write."""
        return self.released is None or self.released.is_learners


def handed_in(notebook: Mapping[str, Any], released: Released) -> list[HandedCell]:
    """All released cells in their order, with the learner's own cells where they were added.

    Args:
        notebook: as ``notebook_json`` reads it.
        released: what was handed out.
    """
    cells: Sequence[Mapping[str, Any]] = notebook["cells"]
    place_of = _match(cells, released)
    released_at = {place: cell for cell, place in place_of.items()}
    followers: dict[str, list[HandedCell]] = {"": []}
    before = ""
    for place, cell in enumerate(cells):
        if place in released_at:
            before = released_at[place]
        else:
            own = HandedCell(place + 1, cell["cell_type"], cell["source"])
            followers.setdefault(before, []).append(own)
    merged = list(followers[""])
    for cell in released.cells:
        merged += [_beside(cell, cells, place_of.get(cell.id)), *followers.get(cell.id, ())]
    return merged


def _beside(
    cell: ReleasedCell, cells: Sequence[Mapping[str, Any]], place: int | None
) -> HandedCell:
    if place is None:
        return HandedCell(None, cell.cell_type, "", cell)
    return HandedCell(place + 1, cells[place]["cell_type"], cells[place]["source"], cell)


def _match(cells: Sequence[Mapping[str, Any]], released: Released) -> dict[str, int]:
    """Each released cell's id with the place of its copy, from 0; the first that fits."""
    found: dict[str, int] = {}
    taken: set[int] = set()

    def take(cell: ReleasedCell, places: Iterator[int]) -> None:
        place = next((place for place in places if place not in taken), None)
        if cell.id not in found and place is not None:
            found[cell.id] = place
            taken.add(place)

    for cell in released.cells:
        take(cell, _where(cells, "id", cell.id))
    for cell in released.graded:
        take(cell, (i for i, other in enumerate(cells) if grade_id(other) == cell.grade_id))
    for cell in released.cells:
        if not cell.is_learners:
            take(cell, _where(cells, "source", cell.source))
    for before, cell, after in zip(
        (None, *released.cells), released.cells, (*released.cells[1:], None), strict=False
    ):
        beside = []
        if before is not None and before.id in found:
            beside.append(found[before.id] + 1)
        if after is not None and after.id in found:
            beside.append(found[after.id] - 1)
        of_its_type = (i for i in beside if _type_at(cells, i) == cell.cell_type)
        if cell.is_learners:
            take(cell, of_its_type)
    return found


def _where(cells: Sequence[Mapping[str, Any]], key: str, value: str) -> Iterator[int]:
    return (i for i, cell in enumerate(cells) if cell[key] == value)


def _type_at(cells: Sequence[Mapping[str, Any]], place: int) -> str:
    return cells[place]["cell_type"] if 0 <= place < len(cells) else ""


def grade_id(cell: Mapping[str, Any]) -> str:
    """What a submitted cell's metadata say that it answers; "" if nothing."""
    grading = cell["metadata"].get("nbgrader")
    found = grading.get("grade_id") if isinstance(grading, Mapping) else None
    return found if isinstance(found, str) else ""
