"""Where the prompt ends in what OpenRLHF sends.

Its ``query`` is the prompt and the response, decoded together with their special tokens. So the
response is what follows the prompt, less the end tokens; and the prompt may have a token in front
that its text lacks, or may have been cut on the left to fit the context.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

END_TOKENS = (
    *("<|im_end|>", "<|endoftext|>", "</s>", "<|eot_id|>", "<|end_of_text|>", "<|end|>"),
    *("<eos>", "<end_of_turn>", "<|eot|>", "<｜end▁of▁sentence｜>", "<|endofprompt|>", "<|pad|>"),
    "<pad>",
)
"""End and padding tokens of common models."""

SHORTEST_OVERLAP = 16
_LEADING = re.compile(r"(?:<[^<>\s]{1,40}>)+")


def split_query(query: str, prompt: str, end_tokens: Sequence[str] = END_TOKENS) -> str | None:
    """The response in a query.

    Args:
        query: prompt and response as one text.
        prompt: the prompt's text.
        end_tokens: what is taken off the response's end, as often as it is there.

    Returns:
        The response; None where the query doesn't begin with the prompt, nor with its last
        ``SHORTEST_OVERLAP`` characters or more.

    >>> split_query("<s>What is 6 * 7?\\nIt is 42.</s>", "What is 6 * 7?\\n")
    'It is 42.'
    >>> split_query("6 * 7?\\nIt is 42.", "Something else entirely") is None
    True
    """
    rest = _after(query, prompt)
    return None if rest is None else _without_end(rest, end_tokens)


def _after(query: str, prompt: str) -> str | None:
    if query.startswith(prompt):
        return query[len(prompt) :]
    # Tokens that a tokenizer puts in front, and only those: what comes later is the policy's text,
    # and a response that repeats its prompt must not move the border.
    leading = _LEADING.match(query)
    bare = query[leading.end() :] if leading else query
    if bare.startswith(prompt):
        return bare[len(prompt) :]
    for text in (query, bare):
        shared = _overlap(prompt, text)
        if shared >= SHORTEST_OVERLAP:
            return text[shared:]
    return None


def _without_end(text: str, end_tokens: Sequence[str]) -> str:
    """Newlines between end tokens go with them; those of a response without one stay."""
    while True:
        bare = text.rstrip("\n")
        end = next((token for token in end_tokens if token and bare.endswith(token)), None)
        if end is None:
            return text
        text = bare[: -len(end)]


def _overlap(left: str, right: str) -> int:
    """The length of the longest end of ``left`` that ``right`` begins with, in linear time."""
    pattern = right[: len(left)]
    borders = _borders(pattern)
    matched = 0
    for character in left:
        while matched and (matched == len(pattern) or pattern[matched] != character):
            matched = borders[matched - 1]
        if matched < len(pattern) and pattern[matched] == character:
            matched += 1
    return matched


def _borders(pattern: str) -> list[int]:
    """For each beginning of the pattern, its longest proper end that is a beginning too."""
    borders = [0] * len(pattern)
    matched = 0
    for place in range(1, len(pattern)):
        while matched and pattern[matched] != pattern[place]:
            matched = borders[matched - 1]
        if pattern[matched] == pattern[place]:
            matched += 1
        borders[place] = matched
    return borders
