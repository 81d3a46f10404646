"""Each attack against each tier: contained, but for what the tier declares, or shown to succeed."""

from __future__ import annotations

import os

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.attacks import ATTACKS
from rlvr_course.sandbox.attacks.battery import Battery
from rlvr_course.sandbox.attacks.jail import run_in_jail
from rlvr_course.sandbox.tiers import open_worker

TIERS = ("linux-ns", "linux-landlock")
UNSAFE = "unsafe-subprocess"
SHOWN = [attack for attack in ATTACKS if not attack.unconfined]
DECLARED = {
    "linux-ns": {"kernel version"},
    "linux-landlock": {
        "kernel version",
        "hostname",
        "size and times of a file",
        "which processes there are",
    },
}


@pytest.fixture(scope="module", params=TIERS)
def battery(request):
    try:
        opened = Battery(lambda: open_worker(request.param))
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with opened:
        yield opened


@pytest.fixture(scope="module")
def unconfined():
    """What became of every attack that may succeed, without a sandbox, in one jail."""
    try:
        return {outcome.attack: outcome for outcome in run_in_jail(UNSAFE, SHOWN)}
    except SandboxUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_tier_contains_what_it_does_not_declare(battery, attack):
    outcome = battery.run(attack)
    assert outcome.escaped == (attack.name in DECLARED[battery.tier]), outcome
    assert outcome.expected == outcome.escaped


@pytest.mark.parametrize("attack", SHOWN, ids=lambda attack: attack.name)
def test_without_a_sandbox_it_succeeds_as_it_says(unconfined, attack):
    outcome = unconfined[attack.name]
    assert outcome.escaped, outcome
    assert outcome.sign == attack.sign


def test_what_is_not_shown_to_succeed_has_its_reason():
    hidden = [attack for attack in ATTACKS if attack.unconfined]
    assert len(hidden) < len(SHOWN)
    assert all(len(attack.unconfined.split()) >= 3 for attack in hidden)


@pytest.mark.nightly
@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user's own battery is this one already")
@pytest.mark.parametrize("tier", TIERS)
def test_an_ordinary_user_s_sandbox_holds_against_that_same_user(tier):
    outcomes = list(run_in_jail(tier, ATTACKS))
    assert len(outcomes) == len(ATTACKS)
    assert {outcome.attack for outcome in outcomes if outcome.escaped} == DECLARED[tier]
