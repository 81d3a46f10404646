"""The one boundary at which a verifier's exceptions and odd replies become verdicts.

Callers that must not stop (the rollout loop, the attack suite) judge through here. A verifier may
return a ``Verdict``, or be a plain function that returns True, False or a score in [0, 1]. Every
other reply, and every exception, is a failure, with the reason kept.

Whose failure it is, the failure law of ``records`` decides. An outage (``OSError``, which includes
time-outs and lost connections) and an odd reply are the grader's: ungraded. After any other
exception the candidate is tried once more, and then a canary, the reference itself as the
response: an exception that recurs while the canary passes is the candidate's (policy fault,
score 0), since a response that crashes its grader must not be a way out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from rlvr_course.records import Status, Verdict

REASON_LIMIT = 200

_STATUS_OF_WHOLE_SCORE: dict[float, Status] = {0.0: "incorrect", 1.0: "correct"}


def judge(
    verifier: Callable[..., Any], response: str, answer: Any, *, finish_reason: str = "stop"
) -> Verdict:
    """One verdict, whatever the verifier does.

    Args:
        verifier: called as ``verifier(response, answer)``, with the keyword ``finish_reason``
            if it takes one.
        response, answer, finish_reason: as in ``verifiers.protocol``.

    Returns:
        The verifier's verdict; after a failure one whose reason begins with ``verifier_raised``
        or ``verifier_returned``, and whose fault is "policy" or "grader".

    >>> judge(lambda response, answer: response == answer, "80", "80").status
    'correct'
    >>> judge(lambda response, answer: 1 / 0, "80", "80").reason
    'verifier_raised: ZeroDivisionError: division by zero'
    """
    try:
        return _called(verifier, response, answer, finish_reason)
    except OSError as error:
        return Verdict.ungraded(_raised(error))
    except (Exception, SystemExit):  # SystemExit: a candidate's sys.exit() under exec
        return _after_a_crash(verifier, response, answer, finish_reason)


def _after_a_crash(
    verifier: Callable[..., Any], response: str, answer: Any, finish_reason: str
) -> Verdict:
    """Whose fault an exception was: the candidate again, then the canary."""
    try:
        return _called(verifier, response, answer, finish_reason)
    except (Exception, SystemExit) as error:
        reason = _raised(error)
    try:
        _called(verifier, str(answer), answer, "stop")
    except (Exception, SystemExit):
        return Verdict.ungraded(reason)
    return Verdict.incorrect("", reason, "policy")


def _called(
    verifier: Callable[..., Any], response: str, answer: Any, finish_reason: str
) -> Verdict:
    options = {"finish_reason": finish_reason} if takes_finish_reason(verifier) else {}
    return as_verdict(verifier(response, answer, **options))


def _raised(error: BaseException) -> str:
    return f"verifier_raised: {describe_error(error)}"


def judge_many(
    verifier: Callable[..., Any],
    responses: Sequence[str],
    answers: Sequence[Any],
    finish_reasons: Sequence[str],
) -> list[Verdict]:
    """One verdict for each response, in order, whatever the verifier does.

    A verifier's own ``verify_many`` is used first. Where it raises, or returns something other
    than one reply per response, each response is judged by itself, so that only those at which
    the verifier fails are left ungraded.
    """
    triples = list(zip(responses, answers, finish_reasons, strict=True))
    own = getattr(verifier, "verify_many", None)
    if own is not None:
        try:
            replies = list(own(list(responses), list(answers), list(finish_reasons)))
            if len(replies) == len(triples):
                return [as_verdict(reply) for reply in replies]
        except (Exception, SystemExit):
            pass  # the reason is kept by the calls below, for each response that it concerns
    return [judge(verifier, r, a, finish_reason=f) for r, a, f in triples]


def as_verdict(reply: Any) -> Verdict:
    """Turn a verifier's reply into a verdict by its exact type, so that no look-alike passes.

    >>> as_verdict(0.25).status, as_verdict(float("nan")).reason, as_verdict("yes").reason
    ('partial', 'verifier_returned: nan', "verifier_returned: 'yes'")
    """
    if type(reply) is Verdict:
        return reply
    if type(reply).__module__ == "numpy" and hasattr(reply, "item"):
        reply = reply.item()
    if type(reply) is bool:
        if reply:
            return Verdict.correct("", "returned_true")
        return Verdict.incorrect("", "returned_false")
    if type(reply) in (int, float) and 0.0 <= reply <= 1.0:
        status = _STATUS_OF_WHOLE_SCORE.get(reply, "partial")
        return Verdict(status, float(reply), "", "returned_score")
    return Verdict.ungraded(f"verifier_returned: {describe_value(reply)}")


def takes_finish_reason(verifier: Callable[..., Any]) -> bool:
    """Whether the verifier can be called with the keyword ``finish_reason``."""
    try:
        parameters = inspect.signature(verifier).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return False
    return any(p.name == "finish_reason" or p.kind is p.VAR_KEYWORD for p in parameters)


def describe_error(error: BaseException) -> str:
    """The error's type and message on one line; the message itself may fail to print."""
    try:
        message = str(error)
    except Exception:
        message = "(its message could not be printed)"
    return _one_line(f"{type(error).__name__}: {message}")


def describe_value(value: Any) -> str:
    """The value's repr on one line, cut at ``REASON_LIMIT``; the repr itself may fail."""
    try:
        return _one_line(repr(value))
    except Exception:
        return f"a {type(value).__name__} whose repr could not be printed"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= REASON_LIMIT else line[: REASON_LIMIT - 1] + "…"
