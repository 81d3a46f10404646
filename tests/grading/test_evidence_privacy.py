"""Keys and personal data are found wherever they stand, and shown in part only."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from handed import Notebook, after, cell, codes, evidence, solved
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.grading.evidence.privacy import privacy_findings
from rlvr_course.grading.handin.seen import SeenCell, SeenOutput

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
MIXED = st.text(LETTERS, min_size=40, max_size=48).filter(
    lambda text: len(set(text[-20:])) > 8 and any(c.isdigit() for c in text)
)
PREFIXES = ["sk-", "sk-proj-", "sk-ant-api03-", "sk-or-v1-", "hf_", "ghp_", "github_pat_", "glpat-",
            "gsk_", "xai-", "xoxb-", "r8_"]  # fmt: skip


def in_source(notebook: Notebook, secret: str) -> None:
    cell(notebook, "q01c")["source"] += [f"\nkey = {secret!r}"]


def in_markdown(notebook: Notebook, secret: str) -> None:
    notebook["cells"][0]["source"] = ["# Title\n", f"({secret})"]


def in_output(notebook: Notebook, secret: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["so\n", f"it is {secret}\n"]}
    cell(notebook, "q01c")["outputs"] = [output]


def in_html(notebook: Notebook, secret: str) -> None:
    data = {"text/html": [f"<td>{secret}</td>"]}
    cell(notebook, "q01c")["outputs"] = [{"output_type": "display_data", "data": data}]


def in_traceback(notebook: Notebook, secret: str) -> None:
    trace = [f"ValueError: {secret}"]
    cell(notebook, "q01c")["outputs"] = [{"output_type": "error", "traceback": trace}]


PLACES = [in_source, in_markdown, in_output, in_html, in_traceback]
SECRETS = {
    "key_found": "sk-proj-9fK2mQ7xW4bT8nR3vL6pZ1cH5jD0gY",
    "email_found": "ada.lovelace@analytical.co.uk",
    "home_folder_found": "/home/ada/course",
    "private_key_found": "-----BEGIN OPENSSH PRIVATE KEY-----",
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("code", SECRETS)
def test_it_is_found_in_every_place(place: Callable[[Notebook, str], None], code: str) -> None:
    found = after(lambda notebook: place(notebook, SECRETS[code]))
    assert code in codes(found, "privacy")


@pytest.mark.parametrize("code", SECRETS)
def test_it_is_found_in_the_log(code: str) -> None:
    line = json.dumps({"record": {"said": SECRETS[code]}}).encode() + b"\n"
    assert code in codes(evidence(solved(), log=[line]), "privacy")


@given(st.sampled_from(PREFIXES), MIXED, st.text(" \n\"'(=", min_size=1, max_size=3))
def test_a_key_is_found_and_never_shown(prefix: str, rest: str, around: str) -> None:
    found = privacy_findings([SeenCell(1, "code", source=f"k{around}{prefix}{rest}{around}")], None)
    assert codes(found) == {"key_found"}
    assert all(rest[:8] not in finding.evidence + finding.message for finding in found)


@pytest.mark.parametrize(
    "text",
    ["OPENAI_API_KEY = 'q9fK2mQ7xW4bT8nR3vL6pZ1cH5jD0gY'",
     "headers = {\"token\": \"Bearer q9fK2mQ7xW4bT8nR3vL6pZ1cH\"}",
     "os.environ['API_KEY'] = \"9f3c2b7d8e1a4f5069b8c7d6e5f4a3b2\""],
    ids=["name", "header", "environ"],
)  # fmt: skip
def test_a_key_of_an_unknown_provider_is_known_by_its_name(text: str) -> None:
    assert codes(privacy_findings([SeenCell(1, "code", source=text)], None)) == {"key_found"}


@pytest.mark.parametrize("home", ["/home/ada/x", "/Users/ada", "C:\\Users\\ada\\x", "c:/Users/ada"])
def test_home_folders_of_every_system_are_found_and_masked(home: str) -> None:
    found = privacy_findings([SeenCell(1, "code", source=f"p = r'{home}'")], None)
    assert codes(found) == {"home_folder_found"} and "ada" not in found[0].evidence


HARMLESS = {
    "placeholder": "OPENAI_API_KEY = 'sk-your-key-here-0000000000'",
    "crosses": "key = 'sk-xxxxxxxxxxxxxxxxxxxxxxxxx1'",
    "from the environment": "key = os.environ['OPENAI_API_KEY']",
    "example mail": "ada@example.com, user@host.com, noreply@github.com, git@github.com:a/b.git",
    "decorator": "@functools.cache\ndef f(): pass",
    "product of matrices": "y = X@W.values + a@b.T + c@d.mean(axis=0)",
    "nobody's home": "/home/jovyan/work, /Users/Shared/x, /home/user/.cache",
    "a hash": "anchor 339:d8fee479142910889d181d2746be4bed92028169fbc1a8c83c192ce7613b78bd",
    "tokens": "max_tokens = 220; token_ids = [1, 2]; secret = 'word'; the key is 'p'",
    "a web page": "https://site.net/home/page",
    "a long word": "task-" + "a1" * 30,
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_harmless_text_is_left_alone(text: str) -> None:
    shown = SeenOutput("stream", text, name="stdout")
    assert privacy_findings([SeenCell(1, "code", source=text, outputs=(shown,))], None) == []
