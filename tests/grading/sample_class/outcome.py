"""A class's grades beside what was planted in it, as a table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from marking import CHECKOUT

from rlvr_course.grading.records import Grade
from rlvr_course.grading.similarity import similar_pairs
from rlvr_course.stats import Rate
from sample_class import Planted, watched
from sample_class.properties import COPIED, ORIGINAL, PROPERTIES


@dataclass(frozen=True)
class Outcome:
    """What grading a class came to.

    Args:
        planted: what is in the class.
        grades: by learner.
        status: of the command.
        cpu_seconds: of it and all its processes.
        left_running: command lines of processes that outlived it.
        left_on_disk: files that it left outside of its results.
        said: what it printed.
    """

    planted: Sequence[Planted]
    grades: Mapping[str, Grade]
    status: int
    cpu_seconds: float
    left_running: Sequence[str]
    left_on_disk: Sequence[str]
    said: str

    def found_by(self, one: Planted) -> str:
        """What named a learner's first property; "" if nothing did."""
        name, grade = one.properties[0], self.grades[one.learner]
        found = PROPERTIES[name].found_by(grade)
        if not found or name != COPIED:
            return found
        originals = {p.learner for p in self.planted if p.properties[0] == ORIGINAL}
        pairs = similar_pairs(list(self.grades.values()), notebooks=CHECKOUT.notebooks)
        alike = {p.first for p in pairs} | {p.second for p in pairs}
        return "similar pairs" if one.learner in alike and originals & alike else ""

    @property
    def missed(self) -> list[tuple[str, ...]]:
        """Planted, and not found; with what was found instead."""
        return [
            (one.learner, *one.properties, *_seen(self.grades[one.learner]))
            for one in self.planted
            if not self.found_by(one)
        ]

    @property
    def false_alarms(self) -> list[tuple[str, ...]]:
        """Honest, and yet with a finding of kind integrity."""
        alarms = []
        for one in (one for one in self.planted if one.honest):
            findings = self.grades[one.learner].findings
            said = [f"{f.code}: {f.message}" for f in findings if f.kind == "integrity"]
            alarms += [(one.learner, *one.properties, *said)] if said else []
        return alarms

    def table(self) -> str:
        """Property, found by what, how many of how many; and the false alarms."""
        rows = defaultdict(list)
        for one in self.planted:
            rows[one.properties[0]].append(self.found_by(one))
        lines = ["| planted | named by | found |", "|---|---|---:|"]
        for name in (name for name in PROPERTIES if name in rows):
            how = next(filter(None, rows[name]), "nothing")
            lines.append(f"| {name} | {how} | {sum(map(bool, rows[name]))} of {len(rows[name])} |")
        honest = sum(one.honest for one in self.planted)
        rate = Rate(len(self.false_alarms), honest)
        lines.append(f"\nHonest submissions with an integrity finding: {rate}")
        lines.append(f"{self.cpu_seconds:.0f} CPU-seconds, exit status {self.status}")
        return "\n".join(lines)


def graded(planted: Sequence[Planted], folder: Path, out: Path, *, timeout_s: float) -> Outcome:
    """Grade a class with ``rlvr-course grade`` in a checkout where nothing else lies.

    Args:
        planted: as ``class_of`` gave it.
        folder: that it wrote.
        out: for the results.
        timeout_s: of each execution.
    """
    checkout, temporary = out.with_name("checkout"), out.with_name("temporary")
    for made in (checkout, temporary):
        made.mkdir()
    for name in ("notebooks", "solutions_private", "pyproject.toml"):
        (checkout / name).symlink_to(CHECKOUT.root / name)
    before = sorted(checkout.iterdir())
    command = [sys.executable, "-m", "rlvr_course", "grade", str(folder), "--out", str(out)]
    command += ["--timeout", f"{timeout_s:g}"]
    done = subprocess.run(
        [sys.executable, watched.__file__, *command],
        cwd=checkout,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["status"] in (0, 3), done.stderr[-2000:]
    left = [*temporary.rglob("*"), *(set(checkout.iterdir()) - set(before))]
    return Outcome(
        planted,
        grades_in(out),
        report["status"],
        report["cpu_seconds"],
        report["left"],
        [str(path.relative_to(out.parent)) for path in left],
        done.stderr,
    )


def grades_in(out: Path) -> dict[str, Grade]:
    """The grades in a folder of results, by learner."""
    rows = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    sums = {"points", "max_points"}
    grades = [Grade.from_dict({k: v for k, v in row.items() if k not in sums}) for row in rows]
    return {grade.learner: grade for grade in grades}


def _seen(grade: Grade) -> list[str]:
    marks = [f"{mark.question} {mark.status} {mark.points}" for mark in grade.marks]
    codes = [f"{f.code} ({f.kind}): {f.message[:90]}" for f in grade.findings]
    return [grade.status, grade.reason, *marks, *codes]
