"""Leave torch, numpy, random and the libraries' talk as they were found.

A training run seeds all three generators, computes on one thread and wants one progress bar; the
notebook that started it should notice none of that afterwards.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread inside.

    A tiny model gains nothing from a second one, and sums come out the same on every run.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def generators_restored() -> Iterator[None]:
    """Whatever is seeded or drawn inside leaves no trace in the caller's random generators."""
    import numpy as np
    import torch

    states = random.getstate(), np.random.get_state(), torch.random.get_rng_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.random.set_rng_state(states[2])


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch inside, and leave its generator outside as it was."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """No progress bars, advice or deprecations of the libraries, and no word to their makers.

    TRL reports the class of every trainer that is made to its makers' server unless told not to;
    a run here sends nothing to anyone.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook, importing tqdm gives advice on its bars
        from datasets.utils import (
            are_progress_bars_disabled,
            disable_progress_bars,
            enable_progress_bars,
        )
        from huggingface_hub import constants
        from transformers.utils import logging

    silent = constants.HF_HUB_DISABLE_TELEMETRY
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    data_bars = not are_progress_bars_disabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    disable_progress_bars()
    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        constants.HF_HUB_DISABLE_TELEMETRY = silent
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
        if data_bars:
            enable_progress_bars()
