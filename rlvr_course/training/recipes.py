"""What to train, as data: a task, a method with its few settings, and the prices of answers.

Four methods, each a small frozen dataclass with defaults that suit a laptop. ``trainers`` turns
them into TRL's configurations, whose other settings stay as TRL has them, except for what makes a
run repeatable and quiet: constant learning rate, no reports, one process on the CPU.

Every named recipe answers one question; ``RECIPES`` is the table of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from rlvr_course.rewards import MathRewardFunction
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tasks.verifiers import VERIFIERS
from rlvr_course.verifiers.protocol import Verifier


@dataclass(frozen=True)
class RLOO:
    """Sample groups, and push each answer up or down against the mean of its siblings.

    Args:
        steps: optimizer steps, each on fresh samples.
        prompts_per_step: groups in a step.
        group_size: answers to each prompt, at least 2.
        learning_rate: constant.
        beta: weight of the KL penalty against the start; 0 needs no second model.
    """

    steps: int = 60
    prompts_per_step: int = 16
    group_size: int = 8
    learning_rate: float = 1e-3
    beta: float = 0.0


@dataclass(frozen=True)
class GRPO:
    """As RLOO, with advantages divided by the spread of their group unless told otherwise.

    Args:
        steps, prompts_per_step, group_size, learning_rate, beta: as in ``RLOO``.
        scale_rewards: divide by the standard deviation of the "group" or of the whole "batch",
            or by nothing ("none"), which with ``loss_type="dr_grpo"`` is Dr. GRPO.
        loss_type: how token losses are averaged, as TRL names it.
    """

    steps: int = 60
    prompts_per_step: int = 16
    group_size: int = 8
    learning_rate: float = 1e-3
    beta: float = 0.0
    scale_rewards: Literal["group", "batch", "none"] = "group"
    loss_type: str = "dapo"


@dataclass(frozen=True)
class SFT:
    """Imitate the start's own answers that the verifier accepts (rejection sampling).

    Args:
        steps: optimizer steps.
        batch_size: answers in a step.
        learning_rate: constant.
        group_size: answers sampled for each training prompt before the start.
    """

    steps: int = 60
    batch_size: int = 64
    learning_rate: float = 1e-3
    group_size: int = 8


@dataclass(frozen=True)
class DPO:
    """Prefer right over wrong answers of the start, in pairs sampled once.

    Args:
        steps: optimizer steps.
        batch_size: pairs in a step.
        learning_rate: constant.
        beta: how far the policy may move from the start for the same preference, above 0.
        group_size: answers sampled for each training prompt, to make pairs of.
        prompts: the first so many training prompts are sampled for.
        pairs_per_group: at most so many pairs of one prompt.
    """

    steps: int = 60
    batch_size: int = 64
    learning_rate: float = 1e-3
    beta: float = 0.1
    group_size: int = 16
    prompts: int = 500
    pairs_per_group: int = 6


Method = RLOO | GRPO | SFT | DPO
METHODS: Mapping[str, type[Method]] = {m.__name__: m for m in (RLOO, GRPO, SFT, DPO)}


@dataclass(frozen=True)
class Recipe:
    """One training run, but for its seed.

    Args:
        name: also the beginning of the run's folder; letters, digits, dots and hyphens.
        task: name of a task.
        method: ``RLOO``, ``GRPO``, ``SFT`` or ``DPO``.
        wrong, refusal: prices of a wrong answer and of a refusal, signed; a right one earns 1.
        verifier: what it is trained by: "exact", "any_number" or "share".
        start: name of the recipe whose result it starts from; the task's checkpoint if "".
        shows: the question that the run answers; no part of what makes two recipes equal.

    Raises:
        ValueError: an unknown task or verifier, a bad name or prices out of range.

    >>> RECIPES["clerk-1.0"].wrong, RECIPES["cipher-rloo"].method.steps
    (-1.0, 60)
    """

    name: str
    task: str
    method: Method
    wrong: float = -0.1
    refusal: float = 0.0
    verifier: str = "exact"
    start: str = ""
    shows: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.name or set(self.name) - set(_NAME_CHARACTERS) or self.name.startswith("."):
            raise ValueError(f"recipe name {self.name!r}: use letters, digits, dots and hyphens")
        if self.verifier not in VERIFIERS:
            raise ValueError(f"verifier {self.verifier!r} is not one of {', '.join(VERIFIERS)}")
        load_task(self.task)
        _check_method(self.method)
        self.reward()

    def reward(self, verifier: Verifier | None = None) -> MathRewardFunction:
        """The prices as the course's reward, with the recipe's verifier or another one."""
        judge = VERIFIERS[self.verifier] if verifier is None else verifier
        return MathRewardFunction(1.0, self.wrong, refusal_reward=self.refusal, verifier=judge)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; ``method`` names its class under "name"."""
        method = {"name": type(self.method).__name__, **asdict(self.method)}
        return {**asdict(self), "method": method}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recipe:
        """Inverse of ``to_dict``."""
        settings = dict(data["method"])
        method = METHODS[settings.pop("name")](**settings)
        return cls(**{**data, "method": method})


_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"


def _check_method(method: Method) -> None:
    for name, value in asdict(method).items():
        if name in ("scale_rewards", "loss_type"):
            continue
        least = {"beta": 0.0, "group_size": 2}.get(name, 1)
        if name == "learning_rate":
            if not 0.0 < value < 1.0:
                raise ValueError(f"learning_rate={value}: give a small positive number")
        elif not value >= least:
            raise ValueError(f"{name}={value}: it must be at least {least}")


_CLERK = RLOO(group_size=16)
_DICE = GRPO(steps=120, prompts_per_step=24, scale_rewards="none", loss_type="dr_grpo")
_LISTER = GRPO(steps=80, group_size=16)
_COPY = RLOO(steps=80)

_ALL = (
    Recipe("cipher-rloo", "cipher", RLOO(), shows="does a policy learn from a reward alone?"),
    Recipe("cipher-grpo", "cipher", GRPO(), shows="the same with GRPO's scaling"),
    Recipe(
        "cipher-dpo", "cipher", DPO(group_size=8), shows="preference pairs in place of a reward"
    ),
    Recipe("cipher-sft", "cipher", SFT(), shows="imitating one's own right answers"),
    Recipe(
        "cipher-1.0",
        "cipher",
        RLOO(),
        wrong=-1.0,
        shows="a heavy penalty where success is quick: does refusal win?",
    ),
    Recipe("clerk-0.1", "clerk", _CLERK, shows="a light penalty where success is slow"),
    Recipe("clerk-1.0", "clerk", _CLERK, wrong=-1.0, shows="a heavy one: silence pays"),
    Recipe(
        "clerk-1.0-flat",
        "clerk",
        _CLERK,
        wrong=-1.0,
        refusal=-1.0,
        shows="a heavy penalty, with refusing priced like being wrong",
    ),
    Recipe(
        "clerk-grpo-0.1",
        "clerk",
        GRPO(group_size=16),
        shows="a light penalty under scaling by the group's spread",
    ),
    Recipe(
        "clerk-grpo-1.0",
        "clerk",
        GRPO(group_size=16),
        wrong=-1.0,
        shows="a heavy penalty under scaling by the group's spread",
    ),
    Recipe(
        "clerk-dpo",
        "clerk",
        DPO(),
        shows="pairs where each answer is learned by heart: does it carry over to other questions?",
    ),
    Recipe("dice-0.1", "dice", _DICE, shows="break-even 0.09: every die is worth a guess"),
    Recipe("dice-0.25", "dice", _DICE, wrong=-0.25, shows="break-even 0.2: only small dice are"),
    Recipe("dice-1.0", "dice", _DICE, wrong=-1.0, shows="break-even 0.5: no die is"),
    Recipe(
        "leaky",
        "lister",
        _LISTER,
        verifier="any_number",
        shows="a verifier that pays lists: proxy up, truth down",
    ),
    Recipe("leaky-hardened", "lister", _LISTER, shows="the same start, by a strict verifier"),
    Recipe(
        "leaky-repaired",
        "lister",
        _LISTER,
        start="leaky",
        shows="a strict verifier after the hack: does it repair the policy?",
    ),
    Recipe(
        "lister-dpo",
        "lister",
        DPO(),
        shows="pairs of a strict verifier, where one answer in eight is a list",
    ),
    Recipe(
        "lister-dpo-leaky",
        "lister",
        DPO(),
        verifier="any_number",
        shows="pairs of a verifier that pays lists: what do false winners teach?",
    ),
    Recipe("copy-binary", "copy", _COPY, wrong=0.0, shows="all or nothing, from p = .04"),
    Recipe(
        "copy-fractional",
        "copy",
        _COPY,
        wrong=0.0,
        verifier="share",
        shows="a share for each right digit, from p = .04",
    ),
)
RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
"""Every named recipe."""


def load_recipe(recipe: str | Recipe) -> Recipe:
    """A recipe by its name; a recipe is returned as it is.

    Raises:
        ValueError: an unknown name.
    """
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise ValueError(f"recipe {recipe!r} is not one of {', '.join(RECIPES)}")
    return RECIPES[recipe]


def with_settings(recipe: str | Recipe, name: str, **settings: Any) -> Recipe:
    """A copy of a recipe under another name, with settings of its method changed.

    >>> with_settings("clerk-0.1", "clerk-hot", learning_rate=1e-2).method.learning_rate
    0.01
    """
    recipe = load_recipe(recipe)
    return replace(recipe, name=name, method=replace(recipe.method, **settings))
