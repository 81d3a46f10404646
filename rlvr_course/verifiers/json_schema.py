"""JSONSchemaVerifier: does a response give the reference's values, in the schema's shape?

    find  ->  validate  ->  compare field by field

``structured.answers`` finds the one JSON answer, ``structured.schemas`` validates it in bounded
time, ``structured.fields`` compares it with the reference. The shape is needed and earns nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.verifiers.structured.judging import JSONReport, SchemaJudge
from rlvr_course.verifiers.structured.rules import Rule

_REMEMBERED = 256
"""Schemas of references that are kept ready."""
_PARTS = ("rules", "source", "examples")


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
            annotations are rules too. None where each reference is a mapping with a "schema" of
            its own beside the "expected" value, and with "rules", "source" or "examples" if need
            be.
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

    Limits: a list is one field, right as a whole or not; a value out of a short ``enum`` can be
    guessed, so that a constant earns its share of luck; ``format`` is not asserted; beside prose,
    JSON whose text values hold thought tags is not found.

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
        schema: Mapping[str, Any] | None = None,
        *,
        rules: Mapping[str, Rule] | None = None,
        source: str | None = None,
        examples: Sequence[Any] = (),
        partial: bool = True,
        empty_is_answer: bool = False,
    ) -> None:
        self.partial = partial
        self.empty_is_answer = empty_is_answer
        self._judges: dict[str, SchemaJudge | str] = {}
        self._judge: SchemaJudge | None = None
        if schema is not None:
            self._judge = self._made(schema, rules=rules, source=source, examples=examples)
        elif rules or source or examples:
            raise ValueError("without a schema, rules, source and examples go in each reference")

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
        if self._judge is not None:
            return self._judge.report(response, answer)
        if not isinstance(answer, Mapping) or not {"schema", "expected"} <= answer.keys():
            return JSONReport(Verdict.ungraded("gold_without_schema"), ())
        judge = self._judge_of(answer)
        if isinstance(judge, str):
            return JSONReport(Verdict.ungraded(judge), ())
        return judge.report(response, answer["expected"])

    def _judge_of(self, answer: Mapping[str, Any]) -> SchemaJudge | str:
        """The judge of a reference's own schema, or what is wrong with it."""
        parts = {name: answer[name] for name in _PARTS if name in answer}
        try:
            key = json.dumps([answer["schema"], parts])
        except (TypeError, ValueError, RecursionError) as error:
            return f"gold_schema_not_json: {error}"[:200]
        judge = self._judges.get(key)
        if judge is None:
            try:
                judge = self._made(answer["schema"], **parts)
            except (TypeError, ValueError, AttributeError) as error:  # its parts may be any JSON
                judge = f"gold_schema_invalid: {error}"[:200]
            if len(self._judges) < _REMEMBERED:
                self._judges[key] = judge
        return judge

    def _made(
        self,
        schema: Mapping[str, Any],
        *,
        rules: Mapping[str, Rule] | None = None,
        source: str | None = None,
        examples: Sequence[Any] = (),
    ) -> SchemaJudge:
        return SchemaJudge(
            schema,
            rules=rules or {},
            source=source or "",
            examples=examples,
            partial=self.partial,
            empty_is_answer=self.empty_is_answer,
        )
