"""Optimal turns: closed form, solver and exhaustive search through the live environment agree."""

from __future__ import annotations

import pytest
from support.asynctool import chains, min_turns, random_chains
from support.samples import sample

from planoracle.instances.benchmarks.asynctool import problem_model, problems, simulation
from planoracle.instances.benchmarks.asynctool.language import written
from planoracle.instances.benchmarks.asynctool.problem_model import Delays
from planoracle.instances.files.catalog import load
from planoracle.solver.exact.search import solve


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(30), 30))
def test_constant_delays_closed_form_solver_and_exhaustive_search_agree(block: int) -> None:
    for seed in range(block, 500, 30):
        problem = random_chains(seed, constant=True)
        result = solve(problem_model.instance(problem))
        assert result.status == "optimal"
        assert problem_model.optimal_turns(problem) == result.makespan == min_turns(problem), seed


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(12), 12))
def test_any_delays_solver_and_exhaustive_search_agree(block: int) -> None:
    varied = 0
    for seed in range(1000 + block, 1200, 12):
        problem = random_chains(seed, constant=False)
        result = solve(problem_model.instance(problem))
        assert result.status == "optimal"
        assert result.makespan == min_turns(problem), seed
        varied += problem_model.optimal_turns(problem) is None
    assert varied > 10


def test_the_closed_form_counts_the_closing_message() -> None:
    for lengths, delay, expected in [((3, 1), 1, 6), ((2, 2, 2), 1, 7), ((4,), 1, 8), ((4,), 0, 5), ((3, 3), 2, 9)]:
        assert problem_model.optimal_turns(chains(lengths, Delays(delay, delay))) == expected
        assert problem_model.optimal_turns(chains(lengths, Delays(delay, delay)), strict=False) == sum(lengths) + 1


@pytest.mark.parametrize("suffix", sample(["", "@0", "@2", "@0-1", "@1-2:3"], 5))
def test_transcripts_of_bundled_problems_replay_in_the_optimal_number_of_turns(suffix: str) -> None:
    for name in problems.names():
        problem = problems.problem(f"{name}{suffix}")
        result = solve(load(f"{name}{suffix}"))
        assert (result.status, result.lower_bound) == ("optimal", result.makespan)
        assert problem_model.optimal_turns(problem) in (None, result.makespan)
        assert result.schedule is not None
        run = simulation.replay(problem, written(problem_model.instance(problem), result.schedule))
        assert run.success
        assert not run.violations
        assert len(run.turns) == result.makespan
