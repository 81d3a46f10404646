"""Notebooks of other people: other languages, other versions of the format, other tools."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

Values = dict[str, Any]
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000).decode()
KEY = "sk-" + hashlib.sha256(b"a key that opens nothing").hexdigest()[:48]


def code(source: Any = "1 + 1", *outputs: Values, count: int | None = 1, **more: Any) -> Values:
    shape: Values = {"cell_type": "code", "metadata": {}, "execution_count": count}
    return {**shape, "source": source, "outputs": list(outputs), **more}


def prose(source: Any = "# Homework", **more: Any) -> Values:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def notebook(*cells: Values, minor: int = 4, **metadata: Any) -> Values:
    return {"nbformat": 4, "nbformat_minor": minor, "metadata": metadata, "cells": list(cells)}


def kernel(name: str, language: str) -> Values:
    spec = {"display_name": name, "language": language, "name": name}
    return {"kernelspec": spec, "language_info": {"name": language}}


def printed(text: Any, name: str = "stdout") -> Values:
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data: Any) -> Values:
    kinds = {key.replace("__", "/").replace("_", "+"): value for key, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": kinds}


def failed(*lines: str) -> Values:
    error = {"output_type": "error", "ename": "ValueError", "evalue": "\x1b[31mno\x1b[0m"}
    return {**error, "traceback": list(lines)}


def _old() -> Values:
    """Format 3: worksheets, inputs, and outputs by other names."""
    run = {
        "cell_type": "code",
        "language": "python",
        "metadata": {},
        "collapsed": False,
        "input": "print 1",
        "prompt_number": 1,
        "outputs": [{"output_type": "stream", "stream": "stdout", "text": "1\n"}],
    }
    head = {"cell_type": "heading", "level": 1, "metadata": {}, "source": "Title"}
    worksheet = {"cells": [head, run], "metadata": {}}
    metadata = {"name": "old"}
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": metadata, "worksheets": [worksheet]}


_WIDGET = "application/vnd.jupyter.widget-view+json"
_VEGA = "application/vnd.vegalite.v5+json"
_GRADING = {"grade": True, "grade_id": "q1", "points": 5, "solution": True, "locked": False}

KINDS: Mapping[str, Values | str] = {
    "R": notebook(code("x <- c(1, 2)\nmean(x)", printed("1.5")), **kernel("ir", "R")),
    "Julia": notebook(code("f(x) = 2x; f.(1:3)"), **kernel("julia-1.10", "julia")),
    "JavaScript": notebook(code("const f = () => `${1}`;"), **kernel("deno", "typescript")),
    "Scala": notebook(code("val a: Int = 1"), **kernel("almond", "scala")),
    "SQL magic": notebook(code("%%sql\nselect * from t"), code("!ls -l\n%time x = 1")),
    "Python 2": notebook(code("print 'hello'\nraise E, 'x'"), **kernel("python2", "python")),
    "format 3": _old(),
    "format 4.0": notebook(prose(), code(), minor=0),
    "a format to come": notebook(code(id="a"), prose(id="b"), minor=99),
    "no cells": notebook(),
    "no metadata": {"nbformat": 4, "nbformat_minor": 5, "cells": [code(id="x")]},
    "cells without text": notebook(code("", count=None), prose(""), code("", count=None)),
    "outputs only": notebook(*[code("", printed("x" * 100)) for _ in range(20)]),
    "prose only": notebook(*[prose(f"## {n}\n\ntext") for n in range(30)]),
    "raw only": notebook({"cell_type": "raw", "metadata": {"format": "text/latex"}, "source": "x"}),
    "attachments": notebook(
        prose("![a](attachment:a.png)", attachments={"a.png": {"image/png": PIXEL}})
    ),
    "10,000 cells": notebook(*[code(f"x{n} = {n}", count=n) for n in range(10_000)]),
    "widgets": notebook(
        code("slider", {**shown(), "data": {_WIDGET: {"model_id": "1f", "version_major": 2}}}),
        widgets={"application/vnd.jupyter.widget-state+json": {"state": {"1f": {"state": {}}}}},
    ),
    "charts": notebook(code("chart", {**shown(), "data": {_VEGA: {"mark": {"type": "bar"}}}})),
    "pictures": notebook(code("plot", shown(image__png=PIXEL, image__svg_xml="<svg/>"))),
    "errors": notebook(code("1/0", failed("\x1b[0;31m---> 1\x1b[0m 1/0", "x"), count=7)),
    "hostile HTML": notebook(code("h", shown(text__html="<script>alert(1)</script>" * 50))),
    "doubled ids": notebook(*[code(id="same") for _ in range(5)], minor=5),
    "one long line": notebook(code("x = '" + "a" * 1_500_000 + "'", printed("y" * 1_500_000))),
    "deep expression": notebook(code("(" * 5000 + ")" * 5000), code("x = " + "-" * 20_000 + "1")),
    "odd text": notebook(prose("\u202e\u0000\ufeffend\ud800"), code(["a = 1\r\n", "b = 2\r"])),
    "keys and addresses": notebook(code(f"key = '{KEY}'  # ada.lovelace@sorting.school")),
    "another course's exercise": notebook(
        code("### BEGIN SOLUTION", metadata={"nbgrader": _GRADING})
    ),
    "our exercise's id": notebook(
        code("def last_box(t): pass", metadata={"nbgrader": {**_GRADING, "grade_id": "q01c"}})
    ),
    "a check of its own": notebook(code("def check(a):\n    return 'q01: public checks passed'")),
    "papermill": notebook(
        code("n = 5", metadata={"tags": ["injected-parameters"], "papermill": {"status": "x"}}),
        papermill={"exception": True, "duration": 1e999},
    ),
    "odd counts": notebook(code(count=10**30), code(count=-1), code(count=0)),
    "with a byte order mark": "\ufeff" + json.dumps(notebook(code())),
}  # fmt: skip
"""By what is odd about them; as values, or as the file's text."""


def file_of(kind: str) -> bytes:
    """The file's bytes."""
    values = KINDS[kind]
    text = values if isinstance(values, str) else json.dumps(values)
    return text.encode("utf-8")
