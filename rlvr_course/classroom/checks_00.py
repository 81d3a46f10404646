"""Checks of notebook 00: advantages, mixed groups, a problem of one's own."""

from __future__ import annotations

from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property


def _close(left: Any, right: list[float]) -> bool:
    if not isinstance(left, list) or len(left) != len(right):
        return False
    return all(abs(float(a) - b) < 1e-9 for a, b in zip(left, right, strict=True))


def _sums_to_zero(reply: Any) -> bool:
    return isinstance(reply, list) and bool(reply) and abs(sum(reply)) < 1e-9


def _shift_changes_nothing(ask: Any) -> bool:
    plain, shifted = ask([0.0, 1.0, 0.25]), ask([5.0, 6.0, 5.25])
    return any(plain) and _close(shifted, plain)


def _grows_with_the_reward(ask: Any) -> bool:
    low, high = ask([0.0, 0.2, 0.3]), ask([0.0, 0.9, 0.3])
    return high[1] > low[1]


def _scales_with_the_rewards(ask: Any) -> bool:
    plain, doubled = ask([0.0, 1.0, 0.5]), ask([0.0, 2.0, 1.0])
    return _close(doubled, [2 * value for value in plain])


def _part(reference: Any, name: str) -> str:
    """The question or the answer, of a Problem or of a dict."""
    value = reference[name] if isinstance(reference, dict) else getattr(reference, name)
    return str(value).strip()


def _judged(reference: Any, response: str) -> str:
    """Status and reason of a boxed response under the learner's reference."""
    from rlvr_course.verifiers.math_answers import MathVerifier

    verdict = MathVerifier()(rf"\boxed{{{response}}}", _part(reference, "answer"))
    return f"{verdict.status} ({verdict.reason})"


def _readable(reference: Any) -> bool:
    accepted = ("correct (equal_number)", "correct (equal_time)")
    return _judged(reference, _part(reference, "answer")) in accepted


def _refuses_a_near_miss(reference: Any) -> bool:
    from rlvr_course.verifiers.near_misses import perturbed

    return _judged(reference, perturbed(_part(reference, "answer"))).startswith("incorrect")


def _more_than_an_integer(reference: Any) -> bool:
    answer = _part(reference, "answer").lstrip("-")
    return any(c.isdigit() for c in answer) and not answer.isdigit()


CHECKS_00 = {
    "q00a": CheckSpec(
        cases=[
            Case("a mixed group", ([1.0, 0.0, 0.0, 0.0],), _sums_to_zero, "values that sum to 0"),
            Case(
                "a uniform group",
                ([0.7, 0.7, 0.7],),
                lambda reply: _close(reply, [0.0, 0.0, 0.0]),
                "no advantage for anybody",
            ),
            Case(
                "one value for each reward",
                ([1.0, -0.1, 1.0, -0.1, 1.0],),
                lambda reply: isinstance(reply, list) and len(reply) == 5,
                "a list as long as the rewards",
            ),
        ],
        properties=[
            Property(
                "a shift of all rewards changes nothing",
                _shift_changes_nothing,
                "the same advantages for rewards that are all 5 higher",
            ),
            Property(
                "doubled rewards have doubled advantages",
                _scales_with_the_rewards,
                "nothing but the mean is taken away",
            ),
            Property("a higher reward has a higher advantage", _grows_with_the_reward, "it grows"),
        ],
        hints=[
            "What would every member have earned on average? Who is above that?",
            "Compute the mean of the group once, then go through the rewards.",
            "[r - mean for r in rewards], with mean = sum(rewards) / len(rewards).",
        ],
    ),
    "q00b": CheckSpec(
        cases=[
            Case(
                "all solved or all failed",
                ([0, 8, 8, 0], 8),
                lambda reply: reply == 0,
                "no group teaches",
            ),
            Case("all mixed", ([1, 7, 4], 8), lambda reply: reply == 1, "every group teaches"),
            Case(
                "another group size",
                ([4, 4, 2, 0], 4),
                lambda reply: isinstance(reply, float) and abs(reply - 0.25) < 1e-9,
                "the size is the argument, not always 8",
            ),
        ],
        properties=[
            Property(
                "order does not matter",
                lambda ask: ask([0, 3, 8, 5], 8) == ask([5, 8, 3, 0], 8) != ask([0, 8], 8),
                "the same share for the same counts",
            ),
        ],
        hints=[
            "Which solve counts belong to a group whose samples all earned the same?",
            "A count of 0 is uniform, and so is a count equal to the group's size.",
            "Count 0 < c < group_size, and divide by the number of groups.",
        ],
    ),
    "q00c": CheckSpec(
        cases=[
            Case(
                "has a question and an answer",
                (),
                lambda r: bool(_part(r, "question")) and bool(_part(r, "answer")),
                "a Problem with a question and an answer",
            ),
            Case(
                "accepts itself",
                (),
                _readable,
                "the verifier reads one number or time, not words or a list",
            ),
            Case("refuses a near miss", (), _refuses_a_near_miss, "another value is refused"),
            Case(
                "is more than a whole number",
                (),
                _more_than_an_integer,
                "a fraction, a decimal, or a number with a unit, in digits",
            ),
        ],
        hints=[
            "Write the answer as you would in a textbook: 5/8, 2.5, 12 km.",
            "Leave prose out of the reference: the question carries the words.",
            'my_problem = Problem("...", "3/4")',
        ],
        limit_s=10.0,
    ),
}
