"""One schema's judge: finds the answer, validates it, compares it with a reference, scores it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.verifiers.structured.answers import FoundJSON, find_json
from rlvr_course.verifiers.structured.fields import Comparison, FieldResult, declared_by, leaves
from rlvr_course.verifiers.structured.reading import (
    NotJSON,
    canonical,
    excess,
    kind_of,
    read_json,
)
from rlvr_course.verifiers.structured.rules import Rule, Rules, checked_rule, folded
from rlvr_course.verifiers.structured.schemas import BoundedSchema, TooMuchWork

_REMEMBERED = 1_000
"""References whose check is remembered."""


@dataclass(frozen=True)
class JSONReport:
    """A verdict with its fields; none where no answer came to be compared."""

    verdict: Verdict
    fields: tuple[FieldResult, ...]


class SchemaJudge:
    """Judges responses by one schema; ``JSONSchemaVerifier`` documents the arguments."""

    def __init__(
        self,
        schema: Mapping[str, Any],
        *,
        rules: Mapping[str, Rule],
        source: str,
        examples: Sequence[Any],
        partial: bool,
        empty_is_answer: bool,
    ) -> None:
        self._schema = BoundedSchema(schema)
        self._declared = declared_by(self._schema)
        self.rules = {**self._declared.rules, **self._checked(rules)}
        if "quote" in self.rules.values() and not source.strip():
            raise ValueError('the rule "quote" needs source=, the text that is quoted')
        self._partial = partial
        self._empty_is_answer = empty_is_answer
        shown = [_as_json_value(example) for example in examples]
        if any(fault for _, fault in shown):
            raise ValueError("examples: one is not a JSON value")
        self._examples = [canonical(value) for value, _ in shown]
        values = [value for value, _ in shown]
        self._compare = Comparison(self._declared, Rules(self.rules, folded(source)), values)
        self._checks: dict[Any, str] = {}

    def report(self, response: str, answer: Any) -> JSONReport:
        """The verdict on one response, with each field's result."""
        wanted, fault = self._reference(answer)
        if fault:
            return JSONReport(Verdict.ungraded(fault), ())
        if not isinstance(response, str):
            return JSONReport(Verdict.no_answer(f"not_text: {type(response).__name__}"), ())
        found = find_json(response)
        verdict = self._refused(found, wanted)
        if verdict is not None:
            return JSONReport(verdict, ())
        results = self._compare.results(found.value, wanted)
        return JSONReport(self._verdict(found.text, results), tuple(results))

    def _refused(self, found: FoundJSON, wanted: Any) -> Verdict | None:
        """The verdict on an answer that can't be compared; None for one that can."""
        if found.reason in ("ambiguous", "hedge", "repeated_name"):
            return Verdict.incorrect(found.text, found.reason)
        if found.reason:
            return Verdict.no_answer(found.reason)
        kinds = kind_of(found.value), kind_of(wanted)
        if kinds[0] != kinds[1]:
            return Verdict.incorrect(found.text, f"{kinds[0]}_for_{kinds[1]}")
        try:
            broken = self._schema.violation(found.value)
        except TooMuchWork:
            return Verdict.incorrect(found.text, "too_much_work", "policy")
        if broken:
            return Verdict.incorrect(found.text, f"schema_violation: {broken}")
        return None

    def _verdict(self, text: str, results: Sequence[FieldResult]) -> Verdict:
        wrong = [result.path for result in results if not result.is_right]
        if not wrong:
            return Verdict.correct(text, "equal_fields")
        for result in results:
            if result.wanted is None and not result.is_right and not self._knows(result):
                return Verdict.incorrect(text, f"undeclared_field: {result.path}"[:200])
        reason = f"wrong_fields: {', '.join(wrong)}"[:200]
        earning = [result for result in results if not result.is_free]
        right = sum(result.is_right for result in earning)
        lost = sum(result.is_free and not result.is_right for result in results)
        if not self._partial or not right:
            return Verdict.incorrect(text, reason)
        return Verdict("partial", right / (len(earning) + lost), text, reason)

    def _knows(self, result: FieldResult) -> bool:
        return result.path in self._declared.paths

    def _reference(self, answer: Any) -> tuple[Any, str]:
        """The reference value, and what is wrong with it or ""."""
        if isinstance(answer, str):
            with suppress(NotJSON):  # else it is a text that is the value itself
                answer = read_json(answer)
        wanted, fault = _as_json_value(answer)
        if fault:
            return None, fault
        key = canonical(wanted)
        fault = self._checks.get(key)
        if fault is None:
            fault = self._fault_of(wanted)
            if len(self._checks) < _REMEMBERED:
                self._checks[key] = fault
        return wanted, fault

    def _fault_of(self, wanted: Any) -> str:
        try:
            broken = self._schema.violation(wanted)
        except TooMuchWork:
            return "gold_too_much_work"
        if broken:
            return f"gold_breaks_schema: {broken}"
        wrong = [r.path for r in self._compare.results(wanted, wanted) if not r.is_right]
        if wrong:
            return f"gold_breaks_rule: {', '.join(wrong)}"[:200]
        if canonical(wanted) in self._examples:
            return "gold_is_an_example"
        if not self._empty_is_answer and all(
            self._compare.is_empty(value, path) for path, value in leaves(wanted)
        ):
            return "gold_says_nothing"
        return ""

    def _checked(self, rules: Mapping[str, Rule]) -> dict[str, Rule]:
        for path, rule in rules.items():
            checked_rule(rule, path)
            if path not in self._declared.paths:
                known = ", ".join(sorted(self._declared.paths)[:12]) or "none"
                raise ValueError(f"rule for {path!r}, which the schema lacks; it has {known}")
        return dict(rules)


def _as_json_value(answer: Any) -> tuple[Any, str]:
    """A reference as plain JSON types, and why it can't be one or ""."""
    if excess(answer):
        return None, f"gold_{excess(answer)}"
    value, fault = _plain(answer)
    return value, fault


def _plain(value: Any) -> tuple[Any, str]:
    if value is None or isinstance(value, bool | str | int):
        return value, ""
    if isinstance(value, float):
        return value, "" if value - value == 0 else "gold_not_json"
    if isinstance(value, list | tuple):
        pairs = [_plain(item) for item in value]
        return [item for item, _ in pairs], next((fault for _, fault in pairs if fault), "")
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        members = {name: _plain(member) for name, member in value.items()}
        fault = next((fault for _, fault in members.values() if fault), "")
        return {name: member for name, (member, _) in members.items()}, fault
    return None, "gold_not_json"
