"""The documents against the code: links, commands, examples, tables and the API reference."""

from __future__ import annotations

import argparse
import ast
import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

import rlvr_course
from rlvr_course import MathVerifier, cli
from rlvr_course.classroom import reference
from rlvr_course.classroom.docstrings import anchors
from rlvr_course.verifiers.answers.scalars import Conventions
from rlvr_course.verifiers.extract import extract_answer

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
ANSWERS = (ROOT / "docs" / "ANSWERS.md").read_text(encoding="utf-8")

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


# -- links


def relative_links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for target in LINK.findall(SPAN.sub("", FENCE.sub("", text_of(page)))):
            if not re.match(r"[a-z]+:", target):
                yield page, target


@pytest.mark.parametrize("page, target", [pytest.param(*x, id=x[1]) for x in relative_links()])
def test_a_relative_link_leads_somewhere(page: Path, target: str) -> None:
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    assert file.exists()
    if anchor:
        assert anchor in [found for _, found in anchors(text_of(file))]


# -- commands


def command_lines(text: str) -> Iterator[str]:
    """Each ``rlvr-course ...`` in a fenced block or a code span, without comments."""
    blocks = [block for _, language, block in FENCE.findall(text) if language != "pycon"]
    shell = "\n".join(blocks).replace("\\\n", " ")
    for code in [*shell.splitlines(), *SPAN.findall(FENCE.sub("", text))]:
        line = re.split(r"\s#|&&|\s[|>]", code.strip())[0]
        match = re.fullmatch(r"(?:\$ )?(?:uv run (?:--\S+ )*)?rlvr-course(?: (.*))?", line.strip())
        if match is not None:
            yield (match[1] or "").strip()


def parse(command: str) -> argparse.Namespace:
    parser = cli._parser()
    # Two words without an option name a command in prose; its arguments may be missing.
    is_name = re.fullmatch(r"[a-z]+( [a-z]+)?", command) is not None
    arguments = shlex.split(f"{command} --help" if is_name else command)
    if arguments and not arguments[0].startswith("-"):
        cli._load_verb(parser, arguments[0])
    return parser.parse_args(arguments)


COMMANDS = sorted({line for page in PAGES for line in command_lines(text_of(page))})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_shown_is_one(command: str) -> None:
    try:
        parse(command)
    except SystemExit as stopped:
        assert stopped.code == 0, command  # --help and --version stop with 0, wrong usage with 2


def test_commands_are_found_in_blocks_and_spans() -> None:
    text = "Run `rlvr-course doctor`:\n\n```\nuv run rlvr-course lab 01   # opens it\nls\n```\n"
    assert list(command_lines(text)) == ["lab 01", "doctor"]


def test_a_command_with_a_wrong_option_would_be_noticed() -> None:
    with pytest.raises(SystemExit) as stopped:
        parse("run --solution-files 3")
    assert stopped.value.code == 2


# -- examples


def examples(page: Path) -> str:
    """The fenced blocks with ``>>>``, one after the other."""
    blocks = [dedent(block) for _, _, block in FENCE.findall(text_of(page)) if ">>>" in block]
    return "\n".join(blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_give_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.name == "API.md":  # its examples are the docstrings', which run in their modules
        return
    monkeypatch.setenv("RLVR_ARTIFACTS", str(tmp_path))
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page.name, str(page), 0)
    said: list[str] = []
    results = doctest.DocTestRunner().run(test, out=said.append)
    assert results.failed == 0, "".join(said)


def test_the_examples_are_found() -> None:
    assert "attack(verify, problems).passed" in examples(ROOT / "docs" / "VERIFIER_CHECKLIST.md")
    assert examples(ROOT / "docs" / "ANSWERS.md").count(">>>") >= 8


# -- the tables of ANSWERS.md


def rows(*header: str) -> list[list[str]]:
    """The rows below every table head with these columns."""
    lines = ANSWERS.splitlines()
    head = f"| {' | '.join(header)} |"
    found = []
    for start in (index for index, line in enumerate(lines) if line == head):
        for line in lines[start + 2 :]:
            if not line.startswith("|"):
                break
            found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


FORMS = [
    pytest.param(SPAN.findall(reference)[0], answer, status, id=f"{answer} for {reference}")
    for reference, accepted, refused in rows("reference", "accepted", "refused")
    for cell, status in ((accepted, "correct"), (refused, "incorrect"))
    for answer in SPAN.findall(cell)
]
EXTRACTED = rows("response", "what is graded", "how")
REFUSED = rows("answer", "reference", "why it is refused")
OPTIONS = rows(
    *("option", "default", "means", "reference", "answer", "by default", "set to", "then")
)


def plain(cell: str) -> str:
    return cell.strip("`")


@pytest.mark.parametrize("reference, answer, status", FORMS)
def test_a_form_is_judged_as_the_table_says(reference: str, answer: str, status: str) -> None:
    assert MathVerifier()(rf"\boxed{{{answer}}}", reference).status == status


def test_no_form_was_overlooked() -> None:
    assert len(FORMS) > 100
    assert min(len(EXTRACTED), len(REFUSED), len(OPTIONS)) >= 7


@pytest.mark.parametrize("response, graded, how", EXTRACTED, ids=lambda cell: cell)
def test_extraction_is_as_the_table_says(response: str, graded: str, how: str) -> None:
    found = extract_answer(plain(response))
    assert (found.text or "nothing", found.how) == (plain(graded), plain(how))


@pytest.mark.parametrize("answer, reference, why", REFUSED, ids=lambda cell: cell)
def test_what_is_refused_is_refused(answer: str, reference: str, why: str) -> None:
    verdict = MathVerifier()(rf"\boxed{{{plain(answer)}}}", plain(reference))
    assert (verdict.status, verdict.score) == ("incorrect", 0.0)
    assert why


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: plain(row[0]))
def test_a_convention_does_what_the_table_says(row: list[str]) -> None:
    option, default, _, reference, answer, before, setting, after = map(plain, row)
    assert getattr(Conventions(), option) == ast.literal_eval(default)
    changed = Conventions(**{option: ast.literal_eval(setting)})
    responses = rf"\boxed{{{answer}}}", reference
    said = [MathVerifier(rules)(*responses).is_correct for rules in (Conventions(), changed)]
    assert said == [word == "accepted" for word in (before, after)]


def test_every_convention_is_in_the_table() -> None:
    assert [plain(row[0]) for row in OPTIONS] == [field.name for field in fields(Conventions)]


# -- the API reference


def test_the_api_reference_is_what_the_docstrings_give() -> None:
    current = text_of(ROOT / "docs" / "API.md")
    # Compared by hand: a difference of two long texts takes pytest minutes to draw.
    assert (current == reference.page()) is True, f"docs/API.md is out of date: {reference.COMMAND}"


def test_the_api_reference_lists_every_export() -> None:
    table = reference.page().split("## `rlvr_course.records`")[0]
    assert re.findall(r"^\| \[`(\w+)`\]", table, re.MULTILINE) == rlvr_course.__all__


def test_a_signature_is_shown_with_its_defaults() -> None:
    assert "Rate(successes: int, n: int)" in reference.page()
    assert "MaskCap(cap: float = 0.05, *, floor: float = -0.1)" in reference.page()


@pytest.mark.parametrize(
    "arguments, status", [(["--check"], 0), (["--chekc"], 2)], ids=["check", "misspelt"]
)
def test_the_generator_says_how_it_went(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reference.main(arguments) == status
    assert capsys.readouterr() != ("", "")


# -- project files


def test_the_issue_form_asks_for_what_is_needed() -> None:
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    form = yaml.safe_load(text_of(folder / "notebook-problem.yml"))
    required = {item["id"] for item in form["body"] if item.get("validations", {}).get("required")}
    assert {"notebook", "cell", "mode", "doctor"} <= required
    assert yaml.safe_load(text_of(folder / "config.yml")) == {"blank_issues_enabled": True}


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == rlvr_course.__version__
