# %% [markdown]
# # 06 · Preference pairs: what does a pair teach?
#
# **One question:** which pairs of answers teach what you mean, and which teach the opposite?
#
# | | |
# |---|---|
# | **You will** | *compute* what one pair does to a policy, *build* pairs from a verified group, *read* a pair that teaches the opposite, *filter* a set and *reconcile* its counts, *measure* what is left in it |
# | **Minutes** | 65 |
# | **You need** | notebooks 01 and 03; a little numpy; logarithms and the idea of a probability of a text |
# | **Offline?** | yes: 320 recorded completions of a real model, in every mode; the verifiers run for real |
#
# In notebook 01 a strict verifier rejected right answers. There it cost reward. Here the same
# mistake is written into a file, and a model is trained on the file.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["nbval-ignore-output"]
import json
import math
import re
from importlib.util import find_spec
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rlvr_course import (
    MathRewardFunction, MathVerifier, PairReport, ReplayPolicy,
    build_preferences, check, load_problems, rollout, start,
)
from rlvr_course.pairs import PairChoice
from rlvr_course.problems.recorded import answer_key
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
# 60 km in 45 minutes; find its average speed in km/h.* The naive verifier is the one of notebook 01:
# the first box, or else the last number; equal as floats, or else as strings. The package's reads
# the answer and compares its value. **Predict** for each pair: which of the two would make it, and
# what would a policy learn from it, other than "be right"?

# %%
speed_pairs = [
    (r"\boxed{80}", r"\boxed{45}"),
    (r"\boxed{80}", r"\boxed{80 \text{ km/h}}"),
    (r"\boxed{80}", "It goes 80 km/h, as 60 / 0.75 shows."),
    (r"Perhaps \boxed{80}. No: \boxed{60}.", r"\boxed{80.0\text{ km/h}}"),
]


def naive_verify(response, answer):
    box = re.search(r"\\boxed\{([^}]+)\}", response)
    numbers = re.findall(r"-?\d+(?:\.\d+)?", response)
    found = box.group(1) if box else (numbers or [""])[-1]
    try:
        return abs(float(found) - float(answer)) < 1e-6
    except ValueError:
        return found.strip() == answer.strip()


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
# policy with a frozen copy of where it started, the *reference*. With log-probabilities of whole
# answers given the prompt,
#
# $$\text{margin} = \beta\,\bigl[(\log\pi(\text{chosen})-\log\pi_{\text{ref}}(\text{chosen}))-(\log\pi(\text{rejected})-\log\pi_{\text{ref}}(\text{rejected}))\bigr]$$
#
# $$\text{loss} = -\log\sigma(\text{margin}),\qquad \sigma(m) = \frac{1}{1+e^{-m}}$$
#
# So the policy gets better by making the chosen answer *more likely than it was*, or the rejected
# one less likely than it was. β (often 0.1) says how far it may drift.
#
# **By hand**, with β = 0.1: the log-probability of the chosen answer went from −13 to −12, that
# of the rejected one from −18 to −20. What is the margin? Is the loss above or below that of an
# untrained policy, for which all four cancel?
#
# **Exercise q06a.** Write `dpo_loss`, a float. Numbers from −1000 to 0 occur, and
# `math.exp(1000)` is an error: take care that a large margin of either sign does not end there.

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
for margin in (3, 0, -3):
    print(f"margin {margin:+d}: pull {1 / (1 + math.exp(margin)):.2f}")

# %% [markdown]
# The pair in the wrong order pulls hardest. At the start every margin is 0, and all pull alike. Then
# clean pairs get a wide margin and fall silent. A pair that sets a right answer against a right one
# does not: what the clean pairs teach cancels in it, its margin stays small, and it goes on pulling.
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
# **Predict:** the naive verifier accepted 107 of the 320. How many pairs, from how many groups?

# %%
def judged_by(verifier):
    return rollout(
        load_problems("math"), ReplayPolicy(), verifier,
        MathRewardFunction(), n_samples=8,
    )


naive_groups = judged_by(naive_verify)
naive_rows = build_preferences(naive_groups, path=None)
used = {row["provenance"]["problem_id"] for row in naive_rows}
print(f"{len(naive_rows)} pairs from {len(used)} of 40 groups")

# %% [markdown]
# One row is what a trainer gets. `prompt` holds the messages *as sent*, the system prompt too:
# log-probabilities given another prompt would be those of other answers.

# %%
for part in ("prompt", "chosen", "rejected"):
    for message in naive_rows[0][part]:
        text = f"{part} / {message['role']}: {message['content'][:150]}"
        print(fill(" ".join(text.split()), 84))
print(f"provenance: {', '.join(naive_rows[0]['provenance'])}")

# %% [markdown]
# ## 4 · Read a pair that teaches the opposite
#
# For these 320 completions there is an answer key: somebody read each response and noted whether
# the answer that it commits to is right (`True`), wrong (`False`) or open (`None`).
#
# **Predict:** of the 249 pairs, how many punish a right answer?

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

# %% [markdown]
# Read one of them whole. The question is *Compute 2 to the power 20*.

# %%
of_power = poisoned[poisoned.problem_id == "math-11"]
one = of_power[of_power.chosen_index == 7].iloc[0]
print(f"CHOSEN\n{one.chosen}\n\nREJECTED\n{one.rejected}")

# %% [markdown]
# **Whose error?** The rejected answer is right, short and clear. The naive verifier found no box,
# took the last "number", and a thousands comma cut it down to 576. The chosen answer follows steps
# that have nothing to do with the power (squaring and multiplying in turn), breaks the
# system prompt's "at most three short lines", and then states the right value in a box. This pair teaches
# *more padding, a box, no comma*.
#
# One pair is an anecdote. What does the losing answer have, or lack, in all 27?

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


# %% [markdown]
# **Predict:** which form loses most often in the 27: no box, a unit in the box (a sign such as % or
# ° counts), or a fraction?

# %%
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
# doesn't pay can't win. Where *every* right answer was a fraction, it accepted none, and the whole group
# gives no pair. So the pairs show fractions and units only as losers, right or wrong.
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
# `build_preferences(groups, labels)` does that and **accounts for every possible pair**. Each
# accepted × rejected pair of a group has one *fate*, and the winner is looked at first:
#
# 1. `flagged_winner`: the winner is suspected of a hack
# 2. `false_winner`: the winner is known to be wrong
# 3. `open_winner`: nobody can tell whether the winner is right
# 4. `poisoned_loser`: the loser is known to be right
# 5. `open_loser`: nobody can tell whether the loser is wrong
# 6. `built`: none of these
#
# **Exercise q06d.** A group of eight, made up:
#
# | sample | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
# |---|---|---|---|---|---|---|---|---|
# | verdict | accepted | accepted | accepted | rejected | rejected | rejected | ungraded | rejected |
# | label | – | suspected hack | wrong | – | right | open | – | – |
#
# How many pairs meet each fate? Give a dict with a number for each of the six names, and make sure
# that they add up to all accepted × rejected pairs.

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


# %%
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
# Even without labels the package's pairs have only three poisoned, all against one response that was
# cut off in its last sentence. But look at the last row: **labels take poison out; they can't put in
# winners that were never paid.** Filtering repairs a file; only mending the verifier repairs what the
# file is about.
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
    ax.annotate(f"{mean:+.0f}", (mean, place), (0, 6),
                textcoords="offset points", ha="center")
ax.set_yticks(range(len(sets)), [label(name, "\n") for name in sets])
ax.set_ylim(len(sets) - 0.5, -0.7)
ax.axvline(0, color="#777777", linestyle="--", linewidth=1)
ax.set_xlabel("characters, chosen − rejected: mean, 95% interval (line)")
_ = ax.set_title("Naive pairs prefer the longer answer", loc="left")

# %% [markdown]
# The opposite of "shorter": within a question the winners of the naive pairs are *longer*. For the
# package's pairs the interval contains zero: no length bias is *shown*, and one of some 100
# characters is not ruled out. Two questions remain. Why is it different over all answers? And where does the naive
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
    print(f"problems solved {'half the time or more' if easy else 'less'}: "
          f"{lengths.mean():.0f} (n={len(lengths)})")

# %%
full = sets["package, labels"]
new = full[~full.problem_id.isin(naive.problem_id)]
print(f"in groups that were silent under the naive verifier: "
      f"{extra_length(new).mean():+.0f} characters\n"
      f"({len(new)} pairs, {new.problem_id.nunique()} groups)")

# %% [markdown]
# Easy questions get short answers, and right ones: a fact about questions, which a pair can't see,
# since both of its answers have the same one. And the groups that the naive verifier silenced point
# the other way. It didn't only lose them: **which groups are heard decides what the set teaches.**
#
# `build_preferences(..., balance=True)` matches each longer winner with a pair whose winner is
# about as much shorter, and leaves out what finds no match: worth its price if a set is shown to be
# biased. Measure first.
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
# The training notebooks train with DPO for real. But the direction can be computed here, with a
# *simulated* policy: it sees four features φ of an answer (is right by the key, has a box, box holds
# a unit, box holds a fraction) and learns a weight for each, θ. So
# log π − log π_ref = θ·φ, up to a constant that cancels within a question, and DPO is exactly a
# logistic regression on φ(chosen) − φ(rejected).
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
# a fraction. Before training each has a share of 1/3. (All three sets teach the box itself, which the
# system prompt asks for, so answers without one are left out here.)
#
# **Predict:** what happens to the fraction under the naive pairs, under the naive pairs with the
# poison left out, and under the package's?

# %%
WAYS = {"plain": (1, 1, 0, 0), "unit": (1, 1, 1, 0),
        "fraction": (1, 1, 0, 1)}


def shares(delta):
    weights = np.exp(np.array(list(WAYS.values())) @ train(delta))
    return weights / weights.sum()


def interval(table, rng, draws=200):
    """Of the shares: 95%, after training on groups drawn again."""
    delta = differences(table)
    places = list(table.groupby("problem_id").indices.values())
    picks = rng.integers(len(places), size=(draws, len(places)))
    drawn = [shares(delta[np.concatenate([places[i] for i in pick])])
             for pick in picks]
    return np.quantile(drawn, [0.025, 0.975], axis=0)


# %%
shown = ["naive", "naive, labels", "package, labels"]
after = {name: shares(differences(sets[name])) for name in shown}
pd.DataFrame(after, index=list(WAYS)).round(2)

# %%
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
ax.legend(loc="upper right", fontsize=8)
claim = "Naive pairs teach plain numbers"
_ = ax.set_title(claim, loc="left")

# %% [markdown]
# **Plain numbers win under both naive sets.** The interval of the naive pairs lies above 1/3, without
# the poison it only just does; that of the package's pairs does not. Taking the poison out doesn't help the fraction: it still occurs only as a loser.
# Under the package's pairs its dot is the highest of the four, but few problems have fractions, and
# the interval holds 1/3: that these pairs *prefer* fractions is not shown.
#
# And all three sets teach the box: in 249 naive pairs 69 winners had none, and 185 losers. The
# system prompt had asked for it.
#
# (The sizes depend on how long it trains: here 100 steps. With `steps=400` the
# naive sets go further the same way. A real model's
# answers have other features and more of them; the simulation shows a direction, not a forecast.)
#
# ## 10 · The file
#
# One JSON object a line: TRL's *conversational preference format* with one more column.

# %%
path = run.dir / "preferences.jsonl"
build_preferences(full_groups, key, path=path)
lines = path.read_text(encoding="utf-8").splitlines()
row = json.loads(lines[0])
print(f"{path.name}: {len(lines)} lines with {', '.join(row)}")
print(fill(f"{row['provenance']}", 84))

# %% [markdown]
# `datasets` is part of the extra `train`. With it the file loads in one line; without it, here is
# the line.

# %% tags=["nbval-ignore-output"]
LOAD = 'load_dataset("json", data_files=str(path), split="train")'
if find_spec("datasets") is None:
    print("datasets is not installed; with the extra `train` it would be")
    print(f"  from datasets import load_dataset\n  {LOAD}")
else:
    import warnings

    with warnings.catch_warnings(action="ignore"):  # about progress bars
        import datasets
    datasets.disable_progress_bars()
    loaded = datasets.load_dataset(
        "json", data_files=str(path), split="train",
        cache_dir=str(run.dir / "cache"),
    )
    print(f"{loaded.num_rows} rows, columns {loaded.column_names}")

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | in the recorded data |
# |---|---|---|
# | a strict verifier poisons pairs | count right losers by the key | 27 of 249 naive pairs |
# | a pair in the wrong order pulls hardest | slope of the DPO loss | 0.95 at margin −3, 0.05 at +3 |
# | labels take the poison out | rebuild with the key | 200 of 249 left, 0 punish a right answer |
# | labels can't add winners | forms of the winners | boxed fractions: 0 of 200, against 50 of 366 |
# | counts must add up | one fate for each possible pair | 27 have a right loser, 23 are left out for it |
# | a pair compares within a question | length over all answers and in pairs | right answers shorter, naive winners longer |
# | pairs are not independent | count the groups | 366 pairs, 33 groups |
#
# **Limits.** One small model, one system prompt, one key, 40 problems; answers were cut off at 220
# tokens, which bounds every length. Four hand-made features are not what a model sees. The key was used
# both to clean the pairs and to count what is left, so "0" holds by construction: for your own data,
# label some losers that you did not use.
#
# **Roads not taken.** Pairs across questions (the constant no longer cancels); pairs of two right
# answers by length or style (a preference, not a verified fact); a reward model trained on the pairs
# (notebook 04 shows what happens where it errs); rewriting a loser instead of leaving it out.
#
# **Next:** `07_build_your_own_verifier`: a verifier of your own, under attack.
