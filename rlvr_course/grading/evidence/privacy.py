"""Keys and personal data in a submission, so that their owner can revoke or remove them.

Evidence shows enough to find the place, and never a secret in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rlvr_course.grading.handin.seen import SeenCell, iter_texts
from rlvr_course.grading.records import Finding

MAX_LOG_CHARS = 8_000_000
MAX_FOR_PLACE = 5
"""Findings of one code for one cell."""

MAX_NEEDLES = 5_000
"""Places of one kind that are looked at closely in one text."""

BEFORE, AFTER = 70, 330
"""Characters around such a place; a longer key is found by its start."""


class _Kind(NamedTuple):
    """What is looked for; only the surroundings of a ``needle`` are searched for the pattern."""

    code: str
    what: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]


def _key(owner: str, needle: str, rest: str) -> _Kind:
    pattern = re.compile(rf"(?<![\w-]){needle}{rest}")
    return _Kind("key_found", f"a key ({owner})", (needle,), pattern)


_NAMED_KEY = (
    r"(?i)\b\w{0,40}(?:api_?key|secret|token|passw(?:or)?d)['\"\]]{0,3}\s{0,3}[=:]\s{0,3}"
    r"(?:Bearer )?['\"](?:Bearer )?(?=[^'\"]{0,200}\d)[A-Za-z0-9_\-+/=.]{24,200}['\"]"
)
_MAIL = (
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}"
    r"(?:[A-Za-z]{2}|com|org|net|edu|gov|mil|info|biz|dev|app|cloud|tech|email|school)\b(?![.(\w-])"
)
_HOME = (
    r"(?:(?<!\w)/home/|(?<!\w)/Users/|\b[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/))"
    r"(?P<user>[A-Za-z0-9][\w.-]{0,60})"
)
_PRIVATE = r"-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----"

_KINDS = (
    _key("Anthropic", "sk-ant-", r"[\w-]{20,200}"),
    _key("OpenRouter", "sk-or-", r"[\w-]{20,200}"),
    _key("OpenAI", "sk-", r"(?!ant-|or-)(?:proj-|svcacct-|admin-)?[\w-]{20,200}"),
    _key("Hugging Face", "hf_", r"[A-Za-z0-9]{30,60}"),
    *(_key("GitHub", f"gh{kind}_", r"[A-Za-z0-9]{36,255}") for kind in "pousr"),
    _key("GitHub", "github_pat_", r"\w{22,255}"),
    _key("GitLab", "glpat-", r"[\w-]{20,100}"),
    _key("Google", "AIza", r"[\w-]{35}"),
    _key("AWS", "AKIA", r"[A-Z0-9]{16}(?![A-Z0-9])"),
    _key("AWS", "ASIA", r"[A-Z0-9]{16}(?![A-Z0-9])"),
    _key("Slack", "xox", r"[abposr]-[\w-]{10,200}"),
    _key("Groq", "gsk_", r"[A-Za-z0-9]{40,100}"),
    _key("xAI", "xai-", r"[A-Za-z0-9]{40,100}"),
    _key("Replicate", "r8_", r"[A-Za-z0-9]{30,60}"),
    _key("Weights & Biases", "WANDB_API_KEY", r"\W{1,6}[0-9a-f]{40}"),
    _key("token", "eyJ", r"[\w-]{10,120}\.eyJ[\w-]{10,160}"),
    _Kind(
        "key_found",
        "a key",
        ("key", "KEY", "secret", "SECRET", "token", "TOKEN", "passw", "PASSW"),
        re.compile(_NAMED_KEY),
    ),
    _Kind("private_key_found", "a private key", ("PRIVATE KEY",), re.compile(_PRIVATE)),
    _Kind("email_found", "an e-mail address", ("@",), re.compile(_MAIL)),
    _Kind(
        "home_folder_found",
        "a folder with a user's name",
        ("/home/", "/Users/", "Users\\", ":/Users"),
        re.compile(_HOME),
    ),
)

_NOBODYS_USERS = {
    *(
        "user",
        "username",
        "jovyan",
        "runner",
        "codespace",
        "vscode",
        "you",
        "me",
        "name",
        "student",
    ),
    *(
        "shared",
        "public",
        "default",
        "learner",
        "ubuntu",
        "root",
        "app",
        "docker",
        "admin",
        "nobody",
    ),
    *("sandbox", "work", "test", "foo", "bar", "alice", "bob", "someone", "yourname", "your_name"),
}
_NOBODYS_HOSTS = re.compile(
    r"(?i)(?:.*\.)?(?:example\.(?:com|org|net|edu)|(?:.*\.)?(?:test|invalid|local|example)"
    r"|users\.noreply\.github\.com|domain\.com|email\.com)"
)
_NOBODYS_NAMES = {"git", "noreply", "no-reply", "user", "username", "name", "you", "someone", "foo"}
_PLACEHOLDER = re.compile(r"(?i)your|example|placeholder|dummy|xxxx|\.\.\.|1234567|abcdef|test")


def privacy_findings(cells: Sequence[SeenCell], log: Sequence[bytes] | None) -> list[Finding]:
    """Keys, mail addresses and home folders in sources, outputs and the audit log."""
    found = []
    for cell in cells:
        seen: dict[str, set[str]] = {}
        for text in iter_texts(cell):
            found += _in_text(text, cell.place, seen, "")
        if cell.is_cut:
            message = "it is too long to be read whole: its end was not searched"
            found.append(Finding("not_read_whole", "note", message, cell.place))
    text = b"".join(log or ())[:MAX_LOG_CHARS].decode("utf-8", "replace")
    return found + list(_in_text(text, None, {}, " in the audit log"))


def _in_text(
    text: str, place: int | None, seen: dict[str, set[str]], where: str
) -> Iterator[Finding]:
    for kind in _KINDS:
        known = seen.setdefault(kind.code, set())
        for match in _matches(kind, text):
            secret = match[0]
            if len(known) >= MAX_FOR_PLACE:
                break
            if secret in known or _is_nobodys(kind.code, match):
                continue
            # "api_key = sk-..." is the same secret as the "sk-..." in it.
            if any(other in secret or secret in other for other in known):
                continue
            known.add(secret)
            message = f"it holds {kind.what}{where}: {_REMEDIES[kind.code]}"
            yield Finding(kind.code, "privacy", message, place, mask(kind.code, secret))


def _matches(kind: _Kind, text: str) -> Iterator[re.Match[str]]:
    """The pattern's matches around its needles: a plain search is much faster than a pattern."""
    for needle in kind.needles:
        at = text.find(needle)
        for _ in range(MAX_NEEDLES):
            if at < 0:
                break
            begin, end = max(0, at - BEFORE), at + AFTER
            yield from kind.pattern.finditer(text[begin:end])
            at = text.find(needle, at + len(needle))


_REMEDIES = {
    "key_found": "revoke it, since whoever has the file has the key",
    "private_key_found": "replace it, since whoever has the file has the key",
    "email_found": "take it out if it is a person's",
    "home_folder_found": "take it out if the name is a person's",
}


def _is_nobodys(code: str, match: re.Match[str]) -> bool:
    if code == "home_folder_found":
        return match["user"].lower() in _NOBODYS_USERS
    if code == "email_found":
        name, _, host = match[0].partition("@")
        return name.lower() in _NOBODYS_NAMES or _NOBODYS_HOSTS.fullmatch(host) is not None
    if code == "key_found":
        value = match[0]
        few = len(set(value[-20:])) < 6
        return few or not re.search(r"\d", value) or bool(_PLACEHOLDER.search(value))
    return False


def mask(code: str, secret: str) -> str:
    """What a report may show of a secret.

    >>> mask("email_found", "ada.lovelace@mail.net")
    'a…@m…'
    >>> mask("key_found", "hf_" + "a1" * 20)
    'hf_a… (43 characters)'
    """
    if code == "email_found":
        name, _, host = secret.partition("@")
        return f"{name[:1]}…@{host[:1]}…"
    if code == "home_folder_found":
        end = max(secret.rfind("/"), secret.rfind("\\")) + 1
        return f"{secret[:end]}{secret[end : end + 1]}…"
    if code == "private_key_found":
        return secret
    start = re.search(r"[=:]\s*['\"]?", secret)
    shown = secret[: start.end()] if start is not None and start.end() < 60 else secret[:4]
    return f"{shown}… ({len(secret)} characters)"
