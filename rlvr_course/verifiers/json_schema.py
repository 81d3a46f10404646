"""JSONSchemaVerifier: does a response give the reference's values, in the schema's shape?

    find  ->  validate  ->  compare field by field

``structured.answers`` finds the one JSON answer, ``structured.schemas`` validates it in bounded
time, ``structured.fields`` compares it with the reference. The shape is needed and earns nothing.
"""

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


class JSONSchemaVerifier:
    """Judge a response that should be one JSON value by a reference value and a schema.

    The answer must fit the schema, and each field must be the reference's under its rule. With
    ``partial``, an answer that fits earns the share of the reference's fields that are right. A
    field that can be filled in without the source ("free": null, "", 0, [], a boolean, a default,
    a constant, an example) doesn't earn, but lowers the share when it is wrong, and so does a
    declared field that the reference lacks. A name that neither the schema nor the reference
    knows earns nothing for the whole.

    Args:
        schema: a JSON Schema, draft 4 to 2020-12, with no reference out of it; its ``x-compare``
            annotations are rules too.
        rules: from a field's path (``total``, ``address.city``, ``tags``, ``items[].price``) to
            its rule: "exact" (the default), "caseless", "date", "unordered", "quote",
            {"absolute": 0.01} or {"relative": 0.001}; they go before ``x-compare``.
        source: the text that the values come from; needed by "quote", whose values must be
            passages of it.
        examples: answers that the prompt shows: what is copied from them earns nothing.
        partial: False for all or nothing.
        empty_is_answer: whether a reference that says nothing (``{}``, nulls, empty texts and
            lists, the schema's constants) is graded. By default it is the grader's fault, since
            it would pay a constant.

    Raises:
        ValueError: an invalid or unbounded schema, an unknown rule or path, "quote" without a
            source.

    Limits: a list is one field, right as a whole or not; ``format`` is not asserted; JSON in a
    response with prose is found only where no text value holds a thought tag or a code fence on
    a line of its own.

    >>> schema = {
    ...     "type": "object",
    ...     "properties": {"name": {"type": "string"}, "total": {"type": "number"}},
    ...     "required": ["name", "total"],
    ... }
    >>> verify = JSONSchemaVerifier(schema, rules={"name": "caseless"})
    >>> gold = {"name": "Ann Lee", "total": 12.5}
    >>> verify('```json\\n{"total": 12.50, "name": "ANN LEE"}\\n```', gold).reason
    'equal_fields'
    >>> verify('{"name": "Ann Lee", "total": 13}', gold).score
    0.5
    >>> verify('{"name": "", "total": 0}', gold).score, verify("{}", gold).reason
    (0.0, 'schema_violation: $: required')
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        *,
        rules: Mapping[str, Rule] | None = None,
        source: str | None = None,
        examples: Sequence[Any] = (),
        partial: bool = True,
        empty_is_answer: bool = False,
    ) -> None:
        self._schema = BoundedSchema(schema)
        self._declared = declared_by(self._schema)
        self.rules = {**self._declared.rules, **self._checked(rules or {})}
        if "quote" in self.rules.values() and not (source or "").strip():
            raise ValueError('the rule "quote" needs source=, the text that is quoted')
        self.partial = partial
        self.empty_is_answer = empty_is_answer
        shown = Rules(self.rules, folded(source or ""))
        self._compare = Comparison(self._declared, shown, examples)
        self._examples = [canonical(example) for example in examples]
        self._checks: dict[Any, str] = {}

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response.

        Args:
            response: the completion's text.
            answer: the reference value, or its JSON as text.
            finish_reason: not needed: JSON that was cut off is no JSON.

        Returns:
            A Verdict; "ungraded" only where the reference is at fault: it isn't JSON, breaks the
            schema or its own rule, is one of the examples, or says nothing.
        """
        return self.report(response, answer).verdict

    def verify_many(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        finish_reasons: Sequence[str] | None = None,
    ) -> list[Verdict]:
        """Judge responses against references, in order.

        Raises:
            ValueError: lengths differ.
        """
        if len(responses) != len(answers):
            raise ValueError(f"{len(responses)} responses but {len(answers)} answers")
        return [self(r, a) for r, a in zip(responses, answers, strict=True)]

    def report(self, response: str, answer: Any) -> JSONReport:
        """The verdict on one response, with each field's result.

        >>> verify = JSONSchemaVerifier({"properties": {"a": {}, "b": {}}})
        >>> report = verify.report('{"a": 7, "b": 8}', {"a": 7, "b": 9})
        >>> [(f.path, f.is_right) for f in report.fields], report.verdict.reason
        ([('a', True), ('b', False)], 'wrong_fields: b')
        """
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
        if not self.partial or not right:
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
        if not self.empty_is_answer and all(
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
