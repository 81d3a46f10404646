"""The audit log: what was judged, in order, in a file that shows when it was changed.

    payload.py   any mapping as JSON values; it never raises on a value
    chain.py     one line of the log, its hash, and the anchor that fixes a log's length and head
    file.py      the file under it: append, lock, refusals
    log.py       AuditLog, the single writer
    verify.py    read_audit and verify_audit, the readers

A log is a text file with one JSON object a line, plain ASCII, only ever appended to::

    {"prev":"<64 hex>","seq":0,"run":"<run id>","at":"<UTC time>","record":{...}}

``prev`` is the SHA-256 of the line before it, newline included, so that anyone can check a step by
hand: ``sed -n 1p verifier.jsonl | sha256sum`` is what line 2 holds. The first line holds 64 zeros.
``PATH.head`` beside the log is its anchor, ``COUNT:HASH``, which covers the last line.

Threats covered: a byte changed, a line taken out, put in, doubled or moved, a tail cut off
(against the anchor), a log rebuilt with fresh hashes (against an anchor that was kept elsewhere:
print ``log.anchor``), a second writer, a writer killed at any byte, a full disk.
Not covered: whoever can rewrite the log *and* every copy of its anchor (the chain has no key), and
whatever was false when it was logged.
"""

from rlvr_course.audit.chain import Anchor
from rlvr_course.audit.log import AuditLog
from rlvr_course.audit.verify import AuditProblem, AuditReport, read_audit, verify_audit

__all__ = ["Anchor", "AuditLog", "AuditProblem", "AuditReport", "read_audit", "verify_audit"]
