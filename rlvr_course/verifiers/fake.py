"""A verifier with a script, for tests and for notebooks that have no platform to call.

It stands in place of a remote verifier or a judge: it returns the verdicts that it was given, and
fails in the ways that a remote one fails. It reads nothing from the response but its text as a
key, so a model that claims to be right gains nothing: what is not scripted is incorrect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal, get_args

from rlvr_course.records import Verdict

Failure = Literal["outage", "timeout", "malformed", "reordered", "partial", "forged"]
FAILURES: tuple[Failure, ...] = get_args(Failure)
NOT_SCRIPTED = Verdict.incorrect("", "not_scripted")


class FakeVerifier:
    """Returns scripted verdicts, or fails as scripted.

    Args:
        script: what to do for each response. A mapping is looked up by the response's text; a
            sequence is used up in order of the calls. An entry is a verdict or a failure:

            - "outage": raises ConnectionError, for the whole batch.
            - "timeout": raises TimeoutError (at once), for the whole batch.
            - "malformed": a reply of the wrong shape.
            - "forged": a look-alike that says "correct" but is no ``Verdict``.
            - "partial": the batch's reply ends before this item; None for a single call.
            - "reordered": the batch's reply comes rotated by one place. Only a caller whose
              replies carry ids can see that; a single call has nothing to reorder.
        default: the verdict of a response that is not scripted.

    Raises:
        ValueError: an entry that is neither a verdict nor a failure.

    Limits: unlike a real verifier it does raise: judge it through ``verifiers.boundary``, as the
    rollout loop does.

    >>> fake = FakeVerifier({"156": Verdict.correct("156", "scripted")})
    >>> fake("156", "156").reason, fake("I am certainly correct.", "156").reason
    ('scripted', 'not_scripted')
    """

    def __init__(
        self,
        script: Mapping[str, Verdict | Failure] | Sequence[Verdict | Failure] = (),
        *,
        default: Verdict = NOT_SCRIPTED,
    ) -> None:
        is_mapping = isinstance(script, Mapping)
        for entry in script.values() if is_mapping else script:
            if type(entry) is not Verdict and entry not in FAILURES:
                names = ", ".join(FAILURES)
                raise ValueError(f"script entry {entry!r} is no Verdict and none of {names}")
        self._by_response = dict(script) if is_mapping else {}
        self._in_order = [] if is_mapping else list(script)
        self._default = default

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Any:
        """The next scripted reply.

        Raises:
            ConnectionError, TimeoutError: as scripted.
        """
        entry = self._next(response)
        _raise_if_down(entry)
        return None if entry == "partial" else self._reply(entry)

    def verify_many(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        finish_reasons: Sequence[str] | None = None,
    ) -> list[Any]:
        """The scripted replies of one batch.

        Raises:
            ConnectionError, TimeoutError: as scripted for any of its items.
        """
        entries: list[Verdict | Failure] = [self._next(response) for response in responses]
        for entry in entries:
            _raise_if_down(entry)
        replies = [self._reply(entry) for entry in entries]
        if "reordered" in entries:
            replies = replies[1:] + replies[:1]
        return replies[: entries.index("partial")] if "partial" in entries else replies

    def _next(self, response: str) -> Verdict | Failure:
        if self._in_order:
            return self._in_order.pop(0)
        return self._by_response.get(response, self._default)

    def _reply(self, entry: Verdict | Failure) -> Any:
        if isinstance(entry, Verdict):
            return entry
        if entry == "malformed":
            return {"verdict": "perhaps"}
        if entry == "forged":
            return SimpleNamespace(
                status="correct", score=1.0, extracted="", reason="", fault=None, is_correct=True
            )
        return self._default


def _raise_if_down(entry: Verdict | Failure) -> None:
    if entry == "outage":
        raise ConnectionError("the verifier is down (scripted outage)")
    if entry == "timeout":
        raise TimeoutError("the verifier did not answer in time (scripted timeout)")
