"""The verifier that everybody writes first, kept as the one to beat.

It takes the first box, or else the last number, and compares as floats, or else as texts. Its
faults are what the course teaches with: it misses ``1/2`` for ``0.5`` and a unit in the box, and
it pays a number out of a refusal. Never train with it; ``MathVerifier`` is the hardened one.
"""

from __future__ import annotations

import re

_BOX = re.compile(r"\\boxed\{([^}]+)\}")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def naive_verify(response: str, answer: str) -> bool:
    """Whether the first box, or else the last number, is the answer.

    Args:
        response, answer: any text; equal as floats within 1e-6, or else as stripped texts.

    Limits: all those that notebook 01 finds.

    >>> naive_verify("It is 80 km/h.", "80.0"), naive_verify(r"\\boxed{1/2}", "0.5")
    (True, False)
    >>> naive_verify("I can't tell whether it is 80", "80")
    True
    """
    box = _BOX.search(response)
    found = box[1] if box else (_NUMBER.findall(response) or [""])[-1]
    try:
        return abs(float(found) - float(answer)) < 1e-6
    except ValueError:
        return found.strip() == answer.strip()
