"""Write a hand-in as ``rlvr-course submit`` does."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path

from rlvr_course.classroom import submit
from rlvr_course.grading.evidence.log_rows import log_rows
from sample_class.sessions import HandIn


def packed(work: HandIn, path: Path, learner: str) -> None:
    """The zip, with its log if there is one and a manifest of the files as they are."""
    files = {"notebook.ipynb": json.dumps(work.notebook, indent=1).encode()}
    if work.log:
        files["verifier.jsonl"] = b"".join(work.log)
        files["verifier.jsonl.head"] = work.head.encode()
    first = next(iter(log_rows(work.log[:1])), None)
    name = first.record["notebook"] if first else ""
    manifest = {
        "format": submit.FORMAT,
        "notebook": name,
        "learner": learner,
        "run_id": first.run if first else "",
        "mode": first.record["mode"] if first else "",
        "head": work.head,
        "version": "0.1.0",
        "python": platform.python_version(),
        "made": "2026-03-02T18:40:00+00:00",
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    files["manifest.json"] = json.dumps(manifest, indent=2).encode()
    submit.write(submit.HandIn(name, files, manifest), path)


def bare(work: HandIn, path: Path) -> None:
    """The notebook's file by itself."""
    path.write_text(json.dumps(work.notebook, indent=1), encoding="utf-8")
