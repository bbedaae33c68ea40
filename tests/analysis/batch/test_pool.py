"""Worker pool: order of answers, limits and failures of single tasks, reuse and end of the processes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import worker_tasks
from support.batches import session_processes, within
from support.samples import sample

from planoracle.instances.errors import InputError, WorkerError
from planoracle.instances.workers import pool as module
from planoracle.instances.workers.pool import Ready, TaskFailure, WorkerPool, each_in_worker, start_early
from planoracle.instances.workers.worker import LimitError, TaskLimits

TESTS = Path(__file__).resolve().parents[2]
LIMITS = TaskLimits(0.4, 300)
LIMITED = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Iterator[None]:
    """Let workers import `support.worker_tasks`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
        end_idle()
        yield
    end_idle()


def end_idle() -> None:
    while module._idle:
        module._idle.pop().process.kill()


def answers(*names: str, limits: TaskLimits = LIMITS, **options: Any) -> list[Any]:
    """Return answers, and messages of failures."""
    with WorkerPool(worker_tasks.start, limits, **options) as pool:
        return [str(one.error) if isinstance(one, TaskFailure) else one for one in pool.map(names)]


# --- one task fails alone -------------------------------------------------------------------------


@LIMITED
def test_task_that_exceeds_a_limit_or_kills_its_worker_fails_alone() -> None:
    assert answers("a", "spin", "b", "hog 400", "c", "kill", "d", "exit 3", "e", workers=1) == [
        *("a", "takes more than 0.4 s of processor time (--line-seconds)"),
        *("b", "needs more than 300 MB of memory (--line-memory)"),
        *("c", "ends its worker process (SIGKILL; possibly for lack of memory)"),
        *("d", "ends its worker process (status 3; possibly for lack of memory)"),
        "e",
    ]


def test_worker_continues_after_a_task_that_raises() -> None:
    first, refused, divided, recursed, unsendable, large, last = answers(
        "pid", "refuse is odd", "divide", "recurse x", "unsendable", "large", "pid", workers=1
    )
    assert (refused, recursed) == ("is odd", "is nested too deeply")
    assert divided.startswith("ZeroDivisionError")
    assert unsendable.startswith("the answer cannot be sent")
    assert large == "the answer exceeds 67108864 bytes"
    assert first == last


@pytest.mark.parametrize(
    ("task", "certain"), [("refuse x", True), ("large", True), ("spin", True), ("divide", False), ("kill", False)]
)
def test_only_failures_without_another_cause_are_certain(task: str, certain: bool) -> None:
    with WorkerPool(worker_tasks.start, LIMITS, 1) as pool:
        (failure,) = pool.map([task])
    assert isinstance(failure, TaskFailure)
    assert failure.certain is certain


@pytest.mark.slow
def test_processor_time_of_threads_counts_and_waiting_does_not() -> None:
    spun, slept = answers("spin-thread", "sleep 0.6")
    assert "processor time" in spun
    assert slept == "0.6"


@pytest.mark.slow
@LIMITED
def test_task_larger_than_the_memory_of_a_worker_fails_alone() -> None:
    """The thread that reads the task has the memory limit of the task."""
    results = answers("a", "b" * 200_000_000, "c", limits=TaskLimits(5, 50))
    assert results == ["a", "needs more than 50 MB of memory (--line-memory)", "c"]


def test_task_that_cannot_be_sent_fails_alone() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    assert answers("a", nested, "b") == ["a", "is nested too deeply", "b"]  # type: ignore[arg-type]


@LIMITED
@pytest.mark.parametrize("is_idle", [False, True])
def test_failure_in_a_used_worker_is_retried_in_a_new_one(is_idle: bool) -> None:
    """Memory that earlier tasks retained is no reason to refuse a task."""
    end_idle()
    if is_idle:  # two workers of earlier pools
        with WorkerPool(worker_tasks.start, LIMITS, 1) as one, WorkerPool(worker_tasks.start, LIMITS, 1) as other:
            assert [*one.map(["retain 150"]), *other.map(["retain 150"])] == ["retained"] * 2
        assert answers("hog 150", workers=1) == [150]
    else:
        assert answers("retain 150", "hog 150", "b", workers=1) == ["retained", 150, "b"]


def test_task_is_retried_after_the_first_death_of_a_worker(tmp_path: Path) -> None:
    assert answers("a", f"die-once {tmp_path}/mark", "b") == ["a", "alive", "b"]


# --- answers --------------------------------------------------------------------------------------


def test_answers_of_several_workers_are_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    names = ["sleep 0.3", "kill", *map(str, range(600)), "divide", "pid", "last"]
    results = answers(*names, workers=2)
    assert results[2:602] == names[2:602]
    assert (results[0], results[-1]) == ("0.3", "last")
    assert "SIGKILL" in results[1]


def test_tasks_are_read_on_demand() -> None:
    read: list[int] = []

    def source() -> Iterator[str]:
        for number in range(100):
            read.append(number)
            yield "sleep 0.06"

    with WorkerPool(worker_tasks.start, LIMITS, 1) as pool:
        next(pool.map(source()))
    assert len(read) <= 10


def test_ready_answers_are_in_order_and_start_no_worker() -> None:
    ready = Ready("ready")
    assert answers(ready, "a", ready, ready) == ["ready", "a", "ready", "ready"]  # type: ignore[arg-type]


@pytest.mark.slow
def test_values_of_a_generator_arrive_one_by_one_with_limits_for_each() -> None:
    assert list(each_in_worker(worker_tasks.count, 12, limits=TaskLimits(0.4, None))) == list(range(12))
    read: list[int] = []
    with pytest.raises(LimitError, match="SIGKILL"):
        read.extend(each_in_worker(worker_tasks.count_and_die, 2))
    assert read == [0, 1]
    assert next(each_in_worker(worker_tasks.count, 1000)) == 0  # and the rest is not computed


def test_generator_continues_after_the_death_of_its_worker(tmp_path: Path) -> None:
    assert list(each_in_worker(worker_tasks.count_and_die_once, 3, str(tmp_path / "mark"))) == [0, 1, 2, "alive"]


def test_worker_of_a_finished_generator_serves_the_next_one() -> None:
    end_idle()
    numbers: set[int] = set()
    for _ in range(3):
        numbers.update(each_in_worker(worker_tasks.process_number))
    assert len(numbers) == 1


def test_progress_is_reported() -> None:
    messages: list[str] = []
    assert answers("tell 1", "a", "tell 2", on_progress=messages.append) == ["1", "a", "2"]
    assert messages == ["1", "2"]


def test_output_of_a_task_is_not_an_answer_and_its_input_is_empty(capfd: pytest.CaptureFixture[str]) -> None:
    end_idle()
    assert answers("print hello", "a") == ["", "a"]
    assert capfd.readouterr() == ("", "hello\n")


# --- processes ------------------------------------------------------------------------------------


def test_idle_workers_are_reused_with_new_limits_environment_and_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (first,) = answers("pid")
    monkeypatch.setenv("ANSWER", "42")
    monkeypatch.chdir(tmp_path)
    results = answers("pid", "hog 400", "environment ANSWER", "folder", limits=TaskLimits(20, 1000))
    assert results == [first, 400, "42", str(tmp_path)]
    monkeypatch.delenv("ANSWER")
    assert answers("environment ANSWER", "pid") == [None, first]


def test_few_tasks_start_one_worker_and_a_worker_started_early_is_used() -> None:
    end_idle()
    start_early("json")
    early = module._idle[0].process.pid
    with WorkerPool(worker_tasks.start, LIMITS, 4) as pool:
        assert set(pool.map(["pid"] * 50)) == {early}
        assert len(pool._workers) == 1


def test_closing_the_pool_ends_busy_workers_and_refuses_tasks() -> None:
    pool = WorkerPool(worker_tasks.start, TaskLimits(), 1)
    results = pool.map(["pid", "sleep 60"])
    pid = next(results)
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(WorkerError, match="closed"):
        next(results)


def test_error_at_the_start_of_a_worker_ends_the_pool() -> None:
    with WorkerPool(worker_tasks.start_refused, LIMITS, 1) as pool, pytest.raises(InputError, match="unknown rule"):
        list(pool.map(["a"]))
    with (
        WorkerPool(worker_tasks.start_dying, LIMITS, 1) as pool,
        pytest.raises(WorkerError, match="cannot start"),
    ):
        list(pool.map(["a"]))


PARENT = """
import sys
from support import worker_tasks
from planoracle.instances.workers.pool import WorkerPool, each_in_worker
from planoracle.instances.workers.worker import LimitError, TaskLimits
pool = WorkerPool(worker_tasks.start, TaskLimits(), 1)
found = pool.map(["pid", {task!r}])
print(next(found), flush=True)
{then}
"""


@pytest.mark.parametrize("number", sample([signal.SIGKILL, signal.SIGTERM]))
@pytest.mark.parametrize("task", ["sleep 60", ""], ids=["busy", "idle"])
def test_no_worker_outlives_the_pool(number: int, task: str) -> None:
    code = PARENT.format(task=task, then="next(found); input()")
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **pipes) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert {worker, parent.pid} == set(session_processes(parent.pid))
        parent.send_signal(number)
        assert parent.wait(10) == -number
        assert within(5, lambda: not session_processes(parent.pid))


CAUSE = "a worker process cannot be started: Too many open files; raise the limit of open files (ulimit -n)"


def test_error_names_the_cause_of_a_failed_start_of_a_worker() -> None:
    end_idle()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    next_file = os.dup(0)
    os.close(next_file)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_file, limits[1]))
    try:
        start_early("json")  # which is not an error of the command yet
        with pytest.raises(WorkerError) as caught:
            WorkerPool(worker_tasks.start)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert str(caught.value) == CAUSE
