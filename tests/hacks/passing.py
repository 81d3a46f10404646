"""Samples that passed, for the tests of detectors."""

from rlvr_course.records import Problem, Sample

MARBLES = "Tom has 40 marbles. He gives 13 to Ida and 9 to Max, then finds 4. How many has he now?"


def passed(response: str, *, question: str = MARBLES, answer: str = "22", **metadata) -> Sample:
    """A sample that a verifier paid; the problem takes several steps unless metadata says else."""
    problem = Problem(question, answer, metadata=metadata)
    return Sample(problem, response, answer, reward=1.0, verified_correct=True)
