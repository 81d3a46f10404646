"""What a reference query asks for beyond its rows: an order, ties in it, a cut by LIMIT.

Where the reference orders at the top level, order counts, but only as far as its ORDER BY decides:
rows that tie may come in any order, and any of them may be left out by a LIMIT that cuts a tie.
To see ties the reference is run a second time, without its LIMIT and with the terms of its ORDER BY
as columns of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlvr_course.verifiers.sql.tokens import Token, split, tokenize

_COMPOUND = {"union", "intersect", "except"}
_AFTER_ITEMS = {"from", "where", "group", "having", "window", "order", "limit", *_COMPOUND}


@dataclass(frozen=True)
class Reference:
    """A reference query, read.

    Args:
        query: as the author wrote it.
        ordered: whether it has an ORDER BY at the top level.
        keyed: the query that shows ties: no LIMIT, and ``hidden`` more columns; "" where there
            is neither order nor LIMIT, or where it can't be had.
        keys: the columns of ``keyed`` that its order goes by, from 0; hidden ones from the end.
        hidden: how many columns ``keyed`` has at its end that ``query`` has not.
        offset: rows that the query leaves out at the beginning.
        limited: whether it has a LIMIT.
    """

    query: str
    ordered: bool = False
    keyed: str = ""
    keys: tuple[int, ...] = ()
    hidden: int = 0
    offset: int = 0
    limited: bool = False


def read_reference(query: str) -> Reference:
    """Find the order and the limit of a query.

    Limits: ORDER BY terms that are not columns of the result are understood in a plain SELECT
        alone, not with DISTINCT, UNION and the like; there every row's place counts.

    >>> reference = read_reference("SELECT name FROM t ORDER BY age DESC LIMIT 3")
    >>> reference.keyed, reference.keys, reference.hidden
    ('SELECT name, (age) FROM t ORDER BY age DESC', (-1,), 1)
    """
    tokens = [token for token in tokenize(query) if token.depth == 0]
    order, limit = _last(tokens, "order"), _last(tokens, "limit")
    if order is not None and order + 1 < len(tokens) and tokens[order + 1].word != "by":
        order = None
    if order is None and limit is None:
        return Reference(query)
    offset = 0 if limit is None else _offset(tokens[limit:])
    end = len(query) if limit is None else tokens[limit].start
    plain = Reference(query, order is not None, limited=limit is not None)
    if offset is None:
        return plain
    if order is None:
        return Reference(query, False, query[:end].rstrip(), offset=offset, limited=True)
    terms = _terms(query[tokens[order + 1].end : end])
    items, insert_at, may_hide = _items(query, order_at=tokens[order].start)
    places = [_place(term, items) for term in terms]
    hidden = [term for term, place in zip(terms, places, strict=True) if place is None]
    if hidden and not may_hide:
        return plain
    from_end = iter(range(-len(hidden), 0))
    keys = [next(from_end) if place is None else place for place in places]
    extra = "".join(f", ({term})" for term in hidden)
    keyed = query[:insert_at].rstrip() + extra + " " + query[insert_at:end].strip()
    return Reference(
        query, True, keyed.strip(), tuple(keys), len(hidden), offset, limit is not None
    )


def asks_for_order(query: str) -> bool:
    """Whether a query has an ORDER BY anywhere but in a window.

    >>> asks_for_order("SELECT a FROM t"), asks_for_order("SELECT a FROM t ORDER BY a")
    (False, True)
    """
    tokens = tokenize(query)
    windows: set[int] = set()
    for index, token in enumerate(tokens):
        windows = {depth for depth in windows if depth <= token.depth}
        if token.text == "(" and index and tokens[index - 1].word == "over":
            windows.add(token.depth + 1)
        if token.word == "order" and not windows:
            return True
    return False


def _last(tokens: Sequence[Token], word: str) -> int | None:
    return next((i for i in reversed(range(len(tokens))) if tokens[i].word == word), None)


def _offset(clause: Sequence[Token]) -> int | None:
    """The rows that ``LIMIT n OFFSET m`` or ``LIMIT m, n`` leaves out; None if that is computed."""
    texts = [token.text.lower() for token in clause]
    if len(texts) == 2:
        return 0
    if len(texts) == 4 and texts[2] == "offset" and texts[3].isdigit():
        return int(texts[3])
    if len(texts) == 4 and texts[2] == "," and texts[1].isdigit():
        return int(texts[1])
    return None


def _terms(clause: str) -> list[str]:
    """The terms of an ORDER BY, without what only says which way; a collation as a function."""
    terms = []
    for part in split(tokenize(clause), ","):
        words = [token.word for token in part]
        if "nulls" in words:
            part = part[: words.index("nulls")]
        if part and part[-1].word in ("asc", "desc"):
            part = part[:-1]
        wrap = "{}"
        if len(part) > 2 and part[-2].word == "collate":
            wrap = {"nocase": "lower({})", "rtrim": "rtrim({})"}.get(part[-1].identifier, "{}")
            part = part[:-2]
        if part:
            terms.append(wrap.format(clause[part[0].start : part[-1].end]))
    return terms


def _items(query: str, order_at: int) -> tuple[list[list[Token]], int, bool]:
    """The result's columns, where more could be added, and whether they may be.

    A star counts as one column, so that nothing but a number finds its place behind it.
    """
    tokens = [token for token in tokenize(query) if token.start < order_at]
    top = [i for i, token in enumerate(tokens) if token.depth == 0]
    select = next((i for i in top if tokens[i].word == "select"), None)
    if select is None:
        return [], order_at, False
    is_plain = not any(tokens[i].word in _COMPOUND for i in top)
    first = select + 1
    while first < len(tokens) and tokens[first].word in ("distinct", "all"):
        is_plain = is_plain and tokens[first].word == "all"
        first += 1
    stop = next((i for i in top if i >= first and tokens[i].word in _AFTER_ITEMS), len(tokens))
    insert_at = tokens[stop].start if stop < len(tokens) else order_at
    return list(split(tokens[first:stop], ",")), insert_at, is_plain


def _place(term: str, items: Sequence[Sequence[Token]]) -> int | None:
    """Which column of the result a term is: by number, alias, name or the same expression."""
    if term.isdigit():
        return int(term) - 1
    wanted = [token.identifier or token.text for token in tokenize(term)]
    if any(item and item[-1].text == "*" and item[0].depth == item[-1].depth for item in items):
        return None
    for index, item in enumerate(items):
        if len(wanted) == 1 and wanted[0] == _name(item):
            return index
    for index, item in enumerate(items):
        if [token.identifier or token.text for token in _expression(item)] == wanted:
            return index
    return None


def _name(item: Sequence[Token]) -> str:
    """What a column is called: its alias, or the name of a column that stands alone."""
    expression = _expression(item)
    is_column = len(item) == 1 or (len(item) == 3 and item[1].text == ".")
    return item[-1].identifier if len(expression) < len(item) or is_column else ""


def _expression(item: Sequence[Token]) -> Sequence[Token]:
    """A column without its alias."""
    if len(item) > 2 and item[-2].word == "as":
        return item[:-2]
    is_after_value = len(item) > 1 and bool(
        item[-2].identifier or item[-2].text == ")" or item[-2].kind in ("number", "text")
    )
    if is_after_value and item[-1].identifier and item[-1].word != "end":
        return item[:-1]
    return item
