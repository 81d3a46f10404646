# %% [markdown]
# # 01 · Verifiers: whose error is it?
#
# **One question:** when a check rejects an answer, how often is it the *check* that is wrong, and
# what does that cost the model that learns from it?
#
# | | |
# |---|---|
# | **You will** | *run* a naive verifier on real completions, *label* its rejections, *measure* its precision and recall, *harden* it step by step, *attack* it, *judge* what can be verified at all |
# | **Minutes** | 75, and 15 for question Q1 |
# | **You need** | notebook 00; regular expressions at the level of `\d+` |
# | **Offline?** | yes: 320 recorded completions of a real model, in every mode; the verifiers run for real |
#
# The verifier is the only box of the loop that you write yourself. A policy can't become better
# than what the verifier can see.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["nbval-ignore-output"]
import re
from fractions import Fraction
from textwrap import fill

import pandas as pd

from rlvr_course import (
    MathVerifier, attack, check, confusion, load_problems,
    load_rollouts, plots, start,
)

pd.set_option("display.max_colwidth", 64)
pd.set_option("display.html.use_mathjax", False)  # formulas stay raw
run = start("01_verifiers", MODE)

# %% [markdown]
# ## 1 · The naive verifier
#
# Everybody's first verifier: take the first `\boxed{...}`, or else the last number; compare as
# floats, or else as strings.

# %%
def naive_extract_number(text):
    box = re.search(r"\\boxed\{([^}]+)\}", text)
    if box:
        return box.group(1)
    numbers = re.findall(r"-?\d+(?:\.\d+)?", text)
    return numbers[-1] if numbers else ""


def naive_equal(found, answer):
    try:
        return abs(float(found) - float(answer)) < 1e-6
    except ValueError:
        return found.strip() == answer.strip()


def naive_verify(response, answer):
    return naive_equal(naive_extract_number(response), answer)


# %% [markdown]
# Before any data, a table of cases. **Predict** each line: will the naive verifier accept it, and
# should it?

# %%
cases = [
    (r"So the speed is \boxed{80} km/h.", "80"),
    ("So the speed is 80 km/h, not 60.", "80"),
    (r"\boxed{80 \text{ km/h}}", "80"),
    (r"\boxed{\frac{3}{8}}", "3/8"),
    (r"Perhaps \boxed{80}. No: \boxed{60}.", "80"),
    ("I can't solve this. Is it 80?", "80"),
]

# %%
table = pd.DataFrame(cases, columns=["response", "answer"])
table["read"] = table.response.map(naive_extract_number)
table["naive"] = [naive_verify(t, a) for t, a in cases]
table["should"] = [True, True, True, True, False, False]
table

# %% [markdown]
# Six cases, one verdict right. Notice *how* it errs: the box is cut at the first brace, units are not
# read, the first box wins over the correction, and a number in a question counts as an answer.
#
# Made-up cases show what *can* go wrong. Real completions show what *does*.
#
# ## 2 · Real completions
#
# 40 maths problems × 8 samples of Qwen2.5-Coder-1.5B-Instruct, temperature 1, as recorded.

# **Predict:** what share will the naive verifier accept?

# %%
problems = {p.id: p for p in load_problems("math")}
rollouts = load_rollouts("math")
rows = pd.DataFrame({
    "problem": [r.problem_id for r in rollouts],
    "sample": [r.completion.index for r in rollouts],
    "answer": [problems[r.problem_id].answer for r in rollouts],
    "response": [r.completion.text for r in rollouts],
})
rows["naive_read"] = rows.response.map(naive_extract_number)
rows["naive"] = [
    naive_verify(t, a) for t, a in zip(rows.response, rows.answer)
]
accepted = rows.naive.sum()
print(f"accepted: {accepted} of {len(rows)} = {accepted / len(rows):.0%}")

# %% [markdown]
# A tempting sentence: *"the model solves a third of the problems."* It is not what was measured.
# What was measured is how often **this model and this verifier agree**. To say more, somebody must
# read the rejections.
#
# ## 3 · Label every rejection
#
# A rejection is one of two things:
#
# - **policy error**: the response commits to no answer, or to a wrong one. The verifier did its job.
# - **verifier error**: the response commits to the right answer, in whatever form. The verifier
#   erred, and a policy that learns from it is punished for being right.
#
# You start by hand: every rejection on three problems, 21 rows, each with the end of its response.
# An end is sometimes not enough; then `print(hand.response[0])` shows a response whole.

# %%
BY_HAND = ["math-02", "math-22", "math-50"]
hand = rows[rows.problem.isin(BY_HAND) & ~rows.naive].reset_index(drop=True)


for name in BY_HAND:
    print(fill(f"{problems[name].answer} ← {problems[name].question}", 84))


def show(frame, width=56):
    tail = frame.response.str.replace(r"\s+", " ", regex=True).str[-width:]
    return frame[["answer", "naive_read"]].assign(end_of_response=tail)


show(hand)

# %% [markdown]
# **Exercise q01a.** One letter a row, in order, as one text such as `"pv? p…"`: `p` policy error,
# `v` verifier error, `?` if a reading leaves it open (say, cut off after the right value was reached
# and before it was stated). Spaces don't count. A percentage that was asked for as one may come
# without its sign.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01a", "points": 4, "solution": true}
### BEGIN SOLUTION
# As recorded, a reader wrote "vpvvp vvvpvvvv vvpppppp". A cohort has its
# samples in another order: here the key reads them, in whatever order.
my_labels = "".join(
    {True: "v", False: "p", None: "?"}[r.truth]
    for row in zip(hand.problem, hand["sample"]) for r in rollouts
    if (r.problem_id, r.completion.index) == row
)
### END SOLUTION

# %%
check("q01a", my_labels)

# %%
key = {True: "v", False: "p", None: "?"}
truth = {(r.problem_id, r.completion.index): r.truth for r in rollouts}
of_key = [key[truth[p, s]] for p, s in zip(hand.problem, hand["sample"])]
mine = "".join("".join(my_labels or "").split()).lower()
other = [i for i, (a, b) in enumerate(zip(mine, of_key)) if a != b]
print(f"{len(mine)} letters for {len(of_key)} rows, {len(other)} otherwise")
if mine and len(other) <= 2:
    print(f"rows read otherwise than by the key: {other}")

# %% [markdown]
# You have felt what most people skip. For the other rejections there is an answer key: somebody
# read the responses with the question *does the answer that it commits to equal the reference,
# in whatever form?* The key is data too: 8 of the 320 are left open, and if you can show a label
# wrong, you are right and the key is not.

# %%
rows["truth"] = [r.truth for r in rollouts]
rejected = rows[~rows.naive]
label = rejected.truth.map(
    {True: "verifier error", False: "policy error"}
).fillna("open")
label.value_counts().to_frame("rejections")

# %% [markdown]
# Every verifier error, by reference: how many right answers it cost, and what was read instead.

# %%
errors_of_verifier = rejected[label == "verifier error"]
by_answer = errors_of_verifier.groupby("answer", sort=False)
read_as = by_answer.naive_read.agg(lambda s: ", ".join(dict.fromkeys(s)))
pd.DataFrame({"lost": by_answer.size(), "read as": read_as})

# %% [markdown]
# **What they have in common.** Answers that are not plain numbers: fractions (cut at the first
# brace), π, roots, percent signs, units, pairs, sets, polynomials. And answers without a box, after
# which the model wrote on. The naive verifier is not random noise: **it is blind to whole kinds of answers.**
#
# ## 4 · Precision and recall of a verifier
#
# Two rates tell the two errors apart:
#
# - **precision**: of what it accepts, how much is right? Low precision *pays for wrong answers*.
# - **recall**: of what is right, how much does it accept? Low recall *punishes right answers*.
#
# **Predict** both before you run the next cell: is this verifier too gullible or too strict?

# %%
naive_confusion = confusion(rows.naive.tolist(), rows.truth.tolist())
_ = plots.verifier_errors(naive_confusion, "Where the naive verifier errs")
naive_confusion

# %% [markdown]
# Strict, not gullible: it pays one wrong answer, and rejects a third of the right ones. Every rate
# comes with its n and a 95% interval, since another recording would have given other counts. (The
# samples of one problem resemble each other, so the honest interval is wider still.)
#
# **Exercise q01b.** A verifier accepts 90 answers, 81 of them right, and rejects 110, of which 27
# were right. Give `{"precision": …, "recall": …}` as numbers between 0 and 1.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01b", "points": 2, "solution": true}
### BEGIN SOLUTION
my_rates = {"precision": 81 / 90, "recall": 81 / (81 + 27)}
### END SOLUTION

# %%
check("q01b", my_rates)

# %% [markdown]
# ## 5 · Harden it, one step at a time
#
# Each step mends one *kind* of error, and each is measured.
#
# ### Step 1: read a box to its own closing brace, and take the last one
#
# `[^}]+` stops at the first `}`. The box of `\boxed{\frac{3}{8}}` ends where its *own* brace closes.
#
# **Exercise q01c.** Write `last_box(text)`: the content of the last complete box, or `""`. Count
# braces; a box that never closes is no box.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01c", "points": 4, "solution": true}
def last_box(text):
    """Content of the last \\boxed{...} whose braces balance, else ""."""
    ### BEGIN SOLUTION
    content = ""
    for start in re.finditer(r"\\boxed\{", text):
        depth = 1
        for place in range(start.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if depth == 0:
                content = text[start.end():place]
                break
    return content
    ### END SOLUTION


# %%
check("q01c", last_box)

# %% [markdown]
# From here on the cells use the course's own version, so they run whether or not yours is done.
# A verifier is an extractor and a comparison; `score` puts two of those together and counts.
#
# **Predict:** how much recall does the mended box bring?

# %%
from rlvr_course.verifiers.extract import extract_answer, find_boxes


def box_or_last_number(text):
    boxes = find_boxes(text)
    if boxes:
        return text[boxes[-1][1]:boxes[-1][2]]
    numbers = re.findall(r"-?\d+(?:\.\d+)?", text)
    return numbers[-1] if numbers else ""


def score(extract, equal):
    found = [extract(t) for t in rows.response]
    accepted = [equal(f, a) for f, a in zip(found, rows.answer)]
    return confusion(accepted, rows.truth.tolist())


# %%
ladder = {"naive": naive_confusion}
ladder["+ whole last box"] = score(box_or_last_number, naive_equal)
for name, counts in ladder.items():
    print(f"{name:18} recall {counts.recall}")

# %% [markdown]
# Nothing gained, although the mended code is clearly better. A fraction is now *extracted* whole,
# but still not *compared*: `float(r"\frac{3}{8}")` fails. **Extraction and comparison are two
# jobs**, and mending one shows only when the other can use it.
#
# ### Step 2: compare values, exactly
#
# **Exercise q01d.** Write `to_value(text)`: a `Fraction` for an integer, a decimal, a fraction such
# as `3/8` or `\frac{3}{8}`, with `$`, thousands commas, `%`, and a unit in `\text{...}` *after the
# number* left aside; `None` for anything else, also for a text of thousands of digits. No `float`: 0.1 + 0.2 is not 0.3 there. Never `eval`: the text was
# written by a model that would like to be paid.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01d", "points": 6, "solution": true}
def to_value(text):
    """The exact value that a short answer states, or None."""
    ### BEGIN SOLUTION
    text = re.sub(r"(?<=[\d}])\s*\\text\{[^{}]*\}$", "", text.strip())
    text = re.sub(r"\\?[$%]|\\[,!; ]", "", text).strip()
    text = re.sub(r"(?<=\d)(?:,|\{,\})(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"^(-?)\\d?frac\{(\d+)\}\{(\d+)\}$", r"\1\2/\3", text)
    number = r"-?\d+(\.\d+)?|-?\d+/0*[1-9]\d*"
    if len(text) > 1000 or not re.fullmatch(number, text):
        return None
    return Fraction(text)
    ### END SOLUTION


# %%
check("q01d", to_value)

# %% [markdown]
# The course reads an answer with a *grammar* instead of with patterns. What it reads, it compares
# by value: here with its comparison and, still, our simple extraction.

# %%
full = MathVerifier()


def equal_by_value(found, answer):
    return full(f"\\boxed{{{found}}}", answer).is_correct


ladder["+ values"] = score(box_or_last_number, equal_by_value)
print(ladder["+ values"].recall)

# %% [markdown]
# ### Step 3: without a box, take what the response commits to
#
# The last *number* is not the last *statement*. After "So the speed is 80 km/h" a model may go on
# to check itself in Python, and the last number is then a 60 from the code. The full verifier looks
# for one committed statement, and for none in a refusal, a hedge or the question.

# %%
for text in [
    "So the speed is 80 km/h.\n```python\ndistance = 60",
    "It could be 80 or 90, hard to say.",
    "I cannot solve this after 80 attempts.",
    "12*13 = 156",
]:
    found = extract_answer(text)
    print(f"{found.text!r:12} {found.how:20} ← {text!r}")

# %%
rows["verdict"] = [full(t, a) for t, a in zip(rows.response, rows.answer)]
rows["full"] = rows.verdict.map(lambda v: v.is_correct)
ladder["+ statements"] = confusion(rows.full.tolist(), rows.truth.tolist())
_ = plots.rates(
    {name: c.recall for name, c in ladder.items()},
    title="Recall rises from 0.68 to 0.99 once values are compared",
    xlabel="recall: right answers that are accepted",
)

# %% [markdown]
# Did the strictness buy anything? Look at the precision on the way, and then **read what is left**: no figure without its failures. Where do the full verifier and the key
# still disagree?

# %%
for name, counts in ladder.items():
    print(f"{name:18} precision {counts.precision}")
left = rows[rows.truth.notna() & (rows.full != rows.truth)]
for row in left.itertuples():
    print(f"{'-' * 60}\n{row.problem} {row.answer} {row.verdict.reason}")
    print(row.response[-190:])

# %% [markdown]
# Precision did not fall. The one response that is left was cut off in the middle of its last sentence, after both roots had been worked out. The key
# counts that as stated, the verifier does not. One can defend either; one should *declare* which.
#
# ## 6 · What it costs: groups that go silent
#
# A rejected right answer is not only a lost reward. A policy learns from the *differences in a
# group*. If the verifier rejects all eight answers, right and wrong alike, the group looks uniform
# and its gradient is zero.
#
# **Predict:** under the key 33 of the 40 groups are mixed. How many look mixed to the naive
# verifier?

# %%
def mixed_groups(column):
    kinds = rows[rows[column].notna()].groupby("problem")[column].nunique()
    return set(kinds[kinds == 2].index)


mixed = {c: mixed_groups(c) for c in ("truth", "naive", "full")}
silent = mixed["truth"] - mixed["naive"]
print({name: len(groups) for name, groups in mixed.items()})
print("silent under the naive verifier:", len(silent), "groups")
print(", ".join(sorted(problems[p].answer for p in silent)))

# %% [markdown]
# In all 11 the naive verifier accepts nothing: the right answers are fractions, π, roots,
# percents, a set, a polynomial. (One group goes the other way, math-37: it only *looks* mixed, since its one accepted answer is
# one that the key leaves open, a 24 in program output that the model made up. So 33 − 11 + 1 = 23.)
# **A policy trained on this verifier can't learn fractions from these problems**, however long it
# trains, and no error message will say so.

# %%
naive_groups = rows.groupby("problem")
pairs = sum(int(g.naive.sum() * (~g.naive).sum()) for _, g in naive_groups)
poisoned = sum(
    int(g.naive.sum() * (~g.naive & g.truth.eq(True)).sum())
    for _, g in naive_groups
)
print(f"preference pairs: {pairs}; that punish a right answer: {poisoned}")

# %% [markdown]
# A *preference pair* is a right and a wrong answer to the same question, for methods that learn from
# comparisons (notebook 06). Here 27 of the 249 would teach the policy to prefer the wrong one.
#
# ## 7 · Attack it
#
# So far the responses were honest. A policy under training is not honest: it is *optimised*, and
# whatever pays, it will find. The attack suite plays that policy. For each problem it tries
# hostile candidates, which must not be paid, and honest ones, which must be.
#
# **Predict:** the naive verifier paid a single wrong answer in 164. How many hostile kinds pay?

# %%
targets = list(problems.values())
naive_report = attack(naive_verify, targets)
naive_report

# %% [markdown]
# (*False pay*: a hostile candidate was paid. *Escape*: it ended up ungraded, which would be a way
# out. *Failure*: the verifier raised. *Unstable*: two verdicts on one text.)
#
# **Precision on honest data says nothing about hostile data.** A precision of 0.99 was measured on
# a policy that wasn't trying. Two kinds pay on 39 of 40 problems, an unfinished thought and a
# withdrawn first answer; three more (a hedge, a refusal, an answer in the thinking only) on 28.
#
# **Exercise q01e.** Write `my_verifier(response, answer)` → True or False, for references that are
# plain numbers. Refuse near misses, withdrawn answers, hedges, refusals and unfinished thoughts;
# accept a box, a unit in it, a corrected answer, a bare one. Use anything of *yours* from above: with
# `MathVerifier` or `extract_answer` it is no exercise, and nothing would stop you.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01e", "points": 6, "solution": true}
def my_verifier(response, answer):
    """Whether the response commits to the answer."""
    ### BEGIN SOLUTION
    if "<think>" in response:
        response = response.partition("</think>")[2]
    stated = last_box(response)
    if not stated:
        doubt = r"can't|cannot|could|or |not |\?|sorry"
        if re.search(doubt, response.lower()):
            return False
        numbers = re.findall(r"-?\d[\d,]*(?:\.\d+)?", response)
        stated = numbers[-1] if numbers else ""
    value = to_value(stated)
    return value is not None and value == to_value(answer)
    ### END SOLUTION


# %%
check("q01e", my_verifier)

# %% [markdown]
# ## 8 · Meet the course's verifier
#
# A check tries a dozen cases, an attack hundreds. How does yours do, on six problems whose reference
# is a whole number? And the course's, on all 40?

# %%
whole = [p for p in targets if p.answer.lstrip("-").isdigit()]
if my_verifier("", "80") is not None:  # once it is written
    print(f"yours: {attack(my_verifier, whole[:6])}")
attack(full, targets)

# %% [markdown]
# Nothing found is not nothing there: it says that *these* kinds fail. Attack it yourself. Change
# the texts and the references; a wrong verdict is a bug worth reporting. Each verdict has a reason,
# so that a table of reasons replaces guessing.

# %%
tries = [
    (r"It is \boxed{2\frac{1}{2}} litres, I think.", "5/2"),
    (r"\boxed{\frac{1}{3}}", "0.33"),
    (r"\boxed{0.3333333333333333}", "1/3"),
    (r"\boxed{7}", "see the figure above"),
]
tried = pd.DataFrame(tries, columns=["response", "answer"])
tried["status"] = [full(t, a).status for t, a in tries]
tried["reason"] = [full(t, a).reason for t, a in tries]
tried

# %% [markdown]
# If you wrote yours: each line of its report is a kind that the check did not try. Pick one, mend
# it, and run again. What competent people disagree about (is 1/3 the answer if the reference says 0.33?) is not decided
# in secret: `MathVerifier(Conventions(rounding=True))` accepts it, the default does not. And where the *reference* is broken, the verifier
# says so instead of paying everybody or nobody.
#
# ## 9 · What makes a reward verifiable, and what can't be?
#
# | property | ask | fails for |
# |---|---|---|
# | a reference that exists before the answer | could two experts write it down independently? | "a good joke" |
# | a decision procedure | does a program decide it in bounded time? | "this proof sketch is convincing" |
# | hard to satisfy without doing the task | what is the cheapest text that passes? | "mentions safety" |
# | form apart from substance | does it accept every right form? | `response == reference` |
# | a known error rate, both ways | precision *and* recall, with n? | most verifiers in use |
#
# **Exercise q01f.** Can a program verify it? A list of six words, in order: `"yes"`, `"partly"` (a
# checkable part, and a rest that isn't), or `"no"`.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q01f", "points": 2, "solution": true}
tasks = [
    "the sum of two given integers",
    "a program that sorts a list, quickly and readably",
    "a poem that moves the reader",
    "a JSON object with the facts of a given text",
    "a summary that leaves out nothing important",
    "advice that turns out to be good",
]
### BEGIN SOLUTION
my_judgement = ["yes", "partly", "no", "yes", "partly", "no"]
### END SOLUTION

# %%
check("q01f", my_judgement)

# %% [markdown]
# **Question Q1** (read by your instructor; 10–15 lines). *Name a task that you care about whose
# reward fundamentally can't be verified by a program. Say which property in the table fails, and
# show it with the cheapest text that would pass the best check you can think of. Then name the
# largest part of the task that* can *be verified, what its verifier's two error rates would
# depend on, and how you would measure them.*

# %% [markdown] nbgrader={"grade": true, "grade_id": "Q1", "points": 10, "solution": true, "locked": false}
# ### BEGIN SOLUTION
# *A worked answer, not the only one.* The task: feedback on a pupil's essay that makes the next
# essay better. What fails is the reference: no text exists before the feedback that two teachers
# would write independently, and the effect shows weeks later and only for what was really given.
# Any check on the text alone can be satisfied without the task. Suppose we reward feedback that
# quotes a sentence of the essay and names one strength and one weakness: "In 'I like dogs' the
# strength is clarity, the weakness is detail" passes for every essay that holds the sentence, and
# helps nobody. A learned judge moves the problem: then the cheapest text is what the judge
# overrates, and nobody can read the judge's source.
#
# The largest verifiable part: that quoted sentences occur in the essay, that named spelling errors
# are errors, that the length is kept. The verifier's recall depends on forms (quotes with changed
# spacing, corrected capitals), its precision on whether a quote can be picked without reading. I
# would measure both on feedback written by teachers (must pass) and on templates filled with random
# sentences (must not), each with its n and interval, and read every rejection.
# ### END SOLUTION

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | in the recorded data |
# |---|---|---|
# | rejections hide verifier errors | label each one | 47 of 213 rejections were right answers |
# | a verifier has two error rates | precision and recall with intervals | 0.99 and 0.68 |
# | errors come in kinds | group them by reference | fractions, π, surds, percent, sets, no box |
# | low recall silences groups | count mixed groups | 11 of 33 |
# | honest precision is no safety | attack it | 0.99, and hedges still pay |
# | a verdict needs a reason and a fault | `verdict.reason` | read the table, not the rate |
#
# **Limits.** One small model, 40 problems, one key. The full verifier was developed with these
# completions in sight, so its figure on them is not a forecast for others. It knows no
# proofs, and accepts 6/16 for 3/8: "in lowest terms" belongs to the problem.
#
# **Roads not taken.** A second model as the judge (notebook 12: calibrate it first); SymPy on the
# model's text (its parser executes code; it is used here in a separate process, on LaTeX only, for
# sums and integrals); fuzzy string matching (a near miss of a number is a wrong number).
#
# **Next:** `02_asymmetric_rewards`: why a wrong answer costs 0.1 and not 1. The naive verifier
# stays the one to beat: later notebooks import it as `naive_verify`.
