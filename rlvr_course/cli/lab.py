"""``rlvr-course lab``: open JupyterLab at a notebook."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Open JupyterLab in the course's folder, at a notebook if you name one.

examples:
  rlvr-course lab 01
  rlvr-course lab --no-browser --port 8899
  rlvr-course lab 01 --dry-run     print the command and stop
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``lab``."""
    parser = subparsers.add_parser(
        "lab",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("number", nargs="?", metavar="NN", help="which notebook to open")
    parser.add_argument("--port", type=int, metavar="N", help="default: a free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--dry-run", action="store_true", help="print the command and stop")
    parser.set_defaults(handler=open_lab)


def open_lab(args: argparse.Namespace) -> int:
    """Start JupyterLab and wait until it is closed."""
    import os
    import shlex
    import subprocess

    from rlvr_course.classroom.checkout import find_checkout, select
    from rlvr_course.classroom.lab import lab_command, lab_environment

    checkout = find_checkout()
    notebook = None
    if args.number is not None:
        notebook = select(checkout.notebooks, "*.ipynb", [args.number])[0]
    command = lab_command(checkout, notebook, port=args.port, browser=not args.no_browser)
    environment = lab_environment(os.environ, checkout)
    if args.dry_run:
        names = ("JUPYTER_CONFIG_PATH", "RLVR_ARTIFACTS")
        settings = [f"{name}={environment[name]}" for name in names]
        print(shlex.join(["env", *settings, *command]))
        return 0
    try:
        return subprocess.run(command, env=environment, cwd=checkout.root).returncode
    except KeyboardInterrupt:
        # Ctrl-C twice is how Jupyter is closed; it has said goodbye itself.
        return 0
