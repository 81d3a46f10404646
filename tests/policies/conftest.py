"""Fixtures for policies: a live chat server, and no settings from outside."""

import pytest
from chat_server import ChatServer


@pytest.fixture
def server():
    chat = ChatServer()
    yield chat
    chat.close()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    """No key, URL or model from the environment of whoever runs the tests, and no proxy."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
