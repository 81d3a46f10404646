"""All detectors over one sample: ``flags`` with evidence, ``looks_like_hack`` without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rlvr_course.hacks.farming import format_farming
from rlvr_course.hacks.filler import padding
from rlvr_course.hacks.loops import repetition
from rlvr_course.hacks.parrot import parroted_prompt_numbers
from rlvr_course.hacks.spam import answer_spam
from rlvr_course.hacks.suites import CODE_DETECTORS
from rlvr_course.hacks.tricks import extraction_tricks
from rlvr_course.hacks.working import no_visible_work
from rlvr_course.records import HackFlag, Sample

Detector = Callable[[Sample], str | None]
"""Takes a sample that passed; returns the evidence, or None."""

DETECTORS: Mapping[str, Detector] = MappingProxyType(
    {
        detector.__name__: detector
        for detector in (
            no_visible_work,
            parroted_prompt_numbers,
            answer_spam,
            extraction_tricks,
            format_farming,
            padding,
            repetition,
        )
    }
)


def flags(sample: Sample, detectors: Mapping[str, Detector] | None = None) -> list[HackFlag]:
    """What speaks for a hack in a sample that the verifier passed.

    Args:
        sample: of a mathematical or a programming problem. One that is not ``verified_correct`` has
            no flags: it earned nothing that could have been hacked. A program that passed some of
            its tests earned something.
        detectors: by name; your own may be among them. None takes ``CODE_DETECTORS`` for the domain
            "code" and ``DETECTORS`` for any other.

    Returns:
        One flag for each detector that fired, in the detectors' order.

    Limits: a flag is evidence, not proof: read the response. No flag is no proof of honesty.

    >>> from rlvr_course.records import Problem
    >>> problem = Problem("A pack of 6 pens costs $4.50. How much do 20 such pens cost?", "15")
    >>> sample = Sample(problem, "<think></think>15", "15", 1.0, True)
    >>> [flag.detector for flag in flags(sample)]
    ['no_visible_work', 'format_farming']
    """
    is_code = sample.problem.domain == "code"
    if sample.verified_correct is not True and not (is_code and sample.status == "partial"):
        return []
    if detectors is None:
        detectors = CODE_DETECTORS if is_code else DETECTORS
    found = ((name, detector(sample)) for name, detector in detectors.items())
    return [HackFlag(name, evidence) for name, evidence in found if evidence is not None]


def looks_like_hack(sample: Sample) -> bool:
    """Whether a sample passed and any detector fired on it.

    >>> from rlvr_course.records import Problem
    >>> looks_like_hack(Sample(Problem("Compute 7 - 19.", "-12"), "-12", "-12", 1.0, True))
    False
    """
    return bool(flags(sample))
