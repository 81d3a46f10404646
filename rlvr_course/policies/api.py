"""A policy behind any OpenAI-compatible chat endpoint: OpenAI, Ollama, LM Studio, vLLM.

Requests go out a few at a time, from threads, so that it works inside a notebook's running event
loop. Each finished completion is kept as it arrives; after an interruption, an error or a
restart the same call samples only what is missing.

    >>> from rlvr_course.policies.protocol import Request
    >>> policy = ApiPolicy("llama3.2", base_url="http://localhost:11434/v1")
    >>> policy
    ApiPolicy('api (llama3.2 at localhost:11434)')
    >>> ask = Request([{"role": "user", "content": "What is 12 * 13?"}], n=4, max_tokens=100)
    >>> print(policy.estimate([ask]))
    4 completions by llama3.2: about 48 tokens in, at most 400 out, price unknown
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies.cost import CostEstimate, estimate_cost
from rlvr_course.policies.endpoint import resolve_endpoint
from rlvr_course.policies.failures import Failure, Limits, failure_of
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.store import CompletionStore, Kept, Slot
from rlvr_course.records import Completion

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_MAX_TOKENS = 1024
"""Limit on a completion whose request states none, so that an estimate is a bound."""

ANNOUNCE_FROM = 20
"""An estimate is printed before sampling this many completions or more."""


class _Job(NamedTuple):
    request: Request
    slot: Slot


class ApiPolicy:
    """Samples completions over an OpenAI-compatible API.

    Args:
        model: else OPENAI_MODEL, else gpt-4.1-nano.
        base_url: else OPENAI_BASE_URL, else OpenAI's.
        api_key: else OPENAI_API_KEY, else asked for by getpass where someone can answer. Kept in
            memory only. A server on this machine needs none.
        cache_path: JSONL file that keeps each completion as it arrives: the same call then
            returns the same completions, even from another process. With None, only what an
            unfinished call had sampled is kept, in memory, until the call is made again.
        limits: concurrency, timeout, retries and waits.
        progress: show a bar while sampling, and the estimate before a large call.

    Raises:
        ValueError: the base URL is not one.
        PolicyUnavailable: no key and no one to ask.
        DataError: the cache can't be read.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        cache_path: str | Path | None = None,
        limits: Limits | None = None,
        progress: bool = True,
    ) -> None:
        self._endpoint = resolve_endpoint(model, base_url, api_key)
        self._limits = limits or Limits()
        self._store = CompletionStore(cache_path)
        self._progress = progress
        self._rng = random.Random()
        self._limit_name = "max_tokens"

    @property
    def policy_id(self) -> str:
        """The model, and the host where it is not OpenAI's."""
        endpoint = self._endpoint
        place = "" if endpoint.is_openai else f" at {endpoint.host}"
        return f"api ({endpoint.model}{place})"

    @property
    def model(self) -> str:
        """The model's name as sent."""
        return self._endpoint.model

    @property
    def host(self) -> str:
        """Host and port that requests go to."""
        return self._endpoint.host

    def __repr__(self) -> str:
        return f"ApiPolicy({self.policy_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an ApiPolicy holds a key and can't be pickled; make it anew")

    def estimate(self, requests: Sequence[Request]) -> CostEstimate:
        """What sampling these requests will cost, leaving out what is already kept."""
        return self._estimate([job for job in self._jobs(requests) if not self._kept(job)])

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """One group for each request, one API call for each completion that is not kept.

        Raises:
            PolicyUnavailable: wrong key, unknown model, dead endpoint, or a failure that outlasts
                the retries. What had arrived is kept: the same call goes on from there.
            DataError: the cache can't be written.
        """
        jobs = list(self._jobs(requests))
        missing = [job for job in jobs if not self._kept(job)]
        if missing:
            if self._progress and len(missing) >= ANNOUNCE_FROM:
                print(self._estimate(missing))
            self._sample(missing, len(jobs))
        rest = iter(jobs)
        groups = [
            [self._completion(next(rest), index) for index in range(request.n)]
            for request in requests
        ]
        if self._store.path is None:
            self._store.forget(job.slot for job in jobs)
        return groups

    def _jobs(self, requests: Sequence[Request]) -> Iterator[_Job]:
        """One job a completion. Equal requests in one call get slots of their own, in order."""
        used: Counter[Slot] = Counter()
        for request in requests:
            limit = request.max_tokens or DEFAULT_MAX_TOKENS
            first = Slot(self.host, self.model, request.key, limit, request.seed, 0)
            for _ in range(request.n):
                yield _Job(request, replace(first, index=used[first]))
                used[first] += 1

    def _kept(self, job: _Job) -> bool:
        return self._store.get(job.slot) is not None

    def _estimate(self, jobs: Sequence[_Job]) -> CostEstimate:
        prompts = [
            ("".join(m["content"] for m in job.request.messages), job.slot.max_tokens)
            for job in jobs
        ]
        return estimate_cost(prompts, model=self.model, priced=self._endpoint.is_openai)

    def _completion(self, job: _Job, index: int) -> Completion:
        kept = self._store.get(job.slot)
        assert kept is not None, "every job is kept once sampling has returned"
        return Completion(
            text=kept.text,
            messages=job.request.messages,
            finish_reason=kept.finish_reason,
            policy_id=self.policy_id,
            index=index,
            seed=_seed(job),
        )

    def _sample(self, jobs: Sequence[_Job], total: int) -> None:
        """Sample all jobs into the store; on any error stop the rest and keep what arrives."""
        from openai import OpenAI
        from tqdm import tqdm

        # One reply needs no bar.
        quiet = not self._progress or len(jobs) < 2
        stop = threading.Event()
        workers = min(self._limits.max_concurrency, len(jobs))
        with (
            OpenAI(
                api_key=self._endpoint.key.reveal(),
                base_url=self._endpoint.base_url,
                timeout=self._limits.timeout_s,
                max_retries=0,
            ) as client,
            tqdm(total=len(jobs), unit="completion", disable=quiet) as bar,
            ThreadPoolExecutor(workers, thread_name_prefix="rlvr-api") as pool,
        ):
            futures = [pool.submit(self._sample_one, client, job, stop) for job in jobs]
            try:
                failure = _first_failure(futures, bar)
                # The error that follows says how far it came.
                bar.leave = failure is None
            finally:
                # Also on an interrupt: replies already under way are waited for and kept.
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        if failure is not None:
            raise PolicyUnavailable(failure.message + self._what_is_kept(jobs, total))

    def _what_is_kept(self, jobs: Sequence[_Job], total: int) -> str:
        kept = total - sum(not self._kept(job) for job in jobs)
        if not kept:
            return ""
        return f"; {kept} of {total} completions are kept, the same call samples the rest"

    def _sample_one(self, client: OpenAI, job: _Job, stop: threading.Event) -> Failure | None:
        """Sample one completion into the store; a failure stops every other worker too."""
        try:
            outcome = self._try_until_done(client, job, stop)
            if isinstance(outcome, Kept):
                self._store.keep(job.slot, outcome)
                return None
        except BaseException:
            stop.set()
            raise
        if outcome is not None:
            # Here, not when the caller hears of it: by then this thread would have begun, and
            # paid for, the next completion.
            stop.set()
        return outcome

    def _try_until_done(
        self, client: OpenAI, job: _Job, stop: threading.Event
    ) -> Kept | Failure | None:
        """Try again while a failure may pass; None if stopped first."""
        pause = self._limits.sleep or stop.wait
        tries = 0
        while not stop.is_set():
            limit_name = self._limit_name
            outcome = self._try(client, job, limit_name)
            if isinstance(outcome, Kept):
                return outcome
            if outcome.other_limit_name and limit_name == "max_tokens":
                self._limit_name = "max_completion_tokens"
                continue
            if not outcome.passing or tries >= self._limits.max_retries:
                return outcome
            pause(self._limits.wait_s(tries, outcome.asked_s, self._rng))
            tries += 1
        return None

    def _try(self, client: OpenAI, job: _Job, limit_name: str) -> Kept | Failure:
        """One API call. The one place where any error of the client becomes a Failure."""
        options: dict[str, Any] = {limit_name: job.slot.max_tokens}
        if job.request.seed is not None:
            options["seed"] = _seed(job)
        try:
            reply = client.chat.completions.create(
                model=self.model,
                messages=[dict(m) for m in job.request.messages],  # type: ignore[arg-type]
                temperature=job.request.temperature,
                **options,
            )
            return _kept(reply)
        except Exception as error:
            return failure_of(error, self._endpoint)


def _first_failure(futures: Sequence[Future[Failure | None]], bar: Any) -> Failure | None:
    for future in as_completed(futures):
        failure = future.result()
        if failure is not None:
            return failure
        bar.update()
    return None


def _kept(reply: Any) -> Kept:
    """What to keep of a reply; any shape that is not a chat completion's raises."""
    choice = reply.choices[0]
    text = choice.message.content
    if text is None:
        text = getattr(choice.message, "refusal", None) or ""
    if not isinstance(text, str):
        raise TypeError("the content of the reply is not a text")
    usage = reply.usage
    return Kept(
        text=text,
        finish_reason=choice.finish_reason or "stop",
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=getattr(usage, "completion_tokens", None),
    )


def _seed(job: _Job) -> int | None:
    return None if job.request.seed is None else job.request.seed + job.slot.index
