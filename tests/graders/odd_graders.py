"""Graders that misbehave on demand; the tests put this folder on a child's path."""

import os
import threading


def load_odd():
    return grade


def load_missing():
    raise ImportError("no module named 'sums'")


def grade(completion, gold):
    """Do what the completion says; else pay if it is the gold."""
    if completion == "hang":
        threading.Event().wait()
    if completion == "die":
        os._exit(3)
    if completion == "raise":
        raise ArithmeticError("can't add up")
    if completion == "abstain":
        return None
    print("noise that is no reply")
    return completion == gold
