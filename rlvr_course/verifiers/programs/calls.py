"""The end of a function test that stays outside: what goes in, and what a reply is worth.

Each test is a run of its own with a nonce of its own. The reply counts only behind the nonce, is as
long as the sandbox lets output be, and holds a value, never a verdict.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from rlvr_course.sandbox.records import Program
from rlvr_course.verifiers.programs.cases import CallCase
from rlvr_course.verifiers.programs.inside import decode, encode

# The words are the candidate's to forge, so none may be a word of the host's, such as "passed".
_FAILURE = re.compile(r"undefined|(?:raised|not_plain): [ -~]{1,60}")


@dataclass(frozen=True, slots=True)
class Reply:
    """The value that came back, or why there is none, such as "raised: ValueError"."""

    value: Any = None
    failure: str = ""


def call_program(source: str, case: CallCase) -> tuple[Program, str]:
    """The program that calls a candidate's function once, and its run's nonce.

    Args:
        source: the candidate's program; it goes in as data.
        case: its expected value does not go in.
    """
    nonce = secrets.token_hex(16)
    request = {
        "nonce": nonce,
        "source": source,
        "call": case.call,
        "args": encode(list(case.args)),
    }
    return Program(_inside(), json.dumps(request)), nonce


def read_reply(stdout: str, nonce: str) -> Reply:
    """What a run sent back, from all that it printed.

    >>> read_reply('noise n0v["i","0x2a"]', "n0"), read_reply("ALL TESTS PASSED", "n0").failure
    (Reply(value=42, failure=''), 'returned_nothing')
    """
    _, found, rest = stdout.rpartition(nonce)
    reply = rest.partition("\n")[0]
    if not found or not reply:
        return Reply(failure="returned_nothing")
    if reply[0] == "e" and _FAILURE.fullmatch(reply, 1):
        return Reply(failure=reply[1:])
    try:
        return Reply(decode(reply[1:])) if reply[0] == "v" else Reply(failure="forged_reply")
    except ValueError:
        return Reply(failure="forged_reply")


@cache
def _inside() -> str:
    file = files("rlvr_course") / "verifiers" / "programs" / "inside.py"
    return f"{file.read_text(encoding='utf-8')}\n\nmain()\n"
