"""The process that executes one notebook: started with ``-m``, an order on its standard input."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

KERNEL = "python3"


def main() -> None:
    """Read the order, cut the network off if it says so, execute; say each as it is known."""
    order = json.load(sys.stdin)
    with _private_stdout() as replies:
        guard = _isolate() if order["isolate"] else "none"
        print(json.dumps({"guard": guard}), file=replies, flush=True)
        print(json.dumps(_obey(order) | {"cpu_seconds": _cpu_seconds()}), file=replies)


def _private_stdout() -> Any:
    """Keep the reply's pipe to ourselves: what the kernel prints past Jupyter goes to stderr."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return replies


def _cpu_seconds() -> float | None:
    """Of this process and of those that it waited for, the kernel and what the kernel started."""
    if sys.platform == "win32":
        return None
    spent = os.times()
    return round(spent.user + spent.system + spent.children_user + spent.children_system, 1)


def _isolate() -> str:
    from rlvr_course.classroom.namespace import enter_namespace

    # Before anything starts a thread: a process with threads can't change its namespace.
    return "namespace" if enter_namespace() else "hook"


def _obey(order: Mapping[str, Any]) -> dict[str, Any]:
    try:
        problem = _problem(order)
        return _execute(order) if problem is None else {"error": problem}
    except Exception as error:  # The one boundary: whatever happens becomes the reply.
        return {"error": _one_line(type(error).__name__, str(error))}


def _problem(order: Mapping[str, Any]) -> str | None:
    """What is wrong with the notebook or its parameters before anything runs."""
    import nbformat

    path = Path(order["notebook"])
    remedy = "restore it from your copy of the course"
    try:
        notebook: Any = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    except OSError as error:
        return f"{path.name} can't be read ({error.strerror}): {remedy}"
    except UnicodeDecodeError as error:
        return f"{path.name} is not UTF-8 at byte {error.start}: {remedy}"
    except Exception as error:  # nbformat raises many kinds for a file that is no notebook
        said = _one_line(type(error).__name__, str(error).split("\n", 1)[0])
        return f"{path.name} is not a notebook ({said}): {remedy}"
    return _unknown_parameter(notebook, path.name, order["parameters"])


def _unknown_parameter(notebook: Any, name: str, parameters: Mapping[str, Any]) -> str | None:
    """A parameter that the notebook does not have; papermill would only warn of it."""
    import papermill

    # Some editors leave the kernel's name out, and papermill insists on one.
    notebook.metadata["kernelspec"] = {"name": KERNEL, "language": "python"}
    known = papermill.inspect_notebook(notebook)
    unknown = sorted(set(parameters) - set(known))
    if not unknown:
        return None
    has = ", ".join(known) or "none (no cell is tagged 'parameters')"
    return f"{name} has no parameter {unknown[0]!r}; its parameters: {has}"


def _execute(order: Mapping[str, Any]) -> dict[str, Any]:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            papermill.execute_notebook(
                _literal(order["notebook"]),
                _literal(order["output"]),
                parameters=order["parameters"],
                cwd=order["cwd"],
                kernel_name=KERNEL,
                language="python",
                progress_bar=False,
            )
    except PapermillExecutionError as error:
        said = _one_line(error.ename, error.evalue)
        return {"error": said, "cell": _place(Path(order["output"]), error.cell_index)}
    return {"error": ""}


def _literal(path: str) -> str:
    """A path as papermill wants it: it takes braces for parameters."""
    return path.replace("{", "{{").replace("}", "}}")


def _place(output: Path, index: int) -> int:
    """Where the failed cell stands in the notebook as written, from 1.

    papermill adds cells of its own: the injected parameters, and after a failure a banner on top.
    """
    import nbformat

    own = {"injected-parameters", "papermill-error-cell-tag"}
    notebook: Any = nbformat.read(output, as_version=4)
    place, written = 0, 0
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        written += not tags & own
        failed = any(o.get("output_type") == "error" for o in cell.get("outputs", []))
        if failed and not tags & own:
            place = written
    return place or index + 1


def _one_line(name: str, message: str) -> str:
    text = " ".join(message.split())
    return f"{name}: {text[:300]}" if text else name


if __name__ == "__main__":
    main()
