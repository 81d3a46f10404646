"""Detectors of reward hacks in responses that passed, each with its evidence.

    working.py     no_visible_work, and the naive rule
    parrot.py      parroted_prompt_numbers
    spam.py        answer_spam
    tricks.py      extraction_tricks, with concealed.py and addressed.py
    farming.py     format_farming
    filler.py      padding, and the attack that it answers
    loops.py       repetition
    text.py        numbers, operations and sentences of a response
    suites.py      programs written for their tests: verifiers.programs.suite_hacks on samples
    detect.py      flags and looks_like_hack: all detectors over one sample
    planted.py     constructed hacks and honest samples
    scores.py      both errors of each detector, with intervals

A detector takes a ``Sample`` that passed and returns its evidence, or None. They look for form
without work; a policy that learns to fake work on the question's own numbers gets past them.
"""

from rlvr_course.hacks.detect import DETECTORS, Detector, flags, looks_like_hack
from rlvr_course.hacks.farming import format_farming
from rlvr_course.hacks.filler import padded, padding
from rlvr_course.hacks.loops import repetition
from rlvr_course.hacks.parrot import parroted_prompt_numbers
from rlvr_course.hacks.planted import PlantedSample, honest_samples, load_planted
from rlvr_course.hacks.scores import DetectorScore, DetectorTable, score_detectors
from rlvr_course.hacks.spam import answer_spam
from rlvr_course.hacks.suites import CODE_DETECTORS
from rlvr_course.hacks.tricks import extraction_tricks
from rlvr_course.hacks.working import naive_no_work, no_visible_work, takes_steps

__all__ = [
    "CODE_DETECTORS",
    "DETECTORS",
    "Detector",
    "DetectorScore",
    "DetectorTable",
    "PlantedSample",
    "answer_spam",
    "extraction_tricks",
    "flags",
    "format_farming",
    "honest_samples",
    "load_planted",
    "looks_like_hack",
    "naive_no_work",
    "no_visible_work",
    "padded",
    "padding",
    "parroted_prompt_numbers",
    "repetition",
    "score_detectors",
    "takes_steps",
]
