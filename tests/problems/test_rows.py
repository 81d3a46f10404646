"""Lines of problems and rollouts: what is read, and errors that name file, line and remedy."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.problems.rows import parse_lines, parse_problem, rollout_parser
from rlvr_course.records import Problem

GOOD = {
    "problem_id": "p",
    "messages": [{"role": "user", "content": "q"}],
    "index": 0,
    "response": "4",
}


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{oops}", "not JSON"),
        (b'{"question": "q"', "not JSON"),
        (b"\xff\xfe", "byte 1 is not UTF-8; save the file as UTF-8"),
        (b"[1]", "expected a JSON object, found list"),
        (b'{"question": "q"}', "field 'answer' is missing"),
        (b'{"question": " ", "answer": "1"}', "question must be a text"),
        (b'{"question": "q", "answer": "1", "anser": 2}', "no field 'anser'"),
        (b"[" * 100_000, "recursion"),
    ],
    ids=["no json", "cut", "encoding", "list", "missing", "empty", "unknown", "nested"],
)
def test_a_bad_line_is_named(line, said):
    data = b'{"question": "q", "answer": "a"}\n\n' + line + b"\n"
    with pytest.raises(DataError, match=rf"^mine.jsonl, line 3: .*{said}") as caught:
        parse_lines(data, "mine.jsonl", parse_problem)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": 3}, "id and domain"),
        ({"domain": None}, "id and domain"),
        ({"metadata": [1]}, "metadata must be"),
        ({"metadata": {"system": 1}}, "system prompt"),
        ({"metadata": {"max_tokens": "220"}}, "max_tokens '220'"),
        ({"metadata": {"max_tokens": 0}}, "max_tokens 0"),
        ({"question": 4}, "question must be"),
    ],
    ids=["id", "domain", "metadata", "system", "text limit", "limit 0", "question"],
)
def test_a_field_of_another_type_is_named(change, said):
    with pytest.raises(ValueError, match=said):
        parse_problem({"question": "q", "answer": "a"} | change)


ANY = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.text(), max_size=1)
FIELDS = ("question", "answer", "id", "domain", "metadata", "messages")


@given(st.dictionaries(st.sampled_from(FIELDS), ANY))
def test_any_fields_give_a_problem_that_can_be_asked_or_a_value_error(row):
    try:
        problem = parse_problem(row)
    except ValueError:
        return
    assert problem.messages[-1]["content"] == problem.question


@given(st.binary(max_size=200))
def test_any_bytes_give_problems_or_a_data_error(data):
    try:
        problems = parse_lines(data, "file", parse_problem)
    except DataError as error:
        assert str(error).startswith("file, line ")
    else:
        assert all(isinstance(problem, Problem) for problem in problems)


@given(st.lists(st.builds(Problem, st.text(min_size=1).filter(str.strip), st.text())))
def test_problems_written_as_records_are_read_back(problems):
    data = lines(*[problem.to_dict() for problem in problems])
    assert parse_lines(data, "file", parse_problem) == problems


def test_a_recorded_problem_keeps_prompt_and_reference_apart():
    row = {
        "id": "c",
        "domain": "code",
        "level": 2,
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
        "visible_tests": [1],
        "hidden_tests": [2],
    }
    problem = parse_problem(row)
    assert list(problem.messages) == row["messages"]
    assert problem.answer == {"visible_tests": [1], "hidden_tests": [2]}
    assert problem.metadata == {"level": 2, "system": "s"}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("hello", "list of {role, content}"),
        ([{"role": "user"}], "list of {role, content}"),
        ([{"role": "user", "content": 3}], "must be a text"),
        ([{"role": "assistant", "content": "a"}], r"found \['assistant'\]"),
        ([], r"found \[\]"),
    ],
    ids=["text", "no content", "number", "role", "empty"],
)
def test_messages_of_another_shape_are_refused(messages, said):
    with pytest.raises(ValueError, match=said):
        parse_problem({"id": "p", "messages": messages, "answer": "1"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"messages": "q"}, "messages must be a list"),
        ({"messages": [{"role": "user", "content": None}]}, "messages must be a list"),
        ({"response": None}, "response must be a text"),
        ({"index": -1}, "index -1"),
        ({"index": True}, "index True"),
        ({"truth": "yes"}, "truth 'yes'"),
        ({"truth": 1}, "truth 1"),
        ({"problem_id": 1}, "problem_id must be a text"),
        ({"temperature": 10**400}, "too large"),
        ({"temperature": "hot"}, "temperature 'hot'"),
    ],
    ids=["chat", "content", "text", "minus", "bool", "truth", "one", "id", "huge", "heat"],
)
def test_a_malformed_rollout_is_refused(change, said):
    with pytest.raises(DataError, match=rf"^r, line 1: .*{said}"):
        parse_lines(lines(GOOD | change), "r", rollout_parser("x"))


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_rollout_needs_each_of_its_fields(name):
    row = {key: value for key, value in GOOD.items() if key != name}
    with pytest.raises(DataError, match=f"field '{name}' is missing"):
        parse_lines(lines(row), "r", rollout_parser("x"))


def test_a_line_names_its_own_model_and_temperature():
    row = GOOD | {"model": "m", "temperature": 0.5}
    [rollout] = parse_lines(lines(row), "r", rollout_parser("other", temperature=1.0))
    assert (rollout.completion.policy_id, rollout.temperature) == ("recorded (m)", 0.5)
    [plain] = parse_lines(lines(GOOD), "r", rollout_parser("other", temperature=0.7))
    assert (plain.completion.policy_id, plain.temperature) == ("other", 0.7)
