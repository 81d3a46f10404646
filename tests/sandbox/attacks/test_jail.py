"""The attacks' jail shows nothing of this machine that is worth stealing, for root or anybody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

import rlvr_course
from rlvr_course.classroom.sandboxed import jailed
from rlvr_course.errors import SandboxUnavailable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made of Linux namespaces")
ORDINARY = ["setpriv", "--reuid", "31415", "--regid", "31415", "--clear-groups"]
LOOK = """
import os
def tried(act):
    try:
        return act()
    except OSError as error:
        return type(error).__name__
print(sorted({name for name in os.environ if "PLANTED" in name}))
print("PLANTED" in open("/proc/self/environ").read())
print(tried(lambda: open("@HOME@/secret").read()))
print(tried(lambda: open("@HOME@/new", "w").write("x")))
print(tried(lambda: open("@PACKAGE@/new.py", "w").write("x")))
print([f for f, *_ in os.walk("/") if f[:5] != "/proc" and f[:4] != "/tmp" and os.access(f, 2)])
"""
NOTHING = ["[]", "False", "FileNotFoundError", "FileNotFoundError", "OSError", "['/dev/shm']"]
ATTACKS = """
from rlvr_course.sandbox.attacks import ATTACKS
from rlvr_course.sandbox.attacks.jail import run_in_jail
wanted = [a for a in ATTACKS if a.name in ("environment", "TCP to the host")]
for outcome in run_in_jail("unsafe-subprocess", wanted): print(outcome.attack, outcome.escaped)
"""


@pytest.fixture(params=["this user", "in a venv under /tmp", "ordinary"])
def user(request: pytest.FixtureRequest) -> Iterator[tuple[list[str], Path]]:
    """A command that runs Python as some user, and a place with its home and a copy of this."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        package = Path(rlvr_course.__file__).parent
        shutil.copytree(package, place / "rlvr_course", ignore=shutil.ignore_patterns("*.pyc"))
        (place / "home").mkdir(mode=0o700)
        (place / "home" / "secret").write_text("planted")
        if request.param == "this user":
            yield [sys.executable], place
            return
        if request.param == "in a venv under /tmp":
            venv.create(place / "venv", symlinks=True)
            yield [str(place / "venv" / "bin" / "python")], place
            return
        if os.getuid() or not shutil.which("setpriv"):
            pytest.skip("only root can become another user, with util-linux's setpriv")
        for path in (place / "home", place / "home" / "secret"):
            os.chown(path, 31415, 31415)
        yield [*ORDINARY, system_python()], place


def system_python() -> str:
    """A Python that every user of this machine can run."""
    for name in ("python3.13", "python3.12", "python3.11"):
        if (path := Path("/usr/bin", name)).exists():
            return str(path)
    pytest.skip("no Python 3.11 or later in /usr/bin, where every user could run it")


def said(user: tuple[list[str], Path], source: str) -> list[str]:
    """What a process of this user prints, with a secret in its environment."""
    python, place = user
    secrets = {"PLANTED_API_KEY": "PLANTED", "HOME": str(place / "home")}
    done = subprocess.run(
        [*python, "-c", f"import sys; sys.path.insert(0, {str(place)!r})\n{source}"],
        env={**os.environ, **secrets},
        capture_output=True,
        text=True,
    )
    if "SandboxUnavailable" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert not done.stderr
    return done.stdout.splitlines()


def test_no_secret_is_in_it_and_nothing_of_the_host_can_be_written(
    user: tuple[list[str], Path],
) -> None:
    look = LOOK.replace("@HOME@", str(user[1] / "home"))
    look = look.replace("@PACKAGE@", str(user[1] / "rlvr_course"))
    source = f"from rlvr_course.classroom.sandboxed import jailed\nprint(jailed({look!r}, 20))"
    assert said(user, source) == NOTHING
    assert [path.name for path in (user[1] / "home").iterdir()] == ["secret"]


def test_attacks_reach_the_victim_in_it_from_a_copy_under_tmp(
    user: tuple[list[str], Path],
) -> None:
    assert said(user, ATTACKS) == ["environment True", "TCP to the host True"]


def test_a_jail_in_which_python_does_not_start_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SandboxUnavailable, match="Python did not start"):
        jailed("print('ran')")
