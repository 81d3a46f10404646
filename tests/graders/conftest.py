from pathlib import Path

import pytest


@pytest.fixture
def odd(monkeypatch):
    """The loader of a grader that does what a completion says: hang, die, raise, abstain."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    return "odd_graders:load_odd"
