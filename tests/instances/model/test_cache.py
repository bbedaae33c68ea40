"""Cached values of problems: not part of equality or copies, freed with the problem."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from dataclasses import replace

import pytest

from planoracle.instances.files import catalog
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.problem import Problem

NAMES = ["recipe2plan/timed/Cobbler_Pancakes", "kitchens/synchronous/0_cheese_sandwich"]


@pytest.fixture(params=NAMES)
def problem(request: pytest.FixtureRequest) -> Problem:
    return replace(catalog.problem(request.param))


def test_cached_function_is_called_once_per_problem_and_arguments(problem: Problem) -> None:
    calls = []

    @ProblemCache
    def size(problem: Problem, factor: int = 1, *, more: int = 0) -> int | None:
        calls.append((problem.name, factor, more))
        return None if factor == 3 else factor * len(problem.agents) + more

    @ProblemCache
    def other(problem: Problem) -> str:
        return problem.unit

    assert [size(problem), size(problem)] == [1, 1]
    assert [size(problem, 2), size(problem, more=2), size(problem, 2), size(problem, more=2)] == [2, 3, 2, 3]
    assert [size(problem, 3), size(problem, 3)] == [None, None]  # None is cached, too
    assert other(problem) == problem.unit
    assert [call[1:] for call in calls] == [(1, 0), (2, 0), (1, 2), (3, 0)]
    size(replace(problem))
    assert len(calls) == 5


def test_text_of_a_problem_is_its_name_and_sizes(problem: Problem) -> None:
    assert repr(problem).startswith(f"<{type(problem).__name__} {problem.name!r}: ")
    assert len(repr(problem)) < len(problem.name) + 120


def test_cached_values_are_not_part_of_equality_or_copies(problem: Problem) -> None:
    plain, text, value = replace(problem), repr(problem), hash(problem)
    problem.memos["lines"] = (line for line in ())  # a generator can neither be copied nor pickled
    assert (repr(problem), hash(problem)) == (text, value)
    assert problem == plain
    for duplicate in (
        replace(problem),
        copy.copy(problem),
        copy.deepcopy(problem),
        pickle.loads(pickle.dumps(problem)),
    ):
        assert duplicate == problem
        assert duplicate.memos == {}
    assert len(problem.memos) == 1


@pytest.mark.slow
def test_cached_values_are_freed_with_the_problem(problem: Problem) -> None:
    class Large:
        def __init__(self, problem: Problem) -> None:
            self.problem = problem

    large = ProblemCache(Large)
    one = replace(problem)
    reference = weakref.ref(large(one))
    assert reference() is large(one)
    del one
    gc.collect()
    assert reference() is None
