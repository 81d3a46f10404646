"""A notebook as one HTML page that needs nothing else: no script, no network, no other file."""

from __future__ import annotations

import base64
import copy
import hashlib
import html
import logging
from pathlib import Path
from typing import Any

from rlvr_course.classroom.formulas import Formulas, to_mathml

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:"
"""What a browser may do for a page: outputs hold text that models wrote, so that no script runs
and nothing is fetched, whatever stands in them."""


def notebook_page(path: Path, *, title: str, note: str = "") -> str:
    """An executed notebook as a self-contained page.

    Args:
        path: the notebook.
        title: the page's title.
        note: a line under the title, such as how the run went.

    Raises:
        OSError: the notebook can't be read.
        ValueError: it is cut, or no notebook.
    """
    import nbformat

    notebook: Any = nbformat.read(path, as_version=4)
    heading = (
        f'<nav><a href="index.html">All notebooks</a></nav><p class="note">{html.escape(note)}'
    )
    body = f"{heading}</p>\n<main class='notebook'>{notebook_html(notebook)}</main>"
    return page(title, body)


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A page around ``body``.

    Args:
        title: plain text.
        body: HTML.
        style: the style sheet; the course's own if "".
        script: JavaScript of ours, which runs before the body is read; no other runs.
    """
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}{_allowed(script)}">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{style or course_style()}</style>\n{run}"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _allowed(script: str) -> str:
    """The part of the policy that lets exactly this script run."""
    if not script:
        return ""
    digest = hashlib.sha256(script.encode()).digest()
    return f"; script-src 'sha256-{base64.b64encode(digest).decode()}'"


def course_style() -> str:
    """The style sheet: ours, and Pygments' colours for code on light and on dark."""
    from pygments.formatters import HtmlFormatter

    ours = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{ours}"


def notebook_html(notebook: Any) -> str:
    """A notebook's cells as HTML; papermill's banner over a failed one is left out."""
    from nbconvert import HTMLExporter

    notebook = copy.deepcopy(notebook)
    own = "papermill-error-cell-tag"
    notebook.cells = [c for c in notebook.cells if own not in c.metadata.get("tags", [])]
    formulas = Formulas()
    for cell in notebook.cells:
        _replace_formulas(cell, formulas)
    exporter = HTMLExporter(template_name="basic", embed_images=True)
    exporter.log.setLevel(logging.ERROR)
    body, _ = exporter.from_notebook_node(notebook)
    return formulas.put_in(body)


def _replace_formulas(cell: Any, formulas: Formulas) -> None:
    if cell.cell_type == "markdown":
        cell.source = formulas.take_out(cell.source)
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/markdown" in data:
            data["text/markdown"] = formulas.take_out(data["text/markdown"])
        if "text/latex" in data and "text/html" not in data:
            latex = data.pop("text/latex").strip().strip("$").strip()
            data["text/html"] = to_mathml(latex, display=True)
