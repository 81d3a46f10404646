"""Attacks in a disposable outer jail: they may succeed and yet reach nothing of this machine."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Iterator, Sequence

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.attacks.attack import Attack
from rlvr_course.sandbox.attacks.battery import Battery, Outcome
from rlvr_course.sandbox.outer_jail import enter, environment, python_for_jail


def run_in_jail(tier: str, attacks: Sequence[Attack]) -> Iterator[Outcome]:
    """Run attacks in a sandbox that is itself in a jail of its own.

    Args:
        tier: any tier that this machine has, "unsafe-subprocess" included.
        attacks: out of ``ATTACKS``.

    Raises:
        SandboxUnavailable: this machine can't make the jail, or the tier in it.
    """
    names = json.dumps([attack.name for attack in attacks])
    script = f"from {__name__} import main\nmain({tier!r}, sys.stdin.read())"
    with subprocess.Popen(
        python_for_jail(script),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a terminal, perhaps, which could be typed into
        text=True,
        start_new_session=True,
        env=environment(),
    ) as jail:
        assert jail.stdin is not None and jail.stdout is not None
        jail.stdin.write(names)
        jail.stdin.close()
        try:
            for line in jail.stdout:
                fields = json.loads(line)
                if "failed" in fields:
                    raise SandboxUnavailable(f"the outer jail: {fields['failed']}")
                yield Outcome(**fields)
        finally:
            jail.kill()
    if jail.returncode > 0:
        raise SandboxUnavailable(f"the outer jail ended with exit code {jail.returncode}")


def main(tier: str, names: str) -> None:
    """Enter the jail, run the named attacks there and print an outcome a line."""
    from rlvr_course.sandbox.attacks import ATTACKS
    from rlvr_course.sandbox.tiers import open_worker

    wanted = set(json.loads(names))
    warnings.simplefilter("ignore")  # "not a sandbox" is the point here
    try:
        enter()
        battery = Battery(lambda: open_worker(tier))
    except (OSError, SandboxUnavailable) as error:
        print(json.dumps({"failed": str(error)}))
        return
    with battery:
        for outcome in battery.run_all(attack for attack in ATTACKS if attack.name in wanted):
            print(json.dumps(outcome.to_dict()), flush=True)
