"""SQL as a list of tokens: enough to split statements and find clauses, and no more.

Nothing here decides what a query may do: the engines do that, behind their own gates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<text>'[^']*(?:''[^']*)*')
    | (?P<name>"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`)
    | (?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<mark>\|\||<>|<=|>=|!=|==|.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; ``depth`` counts the parentheses around it.

    Args:
        kind: "text", "name" (quoted), "number", "word" or "mark".
        text: as it stands in the query.
        start, end: where.
    """

    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def word(self) -> str:
        """A bare word in lower case; "" for every other token."""
        return self.text.lower() if self.kind == "word" else ""

    @property
    def identifier(self) -> str:
        """A bare or quoted name in lower case, without its quotes; "" for every other token."""
        if self.kind == "name":
            quote = self.text[0]
            return self.text[1:-1].replace(quote * 2, quote).lower()
        return self.word


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text, without blanks and comments; never raises, in linear time.

    >>> [token.text for token in tokenize("SELECT 'a;b' -- c")]
    ['SELECT', "'a;b'"]
    """
    tokens, depth = [], 0
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or ""
        if kind == "blank":
            continue
        closes = kind == "mark" and match[0] == ")"
        depth = max(0, depth - closes)
        tokens.append(Token(kind, match[0], match.start(), match.end(), depth))
        depth += kind == "mark" and match[0] == "("
    return tokens


def statements(sql: str) -> list[str]:
    """The statements of a script, without the semicolons between them; empty ones left out.

    >>> statements("SELECT 1; ; SELECT ';'")
    ['SELECT 1', "SELECT ';'"]
    """
    found = []
    for part in split(tokenize(sql), ";"):
        if part:
            found.append(sql[part[0].start : part[-1].end])
    return found


def split(tokens: Sequence[Token], mark: str) -> Iterator[list[Token]]:
    """Runs of tokens between the marks that stand outside all parentheses (of the first token)."""
    depth = tokens[0].depth if tokens else 0
    part: list[Token] = []
    for token in tokens:
        if token.kind == "mark" and token.text == mark and token.depth <= depth:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def canonical(sql: str) -> str:
    """A statement in a form in which blanks, comments and the case of bare words don't count.

    >>> canonical("select  1 -- one") == canonical("SELECT 1;")
    True
    """
    parts = (token.word or token.text for token in tokenize(sql))
    return " ".join(parts).rstrip("; ")
