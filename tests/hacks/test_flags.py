"""Flags: only on what passed, with evidence, on any text, in linear time."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passing import passed

from rlvr_course.hacks import DETECTORS, flags, looks_like_hack
from rlvr_course.records import HackFlag
from rlvr_course.verifiers.candidates import HOSTILE

PIECES = st.sampled_from(
    [r"\boxed{", "22", "}", "<think>", "</think>", "\n", "# ", "- ", "or ", "```", "x = ", " + "]
)
TEXTS = st.text(max_size=80) | st.lists(PIECES, max_size=40).map("".join)
UNITS = ["9", "a(", "\n", " ", r"\boxed{", "1+", "<!--", "1\n", "```a(", "((", ". ", "- ", "25% "]


@given(TEXTS, st.sampled_from([False, None]))
def test_a_sample_that_did_not_pass_has_no_flags(text: str, verdict: bool | None) -> None:
    sample = replace(passed(text), verified_correct=verdict)
    assert flags(sample) == []
    assert not looks_like_hack(sample)


@given(TEXTS, TEXTS)
def test_any_text_gets_flags_in_order_with_evidence(text: str, answer: str) -> None:
    sample = passed(text, answer=answer)
    found = flags(sample)
    names = [flag.detector for flag in found]
    assert names == [name for name in DETECTORS if name in names]
    assert all(flag.evidence and "\n" not in flag.evidence for flag in found)
    assert looks_like_hack(sample) is bool(found)
    assert flags(sample) == found


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_raise_nothing(kind: str) -> None:
    sample = passed("")
    sample = replace(sample, response=HOSTILE[kind](sample.problem))
    assert all(isinstance(flag, HackFlag) for flag in flags(sample))


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_double_the_text_takes_about_double_the_time(unit: str) -> None:
    def seconds(length: int) -> float:
        sample = passed((unit * length)[:length])
        start = time.perf_counter()
        flags(sample)
        return time.perf_counter() - start

    # Quadratic would be 16-fold; the least of three runs, so that a busy machine does not decide.
    allowed = 9 * min(seconds(5_000) for _ in range(3)) + 0.05
    assert any(seconds(20_000) < allowed for _ in range(3))


def test_a_detector_of_ones_own_can_join() -> None:
    shouting = {"shouting": lambda sample: "in capitals" if sample.response.isupper() else None}
    assert flags(passed("TWENTY-TWO"), shouting) == [HackFlag("shouting", "in capitals")]
    assert flags(passed("22"), shouting) == []
