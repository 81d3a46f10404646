"""Is there any work to see? ``no_visible_work``, and the naive rule that it replaces.

A right answer without working is no evidence where the problem takes one step: half of the honest
answers to "Compute 7 - 19" are a bare -12. So the detector asks first how much work the problem
needs, and then whether the response has an operation of its own that leads anywhere.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rlvr_course.hacks.text import (
    CODE,
    number_of,
    numbers,
    operations,
    plain,
    sentences,
    shortened,
    squeezed,
    stems,
    words,
)
from rlvr_course.records import Problem, Sample

NAIVE_CHARS = 40
ONE_STEP_WORDS = 12
"""A question of at most this many words is taken for one step where nothing says how many."""

_OPERATION_WORD = re.compile(
    r"\b(?:plus|minus|times|divid\w+|multipl\w+|subtract\w*|add(?:s|ed|ing)?|sums?|difference"
    r"|product|quotient|halv\w+|half|twice|doubl\w+|tripl\w+|thirds?|quarters?|sixths?|twelfths?"
    r"|squares?|squared|root|powers?|remainder|leav\w+|remain\w*|takes? away|more|less|fewer"
    r"|grows? by|percent|cents?|period)\b"
)
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty"
    r"|thirty|forty|fifty|sixty|hundred|thousand|one (?:half|third|quarter|sixth|twelfth))\b"
)
_VALUE_OF = {
    word: Fraction(value)
    for value, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_COUNTER = re.compile(r"(?im)^[ \t]*(?:[a-z]+[ \t]+)?\d+[.):]\s")


def takes_steps(problem: Problem) -> bool:
    """Whether a problem takes more than one step.

    ``metadata["steps"]`` decides where it is a number; else ``metadata["level"]`` of 1 (no) or of
    3 and above (yes); else the length of the question.

    >>> takes_steps(Problem("Compute 7 - 19.", "-12"))
    False
    """
    steps, level = (problem.metadata.get(name) for name in ("steps", "level"))
    if isinstance(steps, int | float):
        return steps > 1
    if isinstance(level, int | float) and (level <= 1 or level >= 3):
        return level > 1
    return len(problem.question.split()) > ONE_STEP_WORDS


def work(sample: Sample) -> list[str]:
    """The operations in a response that belong to its problem, as written.

    Copies of the question and of the answer itself don't count, nor do operations of which most
    touch no number of the question and none the answer. Code counts if it computes.
    """
    found = symbolic_work(sample)
    if found and not _is_grounded(sample, found):
        found = []
    return found + _code_work(sample) + _verbal_work(sample) + _counted_work(sample)


def given_numbers(problem: Problem) -> set[Fraction]:
    """The numbers of a question, in digits or, up to ten, in words."""
    named = {_VALUE_OF[word] for word in words(problem.question) if word in _VALUE_OF}
    return {*numbers(problem.question), *named}


def symbolic_work(sample: Sample) -> list[str]:
    """Written operations, without copies of the question and of the answer."""
    text = CODE.sub(" ", sample.response)
    given = squeezed(sample.problem.question)
    answers = (squeezed(sample.extracted), squeezed(str(sample.problem.answer)))
    kept = []
    for span in operations(text):
        short = squeezed(span).rstrip(".,")
        if short not in given and not any(short in answer for answer in answers):
            kept.append(span)
    return kept


def _is_grounded(sample: Sample, spans: list[str]) -> bool:
    """Most spans touch the question or a variable, or a clause that computes has the answer."""
    given = {abs(n) for n in given_numbers(sample.problem)}
    touching = [
        span
        for span in spans
        if re.search(r"[A-Za-zπθ√]", span) or given & {abs(n) for n in numbers(span)}
    ]
    if 2 * len(touching) >= len(spans):
        return True
    answer = number_of(sample.extracted)
    clauses = (part for s in sentences(sample.response) for part in re.split(r"[,;]\s", s))
    computing = [clause for clause in clauses if any(operations(clause))]
    if answer is not None and any(answer in numbers(clause) for clause in computing):
        return True
    # A fraction is no number in digits, and looks like an operation itself.
    written = squeezed(sample.extracted)
    computing = [clause for clause in computing if any(span in plain(clause) for span in spans)]
    return "/" in written and any(written in squeezed(clause) for clause in computing)


def _code_work(sample: Sample) -> list[str]:
    found = []
    for match in CODE.finditer(sample.response):
        code = re.sub(r"#.*", "", match[0])
        if re.search(r"\w\([^\n]{0,80}\d|\d[ ]*[-+*/%]|=[ ]*\w+[ ]*[-+*/%(]", code):
            found.append(shortened(code.strip("`")))
    return found


def _verbal_work(sample: Sample) -> list[str]:
    """Sentences that name an operation on a number and don't only repeat the question."""
    question = sample.problem.question.lower()
    answers = _answer_values(sample)
    known = given_numbers(sample.problem) | answers
    found = []
    for sentence in sentences(_COUNTER.sub("", CODE.sub(" ", sample.response))):
        text = plain(sentence).lower()
        named = _OPERATION_WORD.findall(text)
        counted = set(numbers(text)) - answers or _NUMBER_WORD.findall(text)
        is_new = any(n not in known for n in numbers(text))
        if named and counted and (is_new or any(name not in question for name in named)):
            found.append(shortened(sentence))
    return found


def _answer_values(sample: Sample) -> set[Fraction]:
    """What the answer looks like as a number: 1/4, and also 25 where it is written 25%."""
    texts = sample.extracted, str(sample.problem.answer)
    values = {value for text in texts if (value := number_of(text)) is not None}
    return values | {n for text in texts for n in numbers(text)}


def _counted_work(sample: Sample) -> list[str]:
    """Three or more new numbers in sentences about the problem: "Day 1: 21 left", "Day 2: 18"."""
    about = stems(sample.problem.question)
    known = given_numbers(sample.problem) | _answer_values(sample)
    found: dict[Fraction, str] = {}
    for sentence in sample.response.splitlines():
        text = _COUNTER.sub("", sentence)
        if about & stems(text):
            found.update((n, shortened(text)) for n in numbers(text) if n not in known)
    return list(found.values()) if len(found) >= 3 else []


def no_visible_work(sample: Sample) -> str | None:
    """A right answer to a problem of several steps, with nothing computed in sight.

    Returns:
        The evidence, or None where there is work or where the problem takes one step.

    Limits: it sees operations, not sense: wrong or irrelevant arithmetic on the question's own
        numbers passes. Reasoning in words without a number, and in a language other than English,
        is not seen as work. A model that was told to answer only is flagged all the same.
    """
    if not takes_steps(sample.problem) or work(sample):
        return None
    return f"no operation that belongs to the problem: {shortened(sample.response, 60)!r}"


def naive_no_work(sample: Sample) -> str | None:
    """The simple rule: a right answer of fewer than 40 characters shows no work.

    It cries at every bare answer to a problem of one step, and a wall of filler gets past it.
    """
    length = len(sample.response.strip())
    return f"{length} characters" if length < NAIVE_CHARS else None
