"""The sections of a page: where each begins, and the words in it, for contents and search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

_HEADINGS = ("h1", "h2", "h3", "h4")
_SKIPPED = ("output_wrapper", "prompt", "anchor-link")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class Section:
    """A heading and what stands below it, up to the next one.

    Args:
        level: 1 to 4; 0 for what stands before the first heading.
        anchor: of the heading in its page.
        heading: its text.
        words: the text below it, code included, outputs and formulas not.
    """

    level: int = 0
    anchor: str = ""
    heading: str = ""
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words with single spaces between."""
        return re.sub(r"\s+", " ", "".join(self.words)).strip()

    @property
    def first_paragraph(self) -> str:
        """The words up to where the first paragraph, cell or item with any in it ends."""
        return next(filter(None, map(str.strip, "".join(self.words).split("\n"))), "")


def sections(page: str) -> list[Section]:
    """The sections of a notebook's HTML, in order.

    >>> [(s.heading, s.text) for s in sections('<h2 id="a">Why</h2><p>So <b>that</b>.</p>')]
    [('Why', 'So that.')]
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return [section for section in reader.found if section.heading or section.text]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = [Section()]
        self._skipping = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        told = dict(attrs)
        classes = (told.get("class") or "").split()
        if self._skipping or tag in {"math", "style"} or any(c in _SKIPPED for c in classes):
            self._skipping += 1
        elif tag in _HEADINGS:
            self.found.append(Section(int(tag[1]), told.get("id") or ""))
            self._in_heading = True

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= tag not in _VOID
        elif tag in _HEADINGS:
            self._in_heading = False
        elif tag in {"p", "li", "td", "th", "div", "pre"}:
            self.found[-1].words.append("\n")

    def handle_data(self, data: str) -> None:
        if self._skipping:
            return
        if self._in_heading:
            self.found[-1].heading += data.replace("\n", " ")
        else:
            self.found[-1].words.append(data.replace("\n", " "))
