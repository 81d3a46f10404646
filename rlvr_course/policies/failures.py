"""What went wrong with one request to an API, whether to try again, and how long to wait."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rlvr_course.policies.endpoint import Endpoint


@dataclass(frozen=True)
class Limits:
    """How hard an API policy may try.

    Args:
        max_concurrency: requests in flight at a time, at least 1.
        timeout_s: seconds to wait for one reply.
        max_retries: further tries after a failure that may pass.
        first_wait_s: wait before the first retry; it doubles each time, with jitter.
        longest_wait_s: cap on any wait, a server's Retry-After included.
        sleep: waits so many seconds; None waits in a way that an interrupt ends at once.

    Raises:
        ValueError: a number out of range.
    """

    max_concurrency: int = 8
    timeout_s: float = 60.0
    max_retries: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    sleep: Callable[[float], object] | None = None

    def __post_init__(self) -> None:
        if self.max_concurrency < 1:
            raise ValueError(f"max_concurrency={self.max_concurrency}: it must be 1 or more")
        if self.max_retries < 0:
            raise ValueError(f"max_retries={self.max_retries}: it must be 0 or more")
        if not self.timeout_s > 0:
            raise ValueError(f"timeout_s={self.timeout_s}: it must be above 0")
        if not 0 <= self.first_wait_s <= self.longest_wait_s:
            raise ValueError(
                f"first_wait_s={self.first_wait_s} must lie in [0, {self.longest_wait_s}]"
            )

    def wait_s(self, attempt: int, asked_s: float | None, rng: random.Random) -> float:
        """Seconds before try ``attempt + 1``: backoff with jitter, or longer if the server asks.

        >>> Limits(first_wait_s=1, longest_wait_s=8).wait_s(9, 30.0, random.Random(0))
        8
        """
        backoff = min(self.longest_wait_s, self.first_wait_s * 2.0 ** min(attempt, 30))
        jittered = backoff * (0.5 + rng.random() / 2)
        return min(self.longest_wait_s, max(jittered, asked_s or 0.0))


@dataclass(frozen=True)
class Failure:
    """Why one request failed.

    Args:
        message: one line with the remedy.
        passing: whether it may pass, so that trying again makes sense.
        asked_s: seconds that the server asked to wait.
        other_limit_name: the server wants ``max_completion_tokens`` for ``max_tokens``.
    """

    message: str
    passing: bool = False
    asked_s: float | None = None
    other_limit_name: bool = False


def failure_of(error: Exception, endpoint: Endpoint) -> Failure:
    """Read an error of the ``openai`` package, or of reading a reply.

    The text of the error is never passed on as it is: a server may echo the key.
    """
    import openai

    where = endpoint.host
    if isinstance(error, openai.APITimeoutError):
        return Failure(f"{where} did not reply in time; raise timeout_s or try later", passing=True)
    if isinstance(error, openai.APIStatusError):
        text = _server_text(error.body) or str(error)
        return _status_failure(error.status_code, error.response.headers, text, endpoint)
    if isinstance(error, openai.APIConnectionError):
        if _never_connected(error):
            return Failure(
                f"nothing answers at {where}: start the server there or correct OPENAI_BASE_URL; "
                "mode 'fake' needs no server"
            )
        return Failure(f"{where} cut the connection; try later", passing=True)
    return Failure(
        f"{where} sent a reply that is not a chat completion ({type(error).__name__}); check that "
        "the base URL ends where its API begins (usually /v1)",
        passing=True,
    )


def _server_text(body: object) -> str:
    """The message and code that a server put into the body of an error, "" if none.

    Servers built on FastAPI, such as ``transformers serve``, say "detail" for "message".
    """
    if not isinstance(body, Mapping):
        return ""
    return " ".join(str(body[name]) for name in ("message", "detail", "code") if body.get(name))


def _status_failure(
    status: int, headers: Mapping[str, str], text: str, endpoint: Endpoint
) -> Failure:
    where = endpoint.host
    if status == 401:
        return Failure(f"{where} refused the API key (401): wrong key? check OPENAI_API_KEY")
    if status == 403:
        return Failure(
            f"{where} forbids this (403): wrong key, or it may not use model {endpoint.model!r}"
        )
    if status == 404:
        return Failure(
            f"{where} has no model {endpoint.model!r} or no API at this path (404): check "
            "OPENAI_MODEL and OPENAI_BASE_URL"
        )
    if status == 429 and "insufficient_quota" in text:
        return Failure(f"{where}: the account has no credit left (429); add credit")
    if status == 429:
        return Failure(f"{where} limits the rate (429); try later", True, retry_after_s(headers))
    if status in (408, 409) or status >= 500:
        return Failure(f"{where} failed ({status}); try later", True, retry_after_s(headers))
    return Failure(
        f"{where} rejected the request ({status}): {endpoint.redact(text)}",
        other_limit_name="max_completion_tokens" in text,
    )


def retry_after_s(headers: Mapping[str, str], now_s: float | None = None) -> float | None:
    """Seconds that a reply asks to wait, from Retry-After in seconds or as a date.

    >>> retry_after_s({"retry-after": "1.5"}), retry_after_s({"retry-after": "soon"})
    (1.5, None)
    """
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            then = email.utils.parsedate_to_datetime(text).timestamp()
        except (ValueError, OverflowError):
            return None
        seconds = then - (time.time() if now_s is None else now_s)
    return max(0.0, seconds) if seconds == seconds else None


def _never_connected(error: BaseException) -> bool:
    """Whether the connection was refused or the host not found, by the chain of causes."""
    cause: BaseException | None = error
    while cause is not None:
        # By name: the HTTP library under ``openai`` differs between its major versions.
        if isinstance(cause, ConnectionRefusedError) or type(cause).__name__ == "ConnectError":
            return True
        cause = cause.__cause__ or cause.__context__
    return False
