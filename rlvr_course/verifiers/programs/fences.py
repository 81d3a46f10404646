"""The program in a model's reply: which code block counts, and where it ends.

The last block tagged as Python after ``</think>`` counts; without one, the last untagged block
that is a Python program. Blocks in other languages never do, nor does what follows a program as
its illustration: a session with ``>>>``, remarks or bare values alone and, where the tests call a
function, a block that uses the function of an earlier one. A text without fences is the program
itself, and so is one that is Python as it stands, whatever its string literals hold.
"""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rlvr_course.verifiers.programs.syntax import does_something, parse_python

MAX_REREADS = 16
"""Fences inside string literals that are looked through in one reply: it keeps time linear."""

_THOUGHT = re.compile(r"<think(?:ing)?\s*>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</think(?:ing)?\s*>", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}|~{3,}")
_BLANKS = re.compile(r"\s*")
_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?")
_PYTHON = re.compile(
    r"\{?\s*(?:code-cell\}\s*)?\.?(?:lang(?:uage)?-)?"
    r"(?:[ic]?python|py(?:py)?)(?:\s?[23](?:\.\d+)*)?(?![\w-])[ \t]*\}?",
    re.I,
)
_LANGUAGE = re.compile(r"\{?\.?(?P<word>[A-Za-z][\w+#.-]*)\}?(?=[\s{:,]|$)")
_ATTRIBUTES = re.compile(r"[:,{.]|(?:title|file|filename|name|id|class|label|linenums|hl_lines)=\S")
_GOES_ON = (":", "(", "[", "{", ",", "\\")
_QUOTED = re.compile(r"^ {0,3}> ?(?=[ \t]*(?:```|~~~))", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^ {0,3}> ?", re.MULTILINE)
_ANSWER = re.compile(r"\s*<answer>(.*?)(?:</answer>\s*)?\Z", re.DOTALL | re.IGNORECASE)
_TRANSPARENT = {"markdown", "md"}
_QUOTES = re.compile(r"\\.|'''|\"\"\"|['\"#]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Opening:
    """A line that opens a block: its fence, the tag, and code that follows on the same line."""

    fence: str
    indent: int
    tag: str
    first_line: str
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    tag: str
    code: str


def strip_fences(text: str, *, call: str = "") -> str:
    """The program that a reply commits to, without the fences and the prose around it.

    Args:
        text: any string; never raises, in time linear in its length.
        call: the function that tests are going to call: a block that uses it, but does not define
            it, shows how another is used.

    Returns:
        The code of the block that counts; the text itself, after any ``</think>``, if it has no
        fences; "" for a thought that was never closed and where all blocks are in other languages.

    Limits: finds code, does not judge it: a reply without fences comes back as it is, prose
        included. A fence inside a string literal is seen through where its quotes are triple. A
        program that is spread over several blocks is not put together, one in single backticks or
        HTML is not found, and thought tags inside a program are taken for the reply's own.

    >>> strip_fences("Here it is:\\n```python\\nprint(6 * 7)\\n```\\nIt prints 42.")
    'print(6 * 7)'
    >>> strip_fences("print(6 * 7)")
    'print(6 * 7)'
    """
    if "```" not in text and "~~~" not in text and "<" not in text:
        return _aligned(text)
    lead = text.lstrip()[:3]
    if lead not in ("```", "~~~") and lead[:1] != "<" and parse_python(text) is not None:
        return text
    visible = _after_thought(text)
    if _QUOTED.search(visible):
        visible = _QUOTE_MARK.sub("", visible)
    blocks = _blocks(visible.replace("\r\n", "\n").split("\n"))
    if blocks:
        return _aligned(_choice(blocks, call))
    answer = _ANSWER.match(visible)
    return _aligned(answer[1].strip("\r\n") if answer else visible)


def _aligned(code: str) -> str:
    """Code without the indentation of its first line, which no program has."""
    first = next((line for line in code.split("\n", 50) if line.strip()), "")
    if not first.startswith((" ", "\t")):
        return code
    moved = textwrap.dedent(code)
    return moved.lstrip() if moved.strip("\r\n").startswith((" ", "\t")) else moved


def _after_thought(text: str) -> str:
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    visible = text[ends[-1] :] if ends else text
    opened = _THOUGHT.search(visible)
    if opened is None:
        return visible
    fence = _FENCE.search(visible)
    is_in_code = fence is not None and fence.start() < opened.start()
    return visible if is_in_code else ""


def _choice(blocks: Sequence[_Block], call: str) -> str:
    for tag in ("python", ""):
        codes = [block.code for block in blocks if block.tag == tag and block.code.strip()]
        if codes:
            return _last_program(codes, call, is_tagged=tag == "python")
    return ""


def _last_program(codes: Sequence[str], call: str, *, is_tagged: bool) -> str:
    programs, parsed = [], []
    for code in reversed(codes):
        tree = parse_python(code)
        if tree is None:
            # A tag is a commitment: with a syntax error it is a bad program, unless a session.
            is_program = is_tagged and not code.lstrip().startswith(">>>")
        else:
            is_program = does_something(tree)
            parsed += [] if is_tagged else [code]
        is_usage = tree is not None and bool(call) and _only_uses(tree, call)
        if is_program and not is_usage:
            return code
        programs += [code] if is_program else []
    return (programs or parsed or codes[::-1])[0]


def _only_uses(tree: ast.Module, call: str) -> bool:
    """Whether a program has a name in it and gives it no meaning, not even as a method's."""
    is_there = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == call:
            if isinstance(node.ctx, ast.Store):
                return False
            is_there = True
        is_there = is_there or (isinstance(node, ast.Attribute) and node.attr == call)
        if getattr(node, "name", "") == call:  # a function's, a class's, or an import's own
            return False
    return is_there


def _blocks(lines: Sequence[str]) -> list[_Block]:
    found, index, rereads = [], 0, MAX_REREADS
    while index < len(lines):
        opening = _opening(lines[index])
        if opening is None:
            index += 1
            continue
        if opening.is_whole:
            found.append(_Block(opening.tag, opening.first_line))
            index += 1
            continue
        end, looked_through = _end(lines, index, opening, rereads > 0)
        rereads -= looked_through
        found.append(_Block(opening.tag, _code(lines, index, end, opening)))
        # A block that another opening cut short leaves that opening to be read.
        index = end + (end < len(lines) and _opens_python(lines[end]) is None)
    return found


def _opening(line: str) -> _Opening | None:
    match = _FENCE.search(line)
    if match is None:
        return None
    lead = _LEAD.match(line)
    if lead is None or lead.end() != match.start():
        return _opens_python(line)
    opening = _described(match[0], line[match.end() :], match.start())
    return None if opening.tag.lower() in _TRANSPARENT else opening


def _opens_python(line: str) -> _Opening | None:
    """An opening with a Python tag, which may follow prose on its line."""
    length = len(line.rstrip())
    for match in _FENCE.finditer(line):
        tag = _PYTHON.match(line, _BLANKS.match(line, match.end()).end())  # type: ignore[union-attr]
        if tag is not None and (match.start() == 0 or tag.end() >= length):
            is_first = not line[: match.start()].strip()
            return _described(match[0], line[match.end() :], match.start() if is_first else 0)
    return None


def _described(fence: str, rest: str, indent: int) -> _Opening:
    rest = rest.strip()
    tag, code = _tag(rest)
    if code and fence in code:
        return _Opening(fence, indent, tag, code.split(fence)[0].strip(), is_whole=True)
    return _Opening(fence, indent, tag, code)


def _tag(info: str) -> tuple[str, str]:
    """("python", "" or another language, code on the tag's line)."""
    python = _PYTHON.match(info)
    if python is not None:
        rest = info[python.end() :]
        return "python", rest if _FENCE.search(rest) or _is_code(rest) else ""
    word = _LANGUAGE.match(info)
    if word is None or keyword.iskeyword(word["word"]):
        return "", info
    return ("" if word["word"].lower() == "code" else word["word"]), ""


def _is_code(rest: str) -> bool:
    """Whether what follows a tag on its line is the first line of the program."""
    if not rest or _ATTRIBUTES.match(rest):
        return False
    tree = parse_python(rest)
    return does_something(tree) if tree else rest.endswith(_GOES_ON)


def _end(
    lines: Sequence[str], start: int, opening: _Opening, may_look_through: bool
) -> tuple[int, bool]:
    """The line that ends a block, and whether fences in its string literals were looked through."""
    first, quote = None, _quote_after(opening.first_line, "")
    for index in range(start + 1, len(lines)):
        if _ends(lines[index], opening):
            if not quote:
                return _settled(lines, start, opening, first, index)
            if not may_look_through:
                return index, False
            first = index if first is None else first
        quote = _quote_after(lines[index], quote)
    return _settled(lines, start, opening, first, len(lines))


def _settled(
    lines: Sequence[str], start: int, opening: _Opening, first: int | None, last: int
) -> tuple[int, bool]:
    """``last``, unless a fence stood inside an open quote and reading on gives no program."""
    if first is None:
        return last, False
    is_program = parse_python(_code(lines, start, last, opening)) is not None
    return (last if is_program else first), True


def _ends(line: str, opening: _Opening) -> bool:
    """A line that begins with a fence, a fence after a line of code, or a new Python block."""
    bare = line.strip()
    if bare.startswith(opening.fence):
        return True
    if bare.endswith(opening.fence) and "#" not in bare:
        return True
    return opening.fence in bare and _opens_python(line) is not None


def _quote_after(line: str, quote: str) -> str:
    """The triple quote that is open after a line, "" if none, given the one open before it."""
    single = ""
    for match in _QUOTES.finditer(line):
        mark = match[0]
        if single:
            single = "" if mark[0] == single and len(mark) == 1 else single
        elif quote:
            quote = "" if mark == quote else quote
        elif mark == "#":
            break
        elif len(mark) == 3:
            quote = mark
        elif mark in "'\"":
            single = mark
    return quote


def _code(lines: Sequence[str], start: int, end: int, opening: _Opening) -> str:
    body = [opening.first_line] if opening.first_line else []
    body += [_outdented(line, opening.indent) for line in lines[start + 1 : end]]
    if end < len(lines):
        last = lines[end].rstrip()
        if last.endswith(opening.fence) and last.strip(f"{opening.fence[0]} \t"):
            body.append(_outdented(last, opening.indent).rstrip(opening.fence[0]))
    return "\n".join(body)


def _outdented(line: str, indent: int) -> str:
    """A line without the indentation of its fence."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(blank, indent) :]
