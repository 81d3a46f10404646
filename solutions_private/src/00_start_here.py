# %% [markdown]
# # 00 · Start here: learning from a check
#
# **One question:** what is the smallest loop in which a language model can learn from a
# *program that checks its answers*, instead of from people's opinions of them?
#
# | | |
# |---|---|
# | **You will** | *run* the loop once by hand, *read* a failure, *price* an answer, *compute* what a group teaches, *find* which groups teach nothing |
# | **Minutes** | 25 |
# | **You need** | Python functions and lists; no machine learning |
# | **Offline?** | yes: in mode `fake` recorded answers of a real model are replayed, with no key and no network |
#
# Run the cells in order with <kbd>Shift</kbd>+<kbd>Enter</kbd>. Where a cell says **Predict**,
# write down a guess before you run the next one: a wrong guess teaches more than a right one.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["nbval-ignore-output"]
from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd

from rlvr_course import (
    LocalPolicy, MathRewardFunction, MathVerifier, Problem,
    SimulatedPolicy, check, errors, few_shot_arithmetic, group_statistics,
    load_problems, rollout, sample_and_verify, simple_complete, start,
    verify_audit,
)

run = start("00_start_here", MODE)

# %% [markdown]
# ## The loop on one page
#
# ```
#              ┌────────────────────────── update ──────────────────────────┐
#              ▼                                                            │
#  problem ─► policy ─► completion ─► VERIFIER ─► verdict ─► reward ─► advantage
#             (the model)  (its text)  (a program)           (a number)  (better than
#                                          │                              its group?)
#                                          └─► audit log: what was judged, and why
# ```
#
# One box makes this **RLVR**, reinforcement learning from *verifiable* rewards:
#
# | | RLHF | RLVR |
# |---|---|---|
# | who judges | a *reward model*, trained on people's preferences | a *verifier*: a program that checks against a reference |
# | what it knows | what people seemed to like | whether the answer is right |
# | how it fails | the policy finds text that the model overrates | the policy finds text that the program misjudges |
# | what you can do | collect more preferences | read the program, test it, attack it, mend it |
#
# The rest of the loop is the same. So everything rests on that box:
# **the verifier's quality is the ceiling on the policy's quality.**

# %% [markdown]
# ## 1 · A problem
#
# A problem is a question and the reference that answers are checked against.

# %%
problems = load_problems("math")
by_id = {problem.id: problem for problem in problems}
speed_problem = by_id["math-02"]
print(speed_problem.question, "→", speed_problem.answer)

# %% [markdown]
# The policy sees the question, and here also a system prompt. The reference it never sees.

# %%
for message in speed_problem.messages:
    print(f"{message['role']:>6}: {message['content']}")

# %% [markdown]
# ## 2 · A completion
#
# Mode `fake` replays what a small real model, Qwen2.5-Coder-1.5B-Instruct, once answered. It was
# sampled at *temperature* 1: each next word is drawn at random, as likely as the model thinks it.
# Nothing was edited or picked. In the modes `api` and `local` a model answers now.

# %%
first = simple_complete(
    speed_problem.question, speed_problem.metadata["system"]
)
print(first)

# %% [markdown]
# ## 3 · A verdict
#
# The verifier reads what the completion *commits to* and compares its value with the reference.

# %%
verify = MathVerifier()
verify(r"So the speed is \boxed{80.0 \text{ km/h}}.", "80")

# %% [markdown]
# A verdict is more than right or wrong. It keeps what was read, a reason, and whose fault it is
# when there is nothing to judge.

# %%
cases = [
    ("a right value, in words", "So the speed is 80 km/h."),
    ("a wrong value", r"\boxed{81}"),
    ("no answer", "I cannot solve this after 80 attempts."),
    ("two answers", r"\boxed{80 \text{ or } 81}"),
]
verdicts = [(name, verify(text, "80")) for name, text in cases]
pd.DataFrame(
    [(name, v.status, v.extracted, v.reason) for name, v in verdicts],
    columns=["case", "status", "extracted", "reason"],
)

# %% [markdown]
# **Look at the third case.** The number 80 is there, and it is what the reference says. Why
# should it earn nothing? Because a refusal commits to nothing; a policy that is paid for numbers
# in refusals learns to refuse with numbers in it.
#
# ## 4 · A group
#
# One sample says little. So we draw a **group**: several completions of the same problem.
#
# **Predict:** a model with 1.5 billion parameters answers *A train travels 60 km in 45 minutes;
# find its average speed in km/h* eight times. How many of the eight are right?

# %%
my_guess = 4  # ← your guess, 0 to 8

# %%
group = sample_and_verify(speed_problem, n_samples=8)
table = pd.DataFrame(
    [(s.index, s.status, s.extracted, s.reward) for s in group],
    columns=["sample", "status", "extracted", "reward"],
).set_index("sample")
table

# %%
right = sum(s.verified_correct is True for s in group)
print(f"right: {right} of {len(group)}   your guess: {my_guess}")

# %% [markdown]
# ## 5 · Read a failure
#
# Never trust a table of verdicts that you haven't read the failures of. Here is a sample that was
# not paid, whole; one with a wrong answer, if there is one:

# %%
unpaid = [s for s in group if not s.verified_correct]
failed = [*(s for s in unpaid if s.extracted), *unpaid, *group][0]
lines = [fill(line, 84) for line in failed.response.splitlines()]
print(f"{failed.reason}\n{'-' * 40}\n" + "\n".join(lines))

# %% [markdown]
# **Whose error is it?** Either the policy did not answer right (a *policy error*), or it did and
# the verifier did not see it (a *verifier error*). Only reading tells. In the recorded group this
# sample ends in 2/3 of something: a policy error.
#
# Many samples were *cut off*: the recording stopped each at 220 tokens. Some of them had stated
# their answer before, and went on to check it. Here is how they end:

# %%
for sample in group:
    if sample.finish_reason == "length":
        end = " ".join(sample.response[-60:].split())
        print(f"{sample.index} {sample.status:10} …{end}")

# %% [markdown]
# In the recorded group one stops at "Thus, the average": the right value had been reached in the
# working, but was never stated as the answer. Strict people call that wrong, kind people don't; the
# data calls it *open*. In notebook 01 you will read the rejections of a verifier, and count how many
# of them were its own error.

# %% [markdown]
# ## 6 · A reward
#
# Training needs a number. Ours is +1 for a right answer and −0.1 for a wrong one or none. Why
# not −1? Notebook 02 is about that.

# %%
reward = MathRewardFunction(correct_reward=1.0, incorrect_penalty=-0.1)
[reward.compute(text, "80") for _, text in cases]

# %% [markdown]
# A third outcome is rare but matters: when the *reference* is broken nobody can judge. Then the
# reward is `None`: the sample is left out of training, and counted.

# %%
print(reward.compute(r"\boxed{80}", "see the figure above"))

# %% [markdown]
# ## 7 · What a group teaches
#
# The policy is not pushed towards what earned a lot, but towards what earned **more than its
# group**. The simplest measure of that is the *advantage*: the reward less the group's mean.
#
# **Exercise q00a.** Write it. Rewards in, advantages out, in the same order.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q00a", "points": 2, "solution": true}
def group_advantages(rewards):
    """Each reward less the mean of the group, as a list of floats."""
    ### BEGIN SOLUTION
    centre = sum(rewards) / len(rewards)
    return [value - centre for value in rewards]
    ### END SOLUTION


# %%
check("q00a", group_advantages)

# %% [markdown]
# Stuck? `check.hint("q00a", 1)` nudges, level 2 says more, level 3 nearly all.
#
# Now three groups of four. **Predict** the advantages of each before you run it: in which of the
# groups does the policy learn something?

# %%
shown = pd.DataFrame({
    "mixed": [1, 1, -0.1, -0.1],
    "all right": [1, 1, 1, 1],
    "all wrong": [-0.1, -0.1, -0.1, -0.1],
})
(shown - shown.mean()).round(3)

# %% [markdown]
# A group in which all samples earn the same gives advantages of **zero**: it was paid for in
# tokens and teaches nothing. With no error and no warning, the loss is simply 0. A group must be
# **mixed** to teach.
#
# ## 8 · Which groups teach?
#
# We run the loop on all 40 recorded maths problems, 8 samples each.
#
# **Predict:** of 40 groups, how many are mixed?

# %%
asked, policy = problems, run.policy
if MODE == "local":  # too small for these: one-digit sums instead
    asked = few_shot_arithmetic(40)
    policy = LocalPolicy(chat=False, stop=["\n"])

groups = rollout(
    asked, policy, verify, reward,
    n_samples=8, on_sample=run.log.append,
)
group_statistics(groups)

# %%
solved = [sum(s.verified_correct is True for s in g) for g in groups]
counts = pd.Series(solved).value_counts().reindex(range(9), fill_value=0)
mixed = int(counts[1:8].sum())

# %%
ax = plt.subplots(figsize=(7, 3), layout="constrained")[1]
colours = ["#777777"] + ["#0072B2"] * 7 + ["#777777"]
ax.bar(counts.index, counts.values, color=colours)
ax.set_xticks(range(9))
ax.set_xlabel("right answers in a group of 8 (grey: teaches nothing)")
ax.set_ylabel(f"problems (n={len(groups)})")
_ = ax.set_title(f"{mixed} of {len(groups)} groups are mixed", loc="left")

# %% [markdown]
# *Usable pairs* in the table count a right and a wrong sample of the same group; *zero gradient*
# counts the groups that move nothing; *masked* samples are those that nobody could judge. The
# brackets behind a rate are its 95% interval, n its number of samples.
#
# The two grey bars are the problems that this policy always fails or always solves. That is why
# the headline of this course is never "the model got x% right" but *how many groups are mixed,
# and how many pairs of a right and a wrong answer they hold*.
#
# **Exercise q00b.** A trainer reports solve counts per group of 8. Write the function that says
# which share of the groups can teach something.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q00b", "points": 2, "solution": true}
def mixed_share(solve_counts, group_size):
    """Share of groups with a right and a wrong sample, 0 to 1."""
    ### BEGIN SOLUTION
    teaching = [c for c in solve_counts if 0 < c < group_size]
    return len(teaching) / len(solve_counts)
    ### END SOLUTION


# %%
check("q00b", mixed_share)

# %% [markdown]
# ## 9 · What was written down
#
# Every sample went into an *audit log*: the prompt, the response, the verdict and its reason, one
# JSON line each; 8 + 320 samples here, a line for the start, and one for each case of each check that
# you ran (one in all for an exercise that is still open). Each line carries the hash of the line before it, so that a change shows, and an *anchor*
# (how many lines, and the last hash) is kept apart, so that a cut end shows too. Every figure above
# can be recomputed from this file.

# %% tags=["nbval-ignore-output"]
print(verify_audit(run.log.path, anchor=run.log.anchor))

# %% [markdown]
# ## 10 · Three modes
#
# | mode | who answers | needs |
# |---|---|---|
# | `fake` | recorded completions, replayed | nothing |
# | `local` | SmolLM2 with 135 million parameters, in this process; it solves hardly any word problem, so section 8 then asks one-digit sums | the extra `local`; this notebook takes a minute and a half of one core |
# | `api` | any OpenAI-compatible server, also one on your own machine | `OPENAI_API_KEY`, or `OPENAI_BASE_URL` of a local server |
#
# The verifier, the reward and the log are the same, and real, in every mode. A replay can't
# answer what nobody asked it, and says so instead of making something up:

# %%
try:
    print(simple_complete("What is 7 * 8?"))
except errors.RlvrError as error:
    print(error)

# %% [markdown]
# For problems of your own with no model at hand there is a *simulated* policy. It isn't a model:
# it is a labelled random generator that errs in known ways. Good for testing your loop, never
# for a claim about a model.

# %%
own = Problem("What is 7 * 8?", "56", id="own-1")
simulated = SimulatedPolicy([own], accuracy=0.5, seed=1)
own_group = rollout([own], simulated, verify, reward, n_samples=6)[0]
ends = [(" ".join(s.response[-48:].split()), s.status) for s in own_group]
pd.DataFrame(ends, columns=["end of response", "status"])

# %% [markdown]
# **Exercise q00c.** Write a problem of your own whose answer is a fraction, a decimal or has a
# unit: `my_problem = Problem("…", "…")`. The check asks the real verifier: does your reference accept itself, and refuse a near miss? A
# reference that nobody can read is a common way to break a reward. (A *near miss* is the reference
# with one digit moved.)

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q00c", "points": 2, "solution": true}
### BEGIN SOLUTION
my_problem = Problem("A pizza is cut in 8; I eat 3. What is left?", "5/8")
### END SOLUTION

# %%
check("q00c", my_problem)

# %% [markdown]
# ## What to keep
#
# | box | in this notebook | in one sentence |
# |---|---|---|
# | problem | `Problem(question, answer)` | the reference is part of the grader |
# | policy | replayed, real | what you train |
# | verifier | `MathVerifier()` | reads what was committed to, compares values |
# | verdict | status, extracted, reason, fault | read the failures, not the rate |
# | reward | +1, −0.1, `None` | None means masked and counted |
# | advantage | reward less group mean | uniform groups teach nothing |
# | audit log | `run.log` | every figure can be recomputed |
#
# **Limits.** Forty problems and one small model: the figures here describe this recording, not
# models at large. Nothing was trained yet.
#
# **Roads not taken.** We could have scored with a second model (notebook 12 calibrates one), or
# compared strings (try it: `"80.0" == "80"`).
#
# **Next:** `01_verifiers`. You build a verifier, read everything that it rejects, and find out
# how often it was the one that erred.
