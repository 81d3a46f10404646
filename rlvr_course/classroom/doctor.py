"""What the course needs of a machine, looked at one thing at a time.

Each check answers with a status, what was found and, where it is not "ok", the way on. A check
never raises for what it looks at: what is broken is what it is there to report.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from rlvr_course.classroom.checkout import Checkout, find_checkout, select
from rlvr_course.classroom.execution import execute
from rlvr_course.classroom.run import require_writable
from rlvr_course.errors import RlvrError

LEAST_FREE_BYTES = 200 * 1024**2
COMFORTABLE_FREE_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Check:
    """One line of the report.

    ``status`` "fail" means that the course can't run, "extra" that something is not installed
    which only some cells use, and which show recorded results without it.
    """

    name: str
    status: Literal["ok", "extra", "warn", "fail"]
    found: str


def examine(start: Path | None = None, environment: Mapping[str, str] = os.environ) -> list[Check]:
    """Look at everything that the course needs.

    Args:
        start: where to look for the course; the current directory if None.
        environment: variables to look for a key in; values are never part of the report.
    """
    checks = [check_python(sys.version_info[:3]), *check_packages(), check_recording()]
    try:
        checkout = find_checkout(start)
    except RlvrError as error:
        checks.append(Check("notebooks", "fail", str(error)))
    else:
        checks += [check_notebooks(checkout), check_artifacts(checkout), check_disk(checkout.root)]
    return [*checks, *check_kernel(), check_local(), check_key(environment)]


def check_python(version: tuple[int, int, int]) -> Check:
    """Python itself.

    >>> check_python((3, 10, 2)).status
    'fail'
    """
    found = ".".join(map(str, version))
    if version >= (3, 11, 0):
        return Check("python", "ok", found)
    return Check("python", "fail", f"{found}: 3.11 or later is needed: uv python install 3.12")


def check_packages() -> Iterator[Check]:
    """The installed packages that the course asks for, then each extra."""
    for extra, names in sorted(_requirements().items()):
        versions = {name: _version(name) for name in names}
        missing = [name for name, version in versions.items() if version is None]
        command = f"uv sync --extra {extra}" if extra else "uv sync"
        name = f"extra {extra}" if extra else "packages"
        if missing:
            status = "extra" if extra else "fail"
            found = "not installed (optional)" if extra else "missing"
            yield Check(name, status, f"{', '.join(missing)} {found}: {command}")
        else:
            yield Check(name, "ok", ", ".join(f"{n} {v}" for n, v in versions.items()))


def _requirements() -> dict[str, list[str]]:
    """Names of required packages by extra; "" holds what every installation needs."""
    from packaging.requirements import Requirement

    extras = ["", *(metadata.metadata("rlvr-course").get_all("Provides-Extra") or [])]
    found: dict[str, list[str]] = {extra: [] for extra in extras}
    for line in metadata.requires("rlvr-course") or []:
        requirement = Requirement(line)
        for extra in extras:
            # What is needed without an extra is needed with one too; list it once.
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                found[extra].append(requirement.name)
                break
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def check_recording() -> Check:
    """The recorded completions against their manifest."""
    return _reported("recorded data", _recorded)


def _recorded() -> str:
    from rlvr_course.problems.recorded import POLICIES, load_problems, load_rollouts

    found = [
        f"{len(load_rollouts(policy=policy))} completions of {len(load_problems(policy=policy))} "
        f"problems ({policy})"
        for policy in POLICIES
    ]
    return f"{' and '.join(found)}, as their manifests say"


def check_notebooks(checkout: Checkout) -> Check:
    """The numbered notebooks."""
    return _reported("notebooks", lambda: f"{len(select(checkout.notebooks, '*.ipynb'))} found")


def check_artifacts(checkout: Checkout) -> Check:
    """Whether runs can write their files."""

    def write() -> str:
        require_writable(checkout.root / "artifacts")
        return "writable"

    return _reported("artifacts", write)


def check_disk(folder: Path) -> Check:
    """Free space where runs write."""
    free = shutil.disk_usage(folder).free
    found = f"{free / 1024**3:.1f} GiB free"
    if free < LEAST_FREE_BYTES:
        return Check("disk", "fail", f"{found}: free some, or run with --out on another disk")
    if free < COMFORTABLE_FREE_BYTES:
        return Check("disk", "warn", f"{found}: the extra train alone needs more than 2 GiB")
    return Check("disk", "ok", found)


def check_kernel() -> list[Check]:
    """Start a kernel as a run in fake mode does, and see what keeps it off the network."""
    import nbformat

    with tempfile.TemporaryDirectory(prefix="rlvr-doctor-", ignore_cleanup_errors=True) as scratch:
        notebook = Path(scratch, "doctor.ipynb")
        cells = [nbformat.v4.new_code_cell("1 + 1")]
        notebook.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)), "utf-8")
        result = execute(notebook, Path(scratch, "out.ipynb"), cwd=Path(scratch), timeout_s=90)
    if not result.ok:
        return [Check("kernel", "fail", f"{result.failure}: uv sync --reinstall-package ipykernel")]
    guards = {
        "namespace": Check("network guard", "ok", "namespace and hook"),
        "hook": Check(
            "network guard", "ok", "hook only: programs other than Python are not held here"
        ),
    }
    kernel = Check("kernel", "ok", f"starts and answers in {result.seconds:.1f} s")
    return [kernel, guards[result.guard]]


def check_local() -> Check:
    """Whether mode ``local`` can answer, and whether its model is converted already."""
    from rlvr_course.policies import smollm2

    if (reason := smollm2.missing()) is not None:
        return Check("local model", "extra", f"{reason} (optional; only --mode local needs it)")
    folder = smollm2.cache_folder()
    if smollm2.is_converted(folder):
        return Check("local model", "ok", f"{smollm2.NAME} in {folder}")
    return Check("local model", "ok", f"{smollm2.NAME}; its first use writes 540 MB to {folder}")


def check_key(environment: Mapping[str, str]) -> Check:
    """Whether a key is set, never which.

    >>> check_key({"OPENAI_API_KEY": "sk-1"}).found
    'OPENAI_API_KEY is set'
    """
    if environment.get("OPENAI_API_KEY"):
        return Check("api key", "ok", "OPENAI_API_KEY is set")
    return Check("api key", "ok", "OPENAI_API_KEY is not set; only --mode api needs it")


def _reported(name: str, look: Callable[[], str]) -> Check:
    """Turn a failure that can be foreseen into a line of the report."""
    try:
        return Check(name, "ok", look())
    except (RlvrError, OSError) as error:
        return Check(name, "fail", " ".join(str(error).split()))
