"""Which files of this machine a program may read: the standard library and what it loads, no more.

No home, no /etc, no /proc, no site-packages but the packages that were asked for by name.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Sequence
from pathlib import Path

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
TIME_ZONES = "/usr/share/zoneinfo"
_NOT_STANDARD = ("site-packages", "dist-packages")  # they lie inside the library's own folder


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


def readable(package_paths: Sequence[str] = ()) -> list[str]:
    """All folders and files that a program may read, none inside another.

    Args:
        package_paths: of the packages that were asked for.
    """
    wanted = [*standard_library(), *shared_libraries(), *package_paths]
    if Path(TIME_ZONES).is_dir():
        wanted.append(os.path.realpath(TIME_ZONES))
    return outermost(wanted)


def hidden_folders(paths: Sequence[str]) -> list[str]:
    """The site-packages that lie under readable paths, so that they can be covered or left out."""
    folders = [
        os.path.join(path, name)  # noqa: PTH118 (strings go to mount)
        for path in {*paths, *standard_library()}
        for name in _NOT_STANDARD
    ]
    return sorted(folder for folder in folders if Path(folder).is_dir())


def open_to_everyone(path: str) -> bool:
    """Whether a user without any right of its own could reach and list the folder."""
    folder = Path(path)
    parents = all(parent.stat().st_mode & 0o001 for parent in folder.parents)
    return parents and folder.stat().st_mode & 0o005 == 0o005
