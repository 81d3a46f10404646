"""Pages need nothing but themselves, and show what the notebook shows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rlvr_course.classroom.execution import Execution
from rlvr_course.classroom.formulas import Formulas, to_mathml
from rlvr_course.classroom.index import write_pages

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
TEXT = """# Break-even

A wrong answer costs $c$, so $$p^* = \\frac{c}{1+c}$$ and `$not$` a formula; [a link](https://example.org).

```python
price = "$5 and $6"
```
"""


class Loads(HTMLParser):
    """Collects every address that a browser would fetch by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        wanted = {"link": "href", "use": "href", "object": "data"}.get(tag, "src")
        self.found += [value for name, value in attrs if name in (wanted, "srcset", "poster")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of one notebook with text, a figure, a formula as output, and an error."""
    out = tmp_path_factory.mktemp("out")
    new = nbformat.v4
    error = new.new_output("error", ename="ValueError", evalue="a < b", traceback=["\x1b[31ma < b"])
    data = [
        new.new_output("display_data", {"image/png": PNG}),
        new.new_output("display_data", {"text/latex": r"$\sum_i r_i$"}),
        new.new_output("display_data", {"text/markdown": "so $r=1$"}),
        error,
    ]
    cells = [new.new_markdown_cell(TEXT), new.new_code_cell("f(1)", outputs=data)]
    nbformat.write(new.new_notebook(cells=cells), out / "00_page.ipynb")
    ran = Execution("00_page", out / "00_page.ipynb", 1.5, "ValueError: a < b", 2, "hook")
    missing = Execution("01_gone", out / "01_gone.ipynb", 0.5, "no <such> file")
    (out / "02_cut.ipynb").write_text('{"cells": [')
    cut = Execution("02_cut", out / "02_cut.ipynb", 0.0, "No space left on device")
    index = write_pages(out, [ran, missing, cut], mode="fake")
    return index.read_text("utf-8"), (out / "00_page.html").read_text("utf-8")


def test_nothing_is_loaded_from_elsewhere(pages):
    for text in pages:
        loads = Loads()
        loads.feed(text)
        assert [url for url in loads.found if not url.startswith("data:")] == []
        assert not re.search(r"@import|url\(\s*['\"]?(?!data:)", text)
        assert "<script" not in text


def test_the_browser_is_told_to_run_no_script_and_fetch_nothing(pages):
    for text in pages:
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules.pop("default-src") == "'none'" and "script-src" not in rules
        assert set(rules.values()) <= {"data:", "'unsafe-inline'"}


def test_formulas_are_mathml_and_code_keeps_its_dollars(pages):
    _, page = pages
    assert page.count("<math") == 4 and "<mfrac>" in page
    assert "<code>$not$</code>" in page and "$5 and $6" in page
    assert "xformula" not in page


def test_figures_are_in_the_page_and_links_stay_links(pages):
    _, page = pages
    assert f"data:image/png;base64,{PNG}" in page
    assert '<a href="https://example.org">' in page


def test_an_error_is_shown_and_escaped(pages):
    index, page = pages
    assert "a &lt; b" in page and "ansi-red-fg" in page and "a < b" not in page
    assert "cell 2: ValueError: a &lt; b" in index and "no &lt;such&gt; file" in index


def test_the_index_tells_status_time_mode_and_guard(pages):
    index, _ = pages
    assert "3 notebooks, 3 failed, 2.0 s" in index
    assert all(f"<td>{cell}</td>" in index for cell in ("fake", "hook", "none"))


def test_only_notebooks_that_can_be_shown_are_linked(pages):
    index, _ = pages
    assert re.findall(r'href="(\w+)\.html"', index) == ["00_page"]
    assert "<td>01_gone</td>" in index and "<td>02_cut</td>" in index


def test_pages_fit_light_dark_and_a_phone(pages):
    for text in pages:
        assert "prefers-color-scheme: dark" in text and "width=device-width" in text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("costs $5, or $10", 0),
        ("from $c$ to $d$", 2),
        (r"a \$ sign and $x$", 1),
        ("$$a$$", 1),
        ("$$\na = b\n$$", 1),
        (r"\begin{align}a &= b\end{align}", 1),
        ("`$a$` ``$b$`` $c$", 1),
        ("```\n$a$\n```\n$b$", 1),
        ("~~~\n$a$\n~~~", 0),
        ("one $ alone", 0),
        ("$a\n\nb$", 0),
        ("$ a $", 0),
    ],
)
def test_formulas_are_told_from_money_and_code(text, count):
    formulas = Formulas()
    assert formulas.put_in(formulas.take_out(text)).count("<math") == count


def test_a_formula_in_a_heading_leaves_its_id_alone():
    formulas = Formulas()
    heading = formulas.take_out("Why $x$")
    rendered = formulas.put_in(f'<h2 id="{heading.replace(" ", "-")}">{heading}</h2>')
    assert rendered.startswith('<h2 id="Why-xformula0x">Why <math')


@given(st.text(st.characters(exclude_characters="$\\", exclude_categories=["Cs"])))
def test_text_without_formulas_is_left_as_it_is(text):
    formulas = Formulas()
    assert formulas.take_out(text) == text


@given(st.text(max_size=40))
@example(r"\frac{")
@example(r"\foo{a}{b}_^")
@example("<script>alert(1)</script>")
def test_any_formula_gives_markup_without_scripts(latex):
    assert to_mathml(latex).startswith(("<math", "<code>"))
    assert "<script" not in to_mathml(latex)
