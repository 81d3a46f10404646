"""Labels: found by place, by text or by a function, and refused when they say nothing known."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs_samples import KNOWN, batches, group, problem, sample

from rlvr_course.audit import AuditLog, read_audit
from rlvr_course.pairs import Labels, PairReport, build_preferences


def test_audit_records_are_matched_by_text_whatever_the_index():
    record = {**sample("r", 0, text="42"), "suspected_hack": True}
    labels = Labels([record])
    assert labels.of(sample("r", 5, text="42")) == {"suspected_hack"}
    assert labels.of(sample("r", 0, text="43")) == frozenset()
    assert labels.of(sample("r", 0, text="42", name="other")) == frozenset()


def test_an_audit_log_carries_its_labels_into_the_pairs(tmp_path: Path):
    first = group("rrww")
    with AuditLog(tmp_path / "verifier.jsonl") as log:
        log.append({"event": "start"})
        for index, one in enumerate(first):
            log.append({**one, "suspected_hack": index == 0, "label": "policy_error"})
        log.append({"problem_id": "p", "response": "w2", "truth": True})
    rows = build_preferences([first], read_audit(log.path), path=None)
    said = [(r["provenance"]["chosen_index"], r["provenance"]["rejected_index"]) for r in rows]
    assert said == [(1, 3)]


@pytest.mark.parametrize("value", [True, ["padding"], "padding", [{"detector": "spam"}]])
def test_any_flag_is_a_suspicion(value):
    labels = Labels([{"problem_id": "p", "response": "r0", "suspected_hack": value}])
    assert labels.of(sample("r")) == {"suspected_hack"}


@pytest.mark.parametrize("value", [False, [], None])
def test_no_flag_is_no_suspicion(value):
    assert len(Labels([{"problem_id": "p", "response": "r0", "suspected_hack": value}])) == 0


def test_one_suspicion_is_enough():
    clean = {"problem_id": "p", "response": "r0", "suspected_hack": False}
    labels = Labels([clean, {**clean, "suspected_hack": True}, clean])
    assert labels.of(sample("r")) == {"suspected_hack"}


def test_a_function_may_give_the_labels():
    labels = Labels(lambda found: ["open"] if found.index == 1 else [])
    assert (labels.of(sample("r", 0)), labels.of(sample("r", 1))) == (frozenset(), {"open"})


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({("p", 0): "wrong"}, "label 'wrong' is not True"),
        ({("p", 0): 1.5}, r"label 1\.5 is not True"),
        ({"p": True}, r"found by \(problem id, index\), not by 'p'"),
        ([{"problem_id": "p", "response": "r", "label": "bad"}], "label 'bad'"),
        ([{"response": "r", "truth": True}], r"names no problem \(it has \['response', 'truth'\]"),
        (["r0"], "records hold a str"),
    ],
    ids=["word", "number", "place", "record's word", "no problem", "text"],
)
def test_what_is_no_label_is_refused(records, said):
    with pytest.raises(ValueError, match=said):
        Labels(records)


def test_a_function_s_unknown_label_is_refused():
    with pytest.raises(ValueError, match="label 'hack'"):
        Labels(lambda _: ["hack"]).of(sample("r"))  # type: ignore[arg-type,list-item]


def test_labels_that_meet_no_sample_are_reported():
    report = PairReport()
    build_preferences([group("rw")], {("q", 0): True}, path=None, report=report)
    assert report.warnings[0].startswith("none of the 1 labels belongs to a sample here")


@given(st.text(), st.text(), st.text(), st.text())
def test_two_texts_share_labels_only_where_problem_and_response_agree(a, b, c, d):
    labels = Labels([{"problem_id": f"p{a}", "response": b, "truth": True}])
    other = sample("w", text=d, name=f"p{c}")
    assert bool(labels.of(other)) == ((a, b) == (c, d))


@given(batches(), KNOWN)
def test_audit_records_and_places_say_the_same(groups, known):
    """Where each text occurs once in its group, it makes no difference how a label is found."""
    single = [list({one.response: one for one in found}.values()) for found in groups]
    records = [
        {**one, **({"label": label} if isinstance(label, str) else {"truth": label})}
        for found in single
        for one in found
        if (label := known.get((one.problem.id, one.index), "policy_error")) != "policy_error"
    ]
    by_text = build_preferences(single, records, path=None)
    assert by_text == build_preferences(single, known, path=None)


def test_a_problem_may_be_a_mapping_or_a_name():
    asked = problem().to_dict()
    for name in ({"problem": asked}, {"problem": {"question": "p"}}, {"problem_id": "p"}):
        assert Labels([{**name, "response": "r0", "truth": None}]).of(sample("r")) == {None}
