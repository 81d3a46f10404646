"""Which sandboxes there are, what each guarantees, and opening the best that this machine has.

An automatic tier is granted by trying it: its set-up has to succeed, and then every probe attack
has to fail inside it. ``auto`` goes through these tiers from the strongest down, and never to a
program that runs unconfined. The others are opened by name only, and what they guarantee is their
backend's word.
"""

from __future__ import annotations

import difflib
import os
import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.protocol import Runner
from rlvr_course.sandbox.records import Program
from rlvr_course.sandbox.remedies import remedy, this_machine

if TYPE_CHECKING:
    from rlvr_course.sandbox.attest import ProbeResult

WITHOUT = "RLVR_COURSE_SANDBOX_WITHOUT"
"""A variable that takes tiers away, comma between names: to see what a lesser machine does."""

PROCESSORS = ("x86_64", "aarch64")


@dataclass(frozen=True)
class Tier:
    """One kind of sandbox.

    Args:
        name: as it stands on results.
        holds: what it guarantees, for a person.
        lacks: what it doesn't.
        open: makes a runner; takes the packages that programs may import.
        automatic: whether ``auto`` may choose it; such a tier is attested whenever it is opened.
        one_process: whether each run is a process of its own, so that one runner serves many.
        tried: whether it has been run on the system that it is for.
    """

    name: str
    holds: str
    lacks: str
    open: Callable[[Sequence[str]], Runner]
    automatic: bool = False
    one_process: bool = True
    tried: bool = True


def _open_namespaces(packages: Sequence[str]) -> Runner:
    _require("linux", PROCESSORS)
    from rlvr_course.sandbox.worker import Worker

    return Worker("linux-ns", packages=packages)


def _open_landlock(packages: Sequence[str]) -> Runner:
    _require("linux", PROCESSORS)
    from rlvr_course.sandbox.worker import Worker

    return Worker("linux-landlock", packages=packages)


def _open_seatbelt(packages: Sequence[str]) -> Runner:
    _require("darwin")
    from rlvr_course.sandbox.seatbelt import Seatbelt

    return Seatbelt(packages=packages)


def _open_bwrap(packages: Sequence[str]) -> Runner:
    _require("linux")
    from rlvr_course.sandbox.bwrap import Bwrap

    return Bwrap(packages=packages)


def _open_gvisor(packages: Sequence[str]) -> Runner:
    _require("linux")
    from rlvr_course.sandbox.gvisor import Gvisor

    return Gvisor(packages=packages)


def _open_wasi(packages: Sequence[str]) -> Runner:
    from rlvr_course.sandbox.wasi import Wasi

    return Wasi(packages=packages)


def _open_unsafe(packages: Sequence[str]) -> Runner:
    if os.name != "posix":
        raise SandboxUnavailable("it only runs on Linux and macOS")
    from rlvr_course.sandbox.unsafe import UnsafeSubprocess

    return UnsafeSubprocess(packages=packages)


def _require(system: str, processors: Sequence[str] = ()) -> None:
    names = {"linux": "Linux", "darwin": "macOS"}
    if sys.platform != system:
        raise SandboxUnavailable(f"it only runs on {names[system]}")
    if processors and platform.machine() not in processors:
        raise SandboxUnavailable(
            f"its system call table covers {' and '.join(processors)}, not {platform.machine()}"
        )


TIERS: tuple[Tier, ...] = (
    Tier(
        "linux-ns",
        holds="own files, network, processes, IPC and host name; no fork or exec; a /tmp of "
        "16 MB, new each time; nothing outlives a run; Landlock as well where there is one",
        lacks="the kernel is shared: an exploit of it is not held; its version can be seen",
        open=_open_namespaces,
        automatic=True,
        one_process=False,
    ),
    Tier(
        "linux-landlock",
        holds="the standard library read-only, no other file; no network, fork or exec",
        lacks="no file can be written; kernel shared; to be seen are host name, kernel version, "
        "process numbers, and sizes and times of files",
        open=_open_landlock,
        automatic=True,
        one_process=False,
    ),
    Tier(
        "macos-seatbelt",
        holds="no network, no other file than the standard library, no exec",
        lacks="weaker: no namespaces, memory not bounded, the profile language is Apple's own",
        open=_open_seatbelt,
        automatic=True,
        tried=False,
    ),
    Tier(
        "bwrap",
        holds="own files, network, processes and IPC, by bubblewrap",
        lacks="no system call filter; fork is allowed, so memory is bounded for each process only",
        open=_open_bwrap,
    ),
    Tier(
        "gvisor",
        holds="a kernel of its own in user space: most exploits of the host's kernel are held",
        lacks="slow to start",
        open=_open_gvisor,
    ),
    Tier(
        "wasi",
        holds="WebAssembly: no system call but reading its input and writing its output",
        lacks="no threads; a slower Python, of the version that was compiled",
        open=_open_wasi,
    ),
    Tier(
        "unsafe-subprocess",
        holds="NOT A SANDBOX: only wall time and the amount of output",
        lacks="everything else: your files, keys, network and processes are open to it",
        open=_open_unsafe,
    ),
)
"""All tiers; the automatic ones from the strongest down."""

_ALIASES = {"unsafe": "unsafe-subprocess"}


def tier_named(name: str) -> Tier:
    """The tier with this name; "unsafe" is short for "unsafe-subprocess".

    Raises:
        ValueError: there is none; the message has the nearest.
    """
    known = {tier.name: tier for tier in TIERS}
    if found := known.get(_ALIASES.get(name, name)):
        return found
    names = ["auto", *known]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    advice = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"
    raise ValueError(f"there is no sandbox {name!r}; {advice}")


def open_worker(
    sandbox: str = "auto", *, min_tier: str | None = None, packages: Sequence[str] = ()
) -> Runner:
    """Open a sandbox; an automatic tier has to show by probe attacks that it holds.

    Args:
        sandbox: "auto" for the strongest automatic tier that works here, or a tier's name.
        min_tier: the weakest tier to accept, one of the automatic ones; None accepts each of them.
        packages: that programs may import besides the standard library, by their import names.

    Returns:
        A runner; its ``tier`` says which was found. Close it.

    Raises:
        ValueError: an unknown name, a package that isn't installed, or a named tier that is
            weaker than ``min_tier``.
        SandboxUnavailable: none works; the message has each one's failure and remedy.
    """
    failures = []
    for tier in _candidates(sandbox, min_tier):
        try:
            return _granted(tier, packages)[0]
        except SandboxUnavailable as error:
            failures.append(explain(tier.name, str(error)))
    raise SandboxUnavailable(f"no sandbox for sandbox={sandbox!r}: {'; '.join(failures)}")


def explain(tier: str, failure: str) -> str:
    """A failure with its remedy: "linux-ns: why (remedy: what to do)"."""
    advice = remedy(tier, failure, this_machine())
    why = failure.removeprefix(f"{tier}: ").removeprefix("OSError: ")
    return f"{tier}: {why} (remedy: {advice})" if advice else f"{tier}: {why}"


def _candidates(sandbox: str, min_tier: str | None) -> Sequence[Tier]:
    """The tiers to try, in order."""
    automatic = [tier for tier in TIERS if tier.automatic]
    names = [tier.name for tier in automatic]
    if min_tier is not None and min_tier not in names:
        raise ValueError(f"min_tier={min_tier!r}: give one of {', '.join(names)}")
    enough = automatic if min_tier is None else automatic[: names.index(min_tier) + 1]
    if sandbox == "auto":
        return enough
    tier = tier_named(sandbox)
    if min_tier is not None and tier not in enough:
        raise ValueError(f"sandbox={sandbox!r} is not known to be as strong as {min_tier!r}")
    return [tier]


def _granted(tier: Tier, packages: Sequence[str]) -> tuple[Runner, list[ProbeResult]]:
    """Open a tier; close it again if it is an automatic one and a probe attack gets through."""
    taken_away = os.environ.get(WITHOUT, "").replace(" ", "").split(",")
    if tier.name in taken_away:
        raise SandboxUnavailable(f"taken away by {WITHOUT}")
    runner = tier.open(packages)
    if not tier.automatic:
        return runner, []
    from rlvr_course.sandbox.attest import attest

    try:
        first = runner.run(Program(""))
        if first.reason == "infra":  # no probe would get as far as its attempt
            raise SandboxUnavailable(first.detail)
        probes = attest(runner)
    except OSError as error:
        runner.close()
        raise SandboxUnavailable(f"its probe attacks need a folder and a port: {error}") from None
    except BaseException:
        runner.close()
        raise
    if escaped := [f"{probe.name} ({probe.found})" for probe in probes if not probe.held]:
        runner.close()
        raise SandboxUnavailable(f"it opens, but doesn't hold: {', '.join(escaped)}")
    return runner, probes


@dataclass(frozen=True)
class Finding:
    """What opening one tier came to.

    Args:
        tier: which.
        why_not: the failure with its remedy; "" where it works.
        start_ms: until it could run a first program.
        probes: the attacks that were tried in it and held, where it was attested.
    """

    tier: Tier
    why_not: str = ""
    start_ms: float = 0.0
    probes: Sequence[ProbeResult] = ()

    @property
    def works(self) -> bool:
        return not self.why_not


def examine(tier: Tier, packages: Sequence[str] = ()) -> Finding:
    """Try one tier and close it again."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing is run in the tier that warns
            runner, probes = _granted(tier, packages)
    except SandboxUnavailable as error:
        return Finding(tier, explain(tier.name, str(error)).removeprefix(f"{tier.name}: "))
    start_ms = runner.start_ms
    runner.close()
    return Finding(tier, start_ms=start_ms, probes=probes)
