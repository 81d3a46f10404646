"""Where an API policy sends its requests: model, base URL and key, resolved once.

The key lives in memory alone. ``Secret`` shows itself as stars, refuses to be pickled, and
``Endpoint.redact`` takes it out of any text that a server sends back.
"""

from __future__ import annotations

import getpass
import ipaddress
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urlsplit

from rlvr_course.errors import PolicyUnavailable

DEFAULT_MODEL = "gpt-4.1-nano"
OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY_NEEDED = "not-needed"


class Secret:
    """A text that shows itself only when asked by ``reveal``."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret('***')"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is kept in memory only and can't be pickled; make the policy anew")


@dataclass(frozen=True)
class Endpoint:
    """One model behind one OpenAI-compatible base URL."""

    model: str
    base_url: str
    key: Secret

    @property
    def host(self) -> str:
        """Host and port, without any user name or password in the URL."""
        parts = urlsplit(self.base_url)
        return parts.netloc.rpartition("@")[2]

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI's own API, whose prices are known."""
        return self.host == urlsplit(OPENAI_URL).netloc

    def redact(self, text: str) -> str:
        """``text`` without the key, on one line of at most 200 characters."""
        key = self.key.reveal()
        if key != _NO_KEY_NEEDED:
            text = text.replace(key, "***")
        return " ".join(text.split())[:200]


def resolve_endpoint(
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    *,
    ask: Callable[[str], str] | None = None,
) -> Endpoint:
    """Settings from arguments, then from the environment, then by asking.

    Args:
        model: else OPENAI_MODEL, else ``DEFAULT_MODEL``.
        base_url: else OPENAI_BASE_URL, else OpenAI's.
        api_key: else OPENAI_API_KEY, else asked for where someone is there to answer. A server
            on this machine needs none.
        ask: how to ask for a key; ``getpass`` in a terminal or notebook, no one if headless.

    Raises:
        ValueError: the base URL is not one.
        PolicyUnavailable: no key and no one to ask, or a key that can't be one.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    hostname = _hostname(url)
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key:
        key = _NO_KEY_NEEDED if _is_loopback(hostname) else _ask_for_key(ask).strip()
    # A line break or a curly quote would fail later, in an error that shows the whole header.
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise PolicyUnavailable(
            "the API key holds a character that no key has (a line break or a quote pasted with "
            "it?); copy it again"
        )
    name = model or os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
    return Endpoint(name, url, Secret(key))


def _ask_for_key(ask: Callable[[str], str] | None) -> str:
    if ask is None and _someone_is_there():
        ask = getpass.getpass
    key = ""
    if ask is not None:
        try:
            key = ask("API key (kept in memory only): ")
        except (EOFError, NotImplementedError):
            # A kernel without a front end says NotImplementedError: no one is there after all.
            key = ""
    if not key.strip():
        raise PolicyUnavailable(
            "no API key: set OPENAI_API_KEY, or set OPENAI_BASE_URL to a local server (Ollama, "
            "LM Studio, vLLM need no key), or use mode 'fake'"
        )
    return key


def _someone_is_there() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    in_a_kernel = getattr(shell, "kernel", None) is not None
    return in_a_kernel or (sys.stdin is not None and sys.stdin.isatty())


def _hostname(url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        shown = url.rpartition("@")[2]
        raise ValueError(f"base URL {shown!r} must look like http://localhost:11434/v1")
    return parts.hostname


def _is_loopback(hostname: str) -> bool:
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return hostname == "localhost"
