"""The doctor reports what it finds, never raises for it and never shows a key."""

from __future__ import annotations

import pytest
from conftest import write_notebook

from rlvr_course.classroom import doctor
from rlvr_course.classroom.checkout import Checkout


@pytest.mark.parametrize(
    ("version", "status"), [((3, 10, 14), "fail"), ((3, 11, 0), "ok"), ((3, 14, 2), "ok")]
)
def test_python_is_judged_by_the_version_that_the_course_needs(version, status):
    assert doctor.check_python(version).status == status


def test_packages_come_first_and_extras_after_with_their_command():
    checks = {check.name: check for check in doctor.check_packages()}
    assert next(iter(checks)) == "packages" and checks["packages"].status == "ok"
    assert "papermill" in checks["packages"].found and "pytest" not in checks["packages"].found
    assert checks["extra dev"].status == "ok" and "pytest" in checks["extra dev"].found
    train = checks["extra train"]
    assert train.status == "ok" or "uv sync --extra train" in train.found


def test_the_recording_is_verified():
    check = doctor.check_recording()
    assert check.status == "ok" and "592 completions of 74 problems" in check.found


def test_a_local_model_that_is_not_there_is_optional_and_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path))
    monkeypatch.setenv("RLVR_SMOLLM2", str(tmp_path / "nowhere"))
    check = doctor.check_local()
    assert check.status == "extra" and "only --mode local needs it" in check.found


def test_missing_notebooks_fail_with_the_way_on(checkout):
    check = doctor.check_notebooks(checkout)
    assert check.status == "fail" and "rlvr-course build" in check.found
    write_notebook(checkout.notebooks / "00_a.ipynb")
    assert doctor.check_notebooks(checkout) == doctor.Check("notebooks", "ok", "1 found")


def test_a_folder_that_cannot_be_written_fails(tmp_path):
    (tmp_path / "artifacts").touch()
    assert doctor.check_artifacts(Checkout(tmp_path)).status == "fail"


def test_a_key_is_never_shown():
    check = doctor.check_key({"OPENAI_API_KEY": "sk-very-secret"})
    assert "secret" not in str(check)
    assert "not set" in doctor.check_key({}).found


def test_everything_is_looked_at_outside_a_checkout_too(tmp_path):
    checks = {check.name: check for check in doctor.examine(tmp_path, {})}
    assert checks["notebooks"].status == "fail"
    assert checks["kernel"].status == "ok" and checks["network guard"].status == "ok"
    assert {"python", "packages", "recorded data", "api key"} <= set(checks)
