"""Optimal turns: closed form, solver and exhaustive search through the live environment agree."""

from __future__ import annotations

from random import Random

import pytest
from support.asynctool import chains, least_turns, random_chains
from support.samples import sample

from planoracle.instances.asynctool import encode, rules, sets
from planoracle.instances.asynctool.problem import Delays
from planoracle.instances.catalogue import load
from planoracle.solver.exact.solve import solve

#: The paper's Table 4: number of tasks and mean number of calls, by class.
TABLE_4 = {
    "data management": (59, 2.14),
    "file system": (53, 3.58),
    "data generation": (29, 2.14),
    "messages": (23, 3.48),
    "numbers": (24, 2.12),
    "social": (18, 4.11),
    "strings": (34, 2.09),
    "tickets": (21, 2.81),
    "trading": (15, 3.27),
    "travel": (20, 3.10),
    "data format": (44, 2.09),
    "machines": (18, 3.00),
}


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(30), 30))
def test_constant_delays_closed_form_solver_and_exhaustive_search_agree(block: int) -> None:
    for seed in range(block, 500, 30):
        problem = random_chains(seed, constant=True)
        result = solve(encode.instance(problem))
        assert result.status == "optimal"
        assert encode.optimal_turns(problem) == result.makespan == least_turns(problem), seed


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(12), 12))
def test_any_delays_solver_and_exhaustive_search_agree(block: int) -> None:
    varied = 0
    for seed in range(1000 + block, 1200, 12):
        problem = random_chains(seed, constant=False)
        result = solve(encode.instance(problem))
        assert result.status == "optimal"
        assert result.makespan == least_turns(problem), seed
        varied += encode.optimal_turns(problem) is None
    assert varied > 10


def test_the_closed_form_counts_the_closing_message() -> None:
    for lengths, delay, expected in [((3, 1), 1, 6), ((2, 2, 2), 1, 7), ((4,), 1, 8), ((4,), 0, 5), ((3, 3), 2, 9)]:
        assert encode.optimal_turns(chains(lengths, Delays(delay, delay))) == expected
        assert encode.optimal_turns(chains(lengths, Delays(delay, delay)), strict=False) == sum(lengths) + 1


@pytest.mark.parametrize("suffix", sample(["", "@0", "@2", "@0-1", "@1-2:3"], 5))
def test_every_bundled_problem_is_proved_and_its_transcript_replays_in_so_many_turns(suffix: str) -> None:
    for name in sets.names():
        problem = sets.problem(f"{name}{suffix}")
        result = solve(load(f"{name}{suffix}"))
        assert (result.status, result.lower_bound) == ("optimal", result.makespan)
        assert encode.optimal_turns(problem) in (None, result.makespan)
        assert result.schedule is not None
        run = rules.replay(problem, encode.transcript(problem, result.schedule))
        assert run.success
        assert not run.violations
        assert len(run.turns) == result.makespan


def _length(mean: float, random: Random) -> int:
    """Two to five calls with a given mean: two, and each of three more with equal chance."""
    return 2 + sum(random.random() < (mean - 2) / 3 for _ in range(3))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "samples", "least", "most"),
    sample([(2, (120, 132), 6.6, 7.2), (3, (240, 220), 9.1, 9.6)], several=True),
)
def test_chains_as_long_as_the_papers_need_as_many_turns_as_its_best_models(
    size: int, samples: tuple[int, int], least: float, most: float
) -> None:
    # Classes are taken evenly, as the paper's numbers of samples are multiples of those of classes and sets of them.
    random = Random(0)
    turns = []
    for _ in range(20_000):
        similar = random.random() < samples[0] / sum(samples)
        classes = [random.choice(list(TABLE_4))] * size if similar else random.sample(list(TABLE_4), size)
        problem = chains([_length(TABLE_4[name][1], random) for name in classes], Delays())
        turns.append(encode.optimal_turns(problem))
    assert least <= sum(turns) / len(turns) <= most
