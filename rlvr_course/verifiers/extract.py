"""The answer that a response commits to: its last box, or else one final statement.

Order: what stands after the last ``</think>`` (an unclosed ``<think>`` is no answer); inside the
last ``<answer>`` pair, if there is one; the last brace-balanced ``\\boxed{...}``, where boxes
joined only by commas and "and" are one list; a ``#### 42`` line; and without any of these a
*committed statement* (see ``statements``). Never a number out of a refusal, a hedge or the echoed
question.

All of it is linear in the length of the response.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlvr_course.verifiers.statements import committed_statement

_BOX = re.compile(r"(?:\\boxed|\\fbox|\x08oxed|(?<!\\)boxed)\s*\{")
_BARE_BOX = re.compile(r"\\boxed\s+([-+]?[\w.,/]{1,40})")
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_JOINT = re.compile(
    r"(?:\\[()\[\]]|[\s,;$.]){0,20}"
    r"(?:(?:and|or|\\text\{\s*(?:and|or)\s*\}|\\quad|\\,)(?:\\[()\[\]]|[\s,;$]){0,20})?"
    r"(?:[A-Za-z](?:_\{?\w\}?)?\s*=\s*)?"
)
_THOUGHT_TAGS = r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)\s*>"
_THOUGHT = re.compile(f"<{_THOUGHT_TAGS}", re.IGNORECASE)
_THOUGHT_END = re.compile(f"</{_THOUGHT_TAGS}", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_ANSWER_TAG = re.compile(r"<answer>", re.IGNORECASE)
_ANSWER_END = re.compile(r"</answer>", re.IGNORECASE)
_HASHES = re.compile(r"^[ \t]*####[ \t]*(\S[^\n]{0,400})", re.MULTILINE)
_TURN = re.compile(
    r"<[|｜](?:im_start|im_end|endoftext|eot_id|eom_id|start_header_id|end|return"
    r"|end▁of▁sentence)[|｜]>|</s>|<eos>|<pad>|<end_of_turn>|\[/?INST\]"
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found: the ``text`` to grade, and ``how``; "" and the reason where nothing was.

    ``how`` is "box", "boxes", "answer_tag", "hashes" or "statement" with a text; without one it is
    "empty", "unfinished_thinking", "unclosed_box", "refusal", "hedge", "question" or
    "no_committed_answer".
    ``whole`` is another reading, for references of more than one value: see ``statements``.
    """

    text: str
    how: str
    whole: str = ""


def extract_answer(response: str) -> Extraction:
    """The answer that a response commits to.

    Args:
        response: any string; never raises.

    Returns:
        An ``Extraction``; its text is "" where the response commits to nothing.

    Limits: a statement without a box is found by English wording; in another language only a
    box, a tag or a bare answer counts.

    >>> extract_answer("First 5, no: \\\\boxed{7}.").text
    '7'
    >>> extract_answer("So the speed is 80 km/h").text
    '80 km/h'
    >>> extract_answer("I cannot solve this after 3 attempts.").how
    'refusal'
    """
    visible, reason = visible_answer(response)
    if not visible:
        return Extraction("", reason)
    tagged = _last_answer_tag(visible)
    scope = visible if tagged is None else tagged
    found = _from_boxes(scope)
    if found is None and tagged is not None:
        if tagged.strip():
            return _from_tag(tagged.strip())
        found = _from_boxes(visible)
    if found is not None:
        return found
    hashes = _HASHES.findall(visible)
    if hashes:
        return Extraction(hashes[-1].strip(), "hashes")
    return _from_statement(visible)


def _from_statement(text: str) -> Extraction:
    found = committed_statement(text)
    return Extraction(found.text, found.reason, found.whole)


def _from_tag(tagged: str) -> Extraction:
    """The tag's content if it is short; of a whole solution in a tag, what it states."""
    if len(tagged) > 60 or "\n" in tagged or "=" in tagged:
        found = _from_statement(tagged)
        if found.text:
            return found
    return Extraction(tagged, "answer_tag")


def visible_answer(response: str) -> tuple[str, str]:
    """The part of a response that may hold the answer, or "" and the reason why there is none."""
    visible = after_thought(response)
    if visible is None:
        return "", "unfinished_thinking"
    if "~~" in visible:
        visible = _STRUCK.sub("", visible)
    turn = _TURN.search(visible)
    if turn is not None and visible[: turn.start()].strip():
        visible = visible[: turn.start()]
    return (visible, "") if visible.strip() else ("", "empty")


def after_thought(response: str) -> str | None:
    """What stands after the last closed thought, None where a thought is left open.

    >>> after_thought("<think>7? No.</think>8"), after_thought("<think>7")
    ('8', None)
    """
    if "<" not in response:
        return response
    ends = [match.end() for match in _THOUGHT_END.finditer(response)]
    visible = response[ends[-1] :] if ends else response
    return None if _THOUGHT.search(visible) else visible


def _last_answer_tag(text: str) -> str | None:
    starts = [match.end() for match in _ANSWER_TAG.finditer(text)]
    if not starts:
        return None
    end = _ANSWER_END.search(text, starts[-1])
    return text[starts[-1] : end.start()] if end else None


def _from_boxes(text: str) -> Extraction | None:
    last = text.rfind("\\boxed")
    if last < 0 and "boxed" not in text and "\\fbox" not in text and "\x08oxed" not in text:
        return None
    boxes = [box for box in find_boxes(text) if text[box[1] : box[2]].strip()]
    if len(boxes) == 1 and _is_denied(text, boxes[0]):
        return None
    if not boxes:
        bare = _BARE_BOX.search(text, last) if last >= 0 else None
        return Extraction(bare[1].rstrip(".,"), "box") if bare else None
    group = [boxes[-1]]
    for box in reversed(boxes[:-1]):
        if box[2] >= group[-1][0] or not _JOINT.fullmatch(text, box[2] + 1, group[-1][0]):
            break
        group.append(box)
    contents = [_unwrapped(text[start:end].strip()) for _, start, end in reversed(group)]
    distinct = list(dict.fromkeys(contents))
    if len(distinct) == 1:
        return Extraction(distinct[0], "box")
    return Extraction(", ".join(contents), "boxes")


_DENIED_BEFORE = re.compile(r"(?:\b(?:not|never|cannot be)|n't(?: be)?)(?: equal to)?[\s$\\(]*$")
_DENIED_AFTER = re.compile(
    r"[\s$\\).]{0,6}(?:is|was|are) (?:wrong|incorrect|not (?:right|correct|the))"
)


def _is_denied(text: str, box: tuple[int, int, int]) -> bool:
    """Whether the only box is taken back where it stands: ``not \\boxed{43}``."""
    before, after = text[max(0, box[0] - 40) : box[0]], text[box[2] + 1 : box[2] + 41]
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after))


def find_boxes(text: str) -> list[tuple[int, int, int]]:
    """Brace-balanced boxes as (start of the command, start, end of the content), outermost only.

    One pass with a stack, so that unclosed and nested boxes cost no more than plain text.
    """
    opened = {m.end() - 1: m.start() for m in _BOX.finditer(text)}
    if not opened:
        return []
    boxes: list[tuple[int, int, int]] = []
    stack: list[int] = []
    for match in _BRACE.finditer(text, min(opened)):
        if match[0] == "{":
            stack.append(match.start())
        elif match[0] == "}" and stack:
            start = stack.pop()
            if start in opened:
                while boxes and boxes[-1][0] > start:
                    boxes.pop()
                boxes.append((opened[start], start + 1, match.start()))
    return boxes


def _unwrapped(content: str) -> str:
    """``\\boxed{7}`` inside a box is the 7; a few layers, since no answer needs more."""
    for _ in range(4):
        match = _BOX.match(content)
        if match is None or content[-1] != "}" or content.count("{") != content.count("}"):
            break
        content = content[match.end() : -1].strip()
    return content
