"""Processes are started where what is left to do takes longer than starting them, and for nothing else."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any

import pytest

from planoracle.analysis.batch import executors
from planoracle.analysis.batch import pool as pools
from planoracle.analysis.batch.limits import NO_LIMITS, LimitError, Limits
from planoracle.analysis.batch.pipeline import answered
from planoracle.analysis.batch.pool import Pool
from planoracle.analysis.batch.work import Answer, Chunk, Done, Item, pack


@dataclass(frozen=True)
class Echo:
    """Answers every task by what it is, after so many seconds."""

    seconds: float = 0.0

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        from planoracle.solver.result import versions

        return tuple(versions().items())

    @property
    def limits(self) -> Limits:
        return NO_LIMITS

    def start(self) -> Callable[[Chunk], list[Answer]]:
        def run(chunk: Chunk) -> list[Answer]:
            time.sleep(self.seconds * len(chunk.tasks))
            return [Answer(repr(task)) for task in chunk.tasks]

        return run

    def refused(self, task: bytes, error: LimitError) -> Answer:
        return Answer(f"refused {pickle.loads(task)}")


class Fakes:
    """Stands for processes, and says with how many at most it was started."""

    in_flight, chunk_seconds = 5, 0.3
    started: list[int | None]

    def __init__(self, work: Any, jobs: int | None = None, most: int | None = None) -> None:
        self.jobs = min(jobs or 64, most or 64)
        self.started.append(most)

    def helped(self, jobs: int | None, most: int | None) -> Any:
        return self

    def submit(self, chunk: Chunk) -> Future[Done]:
        future: Future[Done] = Future()
        future.set_result(Done([Answer(repr(task)) for task in chunk.tasks], 0.001))
        return future

    def close(self) -> None:
        pass


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    Fakes.started = []
    monkeypatch.setattr(pools, "guarding", lambda: False)
    monkeypatch.setattr(executors, "Processes", Fakes)
    return Fakes.started


def items(count: int) -> Iterator[Item]:
    for number in range(count):
        yield Item(str(number), number, task=pack(number))


def run(count: int, work: Echo, jobs: int | None = None, expected: Callable[[], int | None] = lambda: None) -> None:
    with Pool(work, jobs, expected=expected) as pool:
        found = list(answered(items(count), pool))
    assert [(item.about, answer.row) for item, answer in found] == [(n, repr(pack(n))) for n in range(count)]


@pytest.mark.slow
def test_few_seconds_of_work_start_no_process(fakes: list[int | None]) -> None:
    run(300, Echo(0.002), expected=lambda: 300)
    run(300, Echo(0.002))
    assert fakes == []


@pytest.mark.slow
def test_what_takes_long_is_shared_by_as_many_as_have_something_to_do(fakes: list[int | None]) -> None:
    run(4000, Echo(0.002), expected=lambda: 4000)  # eight seconds by one
    (most,) = fakes
    assert most is not None
    assert 4 <= most <= 6


@pytest.mark.slow
def test_nobody_helps_who_is_not_asked_to(fakes: list[int | None]) -> None:
    run(3, Echo(0.2), 1, lambda: 10_000)
    assert fakes == []


@pytest.mark.slow
def test_the_first_task_need_not_end_before_help_comes(
    fakes: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_LEARNED", 0.05)
    monkeypatch.setattr(pools, "_WORTH", 1.0)
    run(10, Echo(0.5), expected=lambda: 10)
    assert len(fakes) == 1


@pytest.mark.slow
def test_where_nobody_knows_what_is_to_come_it_is_as_much_again(
    fakes: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_WORTH", 0.5)
    run(1000, Echo(0.002))
    assert fakes == [None]


@pytest.mark.slow
def test_the_last_task_needs_no_help(fakes: list[int | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_WORTH", 0.2)
    run(1, Echo(1.0), expected=lambda: 1)
    assert fakes == []


class Mortal(Fakes):
    """Dies over every chunk that holds a seven or an eleven."""

    deaths = 0

    def submit(self, chunk: Chunk) -> Future[Done]:
        if not {7, 11}.isdisjoint(map(pickle.loads, chunk.tasks)):
            self.deaths += 1
            future: Future[Done] = Future()
            future.set_exception(BrokenExecutor())
            return future
        return super().submit(chunk)


def test_after_a_death_a_chunk_is_halved_until_the_culprit_is_alone(fakes: list[int | None]) -> None:
    mortal = Mortal(None)
    with Pool(Echo(), executor=mortal) as pool:
        found = [answer.row for _, answer in answered(items(300), pool)]
    assert found == [f"refused {n}" if n in (7, 11) else repr(pack(n)) for n in range(300)]
    assert mortal.deaths < 20


@pytest.mark.slow
def test_what_is_read_ahead_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_BYTES", 10**6)
    read: list[int] = []

    def heavy() -> Iterator[Item]:
        for number in range(50):
            read.append(number)
            yield Item(str(number), number, task=pack((number, b"x" * 10**5)))

    with Pool(Echo(0.01), 1) as pool:
        for told, _ in enumerate(answered(heavy(), pool)):
            assert len(read) <= told + 15
    assert len(read) == 50
