# %% [markdown]
# # 03 · Groups and advantages
#
# **One question:** what exactly does a policy learn from a group of its own answers, and when does
# it learn nothing?
#
# | | |
# |---|---|
# | **You will** | *compute* advantages in two ways, compare four and hold them to a trainer's, *mask* a sample, *count* the groups that teach, *estimate* pass@k, *tune* a difficulty |
# | **Minutes** | 85 |
# | **You need** | notebooks 00 and 01, and 02 helps; the mean and the standard deviation of a few numbers |
# | **Offline?** | yes: recorded completions of one real model, and simulated policies, which are labelled; section 5 trains a tiny network: *recorded* runs, or here if you set `LIVE` (or with `MODE` local or api) |
#
# Words from notebook 00: a *group* is several completions of one problem; each earns a *reward*;
# its *advantage* says how much better it did than its group. Training makes completions with a
# positive advantage likelier, and those with a negative one less likely. This is the arithmetic
# that decides what training *can* learn.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api
LIVE: bool = False  # True: train section 5 here, 1 minute; extra "train"

# %% tags=["nbval-ignore-output"]
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rlvr_course import (
    MathRewardFunction, MathVerifier, Rate, ReplayPolicy, SimulatedPolicy,
    StackedReward, StrengthCurve, check, generate, group_advantages,
    group_statistics, load_problems, naive_verify, pass_at_k_curve, plots,
    rollout, solved_counts, start, tune_difficulty,
)
from rlvr_course.problems.recorded import answer_key
from rlvr_course.training import train_or_recall, with_settings
from rlvr_course.training.trl_advantages import trl_advantages

pd.set_option("display.html.use_mathjax", False)
run = start("03_groups_and_advantages", MODE)


def figure(title, xlabel, ylabel="", height=3.2):
    ax = plt.subplots(figsize=(7, height), layout="constrained")[1]
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_title(title, loc="left")
    return ax


# %% [markdown]
# ## 1 · The mean of the group
#
# A reward by itself says little: is +1 a success, or what this problem always pays? The group
# answers: the mean of its rewards is the *baseline*, and reward less baseline is the advantage.
#
# **Exercise q03a.** Four completions earn 1, −0.1, −0.1 and −0.1. By hand: their four advantages,
# in order, as a list of numbers. They have three decimals: don't round them to two.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q03a", "points": 2, "solution": true}
### BEGIN SOLUTION
my_four = [0.825, -0.275, -0.275, -0.275]
### END SOLUTION

# %%
check("q03a", my_four)

# %% [markdown]
# Whatever the rewards are, such advantages sum to zero: the policy is never told "well done, all of
# you". And what is rare in a group is pushed hardest.
#
# ## 2 · Leave one out
#
# Look again at the baseline of the right completion: its own reward is in it, so a good completion
# raises the bar that it is measured by. RLOO (*leave one out*, for REINFORCE, the
# oldest policy-gradient method) compares each reward with
# the mean of the **others** instead.
#
# **Exercise q03b.** Write `leave_one_out(rewards)`: one advantage for each reward, as a list. A
# completion that is alone in its group has nobody to be compared with; its advantage is 0.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q03b", "points": 4, "solution": true}
def leave_one_out(rewards):
    """Each reward less the mean of the group's other rewards."""
    ### BEGIN SOLUTION
    others = len(rewards) - 1
    if others == 0:
        return [0.0]
    total = sum(rewards)
    return [r - (total - r) / others for r in rewards]
    ### END SOLUTION


# %%
check("q03b", leave_one_out)

# %% [markdown]
# From here on the cells use the package: `group_advantages(rewards, method)`, with the methods
# `"group_mean"`, `"rloo"` and more.
#
# **Predict:** in a group of 4, how do RLOO's numbers differ from the group mean's? And in a group
# of 16? (One completion earns 1, the others −0.1.)

# %%
for n in (2, 4, 8, 16):
    mean, rloo = [group_advantages([1.0] + [-0.1] * (n - 1), m)
                  for m in ("group_mean", "rloo")]
    ratio = np.divide(rloo, mean)
    print(f"n={n:<2} first one {mean[0]:.3f} and {rloo[0]:.3f}, all ratios "
          f"from {ratio.min():.3f} to {ratio.max():.3f}")

# %% [markdown]
# In each line the least ratio equals the largest: *every* number is multiplied by the same factor, n / (n − 1),
# and nothing else happens. (Two lines of algebra say why. Call the sum of the rewards S, write both
# advantages with it, and compare.)
#
# So the two differ by a step size that depends on the group's size alone: RLOO's numbers are doubled at
# n = 2, where the own reward is half of the baseline, a third larger at n = 4, and 7% at n = 16.
#
# ## 3 · Four estimators, four groups
#
# | method | advantage | known as |
# |---|---|---|
# | `group_mean` | r − mean | the baseline alone |
# | `rloo` | r − mean of the others | RLOO |
# | `grpo` | (r − mean) / (std + 0.0001) | GRPO (*group relative policy optimisation*), as first published |
# | `dr_grpo` | r − mean | Dr. GRPO: GRPO without the division (and with another average over tokens in the loss, which is not looked at here) |
#
# *std* is the *sample* standard deviation of the group's rewards, a measure of their spread: the root of
# the sum of squared deviations over n − 1, not n (`ddof=1` in numpy).
#
# Four groups; in each of them one completion is the odd one out. In the last two nobody is right:
# one completion *refuses* and earns 0 (as with `refusal_reward=0.0`), and the others are wrong, at −0.1 or at −1.
#
# **Predict**, for each method: by what factor do the advantages in the last two groups differ?

# %%
groups_of_four = {
    "one right": [1.0, -0.1, -0.1, -0.1],
    "one wrong": [-0.1, 1.0, 1.0, 1.0],
    "refusal, wrong = −0.1": [0.0, -0.1, -0.1, -0.1],
    "refusal, wrong = −1": [0.0, -1.0, -1.0, -1.0],
}

# %%
METHODS = ["group_mean", "rloo", "grpo", "dr_grpo"]


def odd_and_others(rewards, method):
    advantages = group_advantages(rewards, method)
    return f"{advantages[0]:+.3f}\u00a0/\u00a0{advantages[1]:+.3f}"


cells = {
    m: [odd_and_others(g, m) for g in groups_of_four.values()]
    for m in METHODS
}
by_method = pd.DataFrame(
    cells, pd.Index(groups_of_four, name="odd / others")
)
mild, harsh = list(groups_of_four.values())[2:]
by_method.loc["last group / the one above"] = [
    f"× {group_advantages(harsh, m)[0] / group_advantages(mild, m)[0]:.3f}"
    for m in METHODS
]
by_method

# %% [markdown]
# Dividing looks harmless, even tidy: all groups get the same scale. But the factor is 10 for `group_mean`, `rloo` and `dr_grpo`, as in the rewards, and 1.002 for `grpo`. **Read
# the column `grpo`**: three of the groups get the same numbers, and *one wrong* gets their mirror image.
# Where a group holds only two different rewards, dividing by the spread leaves *who is odd* and
# removes *what it costs*. {−0.1, 0} and {−1, 0} push alike: the size of the penalty, which notebook
# 02 weighs with care, is gone. (What is left, the 1.002, comes from the 0.0001.)
#
# A group with three different rewards keeps a part of its prices; section 5 has both kinds.
#
# ## 4 · Nearly uniform groups
#
# The division has a second effect. Eight completions; seven earn the same and one earns less. This
# gap shrinks, from 1.1 (one wrong among right ones) in steps down to 0.0001.
#
# **Predict** the odd one's advantage under `grpo`: does it shrink with the gap, and from where on?

# %%
gaps = pd.Series([1.1, 0.1, 0.01, 0.001, 0.0001], name="gap")
pd.DataFrame({
    m: [group_advantages([-g] + [0.0] * 7, m)[0] for g in gaps]
    for m in METHODS[:3]
}, index=gaps.astype(str)).map("{:+.4f}".format)

# %% [markdown]
# It hardly shrinks. A gap of 0.01 weighs nearly as much as a wrong answer (−2.41 beside −2.47), and one of
# 0.001 more than three quarters of it (−1.93). Whatever small thing differs in a group whose answers are equally right (a bonus for length, a format) is
# blown up to full size. Only a gap as small as the 0.0001 itself is damped, to about a quarter.
#
# Now the ordinary case, right at 1 and wrong at −0.1, with 0 to 8 right of 8. How strongly does a
# *group* push, taking all of its advantages by size?
#
# **Predict:** against the group with 4 right, how much weaker is one with 7 right, with and without
# the division?

# %%
eights = {k: [1.0] * k + [-0.1] * (8 - k) for k in range(9)}
by_right = pd.DataFrame({
    m: {k: np.abs(group_advantages(g, m)).sum() for k, g in eights.items()}
    for m in ("grpo", "dr_grpo")
})
(by_right / by_right.loc[4]).round(2).T.rename_axis(columns="right of 8")

# %% [markdown]
# Without the division the group with 7 right weighs 0.44 of the half-right one, with it 0.66: half
# as much again. Dr. GRPO's authors call this a *difficulty bias*: nearly solved and nearly hopeless
# problems get a larger say. Whether that is bad depends on what you train for. That it isn't
# visible in the reward function is the point. The zeros at the two ends are section 7.
#
# ## 5 · One step
#
# What do such numbers do to a policy? Take the simplest one, which has three moves. These shares are
# *constructed*: 17% right, 69% wrong, 14% refusal; think of a weak model on hard sums. Groups of 8.
#
# A *policy-gradient* step makes each sampled move likelier in proportion to its advantage. Where these sum
# to zero, it changes the score of a move (its *logit*: the higher, the likelier) in proportion to the sum
# of the advantages of those samples that took it. So the push on *refusing* is the sum over the
# refusals in the group, here divided by 8.

# **Predict** the sign of the mean push on refusing, four times: a wrong answer costs 0.1 or 1; `dr_grpo`
# or `grpo`. And where would you look for the cause: in groups where somebody is right, or in the others?

# %%
SHARES = {"right": 0.17, "wrong": 0.69, "refuse": 0.14}
rng = np.random.default_rng(0)
moves = rng.choice(3, size=(4000, 8), p=list(SHARES.values()))


def push_on_refusing(cost, method):
    prices = np.array([1.0, -cost, 0.0])
    pushes = []
    for group in moves:
        advantages = group_advantages(prices[group].tolist(), method)
        pushes.append(np.sum(advantages, where=group == 2) / 8)
    return np.array(pushes)


settings = [(m, c) for m in ("dr_grpo", "grpo") for c in (0.1, 1.0)]
pushes = pd.DataFrame({(m, c): push_on_refusing(c, m) for m, c in settings})
best = np.where((moves == 0).any(axis=1), "somebody right", "nobody right")
split = pushes.groupby(best).mean()
split.loc["all"] = pushes.mean()
split.loc["± (95%, all)"] = 1.96 * pushes.std() / len(moves) ** 0.5
sizes_of = pd.Series(best).value_counts()[split.index[:2]]
split["n", ""] = [*sizes_of, 4000, ""]
split.round(3)

# %% [markdown]
# Without the division the penalty's size decides: at 0.1 this policy is pushed away from refusing, at
# 1 towards it. With the division it is pushed towards refusing at *both*. In groups where nobody is right,
# refusing is the best that anybody did. At a cost of 0.1 that
# earns a push of 0.012, which the other groups outweigh; divided by the tiny spread of such a group
# it becomes 0.273, as large as at a cost of 1, and wins. Where somebody was right the price still counts
# under both methods: those groups hold up to three different rewards.
#
# ### The real trainers
#
# **TRL** is the library that trains large models by these methods. Its `RLOOTrainer` and `GRPOTrainer` take a
# step on the clerk of notebook 02, a network of 50,400 parameters with questions such as `7*8=` to answer, and are asked for the advantages
# in their log. The group: the first 16 answers of a recorded run, at a cost of 0.1. **Predict:** do they agree with
# ours, and to how many decimals?

# %%
live = LIVE or MODE != "fake"
recorded = partial(train_or_recall, live=False)
trained = partial(train_or_recall, live=live, out=run.dir.parent)

first = recorded("clerk-grpo-0.1").samples()[1][:16]
earned = [s.reward for s in first]
ours = {"rloo": "rloo", "grpo": "grpo", "grpo_unscaled": "dr_grpo"}
columns = {}
for trainer, method in ours.items():
    theirs = trl_advantages(earned, trainer, live=live)
    columns[f"{trainer}, TRL"] = theirs.values
    columns["ours" + " " * len(columns)] = group_advantages(earned, method)
print(theirs.label)
table_of_trl = pd.DataFrame(columns).groupby(earned).first()
table_of_trl.insert(0, "n", pd.Series(earned).value_counts())
table_of_trl.rename_axis("reward").sort_index(ascending=False).round(5)

# %% [markdown]
# They are the same numbers, so what you worked out by hand is what trains.
#
# **One step from one starting point is no training run.** Here are some: the clerk, trained with groups of 16. Each run
# differs from the one above it in one thing: the method, the division (TRL's `scale_rewards`), the price, the method. Three seeds each, of which 1 and 2 are recorded.
# **Predict** for each whether it refuses most of the time in the end, now and then, or hardly ever.

# %%
unscaled = with_settings(
    "clerk-grpo-0.1", "clerk-grpo-unscaled-0.1", scale_rewards="none"
)
recipes = {
    "RLOO, −0.1": "clerk-0.1", "GRPO not scaled, −0.1": unscaled,
    "GRPO scaled, −0.1": "clerk-grpo-0.1",
    "GRPO scaled, −1": "clerk-grpo-1.0", "RLOO, −1": "clerk-1.0",
}
clerks = {
    name: [trained(recipe), *(recorded(recipe, seed=s) for s in (1, 2))]
    for name, recipe in recipes.items()
}
refused = {name: [one.after.refusal for one in runs]
           for name, runs in clerks.items()}
for runs in clerks.values():
    print(runs[0].label.replace("parameters, ", "parameters,\n  "))

# %%
low, high = (np.mean([one.value for one in refused[f"GRPO {how}, −0.1"]])
             for how in ("not scaled", "scaled"))
_ = plots.rates(
    refused, title=f"At −0.1: {low:.0%} refused, scaled {high:.0%}",
    xlabel="refused in the end, 3 seeds each",
)

# %% [markdown]
# Notebook 02's contrast of the two prices is there under RLOO. The one setting `scale_rewards` makes the
# mild price a dearer one: in the recorded runs a clerk who pays 0.1 refuses about a fifth of the time, against 0.01 without it. It isn't the full
# collapse of a cost of 1: **the first step's direction was right, but no forecast of the end**. As answers get better, fewer groups
# are without a right one, and those are the groups that push so.
#
# **Read a failure.** A fifth on average: is that a fifth everywhere? **Predict** from the cause: which questions does the
# scaled clerk refuse at −0.1?

# %%
kinds = {}
wanted = [("refusal", "refused"), ("accuracy", "right")]
for name in ("GRPO not scaled, −0.1", "GRPO scaled, −0.1"):
    for one in clerks[name]:
        kinds[f"{name}, seed {one.seed}"] = {
            f"{word} {kind}": of[rate].value
            for rate, word in wanted
            for kind, of in one.after.by_kind.items()
        }
for name in ("GRPO not scaled, −0.1", "GRPO scaled, −0.1"):
    last = clerks[name][0].samples()[60][16:]
    print(f"{name}, step 60: {last[0].problem.question} "
          + " ".join(s.response for s in last))
pd.DataFrame(kinds).T.round(2).rename_axis("(n=736 products, 864 sums)")

# %% [markdown]
# It is nearly all in the products: with the division nearly half of them are refused, and hardly any sum. The group printed from the end of
# training shows how final that is: sixteen refusals, all advantages 0, nothing left to learn from, where the clerk without the division has
# found the answer. It fits the cause: where in a group nobody
# is right, the division pushes towards refusing as hard as a cost of 1 would. (Which groups these were in training isn't shown here.)
# **A mean over all questions hides it**: split your rates by kind of problem.
#
# ## 6 · Masks
#
# Sometimes nobody can judge a sample: the reference is broken, or the program that runs the answers is
# down. Its reward is then `None`. It must get no advantage, and **it must not move those of the others**.
#
# **Exercise q03c.** Write `masked_advantages(rewards)` with the group mean as the baseline: `None`
# stays `None`, at its place, and everybody else gets what they would get without it.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q03c", "points": 4, "solution": true}
def masked_advantages(rewards):
    """Reward less the mean of the unmasked ones; None where masked."""
    ### BEGIN SOLUTION
    known = [r for r in rewards if r is not None]
    if not known:
        return [None] * len(rewards)
    mean = sum(known) / len(known)
    return [None if r is None else r - mean for r in rewards]
    ### END SOLUTION


# %%
check("q03c", masked_advantages)

# %% [markdown]
# **Predict:** somebody replaces `None` by 0 ("neutral, isn't it?"), somebody else by the −0.1 of a
# wrong answer. What does each do to the three samples that *were* judged?

# %%
def with_none_as(value):
    rewards = [1.0, None, -0.1, -0.1]
    filled = [value if r is None else r for r in rewards]
    return group_advantages(filled, "group_mean")


pd.DataFrame(
    {"None stays": with_none_as(None), "None as 0": with_none_as(0.0),
     "None as −0.1": with_none_as(-0.1)},
    index=["right", "nobody could judge", "wrong", "wrong"],
).round(3).astype(object).fillna("masked").T

# %% [markdown]
# Both change everybody. At 0 the sample that nobody judged comes out above the wrong ones;
# at −0.1 it is punished like one, for a fault of the grader. A mask is not a number, and the share of
# masked samples belongs beside every rate.
#
# ## 7 · Groups that teach nothing
#
# Real completions: 40 recorded maths problems × 8 samples of Qwen2.5-Coder-1.5B-Instruct. Each is
# judged three ways: by the answer *key* (made by reading them), by `naive_verify` of notebook 01 (the
# first box, or else the last number, equal as floats or as texts), and by the package's `MathVerifier`. (The key leaves 8 samples open, as competent readers disagree about them; they
# are left out of the key's groups.)
#
# A group is *mixed* if it holds a right and a wrong answer. Notebook 01 counted 33 mixed groups under the
# key and 23 under the naive verifier. **Recall:** which kinds of reference do the lost ones have?

# %%
problems = load_problems("math")
groups = rollout(
    problems, ReplayPolicy(), MathVerifier(), MathRewardFunction(),
    n_samples=8, on_sample=run.log.append,
)
samples = [sample for group in groups for sample in group]
key = answer_key()
rows = pd.DataFrame({
    "problem": [s.problem.id for s in samples],
    "key": [key[s.problem.id, s.index] for s in samples],
    "naive": [naive_verify(s.response, s.problem.answer) for s in samples],
    "package": [s.verified_correct for s in samples],
})


def mixed_groups(judge):
    known = rows[rows[judge].notna()]
    kinds = known.groupby("problem")[judge].nunique()
    return set(kinds[kinds == 2].index)


# %%
mixed = {judge: mixed_groups(judge) for judge in list(rows)[1:]}
for judge, found in mixed.items():
    print(f"{judge:8} {len(found)} mixed = {Rate(len(found), 40)}")
print(f"package as key, by group: {mixed['package'] == mixed['key']}\n")
lost = mixed["key"] - mixed["naive"]
gained = mixed["naive"] - mixed["key"]
of_lost = rows[rows.problem.isin(lost)]
print(f"lost {len(lost)}: naive accepts {of_lost.naive.sum()} of their "
      f"{len(of_lost)} samples; the references are")
print("; ".join(q.answer for q in problems if q.id in lost))
of_gained = rows[rows.problem.isin(gained)]
for index, row in of_gained[of_gained.naive].iterrows():
    print(f"\ngained {len(gained)}: {samples[index].problem.question}")
    print(f"reference {samples[index].problem.answer}, key {row.key}, "
          f"right in this group by the key: {of_gained.key.eq(True).sum()}")
    print("…" + samples[index].response[-200:].rstrip())

# %% [markdown]
# 33 − 11 + 1 = 23. **The 11**: their answers are fractions, roots, π, percents, a set, an expression (2.4 was
# answered as a fraction), and the naive verifier reads none of these. So it rejects all 88 samples, right
# and wrong alike, and the groups go silent. No error, no warning, just a gradient of zero.
#
# **The 1**, whose end is printed above: the model wrote a program and then *made up its output*, which
# happens to fit. The naive verifier takes the last number that it sees; the key leaves the sample
# open, and finds no right answer among the other seven. What this group would teach is to write
# programs and invent their output.
#
# Mixed or not is the coarse view. The fine one: what happens to each right answer? By the key there are
# 148.
#
# **Predict:** how many of them does the naive verifier push up, not move, or push *down*, as wrong among
# others that it accepts? And the package's?

# %%
def signs_of_right_answers(judge):
    rewards = rows[judge].map({True: 1.0, False: -0.1})
    centred = rewards - rewards.groupby(rows.problem).transform("mean")
    signs = np.sign(centred.round(9))[rows.key.eq(True)]
    return signs.value_counts().reindex([1, 0, -1], fill_value=0).tolist()


fates = {j: signs_of_right_answers(j) for j in ("naive", "package")}
total, up = sum(fates["naive"]), fates["naive"][0]
ax = figure(
    f"The naive verifier pushes {up} of {total} right answers up",
    f"right answers by the key (recorded, n={total})",
    height=2.7,
)
words = ["pushed up", "not moved", "pushed down"]
colours = [plots.BLUE, "#bbbbbb", plots.ORANGE]
for row, counts in enumerate(fates.values()):
    left = np.cumsum([0] + counts[:2])
    ax.barh([row] * 3, counts, height=0.5, left=left, color=colours)
    text = ", ".join(f"{c} {word}" for c, word in zip(counts, words))
    ax.annotate(text, (0, row - 0.29), va="bottom")
ax.set_yticks(range(2), fates)
_ = ax.set_ylim(1.5, -0.75)

# %% [markdown]
# Under the naive verifier 77 right answers, about half, become likelier. 60 are not moved: it judges all
# of their group alike. And 11 become *less* likely: it rejects them, and accepts others in their group.
#
# Under the package's verifier 123 are pushed up. 24 aren't moved either, and that is no verifier's fault:
# they belong to the three groups where all eight are right. Those problems are too easy. (The one that it
# pushes down was cut off in its last sentence; notebook 01 reads it.)
#
# ## 8 · pass@k
#
# *pass@k* is the chance that at least one of k tries is right. pass@1 is what the policy does; pass@8
# says on which problems a group of 8 has anything to reinforce.
#
# We have n = 8 samples a problem, c of them right. Of all ways to draw k of the n (there are
# `math.comb(n, k)`), what share holds a right one?
#
# **Exercise q03d.** Write `pass_k(n, c, k)`: that share, a number from 0 to 1.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q03d", "points": 4, "solution": true}
def pass_k(n, c, k):
    """Share of the draws of k out of n that hold one of the c right."""
    ### BEGIN SOLUTION
    from math import comb

    return 1 - comb(n - c, k) / comb(n, k)
    ### END SOLUTION


# %%
check("q03d", pass_k)

# %% [markdown]
# Two shortcuts are popular. *Plug-in*: 1 − (1 − c/n)^k. *One draw*: take k of the samples, once, and look
# whether the best of them is right.
#
# **Predict:** what is wrong with each: too high, too low, or too noisy?

# %%
solved = solved_counts(groups)
right = np.array([c for _, c in solved])
curve = pass_at_k_curve(solved, (1, 2, 4, 8))
table = pd.DataFrame({"all draws": [p.value for p in curve]})
table.index = pd.Index([p.k for p in curve], name="k")
table["plug-in"] = [np.mean(1 - (1 - right / 8) ** k) for k in table.index]
again = [  # 1,000 times: k of each problem's 8 samples, is one right?
    (rng.hypergeometric(right, 8 - right, k, size=(1000, 40)) > 0).mean(1)
    for k in table.index
]
table["one draw, from"] = [np.quantile(a, 0.025) for a in again]
table["to"] = [np.quantile(a, 0.975) for a in again]
table.round(2)

# %% [markdown]
# Plug-in is too low, here by up to 0.06: it puts each sample back, so that a draw may hold the same one
# twice. With 1 right of 8 it says 1 − (7/8)^8 = 0.66 at k = 8, though all eight were drawn. One draw is right on average, but each draw says something else (the last
# two columns hold 95% of 1,000 draws), although the data is the same. At k = 8 there is but one way to draw.
# *All draws* is the average over every draw: no bias and none of that noise.
#
# What noise is left comes from *which problems* were asked. So the interval resamples problems. Compare
# it with one that takes all 320 samples for independent:

# %%
print(f"by problems: {curve[0]}")
print(f"by samples:         {Rate(int(right.sum()), 320)}")
ax = figure(
    "Eight tries solve twice as many problems as one",
    "k, tries (recorded, n=40 problems × 8 samples; 95% interval)",
    "pass@k",
)
for point in curve:
    ax.plot([point.k] * 2, [point.low, point.high], color=plots.BLUE)
    ax.annotate(f"  {point.value:.2f}", (point.k, point.value), va="top")
ax.plot(table["all draws"], "o-", color=plots.BLUE)
ax.set_xscale("log", base=2)
ax.set_xticks(table.index, table.index)
ax.margins(x=0.1)
_ = ax.set_ylim(0, 1.03)

# %% [markdown]
# The right answers are within reach for 36 of the 40 problems. Between pass@1 and pass@8 lies what this
# method can work on; on the four problems that were never solved there is nothing to push up.
#
# ## 9 · Tune the difficulty
#
# When is a group mixed? Let each of n samples be right with probability p, independently.
#
# **Exercise q03e.** Write `chance_mixed(p, n)`: the chance that it *is* mixed, a number from 0 to 1, by
# formula (drawing groups at random is not exact enough).

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q03e", "points": 3, "solution": true}
def chance_mixed(p, n):
    """Chance that a group of n holds a right and a wrong sample."""
    ### BEGIN SOLUTION
    return 1 - p**n - (1 - p) ** n
    ### END SOLUTION


# %%
check("q03e", chance_mixed)

# %% [markdown]
# Now measure it, on policies whose strength we set. `generate` makes arithmetic problems at a difficulty
# from 0 to 1; a **simulated** policy of strength s (a labelled random generator, not a model) solves half
# of those at difficulty s. Five strengths × five difficulties, each 24 problems × 8 samples.
#
# **Predict:** at which solve rates are less than half of the groups of 8 mixed? And where does our *recorded*
# data lie, with 46% solved: on the curve for n = 8, above it, or below?

# %%
verify, pay = MathVerifier(), MathRewardFunction()


def simulated(strength):
    curve_of_strength = StrengthCurve(strength)
    return lambda asked: SimulatedPolicy(asked, accuracy=curve_of_strength)


def measured(strength, difficulty):
    asked = generate("arithmetic", 24, difficulty=difficulty)
    policy = simulated(strength)(asked)
    made = rollout(asked, policy, verify, pay, n_samples=8)
    return group_statistics(made)


STRENGTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
DIFFICULTIES = (0, 0.25, 0.5, 0.75, 1)
trials = [measured(s, d) for s in STRENGTHS for d in DIFFICULTIES]

# %%
def drawn_mixed(n):
    """The theory: 100,000 groups for each p, all their samples alike."""
    counts = rng.binomial(n, grid, size=(100_000, len(grid)))
    return ((counts > 0) & (counts < n)).mean(axis=0)


grid = np.linspace(0, 1, 51).round(2)
theory = pd.DataFrame(
    {n: drawn_mixed(n) for n in (4, 8, 16)}, pd.Index(grid, name="p")
)
theory.loc[[0.08, 0.2, 0.5, 0.8, 0.92]].round(2).T.rename_axis("n")

# %%
def draw_point(ax, solve_rate, mixed_rate, **style):
    """A share of mixed groups over its solve rate, with its interval."""
    y, (low, high) = mixed_rate.value, mixed_rate.interval()
    spread = [[y - low], [high - y]]
    ax.errorbar(solve_rate.value, y, yerr=spread, elinewidth=0.8, **style)


least = min(t.mixed for t in trials if 0.2 <= t.solve_rate.value <= 0.8)
ax = figure(
    f"Simulated, 20% to 80% solved: {least} of 24 groups or more are mixed",
    "solve rate (shaded: 20% to 80%)",
    "share of mixed groups,\n95% interval", height=3.9,
)
ax.axvspan(0.2, 0.8, color="#eef4fa", zorder=0)
for n, style in ((4, ":"), (8, "-"), (16, "--")):
    ax.plot(theory[n], style, color=plots.GREY, label=f"theory, n={n}")
for i, t in enumerate(trials):
    draw_point(ax, t.solve_rate, Rate(t.mixed, t.groups), fmt="o",
               color=plots.BLUE, label="" if i else "simulated, 24 each")
draw_point(ax, Rate(right.sum(), 320), Rate(len(mixed["package"]), 40),
           fmt="D", color=plots.ORANGE, label="recorded, 40 groups")
_ = ax.legend(frameon=False, loc="lower center")

# %% [markdown]
# At 20% or 80% theory says 0.83 for groups of 8, 0.59 for groups of 4. Outside the band it falls
# fast: at 8% or 92% less than half of the groups of 8 are mixed. Larger groups help, and cost more samples.
#
# **The recorded diamond lies below the curve.** The theory takes one p for all problems, as the simulated
# policies have at each setting. Real problems differ: 46% on average is some always solved, some never,
# and the rest between. *A mean solve rate inside the band doesn't promise mixed groups: count them.*
#
# `tune_difficulty` does both: it looks for a setting that this policy solves 20 to 80% of the time, and
# reports the mixed groups.

# %%
tunings = {
    s: tune_difficulty("arithmetic", simulated(s), verify, n_samples=8)
    for s in STRENGTHS
}
pd.DataFrame({
    "difficulty": [t.difficulty for t in tunings.values()],
    "solve rate": [str(t.chosen.solve_rate) for t in tunings.values()],
    "mixed of 24": [t.chosen.mixed.successes for t in tunings.values()],
    "settings tried": [len(t.trials) for t in tunings.values()],
}, index=pd.Index(STRENGTHS, name="strength"))

# %% [markdown]
# All five land. As a policy gets stronger, its problems have to get harder: a training set that is right
# at the start goes silent as the policy learns.
#
# ## 10 · Format beside correctness
#
# Parseable and right are two skills. Pay both: 0.05 for an answer in a closed `\boxed{...}`, beside
# 1 or −0.1 for right or wrong. On the recorded responses:
#
# **Predict:** which of the four cells (boxed or not, right or not) is empty, if any?

# %%
stacked = StackedReward(pay, format_reward=0.05)
paid = rollout(problems, ReplayPolicy(), verify, stacked, n_samples=8)
boxed = [s.components["format"] > 0 for s in sum(paid, [])]
rows["format"] = np.where(boxed, "boxed", "not boxed")
rows["answer"] = np.where(rows.package, "right", "wrong or none")
pd.crosstab(rows.format, rows.answer)

# %% [markdown]
# All four cells are filled: 53 boxes hold a wrong answer, 55 right answers come without a box. One number
# can't tell these two skills apart.
#
# **Predict:** (a) the policy learns to box *everything* and becomes no better at maths: by how much
# does the mean reward rise? How many more right answers would have raised it as much? (b) Under
# correctness alone 33 groups have a gradient. With the format paid too: how many? (c) How hard do the new
# ones push, against the 33? Section 4 has the answer in it.

# %%
more = 0.05 * (320 - sum(boxed))
print(f"box all: +{more / 320:.3f} a sample = {more / 1.1:.1f} more right")
for name, some in (("before", groups), ("after", paid)):
    teaching = 40 - group_statistics(some).zero_gradient
    print(f"groups with a gradient {name:6} {teaching} of 40")

# %%
sizes = pd.DataFrame({
    m: np.abs([group_advantages([s.reward for s in group], m)
               for group in paid]).mean(axis=1)
    for m in ("dr_grpo", "grpo")
})
differs = [g[0].problem.id in mixed["package"] for g in paid]
alike = np.where(sizes.dr_grpo > 0, "only boxes differ", "nothing differs")
sizes["in the group"] = np.where(differs, "correctness differs", alike)
sizes.groupby("in the group").agg(["mean", "count"]).round(3)

# %% [markdown]
# (a) A right answer in place of a wrong one adds 1.1, a box 0.05: a reward curve that rises by 0.027 can
# be eight more right answers, or none at all.
#
# (b) Six groups more have a gradient. Correctness is uniform in them, so **only the format can be learned
# there**; in the seventh uniform group the boxes don't differ either.
#
# (c) The table has the mean size of an advantage, and counts groups. Without the division the format's
# 0.05 stays small, 4% of the push of the other groups. With it, groups in which nothing but boxes differs
# push 0.95 times as hard as those that differ in being right. So keep the components apart in the log,
# plot both, and look at what your trainer divides by.
#
# How large may a format reward be? With a box a wrong answer earns −0.05 here, already more than the
# −0.1 of no answer at all. `StackedReward` guarantees only that it never earns more than 0 (or than a
# refusal that you price between the two): beside a wrong answer's −0.1 it takes no format reward above 0.1.

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | figure |
# |---|---|---|
# | RLOO is the group mean times n / (n − 1) | ratios for n = 2 to 16 | 2 to 1.07 |
# | dividing by the spread hides prices | {−0.1, 0} beside {−1, 0} | +1.5 in both |
# | and blows up small gaps | seven alike, one 0.001 less | −1.9, beside −2.5 for a wrong answer |
# | it can turn a push round | 4,000 simulated groups | −0.01 becomes +0.03 |
# | and does so in training | clerk through TRL, 3 seeds | at −0.1 refused 0.01 without, about 0.2 with it |
# | a mask moves nobody | `None`, 0 and −0.1 | only `None` leaves the others alone |
# | a strict verifier silences groups | recorded maths | 33 − 11 + 1 = 23 of 40 |
# | what is in reach | pass@k by problems | 0.46 at 1, 0.90 at 8 |
# | 20 to 80% solved, groups of 8 | theory, simulated | ≥ 0.83 mixed, if problems are alike |
# | format is a second signal | four cells | 39 groups push; 6 on format alone |
#
# **Limits.** One recorded model on 40 problems; policies that are simulated; rewards and shares that
# are constructed, where it says so; one tiny network, on one task with three seeds, for what the division does.
# Not looked at: how a loss averages over tokens, the KL term and
# clipping (two brakes on the size of a step).
#
# **Roads not taken.** A learned baseline (a *critic*, as in PPO): a second network, where the group gives a
# baseline for nothing. Scaling by the spread of the whole *batch* instead of the group's: it keeps the
# prices' ratios between groups. Dropping uniform groups and sampling others in their place: a common cure,
# paid for in samples.
#
# **Next:** `04_hack_detection`: what pays without being right.
