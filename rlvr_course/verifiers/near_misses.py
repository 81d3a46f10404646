"""A reference changed by one step, which a verifier must not take for it."""

from __future__ import annotations

import re


def perturbed(answer: str) -> str:
    """A near miss of a reference: its last whole number moved by one, or its first letter changed.

    >>> perturbed("(4, -1)"), perturbed("x^2 + 2*x - 15"), perturbed("B")
    ('(4, -2)', 'x^2 + 2*x - 16', 'C')
    """
    numbers = list(re.finditer(r"\d+", answer, re.ASCII))
    if numbers:
        last = numbers[-1]
        moved = str(int(last[0]) + 1).zfill(len(last[0]))
        return answer[: last.start()] + moved + answer[last.end() :]
    letter = re.search("[A-Za-z]", answer)
    if letter:
        other = "A" if letter[0] in "Zz" else chr(ord(letter[0]) + 1)
        return answer[: letter.start()] + other + answer[letter.end() :]
    return answer + " 1"
