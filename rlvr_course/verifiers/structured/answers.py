"""The one JSON answer of a response: what it commits to, or the reason why it commits to nothing.

Order: the whole response; else what stands after the last ``</think>`` (an unclosed one is no
answer), and inside the last ``<answer>`` pair if there is one. There the fenced blocks count that
are tagged as JSON; without one, untagged blocks that are JSON; without these, the objects and
arrays that stand in the prose. Several different values are no commitment, and neither is one in
a line of prose that doubts it. All of it is linear in the response's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rlvr_course.verifiers.extract import visible_answer
from rlvr_course.verifiers.structured.reading import (
    MAX_CHARACTERS,
    NotJSON,
    StrictDecoder,
    canonical,
    read_json,
)

_FENCE = re.compile(r"^[ \t>]*(?:[-*][ \t]+)?(`{3,}|~{3,})[ \t]*([^\n`]*)")
_JSON_TAG = re.compile(r"\{?\.?(?:application/)?json(?:c|5|l)?\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(?:answer|output|result)>", re.IGNORECASE)
_START = re.compile(r"\{[ \t\r\n]*[\"}]|\[[ \t\r\n]*[\"{\[\]\-\dtfnNI]", re.ASCII)
"""Where an object or array can begin."""
MAX_FOUND = 1_000
"""Values in prose; a response with more of them commits to none."""
MAX_BROKEN = 1_000
"""Beginnings in prose that turn out broken; the parser's error costs time for all before it."""
_DOUBT = re.compile(
    r"\b(?:can(?:no|')t|unable|sorry|not (?:sure|certain|the)|unsure|(?:could|might|may) be|maybe"
    r"|perhaps|possibly|either|hard to say|guess|wrong|incorrect|don't know|refuse)\b"
    r"|\bnot:?\s*$",
    re.IGNORECASE,
)
_LINE = 300
"""Characters of a line before and after an object that are read for doubt."""


@dataclass(frozen=True, slots=True)
class FoundJSON:
    """A value with its text; or no text and the reason, which may concern a refused ``text``."""

    value: Any
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its tag as written, and what it holds."""

    tag: str
    content: str


def find_json(response: str) -> FoundJSON:
    """The JSON answer that a response commits to.

    Args:
        response: any string; never raises.

    Returns:
        The value, or a reason: those of ``read_json``, ``visible_answer``'s, "no_json",
        "ambiguous" or "hedge".

    >>> find_json('Here you are:\\n```json\\n{"count": 2}\\n```').value
    {'count': 2}
    >>> find_json('It is {"count": 2} or {"count": 3}.').reason
    'ambiguous'
    """
    whole = response.strip()
    if whole[:1] in ("{", "[") and len(whole) <= MAX_CHARACTERS:
        with suppress(NotJSON):  # there may be prose after it, which is looked at below
            return FoundJSON(read_json(whole), whole)
    visible, reason = visible_answer(response)
    if reason:
        return FoundJSON(None, "", reason)
    scope = tagged(visible).strip()
    if len(scope) > MAX_CHARACTERS:
        return FoundJSON(None, "", "too_long")
    prose, blocks = split_fences(scope)
    for wanted in (True, False):
        texts = [b.content for b in blocks if _is_json_tag(b.tag) is wanted and b.content.strip()]
        found = [_read(text) for text in texts]
        if not wanted:
            found = [f for f in found if f.reason != "not_json"]
        if found:
            return _only(found)
    return _in_prose(prose)


def tagged(text: str) -> str:
    """What stands inside the last ``<answer>``, ``<output>`` or ``<result>`` pair, else all."""
    opened = None
    for match in _TAG.finditer(text):
        opened = match if not match[1] else opened
    if opened is None:
        return text
    close = next((m for m in _TAG.finditer(text, opened.end()) if m[1]), None)
    return text[opened.end() : close.start()] if close else text


def split_fences(text: str) -> tuple[str, list[Block]]:
    """A text without its fenced blocks, and the blocks; an unclosed one goes to the end."""
    prose: list[str] = []
    blocks: list[Block] = []
    fence, tag, held = "", "", []
    for line in text.splitlines(keepends=True) if "```" in text or "~~~" in text else ():
        if fence:
            if line.strip().startswith(fence):
                blocks.append(Block(tag, "".join(held)))
                fence, held = "", []
            else:
                held.append(line)
            continue
        match = _FENCE.match(line)
        if match is None:
            prose.append(line)
        elif match[1][0] in line[match.end() :]:  # opened and closed on one line
            blocks.append(_one_line_block(line[match.end(1) :].split(match[1])[0]))
        else:
            fence, tag = match[1], match[2].strip()
    if fence:
        blocks.append(Block(tag, "".join(held)))
    return ("".join(prose), blocks) if blocks else (text, [])


def _one_line_block(inside: str) -> Block:
    tag = _JSON_TAG.match(inside.strip())
    return Block(tag[0], inside.strip()[tag.end() :]) if tag else Block("", inside)


def _is_json_tag(tag: str) -> bool | None:
    """None for another language."""
    if not tag:
        return False
    return True if _JSON_TAG.match(tag) else None


def _read(text: str) -> FoundJSON:
    try:
        return FoundJSON(read_json(text), text.strip())
    except NotJSON as error:
        return FoundJSON(None, text.strip(), error.reason)


def _only(found: list[FoundJSON]) -> FoundJSON:
    """The value that all of them are; the reason where one was refused or two differ."""
    refused = next((f for f in found if f.reason), None)
    if refused is not None:
        return refused
    if len({canonical(f.value) for f in found}) > 1:
        return FoundJSON(None, found[-1].text, "ambiguous")
    return found[-1]


def _in_prose(text: str) -> FoundJSON:
    spans = list(islice(_values_in(text), MAX_FOUND + 1))
    if len(spans) > MAX_FOUND:
        return FoundJSON(None, "", "too_many_values")
    containers = [s for s in spans if not _is_citation(s[2].value)] or spans
    if not containers:
        scalar = _read(text)
        return scalar if not scalar.reason else FoundJSON(None, "", "no_json")
    for start, end, _ in containers:
        before = text[max(0, start - _LINE) : start].rpartition("\n")[2]
        after = text[end : end + _LINE].partition("\n")[0]
        if _DOUBT.search(before) or _DOUBT.search(after):
            return FoundJSON(None, text[start:end], "hedge")
    return _only([found for _, _, found in containers])


def _is_citation(value: Any) -> bool:
    """``[1]`` in prose points to a source; an array that holds an object is an answer."""
    return isinstance(value, list) and not any(isinstance(v, dict | list) for v in value)


def _values_in(text: str) -> Iterator[tuple[int, int, FoundJSON]]:
    """(start, end, value) of what is JSON in prose, outermost only, left to right.

    After a failure the search goes on where the parser stopped: what a broken object holds is
    part of it, not an answer of its own.
    """
    decoder, position, broken = StrictDecoder(), 0, 0
    while broken < MAX_BROKEN and (match := _START.search(text, position)) is not None:
        start = match.start()
        try:
            value, position = decoder.decode(text, start)
        except NotJSON as error:
            position = error.end
            broken += 1
            if error.reason != "not_json":
                yield start, position, FoundJSON(None, text[start:position], error.reason)
            continue
        yield start, position, FoundJSON(value, text[start:position])
