"""The value that one statement states.

    statement := opener* (phrase | equality | bare | sentence)
    phrase    := "the (final) answer is" value tail
    equality  := anything ("=" anything)* "=" value tail      the side before "≈" is the value
    bare      := value                                         "156", "3200 meters", "(4, -1)"
    sentence  := subject verb value tail  |  value "is the" predicate

Sentences are read in ``sentences``.
"""

from __future__ import annotations

import re

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.compare import same
from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.answers.scalars import Conventions
from rlvr_course.verifiers.answers.tokens import TooLarge
from rlvr_course.verifiers.sentences import (
    FILLER,
    LETTERED,
    PROSE_WORD,
    RELATION,
    SENTENCE_END,
    TEX,
    VALUE_START,
    VERB,
    before_approx,
    from_sentence,
    is_value,
    right_side,
    strip_marks,
    value_prefix,
)

_OPENER = re.compile(
    r"(?:so|a:|=>|thus|hence|therefore|then|finally|consequently|accordingly|sure|ok(?:ay)?|well"
    r"|now|and"
    r"|in (?:total|all|conclusion|summary)|overall|altogether|step \d+|we (?:get|have|find|obtain)"
    r"|this (?:gives|yields|means)(?: us| that)?|since [^,]{1,80}(?=, [a-zA-Z] =)"
    r"|it follows that|∴|\\therefore)"
    r"(?:(?<=[:>])|\b[,:!]?)\s*",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?:final |correct |right |exact |required |desired )?"
    r"(?:answer|result|solution|ans|option|choice)s?"
    r"(?:\s+(?:to|of|for)\s+[^:.=\n]{1,60}?)?"
    r"(?:\s+(?:is|are|was|would be|must be|equals|comes? (?:out )?to)\b|\s*(?::|=|→|->))\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:the |my |our )?(?:final |correct )?(?:answer|ans)\s*(?::|=|is\b)\s*\S", re.IGNORECASE
)
_CALLED_ANSWER = re.compile(
    r"\s+(?:is|are)\s+(?:the|our|my)\s+(?:\w+\s+)?(?:answer|result|solution)s?\b"
)
_INSTRUCTION = re.compile(
    r"(?:find|compute|calculate|evaluate|determine|solve|simplify|convert|write|express|multiply"
    r"|divide|add|subtract|give|use|round|estimate|expand|factor|list|show|prove|plug|substitute"
    r"|apply|take|consider|recall|set|let|suppose|assume|what|how|which|who|why"
    r"|note|combine|distribute|answer with|think)\b"
)
_TO_GET = re.compile(r"\bto (?:get|obtain|find|give)\s+(?=[-+−$\\(]{0,3}\d)")
_COMMA_CLAUSE = re.compile(
    r"(?<=[^,]),\s+(?:and\s+)?"
    r"(?:so|thus|hence|therefore|which (?:means|gives|makes|simplifies to|becomes))\b[:,]?\s*"
)
_ASIDE = re.compile(
    r",\s+(?:which (?:is|are|was|equals|occurs)|since|because|as|where|when|attained|achieved"
    r"|reached|occurring|obtained|or (?:about|approximately|roughly))\b"
    r"|\s(?:because|since|given that|attained (?:at|when|for)|achieved (?:at|when|for))\s"
    r"|\s\([^()]*=[^()]*\)[\s.]*$|(?<=\d) at (?:the point )?[\\($]*[a-zA-Z] ?="
)
_ONE_WORD = re.compile(r"[A-Z][a-z]{1,20}")
_ASSIGNED = re.compile(r"([A-Za-z](?:_\{?\w\}?)?)\s*=\s*(?:[^=]*=\s*)*([^=]{1,60})")


def stated_value(statement: str) -> str | None:
    """The text of the value that a statement states, or None.

    >>> stated_value("So the speed is 80 km/h because it took 3 hours.")
    '80 km/h'
    >>> stated_value("20 is 25% of 80."), stated_value("Divide 50 by 60.")
    ('25%', None)
    """
    plain = strip_marks(_without_openers(strip_marks(statement)))
    if not plain:
        return None
    lettered = LETTERED.fullmatch(plain)
    if lettered is not None:
        return lettered[1]
    phrases = [match.end() for match in _PHRASE.finditer(plain)]
    if phrases and phrases[-1] < len(plain):
        return _after_phrase(plain[phrases[-1] :])
    called = _CALLED_ANSWER.search(plain)
    if called is not None:
        return stated_value(plain[: called.start()])
    plain = _ASIDE.split(plain, maxsplit=1)[0]
    parts = [strip_marks(part) for part in _COMMA_CLAUSE.split(plain)]
    if len(parts) > 1 and parts[-1]:
        return _from_clause(parts[-1]) or _earlier_clause(parts)
    return _from_clause(strip_marks(plain))


def is_labelled(statement: str) -> bool:
    """Whether a statement begins by calling its value the answer: ``Answer: 7``."""
    return _LABEL.match(strip_marks(_without_openers(statement))) is not None


def same_form(value: str, after: str) -> bool:
    """Whether what follows a value after "or" is the same value in another form: ``, or 25%``."""
    match = re.search(r"\bor\s+(.*)", after)
    later = value_prefix(match[1]) if match else None
    if later is None:
        return False
    try:
        pairs = [(a, b) for a in readings(value) for b in readings(later)]
        return any(same(a, b, Conventions()) for a, b in pairs)
    except TooLarge:
        return False


def _earlier_clause(parts: list[str]) -> str | None:
    """The value before ", so ...", where what follows states none and holds no number."""
    if "=" in parts[0] or not re.search(r"\d", parts[-1]):
        return _from_clause(parts[0])
    return None


def _from_clause(clause: str) -> str | None:
    instruction = _INSTRUCTION.match(clause.lower())
    if instruction is not None:
        reached = list(_TO_GET.finditer(clause))
        if reached:
            return value_prefix(clause[reached[-1].end() :])
        return _assigned_after_instruction(clause)
    if RELATION.search(clause):
        return clause if is_value(clause) else from_sentence(clause)
    if "=" in clause:
        return _from_equality(clause)
    if _is_bare(clause):
        return before_approx(clause)
    if _ONE_WORD.fullmatch(clause):
        return clause
    return from_sentence(clause)


def _is_bare(text: str) -> bool:
    """Whether a text is a value and nothing else, up to a unit or label of three words."""
    words = PROSE_WORD.findall(TEX.sub(" ", text))
    if len(words) > 3 or re.search(r"\s(?:is|are|was|has)\s", text):
        return False
    return bool(VALUE_START.match(text)) and (not words or is_value(text))


def stated_equation(statement: str) -> str:
    """The equation that a statement ends in, whole: ``x^2 + y^2 = 4``; "" if there is none.

    It is an answer only where the reference is an equation: elsewhere its right side is.
    """
    plain = strip_marks(_without_openers(statement)).replace("\\(", " ").replace("\\)", " ")
    relation = plain.find("=")
    if relation < 0:
        return ""
    starts = [m.end() for rule in (_PHRASE, VERB) for m in rule.finditer(plain, 0, relation)]
    for start in (0, *starts):
        text = strip_marks(plain[start:])
        try:
            found = readings(text)
        except TooLarge:
            continue
        if found and isinstance(found[0], v.Chain):
            return text
    return ""


def _from_equality(clause: str) -> str | None:
    """The value of an equality, unless a sentence after it states another."""
    listed = _assigned_list(clause)
    if listed is not None:
        return listed
    tail = SENTENCE_END.split(clause[clause.rfind("=") :], maxsplit=1)[0]
    later = [m.end() for m in VERB.finditer(tail) if m[0] not in (":",) and m[0].lower() != "at"]
    for end in reversed(later):
        value = value_prefix(tail[end:])
        if value is not None:
            return value
    return right_side(clause)


def _assigned_after_instruction(clause: str) -> str | None:
    """``Divide by 4: x = 5`` states x; a bare instruction, or the echoed question, nothing."""
    _, colon, value = clause.rpartition(":")
    if colon and "=" not in value and is_value(strip_marks(value)):
        return strip_marks(value)
    left, equals, right = clause.rpartition("=")
    name = re.split(r"[:,;]|\bto get\b|\bgives\b", left)[-1].strip()
    if not equals or not re.fullmatch(r"(?:\\\(\s*)?[A-Za-z](?:_\w)?", name):
        return None
    return strip_marks(right) or None


def _after_phrase(text: str) -> str | None:
    """The answer at the start of what follows "the answer is"."""
    text = FILLER.sub("", text.strip().lstrip(":=} "), count=1)
    if text.startswith(("$", "\\(")):
        value = value_prefix(text)
        if value is not None:
            return value
    if RELATION.search(text):
        relation = strip_marks(SENTENCE_END.split(text, maxsplit=1)[0])
        return relation if is_value(relation) else None
    if "=" in text and not re.match(r"[-+−$\\]{0,2}\d", text):
        return _from_equality(strip_marks(text.split(". ")[0]))
    value = value_prefix(text)
    if value is not None:
        return value
    clause = strip_marks(re.split(r"\.\s|,\s|\s\(", text, maxsplit=1)[0])
    if re.search(r"\d", clause):
        if re.match(r"[A-Za-z]{3}", clause):
            return from_sentence(clause)
        return clause
    return clause if clause and len(clause.split()) <= 4 else None


_ASSIGN = r"[a-zA-Z](?:_\{?\d\}?)?\s*=\s*(?:[^=,;]{1,60}=\s*){0,2}[^=,;]{1,60}?"
_JOIN = (
    r"(?:\s*,\s*(?:\\quad|\\text\{[^{}]*\})?\s*(?:and\s+|or\s+)?|\s*;\s*|\s+(?:and|or)\s+"
    r"|\s*\\q?quad\s*(?:\\text\{\s*(?:and|or)\s*\})?\s*(?:\\q?quad)?\s*"
    r"|\s*\\text\{\s*(?:and|or)\s*\}\s*)"
)
_ASSIGNED_LIST = re.compile(
    rf"({_ASSIGN}{_JOIN}{_ASSIGN}(?:{_JOIN}{_ASSIGN}){{0,4}})[\s.$]*$", re.IGNORECASE
)


def _assigned_list(text: str) -> str | None:
    """``x = 4 or x = -3`` at the end of a statement is one answer with several values."""
    tail = text[-200:].replace("\\(", " ").replace("\\)", " ")
    if re.search(r"\$\s*[A-Za-z]", tail):
        tail = tail.replace("$", " ")
    match = _ASSIGNED_LIST.search(tail)
    if match is None or (match.start() > 0 and tail[match.start() - 1].isalnum()):
        return None
    return match[1].strip()


def assigned(statement: str) -> tuple[str, str] | None:
    """(name, value) of a statement that assigns a value to a one-letter name, or None."""
    match = _ASSIGNED.fullmatch(strip_marks(_without_openers(statement)))
    return (match[1], match[2].strip()) if match else None


def _without_openers(text: str) -> str:
    text = text.strip()
    for _ in range(4):
        text = text.lstrip(" ,>*_")
        match = _OPENER.match(text)
        if match is None or match.end() == len(text):
            break
        text = text[match.end() :]
    return text
