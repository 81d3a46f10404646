"""Docstrings as Markdown: sections become lists, examples fenced blocks, the rest stays as it is.

block     := section | example | indented | heading | paragraph
section   := ("Args" | "Returns" | "Raises" | "Limits" | "Source") ":" ...
example   := ">>>" lines up to a blank one
heading   := a line underlined with "-"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import dedent

_SECTION = re.compile(r"(Args|Returns|Raises|Limits|Source):(?: +(\S.*))?")
_LISTED = ("Args", "Raises")
_ENTRY = re.compile(r"(\*{0,2}[A-Za-z_][\w.]*(?:, \*{0,2}[A-Za-z_][\w.]*)*): (.+)")
_CODE_SPAN = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)


def to_markdown(docstring: str) -> str:
    """A docstring as Markdown.

    Args:
        docstring: without the indentation of its code, as ``ast.get_docstring`` gives it.

    >>> print(to_markdown("Halve it.\\n\\nArgs:\\n    n: an even number."))
    Halve it.
    <BLANKLINE>
    **Args**
    <BLANKLINE>
    - `n`: an even number.
    """
    return "\n\n".join(map(_block, _blocks(docstring.splitlines())))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _goes_on(lines[start:end], lines[end]):
            end += 1
        block = list(lines[start:end])
        while block and not block[-1]:
            block.pop()
        if block:
            yield block
        start = end


def _goes_on(block: Sequence[str], line: str) -> bool:
    """Whether a line belongs to the block above it."""
    indented = line.startswith(" ")
    section = _SECTION.fullmatch(block[0])
    if block[0].startswith(" ") or (section is not None and not section[2]):
        return indented or not line
    if section is not None and "" in block:
        return indented or not line
    if block[0].startswith(">>>"):
        return bool(line)
    if not line:
        return section is not None
    return bool(block[0]) and not line.startswith(">>>") and _SECTION.fullmatch(line) is None


def _block(lines: list[str]) -> str:
    section = _SECTION.fullmatch(lines[0])
    if section is not None:
        return _section(section[1], section[2] or "", dedent("\n".join(lines[1:])))
    text = dedent("\n".join(lines))
    if text.startswith(">>>"):
        return f"```pycon\n{text}\n```"
    if lines[0].startswith(" "):
        return f"```text\n{text}\n```"
    if len(lines) > 1 and set(lines[1]) == {"-"}:
        rest = escape("\n".join(lines[2:]))
        return f"**{escape(lines[0])}**\n\n{rest}".rstrip()
    return re.sub("::$", ":", escape(text))


def _section(name: str, first: str, body: str) -> str:
    """``**Args**`` and a list of its entries; a section of prose goes on after its name."""
    if first or name not in _LISTED:
        text = "\n".join(filter(None, [first, body]))
        return f"**{name}**: {escape(text)}"
    lines = []
    for line in body.splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            lines.append(f"  {escape(line.removeprefix('    '))}".rstrip())
        else:
            names = ", ".join(f"`{name}`" for name in entry[1].split(", "))
            lines.append(f"- {names}: {escape(entry[2])}")
    return "\n".join([f"**{name}**", "", *lines])


def escape(text: str) -> str:
    r"""``text`` with the signs that start HTML or a formula kept as signs, outside code spans.

    >>> print(escape("a <think> and ``<think>``, $5"))
    a &lt;think> and ``<think>``, \$5
    """
    parts = _CODE_SPAN.split(text)
    parts[::2] = [part.replace("<", "&lt;").replace("$", r"\$") for part in parts[::2]]
    return "".join(parts)


def anchors(markdown: str) -> list[tuple[str, str]]:
    """Each heading outside fenced blocks with the anchor that GitHub gives to it.

    >>> anchors("# The loop\\n\\n## `stats.Rate`\\n\\n## The loop\\n")
    [('The loop', 'the-loop'), ('`stats.Rate`', 'statsrate'), ('The loop', 'the-loop-1')]
    """
    seen: Counter[str] = Counter()
    found = []
    fenced = False
    for line in markdown.splitlines():
        fenced ^= line.startswith("```")
        heading = re.match(r"#{1,6} +(.+)", line)
        if fenced or heading is None:
            continue
        slug = re.sub(r"[^\w\- ]", "", heading[1].strip().lower()).replace(" ", "-")
        found.append((heading[1], f"{slug}-{seen[slug]}" if seen[slug] else slug))
        seen[slug] += 1
    return found
