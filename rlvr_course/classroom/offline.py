"""The environment of a kernel: in fake mode no API key in it and no way out to the network.

Two guards, one inside the other:

- *hook*: every Python process that inherits the environment loads ``netguard.py`` as its
  ``sitecustomize``, which refuses what leads off this machine. It works everywhere, and it does
  not hold programs that are not Python, C libraries that open sockets themselves, or a Python
  started with ``-I``, ``-E`` or ``-S``.
- *namespace*: where Linux permits it, the worker and all its children live in a network namespace
  with nothing but a loopback device. It holds every program.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
SECRET_PREFIXES = ("OPENAI_", "AZURE_OPENAI_", "ANTHROPIC_")


def kernel_environment(base: Mapping[str, str], mode: str, scratch: Path) -> dict[str, str]:
    """Environment variables for a worker and its kernel.

    Args:
        base: what to start from, as a rule ``os.environ``.
        mode: in "fake" mode the hook is put in place and secrets are taken out.
        scratch: an empty folder that lives as long as the run.
    """
    environment = dict(base)
    environment.update(
        # A learner's own start-up files and kernels of other Pythons must not change a result.
        IPYTHONDIR=str(scratch / "ipython"),
        JUPYTER_PREFER_ENV_PATH="1",
        PYDEVD_DISABLE_FILE_VALIDATION="1",
        # A run's logs belong in its own folder, the kernel's working directory.
        RLVR_ARTIFACTS="artifacts",
        # No one watches, and a bar's hundred states would stay in the executed copy.
        TQDM_DISABLE="1",
        # Threads that wait by spinning take the time of those that compute on a busy machine.
        OMP_WAIT_POLICY=environment.get("OMP_WAIT_POLICY", "PASSIVE"),
    )
    if mode == "fake":
        environment = {name: v for name, v in environment.items() if not is_secret(name)}
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(_place_hook(scratch)), *filter(None, [environment.get("PYTHONPATH")])]
        )
    return environment


def is_secret(name: str) -> bool:
    """Whether a variable's name says that it holds a key or where to send one.

    >>> is_secret("OPENAI_BASE_URL"), is_secret("MY_API_KEY"), is_secret("HOME")
    (True, True, False)
    """
    upper = name.upper()
    return upper.endswith(SECRET_ENDINGS) or upper.startswith(SECRET_PREFIXES)


def _place_hook(scratch: Path) -> Path:
    """A folder whose ``sitecustomize`` installs the hook, for the front of PYTHONPATH.

    It is a copy and not an import, so that a child Python that lacks this package is held too.
    """
    folder = scratch / "site"
    folder.mkdir(parents=True)
    hook = Path(__file__).with_name("netguard.py").read_text(encoding="utf-8")
    (folder / "sitecustomize.py").write_text(f"{hook}\n\ninstall()\n", encoding="utf-8")
    return folder
