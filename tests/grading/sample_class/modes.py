"""Work in mode local, as it would be: there may be no model here, so it is constructed.

A session in fake mode is the base. What it sampled is replaced by responses that no recording has,
each judged and rewarded by the course's own verifier, in the log and in the outputs alike; mode
and model are those of mode local wherever they stand.
"""

from __future__ import annotations

import re
from typing import Any

from handed import rechained

from rlvr_course.records import Problem
from rlvr_course.rewards import MathRewardFunction
from sample_class.sessions import HandIn, at

MODE, MODEL = "local", "SmolLM2-135M-Instruct"


def in_mode_local(work: HandIn) -> HandIn:
    """A session with own samples, as if it had been run in mode local."""
    log, head = rechained(work.log, _relogged)
    said: list[str] = []
    rechained(log, lambda records: said.extend(_printed(records)))

    def reprinted(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        parameters = cells[at(cells, "MODE")]
        parameters["source"] = "".join(parameters["source"]).replace('"fake"', f'"{MODE}"', 1)
        sampling = cells[at(cells, "from rlvr_course import sample_and_verify")]
        sampling["outputs"] = [{"output_type": "stream", "name": "stdout", "text": said}]
        for cell in cells:
            for output in cell.get("outputs", ()):
                if output["output_type"] == "stream":
                    line = f"mode {MODE} · {MODEL} · run"
                    text = "".join(output["text"])
                    output["text"] = re.sub(r"mode fake · .* · run", line, text)

    return work.with_log(log, head).changed(reprinted)


def _relogged(records: list[dict[str, Any]]) -> None:
    reward = MathRewardFunction()
    records[0].update(mode=MODE, policy_id=MODEL)
    for number, record in enumerate(r for r in records if "response" in r):
        answer = record["problem"]["answer"]
        stated = answer if number % 3 else f"{number}.5"
        record["response"] = f"Step {number}: work it out.\nThe answer is \\boxed{{{stated}}}."
        problem = Problem(**record["problem"])
        verdict = reward.verifier(record["response"], problem.answer)
        earned = reward.reward(verdict)
        record.update(
            policy_id=MODEL,
            extracted=verdict.extracted,
            verified_correct=verdict.is_correct,
            status=verdict.status,
            reason=verdict.reason,
            reward=earned.value,
            components=dict(earned.components),
        )


def _printed(records: list[dict[str, Any]]) -> list[str]:
    rows = [record for record in records if "response" in record]
    return [f"{row['reward']:+.1f} {row['response'][-40:]!r}\n" for row in rows]
