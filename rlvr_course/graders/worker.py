"""The process of one grader: started with ``-m`` and the grader's loader, "module:function".

Reads ``[completion, gold]`` a line and answers each with ``{"paid": ...}``, or ``{"error": ...}``
where the grader raised. The first line, before any is read, says that the grader is ready.
Nothing here has a deadline of its own: the parent kills this process.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from typing import Any

from rlvr_course.graders.peers import Grade, boxed
from rlvr_course.verifiers.boundary import describe_error

_MEMORY_BYTES = 8 << 30


def main() -> None:
    """Answer until the input ends."""
    with _private_stdout() as replies:

        def say(**reply: Any) -> None:
            print(json.dumps(reply), file=replies, flush=True)

        try:
            grade = _load(sys.argv[1])
        except Exception as error:  # whatever an import of a peer raises
            say(error=describe_error(error))
            return
        say(ready=True)
        for line in sys.stdin.buffer:
            say(**_reply(grade, *json.loads(line)))


def _private_stdout() -> Any:
    """Keep the replies' pipe to ourselves: what a grader prints goes to stderr."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return replies


def _load(loader: str) -> Grade:
    """Load a grader and let it judge once, so that no case pays for what it sets up."""
    _limit_memory()
    module, _, function = loader.partition(":")
    grade = getattr(importlib.import_module(module), function)()
    with contextlib.suppress(Exception):
        grade(boxed("1"), "1")
    return grade


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _reply(grade: Grade, completion: str, gold: str) -> dict[str, Any]:
    try:
        paid = grade(completion, gold)
    except Exception as error:  # the one boundary: what a grader raises is its result
        return {"error": describe_error(error)}
    return {"paid": None if paid is None else bool(paid)}


if __name__ == "__main__":
    main()
