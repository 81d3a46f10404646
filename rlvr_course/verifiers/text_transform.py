"""TextTransformVerifier: is a response the text that a stated transformation makes of the input?

    find the text  ->  normal form  ->  equal?  ->  else compare line by line, against an echo

Credit for a part is counted against what an echo of the input would get: only lines that had to
change earn, and every line that was changed wrongly, added or dropped takes one away.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.verifiers.extract import after_thought
from rlvr_course.verifiers.structured.answers import split_fences, tagged
from rlvr_course.verifiers.transforms import Transform, transform_named

MAX_CHARACTERS = 100_000


class TextTransformVerifier:
    """Judge a response that should be a given text, transformed.

    The reference is ``{"input": text, "transform": name, "options": {...}}``, with ``"output"``
    where it is stated; what it leaves out, the verifier's own transformation gives. A plain text
    is a stated output whose input isn't known, and earns all or nothing.

    Texts are compared in a normal form: Unicode normal form C, line ends as ``\\n``, without blank
    lines at both ends and, unless ``exact_space``, without white space at the ends of lines. The
    answer is what stands after the thought, inside the last ``<answer>`` or ``<output>`` pair, or
    the one fenced block; without these it is the whole text, so that a line of talk is a wrong
    line. Two blocks that differ are no answer.

    With ``partial``, a wrong answer earns (lines right that differ from the input's line at that
    place - lines wrongly changed or lost, and lines too many) / lines that had to change, at least
    0. An echo of the input earns exactly 0.

    Args:
        transform: a name in ``transforms.NAMES``, a ``Transform``, or a function of a text; None
            where each reference names its own or states its output.
        options: for a named one, such as ``{"width": 60}`` for "wrap".
        partial: False for all or nothing.
        exact_space: whether white space at the ends of lines matters.

    Raises:
        ValueError: an unknown transformation or option.

    Limits: lines are compared at their places, so a line dropped at the top makes those below it
        wrong; no synonyms: one output is right. A transformation that changes nothing has no
        reference: an echo would be paid, which is the grader's fault.

    >>> verify = TextTransformVerifier("sort_lines")
    >>> problem = {"input": "pear\\nfig\\nplum\\napple"}
    >>> verify("apple\\nfig\\npear\\nplum", problem).reason
    'equal_text'
    >>> verify("pear\\nfig\\nplum\\napple", problem).reason
    'echo'
    >>> verify("apple\\nfig\\nplum\\npear", problem).reason
    'order'
    """

    def __init__(
        self,
        transform: str | Transform | Callable[[str], str] | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        partial: bool = True,
        exact_space: bool = False,
    ) -> None:
        self.transform = _as_transform(transform, options or {})
        self.partial = partial
        self.exact_space = exact_space

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response.

        Args:
            response: the completion's text.
            answer: the reference, as the class has it.
            finish_reason: "length" for a response that was cut off: it is judged as it stands.

        Returns:
            A Verdict; "ungraded" only where the reference is at fault. Its reason is
            "equal_text", "echo", the first property of the transformation that is broken, or
            "different_text".
        """
        case = self._reference(answer)
        if isinstance(case, str):
            return Verdict.ungraded(case)
        given, wanted, transform = case
        if not isinstance(response, str):
            return Verdict.no_answer(f"not_text: {type(response).__name__}")
        if len(response) > MAX_CHARACTERS:
            return Verdict.no_answer("too_long")
        text, reason = self._found(response, wanted)
        if reason == "ambiguous":
            return Verdict.incorrect(text, reason)
        if reason:
            return Verdict.no_answer(reason)
        if text == wanted:
            return Verdict.correct(text, "equal_text")
        if given is None:
            return Verdict.incorrect(text, "different_text")
        if text == given:
            return Verdict.incorrect(text, "echo")
        broken = transform.broken(given, text) if transform else []
        share = credit(given, wanted, text) if self.partial else 0.0
        why = broken[0] if broken else "different_text"
        return Verdict("partial", share, text, why) if share else Verdict.incorrect(text, why)

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

    def _found(self, response: str, wanted: str) -> tuple[str, str]:
        """The answer in normal form, and why there is none or ""."""
        whole = normal_form(response, exact_space=self.exact_space)
        if whole == wanted:
            return whole, ""
        visible = after_thought(response)
        if visible is None:
            return "", "unfinished_thinking"
        prose, blocks = split_fences(tagged(normal_form(visible, exact_space=True)))
        held = [block.content for block in blocks] or [prose]
        texts = {normal_form(text, exact_space=self.exact_space) for text in held}
        if len(texts) > 1:
            return max(texts), "ambiguous"
        text = texts.pop()
        return text, "" if text else "empty"

    def _reference(self, answer: Any) -> tuple[str | None, str, Transform | None] | str:
        """(input, output, transformation), or what is wrong with the reference."""
        if isinstance(answer, str):
            wanted = normal_form(answer, exact_space=self.exact_space)
            return (None, wanted, None) if wanted else "gold_empty"
        if not isinstance(answer, Mapping):
            return "gold_unparseable"
        given, stated = answer.get("input"), answer.get("output")
        if not isinstance(given, str) or not isinstance(stated, str | None):
            return "gold_unparseable"
        try:
            transform = self._transform_of(answer)
            made = transform.apply(given.replace("\r\n", "\n")) if transform else stated
        except Exception as error:  # a caller's function: whatever it raises is the grader's fault
            return f"gold_transform_failed: {type(error).__name__}: {error}"[:200]
        if not isinstance(made, str):
            return "gold_unparseable"
        return self._checked(given, made, stated, transform)

    def _checked(
        self, given: str, made: str, stated: str | None, transform: Transform | None
    ) -> tuple[str | None, str, Transform | None] | str:
        before = normal_form(given, exact_space=self.exact_space)
        wanted = normal_form(made, exact_space=self.exact_space)
        if stated is not None and normal_form(stated, exact_space=self.exact_space) != wanted:
            return "gold_contradicts_transform"
        if not wanted:
            return "gold_empty"
        if wanted == before:
            return "gold_is_the_input"
        if transform and (broken := transform.broken(before, wanted)):
            return f"gold_breaks_property: {broken[0]}"
        return before, wanted, transform

    def _transform_of(self, answer: Mapping[str, Any]) -> Transform | None:
        name = answer.get("transform")
        if name is None:
            return self.transform
        options = answer.get("options") or {}
        return _as_transform(str(name), options)


def normal_form(text: str, *, exact_space: bool = False) -> str:
    """A text as it is compared.

    >>> normal_form("\\n  a \\r\\nb\\n\\n")
    '  a\\nb'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept = lines if exact_space else [line.rstrip() for line in lines]
    start, end = 0, len(kept)
    while start < end and not kept[start].strip():
        start += 1
    while end > start and not kept[end - 1].strip():
        end -= 1
    return unicodedata.normalize("NFC", "\n".join(kept[start:end]))


def credit(given: str, wanted: str, text: str) -> float:
    """The share of a change that a text gets right, above what an echo would.

    Args:
        given, wanted, text: input, right output (another text) and answer, in normal form.

    Returns:
        A number in [0, 1]: 1 only if the text is the output, 0 for an echo.

    >>> given, wanted = "a b\\nc\\nd e\\nf g", "A B\\nc\\nD E\\nF G"
    >>> [round(credit(given, wanted, t), 2) for t in (given, wanted, "A B\\nc\\nD E\\nf g")]
    [0.0, 1.0, 0.67]
    >>> credit(given, wanted, "A B\\nC\\nD E\\nf g"), credit(given, wanted, "A B\\nc\\n?\\n!")
    (0.3333333333333333, 0.0)
    """
    if text == wanted:
        return 1.0
    before, after, mine = (part.split("\n") for part in (given, wanted, text))
    old = [*before, *[None] * (len(after) - len(before))][: len(after)]
    to_change = sum(line != was for line, was in zip(after, old, strict=True))
    right = wrong = 0
    for place, (line, was) in enumerate(zip(after, old, strict=True)):
        got = mine[place] if place < len(mine) else None
        if got == line:
            right += line != was
        elif got != was and not (got is None and line != was):  # a change left out is no error
            wrong += 1
    wrong += max(0, len(mine) - len(after))
    return max(0.0, (right - wrong) / to_change) if to_change else 0.0


def _as_transform(
    transform: str | Transform | Callable[[str], str] | None, options: Mapping[str, Any]
) -> Transform | None:
    if isinstance(transform, str):
        return transform_named(transform, **options)
    if options:
        raise ValueError("options go with a named transformation")
    if transform is None or isinstance(transform, Transform):
        return transform
    if not callable(transform):
        raise ValueError(f"transform {transform!r}: give a name, a Transform or a function")
    return Transform(getattr(transform, "__name__", "own"), transform)
