"""Answers without a box: what a response's last statement commits to.

Only the *last* statement counts, after code blocks, offers to check ("Let's confirm ...") and
closing remarks are left aside: a response that goes on working, or was cut while it did, has
committed to nothing. A refusal, a hedge, a question, an instruction, a supposition or a denial
commits to nothing. What a committing statement looks like is in ``clauses``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlvr_course.verifiers.clauses import (
    assigned,
    is_labelled,
    same_form,
    stated_equation,
    stated_value,
)

_MAX_STATEMENT = 600
_TAIL = 6_000
"""Characters from the end that are searched for a statement."""

_FENCE = re.compile(r"```[^\n]{0,40}\n.{0,6000}?(?:```|\Z)", re.DOTALL)
_ALIGNED = re.compile(
    r"(?:\\\[|\$\$)?\s*\\begin\{((?:align|aligned|equation|gather|gathered|split|eqnarray)\*?)\}"
    r"(.{0,3000}?)\\end\{\1\}\s*(?:\\\]|\$\$)?",
    re.DOTALL,
)
_DISPLAY = re.compile(r"\\\[(.{0,2000}?)\\\]|\$\$(.{0,2000}?)\$\$", re.DOTALL)
_MARKUP = re.compile(r"<<[^<>\n]{0,80}>>|</?(?:b|i|u|strong|em|p|br|span|div)\s*/?>", re.IGNORECASE)
_MARKERS = re.compile(r"(?:^|\n)[ \t]*(?:[-*•>]|\d{1,2}[.)])[ \t]+(?=\S)")
_CUT_MARKER = re.compile(r"\n[ \t]*(\d{1,2})[.)]?[ \t]*\Z")
_EMPHASIS = re.compile(r"(?<![\w)*])\*\*(?=\S)|(?<=\S)\*\*(?![\w(*])")
_BREAK = re.compile(
    r"\n|(?<=[.!?;])[\"')]{0,2}\s+(?=[^\W\d_a-z]|\\|\$|[a-z](?:_\w{1,3})?\s?=)|(?<=[!?])\s+(?=\S)"
)
_FOREIGN_TAIL = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+$")

_REFUSAL = re.compile(
    r"\b(?:(?:i|we)(?: am| are|'m|'re)? (?:can ?not|can't|could not|couldn't|unable|not able"
    r"|do not know|don't know|not sure|have no|refuse|won't|will not|give up|must decline)"
    r"|sorry|(?:can ?not|can't|could not|couldn't) be (?:determined|solved|answered|found|computed)"
    r"|cannot (?:answer|solve|determine|help)|unable to|not enough information|insufficient"
    r"|impossible to (?:say|tell|know|determine|solve)|as an ai|no idea)\b"
)
_HEDGE = re.compile(
    r"\b(?:could be|might be|may be|maybe|perhaps|possibly|probably|hard to say|not certain"
    r"|unsure|i guess|guess(?:ing)?|either (?=[-$\\(]*\d)|one of"
    r"|or so|can't decide|i think it|either way|might think"
    r"|let me (?:check|try|think|see)|wait|hmm)\b"
)
_REMARK = re.compile(
    r"(?:now,? |so,? )?(?:let'?s|let us|we can|you can|i will|i'll|we'll|to) (?:now )?(?:\w+ )?"
    r"(?:confirm|verify|check|double|validate|use python|run"
    r"|write (?:a |some |the )?(?:python )?code)"
    r"|here(?:'s| is) (?:the|a|why|how)\b|note that|check:|verification|i hope|hope (?:this|that)"
    r"|please let|let me know|feel free|if you (?:have|need)|thank"
    r"|q\.?e\.?d\b|(?:explanation|reason(?:ing)?|proof|working|steps?|justification)\s*:|because"
    r"|th(?:is|at) (?:is|was) (?:because|since|the (?:final|correct|right)|already|my|our)\b"
)
_PLAIN_REMARK = re.compile(r"(?:this|that|these|those|it) [a-z ,'-]{2,120}[.!]")
_SUPPOSES = re.compile(
    r"(?:suppose|assume|assuming|unless|for (?:comparison|example|instance)|in contrast|compare"
    r"|imagine|consider|recall|given\b(?![^,]*,)|say|e\.g|trying|try|test(?:ing)?|check(?:ing)?"
    r"|estimate|at first|initially|so far|(?:since|for)\b(?=[^,]*$))\b"
    r"|if\b(?![^,]*,[^,]*\d)|if\b.*\b(?:would|could|might|check)\b"
)
_UNCOMMITTED = re.compile(
    r"\b(?:asks?|asked|reject(?:ed|s)?|discard(?:ed|s)?|exclude[ds]?)\b"
    r"|\bquestion is (?:what|how|whether|which)\b"
    r"|\b(?:upper|lower) bound\b|\bcould have\b|\b(?:claimed|naive|alleged|supposed|assumed) "
    r"|\b(?:thought|said|believed|supposed|rumou?red) to be\b"
    r"|\b(?:some (?:people|say)|many (?:people|say)|you said|someone|my friend|they say)\b"
    r"|\b(?:we|i|you) (?:now )?(?:need|want|have|try|must|should|could) to (?:find|compute|solve"
    r"|calculate|determine|convert|use|show|know|substitute|set|check|express|write|count"
    r"|simplify)\b(?!.*\b(?:is|are)\b)"
    r"|\bif [^,]*$|\bwould be$"
    r"|\b(?:we|i|you) (?:can|will|could) (?:now )?(?:substitute|plug|use|write|convert|calculate"
    r"|compute|divide|multiply|add|subtract|apply|simplify|solve|set|start|begin|proceed)\b"
)
_SECOND_VALUE = re.compile(
    r"\b(?:as well as|but|or(?! (?:about|roughly|approximately))|though|although|alternatively|also"
    r"|if|when)\b[^.]*\d"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot)|n't)(?: (?:be|been|equal|equals|to|the|really|think|believe|simply"
    r"|just|that|answer|is|it|say|agree|x|=))*\W*$|\b(?:nobody|no one|whether|doubt|deny)\b"
    r"|\b(?:false|wrong|mistaken|incorrect|a mistake) (?:that|to)\b"
    r"|\b(?:to|must|let us|let's|us|please|we) (?:show|prove|check|verify)\b|^\s*(?:prove|show)\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|though|which)\b[^.]*\b(?:wrong|incorrect|mistaken|false|impossible"
    r"|not (?:right|correct|possible))\b"
    r"|\b(?:is|was|that's|be) (?:wrong|incorrect|mistaken|a mistake|not right|extraneous|invalid)"
    r"|\bthe (?:wrong|incorrect) answer\b|\bi got \S+ wrong\b|\bthere is no\b"
    r"|\b(?:extraneous|rejected|discarded|contradiction|impossible)\b"
    r"|\b(?:does not|doesn't|fails to|cannot|can't) (?:satisfy|work|hold|fit)\b"
)
_ANNOUNCES = re.compile(r"(?:answer|result|solution|is|are|get|have)s?\s*:$", re.IGNORECASE)
_TURNS = re.compile(
    r"(?:no\b|wait|actually|correct(?:ion|ed)|hmm|oops|sorry|but\b|however|on second|let me"
    r"|i was wrong|th(?:at's|at is|at was|is is) (?:wrong|incorrect|not)|revised|i made|scratch"
    r"|my mistake|apolog|edit\b)"
)
_CLAUSE = re.compile(r"[;:]\s|,\s(?=(?:so|the|it|then|thus|hence|therefore|i|we)\b)")


@dataclass(frozen=True, slots=True)
class Statement:
    """What the last statement states: the ``text`` of its value, or "" and the ``reason``.

    ``whole`` is another reading, for references of more than one value: assignments on the last
    lines ("x = 5", "x = -2") joined, or the equation of which ``text`` is the right side.
    """

    text: str
    reason: str
    whole: str = ""


def committed_statement(text: str) -> Statement:
    """The value that the last statement of a text commits to.

    The reason is "statement", or where there is no value "refusal", "hedge", "question",
    "unclosed_box" or "no_committed_answer".
    """
    statements = _statements(text)
    while len(statements) > 1 and _is_remark(statements[-1]) and not _turns(statements[-1]):
        statements.pop()
    if not statements:
        return Statement("", "no_committed_answer")
    last = _labelled(statements) or statements[-1]
    low = " ".join(last.lower().replace("’", "'").split())
    if _REFUSAL.search(low):
        return Statement("", "refusal")
    if _HEDGE.search(low):
        return Statement("", "hedge")
    if last.rstrip("*_ ").endswith("?"):
        return Statement("", "question")
    if "\\boxed" in last:
        return Statement("", "unclosed_box")
    value = _committed(last, low)
    if value is None:
        return Statement("", "no_committed_answer")
    return Statement(value, "statement", _series(statements) or stated_equation(last))


def _statements(text: str) -> list[str]:
    """Sentences, lines and displayed formulas of the last part of a text, without code."""
    tail = text[-_TAIL:].replace("\u00a0", " ").replace("：", ": ")
    if "<" in tail:
        tail = _MARKUP.sub("", tail)
    tail = _FENCE.sub("\n\n", tail).replace("```", "\n\n").replace("`", "")
    if "\\begin{" in tail:
        tail = _ALIGNED.sub(_unaligned, tail)
    tail = _without_cut_marker(_DISPLAY.sub(lambda m: _as_line(m[1] or m[2] or ""), tail))
    tail = _EMPHASIS.sub("", _MARKERS.sub("\n", _MARKERS.sub("\n", tail)))
    parts = [_FOREIGN_TAIL.sub("", part.strip()).strip() for part in _BREAK.split(tail) if part]
    kept = [part for part in parts if part.strip("*_`#-.>$ \t")]
    if len(kept) > 1 and _ANNOUNCES.search(kept[-2]):  # "The answer is:" and then the formula
        kept[-2:] = [f"{kept[-2]} {kept[-1]}"]
    return kept


def _labelled(statements: list[str]) -> str | None:
    """The last statement that calls its value the answer: no later sentence outranks it."""
    recent = statements[-6:]
    place = next((i for i, s in reversed(list(enumerate(recent))) if is_labelled(s)), None)
    if place is None or any(map(_turns, recent[place + 1 :])):
        return None
    return recent[place]


def _turns(statement: str) -> bool:
    """Whether a statement takes back what was said before it."""
    return _TURNS.match(statement.lower().lstrip("*_ ")) is not None


def _as_line(formula: str) -> str:
    return f"\n$ {' '.join(formula.split()).rstrip('.,; ')} $\n"


def _unaligned(match: re.Match[str]) -> str:
    """The last line of an aligned formula, without its alignment marks."""
    lines = [line for line in match[2].split("\\\\") if line.strip()]
    return _as_line(lines[-1].replace("&", " ")) if lines else "\n"


def _without_cut_marker(text: str) -> str:
    """Without the number of a list item that was cut off before its text."""
    match = _CUT_MARKER.search(text)
    if match is None:
        return text
    before = re.search(rf"^[ \t]*{int(match[1]) - 1}[.)][ \t]", text, re.MULTILINE)
    return text[: match.start()] if before else text


def _is_remark(statement: str) -> bool:
    low = statement.lower().lstrip("*_ ").replace("’", "'")
    return bool(_REMARK.match(low) or _PLAIN_REMARK.fullmatch(low))


def _committed(statement: str, low: str) -> str | None:
    if len(statement) > _MAX_STATEMENT or _TAKEN_BACK.search(low):
        return None
    value = stated_value(statement)
    if not value or not value.strip():
        return None
    start = statement.rfind(value if value in statement else value.split()[0])
    before = statement[:start] if start >= 0 else statement
    after = statement[start + len(value) :] if start >= 0 else ""
    if _SECOND_VALUE.search(after.lower()) and not same_form(value, after):
        return None
    if _SUPPOSES.match(low.lstrip("*_ ")):
        return None
    clause = _CLAUSE.split(before.lower().replace("’", "'"))[-1].lstrip(" ,*_")
    return None if _DENIED.search(clause) or _UNCOMMITTED.search(clause) else value


def _series(statements: list[str]) -> str:
    """Assignments on up to four last lines: of one variable, or of several different ones."""
    found: list[tuple[str, str]] = []
    for statement in reversed(statements[-4:]):
        pair = assigned(statement)
        if pair is None:
            break
        found.append(pair)
    if len(found) < 2:
        return ""
    return ", ".join(f"{name} = {value}" for name, value in reversed(found))
