"""Where requests go: settings in order of precedence, and a key that is asked for but not shown."""

import io
import pickle
import subprocess
import sys

import pytest
from chat_server import KEY
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies.endpoint import Endpoint, Secret, resolve_endpoint

LOCAL = "http://localhost:11434/v1"


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "env-key")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://env.example/v1")
    monkeypatch.setenv("OPENAI_MODEL", "env-model")


def test_arguments_come_before_the_environment(environment):
    endpoint = resolve_endpoint("m", LOCAL, "k")
    assert (endpoint.model, endpoint.base_url, endpoint.key.reveal()) == ("m", LOCAL, "k")


def test_the_environment_comes_before_the_defaults(environment):
    endpoint = resolve_endpoint()
    assert (endpoint.model, endpoint.host) == ("env-model", "env.example")
    assert endpoint.key.reveal() == "env-key"
    assert not endpoint.is_openai


def test_the_defaults_are_openais():
    endpoint = resolve_endpoint(api_key=KEY)
    assert endpoint.is_openai
    assert endpoint.model == "gpt-4.1-nano"


@pytest.mark.parametrize(
    "url", [LOCAL, "http://127.0.0.1:8000/v1", "http://127.9.9.9/v1", "http://[::1]:80/v1"]
)
def test_a_local_server_needs_no_key(url):
    assert resolve_endpoint(base_url=url).key.reveal() == "not-needed"


@pytest.mark.parametrize("url", ["http://10.0.0.1/v1", "http://localhost.example/v1"])
def test_any_other_server_needs_one(url, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(PolicyUnavailable, match=r"no API key: set OPENAI_API_KEY, .*'fake'"):
        resolve_endpoint(base_url=url)


ASK = """\
from rlvr_course.policies.api import ApiPolicy
try: ApiPolicy()
except Exception as error: print(type(error).__name__)
"""


def test_a_headless_run_is_never_asked():
    done = subprocess.run(
        [sys.executable, "-c", ASK], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == (b"PolicyUnavailable", b"")


def test_a_headless_notebook_is_never_asked(tmp_path):
    notebook = new_notebook(cells=[new_code_cell(ASK)])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}}).execute()
    assert [output["text"] for output in notebook.cells[0].outputs] == ["PolicyUnavailable\n"]


def test_a_typed_key_is_kept_in_memory():
    asked = []
    endpoint = resolve_endpoint(ask=lambda prompt: asked.append(prompt) or f" {KEY}\n")
    assert endpoint.key.reveal() == KEY
    assert asked == ["API key (kept in memory only): "]


@pytest.mark.parametrize("error", [EOFError, NotImplementedError])
def test_no_one_to_type_a_key_is_no_key(error):
    def ask(prompt):
        raise error

    with pytest.raises(PolicyUnavailable, match="no API key"):
        resolve_endpoint(ask=ask)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "“quoted”", "t\x00"])
def test_a_key_that_cannot_be_one_is_refused_unshown(key):
    with pytest.raises(PolicyUnavailable, match="character that no key has") as caught:
        resolve_endpoint(api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://localhost/v1", "http://", "http://a:port/v1", "/v1"]
)
def test_a_base_url_that_is_none_is_a_callers_mistake(url):
    with pytest.raises(ValueError, match="must look like http://localhost"):
        resolve_endpoint(base_url=url, api_key=KEY)


@pytest.mark.parametrize("url", ["https://me:pass@host.example:80/v1", "ftp://me:pass@host"])
def test_a_password_in_the_url_is_not_shown(url):
    try:
        shown = resolve_endpoint(base_url=url, api_key=KEY).host
    except ValueError as error:
        shown = str(error)
    assert "host" in shown and "pass" not in shown


def test_an_endpoint_shows_no_key():
    endpoint = resolve_endpoint(api_key=KEY)
    assert KEY not in repr(endpoint)
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(endpoint)


@given(st.text(), st.text())
def test_redacted_text_is_one_short_line_without_the_key(before, after):
    endpoint = Endpoint("m", LOCAL, Secret(KEY))
    text = endpoint.redact(before + KEY + after)
    assert KEY not in text
    assert len(text) <= 200 and len(text.splitlines()) <= 1
