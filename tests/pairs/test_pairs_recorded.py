"""Pairs of the recorded rollouts: what poison costs, against the hand-checked key."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from rlvr_course import (
    MathRewardFunction,
    MathVerifier,
    ReplayPolicy,
    load_problems,
    naive_verify,
    rollout,
)
from rlvr_course.pairs import PairReport, build_preferences
from rlvr_course.problems.recorded import answer_key
from rlvr_course.records import Sample

KEY = answer_key()


@cache
def groups_under(verifier: str) -> list[list[Sample]]:
    verify: Callable[..., Any] = MathVerifier() if verifier == "package" else naive_verify
    problems = load_problems("math")
    return rollout(problems, ReplayPolicy(), verify, MathRewardFunction(), n_samples=8)


def pairs_under(verifier: str, records: Any = None) -> tuple[list[dict[str, Any]], PairReport]:
    report = PairReport()
    rows = build_preferences(groups_under(verifier), records, path=None, report=report)
    return rows, report


def truth(row: dict[str, Any], side: str) -> bool | None:
    origin = row["provenance"]
    return KEY[origin["problem_id"], origin[f"{side}_index"]]


@pytest.mark.parametrize(
    ("verifier", "pairs", "groups", "punish_right", "prefer_wrong"),
    [("naive", 249, 23, 27, 6), ("package", 397, 33, 3, 0)],
)
def test_without_labels_the_verifier_s_errors_go_into_the_pairs(
    verifier: str, pairs: int, groups: int, punish_right: int, prefer_wrong: int
):
    rows, report = pairs_under(verifier)
    assert (len(rows), report.groups_with_pairs) == (pairs, groups)
    assert sum(truth(row, "rejected") is True for row in rows) == punish_right
    assert sum(truth(row, "chosen") is False for row in rows) == prefer_wrong


@pytest.mark.parametrize(("verifier", "pairs"), [("naive", 200), ("package", 366)])
def test_with_the_key_as_labels_every_pair_is_right_over_wrong(verifier: str, pairs: int):
    rows, report = pairs_under(verifier, KEY)
    assert len(rows) == report.pairs == pairs
    assert {(truth(row, "chosen"), truth(row, "rejected")) for row in rows} == {(True, False)}


def test_the_three_poisoned_pairs_of_the_package_share_one_loser():
    poisoned = [row["provenance"] for row in pairs_under("package")[0] if truth(row, "rejected")]
    assert {(p["problem_id"], p["rejected_index"]) for p in poisoned} == {("math-20", 2)}


def test_the_prompt_is_what_the_recording_was_sampled_with():
    sent = {problem.id: [dict(m) for m in problem.messages] for problem in load_problems("math")}
    rows, _ = pairs_under("package")
    assert all(row["prompt"] == sent[row["provenance"]["problem_id"]] for row in rows)
    assert {row["prompt"][0]["role"] for row in rows} == {"system"}


@pytest.mark.parametrize("verifier", ["naive", "package"])
def test_balance_makes_a_longer_winner_as_likely_as_a_shorter_one(verifier: str):
    report = PairReport()
    groups = groups_under(verifier)
    build_preferences(groups, KEY, path=None, balance=True, report=report)
    assert report.longer.pairs == 2 * report.longer.total > 80
    assert report.warnings == []
