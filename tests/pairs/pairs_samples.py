"""Groups for the tests of pairs: one letter a sample."""

from __future__ import annotations

from hypothesis import strategies as st

from rlvr_course.records import Problem, Sample

VERDICTS = {"r": True, "w": False, "u": None}


def problem(name: str = "p") -> Problem:
    return Problem(f"What is {name}?", "1", id=name, metadata={"system": "Be brief."})


def sample(verdict: str, index: int = 0, *, text: str | None = None, name: str = "p") -> Sample:
    """``r`` right, ``w`` wrong, ``u`` ungraded; each text is its own unless given."""
    asked = problem(name)
    said = f"{verdict}{index}" if text is None else text
    return Sample(asked, said, said, None, VERDICTS[verdict], messages=asked.messages, index=index)


def group(verdicts: str, name: str = "p") -> list[Sample]:
    return [sample(verdict, index, name=name) for index, verdict in enumerate(verdicts)]


def texts(rows: list) -> list[tuple[str, str]]:
    """(chosen, rejected) of rows or of records."""
    dicts = [row if isinstance(row, dict) else row.to_dict() for row in rows]
    return [(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in dicts]


LABELS = st.sampled_from(
    ["suspected_hack", "verifier_error", "policy_error", "open", True, False, None]
)
TEXTS = st.sampled_from(["1", "2", "so it is 1", "so it is 2, or so I think", "\ud800", "é"])


@st.composite
def batches(draw: st.DrawFn) -> list[list[Sample]]:
    """Groups of different problems; texts repeat, within and across groups."""
    found = []
    for number in range(draw(st.integers(0, 4))):
        cells = draw(st.lists(st.tuples(st.sampled_from("rwu"), TEXTS), max_size=7))
        name = f"p{number}"
        found.append([sample(v, i, text=text, name=name) for i, (v, text) in enumerate(cells)])
    return found


PLACES = st.tuples(st.sampled_from(["p0", "p1", "p2", "p3"]), st.integers(0, 6))
KNOWN = st.dictionaries(PLACES, LABELS, max_size=10)
