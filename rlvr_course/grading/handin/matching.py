"""Which cell of a submission is which cell of the released notebook.

Editors keep ids, or lose them: Colab moves them into the metadata, old tools drop them; and another
release of the notebook may have the same ids on other cells. So cells are matched by id and text,
by grade id, by text, by id, and then by their place between two cells that were matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rlvr_course.grading.evidence.python_cells import tree_text
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.released import Released, ReleasedCell


@dataclass
class Matching:
    """The cells of a submission beside those that were released.

    Args:
        pairs: matched cells by the released cell's id.
        copies: cells that repeat a matched cell's id or grade id.
        added: cells that are none of the released ones; a runner's own are left out.
        missing: released cells that aren't there.
    """

    pairs: dict[str, tuple[SeenCell, ReleasedCell]] = field(default_factory=dict)
    copies: list[tuple[SeenCell, ReleasedCell]] = field(default_factory=list)
    added: list[SeenCell] = field(default_factory=list)
    missing: list[ReleasedCell] = field(default_factory=list)

    def unchanged(self) -> set[int]:
        """The places of given cells whose code or text is as it was released."""
        return {
            seen.place
            for seen, given in self.pairs.values()
            if not given.is_learners and is_same(seen.source, given)
        }


def match_cells(cells: Sequence[SeenCell], released: Released) -> Matching:
    """Match a submission's cells with the released ones."""
    result = Matching()
    rest = [cell for cell in cells if not cell.is_injected]
    for key in (_id_and_text, _grade_id, _text, _id):
        known = {key(c): c for c in reversed(released.cells) if c.id not in result.pairs}
        for cell in rest:
            given = known.get(key(cell)) if any(key(cell)) else None
            if given is not None and given.id not in result.pairs:
                result.pairs[given.id] = (cell, given)
        taken = {seen.place for seen, _ in result.pairs.values()}
        rest = [cell for cell in rest if cell.place not in taken]
    graded = {cell.grade_id: cell for cell in released.graded}
    for cell in rest:
        given = graded.get(cell.grade_id) or released.by_id.get(cell.id)
        if given is not None and given.id in result.pairs:
            result.copies.append((cell, given))
    copied = {seen.place for seen, _ in result.copies}
    _by_neighbours([cell for cell in rest if cell.place not in copied], released, result)
    taken = copied | {seen.place for seen, _ in result.pairs.values()}
    result.added = [cell for cell in rest if cell.place not in taken and cell.source.strip()]
    result.missing = [cell for cell in released.cells if cell.id not in result.pairs]
    return result


def is_same(source: str, given: ReleasedCell) -> bool:
    """Whether a cell is as it was released, layout and a formatter's changes left aside."""
    if _plain(source) == _plain(given.source):
        return True
    if given.cell_type != "code":
        return "".join(source.split()) == "".join(given.source.split())
    tree = tree_text(source)
    return tree is not None and tree == tree_text(given.source)


def _id_and_text(cell: SeenCell | ReleasedCell) -> tuple[str, ...]:
    return (cell.id, *_text(cell)) if cell.id else ("",)


def _grade_id(cell: SeenCell | ReleasedCell) -> tuple[str, ...]:
    return (cell.grade_id,)


def _id(cell: SeenCell | ReleasedCell) -> tuple[str, ...]:
    return (cell.id,)


def _text(cell: SeenCell | ReleasedCell) -> tuple[str, ...]:
    if not cell.source.strip():
        return ("",)
    if cell.cell_type != "code":
        return cell.cell_type, "".join(cell.source.split())
    return cell.cell_type, tree_text(cell.source) or _plain(cell.source)


def _by_neighbours(rest: Sequence[SeenCell], released: Released, result: Matching) -> None:
    """Pair what lies between two matched cells, where both sides have as many of a type."""
    ends = sorted((given.place, seen.place) for seen, given in result.pairs.values())
    bounds = [(0, 0), *ends, (len(released.cells) + 1, 10**9)]
    for (given_low, seen_low), (given_high, seen_high) in pairwise(bounds):
        if given_high - given_low < 2 or seen_high - seen_low < 2:
            continue
        lost = released.cells[given_low : given_high - 1]
        new = [cell for cell in rest if seen_low < cell.place < seen_high]
        for kind in ("code", "markdown"):
            ours = [cell for cell in lost if cell.cell_type == kind]
            theirs = [cell for cell in new if cell.cell_type == kind]
            if len(ours) == len(theirs):
                for given, seen in zip(ours, theirs, strict=True):
                    result.pairs[given.id] = (seen, given)


def _plain(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
