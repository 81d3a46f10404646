"""A static site of the notebooks as a learner finds them, executed, without a solution.

Every page is whole in itself and works from disk: no other file, nothing fetched, and of scripts
only ours, named by its hash in the page's policy, because outputs hold text that models wrote.
"""

from __future__ import annotations

import html
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.classroom.build import write_whole
from rlvr_course.classroom.checkout import Checkout, select
from rlvr_course.classroom.execution import Execution
from rlvr_course.classroom.leaks import LeakTest, refuse
from rlvr_course.classroom.page import course_style, notebook_html, page
from rlvr_course.classroom.run import RunOptions, require_writable, run_notebooks
from rlvr_course.classroom.sections import Section, sections
from rlvr_course.errors import NotebookError

COURSE = "Reinforcement learning from verifiable rewards"
_DARK = "@media (prefers-color-scheme: dark) {"


@dataclass(frozen=True)
class Entry:
    """One notebook of the site: ``body`` is its HTML."""

    name: str
    body: str
    sections: Sequence[Section]

    @property
    def title(self) -> str:
        """Its first heading."""
        return next((s.heading for s in self.sections if s.heading), self.name)

    @property
    def summary(self) -> str:
        """Its first paragraph."""
        return next(filter(None, (section.first_paragraph for section in self.sections)), "")


def build_site(
    checkout: Checkout,
    out: Path,
    *,
    executed: Path | None = None,
    jobs: int = 1,
    report: Callable[[Path, Execution | None], None] = lambda notebook, execution: None,
) -> Path:
    """Write the site, after the leak test has gone over its pages.

    Args:
        checkout: whose notebooks, as they were handed out.
        out: folder of the pages; other files in it are left alone.
        executed: a folder with executed copies, as ``rlvr-course run --out`` leaves it; they are
            executed in fake mode now if None.
        jobs: how many are executed at the same time.
        report: as for ``run_notebooks``.

    Returns:
        The path of ``index.html``.

    Raises:
        NotebookError: a notebook fails, is missing from ``executed`` or shows what learners must
            not see, or ``out`` can't be written to. No page is written then.
    """
    notebooks = select(checkout.given, "*.ipynb")
    require_writable(out)
    if executed is not None:
        pages = site_pages([executed / path.name for path in notebooks])
    else:
        with tempfile.TemporaryDirectory(prefix="rlvr-site-") as scratch:
            options = RunOptions(timeout_s=600.0)
            done = run_notebooks(notebooks, Path(scratch), options, jobs=jobs, report=report)
            pages = site_pages([_output(execution) for execution in done])
    if checkout.sources.is_dir():
        refuse(LeakTest(checkout).find({name: text.encode() for name, text in pages.items()}), "it")
    for name, text in pages.items():
        write_whole(out / name, text)
    return out / "index.html"


def site_pages(copies: Sequence[Path]) -> dict[str, str]:
    """The pages by file name.

    Args:
        copies: executed notebooks, in the course's order.

    Raises:
        NotebookError: one can't be read.
    """
    entries = [_entry(path) for path in copies]
    style, script = site_style(), _beside("site.js")
    bodies = {f"{one.name}.html": _notebook_body(entries, n) for n, one in enumerate(entries)}
    titles = {f"{one.name}.html": f"{one.title} · {COURSE}" for one in entries}
    pages = {"index.html": _index_body(entries), **bodies}
    return {
        name: page(titles.get(name, COURSE), body, style=style, script=script)
        for name, body in pages.items()
    }


def site_style() -> str:
    """The course's style sheet with a switch between light and dark, and the site's own rules."""
    return switchable(course_style()) + _beside("site.css")


def switchable(style: str) -> str:
    """A style sheet whose dark rules follow ``data-theme`` of the root, and the system without it.

    >>> dark = "@media (prefers-color-scheme: dark) { a { color: red; } }"
    >>> print(switchable(dark).strip())
    @media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { a { color: red; } } }
    @media screen { :root[data-theme="dark"] { a { color: red; } } }
    """
    before, found, rest = style.partition(_DARK)
    if not found:
        return style
    end = _closing(rest)
    rules = rest[:end].replace(":root {", "& {").strip()
    return (
        f'{before}{_DARK} :root:not([data-theme="light"]) {{ {rules} }} }}\n'
        f'@media screen {{ :root[data-theme="dark"] {{ {rules} }} }}\n'
        f"{switchable(rest[end + 1 :])}"
    )


def _closing(text: str) -> int:
    """Where the brace is that closes one opened before the text."""
    depth = 1
    for match in re.finditer(r"[{}]", text):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise ValueError("a style sheet with a brace that is never closed")


def _output(execution: Execution) -> Path:
    if not execution.ok:
        raise NotebookError(f"{execution.name} did not run to its end: {execution.failure}")
    return execution.output


def _entry(path: Path) -> Entry:
    import nbformat

    try:
        notebook: Any = nbformat.read(path, as_version=4)
    except (OSError, ValueError) as error:
        raise NotebookError(
            f"{path} can't be read ({type(error).__name__}): make it with rlvr-course run --out "
            f"{path.parent}"
        ) from None
    _without_injected(notebook)
    body = notebook_html(notebook)
    return Entry(path.stem, body, sections(body))


def _without_injected(notebook: Any) -> None:
    """Take out the cell in which a run was given its mode, and number the others without it."""
    injected = [c for c in notebook.cells if "injected-parameters" in c.metadata.get("tags", [])]
    for one in injected:
        notebook.cells.remove(one)
        for cell in notebook.cells:
            if one.execution_count and (cell.get("execution_count") or 0) > one.execution_count:
                cell.execution_count -= 1


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _bar(is_here: str = "") -> str:
    return (
        '<a class="skip" href="#main">Skip to the text</a>\n<header class="bar">\n'
        f'<nav aria-label="Course"><a href="index.html"{is_here}>All notebooks</a></nav>\n'
        '<form action="index.html" role="search"><input type="search" name="q" '
        'aria-label="Search all notebooks" placeholder="Search ( / )" autocomplete="off"></form>\n'
        '<button type="button" id="theme" hidden>Dark</button>\n</header>\n'
    )


def _notebook_body(entries: Sequence[Entry], place: int) -> str:
    entry = entries[place]
    near = [
        _link(entries[n], word, relation) if 0 <= n < len(entries) else "<span></span>"
        for n, word, relation in ((place - 1, "← {}", "prev"), (place + 1, "{} →", "next"))
    ]
    contents = "".join(
        f'<li><a href="#{html.escape(section.anchor)}">{html.escape(section.heading)}</a></li>'
        for section in entry.sections
        if section.level == 2
    )
    return (
        f"{_bar()}"
        '<p class="note">As a learner finds it: exercises are open. Executed in fake mode.</p>\n'
        f"<details class='contents'><summary>On this page</summary><ul>{contents}</ul></details>\n"
        f"<main id='main' class='notebook' tabindex='-1'>{entry.body}</main>\n"
        f'<nav class="ends" aria-label="Neighbours">{"".join(near)}</nav>'
    )


def _link(entry: Entry, words: str, relation: str) -> str:
    text = html.escape(words.format(entry.title))
    return f'<a href="{entry.name}.html" rel="{relation}">{text}</a>'


def _index_body(entries: Sequence[Entry]) -> str:
    rows = "\n".join(
        f'<li><a href="{one.name}.html">{html.escape(one.title)}</a>'
        f"<p>{html.escape(one.summary)}</p></li>"
        for one in entries
    )
    index = [
        [one.name, one.title, s.anchor, s.heading, s.text] for one in entries for s in one.sections
    ]
    # "<" would let a text end the element that it stands in.
    data = json.dumps(index, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f"{_bar(' aria-current=page')}"
        f'<main id="main" tabindex="-1">\n<h1>{COURSE}</h1>\n'
        '<p class="note">The notebooks as a learner finds them, executed in fake mode: recorded '
        "completions of a real model, exercises open.</p>\n"
        '<section id="results" aria-live="polite" hidden></section>\n'
        f'<ol class="course">\n{rows}\n</ol>\n</main>\n'
        f'<script type="application/json" id="sections">{data}</script>'
    )
