"""One batch of programs on this machine or on a Ray cluster: the same call, the same verdicts.

A Ray task takes a shard of the batch and judges it on its node with a sandbox of that node's own.
Tasks that a node takes down with it are run again on the nodes that are left; that is safe, since
judging leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rlvr_course.records import Verdict
from rlvr_course.verifiers.programs.code import CodeVerifier
from rlvr_course.verifiers.protocol import Verifier, verify_many

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")

RETRIES = 5
"""How many nodes a shard may lose before its verdicts are "ungraded"."""

Item = tuple[str, Any]


def score_batch(
    items: Sequence[Item],
    engine: Engine = "local",
    *,
    verifier: Verifier | None = None,
    shard_size: int = 32,
) -> list[Verdict]:
    """Judge responses against answers, here or on a Ray cluster.

    Args:
        items: (response, answer) pairs; for the default verifier a program and its tests.
        engine: "local", or "ray": the cluster that ``ray.init`` has connected to; without one, a
            cluster on this machine is started. Needs the extra ``ray``.
        verifier: that judges them; it has to pickle, since it is sent to the nodes.
            ``CodeVerifier()`` if None.
        shard_size: items in one task, at least 1. Small shards spread evenly and lose little with
            a node; large ones send the verifier less often.

    Returns:
        One verdict for each item, in order. A shard whose node was lost again and again is
        "ungraded", with the reason.

    Raises:
        ValueError: an unknown engine, or a shard_size below 1.
        ImportError: Ray isn't installed; the message says how to install it.

    >>> score_batch([])
    []
    """
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}: use {' or '.join(ENGINES)}")
    if shard_size < 1:
        raise ValueError(f"shard_size={shard_size}: a task takes at least one item")
    judge = CodeVerifier() if verifier is None else verifier
    if engine == "local" or not items:
        return _judge(judge, items)
    return _on_ray(judge, items, shard_size)


def _judge(verifier: Verifier, items: Sequence[Item]) -> list[Verdict]:
    return verify_many(verifier, [item[0] for item in items], [item[1] for item in items])


def _on_ray(verifier: Verifier, items: Sequence[Item], shard_size: int) -> list[Verdict]:
    ray = _ray()
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    # A lost node is a system failure, which Ray retries; an exception of the verifier's is not.
    task = ray.remote(max_retries=RETRIES, num_cpus=1)(_judge)
    sent = ray.put(verifier)
    shards = [items[i : i + shard_size] for i in range(0, len(items), shard_size)]
    pending = [task.remote(sent, list(shard)) for shard in shards]
    verdicts: list[Verdict] = []
    for shard, reference in zip(shards, pending, strict=True):
        try:
            verdicts += ray.get(reference)
        except ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines()
            reason = f"ray_failed: {type(error).__name__}: {lines[-1] if lines else ''}"[:200]
            verdicts += [Verdict.ungraded(reason)] * len(shard)
    return verdicts


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ImportError(
            "engine='ray' needs Ray: install it with `uv sync --extra ray` "
            "or `pip install 'rlvr-course[ray]'`"
        ) from None
    return ray
