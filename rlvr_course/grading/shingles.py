"""What a text consists of, as a set of short overlapping pieces that survive a copy's disguise.

Code is read as its syntax tree: layout, comments, docstrings and annotations are gone, imports
are known by what they import, and of the learner's own names only stays, within each piece, which
are the same. So a copy with other names has the same pieces. Prose is read as words.

>>> one = code_shingles("def f(xs):  # mine\\n    total = sum(xs)\\n    return total / len(xs)")
>>> one == code_shingles("def g(a):\\n    '''Mean.'''\\n    b = sum(a)\\n    return b / len(a)")
True
>>> one == code_shingles("def f(xs):\\n    total = max(xs)\\n    return total / len(xs)")
False
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from rlvr_course.grading.evidence.python_cells import python_cell

Token = str | int
"""A text that stands for itself, or the number of a name that the learner chose."""

Shingle = tuple[Token, ...]

CODE_LENGTH = 6
WORDS_LENGTH = 4
MAX_CHARS = 20_000
"""Of a text; what comes after is not read."""

_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_LEFT_OUT = {"ctx", "annotation", "returns", "type_comment", "simple", "kind", "type_ignores"}
_MIRRORED = {ast.Gt: "Lt", ast.GtE: "LtE"}


def code_shingles(source: str) -> frozenset[Shingle]:
    """The pieces of a cell's code; of what is no Python, those of its words and signs.

    Args:
        source: a cell's text, of which the first 20,000 characters are read.

    Limits: an expression that is written in another way (``a + b`` for ``b + a``, a loop for a
    comprehension) has other pieces.
    """
    source = source[:MAX_CHARS]
    tree = python_cell(source).tree
    if tree is None:
        return _pieces(re.findall(r"\w+|[^\w\s]", source), CODE_LENGTH)
    try:
        tokens = list(_Reader().tokens(tree, ({},)))
    except RecursionError:  # nested deeper than anything that a person writes
        return frozenset()
    return _pieces(tokens, CODE_LENGTH)


def words_shingles(text: str) -> frozenset[Shingle]:
    """The pieces of a written answer: four words in a row, without case, marks and signs.

    >>> sorted(words_shingles("A *cheap* text, that passes."))
    [('a', 'cheap', 'text', 'that'), ('cheap', 'text', 'that', 'passes')]
    """
    return _pieces(re.findall(r"\w+", text[:MAX_CHARS].lower()), WORDS_LENGTH)


def _pieces(tokens: Sequence[Token], length: int) -> frozenset[Shingle]:
    windows = zip(*(tokens[start:] for start in range(length)), strict=False)
    return frozenset(map(_renumbered, windows))


def _renumbered(window: Iterable[Token]) -> Shingle:
    """The piece with its names numbered in the order in which they occur in it."""
    order: dict[int, int] = {}
    return tuple(
        order.setdefault(token, len(order)) if isinstance(token, int) else token for token in window
    )


Scope = Mapping[str, Token]


class _Reader:
    """Reads a tree from top to bottom, with the names of the scopes around each node."""

    def __init__(self) -> None:
        self._numbers = count()

    def tokens(self, node: ast.AST, scopes: tuple[Scope, ...]) -> Iterator[Token]:
        if isinstance(node, (ast.Module, *_SCOPES)):
            scopes = (*scopes, self._scope(node))
        yield _kind(node)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _MIRRORED and len(node.ops) == 1:
            yield _MIRRORED[type(node.ops[0])]
            yield from self.tokens(node.comparators[0], scopes)
            yield from self.tokens(node.left, scopes)
            return
        for name, value in ast.iter_fields(node):
            if name not in _LEFT_OUT:
                yield from self._field(node, name, value, scopes)

    def _field(
        self, node: ast.AST, name: str, value: object, scopes: tuple[Scope, ...]
    ) -> Iterator[Token]:
        if isinstance(node, ast.Constant):
            yield f"={value!r}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield str(value) if isinstance(value, str | int) else "names"
        elif isinstance(value, ast.AST):
            yield from self.tokens(value, scopes)
        elif isinstance(value, list):
            for item in _without_docstring(value) if name == "body" else value:
                if isinstance(item, ast.AST):
                    yield from self.tokens(item, scopes)
                elif isinstance(item, str):
                    yield _resolved(item, scopes)
        elif isinstance(value, str):
            is_own = not isinstance(node, (ast.Attribute, ast.keyword))
            yield _resolved(value, scopes) if is_own else f".{value}"

    def _scope(self, node: ast.AST) -> Scope:
        found: dict[str, Token] = {}
        for name, meaning in _bound(node):
            if name not in found:
                found[name] = next(self._numbers) if meaning is None else meaning
        return found


def _kind(node: ast.AST) -> str:
    return "Assign" if isinstance(node, ast.AnnAssign) else type(node).__name__


def _resolved(name: str, scopes: tuple[Scope, ...]) -> Token:
    """What a name stands for in the innermost scope that has it; itself if none has."""
    return next((scope[name] for scope in reversed(scopes) if name in scope), name)


def _without_docstring(body: list[ast.AST]) -> list[ast.AST]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def _bound(scope: ast.AST) -> Iterator[tuple[str, str | None]]:
    """The names that a scope binds, each with what it imports; None for the learner's own."""
    ahead = list(ast.iter_child_nodes(scope))
    while ahead:
        node = ahead.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, None
            case ast.ClassDef(name=name) | ast.MatchStar(name=str(name)):
                yield name, None
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name, None
            case ast.Import(names=aliases):
                yield from ((a.asname or a.name.partition(".")[0], a.name) for a in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield from ((a.asname or a.name, f"{module}.{a.name}") for a in aliases)
        if not isinstance(node, _SCOPES):
            ahead += ast.iter_child_nodes(node)
