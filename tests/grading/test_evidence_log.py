"""A log is compared with all else that speaks of its run: a rebuilt chain alone passes nobody."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from handed import (
    CHECKOUT,
    Notebook,
    check_cell,
    codes,
    evidence,
    kinds,
    log_of,
    rechained,
    text,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.classroom.run import run_notebooks
from rlvr_course.grading.evidence.log_figures import figure_findings
from rlvr_course.grading.evidence.log_rows import LogRow, check_calls, log_rows
from rlvr_course.grading.handin.seen import SeenCell, SeenOutput
from rlvr_course.grading.records import Finding

NAME = "00_start_here"
Records = list[dict[str, Any]]


class Handed(NamedTuple):
    """An executed notebook with the log of its run."""

    notebook: Notebook
    log: list[bytes]
    head: str

    def evidence(self, **changes: Any) -> list[Finding]:
        parts = {"notebook": self.notebook, "log": self.log, "head": self.head, **changes}
        return evidence(parts.pop("notebook"), NAME, **parts)

    def rebuilt(self, change: Callable[[Records], object]) -> list[Finding]:
        log, head = rechained(self.log, change)
        return self.evidence(log=log, head=head)

    def edited(self, change: Callable[[Notebook], object]) -> list[Finding]:
        notebook = copy.deepcopy(self.notebook)
        change(notebook)
        return self.evidence(notebook=notebook)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    folder = tmp_path_factory.mktemp("run")
    done = run_notebooks([CHECKOUT.solutions / f"{NAME}.ipynb"], folder)[0]
    assert done.failure == ""
    return Handed(json.loads(done.output.read_text(encoding="utf-8")), *log_of(done))


def samples(records: Records) -> Records:
    return [record for record in records if "response" in record]


def checks(records: Records, name: str = "q00a") -> Records:
    return [record for record in records if record.get("check") == name]


def test_an_honest_run_has_nothing_to_find(honest: Handed) -> None:
    assert honest.evidence() == []


def test_building_an_untouched_log_anew_changes_nothing(honest: Handed) -> None:
    assert rechained(honest.log, lambda records: None) == (honest.log, honest.head)


BROKEN = {
    "a byte": lambda log: [*log[:5], log[5].replace(b"e", b"3", 1), *log[6:]],
    "a line out": lambda log: [*log[:5], *log[6:]],
    "a line twice": lambda log: [*log[:5], log[4], *log[5:]],
    "two lines swapped": lambda log: [*log[:5], log[6], log[5], *log[7:]],
    "the end cut off": lambda log: log[:-3],
    "other bytes": lambda log: [*log, b"\xff\x00\n"],
    "nothing left": lambda log: [],
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_log_that_was_changed_does_not_hold(
    honest: Handed, change: Callable[[list[bytes]], list[bytes]]
) -> None:
    assert "log_broken" in codes(honest.evidence(log=change(honest.log)), "integrity")


def drop_samples(records: Records) -> None:
    for record in samples(records)[8:]:
        record.clear()


REBUILT = {
    "reward and parts": ("reward_differs", lambda rs: [
        r.update(reward=1.0, components={"correctness": 1.0}) for r in samples(rs)]),
    "reward alone": ("reward_differs", lambda rs: samples(rs)[2].update(reward=1.0)),
    "verdict": ("reward_differs", lambda rs: samples(rs)[2].update(verified_correct=True)),
    "response": ("response_not_recorded", lambda rs: samples(rs)[2].update(response="It is 80.")),
    "question": ("response_not_recorded",
                 lambda rs: samples(rs)[2]["problem"].update(question="What is 1 + 1?")),
    "reference": ("reference_changed", lambda rs: samples(rs)[2]["problem"].update(answer="2/3")),
    "a check's result": ("check_not_logged", lambda rs: checks(rs)[0].update(result="failed")),
    "a check's cases": ("check_not_logged", lambda rs: checks(rs)[0].update(case="another")),
    "a check gone": ("check_not_logged", lambda rs: [r.clear() for r in checks(rs)]),
    "samples gone": ("figure_not_of_log", drop_samples),
    "another mode": ("log_of_another_run", lambda rs: rs[0].update(mode="api")),
    "another notebook": ("log_of_another_notebook", lambda rs: rs[0].update(notebook="01_x")),
    "no start": ("log_without_start", lambda rs: rs[0].clear()),
}  # fmt: skip


@pytest.mark.parametrize(("code", "change"), REBUILT.values(), ids=REBUILT)
def test_a_rebuilt_log_is_found_by_what_it_says(
    honest: Handed, code: str, change: Callable[[Records], object]
) -> None:
    assert code in codes(honest.rebuilt(change), "integrity")


@given(st.data())
@settings(max_examples=12)
def test_any_change_before_the_printed_anchor_is_found(honest: Handed, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(honest.log) - 10))
    found = honest.rebuilt(lambda records: records[place].update(note="changed"))
    assert "anchor_differs" in codes(found, "integrity")


def test_a_policy_that_was_never_recorded_is_said_to_be_unverified(honest: Handed) -> None:
    found = honest.rebuilt(lambda rs: [r.update(policy_id="gpt-x") for r in samples(rs)])
    assert "origin_not_verified" in codes(found, "note")


def with_entries(log: Sequence[bytes], change: Callable[[dict[str, Any]], object]) -> list[bytes]:
    entries = [json.loads(line) for line in log]
    for entry in entries:
        change(entry)
    lines = [json.dumps(entry, separators=(",", ":")).encode() + b"\n" for entry in entries]
    return rechained(lines, lambda records: None)[0]


@pytest.mark.parametrize(
    ("code", "change"),
    [("log_of_another_run", lambda e: e.update(run="20260101-000000-abcdef")),
     ("log_of_several_runs", lambda e: e.update(run=e["run"] + "x" * (e["seq"] > 9))),
     ("log_times", lambda e: e.update(at="2020-01-01T00:00:00.000Z")),
     ("log_times", lambda e: e.update(at=f"20{26 - (e['seq'] == 50)}-11-01T00:00:00.000Z"))],
    ids=["run", "two runs", "another day", "one line older"],
)  # fmt: skip
def test_run_ids_and_times_must_fit(
    honest: Handed, code: str, change: Callable[[dict[str, Any]], object]
) -> None:
    assert code in codes(honest.evidence(log=with_entries(honest.log, change), head=""))


def test_a_line_in_another_hand_is_found(honest: Handed) -> None:
    last = json.dumps(json.loads(honest.log[-1])).encode() + b"\n"
    assert "log_rewritten" in codes(honest.evidence(log=[*honest.log[:-1], last]), "integrity")


def replaced(pattern: str, by: str) -> Callable[[Notebook], None]:
    """Edit what the outputs say."""

    def change(notebook: Notebook) -> None:
        for c in notebook["cells"]:
            shown = json.dumps({"outputs": c.get("outputs", [])}, ensure_ascii=False)
            c.update(json.loads(re.sub(pattern, by, shown)))

    return change


EDITED = {
    "right answers": ("figure_not_of_log", replaced("right: 5 of 8", "right: 8 of 8")),
    "mixed groups": ("figure_not_of_log", replaced("mixed=33", "mixed=38")),
    "pairs": ("figure_not_of_log", replaced("usable_pairs=397", "usable_pairs=398")),
    "solved": ("figure_not_of_log", replaced("successes=147", "successes=150")),
    "run": ("log_of_another_run", replaced(r"run 2\d{3}", "run 2019")),
    "mode": ("log_of_another_run", replaced("mode fake", "mode api")),
    "anchor": ("anchor_differs", replaced(r"anchor (\d+):\w{4}", r"anchor \1:0000")),
    "a longer log": ("anchor_differs", replaced(r"anchor \d", r"anchor 9")),
    "a check": ("check_not_logged", replaced(r"q00b: public checks passed \(4 of 4\)",
                                             "q00b: public checks passed (5 of 5)")),
    "its table": ("check_output_edited", replaced("<b>q00b: public", "<b>q00b: all public")),
    "another's table": ("check_output_edited", replaced("q00a: public", "q00b: public")),
}  # fmt: skip


@pytest.mark.parametrize(("code", "change"), EDITED.values(), ids=EDITED)
def test_edited_outputs_are_found(
    honest: Handed, code: str, change: Callable[[Notebook], None]
) -> None:
    assert code in codes(honest.edited(change), "integrity")


def own_cell(source: str, *outputs: dict[str, Any]) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        count = max(c.get("execution_count") or 0 for c in notebook["cells"]) + 1
        notebook["cells"].append(
            {"cell_type": "code", "source": source, "metadata": {}, "outputs": list(outputs),
             "execution_count": count}
        )  # fmt: skip

    return change


@pytest.mark.parametrize("mime", ["text/plain", "text/html"])
def test_an_imitated_result_is_found(honest: Handed, mime: str) -> None:
    shown = {"output_type": "display_data", "data": {mime: "q00a: public checks passed (4 of 4)"}}
    found = honest.edited(own_cell("show(picture)", shown))
    assert "fake_check_output" in codes(found, "integrity")


def test_a_function_that_was_changed_after_its_check_is_told(honest: Handed) -> None:
    def change(notebook: Notebook) -> None:
        for c in notebook["cells"]:
            c["source"] = text(c).replace("centre = sum", "center = sum")

    found = honest.edited(change)
    assert "checked_another_source" in codes(found, "reproducibility")
    assert "integrity" not in kinds(found)


def more_rows(honest: Handed, rows: Records) -> list[bytes]:
    last = json.loads(honest.log[-1])
    more = [json.dumps({**last, "record": row}, separators=(",", ":")).encode() for row in rows]
    return rechained([*honest.log, *more], lambda records: None)[0]


def test_what_learners_run_again_is_left_alone(honest: Handed) -> None:
    records = [json.loads(line)["record"] for line in honest.log]
    again = [*samples(records)[:8], *checks(records), *samples(records)[8:], *checks(records)]
    assert honest.evidence(log=more_rows(honest, again)) == []


def test_attempts_that_failed_before_are_left_alone(honest: Handed) -> None:
    def fail_first(records: Records) -> None:
        for record in checks(records[: len(honest.log) // 2]):
            record.update(result="failed", source_sha256="0" * 64)

    log = more_rows(honest, checks([json.loads(line)["record"] for line in honest.log]))
    log, head = rechained(log, fail_first)
    assert codes(honest.evidence(log=log, head=head)) == {"anchor_differs"}  # made by this test


def test_samples_by_ones_own_verifier_are_a_note(honest: Handed) -> None:
    row = samples([json.loads(line)["record"] for line in honest.log])[2]
    own = {**row, "reward": 1.0, "verified_correct": True, "components": {"correctness": 1.0}}
    notebook = copy.deepcopy(honest.notebook)
    own_cell("mine = rollout([p], policy, mine, pay, on_sample=run.log.append)")(notebook)
    found = honest.evidence(notebook=notebook, log=more_rows(honest, [own]))
    assert kinds(found) == {"note"} and "reward_differs" in codes(found)


def test_a_missing_head_and_an_unfinished_line_are_notes(honest: Handed) -> None:
    log = [*honest.log, b'{"prev":"']
    found = honest.evidence(log=log, head="")
    assert kinds(found) == {"note"} and codes(found) == {"log_without_head", "log_torn"}


def start_later(notebook: Notebook) -> None:
    start = next(c for c in notebook["cells"] if "start(" in text(c))
    start["metadata"]["execution"] = {"iopub.execute_input": "2999-01-01T00:00:00Z"}


def without_times(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["metadata"].pop("execution", None)


def start_again(notebook: Notebook) -> None:
    without_times(notebook)
    next(c for c in notebook["cells"] if "start(" in text(c))["execution_count"] = 90


@pytest.mark.parametrize("change", [start_later, start_again, without_times])
def test_a_new_session_over_old_outputs_is_no_cheating(
    honest: Handed, change: Callable[[Notebook], None]
) -> None:
    found = honest.evidence(log=honest.log[:1], head="", notebook=_changed(honest, change))
    told = {"check_of_an_earlier_run", "figure_of_an_earlier_run"}
    assert told <= codes(found, "reproducibility") and "integrity" not in kinds(found)


def _changed(honest: Handed, change: Callable[[Notebook], None]) -> Notebook:
    notebook = copy.deepcopy(honest.notebook)
    change(notebook)
    return notebook


def test_a_model_of_ones_own_is_left_alone(honest: Handed) -> None:
    def to_api(records: Records) -> None:
        records[0].update(mode="api", policy_id="gpt-x")
        for record in samples(records):
            record["policy_id"] = "gpt-x"

    log, head = rechained(honest.log, to_api)
    edit = replaced("mode fake · [^·]+ ·", "mode api · gpt-x ·")
    notebook = _changed(honest, edit)
    notebook = _changed(Handed(notebook, log, head), replaced(r"anchor \d+:\w+", f"anchor {head}"))
    found = evidence(notebook, NAME, log=log, head=head)
    assert kinds(found) == {"note"} and codes(found) == {"origin_not_verified"}


def row(line: int, problem: str, index: int, right: bool, reason: str = "") -> LogRow:
    record = {"problem": {"question": problem}, "response": "r", "index": index}
    record |= {"verified_correct": right, "reward": 1.0 if right else -0.1, "reason": reason}
    return LogRow(line, record=record)


ROWS = [row(n, f"p{n // 4}", n % 4, n < 6, "passed_1_of_2; tier=x y") for n in range(16)]
FIGURES = {
    "03 mixed": ("03_groups_and_advantages", "package   {} mixed = 0.25 [0.05, 0.70] (n=4)", 1, 2),
    "03 rate": ("03_groups_and_advantages", "by samples:         0.{} [0.18, 0.61] (n=16)", 38, 39),
    "05 mean": ("05_sandboxed_code", "16 samples, mean reward 0.3{}, log holds: True", 13, 18),
    "05 reason": ("05_sandboxed_code", "one line's reason: passed_{}_of_2; tier=x", 1, 2),
    "00 group": ("00_start_here", "right: {} of 4   your guess: 1", 4, 2),
}


@pytest.mark.parametrize(("name", "form", "true", "false"), FIGURES.values(), ids=FIGURES)
def test_each_figure_is_computed_from_the_log(name: str, form: str, true: int, false: int) -> None:
    def found(figure: int) -> list[Finding]:
        shown = SeenOutput("stream", form.format(figure) + "\n", name="stdout")
        cell = SeenCell(1, "code", source="show()", outputs=(shown,))
        return list(figure_findings(name, [cell], ROWS, None))

    assert found(true) == [] and codes(found(false)) == {"figure_not_of_log"}


def test_calls_of_checks_are_told_apart() -> None:
    lines = [
        json.dumps({"record": {"event": "check", "check": name, "source_sha256": "0",
                               "case": case, "result": "passed"}}).encode()
        for name, case in [("a", "1"), ("a", "2"), ("a", "1"), ("b", "1"), ("a", "1")]
    ]  # fmt: skip
    calls = check_calls(log_rows([*lines, b"no json", b"[]"]))
    assert [(call.name, list(call.results)) for call in calls] == [
        ("a", ["1", "2"]), ("a", ["1"]), ("b", ["1"]), ("a", ["1"])
    ]  # fmt: skip


def test_the_checked_cell_is_where_it_is_said_to_be(honest: Handed) -> None:
    found = honest.rebuilt(lambda rs: checks(rs, "q00b")[0].update(result="failed"))
    place = next(f.cell for f in found if f.code == "check_not_logged")
    assert place and honest.notebook["cells"][place - 1] == check_cell(honest.notebook, "q00b")
