"""What learners must not see: lines of solutions, hidden cases, rubrics.

A line is told by its letters and digits (``disguises.skeleton``). Of a long one, such as a
sentence of a worked answer, any stretch of ``STRETCH`` letters in a row gives it away, so that
breaking it elsewhere or leaving its beginning out does not help.

Some lines are public on purpose: the third hint of an exercise may spell out a formula, and the
package has code that an exercise asks for. ``solutions_private/published.toml`` names each of
them, the file in which it may stand, and why.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rlvr_course.classroom.checkout import Checkout, select
from rlvr_course.classroom.disguises import skeleton
from rlvr_course.errors import NotebookError

SecretKind = Literal["solution", "hidden case", "rubric"]

LEAST = 20
"""Letters of the shortest line that is looked for; shorter ones are bound to recur."""
STRETCH, STEP = 44, 4
_PHRASE = re.compile(r"[A-Za-z0-9 _,:;'()+*.|−-]*[a-z0-9 |]")
LEAST_TEXT = 14
"""Letters of the shortest text in a hidden case that is looked for by itself."""
_LEAST_CELL = 28
"""Letters of the shortest cell of a rubric's tables; shorter ones are common phrases."""


@dataclass(frozen=True)
class Secret:
    """One line that is to stay private; ``source`` names the file that it is from."""

    kind: SecretKind
    source: str
    line: str

    @cached_property
    def patterns(self) -> Sequence[str]:
        """What is looked for: the line's skeleton, or stretches of a long one."""
        bare = skeleton(self.line)
        if len(bare) <= STRETCH + STEP:
            return [bare]
        starts = range(0, len(bare) - STRETCH + 1, STEP)
        return [bare[start : start + STRETCH] for start in starts]


def secrets_of(checkout: Checkout) -> list[Secret]:
    """All secrets of an instructor's checkout, each once.

    Raises:
        NotebookError: it has no sources, or one can't be read.
    """
    found = [*_solutions(checkout), *_hidden(checkout), *_rubrics(checkout)]
    return list({skeleton(secret.line): secret for secret in reversed(found)}.values())


def published(checkout: Checkout) -> Mapping[str, frozenset[str]]:
    """The lines that may be seen, as skeletons, by the file in which they may stand.

    Raises:
        NotebookError: the list can't be read.
    """
    path = checkout.solutions / "published.toml"
    if not path.is_file():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return {
            file: frozenset(skeleton(line) for line in entry["lines"])
            for file, entry in entries.items()
            if entry["why"]
        }
    except (ValueError, KeyError, TypeError) as error:
        raise NotebookError(
            f"{path} can't be read ({type(error).__name__}: {error}): each file in it needs "
            "'why' and 'lines'"
        ) from None


def _solutions(checkout: Checkout) -> Iterator[Secret]:
    from rlvr_course.classroom.source import read_source, solution_lines

    for path in select(checkout.sources, "*.py"):
        lines = solution_lines(read_source(path), path.stem)
        yield from _worth(Secret("solution", path.stem, line) for line in sorted(lines))


def _rubrics(checkout: Checkout) -> Iterator[Secret]:
    for path in sorted((checkout.solutions / "rubrics").glob("*.md")):
        lines = path.read_text(encoding="utf-8").splitlines()
        cells = [cell.strip() for line in lines for cell in line.split("|")]
        yield from _worth((Secret("rubric", path.stem, cell) for cell in cells), _LEAST_CELL)


def _hidden(checkout: Checkout) -> Iterator[Secret]:
    for path in sorted((checkout.solutions / "hidden").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines, tree = text.splitlines(), ast.parse(text)
        told = [lines[number].strip() for number in sorted(_lines_of_cases(tree))]
        cases = [line for line in told if not line.startswith(('"', "'", "Property("))]
        yield from _worth(Secret("hidden case", path.stem, line) for line in cases)
        texts = sorted(set(_asked_with(tree)))
        yield from _worth((Secret("hidden case", path.stem, t) for t in texts), LEAST_TEXT)


def _lines_of_cases(tree: ast.Module) -> set[int]:
    """The lines of ``HIDDEN``, from 0; what is defined above it is how the cases are asked."""
    return {
        number
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and "HIDDEN" in ast.unparse(node)
        for number in range(node.lineno - 1, node.end_lineno or node.lineno)
    }


def _asked_with(tree: ast.Module) -> Iterator[str]:
    """The texts that cases may be asked with.

    The names of cases, and what they say of the right reply, are phrases, and learners see them
    in their reports.
    """
    docstring = ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_told = _PHRASE.fullmatch(node.value) or node.value == docstring
            yield from () if is_told else (node.value,)


def _worth(secrets: Iterable[Secret], least: int = LEAST) -> Iterator[Secret]:
    return (secret for secret in secrets if len(skeleton(secret.line)) >= least)
