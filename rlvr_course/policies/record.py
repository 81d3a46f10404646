"""Record a policy's completions into a file that ``ReplayPolicy.from_file`` replays.

Beside ``rollouts.jsonl`` lies ``rollouts.manifest.json``, which says what was sampled, when and
how, with the SHA-256 of the rollouts. Both are written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.policies.protocol import Policy, Request
from rlvr_course.policies.replay import manifest_path
from rlvr_course.problems.rows import parse_lines, parse_problem
from rlvr_course.records import Completion, Problem


def read_problems(path: str | Path) -> list[Problem]:
    """Problems of a JSONL file; one without an id is named by the file and its place.

    Raises:
        DataError: the file can't be read, has a malformed line, or holds no problem.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} can't be read ({error.strerror}); check the path") from None
    problems = parse_lines(data, str(path), parse_problem)
    if not problems:
        raise DataError(f"{path} holds no problem; put one JSON object on each line")
    return [
        problem if problem.id else replace(problem, id=f"{path.stem}-{place}")
        for place, problem in enumerate(problems, start=1)
    ]


def requests_for(
    problems: Sequence[Problem], *, n: int = 8, temperature: float = 1.0
) -> list[Request]:
    """One request for each problem, with the problem's own system prompt and token limit.

    Raises:
        ValueError: n or the temperature is out of range, two problems share an id, or two ask
            the same with the same system prompt, which a replay could not tell apart.
    """
    seen: dict[str, str] = {}
    requests = []
    for problem in problems:
        limit = problem.metadata.get("max_tokens")
        request = Request(problem.messages, n=n, temperature=temperature, max_tokens=limit)
        if problem.id in seen.values():
            raise ValueError(f"two problems have the id {problem.id!r}; give each its own")
        if request.key in seen:
            raise ValueError(
                f"problems {seen[request.key]!r} and {problem.id!r} ask the same with the same "
                "system prompt; drop one of them"
            )
        seen[request.key] = problem.id
        requests.append(request)
    return requests


def record(
    problems: Sequence[Problem],
    policy: Policy,
    out: str | Path,
    *,
    n: int = 8,
    temperature: float = 1.0,
) -> dict[str, Any]:
    """Sample ``n`` completions of each problem and write them with a manifest.

    Args:
        problems: with distinct ids and prompts.
        policy: what to sample. An ``ApiPolicy`` with a ``cache_path`` makes it resumable.
        out: the rollouts file; a file that is there is replaced once sampling is done.
        n: completions of each problem.
        temperature: at least 0.

    Returns:
        The manifest as written.

    Raises:
        ValueError: as ``requests_for``, or no problems.
        DataError: the files can't be written.
        RlvrError: whatever the policy raises.
    """
    if not problems:
        raise ValueError("there is no problem to record")
    out = Path(out)
    requests = requests_for(problems, n=n, temperature=temperature)
    _check_writable(out)
    groups = policy.generate(requests)
    lines = [
        json.dumps(_row(problem, completion, temperature, policy.policy_id)) + "\n"
        for problem, group in zip(problems, groups, strict=True)
        for completion in group
    ]
    data = "".join(lines).encode("ascii")
    about = {
        "what": "Recorded completions, to be replayed offline. None was edited or dropped.",
        "date": datetime.now(UTC).date().isoformat(),
        "rows": len(lines),
        "problems": len(problems),
        "samples_per_problem": n,
        "model": {"name": policy.policy_id},
        "decoding": {
            "temperature": temperature,
            "max_tokens": {p.id: p.metadata.get("max_tokens") for p in problems},
        },
        "files": {out.name: hashlib.sha256(data).hexdigest()},
    }
    _write(out, data, about)
    return about


def _row(
    problem: Problem, completion: Completion, temperature: float, policy_id: str
) -> dict[str, Any]:
    return {
        "problem_id": problem.id,
        "domain": problem.domain,
        "messages": [dict(message) for message in completion.messages],
        "temperature": temperature,
        "index": completion.index,
        "response": completion.text,
        "finish_reason": completion.finish_reason,
        "seed": completion.seed,
        "model": policy_id,
        "truth": None,
    }


def _check_writable(out: Path) -> None:
    """Fail before sampling, not after it was paid for."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        probe = out.with_name(out.name + ".tmp")
        probe.write_bytes(b"")
        probe.unlink()
        if out.is_dir():
            raise IsADirectoryError(0, "it is a folder")
    except OSError as error:
        raise _unwritable(out, error) from None


def _write(out: Path, data: bytes, about: Mapping[str, Any]) -> None:
    beside = manifest_path(out)
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    try:
        # An old manifest next to new rollouts would call them altered: it goes first.
        beside.unlink(missing_ok=True)
        for path, content in ((out, data), (beside, text.encode())):
            fresh = path.with_name(path.name + ".tmp")
            fresh.write_bytes(content)
            fresh.replace(path)
    except OSError as error:
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> DataError:
    return DataError(
        f"{out} can't be written ({error.strerror}); free space there or choose another file"
    )
