# %% [markdown]
# # 02 · Asymmetric rewards: what should a wrong answer cost?
#
# **One question:** a right answer earns 1. Why does a wrong one cost 0.1, and not 1, or nothing?
#
# | | |
# |---|---|
# | **You will** | *work out* when answering pays, *derive* the break-even, *predict* what three prices teach, *train* two simulated policies and two real ones, *measure* recorded completions, *argue* for a price |
# | **Minutes** | 60, and 15 for question Q2 |
# | **You need** | notebook 00; averages; the numpy of the two training loops may be skipped |
# | **Offline?** | yes: first *simulated* policies, in numpy; in section 5 real, tiny networks, whose training is shown as *recorded*, or done here if you set `LIVE` (or with `MODE` local or api); section 6 has recorded completions of a larger model |
#
# The prices look like a detail. They decide which of three things a policy learns: to solve, to
# guess, or to keep silent.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api
LIVE: bool = False  # True: train section 5 here, 1 minute; extra "train"

# %% tags=["nbval-ignore-output"]
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rlvr_course import (
    MathRewardFunction, MathVerifier, Rate, best_action, break_even, check,
    expected_reward, leave_one_out_advantages, load_problems,
    load_rollouts, plots, start,
)
from rlvr_course.training import load_task, train_or_recall

pd.set_option("display.html.use_mathjax", False)
run = start("02_asymmetric_rewards", MODE)
recorded = partial(train_or_recall, live=False)
trained = partial(
    train_or_recall, live=LIVE or MODE != "fake", out=run.dir.parent
)

# %% [markdown]
# ## 1 · When does answering pay?
#
# A policy can **answer** or **refuse** ("I don't know"). Three prices: a right answer earns 1, a
# wrong one costs *c* (it earns −*c*), a refusal earns 0. Let *p* be the chance that its answer is
# right. With *p* = 0.3 and *c* = 0.5, ten answers bring three times +1 and seven times −0.5:
# 3 − 3.5 = −0.5, so −0.05 an answer. That average is the **expected reward** of answering; here
# it is below the 0 of a refusal.
#
# **Exercise q02a.** By hand, for a policy with *p* = 0.2: the expected reward of answering at
# *c* = 0.1, at *c* = 0.25 and at *c* = 1, as a list of three numbers in that order.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q02a", "points": 2, "solution": true}
### BEGIN SOLUTION
my_expected = [0.2 - 0.8 * 0.1, 0.2 - 0.8 * 0.25, 0.2 - 0.8 * 1]
### END SOLUTION

# %%
check("q02a", my_expected)

# %% [markdown]
# Now for more values of *p*. **Predict**: at *c* = 1, how sure must a policy be before answering
# pays? And at *c* = 0.1?

# %%
chances = [0.05, 0.1, 0.2, 0.4, 0.6, 0.9]
table = pd.DataFrame({"p": chances})
for c in (0.1, 0.25, 1.0):
    table[f"c={c}"] = [expected_reward(p, wrong=-c) for p in chances]
    table[f"best, c={c}"] = [best_action(p, wrong=-c) for p in chances]
table.set_index("p").round(3)

# %% [markdown]
# Down each column the sign changes once, and the best action with it ("either" where both earn
# the same). So a price *is* a threshold: it says how sure to be before speaking. The threshold is
# called the **break-even**, *p\**.
#
# **Exercise q02b.** Write `my_break_even(c)` for any cost *c* from 0 up, given as a number without
# sign (0.1 stands for a wrong answer that earns −0.1). It returns *p\**, a number from 0 to 1: the
# chance at which answering earns on average the 0 that refusing earns.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q02b", "points": 4, "solution": true}
def my_break_even(c):
    """The chance of being right above which answering pays, 0 to 1."""
    ### BEGIN SOLUTION
    # p * 1 - (1 - p) * c = 0, so p * (1 + c) = c.
    return c / (1 + c)
    ### END SOLUTION


# %%
check("q02b", my_break_even)

# %% [markdown]
# The package has a calculator for any three prices: `break_even(correct, wrong, refuse)`, each a
# reward with its sign. **Predict**: the cost rises thirtyfold from 0.1 to 3. Does the threshold?

# %%
costs = [0.05, 0.1, 0.25, 1, 3]
thresholds = pd.DataFrame({"cost of a wrong answer": costs})
thresholds["break-even p*"] = [break_even(wrong=-c) for c in costs]
thresholds["one right pays for ... wrong"] = [1 / c for c in costs]
thresholds.set_index("cost of a wrong answer").round(3)

# %% [markdown]
# At 0.1 one right answer pays for ten wrong ones, so one success in eleven attempts is enough
# (1/11 = 0.091); at 1 it takes one in two, at 3 three in four. Thirty times the cost is about eight times the threshold,
# which never reaches 1. Only the two *gaps* count, what an answer can win and lose against a
# refusal: multiply all prices by ten, or add ten to each, and *p\** is the same.
#
# **Exercise q02c.** A helpdesk bot should answer only if it is at least 90% sure. A right answer
# earns 1; handing over to a person is its refusal, and earns −0.05, since people are expensive.
# Which reward should a wrong answer earn? One number with its sign, such as `-2.0`.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q02c", "points": 3, "solution": true}
### BEGIN SOLUTION
# 0.9 * 1 + 0.1 * wrong = -0.05
my_wrong_reward = (-0.05 - 0.9) / 0.1
### END SOLUTION

# %%
check("q02c", my_wrong_reward)

# %% [markdown]
# ## 2 · Dice: does a trained policy find the threshold?
#
# So far this is arithmetic about a policy that knows its *p*. A policy in training knows nothing:
# it tries, gets paid, and shifts. Does it end up where the arithmetic says?
#
# **The game.** A die with N sides (dN for short) is rolled out of sight, N from 2 to 15. The
# policy names a number or refuses. *p* = 1/N, and no practice improves it, so the die isolates
# the *price*.
#
# **The policy is simulated**, not a language model: for each die a table of preferences
# (*logits*), one for each number and one for refusing. *Softmax* makes probabilities of them:
# the higher a logit, the likelier the action. It starts by refusing half of the time.
#
# If numpy is not your language, skip the code from here to exercise q02d: the text says what it
# does, and nothing later asks you to read it. The last axis of each array is always the actions.

# %%
REFUSE = 0  # action 0; action k > 0 says "k"


def softmax(logits):
    """Probabilities from logits (minus the maximum: no overflow)."""
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def draw(chances, n, rng):
    """n actions from each row of probabilities."""
    u = rng.random((*chances.shape[:-1], n, 1))
    below = u > chances.cumsum(axis=-1)[..., None, :]
    return np.minimum(below.sum(axis=-1), chances.shape[-1] - 1)


# %% [markdown]
# One training step: draw a group of actions, pay each, and compare each reward with the mean of
# the *others* in its group. The difference is the action's *advantage* (notebook 00; with this
# baseline it is called leave-one-out). Then raise the logit of each action drawn by its advantage,
# and lower it where that is negative.
#
# Methods of this kind are called **policy gradients**: they move a policy's parameters, here the
# logits, in the direction in which its expected reward rises, as estimated from its own samples.
# This one is the oldest, REINFORCE.

# %%
def push(reward, action, n_actions):
    """The step of each group's logits: the mean advantage by action."""
    n = reward.shape[-1]
    others = (reward.sum(axis=-1, keepdims=True) - reward) / (n - 1)
    advantage = reward - others
    chosen = action[..., None] == np.arange(n_actions)
    return (advantage[..., None] * chosen).mean(axis=-2)


toy = np.array([0.0, 1.0, -0.1])  # earned by actions 0, 1 and 2
print(f"advantages {np.round(leave_one_out_advantages(toy), 2)}")
print(f"step       {push(toy, np.arange(3), 3).round(2)}")

# %% [markdown]
# A group of three: one refused (0), one right (1), one wrong (−0.1). The first line is the
# package's `leave_one_out_advantages`; the step is a third of it, since `push` takes the mean over
# the group of three. The right answer becomes likelier, the other two less likely.
#
# Now all 14 dice at once, in 20 independent runs: an array of runs × dice × actions.

# %%
SIDES = np.arange(2, 16)


def train_dice(wrong, refuse=0.0, steps=400, runs=20):
    """Share answered by each trained policy: runs x dice."""
    rng = np.random.default_rng(0)
    logits = np.zeros((runs, len(SIDES), 16))
    logits[..., REFUSE] = np.log(SIDES)  # refuses half of the time
    logits[:, np.arange(16) > SIDES[:, None]] = -np.inf  # no such side
    for _ in range(steps):
        action = draw(softmax(logits), 32, rng)  # groups of 32
        roll = rng.integers(1, SIDES[:, None] + 1, action.shape)
        reward = np.where(action == roll, 1.0, wrong)
        reward = np.where(action == REFUSE, refuse, reward)
        logits += push(reward, action, 16)
    return 1 - softmax(logits)[..., REFUSE]


# %% [markdown]
# **Exercise q02d.** Predict from the break-even alone: for which dice should a policy answer, at a
# cost of 0.1, of 0.25 and of 1? A dict from the cost to a list of sides, whole numbers from 2
# to 15 (`list(range(2, 5))` will do), such as `{0.1: [2, 3], 0.25: [2], 1.0: []}`. A die that lies exactly at *p\** may be in or
# out.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q02d", "points": 3, "solution": true}
### BEGIN SOLUTION
my_dice = {
    cost: [n for n in range(2, 16) if 1 / n > cost / (1 + cost)]
    for cost in [0.1, 0.25, 1.0]
}
### END SOLUTION

# %%
check("q02d", my_dice)

# %% [markdown]
# Run it: 20 policies at each cost.

# %%
answered = {c: train_dice(wrong=-c) for c in (0.1, 0.25, 1.0)}
ax = plt.subplots(figsize=(7, 3.6), layout="constrained")[1]
looks = [(plots.BLUE, "o"), (plots.ORANGE, "s"), (plots.GREY, "^")]
for (c, share), (colour, mark) in zip(answered.items(), looks):
    low, mid, high = np.percentile(share, [5, 50, 95], axis=0)
    limit = 1 / break_even(wrong=-c)
    ax.vlines(SIDES, low, high, color=colour, linewidth=2)
    ax.plot(SIDES, mid, mark + "-", color=colour, label=f"c={c}")
    ax.axvline(limit, color=colour, linestyle=":")
    ax.text(limit + 0.1, 1.05, f"p* of c={c}", color=colour)
ax.set_xlabel("sides N of the die (a guess is right with p = 1/N)")
ax.set_ylabel("share of rolls answered")
ax.set_xticks(SIDES)
ax.set_ylim(-0.04, 1.15)
_ = ax.legend(title="median, 5–95% of 20 runs", loc=(0.68, 0.5))
_ = ax.set_title(
    "Simulated policies answer above the break-even and refuse below it",
    loc="left",
)

# %% [markdown]
# Nobody told the policies what a die is. At *c* = 0.25 they answer d2 to d4 and refuse from d6 on;
# at 1 they refuse from d3 on; at 0.1 the change comes around d11.
#
# ### Read a failure
#
# At 0.1 the shares sink slowly, and d10 and d12, one above the threshold and one below, are far
# from 1 and from 0. **Predict**: is that for good, or would three times as many steps change it?
# And d11 at 0.1, d5 at 0.25 and d2 at 1 are in between, too. Is each of *those* policies undecided?
# (The last three lines are the 20 runs one by one: percent of rolls answered, sorted.)

# %%
for steps in (400, 1200):
    share = train_dice(wrong=-0.1, steps=steps).mean(axis=0)[7:12]
    print(f"c=0.1, {steps:4} steps, d9 to d13: {share.round(2)}")
for c, n in ((0.1, 11), (0.25, 5), (1.0, 2)):
    each = np.sort(answered[c][:, n - 2])
    print(f"d{n:<2} " + " ".join(f"{100 * x:2.0f}" for x in each))

# %% [markdown]
# Near the threshold training is slow, since little is at stake: an answer on d10 earns 0.01 more
# than refusing, one on d12 about 0.01 less. With 1200 steps both move on, apart; d11 stays. At the
# break-even both actions pay the same *on average*: there is nothing to learn, and luck carries
# each run somewhere else, farther at the larger costs. A cost that puts *p\** among your
# problems' solve rates makes training slow and noisy there.
#
# ## 3 · The other price: refusing
#
# A cost counts against what a *refusal* earns. **Predict** for each of these which dice are
# answered: (1) wrong −0.1, refusal 0; (2) both 0; (3) both −0.1; (4) both −1; (5) wrong −0.1,
# refusal +0.3. The table shows the share answered for six of the dice, again the mean of 20 runs.

# %%
prices = [(-0.1, 0), (0, 0), (-0.1, -0.1), (-1, -1), (-0.1, 0.3)]
shown = [2, 3, 5, 10, 12, 15]
rows = []
for wrong, refuse in prices:
    share = train_dice(wrong, refuse).mean(axis=0)
    threshold = break_even(wrong=wrong, refuse=refuse)
    rows.append((wrong, refuse, threshold, *(share[n - 2] for n in shown)))
columns = ["wrong", "refusal", "p*", *(f"d{n}" for n in shown)]
pd.DataFrame(rows, columns=columns, index=range(1, 6)).round(2)

# %% [markdown]
# - **Refusing costs the same as being wrong** (lines 2 to 4): *p\** is 0 and every die is
#   answered, whether the cost is 0, 0.1 or 1. A penalty that falls on everything but a right answer
#   teaches no caution, whatever its size: compare d15 in lines 1 and 3.
# - **Refusing pays** (line 5): d3, which is right every third time, is refused. Silence is
#   *farmed*: income without work.
#
# Line 3 is the course's own default, and a common one: whatever isn't right earns the lowest
# reward, the *floor*. A refusal gets a price of its own only if you give it one, as the second of
# these two reward functions does (the arguments: what a right and a wrong answer earn).

# %%
shy = "I cannot solve this."
priced_apart = MathRewardFunction(refusal_reward=0.0)
for reward in (MathRewardFunction(), priced_apart):
    print(f"{reward}: {reward.compute(shy, '80')}")

# %% [markdown]
# ## 4 · The clerk: when practice would help
#
# Dice can't be learnt; most tasks can, *if the policy keeps trying*. The **clerk** has 40
# questions with ten possible answers each. Again a simulation, in which two things are assumed:
#
# - **Knowledge is separate**: each question needs a fact of its own, and what is learnt on one
#   helps no other. (`facts=` lets questions share facts; that comes below.)
# - **Refusing is shared**: "I don't know" is the same text everywhere, so each refusal that pays
#   makes all refusals likelier.
#
# It starts right 17% of the time, refusing 14%, wrong 69%. An update asks all 40, 8 times each,
# and learns from each group of 8 by the same `push`. (Skip the code again, if you like.)

# %%
RIGHT = 1  # action 1; actions 2 to 10 are wrong answers
START = np.log([0.14, 0.17] + [0.69 / 9] * 9)


def train_clerk(wrong, refuse=0, facts=40, rate=0.5, updates=150):
    """Shares refused and right: updates x 20 runs x 2."""
    rng = np.random.default_rng(0)
    fact = np.arange(40) % facts  # which fact a question needs
    logits = np.tile(START, (20, facts, 1))
    history = []
    for _ in range(updates):
        action = draw(softmax(logits)[:, fact], 8, rng)
        reward = np.where(action == RIGHT, 1.0, wrong)
        reward = np.where(action == REFUSE, refuse, reward)
        step = push(reward, action, 11).reshape(20, -1, facts, 11)
        step = step.sum(axis=1)  # add up the questions that share a fact
        everywhere = step[..., REFUSE].sum(axis=-1, keepdims=True)
        step[..., REFUSE] = everywhere  # a refusal counts for all facts
        logits += rate * step
        history.append(softmax(logits)[..., :2].mean(axis=1))
    return np.array(history)


# %% [markdown]
# **Predict** the end of training, right and refused, at a cost of 0.1 and at a cost of 1. (When it
# answers it is right 17 times in 86, one in five: below or above each break-even?)

# %%
def spread(shares):
    """Median of the runs, and the range of 5-95% of them."""
    low, mid, high = np.percentile(shares, [5, 50, 95])
    return f"{mid:.2f} [{low:.2f}–{high:.2f}]"


courses = {c: train_clerk(-c) for c in (0.1, 1.0)}
ends = pd.DataFrame({"c": ["0.1", "1"]}).set_index("c")
ends["right"] = [spread(h[-1, :, 1]) for h in courses.values()]
ends["refused"] = [spread(h[-1, :, 0]) for h in courses.values()]
ends.rename_axis("cost (median [5–95%] of 20 runs)")

# %% [markdown]
# Same clerk, same questions, same start, and the opposite end. This is **refusal collapse**:
# refusing was the best action *for the policy as it was*. More training doesn't rescue it. A group
# teaches only if it is mixed, and where all eight refuse, each advantage is 0: no error message, and
# nothing happens any more but silence. A policy that refuses never finds out what it could have become.
#
# ### How much is too much?
#
# The clerk's first answers are right one time in five. **Predict** at which of these costs it still
# learns, by *p\** alone: 0.1, 0.25, 0.5, 0.75, 1. A run counts as learnt if it ends with more than
# half of its responses right (a refusal is not right).

# %%
def learnt(history):
    """How many of 20 runs end with most responses right, as text."""
    rate = Rate(int((history[-1, :, 1] > 0.5).sum()), 20)
    low, high = rate.interval()
    shown = f"{rate.value:.2f} [{low:.2f}, {high:.2f}]"
    return f"{rate.successes} of 20: {shown}"


won = {}
for c in (0.1, 0.25, 0.5, 0.75, 1.0):
    won[f"c={c:g}, p*={break_even(wrong=-c):.2f}"] = learnt(train_clerk(-c))
pd.Series(won, name="runs that learnt [95% interval]").to_frame()

# %% [markdown]
# At *c* = 0.5 the threshold is 0.33, well above the one in five that the clerk starts from, and yet
# 18 of 20 runs learn; at 0.25 it starts just below (17/86 is 0.198, against 0.2), and all 20 learn. *p\**
# describes a policy that stands still. A policy that improves is in a
# **race**: will its skill pass the threshold before refusing has taken over?
#
# ### Counter-examples
#
# Then a cost of 1 shouldn't always silence, and one of 0.1 not always spare. Here are six variants.
# **Predict** for each how many of the 20 runs learn.
#
# | | wrong | refusal | what else |
# |---|---|---|---|
# | 1 | −1 | 0 | steps a fifth as large, five times as many |
# | 2 | −1 | 0 | 20 facts for the 40 questions: each is practised twice as often |
# | 3 | −1 | 0 | 10 facts: four times as often |
# | 4 | −1 | 0 | one fact: every answer teaches all |
# | 5 | −1 | −1 | as in the first run |
# | 6 | −0.1 | +0.5 | as in the first run |

# %%
small_steps = train_clerk(-1, rate=0.1, updates=750)
variants = {
    "1 small steps": small_steps,
    "2 20 facts": train_clerk(-1, facts=20),
    "3 10 facts": train_clerk(-1, facts=10),
    "4 one fact": train_clerk(-1, facts=1),
    "5 both -1": train_clerk(-1, refuse=-1),
    "6 refusal +0.5": train_clerk(-0.1, refuse=0.5),
}
results = {name: learnt(h) for name, h in variants.items()}
pd.Series(results, name="runs that learnt [95% interval]").to_frame()

# %% [markdown]
# "A penalty of 1 makes models refuse" is false as a law. Smaller steps don't change the outcome
# (1). Faster learning does, if it is fast enough: with twice the practice one run of 20 wins the
# race (2), with four times all do (3), and with one fact too (4). So they do where a refusal is no
# way out (5). And a refusal that pays undoes a cost of 0.1 (6).
#
# ## 5 · A real network
#
# All that was simulated, by assumptions of ours. Now the same two games with a **real network**: a
# language model in small, 50,400 parameters, which writes character by character and was shown
# beginner's answers before the start. It is trained through **TRL**, the library that trains large ones,
# by the same prices. Nothing is assumed about what it shares between questions.
#
# In fake mode you see **recorded** runs: each was trained so once, and comes with the course. `LIVE = True` in
# the second cell trains those at 0.1 and 1 on your machine; the others stay recorded, to keep it short.
#
# **Dice again**: `d6.417=` asks for throw 417 of a d6; `?` is the refusal. **Predict** the percent
# answered for d2 to d9 at each of the three costs.

# %%
throws = {c: trained(f"dice-{c}") for c in (0.1, 1.0)}
throws[0.25] = recorded("dice-0.25")
tests = {"start": throws[0.1].before}
for c in sorted(throws):
    tests[f"c={c}"] = throws[c].after
    print(throws[c].label)
rolled = pd.DataFrame({
    name: {die: 1 - of["refusal"].value for die, of in test.by_kind.items()}
    for name, test in tests.items()
})
(100 * rolled.T).round().astype(int).rename_axis("percent, n=200")

# %% [markdown]
# Arithmetic, simulation and network agree: at 0.1 every die is answered, at 0.25 those with fewer
# than five sides, at 1 none of those from d3 on. (d5 at 0.25 and d2 at 1 lie at *p\** itself, where
# nothing is at stake; one network answers for all dice, so a die there may follow its neighbours. With 200 rolls
# a die chance moves a figure by up to 7.)
#
# **The clerk**: one-digit sums and products, such as `7*8=`; it starts at about 0.17 right and 0.16
# refused. It is trained on 150 questions and tested on 50 others. (Its beginner's answers were to all 200, for a
# table can't be guessed.) **Predict** for each of four runs, what share is right in the end, and what share refused:
#
# 1. a wrong answer earns −0.1, a refusal 0;
# 2. a wrong answer earns −1, a refusal 0;
# 3. both earn −1;
# 4. prices as in 2, but another task, the *cipher*: add 1 to each of four digits, one rule for all
#    questions.

# %%
def short(rate):
    low, high = rate.interval()
    return f"{rate.value:.2f} [{low:.2f}–{high:.2f}]"


clerks = {c: trained(f"clerk-{c}") for c in (0.1, 1.0)}
four = dict(zip(
    ["1 clerk, −0.1", "2 clerk, −1", "3 clerk, both −1", "4 cipher, −1"],
    [*clerks.values(), recorded("clerk-1.0-flat"), recorded("cipher-1.0")],
))
for one in four.values():
    print(one.label)
pd.DataFrame({
    "right before": [short(one.before.accuracy) for one in four.values()],
    "right after": [short(one.after.accuracy) for one in four.values()],
    "refused after": [short(one.after.refusal) for one in four.values()],
}, index=four).rename_axis("tests: n=1,600 each [95%]")

# %% [markdown]
# The two clerks part, and the counter-examples hold with a real network, too: no collapse without a way out (3), and none
# where success comes fast (4). Now the two clerks step by step, each with three seeds, of which 1 and 2 are recorded; a step is 256 answers in 16 groups. **Predict** what happens to the share
# of *uniform* groups, those whose rewards are all equal, at a cost of 1.

# %%
seeds = {f"c={c}": [one] for c, one in clerks.items()}
for c in clerks:
    seeds[f"c={c}"] += [recorded(f"clerk-{c}", seed=k) for k in (1, 2)]
silent_share = np.mean(clerks[1.0].curve("refusal")[-10:])
title = f"A real clerk at 1, last ten steps: {silent_share:.0%} refused"
_ = plots.training_curves(seeds, title=title)

# %% [markdown]
# First refusals rise, at 1; then there are groups that refuse throughout, and at the end most
# groups teach nothing. It is the simulated clerk's story, down to the order of events, in a network
# of which nothing was assumed.
#
# **Read a failure.** About an eighth of all that the silent clerk says is still right. **Predict** to which
# questions: sums or products, and which of them?

# %%
silent = clerks[1.0]
for kind, of in silent.after.by_kind.items():
    print(f"right, {kind} {of['accuracy']}")
asked = [p.question for p in load_task("clerk").test if "*" in p.question]
print(f"test products with a zero: {sum('0' in q for q in asked)} "
      f"of {len(asked)}\n")
for step, samples in list(silent.samples().items())[-4:]:
    for q in dict.fromkeys(s.problem.question for s in samples):
        said = [s.response for s in samples if s.problem.question == q]
        print(f"step {step}: {q} {' '.join(said)}")

# %% [markdown]
# Look at the products with a zero: they are the ones that are still answered, and they are as many among the test's products as
# there are right answers. *Times zero is zero* is one fact for 19 questions of the table's 200: it was
# practised so often that it won the race (section 4, variants 2 to 4). Everything that had to be learnt
# by heart fell silent first.
#
# ## 6 · A larger model: where would it pay to answer?
#
# Back to the recorded completions: 40 maths problems, 8 samples each of
# Qwen2.5-Coder-1.5B-Instruct, judged by `MathVerifier`. Nobody offered it a refusal; the question
# is what the prices *would* tell it. Its solve rate on a problem, the share of the 8 samples that
# are right, stands in for *p*.
#
# Eight samples are a rough measure, so put a 95% interval around each rate, and ask what is
# *known*: answering pays if the whole interval lies above *p\**, doesn't if it lies below, and is
# open otherwise. **Predict** for *c* = 0.1 and *c* = 1: on how many of the 40 is answering known
# to pay, on how many known not to, and how many are open?

# %%
problems = {p.id: p for p in load_problems("math")}
verify = MathVerifier()
right = dict.fromkeys(problems, 0)
for r in load_rollouts("math"):
    verdict = verify(r.completion.text, problems[r.problem_id].answer)
    right[r.problem_id] += verdict.is_correct
solved = pd.Series(right)
low, high = np.array([Rate(int(k), 8).interval() for k in solved]).T

known = {}
for c in (0.1, 1.0):
    p_star = break_even(wrong=-c)
    pays, loses = (low > p_star).sum(), (high < p_star).sum()
    below = (solved / 8 < p_star).sum()
    known[f"c={c:g}"] = [pays, loses, 40 - pays - loses, below]
index = ["pays", "does not pay", "open", "(the rate itself is below p*)"]
pd.DataFrame(known, index=index).rename_axis("number of problems, of 40")

# %%
order = np.argsort(solved.to_numpy(), kind="stable")
ax = plt.subplots(figsize=(7, 3.4), layout="constrained")[1]
ax.vlines(range(40), low[order], high[order], color=plots.BLUE)
ax.plot(range(40), solved.to_numpy()[order] / 8, "o", color=plots.BLUE)
for c, colour in [(0.1, plots.ORANGE), (1.0, plots.GREY)]:
    p_star = break_even(wrong=-c)
    ax.axhline(p_star, color=colour, linestyle="--")
    ax.text(40.3, p_star + 0.02, f"p* of c={c:g}", color=colour)
ax.set_xlim(-1, 47)
ax.set_xlabel("40 recorded problems, sorted by solve rate")
ax.set_ylabel("solve rate (n=8, 95% interval)")
cheap, dear = known["c=0.1"], known["c=1"]
_ = ax.set_title(
    f"Answering is known to pay on {cheap[0]} of 40 at c=0.1, on "
    f"{dear[0]} at c=1",
    loc="left",
)

# %% [markdown]
# At *c* = 1 the rate of 22 problems is below the threshold, but only for 9 is the whole interval;
# 24 are open. At *c* = 0.1 even the four that were never solved are open: the interval of 0 of 8
# reaches above 0.3 (the bars at the far left).
#
# Which problems does a threshold hit? A group teaches if it is mixed. **Predict**: of the groups
# that are mixed, how many have a solve rate below *p\**, at *c* = 0.1 and at *c* = 1?

# %%
mixed = solved[(solved > 0) & (solved < 8)]
for c in (0.1, 1.0):
    hit = (mixed / 8 < break_even(wrong=-c)).sum()
    share = Rate(int(hit), len(mixed))
    print(f"c={c:g}: {hit} of {len(mixed)} mixed groups below p*: {share}")

# %% [markdown]
# At *c* = 1, refusing would have earned more than these samples did in 18 of the 33 groups that
# could teach something. At *c* = 0.1, in none: a single success in a group of 8 is a rate of
# 0.125, above 1/11. That is the reason for the 0.1 in one line: **in a group of up to ten, where
# one sample succeeds, trying pays**; for a group of 16 the cost would have to be below 1/15. (All
# this where a refusal earns 0; where it costs 0.1 as well, as in section 3, trying always pays.)
#
# ## 7 · Three outcomes
#
# Code can pass some of its tests, a proof can hold in part. Let an answer be right with chance
# *p* (earns 1), partly right with chance *q* (earns *partial*, 0 or more), else wrong (earns −*c*);
# refusing earns 0.
#
# **Exercise q02e.** Write `least_p(q, partial, c)`: the smallest *p*, a number from 0 to 1, at which
# answering earns no less than refusing, by formula (trying values is not exact enough); 0 if it
# does so at every *p*.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q02e", "points": 4, "solution": true}
def least_p(q, partial, c):
    """The smallest chance of a right answer at which answering pays."""
    ### BEGIN SOLUTION
    # p + q * partial - (1 - p - q) * c = 0
    return max(0.0, (c * (1 - q) - q * partial) / (1 + c))
    ### END SOLUTION


# %%
check("q02e", least_p)

# %% [markdown]
# Partial credit can carry a policy that is never wholly right: half marks in 3 of 10 cases, at
# *c* = 0.1, are 0.15 − 0.07 = +0.08. A slope is useful as long as it leads to the top; notebook 05
# shows one that doesn't.
#
# **A warning before you train.** Everything above used plain differences of rewards. The best-known trainer, GRPO (*group relative
# policy optimisation*), also *divides* them by the spread of the group. Where two answers are wrong and two refused, it can't tell a cost
# of 0.1 from one of 1. Notebook 03 takes that apart, and trains the same clerk with it.
#
# **Question Q2** (read by your instructor; 10–15 lines). *Why −0.1 for a wrong answer, and not −1.0,
# or 0? Say what each of the three would teach, to which kind of policy, and what you assume about
# the price of a refusal. Name a task for which you would choose otherwise, with your number and
# the break-even that it implies. And say what you would measure during training to find out that
# the price was wrong.*

# %% [markdown] nbgrader={"grade": true, "grade_id": "Q2", "points": 10, "solution": true, "locked": false}
# ### BEGIN SOLUTION
# *A worked answer, not the only one.* With a right answer at 1 and a refusal at 0, a cost of *c*
# makes answering pay above *c*/(1 + *c*): 0.09 for 0.1, 0.5 for 1, and 0 for no cost. An early
# policy solves most problems in less than half of its attempts. At −1 refusing is then its best
# action, and where skill grows slowly it refuses before it has learnt, as the clerk did in 20 of 20
# runs; a refusing policy gets uniform groups and no gradient. At 0 nothing speaks against a
# guess, so a hopeless answer and "I don't know" are worth the same and it never learns to tell
# them apart. At −0.1 a guess costs something, while a problem solved once in a group of eight
# (0.125) still pays.
#
# All of that needs a refusal that is priced apart. If refusals earn the floor too, as by default,
# *p\** is 0 for any cost, and −1 is −0.1 on a larger scale. It is no law either: with one fact to
# learn the clerk survived −1.
#
# I would choose otherwise where a wrong answer does harm and a person can take over: dosage
# questions, at 95% sure, so *c* = 19; but only after training at 0.1 has brought the skill, since the
# same price from the start would silence it. I'd watch, per update and with n: the share refused,
# the accuracy *of the answers given*, the share of uniform groups, all by difficulty. Refusals that rise
# on problems that were being solved say that the price is too high; an accuracy of the given
# answers below *p\** says that it is too low, or is not reaching the policy (scaling).
# ### END SOLUTION

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | what was seen |
# |---|---|---|
# | a price is a threshold, *p\** = *c*/(1 + *c*) | arithmetic | 0.09 at 0.1, 0.5 at 1 |
# | training finds it | dice, 20 simulated runs | answered above, refused below; slow near it, luck at it |
# | a cost counts against the price of refusing | dice with both costs equal | every die answered, at 0.1 and at 1 |
# | too high a cost stops learning | clerk, 20 simulated runs | 20 learn at 0.1, none at 1 |
# | that is a race, not a law | clerk with one fact, or 10 | all 20 learn at 1 |
# | a real network does the same | dice and clerk through TRL | refused ≤ 0.1 at 0.1 and ≥ 0.8 at 1; *times zero* survives |
# | 0.1 spares what can be learnt | recorded groups | 0 of 33 mixed groups below *p\**, against 18 at 1 |
#
# **Limits.** The simulations show that a mechanism suffices; the network of section 5 shows it without
# their assumptions, but it is tiny, on three small tasks and with three seeds at most. In section 6, of forty 95% intervals about two miss by chance,
# and a solve rate over samples of one problem is not the confidence of one answer.
#
# **Roads not taken.** A cost that grows during training (learn first, then caution); a policy that
# states its confidence and is paid by a *proper score*, for which honesty is optimal; a refusal
# that pays only on problems nobody solves (then somebody must know which).
#
# **Next:** `03_groups_and_advantages`: what a trainer makes of your prices.
