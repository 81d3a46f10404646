"""Preference pairs: a right and a wrong answer to the same messages, with the poison left out.

    labels.py    what is known of a sample besides its verdict
    choice.py    which of a group's clean pairs to keep
    group.py     one group into pairs, each possible pair accounted for
    clusters.py  a mean over pairs, its interval over groups
    report.py    the counts over all groups
    balance.py   as many longer as shorter winners
    write.py     JSON Lines that ``datasets`` loads and TRL's DPOTrainer takes
    build.py     build_preferences and the streaming iter_preferences

A pair teaches "more like this, less like that". Three kinds of pair teach something false, and
labels keep them out: a winner that is suspected of a hack, a loser that is right (the verifier
erred: the pair would punish a right answer), and a winner that is wrong.
"""

from rlvr_course.pairs.balance import balance_lengths
from rlvr_course.pairs.build import build_preferences, iter_preferences
from rlvr_course.pairs.choice import PairChoice
from rlvr_course.pairs.group import GroupPairs, pair_group
from rlvr_course.pairs.labels import Labels
from rlvr_course.pairs.report import PairReport
from rlvr_course.pairs.write import write_preferences

__all__ = [
    "GroupPairs",
    "Labels",
    "PairChoice",
    "PairReport",
    "balance_lengths",
    "build_preferences",
    "iter_preferences",
    "pair_group",
    "write_preferences",
]
