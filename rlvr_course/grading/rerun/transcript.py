"""From the events of a run to the outputs of its cells, as a Jupyter front end would keep them.

The events come from where the learner's code ran: whatever has not the expected shape is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

_DISPLAYS = ("display_data", "execute_result")


class Transcript:
    """Takes events line by line.

    Args:
        places: of the cells that run, in order.
    """

    def __init__(self, places: Collection[int]) -> None:
        self._places = list(places)
        self.cell: int | None = None
        self.outputs: dict[int, list[dict[str, Any]]] = {}
        self.counts: dict[int, int] = {}
        self.errors: dict[int, str] = {}
        self.done = False
        self._clear_next = False
        self._displays: dict[str, list[dict[str, Any]]] = {}

    def take(self, line: bytes) -> None:
        """Take one event; what is none, and what comes after the end, is dropped."""
        if self.done:
            return
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        match event:
            case ["cell", int(place)] if self._comes_next(place):
                self.cell, self._clear_next = place, False
                self.outputs[place] = []
            case ["end", int(count), str(error)] if self.cell is not None:
                self.counts[self.cell] = count
                if error:
                    self.errors[self.cell] = error
            case ["done"]:
                self.done = True
            case ["clear_output", {"wait": wait}]:
                self._clear(bool(wait))
            case [str(kind), *content]:
                self._show(kind, content)

    def _comes_next(self, place: int) -> bool:
        begun = len(self.outputs)
        return begun < len(self._places) and self._places[begun] == place

    def _clear(self, wait: bool) -> None:
        self._clear_next = wait
        if not wait and self.cell is not None:
            self.outputs[self.cell].clear()

    def _show(self, kind: str, content: list[Any]) -> None:
        if kind == "update_display_data":
            self._update(content)
            return
        output = _output(kind, content)
        if output is None or self.cell is None:
            return
        kept = self.outputs[self.cell]
        if self._clear_next:
            kept.clear()
            self._clear_next = False
        last = kept[-1] if kept else {}
        if kind == "stream" and last.get("name") == output["name"]:
            last["parts"].append(output["text"])
        else:
            kept.append(output | {"parts": [output["text"]]} if kind == "stream" else output)
        if display := _display_id(content[0]):
            self._displays.setdefault(display, []).append(output)

    def _update(self, content: list[Any]) -> None:
        fresh = _output("display_data", content)
        if fresh is not None:
            for output in self._displays.get(_display_id(content[0]), ()):
                output.update(data=fresh["data"], metadata=fresh["metadata"])

    def finished(self) -> dict[int, list[dict[str, Any]]]:
        """The outputs so far, in nbformat's shape, by the cells' places."""
        for kept in self.outputs.values():
            for output in kept:
                if "parts" in output:
                    output["text"] = "".join(output.pop("parts"))
        return self.outputs


def _output(kind: str, content: list[Any]) -> dict[str, Any] | None:
    """One output in nbformat's shape; None for what is none."""
    match kind, content:
        case "stream", [("stdout" | "stderr") as name, str(text)]:
            return {"output_type": "stream", "name": name, "text": text}
        case "error", [{"ename": str(name), "evalue": str(value), "traceback": list(trace)}]:
            lines = [str(line) for line in trace]
            return {"output_type": kind, "ename": name, "evalue": value, "traceback": lines}
        case (("display_data" | "execute_result"), [{"data": dict(data)}]):
            output = {"output_type": kind, "data": data, "metadata": {}}
            count = content[0].get("execution_count")
            return output | ({"execution_count": count} if kind == "execute_result" else {})
    return None


def _display_id(content: Any) -> str:
    match content:
        case {"transient": {"display_id": str(name)}}:
            return name
    return ""
