"""Many episodes at once: those that wait for others in one process, those that compute in one per processor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from typing import TYPE_CHECKING, Any, cast

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.executors import Here, Processes
from planoracle.analysis.live.playing import Episode, Playing, Record
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.analysis.batch.pool import Executor
    from planoracle.analysis.batch.work import Done as Finished

__all__ = ["Done", "run"]

#: Called with every episode and what became of it, in the order in which they end; may raise to end the run.
Done = Callable[[Episode, Record], None]

# Seconds of computing after which processes are started: starting them takes longer than a few episodes do.
_PATIENCE = 1.0
# How often processes may die over one episode.
_DEATHS = 3


def run(
    playing: Playing,
    waiting: Sequence[Episode],
    computing: Sequence[Episode],
    done: Done,
    *,
    concurrency: int = 8,
    jobs: int | None = None,
) -> None:
    """Play episodes until all are done.

    Parameters
    ----------
    waiting, computing
        Episodes whose agents wait for others, and those whose agents compute.
    concurrency, jobs
        How many of the former are played at a time, and on how many processes of the latter (default: processors).

    Raises
    ------
    WorkerError
        If processes die over the same episode again and again.
    """
    asyncio.run(_all(playing, waiting, computing, done, concurrency, jobs))


async def _all(
    playing: Playing,
    waiting: Sequence[Episode],
    computing: Sequence[Episode],
    done: Done,
    concurrency: int,
    jobs: int | None,
) -> None:
    asyncio.get_running_loop().set_exception_handler(_quiet)
    left = iter(waiting)  # one for all: each takes the next one that nobody has

    async def wait() -> None:
        for episode in left:
            done(episode, await playing.played(episode))

    hands = _Hands(playing, jobs, alone=not waiting) if computing else None
    try:
        computed = [] if hands is None else [hands.work(computing, done)]
        await asyncio.gather(*computed, *(wait() for _ in range(min(concurrency, len(waiting)))))
    except BaseException:
        asyncio.get_running_loop().set_exception_handler(_left)
        raise
    finally:
        if hands is not None:
            hands.close()


def _quiet(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of tasks that were ended by a signal: who asked for that knows."""
    if not isinstance(context.get("exception"), SystemExit | KeyboardInterrupt):
        loop.default_exception_handler(context)


def _left(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of what is under way when a run ends before its time: answers that nobody reads to their end."""
    if context.get("exception") is not None:
        _quiet(loop, context)


class _Hands:
    """Has episodes computed: by a thread, and by processes once that takes long.

    Parameters
    ----------
    alone
        Whether this process has nothing else to do, so that a thread of it may compute: caches are not made for two.
    """

    def __init__(self, playing: Playing, jobs: int | None, *, alone: bool) -> None:
        self._playing = playing
        self._jobs = jobs
        self._executor: Executor = Here(playing) if alone else Processes(playing, jobs)
        self._stays = alone and jobs == 1

    async def work(self, episodes: Sequence[Episode], done: Done) -> None:
        """Have all episodes played."""
        left = iter(episodes)
        tasks = [asyncio.create_task(self._take(left, done)) for _ in range(self._executor.in_flight)]
        if isinstance(self._executor, Here) and not self._stays:
            await asyncio.wait(tasks, timeout=_PATIENCE)
            if not tasks[0].done():
                processes = Processes(self._playing, self._jobs)
                if processes.jobs > 1:
                    self._executor.close()  # the thread ends what it is at
                    self._executor = processes
                    tasks += [asyncio.create_task(self._take(left, done)) for _ in range(processes.in_flight)]
        await asyncio.gather(*tasks)

    async def _take(self, left: Iterator[Episode], done: Done) -> None:
        for episode in left:
            done(episode, await self._played(episode))

    async def _played(self, episode: Episode) -> Record:
        chunk = self._playing.chunk(episode)
        for _ in range(_DEATHS):
            executor = self._executor
            try:
                future = asyncio.wrap_future(cast("Future[Finished]", executor.submit(chunk)))
                answers = (await asyncio.shield(future)).answers  # what is at work cannot be called off
            except BrokenExecutor:
                if executor is self._executor:  # the first to hear of it
                    tell("a worker process died; its work is given to new ones", "warning")
                    executor.close()
                    self._executor = Processes(self._playing, self._jobs)
                continue
            assert answers[0].row is not None
            found: Record = json.loads(answers[0].row)
            return found
        raise WorkerError(f"worker processes died {_DEATHS} times in a row (of lack of memory?) at work on {episode}")

    def close(self) -> None:
        """Stop, whatever is going on."""
        self._executor.close()
