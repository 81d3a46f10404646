"""Token runs: what brackets close, where a run splits, what around an answer says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlvr_course.verifiers.answers.tokens import Token

OPENING = {"(", "[", "{", r"\{", r"\langle"}
CLOSING = {")", "]", "}", r"\}", r"\rangle"}
RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx", r"\in", r"\equiv"}
SEPARATORS = {",", ";", r"\and", r"\or"}


def trim(tokens: list[Token]) -> list[Token]:
    """Without final punctuation, a leading "=" or label, and braces around the whole."""
    while tokens:
        if tokens[-1].kind in (".", ",", ";", ":", r"\\", "&"):
            tokens = tokens[:-1]
        elif tokens[0].kind in ("=", ":", r"\approx", r"\Rightarrow", r"\implies", r"\therefore"):
            tokens = tokens[1:]
        elif tokens[0].kind == "{" and closes(tokens) and _is_group(tokens[1:-1]):
            tokens = tokens[1:-1]
        elif tokens[0].kind in "([" and [t.kind for t in tokens[1:2]] == [r"\begin"]:
            if not closes(tokens):
                return tokens
            tokens = tokens[1:-1]
        else:
            return _without_condition(_without_label(tokens))
    return tokens


_CONDITIONS = {"where", "when", "for", "with", "since", "because", "given", "provided"}


def _without_condition(tokens: list[Token]) -> list[Token]:
    """``x = 46 where y = 45`` is read as ``x = 46``."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        words = token.text.lower().split() if token.kind in ("word", "text") else []
        if index and depth == 0 and words and words[0] in _CONDITIONS:
            return trim(tokens[:index])
        after = [t.kind for t in tokens[index + 1 : index + 3]]
        if index and depth == 0 and token.kind == "," and after == ["word", r"\in"]:
            return trim(tokens[:index])  # ", k \in Z"
    return tokens


def _is_group(tokens: Sequence[Token]) -> bool:
    """Whether braces around these tokens only group, rather than make a set."""
    inner = list(tokens)
    built = inner[1:2] and inner[1].kind in (":", "|") and inner[0].kind == "word"
    return len(split(inner, SEPARATORS)) < 2 and not built


def closes(tokens: Sequence[Token]) -> bool:
    """Whether the first token's bracket closes at the last token."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth == 0:
            return index == len(tokens) - 1
    return False


_LABELS = {"answer", "result", "solution", "total", "value", "ans", "answers", "solutions"}


def _without_label(tokens: list[Token]) -> list[Token]:
    """``The answer is 7`` and ``Answer: 7`` are read as ``7``."""
    for index, token in enumerate(tokens[:8]):
        words = token.text.lower().rstrip(":").split() if token.kind in ("word", "text") else []
        if not words and token.kind != ":":
            return tokens
        ends = token.kind == ":" or words[-1:] in (["is"], ["are"]) or token.text.endswith(":")
        before = {w for t in tokens[: index + 1] for w in t.text.lower().rstrip(":").split()}
        if before & {"not", "wrong", "incorrect", "false", "no"}:
            return tokens
        if ends and before & _LABELS and index + 1 < len(tokens):
            return trim(tokens[index + 1 :])
    return tokens


def named_sets(tokens: list[Token]) -> list[Token]:
    """``\\mathbb{R}`` becomes one token; "and" and "or" in words or text become separators."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        after = [t.text for t in tokens[index + 1 : index + 4]]
        if token.kind == r"\mathbb" and after:
            braced = len(after) == 3 and after[0] == "{" and after[2] == "}"
            out.append(Token("\\" + after[braced], token.text, token.spaced))
            index += 4 if braced else 2
            continue
        ending = re.fullmatch(r"(.+?) (and|or)", token.text) if token.kind == "text" else None
        if ending is not None:  # \text{ hours and }
            out.append(Token("text", ending[1], token.spaced))
            token = Token("word", ending[2], True)
        joined = {"and": r"\and", "or": r"\or"}.get(token.text.lower().strip(" ,"))
        if token.kind in ("word", "text") and joined:
            token = Token(joined, token.text, True)
        out.append(token)
        index += 1
    return out


def split(tokens: list[Token], kinds: set[str]) -> list[list[Token]]:
    """Token runs between separators of these kinds at depth 0."""
    runs: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth == 0 and token.kind in kinds and token.kind not in CLOSING:
            runs.append([])
        else:
            runs[-1].append(token)
    return runs
