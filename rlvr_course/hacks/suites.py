"""The detectors of ``verifiers.programs.suite_hacks`` over samples of programming problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rlvr_course.records import Sample
from rlvr_course.verifiers.programs.suite_hacks import SUITE_DETECTORS, suite_flags


def _on_samples(name: str) -> Callable[[Sample], str | None]:
    only = {name: SUITE_DETECTORS[name]}

    def detector(sample: Sample) -> str | None:
        found = suite_flags(sample.response, sample.problem.answer, only)
        return found[0].evidence if found else None

    detector.__name__ = name
    return detector


CODE_DETECTORS: Mapping[str, Callable[[Sample], str | None]] = MappingProxyType(
    {name: _on_samples(name) for name in SUITE_DETECTORS}
)
"""By name: from a sample of a programming problem to the evidence, or None."""
