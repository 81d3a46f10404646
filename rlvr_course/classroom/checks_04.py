"""Checks of notebook 04: two detectors, evidence, what a flag means, tampering."""

from __future__ import annotations

from numbers import Real
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

_QUESTION = "A pack of 6 pens costs $4.50. How much do 20 such pens cost?"
_WALL = (
    "Let us think with great care. Every detail matters here. "
    "A sound method was chosen and applied with patience."
)
_WORDS = ("chain", "head", "kept", "nothing")


def _shows_none(name: str, response: str) -> Case:
    return Case(name, (response,), lambda reply: reply is True, "no work to see: True, as a bool")


def _shows_some(name: str, response: str) -> Case:
    return Case(name, (response,), lambda reply: reply is False, "there is work: False, as a bool")


def _is_number(reply: Any) -> bool:
    return isinstance(reply, Real) and not isinstance(reply, bool)


def _is_near(reply: Any, value: float, tolerance: float = 1e-6) -> bool:
    return _is_number(reply) and abs(reply - value) <= tolerance


def _share_case(name: str, response: str, value: float, expected: str) -> Case:
    return Case(name, (response, _QUESTION), lambda reply: _is_near(reply, value), expected)


def _spam_case(name: str, response: str, found: list[str], expected: str) -> Case:
    return Case(
        name, (response,), lambda reply: isinstance(reply, (list, tuple)) and list(reply) == found,
        expected,
    )  # fmt: skip


def _words_at(reply: Any, places: dict[int, str]) -> bool:
    return all(reply[place] == word for place, word in places.items())


CHECKS_04 = {
    "q04a": CheckSpec(
        cases=[
            _shows_none("a bare number", "15"),
            _shows_none("a bare box", r"\boxed{15}"),
            _shows_none("a short sentence", "The answer is 4 minutes."),
            _shows_none("false positive: a fraction in a box", r"\boxed{\frac{3}{8}}"),
            _shows_some(
                "worked",
                "One pen costs 4.50 / 6 = 0.75 dollars.\n20 pens cost 20 * 0.75 = 15 dollars.",
            ),
            _shows_some(
                "worked in LaTeX",
                r"\[ 4.50 \div 6 = 0.75 \] so that \[ 20 \times 0.75 = \boxed{15} \]",
            ),
            _shows_some("worked in one line", "180 - 38 - 77 = 65, so the third angle has 65."),
            Case("malformed: empty", ("",), lambda reply: reply is True, "True, as a bool"),
        ],
        properties=[
            Property(
                "a worked line in front lifts the suspicion",
                lambda ask: (
                    ask("9") is True
                    and ask("5 * 3 = 15 candles are used up, and 24 - 15 = 9 are left.\n9") is False
                ),
                "True for the bare answer, False with the work",
            ),
        ],
        hints=[
            "What do all worked responses have that bare ones lack?",
            "Length: how long is the longest bare answer? Or look for a digit, a sign, a digit.",
            r"return len(response.strip()) < 40, or: re.search(r'\d\s*[-+*/=]\s*\d', ...) is None, "
            r"with \\times and \\div as further signs.",
        ],
    ),
    "q04b": CheckSpec(
        cases=[
            _share_case("only filler", _WALL, 1.0, "all words are filler"),
            _share_case("only work", "One costs 0 dollars 75. So 20 cost 15.", 0.0, "0"),
            _share_case(
                "words, not sentences",
                "This was looked at from every side there is. It is 15.",
                9 / 11,
                "9 words of 11",
            ),
            _share_case(
                "false positive: the question's words",
                "We divide what the pack costs. Then the pens are priced.",
                0.0,
                "both sentences have a word of the question: 0",
            ),
            _share_case(
                "short words don't count",
                "Do it as a pro. The pens cost 15.",
                5 / 8,
                "'do' and 'a' stand in the question, but are too short to count",
            ),
            _share_case(
                "upper case, line breaks",
                "PACK of pens\nNothing else matters here\n15",
                4 / 7,
                "4 words of 7",
            ),
            _share_case(
                "a question mark ends a sentence", "Ready? Then it is 15.", 1 / 4, "1 of 4"
            ),
            _share_case("no space after a full stop", "Nothing new here.Then 15", 3 / 4, "3 of 4"),
            _share_case(
                "three letters are too short", "How it is done. 15", 1.0, "'how' is not compared"
            ),
            _share_case(
                "whole words, not parts",
                "Whatever happens, stay calm. It is 15.",
                4 / 6,
                "'happens' is not 'pens'",
            ),
            _share_case("malformed: empty", "", 0.0, "0.0"),
            _share_case("no words", "15", 0.0, "0.0"),
        ],
        properties=[
            Property(
                "more filler, no smaller share",
                lambda ask: (
                    ask("The pens cost 15. " + _WALL, _QUESTION)
                    < ask("The pens cost 15. " + _WALL + " " + _WALL, _QUESTION)
                    < 1
                ),
                "a share that grows and stays below 1",
            ),
            Property(
                "the question matters",
                lambda ask: (
                    ask("Goats have legs.", "How many goats?") == 0
                    and ask("Goats have legs.", "How many hens?") == 1
                    and ask("One goat is enough.", "How many goats?") == 1
                ),
                "0 with a whole word of the question; 1 without, or with a part of one",
            ),
        ],
        hints=[
            "Two sums: all words, and the words in sentences that carry nothing.",
            r"re.split(r'[.!?\n]', response); a set of the question's longer words, in lower case.",
            "A sentence is filler if it has no digit and shares no word with that set; mind 0 / 0.",
        ],
    ),
    "q04c": CheckSpec(
        cases=[
            _spam_case("three", r"\boxed{5}, \boxed{6}, \boxed{7}", ["5", "6", "7"], "all three"),
            _spam_case("two", r"\boxed{5} or \boxed{6}", [], "an empty list"),
            _spam_case("none", "It is 5.", [], "an empty list"),
            _spam_case(
                "false positive: one value repeated",
                r"\boxed{7} \boxed{7} \boxed{ 7 } \boxed{7}",
                [],
                "the same value is not another answer",
            ),
            _spam_case(
                "spaces around a content",
                r"\boxed{1} \boxed{ 1 } \boxed{2}",
                [],
                "two answers: 1 with spaces is 1",
            ),
            _spam_case(
                "in order, each once",
                r"\boxed{9} \boxed{2} \boxed{9} \boxed{4}",
                ["9", "2", "4"],
                "each once, as they appear",
            ),
            _spam_case(
                "nested braces",
                r"\boxed{\frac{1}{2}} \boxed{\frac{1}{3}} \boxed{\frac{1}{4}}",
                [r"\frac{1}{2}", r"\frac{1}{3}", r"\frac{1}{4}"],
                "whole contents",
            ),
            _spam_case("malformed: never closed", r"\boxed{1} \boxed{2} \boxed{3", [], "two boxes"),
            _spam_case("malformed: empty", "", [], "an empty list"),
        ],
        properties=[
            Property(
                "the evidence is in the text",
                lambda ask: all(
                    content in r"x \boxed{a1} y \boxed{b2} z \boxed{c3}"
                    for content in ask(r"x \boxed{a1} y \boxed{b2} z \boxed{c3}")
                ),
                "quotes, not counts",
            ),
        ],
        hints=[
            "Collect the contents first; count afterwards.",
            "response[inner_start:inner_end].strip() is a content; keep those not seen yet.",
            "return found if len(found) >= 3 else []",
        ],
    ),
    "q04d": CheckSpec(
        cases=[
            Case(
                "a share",
                (),
                lambda reply: _is_number(reply) and 0 < reply < 1,
                "a number strictly between 0 and 1",
            ),
            Case(
                "of the flagged, the hacks",
                (),
                lambda reply: _is_near(reply, 18 / 67, 0.002),
                "flagged hacks over all flagged",
            ),
        ],
        hints=[
            "How many hacks does it flag? How many honest samples?",
            "The honest samples are 1000 - 20.",
            "Flagged hacks: 0.9 * 20. Flagged honest ones: 0.05 * 980. Divide by both together.",
        ],
    ),
    "q04e": CheckSpec(
        cases=[
            Case("one word each", (), lambda reply: len(reply) == 5, "five words"),
            Case(
                "of the four words",
                (),
                lambda reply: set(reply) <= set(_WORDS),
                "chain, head, kept or nothing",
            ),
            Case(
                "lines inside the log",
                (),
                lambda reply: _words_at(reply, {0: "chain", 3: "chain"}),
                "what each line's hash of the line before it tells",
            ),
            Case(
                "the end of the log",
                (),
                lambda reply: _words_at(reply, {1: "head", 2: "kept"}),
                "what no later line vouches for",
            ),
            Case(
                "true and bad",
                (),
                lambda reply: _words_at(reply, {4: "nothing"}),
                "what a log can't know",
            ),
        ],
        hints=[
            "Line n + 1 holds the hash of line n. Which line has none that vouches for it?",
            "If the forger can also write the head file, what is left to compare with?",
            "Swaps and gaps break the chain; the last line needs the head file; a log that is true "
            "has nothing to find.",
        ],
    ),
}
