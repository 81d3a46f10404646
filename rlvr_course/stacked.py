"""Two rewards paid side by side: one for the format, one for the answer.

*Parseable* and *right* are two skills, and one number hides which of them moved. So both are kept
in ``Reward.components``, under "format" and "correctness", and the value is their sum.

How large may the format reward be? Added to the price of a wrong answer it must not make a
formatted guess worth more than saying nothing: neither more than 0, nor more than a refusal where
that is priced above a wrong answer. Otherwise an empty shell in the right format is the cheapest
way to be paid, and training finds it first. ``StackedReward`` refuses a larger one.

Within the limit it still moves the break-even: a formatted answer earns the format reward whether
it is right or wrong, so for answers in the right format p* is
``break_even(correct + f, wrong + f, refuse)``, which is lower by f / (correct - wrong).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rlvr_course.records import Reward, Verdict
from rlvr_course.rewards import MaskCap, MathRewardFunction
from rlvr_course.verifiers.boundary import judge
from rlvr_course.verifiers.extract import visible_answer

FormatCheck = Callable[[str], bool]

_BOX = "\\boxed{"
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_CANARY = r"It is \boxed{1}."


def has_closed_box(response: str) -> bool:
    r"""Whether the response's last ``\boxed{`` is closed and holds something.

    Args:
        response: any string; never raises. A thought in ``<think>`` tags does not count.

    Limits: it looks at the shape only; ``\boxed{banana}`` passes.

    >>> has_closed_box(r"So it is \boxed{\frac{1}{2}}.")
    True
    >>> has_closed_box(r"So it is \boxed{12"), has_closed_box(r"\boxed{ }"), has_closed_box("12")
    (False, False, False)
    """
    visible, _ = visible_answer(response)
    start = visible.rfind(_BOX)
    if start < 0:
        return False
    inside = start + len(_BOX)
    depth = 1
    for brace in _BRACE.finditer(visible, inside):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return bool(visible[inside : brace.start()].strip(" \t\r\n{}"))
    return False


class StackedReward:
    """Reward for format beside reward for correctness, each its own component.

    Pass it to ``rollout`` as the reward.

    Args:
        correctness: prices of right, wrong and refused; ``MathRewardFunction()`` if None.
        format: from a response to whether it is in the format asked for: True or False.
        format_reward: what the format earns, at least 0 and at most ``largest_format_reward``.

    Raises:
        ValueError: a format reward out of range (the message names the limit), or a check that
            can't judge a plain sentence with a boxed answer.

    The failure law holds for the sum. A grader fault masks all of it (value None): paid for its
    format alone, an unjudged answer would look worse than it may be. A policy fault (no answer, a
    crash of the candidate) earns no format reward, nor does a floor in place of a mask. Where the
    format check fails on one response while it still works on a boxed answer, the response earns
    nothing for its format; where it fails on both, the check is at fault: ungraded.

    >>> stacked = StackedReward()
    >>> stacked.reward(r"\\boxed{80}", Verdict.correct("80", "equal_number")).components
    {'correctness': 1.0, 'format': 0.05}
    >>> stacked.reward("It is 80", Verdict.correct("80", "equal_number")).components
    {'correctness': 1.0, 'format': 0.0}
    """

    def __init__(
        self,
        correctness: MathRewardFunction | None = None,
        *,
        format: FormatCheck = has_closed_box,
        format_reward: float = 0.05,
    ) -> None:
        self.correctness = MathRewardFunction() if correctness is None else correctness
        limit = largest_format_reward(self.correctness)
        if not 0.0 <= format_reward <= limit:
            raise ValueError(
                f"format_reward={format_reward}: give 0 to {limit:g}, or a wrong answer in the "
                "right format would be worth more than none; a heavier penalty allows more"
            )
        self.format = format
        if (broken := self._judge_format(_CANARY)).score is None:
            raise ValueError(
                f"the format check fails on {_CANARY!r} ({broken.reason}): "
                "it must take a string and return True or False"
            )
        self.format_reward = format_reward
        self.mask_cap = MaskCap(floor=self.correctness.incorrect_penalty)

    def reward(self, response: str, verdict: Verdict) -> Reward:
        """The two rewards of one response and its verdict, before any cap on masks."""
        paid = self.correctness.reward(verdict)
        if verdict.score is None or verdict.fault is not None:
            return self._sum(paid, 0.0)
        return self._sum(paid, self._pay_format(response))

    def reward_many(
        self, verdicts: Sequence[Verdict], policy_id: str = "", *, responses: Sequence[str]
    ) -> list[Reward]:
        """The rewards of one policy's responses, counted by ``mask_cap`` and floored above it.

        Args:
            verdicts: one for each response.
            policy_id: whose masks are counted.
            responses: what the format is looked for in.

        Raises:
            ValueError: lengths differ.
        """
        if len(responses) != len(verdicts):
            raise ValueError(f"{len(responses)} responses but {len(verdicts)} verdicts")
        pairs = zip(responses, verdicts, strict=True)
        return self.mask_cap.apply([self.reward(*pair) for pair in pairs], policy_id)

    def _pay_format(self, response: str) -> float | None:
        """The format's reward, or None where the check itself is broken."""
        score = self._judge_format(response).score
        return None if score is None else score * self.format_reward

    def _judge_format(self, response: str) -> Verdict:
        # The boundary that judges answers settles whose fault a failing check is, too.
        return judge(lambda text, _: self._checked(text), response, _CANARY)

    def _checked(self, response: str) -> bool:
        passed = self.format(response)
        if not isinstance(passed, bool):
            raise TypeError(f"it returned {type(passed).__name__}")
        return passed

    def _sum(self, paid: Reward, for_format: float | None) -> Reward:
        if for_format is None:
            return self.correctness.reward(Verdict.ungraded("format_check_failed"))
        if paid.value is None:
            return paid
        return Reward(paid.value + for_format, {**paid.components, "format": for_format})

    def __repr__(self) -> str:
        return f"StackedReward({self.correctness!r}, format_reward={self.format_reward})"


def largest_format_reward(correctness: MathRewardFunction) -> float:
    """The format reward at which a formatted wrong answer earns as much as giving none.

    That is 0, or the price of a refusal where it lies between a wrong answer's and 0.

    >>> largest_format_reward(MathRewardFunction(incorrect_penalty=-0.5))
    0.5
    >>> largest_format_reward(MathRewardFunction(incorrect_penalty=-0.5, refusal_reward=-0.25))
    0.25
    """
    wrong, refusal = correctness.incorrect_penalty, correctness.refusal_reward
    silence = refusal if refusal is not None and wrong < refusal < 0.0 else 0.0
    return silence - wrong
