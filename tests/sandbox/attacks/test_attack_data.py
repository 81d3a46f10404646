"""The attacks as data: enough of each class, well formed, and aimed at nothing but the victim."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from rlvr_course.sandbox.attacks import ATTACKS, GROUPS
from rlvr_course.sandbox.attacks.attack import attempt, filled, reach
from rlvr_course.sandbox.attacks.call_numbers import _OLD, _SINCE_5_1, call_number
from rlvr_course.sandbox.attacks.victim import Victim

BROKEN_ON_PURPOSE = "crashes"
GENERIC = Path("/usr/include/asm-generic/unistd.h")
X86_64 = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


@pytest.fixture(scope="module")
def facts():
    with Victim() as victim:
        return victim.facts()


def test_there_are_at_least_46_attacks_with_names_of_their_own():
    names = Counter(attack.name for attack in ATTACKS)
    assert len(names) >= 46
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("group", GROUPS)
def test_every_class_has_attacks(group):
    assert sum(attack.group == group for attack in ATTACKS) >= 4


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_a_program_with_all_its_facts_known(attack, facts):
    source, first = filled(attack.source, facts), filled(attack.first, facts)
    assert re.findall(r"@[A-Z]+(?::\w+)?@", source + first) == []
    compile(first, "first", "exec")
    if attack.group != BROKEN_ON_PURPOSE:
        compile(source, "attack", "exec")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_without_a_marker_is_judged_by_its_effect(attack):
    says_so = "ESCAPED" in attack.source or "verdict(" in attack.source
    assert says_so if attack.sign == "marker" else attack.sign


def test_an_attempt_says_what_stopped_it(capsys):
    exec(attempt("open('/no/such/file')"), {})
    exec(attempt("raise ValueError('why')"), {})
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "blocked: FileNotFoundError No such file or directory",
        "blocked: ValueError why",
    ]


def test_a_call_that_the_kernel_looks_at_is_told_from_one_that_it_refuses(capsys):
    exec(filled(reach("openat2", "-1", "b'x'", "0", "0"), {}), {})  # EINVAL: a size of 0
    exec(reach("openat2", "0").replace("@NR:openat2@", "9999"), {})  # ENOSYS
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[0] for line in said] == ["ESCAPED", "blocked:"]


def headers(path: Path) -> dict[str, int]:
    if not path.is_file():
        pytest.skip(f"{path} is not installed (linux-libc-dev has it)")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text())
    return {name: int(number) for name, number in found}


@pytest.mark.parametrize(
    ("machine", "path"), [("x86_64", X86_64), ("aarch64", GENERIC)], ids=["x86_64", "aarch64"]
)
def test_numbers_are_the_kernel_s_own(machine, path):
    known = headers(path)
    ours = {name: call_number(name, machine) for name in {**_OLD, **_SINCE_5_1}}
    newer = ours.keys() - known.keys()
    assert {name: ours[name] for name in known.keys() & ours.keys()} == {
        name: known[name] for name in known.keys() & ours.keys()
    }
    assert newer <= {"statmount", "listmount", "lsm_list_modules", "quotactl_fd", "memfd_secret",
                     "process_mrelease", "set_mempolicy_home_node"}  # fmt: skip
