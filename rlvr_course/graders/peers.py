"""The graders that are compared.

Each loader returns ``grade(completion, gold) -> bool | None``: paid, not paid, or None where the
grader says that it can't judge. Each is called as its own documentation does, with its defaults.
A box around the gold helps what is built on math-verify to read it; both ways are in use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

Grade = Callable[[str, str], "bool | None"]


@dataclass(frozen=True)
class Grader:
    """One row of the comparison.

    Args:
        name: what the table calls it, without its version.
        loader: "module:function" with the function that returns its ``Grade``.
        package: the distribution that it comes with, "" if it needs none.
        extra: the extra of this project that brings the package, "" for a plain install.
    """

    name: str
    loader: str
    package: str = ""
    extra: str = ""

    @property
    def version(self) -> str | None:
        """The package's version, "" where none is needed, None where it is not installed."""
        try:
            return metadata.version(self.package) if self.package else ""
        except metadata.PackageNotFoundError:
            return None


_HERE = "rlvr_course.graders.peers"

GRADERS = (
    Grader("naive (first box, else last number, as floats)", f"{_HERE}:load_naive"),
    Grader("rlvr-course MathVerifier", f"{_HERE}:load_ours", "rlvr-course"),
    Grader("math-verify, gold as it is", f"{_HERE}:load_math_verify_raw", "math-verify"),
    Grader("math-verify, gold in a box", f"{_HERE}:load_math_verify_boxed", "math-verify"),
    Grader("TRL accuracy_reward, gold in a box", f"{_HERE}:load_trl", "trl", "train"),
    Grader("Inspect math", f"{_HERE}:load_inspect", "inspect-ai", "bridges"),
)


def load_naive() -> Grade:
    """The rule that everyone writes first."""
    from rlvr_course.verifiers.naive import naive_verify

    return naive_verify


def load_ours() -> Grade:
    """This package's verifier, with its default conventions."""
    from rlvr_course.verifiers.math_answers import MathVerifier

    verifier = MathVerifier()
    return lambda completion, gold: verifier(completion, gold).is_correct


def load_math_verify_raw() -> Grade:
    """``verify(parse(gold), parse(completion))``."""
    from math_verify import parse, verify

    return lambda completion, gold: verify(parse(gold), parse(completion))


def load_math_verify_boxed() -> Grade:
    """The same with the gold in a box."""
    grade = load_math_verify_raw()
    return lambda completion, gold: grade(completion, boxed(gold))


def load_trl() -> Grade:
    """TRL's reward; None where it leaves an example out because of its gold."""
    # Exported by way of a lazy module, which a type checker can't see through.
    from trl.rewards import accuracy_reward  # pyright: ignore[reportPrivateImportUsage]

    def grade(completion: str, gold: str) -> bool | None:
        message = {"role": "assistant", "content": completion}
        reward = accuracy_reward([[message]], [boxed(gold)])[0]
        return None if reward is None else reward == 1.0

    return grade


def load_inspect() -> Grade:
    """Inspect's scorer; None where it leaves a sample unscored or refuses its target."""
    import asyncio

    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.scorer import CORRECT, Target, math
    from inspect_ai.solver import TaskState

    score = math()
    # One loop for all cases: the scorer keeps its worker thread for as long as a loop lives.
    loop = asyncio.new_event_loop()

    def grade(completion: str, gold: str) -> bool | None:
        output = ModelOutput.from_content("none", completion)
        state = TaskState(ModelName("none/none"), 1, 1, "", [], output=output)
        try:
            result = loop.run_until_complete(score(state, Target(gold)))
        except ValueError as error:
            if "parse any mathematical target" in str(error):
                return None
            raise
        if result is None or result.value != result.value:  # NaN: left unscored
            return None
        return result.value == CORRECT

    return grade


def boxed(gold: str) -> str:
    r"""The gold in a box.

    >>> boxed("80")
    '\\boxed{80}'
    """
    return f"\\boxed{{{gold}}}"
