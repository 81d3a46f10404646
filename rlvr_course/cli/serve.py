"""``rlvr-course serve``: a verifier and its prices as a reward server."""

from __future__ import annotations

import argparse

TOKEN_VARIABLE = "RLVR_COURSE_TOKEN"

_DESCRIPTION = """\
Serve a verified reward over HTTP, as OpenRLHF's trainers ask for one. A client posts
prompts with their responses and the reference answers; it gets a reward for each:

  POST /get_reward
    {"query":   ["What is 6 * 7?\\nIt is 42.</s>"],   prompt and response together
     "prompts": ["What is 6 * 7?\\n"],                where the response begins
     "labels":  ["42"]}                              the reference
  {"rewards": [1.0], "scores": [1.0], "extra_logs": {"correct": [1.0], ...}}

Rewards are what trains, scores (0 to 1) what groups are filtered by. A completion that
the grader can't judge is paid the price of a wrong answer, since this door has no way
to leave it out, and is counted in extra_logs under "ungraded". GET /health says how
many were scored.

References that are no text, such as tests of a program, are written "json:" and JSON.
"""

_EXAMPLES = """\
examples:
  rlvr-course serve                              math, on http://127.0.0.1:5000
  rlvr-course serve --wrong -1.0 --refusal 0     dear guesses, free refusals
  rlvr-course serve --domain code --workers 2    programs, run in the sandbox
  RLVR_COURSE_TOKEN=secret rlvr-course serve --host 0.0.0.0
    and in OpenRLHF: --reward.remote_url http://reward:secret@HOST:5000/get_reward

Ctrl-C or a SIGTERM stops it, after the requests under way.

exit status: 0 stopped, 1 it could not start (one line says why)
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Register ``serve``."""
    parser = subparsers.add_parser(
        "serve",
        help="serve a reward to trainers",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--domain", default="math", help="math (default) or code")
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="address (127.0.0.1)")
    where.add_argument("--port", type=int, default=5000, help="port, 0 for a free one (5000)")
    prices = parser.add_argument_group("prices")
    prices.add_argument("--correct", type=float, default=1.0, metavar="R", help="right (1.0)")
    prices.add_argument("--wrong", type=float, default=-0.1, metavar="R", help="wrong (-0.1)")
    prices.add_argument("--refusal", type=float, metavar="R", help="refused (as wrong)")
    prices.add_argument("--format", type=float, default=0.0, metavar="R", help="a closed box (0)")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--workers", type=int, default=4, help="requests scored at once (4)")
    limits.add_argument("--max-mb", type=int, default=32, help="largest body in MiB (32)")
    parser.set_defaults(handler=serve)


def serve(args: argparse.Namespace) -> int:
    """Serve until stopped."""
    import os

    from rlvr_course.adapters import serving
    from rlvr_course.adapters.domains import verified_reward
    from rlvr_course.adapters.openrlhf_server import Limits, create_app

    token = os.environ.get(TOKEN_VARIABLE, "")
    serving.check_address(args.host, token)
    serving.require_serving()
    reward = verified_reward(
        args.domain,
        correct_reward=args.correct,
        incorrect_penalty=args.wrong,
        refusal_reward=args.refusal,
        format_reward=args.format,
    )
    limits = Limits(body_bytes=args.max_mb * 1024 * 1024, workers=args.workers)
    app = create_app(reward, token=token, limits=limits)
    asked = "a token is asked for" if token else "no token"
    serving.serve(
        app,
        host=args.host,
        port=args.port,
        token=token,
        on_start=lambda url: print(
            f"{args.domain} rewards on {url}/get_reward ({asked})", flush=True
        ),
    )
    print("stopped")
    return 0
