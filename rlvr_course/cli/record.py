"""``rlvr-course record``: sample an API once, replay it offline ever after."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_DESCRIPTION = """\
Sample completions from an OpenAI-compatible API into a file that replays offline.

The problems are the course's own, or yours: a JSONL file with one problem a line,
  {"question": "What is 12 * 13?", "answer": "156", "id": "mine-1"}
and, where you want one, "metadata": {"system": "...", "max_tokens": 220}.

Each completion is kept in FILE.cache.jsonl as it arrives. Stopped or cut off, run the same
command again: it goes on where it was and pays for nothing twice. Delete the cache when done.
"""

_EXAMPLES = """\
examples:
  rlvr-course record --out mine.jsonl --domain math --dry-run     what would it cost?
  rlvr-course record --out mine.jsonl --domain math --n 4         gpt-4.1-nano, OPENAI_API_KEY
  rlvr-course record --out mine.jsonl --problems problems.jsonl \\
      --base-url http://localhost:11434/v1 --model llama3.2       a local server, no key

then, in Python:
  policy = ReplayPolicy.from_file("mine.jsonl")
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the ``record`` command."""
    parser = subparsers.add_parser(
        "record",
        help="sample an API into a file that replays offline",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="rollouts file to write")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--problems", metavar="FILE", help="your problems (JSONL)")
    source.add_argument("--domain", help="only this domain of the course's problems")
    parser.add_argument("--n", type=int, default=8, help="completions a problem (default 8)")
    parser.add_argument("--temperature", type=float, default=1.0, help="at least 0 (default 1.0)")
    parser.add_argument("--base-url", metavar="URL", help="else OPENAI_BASE_URL, else OpenAI's")
    parser.add_argument("--model", help="else OPENAI_MODEL, else gpt-4.1-nano")
    parser.add_argument("--dry-run", action="store_true", help="show the estimate and stop")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Record, and say what was written."""
    from rlvr_course.policies.api import ApiPolicy
    from rlvr_course.policies.record import read_problems, record, requests_for
    from rlvr_course.problems.recorded import load_problems

    problems = read_problems(args.problems) if args.problems else load_problems(args.domain)
    requests = requests_for(problems, n=args.n, temperature=args.temperature)
    out = Path(args.out)
    cache = out.with_name(out.name + ".cache.jsonl")
    # An estimate sends nothing, so it must not need a key.
    key = "unused" if args.dry_run else None
    policy = ApiPolicy(args.model, base_url=args.base_url, api_key=key, cache_path=cache)
    if args.dry_run:
        print(policy.estimate(requests))
        return 0
    try:
        about = record(problems, policy, out, n=args.n, temperature=args.temperature)
    except KeyboardInterrupt:
        print(f"stopped; what arrived is kept in {cache}: run the same again", file=sys.stderr)
        return 130
    print(f"{about['rows']} completions of {about['problems']} problems in {out}")
    return 0
