"""The first page of a run: which notebooks ran, how long they took, where one failed."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from pathlib import Path

from rlvr_course.classroom.build import write_whole
from rlvr_course.classroom.execution import Execution
from rlvr_course.classroom.page import notebook_page, page

GUARDS = {
    "namespace": "cut off by a network namespace of the run's own, and by a hook in Python",
    "hook": "refused by a hook in Python; this system gives no network namespace",
    "none": "open",
}
"""What kept a run off the network, in words."""


def write_pages(out: Path, executions: Sequence[Execution], *, mode: str) -> Path:
    """Write ``index.html`` and a page for each notebook; all of them work from disk, offline.

    Args:
        out: the run's folder.
        executions: what ran, in order.
        mode: the mode it ran in.

    Returns:
        The path of ``index.html``.

    Raises:
        NotebookError: a page can't be written.
    """
    shown = {execution.name for execution in executions if _write_page(out, execution, mode)}
    index = out / "index.html"
    write_whole(index, page("Course run", _index_body(executions, mode, shown)))
    return index


def _write_page(out: Path, execution: Execution, mode: str) -> bool:
    """Write one notebook's page; False if its run left nothing that can be shown."""
    try:
        text = notebook_page(execution.output, title=execution.name, note=_outcome(execution, mode))
    except (OSError, ValueError):
        # The run failed before its first cell, or the disk was full; the index tells the reason.
        return False
    write_whole(out / f"{execution.name}.html", text)
    return True


def _outcome(execution: Execution, mode: str) -> str:
    status = "ran to its end" if execution.ok else f"failed: {execution.failure}"
    return f"{status} · {execution.seconds:.1f} s · mode {mode}"


def _index_body(executions: Sequence[Execution], mode: str, shown: Collection[str]) -> str:
    failed = sum(not execution.ok for execution in executions)
    total = sum(execution.seconds for execution in executions)
    count = f"{len(executions)} notebook{'s' if len(executions) != 1 else ''}"
    result = f"{failed} failed" if failed else "every one ran to its end"
    guards = sorted({execution.guard for execution in executions})
    rows = "\n".join(_row(execution, mode, execution.name in shown) for execution in executions)
    return (
        f'<h1>Course run</h1>\n<p class="note">{count}, {result}, {total:.1f} s of work.</p>\n'
        '<table class="runs">\n<thead><tr><th>notebook</th><th>status</th>'
        '<th class="number">seconds</th><th>mode</th><th>network guard</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n"
        + "".join(
            f'<p class="note">Network ({guard}): {html.escape(GUARDS[guard])}.</p>'
            for guard in guards
        )
    )


def _row(execution: Execution, mode: str, has_page: bool) -> str:
    name = html.escape(execution.name)
    link = f'<a href="{name}.html">{name}</a>' if has_page else name
    status = "ok" if execution.ok else "failed"
    return (
        f'<tr class="{status}"><td>{link}</td>'
        f'<td><span class="status">{status}</span> {html.escape(execution.failure)}</td>'
        f'<td class="number">{execution.seconds:.1f}</td><td>{html.escape(mode)}</td>'
        f"<td>{execution.guard}</td></tr>"
    )
