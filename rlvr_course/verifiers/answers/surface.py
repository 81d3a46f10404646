"""Surface forms: many ways to type the same character, folded into one before tokens are read.

Unicode signs become ASCII or LaTeX commands, presentation commands vanish, digit groups close up.
Every rule keeps the meaning; nothing here decides whether two answers are equal. All regular
expressions are linear in the length of the text.
"""

from __future__ import annotations

import html
import re

MAX_LENGTH = 4_000
"""Characters of an answer that are read; a longer one is refused before anything is parsed."""

_CHARACTERS = {
    "−": "-", "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "＋": "+",
    "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "∙": r"\cdot ", "∗": "*", "÷": "/",
    "⁄": "/", "∕": "/", "／": "/", "＝": "=", "±": r"\pm ", "∓": r"\mp ",
    "π": r"\pi ", "∞": r"\infty ", "√": r"\sqrt ", "∛": r"\cbrt ", "∅": r"\emptyset ",
    "≤": r"\le ", "≥": r"\ge ", "⩽": r"\le ", "⩾": r"\ge ", "≠": r"\ne ", "≈": r"\approx ",
    "∪": r"\cup ", "∩": r"\cap ", "∈": r"\in ", "∖": r"\setminus ", "ℝ": r"\mathbb{R} ",
    "°": r"\degree ", "º": r"\degree ", "′": "'", "’": "'", "％": "%", "＄": "$", "，": ",",
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": r"\{ ", "｝": r"\} ", "：": ":",
    "⟨": r"\langle ", "⟩": r"\rangle ", "→": r"\to ", "≡": r"\equiv ", "⇒": r"\Rightarrow ",
    "½": r"\frac{1}{2}", "⅓": r"\frac{1}{3}", "⅔": r"\frac{2}{3}", "¼": r"\frac{1}{4}",
    "¾": r"\frac{3}{4}", "⅕": r"\frac{1}{5}", "⅖": r"\frac{2}{5}", "⅗": r"\frac{3}{5}",
    "⅘": r"\frac{4}{5}", "⅙": r"\frac{1}{6}", "⅚": r"\frac{5}{6}", "⅛": r"\frac{1}{8}",
    "⅜": r"\frac{3}{8}", "⅝": r"\frac{5}{8}", "⅞": r"\frac{7}{8}",
    "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2007": " ", "\u2009": r"\,", "\u202f": r"\,",
    "\u3000": " ", "\t": " ", "\n": " ", "\r": " ",
}  # fmt: skip
_CHARACTERS |= {chr(0xFF10 + d): str(d) for d in range(10)}
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξρστυφχψωΓΔΘΛΞΣΦΨΩ",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau "
        "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega".split(),
        strict=True,
    )
)
_CHARACTERS |= {letter: f"\\{name} " for letter, name in _GREEK.items()}
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u202a\u202b\u202c\u202d\u202e"
_CONTROL = dict.fromkeys(map(chr, [*range(32), *range(127, 160)]), "")
_TABLE = str.maketrans(_CONTROL | _CHARACTERS | dict.fromkeys(_INVISIBLE, ""))

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")

_PRESENTATION = re.compile(
    r"(?<!\\)\\(?:left|right|displaystyle|textstyle|limits|nolimits|big|Big|bigg|Bigg|bigl|bigr|Bigl|Bigr"
    r"|mathstrut|strut|phantom\{[^{}]*\})(?![A-Za-z])"
)
_GROUP_GAP = re.compile(
    r"(?<=\d)(?:\{,\\?!?\}|,\\!|\\,|\\;|\\:|\\ |~|\{\\,\}|\{,\}|')(?=\d{3}(?!\d))"
)
_PLAIN_SPACE_GROUPS = re.compile(r"(?<![\d.,/^_{] )(?<![\d.,/^_])\d{1,3}(?: \d{3})+(?![\d/]| ?/)")
_UNDERSCORE_GROUP = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_SPACING = re.compile(r"(?<!\\)\\(?:[,;:! ]|quad(?![A-Za-z])|qquad(?![A-Za-z])|hspace\{[^{}]*\})|~")
_DEGREE = re.compile(
    r"\^\s*(?:\{\s*(?:\\circ|\\degree|o)\s*\}|\\circ(?![A-Za-z])|\\degree(?![A-Za-z]))"
    r"|\\textdegree(?![A-Za-z])|\\deg(?:ree)?(?![A-Za-z])"
)
_MATH_DELIMITER = re.compile(r"(?<!\\)\\[()\[\]]|\$\$")
_ROW_SPACING = re.compile(r"\\\\\[[^\[\]]{0,12}\]")
_EMPHASIS = re.compile(r"(?<![\w)*])\*\*(?=\S)|(?<=\S)\*\*(?![\w(*{\\-])|`+")
_MODULO = re.compile(r"\\p?b?mod\s*(?:\{\s*(\w+)\s*\})?(?![A-Za-z])")
_CURRENCY = re.compile(r"\$(?=\s*[-+]?\s*[\d.]*\d)")


def fold(text: str) -> str:
    """Fold an answer's surface forms; whitespace is collapsed, meaning kept.

    >>> fold("−7"), fold(r"1\\,234{,}567"), fold("x²"), fold("30°")
    ('-7', '1234567', 'x^{2}', '30\\\\degree')
    """
    if "&" in text or "<" in text:
        text = _HTML_TAG.sub("", html.unescape(text) if _ENTITY.search(text) else text)
    if text.isascii():
        text = text.translate(_ASCII_SPACE)
    else:
        text = _SUPERSCRIPT_RUN.sub(lambda m: "^{" + m[0].translate(_SUPERSCRIPTS) + "}", text)
        text = _SUBSCRIPT_RUN.sub(lambda m: "_{" + m[0].translate(_SUBSCRIPTS) + "}", text)
        text = text.translate(_TABLE)
    text = _DOTS.sub(r"\\ldots ", text.replace("{:}", ":"))
    if any(mark in text for mark in ("\\", "'", "{,}", "~", "th", "st", "nd", "rd")):
        if "\\begin" not in text:
            text = _DOUBLED.sub("\\\\", text)
        text = _ENVIRONMENT.sub(_unaligned, text)
        text = _ROW_SPACING.sub(r"\\\\", text)
        text = _PRESENTATION.sub(" ", text)
        text = _MODULO.sub(lambda m: f"(mod {m[1]})" if m[1] else "mod ", text)
        text = _GROUP_GAP.sub("", text)
        text = _DEGREE.sub(r"\\degree ", text)
        text = _MATH_DELIMITER.sub(" ", text)
        text = _SPACING.sub(" ", text)
    text = _PLAIN_SPACE_GROUPS.sub(lambda m: m[0].replace(" ", ""), text)
    text = _UNDERSCORE_GROUP.sub("", text)
    if "*" in text or "`" in text:
        text = _EMPHASIS.sub("", text)
    if "$" in text:
        text = _fold_dollars(text)
    text = " ".join(text.split())
    return text[:-1].rstrip() if text.endswith("\\") and not text.endswith("\\\\") else text


_DOTS = re.compile(r"(?<=\d)\.\.\.|…")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6});")
_HTML_TAG = re.compile(r"</?(?:b|i|u|strong|em|p|br|span|div|code)\s*/?>", re.IGNORECASE)
_DOUBLED = re.compile(r"\\\\(?=[A-Za-z]{2})")
_ENVIRONMENT = re.compile(
    r"\\begin\{(aligned|align\*?|gathered|split|equation\*?)\}(.{0,3000}?)\\end\{\1\}"
    r"|\\tag\*?\{[^{}]{0,20}\}|\^\{?\\text(?:rm)?\{(?:st|nd|rd|th)\}\}?|(?<=\d)(?:st|nd|rd|th)(?![a-z])",
    re.DOTALL,
)


def _unaligned(match: re.Match[str]) -> str:
    """The last line of an aligned formula without its marks; nothing of a tag or an ordinal."""
    if match[1] is None:
        return ""
    lines = [line for line in match[2].split("\\\\") if line.strip()]
    return lines[-1].replace("&", "") if lines else ""


_ASCII_SPACE = str.maketrans(
    dict.fromkeys(map(chr, [*range(32), 127]), "") | dict.fromkeys("\t\n\r\x0b\x0c", " ")
)


def _fold_dollars(text: str) -> str:
    """``$`` before a number is money unless it closes a pair of formula marks; else it goes."""
    marked = text.replace("\\$", "\x00").strip()
    if len(marked) > 1 and marked[0] == marked[-1] == "$":
        marked = marked[1:-1]
    elif marked.count("$") % 2 == 0 and "$" in marked and not _CURRENCY.match(marked):
        marked = marked.replace("$", " ")
    marked = _CURRENCY.sub("\x00", marked).replace("$", " ")
    return marked.replace("\x00", r"\$ ")
