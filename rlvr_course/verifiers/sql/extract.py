"""The query in a model's reply: one, or none.

Blocks tagged as SQL count; without one, the untagged blocks that begin like SQL; without any, a
reply that is SQL itself, a statement in single backticks, or one that begins a line of prose. All
statements that are found have to be the same one: a reply that offers several has not answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rlvr_course.verifiers.sql.gate import MAX_QUERY
from rlvr_course.verifiers.sql.tokens import canonical, statements, tokenize

MAX_CHARACTERS = 100_000
"""Longer replies are not read."""

MOST_LOOSE = 8
"""Statements in prose without any quoting that are looked at."""

_THOUGHT = re.compile(r"<(/?)(?:think(?:ing)?|thoughts?|reasoning|scratchpad)\s*>", re.IGNORECASE)
_BLOCK = re.compile(
    r"(?P<fence>`{3,}|~{3,})[ \t]*\{?\.?(?P<tag>[\w+#.-]*)\}?(?P<body>.*?)(?:(?P=fence)|\Z)",
    re.DOTALL,
)
_SQL_TAGS = {
    *("sql", "sqlite", "sqlite3", "duckdb", "postgres", "postgresql", "psql", "mysql", "plsql"),
    *("tsql", "ansi-sql", "sql-sqlite"),
}
_OPEN_TAGS = {"", "text", "txt", "code", "plaintext", "plain"}
_VERBS = (
    r"select\b|values\s*\(|insert\s+(?:or\s+\w+\s+)?into\b|replace\s+into\b|update\s+\w+\s+set\b|"
    r"delete\s+from\b|drop\s+\w+\b|create\s+(?:\w+\s+)?(?:table|view|index|trigger|macro|schema)\b|"
    r"alter\s+table\b|attach\b|detach\b|pragma\b|explain\b|vacuum\b|copy\s+\w+\s+to\b|install\s+\w+\s*;?$"
)
_WITH = (
    r"with\s+(?:recursive\s+)?[\w\"`]+\s*(?:\([^()]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\("
)
_BEGINS = re.compile(
    rf"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/|\()*(?:{_VERBS}|{_WITH})",
    re.IGNORECASE | re.DOTALL,
)
_INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINE = re.compile(
    rf"^[ \t>]*(?:(?:sql|query|answer|sqlite)[ \t]*[:>][ \t]*)?(?P<query>(?:select\b|{_WITH}).*)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_END_OF_LOOSE = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True)
class Found:
    """The query that a reply commits to, or why there is none ("no_query", ...)."""

    query: str
    reason: str = ""


def find_query(response: str) -> Found:
    """The one statement in a reply.

    Args:
        response: any string; never raises.

    Returns:
        The statement without its semicolon. If there is none, the reason: "no_query",
        "unfinished_thinking", "response_too_long", or "several_queries: n", n of them different.

    Limits: finds a statement, does not judge it: ``DROP TABLE t`` is one. In prose without any
        quoting only SELECT and WITH are found, at the beginning of a line, up to a semicolon or
        an empty line.

    >>> find_query("Here it is:\\n```sql\\nSELECT 1;\\n```").query
    'SELECT 1'
    >>> find_query("```sql\\nSELECT 1; SELECT 2\\n```").reason
    'several_queries: 2'
    """
    if len(response) > MAX_CHARACTERS:
        return Found("", "response_too_long")
    tags = list(_THOUGHT.finditer(response))
    if tags and not tags[-1][1]:
        return Found("", "unfinished_thinking")
    visible = response[tags[-1].end() :] if tags else response
    by_form: dict[str, str] = {}
    for text in _candidates(visible.replace("\r\n", "\n")):
        for statement in statements(text):
            by_form.setdefault(canonical(statement), statement)
    if len(by_form) > 1:
        return Found("", f"several_queries: {len(by_form)}")
    return Found(next(iter(by_form.values()))) if by_form else Found("", "no_query")


def _candidates(text: str) -> list[str]:
    blocks = list(_blocks(text))
    if blocks:
        tagged = [body for tag, body in blocks if tag == "sql" and body.strip()]
        return tagged or [body for tag, body in blocks if tag == "" and _BEGINS.match(body)]
    if _BEGINS.match(text):
        return [text]
    inline = [span for span in _INLINE.findall(text) if _BEGINS.match(span)]
    return inline or list(_loose(text))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """("sql" or "" or another tag, body) of each fenced block."""
    for match in _BLOCK.finditer(text):
        tag, body = match["tag"].lower(), match["body"]
        if _BEGINS.match(f"{tag} {body}") and tag not in _SQL_TAGS:  # ```SELECT 1```
            yield "sql", match["tag"] + body
        else:
            yield "sql" if tag in _SQL_TAGS else "" if tag in _OPEN_TAGS else tag, body


def _loose(text: str) -> Iterator[str]:
    """Statements that begin a line of prose, up to a semicolon or an empty line; a few at most."""
    match = _LINE.search(text)
    for _ in range(MOST_LOOSE):
        if match is None:
            return
        paragraph = _END_OF_LOOSE.split(match["query"][:MAX_QUERY], maxsplit=1)[0]
        marks = (token.start for token in tokenize(paragraph) if token.text == ";")
        end = next(marks, len(paragraph))
        yield paragraph[:end]
        match = _LINE.search(text, match.start("query") + end)
