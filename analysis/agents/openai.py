"""Models behind addresses that speak OpenAI's language: streamed answers, asked for again where the line fails."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from email.utils import parsedate_to_datetime
from math import isfinite
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from planoracle.analysis.agents.address import KEY, Address
from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.bounded import PLAIN, UnboundedError, bound
from planoracle.analysis.agents.setting import Call, Speaker
from planoracle.analysis.agents.streamed import MAX_CHARACTERS, Answer
from planoracle.analysis.agents.usage import Prices
from planoracle.instances.environment import AnyEnvironment, Message
from planoracle.instances.errors import InputError
from planoracle.instances.prompted import Prompted
from planoracle.instances.settings import Sampling

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["OpenAI"]

_ANY = Sampling()
#: Seconds: the longest pause that we make, and the longest that a server may ask for.
_LONGEST, _PATIENCE = 60.0, 300.0
#: Characters of what a server says that an error repeats.
_EXCERPT = 300
_KINDS = {401: "refused", 403: "refused", 404: "missing", 408: "timeout", 429: "rate_limit"}
#: States of a response after which the same request may have luck.
_AGAIN = (408, 409, 425, 429)
#: A rate limit that no waiting lifts.
_SPENT = "insufficient_quota"


class _Failure(NamedTuple):
    """Why a request was in vain, whether it may be made again, and after how many seconds if the server says so."""

    kind: str
    text: str
    again: bool
    pause: float | None = None


class OpenAI:
    """A model that plays: it is asked as a setting wants it, and what it writes is its move.

    Parameters
    ----------
    model
        As the server calls it.
    seed
        Sent with every request, so that servers that can answer alike.
    setting, heard
        What the model is asked, and who is told of every call, see `planoracle.analysis.agents.setting.Speaker`.
    base_url
        Address; without one that in the environment (``OPENAI_BASE_URL``), else OpenAI's own.
    key_variable
        Name of the variable of the environment with the key.
    temperature, max_tokens
        Sent if they are given, before what a setting wants.
    timeout
        Seconds for a whole answer.
    retries, backoff
        How often a request is made again that failed on the way, and the first pause in seconds; each is twice as
        long as the one before, or as long as the server says.
    input_price, output_price, cached_price
        Money for a million tokens, such as ``"2.50"``.
    seeded
        Whether `seed` is sent: some servers refuse it.

    Raises
    ------
    InputError
        If the extra ``openai`` is missing, or a value is not what it should be.
    """

    #: It waits for somebody else: many of them can play at once in one process.
    waits = True

    def __init__(
        self,
        model: str,
        *,
        seed: int = 0,
        setting: Prompted | None = None,
        heard: Callable[[Call], None] | None = None,
        base_url: str | None = None,
        key_variable: str = KEY,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float = 600.0,
        retries: int = 6,
        backoff: float = 0.5,
        input_price: str | None = None,
        output_price: str | None = None,
        cached_price: str | None = None,
        seeded: bool = True,
    ) -> None:
        _need()
        least = {"temperature": 0, "max_tokens": 1, "retries": 0, "backoff": 0}
        for field, value in zip(least, (temperature, max_tokens, retries, backoff), strict=True):
            if value is not None and not (isfinite(value) and value >= least[field]):
                raise InputError(f"must be a number from {least[field]} on", field=field, value=value)
        if not (isfinite(timeout) and timeout > 0):
            raise InputError("must be a number of seconds above 0", field="timeout", value=timeout)
        self.name = f"openai:{model}"
        self._speaker = Speaker(self.complete, self.name, setting, heard)
        self._model = model
        self._address = Address.of(base_url, key_variable)
        self._prices = Prices.of(input_price, output_price, cached_price)
        self._temperature, self._max_tokens, self._seed = temperature, max_tokens, seed if seeded else None
        self._timeout, self._retries, self._backoff = timeout, retries, backoff

    def about(self) -> dict[str, object]:
        """Return what it is, fit for JSON and for everybody to read."""
        found = {
            "model": self._model,
            "address": self._address.url,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "seeded": self._seed is not None,
        }
        return {key: value for key, value in found.items() if value is not None}

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Ask the model what comes next, as the setting wants it."""
        return await self._speaker.act(environment)

    async def complete(self, messages: Sequence[Message], sampling: Sampling = _ANY) -> Said:
        """Return the model's answer to a conversation; ``sampling`` is sent where the user has given nothing.

        Raises
        ------
        AgentError
            If there is no answer after all attempts.
        """
        request = self._request(messages, sampling)
        attempt = 0
        while isinstance(found := await self._attempt(request), _Failure):
            if attempt == self._retries or not found.again:
                tried = f" (tried {attempt + 1} times)" if attempt else ""
                raise AgentError(f"{self.name}: {found.text}{tried}", found.kind)
            pause = min(self._backoff * 2.0 ** min(attempt, 32), _LONGEST) * random.uniform(0.75, 1.0)
            await asyncio.sleep(pause if found.pause is None else found.pause)
            attempt += 1
        return found

    def _request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        most = self._max_tokens if self._max_tokens is not None else sampling.max_tokens
        optional = {
            "temperature": self._temperature if self._temperature is not None else sampling.temperature,
            # OpenAI's newer models know the new name only, most other servers the old one.
            "max_completion_tokens" if self._address.usual else "max_tokens": most,
            "seed": self._seed,
        }
        return {
            "model": self._model,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            **{key: value for key, value in optional.items() if value is not None},
        }

    async def _attempt(self, request: dict[str, Any]) -> Said | _Failure:
        """Make a request once; no exception of the client gets out, since it holds the request with its key."""
        answer = Answer()
        failure: _Failure | None = None
        try:
            async with asyncio.timeout(self._timeout):
                failure = await self._stream(request, answer)
        except TimeoutError:
            failure = _Failure("timeout", f"no whole answer within {self._timeout:g} s", True)
        if failure is not None:
            return failure
        if answer.finish is None:
            return _Failure("broken", "the answer broke off", True)
        if answer.finish == "content_filter":
            return _Failure("filtered", "the server held the answer back (content_filter)", False)
        return answer.said(self._address.secrets, self._prices)

    async def _stream(self, request: dict[str, Any], answer: Answer) -> _Failure | None:
        """Read the answer as it comes; return what went wrong, if anything did."""
        import openai

        client = await _client(self._address)
        try:
            stream = await client.chat.completions.create(**request, timeout=self._timeout)
        except Exception as error:  # also of httpx, where what the server says of an error breaks off
            return self._failure(error)
        try:
            while True:
                try:
                    chunk = await anext(stream)
                except StopAsyncIteration:
                    return None
                except (openai.APITimeoutError, openai.APIStatusError) as error:
                    return self._failure(error)
                except Exception as error:  # whatever the client makes of a line that breaks or of nonsense on it
                    return self._broken(error)
                answer.add(chunk)
                if answer.size > MAX_CHARACTERS:
                    return _Failure("broken", f"the answer has more than {MAX_CHARACTERS:,} characters", False)
        finally:
            await stream.close()

    def _broken(self, error: BaseException) -> _Failure:
        if isinstance(error, UnboundedError):
            return _Failure("broken", f"the answer is not read: {error}", False)
        return _Failure("broken", f"the answer broke off: {self._excerpt(error)}", True)

    def _failure(self, error: Exception) -> _Failure:
        """Return what an exception of a request means."""
        import openai

        if isinstance(error, openai.APITimeoutError):
            return _Failure("timeout", "no answer in time", True)
        if isinstance(error.__cause__, UnboundedError):
            return self._broken(error.__cause__)
        if isinstance(error, openai.APIConnectionError):
            return _Failure("connection", f"no connection with {self._address.url}: {self._excerpt(error)}", True)
        if not isinstance(error, openai.OpenAIError):
            return self._broken(error)
        if not isinstance(error, openai.APIStatusError):
            return _Failure("failed", self._excerpt(error), False)
        code = error.status_code
        kind = _KINDS.get(code, "server" if code >= 500 else "refused")
        pause = _asked_for(error.response.headers)
        said = self._readable(error.message.removeprefix(f"Error code: {code}").removeprefix(" - "))
        text = f"the server answered {code}{said and ': '}{said}"
        if pause is not None and pause > _PATIENCE:
            return _Failure(kind, f"{text} (asks to wait {pause:g} s)", False)
        return _Failure(kind, text, (code in _AGAIN or code >= 500) and error.code != _SPENT, pause)

    def _excerpt(self, error: BaseException) -> str:
        """Return what an exception, or what caused it, says, fit to be read by anybody."""
        told = error.__cause__ if str(error) == "Connection error." and error.__cause__ else error
        return self._readable(f"{type(told).__name__}: {told}")

    def _readable(self, said: str) -> str:
        text = self._address.secrets.cleaned(said)
        text = " ".join("".join(each if each.isprintable() else " " for each in text).split())
        return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}..."


def _asked_for(headers: Any) -> float | None:
    """Return for how many seconds a server asks to be left alone, ``None`` if it does not say so."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time()
            except (ValueError, OverflowError):
                continue
        if isfinite(seconds):
            return max(0.0, seconds)
    return None


def _need() -> None:
    try:
        import openai  # noqa: F401
    except ImportError:
        wanted = "models need the package openai: pip install 'planoracle[openai]'"
        raise InputError(wanted, field="agent") from None


#: The clients of every event loop, by address and key, each with what closes it as the loop ends.
_clients: dict[Any, dict[tuple[object, ...], tuple[AsyncOpenAI, AsyncIterator[AsyncOpenAI]]]] = {}


async def _client(address: Address) -> AsyncOpenAI:
    """Return the client for an address, the same one for all agents: connections are kept."""
    loop = asyncio.get_running_loop()
    for ended in [one for one in _clients if one.is_closed()]:
        del _clients[ended]
    ours = _clients.setdefault(loop, {})
    if address.door not in ours:
        life = _life(address)
        ours[address.door] = await anext(life), life
    return ours[address.door][0]


async def _life(address: Address) -> AsyncIterator[AsyncOpenAI]:
    """Yield a client; the event loop closes generators, and so it, when it ends (``asyncio.run`` does)."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    client = AsyncOpenAI(
        api_key=address.key,
        base_url=address.url,
        default_headers=PLAIN | dict(address.headers),
        default_query=dict(address.query),
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(event_hooks={"response": [bound]}),
    )
    address.secrets.guard_logs()
    try:
        yield client
    finally:
        await client.close()
