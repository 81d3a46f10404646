# %% [markdown]
# # 07 · Build your own verifier
#
# **One question:** in a domain that nobody has written a verifier for, how do you pay for the work, and for nothing else?
#
# | | |
# |---|---|
# | **You will** | *break* and *mend* three short verifiers, *write down* the truth before any prompt, *read* answers out of real output, *choose* a reward's shape by its figures, *recompute* a run from its log, *attack* what you built |
# | **Minutes** | 120, and 20 for question Q5 |
# | **You need** | notebooks 01 (two errors of a verifier), 03 (mixed groups) and 06 (pairs); a little JSON and SQL |
# | **Offline?** | yes. In mode `fake` your verifier is attacked, but nobody can answer prompts of your own: the sampled part then runs on an example domain, and says so. `local` (a small model on your CPU) or `api` samples yours |
#
# Two kinds of data occur, and each is named where it is used: *recorded* (a real small model's completions) and
# *constructed* (written by hand to make a point).

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["nbval-ignore-output"]
import json
import re
from collections import Counter, defaultdict
from functools import partial
from textwrap import fill

import pandas as pd

from rlvr_course import (
    JSONSchemaVerifier, LocalPolicy, Problem, Rate, ReplayPolicy, Reward,
    SQLVerifier, TextTransformVerifier, answer_key, attack,
    build_preferences, check, errors, group_statistics, hacks,
    load_problems, load_rollouts, read_audit, rollout, start,
)
from rlvr_course.verifiers.extract import after_thought

pd.set_option("display.max_colwidth", 72)
pd.set_option("display.html.use_mathjax", False)  # formulas stay raw
run = start("07_build_your_own_verifier", MODE)

# %% [markdown]
# ## 1 · JSON: points for progress
#
# A model is to turn a short text into a JSON object with given names. A *JSON schema* says which names there are, and of which type
# their values must be. Many people's first verifier pays a bit for each step in the right direction:
#
# - 0.4 for any JSON object
# - 0.3 for having the right names
# - 0.3 for the share of names whose value is right

# %%
def naive_json(text, gold):
    """Points for progress. Not safe to train on."""
    try:
        said = json.loads(text)
    except ValueError:
        return 0.0
    if not isinstance(said, dict):
        return 0.0
    right = sum(said.get(name) == gold[name] for name in gold)
    return 0.4 + 0.3 * (set(said) == set(gold)) + 0.3 * right / len(gold)


staff = load_problems("json")[0]
schema, gold = staff.answer["schema"], staff.answer["expected"]
print(fill(staff.question.split("\n")[1], 84))
print(fill(f"reference: {json.dumps(gold)}", 84))

# %% [markdown]
# Five responses, constructed. Nobody needs to read the text to write any but the first. **Predict** what each earns, from the
# naive verifier and from the package's `JSONSchemaVerifier`, which knows the schema and the reference.

# %%
responses = {
    "right but for the age": json.dumps(gold | {"age": 43}),
    "nothing filled in": json.dumps({n: "" for n in gold} | {"age": 0}),
    "the schema itself": json.dumps(schema),
    "an empty object": "{}",
    "a refusal": "I am sorry, I can't extract that.",
}
full_json = JSONSchemaVerifier(schema)
pd.DataFrame([
    (kind, round(naive_json(r, gold), 2), full_json(r, gold).score,
     full_json(r, gold).reason[:40])
    for kind, r in responses.items()
], columns=["response", "naive", "package", "package's reason"])

# %% [markdown]
# The naive verifier pays 0.7 for an empty form, against 0.92 for one that was read from the text. A policy that can't read
# learns the form, and has three quarters of the reward. In the package's the shape is a *condition*: without it
# there is nothing, and with it alone there is nothing either. Only values earn.
#
# **Exercise q07a.** Write `json_score(text, gold)`, a number from 0 to 1. `gold` is a dict of the reference values, at least one
# of them not `None`.
#
# - 0.0 unless the whole text is one JSON object with exactly the names of `gold`.
# - Where the reference is `None` ("the text doesn't say"), nothing can be earned, since `null` needs no reading.
#   But a value that was *invented* there makes the whole 0.0.
# - Otherwise: of the names whose reference isn't `None`, the share whose value is right. `3.0` is right for `3`; `true` isn't
#   right for `1`, and `"3"` not for `3`. No reference is a list or a dict.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07a", "points": 3, "solution": true}
def json_score(text, gold):
    """Share of the values that were read right; the shape earns nothing."""
    ### BEGIN SOLUTION
    try:
        found = json.loads(text)
    except ValueError:
        return 0.0
    if not isinstance(found, dict) or found.keys() != gold.keys():
        return 0.0
    if any(found[n] is not None for n in gold if gold[n] is None):
        return 0.0

    def same(a, b):
        return a == b and isinstance(a, bool) == isinstance(b, bool)

    earning = [n for n in gold if gold[n] is not None]
    return sum(same(found[n], gold[n]) for n in earning) / len(earning)
    ### END SOLUTION


# %%
check("q07a", json_score)

# %% [markdown]
# Now the recorded completions: 6 problems, 8 completions each, and an answer key (is the object right, by a person's
# checking?). **Predict** for the naive verifier: what does it pay, on average, on the problems of which *no* completion is right?

# %%
def json_in(text):
    """The fenced block's content, or the text: kind to the naive one."""
    return re.sub(r"^```\w*\n|```$", "", text.strip())


key = answer_key()
recorded = defaultdict(list)
for one in load_rollouts():
    recorded[one.problem_id].append(one.completion.text)
json_rows = []
for p in load_problems("json"):
    said, expected = recorded[p.id], p.answer["expected"]
    judge = JSONSchemaVerifier(p.answer["schema"])
    json_rows.append((
        p.id, sum(key[p.id, i] is True for i in range(8)),
        sum(naive_json(json_in(t), expected) for t in said) / 8,
        sum(judge(t, expected).is_correct for t in said),
        sum(judge(t, expected).score for t in said) / 8))
pd.DataFrame(json_rows, columns=[
    "problem", "right of 8 (key)", "naive, mean", "correct of 8 (package)",
    "package, mean"]).round(2)

# %% [markdown]
# Nothing right on two problems, and 0.92 and 0.61 on average. The package's verdicts agree with the key on each problem.
#
# **Read a failure.** json-04: of its eight, the key calls seven right and one *open*. The open one says `["chrome", "safari"]` where the
# reference has `["Chrome", "Safari"]`. Policy error, or verifier error? That is a decision about the *task*,
# to be made before training. The verifier rejects it, and `rules={"works_on": "caseless"}` would accept it.
#
# json-02 is the other kind of failure: each of the eight has all values but the total, and each total is another. With the
# package's partial credit every one of them earns 0.67. All equal: the group is uniform, and teaches nothing.
#
# ## 2 · SQL: two queries
#
# A query can't be compared as text, since a thousand queries mean the same. So one runs it, and compares the rows with those
# of a reference query. Here are two recorded queries to one question (without their fences, and wrapped).

# %%
loans = next(p for p in load_problems("sql") if p.id == "sql-03")
print(fill(loans.question.partition("Question: ")[2], 84))
print("reference:", fill(loans.answer["reference_query"], 72), sep="\n")
begins = {"A": "SELECT T1.title FROM", "B": "SELECT T2.title FROM",
          "C": "SELECT title FROM book WHERE id IN (SELECT book_id "
               "FROM loan WHERE returned = 0) ORDER BY"}
queries = {name: next(t for t in recorded["sql-03"] if begin in t)
           for name, begin in begins.items()}
for name in "AB":
    query = " ".join(queries[name].split()[1:-1])
    print("", f"query {name}:", fill(query, 72), sep="\n")

# %% [markdown]
# On the database that the prompt shows, both give the same rows as the reference. **Predict:** are they
# right? If not: what would a database have to hold, to show it?

# %%
try:
    reports = SQLVerifier().report_many(
        list(queries.values()), [loans.answer] * 3)
    outcomes = [(len(r.passed), r.verdict.reason) for r in reports]
    print("programs: run now (queries, in a sandbox)")
except errors.SandboxUnavailable:
    wrong = (6, "wrong_rows: 4, not 3 (database 'given 2')")
    outcomes = [wrong, wrong, (16, "same_rows: 16 databases")]
    print("programs: recorded (queries; no sandbox here)")
pd.DataFrame([
    (name, f"{passed} of 16", why)
    for name, (passed, why) in zip(queries, outcomes)
], columns=["query", "databases passed", "reason"])

# %% [markdown]
# Neither A nor B has `DISTINCT`, and the question says *each title once*. On the rows shown no book is out twice, so there it makes no
# difference. `SQLVerifier` runs each query on 16 databases: the one shown, a second one by the problem's author, and 14 made
# from these (rows doubled, tables empty, ties, NULLs, ...). It pays only for all of them. A part of the score for "some databases" would
# pay for these two. And a query with the shown rows *written into it* (`SELECT 'The Kiln' UNION ALL ...`) is right on one database
# only: it is what a policy would learn if one were enough.
#
# **Exercise q07b.** A verifier sees only what its databases tell apart. Give rows on which three queries give *three different
# results*: the reference, query A, and query C, a third recorded one: `SELECT title FROM book WHERE id IN (SELECT book_id FROM loan WHERE
# returned = 0) ORDER BY title`. (A result is the list of titles, with repeats.)
#
# `my_rows` is a dict: `"book"` has a list of pairs `(id, title)`, ids all different, `"loan"` a list of pairs `(book_id, returned)`, where
# `returned` is 0 or 1.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07b", "points": 2, "solution": true}
### BEGIN SOLUTION
my_rows = {
    "book": [(1, "Tidewater"), (2, "Tidewater")],  # two books, one title
    "loan": [(1, 0), (1, 0), (2, 0)],  # the first is out twice
}
### END SOLUTION

# %%
check("q07b", my_rows)

# %% [markdown]
# Query C passed all 16 databases in the table above, and is paid. In none of them have two books the same title: the author's rows
# never do, and the made ones keep to what the author's rows hold throughout. Is query C wrong? Only if two books may share a title, and
# that must be said where the verifier can see it: **in a row.**
#
# ## 3 · Text: line by line
#
# *Replace each e-mail address by `[redacted]` and leave everything else as it is.* Long answers are often compared line by line, and
# paid by the share of lines that are right. **Predict** what each of the four responses earns so (constructed).

# %%
given = ["Minutes of the garden club", "Present: Ada, Tom, Wen",
         "Keys: ask ada@plot.example", "Next dig: Sunday",
         "Bring gloves", "Questions: tom@plot.example"]
wanted = given[:2] + ["Keys: ask [redacted]"] + given[3:5] + [
    "Questions: [redacted]"]
texts = {
    "right": wanted,
    "the input, unchanged": given,
    "one of two": wanted[:5] + given[5:],
    "one of two, one line spoilt": wanted[:4] + ["Gloves!"] + given[5:],
}


def naive_lines(said):
    """Share of lines that are right, each at its place."""
    return sum(a == b for a, b in zip(said, wanted)) / len(wanted)


full_text = TextTransformVerifier("redact_emails")
problem = {"input": "\n".join(given)}
pd.DataFrame([
    (kind, round(naive_lines(t), 2), full_text("\n".join(t), problem).score)
    for kind, t in texts.items()
], columns=["response", "naive", "package"])

# %% [markdown]
# Copying the input earns 0.67, and the longer the text, the more. A policy that copies is nearly there, and one that tries and
# spoils a line loses: copying is what such a reward teaches. The package's counts *against the echo*: what an unchanged
# input would have right earns nothing.
#
# **Exercise q07c.** Write `line_credit(given, wanted, said)`, a number from 0 to 1. All three are lists of lines; `given` and `wanted` are equally long and
# differ in at least one line.
#
# - 0.0 if `said` has another number of lines.
# - A line that had to change and is right: plus one. A line that is neither the wanted one nor the input's: minus one. A line left as
#   in the input: nothing.
# - Divide by the number of lines that had to change. Not below 0.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07c", "points": 3, "solution": true}
def line_credit(given, wanted, said):
    """Share of the change that is right, where an echo earns 0."""
    ### BEGIN SOLUTION
    if len(said) != len(wanted):
        return 0.0
    earned = 0
    for before, after, line in zip(given, wanted, said):
        if line == after:
            earned += after != before
        elif line != before:
            earned -= 1
    return max(0, earned) / sum(a != b for a, b in zip(given, wanted))
    ### END SOLUTION


# %%
check("q07c", line_credit)

# %% [markdown]
# ## 4 · One question for all three
#
# | domain | the response that does no work | a verifier that pays it | what mends it |
# |---|---|---|---|
# | JSON | `{}`, an empty form, the schema | points for shape | shape is a condition, values earn |
# | SQL | the shown rows, written into the query | one database | several, all or nothing |
# | text | the input | share of lines | credit against the echo |
#
# **What does a response earn that didn't do the work?** Make it zero, *then* think about partial credit.
#
# You needn't think of all such responses yourself. `attack(verifier, problems)` tries *hostile* candidates (refusals, echoes, another
# problem's answer, two answers at once, an answer in a thought only, ...) and *honest* ones. It reports two rates: the share of the hostile that is paid,
# and the share of the honest that isn't paid in full. **Predict** which kinds the naive JSON verifier pays.

# %%
people = [Problem(f"{name}, {age}", dict(name=name, age=age), domain="json")
          for name, age in (("Dana", 34), ("Bo", 51))]
naive_report = attack(naive_json, people)
print(f"naive:   {naive_report.rates}")
print(f"package: {attack(JSONSchemaVerifier({}), people).rates}")
pd.DataFrame(naive_report.by_kind()[:7],
             columns=["kind (naive verifier)", "tried", "errors"])

# %% [markdown]
# Of the hostile kinds it pays two: `{}`, and a *forged verdict*, a JSON object that claims to be the grader's. Deeply nested brackets make it *raise*. The other four are honest, and lose:
# answers in a code block, which most models write, or after a thought. A verifier that is strict about
# *layout* and generous about *work* has it the wrong way round.
#
# ## 5 · A new domain, the example
#
# Now a domain that has no verifier yet: **grants**. A fund decides applications by six rules and asks a model for a
# decision and for the six facts that it rests on. Recorded: 12 applications × 8 completions of the same small model. (The fund and its rules are made up.) First the truth, by code, before we look at a single answer.

# %%
grants = load_problems("policy")
truths = [(p.answer["expected_decision"], p.answer["expected_facts"])
          for p in grants]
print(fill(f"application 4: {json.dumps(grants[3].answer['case'])}", 84))
print(fill(f"its truth: {truths[3][0]}, {json.dumps(truths[3][1])}", 84))
print("references:", dict(Counter(decision for decision, _ in truths)))

# %% [markdown]
# Half of the references are *deny*. Keep that in mind.
#
# **Extraction: what did it say?** The prompt asked for one line, `<decision>{"decision": ..., "facts": {...}, "reasoning": ...}</decision>`, with each fact true, false or null. A reader is strict where two readings are possible
# and lenient where only one is: here it takes `"true"` for `true`, but wants exactly one complete `<decision>` block outside any
# thought. **Predict:** of 96 completions, how many can't be read? And how many of *those* does the key call right?

# %%
WORDS = {"true": True, "false": False, "null": None}


def read_grant(text):
    """(decision, facts) as stated, or None if that can't be read."""
    shown = after_thought(text) or ""
    blocks = re.findall(r"<decision>(.*?)</decision>", shown, re.DOTALL)
    try:
        said = json.loads(blocks[0]) if len(blocks) == 1 else {}
        facts = dict(said["facts"])
        return str(said["decision"]), {
            name: WORDS.get(v, v) if isinstance(v, str) else v
            for name, v in facts.items()}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


lost = [(p.id, i, t) for p in grants
        for i, t in enumerate(recorded[p.id]) if read_grant(t) is None]
lost_right = sum(key[name, i] is True for name, i, _ in lost)
print(f"can't be read: {Rate(len(lost), 96)}; "
      f"right by the key: {lost_right}")
for name, i, t in lost[3:8]:
    print(f"{name}, {i}: {' '.join(t.split())[:48]!r} ... {t[-10:]!r}")

# %% [markdown]
# A third can't be read, and of these nearly half state the right decision: a tag never closed, a bare word, a JSON that isn't one.
# **What should they earn?** Three choices, and who profits:
#
# | an unparseable output earns | consequence |
# |---|---|
# | nothing (score 0: *no answer*) | the form is learnt as a by-product; some right answers are punished at first |
# | no verdict (*ungraded*, masked) | **a way out**: whoever would be wrong mumbles instead |
# | what a second, looser reader makes of it | fewer right answers lost; a looser reader is easier to fool |
#
# We take the first: the prompt stated the form. (`ungraded` is for the *grader's* faults: notebook 01.)
#
# **Binary or fractional?** Four shapes of reward for the same completions:
#
# - *decision*: 1 if the decision is right
# - *everything*: 1 if the decision and all six facts are right
# - *facts*: the share of the six facts that are right
# - *facts, against "all true"*: as in exercise q07c, with "all six true" as the input that is echoed
#
# **Predict** for each: the mean reward, in how many of 12 groups rewards differ at all, and what a *constant* earns that says
# the same, whatever the application.

# %%
def scored(said, truth, shape):
    """What a decision with facts earns, in one of the four shapes."""
    (decision, facts), (right_decision, right_facts) = said, truth
    got = [facts.get(name, "?") for name in right_facts]
    want = list(right_facts.values())
    if shape == "decision":
        return float(decision == right_decision)
    if shape == "facts":
        return sum(g is w for g, w in zip(got, want)) / 6
    if shape == "everything" or want == [True] * 6:
        return float(decision == right_decision and facts == right_facts)
    earned = sum((g is w) - (w is True) if g is w or g is True else -1
                 for g, w in zip(got, want))
    return max(0, earned) / sum(w is not True for w in want)


def verify_grant(text, answer, shape="decision"):
    """Score of a response; what can't be read earns 0."""
    truth = answer["expected_decision"], answer["expected_facts"]
    said = read_grant(text)
    return 0.0 if said is None else scored(said, truth, shape)


# %%
SHAPES = ("decision", "everything", "facts", 'facts, against "all true"')
constants = [(word, dict.fromkeys(truths[0][1], fact))
             for word in ("permit", "deny", "abstain")
             for fact in (True, False, None)]
shape_rows = []
for shape in SHAPES:
    scores = [[verify_grant(t, p.answer, shape) for t in recorded[p.id]]
              for p in grants]
    fixed = {(word, str(facts["small"])): sum(
        scored((word, facts), truth, shape) for truth in truths) / 12
        for word, facts in constants}
    best = max(fixed, key=fixed.get)
    shape_rows.append((shape, sum(map(sum, scores)) / 96,
                 sum(len(set(g)) > 1 for g in scores), fixed[best],
                 f"{best[0]}, all {best[1]}"))
pd.DataFrame(shape_rows, columns=[
    "shape", "model's mean", "groups that differ (of 12)",
    "best constant", "which"]).round(2)

# %% [markdown]
# **In each shape a constant earns more than the model.** "Deny" alone has half of the decisions, since half of the applications
# are to be denied, and "all true" has most of the facts, since most facts are true. Trained on *facts*, the model would learn to stop
# reading, and its reward would rise from 0.31 to 0.86.
#
# | shape | for | against |
# |---|---|---|
# | decision | simple; 8 groups teach | 0.50 for a word; a right decision for wrong reasons |
# | everything | 0.25 for a constant, and no guess gets far | paid so rarely that hardly a group teaches |
# | facts | each group teaches | it teaches "all true" |
# | against "all true" | constants have as little as under *everything* | and so has the model: it spoils as many facts as it gets right |
#
# No shape is best for all. **A shape is justified by its figures: what is it paid for, do groups differ, and what does no work earn?** (The
# problem set is a part of the shape: with as many to permit, to deny and to abstain, a constant decision would earn 0.33.)
#
# ## 6 · Your domain: the truth first
#
# Now yours. Choose something that isn't in this course: units, recipes, chess moves, train connections, plural forms, bird
# names. It must have answers that *code or a table decides*. For mode `local` choose something short: SmolLM2 continues
# patterns in a line and follows hardly any instruction.
#
# **Exercise q07d.** `my_table` is a list of pairs `(given, reference)`: what will be asked about, a text, and what is right. No prompt yet! Whoever writes the
# prompt first bends the truth to what is easily prompted. At least 6 pairs, no `given` twice; at least 3 different references, none of them empty (`""`,
# `None`, `[]`, `{}`); and *no reference for more than half of the pairs*: that is what a constant would earn. References are plain JSON values.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07d", "points": 2, "solution": true}
### BEGIN SOLUTION
my_table = [  # dates in words to ISO 8601, checked with datetime
    ("14 March 2027", "2027-03-14"),
    ("17 May 1999", "1999-05-17"),
    ("5 August 2031", "2031-08-05"),
    ("24 December 2024", "2024-12-24"),
    ("29 February 2040", "2040-02-29"),
    ("9 November 1986", "1986-11-09"),
]
### END SOLUTION

# %%
check("q07d", my_table)

# %% [markdown]
# ## 7 · Your domain: prompt, reader, verdict
#
# **Exercise q07e.** Three things that belong together:
#
# - `my_prompt(given)`: the question as a text. It says, or shows by two or three examples, the *form* of an answer. (`local`: examples, one a line, and an open last line.)
# - `my_verify(response, answer)`: a number from 0 to 1. It reads that form; what it can't read earns 0.0.
# - `my_honest`: at least 6 pairs `(response, reference)` that must earn 1.0, with the references of your table. Write them as real models
#   write: with a blank first, a full stop at the end. Responses to two different references at least.
#
# The check calls `my_earnings`, which is there already: with a text it says what that text earns on each line of your table, without one
# what your honest responses earn. It tries texts that do no work (a refusal, `{}`, ...), and your honest responses on the wrong lines.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07e", "points": 4, "solution": true}
def my_earnings(text=None):
    """What a text earns on each line; or what the honest ones earn."""
    if not (my_table and my_honest):
        return None
    if text is None:
        return [(r, my_verify(r, answer)) for r, answer in my_honest]
    return [my_verify(text, answer) for _, answer in my_table]


def my_prompt(given):
    ### BEGIN SOLUTION
    return f"3 June 2027 = 2027-06-03\n8 May 2011 = 2011-05-08\n{given} ="
    ### END SOLUTION


def my_verify(response, answer):
    ### BEGIN SOLUTION
    return float(response.strip().removesuffix(".") == answer)
    ### END SOLUTION


### BEGIN SOLUTION
my_honest = [(form.format(a), a) for _, a in my_table[:3]
             for form in (" {}", "{}.\n")]
### END SOLUTION

# %%
check("q07e", my_earnings)

# %% [markdown]
# ## 8 · Samples, and the log
#
# At least 3 prompts × 3 samples of a *real* model; here all of your table × 8. In mode `fake`, or while yours isn't written, the
# example domain stands in: grants, with the shape *decision*. The first line says which it was. Each sample goes into the run's log.

# %%
def paid_by_score(verdict):
    return Reward(verdict.score)


is_mine = MODE != "fake" and bool(my_table and my_honest)
if is_mine:
    domain, verify, policy = "your domain", my_verify, run.policy
    problems = [Problem(my_prompt(given), answer, id=given, domain="own")
                for given, answer in my_table]
    if MODE == "local":
        policy = LocalPolicy(chat=False, stop=["\n"])
else:
    domain, verify, problems = "the example: grants", verify_grant, grants
    policy = ReplayPolicy()
groups = rollout(
    problems, policy, verify, paid_by_score, n_samples=8,
    on_sample=lambda sample: run.log.append(sample.to_dict()))
print(f"{domain}; {policy.policy_id}")
print(f"{len(problems)} prompts, {sum(map(len, groups))} samples")

# %% [markdown]
# A figure in a report is worth what can be recomputed from the log. (A cell that is run twice logs twice as many samples as
# the text beside it speaks of.)
#
# **Exercise q07f.** Write `recomputed(rows)`. `rows` is a list of a log's entries, dicts, as `read_audit` gives them. Each has a `"record"`, a dict. A record is a sample if it has a `"problem"`, itself a
# dict with an `"id"`; it then has a `"verified_correct"` that is `True`, `False` or `None` (ungraded). Other records are other
# events: skip them. The samples of one id are one group, wherever they stand. Return a dict of four whole numbers: `"right"`, `"judged"` (samples with a verdict), `"mixed"` (groups with
# a right *and* a wrong sample), `"groups"`.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07f", "points": 3, "solution": true}
def recomputed(rows):
    """Counts of a run, from its log."""
    ### BEGIN SOLUTION
    found = {}
    for record in (row["record"] for row in rows):
        if "problem" in record:
            group = found.setdefault(record["problem"]["id"], [])
            group.append(record["verified_correct"])
    verdicts = [v for group in found.values() for v in group]
    return {
        "right": sum(v is True for v in verdicts),
        "judged": sum(v is not None for v in verdicts),
        "mixed": sum(True in g and False in g for g in found.values()),
        "groups": len(found),
    }
    ### END SOLUTION


# %%
check("q07f", recomputed)

# %% [markdown]
# **Predict** for the run above: the rate of right samples, and how many groups are mixed. And: `group_statistics` *warns* where most
# groups teach nothing. For which of the four shapes of section 5 will it? The cell recomputes the counts from the log, with code of its own, has the package
# count the same samples, and then judges the grants by another shape.

# %%
logged = [entry["record"] for entry in read_audit(run.log.path)]
verdicts = pd.DataFrame(
    [(r["problem"]["id"], r["verified_correct"])
     for r in logged if "problem" in r], columns=["id", "right"]).dropna()
by_problem = verdicts.groupby("id").right
log_rate = Rate(int(verdicts.right.sum()), len(verdicts))
print(f"{domain}, log: right {log_rate}; mixed groups: "
      f"{(by_problem.nunique() > 1).sum()} of {len(by_problem)}")
print("right of 8:", *by_problem.sum())
counted = group_statistics(groups)
print(f"package: {counted.solve_rate}; mixed: {counted.mixed} of "
      f"{counted.groups}; usable pairs: {counted.usable_pairs}")
everything = partial(verify_grant, shape="everything")
again = rollout(grants, ReplayPolicy(), everything, paid_by_score,
                n_samples=8)
for note in group_statistics(again).warnings or ["no warning"]:
    print(fill(f"grants, everything: {note}", 84))

# %% [markdown]
# The headline is *mixed groups* and *usable pairs*, not the rate: at a rate of 0.25 all groups could be uniform. *Decision* passes; *everything* gets the warning (and so does
# *against "all true"*, with the same 2 groups).
#
# What to do where groups are uniform:
#
# - **All wrong**: easier problems, an example in the prompt, larger groups (with a rate of p, a group of n is mixed with probability
#   1 − pⁿ − (1 − p)ⁿ), or partial credit that no constant can farm.
# - **All right**: harder problems.
# - **A dial**: if problems come from a generator with a difficulty, `tune_difficulty` (notebook 03) halves its way to
#   a solve rate of 20–80%. If they come from a table, the line *right of 8* is the dial: keep the problems between 1 and 7, and write more of their kind.
#
# For the grants it is the kind: of the four zeros, three (03, 07 and 11) are the applications to *abstain* from.
#
# ## 9 · Look for a hack
#
# What would a policy do that is paid and shouldn't be? For grants it is a decision that doesn't come from the facts. The rules: *deny* if a
# fact is false; if none is false and one is null, *abstain*; if all are true, *permit*.
#
# **Exercise q07g.** Write `follows(decision, facts)`: `True` if the stated decision is what the rules make of the *stated* facts (right or not), else `False`. `facts` is a
# dict of any length above 0. If a value is none of `True`, `False`, `None` (a text, 0 or 1), nothing follows.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q07g", "points": 2, "solution": true}
def follows(decision, facts):
    """Whether a decision is what the rules make of the stated facts."""
    ### BEGIN SOLUTION
    values = list(facts.values())
    if any(v is not None and type(v) is not bool for v in values):
        return False
    if False in values:
        return decision == "deny"
    return decision == ("abstain" if None in values else "permit")
    ### END SOLUTION


# %%
check("q07g", follows)

# %% [markdown]
# **Predict:** of the grants that were decided right, which share doesn't follow from the facts that the response itself states? And how many state
# all six facts right? (For a domain of your own the cell asks four detectors of notebook 04
# instead, which look at form alone. The one that looks for visible work would accuse every short answer. What would *your* hack look like? Put your own function in the place of `suspect`.)

# %%
def unsupported(sample):
    """A right decision that its own facts don't lead to."""
    decision, facts = read_grant(sample.response)
    values = set(map(repr, facts.values()))
    says = ("deny" if "False" in values else
            "abstain" if "None" in values else "permit")
    return decision != says or not values <= {"True", "False", "None"}


FORMS = {name: hacks.DETECTORS[name] for name in (
    "extraction_tricks", "format_farming", "padding", "repetition")}
suspect = partial(hacks.flags, detectors=FORMS) if is_mine else unsupported
paid = [s for group in groups for s in group if s.verified_correct]
caught = [s for s in paid if suspect(s)]
print(f"{domain}: suspected of the paid: {Rate(len(caught), len(paid))}")
if not is_mine:
    whole = sum(verify_grant(s.response, s.problem.answer, "everything")
                for s in paid)
    print(f"all six facts right: {whole:.0f} of {len(paid)}")
for s in caught[:2]:
    print(fill(f"{s.problem.id}: {' '.join(s.response.split())}", 84))

# %% [markdown]
# Two thirds of the right decisions don't follow from what the response says right beside them, and only three have all facts right. The shape *decision*
# can't see that: these samples aren't wrong by its lights. Pay for them, and the model learns that the facts don't matter. (Not all of it is trickery: a
# *"charity"* in place of `true` is a slip of form. Read them, before you punish.)
#
# ## 10 · Pairs
#
# So the suspicion must go where the sample goes. `build_preferences` takes labels by `(problem id, index)`, and leaves out pairs whose
# winner is suspected (notebook 06). **Predict** how many of the pairs are left.

# %%
labels = {(s.problem.id, s.index): "suspected_hack" for s in caught}
every_pair = build_preferences(groups, path=None)
pairs = build_preferences(groups, labels, path=run.dir / "pairs.jsonl")
for name, some in (("all", every_pair), ("without suspects", pairs)):
    speaking = {row["provenance"]["problem_id"] for row in some}
    print(f"{domain}, {name}: {len(some)} pairs of {len(speaking)} groups")

# %% [markdown]
# ## 11 · Attack what you built
#
# Last, the suite. It needs no model, only honest responses, of which it makes hostile ones. First for grants, whose honest responses can be written from the references.
# Beside the suite's own candidates we give it the constants: `hostile=` takes a function from a problem to pairs `(kind, response)`. **Predict:** we know that under
# *decision* a constant earns half. Do the suite's own candidates show it?

# %%
def written(decision, facts):
    """The response that states these, in the form asked for."""
    said = {"decision": decision, "facts": facts, "reasoning": "the rules"}
    return f"<decision>{json.dumps(said)}</decision>"


def unread(problem):
    """Constants, where they aren't the reference itself."""
    texts = [written(*constant) for constant in constants]
    return [("unread", text) for text in texts
            if everything(text, problem.answer) < 1]


honest = [(written(*truth), p.answer) for truth, p in zip(truths, grants)]
attack_rows = []
for shape in SHAPES:
    judge = partial(verify_grant, shape=shape)
    suite = attack(judge, honest=honest)
    own = attack(judge, grants, hostile=unread, honest=honest)
    attack_rows.append((shape, suite.false_pay_rate, own.false_pay_rate,
                 suite.false_rejection_rate))
pd.DataFrame([(shape, *(f"{r.successes} of {r.n}" for r in rates))
              for shape, *rates in attack_rows], columns=[
    "shape", "paid: suite's", "paid: constants", "honest, unpaid"])

# %% [markdown]
# They don't. The suite's candidates are of kinds that every domain has; that *deny, all true* needs no reading is a fact about *this* domain, and only its author can know it.
# The suite found something else: the two shapes of facts pay in full where the decision is written in Cyrillic letters that only look like *deny*. They never look at
# the decision.
#
# *Everything* alone pays for nothing here, and it is what the model can't earn yet. That is the trade, in figures. Now **your verifier**, in every mode:

# %%
if my_table and my_honest:
    print(attack(my_verify, honest=my_honest))
else:
    print("your domain: not written yet")

# %% [markdown]
# A kind that *your* domain rightly pays can be left out: `attack(..., skip=["truncated"])`; say why. For all else: mechanism first, then the rule that undoes it
# (notebook 04), then the suite again, **both rates**: a verifier that pays nothing has no false pays either.
#
# **Question Q5** (read by your instructor; 12–15 lines). *Justify the shape of your reward (or, if you stayed in mode fake, that of grants): binary or fractional, what an unparseable
# output earns, and what the best response that does no work earns, with the figures of your run (rate with n, mixed groups, both rates of the suite). Then say
# what your verifier can't see: one response that is paid and shouldn't be, one that isn't paid and should be, and what it would take to see them.*

# %% [markdown] nbgrader={"grade": true, "grade_id": "Q5", "points": 10, "solution": true, "locked": false}
# ### BEGIN SOLUTION
# *A worked answer, not the only one.* For grants I take a binary reward, but on decision *and* support: 1 if the decision is right and follows from the stated
# facts, else 0. The shape *decision* alone pays 24 of 96 (0.25), and 16 of these 24 don't follow from their own facts; trained on it the model would learn "deny", which
# has 0.50. *Facts* gives contrast in all 12 groups, but "all true" has 0.86 of it against the model's 0.31: the slope leads away from reading. *Everything* is what
# I mean, but 3 of 96 and 2 of 12 groups: there is nothing to learn from yet. With support as a condition 8 of 96 are paid, in 4 groups; I'd start there, on problems
# balanced over the three decisions, so that a constant has a third at most, and move to *everything* as the rate rises.
#
# An unparseable output earns 0, as a wrong one does: 33 of 96 at first, 16 of them right by the key. That is a price, paid to keep the way out closed: masked, mumbling would
# beat a wrong decision. If the share didn't fall in training, I'd put an example into the prompt before loosening the reader.
#
# The suite's own candidates found nothing under *decision* (0 of 300); the constants that I added did: 33 of 105 are paid. Under *everything* none is, and no honest one of 12 is lost.
#
# What it can't see. Paid and shouldn't be: right decision, one false fact that is truly false, the other facts wrong but harmless (a guess that fits). To see it the verifier must compare the deciding
# facts. Also the "reasoning" line: it may say anything. Not paid and should be: an answer to policy-04, *deny* because the request is over 60% of the cost, in full, but the line
# begins `{_decision:` in place of the tag. A second reader for that form would see it, and would have to be attacked anew. And nothing here sees whether the rules themselves are fair, or whether the record is true: the reference comes from the record.
# ### END SOLUTION

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | data |
# |---|---|---|
# | shape isn't work | an empty form earns 0.7 of the naive JSON verifier | constructed |
# | paid where nothing is right | naive mean 0.92 and 0.61, 0 of 8 right | recorded |
# | one database is not enough | two queries right on the rows shown, wrong on others | recorded |
# | an echo farms line-wise credit | 0.67 for the unchanged input | constructed |
# | in each shape a constant beats the model | grants: 0.50, 0.25, 0.86, 0.25 against 0.25, 0.03, 0.31, 0.03 | recorded |
# | contrast, not rate | *everything*: 2 of 12 groups differ | recorded |
# | right for wrong reasons | 16 of 24 right decisions don't follow from their own facts | recorded |
| a suite doesn't know your domain's constants | *decision*: 0 of 300 paid; with one's own candidates 33 of 105 | constructed |
#
# **Limits.** 96 completions of one small model on 12 applications; a real fund's rules aren't six. The suite's candidates are of known kinds: passing says that *these* fail. Its
# rates are shares of what was tried, not of what a policy will write.
#
# **Roads not taken.** A model as a judge where no code decides (calibrate it first: a later notebook). Constrained decoding, which makes every output parseable, and so
# hides what the model can't do. Checking the reasoning line: that needs proofs, not patterns.
#
# **Next:** rules that come with proofs: when may a verifier say "I can't tell"?
