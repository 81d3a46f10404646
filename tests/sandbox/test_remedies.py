"""The advice for each way in which a machine refuses."""

from __future__ import annotations

import sys

import pytest

from rlvr_course.sandbox.remedies import Machine, remedy, this_machine

DENIED = "unshare: Operation not permitted"


@pytest.mark.parametrize(
    ("failure", "machine", "advice"),
    [
        ("unshare: No space left on device", Machine(), "user.max_user_namespaces"),
        (DENIED, Machine(apparmor_restricts=True), "apparmor_restrict_unprivileged_userns=0"),
        (DENIED, Machine(userns_switched_off=True), "kernel.unprivileged_userns_clone=1"),
        (DENIED, Machine(in_container=True), "--security-opt seccomp=unconfined"),
        (DENIED, Machine(), "seccomp filter or LSM"),
        ("unshare: Invalid argument", Machine(), "CONFIG_USER_NS"),
        (DENIED, Machine(system="win32"), "WSL2"),
        ("it ended at once", Machine(), ""),
    ],
    ids=["sysctl", "ubuntu", "debian", "docker", "denied", "kernel", "windows", "unknown"],
)
def test_namespaces(failure, machine, advice):
    said = remedy("linux-ns", failure, machine)
    assert advice in said
    assert bool(said) == bool(advice)


def test_landlock_in_a_container_is_the_hosts_matter():
    said = remedy("linux-landlock", "Landlock ABI 0 is below 3", Machine(in_container=True))
    assert said.startswith("the kernel is the host's")


def test_a_tier_of_another_system_has_no_advice_but_windows():
    assert remedy("macos-seatbelt", "it only runs on macOS", Machine()) == ""
    assert "WSL2" in remedy("macos-seatbelt", "it only runs on macOS", Machine(system="win32"))


def test_settings_are_read_where_they_are(tmp_path):
    kernel = tmp_path / "proc/sys/kernel"
    kernel.mkdir(parents=True)
    (kernel / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    (kernel / "unprivileged_userns_clone").write_text("0\n")
    (tmp_path / ".dockerenv").touch()
    machine = this_machine(tmp_path)
    assert machine.apparmor_restricts and machine.userns_switched_off and machine.in_container
    assert machine.most_userns == -1
    assert machine.system == sys.platform
