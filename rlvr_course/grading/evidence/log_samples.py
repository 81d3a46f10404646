"""The samples in a log: are the responses the recorded ones, and the rewards what they earned?

Replayed responses are compared with the recordings, and maths verdicts are made anew. Where a
response came from in mode local or api nobody can tell afterwards; it is said to be so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from rlvr_course.grading.evidence.log_rows import LogRow, sample_rows
from rlvr_course.grading.records import Finding, FindingKind
from rlvr_course.records import Verdict

MAX_SECONDS = 60.0
"""For all verdicts of one log; what is left over is said to be."""

MAX_CHARS = 100_000
"""The longest response and reference that are judged anew."""

_COURSE_REWARD = {"correctness", "ungraded_floor"}


def sample_findings(rows: Sequence[LogRow], *, has_own: bool) -> list[Finding]:
    """What is wrong with the samples' responses and rewards, or could not be found out.

    Args:
        rows: of the log.
        has_own: whether the learner's own cells log samples too, by whatever verifier.
    """
    samples = list(sample_rows(rows))
    kind: FindingKind = "note" if has_own else "integrity"
    return [
        *_responses(samples, kind),
        *_parts(samples),
        *_rewards(samples, kind),
    ]


@cache
def _recorded() -> Mapping[str, Mapping[tuple[str, str], Mapping[str, int]]]:
    """By policy id, of each problem (question, id) the recorded texts with their index."""
    from rlvr_course.problems import recorded

    found: dict[str, dict[tuple[str, str], dict[str, int]]] = {}
    for policy in recorded.POLICIES:
        questions = {p.id: p.question for p in recorded.load_problems(policy=policy)}
        for one in recorded.load_rollouts(policy=policy):
            key = (questions[one.problem_id], one.problem_id)
            texts = found.setdefault(one.completion.policy_id, {}).setdefault(key, {})
            texts[one.completion.text] = one.completion.index
    return found


@cache
def _references() -> Mapping[str, Any]:
    from rlvr_course.problems import recorded

    return {
        p.question: p.answer
        for policy in recorded.POLICIES
        for p in recorded.load_problems(policy=policy)
    }


def _responses(samples: Sequence[LogRow], kind: FindingKind) -> Iterator[Finding]:
    origins: Counter[str] = Counter()
    for row in samples:
        problem, policy = row.record["problem"], str(row.record.get("policy_id"))
        texts = _recorded().get(policy)
        if texts is None:
            origins[policy] += 1
            continue
        question = str(problem.get("question"))
        known = texts.get((question, str(problem.get("id"))), {})
        if row.record["response"] not in known:
            message = f"line {row.line} of the log has a response that {policy} did not give"
            yield Finding(
                "response_not_recorded", kind, message, None, row.record["response"][:200]
            )
            return
        if problem.get("answer") != _references().get(question):
            message = f"line {row.line} of the log has another reference than the problem's"
            yield Finding(
                "reference_changed", kind, message, None, str(problem.get("answer"))[:200]
            )
            return
    for policy, n in origins.most_common(3):
        message = f"{n} responses are said to be of {policy[:80]!r}: that can't be verified"
        yield Finding("origin_not_verified", "note", message)


def _parts(samples: Sequence[LogRow]) -> Iterator[Finding]:
    """A reward is the sum of its parts, whatever the reward function."""
    for row in samples:
        parts, reward = row.record.get("components"), row.record.get("reward")
        if not isinstance(parts, dict) or not parts or not all(map(_is_number, parts.values())):
            continue
        if _is_number(reward) and not _is_close(reward, sum(parts.values())):
            message = f"line {row.line} of the log has a reward that its parts don't sum to"
            yield Finding(
                "reward_differs", "integrity", message, None, f"{reward} of {parts}"[:200]
            )
            return


def _rewards(samples: Sequence[LogRow], kind: FindingKind) -> Iterator[Finding]:
    judged = [row for row in samples if _is_judged(row.record)]
    others = Counter(
        str(row.record["problem"].get("domain")) for row in samples if not _is_judged(row.record)
    )
    for domain, n in others.most_common(3):
        message = f"{n} rewards of domain {domain[:40]!r} were not computed anew"
        yield Finding("rewards_not_recomputed", "note", message)
    verdicts: dict[tuple[str, str, str], Verdict] = {}
    deadline = time.monotonic() + MAX_SECONDS
    for done, row in enumerate(judged):
        if time.monotonic() > deadline:
            message = f"{len(judged) - done} of {len(judged)} rewards were not computed anew: time"
            yield Finding("rewards_not_recomputed", "note", message)
            return
        problem = _difference(row.record, _verdict(row.record, verdicts))
        if problem:
            message = f"line {row.line} of the log {problem}"
            yield Finding("reward_differs", kind, message, None, row.record["response"][-200:])
            return


def _is_judged(record: Mapping[str, Any]) -> bool:
    """Whether it is maths, paid as the course pays."""
    parts = record.get("components")
    problem = record["problem"]
    return (
        problem.get("domain") == "math"
        and isinstance(problem.get("answer"), str)
        and len(problem["answer"]) + len(record["response"]) <= MAX_CHARS
        and isinstance(parts, dict)
        and set(parts) <= _COURSE_REWARD
        and (bool(parts) or record.get("reward") is None)
    )


def _verdict(record: Mapping[str, Any], known: dict[tuple[str, str, str], Verdict]) -> Verdict:
    from rlvr_course.verifiers.boundary import judge_many

    reference, ending = record["problem"]["answer"], str(record.get("finish_reason"))
    key = (record["response"], reference, ending)
    if key not in known:
        known[key] = judge_many(_verifier(), [record["response"]], [reference], [ending])[0]
    return known[key]


@cache
def _verifier() -> Any:
    from rlvr_course.verifiers.math_answers import MathVerifier

    return MathVerifier()


def _difference(record: Mapping[str, Any], verdict: Verdict) -> str:
    from rlvr_course.rewards import score_verdict

    expected, logged = score_verdict(verdict).value, record.get("reward")
    if record.get("verified_correct") is not verdict.is_correct:
        return f"says {record.get('verified_correct')!r:.20}, the verifier {verdict.is_correct}"
    floored = expected is None and _is_close(logged, -0.1)
    if logged is not expected and not floored and not _is_close(logged, expected):
        return f"has the reward {logged!r:.20}, where {expected} is earned"
    return ""


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}


def _is_close(one: Any, other: Any) -> bool:
    return _is_number(one) and _is_number(other) and abs(one - other) < 1e-9
