"""Which versions and which code made a run: what its key and its manifest are made of."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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
