r"""A simulated policy: no model, but known ways of being right and wrong.

It stands in where a prompt has no recording and no model is at hand, and where a test must know
the truth: each completion's mode can be asked for afterwards. Its text is made up, and its
``policy_id`` says "simulated", so that no figure from it passes for a model's.

    >>> from rlvr_course.policies.protocol import Request
    >>> problem = Problem("What is 12 * 13?", "156")
    >>> policy = SimulatedPolicy([problem], accuracy=1.0, forms={"no_work": 1.0})
    >>> [[completion]] = policy.generate([Request(problem.messages)])
    >>> completion.text, policy.mode_of(completion), policy.is_right(completion)
    ('\\boxed{156}', 'no_work', True)
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from rlvr_course.errors import NotRecorded
from rlvr_course.policies.protocol import Request
from rlvr_course.records import Completion, Message, Problem

_WORK = "Writing down what is given and combining it step by step leads to the result."
_NUMBER = re.compile(r"(?<![\w.,/])[0-9]{1,15}(?:\.[0-9]{1,15}|/0*[1-9][0-9]{0,14})?")
_ONE_STEP = re.compile(r" ([-+*/]) ")
_VALUE = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15}|/0*[1-9][0-9]{0,14})?")
_CUT = "Writing down what is given and combining it step by step, we first see that the"

FORMS: Mapping[str, float] = MappingProxyType(
    {"worked": 4.0, "no_box": 2.0, "awkward_form": 2.0, "distractor": 1.0, "no_work": 1.0}
)
"""Ways of being right, with their default weights: worked and boxed; worked without a box; an
equal value in another form; boxed, then another number; boxed without any work."""

ERRORS: Mapping[str, float] = MappingProxyType(
    {"near_miss": 4.0, "guess": 1.0, "refusal": 1.0, "hedge": 1.0, "cut_off": 2.0}
)
"""Ways of being wrong, with their default weights: work that ends near the reference; the same
without work; a refusal; two answers at once; cut at the token limit before any answer."""


class SimulatedPolicy:
    """Answers the questions of given problems, right or wrong in known ways.

    Args:
        problems: whose questions it can answer, under any system prompt. Answers must be texts
            or numbers.
        accuracy: probability in [0, 1] that a completion commits to the reference; or a function
            from problem to probability, such as ``strength.StrengthCurve(0.5)``.
        forms: weight, at least 0, of each way of being right; names from ``FORMS``.
        errors: weight, at least 0, of each way of being wrong; names from ``ERRORS``.
        seed: the same seed, messages, temperature and index give the same completion. At
            temperature 0 a whole group is one completion repeated.

    Raises:
        ValueError: a number out of range, an unknown mode, or a problem whose answer is neither
            a text nor a number.

    Limits: the chance of being right does not depend on the system prompt, the working
        of a problem of several steps is made of sums that lead to the answer, not of its solution,
        and two policies whose functions have one name can't tell their completions apart.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        *,
        accuracy: float | Callable[[Problem], float] = 0.5,
        forms: Mapping[str, float] = FORMS,
        errors: Mapping[str, float] = ERRORS,
        seed: int = 0,
    ) -> None:
        if not callable(accuracy):
            _check_chance(accuracy, "")
        _check_weights("forms", forms, FORMS)
        _check_weights("errors", errors, ERRORS)
        self._gold = {problem.question: _gold(problem) for problem in problems}
        self._chance = {problem.question: _chance(accuracy, problem) for problem in problems}
        self._ability, self._seed = _ability(accuracy), seed
        self._forms, self._errors = dict(forms), dict(errors)

    @property
    def policy_id(self) -> str:
        """Says that it is simulated, with ability and seed."""
        return f"simulated ({self._ability}, seed {self._seed})"

    def __repr__(self) -> str:
        return f"SimulatedPolicy({self.policy_id!r}, {len(self._gold)} problems)"

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """One group for each request.

        Raises:
            NotRecorded: a question that is not among the policy's problems.
        """
        return [[self._complete(request, i) for i in range(request.n)] for request in requests]

    def mode_of(self, completion: Completion) -> str:
        """Which of ``FORMS`` or ``ERRORS`` a completion of this policy was made by.

        Raises:
            ValueError: the completion is not this policy's.
        """
        return self._draw_of(completion)[1]

    def is_right(self, completion: Completion) -> bool:
        """Whether a completion of this policy commits to the reference.

        Raises:
            ValueError: the completion is not this policy's.
        """
        return self._draw_of(completion)[0]

    def _complete(self, request: Request, index: int) -> Completion:
        question = _question(request.messages)
        if question not in self._gold:
            raise NotRecorded(
                f"the simulated policy has no problem that asks {question[:60]!r}; "
                "give it the problem: SimulatedPolicy([problem])"
            )
        drawn_at = 0 if request.temperature == 0 else index
        seed = self._completion_seed(request.key, drawn_at)
        rng = random.Random(seed)
        _, mode = self._mode(rng, self._chance[question])
        return Completion(
            text=_WRITERS[mode](question, self._gold[question], rng),
            messages=request.messages,
            finish_reason="length" if mode == "cut_off" else "stop",
            policy_id=self.policy_id,
            index=index,
            seed=seed,
        )

    def _completion_seed(self, key: str, index: int) -> int:
        text = json.dumps([self._seed, key, index])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")

    def _mode(self, rng: random.Random, chance: float) -> tuple[bool, str]:
        """Draw whether it is right, then how; always the first two draws of a completion."""
        right = rng.random() < chance
        weights = self._forms if right else self._errors
        return right, rng.choices(list(weights), list(weights.values()))[0]

    def _draw_of(self, completion: Completion) -> tuple[bool, str]:
        """The first draws of a completion, made again."""
        chance = self._chance.get(_question(completion.messages))
        if completion.policy_id != self.policy_id or completion.seed is None or chance is None:
            raise ValueError(f"a completion of {completion.policy_id!r} is not of {self!r}")
        return self._mode(random.Random(completion.seed), chance)


def _question(messages: Sequence[Message]) -> str:
    """What the user asked last."""
    return next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")


def _ability(accuracy: float | Callable[[Problem], float]) -> str:
    """An accuracy as a policy's name tells it."""
    if not callable(accuracy):
        return f"accuracy {accuracy:g}"
    return str(getattr(accuracy, "__name__", accuracy))


def _chance(accuracy: float | Callable[[Problem], float], problem: Problem) -> float:
    chance = accuracy(problem) if callable(accuracy) else accuracy
    return _check_chance(chance, f" for problem {problem.id or problem.question[:40]!r}")


def _check_chance(chance: float, where: str) -> float:
    if not 0.0 <= chance <= 1.0:
        raise ValueError(f"accuracy={chance}{where}: it must lie in [0, 1]")
    return chance


def _check_weights(name: str, weights: Mapping[str, float], known: Mapping[str, float]) -> None:
    for mode, weight in weights.items():
        if mode not in known:
            raise ValueError(f"{name} has no mode {mode!r}; there are {', '.join(known)}")
        if not 0.0 <= weight < float("inf"):
            raise ValueError(f"{name}[{mode!r}]={weight}: a weight must be 0 or more")
    if not sum(weights.values()) > 0:
        raise ValueError(f"{name} must give at least one mode a weight above 0")


def _gold(problem: Problem) -> str:
    if isinstance(problem.answer, bool) or not isinstance(problem.answer, str | int | float):
        raise ValueError(
            f"problem {problem.id or problem.question[:40]!r}: the simulated policy writes answers "
            f"that are texts or numbers, not {type(problem.answer).__name__}"
        )
    return str(problem.answer)


def _near(gold: str, rng: random.Random) -> str:
    """Another value: the first run of digits grows by a little, or one is added."""
    first = re.search(r"[0-9]+", gold)
    if first is None:
        return f"{gold}+1"
    # Only ASCII digits are matched; growing the first run changes a numerator, a whole part or
    # a first entry, and so the value.
    grown = str(int(first[0]) + rng.choice((1, 2, 10)))
    return gold[: first.start()] + grown + gold[first.end() :]


def _equal_form(gold: str, rng: random.Random) -> str:
    r"""The same value written otherwise: 156 as 156.0, 3/4 as \frac{3}{4}."""
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", gold):
        return rng.choice((f"{gold}.0", f"{int(gold):,}", rf"\frac{{{2 * int(gold)}}}{{2}}"))
    fraction = re.fullmatch(r"(-?)([0-9]+)/([0-9]+)", gold)
    if fraction:
        sign, above, below = fraction.groups()
        return rng.choice((rf"{sign}\frac{{{above}}}{{{below}}}", f"{sign}{above} / {below}"))
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", gold):
        return f"{gold}0"
    return rf"\displaystyle {gold}"


def _work(question: str, gold: str, answer: str) -> str:
    """The question's own operation where it gives the reference, or else sums to the answer."""
    given = [Fraction(number) for number in _NUMBER.findall(question)]
    asked = _asked(question)
    if asked is not None and _VALUE.fullmatch(gold) and asked[1] == Fraction(gold):
        return f"{_WORK}\n{asked[0]} = {answer}"
    value = Fraction(answer) if _VALUE.fullmatch(answer) else None
    if not given:
        return _WORK if value is None else f"{_WORK}\n{value / 2} + {value / 2} = {answer}"
    one, other = (given * 2)[:2]
    first = one + other
    if value is None:
        return f"{_WORK}\n{one} + {other} = {first}"
    step = value - first
    sign = "-" if step < 0 else "+"
    lines = [f"{one} + {other} = {first}", f"{first} {sign} {abs(step)} = {answer}"]
    return "\n".join([_WORK, *lines[: 2 if step else 1]])


def _asked(question: str) -> tuple[str, Fraction] | None:
    """The one operation of a question on its two numbers, as written, and its value."""
    numbers = list(_NUMBER.finditer(question))
    if len(numbers) != 2:
        return None
    one, other = numbers
    sign = _ONE_STEP.fullmatch(question[one.end() : other.start()])
    a, b = Fraction(one[0]), Fraction(other[0])
    if sign is None or (sign[1] == "/" and b == 0):
        return None
    value = {"+": a + b, "-": a - b, "*": a * b}[sign[1]] if sign[1] != "/" else a / b
    return question[one.start() : other.end()], value


def _worked(question: str, gold: str, boxed: str = "") -> str:
    return f"{_work(question, gold, gold)}\n\\boxed{{{boxed or gold}}}"


def _near_miss(question: str, gold: str, rng: random.Random) -> str:
    answer = _near(gold, rng)
    return f"{_work(question, gold, answer)}\n\\boxed{{{answer}}}"


def _no_box(question: str, gold: str, _: random.Random) -> str:
    return f"{_work(question, gold, gold)}\nSo the answer is {gold}."


def _hedge(_: str, gold: str, rng: random.Random) -> str:
    return f"{_WORK}\nIt is either \\boxed{{{gold}}} or \\boxed{{{_near(gold, rng)}}}."


_WRITERS: Mapping[str, Callable[[str, str, random.Random], str]] = {
    "worked": lambda question, gold, _: _worked(question, gold),
    "no_box": _no_box,
    "awkward_form": lambda question, gold, rng: _worked(question, gold, _equal_form(gold, rng)),
    "distractor": lambda question, gold, _: f"{_worked(question, gold)}\nI checked this in 3 ways.",
    "no_work": lambda _, gold, __: f"\\boxed{{{gold}}}",
    "near_miss": _near_miss,
    "guess": lambda _, gold, rng: f"\\boxed{{{_near(gold, rng)}}}",
    "refusal": lambda *_: "I'm sorry, but I can't help with this question.",
    "hedge": _hedge,
    "cut_off": lambda *_: _CUT,
}
