"""TRL takes the rows as conversational preferences and trains on them."""

import pytest

pytest.importorskip("trl")
