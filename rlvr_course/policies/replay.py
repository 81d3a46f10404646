"""A policy that replays recorded completions: no network, no key, the same reply each time.

A recording is found by the exact messages and the temperature. What was not recorded can't be
replayed, and the error says what to do instead.

    >>> from rlvr_course.policies.protocol import Request
    >>> from rlvr_course.problems.recorded import load_problems
    >>> problem = load_problems("math")[0]
    >>> [group] = ReplayPolicy().generate([Request(problem.messages, n=2)])
    >>> [completion.text for completion in group]
    ['12*13 = 156', '156']
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from rlvr_course.errors import DataError, NotRecorded
from rlvr_course.policies.protocol import Request
from rlvr_course.problems.recorded import load_rollouts
from rlvr_course.problems.rows import RecordedRollout, parse_lines, rollout_parser
from rlvr_course.records import Completion, Message

WAYS_ON = (
    "ask a recorded problem, use mode 'local' or 'api', a SimulatedPolicy, "
    "or make a recording with `rlvr-course record`"
)


class ReplayPolicy:
    """Answers from recorded rollouts.

    Args:
        rollouts: what to replay; the course's own recording of ``policy`` if None.
        policy: "qwen" or "smollm2".

    Raises:
        ValueError: no rollouts, two with the same request and index, or an unknown policy.

    Limits: ``max_tokens`` and ``seed`` of a request are not looked at.
    """

    def __init__(
        self, rollouts: Sequence[RecordedRollout] | None = None, *, policy: str = "qwen"
    ) -> None:
        rollouts = load_rollouts(policy=policy) if rollouts is None else rollouts
        if not rollouts:
            raise ValueError("a ReplayPolicy needs at least one rollout")
        self._groups = _group_by_request(rollouts)
        self._policy_id = _common_id(rollouts)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Replay a rollouts file written by ``rlvr-course record``.

        Raises:
            DataError: the file can't be read, has a malformed line, holds nothing, or does not
                fit the manifest beside it.
        """
        path = Path(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DataError(f"{path} can't be read ({error.strerror}); check the path") from None
        _check_manifest(path, data)
        rollouts = parse_lines(data, str(path), rollout_parser(f"recorded ({path.name})"))
        try:
            return cls(rollouts)
        except ValueError as error:
            raise DataError(f"{path}: {error}; record it anew") from None

    @property
    def policy_id(self) -> str:
        """The model that was recorded, in parentheses after "recorded"."""
        return self._policy_id

    def __repr__(self) -> str:
        return f"ReplayPolicy({self._policy_id!r}, {len(self._groups)} requests)"

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """The first ``n`` recorded completions of each request, in index order.

        Raises:
            NotRecorded: a request that is not in the recording, or more completions than it has.
        """
        return [self._replay(request) for request in requests]

    def _replay(self, request: Request) -> list[Completion]:
        group = self._groups.get(request.key)
        if group is None:
            raise NotRecorded(self._not_recorded(request))
        if request.n > len(group):
            raise NotRecorded(
                f"n={request.n}: only {len(group)} completions of {_shown(request.messages)} are "
                f"recorded; ask for {len(group)} or fewer, or record more"
            )
        return [rollout.completion for rollout in group[: request.n]]

    def _not_recorded(self, request: Request) -> str:
        """Name the prompt, what differs from the nearest recordings, and the ways on."""
        asked = _system(request.messages)
        notes = []
        for group in self._groups.values():
            messages, temperature = group[0].completion.messages, group[0].temperature
            if _user(messages) != _user(request.messages):
                continue
            differs = [] if _system(messages) == asked else ["another system prompt"]
            if temperature != request.temperature:
                differs.append(f"temperature {temperature:g}, not {request.temperature:g}")
            notes.append(" and ".join(differs) or "another chat before it")
        known = f" (the question is recorded with {'; or '.join(notes[:3])})" if notes else ""
        return f"{_shown(request.messages)} is not recorded{known}: {WAYS_ON}"


def _group_by_request(rollouts: Sequence[RecordedRollout]) -> dict[str, list[RecordedRollout]]:
    """Rollouts of each request key in index order."""
    keys: dict[str, str] = {}
    groups: dict[str, dict[int, RecordedRollout]] = {}
    for rollout in rollouts:
        completion = rollout.completion
        # The same few prompts recur in every group: hash each of them once.
        name = repr((completion.messages, rollout.temperature))
        if name not in keys:
            keys[name] = Request(completion.messages, temperature=rollout.temperature).key
        group = groups.setdefault(keys[name], {})
        if completion.index in group:
            raise ValueError(
                f"two rollouts of {rollout.problem_id!r} have the same request and index "
                f"{completion.index}"
            )
        group[completion.index] = rollout
    return {key: [group[i] for i in sorted(group)] for key, group in groups.items()}


def _common_id(rollouts: Sequence[RecordedRollout]) -> str:
    names = list(dict.fromkeys(rollout.completion.policy_id for rollout in rollouts))
    return names[0] if len(names) == 1 else f"recorded ({len(names)} policies)"


def manifest_path(path: Path) -> Path:
    """Where the manifest of a rollouts file lies: ``name.jsonl`` has ``name.manifest.json``."""
    return path.with_name(f"{path.stem}.manifest.json")


def _check_manifest(path: Path, data: bytes) -> None:
    """Hold a rollouts file against the manifest beside it, if there is one."""
    about = manifest_path(path)
    if not about.exists():
        return
    try:
        expected = json.loads(about.read_text(encoding="utf-8"))["files"][path.name]
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(f"{about} can't be read as a manifest; delete it or record anew") from None
    if hashlib.sha256(data).hexdigest() != expected:
        raise DataError(
            f"{path} was changed since it was recorded (SHA-256 differs from {about.name}); "
            "record it anew, or delete that manifest to accept the change"
        )


def _user(messages: Sequence[Message]) -> str:
    return next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")


def _system(messages: Sequence[Message]) -> str:
    return next((m["content"] for m in messages if m["role"] == "system"), "")


def _shown(messages: Sequence[Message], width: int = 60) -> str:
    """The last user message on one line, cut to ``width`` characters."""
    text = " ".join(_user(messages).split())
    return repr(text if len(text) <= width else text[: width - 3] + "...")
