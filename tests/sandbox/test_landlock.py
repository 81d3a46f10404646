"""Landlock: what each ABI is asked for, and that a ruleset holds in a real process."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from rlvr_course.sandbox import landlock
from rlvr_course.sandbox.landlock import Access

HERE = landlock.abi_version()
needs_landlock = pytest.mark.skipif(
    HERE < landlock.MIN_ABI,
    reason=f"Landlock ABI {HERE} here: boot Linux 6.2 or later with landlock in lsm=",
)


@pytest.mark.parametrize(
    ("abi", "files", "words"),
    [
        pytest.param(3, 0x7FFF, 1, id="truncate"),
        pytest.param(4, 0x7FFF, 2, id="and TCP"),
        pytest.param(5, 0xFFFF, 2, id="and devices"),
        pytest.param(6, 0xFFFF, 3, id="and scopes"),
        pytest.param(9, 0xFFFF, 3, id="one that is not known yet"),
    ],
)
def test_each_abi_is_asked_for_all_that_it_can_refuse(abi: int, files: int, words: int) -> None:
    attributes = struct.unpack(f"{words}Q", landlock.attributes(abi))
    assert attributes == (files, 3, 3)[:words]


def test_a_folder_to_write_to_gives_no_right_to_execute() -> None:
    rights = landlock.write_rights(5)
    assert not rights & Access.EXECUTE
    assert rights & Access.WRITE_FILE and rights & Access.READ_DIR


def restricted(body: str, folder: Path) -> str:
    """What a process prints that may read one folder, and Python, and no more."""
    program = f"""
import os, sys, sysconfig
from rlvr_course.sandbox import kernel, landlock
read = landlock.READ
allowed = {{{str(folder)!r}: read, sysconfig.get_path("stdlib"): read, "/missing": read}}
rules = landlock.create_ruleset(allowed)
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
landlock.restrict(rules)
try:
    {body}
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return done.stdout + done.stderr


@needs_landlock
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("print(open('{}/a').read())", "text\n", id="reads what is allowed"),
        pytest.param("open('{}/a', 'w')", "Permission denied\n", id="but doesn't write it"),
        pytest.param("os.truncate('{}/a', 0)", "Permission denied\n", id="or empty it"),
        pytest.param("os.unlink('{}/a')", "Permission denied\n", id="or remove it"),
        pytest.param("os.mkdir('{}/b')", "Permission denied\n", id="or make another"),
        pytest.param("print(open('/etc/passwd').read())", "Permission denied\n", id="elsewhere"),
        pytest.param("os.execv('{}/a', ['a'])", "Permission denied\n", id="execution"),
    ],
)
def test_a_ruleset_holds(body: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    (tmp_path / "a").chmod(0o755)
    assert restricted(body.format(tmp_path), tmp_path) == expected
    assert (tmp_path / "a").read_text() == "text"


@needs_landlock
def test_a_rule_for_a_file_takes_only_what_files_have(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    assert restricted(f"print(open('{tmp_path}/a').read())", tmp_path / "a") == "text\n"
