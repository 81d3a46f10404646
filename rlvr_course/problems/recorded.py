"""The recorded problems and rollouts that ship with the course.

They are real completions of one small instruct model, eight for each problem, with a hand-checked
truth: the answer key for "did the policy err, or the verifier?". ``manifest()`` says which model,
when and how. The files are checked against the manifest's SHA-256 before anything is read.

    >>> problems = load_problems("math")
    >>> problems[0].question, problems[0].answer
    ('Find the product of 12 and 13.', '156')
    >>> answer_key()[problems[0].id, 0]
    True

There are two recordings: "qwen", which every function reads unless told otherwise, and "smollm2",
the model of mode ``local`` on few-shot prompts.

    >>> len(load_rollouts(policy="smollm2"))
    256

``RLVR_COURSE_FIXTURE_SEED`` in the environment deals the samples otherwise: see ``fixtures``.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.problems.fixtures import Fixtures, dealt, from_environment
from rlvr_course.problems.rows import RecordedRollout, parse_lines, parse_problem, rollout_parser
from rlvr_course.records import Problem

__all__ = [
    "POLICIES",
    "RecordedRollout",
    "Recording",
    "answer_key",
    "load_problems",
    "load_rollouts",
    "manifest",
    "read_recording",
]


POLICIES: Mapping[str, str] = MappingProxyType({"qwen": "", "smollm2": "smollm2"})
"""The recorded policies, each with the folder of its recording below ``data/recorded``."""


@dataclass(frozen=True)
class Recording:
    """A folder of recorded data, read and checked."""

    manifest: Mapping[str, Any]
    problems: tuple[Problem, ...]
    rollouts: tuple[RecordedRollout, ...]


def load_problems(domain: str | None = None, *, policy: str = "qwen") -> list[Problem]:
    """The recorded problems in file order.

    Args:
        domain: "math", "code", "json", "sql" or "policy"; all of them if None.
        policy: whose recording, "qwen" or "smollm2"; the latter has "math" and "json".

    Returns:
        Problems whose ``metadata`` has the system prompt that was sent, ``level``, ``max_tokens``
        and, for maths, ``answer_kind``. ``answer`` is a string for maths and elsewhere a mapping
        of what the domain's verifier needs (tests, schema and object, query and rows, case).
        Those of "smollm2" are as ``problems.few_shot`` makes them.

    Raises:
        ValueError: an unknown domain or policy.
        DataError: the files are missing or altered.

    >>> sorted(load_problems("code")[0].answer)
    ['hidden_tests', 'visible_tests']
    """
    _check_domain(domain, policy)
    return [p for p in _packaged(policy).problems if domain in (None, p.domain)]


def load_rollouts(domain: str | None = None, *, policy: str = "qwen") -> list[RecordedRollout]:
    """The recorded completions in file order, by problem and then by index.

    Args:
        domain, policy: as for ``load_problems``.

    Raises:
        ValueError: an unknown domain or policy.
        DataError: the files are missing or altered.

    >>> len(load_rollouts("math"))
    320
    """
    _check_domain(domain, policy)
    return [r for r in _packaged(policy).rollouts if domain in (None, r.domain)]


def answer_key(*, policy: str = "qwen") -> dict[tuple[str, int], bool | None]:
    """Whether each recorded completion is right, by (problem id, index); None where it is open."""
    return {(r.problem_id, r.completion.index): r.truth for r in _packaged(policy).rollouts}


def manifest(*, policy: str = "qwen") -> dict[str, Any]:
    """How the data was recorded: model, runtime, decoding, date, the truth checker's rules."""
    return copy.deepcopy(dict(_packaged(policy).manifest))


def read_recording(folder: Traversable | Path) -> Recording:
    """Read a folder with ``manifest.json``, ``problems.jsonl`` and ``rollouts.jsonl``.

    Raises:
        DataError: a file is missing, does not fit its SHA-256 in the manifest, or has a line
            that can't be read.
    """
    about = _manifest(_bytes(folder / "manifest.json"))
    checked = {name: _bytes(folder / name) for name in about["files"]}
    for name, data in checked.items():
        if hashlib.sha256(data).hexdigest() != about["files"][name]:
            raise DataError(
                f"{name} is not the file that its manifest describes (SHA-256 differs); "
                "restore it from the repository or reinstall the package"
            )
    model = about["model"]
    # "Q4_K_M (general.file_type ...)": the first word names the quantisation.
    quantisation = str(model.get("quantisation", "")).split(" ")[0]
    policy_id = f"recorded ({', '.join(filter(None, (model['name'], quantisation)))})"
    temperature = about["decoding"]["temperature"]
    parse_rollout = rollout_parser(policy_id, temperature=temperature)
    problems = parse_lines(checked["problems.jsonl"], "problems.jsonl", parse_problem)
    rollouts = parse_lines(checked["rollouts.jsonl"], "rollouts.jsonl", parse_rollout)
    return Recording(about, tuple(problems), tuple(rollouts))


def _packaged(policy: str) -> Recording:
    if policy not in POLICIES:
        raise ValueError(f"no recorded policy {policy!r}; there are {', '.join(POLICIES)}")
    fixtures = from_environment()
    return _dealt(policy, fixtures) if fixtures else _read_packaged(POLICIES[policy])


@cache
def _dealt(policy: str, fixtures: Fixtures) -> Recording:
    recorded = _read_packaged(POLICIES[policy])
    return replace(recorded, rollouts=dealt(recorded.rollouts, fixtures))


@cache
def _read_packaged(folder: str) -> Recording:
    recorded = files("rlvr_course") / "data" / "recorded"
    return read_recording(recorded / folder if folder else recorded)


def _bytes(file: Traversable | Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise DataError(
            f"{file.name} can't be read ({error.strerror}); restore it or reinstall the package"
        ) from None


def _manifest(data: bytes) -> dict[str, Any]:
    """The manifest, if it has the parts that reading needs."""
    try:
        about = json.loads(data.decode("utf-8"))
        names = set(about["files"])
        _ = about["model"]["name"], float(about["decoding"]["temperature"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"manifest.json is malformed ({type(error).__name__}: {error}); "
            "restore it or reinstall the package"
        ) from None
    if not {"problems.jsonl", "rollouts.jsonl"} <= names:
        raise DataError("manifest.json lists no problems.jsonl or rollouts.jsonl; restore it")
    return about


def _check_domain(domain: str | None, policy: str) -> None:
    known = dict.fromkeys(p.domain for p in _packaged(policy).problems)
    if domain is not None and domain not in known:
        raise ValueError(f"no recorded domain {domain!r}; there are {', '.join(known)}")
