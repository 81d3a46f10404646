"""JupyterLab opens in the checkout, with the course's defaults in front of the user's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_config_path
from jupyter_server.services.config import ConfigManager

from rlvr_course.classroom.lab import lab_command, lab_environment


def test_lab_opens_a_notebook_below_the_checkout(checkout):
    command = lab_command(checkout, checkout.notebooks / "01_a.ipynb", port=8899, browser=False)
    assert f"--ServerApp.root_dir={checkout.root}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/01_a.ipynb" in command
    assert {"--port=8899", "--no-browser"} <= set(command)


def test_lab_without_a_number_opens_the_folder_in_a_browser(checkout):
    command = lab_command(checkout)
    assert "--LabApp.default_url=/lab/tree/notebooks" in command
    assert "--no-browser" not in command


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_out_of_range_is_refused(checkout, port):
    with pytest.raises(ValueError, match=str(port)):
        lab_command(checkout, port=port)


def test_runs_go_into_the_checkouts_artifacts_unless_told_otherwise(checkout):
    inside = str(checkout.root / "artifacts")
    assert lab_environment({}, checkout)["RLVR_ARTIFACTS"] == inside
    elsewhere = lab_environment({"RLVR_ARTIFACTS": "mine"}, checkout)
    assert elsewhere["RLVR_ARTIFACTS"] == "mine"


def test_jupyter_reads_the_courses_defaults(monkeypatch, checkout):
    path = lab_environment({}, checkout)["JUPYTER_CONFIG_PATH"]
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", path)
    assert path in jupyter_config_path()
    settings = ConfigManager(config_dir_name="labconfig").get("default_setting_overrides")
    assert settings["@jupyterlab/notebook-extension:tracker"]["recordTiming"] is True
    news = settings["@jupyterlab/apputils-extension:notification"]
    assert (news["fetchNews"], news["checkForUpdates"]) == ("false", False)


def test_a_config_path_of_the_users_own_is_kept_behind(checkout):
    paths = lab_environment({"JUPYTER_CONFIG_PATH": "mine", "HOME": "/h"}, checkout)
    assert paths["HOME"] == "/h"
    folder, mine = paths["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert mine == "mine"
    shipped = Path(folder, "labconfig/default_setting_overrides.json").read_text("utf-8")
    assert len(json.loads(shipped)) == 2
