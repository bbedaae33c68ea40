"""A process that works on what others have handed in: the system limits what it takes, and its end is not ours.

It is a fork, so that it starts at once with all that has been imported. A timer whose signal nobody handles ends it
when a task takes too much processor time, and it gets no memory beyond the limit, whatever is at work in it; one that
only waits is ended from here. Whoever waits for it knows from a number that both share which task it was at.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import signal
import sys
import threading
from collections import Counter, deque
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import IO, Final, NoReturn

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.limits import LimitError
from planoracle.analysis.batch.team import settle, undisturbed
from planoracle.analysis.batch.watch import Watch
from planoracle.analysis.batch.work import Answer, Chunk, Done, Guarded, work_on
from planoracle.analysis.spoken import tell
from planoracle.instances import copies

__all__ = ["Guard", "guarded", "guarding"]

# Status of a process that got no more memory.
_NO_MEMORY: Final = 77
# How readily the system ends such a process, rather than others, when it has no memory left (of 1000).
_READILY: Final = "700"
# Where a process is that has not begun with any task.
_NOWHERE: Final = b"\xff" * 8
# How often a task may end the process at work on it, the last time a new one; too much time is plain at once.
_DEATHS: Final = 2


def guarding() -> bool:
    """Whether this system has what is needed.

    Others start processes anew, which takes a second, or do not count memory so.
    """
    return sys.platform == "linux"


def guarded(work: Guarded, chunk: Chunk) -> Done:
    """Answer a chunk in a guarded process of this one, or here where there are none; raises `WorkerError`."""
    if not guarding():
        return work_on(work, chunk)
    with _ALONE:
        return _guard(work, copies.given()).run(chunk)


_ALONE = threading.Lock()


@lru_cache(maxsize=1)
def _guard(work: Guarded, _: tuple[tuple[str, str], ...]) -> Guard:
    """Return a guard that was begun with the same folders of data."""
    return Guard(work)


class _DiedError(Exception):
    """The process ended at a task; ``why`` is what is to be said of that one if it was its doing."""

    def __init__(self, at: int, why: str, *, certain: bool) -> None:
        self.at, self.why, self.certain = at, why, certain


class Guard:
    """Answers chunks in a process of its own, which is started when there is something to do.

    A task that takes more than ``work.limits``, or that ends the process twice, is answered by ``work.refused``. Of a
    lack of memory it is never certain whose doing it was, so that such an answer is not lasting.
    """

    def __init__(self, work: Guarded) -> None:
        self._work = work
        self._limits = work.limits
        self._pid: int | None = None
        self._closed = False
        self._lock = threading.Lock()  # for the number of the process
        self._place = mmap.mmap(-1, mmap.PAGESIZE)

    def run(self, chunk: Chunk) -> Done:
        """Answer a chunk.

        Raises
        ------
        WorkerError
            If this has been closed, or the process cannot do such work at all.
        """
        answers: list[Answer] = []
        seconds = 0.0
        deaths: Counter[int] = Counter()
        refused: dict[int, _DiedError] = {}
        parts = deque([range(len(chunk.tasks))])
        while parts:
            part = parts.popleft()
            if not part:
                continue
            if (last := refused.get(part.start)) is not None:
                answer = self._work.refused(chunk.tasks[part.start], LimitError(last.why))
                answers.append(answer._replace(lasting=answer.lasting and last.certain))
                continue
            if deaths[part.start]:
                self._end()  # that it is alone, and the first
            try:
                done = self._ask(Chunk(chunk.tasks[part.start : part.stop], chunk.problems))
            except _DiedError as died:
                at = part[min(died.at, len(part) - 1)]  # behind the last one while the answers are sent
                deaths[at] += 1
                if died.certain or deaths[at] == _DEATHS:
                    refused[at] = died
                parts.extendleft((range(at + 1, part.stop), range(at, at + 1), range(part.start, at)))
            else:
                answers += done.answers
                seconds += done.seconds
        return Done(answers, seconds)

    def close(self) -> None:
        """Stop, whatever is going on."""
        self._closed = True
        with self._lock:
            pid, self._pid = self._pid, None
            if pid is not None:
                self._watch.close()
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)  # so that what it took counts as ours

    def _ask(self, chunk: Chunk) -> Done:
        """Have a chunk answered; raises `_DiedError` if the process does not live to."""
        if self._pid is None:
            self._start()
        self._place[:8] = _NOWHERE
        try:
            with self._watch:
                pickle.dump(chunk, self._to, protocol=5)
                self._to.flush()
                found = pickle.load(self._from)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise self._death() from None
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Done)
        return found

    def _start(self) -> None:
        inbox, to = os.pipe()
        back, outbox = os.pipe()
        with undisturbed(), self._lock:
            if self._closed:
                raise WorkerError("the work has been stopped")
            parent = os.getpid()
            pid = os.fork()
            if pid == 0:
                self._serve(parent, inbox, outbox)
            self._pid, self._watch = pid, Watch(pid)
        os.close(inbox)
        os.close(outbox)
        self._to: IO[bytes] = open(to, "wb")  # noqa: SIM115  # until the end of the process
        self._from: IO[bytes] = open(back, "rb")  # noqa: SIM115

    def _end(self) -> int:
        """End the process if there is one, and return its status."""
        with self._lock:
            pid, self._pid = self._pid, None
            if pid is None:
                return 0
            self._watch.close()
            os.kill(pid, signal.SIGKILL)  # if it is still there
            _, status = os.waitpid(pid, 0)
        for stream in (self._to, self._from):
            with suppress(OSError):  # there may be something left that could not be sent
                stream.close()
        return os.waitstatus_to_exitcode(status)

    def _death(self) -> Exception:
        """Return what is to be said of the end of the process."""
        if self._closed:
            self._end()
            return WorkerError("the work has been stopped")
        place = self._place[:8]
        at = 0 if place == _NOWHERE else int.from_bytes(place, "little")
        code = self._end()
        if place == _NOWHERE and code == 1:
            return WorkerError("a worker process cannot begin its work")
        if code == -signal.SIGPROF:
            return _DiedError(at, self._limits.ended_by_time, certain=True)
        if code == _NO_MEMORY:
            return _DiedError(at, self._limits.ended_by_memory, certain=False)
        if self._watch.ended:
            tell("a process at work did nothing any more; its work is done again", "warning")
            return _DiedError(at, "leaves the process at work on it waiting for ever", certain=False)
        how = signal.Signals(-code).name if code < 0 else f"status {code}"
        tell(f"a process died at work ({how}); its work is done again", "warning")
        return _DiedError(at, f"ends the process at work on it ({how}; for lack of memory?)", certain=False)

    def _serve(self, parent: int, inbox: int, outbox: int) -> NoReturn:
        """Be the process: answer chunks until there are no more."""
        try:
            for number in (signal.SIGTERM, signal.SIGPROF):
                signal.signal(number, signal.SIG_DFL)
            _leave_files({inbox, outbox})
            _leave_locks()
            settle(parent)
            with suppress(OSError), open("/proc/self/oom_score_adj", "w") as readily:  # a sandbox may refuse it
                readily.write(_READILY)
            self._limit_memory()
            asked, told = open(inbox, "rb"), open(outbox, "wb")  # noqa: SIM115
            while True:
                chunk = pickle.load(asked)
                found: Done | Exception
                try:
                    found = work_on(self._work, chunk, self._begin)
                except Exception as error:
                    found = error
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
                if isinstance(found, MemoryError):
                    os._exit(_NO_MEMORY)
                pickle.dump(found, told, protocol=5)
                told.flush()
        except MemoryError:
            os._exit(_NO_MEMORY)
        except BaseException:  # nobody is there any more who would hear of it
            os._exit(1)

    def _begin(self, task: int) -> None:
        """Take note that the process is at a task of its chunk."""
        self._place[:8] = task.to_bytes(8, "little")
        if self._limits.seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, self._limits.seconds)

    def _limit_memory(self) -> None:
        import resource

        if self._limits.memory is not None:
            most = self._limits.memory * 10**6
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))


def _leave_locks() -> None:
    """Hold no lock of properties that a thread of the parent was working out, and will never have done here.

    They have them until Python 3.12; whoever waits for one takes no processor time, so that no timer ends it.
    """
    if sys.version_info < (3, 12):
        for one in gc.get_objects():
            if issubclass(type(one), cached_property):  # isinstance asks proxies, which import libraries
                vars(one)["lock"] = threading.RLock()


def _leave_files(kept: set[int]) -> None:
    """Hold no file of the parent any more but diagnostics: locks, and pipes that others read to their end.

    The numbers stay taken, lest objects that are left behind close what is not theirs.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number not in kept | {2, nothing}:
            try:
                os.fstat(number)
            except OSError:  # that of the list itself
                continue
            os.dup2(nothing, number)
