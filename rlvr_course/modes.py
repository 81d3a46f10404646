"""How a notebook starts: one call that picks the policy, makes a run folder and opens its log.

    fake    recorded rollouts replayed: no network, no key
    api     any OpenAI-compatible endpoint, on the network or on this machine
    local   SmolLM2-135M-Instruct in this process

``simple_complete``, ``sample_and_verify`` and ``audit_record`` use the run that was started last;
where none was, the recorded rollouts and a log beside the run folders.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlvr_course.errors import AuditError, NotRecorded, PolicyUnavailable
from rlvr_course.policies.protocol import Policy, Request
from rlvr_course.problems.fixtures import in_force
from rlvr_course.records import Problem, Sample

if TYPE_CHECKING:
    from rlvr_course.audit import AuditLog
    from rlvr_course.rewards import MathRewardFunction

MODES = ("fake", "local", "api")
ARTIFACTS_VARIABLE = "RLVR_ARTIFACTS"


@dataclass(frozen=True)
class Run:
    """One run of a notebook: its name, its folder, its log, and what answers its requests."""

    notebook: str
    mode: str
    run_id: str
    dir: Path
    log: AuditLog
    policy: Policy

    def __str__(self) -> str:
        return f"mode {self.mode} · {self.policy.policy_id} · run {self.run_id}"


@dataclass
class _Session:
    """What this process keeps between calls."""

    run: Run | None = None
    reward: MathRewardFunction | None = None
    default_policy: Policy | None = None


_session = _Session()
_served: Counter[str] = Counter()


def start(notebook: str, mode: str = "fake", *, artifacts: str | Path = "artifacts") -> Run:
    """Begin a run in a fresh folder, make it the current one, and print one line about it.

    Args:
        notebook: the notebook's name, such as "01_verifiers".
        mode: "fake", "local" or "api".
        artifacts: folder that holds the run folders; the environment variable RLVR_ARTIFACTS
            comes before it.

    Returns:
        The run: ``.run_id``, ``.dir`` (created), ``.log`` (at ``dir/verifier.jsonl``) and
        ``.policy``. The log of the run before it is closed.

    Raises:
        ValueError: an unknown mode.
        PolicyUnavailable: the mode can't answer here.
        AuditError: the folder can't be written.
    """
    policy = _policy_for(mode)
    run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    folder = _artifacts(artifacts) / run_id
    log = _open_log(folder, run_id)
    stop()
    run = Run(notebook, mode, run_id, folder, log, policy)
    log.append(
        {
            "event": "start",
            "notebook": notebook,
            "mode": mode,
            "policy_id": policy.policy_id,
            "fixture_seed": in_force(),
        }
    )
    _session.run = run
    print(run)
    return run


def current() -> Run | None:
    """The run that was started last, or None."""
    return _session.run


def stop() -> None:
    """Close the current run's log, if any, and forget the run."""
    if _session.run is not None:
        _session.run.log.close()
        _session.run = None
    _session.reward = None
    _served.clear()


def simple_complete(prompt: str, system: str = "", temperature: float = 1.0) -> str:
    """Complete one prompt with the current policy.

    Args:
        prompt: the user's message.
        system: the system prompt; none is sent if empty.
        temperature: of sampling, 0 or more.

    Returns:
        The response's text. Where recordings are replayed, successive calls with the same
        arguments go through the recorded samples, and begin again after the last.

    Raises:
        NotRecorded: mode "fake" and a prompt that is not in the recording.
        PolicyUnavailable: the policy can't answer.
    """
    messages = Problem(prompt, "", metadata={"system": system}).messages
    policy = _current_policy()
    if _session.run is not None and _session.run.mode != "fake":
        return policy.generate([Request(messages, temperature=temperature)])[0][0].text
    return _next_replayed(policy, Request(messages, temperature=temperature))


def sample_and_verify(problem: Problem, n_samples: int = 4) -> list[Sample]:
    """Sample a group from the current policy, verify it as maths and reward it.

    Args:
        problem: with a reference answer that ``MathVerifier`` can read.
        n_samples: group size, at least 1.

    Returns:
        The scored samples, logged to the current run's audit log if a run was started.

    Raises:
        ValueError: n_samples below 1.
        NotRecorded: mode "fake" and a problem that is not in the recording.
        PolicyUnavailable: the policy can't answer.
    """
    from rlvr_course.rollouts import rollout

    run, reward = _session.run, _current_reward()
    on_sample = None if run is None else lambda sample: run.log.append(sample.to_dict())
    groups = rollout(
        [problem],
        _current_policy(),
        reward.verifier,
        reward,
        n_samples=n_samples,
        on_sample=on_sample,
    )
    return groups[0]


def audit_record(
    sample: Sample,
    suspected_hack: bool | None = None,
    *,
    path: str | Path | None = None,
) -> dict[str, Any]:
    """Append one sample to an audit log, with whether it looks like a hack.

    Args:
        sample: as ``sample_and_verify`` returned it.
        suspected_hack: your own finding; ``looks_like_hack(sample)`` decides if None.
        path: the log's file. If None, the current run's log; where no run was started,
            ``verifier.jsonl`` in the folder of artifacts.

    Returns:
        The record as appended: ``{**sample, "suspected_hack": ...}``.

    Raises:
        AuditError: the log can't be written, or another writer holds it.
        AuditTampered: the log that is there doesn't hold.

    Limits: ``sample_and_verify`` logs each sample of a run too; a record of this function is told
        by its ``suspected_hack``.
    """
    from rlvr_course.audit import AuditLog
    from rlvr_course.hacks import looks_like_hack

    suspected = looks_like_hack(sample) if suspected_hack is None else suspected_hack
    record = {**sample.to_dict(), "suspected_hack": suspected}
    run = _session.run
    if run is not None and (path is None or Path(path).absolute() == run.log.path.absolute()):
        run.log.append(record)
        return record
    with AuditLog(path or _artifacts("artifacts") / "verifier.jsonl") as log:
        log.append(record)
    return record


def _artifacts(given: str | Path) -> Path:
    """The folder of run folders: the environment's, if it names one."""
    return Path(os.environ.get(ARTIFACTS_VARIABLE) or given)


def _policy_for(mode: str) -> Policy:
    if mode == "fake":
        from rlvr_course.policies.replay import ReplayPolicy

        return ReplayPolicy()
    if mode == "api":
        from rlvr_course.policies.api import ApiPolicy

        return ApiPolicy()
    if mode == "local":
        from rlvr_course.policies import smollm2
        from rlvr_course.policies.local import LocalPolicy

        if (reason := smollm2.missing()) is not None:
            raise PolicyUnavailable(f"mode 'local': {reason}; or use 'fake', or 'api'")
        return LocalPolicy()
    raise ValueError(f"mode {mode!r} is not one of {', '.join(MODES)}")


def _open_log(folder: Path, run_id: str) -> AuditLog:
    from rlvr_course.audit import AuditLog

    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise AuditError(
            f"{folder} can't be created ({error.strerror}): free space, or set "
            f"{ARTIFACTS_VARIABLE} to a folder that you can write"
        ) from None
    return AuditLog(folder / "verifier.jsonl", run_id=run_id)


def _current_policy() -> Policy:
    if _session.run is not None:
        return _session.run.policy
    if _session.default_policy is None:
        _session.default_policy = _policy_for("fake")
    return _session.default_policy


def _current_reward() -> MathRewardFunction:
    """One for the whole run, so that its count of masked samples runs through all calls."""
    if _session.reward is None:
        from rlvr_course.rewards import MathRewardFunction

        _session.reward = MathRewardFunction()
    return _session.reward


def _next_replayed(policy: Policy, request: Request) -> str:
    """The next recorded sample of a request, starting over where the recording ends."""
    served = _served[request.key]
    try:
        group = policy.generate([_of_size(request, served + 1)])[0]
    except NotRecorded:
        if served == 0:
            raise
        served, group = 0, policy.generate([request])[0]
    _served[request.key] = served + 1
    return group[served].text


def _of_size(request: Request, n: int) -> Request:
    return Request(request.messages, n=n, temperature=request.temperature)
