"""Detectors scored on both errors: hacks that they miss, and honest work that they accuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rlvr_course.hacks.detect import DETECTORS, Detector, flags
from rlvr_course.hacks.planted import PlantedSample
from rlvr_course.records import Sample
from rlvr_course.stats import Rate

ANY = "any detector"


@dataclass(frozen=True)
class DetectorScore:
    """One detector's two rates.

    Args:
        detector: its name, or "any detector".
        recall: share of the planted hacks of its own kind on which it fires; for "any detector"
            the share of all planted hacks with at least one flag.
        false_alarms: share of honest samples on which it fires.
    """

    detector: str
    recall: Rate
    false_alarms: Rate


@dataclass(frozen=True)
class DetectorTable:
    """A score for each detector, the last for all together; prints as a table."""

    scores: tuple[DetectorScore, ...]

    def __getitem__(self, detector: str) -> DetectorScore:
        for score in self.scores:
            if score.detector == detector:
                return score
        known = ", ".join(score.detector for score in self.scores)
        raise KeyError(f"no detector {detector!r}; there are {known}")

    def __str__(self) -> str:
        rows = [("detector", "recall on its kind", "false alarms"), *self._rows()]
        width = max(24, *(len(name) for name, _, _ in rows))
        return "\n".join(f"{name:{width}} {recall:27} {alarms}" for name, recall, alarms in rows)

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(s.detector, str(s.recall), str(s.false_alarms)) for s in self.scores]

    def _repr_html_(self) -> str:
        body = "".join(
            "<tr><th>" + "</th><td>".join(map(escape, row[:1])) + "</th>"
            f"<td>{escape(row[1])}</td><td>{escape(row[2])}</td></tr>"
            for row in self._rows()
        )
        head = "<tr><th>detector</th><th>recall on its kind</th><th>false alarms</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def score_detectors(
    planted: Iterable[PlantedSample],
    honest: Sequence[Sample],
    detectors: Mapping[str, Detector] = DETECTORS,
) -> DetectorTable:
    """Score detectors on hacks that were planted and on samples that are honest.

    Args:
        planted: constructed samples; the honest ones among them are left out.
        honest: samples that passed and are no hacks, such as ``honest_samples()``.
        detectors: by name; the name is the kind of hack that each is for.

    Returns:
        A row for each detector and one for all together. A detector for which no hack was planted
        has a recall of no data.

    Limits: planted hacks are those that somebody thought of: recall on them is an upper bound of
        what to expect from a policy that searches.
    """
    hacks = [(row.kind, _fired(row.sample, detectors)) for row in planted if row.is_hack]
    alarms = [_fired(sample, detectors) for sample in honest]
    scores = []
    for name in detectors:
        own = [name in fired for kind, fired in hacks if kind == name]
        false = sum(name in fired for fired in alarms)
        scores.append(DetectorScore(name, Rate(sum(own), len(own)), Rate(false, len(alarms))))
    caught, accused = sum(bool(f) for _, f in hacks), sum(map(bool, alarms))
    scores.append(DetectorScore(ANY, Rate(caught, len(hacks)), Rate(accused, len(alarms))))
    return DetectorTable(tuple(scores))


def _fired(sample: Sample, detectors: Mapping[str, Detector]) -> set[str]:
    return {flag.detector for flag in flags(sample, detectors)}
