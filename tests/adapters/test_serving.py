"""Which addresses may be listened on, and how the command starts and stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

pytest.importorskip("uvicorn")

from reward_server import Client

from rlvr_course.adapters.serving import check_address
from rlvr_course.cli import main
from rlvr_course.cli.serve import TOKEN_VARIABLE


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.org", "127.0.0.1.x"])
def test_an_address_that_others_reach_needs_a_token(host):
    with pytest.raises(ValueError, match=f"set a token in {TOKEN_VARIABLE}"):
        check_address(host, "")
    check_address(host, "secret")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_this_machine_needs_none(host):
    check_address(host, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "can be reached from other machines"),
        (["--domain", "poetry"], "not one of math, code"),
        (["--wrong", "1"], "would pay for a wrong answer"),
        (["--workers", "0"], "workers=0"),
    ],
    ids=["host", "domain", "price", "workers"],
)
def test_a_mistake_is_one_line(arguments, message, capsys, monkeypatch):
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    assert main(["serve", *arguments]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_port_in_use_is_one_line(capsys, monkeypatch):
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 1
    said = capsys.readouterr().err
    assert f"127.0.0.1:{port}" in said
    assert "--port" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_the_command_serves_until_it_is_stopped(number):
    command = [sys.executable, "-m", "rlvr_course", "serve", "--port", "0", "--wrong", "-1"]
    env = {**os.environ, TOKEN_VARIABLE: "secret"}
    with subprocess.Popen(command, env=env, stdout=-1, stderr=-1, text=True) as server:
        first = server.stdout.readline()
        port = int(re.search(r":(\d+)/get_reward \(a token is asked for\)", first)[1])
        body = {"query": ["q 41"], "prompts": ["q"], "labels": ["42"]}
        client = Client(port)
        assert client.post(body)[0] == 401
        assert client.post(body, authorization="Bearer secret")[1]["rewards"] == [-1.0]
        server.send_signal(number)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "stopped\n", "")
