"""Which sandbox is opened, and what is said where there is none."""

from __future__ import annotations

import errno
import platform

import pytest
from lesser_machines import (
    LANDLOCK_CREATE_RULESET,
    knows_this_processor,
    python_on,
    refusing,
    without_user_namespaces,
)

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.records import Program
from rlvr_course.sandbox.tiers import TIERS, WITHOUT, examine, open_worker, tier_named

AUTOMATIC = ["linux-ns", "linux-landlock", "macos-seatbelt"]
LANDLOCK_OFF = refusing(LANDLOCK_CREATE_RULESET, error=errno.EOPNOTSUPP)
MOUNT_CALLS = {"x86_64": (155, 165, 166, 272), "aarch64": (39, 40, 41, 97)}  # unshare among them
CONTAINER = refusing(*MOUNT_CALLS.get(platform.machine(), ()), error=errno.EPERM)
CLOSE_RANGE = 436
OPEN_AUTO = """
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.records import Program
from rlvr_course.sandbox.tiers import open_worker
try:
    runner = open_worker()
except SandboxUnavailable as error:
    print(error)
else:
    print(runner.tier, runner.run(Program("print(6 * 7)")).stdout)
    runner.close()
"""
EXAMINE_NAMESPACES = """
from rlvr_course.sandbox.tiers import examine, tier_named
print(examine(tier_named("linux-ns")).why_not)
"""


def lesser(machine, code):
    """What Python prints on it, where such a machine can be made."""
    if not knows_this_processor():
        pytest.skip("lesser machines are made with Linux's own means, on x86_64 and aarch64")
    try:
        return python_on(machine, code)
    except PermissionError as error:
        pytest.skip(f"{error}: a lesser machine can't be made here")


def test_auto_tries_the_strongest_first():
    assert [tier.name for tier in TIERS if tier.automatic] == AUTOMATIC


def test_without_user_namespaces_auto_takes_landlock():
    assert lesser(without_user_namespaces, OPEN_AUTO).split() == ["linux-landlock", "42"]


def test_without_user_namespaces_the_remedy_is_the_sysctl():
    said = lesser(without_user_namespaces, EXAMINE_NAMESPACES)
    assert said.startswith("unshare: No space left on device")
    assert said.endswith("(remedy: sudo sysctl user.max_user_namespaces=15000)")


def test_under_a_containers_filter_auto_takes_landlock_and_says_why():
    assert lesser(CONTAINER, OPEN_AUTO).split() == ["linux-landlock", "42"]
    said = lesser(CONTAINER, EXAMINE_NAMESPACES)
    assert said.startswith("unshare: Operation not permitted (remedy: ")


def test_a_call_that_a_program_needs_to_be_confined_is_named_once():
    said = lesser(refusing(CLOSE_RANGE, error=errno.EPERM), OPEN_AUTO)
    assert said.count("not started: close_range: Operation not permitted") == 2


def test_without_landlock_auto_takes_namespaces():
    assert lesser(LANDLOCK_OFF, OPEN_AUTO).split() == ["linux-ns", "42"]


def test_without_both_auto_names_each_failure_and_opens_nothing():
    def machine():
        without_user_namespaces()
        LANDLOCK_OFF()

    said = lesser(machine, OPEN_AUTO)
    assert said.startswith("no sandbox for sandbox='auto': linux-ns: unshare: No space left")
    assert "linux-landlock: Landlock ABI 0 is below 3: use Linux 6.2" in said
    assert said.endswith("macos-seatbelt: it only runs on macOS")


@pytest.mark.parametrize("sandbox", ["auto", "linux-ns"])
def test_tiers_can_be_taken_away_and_none_is_unsafe(monkeypatch, sandbox):
    monkeypatch.setenv(WITHOUT, ", ".join(AUTOMATIC))
    with pytest.raises(SandboxUnavailable, match=f"linux-ns: taken away by {WITHOUT}"):
        open_worker(sandbox)


def test_min_tier_pins_from_below(monkeypatch):
    monkeypatch.setenv(WITHOUT, "linux-ns")
    with pytest.raises(SandboxUnavailable) as refusal:
        open_worker(min_tier="linux-ns")
    assert "linux-landlock" not in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sandbox": "linux-nss"}, "no sandbox 'linux-nss'; did you mean 'linux-ns'?"),
        ({"sandbox": "docker"}, "choose from auto, linux-ns"),
        ({"sandbox": "none"}, "there is no sandbox 'none'"),
        ({"min_tier": "bwrap"}, "min_tier='bwrap': give one of linux-ns, linux-landlock"),
        ({"sandbox": "linux-landlock", "min_tier": "linux-ns"}, "not known to be as strong"),
        ({"sandbox": "unsafe", "min_tier": "linux-landlock"}, "not known to be as strong"),
        ({"packages": ["no_such_package"]}, "'no_such_package'"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(options, said):
    with pytest.raises(ValueError, match=r".") as refusal:
        open_worker(**options)
    assert said in str(refusal.value)


def test_unsafe_is_short_for_a_name_that_says_so():
    assert tier_named("unsafe").name == "unsafe-subprocess"


@pytest.mark.parametrize("name", AUTOMATIC)
def test_a_granted_tier_was_attested(name):
    finding = examine(tier_named(name))
    if not finding.works:
        pytest.skip(finding.why_not)
    assert len(finding.probes) >= 10
    assert all(probe.held for probe in finding.probes)
    assert finding.start_ms > 0


def test_a_sandbox_that_does_not_hold_is_not_granted(monkeypatch):
    # A Landlock worker under the better name: what the label promises has to be shown.
    from rlvr_course.sandbox import tiers, unsafe

    with pytest.warns(unsafe.NotASandboxWarning):
        open_ = unsafe.UnsafeSubprocess()
    weak = tiers.Tier("linux-ns", "", "", lambda packages: open_, automatic=True)
    monkeypatch.setattr(tiers, "TIERS", (weak,))
    with pytest.raises(SandboxUnavailable, match=r"doesn't hold: read a file of the host \("):
        open_worker()


def test_a_worker_answers():
    try:
        runner = open_worker()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    result = runner.run(Program("print(input()[::-1])", "abc\n"))
    runner.close()
    assert (result.stdout, result.reason, result.tier) == ("cba\n", "exit", runner.tier)
