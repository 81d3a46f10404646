"""Every attack in each tier on record: ``python benchmarks/sandbox_battery.py [--record]``.

Prints a table by class of attack, and each escape by name. With ``--record`` the table is written
to ``benchmarks/results/sandbox_attacks.md``, and each outcome to the record that notebook 05 shows
where a machine has no sandbox. The exit status is 1 where a tier lets through what it doesn't
declare; then nothing is recorded.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.attacks import ATTACKS, GROUPS
from rlvr_course.sandbox.attacks.battery import Battery, Outcome
from rlvr_course.sandbox.attacks.jail import run_in_jail
from rlvr_course.sandbox.tiers import open_worker

UNSAFE = "unsafe-subprocess"
TIERS = (UNSAFE, "linux-landlock", "linux-ns")
COMMAND = "python benchmarks/sandbox_battery.py --record"
TABLE = Path(__file__).parent / "results" / "sandbox_attacks.md"
RECORD = Path(__file__).parents[1] / "rlvr_course" / "data" / "sandbox" / "recorded.json"
_STOPPED = "a harness with a timeout stops it too"
GROUP_OF = {attack.name: attack.group for attack in ATTACKS}

Outcomes = Mapping[str, Sequence[Outcome]]


def outcomes_in(tier: str) -> list[Outcome]:
    """What became of each attack; without a sandbox only of those that may be shown so."""
    if tier == UNSAFE:
        shown = [a for a in ATTACKS if not a.unconfined or a.unconfined.startswith(_STOPPED)]
        return list(run_in_jail(tier, shown))
    with Battery(lambda: open_worker(tier)) as battery:
        return list(battery.run_all(ATTACKS))


def table(found: Outcomes) -> str:
    """How many attacks of each class got through, a column for each tier."""
    lines = [f"| class | {' | '.join(found)} |", f"|---|{'---|' * len(found)}"]
    for group in (*GROUPS, "all"):
        cells = []
        for outcomes in found.values():
            some = [o for o in outcomes if group in ("all", GROUP_OF[o.attack])]
            cells.append(f"{sum(o.escaped for o in some)} of {len(some)}" if some else "")
        lines.append(f"| {group} | {' | '.join(cells)} |")
    return "\n".join(lines)


def escapes(found: Outcomes) -> str:
    """What got through each sandbox, by name."""
    lines = []
    for tier, outcomes in found.items():
        for outcome in outcomes:
            if tier != UNSAFE and outcome.escaped:
                state = "declared" if outcome.expected else "NOT DECLARED"
                lines.append(f"- {tier}: {outcome.attack} ({state})")
    return "\n".join(lines)


def machine() -> str:
    """Where this was run, without a name."""
    release = ".".join(platform.release().split(".")[:2])
    who = "root; programs ran as nobody" if os.getuid() == 0 else "an ordinary user"
    cores = len(os.sched_getaffinity(0))
    python = ".".join(platform.python_version_tuple()[:2])
    system = f"{platform.system()} {release}, {platform.machine()}, {cores} cores"
    return f"{system}, as {who}, Python {python}"


def record(found: Outcomes) -> None:
    """Write the table, and each outcome for the notebook."""
    today, where = datetime.date.today().isoformat(), machine()
    text = f"# Attacks that got through\n\n`{COMMAND}`, {today}, {where}.\n\n{table(found)}\n"
    without = "Without a sandbox only attacks are run that are safe to show there, in a jail."
    TABLE.write_text(f"{text}\n{without} Through the sandboxes:\n\n{escapes(found)}\n")
    rows = json.loads(RECORD.read_text(encoding="utf-8"))
    rows["about"] = {"date": today, "machine": where}
    rows["group_of"] = GROUP_OF
    rows["attacks"] = {
        tier: {o.attack: [o.escaped, o.sign] for o in outcomes} for tier, outcomes in found.items()
    }
    RECORD.write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")


def main() -> int:
    """Run, print, and record if asked to."""
    parser = argparse.ArgumentParser(description="Run every attack in each tier on record.")
    parser.add_argument("--record", action="store_true", help="write the results down")
    args = parser.parse_args()
    try:
        found = {tier: outcomes_in(tier) for tier in TIERS}
    except SandboxUnavailable as error:
        print(f"this machine can't run it: {error}", file=sys.stderr)
        return 1
    print(f"{table(found)}\n\n{escapes(found)}")
    states = Counter(
        o.expected for tier in TIERS if tier != UNSAFE for o in found[tier] if o.escaped
    )
    if states[False]:
        return 1
    if args.record:
        record(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
