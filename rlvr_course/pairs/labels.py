"""What is known of a sample besides its verdict, found by place or by text.

A label is one of these:

    "suspected_hack"    a detector fired: no winner
    "verifier_error"    the verdict is false: neither winner nor loser
    "policy_error"      the verdict was checked and stands
    "open"              nobody can tell whether the response is right: neither winner nor loser
    True, False, None   the response is right, is wrong, is open (as in ``answer_key()``)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from rlvr_course.records import Sample

Label: TypeAlias = Literal["suspected_hack", "verifier_error", "policy_error", "open"] | bool | None
Place: TypeAlias = tuple[str, int]
Records: TypeAlias = (
    Mapping[Place, Label] | Iterable[Mapping[str, Any]] | Callable[[Sample], Iterable[Label]] | None
)

WORDS = ("suspected_hack", "verifier_error", "policy_error", "open")
NONE: frozenset[Label] = frozenset()


class Labels:
    """Looks up a sample's labels.

    Args:
        records: one of

            - a mapping from (problem id, index in the group) to a label; a problem without an
              id goes by its question;
            - audit records, or entries as ``read_audit`` gives them: each with ``problem`` (or
              ``problem_id``) and ``response``, and any of ``suspected_hack`` (true, or a
              non-empty list of flags), ``label`` (a word) and ``truth`` (True, False or None).
              They are matched by problem and text, whatever the index. Entries without a
              response, such as a run's start, are passed over;
            - a function from a sample to its labels, which keeps nothing in memory;
            - None: nothing is known.

    Raises:
        ValueError: a label that is none of the above, or records of another shape.

    Limits: a mapping can't tell two groups of one problem apart; audit records can. What two
        records say of one response is added up, so that one suspicion is enough.

    >>> from rlvr_course.records import Problem
    >>> sample = Sample(Problem("2 + 2?", "4", id="sum"), "Four.", "", -0.1, False)
    >>> Labels({("sum", 0): "verifier_error"}).of(sample)
    frozenset({'verifier_error'})
    >>> audit = [{"problem_id": "sum", "response": "Four.", "truth": True}]
    >>> Labels(audit).of(sample)
    frozenset({True})
    """

    def __init__(self, records: Records = None) -> None:
        self._by_place: dict[Place, frozenset[Label]] = {}
        self._by_text: dict[bytes, frozenset[Label]] = {}
        self._function: Callable[[Sample], Iterable[Label]] | None = None
        if records is None:
            return
        if isinstance(records, Mapping):
            self._by_place = {
                _checked_place(place): frozenset({_checked(label)})
                for place, label in records.items()
            }
        elif callable(records):
            self._function = records
        else:
            for record in records:
                self._note(record)

    def __len__(self) -> int:
        """How many places or texts have a label; 0 for a function, which has no count."""
        return len(self._by_place) + len(self._by_text)

    def of(self, sample: Sample) -> frozenset[Label]:
        """All labels of one sample; none if nothing is known of it."""
        problem = sample.problem.id or sample.problem.question
        if self._by_place:
            return self._by_place.get((problem, sample.index), NONE)
        if self._by_text:
            return self._by_text.get(_text_key(problem, sample.response), NONE)
        if self._function is not None:
            return frozenset(_checked(label) for label in self._function(sample))
        return NONE

    def _note(self, record: Mapping[str, Any]) -> None:
        if not isinstance(record, Mapping):
            raise ValueError(
                f"records hold a {type(record).__name__}: give audit records (mappings), or a "
                "mapping from (problem id, index) to a label"
            )
        inner = record.get("record")
        payload = inner if "response" not in record and isinstance(inner, Mapping) else record
        found = _labels_in(payload)
        if not found or not isinstance(payload.get("response"), str):
            return
        key = _text_key(_problem_name(payload), payload["response"])
        self._by_text[key] = self._by_text.get(key, NONE) | found


def _labels_in(payload: Mapping[str, Any]) -> frozenset[Label]:
    found: set[Label] = set()
    if payload.get("suspected_hack"):
        found.add("suspected_hack")
    if payload.get("label") is not None:
        found.add(_checked(payload["label"]))
    if "truth" in payload:
        found.add(_checked(payload["truth"]))
    return frozenset(found)


def _problem_name(payload: Mapping[str, Any]) -> str:
    problem = payload.get("problem")
    if isinstance(problem, Mapping):
        return str(problem.get("id") or problem.get("question", ""))
    name = payload.get("problem_id")
    if name is None:
        raise ValueError(
            f"a record with labels names no problem (it has {sorted(payload)}): give it "
            "'problem_id', or 'problem' with an id or a question"
        )
    return str(name)


def _checked(label: Any) -> Label:
    if label is None or isinstance(label, bool) or label in WORDS:
        return label
    raise ValueError(f"label {label!r} is not True, False, None or one of {', '.join(WORDS)}")


def _checked_place(place: Any) -> Place:
    if isinstance(place, tuple) and len(place) == 2:
        return place
    raise ValueError(f"labels are found by (problem id, index), not by {place!r}")


def _text_key(problem: str, response: str) -> bytes:
    """A short name for a text, so that a long log's labels fit in memory."""
    name = problem.encode("utf-8", "surrogatepass")
    text = response.encode("utf-8", "surrogatepass")
    return blake2b(len(name).to_bytes(8, "big") + name + text, digest_size=16).digest()
