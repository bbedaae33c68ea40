"""Answers of servers that take a bounded amount of memory, whatever is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from planoracle.analysis.agents.streamed import MAX_CHARACTERS

__all__ = ["PLAIN", "UnboundedError", "bound"]

#: Headers that ask for an answer as it is: what is compressed may unfold a thousandfold.
PLAIN = {"Accept-Encoding": "identity"}
#: Bytes of one event of a stream, or of all that comes with an error: the longest answer, escaped, and room.
_MOST = 6 * MAX_CHARACTERS + 2_000_000
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")


class UnboundedError(Exception):
    """More than is read, or compressed."""


async def bound(response: Any) -> None:
    """Bound what will be read of a response: a hook of an asynchronous client of httpx, or of httpx2.

    Which of them it is depends on the release of OpenAI's client, so neither is imported here.

    Raises
    ------
    UnboundedError
        If it is compressed; while it is read, if there is more of it than the longest answer may take.
    """
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise UnboundedError("it is compressed, though the server was asked for it as it is")
    read, events = response.aiter_raw, response.is_success

    async def bounded(chunk_size: int | None = None) -> AsyncIterator[bytes]:
        size, last = 0, b""
        async with aclosing(read(chunk_size)) as pieces:
            async for piece in pieces:
                seen = last + piece
                ended = max(seen.rfind(end) for end in _ENDS) if events else -1
                size = len(seen) - ended if ended >= 0 else size + len(piece)
                if size > _MOST:
                    raise UnboundedError(f"a piece of it has more than {_MOST:,} bytes")
                last = seen[-3:]
                yield piece

    response.aiter_raw = bounded
