# %% [markdown]
# # 09 · Train end to end: from a verifier to a model that has learnt
#
# **One question:** you have a verifier that you trust. What does it take to train a model on it, and
# to *know* that the model learnt?
#
# | | |
# |---|---|
# | **You will** | *plan* a run before it starts, *write* the function that a trainer calls, *read* curves and logs, *name* what is wrong with five sick runs, *measure* a gain with its interval, *carry* one reward into six trainers |
# | **Minutes** | 100 |
# | **You need** | notebooks 00 (groups), 02 (prices of wrong and refused), 03 (advantages, masks) |
# | **Offline?** | yes. In fake mode every run shown is *recorded*, and says so; with `LIVE = True` the short ones are trained here, in about two minutes |
#
# The model is tiny: 50,400 parameters, one character a token. It learns in seconds what takes a large
# one hours, by the same trainers, with the same mistakes. Section 5 has a real language model.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api
LIVE: bool = False  # True: train in fake mode too, 2 minutes
LIVE_SMOLLM2: bool = False  # True: section 5 too, four minutes

# %% tags=["nbval-ignore-output"]
import re
from dataclasses import replace
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rlvr_course import (
    MathRewardFunction, MathVerifier, Problem, check,
    group_advantages, leave_one_out_advantages, plots, start,
)
from rlvr_course.adapters import VerifiedReward
from rlvr_course.training import (
    RLOO, Recipe, load_recipe, plan, train_or_recall,
)
from rlvr_course.training.recipes import with_settings

pd.set_option("display.html.use_mathjax", False)
pd.set_option("display.max_colwidth", 60)
run = start("09_train_end_to_end", MODE)
LIVE_NOW = LIVE or MODE != "fake"


# %%
def obtain(recipe, seed=0):
    """Recorded; trained here if LIVE, seed 0 only."""
    return train_or_recall(recipe, seed=seed, out=run.dir.parent,
                           live=LIVE_NOW and seed == 0)


def short(rate):
    """A rate and its 95% interval, without n."""
    return str(rate).split(" (n=")[0]


# %% [markdown]
# ## 1 · Before anything runs
#
# The task is a **cipher**: `1239=` is to be answered `2340`, each digit plus 1 (9 becomes 0). The
# start is a *warm start*: a fresh model that imitated a beginner, who gets each digit right about two
# times in three and sometimes refuses (with `?`).
#
# A **dry run** says what training would do, and does nothing: it writes no file and loads no
# library. **Predict** before you run it: each digit is right two times in three. How often is the whole
# answer right? And how many answers must the model write in 60 steps of 16 questions with 8 answers each?

# %% tags=["nbval-ignore-output"]
dry = plan("cipher-rloo", out=run.dir.parent)
for line in str(dry).split("\n"):
    print(fill(line, 84, subsequent_indent=" " * 10))

# %% [markdown]
# Four right digits of four: about (2/3)⁴ = 0.2, less the refusals. The samples are 60 × 16 × 8 = 7,680
# for training, and 2 × 1,600 to measure before and after.
#
# Five lines to check in any dry run: **data** (are train and test questions disjoint?), **example** (is the
# answer the one you think?), **tokenizer** (unknown: none?), **steps** (is there room for the longest answer?), and **time**. Each has
# ruined runs that took days.
#
# ### What the trainer is given
#
# TRL's trainers want a model, settings, a table and a *reward function*. A minimal script:
#
# ```python
# GRPOTrainer(
#     model="…", args=GRPOConfig(num_generations=8, max_completion_length=64, beta=0.0),
#     train_dataset=Dataset.from_list(rows), reward_funcs=my_reward).train()
# ```
#
# `rows` have a column `prompt`, a list of chat messages, and others of your own, here `answer`.
# TRL calls the function with keywords: `prompts`, `completions`, and **every column** of the table as a list, plus
# some of its own. With chat prompts a completion is a *list of messages*:
# `[{"role": "assistant", "content": "2340"}]`. The function returns one reward for each; **None** means
# "nobody could judge this": TRL leaves the row out (*masks* it).
#
# **Exercise q09a.** Write `my_reward`. It returns a list: 1.0 where the text of the *last* message, without blanks
# around it, is the answer; 0.0 where it is the refusal `?`; −0.1 otherwise; None where the answer is `""` (its
# reference was lost). Completions may also be plain strings: TRL gives those where prompts were strings.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q09a", "points": 4, "solution": true}
def my_reward(prompts, completions, answer, **columns):
    """One reward for each completion; None masks it."""
    ### BEGIN SOLUTION
    rewards = []
    for completion, wanted in zip(completions, answer):
        chat = not isinstance(completion, str)
        text = completion[-1]["content"] if chat else completion
        if wanted == "":
            rewards.append(None)
        elif text.strip() == wanted:
            rewards.append(1.0)
        else:
            rewards.append(0.0 if text.strip() == "?" else -0.1)
    return rewards
    ### END SOLUTION


# %%
check("q09a", my_reward)

# %% [markdown]
# ## 2 · One reward, one run
#
# Prices as in notebook 02: right 1, wrong −0.1, refusal 0. Two methods, each with three *seeds* (same
# settings, other random numbers): **RLOO** compares each answer with the mean of its siblings; **GRPO** also
# divides by their spread. **Predict**: accuracy on 200 test questions that are in no training batch, after 60 steps of
# each; and which of the two is ahead.

# %% tags=["nbval-ignore-output"]
runs = {name: [obtain(name, seed) for seed in range(3)]
        for name in ("cipher-rloo", "cipher-grpo")}
for group in runs.values():
    print(fill(group[0].label, 84))
pd.DataFrame([(name, one.seed, short(one.before.accuracy),
               short(one.after.accuracy), short(one.after.refusal))
              for name in runs for one in runs[name]],
             columns=["recipe", "seed", "right before", "right after",
                      "refused after"]).set_index("recipe")

# %% [markdown]
# From about 0.16 to 0.93 or more, in every run, within seconds of one core. RLOO and GRPO can't be told apart
# here: the seeds of one method differ as much as the methods do. *One* run of each would have shown a "winner".
# (Each rate is of 1,600 answers, 8 to each of 200 questions; the intervals take them as independent and are a little too narrow.)
#
# The *curves* below are something else: accuracy of the answers that each step trained on. Lines are the mean of three
# seeds, bands their lowest and highest; the dots are the test questions, with 95% intervals.

# %%
def band(ax, group, name, colour, label, line="-"):
    """Mean of the seeds and the band that they span."""
    table = np.array([one.curve(name) for one in group])
    steps = np.arange(1, table.shape[1] + 1)
    ax.fill_between(steps, table.min(0), table.max(0),
                    color=colour, alpha=0.2)
    ax.plot(steps, table.mean(0), line, color=colour, label=label)


# %% tags=["nbval-ignore-output"]
ax = plt.subplots(figsize=(7, 3.6), layout="constrained")[1]
for name, colour, line in (("cipher-rloo", plots.BLUE, "-"),
                           ("cipher-grpo", plots.ORANGE, "--")):
    band(ax, runs[name], "accuracy", colour, f"{name} (3 seeds)", line)
    for x, when in ((0, "before"), (61, "after")):
        rate = getattr(runs[name][0], when).accuracy
        ax.vlines(x, *rate.interval(), color=colour)
        ax.plot(x, rate.value, "o", color=colour)
ax.set_xlabel("step (128 training answers each)")
ax.set_ylabel("share of right answers")
ax.set_ylim(0, 1)
_ = ax.legend(loc="lower right", title="dots: test, n=1600, seed 0")
_ = ax.set_title("Both learn the cipher within 60 steps, at the same pace",
                 loc="left")

# %% [markdown]
# Three things to read, always in this order:
#
# 1. **Test, not train.** The last dots lie where the lines end, so nothing was learned by heart: the rule was.
# 2. **Accuracy, not reward.** Reward would look the same here. In notebook 04 it rose while accuracy fell, so never
#    show the one without the other.
# 3. **The answers.** Figures summarise text. Read some:

# %%
recorded = train_or_recall("cipher-rloo", live=False)
for step in (1, 60):
    print(f"step {step}")
    for one in recorded.samples()[step][:16:3]:
        print(f"   {one.problem.question}{one.response:<6} "
              f"right: {one.problem.answer}   reward {one.reward:g}")

# %% [markdown]
# At step 1 one of these six answers is right, and 15 of their 24 digits. That is why this works: **reinforcement
# makes likely what already happens sometimes**. What if it never happens?
#
# ### When it never happens
#
# A new task, **copy**: `1239=` is to be answered `1239`. Two starts: a beginner at copying, right 0.04 of the time;
# and the cipher policy of `cipher-rloo` as it ended above, which adds 1 to every digit, so that it is never right. Two rewards: all or
# nothing, and the *share* of right digits. **Predict** the share of right answers after 80 steps of RLOO, for each start with each reward.

# %% tags=["nbval-ignore-output"]
never = Recipe("cipher-copies", "copy", RLOO(steps=80), wrong=0.0,
               start="cipher-rloo")
copies = ["copy-binary", "copy-fractional", never,
          replace(never, name="cipher-copies-share", verifier="share")]
rows = []
for one in map(obtain, copies):
    rows.append((one.recipe.start or "beginner", one.recipe.verifier,
                 short(one.before.accuracy), short(one.after.accuracy),
                 one.before.reward, one.after.reward))
pd.DataFrame(rows, columns=[
    "start", "paid for", "right before", "right after", "reward before",
    "reward after"]).set_index("start").round(3)

# %% [markdown]
# ("exact": all or nothing; "share": right digits. 1,600 answers to test questions; one seed each.)
#
# From 0.04 all or nothing is enough, and ends *above* the fraction: it asks for what you want. From 0 it stays at 0: every reward is 0, so is every advantage, and nothing moves. The fraction does move something, its own reward, from
# nearly 0 to 0.38 of the digits. But whole answers are still almost never right. **A reward needs p > 0**; a
# fraction is a ladder, and you must check that its top rung is the one you want.
#
# ## 3 · Collapse, and cure
#
# The **clerk** answers one-digit sums and products. There is a table to be learned by heart, so success is slow, and in the
# meantime refusing pays better than a guess, if a wrong answer is dear. You met it in notebook 02; here two
# methods are compared. **Predict** the share of refusals after 60 steps: wrong −0.1 or −1.0, by RLOO and by GRPO.

# %%
def three(recipe):
    """The recorded runs of three seeds."""
    return [train_or_recall(recipe, seed=k, live=False) for k in range(3)]


clerks = {"RLOO, wrong -0.1": three("clerk-0.1"),
          "RLOO, wrong -1.0": three("clerk-1.0"),
          "GRPO, wrong -0.1": three("clerk-grpo-0.1"),
          "GRPO, wrong -1.0": three("clerk-grpo-1.0")}


def by_seed(group, name, when="after"):
    rates = (getattr(getattr(one, when), name) for one in group)
    return " ".join(f"{rate.value:.2f}" for rate in rates)


names = {"refusal": "refused, 3 seeds", "accuracy": "right, 3 seeds"}
before = clerks["RLOO, wrong -0.1"]  # all four have the same start
pd.DataFrame({head: {"before": by_seed(before, name, "before")} | {
    label: by_seed(group, name) for label, group in clerks.items()}
    for name, head in names.items()})

# %%
ax = plt.subplots(figsize=(7, 3.4), layout="constrained")[1]
looks = [(plots.BLUE, "-"), (plots.BLUE, ":"),
         (plots.ORANGE, "-"), (plots.ORANGE, "--")]
for (name, group), (colour, line) in zip(clerks.items(), looks):
    band(ax, group, "refusal", colour, name, line)
ax.set_xlabel("step (256 training answers each)")
ax.set_ylabel("share refused")
ax.set_ylim(0, 1)
_ = ax.legend(title="mean and range of 3 seeds", loc="center right")
_ = ax.set_title("At -1.0 both fall silent; at -0.1 only GRPO refuses more",
                 loc="left")

# %% [markdown]
# (Recorded in every mode. Each figure is of 1,600 answers to 50 test questions, so 0.02 or 0.03 either way is chance.)
#
# - At **−1.0 both collapse**: 0.87 or more refused. Break-even is 0.5, the clerk is right less often than that, and what is no longer
#   tried is no longer learned.
# - At **−0.1** RLOO hardly refuses. GRPO refuses about a fifth, though break-even is 0.09 in both.
#
# Why? A suspect: GRPO divides each group's rewards by their spread (notebook 03). Take a question that the clerk never gets right:
# a group of 16 holds, say, 12 wrong answers at −0.1 (or at −1) and 4 refusals at 0. **Predict** the advantage of a refusal at each price,
# by both methods. Then predict which of four changes to GRPO at −0.1, one at a time, make it refuse as little as RLOO: not to scale, to scale
# by the spread of the whole batch, smaller groups, a higher learning rate.

# %%
for method in ("rloo", "grpo"):
    gains = [group_advantages([wrong] * 12 + [0.0] * 4, method)[-1]
             for wrong in (-0.1, -1.0)]
    print(f"{method}: {gains[0]:.2f} at -0.1, {gains[1]:.2f} at -1.0")

# %% [markdown]
# Divided by the spread the two groups are *the same* (but for the last digit): scaling hides how small the penalty was. But is it that which makes GRPO refuse,
# or something else that differs? An **ablation** changes one thing at a time (recorded;
# `benchmarks/training.py ablation --seeds 0 1 2`; wrong −0.1):
#
# | method | group | learning rate | refused, 3 seeds |
# |---|---|---|---|
# | RLOO | 16 | 0.001 | 0.01 0.01 0.01 |
# | GRPO, not scaled | 16 | 0.001 | 0.01 0.01 0.01 |
# | GRPO, scaled by the whole batch | 16 | 0.001 | 0.01 0.01 0.01 |
# | **GRPO, scaled by the group** | 16 | 0.001 | 0.21 0.23 0.23 |
# | RLOO | 8 | 0.001 | 0.02 0.02 0.02 |
# | **GRPO, scaled by the group** | 8 | 0.001 | 0.64 0.29 0.27 |
# | RLOO | 16 | 0.002 | 0.01 0.02 0.20 |
# | **GRPO, scaled by the group** | 16 | 0.002 | 0.31 0.31 0.67 |
#
# Scaling *by the group* is what matters: without it, or by the spread of the whole batch, GRPO is like RLOO. Small groups
# and a higher learning rate make it worse, and a high rate alone can do it (RLOO at 0.002, third seed). At −1.0 all of these refuse 0.87 to 0.88. **Cures**, then: a price that puts
# break-even below the solve rate, and no scaling by the group.
#
# ### Too fast, and a leash
#
# A **KL penalty** β charges the policy for its distance from the start: it earns reward − β · KL, where KL is in *nats*, summed
# over the answer's tokens. 1 nat: the start would have chosen a token with about a third of the chance. *Entropy* is also in nats: how
# undecided a policy is about its next token, 0 where it always says the same. **Predict** the cipher's
# accuracy with ten and with thirty times the learning rate; each again with β = 0.2 as a leash; and at the usual rate with β = 1.

# %% tags=["nbval-ignore-output"]
leashed = [load_recipe("cipher-rloo")] + [
    with_settings("cipher-rloo", f"cipher-{name}", learning_rate=rate,
                  beta=beta)
    for name, rate, beta in (
        ("fast", 1e-2, 0.0), ("fast-beta", 1e-2, 0.2),
        ("hot", 3e-2, 0.0), ("hot-beta", 3e-2, 0.2), ("beta", 1e-3, 1.0))
]


def last(one, name):
    """Mean of the last ten steps; NaN where it wasn't logged."""
    logged = any(name in row for row in one.curves)
    return np.mean(one.curve(name)[-10:]) if logged else np.nan


rows = []
for one in map(obtain, leashed):
    rows.append((one.recipe.method.learning_rate, one.recipe.method.beta,
                 short(one.after.accuracy), last(one, "reward"),
                 last(one, "mean_length"), last(one, "entropy"),
                 last(one, "kl")))
table = pd.DataFrame(rows, columns=[
    "rate", "β", "right after", "reward", "tokens", "entropy",
    "KL per token"])
table.round(3).astype(object).fillna("–")

# %% [markdown]
# - **Ten times** is not too fast here, but better: 0.99. **Thirty times**: nothing is right any more. The learning rate is the first thing to
#   try, and its good range ends at a cliff.
# - **The leash doesn't hold at thirty.** With β = 0.2 the policy ends by saying nothing at all, to every question: one token, the mark that ends
#   an answer (entropy 0, 8 nats a token from the start). Every answer earns −0.1, so no reward calls it back. β doesn't shorten a step that is too long.
# - **β = 1** forbids nearly everything: 0.24.
#
# (The last four columns are means of the last ten steps. One seed each, n = 1,600; a dash: not logged, since with β = 0 TRL doesn't compute it.)
#
# **Exercise q09b.** At which β do staying at the start and moving away earn the same? Write
# `my_largest_beta(before, after, kl, tokens)`: the mean reward of the start and of the trained policy (without the penalty), the KL *per
# token* between them, above 0, and the tokens of an answer. It returns that β, and 0 if there is no gain.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q09b", "points": 3, "solution": true}
def my_largest_beta(before, after, kl, tokens):
    """The β at which moving away earns what staying earns."""
    ### BEGIN SOLUTION
    # before - β * 0 = after - β * kl * tokens
    return max(0.0, after - before) / (kl * tokens)
    ### END SOLUTION


# %%
check("q09b", my_largest_beta)

# %% tags=["nbval-ignore-output"]
held = obtain(leashed[2])
gain = held.after.reward - held.before.reward
distance = last(held, "kl") * last(held, "mean_length")
print(f"gain {gain:.2f}, KL of an answer {distance:.2f} nats: "
      f"moving that far pays below β = {gain / distance:.2f}")

# %% [markdown]
# That is the policy of the third row (rate 0.01, β = 0.2). To be there pays as long as β is below that, as its 0.2 is; at β = 1 staying near the start
# earns more, and there the last row stayed. β is a *price*, in reward per nat: choose it from what a gain is worth to you, not from a table.
#
# ## 4 · A run that fails in silence
#
# Nothing above raised an error. Most failures of training don't. This log is of a run whose verifier accepts whatever it
# sees (trained on purpose, recorded). **Predict** reward, its spread
# and the accuracy, at the start and at the end of twelve steps.

# %%
from rlvr_course.training.health.sick import load_sick

silent = load_sick("constant reward")
pd.DataFrame(silent.curves)[[
    "step", "reward", "reward_std", "frac_reward_zero_std", "accuracy",
]].iloc[::4].round(3)

# %% [markdown]
# The reward is perfect, and nothing is learned: every group is uniform, every advantage 0. The figure that says so is
# `frac_reward_zero_std`: **the share of groups in which all rewards are the same**. `reward_std`, the spread of the whole batch, says it
# here, too, but can be large while each single group is uniform. (The loss tells little: it is 0 here, and on fresh samples near 0 in
# healthy runs, too. Accuracy is known because the course measures it by the truth; your run may have no such column.)
#
# **Exercise q09c.** Write `my_last_lesson(log)`. A log is a list of dicts, in order: each has `"step"`; most have
# `"frac_reward_zero_std"`, rows of an evaluation or of the end don't. It returns the number of the last step in which at
# least one group could teach; 0 if none could.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q09c", "points": 3, "solution": true}
def my_last_lesson(log):
    """The last step with a group that isn't uniform; 0 if none."""
    ### BEGIN SOLUTION
    steps = [row["step"] for row in log
             if row.get("frac_reward_zero_std", 1.0) < 1.0]
    return max(steps, default=0)
    ### END SOLUTION


# %%
check("q09c", my_last_lesson)

# %% [markdown]
# ### Be the physician
#
# Six recorded runs; five were made sick on purpose. The table shows each figure's first value and the mean of its last five; a
# dash: not logged. `accepted` is the share that the run's own verifier accepts, `right` the truth.
#
# | name | what happens |
# |---|---|
# | `constant reward` | every answer earns the same, whatever it says |
# | `uniform groups` | rewards differ between groups, hardly ever within one |
# | `clipped completions` | answers are cut at the length limit, before they end |
# | `chat template not applied` | the prompt lacks the marks of a chat: the model doesn't see that it is its turn, and at first hardly any answer ends or earns |
# | `refusal collapse` | refusing wins |
# | `entropy collapse` | the policy says one and the same thing, which is no refusal |
# | `KL blow-up` | far from the start within a few steps |
# | `partial None` | of two reward functions one can't judge, and TRL counts its None as 0 |
# | `proxy up while truth is down` | accepted ever more often, right ever less |
#
# **Exercise q09d.** Name what each has: a dict such as `{"A": "healthy", …}` with the six letters. Each name, or `healthy`, is used at most
# once. Where two things show, name the one that explains the other.

# %%
from rlvr_course.classroom.ward import load_patients

patients = load_patients()
FIGURES = {"reward": "reward", "reward_std": "its spread",
           "proxy": "accepted", "accuracy": "right", "refusal": "refused",
           "entropy": "entropy", "kl": "KL", "clipped_ratio": "clipped",
           "frac_reward_zero_std": "uniform"}


def first_last(vitals, name):
    values = [row[name] for row in vitals.curves if name in row]
    if not values:
        return "–"
    return f"{values[0]:.2f} → {np.mean(values[-5:]):.2f}"


pd.DataFrame({label: {head: first_last(one, name)
                      for name, head in FIGURES.items()}
              for label, one in patients.items()})

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q09d", "points": 6, "solution": true}
### BEGIN SOLUTION
my_diagnoses = {
    "A": "refusal collapse",
    "B": "healthy",
    "C": "proxy up while truth is down",
    "D": "constant reward",
    "E": "KL blow-up",
    "F": "clipped completions",
}
### END SOLUTION

# %%
check("q09d", my_diagnoses)

# %% [markdown]
# Now the **health panel**: it reads a run's curves and says what is wrong, from which step, with what evidence and what to do. Its
# thresholds are on means over five steps, and each has its reason in `rlvr_course/training/health/limits.py`.

# %%
from rlvr_course.training.health import health

for label, one in patients.items():
    found = health(one)
    print(f"{label}  {', '.join(found.names) or 'nothing found'}")

# %% [markdown]
# Compare with your six. On E several figures are extreme, and the panel sorts them: the KL goes first, the rest is told as
# what follows from it. The whole report, and the curves with the step at which each finding begins:

# %%
health(patients["E"])

# %%
from rlvr_course.training.health.scores import score_health

_ = plots.health(health(patients["C"]))
score_health()

# %% [markdown]
# On C the two shares part at step 5, while the reward, upper left, looks like a success. (That answers are cut, from step 12 on, is told
# as what follows: lists are long.)
#
# A panel is a detector, so it is scored as one (notebook 04): *recall* on planted sicknesses, *false alarms* on healthy
# runs. One run of each kind is little, as the intervals say; of all nine it names nine, and it accuses none of 18 healthy ones. Its thresholds were chosen with these very runs in sight, so the table checks the panel; it doesn't say
# how it will do on yours. And it only knows curves. **No panel replaces reading twenty answers.**
#
# Two of the nine can't be seen in TRL's log at all, and are noted by watching the trainer's calls (`Watch(trainer)`):
#
# - **Chat template not applied**: prompts were plain strings, and TRL applies the template only to lists of messages.
# - **Partial None**: TRL masks only if *all* say None; otherwise it sums the None as 0, and what
#   nobody could judge is paid for its format. `MaskedSum` makes one function of them that is None as soon as a part is.
#
# ## 5 · A real language model
#
# SmolLM2-135M-Instruct, 12 steps of GRPO on one-digit arithmetic after three worked examples, by LoRA (small matrices beside the frozen
# weights). Measured on 113 questions that it was not trained on, 4 answers each. A line should be right, and be *nothing but the
# number*. So there are two figures, and they must be measured apart.
#
# **Exercise q09e.** Write `my_scores(text, answer)`: a pair of bools, `(right, tidy)`. Only the text up to the first line break counts.
# Right: the number that the line begins with (blanks before it don't matter, a minus belongs to it) is the answer. Tidy: the
# line is one number, with at most one blank in front, and nothing else; whether it is right doesn't matter. To a prompt that
# ends in `7 * 8 =`, ` 56` is right and tidy, ` 56!` right only, ` 54` tidy only, and `So 56` neither.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q09e", "points": 4, "solution": true}
def my_scores(text, answer):
    """(right, tidy) of one line."""
    ### BEGIN SOLUTION
    line = text.split("\n")[0]
    number = re.match(r"\s*(-?\d+)", line)
    right = number is not None and number[1] == answer
    return right, re.fullmatch(r" ?-?\d+", line) is not None
    ### END SOLUTION


# %%
check("q09e", my_scores)

# %% [markdown]
# **Predict**: the reward pays 1 for right and tidy, a half for right alone. Which rises more in 12 steps, arithmetic or tidiness?
# (Recorded; with `LIVE_SMOLLM2 = True` and the extras `train` and `local` it is trained here, in four minutes of CPU or more.)

# %% tags=["nbval-ignore-output"]
from rlvr_course.training.smollm2 import train_smollm2
from rlvr_course.training.smollm2_run import load_smollm2_run

smol = (train_smollm2(out=run.dir.parent) if LIVE_SMOLLM2
        else load_smollm2_run())
print(fill(smol.label, 84))
pd.DataFrame(
    [("right", smol.before.correctness, smol.after.correctness,
      smol.gain("right")),
     ("tidy", smol.before.format, smol.after.format, smol.gain("tidy"))],
    columns=["share of lines", "before", "after", "gain"]).astype(str)

# %% [markdown]
# Means over 113 questions with 95% intervals (*bootstrap*: of questions drawn again and again from these); the gain is after less before,
# question by question.
#
# Tidiness is learned at once and for good. Arithmetic gains 0.07, with an interval that only just leaves out 0: *probably* something, and a
# second seed might say otherwise. A single score, "right and tidy", would have reported one large gain in *mathematics*, most of it tidiness. **Split the score before you believe it**: what was asked for, and the form in which it was asked.

# %% tags=["nbval-ignore-output"]
ax = plt.subplots(figsize=(7, 2.8), layout="constrained")[1]
steps = np.arange(1, len(smol.curves) + 1)
ax.plot(steps, smol.curve("tidy"), "o-", color=plots.BLUE, label="tidy")
ax.plot(steps, smol.curve("right"), "s--", color=plots.ORANGE,
        label="right")
ax.set_xlabel("step (32 training answers to 4 questions each; one run)")
ax.set_ylabel("share of lines")
ax.set_ylim(0, 1.05)
_ = ax.legend()
_ = ax.set_title("Tidiness settles; right answers jump with each step's "
                 "questions", loc="left")

# %% [markdown]
# The right answers jump from step to step: each has four other questions, easy or hard. A curve of twelve such points shows no
# trend that one could trust; only the test questions, the same before and after, do.
#
# ## 6 · One reward, six doors
#
# Trainers differ in how they call a reward. The reward should not differ with them. Eight *constructed* completions; the last question has a
# reference that is no number, so nobody can judge it:

# %%
ROWS = [
    ("What is 12 * 13?", "156", r"12 * 13 = \boxed{156}"),
    ("What is 3/8 of 40?", "15", "That is 15."),
    ("What is 90 - 19?", "71", r"\boxed{72}"),
    ("What is 17 * 23?", "391", "I don't know."),
    ("What is 6 * 9?", "54", ""),
    ("What is 10 * 8?", "80", "It is 80 or 81."),
    ("What is 1 + 1/2?", "3/2", r"\boxed{1.5}"),
    ("What does the figure show?", "see the figure", r"\boxed{7}"),
]
problems = [Problem(question, answer) for question, answer, _ in ROWS]
said = [response for *_, response in ROWS]


def priced():
    """A new reward: each counts the masks that it gives."""
    judge = MathVerifier()
    return VerifiedReward(judge, MathRewardFunction(
        1.0, -0.1, refusal_reward=0.0, verifier=judge))


# %% [markdown]
# `VerifiedReward` is a verifier with its prices. Its doors: **TRL** calls a function with a batch; a **trainer of your own**
# turns rewards into advantages; **veRL** calls `compute_score` for one completion at a time, from a thread; **OpenRLHF** posts
# a batch to a *server* over HTTP; **verifiers** (its `v1`) scores *traces*, records of what a model said to each task of a set; **Inspect** scores an evaluation.
#
# **Predict** for each: what does it make of the completion that nobody could judge?

# %%
from rlvr_course.adapters.trl_reward import TRLReward
from rlvr_course.adapters.verl_score import VerlScore
from rlvr_course.classroom import doors

# %%
chats = [[{"role": "assistant", "content": text}] for text in said]
answers = [problem.answer for problem in problems]
paid = {"TRL": TRLReward(priced())(
    prompts=[], completions=chats, answer=answers)}
paid["your own"] = [one.value for one in priced().score(said, answers)]
compute_score = VerlScore(priced())
paid["veRL"] = [compute_score("course", text, answer)["score"]
                for text, answer in zip(said, answers)]
good, masked = leave_one_out_advantages(paid["your own"])[-2:]
print(f"your own: advantage of {said[-2]} {good:.2f}, "
      f"of {said[-1]} {masked}")

# %% [markdown]
# The line is of your own trainer: advantages of the last two completions, as if all eight were one group. The masked one has none, and is in
# nobody's baseline: the other one's is the mean of the *six* others that were judged, 1.7 / 6 = 0.28.
#
# The server runs for a moment on this machine's own loopback address, if its packages are installed. The last two doors belong to
# packages that take long to import: *recorded* results, unless `LIVE`.

# %%
for name in ("OpenRLHF", "verifiers.v1", "Inspect"):
    paid[name] = doors.pay_through(name, priced(), problems, said,
                                   live=LIVE_NOW)
pd.DataFrame(paid, index=[text or "(empty)" for text in said]).map(
    lambda value: "None" if value is None or value != value else value)

# %% [markdown]
# Seven rows are the same at every door. The last is not, and can't be:
#
# | door | has a mask? | what it does with None |
# |---|---|---|
# | TRL | yes, if *every* reward function says None | the row has no advantage |
# | your own | if you write it | leave it out of the baseline, too (notebook 03) |
# | veRL, OpenRLHF | no: a number, always finite | the *floor*, −0.1, with `ungraded` 1.0 beside it: count it |
# | verifiers.v1 | no | the trace ends in an error and is left out |
# | Inspect | yes | unscored: in the log, not in the means |
#
# Never a 0 by default: with prices −0.1 and 0 that would be the *refusal's* reward, better than being wrong, and a policy
# would learn to break its grader. At the doors without a mask being ungraded costs what being wrong costs. And a mask has a cap: where more than 5% of
# a policy's completions can't be judged, further ones earn the floor at every door. (One is always allowed, as here. The count is the
# reward's, so each door above got a new one.) Being ungraded is never a way out.
#
# ## 7 · When the answer is a program
#
# Code rewards run tests in a sandbox (notebook 05), and go through the same doors: `VerifiedReward(CodeVerifier(), …)`. **Predict**
# which share of a training step the reward takes: for math, and for programs with 8 tests each; beside the tiny model, and beside SmolLM2. First,
# the math reward alone, here and now:

# %% tags=["nbval-ignore-output"]
from time import perf_counter

reward = priced()
began = perf_counter()
reward.score(said * 8, answers * 8)
spent_ms = 1_000 * (perf_counter() - began)
print(f"math, {8 * len(said)} short completions: {spent_ms:.0f} ms")

# %% [markdown]
# Recorded (`benchmarks/results/reward_overhead.md`, 2026-11-30), in milliseconds:
#
# | model | group | step without reward | math | share | code | share |
# |---|---|---|---|---|---|---|
# | tiny | 8 | 17 | 2.8 | 14% | 163.5 | 90% |
# | tiny | 16 | 22 | 2.1 | 9% | 442.0 | 95% |
# | tiny | 32 | 57 | 7.9 | 12% | 934.8 | 94% |
# | tiny | 64 | 57 | 22.1 | 28% | 1937.6 | 97% |
# | SmolLM2 | 8 | 17075 | 2.7 | 0.02% | 101.9 | 0.6% |
# | SmolLM2 | 64 | 86155 | 5.7 | 0.01% | 815.1 | 0.9% |
#
# (Two cores, wall-clock, some of it beside other work; completions of about 100 tokens; two workers for programs; shares are of step and reward
# together. Single figures scatter.)
#
# Beside a real model's step both hardly count: sampling is what costs. Beside a model that samples in tens of milliseconds, programs
# are nearly all there is. So **measure the share before you speed up a verifier**, and don't weaken its
# sandbox for half a percent.
#
# What the share doesn't say is what the reward *pays for*. Tests in the prompt get learned: of 40 recorded programs that passed all
# visible tests, 5 failed a hidden one (notebook 05). Train on visible *and* hidden tests, log both pass rates, and treat a growing gap as a
# sickness of its own, the tenth, which the panel can't see.
#
# ## Summary
#
# | what it takes | how you know | where |
# |---|---|---|
# | a plan | dry run: data, example, tokenizer, length, time | 1 |
# | a reward function with a mask | None only where nobody can judge | 1 |
# | a start with p > 0 | some groups are mixed at step 1 | 2 |
# | a price whose break-even is below the solve rate, no scaling by group | refusals stay low, by seed | 3 |
# | a learning rate short of the cliff; β as a price, not a rescue | entropy and KL move slowly | 3 |
# | groups that differ | `frac_reward_zero_std` well below 1 | 4 |
# | a gain | disjoint test questions, n, interval, seeds; form and content apart | 2, 5 |
# | the same reward everywhere | same completions, same numbers; None by the door's rule | 6 |
#
# **Limits.** The tiny policies learn tables and rules, not language; three seeds show a spread, not its distribution; the SmolLM2 run is *one* seed. The
# ablation is of one task. Everything was trained on CPUs.
#
# **Roads not taken.** Off-policy corrections and several updates per batch; length penalties; rewards for single steps of a solution; models large enough to
# find hacks that nobody planted.
#
# **Next:** a model that has learnt is not yet a model that is *right about itself*: notebook 10 measures confidence, sycophancy and the gap
# between reward and truth.
