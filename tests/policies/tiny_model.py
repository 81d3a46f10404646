"""A model of 50,400 random weights with a token for each character: quick, and not SmolLM2."""

import pytest


def tiny_loaded():
    """What ``smollm2.load`` returns, for a tiny model; the test is skipped without torch."""
    pytest.importorskip("torch", reason="needs the extra train")
    from rlvr_course.policies.smollm2 import Loaded
    from rlvr_course.training.tiny import character_tokenizer, new_model

    return Loaded(new_model(seed=1), character_tokenizer())
