"""Submission lines: each is graded or unscored with a reason, without internal errors."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_inputs import HOSTILE_FILES, TEXTS, encode_json
from support.mutations import Mutator
from support.samples import examples, sample
from support.valid_inputs import submissions

from planoracle.analysis.grading.grader import Grade, Grader, grade_all
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.byte_streams import MAX_LINE
from planoracle.analysis.intake.record_fields import MAX_NAME
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.solver.runs import solver_of
from planoracle.solver.states.state_solver import Value
from tests.support.grades import all_problems, read_submissions

SEEDS = st.integers(0, 2**32 - 1)
INTERNAL = "internal error"
GRADERS = {name: Grader(profiles(name), problems=all_problems()) for name in ("paper", "released")}


def graded(data: bytes, profile: str = "paper") -> list[Grade]:
    return list(grade_all(read_submissions(io.BytesIO(data), "lines"), GRADERS[profile]))


def check(grade: Grade) -> None:
    assert not (grade.reason or "").startswith(INTERNAL), grade.reason
    assert grade.scored == (grade.reason is None) == (grade.success is not None)
    assert len(grade.reason or "") <= 1_000 or not grade.id
    json.loads(json.dumps(grade.row(trace=True)))


def mutated(seed: int, seeds: list[dict[str, Any]]) -> bytes:
    mutator = Mutator(Random(seed), [one["plan"] for one in submissions()])
    submission = mutator.random.choice(seeds)
    if mutator.random.random() < 0.7:
        return encode_json(submission | {"plan": mutator.times(mutator.plan, submission["plan"])})
    line = encode_json(mutator.times(mutator.tree, submission))
    return mutator.raw(line) if mutator.random.random() < 0.2 else line


@pytest.mark.slow
@examples(500)
@given(SEEDS, st.sampled_from(sorted(GRADERS)))
def test_mutated_submissions_are_graded_or_refused(seed: int, profile: str) -> None:
    line = mutated(seed, submissions())
    first = graded(line, profile)
    for grade in first:
        check(grade)
    assert [grade.row(trace=True) for grade in graded(line, profile)] == [grade.row(trace=True) for grade in first]


@pytest.mark.slow
def test_original_submissions_and_some_mutated_ones_succeed() -> None:
    whole = [grade for one in submissions() for grade in graded(encode_json(one))]
    assert all(grade.success for grade in whole), [grade.id for grade in whole if not grade.success]
    grades = [grade for seed in range(300) for grade in graded(mutated(seed, submissions()))]
    scored = [grade for grade in grades if grade.scored]
    assert 100 < len(scored) < len(grades)
    assert 20 < sum(bool(grade.success) for grade in scored) < len(scored) - 20


@given(st.binary() | st.text().map(str.encode))
def test_random_lines_are_unscored(data: bytes) -> None:
    for grade in graded(data):
        check(grade)
        assert not grade.scored


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_line_after_a_foreign_line_is_graded(name: str) -> None:
    good = encode_json(submissions()[0])
    first, *bad, last = graded(good + b"\n" + HOSTILE_FILES[name].replace(b"\n", b" ") + b"\n" + good)
    assert first.success
    assert last.success
    assert [grade.scored for grade in bad] == [False] * (name not in ("nothing", "a byte order mark", "spaces")) or bad
    for grade in bad:
        check(grade)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gzip", "zip"])
def test_broken_compressed_stream_is_refused_as_a_whole(name: str) -> None:
    *_, bad = graded(HOSTILE_FILES[name] + b"\n" + encode_json(submissions()[0]))
    assert not bad.scored
    assert bad.reason is not None
    assert bad.reason.startswith("lines: is damaged" if name == "gzip" else "lines: cannot be read from a pipe")


@pytest.mark.slow
@pytest.mark.parametrize("place", sample(["id", "instance", "model"]))
def test_odd_names_are_accepted_or_refused(place: str) -> None:
    for text in TEXTS:
        (grade,) = graded(encode_json(submissions()[0] | {place: text}))
        check(grade)
        assert grade.scored == (place != "instance" and len(text) <= MAX_NAME)
        assert grade.scored or max(map(len, (grade.id or "", grade.instance or "", grade.model or ""))) <= 200


def test_too_long_line_is_skipped_in_bounded_memory() -> None:
    class Stream(io.RawIOBase):
        """Stream of a long line, which is never in memory as a whole, and an empty line."""

        remaining = 3 * MAX_LINE

        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert 0 < size <= MAX_LINE + 1
            if self.remaining < 0:
                return b""
            self.remaining -= size
            return b"x" * size if self.remaining >= 0 else b"\n"

        read1 = read

    ((place, error),) = read_submissions(Stream(), "lines")  # type: ignore[arg-type]
    assert place.line == 1
    assert str(MAX_LINE) in str(error)


def test_read_error_is_reported_after_the_lines_before_it() -> None:
    class Stream(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(size) or self.fail()

        def fail(self) -> bytes:
            raise OSError(5, "Input/output error")

        read1 = read

    grades = list(grade_all(read_submissions(Stream(encode_json(submissions()[0]) + b"\n"), "lines"), GRADERS["paper"]))
    assert [grade.scored for grade in grades] == [True, False]
    assert grades[1].line == 2
    assert "cannot be read any further: Input/output error" in str(grades[1].reason)


def test_impossible_paths_of_original_data_are_refused(tmp_path: Any, monkeypatch: Any) -> None:
    for folder in (tmp_path / ("x" * 5000), tmp_path / "a\udcff"):
        monkeypatch.setenv(registry.data_variable("robotouille"), str(folder))
        with pytest.raises(InputError):
            Problems().find("robotouille/asynchronous/nothing")


def test_completion_without_remaining_time_is_none() -> None:
    """Return no plan if time ends after the best makespan is computed, but before its plan is."""
    problem = Problems().find("recipe2plan/timed/Pizza_Chocolate-Cake")
    run = registry.of(problem).run(problem, "Step(2, Chocolate-Cake, 10 min, 00:00:00)")
    value = solver_of(run, WorkLimit(10.0)).value
    assert value.makespan is not None
    assert solver_of(run, WorkLimit(10.0)).complete_plan(value) is not None
    unproved = Value(value.lower - 1, value.upper)
    assert solver_of(run, WorkLimit(0.0)).complete_plan(unproved) is None


@pytest.mark.parametrize("flood", ["[", "*", "~", "@", "+lab1", "/", "#"])
def test_very_long_names_are_refused(flood: str) -> None:
    for benchmark in ("robotouille", "timearena", "kitchens"):
        with pytest.raises(InputError):
            Problems().find(f"{benchmark}/{flood * 300_000}")
