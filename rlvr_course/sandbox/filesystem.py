"""Which files of this machine a program may read: the standard library and what it loads, no more.

No home, no /etc, no /proc, no site-packages but the packages that were asked for by name.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
TIME_ZONES = "/usr/share/zoneinfo"


def standard_library() -> list[str]:
    """The folders of the standard library, compiled modules included, links resolved."""
    paths = sysconfig.get_paths()
    found = {os.path.realpath(paths[key]) for key in ("stdlib", "platstdlib")}
    return sorted(path for path in found if Path(path).is_dir())


def shared_libraries() -> list[str]:
    """The folders of the shared libraries that this process has loaded so far.

    Read from its memory map, so that it holds for every distribution, conda and Nix alike.
    """
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape")
    files = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "/" in line}
    return sorted({str(Path(file).parent) for file in files if re.search(r"\.so[.\d]*$", file)})


def outermost(paths: Sequence[str]) -> list[str]:
    """The paths without those that lie inside another of them.

    >>> outermost(["/usr/lib/python3.11", "/usr/lib", "/opt/a", "/opt/ab"])
    ['/opt/a', '/opt/ab', '/usr/lib']
    """
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(f"{other}/") for other in kept):
            kept.append(path)
    return kept


@dataclass(frozen=True)
class Readable:
    """What a program may read, as absolute paths with their links resolved.

    Args:
        library: folders and files, none inside another.
        hidden: folders of installed packages that lie inside the library, not to be read.
        packages: paths inside hidden folders that may be read all the same.
    """

    library: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    def without_hidden(self) -> Iterator[tuple[str, bool]]:
        """Paths that together hold the library but not its hidden folders.

        Yields:
            A path, and whether all below it may be read; else the folder may be listed only.
        """
        waiting = list(self.library)
        while waiting:
            path = waiting.pop()
            if path in self.hidden:
                continue
            whole = not any(folder.startswith(f"{path}/") for folder in self.hidden)
            yield path, whole
            if not whole:
                waiting += [entry.path for entry in os.scandir(path)]
        yield from ((path, True) for path in self.packages)


def readable(package_paths: Sequence[str] = ()) -> Readable:
    """All that a program of this interpreter may read.

    Args:
        package_paths: of the packages that were asked for.
    """
    shared_folders = {str(Path(path).parent) for path in package_paths}  # with all the others
    libraries = [folder for folder in shared_libraries() if folder not in shared_folders]
    standard = [*standard_library(), *libraries]
    if Path(TIME_ZONES).is_dir():
        standard.append(os.path.realpath(TIME_ZONES))
    hidden = _installed_packages(standard)
    inside = [p for p in package_paths if any(p.startswith(f"{h}/") for h in hidden)]
    outside = [p for p in package_paths if p not in inside]
    return Readable(tuple(outermost([*standard, *outside])), tuple(hidden), tuple(inside))


def _installed_packages(paths: Sequence[str]) -> list[str]:
    """The folders of installed packages that lie inside the paths."""
    settings = sysconfig.get_paths()
    found = {os.path.realpath(settings[key]) for key in ("purelib", "platlib")}
    found |= {f"{path}/{name}" for path in paths for name in ("site-packages", "dist-packages")}
    found.add("/usr/lib/python3/dist-packages")
    return sorted(
        folder
        for folder in found
        if Path(folder).is_dir() and any(folder.startswith(f"{path}/") for path in paths)
    )


def open_to_everyone(path: str) -> bool:
    """Whether a user without any right of its own could reach and list the folder."""
    folder = Path(path)
    parents = all(parent.stat().st_mode & 0o001 for parent in folder.parents)
    return parents and folder.stat().st_mode & 0o005 == 0o005
