"""Formulas as MathML, which browsers draw themselves: no script, nothing to fetch."""

from __future__ import annotations

import html
import re

TOKENS = re.compile(
    r"""
    (?P<code> ^(?P<fence>```+|~~~+)[\s\S]*?(?:^(?P=fence)|\Z)   # a fenced block
            | (?P<ticks>`+)(?!`)[\s\S]*?(?<!`)(?P=ticks)(?!`)   # a code span
            | \\\$ )                                            # a dollar that means a dollar
  | \$\$ (?P<display> (?:[^$]|\\\$)+? ) \$\$
  | (?P<environment> \\begin\{(?P<kind>align|equation|gather)\*?\}[\s\S]+?\\end\{(?P=kind)\*?\} )
  | \$ (?P<inline> (?=\S) (?:\\.|[^$\\\n]|\n(?!\s*\n))+? (?<=\S) ) \$ (?!\d)
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Code is matched so that dollars in it are left alone. As in Pandoc, an inline formula touches
both its dollars and no digit follows, so that "$5 and $10" is money."""


def to_mathml(latex: str, *, display: bool = False) -> str:
    """One formula as MathML; what the converter can't read is shown as it was written.

    >>> to_mathml("x^2").startswith("<math")
    True
    """
    from latex2mathml.converter import convert

    try:
        return convert(latex, display="block" if display else "inline")
    except (
        Exception
    ):  # The converter raises many kinds; a page with one raw formula is still a page.
        return f"<code>{html.escape(latex)}</code>"


class Formulas:
    """Takes formulas out of Markdown before it is rendered and puts MathML in afterwards.

    Markdown would read underscores and stars in MathML as emphasis, so a word that means nothing
    to it stands in between.

    >>> formulas = Formulas()
    >>> text = formulas.take_out("pay $5, not $10, for $a_1$ and `$b$`")
    >>> text
    'pay $5, not $10, for xformula0x and `$b$`'
    >>> formulas.put_in(text).count("<math")
    1
    """

    def __init__(self) -> None:
        self._mathml: list[str] = []

    def take_out(self, markdown: str) -> str:
        """The text with each formula replaced by its stand-in."""
        return TOKENS.sub(self._stand_in, markdown)

    def put_in(self, page: str) -> str:
        """The rendered text with each stand-in replaced by its formula.

        In a tag, such as a heading's with its id, a stand-in stays: markup can't stand there.
        """

        def formula(match: re.Match[str]) -> str:
            return match[0] if match[1] is None else self._mathml[int(match[1])]

        return re.sub(r"<[^<>]*>|xformula(\d+)x", formula, page)

    def _stand_in(self, match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        latex = match["display"] or match["environment"] or match["inline"]
        self._mathml.append(to_mathml(latex.strip(), display=not match["inline"]))
        return f"xformula{len(self._mathml) - 1}x"
