"""The site in a browser, from disk: it fits, it is searched, it is switched, it fetches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from devtools import Page

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.site import site_pages

CLIPPED = """[...document.querySelectorAll("body *")].filter((element) => {
  for (let around = element.parentElement; around !== document.body && around;
       around = around.parentElement)
    if (getComputedStyle(around).overflowX !== "visible") return false;
  const box = element.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1) &&
    !element.classList.contains("skip");
}).map((element) => element.outerHTML.slice(0, 80))"""
"""Elements that stand out of the window, and in nothing that scrolls."""
DARK = "getComputedStyle(document.body).backgroundColor === 'rgb(20, 24, 29)'"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of the executed solutions: what matters here is that they have outputs."""
    out = tmp_path_factory.mktemp("site with a space")
    solutions = find_checkout(Path(__file__).parent).solutions
    copies = sorted(solutions.glob("[0-9][0-9]_*.ipynb"))[:4]
    for name, text in site_pages(copies).items():
        (out / name).write_text(text, encoding="utf-8")
    return out


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_clipped_and_nothing_is_fetched(page: Page, site: Path, width: int) -> None:
    for path in sorted(site.glob("*.html")):
        page.open(path.as_uri(), width=width)
        assert page.run("document.documentElement.scrollWidth") == width, path.name
        assert page.run(CLIPPED) == [], path.name
        asked = [e["params"] for e in page.events if e["method"] == "Network.requestWillBeSent"]
        urls = [each["request"]["url"] for each in asked]
        assert [url for url in urls if not url.startswith("data:")] == [path.as_uri()]


def test_the_search_of_a_notebooks_page_leads_to_the_section(page: Page, site: Path) -> None:
    page.open((site / "01_verifiers.html").as_uri())
    page.press("/", 191, text="/")
    assert page.run("document.activeElement.name") == "q"
    page.type("break even")
    page.press("Enter", 13, text="\r")
    page.wait(lambda: page.run("document.querySelectorAll('#results li').length > 0"), "results")
    assert page.run("document.querySelector('#results mark').textContent").lower() in {
        "break",
        "even",
    }
    page.run("document.querySelector('#results a').click()")
    page.wait(lambda: "/02_asym" in page.run("location.href"), "the section's page")


def test_the_index_finds_nothing_for_a_word_that_is_nowhere(page: Page, site: Path) -> None:
    page.open(f"{(site / 'index.html').as_uri()}?q=zyzzyva(")
    assert (
        page.run("document.querySelector('#results').textContent") == "0 sections with “zyzzyva(”"
    )


def test_colours_follow_the_system_and_then_the_switch(page: Page, site: Path) -> None:
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.send("Emulation.setEmulatedMedia", features=dark)
    page.open((site / "index.html").as_uri())
    assert page.run(DARK)
    page.run("document.getElementById('theme').click()")
    assert not page.run(DARK)
    page.open((site / "00_start_here.html").as_uri())
    assert not page.run(DARK) and page.run("document.getElementById('theme').textContent") == "Dark"


def test_tab_goes_first_to_the_link_past_the_bar_and_shows_it(page: Page, site: Path) -> None:
    page.open((site / "00_start_here.html").as_uri())
    page.press("Tab", 9)
    assert page.run("document.activeElement.className") == "skip"
    assert page.run("document.activeElement.getBoundingClientRect().left") >= 0
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_on_paper_there_is_the_notebook_alone(page: Page, site: Path) -> None:
    page.open((site / "00_start_here.html").as_uri())
    page.send("Emulation.setEmulatedMedia", media="print")
    shown = "[...document.body.children].filter((e) => e.offsetHeight > 0).map((e) => e.tagName)"
    assert page.run(shown) == ["P", "MAIN"]
