"""Skips what needs a browser where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from devtools import NAMES, Page, browser_page, find_browser


@pytest.fixture
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A tab of a fresh headless browser."""
    if find_browser() is None:
        pytest.skip(f"no Chromium: none of {', '.join(NAMES)} on the path, CHROMIUM is not set")
    with browser_page(tmp_path_factory.mktemp("browser")) as tab:
        yield tab
