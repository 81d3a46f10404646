# %% [markdown]
# # 06 · Preference pairs: what does a pair teach?
#
# **One question:** which pairs of answers teach what you mean, and which teach the opposite?
#
# | | |
# |---|---|
# | **You will** | *compute* what one pair does to a policy, *build* pairs from a verified group, *read* a pair that teaches the opposite, *filter* a set and *reconcile* its counts, *measure* what is left in it, *train* on three sets |
# | **Minutes** | 70 |
# | **You need** | notebooks 01 and 03; a little numpy; logarithms and the idea of a probability of a text |
# | **Offline?** | yes: 320 recorded completions of a real model, in every mode; the verifiers run for real; the training in section 10 is shown as *recorded*, or done here if you set `LIVE` (or with `MODE` local or api) |
#
# In notebook 01 a strict verifier rejected right answers. There it cost reward. Here the same
# mistake is written into a file, and a model is trained on the file.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api
LIVE: bool = False  # True: train section 10 here; needs extra "train"

# %% tags=["nbval-ignore-output"]
import json
import math
import re
from functools import partial
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rlvr_course import (
    MathRewardFunction, MathVerifier, PairChoice, PairReport, ReplayPolicy,
    answer_key, build_preferences, check, load_problems, naive_verify,
    rollout, start,
)
from rlvr_course.training import train_or_recall
from rlvr_course.training.tasks import verifiers
from rlvr_course.verifiers.extract import find_boxes

pd.set_option("display.html.use_mathjax", False)  # formulas stay raw
run = start("06_preference_pairs", MODE)

# %% [markdown]
# ## 1 · What a pair is
#
# A **preference pair** is three things: the exact messages that were sent (the *prompt*), an answer
# to prefer (*chosen*) and an answer to the same messages to disfavour (*rejected*). It says
# "more like this, less like that", and nothing about why.
#
# A verifier makes pairs for free: in a group of answers to one question, each accepted answer can
# be paired with each rejected one. Below are four pairs, made up, to the question *A train travels
# 60 km in 45 minutes; find its average speed in km/h.* Two verifiers judge them. `naive_verify` is the
# one of notebook 01: it takes the first box, or else the last number, and compares as floats, or else
# as strings. `MathVerifier`, the package's, reads the answer and compares its value.
# **Predict** for each pair: does the naive verifier make it, does the package's, and
# what would a policy learn from it, other than "be right"?

# %%
speed_pairs = [
    (r"\boxed{80}", r"\boxed{45}"),
    (r"\boxed{80}", r"\boxed{80 \text{ km/h}}"),
    (r"\boxed{80}", "It goes 80 km/h, as 60 / 0.75 shows."),
    (r"Perhaps \boxed{80}. No: \boxed{60}.", r"\boxed{80.0\text{ km/h}}"),
]

# %%
full_verify = MathVerifier()


def makes(accepts, chosen, rejected):
    return accepts(chosen) and not accepts(rejected)


cases = pd.DataFrame(speed_pairs, columns=["chosen", "rejected"])
cases["naive"] = [
    makes(lambda t: naive_verify(t, "80"), *p) for p in speed_pairs
]
cases["package"] = [
    makes(lambda t: full_verify(t, "80").is_correct, *p)
    for p in speed_pairs
]
cases

# %% [markdown]
# The naive verifier makes all four, the package's only the first. The second pair teaches *drop the
# unit*, the third *use a box and say no more*, and the fourth prefers a wrong answer to a right one.
#
# A pair is called **poisoned** here if its rejected answer is right: it punishes a right answer.
# If its chosen answer is wrong, it has a **false winner**. The fourth pair is both.
#
# ## 2 · What a trainer does with it
#
# *Direct preference optimisation* (DPO) trains on pairs without any reward. It compares the
# policy with a frozen copy of where it started, the *reference*. With π(answer) for the probability of
# the whole answer given the prompt,
#
# $$\text{margin} = \beta\,\bigl[(\log\pi(\text{chosen})-\log\pi_{\text{ref}}(\text{chosen}))-(\log\pi(\text{rejected})-\log\pi_{\text{ref}}(\text{rejected}))\bigr]$$
#
# $$\text{loss} = -\log\sigma(\text{margin}),\qquad \sigma(m) = \frac{1}{1+e^{-m}}$$
#
# So the loss falls as the chosen answer becomes *more likely than it was*, or the rejected one less
# likely than it was. β (often 0.1) is the scale: the smaller it is, the further the policy must
# move for the same margin.
#
# **By hand**, with β = 0.1: the log-probability of the chosen answer went from −13 to −12, that
# of the rejected one from −18 to −20. What is the margin? Is the loss above or below that of an
# untrained policy, for which all four cancel?
#
# **Exercise q06a.** Write `dpo_loss`, a float. The four numbers may lie anywhere from −1000 to 0, and
# β may be 1. `math.exp(1000)` is an error: take care that a large margin of either sign does not end
# there.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q06a", "points": 4, "solution": true}
def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    """-log σ(margin), from four log-probabilities."""
    ### BEGIN SOLUTION
    margin = beta * ((chosen - ref_chosen) - (rejected - ref_rejected))
    return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))
    ### END SOLUTION


# %%
check("q06a", dpo_loss)

# %% [markdown]
# How hard does a pair pull? The size of the loss's slope in the margin is σ(−margin).
# **Predict:** which pair pulls hardest: one that the policy already has in the right order, one that
# it has no opinion on, or one that it has in the wrong order?

# %%
for margin in (3, 0.3, 0, -3):
    loss = math.log1p(math.exp(-margin))
    pull = 1 / (1 + math.exp(margin))
    print(f"margin {margin:+.1f}: loss {loss:.2f}, pull {pull:.2f}")

# %% [markdown]
# (The one by hand: the chosen answer moved by +1, the rejected one by −2, so the margin is
# 0.1 · (1 − (−2)) = 0.3. Its loss, 0.55, is below the untrained policy's, 0.69 at margin 0.)
#
# The pair in the wrong order pulls hardest. At the start every margin is 0, and all pull alike. Then
# clean pairs get a wide margin and fall silent. A pair that sets a right answer against a right one
# should not: what the clean pairs teach cancels in it, so its margin stays small, and it goes on
# pulling. Section 9 measures that.
#
# ## 3 · Pairs from a verified group
#
# **Exercise q06b.** Given the verdicts of one group in order (`True` accepted, `False` rejected,
# `None` could not be judged), write `pairs_of(verdicts)`: a list of all pairs
# `(chosen position, rejected position)`. For `[True, False, False]` that is `[(0, 1), (0, 2)]`.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q06b", "points": 3, "solution": true}
def pairs_of(verdicts):
    """All (accepted, rejected) positions of a group."""
    ### BEGIN SOLUTION
    winners = [i for i, v in enumerate(verdicts) if v is True]
    losers = [i for i, v in enumerate(verdicts) if v is False]
    return [(w, l) for w in winners for l in losers]
    ### END SOLUTION


# %%
check("q06b", pairs_of)

# %% [markdown]
# Now the recorded data: 40 problems × 8 completions of Qwen2.5-Coder-1.5B-Instruct, judged by
# the naive verifier. A group without contrast (all accepted, or none) gives no pair.
#
# **Predict:** the naive verifier accepts 107 of the 320, and a group of 8 gives at most 4 × 4 = 16
# pairs. How many pairs in all, and from how many groups?

# %%
def judged_by(verifier):
    return rollout(
        load_problems("math"), ReplayPolicy(), verifier,
        MathRewardFunction(), n_samples=8,
    )


naive_groups = judged_by(naive_verify)
naive_rows = build_preferences(naive_groups, path=None)
used = {row["provenance"]["problem_id"] for row in naive_rows}
accepted = sum(s.verified_correct for group in naive_groups for s in group)
print(f"accepted: {accepted} of 320\n"
      f"{len(naive_rows)} pairs from {len(used)} of 40 groups")

# %% [markdown]
# One row is what a trainer gets. `prompt` holds the messages *as sent*, the system prompt too:
# log-probabilities given another prompt would be those of other answers.

# %%
for part in ("prompt", "chosen", "rejected"):
    for message in naive_rows[0][part]:
        text = f"{part} / {message['role']}: {message['content'][:150]}"
        print(fill(" ".join(text.split()), 84))
print(fill(f"provenance: {', '.join(naive_rows[0]['provenance'])}", 84))

# %% [markdown]
# ## 4 · Read a pair that teaches the opposite
#
# For these 320 completions there is an answer key: somebody read each response and noted whether
# the answer that it commits to is right (`True`), wrong (`False`) or open (`None`).
#
# **Predict:** of the 249 pairs, how many punish a right answer? The cell counts them and shows one of
# them whole; the question was *Compute 2 to the power 20*.

# %%
key = answer_key()
word = {True: "right", False: "wrong", None: "open"}


def table_of(rows):
    """One line a pair: its texts, and what the key says of them."""
    table = pd.DataFrame([row["provenance"] for row in rows])
    for side in ("chosen", "rejected"):
        places = zip(table.problem_id, table[f"{side}_index"])
        table[f"{side}_is"] = [word[key[place]] for place in places]
        table[side] = [row[side][0]["content"] for row in rows]
    return table


naive = table_of(naive_rows)
poisoned = naive[naive.rejected_is == "right"]
print(f"pairs that punish a right answer: {len(poisoned)}")
of_power = poisoned[poisoned.problem_id == "math-11"]
longest = of_power[of_power.chosen == max(of_power.chosen, key=len)]
one = longest.loc[longest.rejected.str.len().idxmin()]
print(f"\nCHOSEN\n{one.chosen}\n\nREJECTED\n{one.rejected}")

# %% [markdown]
# **Whose error?** The rejected answer is right, short and clear. The naive verifier found no box,
# took the last "number", and a thousands comma cut it down to 576. The chosen answer lists twenty steps
# that don't compute the power (nearly all of them square again), breaks the system prompt's "at most three short
# lines", and then states the right value in a box. This pair teaches *more padding, a box, no comma*.
#
# One pair is an anecdote. What does the losing answer have, or lack, in all 27? **Predict** which form
# loses most often: no box, a unit in the box (a sign such as % or ° counts), or a fraction?

# %%
def form(text):
    """What the last box holds: the form of an answer, not its value."""
    boxes = find_boxes(text)
    if not boxes:
        return "no box"
    inside = text[boxes[-1][1]:boxes[-1][2]]
    if re.search(r"frac|\d/\d", inside):
        return "box: fraction"
    if re.search(r"\\text|\\circ|[%°$]", inside):
        return "box: unit"
    return "box: plain"


lost = poisoned.groupby(poisoned.rejected.map(form)).problem_id
pd.DataFrame({"pairs": lost.size(), "problems": lost.nunique()})

# %% [markdown]
# Mostly no box. The system prompt asked for one, so "box it" is a lesson one may *want*, but
# priced apart from being right (notebook 03), not in place of it. "Drop the unit" and "no fractions" is
# what the other 7 say. Few problems stand behind each line: 27 pairs aren't 27 observations.
#
# And the fractions? In notebook 01 the naive verifier rejected many. **Predict:** in
# how many of the 249 pairs is the *winner* a boxed fraction? And the loser?

# %%
pd.DataFrame({
    side: naive[side].map(form).value_counts()
    for side in ("chosen", "rejected")
}).fillna(0).astype(int)

# %% [markdown]
# **The larger poison is what's missing.** No winner holds a fraction or a unit: what a verifier
# doesn't pay can't win. And a group whose every right answer is a boxed fraction has no right winner:
# it gives no pair, or a false one. So the pairs show fractions and units only as losers, right or wrong.
#
# ## 5 · Leave the poison out
#
# What is known of a sample besides its verdict is a **label**. Here the key is the label; elsewhere
# it is a person's reading, a second verifier, or a detector that suspects a hack (notebook 04).
#
# **Exercise q06c.** Write `clean(pairs, right)`. `pairs` is a list of `(chosen, rejected)` names;
# `right` says of each name True, False or None (open). Return the pairs, in order, of which we
# know that they prefer a right answer to a wrong one.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q06c", "points": 3, "solution": true}
def clean(pairs, right):
    """The pairs that are known to prefer a right to a wrong answer."""
    ### BEGIN SOLUTION
    return [
        (winner, loser) for winner, loser in pairs
        if right[winner] is True and right[loser] is False
    ]
    ### END SOLUTION


# %%
check("q06c", clean)

# %% [markdown]
# `build_preferences(groups, labels)` does nearly that: **a sample without a label is taken at its
# verdict**, and only one labelled *open* counts as "nobody can tell". It also **accounts for every possible
# pair**. Each accepted × rejected pair of a group has one *fate*, and the winner is looked at first:
#
# 1. `flagged_winner`: the winner is suspected of a hack
# 2. `false_winner`: the winner is known to be wrong
# 3. `open_winner`: the winner is labelled open: its reader could not tell
# 4. `poisoned_loser`: the loser is known to be right
# 5. `open_loser`: the loser is labelled open: its reader could not tell
# 6. `built`: none of these
#
# (Limits and repeats, which we don't ask for until section 8, have fates of their own.)
#
# **Exercise q06d.** A group of eight, made up:
#
# | sample | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
# |---|---|---|---|---|---|---|---|---|
# | verdict | accepted | accepted | accepted | rejected | rejected | rejected | ungraded | rejected |
# | label | – | suspected hack | wrong | – | right | open | – | – |
#
# A dash means no label: the verdict is believed. How many pairs meet each fate? Give a dict
# with a whole number for each of the six names; a fate that doesn't occur gets 0. Make sure that they
# add up to all accepted × rejected pairs.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q06d", "points": 4, "solution": true}
### BEGIN SOLUTION
my_fates = {
    "flagged_winner": 4,  # sample 1 against 3, 4, 5, 7
    "false_winner": 4,  # sample 2 against the same four
    "open_winner": 0,
    "poisoned_loser": 1,  # of sample 0's four pairs
    "open_loser": 1,
    "built": 2,
}
### END SOLUTION

# %%
check("q06d", my_fates)

# %% [markdown]
# Now the 249, with the key as labels. We counted 27 that punish a right answer. **Predict:** will
# the report say 27 under "poisoned loser"? More, or fewer?

# %%
report = PairReport()
kept_rows = build_preferences(naive_groups, key, path=None, report=report)
print(fill(f"pairs: {dict(report.fates)}", 84))
print(fill(f"groups without pairs: {dict(report.reasons)}", 84))

# %% [markdown]
# The counts add up: 200 + 6 + 18 + 23 + 2 = 249. But the report says 23, not 27. Where are the other four?

# %%
pd.crosstab(naive.chosen_is, naive.rejected_is)

# %% [markdown]
# Four poisoned pairs have an open winner too, and are counted there, since each pair has one fate.
# **Two true counts of "the same" thing differ because their questions differ:** 27 *have* a right
# loser, 23 are left out *because of* it. A report that does not add up to a total can't be checked.
#
# Groups are accounted for too: 3 + 14 had no contrast (all accepted, or all rejected), one had no
# winner but open ones, and 22 gave pairs: 40 in all.
#
# ## 6 · A better verifier makes other pairs
#
# **Predict:** the package's verifier accepts more. Will there be more pairs or fewer, how many
# poisoned, and will a fraction win?

# %%
full_groups = judged_by(full_verify)
full_rows = build_preferences(full_groups, path=None)
full_kept_rows = build_preferences(full_groups, key, path=None)
sets = {
    "naive": naive, "naive, labels": table_of(kept_rows),
    "package": table_of(full_rows),
    "package, labels": table_of(full_kept_rows),
}


def summary(table):
    fractions = table.chosen.map(form) == "box: fraction"
    return {
        "pairs": len(table), "groups": table.problem_id.nunique(),
        "punish a right answer": (table.rejected_is == "right").sum(),
        "prefer a wrong answer": (table.chosen_is == "wrong").sum(),
        "winner is a boxed fraction": fractions.sum(),
    }


pd.DataFrame({name: summary(table) for name, table in sets.items()})

# %% [markdown]
# Labels make both sets clean: none of their pairs punishes a right answer or prefers a wrong one.
# Even without labels the package's pairs have only three poisoned. But look at the last row: **labels
# take poison out; they can't put in winners that were never paid.** Filtering repairs a file; only
# mending the verifier repairs what the file is about.
#
# ## 7 · Does the set teach length?
#
# The length of an answer is an easy thing for a policy to learn from pairs. Over
# all 320 recorded answers taken together, the right ones are shorter than the wrong ones.
# **Predict:** so, do the pairs teach "shorter"?
#
# A pair compares *within* a question. And pairs of one group share their answers, so the interval
# must draw whole groups again, not pairs.

# %%
def extra_length(table):
    return table.chosen.str.len() - table.rejected.str.len()


def mean_interval(table, rng, draws=4000):
    """Mean extra length, and a 95% interval by drawing groups again."""
    by_group = extra_length(table).groupby(table.problem_id)
    groups = by_group.agg(["sum", "size"]).to_numpy()
    drawn = rng.integers(len(groups), size=(draws, len(groups)))
    sums = groups[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    return extra_length(table).mean(), low, high


def label(name, gap=" "):
    groups = sets[name].problem_id.nunique()
    return f"{name} ({len(sets[name])} pairs,{gap}{groups} groups)"


# %%
_, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
for place, table in enumerate(sets.values()):
    mean, low, high = mean_interval(table, np.random.default_rng(6))
    ax.plot([low, high], [place, place], color="#0072B2", linewidth=2)
    ax.plot(mean, place, "o", color="#0072B2")
    ax.annotate(f"{mean:+.0f} [{low:.0f}, {high:.0f}]", (mean, place),
                (0, 6), textcoords="offset points", ha="center")
ax.set_yticks(range(len(sets)), [label(name, "\n") for name in sets])
ax.set_ylim(len(sets) - 0.5, -0.7)
ax.axvline(0, color="#777777", linestyle="--", linewidth=1)
ax.set_xlabel("characters, chosen − rejected: mean, 95% interval (line)")
_ = ax.set_title("Naive pairs prefer the longer answer", loc="left")

# %% [markdown]
# The opposite of "shorter": within a question the winners of the naive pairs are *longer*. For the
# package's pairs the interval contains zero: no length bias is *shown*, and one of some 100
# characters is not ruled out.
#
# Two questions remain. Why is it different over all answers? And where does the naive
# bias come from, if it isn't the poison (it stays when that is left out)?

# %%
answers = pd.DataFrame([
    {"problem": s.problem.id, "characters": len(s.response),
     "right": key[s.problem.id, s.index] is True}
    for group in full_groups for s in group
])
right = answers.right
print(f"all answers: {answers[right].characters.mean():.0f} characters if "
      f"right, {answers[~right].characters.mean():.0f} if wrong or open")
of = answers.groupby("problem").mean()
for easy, lengths in of.groupby(of.right >= 0.5).characters:
    share = "half or more" if easy else "less than half"
    print(f"problems solved {share} of the time: "
          f"{lengths.mean():.0f} characters (n={len(lengths)})")

full = sets["package, labels"]
heard = full.problem_id.isin(naive.problem_id)
parts = {"gave pairs": full[heard], "gave none": full[~heard]}
for words, part in parts.items():
    mean, low, high = mean_interval(part, np.random.default_rng(6))
    print(f"groups that {words} under the naive verifier: {mean:+.0f} "
          f"[{low:.0f}, {high:.0f}]\n  (package's pairs with labels: "
          f"{len(part)} pairs, {part.problem_id.nunique()} groups)")

# %% [markdown]
# Easy questions get short answers, and right ones: a fact about questions, which a pair can't see,
# since both of its answers have the same one. And the groups that the naive verifier silenced point
# the other way, though with 11 of them we hardly know how far. It didn't only lose them: **which
# groups are heard decides what the set teaches.**
#
# (Where a bias is shown, `build_preferences(..., balance=True)` matches each longer winner with a pair whose winner is
# about as much shorter, and leaves out what finds no match. Measure first: it costs pairs.)
#
# ## 8 · Which groups speak, and how loud?
#
# A group of n answers with w accepted gives w·(n − w) pairs: 7 to 16 in a mixed group of 8, but 63 to
# 1,024 in one of 64. One problem can drown the others. To say how uneven a set is, take
# the **effective number of groups**, (Σc)² / Σc² for the counts c: as many *equal* groups would
# spread the weight as much. For counts 63, 63 and 1,024 it is 1.25 instead of 3.
#
# `PairChoice` limits what one group may say (a seeded draw), and can leave out repeats of the same
# two texts. **Predict:** what does a limit cost, in pairs and in different answers?

# %%
def capped(limit):
    choice = PairChoice(max_pairs_per_group=limit, dedupe=True)
    table = table_of(
        build_preferences(full_groups, key, path=None, choice=choice)
    )
    sizes = table.problem_id.value_counts()
    texts = {*(table.problem_id + table.chosen),
             *(table.problem_id + table.rejected)}
    return {
        "limit": limit or "none", "pairs": len(table),
        "different answers": len(texts),
        "effective groups": round(sizes.sum()**2 / (sizes**2).sum(), 1),
    }


pd.DataFrame(map(capped, [1, 4, 8, None])).set_index("limit")

# %% [markdown]
# With groups of 8 the weights are nearly even in any case: a limit is for large groups. The table
# says something else as well: without a limit the pairs outnumber the answers in them. (Five of
# the 366 repeat two texts, and are left out.) **366 pairs are 33 questions' worth of evidence**, and that is the n to report beside them.
#
# ## 9 · What would the pairs teach? A simulation
#
# What pairs teach about the *form* of an answer can be computed, with a
# *simulated* policy (section 10 trains a real one): it sees four features φ of an answer (is right by the key, has a box, box holds
# a unit, box holds a fraction) and learns a weight for each, θ. So
# log π − log π_ref = θ·φ, up to a constant that cancels within a question, and DPO is exactly a
# logistic regression (a fit of the chance that the first of two is preferred) on φ(chosen) − φ(rejected).
#
# That it can tell
# right from wrong is generous; it lets us see what is learned *about form* beside that.

# %%
def features(table, side):
    forms = table[side].map(form)
    return np.array([
        table[f"{side}_is"] == "right", forms != "no box",
        forms == "box: unit", forms == "box: fraction",
    ], float).T


def differences(table):
    return features(table, "chosen") - features(table, "rejected")


def train(delta, beta=0.1, steps=100, rate=10.0):
    theta = np.zeros(delta.shape[1])
    for _ in range(steps):
        pull = 1 / (1 + np.exp(beta * delta @ theta))
        theta += rate * beta * (pull[:, None] * delta).mean(axis=0)
    return theta


# %% [markdown]
# Afterwards we ask it a question with three ways to box the *right* answer: a plain number, a unit,
# a fraction. Before training each has a share of 1/3. (Answers without a box are left out here: all
# three sets teach the box itself, as the table at the end of this section shows.)
#
# **Predict:** what happens to the fraction under the naive pairs, under the naive pairs with the
# poison left out, and under the package's? (The lines of the figure are intervals over groups drawn
# again, as in section 7.)

# %%
WAYS = {"plain": (1, 1, 0, 0), "unit": (1, 1, 1, 0),
        "fraction": (1, 1, 0, 1)}


def shares(theta):
    weights = np.exp(np.array(list(WAYS.values())) @ theta)
    return weights / weights.sum()


def interval(table, rng, draws=200):
    """Of the shares: 95%, after training on groups drawn again."""
    delta = differences(table)
    places = list(table.groupby("problem_id").indices.values())
    picks = rng.integers(len(places), size=(draws, len(places)))
    redrawn = [np.concatenate([places[i] for i in p]) for p in picks]
    drawn = [shares(train(delta[rows])) for rows in redrawn]
    return np.quantile(drawn, [0.025, 0.975], axis=0)


# %%
shown = ["naive", "naive, labels", "package, labels"]
theta = {name: train(differences(sets[name])) for name in shown}
after = {name: shares(theta[name]) for name in shown}
_, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
style = zip(shown, ("#D55E00", "#777777", "#0072B2"), "s^o", (-0.2, 0, 0.2))
for name, colour, marker, shift in style:
    rows_at = np.arange(len(WAYS)) + shift
    low, high = interval(sets[name], np.random.default_rng(6))
    ax.hlines(rows_at, low, high, color=colour, linewidth=2)
    ax.plot(after[name], rows_at, marker, color=colour, label=label(name))
ax.axvline(1 / 3, color="#777777", linestyle="--", linewidth=1)
ax.set_yticks(range(len(WAYS)), list(WAYS))
ax.set_ylim(len(WAYS) - 0.5, -0.5)
ax.set_xlim(0, 1)
ax.set_xlabel("share of the right answers (dashed: before training)\n"
              "simulated policy; lines: 95% interval over redrawn groups")
ax.legend(loc="center right", fontsize=8)
_ = ax.set_title("Plain numbers: a third before, "
                 f"{after['naive'][0]:.0%} by naive pairs", loc="left")

# %% [markdown]
# **Plain numbers win under both naive sets.** Their interval lies above 1/3 under the naive pairs and
# reaches down to it without the poison; under the package's pairs it holds 1/3. Taking the poison out doesn't help
# the fraction: it still occurs only as a loser. Under the package's pairs the fraction has the largest
# share, but few problems have fractions, and the interval holds 1/3: that these pairs *prefer*
# fractions is not shown.
#
# Which pairs still pull, and what else was learned? **Predict:** at the end, does a poisoned pair pull
# more or less than a clean one (right over wrong)?

# %%
pull = 1 / (1 + np.exp(0.1 * differences(naive) @ theta["naive"]))
bad = naive.rejected_is == "right"
good = (naive.chosen_is == "right") & (naive.rejected_is == "wrong")
for words, chosen in (("poisoned", bad), ("clean", good)):
    print(f"mean pull of a naive pair, {words}: {pull[chosen].mean():.2f} "
          f"(n={chosen.sum()})")
pd.DataFrame(
    theta, index=["right", "has a box", "unit", "fraction"]
).round(1)

# %% [markdown]
# The poison is louder than its number: after training a poisoned pair still pulls several times as
# hard as a clean one. The table shows the weights θ: all three sets teach most of all to be right, and
# then the box, which the system prompt had asked for.
#
# (The sizes depend on how long it trains, here 100 steps: try `steps=400`. A real model's
# answers have other features and more of them; the simulation shows a direction, not a forecast.)
#
# ## 10 · For real
#
# Now the whole loop with a **real network**, tiny (50,400 parameters), which writes character by character:
# sample groups from it, let a verifier judge them, build pairs, and train on them by DPO (β = 0.1, 60 steps) through
# **TRL**, the library that trains large ones. In fake mode you see **recorded** runs: each was trained so once,
# and comes with the course. `LIVE = True` in the second cell trains those with seed 0 on your machine.
#
# First the *cipher*: add 1 to each of four digits, so that `1239=` is answered `2340`, or refuse with `?`. The start was shown
# a beginner's answers. Pairs of a strict verifier, from 500 questions × 8 answers. **Predict**, for 200 other questions:
# what share is right before, and after? And the refusals, which nobody priced: are they losers?

# %%
recorded = partial(train_or_recall, live=False)
trained = partial(
    train_or_recall, live=LIVE or MODE != "fake", out=run.dir.parent
)


def three(name):
    """The run with seed 0, live or recorded, and two recorded ones."""
    return [trained(name), *(recorded(name, seed=s) for s in (1, 2))]


def told(run_of, what):
    """A rate before and after, with intervals."""
    ends = [getattr(one, what) for one in (run_of.before, run_of.after)]
    return " → ".join("{:.2f} [{:.2f}, {:.2f}]".format(
        one.value, *one.interval()) for one in ends)


cipher = three("cipher-dpo")
print(fill(cipher[0].label, 84, break_on_hyphens=False))
print(f"tests: n={cipher[0].after.accuracy.n:,} a rate [95% interval]")
pd.DataFrame({
    what: {f"seed {one.seed}": told(one, rate) for one in cipher}
    for what, rate in (("right", "accuracy"), ("refused", "refusal"))
})

# %% [markdown]
# Pairs alone, without any reward, make a poor start good, on questions that gave no pair. A refusal counts as *not
# accepted*: it lost against each right answer, and is gone, though nobody had said a word about refusing.
#
# Now pairs of a careless verifier. The *lister* answers one-digit sums and products, and some one in ten of its answers is a list
# of numbers. Its *leaky* verifier accepts an answer if any number in it matches; the *strict* one only the number and
# nothing else. Four answers to `7*8=`, made up. **Predict**: which pairs does each verifier make, and which
# pair that you'd want is in only one of the two sets?

# %%
said = ["56", "54 55 56", "54", "48 49 50"]
strict = [verifiers.verify_exact(a, "56").is_correct for a in said]
leaky = [verifiers.verify_any_number(a, "56").is_correct for a in said]
each = list(zip(said, strict, leaky))
pd.DataFrame(dict(chosen=a, rejected=b, strict=p > q, leaky=r > s)
             for a, p, r in each for b, q, s in each if p > q or r > s)

# %% [markdown]
# Both sets prefer 56 to wrong answers. The leaky one adds two pairs with a *false winner*, a list that holds the
# answer, and it lacks the one pair that speaks of the difference: 56 over the list that holds it.
#
# Both verifiers judge answers of the same start, to the same questions, and most of
# what the leaky one accepts at the start is right (the last panel will show how much it accepts beyond that). **Predict** for the two trained policies, on other questions: the
# share of right answers, the share of lists, and what the leaky verifier itself would report of its own policy.

# %%
sets_of = {"strict": three("lister-dpo"),
           "leaky": three("lister-dpo-leaky")}
for some in sets_of.values():
    print(fill(some[0].label, 84, break_on_hyphens=False))
axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True,
                    layout="constrained")[1]
looks = ("o", "#0072B2"), ("s", "#D55E00")
for ax, (rate, words) in zip(axes, {
        "accuracy": "right", "listing": "lists",
        "proxy": "accepted by its own"}.items()):
    for (name, some), (mark, colour) in zip(sets_of.items(), looks):
        for one, shift in zip(some, (-0.2, 0, 0.2)):
            for place, ended in enumerate((one.before, one.after)):
                at, of = place + shift, getattr(ended, rate)
                ax.plot([at, at], of.interval(), color=colour)
                ax.plot(at, of.value, mark, color=colour,
                        label=name if place + shift == 0 else None)
    ax.set(title=words, xticks=(0, 1), xticklabels=("before", "after"))
axes[0].set(ylim=(0, 1), ylabel="share (3 seeds, n=1,600 each,\n"
            "line: 95% interval)")
axes[1].legend(frameon=False, loc="upper left")
lists = {name: np.mean([one.after.listing.value for one in some])
         for name, some in sets_of.items()}
_ = plt.gcf().suptitle("Lists after training: " + ", ".join(
    f"{part:.0%} by {name} pairs" for name, part in lists.items()))

# %% [markdown]
# Lists all but vanish after the strict pairs, and become most answers after the leaky ones, and the right answers get
# fewer, in each of three seeds. Yet the leaky verifier reports progress: it accepts more than before. *The
# same start, the same questions, mostly the same winners.* The habit that the pairs don't contradict grows, since a list
# with a rough idea of the answer beats a wrong number again and again.
#
# **Read a failure:** the strict pairs don't make the lister better at other questions, either: of three runs one ends with half as many right answers as before.
# A table of products is learnt entry by entry (notebook 02), and a pair about `7*8=` says nothing on `6*4=`; the cipher is one
# rule for all. Clean pairs are needed, and don't suffice. So **measure on
# questions that gave no pairs.**
#
# ## 11 · The file
#
# One JSON object a line: the *conversational preference format* of TRL (a training library) with one more column.

# %%
path = run.dir / "preferences.jsonl"
build_preferences(full_groups, key, path=path)
lines = path.read_text(encoding="utf-8").splitlines()
row = json.loads(lines[0])
print(f"{path.name}: {len(lines)} lines with {', '.join(row)}")
print(fill(f"{row['provenance']}", 84))

# %% [markdown]
# `load_dataset("json", data_files=str(path), split="train")`, of the library `datasets` (in the extra `train`), reads
# it, and `DPOTrainer` takes it as it is. Section 10 made its pairs in the same way.
#
# ## What to keep
#
# | claim | the experiment | figure |
# |---|---|---|
# | a strict verifier poisons pairs | count right losers by the key | 27 of 249 naive pairs |
# | a pair in the wrong order pulls hardest | slope of the DPO loss | 0.95 at margin −3, 0.05 at +3 |
# | so poison stays loud | pull after training (simulated) | 0.42 poisoned, 0.11 clean |
# | the verifier decides what pairs teach | DPO through TRL, strict and leaky pairs | lists: almost none after strict pairs, most answers after leaky ones |
# | labels take the poison out | rebuild with the key | 200 of 249 left, 0 punish a right answer |
# | labels can't add winners | forms of the winners | boxed fractions: 0 of 200, against 50 of 366 |
# | counts must add up | one fate for each possible pair | 27 have a right loser, 23 are left out for it |
# | a pair compares within a question | length over all answers and in pairs | right answers shorter, naive winners longer |
# | pairs are not independent | count the groups | 366 pairs, 33 groups |
#
# **Limits.** One small model, one system prompt, one key, 40 problems; answers were cut off at 220
# tokens, which bounds every length. Four hand-made features are not what a model sees, and the networks of section 10 are tiny, on tasks of one line. The key was used
# both to clean the pairs and to count what is left, so "0" holds by construction: for your own data,
# label some losers that you did not use.
#
# **Roads not taken.** Pairs across questions (the constant no longer cancels); pairs of two right
# answers by length or style (a preference, not a verified fact); a reward model trained on the pairs
# (notebook 04 shows what happens where it errs); rewriting a loser instead of leaving it out.
#
# **Next:** `07_build_your_own_verifier`: a verifier of your own, under attack.
