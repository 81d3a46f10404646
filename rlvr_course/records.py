"""The course's records: what flows from a problem to a reward.

    Problem -> Completion -> Verdict -> Reward -> Sample

All are frozen dataclasses with a JSON round trip (``to_json``, ``from_json``).

The failure law, stated once
----------------------------
*Policy fault*: no answer, a crash, a timeout, a flood of the candidate. The verdict has
``fault="policy"`` and earns the reward floor.

*Grader fault*: a reference that can't be parsed or fails its own check, a broken sandbox, an
unreachable platform. The verdict has ``status="ungraded"``, ``score=None``, ``fault="grader"``;
its reward is None, it is masked out of training **and counted**.

A failure that recurs on one candidate while a canary passes is the candidate's: policy fault.
Being ungraded is never a way out: the masked share is reported for each policy, and above a cap
the floor applies. Nothing raises into a training loop; a caller's mistake raises before it starts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

Message = Mapping[str, str]
"""One chat message: ``{"role": "system" | "user" | "assistant", "content": text}``."""

Status = Literal["correct", "incorrect", "partial", "no_answer", "ungraded"]
Fault = Literal["policy", "grader"]

STATUSES: tuple[Status, ...] = ("correct", "incorrect", "partial", "no_answer", "ungraded")


class Record:
    """JSON round trip shared by all records: ``T.from_json(r.to_json()) == r``."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The record as plain dicts, lists, strings and numbers."""
        return asdict(self)  # type: ignore[call-overload]

    def to_json(self) -> str:
        """One line of JSON, keys in field order, characters as they are (UTF-8)."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build a record from ``to_dict``'s output.

        Raises:
            ValueError: a field that the record does not have, or one that it needs.
        """
        names = {f.name for f in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(data) - names)
        if unknown:
            raise ValueError(f"{cls.__name__} has no field {unknown[0]!r}; it has {sorted(names)}")
        try:
            return cls(**data)
        except TypeError as error:
            raise ValueError(f"{cls.__name__}: {error}") from None

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Inverse of ``to_json``."""
        return cls.from_dict(json.loads(line))


@dataclass(frozen=True)
class Problem(Record):
    """A question with the reference that its verifier checks against.

    Args:
        question: what the policy is asked, as text.
        answer: the reference: a string for maths; tests, a schema and object, a reference query
            or a case record in other domains. Conditions on the form of an answer ("in lowest
            terms") belong to the problem, in ``metadata``.
        id: stable name within its source, "" where there is none.
        domain: "math", "code", "json", "sql", "policy" or a name of your own.
        metadata: anything else, JSON values only. ``system`` is the system prompt that the
            recorded data was sampled with.

    >>> Problem("What is 12 * 13?", "156").messages
    ({'role': 'user', 'content': 'What is 12 * 13?'},)
    """

    question: str
    answer: Any
    id: str = ""
    domain: str = "math"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The chat messages to send: the system prompt in ``metadata``, if any; the question."""
        user = {"role": "user", "content": self.question}
        system = self.metadata.get("system")
        return ({"role": "system", "content": system}, user) if system else (user,)


@dataclass(frozen=True)
class Completion(Record):
    """What a policy returned for one request.

    Args:
        text: the response, without the end token.
        messages: the exact messages that were sent.
        finish_reason: "stop" (the model ended), "length" (cut at the token limit), or the
            policy's own word.
        token_ids, logprobs: per generated token (natural log), where the policy gives them.
        policy_id: which policy, including its version or quantisation.
        index: position in its group, from 0.
        seed: sampling seed, where one was used.
    """

    text: str
    messages: Sequence[Message] = ()
    finish_reason: str = "stop"
    token_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None
    policy_id: str = ""
    index: int = 0
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("messages", "token_ids", "logprobs"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, tuple(value))


@dataclass(frozen=True)
class Verdict(Record):
    """What a verifier decided about one response.

    Args:
        status: "correct", "incorrect", "partial", "no_answer" or "ungraded".
        score: in [0, 1]; None exactly when ungraded.
        extracted: the text that was graded, "" if none was found.
        reason: a readable code such as "equal_number" or "gold_unparseable".
        fault: "policy" where the candidate failed to give an answer to judge, "grader" where
            the grader could not judge, None where it was judged.

    Raises:
        ValueError: an unknown status, a score out of range, or a score that contradicts the status.
    """

    status: Status
    score: float | None
    extracted: str = ""
    reason: str = ""
    fault: Fault | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status {self.status!r} is not one of {', '.join(STATUSES)}")
        if (self.score is None) != (self.status == "ungraded"):
            raise ValueError(f"score {self.score!r} contradicts status {self.status!r}")
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise ValueError(f"score {self.score!r} is outside [0, 1]")
        if (self.fault == "grader") != (self.status == "ungraded"):
            raise ValueError(f"fault {self.fault!r} contradicts status {self.status!r}")

    @property
    def is_correct(self) -> bool | None:
        """True for status "correct", None when ungraded, else False."""
        return None if self.status == "ungraded" else self.status == "correct"

    @classmethod
    def correct(cls, extracted: str, reason: str) -> Self:
        """Full score."""
        return cls("correct", 1.0, extracted, reason)

    @classmethod
    def incorrect(cls, extracted: str, reason: str, fault: Fault | None = None) -> Self:
        """Score 0 for an answer that was judged and is wrong."""
        return cls("incorrect", 0.0, extracted, reason, fault)

    @classmethod
    def no_answer(cls, reason: str) -> Self:
        """Score 0: the candidate committed to nothing (policy fault)."""
        return cls("no_answer", 0.0, "", reason, "policy")

    @classmethod
    def ungraded(cls, reason: str, extracted: str = "") -> Self:
        """No score: the grader could not judge (grader fault)."""
        return cls("ungraded", None, extracted, reason, "grader")


@dataclass(frozen=True)
class Reward(Record):
    """A scalar reward and the parts that it was summed from; ``value`` is None when ungraded."""

    value: float | None
    components: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class HackFlag(Record):
    """A detector's suspicion of one sample, with the text or numbers that made it fire."""

    detector: str
    evidence: str


@dataclass(frozen=True)
class Sample(Record):
    """A scored rollout: the problem, the response, what was extracted and what it earned.

    ``verified_correct`` is None when the grader could not judge, and then ``reward`` is None
    too, unless a floor was applied. A sample unpacks like a mapping: ``{**sample, "note": 1}``.
    """

    problem: Problem
    response: str
    extracted: str
    reward: float | None
    verified_correct: bool | None
    status: str = ""
    reason: str = ""
    fault: str | None = None
    finish_reason: str = "stop"
    messages: Sequence[Message] = ()
    policy_id: str = ""
    index: int = 0
    components: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))

    def keys(self) -> list[str]:
        """Field names, so that ``{**sample}`` works."""
        return [f.name for f in fields(self)]

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return self.to_dict()[name]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of ``to_dict``; the nested problem is rebuilt."""
        problem = data.get("problem")
        if isinstance(problem, Mapping):
            data = {**data, "problem": Problem.from_dict(problem)}
        return super().from_dict(data)


@dataclass(frozen=True)
class PreferencePair(Record):
    """Two responses to the same messages, the first preferred to the second.

    Args:
        prompt: the exact messages that both were sampled with.
        chosen, rejected: what follows them, as assistant messages.
        provenance: where the pair comes from (problem, indices, verdicts' reasons, policies).

    Raises:
        ValueError: one of the three has no message.

    Its dict is a row of TRL's conversational preference format, with one more column.
    """

    prompt: Sequence[Message]
    chosen: Sequence[Message]
    rejected: Sequence[Message]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("prompt", "chosen", "rejected"):
            messages = tuple(getattr(self, name))
            if not messages:
                raise ValueError(f"a preference pair needs a message in {name}")
            object.__setattr__(self, name, messages)

    def to_dict(self) -> dict[str, Any]:
        """The pair as plain dicts and lists, which is what trainers look for."""
        return {
            "prompt": [dict(message) for message in self.prompt],
            "chosen": [dict(message) for message in self.chosen],
            "rejected": [dict(message) for message in self.rejected],
            "provenance": dict(self.provenance),
        }
