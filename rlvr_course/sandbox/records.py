"""What goes into the sandbox and what comes out: a program, its limits, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rlvr_course.records import Record

StopReason = Literal["exit", "timeout", "memory", "output_limit", "killed_worker", "infra"]


@dataclass(frozen=True)
class Program(Record):
    """One Python program and what it reads on its standard input.

    Expected answers never belong here: what enters the sandbox can be read by the program.
    """

    source: str
    stdin: str = ""


@dataclass(frozen=True)
class Limits(Record):
    """What one program may use before it is stopped.

    Args:
        wall_s: seconds from its start, above 0.
        cpu_s: seconds of processor time, whole, at least 1.
        memory_bytes: address space.
        file_bytes: the largest file it may write.
        threads: how many at once.
        output_bytes: of stdout and of stderr, each; what is beyond it is cut off.

    Raises:
        ValueError: a limit that is not positive, or a part of a byte, a thread or a CPU second.
    """

    wall_s: float = 5.0
    cpu_s: int = 5
    memory_bytes: int = 512 << 20
    file_bytes: int = 16 << 20
    threads: int = 16
    output_bytes: int = 1 << 20

    def __post_init__(self) -> None:
        for name, value in self.to_dict().items():
            if not value > 0:
                raise ValueError(f"{name}={value!r}: a limit must be above 0")
            if name != "wall_s" and not hasattr(value, "__index__"):
                raise ValueError(f"{name}={value!r}: give a whole number")


@dataclass(frozen=True)
class RunResult(Record):
    """What became of one program.

    Args:
        stdout, stderr: what it wrote, UTF-8 with undecodable bytes replaced, cut at the limit.
        exit_code: 0 to 255; minus the signal's number where a signal ended it; None where
            the sandbox can't tell.
        reason: "exit" (it ended by itself, crashes included), "timeout", "memory",
            "output_limit", "killed_worker" (its worker was lost at every try while another
            program ran well there: the program's own doing), or "infra": the sandbox failed, so
            the run says nothing about the program.
        tier: the tier that held it, such as "linux-ns".
        wall_s, cpu_s: what it took.
        max_rss_bytes: its largest resident memory.
        detail: for a person; with "infra" what failed and what to do.
    """

    stdout: str
    stderr: str
    exit_code: int | None
    reason: StopReason
    tier: str
    wall_s: float = 0.0
    cpu_s: float = 0.0
    max_rss_bytes: int = 0
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.reason == "exit" and self.exit_code == 0
