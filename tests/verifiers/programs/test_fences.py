"""Which program a reply commits to."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.programs.fences import MAX_REREADS, strip_fences

CODE = "n = int(input())\nprint(n)"
OTHER = "print(0)"
IN_A_STRING = "s = '''\n```\n'''\nprint(s)"
FENCE_SHOWN = 'doc = """\n```python\nprint(0)\n```\n"""\nprint(1)'


def block(code: str = CODE, tag: str = "python", fence: str = "```") -> str:
    return f"{fence}{tag}\n{code}\n{fence}"


REPLIES = {
    "no fence": (CODE, CODE),
    "a block": (block(), CODE),
    "prose around": (f"Here:\n{block()}\nIt works.", CODE),
    "py": (block(tag="py"), CODE),
    "Python3": (block(tag="Python3"), CODE),
    "python 3": (block(tag="python 3"), CODE),
    "pandoc": (block(tag="{.python .numberLines}"), CODE),
    "title": (block(tag='python title="main.py"'), CODE),
    "file name": (block(tag="python main.py"), CODE),
    "space before the tag": (block(tag=" python"), CODE),
    "untagged": (block(tag=""), CODE),
    "tildes": (block(fence="~~~"), CODE),
    "four backticks": (block(fence="````"), CODE),
    "unclosed": (f"```python\n{CODE}", CODE),
    "unclosed tildes": (f"~~~python\n{CODE}", CODE),
    "on one line": ("```python print(1)```", "print(1)"),
    "on one line, untagged": ("```print(1)```", "print(1)"),
    "begins on the tag's line": ("```python n = 1\nprint(n)\n```", "n = 1\nprint(n)"),
    "keyword on the fence's line": ("```import sys\nprint(1)\n```", "import sys\nprint(1)"),
    "closed on the last line of code": ("```python\nprint(1)```", "print(1)"),
    "opened after prose": ("Try ```python\nprint(1)\n```", "print(1)"),
    "in a list": (f"1. First\n   ```python\n   {OTHER}\n   ```", OTHER),
    "line ends of Windows": (block().replace("\n", "\r\n"), CODE),
    "the last of two": (f"{block(OTHER)}\nNo:\n{block()}", CODE),
    "tagged before untagged": (f"{block()}\n{block('385', tag='')}", CODE),
    "untagged, then its output": (f"{block(tag='')}\n{block('385', tag='')}", CODE),
    "untagged, then no program": (f"{block(tag='')}\n{block('1 4 9', tag='')}", CODE),
    "then a text block": (f"{block()}\n{block('1 2', tag='text')}", CODE),
    "then a shell block": (f"{block()}\n{block('python main.py', tag='bash')}", CODE),
    "then an empty block": (f"{block()}\n```python\n```", CODE),
    "a new block for a closing fence": (f"```python\nprint(\n{block()}", CODE),
    "only another language": (block(tag="bash"), ""),
    "after a thought": (f"<think>{block(OTHER)}</think>\n{block()}", CODE),
    "thought without an end": (f"<think>\n{block()}", ""),
    "only in thought": (f"<think>{block()}</think>I can't.", "I can't."),
    "thinking tag": (f"<thinking>{block(OTHER)}</thinking>{block()}", CODE),
    "think tag in code": (block("print('<think>')"), "print('<think>')"),
    "fence in a string": (block(IN_A_STRING), IN_A_STRING),
    "block in a string": (block(FENCE_SHOWN), FENCE_SHOWN),
    "block in a string, no fence around": (FENCE_SHOWN, FENCE_SHOWN),
    "broken string, then a whole block": (f"{block('s = ' + chr(39) * 3)}\n{block()}", CODE),
    "fence in a comment": (block("# ``` ends\nprint(1)"), "# ``` ends\nprint(1)"),
    "empty": ("", ""),
    "prose": ("I can't do it.", "I can't do it."),
}


@pytest.mark.parametrize(("reply", "code"), REPLIES.values(), ids=REPLIES)
def test_the_program_that_a_reply_commits_to(reply: str, code: str) -> None:
    assert strip_fences(reply) == code


NAMES = st.sampled_from(["a", "total", "n2"])
LINES = st.one_of(
    st.builds("{} = {}".format, NAMES, st.integers(0, 99)),
    st.builds("print({!r})".format, st.text("ab'\"`~<> \\", max_size=8)),
    st.sampled_from(["if True:\n    print(1)", "# a remark", "def f(x):\n    return x\n"]),
    st.builds("s = {0}\n{1}\n{0}".format, st.sampled_from(["'''", '"""']), st.text("`~ a\n")),
)
PROGRAMS = st.lists(LINES, min_size=1, max_size=6).map(lambda lines: "\n".join([*lines, "f(1)"]))
PROSE = st.text("abc .,!?\n", max_size=40)
TAGS = st.sampled_from(["python", "py", "Python", "python3", "PYTHON3", "{.python}"])
FENCES = st.sampled_from(["```", "~~~", "````", "~~~~~"])
AFTER = st.sampled_from(["", "```text\n14\n```", "```bash\npython x.py\n```", "```\n14\n```"])


@given(PROGRAMS, PROSE, TAGS, FENCES, AFTER)
def test_any_program_survives_its_wrapping(code, prose, tag, fence, after) -> None:
    # A literal that holds its own fence on a line alone is the limit case: longer fences exist.
    fence = fence[0] * (3 + max(map(len, code.split()), default=0)) if fence in code else fence
    reply = f"{prose}\n{fence}{tag}\n{code}\n{fence}\n{prose}\n{after}"
    assert ast.dump(ast.parse(strip_fences(reply))) == ast.dump(ast.parse(code))


@given(PROGRAMS)
def test_a_program_without_a_wrapping_is_left_alone(code: str) -> None:
    assert strip_fences(code) == code


PIECES = st.sampled_from(
    [
        "```",
        "~~~",
        "python",
        "'''",
        '"""',
        "\n",
        " ",
        "<think>",
        "</think>",
        "x=1",
        "`",
        "\r\n",
        "#",
    ]
)


@given(st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join))
def test_any_text_gives_a_text(text: str) -> None:
    assert isinstance(strip_fences(text), str)


UNITS = ["```\n", "```python\n", "'''\n```\n", "```python\n'''\n", "~~~ a\n", "`", "<think>", "(\n"]


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_double_the_text_takes_about_double_the_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        start = time.perf_counter()
        strip_fences(text)
        return time.perf_counter() - start

    # Quadratic would be 16-fold; the least of three runs, so that a busy machine does not decide.
    allowed = 9 * min(seconds(10_000) for _ in range(3)) + 0.1
    assert any(seconds(40_000) < allowed for _ in range(3))


def test_fences_in_strings_are_looked_through_a_bounded_number_of_times() -> None:
    reply = f"{block('s = ' + chr(39) * 3)}\n" * (MAX_REREADS + 5) + block()
    assert strip_fences(reply) == CODE
