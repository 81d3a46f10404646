"""The site shows the learner's notebooks and nothing else, and needs nothing but itself."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import make_checkout, write_notebook
from course_secrets import CHECKOUT, leak_test, one_secret
from hypothesis import given
from hypothesis import strategies as st
from test_pages import Loads

from rlvr_course.classroom import site
from rlvr_course.classroom.sections import sections
from rlvr_course.classroom.site import build_site, site_pages, site_style, switchable
from rlvr_course.cli import main
from rlvr_course.errors import NotebookError

HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x.png>"
TEXTS = {
    "00_first": [
        "md:# First\n\nWhat is <it>?\n\n| a | b |\n|---|---|\n| c | d |",
        "md:## Why $x_1$",
    ],
    "01_second": ["md:# Second & last\n\nA question.", "md:## Break-even\n\nIt pays.", "f(1)"],
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("executed")
    paths = [
        write_notebook(folder / f"{name}.ipynb", *cells, parameters=None)
        for name, cells in TEXTS.items()
    ]
    notebook: Any = nbformat.read(paths[1], as_version=4)
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text=HOSTILE)]
    notebook.cells.append(nbformat.v4.new_markdown_cell(f"### Said\n\n`{HOSTILE}`"))
    nbformat.write(notebook, paths[1])
    return site_pages(paths)


def policy(text: str) -> dict[str, str]:
    (found,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    return dict(rule.strip().split(" ", 1) for rule in found.split(";"))


def test_there_is_a_page_for_each_notebook_and_an_index(pages: dict[str, str]) -> None:
    assert list(pages) == ["index.html", "00_first.html", "01_second.html"]
    links = re.findall(r'<li><a href="(\w+\.html)">([^<]+)</a><p>([^<]*)', pages["index.html"])
    assert links == [
        ("00_first.html", "First", "What is ?"),
        ("01_second.html", "Second &amp; last", "A question."),
    ]


def test_nothing_is_fetched_and_no_script_runs_but_ours(pages: dict[str, str]) -> None:
    for text in pages.values():
        loads = Loads()
        loads.feed(text)
        assert [url for url in loads.found if not url.startswith("data:")] == []
        rules = policy(text)
        assert rules["default-src"] == "'none'"
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules["script-src"])
        assert len(re.findall(r"<script>", text)) == 1


def test_the_search_holds_each_section_with_its_place(pages: dict[str, str]) -> None:
    (data,) = re.findall(r'id="sections">(.*?)</script>', pages["index.html"], re.DOTALL)
    rows = json.loads(data)
    assert ["01_second", "Second & last", "Break-even", "Break-even", "It pays. f(1)"] in rows
    assert [row[3] for row in rows if HOSTILE in row[4]] == ["Said"]
    assert all(f'id="{escape(row[2])}"' in pages[f"{row[0]}.html"] for row in rows if row[2])


def test_neighbours_contents_and_a_way_past_the_bar_are_linked(pages: dict[str, str]) -> None:
    first, second = pages["00_first.html"], pages["01_second.html"]
    assert '<a href="01_second.html" rel="next">Second &amp; last →</a>' in first
    assert '<a href="00_first.html" rel="prev">← First</a>' in second
    assert 'rel="prev"' not in first and 'rel="next"' not in second
    assert '<li><a href="#Break-even">Break-even</a></li>' in second
    assert '<a class="skip" href="#main">' in first and "id='main'" in first


def test_the_injected_cell_is_left_out_and_the_counts_close_up(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "00_a.ipynb", "x = 1")
    notebook: Any = nbformat.read(path, as_version=4)
    own = nbformat.v4.new_code_cell('MODE = "fake"', metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(1, own)
    for count, cell in enumerate(notebook.cells, start=1):
        cell.execution_count = count
    nbformat.write(notebook, path)
    text = site_pages([path])["00_a.html"]
    assert re.findall(r"In.\[(\d)\]", text) == ["1", "2"]
    assert len(re.findall(r"MODE", text)) == 1


# -- sections


@given(st.text("<>&abc /\"'=h2div!-", max_size=80))
def test_any_markup_has_sections(text: str) -> None:
    assert all(section.heading or section.text for section in sections(text))


def test_outputs_prompts_and_formulas_are_no_words() -> None:
    html = (
        '<p>before</p><h2 id="x">Head <math><mi>q</mi></math><a class="anchor-link">¶</a></h2>'
        '<div class="prompt">In [1]:</div><pre>code</pre>'
        '<div class="output_wrapper"><p>out<br></p><img src="data:,"></div><p>after</p>'
    )
    found = [(s.level, s.anchor, s.heading.strip(), s.text) for s in sections(html)]
    assert found == [(0, "", "", "before"), (2, "x", "Head", "code after")]


# -- light and dark


def test_dark_rules_follow_the_switch_and_without_it_the_system() -> None:
    style = site_style()
    systems = style.count('@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {')
    assert systems == style.count("prefers-color-scheme: dark") == 3
    assert style.count('@media screen { :root[data-theme="dark"] {') == 3
    assert style.count("{") == style.count("}")


def test_a_style_that_is_cut_is_refused() -> None:
    with pytest.raises(ValueError, match="never closed"):
        switchable("@media (prefers-color-scheme: dark) { a { color: red; }")


# -- building


def test_the_site_of_a_checkout_without_solutions_is_executed_and_written(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    checkout.sources.rmdir()
    write_notebook(checkout.notebooks / "00_a.ipynb", "md:# A", "print(MODE, 6 * 7)")
    index = build_site(checkout, tmp_path / "site")
    assert {path.name for path in index.parent.iterdir()} == {"index.html", "00_a.html"}
    assert "fake 42" in (tmp_path / "site/00_a.html").read_text("utf-8")


def test_a_notebook_that_fails_stops_the_site(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    write_notebook(checkout.notebooks / "00_a.ipynb", "1 / 0")
    with pytest.raises(NotebookError, match=r"00_a did not run .*ZeroDivisionError"):
        build_site(checkout, tmp_path / "site")
    assert list((tmp_path / "site").iterdir()) == []


def test_a_missing_executed_copy_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match=r"00_start_here\.ipynb can't be read"):
        build_site(CHECKOUT, tmp_path / "site", executed=tmp_path)


@pytest.mark.parametrize("kind", ["solution", "hidden case", "rubric"])
def test_a_leak_planted_in_an_executed_copy_stops_the_site(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = one_secret(kind)
    notebook: Any = nbformat.v4.new_notebook()
    shown = nbformat.v4.new_output("display_data", {"text/html": f"<b>So</b> {secret.line}"})
    kept = secret.line if kind == "rubric" else f"```python\n{secret.line}\n```"
    notebook.cells = [nbformat.v4.new_markdown_cell(kept)]
    notebook.cells += [nbformat.v4.new_code_cell(secret.line, outputs=[shown])]
    for path in CHECKOUT.notebooks.glob("*.ipynb"):
        nbformat.write(notebook, tmp_path / path.name)
    monkeypatch.chdir(CHECKOUT.root)
    monkeypatch.setattr(site, "LeakTest", lambda _: leak_test())  # its secrets, read once
    out = tmp_path / "site"
    assert main(["site", "--out", str(out), "--executed", str(tmp_path)]) == 1
    assert f"would leak: 00_start_here.html: a {kind}'s line" in capsys.readouterr().err
    assert list(out.iterdir()) == []
