"""Where the packages that a program may import are installed, with all that they need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from importlib import metadata, util
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable


def locate(names: Sequence[str]) -> list[str]:
    """Find the files of importable packages of this Python and of what they require.

    Args:
        names: as they are imported, such as "numpy"; of "rlvr_course.records" the whole package
            ``rlvr_course`` is found.

    Returns:
        Absolute paths of folders and files, links resolved.

    Raises:
        ValueError: a name that can't be imported here, or that is not a package's.

    Limits: a required package is found by its metadata; one that is imported without being
    declared has to be named too.
    """
    paths: set[str] = set()
    tops = {name.partition(".")[0] for name in names}
    for name in names:
        if not all(map(str.isidentifier, name.split("."))) or not _is_there(name):
            raise ValueError(f"package {name!r} can't be imported here: install it first")
    for name in tops:
        paths.update(_origins(name))
    if names:
        for distribution in _closure(_distributions_of(tops)):
            paths.update(_top_level(distribution))
    return sorted(paths)


def refuse_under_tmp(tier: str, paths: Sequence[str]) -> None:
    """Refuse packages that a private /tmp would cover.

    Raises:
        SandboxUnavailable: one of the paths lies in /tmp.
    """
    covered = [path for path in paths if Path(path).is_relative_to("/tmp")]
    if covered:
        raise SandboxUnavailable(
            f"{tier}: {covered[0]} is covered by the /tmp that programs get for themselves "
            "(remedy: keep the environment somewhere else, or take linux-landlock)"
        )


def _is_there(name: str) -> bool:
    try:
        return util.find_spec(name) is not None
    except ModuleNotFoundError:  # of a module in a package that isn't there
        return False


def _origins(name: str) -> Iterator[str]:
    """The folder or the file that holds an importable name."""
    spec = util.find_spec(name)
    if spec is None or spec.origin in (None, "built-in", "frozen"):
        raise ValueError(f"package {name!r} has no files of its own: the standard library is there")
    folders = list(spec.submodule_search_locations or ())
    yield from (str(Path(path).resolve()) for path in folders or [str(spec.origin)])


def _distributions_of(names: Collection[str]) -> set[str]:
    owners = metadata.packages_distributions()
    return {owner for name in names for owner in owners.get(name, ())}


def _closure(names: set[str]) -> list[metadata.Distribution]:
    """The distributions with what they require, extras left out, as far as it is installed."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # needed on another system only
        for requirement in found[name].requires or ():
            if "extra ==" not in requirement:
                waiting += re.findall(r"^[A-Za-z0-9][\w.-]*", requirement)
    return list(found.values())


def _top_level(distribution: metadata.Distribution) -> Iterator[str]:
    """The folders and modules that a distribution installed next to its metadata."""
    parts = {
        file.parts[0] for file in distribution.files or () if ".dist-info" not in file.parts[0]
    }
    for part in parts - {"..", "__pycache__", "bin"}:
        path = Path(str(distribution.locate_file(part)))
        if path.exists():
            yield str(path.resolve())
