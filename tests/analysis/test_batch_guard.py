"""What is handed in may take so much and no more, and whoever works on it may die of it."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.batches import finished, submissions, write

from planoracle.analysis.batch import watch
from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.guard import Guard, guarding
from planoracle.analysis.batch.limits import LimitError, Limits
from planoracle.analysis.batch.pipeline import answered
from planoracle.analysis.batch.pool import Pool
from planoracle.analysis.batch.work import Answer, Chunk, Item, pack

pytestmark = pytest.mark.skipif(not guarding(), reason="limits need Linux")


LIMITS = Limits(0.3, 300)
HELD = threading.Lock()
HELD.acquire()


@dataclass(frozen=True)
class Bombs:
    """Does what tasks say: ``spin``, ``hog``, ``work``, ``wait``, ``kill``, ``once PATH`` (kill where that is not)."""

    limits: Limits = LIMITS

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        from planoracle.solver.result import versions

        return tuple(versions().items())

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        return lambda chunk: (self._done(pickle.loads(task)) for task in chunk.tasks)

    def refused(self, task: bytes, error: LimitError) -> Answer:
        return Answer(f"{pickle.loads(task)} {error}")

    def _done(self, task: str) -> Answer:
        what, _, where = task.partition(" ")
        if what == "spin":
            sum(range(10**12))  # compiled code, which hears of no exception
        if what == "hog":
            kept = []
            while True:
                kept.append(bytes(2**20))
        if what == "work":
            sum(range(3_000_000))
        if what == "wait":
            HELD.acquire()
        if what == "kill" or (what == "once" and not os.path.exists(where)):
            Path(where).mkdir() if where else None
            os.kill(os.getpid(), signal.SIGKILL)
        return Answer(task)


SPIN = "spin takes more than 0.3 s of processor time (--line-seconds)"
HOG = "hog needs more than 300 MB of memory (--line-memory)"
KILL = "kill ends the process at work on it (SIGKILL; for lack of memory?)"


def rows(*tasks: str) -> list[str | None]:
    guard = Guard(Bombs())
    try:
        return [answer.row for answer in guard.run(Chunk([pack(task) for task in tasks])).answers]
    finally:
        guard.close()


@pytest.mark.slow
def test_whatever_a_task_does_its_neighbours_are_answered(capfd: pytest.CaptureFixture[str]) -> None:
    assert rows("a", "spin", "b", "hog", "c", "kill", "d") == ["a", SPIN, "b", HOG, "c", KILL, "d"]
    assert rows("hog", "spin", "spin", "kill") == [HOG, SPIN, SPIN, KILL]
    assert "a process died at work (SIGKILL); its work is done again" in capfd.readouterr().err


@pytest.mark.slow
def test_a_process_that_waits_for_ever_is_ended(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watch, "_LOOK", 0.02)
    assert rows("a", "wait", "b") == ["a", "wait leaves the process at work on it waiting for ever", "b"]
    assert "a process at work did nothing any more; its work is done again" in capfd.readouterr().err


@pytest.mark.slow
def test_a_process_that_works_or_has_nothing_to_do_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_LOOK", 0.05)
    guard = Guard(Bombs(Limits(None, None)))
    try:
        for _ in range(3):
            time.sleep(0.1)
            pid = guard._pid
            assert [answer.row for answer in guard.run(Chunk([pack("a"), pack("work")])).answers] == ["a", "work"]
            assert pid in (None, guard._pid)
    finally:
        guard.close()


@pytest.mark.slow
def test_one_death_may_be_the_doing_of_others(tmp_path: Path) -> None:
    assert rows("a", f"once {tmp_path / 'here'}", "b") == ["a", f"once {tmp_path / 'here'}", "b"]


@pytest.mark.slow
def test_only_what_is_certainly_the_doing_of_a_task_is_kept() -> None:
    guard = Guard(Bombs())
    try:
        done = guard.run(Chunk([pack(task) for task in ("a", "spin", "hog", "kill")]))
    finally:
        guard.close()
    assert [answer.lasting for answer in done.answers] == [True, True, False, False]


@pytest.mark.slow
def test_many_processes_answer_in_order() -> None:
    tasks = ["spin" if n == 50 else "hog" if n == 100 else str(n) for n in range(200)]
    with Pool(Bombs(), 2, expected=lambda: 10**9) as pool:
        items = (Item(task, n, task=pack(task)) for n, task in enumerate(tasks))
        found = [answer.row for _, answer in answered(items, pool)]
    assert found == [SPIN if n == 50 else HOG if n == 100 else str(n) for n in range(200)]


@pytest.mark.slow
def test_no_process_is_left_behind_and_none_is_started_afterwards() -> None:
    guard = Guard(Bombs())
    guard.run(Chunk([pack("a")]))
    pid = guard._pid
    assert pid is not None
    guard.close()
    with pytest.raises(WorkerError):
        guard.run(Chunk([pack("a")]))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_one_line_that_takes_too_long_costs_its_grade_and_no_other(tmp_path: Path, jobs: str) -> None:
    path = write(tmp_path / "s.jsonl", [row | {"model": "m"} for row in submissions(30, problems=2)])
    code = (
        "from planoracle.analysis.grade import Grader\ntrue = Grader.run\n"
        "Grader.run = lambda self, one: sum(range(10**12)) if one['id'] == 's17' else true(self, one)"
    )
    options = ("--format", "jsonl", "--jobs", jobs, "--run", tmp_path / "run", "--line-seconds")
    status, out, err = finished("grade", path, *options, "1.5", before=code)
    lines = out.splitlines()
    assert status == 1
    assert len(lines) == 30
    assert [n for n, line in enumerate(lines) if b"--line-seconds" in line] == [17]
    assert "line 18: takes more than 1.5 s of processor time (--line-seconds)" in err
    # The limit is part of what results are kept under, so that another one is given a chance.
    assert finished("grade", path, *options, "1.5", before="")[1] == out
    assert b"--line-seconds" not in finished("grade", path, *options, "60", before="")[1]
