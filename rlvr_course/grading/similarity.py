"""Which submissions are more alike than chance and the task explain, for a person to look at.

    what is alike        is it rare in this class?         is there enough of it?
    pieces of both  ──►  weight, 0 for what all have  ──►  pairs, and what is usual

Two right answers to a short exercise are the same. So what was handed out and what the solution
holds counts nothing, what many in the class wrote counts little, and what is left has to be long.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.handed_in import HandedCell, handed_in
from rlvr_course.grading.records import Grade, Mark, Match, SimilarPair, Submission
from rlvr_course.grading.released import Released, ReleasedCell, released
from rlvr_course.grading.shingles import MAX_CHARS, Shingle, code_shingles, words_shingles

ALIKE = 0.6
"""The part of the shorter answer's rare pieces that both have to have."""

MIN_PIECES = 12.0
"""An answer with fewer rare pieces is too short to be told from another."""

MIN_EVIDENCE = 40.0
"""So many rare pieces have to be common to two submissions: some eight lines of code in all."""

COMMON = 1 / 3
"""What this part of a class wrote is no sign of a copy."""

MAX_MATCHES = 8
USUAL = 0.95

Pieces = Mapping[str, frozenset[Shingle]]
"""A submission's pieces by question."""


def with_sources(marks: Sequence[Mark], submission: Submission, released: Released) -> list[Mark]:
    """The marks with the code that was written for each exercise.

    Code in cells that the learner added counts for the next exercise, or for the last one.
    """
    if submission.notebook is None:
        return list(marks)
    sources = _sources(handed_in(submission.notebook, released))
    return [replace(mark, source=sources.get(mark.question, "")) for mark in marks]


def _sources(cells: Sequence[HandedCell]) -> dict[str, str]:
    found: dict[str, str] = {}
    added: list[str] = []
    for cell in cells:
        is_exercise = cell.released is not None and bool(cell.released.grade_id)
        if cell.cell_type != "code" or (cell.released is not None and not is_exercise):
            continue
        added.append(cell.source)
        if cell.released is not None and is_exercise:
            found[cell.released.grade_id] = "\n\n".join(added)[:MAX_CHARS]
            added = []
    if added and found:
        last = list(found)[-1]
        found[last] = "\n\n".join([found[last], *added])[:MAX_CHARS]
    return found


def similar_pairs(
    grades: Sequence[Grade], *, notebooks: Path | None = None, solutions: Path | None = None
) -> list[SimilarPair]:
    """The pairs of submissions that are alike, the most alike first.

    Args:
        grades: of the whole class, with ``answer`` and ``source`` in the marks.
        notebooks: the folder of released notebooks; the checkout's if None.
        solutions: the folder of solved ones; if None, ``solutions_private`` beside ``notebooks``.

    Returns:
        Pairs whose rare pieces agree in at least 60% of one question or more, and that have enough
        of these in common. It is no verdict: who worked together, or from one source, is there
        too.

    Limits: a copy that was rewritten line by line isn't found, nor is one of a short answer, nor
        of the course's own solution. What a third of a class copied from one source looks like
        what everybody writes; in a class of a handful, what two wrote by chance looks rare.
    """
    folder = notebooks or find_checkout().notebooks
    solved = solutions or folder.parent / "solutions_private"
    by_notebook: dict[str, list[Grade]] = defaultdict(list)
    for grade in grades:
        if grade.marks:
            by_notebook[grade.notebook_name].append(grade)
    found = []
    for name, own in by_notebook.items():
        found += _Class(own, _handed_out(name, folder), _handed_out(name, solved)).pairs()
    return sorted(found, key=lambda p: (-p.similarity, p.notebook_name, p.first, p.second))


def _handed_out(name: str, folder: Path) -> Sequence[ReleasedCell]:
    try:
        return released(name, folder).cells
    except NotebookError:  # a grade of another release, or a school without the solutions
        return ()


@dataclass(frozen=True)
class _Likeness:
    """How alike two answers are: the weight of what both have, and of the smaller one."""

    shared: float
    least: float

    @property
    def share(self) -> float:
        return self.shared / self.least


class _Class:
    """The submissions of one notebook, each as its pieces by question.

    Args:
        grades: of one notebook.
        given: the cells as they were handed out.
        solved: the cells of the solution.
    """

    def __init__(
        self,
        grades: Sequence[Grade],
        given: Sequence[ReleasedCell],
        solved: Sequence[ReleasedCell],
    ) -> None:
        self._grades = sorted(grades, key=lambda grade: grade.learner)
        self._known = _known_pieces([*given, *solved])
        self._pieces = [self._pieces_of(grade) for grade in self._grades]
        self._weights = self._weigh()

    def _pieces_of(self, grade: Grade) -> Pieces:
        found = {}
        for mark in grade.marks:
            if mark.status != "open":
                found[mark.question] = _pieces(mark) - self._known
        return found

    def _weigh(self) -> Mapping[str, Mapping[Shingle, float]]:
        """A piece's weight by question: 1 for one that nobody else has, 0 for a common one."""
        answered = Counter(question for own in self._pieces for question in own)
        counts: dict[str, Counter[Shingle]] = defaultdict(Counter)
        for own in self._pieces:
            for question, pieces in own.items():
                counts[question].update(pieces)
        return {
            question: {piece: _weight(times, answered[question]) for piece, times in own.items()}
            for question, own in counts.items()
        }

    def pairs(self) -> list[SimilarPair]:
        totals = [
            {q: sum(self._weights[q][piece] for piece in pieces) for q, pieces in own.items()}
            for own in self._pieces
        ]
        likeness = {
            (first, second): self._compare(first, second, totals)
            for first, second in combinations(range(len(self._grades)), 2)
            if self._grades[first].learner != self._grades[second].learner
        }
        usual: dict[tuple[str, ...], float] = {}
        found = []
        for (first, second), by_question in likeness.items():
            where = tuple(sorted(q for q, one in by_question.items() if one.share >= ALIKE))
            if sum(by_question[q].shared for q in where) >= MIN_EVIDENCE:
                if where not in usual:
                    usual[where] = _usual([_over(where, one) for one in likeness.values()])
                found.append(self._pair(first, second, by_question, where, usual[where]))
        return found

    def _compare(
        self, first: int, second: int, totals: Sequence[Mapping[str, float]]
    ) -> dict[str, _Likeness]:
        found = {}
        for question in self._pieces[first].keys() & self._pieces[second].keys():
            least = min(totals[first][question], totals[second][question])
            if least >= MIN_PIECES:
                weights = self._weights[question]
                common = self._pieces[first][question] & self._pieces[second][question]
                found[question] = _Likeness(sum(weights[piece] for piece in common), least)
        return found

    def _pair(
        self,
        first: int,
        second: int,
        likeness: Mapping[str, _Likeness],
        where: Sequence[str],
        usual: float,
    ) -> SimilarPair:
        one, other = self._grades[first], self._grades[second]
        order = [mark.question for mark in one.marks if mark.question in where]
        texts = [{mark.question: _text(mark) for mark in grade.marks} for grade in (one, other)]
        return SimilarPair(
            one.notebook_name,
            one.learner,
            other.learner,
            round(_over(where, likeness), 3),
            where=", ".join(order),
            usual=round(usual, 3),
            matches=tuple(
                Match(q, round(likeness[q].share, 3), texts[0][q], texts[1][q])
                for q in order[:MAX_MATCHES]
            ),
        )


def _weight(times: int, answered: int) -> float:
    """What a piece says that ``times`` of those who answered have: 0 to 1."""
    common = max(4.0, COMMON * answered + 1)
    return max(0.0, 1 - math.log(times) / math.log(common))


def _known_pieces(cells: Sequence[ReleasedCell]) -> frozenset[Shingle]:
    """What learners were given to read, and what the solution holds."""
    found: set[Shingle] = set()
    for cell in cells:
        read = code_shingles if cell.cell_type == "code" else words_shingles
        found |= read(cell.source)
    return frozenset(found)


def _pieces(mark: Mark) -> frozenset[Shingle]:
    return words_shingles(mark.answer) if mark.answer else code_shingles(mark.source)


def _text(mark: Mark) -> str:
    return mark.answer or mark.source


def _over(questions: Sequence[str], likeness: Mapping[str, _Likeness]) -> float:
    """How alike two submissions are in some questions taken together, 0 to 1."""
    ones = [likeness[question] for question in questions if question in likeness]
    least = sum(one.least for one in ones)
    return sum(one.shared for one in ones) / least if least else 0.0


def _usual(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(USUAL * len(values)) - 1]
