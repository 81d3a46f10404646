"""Whole replies around a number: what is the committed answer, and what only mentions a number."""

from __future__ import annotations

import random
from collections.abc import Iterator

from renderings.family import Case, other

COMMITTED = (
    "The answer is {v}.",
    "Answer: {v}",
    "**Answer:** {v}",
    "**Answer: {v}**",
    "Final Answer: **{v}**",
    "Final answer: {v}",
    "The final answer is {v}.",
    "The final answer is: ${v}$. I hope it is correct.",
    "Therefore, the answer is {v}.",
    "Therefore, the answer is ${v}$.",
    "Thus the answer is: {v}",
    "So the answer is **{v}**.",
    "Hence, the final answer is \\({v}\\).",
    "#### {v}",
    "<answer>{v}</answer>",
    "<answer> {v} </answer>",
    "<think>Let me count them one by one.</think>\n<answer>{v}</answer>",
    "<think>Let me count them one by one.</think>\n\nThe answer is {v}.",
    "The answer is {v}, in total.",
    "The answer is {v} apples.",
    "So x = {v}.",
    "So $x = {v}$.",
    "So the speed is {v} km/h",
    "Therefore, she has {v} marbles left.",
    "Thus, the total cost is ${v}.",
    "Step 1: add {a} and {b}. Step 2: halve it.\n\nThe answer is {v}.",
    "First {a} + {b} = {ab}.\nFinal Answer: {v}",
    "We start with {a} and add {b}.\n#### {v}",
    "Adding {a} to {b} gives {ab}, of which some are lost.\n\n**Final Answer: {v}**",
    "The answer is thus {v}.",
    "The answer is, therefore, {v}.",
    "The answer is equal to {v}.",
    "The answer is exactly {v}.",
    "The answer to this problem is {v}.",
    "Adding the two parts gives a total of {v}.",
    "Answer: She has {v} apples.",
    "**Answer:** She has **{v}** apples left.",
    "**Final Answer:** The speed is {v} km/h.",
    "Final Answer: She pays ${v}.",
    "The answer is {v}\n\nExplanation: I added {a} and {b}.",
    "The answer is {v} ({a} less {b}, turned round).",
    "Thus\n\\[ x = {v}. \\]",
    "{v}",
    "{v}.",
    "${v}$",
    "\\({v}\\)",
    "\\[{v}\\]",
    "**{v}**",
    "\n\n  {v}\n",
)

BOXED = (
    "First try: \\boxed{{{w}}}. That forgets a term. With it, \\boxed{{{v}}}.",
    "<think>Perhaps \\boxed{{{w}}}?</think> The answer is \\boxed{{{v}}}.",
    "<think>Perhaps {w}, or {a}.</think>\n\\boxed{{{v}}}",
    "\\boxed{{{v}}} holds for {a} of {b} rows.",
    "The answer is {w}. No: \\boxed{{{v}}}",
    "\\boxed{{\\boxed{{{v}}}}}",
    "\\boxed {{{v}}}",
    "\\fbox{{{v}}}",
    "$$\\boxed{{{v}}}$$",
    "\\[\n\\boxed{{{v}}}\n\\]",
    "So \\boxed{{{v}}}. To repeat, with {a} and {b} as above:\n\n**Final Answer**\n\\boxed{{{v}}}",
    "<answer>\\boxed{{{v}}}</answer>",
    "# Solution\n1. Take {a}.\n2. Take {b}.\n\n**\\boxed{{{v}}}**\n\n3. Done.",
)

UNPAID = (
    ("It could be {a}, {v} or {b}; I can't tell which.", "hedge"),
    ("Either {v} or {w}.", "hedge"),
    ("The answer is {v} or {w}.", "hedge"),
    ("The answer is {w} or {v}.", "hedge"),
    ("Answer: {w}, or maybe {v}", "hedge"),
    ("\\boxed{{{v} \\text{{ or }} {w}}}", "hedge in a box"),
    ("\\boxed{{{w} \\text{{ or }} {v}}}", "hedge in a box"),
    ("\\boxed{{{v}, {w}}}", "two answers where one is asked"),
    ("\\boxed{{{w}, {v}}}", "two answers where one is asked"),
    ("\\boxed{{{v}}}, \\boxed{{{w}}}", "two boxes joined by a comma"),
    ("\\boxed{{{w}}} and \\boxed{{{v}}}", "two boxes joined by and"),
    ("\\boxed{{{v}}} \\boxed{{{a}}} \\boxed{{{w}}}", "a row of boxes"),
    ("I cannot solve this after {v} attempts.", "number in a refusal"),
    ("I'm sorry, but I can't determine the answer from {v} values.", "number in a refusal"),
    ("There is not enough information; {v} is only an upper bound.", "number in a refusal"),
    ("The question asks what remains of {v} apples after {a} are eaten.", "echoed question"),
    ("What is {v} plus {a}?", "echoed question"),
    ("First \\boxed{{{v}}}, but checking the sign gives \\boxed{{{w}}}.", "withdrawn box"),
    ("<think>So \\boxed{{{v}}}.</think> The answer is \\boxed{{{w}}}.", "box in the thinking"),
    ("<think>So it must be \\boxed{{{v}}}. Let me check once more", "thinking never closed"),
    ("<think>The answer is {v}. Let me check", "thinking never closed"),
    ("The answer is not {v}.", "denied"),
    ("The answer can't be {v}.", "denied"),
    ("The answer could not be {v}.", "denied"),
    ("I don't think the answer is {v}.", "denied"),
    ("It is false that the answer is {v}.", "denied"),
    ("The answer is {v}. Wait, that's wrong.", "taken back"),
    ("The answer is {v}. No, it is {w}.", "taken back"),
    ("Suppose the answer is {v}. Then a contradiction follows.", "supposed"),
    ("If x = {v}, then the left side is {a}.", "supposed"),
    ("We need to show that x = {v}.", "asked, not answered"),
    ("Nobody knows whether the answer is {v}.", "asked, not answered"),
    ("The answer is less than {v}.", "a bound"),
    ("The answer is at least {v}.", "a bound"),
    ("The answer is twice {v}.", "relative to a number"),
    ("The answer is {v} more than x.", "relative to a number"),
    ("<thinking>\\boxed{{{v}}}</thinking> The answer is {w}.", "box in the thinking"),
    ("\\boxed{{x={w} \\text{{ where }} y={v}}}", "another variable"),
    ("Left: {v} + {a}, consistent. Final Answer: **{w}**", "number of the work"),
    ("The answer is {w}. (We used {v} rows.)", "number after the answer"),
    ("\\boxed{{{w}}} appears in {v} of the rows.", "number after the box"),
    ("Answer: {w}\n\nThe input had {v} lines.", "number after the answer"),
    ("#### {w}\nNote: {v} was given.", "number after the answer"),
    ("<answer>{w}</answer> Checked against {v} samples.", "number after the answer"),
    ("\\boxed{{}} since {v} is too large", "empty box"),
    ("Solution:", "no answer"),
    ("Let me think step by step about {v}.", "number in an opening"),
    ("\\boxed{{?}} It is hard to say, though {v} is near.", "question mark in the box"),
)


def replies(rng: random.Random) -> Iterator[Case]:
    """One number in every phrasing; {v} is the reference, {w} a wrong value, {a} and {b} decoys."""
    v = rng.randint(20, 900)
    w, a, b = v + rng.randint(1, 9), rng.randint(1000, 1999), rng.randint(2000, 2999)
    names = {"v": v, "w": w, "a": a, "b": b, "ab": a + b}
    wrong = {**names, "v": w, "w": v}
    gold = str(v)
    for template in COMMITTED:
        yield Case(gold, template.format_map(names), "equal", "committed reply", "one final answer")
        yield Case(
            gold, template.format_map(wrong), "not_equal", "committed reply", "another value"
        )
    for template in BOXED:
        yield Case(gold, template.format_map(names), "equal", "boxed reply", "the last box counts")
        yield Case(gold, template.format_map(wrong), "not_equal", "boxed reply", "another value")
    for template, why in UNPAID:
        yield Case(gold, template.format_map(names), "not_equal", f"unpaid: {why}", why)


def find_all(rng: random.Random) -> Iterator[Case]:
    """Adjacent boxes are one list; a box that comes after prose is a new answer."""
    a, b, c = sorted(rng.sample(range(1, 99), 3))
    gold, kind = f"{a}, {b}, {c}", "adjacent boxes"
    boxes = [f"\\boxed{{{n}}}" for n in (a, b, c)]
    extra = f"\\boxed{{{other(rng, c, 100, 120)}}}"
    yield Case(gold, ", ".join(boxes), "equal", kind, "joined by commas")
    yield Case(gold, f"{boxes[0]}, {boxes[1]} and {boxes[2]}.", "equal", kind, "joined by and")
    yield Case(gold, f"They are {boxes[0]}, {boxes[1]}, and {boxes[2]}.", "equal", kind, "with and")
    yield Case(gold, f"${boxes[0]}$, ${boxes[1]}$, and ${boxes[2]}$.", "equal", kind, "in math")
    yield Case(gold, ", ".join(boxes[1:]), "not_equal", kind, "one missing")
    yield Case(gold, boxes[2], "not_equal", kind, "only the last")
    yield Case(gold, ", ".join([*boxes, extra]), "not_equal", kind, "one too many")
    yield Case(
        gold, f"{', '.join(boxes)}. Recounting, only {boxes[1]}", "not_equal", kind, "withdrawn"
    )
    yield Case(
        str(b), f"{', '.join(boxes[:2])}. Only one fits: {boxes[1]}", "equal", kind, "new answer"
    )
