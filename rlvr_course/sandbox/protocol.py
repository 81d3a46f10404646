"""The one shape that every sandbox has: give it a program, get what became of it."""

from __future__ import annotations

from typing import Protocol

from rlvr_course.sandbox.records import Limits, Program, RunResult


class Runner(Protocol):
    """Runs programs one at a time, each as if it were the first.

    ``run`` never raises for what a program does, and answers with reason "infra" where the
    sandbox itself failed. ``tier`` is the name that stands on every result.
    """

    @property
    def tier(self) -> str: ...

    @property
    def start_ms(self) -> float: ...

    def run(self, program: Program, limits: Limits | None = None) -> RunResult: ...

    def close(self) -> None: ...
