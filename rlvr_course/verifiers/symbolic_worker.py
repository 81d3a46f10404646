"""The child process of ``symbolic``: reads pairs of LaTeX expressions, prints whether equal.

LaTeX is parsed by a grammar (ANTLR, through latex2sympy2_extended), never by ``eval`` or
``parse_expr``. Nothing here has a deadline of its own: the parent kills this process.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

_MEMORY_BYTES = 2 << 30


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _sides(latex: str) -> list[Any]:
    from latex2sympy2_extended import latex2sympy

    depth, sides = 0, [""]
    for character in latex:
        depth += (character == "{") - (character == "}")
        if character == "=" and depth == 0:
            sides.append("")
        else:
            sides[-1] += character
    return [latex2sympy(side) for side in sides]


def _same(left: Any, right: Any) -> bool:
    import sympy

    if left.free_symbols != right.free_symbols:
        return False
    difference = (left - right).doit()
    return difference == 0 or sympy.simplify(difference) == 0


def equal(left: str, right: str) -> bool:
    """Whether two LaTeX expressions, or equations side by side, are equal for SymPy."""
    first, second = _sides(left), _sides(right)
    pairs = zip(first, second, strict=False)
    return len(first) == len(second) and all(_same(a, b) for a, b in pairs)


def main() -> None:
    """Answer each line of input with one line: true or false."""
    _limit_memory()
    import latex2sympy2_extended  # noqa: F401  imported before "ready", so that no deadline pays

    print("ready", flush=True)
    for line in sys.stdin.buffer:
        left, right = json.loads(line)
        try:
            verdict = equal(left, right)
        except Exception:  # whatever SymPy or the parser raises: not shown equal
            verdict = False
        print(json.dumps(bool(verdict)), flush=True)


if __name__ == "__main__":
    main()
