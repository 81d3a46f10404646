"""Which versions and which code made a run: what its key and its manifest are made of."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("torch", "transformers", "trl", "rlvr-course")
_ROOT = Path(__file__).parent.parent
# What decides the numbers of a run; the command line, recorded runs and figures don't.
_SOURCES = (
    *("records.py", "rewards.py", "rollouts.py", "verifiers/boundary.py"),
    *("training/measure.py", "training/recipes.py", "training/reward.py", "training/execute.py"),
    *(
        "training/tiny.py",
        "training/torch_state.py",
        "training/trl_trainers.py",
        "training/pairing.py",
    ),
)


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that compute; "missing" where one is not there."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


@cache
def code_hash() -> str:
    """SHA-256 of the sources that decide a run's numbers, in hex."""
    digest = hashlib.sha256()
    paths = [_ROOT / name for name in _SOURCES]
    for path in [*paths, *sorted((_ROOT / "training" / "tasks").glob("*.py"))]:
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def verifier_identity(verifier: Callable[..., Any]) -> str:
    """What tells a verifier of your own from others: its ``verifier_id``, or its source's hash.

    Args:
        verifier: a function, or an object with a text ``verifier_id`` that changes whenever its
            verdicts may.

    Raises:
        ValueError: an object without one, or a function whose source can't be found.

    Limits: what a function calls or refers to outside its own source is not looked at.
    """
    given = getattr(verifier, "verifier_id", None)
    if isinstance(given, str) and given:
        return given
    name = getattr(verifier, "__name__", type(verifier).__name__)
    try:
        if not inspect.isfunction(verifier):
            raise TypeError
        source = inspect.getsource(verifier)
    except (OSError, TypeError):
        raise ValueError(
            f"verifier {name!r} can't be told from another: give it a text verifier_id"
        ) from None
    return f"{name}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
