"""The grammar of a schema's regular expressions, parsed to a tree.

It is the one that the JSON Schema specification recommends for interoperability: characters,
``.``, classes, ``\\d \\w \\s`` and their complements (ASCII, as in ECMA 262), groups, ``|``, the
anchors ``^`` and ``$``, and the quantifiers ``* + ? {n} {n,} {n,m}``. Look-around, back references
and word boundaries are refused.

A tree's nodes are ``("test", function of a character)``, ``("start",)``, ``("end",)``,
``("all", nodes)``, ``("any", nodes)`` and ``("repeat", node, least, most or None)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_GROUPS = 40

Test = Callable[[str], bool]
Node = tuple[Any, ...]

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_SPACE = frozenset("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_CLASSES: dict[str, Test] = {
    "d": frozenset("0123456789").__contains__,
    "w": _WORD.__contains__,
    "s": _SPACE.__contains__,
}


def parse_pattern(pattern: str) -> Node:
    """The tree of a pattern.

    Raises:
        ValueError: outside the grammar.
    """
    return _Parser(pattern).parsed()


class _Parser:
    """A recursive descent over the grammar above; groups are nested ``MAX_GROUPS`` deep at most."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def parsed(self) -> Node:
        node = self._any()
        if self.at < len(self.pattern):
            raise self._refused("an unopened )")
        return node

    def _refused(self, what: str) -> ValueError:
        return ValueError(
            f"pattern {self.pattern[:60]!r}: {what} is outside the grammar that is matched in "
            "linear time; rewrite it with classes, groups and quantifiers"
        )

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise self._refused("an unfinished end")
        self.at += 1
        return character

    def _any(self) -> Node:
        branches = [self._all()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._all())
        return branches[0] if len(branches) == 1 else ("any", branches)

    def _all(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom()))
        return ("all", parts)

    def _atom(self) -> Node:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return ("test", self._class())
        if character == "^":
            return ("start",)
        if character == "$":
            return ("end",)
        if character == ".":
            return ("test", lambda c: c not in "\n\r\u2028\u2029")
        if character == "\\":
            return ("test", self._escape())
        if character in "*+?":
            raise self._refused(f"{character} with nothing to repeat")
        return ("test", character.__eq__)

    def _group(self) -> Node:
        if self._peek() == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                raise self._refused(f"({self.pattern[self.at : self.at + 3]}")
            self.at += 2
        self.depth += 1
        if self.depth > MAX_GROUPS:
            raise self._refused(f"nesting past {MAX_GROUPS} groups")
        node = self._any()
        if self._peek() != ")":
            raise self._refused("an unclosed (")
        self.at += 1
        self.depth -= 1
        return node

    def _quantified(self, part: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() == "?":
            self.at += 1  # lazy: it changes what is matched, not whether
        if self._peek() in ("*", "+", "?"):
            raise self._refused("a quantifier after a quantifier")
        return ("repeat", part, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        character = self._peek()
        if character in simple and character:
            self.at += 1
            return simple[character]
        end = self.pattern.find("}", self.at)
        if character != "{" or end < 0:
            return None
        least, comma, most = self.pattern[self.at + 1 : end].partition(",")
        if not _is_count(least) or not (most == "" or _is_count(most)):
            return None  # a brace that is meant literally
        self.at = end + 1
        low = int(least)
        high = low if not comma else int(most) if most else None
        if high is not None and high < low:
            raise self._refused("a range of counts that runs backwards")
        return low, high

    def _escape(self) -> Test:
        character = self._take()
        if character.lower() in _CLASSES:
            test = _CLASSES[character.lower()]
            return test if character.islower() else lambda c: not test(c)
        return self._escaped_character(character).__eq__

    def _escaped_character(self, character: str) -> str:
        if character in _ESCAPES:
            return _ESCAPES[character]
        if character in "xu":
            width = 2 if character == "x" else 4
            digits = self.pattern[self.at : self.at + width]
            if len(digits) == width and all(d in "0123456789abcdefABCDEF" for d in digits):
                self.at += width
                return chr(int(digits, 16))
        if character.isalnum():
            raise self._refused(f"\\{character}")
        return character

    def _class(self) -> Test:
        negated = self._peek() == "^"
        self.at += negated
        singles: set[str] = set()
        ranges: list[tuple[str, str]] = []
        tests: list[Test] = []
        while self._peek() != "]":
            low = self._class_member(tests)
            if self._peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._class_member(tests)
                if low is None or high is None or high < low:
                    raise self._refused("a range of characters without two ends in order")
                ranges.append((low, high))
            elif low is not None:
                singles.add(low)
        self.at += 1
        return _class_test(singles, ranges, tests, negated)

    def _class_member(self, tests: list[Test]) -> str | None:
        """One character of a class; None after a class such as ``\\d``, which joins ``tests``."""
        character = self._take()
        if character != "\\":
            return character
        escaped = self._peek()
        if escaped and escaped.lower() in _CLASSES:
            tests.append(self._escape())
            return None
        return self._escaped_character(self._take())


def _class_test(
    singles: set[str], ranges: list[tuple[str, str]], tests: list[Test], negated: bool
) -> Test:
    def is_in(character: str) -> bool:
        inside = (
            character in singles
            or any(low <= character <= high for low, high in ranges)
            or any(test(character) for test in tests)
        )
        return inside is not negated

    return is_in


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4
