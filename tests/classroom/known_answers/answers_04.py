"""Answers to the exercises of notebook 04: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any


def filler_by_sentence(response: str, question: str) -> float:
    parts = [part for part in re.split(r"[.!?\n]", response) if part.strip()]
    return sum(not re.search(r"\d", part) for part in parts) / max(len(parts), 1)


def filler_without_the_question(response: str, question: str) -> float:
    parts = [(len(re.findall("[A-Za-z]+", p)), p) for p in re.split(r"[.!?\n]", response)]
    total = sum(count for count, _ in parts)
    return sum(n for n, p in parts if not re.search(r"\d", p)) / total if total else 0.0


def filler_by_word(response: str, question: str) -> float:
    said = re.findall("[a-z]+", response.lower())
    asked = set(re.findall("[a-z]+", question.lower()))
    return sum(word not in asked for word in said) / len(said) if said else 0.0


def filler_by_parts_of_words(response: str, question: str) -> float:
    asked = {w for w in re.findall("[a-z]+", question.lower()) if len(w) >= 4}
    parts = [(len(re.findall("[A-Za-z]+", p)), p) for p in re.split(r"[.!?\n]", response)]
    idle = sum(
        n for n, p in parts if not re.search(r"\d", p) and not any(w in p.lower() for w in asked)
    )
    return idle / total if (total := sum(n for n, _ in parts)) else 0.0


def filler_by_parts_of_the_question(response: str, question: str) -> float:
    total = idle = 0
    for part in re.split(r"[.!?\n]", response):
        said = re.findall("[A-Za-z]+", part)
        told = any(w.lower() in question.lower() for w in said if len(w) >= 4)
        total += len(said)
        idle += 0 if told or re.search(r"\d", part) else len(said)
    return idle / total if total else 0.0


def boxes_to_the_first_brace(response: str) -> list[str]:
    found = list(dict.fromkeys(re.findall(r"\\boxed\{([^}]*)\}", response)))
    return found if len(found) >= 3 else []


def every_box(response: str) -> list[str]:
    found = re.findall(r"\\boxed\{(.*?)\}(?=[ ,.]|$)", response)
    return found if len(found) >= 3 else []


def any_two_boxes(response: str) -> list[str]:
    found = list(dict.fromkeys(re.findall(r"\\boxed\{(.*?)\}(?=[ ,.]|$)", response)))
    return [text.strip() for text in found] if len(found) >= 2 else []


def filler_by_sentences(response: str, question: str) -> float:
    asked = set(re.findall("[a-z]{4,}", question.lower()))
    sentences = re.split(r"[.!?\n]", response)
    words = [re.findall("[a-z]+", sentence.lower()) for sentence in sentences]
    idle = [
        len(own)
        for own, sentence in zip(words, sentences, strict=True)
        if asked.isdisjoint(own) and not any(char.isdigit() for char in sentence)
    ]
    return sum(idle) / (sum(map(len, words)) or 1)


def boxes_by_braces(response: str) -> list[str]:
    found = []
    for part in response.split(r"\boxed{")[1:]:
        depth = 1
        for place, char in enumerate(part):
            depth += (char == "{") - (char == "}")
            if depth == 0:
                found.append(part[:place].strip())
                break
    different = list(dict.fromkeys(found))
    return different if len(different) > 2 else []


WRONG: dict[str, dict[str, Any]] = {
    "q04a": {
        "a short response": lambda response: len(response) < 5,
        "no box": lambda response: "boxed" not in response,
        "no digit": lambda response: not re.search(r"\d", response),
        "a long response": lambda response: len(response) > 40,
        "one line": lambda response: "\n" not in response,
    },
    "q04b": {
        "filler by sentence": filler_by_sentence,
        "filler without the question": filler_without_the_question,
        "filler by word": filler_by_word,
        "filler by parts of words": filler_by_parts_of_words,
        "filler by parts of the question": filler_by_parts_of_the_question,
        "the share of the rest": lambda response, question: (
            1 - filler_without_the_question(response, question)
        ),
    },
    "q04c": {
        "boxes to the first brace": boxes_to_the_first_brace,
        "every box": every_box,
        "any two boxes": any_two_boxes,
        "true or false": lambda response: response.count("boxed") >= 3,
    },
    "q04d": {
        "the recall": 0.9,
        "one less the false alarm rate": 0.95,
        "a flag too many": 18 / 68,
        "all hacks over the flagged": 20 / 67,
        "flagged hacks over all samples": 18 / 1000,
        "the share of false alarms": 49 / 67,
        "a text": "0.2687",
    },
    "q04e": {
        "the chain for all": ["chain"] * 5,
        "the last line taken for vouched": ["chain", "chain", "kept", "chain", "nothing"],
        "the fitted head file trusted": ["chain", "head", "head", "chain", "nothing"],
        "the gap at the start missed": ["chain", "head", "kept", "kept", "nothing"],
        "a true log taken for a forged one": ["chain", "head", "kept", "chain", "kept"],
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q04a": {"by its length": lambda response: len(response.strip()) < 40},
    "q04b": {"sentence by sentence": filler_by_sentences},
    "q04c": {"by counting braces": boxes_by_braces},
    "q04d": {"a fraction": Fraction(18, 67)},
    "q04e": {"a tuple": ("chain", "head", "kept", "chain", "nothing")},
}
"""Right answers that look unlike the solution."""
