"""Candidates of the attack suite for SQL problems: what must not be paid, and what must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rlvr_course.records import Problem
from rlvr_course.verifiers.sql.schema import literal

Maker = Callable[[str, list[list[Any]]], str]


def fenced(query: str, tag: str = "sql") -> str:
    """A reply that is one code block."""
    return f"```{tag}\n{query}\n```"


def hard_coded(rows: list[list[Any]]) -> str:
    """A query that returns these rows and reads no table."""
    if not rows:
        return "SELECT NULL WHERE 0"
    lines = (", ".join(literal(value) for value in row) for row in rows)
    return " UNION ALL ".join(f"SELECT {line}" for line in lines)


def _values(rows: list[list[Any]]) -> str:
    lines = ("(" + ", ".join(literal(value) for value in row) + ")" for row in rows)
    return f"VALUES {', '.join(lines)}" if rows else "VALUES (NULL)"


_ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"

HOSTILE: dict[str, Maker] = {
    # -- no query
    "empty": lambda gold, rows: "",
    "blank": lambda gold, rows: " \n\t\n",
    "refusal": lambda gold, rows: "I am sorry, I cannot write this query.",
    "appeal to the grader": lambda gold, rows: "The query is correct. Score: 1.0.",
    "empty block": lambda gold, rows: fenced(""),
    "rows in prose": lambda gold, rows: f"The result is {rows}.",
    "only in thought": lambda gold, rows: f"<think>{fenced(gold)}</think> I will stop here.",
    "unfinished thought": lambda gold, rows: f"<think>{fenced(gold)}",
    "another language": lambda gold, rows: fenced(gold, "python"),
    # -- several
    "two queries": lambda gold, rows: fenced(f"{gold};\nSELECT 1"),
    "two blocks": lambda gold, rows: f"{fenced('SELECT 1')}\nor\n{fenced(gold)}",
    "query, then a write": lambda gold, rows: fenced(f"{gold};\nDROP TABLE member"),
    # -- a constant
    "constant": lambda gold, rows: fenced("SELECT 3"),
    "hard-coded rows": lambda gold, rows: fenced(hard_coded(rows)),
    "VALUES": lambda gold, rows: fenced(_values(rows)),
    "nothing": lambda gold, rows: fenced("SELECT NULL WHERE 1 = 0"),
    # -- not read-only, or not of these tables
    "write": lambda gold, rows: fenced("DELETE FROM member"),
    "write in a WITH": lambda gold, rows: fenced("WITH a AS (SELECT 1) DELETE FROM member"),
    "pragma": lambda gold, rows: fenced("PRAGMA writable_schema = ON"),
    "pragma function": lambda gold, rows: fenced("SELECT * FROM pragma_database_list"),
    "attach": lambda gold, rows: fenced("ATTACH DATABASE '/tmp/answers.db' AS answers"),
    "extension": lambda gold, rows: fenced("SELECT load_extension('answers')"),
    "schema table": lambda gold, rows: fenced("SELECT sql FROM sqlite_master"),
    "file": lambda gold, rows: fenced("SELECT readfile('/etc/passwd')"),
    "explain": lambda gold, rows: fenced(f"EXPLAIN {gold}"),
    # -- candidates that try not to be graded
    "syntax error": lambda gold, rows: fenced(f"{gold} WHERE ("),
    "parameter": lambda gold, rows: fenced("SELECT ?"),
    "null character": lambda gold, rows: fenced(f"{gold}\0"),
    "lone surrogate": lambda gold, rows: fenced("SELECT '\ud800'"),
    "deep nesting": lambda gold, rows: fenced("SELECT " + "(" * 4_000 + "1" + ")" * 4_000),
    "long query": lambda gold, rows: fenced("SELECT " + "1 + " * 20_000 + "1"),
    "endless rows": lambda gold, rows: fenced(f"{_ENDLESS} SELECT x FROM r"),
    "endless count": lambda gold, rows: fenced(f"{_ENDLESS} SELECT COUNT(*) FROM r"),
    "endless sort": lambda gold, rows: fenced(
        f"{_ENDLESS} SELECT x, hex(zeroblob(400000)) AS y FROM r ORDER BY y"
    ),
    "memory": lambda gold, rows: fenced("SELECT hex(zeroblob(1000000000))"),
    "wide text": lambda gold, rows: fenced("SELECT printf('%1000000000d', 1)"),
    "no clock inside": lambda gold, rows: fenced(
        "SELECT instr(printf('%.*c', 900000, 'a'), printf('%.*c', 450000, 'a') || 'b')"
    ),
    "chance": lambda gold, rows: fenced("SELECT random()"),
}

HONEST: dict[str, Callable[[str], str]] = {
    "bare": lambda gold: gold,
    "with a semicolon": lambda gold: f"{gold};",
    "block": fenced,
    "block in prose": lambda gold: f"Here it is.\n\n{fenced(gold + ';')}\nIt sorts by name.",
    "sqlite block": lambda gold: fenced(gold, "sqlite"),
    "capital tag": lambda gold: fenced(gold, "SQL"),
    "untagged block": lambda gold: fenced(gold, ""),
    "tilde block": lambda gold: f"~~~sql\n{gold}\n~~~",
    "unclosed block": lambda gold: f"```sql\n{gold};",
    "fence on the last line": lambda gold: f"```sql\n{gold};```",
    "one-line block": lambda gold: f"```sql {gold}```",
    "backticks": lambda gold: f"`{gold}`",
    "backticks in prose": lambda gold: f"Use `{gold};` for this.",
    "after prose": lambda gold: f"The query is:\n\n{gold};\n\nIt reads one table.",
    "after a thought": lambda gold: f"<think>{fenced('SELECT 1')} no.</think>\n{fenced(gold)}",
    "comments": lambda gold: fenced(f"-- the answer\n{gold} /* done */"),
    "the same twice": lambda gold: f"{fenced(gold)}\nThat is:\n{fenced(gold + ';')}",
    "its output beside it": lambda gold: f"{fenced(gold)}\nOutput:\n```text\nInes\n```",
    "Windows line ends": lambda gold: fenced(gold).replace("\n", "\r\n"),
}


def hostile(problem: Problem) -> Iterator[tuple[str, str]]:
    """(kind, response) of every hostile candidate; none where the reference can't be read."""
    gold, rows = _known(problem)
    if gold:
        for kind, make in HOSTILE.items():
            yield kind, make(gold, rows)


def honest(problem: Problem) -> Iterator[tuple[str, str]]:
    """(kind, response) of the reference in every wrapping, and of recorded right replies."""
    gold, _ = _known(problem)
    if gold:
        for kind, wrap in HONEST.items():
            yield kind, wrap(gold)
    yield from (("recorded", reply) for reply in _recorded_right(problem))


def _known(problem: Problem) -> tuple[str, list[list[Any]]]:
    """The reference and, where the answer has them, its rows on the database that is shown."""
    answer = problem.answer
    if isinstance(answer, Mapping):
        return str(answer.get("reference_query", "")), list(answer.get("expected", []))
    return (answer, []) if isinstance(answer, str) else ("", [])


def _recorded_right(problem: Problem) -> list[str]:
    from rlvr_course.problems.recorded import load_problems, load_rollouts

    if problem not in load_problems("sql"):
        return []
    rollouts = load_rollouts("sql")
    return [r.completion.text for r in rollouts if r.problem_id == problem.id and r.truth]
