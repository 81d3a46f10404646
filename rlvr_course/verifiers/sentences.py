"""The value that one sentence states, after its verb.

A value is the longest run of words after the verb that the answer grammar reads. The tail
("at the end", "because ...", "of 80") neither adds to it nor takes it back, but a tail that goes
on calculating ("+ 1", "times 2") does: then nothing was stated.
"""

from __future__ import annotations

import re

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.answers.tokens import TooLarge

_MAX_WORDS = 12
VERB = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|equals?|gives?|giving|yields?|becomes?|makes?|get|gets|got"
    r"|have|has|had|costs?|pays?|paid|earn(?:s|ed)?|takes?|needs?|weighs?|leaves?|leaving|remains?"
    r"|left"
    r"|bought|sold|made|won|lost|found|ate|used|drove|walked|ran|gained|produced|collected|gave"
    r"|obtain(?:s|ed)?|\w+'s|took|adds up to|started with|starts with|practices?"
    r"|spends?|spent|saves?|saved|receives?|contains?|holds?|covers?|expands to|simplifies to"
    r"|reduces to|results in|comes (?:out )?(?:to|as)|works out (?:to|as)|amounts? to|equal to"
    r"|evaluates to|turns out to be|be worth|worth|totals?|solutions?|runs?|travels?|to be"
    r"|measures?|(?:ends?|finish(?:es)?|starts?|begins?|arrives?) at"
    r"|to get|es|ist|est)\b|:|⇒|\\implies|\\Rightarrow)(?=\s|\$|\\|$)",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"\A(?:,?\s*(?:equal to|exactly|(?:a|the) total of"
    r"|an? (?:profit|loss|distance|probability|value|speed|area|length|sum|price|cost|score) of"
    r"|only|just|then|us|me|him|her|them"
    r"|you|[A-Z][a-z]{2,}(?= [-$\d\\(])"
    r"|also|now|therefore|thus|hence|indeed|clearly|simply|obviously|finally|given by|there are"
    r"|found to be|then equal to|left with"
    r"|the (?:point|number|value|pair|ordered pair|fraction|set)"
    r"|at)\b,?\s+)+"
)
_SPAN = re.compile(r"\$((?:\\.|[^$\\]){1,300})\$|\\\((.{1,300}?)\\\)")
_CALCULATES_ON = re.compile(
    r"\s*(?:[+*/^×÷=<>≤≥%]|-(?:\s|$)|\\(?:times|cdot|div|pm)\b|!"
    r"|(?:more|less|fewer|greater|smaller|larger|higher|lower|times|plus|minus|or|factorial"
    r"|over(?= [-\d$\\])"
    r"|choose|mod|than"
    r"|divided|multiplied|squared|cubed)\b"
    r"|\(mod\b|out of\b|(?:degrees? )?below zero|(?:to|through|and|or)\s+[-\d$A-Z])"
)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|smaller|larger|rather|other) than$|\bat (?:least|most)$"
    r"|\b(?:over|under|nearly|almost|close to|twice|half|double|not)$"
)
VALUE_START = re.compile(r"[-+−$€£¥\\(\[{|√π∞½⅓¼¾.\d]|[A-Za-z](?![A-Za-z])|sqrt|US")
_PROSE_AFTER_COMMA = re.compile(r",\s+(?!and\b|or\b)(?=[a-z]{3})|\s\((?!mod)(?=[^()]*[a-z]{3})")
RELATION = re.compile(r"[<>≤≥≠]|!=|\\(?:leq?|geq?|neq?|lt|gt)(?![A-Za-z])")
SENTENCE_END = re.compile(r"[.;]\s")
_STRONG_APPROX = re.compile(r"\s*(?:≈|\\approx\b|≃|~=)")
PROSE_WORD = re.compile(r"[A-Za-z]{3,}")
TEX = re.compile(
    r"\\(?:text|mathrm|textbf|mathbf)\s*\{[^{}]*\}|\\[A-Za-z]+|\b(?:sqrt|pi|sin|cos|tan|log|ln)\b"
)


def is_value(text: str) -> bool:
    """Whether the answer grammar reads a text as mathematics, not as words."""
    try:
        found = readings(text)
    except TooLarge:
        return False
    return bool(found) and not isinstance(found[0], v.Words | v.Opaque)


def value_prefix(text: str) -> str | None:
    """The longest run of leading words that is a value; None if the text starts with none."""
    text = FILLER.sub("", text.strip(), count=1).strip()
    text = re.sub(r"\A(?:minus|negative)\s+(?=[\d$])", "-", text)
    span = _SPAN.match(text)
    if span is not None and not (span[1] and PROSE_WORD.search(TEX.sub(" ", span[1]))):
        return _several_spans(text) or _from_span(span[1] or span[2], text[span.end() :])
    if not VALUE_START.match(text):
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
            unfinished = bool(rest) and words[count - 1] in ("times", "plus", "minus")
            if article or unfinished or _CALCULATES_ON.match(rest):
                return None
            return _trimmed(candidate)
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
                 "back", "between", "into", "over", "while", "than"}  # fmt: skip  # fmt: skip


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
    if RELATION.search(inside):
        return inside.strip()
    inner = right_side(inside) if "=" in inside else before_approx(inside.strip())
    unit = re.match(r"\s+([A-Za-z°]+(?:/[A-Za-z]+)?(?:\^?\d|[²³])?)(?=[\s.,;)]|$)", rest)
    if inner and unit and is_value(f"{inner} {unit[1]}") and unit[1].lower() not in _PREPOSITIONS:
        return f"{inner} {unit[1]}"
    return inner


def before_approx(text: str) -> str:
    head = _STRONG_APPROX.split(text, maxsplit=1)[0].strip()
    return head if re.search(r"[\d\\π√]", head) else text


def right_side(text: str) -> str | None:
    """What follows the last "=" before any "≈": the value a chain of equalities ends in."""
    plain = _STRONG_APPROX.split(text.replace("\\(", " ").replace("\\)", " "), maxsplit=1)
    exact = plain[0] if "=" in plain[0] else text.replace("\\(", " ").replace("\\)", " ")
    if exact.count("$") % 2 == 1 and not re.search(r"\$\s*\d", exact[exact.rfind("=") :]):
        exact = exact.replace("$", " ")
    right = SENTENCE_END.split(exact.rpartition("=")[2], maxsplit=1)[0].strip()
    right = re.sub(r"\s\$(?=\s|[.,;]|$)|(?<=[\d}])\$(?=\s|[.,;]|$)", " ", right)
    if PROSE_WORD.search(TEX.sub(" ", right)):
        return value_prefix(right)
    return strip_marks(right) or None


_STATED_WORD = re.compile(r"\bis ((?:[A-Z][a-z]{2,}|true|false|yes|no)\b)$")
LETTERED = re.compile(r"(?:option|choice)\s*(\(?[A-J]\)?)", re.IGNORECASE)
_OPTION = re.compile(r"\b(?:[Oo]ption|[Cc]hoice) \(?([A-J])\)? is (?:the )?(?:correct|right)")
_SUBJECT = re.compile(
    r"(.{1,40}?)\s+(?:is|are)\s+(?:(?:the|a|an|our)\s"
    r"|(?:left|remaining|needed|required|possible|in total|there)\b)"
)


def _after_a_verb(sentence: str) -> str | None:
    for verb in reversed(list(VERB.finditer(sentence))[-8:]):
        value = value_prefix(sentence[verb.end() :])
        if value is not None:
            bound = _BOUND.search(sentence[: verb.start()].rstrip().lower())
            return None if bound else value
    return None


def from_sentence(sentence: str) -> str | None:
    """The one value that a sentence states: after its last verb, as its subject, or alone."""
    sentence = re.sub(r"(?<=\d)!$", "", sentence)  # a sentence's own mark, not a factorial
    head, colon, _ = sentence.partition(": ")
    if colon:  # "There are 3 primes: 2, 3, 5" states 3, "The primes are: 2, 3, 5" the list
        value = _after_a_verb(head)
        if value is not None:
            return value
    value = _after_a_verb(sentence)
    if value is not None:
        return value
    word = _STATED_WORD.search(sentence)
    if word is not None:
        return word[1]
    option = _OPTION.search(sentence)
    if option is not None:
        return option[1]
    subject = _SUBJECT.match(sentence)
    named = strip_marks(subject[1]) if subject is not None else ""
    if re.search(r"[\d\\]", named) and is_value(named):
        return named
    if re.match(r"[-$\d]", sentence):
        return value_prefix(sentence)
    return _only_number(sentence)


_NUMBER = re.compile(r"(?<![\w.,^_{])[-+]?(?:\\?\$)?\d[\d,]*(?:\.\d+)?")
_COUNTS = re.compile(r"\b(?:[a-z]{3,}|total of)\s+\$?$")
_REFERS = re.compile(
    r"\b(?:step|problem|question|part|line|chapter|exercise|case|example|figure|equation|of|from"
    r"|after|before|than|per|only|least|most|what|which|how|input|output|had|given|are|if|that|with"
    r"|by|for|twice|thrice|half|double|triple|nearly|almost|close|below|above|around|to|times"
    r"|number|until|about|between|over|under|and|not|or)\s+\$?$",
    re.IGNORECASE,
)


def _only_number(sentence: str) -> str | None:
    """``She practises 2.5 hours a day``: the one number of a sentence, after a word that counts."""
    numbers = list(_NUMBER.finditer(sentence))
    if len(numbers) != 1:
        return None
    before = sentence[: numbers[0].start()]
    counted = _COUNTS.search(before) and (
        "total of" in before.lower() or not _REFERS.search(before)
    )
    return value_prefix(sentence[numbers[0].start() :]) if counted else None


_EMPHASISED = re.compile(r"\A(\*{1,3}|_{1,2})([^*_].*?)\1\Z", re.DOTALL)


def strip_marks(text: str) -> str:
    """Without emphasis, code and formula marks around the whole, and final punctuation."""
    plain = text.strip()
    for _ in range(4):
        before = plain
        plain = _EMPHASISED.sub(r"\2", plain.strip().strip("`")).strip()
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
