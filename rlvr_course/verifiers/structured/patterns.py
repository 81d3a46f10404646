"""Regular expressions that are matched in linear time, for a schema's ``pattern`` on model text.

A backtracking matcher can be made to take exponential time by the text that it matches. This one
follows all alternatives at once: its time grows with the text's length times the pattern's.

The grammar is in ``pattern_grammar``.
"""

from __future__ import annotations

from collections.abc import Iterable

from rlvr_course.verifiers.structured.pattern_grammar import Node, parse_pattern

MAX_PATTERN = 500
MAX_STATES = 2_000
_MEMO = 20_000


class LinearPattern:
    """A pattern that can be searched for in time linear in the text.

    Args:
        pattern: in the grammar of ``pattern_grammar``, at most ``MAX_PATTERN`` characters.

    Raises:
        ValueError: outside the grammar, or more than ``MAX_STATES`` states once its counted
            repetitions are written out.

    >>> LinearPattern("^[A-Z]{2}-[0-9]+$").found_in("AB-17")
    True
    >>> LinearPattern("^(a+)+$").found_in("a" * 5_000 + "b")
    False
    """

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN:
            raise ValueError(f"a pattern of {len(pattern)} characters: {MAX_PATTERN} at most")
        self.pattern = pattern
        self._program: list[Node] = []
        self._emit(parse_pattern(pattern))
        self._add(("match",))
        self._start = self._closed([0], at_start=False, at_end=False)
        self._memo: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    @property
    def states(self) -> int:
        """Instructions: the time of a search is at most in proportion to these times the text."""
        return len(self._program)

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text, as JSON Schema has it."""
        state = self._closed([0], at_start=True, at_end=not text)
        for position, character in enumerate(text):
            if self._accepts(state):
                return True
            state = self._step(state, character, is_last=position == len(text) - 1)
        return self._accepts(state)

    def _accepts(self, state: frozenset[int]) -> bool:
        return len(self._program) - 1 in state

    def _step(self, state: frozenset[int], character: str, *, is_last: bool) -> frozenset[int]:
        if is_last:
            return self._closed([*self._after(state, character), 0], at_start=False, at_end=True)
        key = (state, character)
        following = self._memo.get(key)
        if following is None:
            reached = self._closed(self._after(state, character), at_start=False, at_end=False)
            following = reached | self._start
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            self._memo[key] = following
        return following

    def _after(self, state: frozenset[int], character: str) -> list[int]:
        program = self._program
        return [i + 1 for i in state if program[i][0] == "test" and program[i][1](character)]

    def _closed(self, places: Iterable[int], *, at_start: bool, at_end: bool) -> frozenset[int]:
        """The places that are reached without reading a character."""
        reached: set[int] = set()
        open_places = list(places)
        while open_places:
            place = open_places.pop()
            if place in reached:
                continue
            reached.add(place)
            kind, *arguments = self._program[place]
            if kind in ("split", "jump"):
                open_places.extend(arguments)
            elif (kind == "start" and at_start) or (kind == "end" and at_end):
                open_places.append(place + 1)
        return frozenset(reached)

    def _add(self, instruction: Node) -> int:
        if len(self._program) >= MAX_STATES:
            raise ValueError(f"pattern {self.pattern[:60]!r} has more than {MAX_STATES} states")
        self._program.append(instruction)
        return len(self._program) - 1

    def _emit(self, node: Node) -> None:
        kind = node[0]
        if kind in ("test", "start", "end"):
            self._add(node)
        elif kind == "all":
            for part in node[1]:
                self._emit(part)
        elif kind == "any":
            self._emit_any(node[1])
        else:
            self._emit_repeat(*node[1:])

    def _emit_any(self, branches: list[Node]) -> None:
        jumps = []
        for branch in branches[:-1]:
            split = self._add(("split",))
            self._emit(branch)
            jumps.append(self._add(("jump",)))
            self._program[split] = ("split", split + 1, len(self._program))
        self._emit(branches[-1])
        for jump in jumps:
            self._program[jump] = ("jump", len(self._program))

    def _emit_repeat(self, part: Node, least: int, most: int | None) -> None:
        for _ in range(least):
            before = len(self._program)
            self._emit(part)
            if len(self._program) == before:  # nothing, as often as one likes
                break
        if most is None:
            split = self._add(("split",))
            self._emit(part)
            self._add(("jump", split))
            self._program[split] = ("split", split + 1, len(self._program))
            return
        splits = []
        for _ in range(most - least):
            splits.append(self._add(("split",)))
            self._emit(part)
        for split in splits:
            self._program[split] = ("split", split + 1, len(self._program))
