"""``rlvr-course sandbox attack``: does the sandbox of this machine hold?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlvr_course.sandbox.attacks.attack import Attack
    from rlvr_course.sandbox.attacks.battery import Outcome

DESCRIPTION = """\
Run a battery of hostile programs in a sandbox and judge each from outside: a
disposable victim is set up (a folder with a secret and a log, listeners, a process), and
an attack has escaped if anything of it was read, changed or reached, if its result is
forged, or if the next, honest program is answered wrongly or late.

The tier unsafe-subprocess shows what the same programs do without a sandbox. It is run
in a jail of its own, so that they reach the victim and nothing else; attacks that would
need root, or would show nothing there, are left out.
"""

EXAMPLES = """\
examples:
  rlvr-course sandbox attack                                   the best tier that works here
  rlvr-course sandbox attack --tier linux-landlock
  rlvr-course sandbox attack --class "result forging" --class network
  rlvr-course sandbox attack --tier unsafe-subprocess
  rlvr-course sandbox attack --list                            run nothing

exit status: 0 nothing escaped but what the tier declares, 1 something did, or no such tier
"""

WIDTH = 100
_NAME, _STATE = 44, 9
UNSAFE = "unsafe-subprocess"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Put the options, the description and examples on a parser."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tier", default="auto", metavar="T", help="a tier's name (auto)")
    parser.add_argument(
        "--class",
        dest="groups",
        action="append",
        metavar="C",
        help="only attacks of this class; may be given again",
    )
    parser.add_argument("--list", action="store_true", help="list the attacks and run none")


def run(args: argparse.Namespace) -> int:
    """Run the battery, print a line for each attack, and a summary.

    Raises:
        ValueError: an unknown class or tier.
        SandboxUnavailable: the tier can't be had here.
    """
    from rlvr_course.sandbox.attacks import ATTACKS

    groups = _groups(args.groups)
    attacks = [attack for attack in ATTACKS if attack.group in groups]
    if args.list:
        return _list(attacks)
    from rlvr_course.sandbox.tiers import tier_named

    tier = args.tier if args.tier == "auto" else tier_named(args.tier).name
    if tier == UNSAFE:
        attacks = [attack for attack in attacks if not attack.unconfined]
    return _attack(tier, attacks)


def _groups(asked: Sequence[str] | None) -> Sequence[str]:
    from rlvr_course.sandbox.attacks import GROUPS

    for name in asked or ():
        if name not in GROUPS:
            raise ValueError(f"there is no class {name!r}; the classes are {', '.join(GROUPS)}")
    return asked or GROUPS


def _list(attacks: Sequence[Attack]) -> int:
    group = ""
    for attack in attacks:
        if attack.group != group:
            group = attack.group
            print(group)
        note = f"not shown without a sandbox: {attack.unconfined}" if attack.unconfined else ""
        print(f"  {attack.name:<{_NAME}} {note}".rstrip()[:WIDTH])
    print(f"{len(attacks)} attacks")
    return 0


def _attack(tier: str, attacks: Sequence[Attack]) -> int:
    from tqdm import tqdm

    group_of = {attack.name: attack.group for attack in attacks}
    outcomes, group = [], ""
    results = _jailed(tier, attacks) if tier == UNSAFE else _direct(tier, attacks)
    with tqdm(results, total=len(attacks), unit="attack", leave=False, disable=None) as bar:
        for outcome in bar:
            if group_of[outcome.attack] != group:
                group = group_of[outcome.attack]
                bar.write(group)
            bar.write(_row(outcome))
            outcomes.append(outcome)
    print(_summary(group_of, outcomes))
    undeclared = [outcome for outcome in outcomes if outcome.escaped and not outcome.expected]
    return 1 if undeclared and tier != UNSAFE else 0


def _direct(tier: str, attacks: Sequence[Attack]) -> Iterator[Outcome]:
    from rlvr_course.sandbox.attacks.battery import Battery
    from rlvr_course.sandbox.tiers import open_worker

    with Battery(lambda: open_worker(tier)) as battery:
        print(f"tier {battery.tier}")
        yield from battery.run_all(attacks)


def _jailed(tier: str, attacks: Sequence[Attack]) -> Iterator[Outcome]:
    from rlvr_course.sandbox.attacks.jail import run_in_jail

    print(f"tier {tier}: NOT A SANDBOX, in a jail of its own")
    yield from run_in_jail(tier, attacks)


def _row(outcome: Outcome) -> str:
    state = "contained" if not outcome.escaped else "declared" if outcome.expected else "ESCAPED"
    seen = f"{outcome.sign}: {outcome.evidence}" if outcome.escaped else outcome.evidence
    return f"  {outcome.attack:<{_NAME}} {state:<{_STATE}} {seen}"[:WIDTH].rstrip()


def _summary(group_of: dict[str, str], outcomes: Sequence[Outcome]) -> str:
    """For each class how many were contained, were not as declared, and were not."""
    lines = ["", f"{'class':<16} {'attacks':>8} {'contained':>10} {'declared':>9} {'ESCAPED':>8}"]
    for group in [*dict.fromkeys(group_of.values()), "all"]:
        of_group = [o for o in outcomes if group in ("all", group_of[o.attack])]
        contained = sum(not o.escaped for o in of_group)
        declared = sum(o.escaped and o.expected for o in of_group)
        escaped = len(of_group) - contained - declared
        lines.append(f"{group:<16} {len(of_group):>8} {contained:>10} {declared:>9} {escaped:>8}")
    return "\n".join(lines)
