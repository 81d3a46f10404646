"""The value that one statement states.

    statement := opener* (phrase | equality | bare | sentence)
    phrase    := "the (final) answer is" value tail
    equality  := anything ("=" anything)* "=" value tail      the side before "≈" is the value
    bare      := value                                         "156", "3200 meters", "(4, -1)"
    sentence  := subject verb value tail  |  value "is the" predicate

A value is the longest run of words after the verb that the answer grammar reads. The tail
("at the end", "because ...", "of 80") neither adds to it nor takes it back, but a tail that goes
on calculating ("+ 1") does: then nothing was stated.
"""

from __future__ import annotations

import re

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.answers.tokens import TooLarge

_MAX_WORDS = 12
_OPENER = re.compile(
    r"(?:so|a:|=>|thus|hence|therefore|then|finally|consequently|accordingly|sure|ok(?:ay)?|well"
    r"|now|and"
    r"|in (?:total|all|conclusion|summary)|overall|altogether|step \d+|we (?:get|have|find|obtain)"
    r"|this (?:gives|yields|means)(?: that)?|it follows that|∴|\\therefore)"
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
_VERB = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|equals?|gives?|giving|yields?|becomes?|makes?|get|gets|got"
    r"|have|has|had|costs?|pays?|paid|earn(?:s|ed)?|takes?|needs?|weighs?|leaves?|leaving|remains?"
    r"|left"
    r"|bought|sold|made|won|lost|found|ate|used|drove|walked|ran|gained|produced|collected|gave"
    r"|spends?|spent|saves?|saved|receives?|contains?|holds?|covers?|expands to|simplifies to"
    r"|reduces to|results in|comes (?:out )?(?:to|as)|works out (?:to|as)|amounts? to|equal to"
    r"|evaluates to|turns out to be|be worth|worth|totals?|solutions?|runs?|travels?|to be"
    r"|measures?|(?:ends?|finish(?:es)?|starts?|begins?|arrives?) at"
    r"|to get|es|ist|est)\b|:|⇒|\\implies|\\Rightarrow)(?=\s|\$|\\|$)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\A(?:,?\s*(?:equal to|exactly|about|approximately|roughly|(?:a|the) total of|only|just|then"
    r"|also|now|therefore|thus|hence|indeed|clearly|simply|obviously|finally|given by|there are"
    r"|found to be|then equal to|the (?:point|number|value|pair|ordered pair|fraction|set)"
    r"|at)\b,?\s+)+"
)
_INSTRUCTION = re.compile(
    r"(?:find|compute|calculate|evaluate|determine|solve|simplify|convert|write|express|multiply"
    r"|divide|add|subtract|give|use|round|estimate|expand|factor|list|show|prove|plug|substitute"
    r"|apply|take|consider|recall|set|let|suppose|assume|what|how|which|who|when|where|why|first"
    r"|next|note|combine|distribute|answer with|think)\b"
)
_TO_GET = re.compile(r"\bto (?:get|obtain|find|give)\s+(?=[-+−$\\(]{0,3}\d)")
_SPAN = re.compile(r"\$((?:\\.|[^$\\]){1,300})\$|\\\((.{1,300}?)\\\)")
_CALCULATES_ON = re.compile(
    r"\s*(?:[+*/^×÷=<>≤≥%]|-(?:\s|$)|\\(?:times|cdot|div|pm)\b|!"
    r"|(?:more|less|fewer|greater|smaller|larger|higher|lower|times|plus|minus|or|factorial|over"
    r"|choose|mod"
    r"|divided|multiplied|squared|cubed)\b"
    r"|\(mod\b|out of\b|(?:degrees? )?below zero|(?:to|through|and|or)\s+[-\d$A-Z])"
)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|smaller|larger|rather|other) than$|\bat (?:least|most)$"
    r"|\b(?:over|under|nearly|almost|close to|twice|half|double|not)$"
)
_VALUE_START = re.compile(r"[-+−$€£¥\\(\[{|√π∞½⅓¼¾.\d]|[A-Za-z](?![A-Za-z])|sqrt|US")
_PROSE_AFTER_COMMA = re.compile(r",\s+(?!and\b|or\b)(?=[a-z]{3})|\s\((?!mod)(?=[^()]*[a-z]{3})")
_COMMA_CLAUSE = re.compile(
    r"(?<=[^,]),\s+(?:and\s+)?"
    r"(?:so|thus|hence|therefore|which (?:means|gives|makes|simplifies to|becomes))\b[:,]?\s*"
)
_ASIDE = re.compile(
    r",\s+(?:which (?:is|are|was|equals)|since|because|as|where)\b"
    r"|\s(?:because|since|given that)\s"
)
_RELATION = re.compile(r"[<>≤≥≠]|!=|\\(?:leq?|geq?|neq?|lt|gt)(?![A-Za-z])")
_ONE_WORD = re.compile(r"[A-Z][a-z]{1,20}")
_SENTENCE_END = re.compile(r"[.;]\s")
_STRONG_APPROX = re.compile(r"\s*(?:≈|\\approx\b|≃|~=)")
_PROSE_WORD = re.compile(r"[A-Za-z]{3,}")
_TEX = re.compile(
    r"\\(?:text|mathrm|textbf|mathbf)\s*\{[^{}]*\}|\\[A-Za-z]+|\b(?:sqrt|pi|sin|cos|tan|log|ln)\b"
)
_ASSIGNED = re.compile(r"([A-Za-z](?:_\{?\w\}?)?)\s*=\s*(?:[^=]*=\s*)*([^=]{1,60})")


def stated_value(statement: str) -> str | None:
    """The text of the value that a statement states, or None.

    >>> stated_value("So the speed is 80 km/h because it took 3 hours.")
    '80 km/h'
    >>> stated_value("20 is 25% of 80."), stated_value("Divide 50 by 60.")
    ('25%', None)
    """
    plain = strip_marks(_without_openers(statement))
    if not plain:
        return None
    phrases = [match.end() for match in _PHRASE.finditer(plain)]
    if phrases and phrases[-1] < len(plain):
        return _after_phrase(plain[phrases[-1] :])
    called = _CALLED_ANSWER.search(plain)
    if called is not None:
        return stated_value(plain[: called.start()])
    plain = _ASIDE.split(plain, maxsplit=1)[0]
    parts = [strip_marks(part) for part in _COMMA_CLAUSE.split(plain)]
    if len(parts) > 1 and parts[-1]:
        return _from_clause(parts[-1]) or _equality_or_none(parts[0])
    return _from_clause(strip_marks(plain))


def is_labelled(statement: str) -> bool:
    """Whether a statement begins by calling its value the answer: ``Answer: 7``."""
    return _LABEL.match(strip_marks(_without_openers(statement))) is not None


def _equality_or_none(clause: str) -> str | None:
    """The value of the clause before ", which is 3/8 in lowest terms" if it is an equality."""
    return _right_side(clause) if "=" in clause else None


def _from_clause(clause: str) -> str | None:
    instruction = _INSTRUCTION.match(clause.lower())
    if instruction is not None:
        reached = list(_TO_GET.finditer(clause))
        if reached:
            return value_prefix(clause[reached[-1].end() :])
        return _assigned_after_instruction(clause)
    if _RELATION.search(clause):
        return clause if is_value(clause) else _from_sentence(clause)
    if "=" in clause:
        return _from_equality(clause)
    if _is_bare(clause):
        return _before_approx(clause)
    if _ONE_WORD.fullmatch(clause):
        return clause
    return _from_sentence(clause)


def _is_bare(text: str) -> bool:
    """Whether a text is a value and nothing else, up to a unit or label of three words."""
    words = _PROSE_WORD.findall(_TEX.sub(" ", text))
    if len(words) > 3 or re.search(r"\s(?:is|are|was|has)\s", text):
        return False
    return bool(_VALUE_START.match(text)) and (not words or is_value(text))


def stated_equation(statement: str) -> str:
    """The equation that a statement ends in, whole: ``x^2 + y^2 = 4``; "" if there is none.

    It is an answer only where the reference is an equation: elsewhere its right side is.
    """
    plain = strip_marks(_without_openers(statement)).replace("\\(", " ").replace("\\)", " ")
    relation = plain.find("=")
    if relation < 0:
        return ""
    starts = [m.end() for rule in (_PHRASE, _VERB) for m in rule.finditer(plain, 0, relation)]
    for start in (0, *starts):
        text = strip_marks(plain[start:])
        try:
            found = readings(text)
        except TooLarge:
            continue
        if found and isinstance(found[0], v.Chain):
            return text
    return ""


def is_value(text: str) -> bool:
    """Whether the answer grammar reads a text as mathematics, not as words."""
    try:
        found = readings(text)
    except TooLarge:
        return False
    return bool(found) and not isinstance(found[0], v.Words | v.Opaque)


def value_prefix(text: str) -> str | None:
    """The longest run of leading words that is a value; None if the text starts with none."""
    text = _FILLER.sub("", text.strip(), count=1).strip()
    text = re.sub(r"\A(?:minus|negative)\s+(?=[\d$])", "-", text)
    span = _SPAN.match(text)
    if span is not None and not (span[1] and _PROSE_WORD.search(_TEX.sub(" ", span[1]))):
        return _several_spans(text) or _from_span(span[1] or span[2], text[span.end() :])
    if not _VALUE_START.match(text):
        return None
    words = _PROSE_AFTER_COMMA.split(text, maxsplit=1)[0].split()[:_MAX_WORDS]
    for count in range(len(words), 0, -1):
        candidate = strip_marks(" ".join(words[:count]))
        if (
            candidate
            and re.search(r"\d|[π∞√\\]|^[a-zA-Z]$|[a-z]\^", candidate)
            and is_value(candidate)
        ):
            rest = " ".join(words[count:])
            article = len(candidate) == 1 and candidate.isalpha() and rest
            return None if article or _CALCULATES_ON.match(rest) else _trimmed(candidate)
    return None


def _trimmed(value: str) -> str:
    """Without the prepositions that a label may end in: ``20 zeros at the`` is ``20 zeros``."""
    words = value.split()
    for index, word in enumerate(words[1:], 1):
        if word.lower().strip(",") in _PREPOSITIONS:
            return " ".join(words[:index])
    return value


_PREPOSITIONS = {"at", "of", "in", "after", "for", "from", "on", "by", "below", "above", "with",
                 "to", "because", "since", "as", "when", "that", "which", "if", "left", "the",
                 "back", "between", "into", "over", "while", "than"}  # fmt: skip


def _several_spans(text: str) -> str | None:
    """``$7$ and $9$`` is one answer with two values."""
    inside, position = [], 0
    while (span := _SPAN.match(text, position)) is not None:
        inside.append((span[1] or span[2]).strip())
        joint = _BETWEEN.match(text, span.end())
        if joint is None:
            return " and ".join(inside) if len(inside) > 1 else None
        position = joint.end()
    return None


_BETWEEN = re.compile(r"\s*(?:,\s*(?:and|or)?|and|or)\s*(?=\$|\\\()")


def _from_span(inside: str, rest: str) -> str | None:
    """A formula in the sentence, with the unit that follows it."""
    if _CALCULATES_ON.match(rest):
        return None
    if _RELATION.search(inside):
        return inside.strip()
    inner = _right_side(inside) if "=" in inside else _before_approx(inside.strip())
    unit = re.match(r"\s+([A-Za-z°]+(?:/[A-Za-z]+)?(?:\^?\d|[²³])?)(?=[\s.,;)]|$)", rest)
    if inner and unit and is_value(f"{inner} {unit[1]}") and unit[1].lower() not in _PREPOSITIONS:
        return f"{inner} {unit[1]}"
    return inner


def _before_approx(text: str) -> str:
    head = _STRONG_APPROX.split(text, maxsplit=1)[0].strip()
    return head if re.search(r"[\d\\π√]", head) else text


def _from_equality(clause: str) -> str | None:
    """The value of an equality, unless a sentence after it states another."""
    listed = _assigned_list(clause)
    if listed is not None:
        return listed
    tail = _SENTENCE_END.split(clause[clause.rfind("=") :], maxsplit=1)[0]
    later = [m.end() for m in _VERB.finditer(tail) if m[0] not in (":",) and m[0].lower() != "at"]
    for end in reversed(later):
        value = value_prefix(tail[end:])
        if value is not None:
            return value
    return _right_side(clause)


def _right_side(text: str) -> str | None:
    """What follows the last "=" before any "≈": the value a chain of equalities ends in."""
    plain = _STRONG_APPROX.split(text.replace("\\(", " ").replace("\\)", " "), maxsplit=1)
    exact = plain[0] if "=" in plain[0] else text.replace("\\(", " ").replace("\\)", " ")
    if exact.count("$") % 2 == 1 and not re.search(r"\$\s*\d", exact[exact.rfind("=") :]):
        exact = exact.replace("$", " ")
    right = _SENTENCE_END.split(exact.rpartition("=")[2], maxsplit=1)[0].strip()
    right = re.sub(r"\s\$(?=\s|[.,;]|$)|(?<=[\d}])\$(?=\s|[.,;]|$)", " ", right)
    if _PROSE_WORD.search(_TEX.sub(" ", right)):
        return value_prefix(right)
    return strip_marks(right) or None


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


_STATED_WORD = re.compile(r"\bis ((?:[A-Z][a-z]{2,}|true|false|yes|no)\b)$")
_SUBJECT = re.compile(
    r"(.{1,40}?)\s+(?:is|are)\s+(?:(?:the|a|an|our)\s"
    r"|(?:left|remaining|needed|required|possible|in total|there)\b)"
)


def _from_sentence(sentence: str) -> str | None:
    head, colon, _ = sentence.partition(": ")
    if colon:  # "There are 3 primes: 2, 3, 5" states 3, "The primes are: 2, 3, 5" the list
        value = _from_sentence(head)
        if value is not None:
            return value
    for verb in reversed(list(_VERB.finditer(sentence))[-8:]):
        value = value_prefix(sentence[verb.end() :])
        if value is not None:
            bound = _BOUND.search(sentence[: verb.start()].rstrip().lower())
            return None if bound else value
    word = _STATED_WORD.search(sentence)
    if word is not None:
        return word[1]
    subject = _SUBJECT.match(sentence)
    if subject is not None and is_value(strip_marks(subject[1])):
        return strip_marks(subject[1])
    return None


def _after_phrase(text: str) -> str | None:
    """The answer at the start of what follows "the answer is"."""
    text = _FILLER.sub("", text.strip().lstrip(":= "), count=1)
    if text.startswith(("$", "\\(")):
        value = value_prefix(text)
        if value is not None:
            return value
    if _RELATION.search(text):
        relation = strip_marks(_SENTENCE_END.split(text, maxsplit=1)[0])
        return relation if is_value(relation) else None
    if "=" in text and not re.match(r"[-+−$\\]{0,2}\d", text):
        return _from_equality(strip_marks(text.split(". ")[0]))
    value = value_prefix(text)
    if value is not None:
        return value
    clause = strip_marks(re.split(r"\.\s|,\s|\s\(", text, maxsplit=1)[0])
    if re.search(r"\d", clause):
        if re.match(r"[A-Za-z]{3}", clause):
            return _from_sentence(clause)
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


def strip_marks(text: str) -> str:
    """Without emphasis, code and formula marks around the whole, and final punctuation."""
    plain = text.strip()
    for _ in range(4):
        before = plain
        plain = plain.strip().strip("`").removeprefix("**").removesuffix("**").strip()
        if len(plain) > 1 and plain[0] == plain[-1] == "$" and plain.count("$") == 2:
            plain = plain[1:-1].strip()
        if plain.startswith("\\(") and plain.endswith("\\)") and plain.count("\\(") == 1:
            plain = plain[2:-2].strip()
        plain = plain.rstrip(".;,").strip()
        if len(plain) > 2 and plain[0] == plain[-1] == '"':
            plain = plain[1:-1].strip()
        if plain.endswith("!") and not re.search(r"\d!$", plain):
            plain = plain[:-1].strip()
        if plain == before:
            break
    return plain
