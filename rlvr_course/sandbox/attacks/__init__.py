"""An attack battery against the sandbox: hostile programs, a victim to aim at, host-side judges.

attack.py          what an attack is, and the means to write one
stealing.py        secrets; the audit log
reaching.py        network; other processes
exhausting.py      resources; crashes
lasting.py         forged results; traces left for the next program
kernel_surface.py  rarely used system calls; the machine's identity
victim.py          what the attacks are after, made for one battery
battery.py         run attacks in one sandbox and judge them from outside
jail.py            a disposable outer jail, in which it is safe to let attacks succeed
command.py         ``rlvr-course sandbox attack``
"""

from rlvr_course.sandbox.attacks.attack import GROUPS, Attack, Group
from rlvr_course.sandbox.attacks.exhausting import SPACE
from rlvr_course.sandbox.attacks.kernel_surface import IDENTITY, KERNEL_SURFACE
from rlvr_course.sandbox.attacks.lasting import FORGING, PERSISTENCE
from rlvr_course.sandbox.attacks.reaching import NETWORK, PROCESSES
from rlvr_course.sandbox.attacks.stalling import CRASHES, TIME
from rlvr_course.sandbox.attacks.stealing import AUDIT_LOG, SECRETS

ATTACKS: tuple[Attack, ...] = (
    *SECRETS,
    *AUDIT_LOG,
    *NETWORK,
    *PROCESSES,
    *SPACE,
    *TIME,
    *FORGING,
    *PERSISTENCE,
    *KERNEL_SURFACE,
    *CRASHES,
    *IDENTITY,
)
"""All attacks, class by class."""

__all__ = ["ATTACKS", "GROUPS", "Attack", "Group"]
