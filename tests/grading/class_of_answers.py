"""Answers of a whole class: the same exercise done by many who don't know of each other."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping

from rlvr_course.grading.records import Grade, Mark

BOX = '''def last_box(text):
    """Content of the last box."""
    place = text.rfind("boxed{")
    while place >= 0:
        level = 0
        for at, char in enumerate(text[place + 5:]):  # from the brace on
            if char == "{":
                level += 1
            elif char == "}":
                level -= 1
            if level == 0:
                inside = text[place + 6:]
                return inside[: at - 1]
        place = text.rfind("boxed{", 0, place)
    return ""
'''
VALUE = """def to_value(text):
    for sign in ["$", "%", "\\\\,"]:
        text = text.replace(sign, "")
    whole, slash, part = text.strip().partition("/")
    try:
        top = Fraction(whole)
        bottom = Fraction(part) if slash else Fraction(1)
    except ValueError:
        return None
    if bottom == 0:
        return None
    return top / bottom
"""
ESSAY = (
    "A museum guide's answer to a child cannot be verified, because whether the child keeps "
    "asking questions on the way home shows long after the words were paid for, and two guides "
    "would never write the same sentence beforehand. Checking the dates and names of painters "
    "is the part that a program does well; the cheapest answer that passes is a list of dates."
)
SHORT = {
    "q02b": ["return c / (1 + c)", "return c / (c + 1)", "return 1 - 1 / (1 + c)"],
    "q03b": [
        "n = len(rewards)\n    s = sum(rewards)\n"
        "    return [r - (s - r) / (n - 1) for r in rewards] if n > 1 else [0.0]",
        "out = []\n    for i, r in enumerate(rewards):\n"
        "        rest = rewards[:i] + rewards[i + 1:]\n"
        "        out.append(r - sum(rest) / len(rest) if rest else 0.0)\n    return out",
        "if len(rewards) == 1:\n        return [0.0]\n"
        "    return [r - (sum(rewards) - r) / (len(rewards) - 1) for r in rewards]",
        "k = len(rewards)\n    if k < 2:\n        return [0.0] * k\n    m = sum(rewards) / k\n"
        "    return [(r - m) * k / (k - 1) for r in rewards]",
    ],
    "q03c": [
        "known = [r for r in rewards if r is not None]\n    m = sum(known) / len(known) if known "
        "else 0\n    return [r if r is None else r - m for r in rewards]",
        "s, n = 0, 0\n    for r in rewards:\n        if r is not None:\n            s += r\n"
        "            n += 1\n    return [None if r is None else r - s / n for r in rewards]",
        "if not any(r is not None for r in rewards):\n        return rewards\n"
        "    m = mean(r for r in rewards if r is not None)\n"
        "    return [r - m if r is not None else None for r in rewards]",
    ],
    "q03d": [
        "return 1 - comb(n - c, k) / comb(n, k)",
        "miss = comb(n - c, k)\n    return 1 - miss / comb(n, k)",
        "p = 1.0\n    for i in range(k):\n        p *= (n - c - i) / (n - i)\n    return 1 - p",
    ],
    "q03e": ["return 1 - p**n - (1 - p) ** n", "q = 1 - p\n    return 1 - (p**n + q**n)"],
}
PARAMETERS = {"q02b": "c", "q03b": "rewards", "q03c": "rewards", "q03d": "n, c, k", "q03e": "p, n"}
WORDS = ["a", "b", "acc", "item", "left", "mean", "num", "part", "res", "tmp", "val", "x", "y"]


def renamed(source: str, seed: int = 0) -> str:
    """The same code with all of its own names changed, one to one, and without its comments."""
    rng = random.Random(seed)
    tree = ast.parse(source)
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    fresh = [f"{word}{n}" for n in range(9) for word in WORDS]
    names = dict(zip(sorted(own), rng.sample(fresh, len(own)), strict=True))
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):
            if getattr(node, field, None) in names:
                setattr(node, field, names[getattr(node, field)])
    return ast.unparse(tree)


def handed(learner: str, answers: Mapping[str, str], notebook: str = "03_groups") -> Grade:
    """A graded submission; answers that begin with Q are written ones."""
    marks = [
        Mark(q, "scored", 1, 1, answer=text)
        if q[0] == "Q"
        else Mark(q, "passed", 1, 1, source=text)
        for q, text in answers.items()
    ]
    return Grade(learner, notebook, "graded", tuple(marks))


def independent(seed: int) -> dict[str, str]:
    """One learner's short answers: a way for each, in names of the learner's own."""
    rng = random.Random(seed)
    found = {}
    for question, ways in SHORT.items():
        source = f"def f({PARAMETERS[question]}):\n    {rng.choice(ways)}\n"
        found[question] = renamed(source, rng.randrange(10**6))
    return found


def long_answers(seed: int) -> dict[str, str]:
    """Longer answers, put together from choices that are made independently."""
    rng = random.Random(seed)
    pick = rng.choice
    start = pick(
        [
            'starts = [m.end() for m in re.finditer("boxed{", text)]',
            'starts = []\n    at = text.find("boxed{")\n    while at != -1:\n'
            '        starts.append(at + 6)\n        at = text.find("boxed{", at + 1)',
            'parts = text.split("boxed{")\n    starts = range(1, len(parts))',
        ]
    )
    walk = pick(
        [
            'for j in range(s, len(text)):\n            if text[j] == "{":\n'
            "                d += 1\n"
            '            if text[j] == "}":\n                d -= 1\n'
            "            if d == 0:\n                best = text[s:j]\n                break",
            "j = s\n        while j < len(text) and d > 0:\n"
            '            d += (text[j] == "{") - (text[j] == "}")\n            j += 1\n'
            "        if d == 0:\n            best = text[s : j - 1]",
            'content = ""\n        for ch in text[s:]:\n            d += {"{": 1}.get(ch, 0)\n'
            '            d -= {"}": 1}.get(ch, 0)\n            if not d:\n'
            "                best = content\n                break\n            content += ch",
        ]
    )
    end = pick(["return best", 'return best or ""', "return str(best)"])
    begin = pick(['best = ""', "best = str()", 'best, _ = "", None'])
    source = (
        f"def last_box(text):\n    {begin}\n    {start}\n    for s in starts:\n        d = 1\n"
        f"        {walk}\n    {end}\n"
    )
    return {"q01c": renamed(source, seed)}
