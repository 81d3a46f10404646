"""The same batch here and on a Ray cluster, one of whose nodes is lost on the way."""

from __future__ import annotations

import threading
import time
import warnings

import pytest

from rlvr_course import CodeVerifier, Verdict
from rlvr_course.verifiers.programs.ray_engine import score_batch

SQUARE = [{"input": "3\n", "expected": "9"}, {"input": "5\n", "expected": "25"}]
SLOW = "import time\ntime.sleep(0.2)\nprint(int(input()) ** 2)"
ITEMS = [(SLOW, SQUARE), ("print(9)", SQUARE), ("print(1", SQUARE), (SLOW, [])] * 6


def test_a_local_batch_is_judged_in_order(verifier) -> None:
    verdicts = score_batch(ITEMS[:4], verifier=verifier)
    assert [verdict.score for verdict in verdicts] == [1.0, 0.5, 0.0, None]


def test_any_verifier_can_judge_a_batch() -> None:
    verdicts = score_batch([("4", "4"), ("5", "4")], verifier=equal)
    assert [verdict.score for verdict in verdicts] == [1.0, 0.0]


def equal(response, answer, *, finish_reason="stop"):
    return Verdict("correct", 1.0) if response == answer else Verdict("incorrect", 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"engine": "spark"}, "engine='spark'"), ({"shard_size": 0}, "shard_size=0")],
    ids=["engine", "shard"],
)
def test_a_wrong_option_is_the_caller_s_mistake(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        score_batch(ITEMS, **options)


@pytest.fixture
def cluster(pool, monkeypatch):
    """Two nodes with one processor each, and a connection to them; ``pool`` says if any can run."""
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "120")  # before Ray reads its settings
    ray = pytest.importorskip("ray", reason="Ray is not installed: uv sync --extra ray")
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about sockets and future defaults
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        second = nodes.add_node(num_cpus=1)
        ray.init(address=nodes.address, log_to_driver=False)
        yield ray, nodes, second
        ray.shutdown()
        nodes.shutdown()


def is_busy(ray, node) -> bool:
    from ray._private.state import available_resources_per_node

    return available_resources_per_node().get(node.node_id, {}).get("CPU", 0) < 1


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_node_lost_mid_batch_changes_no_verdict(cluster) -> None:
    ray, nodes, second = cluster
    verifier = CodeVerifier("auto", 5, workers=1)
    found: list[Verdict] = []
    batch = threading.Thread(
        target=lambda: found.extend(score_batch(ITEMS, "ray", verifier=verifier, shard_size=2))
    )
    batch.start()
    deadline = time.monotonic() + 60
    while not is_busy(ray, second) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert is_busy(ray, second) and batch.is_alive()
    nodes.remove_node(second, allow_graceful=False)
    batch.join(timeout=300)
    assert found == score_batch(ITEMS, verifier=verifier)
    assert "ray_failed" not in " ".join(verdict.reason for verdict in found)
