"""One group into pairs: each right × wrong pair has one fate, and a group without pairs a reason.

Fates, in the order in which they are decided:

    no_prompt         the samples don't hold the messages that were sent
    flagged_winner    the winner is suspected of a hack
    false_winner      the winner is wrong: the verifier paid it by mistake
    open_winner       nobody can tell whether the winner is right
    poisoned_loser    the loser is right: the verifier rejected it by mistake
    open_loser        nobody can tell whether the loser is wrong
    not_unicode       a text holds half a surrogate pair, which no UTF-8 file can hold
    identical_texts   winner and loser say the same
    duplicate         another pair of the group has the same two texts (``dedupe``)
    over_cap          not drawn (``max_pairs_per_group``)
    length_balance    no counterpart of the other sign (``balance_lengths``)
    built             given

The winner is looked at first, so that a pair with two faults counts under the winner's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rlvr_course.pairs.choice import Duel, PairChoice, without_repeats
from rlvr_course.pairs.labels import Label, Labels
from rlvr_course.records import PreferencePair, Sample

FATES = (
    "built",
    "no_prompt",
    "flagged_winner",
    "false_winner",
    "open_winner",
    "poisoned_loser",
    "open_loser",
    "not_unicode",
    "identical_texts",
    "duplicate",
    "over_cap",
    "length_balance",
)

_REASON_WHERE_ALL = {
    "flagged_winner": "only_flagged_winners",
    "false_winner": "only_false_winners",
    "open_winner": "only_open_winners",
    "poisoned_loser": "only_poisoned_losers",
    "open_loser": "only_open_losers",
}
REASONS = (
    "empty",
    "all_masked",
    "too_small",
    "uniform_correct",
    "uniform_incorrect",
    "no_prompt",
    *_REASON_WHERE_ALL.values(),
    "no_usable_winner",
    "no_usable_loser",
    "not_unicode",
    "identical_texts",
    "length_balance",
)


@dataclass(frozen=True)
class GroupPairs:
    """What one group gave.

    Args:
        pairs: the pairs, by the winner's index and then the loser's.
        fates: how many of the group's right × wrong pairs met each of ``FATES``; zeros left out.
        reason: one of ``REASONS`` where there is no pair, else "".
        samples, labelled: number of samples, and of those that had a label.
    """

    pairs: tuple[PreferencePair, ...]
    fates: Mapping[str, int]
    reason: str
    samples: int
    labelled: int = 0

    def keep(self, kept: Sequence[bool], fate: str) -> GroupPairs:
        """The same group with some of its pairs taken out, which all meet ``fate``."""
        left = tuple(pair for pair, stays in zip(self.pairs, kept, strict=True) if stays)
        if len(left) == len(self.pairs):
            return self
        fates = {**self.fates, "built": len(left), fate: len(self.pairs) - len(left)}
        reason = self.reason if left else fate
        return replace(self, pairs=left, fates=+Counter(fates), reason=reason)


def pair_group(
    group: Sequence[Sample], labels: Labels | None = None, *, choice: PairChoice | None = None
) -> GroupPairs:
    """Pair each right sample of a group with each wrong one, as far as both are fit for it.

    Args:
        group: samples of one problem, sampled with the same messages.
        labels: what is known of them besides their verdicts.
        choice: which clean pairs to keep; all if None.

    Returns:
        The pairs and what became of every other right × wrong pair. A sample with a partial
        score counts as wrong, as in its ``verified_correct``; an ungraded one is in no pair.

    Raises:
        ValueError: the group mixes problems or messages.
    """
    labels = Labels() if labels is None else labels
    _check_same_request(group)
    known = [(sample, labels.of(sample)) for sample in group]
    winners = [item for item in known if item[0].verified_correct is True]
    losers = [item for item in known if item[0].verified_correct is False]
    labelled = sum(bool(found) for _, found in known)
    reason = _reason_by_verdicts(len(group), len(winners), len(losers))
    if reason:
        return GroupPairs((), {}, reason, len(group), labelled)
    if not group[0].messages:
        fates = {"no_prompt": len(winners) * len(losers)}
        return GroupPairs((), fates, "no_prompt", len(group), labelled)
    clean_winners, winner_fates = _sift(winners, _fate_of_winner)
    clean_losers, loser_fates = _sift(losers, _fate_of_loser)
    duels = [(winner, loser) for winner in clean_winners for loser in clean_losers]
    kept, fates = _choose(duels, choice or PairChoice())
    fates.update({fate: n * len(losers) for fate, n in winner_fates.items()})
    for fate, n in loser_fates.items():
        fates[fate] += n * len(clean_winners)
    reason = "" if kept else _reason_by_fates(winner_fates, loser_fates, clean_winners, fates)
    return GroupPairs(_pairs(kept), +fates, reason, len(group), labelled)


def _check_same_request(group: Sequence[Sample]) -> None:
    for sample in group[1:]:
        if sample.problem != group[0].problem:
            raise ValueError(
                f"a group mixes the problems {_name(group[0])!r} and {_name(sample)!r}: "
                "give one group for each problem"
            )
        if sample.messages != group[0].messages:
            raise ValueError(
                f"a group of problem {_name(sample)!r} mixes prompts (index {sample.index} was "
                "sent other messages): give one group for each prompt"
            )


def _name(sample: Sample) -> str:
    return sample.problem.id or sample.problem.question


def _reason_by_verdicts(size: int, winners: int, losers: int) -> str:
    """Why the verdicts alone leave nothing to pair; "" where they don't."""
    if size == 0:
        return "empty"
    if winners + losers == 0:
        return "all_masked"
    if winners + losers == 1:
        return "too_small"
    if losers == 0:
        return "uniform_correct"
    return "" if winners else "uniform_incorrect"


def _fate_of_winner(found: frozenset[Label]) -> str:
    if not found:
        return ""
    if "suspected_hack" in found:
        return "flagged_winner"
    if "verifier_error" in found or False in found:
        return "false_winner"
    return "open_winner" if "open" in found or None in found else ""


def _fate_of_loser(found: frozenset[Label]) -> str:
    if not found:
        return ""
    if "verifier_error" in found or True in found:
        return "poisoned_loser"
    return "open_loser" if "open" in found or None in found else ""


def _sift(
    known: Sequence[tuple[Sample, frozenset[Label]]], fate_of: Callable[[frozenset[Label]], str]
) -> tuple[list[Sample], Counter[str]]:
    """The samples that may be in a pair, in an order of their own, and the others counted."""
    clean: list[Sample] = []
    fates: Counter[str] = Counter()
    for sample, found in known:
        fate = fate_of(found) or ("" if _is_unicode(sample.response) else "not_unicode")
        if fate:
            fates[fate] += 1
        else:
            clean.append(sample)
    clean.sort(key=lambda sample: (sample.index, sample.response, sample.policy_id))
    return clean, fates


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _choose(duels: Sequence[Duel], choice: PairChoice) -> tuple[list[Duel], Counter[str]]:
    unlike = [duel for duel in duels if duel[0].response != duel[1].response]
    single = without_repeats(unlike) if choice.dedupe else unlike
    kept = choice.draw(single)
    fates = Counter(
        built=len(kept),
        identical_texts=len(duels) - len(unlike),
        duplicate=len(unlike) - len(single),
        over_cap=len(single) - len(kept),
    )
    return kept, fates


def _reason_by_fates(
    winner_fates: Counter[str],
    loser_fates: Counter[str],
    clean_winners: Sequence[Sample],
    fates: Counter[str],
) -> str:
    if fates["identical_texts"]:
        return "identical_texts"
    side, ours = ("loser", loser_fates) if clean_winners else ("winner", winner_fates)
    if len(ours) > 1:
        return f"no_usable_{side}"
    (fate,) = ours
    return _REASON_WHERE_ALL.get(fate, fate)


def _pairs(duels: Sequence[Duel]) -> tuple[PreferencePair, ...]:
    # One tuple for each text and prompt, shared by all pairs of the group.
    said = {id(s): ({"role": "assistant", "content": s.response},) for duel in duels for s in duel}
    return tuple(
        PreferencePair(winner.messages, said[id(winner)], said[id(loser)], _origin(winner, loser))
        for winner, loser in duels
    )


def _origin(winner: Sample, loser: Sample) -> dict[str, str | int]:
    return {
        "problem_id": winner.problem.id,
        "chosen_index": winner.index,
        "rejected_index": loser.index,
        "chosen_reason": winner.reason,
        "rejected_reason": loser.reason,
        "chosen_policy_id": winner.policy_id,
        "rejected_policy_id": loser.policy_id,
    }
