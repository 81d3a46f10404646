"""A cell's outputs as text that two runs of the same code share.

Times, addresses, run ids, paths and progress bars differ from run to run, images from machine to
machine, and each editor stores the same output in its own way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

IGNORED_TAG = "nbval-ignore-output"
"""A cell so tagged shows what differs each time, and is not compared."""

VOLATILE = (
    (re.compile(r"\b0x[0-9a-fA-F]{6,}\b"), "<address>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d{8}[T-]\d{6}Z?(-[0-9a-z]+)*\b"), "<run>"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "<hash>"),
    (re.compile(r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|sec|seconds|min)\b"), "<duration>"),
    (re.compile(r"(?:[A-Za-z]:)?(?:/[\w.@+-]+){2,}/?"), "<path>"),
    (re.compile(r"\bprograms: (run now|recorded)\b"), "programs: <where>"),
)
"""What may differ between two runs of the same code, and what stands for it in a comparison."""

_PROGRESS = re.compile(r"\d+%\||\d+it \[|\bit/s\b|\bs/it\b")
_INVISIBLE = re.compile(r"<(style|script)\b", re.I)
_TAG = re.compile(r"<[^<>]*>")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def normalised(text: str) -> str:
    """The text with what changes from run to run replaced by a word for it.

    >>> normalised("<Axes at 0x7f3a2b4c> took 12.5 ms in /tmp/a/b")
    '<Axes at <address>> took <duration> in <path>'
    """
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def output_lines(output: Any) -> list[str]:
    """All of one output, normalised: one line an output line, images by their kind only."""
    if output["output_type"] == "stream":
        return [f"{output['name']}: {normalised(line)}" for line in output["text"].splitlines()]
    if output["output_type"] == "error":
        return [f"error: {output['ename']}: {normalised(output['evalue'])}"]
    lines = []
    for kind, data in sorted(output["data"].items()):
        if kind.startswith("image/"):
            lines.append(kind)
        else:
            text = data if isinstance(data, str) else json.dumps(data, sort_keys=True)
            lines += [f"{kind}: {normalised(line)}" for line in text.splitlines()]
    return lines


def shown(outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader sees of a cell's outputs, whichever editor stored them.

    Args:
        outputs: in nbformat's shape, texts as strings.

    Returns:
        Normalised lines without blank ones: standard output, errors, results as plain text and
        as the words of their HTML, images by kind. Standard error is left out: warnings and
        progress bars are the machine's.

    >>> shown([{"output_type": "stream", "name": "stdout", "text": "a\\n"},
    ...        {"output_type": "stream", "name": "stdout", "text": "took 3 s"}])
    ['a', 'took <duration>']
    """
    lines: list[str] = []
    for text in _texts(outputs):
        lines += [line.rstrip() for line in normalised(text).splitlines() if line.strip()]
    return lines


def _texts(outputs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    printed = ""
    for output in outputs:
        if output["output_type"] == "stream":
            printed += output["text"] if output["name"] == "stdout" else ""
            continue
        yield _as_on_a_terminal(printed)
        printed = ""
        if output["output_type"] == "error":
            yield f"{output['ename']}: {_ESCAPES.sub('', output['evalue'])}"
        else:
            yield from _of_data(output["data"])
    yield _as_on_a_terminal(printed)


def _as_on_a_terminal(text: str) -> str:
    """Without what a carriage return overwrites, colours, and progress bars."""
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    plain = [_ESCAPES.sub("", line) for line in lines]
    return "\n".join(line for line in plain if not _PROGRESS.search(line))


def _of_data(data: Mapping[str, Any]) -> Iterator[str]:
    plain, marked_up = data.get("text/plain"), data.get("text/html")
    images = sorted(kind for kind in data if kind.startswith("image/"))
    if isinstance(plain, str) and not images:
        yield plain
    if isinstance(marked_up, str):
        yield words(marked_up)
    yield from images


def words(marked_up: str) -> str:
    """The text of a piece of HTML, its white space as single blanks.

    >>> words("<style>a {}</style><p>accepted: <b>97</b>&nbsp;%</p>")
    'accepted: 97 %'
    """
    import html

    text = _TAG.sub(" ", _visible(marked_up))
    return " ".join(html.unescape(text).split())


def _visible(marked_up: str) -> str:
    """Without style sheets and scripts; in linear time, whatever is left open."""
    lower, parts, place = marked_up.lower(), [], 0
    while begins := _INVISIBLE.search(lower, place):
        closing = f"</{begins[1]}>"
        ends = lower.find(closing, begins.end())
        if ends < 0:
            break
        parts.append(marked_up[place : begins.start()])
        place = ends + len(closing)
    return " ".join([*parts, marked_up[place:]])
