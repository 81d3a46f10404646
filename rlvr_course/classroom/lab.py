"""How JupyterLab is started for the course: in the checkout's folder, with the course's defaults.

The defaults (no news, no update checks, execution times recorded in the notebook) come from a
configuration folder that ships with this package and is put in front of Jupyter's own by
``JUPYTER_CONFIG_PATH``. A user's settings are neither changed nor overridden by them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from rlvr_course.classroom.checkout import Checkout

CONFIG = Path(__file__).with_name("jupyter")


def lab_command(
    checkout: Checkout,
    notebook: Path | None = None,
    *,
    port: int | None = None,
    browser: bool = True,
) -> list[str]:
    """The command that opens JupyterLab.

    Args:
        checkout: its root becomes JupyterLab's, so that ``artifacts/`` can be looked at too.
        notebook: what to open; the ``notebooks`` folder if None.
        port: which port, 1 to 65535; Jupyter chooses a free one if None.
        browser: open one.

    Raises:
        ValueError: a port out of range.
    """
    if port is not None and not 1 <= port <= 65535:
        raise ValueError(f"port {port}: it must be between 1 and 65535")
    shown = (notebook or checkout.notebooks).relative_to(checkout.root).as_posix()
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={checkout.root}"]
    # A path given as default_url opens with or without a browser, unlike a file argument.
    command.append(f"--LabApp.default_url=/lab/tree/{shown}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Root is who one is in most containers, and Jupyter would refuse to start.
        command.append("--allow-root")
    if port is not None:
        command.append(f"--port={port}")
    return command if browser else [*command, "--no-browser"]


def lab_environment(base: Mapping[str, str], checkout: Checkout) -> dict[str, str]:
    """The environment that makes JupyterLab read the course's defaults first.

    Runs are written into the checkout's ``artifacts/`` unless RLVR_ARTIFACTS names another folder.
    """
    paths = [str(CONFIG), *filter(None, [base.get("JUPYTER_CONFIG_PATH")])]
    return {
        "RLVR_ARTIFACTS": str(checkout.root / "artifacts"),
        **base,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
    }
