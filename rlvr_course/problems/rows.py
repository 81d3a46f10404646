"""JSON Lines into records: one problem or one rollout a line, each error naming file and line.

A problem line is either a ``Problem`` record, which is what to write by hand,

    {"question": "What is 12 * 13?", "answer": "156", "id": "mine-1"}

or a recorded one, which has ``messages`` and its domain's own reference fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from rlvr_course.errors import DataError
from rlvr_course.records import Completion, Problem

T = TypeVar("T")

REFERENCE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "code": ("visible_tests", "hidden_tests"),
    "json": ("schema", "expected"),
    "sql": (
        "ddl",
        "rows",
        "hidden_rows",
        "reference_query",
        "ordered",
        "expected",
        "hidden_expected",
    ),
    "policy": ("case", "expected_decision", "expected_facts"),
}
"""Fields of a recorded problem that together are its answer; other domains have ``answer``."""

_IDENTITY = ("id", "domain", "messages")


@dataclass(frozen=True)
class RecordedRollout:
    """One recorded completion and what is known of it.

    Args:
        problem_id: the problem that it answers.
        completion: the response as recorded, with the messages that were sent.
        truth: whether the answer that it commits to equals the reference, whatever its form;
            None where that is open or was never judged.
        domain: the problem's domain.
        temperature: that it was sampled at.
        prompt_tokens, completion_tokens: as the model counted them, None where it did not say.
        sum_logprob: natural log-probability of all sampled tokens, None where it is unknown.
    """

    problem_id: str
    completion: Completion
    truth: bool | None = None
    domain: str = "math"
    temperature: float = 1.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    sum_logprob: float | None = None


def parse_lines(data: bytes, name: str, parse: Callable[[dict[str, Any]], T]) -> list[T]:
    """Parse each line of a JSONL file; blank lines are skipped.

    Args:
        data: the file's bytes.
        name: the file's name, for errors.
        parse: turns one line's object into a record; its ``ValueError`` is given file and line.

    Raises:
        DataError: a line that is not UTF-8, not a JSON object, or not what ``parse`` expects.
    """
    records = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(parse(_object(line)))
        except UnicodeDecodeError as error:
            raise DataError(
                f"{name}, line {number}: byte {error.start + 1} is not UTF-8; "
                "save the file as UTF-8"
            ) from None
        except (ValueError, OverflowError, RecursionError) as error:
            raise DataError(
                f"{name}, line {number}: {error}; correct or delete that line"
            ) from None
    return records


def _object(line: bytes) -> dict[str, Any]:
    text = line.decode("utf-8")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at character {error.pos + 1})") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, found {type(value).__name__}")
    return value


def parse_problem(row: Mapping[str, Any]) -> Problem:
    """One problem from either shape of line.

    >>> parse_problem({"question": "What is 2 + 2?", "answer": "4"}).answer
    '4'

    Raises:
        ValueError: a field is missing or unknown, or the messages are not one system message at
            most and one user message.
    """
    if "messages" not in row:
        _require(row, ("question", "answer"))
        return _checked(Problem.from_dict(row))
    domain = row.get("domain", "math")
    if not isinstance(domain, str):
        raise ValueError(f"domain {domain!r} must be a text")
    reference = REFERENCE_FIELDS.get(domain, ("answer",))
    _require(row, ("id", *reference))
    system, question = _system_and_question(row["messages"])
    metadata = {k: v for k, v in row.items() if k not in _IDENTITY and k not in reference}
    if system is not None:
        metadata["system"] = system
    whole = {name: row[name] for name in reference}
    answer = whole if domain in REFERENCE_FIELDS else row["answer"]
    return _checked(Problem(question, answer, id=row["id"], domain=domain, metadata=metadata))


def _checked(problem: Problem) -> Problem:
    """The problem, if a policy can be asked it; a file may hold any JSON in any field."""
    if not isinstance(problem.question, str) or not problem.question.strip():
        raise ValueError("the question must be a text that is not empty")
    if not isinstance(problem.id, str) or not isinstance(problem.domain, str):
        raise ValueError("id and domain must be texts")
    if not isinstance(problem.metadata, Mapping):
        raise ValueError("metadata must be a JSON object")
    if not isinstance(problem.metadata.get("system", ""), str):
        raise ValueError("the system prompt in metadata must be a text")
    limit = problem.metadata.get("max_tokens")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise ValueError(f"max_tokens {limit!r} must be a whole number from 1")
    return problem


def _system_and_question(messages: Any) -> tuple[str | None, str]:
    try:
        roles = [message["role"] for message in messages]
        texts = [message["content"] for message in messages]
    except (TypeError, KeyError):
        raise ValueError("messages must be a list of {role, content} objects") from None
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("the content of a message must be a text")
    if roles == ["user"]:
        return None, texts[0]
    if roles == ["system", "user"]:
        return texts[0], texts[1]
    raise ValueError(f"messages must be [system, user] or [user], found {roles}")


def rollout_parser(
    policy_id: str, *, temperature: float = 1.0
) -> Callable[[dict[str, Any]], RecordedRollout]:
    """A parser for rollout lines.

    Args:
        policy_id: given to lines that name no ``model`` of their own.
        temperature: of lines that do not state theirs.
    """

    def parse(row: Mapping[str, Any]) -> RecordedRollout:
        _require(row, ("problem_id", "messages", "index", "response"))
        _check_types(row)
        model = row.get("model")
        completion = Completion(
            text=row["response"],
            messages=row["messages"],
            finish_reason=row.get("finish_reason", "stop"),
            policy_id=f"recorded ({model})" if model else policy_id,
            index=row["index"],
            seed=row.get("seed"),
        )
        return RecordedRollout(
            problem_id=row["problem_id"],
            completion=completion,
            truth=row.get("truth"),
            domain=row.get("domain", "math"),
            temperature=float(row.get("temperature", temperature)),
            prompt_tokens=row.get("prompt_tokens"),
            completion_tokens=row.get("completion_tokens"),
            sum_logprob=row.get("sum_logprob"),
        )

    return parse


def _check_types(row: Mapping[str, Any]) -> None:
    messages = row["messages"]
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise ValueError("messages must be a list of {role, content} objects")
    for name in ("problem_id", "response", "domain", "finish_reason"):
        if not isinstance(row.get(name, ""), str):
            raise ValueError(f"{name} must be a text")
    if type(row["index"]) is not int or row["index"] < 0:
        raise ValueError(f"index {row['index']!r} must be a whole number from 0")
    if not isinstance(row.get("truth"), bool | None):
        raise ValueError(f"truth {row['truth']!r} must be true, false or null")
    if not isinstance(row.get("temperature", 1.0), int | float):
        raise ValueError(f"temperature {row['temperature']!r} must be a number")


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), str) for name in ("role", "content")
    )


def _require(row: Mapping[str, Any], names: tuple[str, ...]) -> None:
    missing = [name for name in names if name not in row]
    if missing:
        raise ValueError(f"field {missing[0]!r} is missing")
