"""Answers without a box: what a response's last statement commits to.

Only the *last* statement counts, after code blocks and offers to check ("Let's confirm ...") are
left aside: a response that goes on working, or was cut while it did, has committed to nothing.
The statement must be a bare answer (``156``, ``12*13 = 156``) or a sentence that states one value
("So the speed is 80 km/h."). A refusal, a hedge, a question or an instruction commits to nothing.
"""

from __future__ import annotations

import re

_MAX_STATEMENT = 600
_TAIL = 6_000
"""Characters from the end that are searched for a statement."""

_FENCE = re.compile(r"```[^\n]{0,40}\n.{0,6000}?(?:```|\Z)", re.DOTALL)
_REFUSAL = re.compile(
    r"\b(?:(?:i|we)(?: am| are|'m|'re)? (?:can ?not|can't|could not|couldn't|unable|not able"
    r"|do not know|don't know|not sure|have no|refuse|won't|will not|give up|must decline)"
    r"|sorry|(?:can ?not|can't|could not|couldn't) be (?:determined|solved|answered|found|computed)"
    r"|cannot (?:answer|solve|determine|help)|unable to|not enough information|insufficient"
    r"|impossible to (?:say|tell|know|determine|solve)|as an ai|no idea)\b"
)
_HEDGE = re.compile(
    r"\b(?:could be|might be|may be|maybe|perhaps|possibly|probably|hard to say|not certain"
    r"|unsure|i guess|guess(?:ing)?|either|one of|or so|can't decide|i think it|either way"
    r"|let me (?:check|try|think|see)|wait|hmm)\b"
)
_FOLLOW_UP = re.compile(
    r"(?:now,? )?(?:let'?s|let us|we can|you can|i will|i'll|we'll|to) (?:now )?(?:\w+ )?"
    r"(?:confirm|verify|check|double|validate|use python|run)"
    r"|here(?:'s| is) (?:the|a|why|how)\b|note that|this is already|check:|verification"
    r"|(?:explanation|reason(?:ing)?|proof|working|steps?|justification)\b|because"
    r"|i hope|hope this|please let|let me know|feel free|if you (?:have|need)"
)
_INSTRUCTION = re.compile(
    r"(?:find|compute|calculate|evaluate|determine|solve|simplify|convert|write|express|multiply"
    r"|divide|add|subtract|give|use|round|estimate|expand|factor|list|show|prove|plug|substitute|apply"
    r"|take|consider|recall|set|let|suppose|assume|what|how|which|who|when|where|why|first|next"
    r"|step|note|combine|distribute|answer with|think)\b"
)
_ANSWER_PHRASE = re.compile(
    r"(?:final |correct |right |exact |required |desired )?"
    r"(?:answer|result|solution|ans|option|choice)s?"
    r"(?:\s+(?:to|of|for)\s+[^:.=\n]{1,60}?)?"
    r"(?:\s+(?:is|are|was|would be|must be|equals|comes? (?:out )?to)\b|\s*(?::|=|→|->))\s*",
    re.IGNORECASE,
)
_CALLED_ANSWER = re.compile(
    r"\s+(?:is|are)\s+(?:the|our|my)\s+(?:\w+\s+)?(?:answer|result|solution)s?\b"
)
_STATES = re.compile(
    r"(?:\b(?:is|are|was|were|equals?|gives?|yields?|becomes?|makes?|get|gets|have|has|be|costs?"
    r"|pays?|earns?|takes?|needs?|weighs?|leaves?|remains?|sold|left|total(?:s|ed)?|spends?|saves?"
    r"|expands to|simplifies to|reduces to|comes to|amounts? to|equal to|evaluates to|solutions?"
    r"|runs?|travels?|es|ist|est)\b|:|⇒|\\implies|\\Rightarrow)(?=\s|\$|\\|$)",
    re.IGNORECASE,
)
_MARKERS = re.compile(r"(?:^|\n)[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(?=\S)")
_BREAK = re.compile(r"\n|(?<=[.!?;])[\"')*]{0,2}\s+(?=[^\W\d_a-z]|\\|\$|\*)")
_EMPHASIS = re.compile(r"(?<![\w)*])\*\*(?=\S)|(?<=\S)\*\*(?![\w(*])")
_ALIGNED = re.compile(
    r"(?:\\\[|\$\$)?\s*\\begin\{((?:align|aligned|equation|gather|gathered|split|eqnarray)\*?)\}"
    r"(.{0,3000}?)\\end\{\1\}\s*(?:\\\]|\$\$)?",
    re.DOTALL,
)
_DENIED = re.compile(
    r"\b(?:not|never|nobody|no one|whether|false|wrong|mistake|mistaken|incorrect|cannot)\b|n't\b"
    r"|\b(?:to|must|let us|let's|us|please|we) (?:show|prove|check|verify)\b|^\s*(?:prove|show)\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|though|which)\b[^.]*\b(?:wrong|incorrect|mistaken|false|impossible"
    r"|not (?:right|correct|possible))\b|\b(?:is|was) (?:wrong|incorrect|a mistake|not right)\b"
)
_DISPLAY = re.compile(r"\\\[(.{0,2000}?)\\\]|\$\$(.{0,2000}?)\$\$", re.DOTALL)
_VALUE = re.compile(
    r"[-+−]?\s*(?:\\?[$€£]\s*)?(?:\d[\d,]*(?:\.\d+)?|\.\d+)"
    r"(?:\s+\d+/\d+|\s*/\s*\d+|\s*[eE][-+]?\d+)?(?:\s*\\?%)?"
)


def committed_statement(text: str) -> tuple[str, str]:
    """The answer text of the last statement, with how it was found.

    Returns:
        (text, "statement"), or ("", reason) where reason is "refusal", "hedge", "question" or
        "no_committed_answer".
    """
    statements = _statements(text)
    while statements and _FOLLOW_UP.match(statements[-1].lower().lstrip("*_ ")):
        statements.pop()
    if not statements:
        return "", "no_committed_answer"
    last = statements[-1]
    low = " ".join(last.lower().replace("’", "'").split())
    if _REFUSAL.search(low):
        return "", "refusal"
    if _HEDGE.search(low):
        return "", "hedge"
    if last.rstrip("*_ ").endswith("?"):
        return "", "question"
    if "\\boxed" in last:
        return "", "unclosed_box"
    answer = _stated(last)
    return (answer, "statement") if answer else ("", "no_committed_answer")


def _statements(text: str) -> list[str]:
    """Sentences, lines and displayed formulas of the last part of a text, without code."""
    tail = text[-_TAIL:]
    tail = _FENCE.sub("\n\n", tail).replace("```", "\n\n")
    if "\\begin{" in tail:
        tail = _ALIGNED.sub(_unaligned, tail)
    tail = _DISPLAY.sub(lambda m: _as_line(m[1] or m[2] or ""), tail)
    tail = _EMPHASIS.sub("", _MARKERS.sub("\n", tail))
    parts = [part.strip() for part in _BREAK.split(tail) if part]
    return [part for part in parts if part.strip("*_`#-. \t")]


def _as_line(formula: str) -> str:
    return f"\n$ {' '.join(formula.split()).rstrip('.,; ')} $\n"


def _unaligned(match: re.Match[str]) -> str:
    """The last line of an aligned formula, without its alignment marks."""
    lines = [line for line in match[2].split("\\\\") if line.strip()]
    return _as_line(lines[-1].replace("&", " ")) if lines else "\n"


def _stated(statement: str) -> str | None:
    answer = _positive_statement(statement)
    if answer is None or _TAKEN_BACK.search(statement.lower()):
        return None
    before = statement[: statement.rfind(answer)] if answer in statement else statement
    clause = re.split(
        r"[;:]\s|,\s(?=(?:so|the|it|then|thus|hence|therefore|i|we)\b)", before.lower()
    )[-1]
    return None if _DENIED.search(clause.replace("’", "'")) else answer


def _positive_statement(statement: str) -> str | None:
    if len(statement) > _MAX_STATEMENT:
        return None
    phrases = [match.end() for match in _ANSWER_PHRASE.finditer(statement)]
    if phrases and phrases[-1] < len(statement.rstrip()):
        return _leading_answer(statement[phrases[-1] :])
    called = _CALLED_ANSWER.search(statement)
    if called is not None:
        statement = statement[: called.start()]
    plain = _strip_marks(statement)
    if not plain:
        return None
    instruction = _INSTRUCTION.match(plain.lower())
    if "=" in plain:
        return _right_side(plain, instruction=instruction is not None)
    if instruction:
        return None
    bare = not _WORD.search(_WITHOUT_TEX.sub(" ", plain)) and not _COPULA.search(plain)
    if bare or _is_short_value(plain):
        return plain
    return _from_sentence(plain)


_WORD = re.compile(r"[A-Za-z]{3,}")
_COPULA = re.compile(r"\s(?:is|are)\s")
_WITHOUT_TEX = re.compile(
    r"\\(?:text|mathrm)\s*\{[^{}]*\}|\\[A-Za-z]+|\b(?:sqrt|pi|sin|cos|log|ln)\b"
)


def _is_short_value(text: str) -> bool:
    """A value with a unit or label and nothing else: ``3200 meters``, ``$5 million``."""
    match = _VALUE.match(text)
    if match is None:
        return False
    rest = text[match.end() :].strip(" .")
    return len(rest.split()) <= 3 and not re.search(r"\d", rest)


def _strip_marks(text: str) -> str:
    """Without emphasis, code and formula marks around the whole."""
    plain = text.strip()
    for _ in range(4):
        before = plain
        plain = plain.strip().strip("`").removeprefix("**").removesuffix("**").strip()
        if len(plain) > 1 and plain[0] == plain[-1] == "$" and plain.count("$") == 2:
            plain = plain[1:-1].strip()
        if plain.startswith("\\(") and plain.endswith("\\)") and plain.count("\\(") == 1:
            plain = plain[2:-2].strip()
        plain = plain.rstrip(".;,").strip()
        if plain == before:
            break
    return plain


def _leading_answer(text: str) -> str | None:
    """The answer at the start of what follows "the answer is": up to the end of its clause."""
    text = _FILLER.sub("", text.strip().lstrip(":= "), count=1)
    for opening, closing in (("\\(", "\\)"), ("$", "$"), ("`", "`")):
        if text.startswith(opening):
            end = text.find(closing, len(opening))
            inside = text[len(opening) : end] if end > 0 else ""
            if end > 0 and not (opening == "$" and re.match(r"[\d.,]+\s+\w", inside)):
                return _right_side(inside, instruction=False) or inside.strip() or None
    clause = text[: _clause_end(text)]
    clause = _strip_marks(clause)
    if "=" in clause:
        return _right_side(clause, instruction=False)
    if not clause or _STARTS_VALUE.match(clause):
        return clause or None
    if re.search(r"\d", clause):
        return _from_sentence(clause)
    return clause if len(clause.split()) <= 4 else None


_STARTS_VALUE = re.compile(
    r"[-+−$€£¥\\(\[{|√π∞½⅓¼¾.\d]|[A-Za-z](?![A-Za-z])|(?:sqrt|pi|sin|cos|tan|ln|log|exp|no)\b"
)
_CLAUSE_END = re.compile(
    r"[()\[\]{}]|,(?=\s+[a-z]{2})|\s+(?:because|since|so|as|which|where|when|but|by|for|in total)\b"
    r"|\.\s|\s[-–—]\s+(?=[a-z]{3})|\s\((?=[^()]*[a-z]{3})|!(?:\s|$)"
)


def _clause_end(text: str) -> int:
    """Where the clause that starts a text ends: at a connective outside all brackets."""
    depth = 0
    for match in _CLAUSE_END.finditer(text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif depth <= 0 and not re.match(r",\s+(?:and|or)\b", text[match.start() :]):
            return match.start()
    return len(text)


def _right_side(text: str, *, instruction: bool) -> str | None:
    """What follows the last "=": the value a chain of equalities ends in."""
    plain = text.replace("\\(", " ").replace("\\)", " ")
    if plain.count("$") % 2 == 0 and "\\" in plain:
        plain = re.sub(r"\$(?=\s|[.,;:]|$)|(?<!\S)\$(?!\d)", " ", plain)
    listed = _assigned_list(plain)
    if listed is not None:
        return listed
    left, _, right = plain.rpartition("=")
    if instruction:
        name = re.split(r"[:,;]|\bto get\b|\bgives\b", left)[-1].strip()
        if not re.fullmatch(r"[A-Za-z](?:_\w)?", name):
            return None
    right = _AFTER_VALUE.split(right)[0]
    return _strip_marks(right) or None


_AFTER_VALUE = re.compile(r"[.;]\s|,\s+(?:so|which|and the|where|since|because)\b|\s+because\b")
_ASSIGN = r"[a-zA-Z](?:_\{?\d\}?)?\s*=\s*[^=,;]{1,60}?"
_ASSIGNED_LIST = re.compile(
    rf"({_ASSIGN}(?:\s*,\s*(?:and\s+|or\s+)?|\s*;\s*|\s+(?:and|or)\s+){_ASSIGN}"
    rf"(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){_ASSIGN}){{0,4}})[\s.$]*$"
)


def _assigned_list(text: str) -> str | None:
    """``x = 4 or x = -3`` at the end of a statement is one answer with several values."""
    tail = text[-200:]
    match = _ASSIGNED_LIST.search(tail)
    if match is None or (match.start() > 0 and tail[match.start() - 1].isalnum()):
        return None
    return match[1].strip()


def _from_sentence(sentence: str) -> str | None:
    """The one value that a sentence states, after its last verb or as its only number."""
    sentence = re.sub(r"\s*\([^()]*[a-z]{3}[^()]*\)$", "", sentence)
    verbs = [match.end() for match in _STATES.finditer(sentence)]
    for end in reversed(verbs[-6:]):
        stated = _value_at_start(sentence[end:])
        if stated is not None:
            return stated
    numbers = [m for m in _VALUE.finditer(sentence) if m[0].strip()]
    if len(numbers) == 1 and verbs:
        match = numbers[0]
        return match[0].strip() if _stands_alone(sentence, match) else None
    return None


_FILLER = re.compile(
    r"\A(?:,?\s*(?:equal to|exactly|about|approximately|roughly|(?:a|the) total of|only|just|then"
    r"|also|now|therefore|thus|hence|indeed|clearly|simply|obviously|finally|given by"
    r"|found to be)\b,?\s+)+"
)
_PHRASE_AFTER = re.compile(r"\s*[a-zA-Z°²³/%^\\{} ]+(?:at|of|in|after|for|from|per)\b")


def _value_at_start(text: str) -> str | None:
    text = text.strip().removeprefix("\\(").strip()
    text = _FILLER.sub("", text, count=1)
    formula = re.match(r"\$([^$]{1,300})\$|\\\((.{1,300}?)\\\)", text)
    inside = (formula[1] or formula[2]).strip() if formula else ""
    if formula and inside and not _WORD.search(_WITHOUT_TEX.sub(" ", inside)):
        unit = re.match(r"\s+[A-Za-z]+(?:/[a-z]+)?(?=[.\s]|$)", text[formula.end() :])
        return inside + (unit[0] if unit and len(text[formula.end() :].split()) <= 3 else "")
    cleaned = _strip_marks(text.replace("\\(", " ").replace("\\)", " "))
    if not cleaned or len(cleaned) > 120:
        return None
    pure = not _WORD.search(_WITHOUT_TEX.sub(" ", cleaned))
    if pure and re.search(r"\d|\\|[a-zπ∞]", cleaned):
        return cleaned
    match = _VALUE.match(cleaned)
    if match is None:
        return None
    rest = cleaned[match.end() :]
    if re.search(r"\d", rest) and not _PHRASE_AFTER.match(rest):
        return None
    unit = re.match(r"(?:\s*(?:[°²³/%^·]|[A-Za-z]+)){0,4}", rest)
    return (match[0] + (unit[0] if unit and not re.search(r"\d", rest) else "")).strip()


def _stands_alone(sentence: str, match: re.Match[str]) -> bool:
    before = sentence[match.start() - 1 : match.start()]
    after = sentence[match.end() : match.end() + 1]
    return not (before.isalnum() or after.isalnum() or after in "^_/*")
