"""A report's page: one file, no address in it, and only our own script may run.

Everything that comes from a submission goes through ``shown``. Should that ever be forgotten
somewhere, the page's policy still keeps a browser from running or fetching anything.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from importlib.resources import files

UNSEEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "\ufffd")
TURNING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Characters that turn the direction of what comes after them are shown by their number."""


def shown(text: object, limit: int = 2000) -> str:
    """A text from anywhere, safe as HTML content and in a quoted attribute.

    Args:
        text: of any type; its ``str`` is shown.
        limit: characters, of which the rest is left out.

    >>> shown("<script>alert('x')</script>", 11)
    '&lt;script&gt;ale…'
    """
    whole = str(text)
    cut = whole if len(whole) <= limit else f"{whole[:limit]}…"
    clean = cut.encode("utf-8", "replace").decode().translate(UNSEEN | TURNING)
    return html.escape(clean)


def sentence(text: str) -> str:
    """A message as a sentence: names of code and exercises at its start are left as they are.

    >>> sentence("it was run, but shows nothing"), sentence("q01c was changed.")
    ('It was run, but shows nothing.', 'q01c was changed.')
    """
    word = re.match(r"[a-z]+(?=[ ,:]|$)", text)
    begun = text[:1].upper() + text[1:] if word else text
    return begun if begun.endswith((".", "!", "?", "…")) else f"{begun}."


def exact(text: str) -> str:
    """A text as a quoted attribute's value that a script reads: whole, and with nothing replaced
    but what can't be written."""
    return html.escape(text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))


def report_page(title: str, body: str, *, script: str = "", is_wide: bool = False) -> str:
    """A whole page.

    Args:
        title: plain text.
        body: HTML, every text in it escaped.
        script: JavaScript of ours, which runs; no other does.
        is_wide: for pages with two columns.
    """
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{_allowed(script)}"
    ours = files("rlvr_course")
    style = (ours / "classroom/page.css").read_text("utf-8")
    style += (ours / "grading/reports/report.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{shown(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body class="report{" wide" if is_wide else ""}">\n{body}\n'
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def _allowed(script: str) -> str:
    if not script:
        return ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"; script-src 'sha256-{digest}'"


def script_text(name: str) -> str:
    """One of our scripts, which lie beside this file."""
    return (files("rlvr_course") / "grading/reports" / name).read_text("utf-8")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "cards") -> str:
    """A table, which becomes a list of cards where the page is narrow if it is of that kind.

    Args:
        heads: plain text; one that ends in ``#`` is a column of numbers.
        rows: HTML, every text in it escaped.
        kind: classes of the style sheet.
    """
    names = [head.rstrip("#") for head in heads]
    kinds = ["number" if head.endswith("#") else "" for head in heads]
    columns = list(zip(names, kinds, strict=True))
    top = "".join(f'<th class="{k}">{shown(n)}</th>' for n, k in columns)
    body = "\n".join(
        "<tr>"
        + "".join(labelled_cell(n, cell, k) for (n, k), cell in zip(columns, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<table class="{kind}">\n<thead><tr>{top}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def labelled_cell(label: str, content: str, kind: str = "") -> str:
    """A table's cell that knows its column's name, for cards; an empty one is left out of them.

    Args:
        label: plain text.
        content: HTML, every text in it escaped.
        kind: a class of the style sheet.
    """
    inside = f"<div>{content}</div>" if content else ""
    return f'<td class="{kind}" data-label="{shown(label)}">{inside}</td>'


STATUS = {
    "passed": "passed",
    "failed": "not passed",
    "open": "not answered",
    "manual": "waits to be read",
    "scored": "read and scored",
    "could_not_grade": "could not be graded",
    "graded": "graded",
    "needs_manual": "waits to be read",
    "not_ours": "not of the course",
}
"""What a status means, in words."""


def status(name: str) -> str:
    """A status as a coloured word; the word says it all, without the colour."""
    return f'<span class="status s-{shown(name)}">{shown(STATUS.get(name, name))}</span>'
