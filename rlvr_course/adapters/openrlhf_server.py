"""OpenRLHF's door: a reward server.

    POST /get_reward  {"query": [...], "prompts": [...], "labels": [...]}
                  ->  {"rewards": [...], "scores": [...], "extra_logs": {...}}

``query`` holds prompts with their responses, ``labels`` the reference answers. Rewards train,
scores (0 to 1) filter groups, and ``extra_logs`` holds numbers to plot. There is no mask at this
door: an ungraded completion is paid the floor and counted in ``extra_logs["ungraded"]``.

Errors are one line of JSON, ``{"error": ...}``, that says what to change.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rlvr_course.adapters.answer_text import answer_from_text
from rlvr_course.adapters.openrlhf_query import END_TOKENS, split_query
from rlvr_course.adapters.scored import Scored, VerifiedReward
from rlvr_course.verifiers.boundary import describe_error

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MAX_BODY_BYTES = 32 * 1024 * 1024
MAX_ITEMS = 4096
FIELDS = ("query", "prompts", "labels")


@dataclass(frozen=True)
class Limits:
    """What one request may ask for, and how many are scored at once."""

    body_bytes: int = MAX_BODY_BYTES
    items: int = MAX_ITEMS
    workers: int = 4

    def __post_init__(self) -> None:
        for name in ("body_bytes", "items", "workers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: it must be at least 1")


class _Refused(Exception):
    """A request that can't be answered: the status and a line that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def create_app(
    reward: VerifiedReward,
    *,
    token: str = "",
    end_tokens: Sequence[str] = END_TOKENS,
    limits: Limits | None = None,
) -> Starlette:
    """The server as a Starlette application.

    Args:
        reward: the verifier and its prices.
        token: what a client must show, as a bearer token or as the password of its URL
            (``http://reward:TOKEN@host:port/get_reward``, which OpenRLHF's client can send);
            none is asked for if "".
        end_tokens: taken off the end of responses.
        limits: of a request; ``Limits()`` if None.

    Returns:
        An application with ``POST /get_reward`` and ``GET /health``.

    Raises:
        ModuleNotFoundError: the extra ``serve`` is missing.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    door = _Door(reward, token, end_tokens, limits or Limits())
    routes = [
        Route("/get_reward", door.get_reward, methods=["POST"]),
        Route("/health", door.health, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found})


class _Door:
    """The two endpoints and what they share."""

    def __init__(
        self, reward: VerifiedReward, token: str, end_tokens: Sequence[str], limits: Limits
    ) -> None:
        self.reward, self.token = reward, token
        self.end_tokens, self.limits = tuple(end_tokens), limits
        self.counts: Counter[str] = Counter()
        self._slots: Any = None

    async def health(self, request: Request) -> Response:
        """How many completions were scored, and how they were judged."""
        return _json(200, {"status": "ok", "scored": dict(sorted(self.counts.items()))})

    async def get_reward(self, request: Request) -> Response:
        """Score one batch."""
        from anyio import CapacityLimiter, to_thread

        if self._slots is None:  # a limiter belongs to the event loop that it is made in
            self._slots = CapacityLimiter(self.limits.workers)
        try:
            self._check_token(request)
            batch = _batch(await self._body(request), self.limits.items)
            reply = await to_thread.run_sync(self._score, *batch, limiter=self._slots)
        except _Refused as refused:
            return _json(refused.status, {"error": str(refused)})
        except Exception as error:  # the boundary: a client gets one line, whatever happened here
            return _json(500, {"error": f"the reward failed: {describe_error(error)}"})
        return _json(200, reply)

    def _check_token(self, request: Request) -> None:
        if self.token and not _shows(request.headers.get("authorization", ""), self.token):
            raise _Refused(
                401,
                "no or a wrong token: send 'Authorization: Bearer TOKEN', or put it into the URL "
                "as http://reward:TOKEN@host:port/get_reward",
            )

    async def _body(self, request: Request) -> bytes:
        # A page in a browser can post any text to this machine, but not JSON by its name.
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise _Refused(415, f"content type {kind!r}: send application/json")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.limits.body_bytes:
                raise _Refused(
                    413, f"the body is above {self.limits.body_bytes} bytes: send fewer completions"
                )
        return bytes(body)

    def _score(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
    ) -> dict[str, Any]:
        pairs = zip(queries, prompts, strict=True)
        responses = [split_query(*pair, self.end_tokens) for pair in pairs]
        answers = [answer_from_text(label) for label in labels]
        split = [place for place, response in enumerate(responses) if response is not None]
        graded = self.reward.score(
            [responses[i] or "" for i in split], [answers[i] for i in split], policy_id="openrlhf"
        )
        lost = self.reward.ungraded("prompt_not_in_query")
        scored = [lost] * len(responses)
        for place, one in zip(split, graded, strict=True):
            scored[place] = one
        self.counts.update(one.verdict.status for one in scored)
        return _reply(scored)


def _reply(scored: Sequence[Scored]) -> dict[str, Any]:
    statuses = [one.verdict.status for one in scored]
    logs = ("correct", "partial", "incorrect", "no_answer", "ungraded")
    return {
        "rewards": [one.finite for one in scored],
        "scores": [one.verdict.score or 0.0 for one in scored],
        "extra_logs": {name: [float(status == name) for status in statuses] for name in logs},
    }


def _batch(body: bytes, most: int) -> tuple[list[str], list[str], list[Any]]:
    """The three lists of a request, checked.

    Raises:
        _Refused: not JSON, not such an object, or lists of different lengths.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _Refused(400, f"the body is not JSON ({describe_error(error)})") from None
    if not isinstance(data, Mapping):
        raise _Refused(400, f"the body is a {type(data).__name__}: send an object with {FIELDS}")
    query, prompts, labels = (_list(data, field) for field in FIELDS)
    if not len(query) == len(prompts) == len(labels):
        raise _Refused(
            400,
            f"{len(query)} in 'query', {len(prompts)} in 'prompts' and {len(labels)} in 'labels': "
            "send one of each for every completion",
        )
    if len(query) > most:
        raise _Refused(413, f"{len(query)} completions are above {most}: send fewer at once")
    for field, values in (("query", query), ("prompts", prompts)):
        wrong = next((value for value in values if not isinstance(value, str)), None)
        if wrong is not None:
            raise _Refused(400, f"{field!r} holds a {type(wrong).__name__}: send texts")
    return query, prompts, labels


def _list(data: Mapping[str, Any], field: str) -> list[Any]:
    if field not in data:
        near = {"query": "queries", "prompts": "prompt", "labels": "label"}[field]
        said = f" (it has {near!r})" if near in data else ""
        raise _Refused(400, f"the body has no {field!r}{said}: send {', '.join(FIELDS)}")
    if not isinstance(data[field], list):
        raise _Refused(400, f"{field!r} is a {type(data[field]).__name__}: send a list")
    return data[field]


def _shows(header: str, token: str) -> bool:
    """Whether an Authorization header holds the token."""
    scheme, _, value = header.partition(" ")
    shown = value.strip().encode()
    if scheme.lower() == "basic":
        try:
            shown = base64.b64decode(shown, validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
    elif scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(shown, token.encode())


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    message = f"{request.method} {request.url.path}: there are POST /get_reward and GET /health"
    return _json(status, {"error": message})


def _json(status: int, content: Mapping[str, Any]) -> Response:
    from starlette.responses import Response

    # ASCII and no NaN: any client can read it, and a lone surrogate in a message can't break it.
    body = json.dumps(content, allow_nan=False)
    return Response(body, status_code=status, media_type="application/json")
