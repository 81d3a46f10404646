"""What an answer can be, once read: the kinds that ``compare`` knows how to compare."""

from __future__ import annotations

from dataclasses import dataclass

from rlvr_course.verifiers.answers.nodes import Node
from rlvr_course.verifiers.answers.units import Unit


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or an expression, with the unit or percent sign that stood after it."""

    node: Node
    unit: Unit | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """Several values between two brackets: "(" "[" "{" or, for a bare list, ""."""

    left: str
    right: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value given a name: ``x = 5``, ``(x, y) = (4, -1)``, ``f(x) = 2x``, ``Area = 34``."""

    name: str
    value: Value
    symbol: Node | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Relations in a row: ``1 \\le x < 5`` has terms 1, x, 5 and signs ≤, <."""

    terms: tuple[Node, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """A union of intervals and sets."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Both:
    """An intersection: ``x > 1 and x < 5``, ``A \\cap B``."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """A set less another: ``\\mathbb{R} \\setminus \\{3\\}``."""

    whole: Value
    removed: Value


@dataclass(frozen=True, slots=True)
class NamedSet:
    """``\\mathbb{R}``, ``\\emptyset`` and their kin."""

    name: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of entries; ``bars`` for a determinant's upright bars."""

    rows: tuple[tuple[Value, ...], ...]
    bars: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; ``half`` is "am", "pm" or "" where it was not said."""

    hour: int
    minute: int
    half: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """``a : b`` or ``a : b : c``; ``is_clock`` where it could also be a time of day."""

    parts: tuple[Node, ...]
    is_clock: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a multiple-choice question, by its letter."""

    letter: str


@dataclass(frozen=True, slots=True)
class Words:
    """A word or a short phrase, folded to lower case without punctuation; ``exact`` as typed."""

    text: str
    exact: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Mathematics outside the grammar: equal to the same text, or by the symbolic worker."""

    text: str


Value = (
    Scalar | Items | Named | Chain | Union | Both | Without | NamedSet | Matrix | Clock | Ratio
    | Choice | Words | Opaque
)  # fmt: skip
