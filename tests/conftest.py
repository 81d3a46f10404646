"""Settings for all tests: no deadline per Hypothesis example, since test machines are noisy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("course", deadline=None)
settings.load_profile("course")
