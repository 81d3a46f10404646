"""In-notebook feedback on an exercise.

    check("q03", my_verifier)      # a table of public cases: given, expected, observed
    check.hint("q03", 2)           # the next hint

An exercise that is not yet done is "open" and nothing fails, so that a fresh notebook runs to its
end. A check knows public cases and properties only, and says no more than that they passed.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from typing import Any

from rlvr_course.classroom.asking import Ask, NoReply
from rlvr_course.classroom.check_spec import Case, CaseResult, CheckResult, CheckSpec, Property
from rlvr_course.verifiers.boundary import describe_value

__all__ = ["Case", "Check", "CheckResult", "CheckSpec", "Hint", "Property", "check", "run_check"]

SHOWN_CALLS = 3


@dataclass(frozen=True)
class Hint:
    """One hint, shown as text."""

    name: str
    level: int
    levels: int
    text: str

    def __str__(self) -> str:
        return f"{self.name}, hint {self.level} of {self.levels}: {self.text}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


class Check:
    """Checks of exercises by name.

    Args:
        specs: the checks; those of the course's notebooks if None.
    """

    def __init__(self, specs: Mapping[str, CheckSpec] | None = None) -> None:
        self._given_specs = specs

    def __call__(self, name: str, solution: Any) -> CheckResult:
        """Run one exercise's public checks.

        Args:
            name: the exercise, such as "q03".
            solution: the learner's function or value; None while it is not yet done.

        Returns:
            The result, "open", "passed" or "failed", which a notebook shows as a table. Each
            line is written to the current run's audit log if a run was started.

        Raises:
            ValueError: there is no check of this name.

        Limits: a learner's code runs in this process with a time limit a call, not in a sandbox;
        grading is done elsewhere.
        """
        result = run_check(name, self._spec(name), solution)
        _log(result, solution)
        return result

    def hint(self, name: str, level: int = 1) -> Hint:
        """A hint; each level says more. Of a level that does not exist it says which ones do.

        Raises:
            ValueError: there is no check of this name.
        """
        hints = self._spec(name).hints
        if level not in range(1, len(hints) + 1):
            return Hint(name, level, len(hints), f"there is none; the levels are 1 to {len(hints)}")
        return Hint(name, level, len(hints), hints[level - 1])

    def _spec(self, name: str) -> CheckSpec:
        specs = self._given_specs
        if specs is None:
            from rlvr_course.classroom.specs import SPECS as specs
        if name not in specs:
            near = get_close_matches(str(name), specs, n=1, cutoff=0.0)
            suggestion = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"there is no check named {name!r}{suggestion}")
        return specs[name]


def run_check(name: str, spec: CheckSpec, solution: Any) -> CheckResult:
    """Ask the solution everything in the spec; the same as ``check``, but nothing is logged."""
    if solution is None:
        return CheckResult(name, "open")
    ask = Ask(solution, limit_s=spec.limit_s)
    results = [_run_case(case, ask) for case in spec.cases]
    results += [_run_property(item, ask) for item in spec.properties]
    if ask.is_stub:
        return CheckResult(name, "open")
    if all(result.kind == "passed" for result in results):
        return CheckResult(name, "passed", tuple(results))
    return CheckResult(name, "failed", tuple(results), hint=spec.hints[0])


def _run_case(case: Case, ask: Ask) -> CaseResult:
    given = ", ".join(describe_value(arg) for arg in case.args)
    try:
        reply = ask(*case.args)
    except NoReply as failure:
        return CaseResult(case.name, given, case.expected, str(failure), "failed")
    try:
        holds = bool(case.property(reply))
    except Exception:  # the reply's type does not even allow the question; it is shown
        holds = False
    kind = "passed" if holds else "failed"
    return CaseResult(case.name, given, case.expected, describe_value(reply), kind)


def _run_property(item: Property, ask: Ask) -> CaseResult:
    asked_before = len(ask.trace)
    try:
        holds = bool(item.holds(ask))
    except Exception:  # a call without a reply, or a reply of the wrong type; the last is shown
        holds = False
    kind = "passed" if holds else "failed"
    observed = "; ".join(ask.trace[asked_before:][-SHOWN_CALLS:]) or "nothing was asked"
    return CaseResult(item.name, "", item.expected, observed, kind)


def source_hash(solution: Any) -> str:
    """SHA-256 of the solution's source text, or of its repr where there is none."""
    is_instance = callable(solution) and not inspect.isroutine(solution)
    target = type(solution) if is_instance and not inspect.isclass(solution) else solution
    try:
        text = inspect.getsource(target)
    except (OSError, TypeError):
        text = describe_value(solution)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _log(result: CheckResult, solution: Any) -> None:
    from rlvr_course.modes import current

    run = current()
    if run is None:
        return
    about = {"event": "check", "check": result.name, "source_sha256": source_hash(solution)}
    for case in result.cases:
        run.log.append({**about, "case": case.name, "result": case.kind})
    if not result.cases:
        run.log.append({**about, "case": "", "result": result.kind})


check = Check()
