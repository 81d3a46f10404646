"""Pairs from groups: which are given, which are left out and why, and that all are counted."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs_samples import KNOWN, batches, group, problem, sample, texts

from rlvr_course.pairs import PairChoice, PairReport, build_preferences, iter_preferences
from rlvr_course.records import Problem, Sample

CHOICES = st.builds(
    PairChoice, st.none() | st.integers(1, 4), dedupe=st.booleans(), seed=st.integers(0, 3)
)
POISON = {"verifier_error", "open", None}


def built(groups, records=None, **options):
    report = PairReport()
    rows = build_preferences(groups, records, path=None, report=report, **options)
    return rows, report


def test_each_right_answer_meets_each_wrong_one():
    rows, report = built([group("rwrw")])
    assert texts(rows) == [("r0", "w1"), ("r0", "w3"), ("r2", "w1"), ("r2", "w3")]
    assert (report.pairs, report.possible_pairs) == (4, 4)


def test_the_prompt_is_the_messages_that_were_sampled():
    rows, _ = built([group("rw")])
    assert rows[0]["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is p?"},
    ]
    assert rows[0]["chosen"] == [{"role": "assistant", "content": "r0"}]


def test_a_pair_says_where_it_comes_from():
    row = built([group("wr")])[0][0]
    origin = row["provenance"]
    assert (origin["problem_id"], origin["chosen_index"], origin["rejected_index"]) == ("p", 1, 0)


@pytest.mark.parametrize(
    ("place", "label", "left", "fate"),
    [
        (0, "suspected_hack", [("r1", "w2"), ("r1", "w3")], "flagged_winner"),
        (0, "verifier_error", [("r1", "w2"), ("r1", "w3")], "false_winner"),
        (0, False, [("r1", "w2"), ("r1", "w3")], "false_winner"),
        (0, None, [("r1", "w2"), ("r1", "w3")], "open_winner"),
        (2, "verifier_error", [("r0", "w3"), ("r1", "w3")], "poisoned_loser"),
        (2, True, [("r0", "w3"), ("r1", "w3")], "poisoned_loser"),
        (2, "open", [("r0", "w3"), ("r1", "w3")], "open_loser"),
    ],
)
def test_a_label_takes_its_sample_out_of_every_pair(place, label, left, fate):
    rows, report = built([group("rrww")], {("p", place): label})
    assert texts(rows) == left
    assert report.fates == {"built": 2, fate: 2}


@pytest.mark.parametrize(
    ("place", "label"),
    [(0, True), (0, "policy_error"), (1, False), (1, "policy_error"), (1, "suspected_hack")],
    ids=["right winner", "checked winner", "wrong loser", "checked loser", "rejected hack"],
)
def test_a_label_that_agrees_with_the_verdict_leaves_the_pair(place, label):
    assert texts(built([group("rw")], {("p", place): label})[0]) == [("r0", "w1")]


@pytest.mark.parametrize(
    ("verdicts", "labels", "reason"),
    [
        ("", {}, "empty"),
        ("uu", {}, "all_masked"),
        ("r", {}, "too_small"),
        ("uwu", {}, "too_small"),
        ("rru", {}, "uniform_correct"),
        ("ww", {}, "uniform_incorrect"),
        ("rrw", {0: "suspected_hack", 1: "suspected_hack"}, "only_flagged_winners"),
        ("rw", {0: "verifier_error"}, "only_false_winners"),
        ("rw", {0: None}, "only_open_winners"),
        ("rww", {1: True, 2: "verifier_error"}, "only_poisoned_losers"),
        ("rw", {1: "open"}, "only_open_losers"),
        ("rrw", {0: "suspected_hack", 1: None}, "no_usable_winner"),
        ("rww", {1: True, 2: None}, "no_usable_loser"),
    ],
)
def test_a_group_without_pairs_has_one_reason(verdicts, labels, reason):
    known = {("p", index): label for index, label in labels.items()}
    rows, report = built([group(verdicts)], known)
    assert (rows, report.reasons, report.groups_with_pairs) == ([], {reason: 1}, 0)


def test_samples_without_messages_give_no_pair_rather_than_a_guessed_prompt():
    bare = [Sample(problem(), t, t, None, right) for t, right in (("1", True), ("2", False))]
    rows, report = built([bare])
    assert (rows, report.reasons, report.fates) == ([], {"no_prompt": 1}, {"no_prompt": 1})


def test_the_same_text_is_not_preferred_to_itself():
    same = [sample("r", 0, text="1"), sample("w", 1, text="1")]
    rows, report = built([same])
    assert (rows, report.reasons) == ([], {"identical_texts": 1})


def test_half_a_surrogate_pair_is_left_out():
    rows, report = built([[sample("r", 0, text="\ud83d"), *group("rrw")[1:]]])
    assert texts(rows) == [("r1", "w2")]
    assert report.fates == {"built": 1, "not_unicode": 1}


def test_dedupe_keeps_one_of_each_two_texts():
    twice = [sample("r", 0, text="1"), sample("r", 1, text="1"), sample("w", 2)]
    assert texts(built([twice])[0]) == [("1", "w2"), ("1", "w2")]
    rows, report = built([twice], choice=PairChoice(dedupe=True))
    assert texts(rows) == [("1", "w2")]
    assert report.fates == {"built": 1, "duplicate": 1}


def test_a_cap_holds_for_each_group():
    rows, report = built([group("rrww", "a"), group("rw", "b")], choice=PairChoice(3))
    assert [row["provenance"]["problem_id"] for row in rows] == ["a", "a", "a", "b"]
    assert report.fates == {"built": 4, "over_cap": 1}


def test_the_draw_follows_its_seed_and_no_pair_is_out_of_reach():
    big = group("rrrrwwww")
    draws = [texts(built([big], choice=PairChoice(1, seed=s))[0])[0] for s in range(200)]
    assert len(set(draws)) == 16  # (15/16)^200 * 16 < 0.0001: none is missed by chance
    assert draws[0] == texts(built([big], choice=PairChoice(1, seed=0))[0])[0]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (group("w", "q")[0], "mixes the problems 'p' and 'q'"),
        (Sample(problem(), "2", "2", None, False, messages=[{"role": "user", "content": "?"}]),
         "problem 'p' mixes prompts"),
    ],
    ids=["problems", "prompts"],
)  # fmt: skip
def test_a_mixed_group_is_refused(odd, said):
    with pytest.raises(ValueError, match=said):
        built([[group("r")[0], odd]])


@pytest.mark.parametrize("limit", [0, -1])
def test_a_cap_below_one_is_refused(limit):
    with pytest.raises(ValueError, match=f"max_pairs_per_group={limit}"):
        PairChoice(limit)


def test_the_default_file_is_in_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    build_preferences([group("rw")])
    lines = (tmp_path / "artifacts" / "preferences.jsonl").read_text().splitlines()
    assert len(lines) == 1


@given(batches(), KNOWN, CHOICES)
def test_the_fates_add_up_to_every_right_and_wrong_pair(groups, known, choice):
    _, report = built(groups, known, choice=choice)
    right = [sum(s.verified_correct is True for s in g) for g in groups]
    wrong = [sum(s.verified_correct is False for s in g) for g in groups]
    assert report.possible_pairs == sum(r * w for r, w in zip(right, wrong, strict=True))
    assert report.groups_with_pairs + sum(report.reasons.values()) == len(groups)


@given(batches(), KNOWN, CHOICES)
def test_no_pair_mixes_groups_or_holds_a_poisoned_sample(groups, known, choice):
    at = {(s.problem.id, s.index): s for g in groups for s in g}
    for pair in built(groups, known, choice=choice)[0]:
        origin = pair["provenance"]
        places = [
            (origin["problem_id"], origin[f"{side}_index"]) for side in ("chosen", "rejected")
        ]
        winner, loser = (at[place] for place in places)
        assert pair["prompt"] == [dict(m) for m in winner.messages]
        assert texts([pair]) == [(winner.response, loser.response)]
        assert (winner.verified_correct, loser.verified_correct) == (True, False)
        assert known.get(places[0], True) not in POISON | {"suspected_hack", False}
        assert known.get(places[1], False) not in POISON | {True}


@given(batches(), KNOWN, CHOICES, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_samples_and_groups_changes_no_pair(groups, known, choice, even, rng):
    moved = [rng.sample(g, len(g)) for g in groups]
    rng.shuffle(moved)
    (rows, report), (again, other) = (
        built(g, known, choice=choice, balance=even) for g in (groups, moved)
    )
    assert sorted(map(repr, rows)) == sorted(map(repr, again))
    assert report == other


@given(batches(), KNOWN, CHOICES)
def test_the_stream_gives_what_the_list_gives(groups, known, choice):
    report = PairReport()
    stream = iter_preferences(iter(groups), known, choice=choice, report=report)
    rows, counted = built(groups, known, choice=choice)
    assert [pair.to_dict() for pair in stream] == rows
    assert report == counted


@given(batches(), KNOWN, st.integers(1, 4), st.integers(0, 3))
def test_a_cap_only_takes_pairs_away(groups, known, limit, seed):
    every, _ = built(groups, known)
    some, report = built(groups, known, choice=PairChoice(limit, seed=seed))
    assert all(row in every for row in some)
    assert report.pairs + report.fates["over_cap"] == len(every)


def test_a_problem_without_an_id_goes_by_its_question():
    asked = Problem("1 + 1?", "2")
    pair = [Sample(asked, t, t, None, t == "2", messages=asked.messages) for t in ("2", "3")]
    assert built([pair], {("1 + 1?", 0): "verifier_error"})[0] == []


def test_a_stream_takes_no_group_before_it_is_asked_for():
    taken: list[int] = []

    def source():
        for number in range(9):
            taken.append(number)
            yield group("rw", f"p{number}")

    stream = iter_preferences(source())
    assert taken == []
    next(stream)
    assert taken == [0]


def test_random_is_not_touched():
    random.seed(1)
    state = random.getstate()
    built([group("rrrrwwww")], choice=PairChoice(2))
    assert random.getstate() == state
