"""Recipes: data that checks itself, survives JSON and says what it prices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rlvr_course.breakeven import break_even
from rlvr_course.records import Verdict
from rlvr_course.training import GRPO, RECIPES, RLOO, SFT, Recipe, load_recipe
from rlvr_course.training.execute import run_id
from rlvr_course.training.recipes import with_settings


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_survives_json(name: str) -> None:
    recipe = RECIPES[name]
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_says_what_it_shows_and_starts_from_one_that_exists(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name and recipe.shows
    assert recipe.start == "" or recipe.start in RECIPES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"task": "chess"}, "task 'chess'", id="task"),
        pytest.param({"verifier": "kind"}, "verifier 'kind'", id="verifier"),
        pytest.param({"name": "../up"}, "recipe name '../up'", id="a path as its name"),
        pytest.param({"name": ""}, "recipe name ''", id="no name"),
        pytest.param({"wrong": 0.5}, "would pay for a wrong answer", id="a prize for wrong"),
        pytest.param({"refusal": 1.0}, "nobody would answer", id="a prize for refusing"),
        pytest.param({"method": RLOO(group_size=1)}, "group_size=1", id="groups of one"),
        pytest.param({"method": RLOO(steps=0)}, "steps=0", id="no steps"),
        pytest.param({"method": SFT(learning_rate=0.0)}, "learning_rate", id="learns nothing"),
        pytest.param({"method": GRPO(beta=float("nan"))}, "beta=nan", id="not a number"),
    ],
)
def test_a_mistake_in_a_recipe_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(RECIPES["cipher-rloo"], **change)


def test_an_unknown_recipe_is_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="'cypher' is not one of cipher-rloo"):
        load_recipe("cypher")


def test_prices_reach_the_reward() -> None:
    reward = RECIPES["clerk-1.0-flat"].reward()
    refusal = Verdict.no_answer("refusal")
    assert reward(refusal).value == -1.0
    assert RECIPES["clerk-1.0"].reward()(refusal).value == 0.0


@pytest.mark.parametrize(
    ("name", "answered", "refused"),
    [("dice-0.1", 9, None), ("dice-0.25", 4, 6), ("dice-1.0", 1, 3)],
)
def test_dice_recipes_price_the_sides_that_they_name(
    name: str, answered: int, refused: int | None
) -> None:
    p_star = break_even(wrong=RECIPES[name].wrong)
    assert 1 / answered > p_star
    assert refused is None or 1 / refused < p_star


def test_the_words_about_a_recipe_decide_nothing() -> None:
    reworded = replace(RECIPES["leaky"], shows="something else")
    assert reworded == RECIPES["leaky"] and run_id(reworded, 0) == run_id(RECIPES["leaky"], 0)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param((with_settings("cipher-rloo", "cipher-rloo", steps=61), 0), id="setting"),
        pytest.param((replace(RECIPES["cipher-rloo"], wrong=-0.2), 0), id="price"),
        pytest.param((RECIPES["cipher-rloo"], 1), id="seed"),
    ],
)
def test_a_run_is_keyed_by_everything_in_its_recipe(changed: tuple[Recipe, int]) -> None:
    same = run_id(RECIPES["cipher-rloo"], 0)
    assert run_id(*changed) != same == run_id(load_recipe("cipher-rloo"), 0)
