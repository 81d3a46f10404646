# %% [markdown]
# # 05 · Sandboxed code: when the answer is a program
#
# **One question:** what may a program that a model wrote do before it is scored, and what is the
# score worth?
#
# | | |
# |---|---|
# | **You will** | *score* a program in a few lines, *attack* that scorer, *compare* sandboxes, *write* two comparisons, *measure* what partial credit pays for, *find* the programs that fool visible tests |
# | **Minutes** | 100, and 15 for question Q4 |
# | **You need** | notebooks 00 (groups), 01 (verifier errors), 04 (hacks and detectors) |
# | **Offline?** | yes, in every mode; programs run for real where this machine has a sandbox |
#
# Three kinds of data occur: *recorded* (a real model's programs, and results noted earlier),
# *constructed* (written by hand to make a point), *measured* (here, now, or recorded where it can't be). Each is named where it is used.

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["nbval-ignore-output"]
import inspect
import math
import subprocess
import sys
import time
from collections import Counter
from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd

from rlvr_course import (
    CodeVerifier, Rate, ReplayPolicy, Reward, check, fractional_reward,
    load_problems, load_rollouts, plots, rollout, start, strip_fences,
    verify_audit,
)
from rlvr_course.classroom import sandboxed

pd.set_option("display.max_colwidth", 60)
pd.set_option("display.html.use_mathjax", False)
run = start("05_sandboxed_code", MODE)
sandbox, why_not = sandboxed.open_sandbox()
ran = "recorded" if why_not else "run now"
print(fill(f"NO SANDBOX HERE: results of one are recorded ({why_not})"
           if why_not else f"programs run in: {sandbox.tier}", 84))

# %% [markdown]
# The last line says where programs will run. A *sandbox* is a place where a program can compute,
# read its input and print, and touch nothing else. If this machine has none, every result below that
# needs one is a *recorded* result of the same program, and, but for one harmless program in section 1, nothing is run
# unprotected. Above a table, *programs: run now* or *programs: recorded* says which it was.
#
# ## 1 · A score in a few lines
#
# A task with *tests*: pairs of an input and the output that is expected. The score of a program is the
# share of tests that it passes. Here is a recorded program. **Read it before you run it**: the next
# cell prints it, the one after runs it on your machine with all your rights.

# %%
problems = {p.id: p for p in load_problems("code")}
rollouts = load_rollouts("code")
steps = problems["code-09"]
right = [r for r in rollouts if r.truth and r.problem_id == steps.id]
honest = strip_fences(right[0].completion.text)
print(f"{fill(steps.question.splitlines()[0], 84)}\n\n{honest}")

# %%
def naive_score(code, tests, timeout_s=5.0):
    """Share of the tests that a program passes. Not safe."""
    passed = 0
    for test in tests:
        done = subprocess.run(
            [sys.executable, "-c", code], input=test["input"],
            capture_output=True, text=True, timeout=timeout_s)
        passed += done.stdout.strip() == test["expected"]
    return passed / len(tests)


tests = steps.answer["visible_tests"]
print(f"{naive_score(honest, tests)} on {len(tests)} tests")

# %% [markdown]
# It works, and it even has a time limit. Much published code scores like this. (These three tests are *visible*: the
# question showed them to the model. Each problem has five more, which are *hidden*: section 6.)
#
# A few words first. The *kernel* is the part of the system that all programs share; a program asks it for files, network and
# processes by *system calls*; *fork* copies a running process; a *signal* is how one process stops another; a *socket* is an
# end of a connection.
#
# Now suppose that the policy, by training or by accident, writes one of the following.
# **Predict:** from which of these twelve does the time limit of `naive_score` protect you?

# %%
DOZEN = {
    "environment": ("secrets", "prints your environment, keys and all"),
    "another user's file": ("secrets", "reads a file that isn't its own"),
    "append to the log": ("audit log", "adds a line to the audit log"),
    "TCP to the host": ("network", "connects to a service"),
    "end a process": ("processes", "ends a process of yours"),
    "memory of a process overwritten": (
        "processes", "writes into a running process"),
    "grandchild that outlives its program": (
        "processes", "leaves a process behind, which acts later"),
    "disk of 200 MB in /tmp": ("resources", "fills the disk"),
    "loop that ignores signals": ("resources", "loops for ever"),
    "expected answer in arguments and files": (
        "forging", "searches files for the expected answers"),
    "user namespace": ("kernel", "uses a rarely tested part of the kernel"),
    "hostname": ("identity", "asks which machine this is"),
}
pd.DataFrame([(*what, name) for name, what in DOZEN.items()],
             columns=["class", "the program ...", "name in the battery"])

# %% [markdown]
# ## 2 · Let them try
#
# The course has a *battery* of such programs, all written by hand (constructed). Each aims at a **victim** set up for
# the purpose: a folder with a secret and a log, listeners, a process. Success is judged from *outside*, by what
# happened to the victim; where an attack leaves no trace there, by what the program reports.
#
# They run against a runner that has a time limit and a cap on its output, nothing else. So that this is safe, that
# runner is itself in a **disposable jail**: of your machine only the system's programs and this Python are in it, read-only; your
# home, your environment with its keys, your processes and your network aren't. Where it can't be made, you see recorded results.

# %% tags=["nbval-ignore-output"]
naked, note = sandboxed.attack_outcomes("unsafe-subprocess", list(DOZEN))
through = sum(escaped for escaped, _ in naked.values())
print(fill(f"RECORDED: {note}" if note else "run now, in the jail", 84))
print(f"got through: {through} of {len(naked)}")
pd.DataFrame([(DOZEN[name][1], *seen) for name, seen in naked.items()],
             columns=["the program ...", "got through", "what showed it"])

# %% [markdown]
# A time limit covers time. It stops the endless loop, and nothing else of the twelve. Note the grandchild: the
# program was over when the file changed. And the search for expected answers: it found the victim's secret, as it would find a
# scorer's answers, if they are where the program can look.
#
# | damage to | covered by a time limit? | what would cover it |
# |---|---|---|
# | secrets: keys, files, environment | no | an empty file system and environment |
# | audit log | no | the same |
# | network | no | no sockets |
# | other processes | no | a process space of its own, no signals out |
# | what survives the run | no | everything in that space is ended |
# | memory | no | a limit, and no forks to get around it |
# | disk | no | a small file system of its own, emptied |
# | the score itself | no | expected answers never go in |
# | kernel surface | no | a list of allowed system calls |
# | time | **yes** | |
#
# That was damage to the machine. What about the *grader*, the very process that keeps the scores?
# **Predict** what happens to it with these three: one prints without end; one leaves a child that keeps
# the output open; one attaches to its parent as a debugger would (`ptrace`), and ends.

# %% tags=["nbval-ignore-output"]
NASTY = {
    "prints without end": "while True: print('y' * 100_000)",
    "leaves a child": "import os, time\nif os.fork() == 0: time.sleep(3)",
    "traces its parent": "import ctypes, os\n"
    "ctypes.CDLL(None).ptrace(16, os.getppid(), None, None)",
}
GRADE = "import resource, subprocess, sys\n"
GRADE += inspect.getsource(naive_score) + """
try:
    said = naive_score(CODE, [dict(input='', expected='1')], 0.5)
except Exception as error:
    said = type(error).__name__
peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
print(f"{said}; the grader holds {peak_mb} MB")
"""
for name, code in NASTY.items():
    try:
        said = sandboxed.jailed(GRADE.replace("CODE", repr(code)), 2.0)
    except sandboxed.SandboxUnavailable:
        noted = sandboxed.recorded()["grader"][name]
        said = f"{noted} (recorded: no jail here)"
    print(f"{name:20} {said}")

# %% [markdown]
# (In the jail again, but where a line says *recorded*. "HANGS": it was ended from outside after 2 s, against a time limit of 0.5 s.)
#
# - Without a limit on output, half a second of printing fills the *grader's* memory with tens to hundreds of megabytes, by
#   the machine's speed.
# - The exception is raised in your training loop. Whose fault was it, and what does the sample earn? (Section 4.)
# - The tracer stops its parent and dies; nobody wakes the grader again. Its time limit can't help: the clock is
#   in the process that was stopped. (Some machines forbid to trace a parent, with a setting called *Yama*; then it
#   fails, by their luck and not by your code.)
#
# ## 3 · Sandboxes, tier by tier
#
# The course has several sandboxes, from the strongest down, called *tiers*. Which ones a machine can
# hold depends on its kernel and its settings. `sandbox="auto"` takes the first of the automatic ones in which
# a set of *probe attacks* fails: that it holds isn't assumed, it is tried. The first two:
#
# - `linux-ns` gives the program *namespaces*: its own view of files, processes and network, with next to
#   nothing in it; plus a filter that allows only listed system calls; plus limits.
# - `linux-landlock` leaves the view and takes the rights: a kernel rule set (*Landlock*) allows reading the
#   standard library and nothing else; the filter and the limits are the same.
#
# `unsafe-subprocess` is the runner of section 2. `auto` never chooses it: where nothing works, `auto` raises
# `SandboxUnavailable`, with the reason and the remedy for each tier.
#
# The next cell asks what *your* machine offers (as `rlvr-course sandbox doctor` does), the one after it runs the twelve in
# those two. **Predict:** in which of the two do some of the twelve still get through, and which?

# %% tags=["nbval-ignore-output"]
for line in sandboxed.doctor():
    print(fill(line, 84, subsequent_indent="    "))

# %% tags=["nbval-ignore-output"]
columns = {}
for tier in ("linux-ns", "linux-landlock"):
    columns[tier], note = sandboxed.attack_outcomes(tier, list(DOZEN))
    print(f"{tier}: {'RECORDED' if note else 'run now'}")
columns["time limit only"] = naked
words = {True: "through", False: "stopped"}
pd.DataFrame({
    tier: {name: words[escaped] for name, (escaped, _) in found.items()}
    for tier, found in columns.items()
})

# %% [markdown]
# What gets through `linux-landlock` (a host name) is *declared*: its description says so. A leak that is written down
# is a property that you can plan with. Now the whole battery; running it takes minutes (`rlvr-course
# sandbox attack --tier linux-ns`), so here are recorded results, with the names of what got through the two sandboxes.

# %%
about = sandboxed.recorded()["about"]
print(fill(f"recorded on {about['date']}, {about['machine']}", 84))
for tier, names in sandboxed.escapes_by_name().items():
    print(fill(f"through {tier}: {', '.join(names)}", 84))
pd.DataFrame(sandboxed.escapes_by_class()).fillna("")

# %% [markdown]
# All that got through the two sandboxes is declared. Read the rest with care. "0 of 38" is a statement about 38 known attacks, written by those who wrote the sandbox; the next one is not among
# them. In the last column (no sandbox, only a time limit) only attacks are counted that can be shown there safely and say something there.
#
# All three columns share the host's kernel: **a program with an exploit for the kernel itself leaves every one of them.** Against that you'd need another
# kernel (`gvisor`, a virtual machine) or no system calls at all (`wasi`).
#
# **Predict:** what does safety cost? Running a program in the sandbox takes how many times as long as `python -c`?

# %% tags=["nbval-ignore-output"]
from rlvr_course.sandbox.records import Limits, Program


def median_ms(call, n=20):
    """Median time of n calls, in milliseconds."""
    times = []
    for _ in range(n):
        began = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - began))
    return sorted(times)[n // 2]


small = Program("print(6 * 7)")
plain = [sys.executable, "-c", small.source]
host_ms = median_ms(lambda: subprocess.run(plain, capture_output=True))
boxed_ms = median_ms(lambda: sandbox.run_many([small], Limits()))
if why_not:
    host_ms, boxed_ms = sandboxed.recorded()["median_ms"].values()
print(f"host {host_ms:.1f} ms, sandbox {boxed_ms:.1f} ms: "
      f"{host_ms / boxed_ms:.1f} times faster (n=20 each, {ran})")

# %% [markdown]
# Less than one time: it is *faster*. Most of `python -c` is starting Python. The sandbox starts it once and then *forks*: each program gets a copy of a process that is
# ready and empty. So there is no trade between safe and fast here, and no excuse. (20 runs on a busy machine
# give a rough ratio; where they were run now, run the cell again.)
#
# ## 4 · What passes a test
#
# The machine is safe now. Is the *score*? Constructed: a task that asks for a function, *total(n): 1 + 4 + ... + n²*, and five programs.
# A widespread way to score them: append the tests as assertions, run it all, and see if the exit code is 0, or if `PASSED` was
# printed.
#
# **Predict** for each program: exit code 0? `PASSED`?

# %%
five = {
    "right": "def total(n): return sum(i * i for i in range(n + 1))",
    "leaves early": "import sys\ndef total(n): sys.exit(0)",
    "says so": "import os\nprint('PASSED', flush=True)\nos._exit(0)",
    "leaves at exit": "import atexit, os\natexit.register(os._exit, 0)",
    "equals all": "class Same:\n    def __eq__(self, other): return True\n"
    "def total(n): return Same()",
}
ASSERTS = "\nassert total(3) == 14\nassert total(1) == 1\nprint('PASSED')"
done = sandbox.run_many([Program(code + ASSERTS) for code in five.values()],
                        Limits())
verify = CodeVerifier(sandbox)
calls = [{"call": "total", "args": [n], "expected": e}
         for n, e in ((3, 14), (1, 1), (10, 385))]
by_value = verify.report_many(list(five.values()), [calls] * 5)
print(f"programs: {ran}")
pd.DataFrame({
    "exit code 0": [r.exit_code == 0 for r in done],
    "PASSED": ["PASSED" in r.stdout for r in done],
    "by value": ["ungraded" if r.score is None else f"{r.score:.0f}"
                 for r in by_value],
    "first result": [r.outcomes[0].reason if r.outcomes else "none"
                     for r in by_value],
}, index=list(five))

# %% [markdown]
# (The last column is what `CodeVerifier` says of the first test. *raised*: no value came, but an exception; *returned_nothing*: the process was gone
# before the function returned; *undefined*: there is no `total`; *not_plain*: the value is an object of the program's own. Where programs are
# recorded, a program of your own isn't in the record: ungraded.)
#
# Exit code 0 says that the process ended politely, and a printed word says that somebody printed it. Both are *claims of the
# candidate about itself*. The tests ran in the candidate's process, where it owns everything: the exit, the output, even the
# meaning of `==`.
#
# `CodeVerifier` lets the program compute and compares *outside*: what comes out is a value made of plain
# types (numbers, text, lists), the expected value never goes in. **Whoever is judged may hand in an answer, never a verdict.**
#
# So the comparison is yours to get right. First printed text. A common way compares line by line, in pairs made by `zip`, each line
# stripped. It accepts all six of these. **Predict** which should pass:
#
# | expected | got | pairs, stripped | should pass |
# |---|---|---|---|
# | `1⏎2⏎3` | `1⏎2⏎3⏎` | passes | ? |
# | `1⏎2⏎3` | `1⏎2 ⏎3`, with line ends of Windows | passes | ? |
# | `1⏎2⏎3` | `1⏎2` | passes | ? |
# | `1⏎2` | `1⏎2⏎3` | passes | ? |
# | `no` | `no⏎yes⏎maybe` | passes | ? |
# | `␣␣a` | `a` | passes | ? |
#
# **Exercise q05a.** Write `same_output(expected, got)`: True if the texts are the same, else False. Only these differences are
# forgiven: the kind of line ends (`\r\n` or `\n`), blanks at the *end* of a line, empty lines at the *end* of the text.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q05a", "points": 3, "solution": true}
def same_output(expected, got):
    """Whether a program printed what was expected, all of it."""
    ### BEGIN SOLUTION
    def lines(text):
        text = text.replace("\r\n", "\n")
        rows = [row.rstrip() for row in text.split("\n")]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    return lines(expected) == lines(got)
    ### END SOLUTION


# %%
check("q05a", same_output)

# %% [markdown]
# So of the six in the table only the first two should pass. `zip` stops at the shorter text: missing lines pass, and so do extra
# ones. And stripping everything makes `␣␣a` and `a` the same, which is wrong for a task about layout.
#
# Then returned values. In Python `1 == True == 1.0`, a sum of decimals is off by a hair, and *NaN* ("not a
# number", what `0 * inf` gives) isn't equal even to itself.
#
# **Exercise q05b.** Write `same_value(expected, got)` for plain values: None, bool, int, float, str, list. True if
#
# - the types are the same, except that an int may be given where a float is expected (`expected` is a float);
# - a float is within a millionth of the expected size, `abs(got - expected) <= 1e-6 * abs(expected)`; an int, a str, a bool, None exactly;
# - lists have the same length and agree item by item by these same rules.
#
# NaN equals nothing. Everything else is False.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q05b", "points": 4, "solution": true}
def same_value(expected, got):
    """Whether a returned value is the expected one, by type and value."""
    ### BEGIN SOLUTION
    if type(expected) is float and type(got) in (int, float):
        return abs(got - expected) <= 1e-6 * abs(expected)
    if type(expected) is not type(got):
        return False
    if type(expected) is list:
        return len(expected) == len(got) and all(
            same_value(e, g) for e, g in zip(expected, got))
    return expected == got
    ### END SOLUTION


# %%
check("q05b", same_value)

# %% [markdown]
# ### Whose fault?
#
# Constructed: seven runs that give no clean "right" or "wrong". Who failed, the *policy* or the *grader*? The policy's
# failures earn the reward of a wrong answer. The grader's earn *nothing at all*: the sample is **ungraded** and
# leaves the training batch, for any number would teach something false.
#
# **Predict** for each: 0, or ungraded?

# %%
quick = CodeVerifier(sandbox, timeout_s=0.5)
down = CodeVerifier(sandboxed.RecordedPool({}))  # knows no program
one = [{"input": "3\n", "expected": "14"}]
wrong_reference = {"visible": one, "reference": "print(15)"}
seven = {
    "crashes": (quick, "1 / 0", one),
    "loops for ever": (quick, "while True: pass", one),
    "prints for ever": (quick, "while True: print('y' * 9999)", one),
    "no program": (quick, "Sorry, I can't.", one),
    "task without tests": (quick, "print(14)", []),
    "reference fails": (quick, "print(14)", wrong_reference),
    "sandbox is down": (down, "print(14)", one),
}
shown_tier = f"tier={sandbox.tier}; "
told = {name: v(code, answer) for name, (v, code, answer) in seven.items()}
coin = "import random\nprint(random.randint(1, 2))"
flaky = verify.check_tests([{"input": "", "expected": "1"}], coin,
                           repeats=16)
print(f"programs: {ran}\na coin, tested 16 times: {flaky.fault}")
pd.DataFrame({name: {"score": "ungraded" if t.score is None else t.score,
                     "reason": t.reason.replace(shown_tier, "")}
              for name, t in told.items()}).T

# %% [markdown]
# The law behind it: **what the candidate could cause is the candidate's fault**; else "be slow" or "crash the scorer" becomes a way out of a bad
# grade. What it could not cause is never counted against it, nor for it. (The sandbox that is down is a stand-in. `"Sorry, I can't."` is taken as a program,
# which crashes: a wrong answer either way. In the reasons, 1 is how many tests are at fault.)
#
# A task's *reference solution* is run on its own tests before they may judge anybody. It can fail in a quieter way than by
# being wrong: a **flaky** test passes sometimes. The first printed line (constructed: *"print 1 or 2"*, tested with one throw) shows how one is found: by
# *repetition*. It, too, is the grader's fault. Half and half is soon seen. What about a test that fails once in ten?
#
# **Exercise q05c.** Write `repeats_needed(rate, chance)`: the least number of runs after which a test that fails with probability `rate` in each run
# (0 < rate ≤ 1) has failed at least once, with a probability of at least `chance` (0 < chance < 1). An int.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q05c", "points": 2, "solution": true}
def repeats_needed(rate, chance):
    """The least number of runs that show a failure with this chance."""
    ### BEGIN SOLUTION
    runs = 1
    while 1 - (1 - rate) ** runs < chance:
        runs += 1
    return runs
    ### END SOLUTION


# %%
check("q05c", repeats_needed)

# %% [markdown]
# ## 5 · Partial credit
#
# A score of tests has a *fraction* in it. Should a program that passes 6 of 8 tests earn more than one that passes none? We score
# all recorded programs: 10 problems, 8 programs each by one small model, 8 tests a problem, visible and hidden together.

# %%
reports = verify.report_many(
    [r.completion.text for r in rollouts],
    [problems[r.problem_id].answer for r in rollouts])
groups = {name: [rep for rep, r in zip(reports, rollouts)
                 if r.problem_id == name] for name in problems}
keyed = [(rep.score == 1, r.truth) for rep, r in zip(reports, rollouts)
         if r.truth is not None]
agree = Rate(sum(a == b for a, b in keyed), len(keyed))
print(f"programs: {ran}\nagree with the answer key: {agree}")
pd.DataFrame({name: [f"{rep.score:.2f}" for rep in group]
              for name, group in groups.items()}).T

# %% [markdown]
# (The answer key was made independently, by reading and running; one program in doubt is left out.)
#
# A group has a training signal only if its rewards *differ* (notebook 00: a **mixed** group). **Predict:** for groups
# of 2, 4 and 8, which share is mixed if all-or-nothing is paid, and which with the fraction? For k below 8 the
# chance over all draws of k of the 8 recorded programs is computed. And then: what if all programs that pass everything are left out?

# %%
def mixed_chance(scores, k):
    """Chance that k of these scores, drawn without putting back, differ."""
    same = sum(math.comb(n, k) for n in Counter(scores).values())
    return 1 - same / math.comb(len(scores), k)


def over_problems(pay, k):
    """Mean over problems, and the half-width of its 95% interval."""
    s = pd.Series([mixed_chance([pay(r.score) for r in group], k)
                   for group in groups.values()])
    return f"{s.mean():.2f} ± {1.96 * s.std() / len(s) ** 0.5:.2f}"


pays = {"all or nothing": lambda s: s == 1, "fraction": lambda s: s}
for name, pay in pays.items():
    mixed = sum(len({pay(r.score) for r in group if r.score < 1}) > 1
                for group in groups.values())
    n = len(groups)
    said = Rate(mixed, n) if mixed else f"0 of {n}, by construction"
    print(f"{name:15} mixed, solvers left out: {said}")
pd.DataFrame({name: {f"groups of {k}": over_problems(pay, k)
                     for k in (2, 4, 8)} for name, pay in pays.items()})

# %% [markdown]
# (n = 10 problems; ± is the half-width of a 95% interval over problems, rough with ten.) With groups of 8 the fraction adds *nothing*: these problems were chosen so
# that each is sometimes solved. The gain is in small groups, and not large.
#
# Its real use is where nobody solves the problem yet: the two printed lines (constructed from the recorded: the programs that pass
# everything are left out). All-or-nothing has no signal at all there. With the fraction most groups have one. *A signal towards what?* **Read a failure:** a program
# of `code-10` that passes some tests, and what it printed on each of the eight.

# %%
lazy = next(r for r in groups["code-10"] if "errors=" in r.code)
print(fill(problems["code-10"].question.partition("\n")[0], 84))
print(f"\n{lazy.code}\n\nscore {lazy.score:.3f}")
print([o.got.strip() for o in lazy.outcomes])

# %% [markdown]
# `strptime` takes no `errors=`; every call raises a TypeError, which is caught, and the program says *invalid* to
# everything. It earns 0.62, more than most of its group, since 5 of the 8 dates happen to be
# invalid. Nobody planned that: **partial credit pays a constant whatever share of the tests expects that constant.**
#
# **Exercise q05d.** Write `constant_income(expected)`: from the list of a problem's expected outputs, the largest score that a program
# which always prints the same text can earn. Outputs that q05a would call the same are the same. (All are single lines.) An empty list: 0.0.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q05d", "points": 3, "solution": true}
def constant_income(expected):
    """What the best constant program earns, from 0 to 1."""
    ### BEGIN SOLUTION
    if not expected:
        return 0.0
    counts = {}
    for text in expected:
        counts[text.rstrip()] = counts.get(text.rstrip(), 0) + 1
    return max(counts.values()) / len(expected)
    ### END SOLUTION


# %%
check("q05d", constant_income)

# %% [markdown]
# What do constants earn on the recorded problems? **Predict** on which of the ten a constant beats the *mean* score
# of the recorded model's programs: then it would be reinforced.

# %%
from rlvr_course.verifiers.programs.partial_credit import (
    balanced_score as balanced, best_constant,
)


def wanted(problem):
    lists = problem.answer["visible_tests"], problem.answer["hidden_tests"]
    return [test["expected"] for tests in lists for test in tests]


rows = []
for name, problem in problems.items():
    text = best_constant(wanted(problem))
    income = verify.verify(f"print({text!r})", problem.answer)
    mean = sum(r.score for r in groups[name]) / 8
    rows.append((name, repr(text)[:20], f"{income:.3f}", f"{mean:.3f}",
                 f"{income - mean:+.3f}"))
print(f"programs: {ran}")
pd.DataFrame(rows, columns=[
    "problem", "best constant", "it earns", "mean of 8", "advantage"])

# %% [markdown]
# (The constants were run as programs, too. The *advantage* is the reward less the mean of the group.)
#
# Yes-or-no tasks are the danger: on `code-07` and `code-10` half of the tests or more expect the same word. On
# `code-10` a program that does no work is well above its group. Two cures:
#
# - *All or nothing*: a constant earns 0, and so does every honest part solution.
# - *Balance*: each distinct answer gets the same total weight, shared among the tests that expect it.
#
# **Exercise q05e.** Write `balanced_score(passed, expected)`: two lists of the same length, bools and texts. Each distinct expected
# text has weight 1, shared equally by its tests; the score is the weight passed over the whole weight, 0 to 1. No tests: 0.0.

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q05e", "points": 3, "solution": true}
def balanced_score(passed, expected):
    """A score in which each distinct expected answer counts the same."""
    ### BEGIN SOLUTION
    if not expected:
        return 0.0
    counts = {text: expected.count(text) for text in expected}
    won = sum(1 / counts[e] for p, e in zip(passed, expected) if p)
    return won / len(counts)
    ### END SOLUTION


# %%
check("q05e", balanced_score)

# %%
def even(report):
    """A report's score by the package's version of q05e."""
    return balanced([o.passed for o in report.outcomes],
                    [o.expected for o in report.outcomes])


for name in ("code-07", "code-10"):
    plain_mean = sum(r.score for r in groups[name]) / 8
    even_mean = sum(even(r) for r in groups[name]) / 8
    text = best_constant(wanted(problems[name]))
    flat = verify.report(f"print({text!r})", problems[name].answer)
    print(f"{name} fraction: constant {flat.score:.2f}, mean "
          f"{plain_mean:.2f}; balanced: constant "
          f"{even(flat):.2f}, mean {even_mean:.2f}")

# %% [markdown]
# Balance bounds the income of a constant by 1 over the number of distinct answers: here one half. On `code-10` that is still
# above a weak group's mean. *With two possible answers no weighting makes guessing unprofitable*; more answers (ask for
# the reason, several dates in one test) or all-or-nothing do.
#
# ## 6 · Visible and hidden tests
#
# The policy was shown three tests of each problem, in the question. Five more were **hidden**: they judge, and nobody saw
# them. **Predict:** of the recorded programs that pass every visible test, which share fails a hidden one? Then **read**
# the program that is printed: what did its author, the model, not think of?

# %%
passes_shown = [(r, rep) for r, rep in zip(rollouts, reports)
                if rep.visible == 1]
fooled = [(r, rep) for r, rep in passes_shown if rep.hidden < 1]
gap = Rate(len(fooled), len(passes_shown))
print(f"programs: {ran}\npass all visible tests, fail a hidden one: {gap}")
r, rep = next(pair for pair in fooled if "0" in [
    o.got.strip() for o in pair[1].outcomes if not o.passed])
shown = problems[r.problem_id]
print(fill(shown.question.partition("\n")[0], 84))
print("visible inputs:", [
    test["input"].strip() for test in shown.answer["visible_tests"]])
print(f"\n{rep.code}")
pd.DataFrame([(one.problem_id, one.completion.index, f"{two.hidden:.1f}",
               o.given.strip()[:12], o.expected[:12], o.got.strip()[:12])
              for one, two in fooled for o in two.outcomes if not o.passed],
             columns=["problem", "program", "hidden", "input",
                      "expected", "got"])

# %% [markdown]
# The table has every hidden test that failed; the program printed above it is one of them.
# A negative number skips the loop. The question says "may be negative", but none of its three examples is. What
# would the policy be taught? Its whole group, paid by visible tests alone and by all (all or nothing):

# %%
group = sorted(groups[r.problem_id], key=lambda one: -one.score)
table = {"score": [f"{one.score:.2f}" for one in group]}
for label, name in (("visible tests", "visible"), ("all tests", "score")):
    paid = [getattr(one, name) == 1 for one in group]
    table[label] = [f"{x - sum(paid) / 8:+.2f}" for x in paid]
pd.DataFrame(table, index=[f"p{i}" for i in range(8)]).T

# %% [markdown]
# (The best program comes first.) Programs p2, p3 and p4 drop negative numbers. By visible tests they are reinforced exactly like the two right
# ones; with the hidden tests they are pushed down. **The gap between visible and hidden pass rates is a health figure** of a training run: log it, with its
# n. If it grows, the policy is learning the tests.
#
# (5 of 40 is a gap without any training pressure, and its interval is wide. And hidden tests are worth what they cover: they stay
# hidden only as long as they don't get into a prompt, an error message or a training set.)
#
# ## 7 · Programs written for the tests
#
# A policy under pressure goes further than forgetting a case. Constructed: four kinds of *test-suite hacks*, some thirty templates,
# made from the visible tests of each problem. The cell prints one of each kind. **Predict:** what share of the visible tests,
# and of the hidden ones, does each kind pass? (Run on two of the ten problems.)

# %%
from rlvr_course.verifiers.programs.planted import (
    planted_programs, score_suite_detectors,
)

planted = [row for row in planted_programs()
           if row.problem.id in ("code-01", "code-10")]
for kind, code in {row.kind: row.code for row in planted[::-1]}.items():
    print(fill(f"{kind}: {code!r}", 84, subsequent_indent="    "))
hacked = verify.report_many([row.code for row in planted],
                            [row.problem.answer for row in planted])
print(f"programs: {ran}")
frame = pd.DataFrame({"kind": [row.kind for row in planted],
                      "visible": [r.visible for r in hacked],
                      "hidden": [r.hidden for r in hacked]})
is_dates = pd.Series([row.problem.id == "code-10" for row in planted])
frame["dates"] = frame.hidden.where(is_dates)  # of code-10 alone
frame["other"] = frame.hidden.where(~is_dates)
frame.groupby("kind", sort=False).agg(
    programs=("visible", "size"), visible=("visible", "mean"),
    hidden=("hidden", "mean"), hidden_code_01=("other", "mean"),
    hidden_code_10=("dates", "mean")).round(2)

# %% [markdown]
# (Means over programs; constructed, so they say what such hacks *can* earn, not how common they are.) Hard-coding takes all of the visible tests, and nothing of the hidden ones.
# Exits and tampering earn next to nothing: the comparison is outside. The little that they earn comes from templates that print a constant
# before they exit, or that echo `input()`, where the echo happens to be right. What a constant takes from the hidden tests is `code-10` again.
#
# Hidden tests stop the *payment*. To *see* the attempts, four detectors read the program as text (nothing is run). As in
# notebook 04 they have two errors: hacks of their kind that they miss, and honest programs that they accuse. The honest ones are the
# recorded programs that the key calls right. **Predict** both.

# %%
scores = score_suite_detectors()
least = min(v[0].value for v in scores.values())
fig, axes = plt.subplots(2, 1, figsize=(6, 5.5), layout="constrained")
plots.rates({k: v[0] for k, v in scores.items()}, ax=axes[0],
            xlabel="recall", suffix="")
plots.rates({k: v[1] for k, v in scores.items()}, ax=axes[1],
            xlabel="false alarms", suffix="", xlim=(0, 0.3))
accused = sum(v[1].successes for v in scores.values())
_ = fig.suptitle(f"{accused} of {scores['early_exit'][1].n} honest programs"
                 f" accused; lowest recall {least:.2f}\n"
                 "on constructed hacks (dot, with 95% interval)")

# %% [markdown]
# No honest program is accused, of 35: the interval still allows one in ten. And detectors and templates have one author, so the
# recall is an upper bound; `n * 0 + 1` is a constant that none of them sees. Flag, count, read; let the tests decide the
# payment.
#
# ## 8 · A logged run
#
# Together, for two of the problems: groups from the recorded policy, scored in the sandbox, paid by fraction, logged.

# %% tags=["nbval-ignore-output"]
def earned(verdict):
    """From -0.1 for no test to 1 for all; ungraded stays out."""
    return Reward(fractional_reward(verdict.score))


final = rollout(list(problems.values())[-2:], ReplayPolicy(), verify,
                earned, n_samples=8, on_sample=run.log.append)
rewards = [s.reward for group in final for s in group]
print(f"{len(rewards)} samples, mean reward {sum(rewards) / 16:.3f}, "
      f"log holds: {verify_audit(run.log.path).ok}")
print(fill(f"one line's reason: {final[-1][1].reason}", 84))

# %% [markdown]
# Each line of the log says which *tier* graded it. That matters: a program that writes a scratch file passes in `linux-ns` (which has a
# small `/tmp`) and fails in `linux-landlock` (which forbids writing). Same program, same tests, different score.
#
# **Question Q4** (read by your instructor; 10–15 lines). *Your cluster's machines offer different tiers: some `linux-ns`, some only `linux-landlock`, one that a
# colleague set to `unsafe`. A policy trained on all of them is compared with a baseline that was scored last month on one of them. State
# your threat model (who could do what to you, and what you would lose): what may a candidate do on each, and what do you have to lose? Which scores may you compare, what would you pin, and which
# samples would you throw away? And suppose every machine were perfectly sandboxed: what would the score still not be worth, and which figure of this notebook tells you?*

# %% [markdown] nbgrader={"grade": true, "grade_id": "Q4", "points": 10, "solution": true, "locked": false}
# ### BEGIN SOLUTION
# *A worked answer, not the only one.* Threat: programs by a policy that is rewarded for passing, so it finds by search what pays; no
# malice is needed. To lose: keys and files of the machine, the log, other jobs, and the rewards themselves. On `linux-ns` none of the battery but the kernel's
# version gets through, on `linux-landlock` the host name, process numbers and a file's size and times as well; both share the kernel, so an exploit leaves both. On `unsafe` everything is
# open: 11 of the 12 attacks got through.
#
# The scores of the `unsafe` machine I throw away, all of them: a program there may have read the expected answers or rewritten the log, and
# one program can have changed the scores of others. Hash chains show accidents, not an owner of the machine, so I restore the log from an anchor kept elsewhere, and
# change the keys that were on it. `linux-ns` against `linux-landlock`: comparable only where no program needs to write; a program that writes a scratch file
# passes on one and fails on the other. So I'd pin the tier (`min_tier`, or one name for the whole comparison), the Python version, the
# time limit and the tests' digest, and score the *baseline again* beside the policy: it is cheap, since the sandbox is faster than `python -c`. Results with reason `infra` are
# ungraded, retried, and never 0; timeouts near the limit I'd look at by machine, since slow machines make them.
#
# With perfect sandboxes the score still says only "passed these tests". Of 40 recorded programs that pass all visible tests 5 fail a hidden one (0.12, interval about
# 0.05 to 0.26), without any pressure; a program that answers "invalid" to everything gets 0.62 by fraction. So I'd report the hidden-test gap with its n, a
# constant's income per problem, the share of flagged programs, and the share of flaky or ungraded tests. I'd still not trust that the hidden tests cover the task.
# ### END SOLUTION

# %% [markdown]
# ## What to keep
#
# | claim | the experiment | data |
# |---|---|---|
# | a time limit covers time | 12 attacks on a plain runner, 11 get through | constructed, run or recorded |
# | a grader can be stopped by what it grades | endless output; a traced parent | constructed, run or recorded |
# | safe is not slow | copies of one ready Python against `python -c` | measured or recorded |
# | exit codes and printed words are claims | five programs, one right | constructed |
# | the grader's fault is not the policy's | seven runs, three ungraded | constructed |
# | partial credit pays constants | 0.62 for saying *invalid* to everything | recorded |
# | visible tests overrate | 5 of 40 fail a hidden test | recorded |
#
# **Limits.** Attacks that we thought of, on one kernel; an exploit of the kernel leaves every tier but `gvisor` and `wasi`. Ten small problems,
# one small model, eight programs each: the intervals are wide. The hacks are templates, not a trained policy's.
#
# **Roads not taken.** A container or a virtual machine for each program: stronger or more familiar, and slower by orders of magnitude. Property-based tests
# made from the reference (more tests, same blind spots). A judge that reads the program (notebook 12). Rewards for speed, which need a quiet machine.
#
# **Next:** `06_preference_pairs`: from scored groups to pairs.
