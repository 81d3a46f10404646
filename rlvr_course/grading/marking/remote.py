"""A learner's exercise as a function of the grader's: each call is a run in the sandbox.

The exercise's code and the arguments go in, a value comes back through the channel of function
tests (``verifiers.programs.calls``): behind a nonce, as JSON of built-in types, bounded in size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rlvr_course.classroom.asking import NOT_RUN, NoReply
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.grading.marking.definitions import Definitions
from rlvr_course.grading.marking.enclosed import flatten, restore
from rlvr_course.problems.fixtures import VARIABLE, in_force
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.verifiers.programs.calls import call_program, read_reply
from rlvr_course.verifiers.programs.cases import CallCase
from rlvr_course.verifiers.programs.inside import encode
from rlvr_course.verifiers.programs.pools import shared_pool

LIMITS = Limits(wall_s=10.0, cpu_s=3)
"""Of one call with all definitions that it needs. In a notebook the call alone has a second."""

BUDGET_S = 30.0
"""For all calls of one exercise together, seconds in the sandbox; an honest one takes under 2."""

LIGHT = ("rlvr_course.grading.marking.enclosed",)
FULL = (
    *LIGHT,
    *("numpy", "pandas", "scipy"),
    *("rlvr_course.verifiers.math_answers", "rlvr_course.problems.recorded"),
)
"""What is imported ahead in the sandbox; other modules of the course are there to be imported."""

CANARY = Definitions((), (), "6 * 7")
_SOURCE = "from rlvr_course.grading.marking.enclosed import answer"
_FIXTURES = "import os\nos.environ[{name!r}] = {seed!r}\n"
"""The sandbox has an environment of its own, and a learner's code may ask for the recordings."""

_WORDS = {
    "timeout": f"took longer than {LIMITS.cpu_s} s",
    "memory": "took more memory than there is",
    "output_limit": "printed or returned more than a megabyte",
    "killed_worker": "ended its process by force, each time",
}


@dataclass
class Remote:
    """A stand-in for the learner's function or value, to be given to ``run_check``.

    Args:
        needed: what the exercise needs.
        pool: the sandbox; it has to hold ``LIGHT`` at least. One that the process shares if None.

    After use ``fault`` says why the sandbox failed ("" if it did not), and ``asked`` holds each
    call that had a reply, with the reply, both as text.
    """

    needed: Definitions
    pool: SandboxPool | None = None
    fault: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    _is_over: bool = False
    _spent_s: float = 0.0
    _value: list[Any] = field(default_factory=list)

    def __call__(self, *args: Any) -> Any:
        """One reply, in plain types.

        Raises:
            NoReply: there is none; the message is for the learner.
        """
        if self.fault or self._is_over:
            raise NoReply(self.fault or NOT_RUN)
        if not args and self._value:  # a value is one value
            return self._value[0]
        reply = self._reply(args)
        self._value = self._value if args else [reply]
        self.asked.append((encode(flatten(list(args))), encode(flatten(reply))))
        return reply

    def _reply(self, args: tuple[Any, ...]) -> Any:
        program, nonce = _program(self.needed, args)
        result = self._run(program)
        self._spent_s += result.wall_s
        # After a call that met a limit, here or below, the next would most likely take as long.
        self._is_over = result.reason != "exit" or self._spent_s > BUDGET_S
        if result.reason != "exit":
            raise NoReply(_WORDS.get(result.reason, result.reason))
        reply = read_reply(result.stdout, nonce)
        if reply.failure.startswith("not_plain"):
            self._is_over = True
            raise NoReply("returned too large a value")
        if reply.failure or result.exit_code != 0:
            self._ask_a_canary()
            raise NoReply("ended its process instead of returning a value")
        try:
            return _opened(reply.value)
        except NoReply as failure:
            self._is_over = self._is_over or str(failure).startswith("raised MemoryError")
            raise

    def _ask_a_canary(self) -> None:
        """Tell a program that ended itself from a sandbox in which no program could reply."""
        program, nonce = _program(CANARY, ())
        reply = read_reply(self._run(program).stdout, nonce)
        if reply.value != ("value", 42):
            self.fault = f"the sandbox can't run the course's package ({reply.failure or 'forged'})"
            raise NoReply(self.fault)

    def _run(self, program: Program) -> RunResult:
        self.fault = "the sandbox gave no sign"  # if this call should never come to its end
        try:
            pool = self.pool or shared_pool("auto", None, packages_for(self.needed))
            result = pool.run(program, LIMITS)
            if result.reason == "timeout" and result.cpu_s < LIMITS.cpu_s / 2:
                result = pool.run(program, LIMITS)  # it slept, or the machine was busy
        except (SandboxUnavailable, ValueError, OSError) as error:
            self.fault = f"no sandbox: {error}"
            raise NoReply(self.fault) from None
        self.fault = f"the sandbox failed: {result.detail}" if result.reason == "infra" else ""
        if self.fault:
            raise NoReply(self.fault)
        return result


def _program(needed: Definitions, args: tuple[Any, ...]) -> tuple[Program, str]:
    """One call's program and nonce."""
    inputs = (list(needed.pieces), list(needed.names), needed.checked, flatten(list(args)))
    source = _FIXTURES.format(name=VARIABLE, seed=in_force()) + _SOURCE
    return call_program(source, CallCase("answer", inputs, None))


def _opened(value: Any) -> Any:
    """What ``enclosed.answer`` returned, or what the learner's code put in its place."""
    match value:
        case ("value", flat):
            try:
                return restore(flat)
            except (ValueError, RecursionError):
                pass
        case ("failed", str(why)):
            raise NoReply(" ".join(why.split())[:300])
    raise NoReply("returned something that is no plain value")


def packages_for(needed: Definitions) -> tuple[str, ...]:
    """What to import ahead: nothing large for definitions that use the standard library alone."""
    return FULL if needed.imports & {"rlvr_course", "numpy", "pandas", "scipy"} else LIGHT
