"""What editors other than the course's leave in a notebook's file."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sample_class.sessions import HandIn

BEGUN = datetime(2026, 3, 2, 18, 30, tzinfo=UTC)


def jupyterlab(notebook: dict[str, Any]) -> None:
    """The times of each cell's execution."""
    for cell in _code(notebook):
        if cell["execution_count"]:
            began = BEGUN + timedelta(seconds=3 * cell["execution_count"])
            stamps = {"iopub.status.busy": 0.0, "iopub.execute_input": 0.01}
            stamps |= {"shell.execute_reply.started": 0.01, "shell.execute_reply": 1.2}
            cell["metadata"]["execution"] = {
                key: (began + timedelta(seconds=s)).isoformat().replace("+00:00", "Z")
                for key, s in stamps.items()
            }


def vscode(notebook: dict[str, Any]) -> None:
    """Its own view of a data frame beside each table, and another kernel's name."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": ".venv (3.12.3)", "language": "python", "name": "python3"},
        "language_info": {
            "codemirror_mode": {"name": "ipython", "version": 3},
            "file_extension": ".py",
            "mimetype": "text/x-python",
            "name": "python",
            "version": "3.12.3",
        },
    }
    for cell in _code(notebook):
        cell["metadata"]["vscode"] = {"languageId": "python"}
        for data in _data(cell):
            if "<table" in "".join(data.get("text/html", "")):
                viewer = {"columns": [{"name": "index", "rawType": "int64"}], "ref": "0f3c"}
                data["application/vnd.microsoft.datawrangler.viewer.v0+json"] = viewer


def colab(notebook: dict[str, Any]) -> None:
    """Version 4.0 without ids, its own in the metadata, times, and buttons around each table."""
    notebook["nbformat_minor"] = 0
    notebook["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook["cells"]):
        del cell["id"]
        cell["metadata"]["id"] = f"kQ{number:04d}xT"
    for cell in _code(notebook):
        cell["metadata"]["colab"] = {"base_uri": "https://localhost:8080/", "height": 206}
        cell["metadata"]["outputId"] = f"5ab0c1d2-{cell['execution_count'] or 0:04d}"
        for data in _data(cell):
            html = "".join(data.get("text/html", ""))
            if "dataframe" in html:
                data["text/html"] = _colab_frame(html)
                data["application/vnd.google.colaboratory.intrinsic+json"] = {"type": "dataframe"}


def _colab_frame(html: str) -> list[str]:
    parts = [
        '\n  <div id="df-1f2e" class="colab-df-container">\n',
        html,
        '\n<div class="colab-df-buttons"><style>.colab-df-buttons div {margin: 4px;}</style>',
        "<script>const buttonEl = document.querySelector('#df-1f2e button');</script></div>\n",
        "  </div>\n",
    ]
    return "".join(parts).splitlines(keepends=True)


def pycharm(notebook: dict[str, Any]) -> None:
    """Flags of its own, times of its own, and texts in one piece."""
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {"collapsed": False, "pycharm": {"name": "#%%\n"}}
        cell["source"] = "".join(cell["source"])
        if number == 0:
            cell["id"] = "initial_id"
    for cell in _code(notebook):
        if cell["execution_count"]:
            began = BEGUN + timedelta(seconds=3 * cell["execution_count"])
            cell["metadata"]["ExecuteTime"] = {
                "start_time": began.isoformat(),
                "end_time": (began + timedelta(seconds=1)).isoformat(),
            }
        for output in cell["outputs"]:
            if "text" in output:
                output["text"] = "".join(output["text"])


EDITORS: dict[str, Callable[[dict[str, Any]], None]] = {
    "JupyterLab": jupyterlab,
    "VS Code": vscode,
    "Colab": colab,
    "PyCharm": pycharm,
}


def saved_by(editor: str, work: HandIn) -> HandIn:
    """The same work as another editor saves it."""
    return work.changed(EDITORS[editor])


def _code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _data(cell: dict[str, Any]) -> list[dict[str, Any]]:
    for output in cell["outputs"]:
        if "data" in output:
            output["data"] = copy.deepcopy(output["data"])
    return [output["data"] for output in cell["outputs"] if "data" in output]
