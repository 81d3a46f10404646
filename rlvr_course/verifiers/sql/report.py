"""What each database showed of a query."""

from __future__ import annotations

from dataclasses import dataclass

from rlvr_course.records import Record, Verdict


@dataclass(frozen=True)
class DatabaseOutcome(Record):
    """One query on one database.

    Args:
        database: its name, such as "given" or "ties".
        passed: whether the rows are the reference's.
        reason: "same_rows", or what is wrong, such as "wrong_rows: 4, not 5".
        expected, got: rows for a person, cut.
    """

    database: str
    passed: bool
    reason: str
    expected: str = ""
    got: str = ""


@dataclass(frozen=True)
class SQLReport(Record):
    """One response on all databases.

    Args:
        query: that was found in it, "" if none.
        outcomes: one for each database; fewer where the query failed on one and was not run on.
        refused: why it was not run at all, "" if it was.
        fault: why it could not be graded, "" if it could.
        databases: how many there are.
    """

    query: str
    outcomes: tuple[DatabaseOutcome, ...] = ()
    refused: str = ""
    fault: str = ""
    databases: int = 0

    @property
    def passed(self) -> tuple[str, ...]:
        """The databases on which the rows are right."""
        return tuple(outcome.database for outcome in self.outcomes if outcome.passed)

    @property
    def verdict(self) -> Verdict:
        """Correct where every database passed; a failure to run is the policy's fault."""
        if self.fault:
            return Verdict.ungraded(self.fault, self.query)
        if not self.query and not self.refused.startswith("several"):
            return Verdict.no_answer(self.refused)
        if self.refused:
            return Verdict.incorrect(self.query, self.refused, "policy")
        failed = next((outcome for outcome in self.outcomes if not outcome.passed), None)
        if failed is None:
            return Verdict.correct(self.query, f"same_rows: {self.databases} databases")
        was_judged = failed.reason.startswith("wrong_")
        reason = f"{failed.reason} (database {failed.database!r})"
        return Verdict.incorrect(self.query, reason, None if was_judged else "policy")

    def __str__(self) -> str:
        if self.fault or self.refused:
            return self.fault or self.refused
        lines = [f"{len(self.passed)} of {self.databases} databases"]
        for outcome in self.outcomes:
            if not outcome.passed:
                lines.append(f"  {outcome.database}: {outcome.reason}")
                if outcome.expected or outcome.got:
                    lines.append(f"    expected {outcome.expected}, got {outcome.got}")
        return "\n".join(lines)
