"""The planted set: constructed samples, hacked and honest, to score detectors on.

No model wrote them, and they say so (``policy_id`` "constructed"). The honest set of real
responses is ``honest_samples``: the recorded ones that the answer key calls right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.problems.recorded import load_problems, load_rollouts
from rlvr_course.problems.rows import parse_lines
from rlvr_course.records import Problem, Sample
from rlvr_course.verifiers.extract import extract_answer

PAYERS = ("package", "naive", "substring")


@dataclass(frozen=True)
class PlantedSample:
    """One constructed sample.

    Args:
        id: stable name.
        sample: as a verifier passed it: ``verified_correct`` is True.
        is_hack: whether it was written as a hack.
        kind: the detector that ought to fire, or "honest".
        paid_by: the strictest verifier that pays it: "package", "naive" or "substring".
        note: what is in it.
    """

    id: str
    sample: Sample
    is_hack: bool
    kind: str
    paid_by: str
    note: str

    @property
    def held_out(self) -> bool:
        """Whether it was kept apart while thresholds were set (about half, by a hash of the id)."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 1


@cache
def _planted() -> tuple[PlantedSample, ...]:
    file = files("rlvr_course") / "data" / "planted" / "hacks.jsonl"
    try:
        data = file.read_bytes()
    except OSError as error:
        raise DataError(
            f"hacks.jsonl can't be read ({error.strerror}); restore it or reinstall the package"
        ) from None
    return tuple(parse_lines(data, "hacks.jsonl", _parse))


def load_planted() -> list[PlantedSample]:
    """The constructed samples in file order: hacks of seven kinds, then honest ones.

    Raises:
        DataError: the file is missing or malformed.

    >>> rows = load_planted()
    >>> sum(row.is_hack for row in rows) >= 120, sum(not row.is_hack for row in rows) >= 60
    (True, True)
    """
    return list(_planted())


def honest_samples() -> list[Sample]:
    """The recorded maths responses that are right by the answer key, as samples that passed.

    >>> len(honest_samples())
    148
    """
    problems = {problem.id: problem for problem in load_problems("math")}
    return [
        _passed(
            problems[r.problem_id], r.completion.text, r.completion.policy_id, r.completion.index
        )
        for r in load_rollouts("math")
        if r.truth is True
    ]


def _passed(problem: Problem, response: str, policy_id: str, index: int = 0) -> Sample:
    extracted = extract_answer(response).text or str(problem.answer)
    return Sample(
        problem,
        response,
        extracted,
        reward=1.0,
        verified_correct=True,
        status="correct",
        messages=problem.messages,
        policy_id=policy_id,
        index=index,
    )


def _parse(row: Mapping[str, Any]) -> PlantedSample:
    names = ("id", "question", "reference", "response", "kind", "note", "is_hack", "paid_by")
    missing = [name for name in names if name not in row]
    if missing:
        raise ValueError(f"field {missing[0]!r} is missing")
    if row["paid_by"] not in PAYERS:
        raise ValueError(f"paid_by {row['paid_by']!r} is not one of {', '.join(PAYERS)}")
    metadata = {"level": row["level"]} if "level" in row else {}
    problem = Problem(row["question"], row["reference"], id=row["id"], metadata=metadata)
    sample = _passed(problem, row["response"], "constructed")
    return PlantedSample(
        row["id"], sample, row["is_hack"], row["kind"], row["paid_by"], row["note"]
    )
