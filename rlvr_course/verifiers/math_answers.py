"""MathVerifier: does a response commit to the reference's value?

    extract  ->  read  ->  compare

``extract`` finds what the response commits to, ``answers.grammar`` reads it and the reference,
``answers.compare`` compares by value and structure. What is outside the grammar goes to SymPy in
a worker process with a deadline (``symbolic``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.compare import same
from rlvr_course.verifiers.answers.evaluate import has_value
from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.answers.nodes import is_literal, num, symbols
from rlvr_course.verifiers.answers.scalars import Conventions
from rlvr_course.verifiers.answers.tokens import TooLarge
from rlvr_course.verifiers.extract import extract_answer
from rlvr_course.verifiers.symbolic import SymbolicWorker, WorkerFailed

_KINDS = {
    v.Scalar: "number", v.Items: "list", v.Named: "value", v.Chain: "relation", v.Union: "set",
    v.Both: "set", v.Without: "set", v.NamedSet: "set", v.Matrix: "matrix", v.Clock: "time",
    v.Ratio: "ratio", v.Choice: "choice", v.Words: "words", v.Opaque: "text",
}  # fmt: skip


_DEFAULT = Conventions()
_LENIENT = Conventions(unevaluated=True)
_MAX_SYMBOLIC = 500


class MathVerifier:
    """Judge a response to a mathematical question against a reference answer.

    Args:
        conventions: declared policy for what graders disagree about; see ``Conventions``.
        deadline_s: seconds for the symbolic worker, which is needed only outside the grammar.

    A call takes any response and any reference and never raises on them.

    Limits: one reference, one answer; no proofs; conditions on the form of an answer ("in lowest
    terms") belong to the problem and are not checked; a unit is needed on neither side, and one
    that the reference lacks can't be wrong.

    >>> verify = MathVerifier()
    >>> verify(r"So it is \\boxed{11 5/6}.", "71/6").reason
    'equal_number'
    >>> verify("I cannot solve this.", "80").status
    'no_answer'
    >>> verify(r"\\boxed{7}", "see the figure above").status
    'ungraded'
    """

    def __init__(self, conventions: Conventions = _DEFAULT, *, deadline_s: float = 1.5) -> None:
        if not deadline_s > 0:
            raise ValueError(f"deadline_s={deadline_s}: it must be above 0 seconds")
        self.conventions = conventions
        self.deadline_s = deadline_s

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response.

        Args:
            response: the completion's text.
            answer: the reference: a string in LaTeX or Python style, or a number.
            finish_reason: not needed: an answer cut off before it was stated is no answer.

        Returns:
            A Verdict; "ungraded" only where the reference can't be read.
        """
        if not isinstance(response, str):
            return Verdict.no_answer(f"not_text: {type(response).__name__}")
        try:
            reference = str(answer)
        except ValueError:  # an integer with more digits than Python will write
            return Verdict.ungraded("gold_too_large")
        gold = _reference(reference, self.conventions)
        if gold is None:
            return Verdict.ungraded("gold_empty" if not reference.strip() else "gold_unparseable")
        found = extract_answer(response)
        if not found.text:
            return Verdict.no_answer(found.how)
        try:
            literal = found.how == "statement"
            verdict = self._compare(gold, reference, found.text, literal=literal)
            if found.whole and verdict.status == "correct" and self._conflicts(gold, found.whole):
                return Verdict.incorrect(found.whole, "several_values")
            if found.whole and verdict.status != "correct" and _is_compound(gold[0]):
                return self._compare(gold, reference, found.whole, literal=literal)
            return verdict
        except TooLarge as error:
            if _is_too_large(gold, self.conventions):
                return Verdict.ungraded("gold_too_large", found.text[:200])
            return Verdict.incorrect(found.text[:200], str(error), "policy")
        except RecursionError:  # the caller's stack was nearly full; the caps allow little more
            return Verdict.incorrect(found.text[:200], "nested_too_deep", "policy")

    def verify_many(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        finish_reasons: Sequence[str] | None = None,
    ) -> list[Verdict]:
        """Judge responses against references, in order.

        Raises:
            ValueError: lengths differ.
        """
        if len(responses) != len(answers):
            raise ValueError(f"{len(responses)} responses but {len(answers)} answers")
        return [self(r, a) for r, a in zip(responses, answers, strict=True)]

    def _compare(
        self, gold: tuple[v.Value, ...], reference: str, text: str, *, literal: bool
    ) -> Verdict:
        """``literal`` holds a statement without a box to numbers that are written out."""
        candidates = readings(_localised(text, self.conventions))
        if literal and not self.conventions.unevaluated and _is_written_out(gold):
            candidates = tuple(c for c in candidates if _is_written_out((c,)))
        for wanted in gold:
            for candidate in candidates:
                if same(wanted, candidate, self.conventions):
                    return Verdict.correct(text, f"equal_{_KINDS[type(wanted)]}")
        if not candidates:
            return Verdict.incorrect(text, "answer_unparseable")
        if any(isinstance(value, v.Opaque) for value in gold) and _SYMBOLIC.search(reference):
            return self._symbolic(reference, text)
        kinds = [_KINDS[type(group[0])] for group in (gold, candidates)]
        reason = f"different_{kinds[0]}" if kinds[0] == kinds[1] else f"{kinds[1]}_for_{kinds[0]}"
        return Verdict.incorrect(text, reason)

    def _conflicts(self, gold: tuple[v.Value, ...], whole: str) -> bool:
        """Whether the last lines give one name another value than the reference: x = 2, x = 3."""
        if _is_compound(gold[0]):
            return False
        for value in readings(whole):
            several = value.value if isinstance(value, v.Named) else None
            if isinstance(several, v.Items) and several.left == "":
                return not all(
                    any(same(wanted, item, _LENIENT) for wanted in gold) for item in several.items
                )
        return False

    def _symbolic(self, reference: str, text: str) -> Verdict:
        if len(text) > _MAX_SYMBOLIC:
            return Verdict.incorrect(text[:200], "answer_too_long", "policy")
        try:
            equal = SymbolicWorker.shared().equal(reference, text, deadline_s=self.deadline_s)
        except TimeoutError:
            return Verdict.incorrect(text, "symbolic_timeout", "policy")
        except WorkerFailed as error:
            if error.grader_fault:
                return Verdict.ungraded("symbolic_worker_broken", text)
            return Verdict.incorrect(text, "symbolic_failed", "policy")
        if equal:
            return Verdict.correct(text, "equal_symbolic")
        return Verdict.incorrect(text, "different_symbolic")


def _is_too_large(gold: Sequence[v.Value], conventions: Conventions) -> bool:
    """Whether it is the reference that can't be evaluated: then only the same text equals it."""
    try:
        for value in gold:
            same(value, v.Scalar(num(31337)), conventions)
    except TooLarge:
        return True
    return False


def _is_written_out(found: Sequence[v.Value]) -> bool:
    """Whether the constants in these readings are literals: "5!" is not, nor "18 / 0.25"."""
    for value in found:
        inner = value.value if isinstance(value, v.Named) else value
        parts = inner.items if isinstance(inner, v.Items) else (inner,)
        for part in parts:
            if isinstance(part, v.Scalar) and not symbols(part.node) and not is_literal(part.node):
                return False
    return True


def _is_compound(value: v.Value) -> bool:
    inner = value.value if isinstance(value, v.Named) else value
    return isinstance(inner, v.Items | v.Chain)


_MISSING = {"n/a", "na", "none", "null", "nan", "tbd", "-", "?"}
"""What stands in data where a reference is missing."""
_SYMBOLIC = re.compile(r"\\(?:sum|prod|i*nt|oint|lim)(?![A-Za-z])")


def _localised(text: str, conventions: Conventions) -> str:
    if not conventions.decimal_comma:
        return text
    grouped = re.sub(r"(?<=\d)\.(?=\d{3}(?:\D|$))", "", text)
    return re.sub(r"(?<=\d)(?:\{,\}|,)(?=\d)", ".", grouped)


@lru_cache(maxsize=4096)
def _reference(text: str, conventions: Conventions) -> tuple[v.Value, ...] | None:
    """Readings of a reference; None where it has none or does not accept itself."""
    if "boxed" in text:
        text = extract_answer(text).text
    if text.strip().lower() in _MISSING:
        return None
    try:
        found = readings(_localised(text, conventions))
        kept = tuple(x for x in found if _is_defined(x) and same(x, x, conventions))
    except TooLarge:
        return None
    return kept or None


def _is_defined(value: v.Value) -> bool:
    """False for ``1/0``, which would be equal to itself by its text alone."""
    return not isinstance(value, v.Scalar) or bool(symbols(value.node)) or has_value(value.node)


def extract_number(text: str) -> str:
    """What the verifier would grade in a text, without unit, currency or digit groups.

    Unlike the naive rule (first box, else last number) this takes the *last* box, and without a
    box only a number that the text commits to: none out of a refusal, a hedge or the question.

    Returns:
        The number as written, another answer's text as it stands, or "" if there is none.

    >>> extract_number("So the speed is 80 km/h"), extract_number("no numbers here")
    ('80', '')
    >>> extract_number(r"He made \\boxed{\\$9{,}500}.")
    '9500'
    """
    found = extract_answer(text).text
    plain = found.replace("−", "-").replace("{,}", ",").replace("\\,", ",")
    number = _NUMBER_PART.match(plain)
    if number is None:
        return found
    rest = plain[number.end() :]
    digits = number["number"]
    if re.search(r"\d|\\(?:frac|sqrt|pi|times|cdot)|[\^=+*/π√,]", _UNIT_POWER.sub("", rest)):
        return found
    return number["sign"].replace(" ", "") + digits.replace(",", "")


_NUMBER_PART = re.compile(
    r"\s*(?:\\?[$€£]\s*)?(?P<sign>-?\s*)(?:\\?[$€£]\s*)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
)
_UNIT_POWER = re.compile(
    r"(?<=[A-Za-z}])\^\{?[23]\}?|\^\s*\{?\\circ\}?|/\s*[A-Za-z]+|\\text\{[^{}]*\}"
    r"|\\mathrm\{[^{}]*\}"
)
