"""What a policy does on problems that it was not trained on: rates, each with its n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from rlvr_course.policies.protocol import Policy
from rlvr_course.records import Problem, Sample
from rlvr_course.rewards import MathRewardFunction, is_refusal
from rlvr_course.rollouts import rollout
from rlvr_course.stats import Rate
from rlvr_course.training.tasks.verifiers import is_listing, verify_exact
from rlvr_course.verifiers.boundary import judge
from rlvr_course.verifiers.protocol import Verifier


@dataclass(frozen=True)
class Evaluation:
    """How a policy answered: by the truth, and by the verifier that it was trained with.

    Args:
        accuracy: right by ``verify_exact``, of all samples.
        refusal: refused, of all samples.
        listing: listed several numbers, of all samples.
        precision: right, of those that were not refused.
        proxy: accepted by the run's own verifier, of all samples that it could judge.
        reward: mean reward by the run's own verifier and prices, masked samples left out.
        by_kind: accuracy and refusal for each kind of problem.

    Limits: the intervals take samples as independent, and the samples of one question are not
        quite: with several to a question they are somewhat too narrow.
    """

    accuracy: Rate
    refusal: Rate
    listing: Rate
    precision: Rate
    proxy: Rate
    reward: float
    by_kind: Mapping[str, Mapping[str, Rate]]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers: each rate as ``[successes, n]``."""
        plain = {name: _counts(getattr(self, name)) for name in _RATES}
        kinds = {
            kind: {name: _counts(rate) for name, rate in rates.items()}
            for kind, rates in self.by_kind.items()
        }
        return {**plain, "reward": self.reward, "by_kind": kinds}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of ``to_dict``."""
        rates = {name: Rate(*data[name]) for name in _RATES}
        kinds = {
            kind: {name: Rate(*counts) for name, counts in part.items()}
            for kind, part in data["by_kind"].items()
        }
        return cls(**rates, reward=data["reward"], by_kind=kinds)

    def __str__(self) -> str:
        rows = [f"{name:<9} {getattr(self, name)}" for name in _RATES]
        return "\n".join([*rows, f"{'reward':<9} {self.reward:.3f}"])


_RATES = ("accuracy", "refusal", "listing", "precision", "proxy")


def evaluate(
    policy: Policy,
    problems: Sequence[Problem],
    *,
    verifier: Verifier = verify_exact,
    reward: MathRewardFunction | None = None,
    n_samples: int = 4,
) -> Evaluation:
    """Sample at temperature 1 and count.

    Args:
        policy: what answers.
        problems: at least one; questions that it was not trained on.
        verifier, reward: the run's own, for ``proxy`` and ``reward``.
        n_samples: for each problem, at least 1.

    Raises:
        ValueError: no problems, or n_samples below 1.
        PolicyUnavailable: the policy can't answer.
    """
    if not problems:
        raise ValueError("no problems to evaluate on: give at least one")
    reward = MathRewardFunction(verifier=verifier) if reward is None else reward
    groups = rollout(problems, policy, verifier, reward, n_samples=n_samples)
    return summarise([sample for group in groups for sample in group])


def summarise(samples: Sequence[Sample]) -> Evaluation:
    """The rates of samples that are scored already; the truth is judged anew.

    Raises:
        ValueError: no samples.
    """
    if not samples:
        raise ValueError("no samples to summarise: give at least one")
    n = len(samples)
    truth = [true_verdict(sample) for sample in samples]
    right = [verdict.is_correct is True for verdict in truth]
    refused = [is_refusal(verdict) for verdict in truth]
    graded = [s.verified_correct for s in samples if s.verified_correct is not None]
    rewards = [s.reward for s in samples if s.reward is not None]
    return Evaluation(
        accuracy=Rate(sum(right), n),
        refusal=Rate(sum(refused), n),
        listing=Rate(sum(is_listing(s.response) for s in samples), n),
        precision=Rate(sum(right), n - sum(refused)),
        proxy=Rate(sum(graded), len(graded)),
        reward=sum(rewards) / len(rewards) if rewards else 0.0,
        by_kind=_by_kind(samples, right, refused),
    )


def true_verdict(sample: Sample) -> Any:
    """The strict verdict on a sample, whatever verifier it was scored by."""
    return judge(
        verify_exact, sample.response, sample.problem.answer, finish_reason=sample.finish_reason
    )


def _by_kind(
    samples: Sequence[Sample], right: Sequence[bool], refused: Sequence[bool]
) -> dict[str, dict[str, Rate]]:
    n, n_right, n_refused = Counter[str](), Counter[str](), Counter[str]()
    for sample, is_right, is_refused in zip(samples, right, refused, strict=True):
        kind = str(sample.problem.metadata.get("kind", ""))
        n[kind] += 1
        n_right[kind] += is_right
        n_refused[kind] += is_refused
    return {
        kind: {"accuracy": Rate(n_right[kind], n[kind]), "refusal": Rate(n_refused[kind], n[kind])}
        for kind in sorted(n)
    }


def _counts(rate: Rate) -> list[int]:
    return [rate.successes, rate.n]
