"""A submitted notebook as the search for evidence sees it: bounded texts of known types.

Nothing is taken on trust: a cell that is no mapping, a count that is a text, an output without a
type all become empty values. Images and the like are left out, long outputs are cut.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from rlvr_course.grading.evidence.python_cells import is_literal, python_cell

MAX_OUTPUT_CHARS = 1_000_000
"""Of one cell's outputs, text and HTML each; the rest is not read."""

MAX_TOTAL_CHARS = 8_000_000
"""Of all outputs of a notebook."""

MAX_SOURCE_CHARS = 200_000
"""Of one cell's source."""

MAX_TOTAL_SOURCE_CHARS = 1_000_000
"""Of all code, and as much of all text: reading Python takes a few seconds for so much."""

_EXECUTION_BEGINS = ("iopub.execute_input", "shell.execute_reply.started", "iopub.status.busy")
_EXECUTION_ENDS = ("shell.execute_reply", "iopub.status.idle")


@dataclass(frozen=True)
class SeenOutput:
    """One output.

    Args:
        kind: "stream", "execute_result", "display_data", "error", or whatever stood there.
        text: a stream's text, an error's traceback, else the plain text.
        html: its HTML, "" if it has none.
        name: of a stream, "stdout" or "stderr".
        count: the execution count in an ``execute_result``.
    """

    kind: str
    text: str = ""
    html: str = ""
    name: str = ""
    count: int | None = None


@dataclass(frozen=True)
class SeenCell:
    """One cell; its place counts from 1, ``is_cut`` says that some of it was not read."""

    place: int
    cell_type: str
    id: str = ""
    source: str = ""
    grade_id: str = ""
    points: float | None = None
    tags: frozenset[str] = frozenset()
    count: int | None = None
    outputs: tuple[SeenOutput, ...] = ()
    begun: datetime | None = None
    ended: datetime | None = None
    is_cut: bool = False

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell with anything in it."""
        return self.cell_type == "code" and bool(self.source.strip())

    @property
    def is_injected(self) -> bool:
        """Whether a runner put it there: parameters, or the note of a failure.

        A tag alone doesn't say so: what holds other code is the learner's.
        """
        is_tagged = bool(self.tags & {"injected-parameters", "papermill-error-cell-tag"})
        return is_tagged and (self.cell_type != "code" or _holds_values_alone(self.source))

    @property
    def has_failed(self) -> bool:
        """Whether it shows an error."""
        return any(output.kind == "error" for output in self.outputs)

    @cached_property
    def stdout(self) -> str:
        """All that it printed."""
        return "".join(o.text for o in self.outputs if o.kind == "stream" and o.name != "stderr")


def seen_cells(notebook: Any) -> tuple[SeenCell, ...]:
    """The cells of a notebook; of whatever is none, an empty tuple.

    Args:
        notebook: a notebook of format 4 as plain dicts and lists, or anything else.
    """
    cells = _list(_mapping(notebook).get("cells"))
    left = MAX_TOTAL_CHARS
    left_sources = {True: MAX_TOTAL_SOURCE_CHARS, False: MAX_TOTAL_SOURCE_CHARS}  # is it code?
    found: list[SeenCell] = []
    for place, cell in enumerate(cells, start=1):
        outputs, is_cut, used = _outputs(_mapping(cell).get("outputs"), min(left, MAX_OUTPUT_CHARS))
        left -= used
        is_code = _mapping(cell).get("cell_type") == "code"
        one = _cell(place, _mapping(cell), min(left_sources[is_code], MAX_SOURCE_CHARS))
        found.append(replace(one, outputs=tuple(outputs), is_cut=one.is_cut or is_cut))
        left_sources[is_code] -= len(one.source)
    return tuple(found)


def text_of(value: Any, limit: int = MAX_SOURCE_CHARS) -> str:
    """A text or a list of its lines as one text of at most ``limit`` characters."""
    if isinstance(value, str):
        return value[:limit]
    if not isinstance(value, list | tuple):
        return ""
    parts, left = [], limit
    for part in value:
        if isinstance(part, str):
            parts.append(part[:left])
            left -= len(parts[-1])
            if left <= 0:
                break
    return "".join(parts)


def _cell(place: int, cell: Mapping[str, Any], limit: int) -> SeenCell:
    metadata = _mapping(cell.get("metadata"))
    grading, timing = _mapping(metadata.get("nbgrader")), _mapping(metadata.get("execution"))
    source = text_of(cell.get("source"), limit + 1)
    tags = _list(metadata.get("tags"))
    return SeenCell(
        place=place,
        cell_type=_text(cell.get("cell_type")),
        id=_text(cell.get("id")) or _text(metadata.get("id")),
        source=source[:limit].replace("\r\n", "\n").replace("\r", "\n"),
        grade_id=_text(grading.get("grade_id")) if grading.get("grade") else "",
        points=_number(grading.get("points")),
        tags=frozenset(tag for tag in tags if isinstance(tag, str)),
        count=_integer(cell.get("execution_count")),
        begun=_first_time(timing, _EXECUTION_BEGINS),
        ended=_first_time(timing, _EXECUTION_ENDS),
        is_cut=len(source) > limit,
    )


def _outputs(value: Any, limit: int) -> tuple[list[SeenOutput], bool, int]:
    """The outputs, whether anything of them was left out, and how many characters were read."""
    found, left, is_cut = [], limit, False
    for output in _list(value):
        if left <= 0:
            return found, True, limit
        text, html = _output_texts(_mapping(output), left + 1)
        is_cut = is_cut or len(text) + len(html) > left
        found.append(
            SeenOutput(
                _text(_mapping(output).get("output_type")),
                text,
                html,
                _text(_mapping(output).get("name")),
                _integer(_mapping(output).get("execution_count")),
            )
        )
        left -= len(text) + len(html) + 1
    return found, is_cut, limit - max(0, left)


def _output_texts(output: Mapping[str, Any], limit: int) -> tuple[str, str]:
    if output.get("output_type") == "stream":
        return text_of(output.get("text"), limit), ""
    if output.get("output_type") == "error":
        lines = _list(output.get("traceback"))
        traceback = text_of([f"{line}\n" for line in lines if isinstance(line, str)], limit)
        return traceback or text_of(output.get("evalue"), limit), ""
    data = _mapping(output.get("data"))
    return text_of(data.get("text/plain"), limit), text_of(data.get("text/html"), limit)


def iter_texts(cell: SeenCell) -> Iterator[str]:
    """The source and every text and HTML of the outputs."""
    yield cell.source
    for output in cell.outputs:
        yield from (part for part in (output.text, output.html) if part)


def _first_time(timing: Mapping[str, Any], names: Sequence[str]) -> datetime | None:
    for name in names:
        value = timing.get(name)
        if isinstance(value, str) and len(value) <= 40:
            try:
                time = datetime.fromisoformat(value)
            except ValueError:
                continue
            return time if time.tzinfo else time.replace(tzinfo=UTC)
    return None


def _holds_values_alone(source: str) -> bool:
    tree = python_cell(source).tree
    return tree is not None and all(
        isinstance(statement, ast.Assign | ast.AnnAssign)
        and (statement.value is None or is_literal(statement.value))
        for statement in tree.body
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(value: Any) -> str:
    return value[:200] if isinstance(value, str) else ""


def _integer(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None


def _number(value: Any) -> float | None:
    return float(value) if type(value) in {int, float} and abs(value) < 10**9 else None
