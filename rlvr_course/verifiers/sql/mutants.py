"""A right query in many wrong forms, each one edit away: do the databases tell them apart?

    near_misses("SELECT name FROM t WHERE n > 3")  ->  [("> for >=", "... n >= 3"), ...]

What stays right on every database is either an equal query in other words (a DISTINCT over a key)
or a gap in the databases, for a person to say which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rlvr_course.verifiers.sql.tokens import Token, split, tokenize

_OPERATORS = {">": ">=", ">=": ">", "<": "<=", "<=": "<", "=": "<>", "<>": "=", "!=": "="}
_FUNCTIONS = {"sum": "AVG", "avg": "SUM", "min": "MAX", "max": "MIN"}
_JOINS = {"left": "INNER for LEFT JOIN", "inner": "LEFT for INNER JOIN"}
_BEFORE_JOIN = {"left", "right", "full", "inner", "outer", "cross", "natural"}
_CLAUSES = {
    "where": ("group", "having", "order", "limit", "window", "union", "intersect", "except"),
    "having": ("order", "limit", "window", "union", "intersect", "except"),
    "group": ("having", "order", "limit", "window", "union", "intersect", "except"),
    "order": ("limit",),
    "limit": (),
}


def near_misses(query: str) -> list[tuple[str, str]]:
    """Every one-step change of a query, each with its kind.

    Args:
        query: one statement.

    Returns:
        (kind, changed query) pairs, in the order of their places; none twice, and never the query
        itself. Some may be no SQL, and some may mean the same as the query.

    >>> near_misses("SELECT DISTINCT a FROM t LIMIT 2")[0]
    ('no DISTINCT', 'SELECT a FROM t LIMIT 2')
    """
    tokens = tokenize(query)
    found: dict[str, str] = {}
    for maker in (_by_token, _clauses, _lists):
        for kind, start, end, text in maker(tokens):
            changed = " ".join(f"{query[:start]}{text}{query[end:]}".split())
            if changed != " ".join(query.split()):
                found.setdefault(changed, kind)
    return [(kind, changed) for changed, kind in found.items()]


_Edit = tuple[str, int, int, str]


def _by_token(tokens: Sequence[Token]) -> Iterator[_Edit]:
    previous = ""
    for index, token in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.word == "distinct":
            yield "no DISTINCT", token.start, token.end, ""
        elif token.word in ("and", "or"):
            yield "AND for OR", token.start, token.end, "OR" if token.word == "and" else "AND"
        elif token.word in ("left", "inner") and after and after.word in ("join", "outer"):
            yield _JOINS[token.word], token.start, token.end, _other_join(token.word)
            if token.word == "left" and after.word == "outer":
                yield _JOINS["left"], token.start, after.end, ""
        elif token.word == "join" and previous not in (
            "left",
            "inner",
            "outer",
            "cross",
            "natural",
        ):
            yield _JOINS["inner"], token.start, token.end, "LEFT JOIN"
        elif token.word in ("asc", "desc"):
            yield "reversed order", token.start, token.end, "DESC" if token.word == "asc" else ""
        elif token.word == "union":
            all_end = after.end if after and after.word == "all" else token.end
            other = "UNION" if all_end > token.end else "UNION ALL"
            yield "UNION for UNION ALL", token.start, all_end, other
        elif token.word in _FUNCTIONS and after and after.text == "(":
            other = _FUNCTIONS[token.word]
            yield f"{other} for {token.text.upper()}", token.start, token.end, other
        elif token.text in _OPERATORS:
            other = _OPERATORS[token.text]
            yield f"{other} for {token.text}", token.start, token.end, other
        elif token.kind == "number" and token.text.isdigit():
            name = "off-by-one LIMIT" if previous in ("limit", "offset") else "off by one"
            yield name, token.start, token.end, str(int(token.text) + 1)
            if int(token.text) > 0:
                yield name, token.start, token.end, str(int(token.text) - 1)
        previous = token.word
    yield from _counts(tokens)


def _other_join(word: str) -> str:
    return "" if word == "left" else "LEFT"


def _counts(tokens: Sequence[Token]) -> Iterator[_Edit]:
    """COUNT(*) in place of COUNT of a column."""
    for index, token in enumerate(tokens[:-2]):
        if token.word == "count" and tokens[index + 1].text == "(":
            depth = tokens[index + 1].depth
            close = next(
                (t for t in tokens[index + 2 :] if t.text == ")" and t.depth == depth), None
            )
            if close is not None and tokens[index + 2].text != "*":
                yield "COUNT(*)", tokens[index + 1].end, close.start, "*"


def _clauses(tokens: Sequence[Token]) -> Iterator[_Edit]:
    """A clause left out."""
    for index, token in enumerate(tokens):
        if token.word in _CLAUSES:
            yield f"no {token.text.upper()}", token.start, _clause_end(tokens, index), ""


def _clause_end(tokens: Sequence[Token], index: int) -> int:
    token = tokens[index]
    for other in tokens[index + 1 :]:
        if other.depth < token.depth or (other.text == ")" and other.depth == token.depth - 1):
            return other.start
        if other.depth == token.depth and other.word in _CLAUSES[token.word]:
            return other.start
    return tokens[-1].end


def _lists(tokens: Sequence[Token]) -> Iterator[_Edit]:
    """One of several columns left out of GROUP BY or ORDER BY; an order turned round."""
    for index, token in enumerate(tokens):
        if token.word not in ("group", "order") or index + 2 >= len(tokens):
            continue
        by = tokens[index + 1]
        end = _clause_end(tokens, index)
        body = [t for t in tokens[index + 2 :] if t.end <= end]
        parts = [part for part in split(body, ",") if part]
        name = f"a column less in {token.text.upper()} BY"
        for place, part in enumerate(parts):
            if len(parts) > 1 and place:
                yield name, parts[place - 1][-1].end, part[-1].end, ""
            elif len(parts) > 1:
                yield name, by.end, parts[1][0].start, " "
            if token.word == "order" and part[-1].word not in ("asc", "desc", "last", "first"):
                yield "reversed order", part[-1].end, part[-1].end, " DESC"
