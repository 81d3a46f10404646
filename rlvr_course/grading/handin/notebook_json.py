"""A notebook's bytes as plain values of a known shape, however odd the bytes are.

Whoever reads the result may rely on this much, and needs no check of their own:

    {"nbformat": 4, "metadata": {...}, "cells": [cell, ...]}
    cell     {"id": str, "cell_type": str, "source": str, "metadata": {...}} and, of a code cell,
             "execution_count" (an int or None) and "outputs" ([output, ...])
    output   {"output_type": str}, and of a stream "name" and "text" (str), of an error "ename" and
             "evalue" (str) and "traceback" ([str]), of the others "data" and "metadata" ({...})

Every text can be encoded as UTF-8, nothing nests deeper than ``MAX_DEPTH``, no number is NaN or
infinite.
"""

from __future__ import annotations

import json
import math
from typing import Any

from rlvr_course.errors import NotebookError

MAX_DEPTH = 100
MAX_CONTAINERS = 1_000_000
"""Lists and objects; an empty one takes 64 bytes of memory for two in the file."""

_REMEDY = "open it in JupyterLab, save it and hand it in again"


def parse_notebook(data: bytes) -> dict[str, Any]:
    """Read a notebook of format 4; older ones are brought up to it.

    Args:
        data: the file's bytes.

    Returns:
        The notebook in the shape that this module's first lines describe. A cell's missing id is
        "", texts that the file holds as lists of lines are joined, halves of surrogate pairs
        become U+FFFD.

    Raises:
        NotebookError: it is no notebook; the message says where, and what to do.

    >>> found = parse_notebook(b'{"nbformat": 4, "cells": [{"cell_type": "raw", "source": ["x"]}]}')
    >>> found["cells"]
    [{'cell_type': 'raw', 'source': 'x', 'id': '', 'metadata': {}}]
    """
    notebook = _clean(_parsed(data), MAX_DEPTH)
    if not isinstance(notebook, dict) or type(notebook.get("nbformat")) is not int:
        raise NotebookError(f"it is JSON but no notebook (no 'nbformat'): {_REMEDY}")
    if notebook["nbformat"] in {1, 2, 3}:
        notebook = _upgraded(notebook)
    if notebook["nbformat"] != 4:
        raise NotebookError(f"it is of format {notebook['nbformat']}, not 4: {_REMEDY}")
    cells = _typed(notebook, "cells", list, "the notebook")
    return {
        **notebook,
        "metadata": _typed(notebook, "metadata", dict, "the notebook"),
        "cells": [_cell(place, cell) for place, cell in enumerate(cells, start=1)],
    }


def parse_json(data: bytes) -> Any:
    """JSON of a stranger: as ``json.loads``, with a bound on its size in memory and one error.

    Raises:
        NotebookError: not UTF-8, not JSON, nested too deep or with too many parts.
    """
    return _clean(_parsed(data), MAX_DEPTH)


def _parsed(data: bytes) -> Any:
    if data.count(b"[") + data.count(b"{") > MAX_CONTAINERS:
        raise NotebookError(f"it has over {MAX_CONTAINERS:,} lists and objects: {_REMEDY}")
    try:
        # JSON has no NaN, but Python's writer does; as text it can be written again anywhere.
        return json.loads(data.decode("utf-8-sig"), parse_constant=str)
    except UnicodeDecodeError as error:
        raise NotebookError(f"it is not UTF-8 at byte {error.start}: {_REMEDY}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} ({error.msg})"
        raise NotebookError(f"it is not JSON, or was cut short, at {where}: {_REMEDY}") from None
    except RecursionError:
        raise NotebookError(f"it nests deeper than {MAX_DEPTH}: {_REMEDY}") from None
    except ValueError:
        raise NotebookError(f"it holds a number of thousands of digits: {_REMEDY}") from None


def _clean(value: Any, depth: int) -> Any:
    """The same value, its texts made encodable; too deep a one is refused."""
    if isinstance(value, str):
        return value if value.isascii() else _encodable(value)
    if isinstance(value, float) and math.isinf(value):  # 1e999
        return str(value)
    if not isinstance(value, list | dict):
        return value
    if depth == 0:
        raise NotebookError(f"it nests deeper than {MAX_DEPTH}: {_REMEDY}")
    if isinstance(value, list):
        return [_clean(item, depth - 1) for item in value]
    return {_clean(key, 1): _clean(item, depth - 1) for key, item in value.items()}


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _upgraded(notebook: dict[str, Any]) -> dict[str, Any]:
    import nbformat

    try:
        newer = nbformat.convert(nbformat.from_dict(notebook), 4)
        return json.loads(json.dumps(newer))
    except Exception as error:  # nbformat's converters trust what they are given
        said = f"format {notebook['nbformat']}, {type(error).__name__}"
        raise NotebookError(f"it is an old notebook that can't be converted ({said})") from None


def _typed(values: dict[str, Any], key: str, kind: type, owner: str) -> Any:
    """``values[key]``, or an empty one if it is missing; any other type is refused."""
    value = values.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise NotebookError(f"{key!r} of {owner} is a {type(value).__name__}: {_REMEDY}")
    return value


def _text(values: dict[str, Any], key: str, owner: str) -> str:
    """A text, which the format lets be a list of lines."""
    value = values.get(key)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return _typed(values, key, str, owner)


def _cell(place: int, cell: Any) -> dict[str, Any]:
    owner = f"cell {place}"
    if not isinstance(cell, dict):
        raise NotebookError(f"{owner} is a {type(cell).__name__}, not a cell: {_REMEDY}")
    known = {
        **cell,
        "id": _typed(cell, "id", str, owner),
        "cell_type": _typed(cell, "cell_type", str, owner),
        "source": _text(cell, "source", owner),
        "metadata": _typed(cell, "metadata", dict, owner),
    }
    if known["cell_type"] == "code":
        count = cell.get("execution_count")
        known["execution_count"] = count if type(count) is int else None
        outputs = _typed(cell, "outputs", list, owner)
        known["outputs"] = [_output(item, f"an output of {owner}") for item in outputs]
    return known


def _output(output: Any, owner: str) -> dict[str, Any]:
    if not isinstance(output, dict):
        raise NotebookError(f"{owner} is a {type(output).__name__}, not an output: {_REMEDY}")
    kind = _typed(output, "output_type", str, owner)
    known = {**output, "output_type": kind}
    if kind == "stream":
        texts = {key: _text(output, key, owner) for key in ("name", "text")}
        return {**known, **texts}
    if kind == "error":
        texts = {key: _text(output, key, owner) for key in ("ename", "evalue")}
        lines = _typed(output, "traceback", list, owner)
        return {**known, **texts, "traceback": [str(line) for line in lines]}
    data = _typed(output, "data", dict, owner)
    joined = {mime: _joined(value) for mime, value in data.items()}
    return {**known, "data": joined, "metadata": _typed(output, "metadata", dict, owner)}


def _joined(value: Any) -> Any:
    lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
    return "".join(value) if lines else value
