"""Are a hand-in's files the ones that its manifest speaks of, and could all of them be read?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlvr_course.grading.handin.submission import named_in
from rlvr_course.grading.records import Finding, Submission


def package_findings(submission: Submission) -> list[Finding]:
    """What the files show beside the manifest; nothing of a notebook that came by itself.

    Limits: whoever repacks a changed file can rewrite the manifest too.
    """
    unread = [Finding("left_out", "note", f"not read: {each}") for each in submission.remarks]
    return [*_named(submission), *unread, *_changed(submission)]


def _named(submission: Submission) -> Iterator[Finding]:
    """Anybody can pack a hand-in under a classmate's name: say where nothing else told it."""
    if submission.learner and submission.learner == named_in(submission.manifest, submission.path):
        message = "whose it is was told by the hand-in alone, not by its file's name"
        yield Finding("named_by_itself", "note", message)


def _changed(submission: Submission) -> Iterator[Finding]:
    packed = submission.manifest.get("sha256")
    if not isinstance(packed, Mapping):
        return
    for name, digest in packed.items():
        found = submission.sha256.get(name)
        if found is None:
            message = f"{str(name)[:80]} is in the manifest and was not handed in"
            yield Finding("file_missing", "integrity", message)
        elif found != digest:
            message = f"{name} was changed after it was packed: it is not the manifest's any more"
            yield Finding("file_changed", "integrity", message, None, f"SHA-256 {found}")
