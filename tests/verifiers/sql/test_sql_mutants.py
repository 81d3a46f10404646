"""One-step changes of a right query: all but those that mean the same are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import load_problems
from rlvr_course.verifiers.sql.mutants import near_misses
from rlvr_course.verifiers.sql.tokens import canonical

PROBLEMS = load_problems("sql")
LIBRARY = [
    "SELECT name FROM member WHERE joined > 2020",
    "SELECT name FROM member WHERE joined BETWEEN 2019 AND 2021 ORDER BY joined DESC, name LIMIT 3",
    "SELECT city, joined, COUNT(*) FROM member GROUP BY city, joined",
    "SELECT m.name, SUM(l.days) FROM member m LEFT JOIN loan l ON l.member_id = m.id "
    "GROUP BY m.id HAVING COUNT(l.id) < 4",
    "SELECT COUNT(DISTINCT l.member_id) FROM loan l WHERE l.days >= 10 AND l.returned = 1",
    "SELECT b.title, MAX(l.days) FROM book b JOIN loan l ON l.book_id = b.id GROUP BY b.id",
    "SELECT title FROM book WHERE pages <= 255 OR author = 'M. Roth'",
    "SELECT author FROM book UNION SELECT city FROM member",
]
# (query, change) pairs that mean the same, each for a reason that holds on every database.
SAME = {
    (PROBLEMS[2].answer["reference_query"], "LEFT for INNER JOIN"),  # WHERE drops the NULLs
    (LIBRARY[3], "COUNT(*)"),  # in HAVING: 1 for 0, and both are below 4
}


@pytest.mark.parametrize(
    "query", [p.answer["reference_query"] for p in PROBLEMS] + LIBRARY, ids=lambda q: q[:60]
)
def test_every_near_miss_is_told_apart(library, query) -> None:
    misses = [(k, q) for k, q in near_misses(query) if (query, k) not in SAME]
    verdicts = library.verify_many([changed for _, changed in misses], [query] * len(misses))
    alive = [miss for miss, verdict in zip(misses, verdicts, strict=True) if verdict.is_correct]
    assert misses and not alive


def test_the_changes_of_the_textbook_are_among_them() -> None:
    kinds = {kind for query in LIBRARY for kind, _ in near_misses(query)}
    kinds |= {kind for p in PROBLEMS for kind, _ in near_misses(p.answer["reference_query"])}
    assert kinds >= {
        *("no DISTINCT", "INNER for LEFT JOIN", ">= for >", "> for >=", "off-by-one LIMIT"),
        *("a column less in GROUP BY", "COUNT(*)", "no WHERE", "no HAVING", "no ORDER"),
        *("reversed order", "AND for OR", "UNION for UNION ALL", "MIN for MAX"),
    }


def test_a_reference_is_right_under_its_own_changes(library) -> None:
    for query in LIBRARY:
        assert library(query, query).status == "correct"


WORDS = st.sampled_from(
    "SELECT DISTINCT a , b FROM t LEFT JOIN u ON a = 1 WHERE x > 2 GROUP BY HAVING ORDER LIMIT 3 "
    "COUNT ( * ) AND UNION ALL DESC 'c' ;".split()
)


@given(st.lists(WORDS, min_size=1, max_size=25).map(" ".join))
def test_changes_are_changes_and_none_comes_twice(text) -> None:
    found = [changed for _, changed in near_misses(text)]
    assert len(set(found)) == len(found)
    assert " ".join(text.split()) not in found


@pytest.mark.parametrize("kind", [">= for >", "AND for OR", "MIN for MAX", "UNION for UNION ALL"])
def test_a_change_can_be_undone_by_another(kind) -> None:
    tried = [(q, c) for q in LIBRARY for k, c in near_misses(q) if k == kind]
    assert tried
    for query, changed in tried:
        assert canonical(query) in {canonical(back) for _, back in near_misses(changed)}
