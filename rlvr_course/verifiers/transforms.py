"""Named text transformations: what each makes of a text, and what must hold of any right output.

A transformation is deterministic, takes time linear in the text (sorting aside), and reads its
input as lines. Its *properties* say why an output is wrong ("same_lines" is broken: one was lost),
and a reference that breaks one of them is no reference. They never pay: an output can keep every
line and still be unsorted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Property = Callable[[str, str], bool]
"""From input and output to whether it holds."""

EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}(?![\w-])",
    re.ASCII,
)
DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)
MASK = "[redacted]"
WIDTHS = range(8, 401)


@dataclass(frozen=True)
class Transform:
    """A transformation with its name, its function and the properties of its outputs."""

    name: str
    apply: Callable[[str], str]
    properties: Mapping[str, Property] = field(default_factory=dict)

    def broken(self, given: str, output: str) -> list[str]:
        """Names of the properties that an output breaks."""
        return [name for name, holds in self.properties.items() if not holds(given, output)]


def transform_named(name: str, **options: Any) -> Transform:
    """A transformation of this module.

    Args:
        name: one of ``NAMES``.
        options: ``width`` for "wrap", in characters, 8 to 400 (72 if not given).

    Raises:
        ValueError: an unknown name or option, or a width out of range.

    >>> transform_named("sort_lines").apply("pear\\nfig")
    'fig\\npear'
    >>> transform_named("wrap", width=8).apply("one two three")
    'one two\\nthree'
    """
    if name == "wrap":
        return _wrap(**_only_width(options))
    if options:
        raise ValueError(f"{name!r} takes no option {next(iter(options))!r}")
    if name not in _PLAIN:
        raise ValueError(f"transformation {name!r} is not one of {', '.join(NAMES)}")
    return _PLAIN[name]


def _only_width(options: Mapping[str, Any]) -> dict[str, int]:
    unknown = sorted(set(options) - {"width"})
    if unknown:
        raise ValueError(f"'wrap' takes no option {unknown[0]!r}, only 'width'")
    width = options.get("width", 72)
    if type(width) is not int or width not in WIDTHS:
        raise ValueError(f"width={width!r}: give a whole number, {WIDTHS[0]} to {WIDTHS[-1]}")
    return {"width": width}


# -- properties


def same_lines(given: str, output: str) -> bool:
    """Each line as often as before, in any order."""
    return Counter(given.split("\n")) == Counter(output.split("\n"))


def same_words(given: str, output: str) -> bool:
    """The same words in the same order."""
    return given.split() == output.split()


def same_letters(given: str, output: str) -> bool:
    """The same text but for case."""
    return given.casefold() == output.casefold()


def same_length(given: str, output: str) -> bool:
    """As many lines as before."""
    return given.count("\n") == output.count("\n")


def is_sorted(given: str, output: str) -> bool:
    """Lines in the order of their code points."""
    lines = output.split("\n")
    return lines == sorted(lines)


def no_repeats(given: str, output: str) -> bool:
    """No line twice."""
    lines = output.split("\n")
    return len(set(lines)) == len(lines)


def only_given_lines(given: str, output: str) -> bool:
    """No line that the input lacks."""
    return set(output.split("\n")) <= set(given.split("\n"))


def only_given_words(given: str, output: str) -> bool:
    """No word that the input lacks, a mask aside."""
    return set(output.replace(MASK, " ").split()) <= set(EMAIL.sub(" ", given).split()) | _MASKED


_MASKED = {".", ",", ";", ":", "(", ")", "<", ">"}


def no_email(given: str, output: str) -> bool:
    """No e-mail address is left."""
    return EMAIL.search(output) is None


def _found_in_order(pattern: re.Pattern[str]) -> Property:
    def all_there(given: str, output: str) -> bool:
        """One line for each occurrence."""
        return Counter(filter(None, output.split("\n"))) == Counter(pattern.findall(given))

    return all_there


# -- transformations


def _lines(change: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    return lambda text: "\n".join(change(text.split("\n")))


def _numbered(lines: list[str]) -> list[str]:
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]


def _table(text: str) -> str:
    """Comma-separated lines as a Markdown table; quotes have no meaning."""
    rows = [[cell.strip() for cell in line.split(",")] for line in text.split("\n") if line.strip()]
    shown = [f"| {' | '.join(row)} |" for row in rows]
    rule = "|" + " --- |" * len(rows[0]) if rows else ""
    return "\n".join([*shown[:1], rule, *shown[1:]])


def _title(text: str) -> str:
    """The first letter of each word large, the others small."""
    return re.sub(
        r"[^\W\d_]+(?:['’][^\W\d_]+)*", lambda m: m[0][0].upper() + m[0][1:].lower(), text
    )


def _wrap(width: int) -> Transform:
    """Paragraphs filled to at most ``width`` characters a line; a longer word has its own line."""

    def wrapped(text: str) -> str:
        paragraphs = re.split(r"\n[ \t]*\n", text)
        return "\n\n".join("\n".join(_filled(p.split(), width)) for p in paragraphs)

    def fits(given: str, output: str) -> bool:
        return all(len(line) <= width or " " not in line.strip() for line in output.split("\n"))

    return Transform("wrap", wrapped, {"same_words": same_words, "width": fits})


def _filled(words: list[str], width: int) -> list[str]:
    lines: list[list[str]] = [[]]
    used = -1
    for word in words:
        if used + 1 + len(word) > width and lines[-1]:
            lines.append([])
            used = -1
        lines[-1].append(word)
        used += 1 + len(word)
    return [" ".join(line) for line in lines]


_PLAIN = {
    transform.name: transform
    for transform in (
        Transform("sort_lines", _lines(sorted), {"same_lines": same_lines, "order": is_sorted}),
        Transform("reverse_lines", _lines(lambda ls: ls[::-1]), {"same_lines": same_lines}),
        Transform(
            "unique_lines",
            _lines(lambda ls: list(dict.fromkeys(ls))),
            {"only_given_lines": only_given_lines, "no_repeats": no_repeats},
        ),
        Transform("number_lines", _lines(_numbered), {"same_length": same_length}),
        Transform("upper", str.upper, {"same_letters": same_letters}),
        Transform("lower", str.lower, {"same_letters": same_letters}),
        Transform("title", _title, {"same_letters": same_letters}),
        Transform(
            "squeeze_spaces",
            _lines(lambda ls: [" ".join(line.split()) for line in ls]),
            {"same_words": same_words, "same_length": same_length},
        ),
        Transform(
            "extract_emails",
            lambda text: "\n".join(EMAIL.findall(text)),
            {"all_there": _found_in_order(EMAIL)},
        ),
        Transform(
            "extract_dates",
            lambda text: "\n".join(DAY.findall(text)),
            {"all_there": _found_in_order(DAY)},
        ),
        Transform(
            "redact_emails",
            lambda text: EMAIL.sub(MASK, text),
            {"no_email": no_email, "same_length": same_length},
        ),
        Transform("csv_to_table", _table),
    )
}
NAMES = (*sorted(_PLAIN), "wrap")
"""What ``transform_named`` knows."""
