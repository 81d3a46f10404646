"""The outer jail's table of refused calls has the kernel's numbers."""

from __future__ import annotations

import pytest

from rlvr_course.sandbox.attacks.call_numbers import call_number
from rlvr_course.sandbox.outer_filter import REFUSED
from rlvr_course.sandbox.seccomp import DENY, denying_program
from rlvr_course.sandbox.syscalls import READING, WRITING


@pytest.mark.parametrize("name", ["mount", "ptrace", "bpf", "setns", "keyctl", "shmget", "unshare"])
def test_its_numbers_are_those_that_the_attacks_call(name: str) -> None:
    assert REFUSED[name] == (call_number(name, "x86_64"), call_number(name, "aarch64"))


@pytest.mark.parametrize("column", [0, 1], ids=["x86_64", "aarch64"])
def test_no_number_stands_twice_or_is_one_that_every_program_needs(column: int) -> None:
    numbers = [pair[column] for pair in REFUSED.values()]
    needed = {pair[column] for pair in (READING | WRITING).values()}
    assert len(set(numbers)) == len(numbers)
    assert not set(numbers) & needed


@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_each_refused_call_adds_a_test_and_a_refusal(arch: str) -> None:
    none, two = denying_program(arch, ()), denying_program(arch, (165, 40))
    assert len(two) - len(none) == 2 * 2 * 8
    assert two.count(DENY.to_bytes(4, "little")) - none.count(DENY.to_bytes(4, "little")) == 2
