"""What the health panel says: findings, each with evidence, meaning and remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

from rlvr_course.training.health.vitals import Vitals


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a run.

    Args:
        name: of the sickness.
        step, until: first and last step at which it shows.
        evidence: figures, with n and interval where they are shares.
        meaning: what that does to the run.
        remedy: what to do next.
        curve: the curve that shows it best.
        follows: name of the finding that explains this one; "" where none does.
    """

    name: str
    step: int
    until: int
    evidence: str
    meaning: str
    remedy: str
    curve: str = ""
    follows: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.evidence}"


@dataclass(frozen=True)
class Unseen:
    """A check that could not be made, and why."""

    why: str


@dataclass(frozen=True)
class HealthReport:
    """What was found and what was looked at; prints as text, and as HTML in a notebook.

    Args:
        vitals: of the run.
        findings: in the order in which they began.
        seen: names of the checks that were made.
        unseen: names of those that could not be made, each with the reason.
    """

    vitals: Vitals = field(repr=False)
    findings: Sequence[Finding]
    seen: Sequence[str]
    unseen: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def causes(self) -> list[Finding]:
        """The findings that no other explains: treat these."""
        return [finding for finding in self.findings if not finding.follows]

    @property
    def names(self) -> list[str]:
        """Names of the causes."""
        return [finding.name for finding in self.causes]

    def _title(self) -> str:
        found = f"{len(self.causes)} found" if self.findings else "nothing found"
        return f"Health of {self.vitals.name}: {found}"

    def _when(self, finding: Finding) -> str:
        if finding.until >= self.vitals.last_step:
            return f"from step {finding.step}"
        return f"steps {finding.step} to {finding.until}, over since"

    def _with_it(self, cause: Finding) -> list[Finding]:
        return [finding for finding in self.findings if finding.follows == cause.name]

    def __str__(self) -> str:
        lines = [self._title()]
        for cause in self.causes:
            lines.append(f"! {cause.name}, {self._when(cause)}")
            lines += _wrapped("seen:", cause.evidence)
            lines += _wrapped("means:", cause.meaning)
            lines += _wrapped("next:", cause.remedy)
            for other in self._with_it(cause):
                lines += _wrapped("and so:", str(other))
        lines += _wrapped("looked at:", ", ".join(self.seen) or "nothing", indent=0)
        for name, why in self.unseen.items():
            lines += _wrapped("not looked at:", f"{name} ({why})", indent=0)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self._title())}</b></p>"]
        for cause in self.causes:
            rows = [("seen", cause.evidence), ("means", cause.meaning), ("next", cause.remedy)]
            rows += [("and so", str(other)) for other in self._with_it(cause)]
            body = "".join(
                f'<tr><th style="text-align:left">{escape(head)}</th>'
                f'<td style="text-align:left">{escape(text)}</td></tr>'
                for head, text in rows
            )
            head = f"{escape(cause.name)}, {escape(self._when(cause))}"
            parts.append(f"<p><b>{head}</b></p><table><tbody>{body}</tbody></table>")
        looked = f"Looked at: {escape(', '.join(self.seen) or 'nothing')}."
        missed = "".join(
            f"<br>Not looked at: {escape(name)} ({escape(why)})."
            for name, why in self.unseen.items()
        )
        return "".join(parts) + f"<p>{looked}{missed}</p>"


def _wrapped(head: str, text: str, *, indent: int = 4) -> list[str]:
    """Lines of a terminal's width, the second and further ones under the text of the first."""
    first = " " * indent + f"{head:<8}"
    under = " " * (12 if indent else 4)
    return wrap(text, 96, initial_indent=first + " " * (not indent), subsequent_indent=under)
