"""Turn the difficulty dial to where a policy solves some problems and fails others.

A group teaches only if it is mixed. ``tune_difficulty`` measures a policy at a few settings of a
generator and halves the interval between too easy and too hard. A measured rate is noisy, but a
wrong turn needs a true rate near the middle of the target, and there the search stops anyway.

    >>> from rlvr_course.policies.simulated import SimulatedPolicy
    >>> from rlvr_course.policies.strength import StrengthCurve
    >>> from rlvr_course.verifiers.math_answers import MathVerifier
    >>> def policy(problems):
    ...     return SimulatedPolicy(problems, accuracy=StrengthCurve(0.8))
    >>> tuning = tune_difficulty("arithmetic", policy, MathVerifier())
    >>> tuning.landed, [trial.difficulty for trial in tuning.trials]
    (True, [0.5, 1.0, 0.75])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rlvr_course.advantages import group_statistics
from rlvr_course.policies.protocol import Policy
from rlvr_course.problems.generators import generate
from rlvr_course.records import Problem, Reward, Verdict
from rlvr_course.rollouts import rollout
from rlvr_course.stats import Rate

MAX_SETTINGS = 8
_CONFIDENCE = 0.99

PolicyFor = Callable[[Sequence[Problem]], Policy]
"""Makes a policy for given problems, as a simulated one needs."""


@dataclass(frozen=True)
class Trial:
    """What a policy did at one setting.

    Args:
        difficulty: the setting, in [0, 1].
        solve_rate: share of graded samples that are correct.
        mixed: share of groups with a correct and an incorrect sample.
        masked_samples: samples that the verifier could not judge; in no rate.
    """

    difficulty: float
    solve_rate: Rate
    mixed: Rate
    masked_samples: int

    @property
    def solved(self) -> float:
        """The solve rate as a number in [0, 1]."""
        return self.solve_rate.successes / self.solve_rate.n


@dataclass(frozen=True)
class Tuning:
    """Every setting that was tried, in order, and the one to use.

    Args:
        kind: the family of problems.
        target: lowest and highest solve rate that were wanted.
        trials: at least one.
    """

    kind: str
    target: tuple[float, float]
    trials: tuple[Trial, ...]

    @property
    def chosen(self) -> Trial:
        """The trial nearest to the middle of the target; of equals the last, as the search went."""
        middle = sum(self.target) / 2
        return min(reversed(self.trials), key=lambda trial: abs(trial.solved - middle))

    @property
    def difficulty(self) -> float:
        """The setting to generate problems with, in [0, 1]."""
        return self.chosen.difficulty

    @property
    def landed(self) -> bool:
        """Whether the chosen setting's measured rate lies in the target."""
        low, high = self.target
        return low <= self.chosen.solved <= high

    @property
    def finding(self) -> str:
        """One sentence: the setting, or the nearest one and what is wrong with it."""
        low, high = self.target
        aim = f"{100 * low:g}–{100 * high:g}%"
        at = f"{self.kind} at difficulty {self.difficulty:g}"
        solved = f"{at}: {100 * self.chosen.solved:.0f}% solved"
        if self.landed:
            return f"{solved}, inside {aim}"
        rates = [trial.solved for trial in self.trials]
        if min(rates) > high:
            return f"no setting lands in {aim}: even the hardest is too easy; nearest is {solved}"
        if max(rates) < low:
            return f"no setting lands in {aim}: even the easiest is too hard; nearest is {solved}"
        return f"no setting tried lands in {aim}: the rate jumps across it; nearest is {solved}"

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (f"{t.difficulty:g}", str(t.solve_rate), f"{t.mixed.successes} of {t.mixed.n}")
            for t in sorted(self.trials, key=lambda trial: trial.difficulty)
        ]

    def __str__(self) -> str:
        header = f"{'difficulty':<11} {'solve rate':<28} mixed groups"
        rows = [f"{difficulty:<11} {rate:<28} {mixed}" for difficulty, rate, mixed in self._rows()]
        return "\n".join([header, *rows, self.finding])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        return (
            "<table><thead><tr><th>difficulty</th><th>solve rate</th><th>mixed groups</th></tr>"
            f"</thead><tbody>{rows}</tbody></table><p>{escape(self.finding)}</p>"
        )


def tune_difficulty(
    kind: str,
    policy: Policy | PolicyFor,
    verifier: Callable[..., Any],
    *,
    target: tuple[float, float] = (0.2, 0.8),
    n_problems: int = 24,
    n_samples: int = 4,
    seed: int = 0,
) -> Tuning:
    """Find a difficulty at which a policy solves a share of generated problems.

    Args:
        kind: a family of ``generate``.
        policy: a policy, or a function from problems to one.
        verifier: as for ``rollout``.
        target: lowest and highest solve rate, 0 <= low < high <= 1.
        n_problems: problems for each setting, at least 1.
        n_samples: samples of each problem, at least 1.
        seed: of the generated problems.

    Returns:
        The settings tried, at most 8, and the one nearest to the middle of the target. The search
        ends early once a rate's 99% interval lies inside the target. Where the hardest or easiest
        setting is not enough, ``landed`` is False and ``finding`` says so.

    Raises:
        ValueError: an argument out of range, or a verifier that could judge no sample.
        PolicyUnavailable: the policy fails.

    Limits: takes the solve rate to fall with the difficulty. The rate is over all problems: half
    always solved and half never gives 50% and no mixed group, so read ``mixed`` too; and its
    interval takes samples as independent, which those of one problem are not quite.
    """
    low, high = target
    if not 0.0 <= low < high <= 1.0:
        raise ValueError(f"target={target}: give 0 <= low < high <= 1, such as (0.2, 0.8)")
    if n_problems < 1:
        raise ValueError(f"n_problems={n_problems}: it must be at least 1")

    def measure(difficulty: float) -> Trial:
        problems = generate(kind, n_problems, difficulty=difficulty, seed=seed)
        answering = policy if _is_policy(policy) else policy(problems)  # type: ignore[operator]
        return _trial(difficulty, problems, answering, verifier, n_samples)  # type: ignore[arg-type]

    return Tuning(kind, (low, high), tuple(_search(measure, low, high)))


def _is_policy(policy: object) -> bool:
    return hasattr(policy, "generate")


def _search(measure: Callable[[float], Trial], low: float, high: float) -> list[Trial]:
    """The middle of the dial, then the end on the wanted side, then halves between the two."""
    easier, harder = 0.0, 1.0
    trials = [measure(0.5)]
    while not _is_inside(trials[-1], low, high) and len(trials) < MAX_SETTINGS:
        last = trials[-1]
        too_easy = last.solved > (low + high) / 2
        if last.difficulty == (1.0 if too_easy else 0.0):
            break  # the dial ends here
        easier, harder = (last.difficulty, harder) if too_easy else (easier, last.difficulty)
        # Halves alone would near an end of the dial without ever telling whether it is enough.
        end = 1.0 if too_easy else 0.0
        trials.append(measure(end if len(trials) == 1 else (easier + harder) / 2))
    return trials


def _is_inside(trial: Trial, low: float, high: float) -> bool:
    lower, upper = trial.solve_rate.interval(_CONFIDENCE)
    return low <= lower and upper <= high


def _trial(
    difficulty: float,
    problems: Sequence[Problem],
    policy: Policy,
    verifier: Callable[..., Any],
    n_samples: int,
) -> Trial:
    groups = rollout(problems, policy, verifier, _score, n_samples=n_samples)
    counts = group_statistics(groups)
    if counts.solve_rate.n == 0:
        raise ValueError(
            f"the verifier could judge none of {counts.samples} samples "
            f"({groups[0][0].reason}): give one that reads the answers of generated problems"
        )
    mixed = Rate(counts.mixed, counts.groups)
    return Trial(difficulty, counts.solve_rate, mixed, counts.masked_samples)


def _score(verdict: Verdict) -> Reward:
    return Reward(verdict.score)
