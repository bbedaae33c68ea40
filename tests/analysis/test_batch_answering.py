"""The verbs that answer submissions one by one hold each to its limits, and go on."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from support.batches import finished, write

from planoracle.analysis.batch import answering, grading, limits
from planoracle.analysis.batch.answering import answers_within
from planoracle.analysis.batch.grading import Grading
from planoracle.analysis.batch.guard import Guard, guarding
from planoracle.analysis.batch.limits import Limits
from planoracle.analysis.batch.work import Chunk, pack
from planoracle.analysis.problems import Problems
from planoracle.analysis.report import worker
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

pytestmark = pytest.mark.skipif(not guarding(), reason="limits need Linux")

NAME = "timearena/household1"


@pytest.mark.slow
def test_what_one_submission_does_is_no_concern_of_the_others(capfd: pytest.CaptureFixture[str]) -> None:
    def function(problem: object, submission: dict[str, str]) -> str:
        if submission["id"] == "spin":
            sum(range(10**12))
        if submission["id"] == "hog":
            return str(len([bytes(2**20) for _ in range(10**6)]))
        if submission["id"] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return submission["id"].upper()

    entries = [{"id": name, "instance": NAME, "plan": []} for name in ("a", "spin", "b", "hog", "kill", "c")]
    lines = [*enumerate(entries, 1), (7, InputError("is no line")), (8, {"id": "d", "instance": "no/such"})]
    found = list(answers_within(lines, function, Problems(), Limits(0.3, 300)))
    assert [(one.line, one.id, one.value) for one in found] == [
        *((1, "a", "A"), (2, "spin", None), (3, "b", "B"), (4, "hog", None), (5, "kill", None), (6, "c", "C")),
        *((7, None, None), (8, "d", None)),
    ]
    assert [one.reason for one in found if one.value is None][:4] == [
        "takes more than 0.3 s of processor time (--line-seconds)",
        "needs more than 300 MB of memory (--line-memory)",
        "ends the process at work on it (SIGKILL; for lack of memory?)",
        "is no line",
    ]
    assert [one.instance for one in found][:6] == [NAME] * 6


class _Lazy:
    @cached_property
    def value(self) -> str:
        return "made"


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="such properties have no locks any more")
def test_what_a_thread_works_out_during_a_fork_is_not_waited_for() -> None:
    lock, found = vars(_Lazy)["value"].lock, []
    entries = [(1, {"id": "a", "instance": NAME, "plan": []})]

    def asked() -> None:
        found.extend(answers_within(entries, lambda problem, submission: _Lazy().value, Problems(), Limits(5, 1000)))

    with lock:
        other = threading.Thread(target=asked, daemon=True)
        other.start()
        other.join(20)
    assert [one.value for one in found] == ["made"]


@pytest.mark.slow
def test_objects_of_others_are_not_asked_what_they_are() -> None:
    asked = []

    class Proxy:
        @property
        def __class__(self) -> type:
            asked.append("asked")
            return str

    proxy = [Proxy()]  # an import in some libraries, seconds of it in every process
    entries = [(1, {"id": "a", "instance": NAME, "plan": []})]
    found = answers_within(entries, lambda problem, submission: len(asked), Problems(), Limits(5, 1000))
    assert [one.value for one in found] == [0]
    assert isinstance(proxy[0], str)
    assert asked


@pytest.mark.slow
def test_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (limits, answering, grading, worker):
        monkeypatch.setattr(module, "MAX_ANSWER", 3_000)
    call, name = '{"id": "files_1", "func_name": "f", "params": {}}\n', "asynctool/files_1+text_2"
    short, long = ({"id": str(n), "instance": name, "plan": call * n} for n in (1, 100))

    def repeated(problem: Problem, submission: dict[str, Any]) -> list[str]:
        return ["no such thing at all"] * len(submission["plan"])

    found = list(answers_within([(1, short), (2, long)], repeated, Problems(), Limits()))
    assert [one.reason for one in found] == [None, "its answer would have more than 3000 characters"]
    graded = Guard(Grading(trace=True, cached=False)).run(Chunk([pack(short), pack(long)]))
    reasons = [json.loads(answer.row or "")["reason"] for answer in graded.answers]
    assert reasons == [None, "its grade would have more than 3000 characters"]
    one, other = worker.shown(worker.Options(limits=Limits(60, 1000)), [short, long])
    assert (one.grade.scored, other.grade.reason) == (True, "its explanation would have more than 3000 characters")


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["audit", "regret", "critique", "repair"])
def test_a_verb_refuses_the_line_and_goes_on(tmp_path: Path, verb: str) -> None:
    names = {"a": NAME, "b": "timearena/lab1", "c": NAME}
    rows = [{"id": name, "instance": instance, "plan": ["wash cup", "wait"]} for name, instance in names.items()]
    code = (
        "from planoracle.analysis.problems import Problems\ntrue = Problems.find\n"
        "Problems.find = lambda self, name: sum(range(10**12)) if 'lab1' in name else true(self, name)"
    )
    status, out, err = finished(
        verb, write(tmp_path / "s.jsonl", rows), "--format", "jsonl", "--line-seconds", "2", before=code
    )
    assert status == 1
    assert {json.loads(line)["id"] for line in out.splitlines()} >= {"a", "c"}, err
    assert "line 2: takes more than 2 s of processor time (--line-seconds)" in err
