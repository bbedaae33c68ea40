"""Heuristics: schedules accepted by the rules or explicit failures, never better than the optimum."""

import pytest

from planoracle.heuristics.generation import blocks_of
from planoracle.heuristics.improve import RULES, Budget, priorities
from planoracle.heuristics.recipe2plan_dfs import action_list, search
from planoracle.heuristics.registry import run
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.solver.exact.search import solve

SOME = problems.names()[::13]


@pytest.mark.slow
def test_the_improver_comes_close_to_the_optimum():
    gaps = []
    for name in problems.names()[::3]:
        answer = run(load(name), "improve", Budget(iterations=60))
        gaps.append(answer.makespan / solve(load(name)).makespan - 1)
    assert sum(gaps) / len(gaps) <= 0.02


def test_the_improver_is_deterministic_and_stops_at_a_bound():
    instance = load("recipe2plan/timed/Tacos_Smore-Bars")
    first, second = (run(instance, "improve", Budget(seed=3, iterations=30)) for _ in range(2))
    assert first.schedule == second.schedule
    assert run(instance, "improve", Budget(bound=10**9)).makespan >= first.makespan


def test_unknown_heuristic():
    with pytest.raises(UnknownNameError, match="improve"):
        run(load(SOME[0]), "magic")


def test_heuristic_name_without_its_benchmark_is_accepted_for_that_benchmark_only():
    assert run(load("timearena/lab1"), "greedy").heuristic == "timearena-greedy"
    assert run(load(SOME[0]), "dfs").heuristic == "recipe2plan-dfs"
    with pytest.raises(InputError, match="is short for recipe2plan-dfs, which does not accept problems of"):
        run(load("timearena/lab1"), "dfs")


def test_greedy_is_the_algorithm_of_the_paper_or_our_first_rule_with_a_schedule():
    assert run(load(SOME[0]), "greedy").heuristic == "recipe2plan-dfs"
    assert run(load("asynchow/async/0"), "greedy").heuristic == "parallel-lpt"
    # Algorithm 1 claims 9 minutes for household4, which the rules refuse; 14 are possible.
    fallback = run(load("timearena/household4"), "greedy")
    assert (fallback.heuristic, fallback.makespan) == ("parallel-lpt", 14)
    assert fallback.reason.startswith("timearena-greedy claims 9 minutes, impossible under the rules")


def test_time_limit_makes_a_long_schedule_a_failure():
    instance = Instance("k", (Action("t/a", "t", 5, 5),), time_limit=4)
    answer = run(instance, "serial-lpt")
    assert answer.schedule is None
    assert "time limit" in answer.reason


def test_algorithm_1_lists_autonomous_actions_by_duration_after_their_prerequisites():
    actions = (
        Action("t/chop", "t", 4, 4),
        Action("t/boil", "t", 9, 0),
        Action("t/toast", "t", 2, 0),
        Action("t/serve", "t", 1, 1),
    )
    lags = (Lag("t/chop", "t/toast"), Lag("t/boil", "t/serve"), Lag("t/toast", "t/serve"))
    # boil (9) has no prerequisites; toast (2) needs chop; then what is left.
    assert action_list(Instance("k", actions, lags)) == [1, 0, 2, 3]


def test_algorithm_1_lists_the_deepest_prerequisites_first_unless_taken_literally():
    actions = (Action("t/chop", "t", 4, 4), Action("t/mix", "t", 1, 1), Action("t/bake", "t", 9, 0))
    instance = Instance("k", actions, (Lag("t/chop", "t/mix"), Lag("t/mix", "t/bake")))
    assert action_list(instance) == [0, 1, 2]
    assert action_list(instance, deepest_first=False) == [1, 0, 2]


def test_algorithm_1_waits_after_all_actions_that_can_start_have_failed():
    # Stirring from 0 to 5 would miss the only instant for draining, 4: the agent waits for it instead.
    actions = (Action("t/boil", "t", 4, 0), Action("t/stir", "t", 5, 5), Action("t/drain", "t", 1, 1))
    instance = Instance("k", actions, (Lag("t/boil", "t/drain", 0, 0),))
    timetable, _ = search(instance)
    assert timetable.start == [0, 5, 4]


def test_algorithm_1_answers_all_problems_of_the_paper():
    answers = [run(problem, "dfs") for problem in map(load, problems.names())]
    assert sum(answer.makespan is not None for answer in answers) == 130


def test_algorithm_1_worked_by_hand():
    actions = (Action("t/chop", "t", 4, 4), Action("t/boil", "t", 9, 0), Action("t/serve", "t", 1, 1))
    instance = Instance("k", actions, (Lag("t/chop", "t/serve"), Lag("t/boil", "t/serve")))
    # boil and chop at 0; nothing to do from 4 on, so the search waits for 9; serve until 10.
    timetable, _ = search(instance)
    assert timetable.start == [0, 0, 9]
    assert timetable.makespan == 10
    # Taken literally, time advances by continuous actions only: serve can never start.
    failed, reason = search(instance, literal=True)
    assert failed is None
    assert reason == "no feasible schedule found"


def test_algorithm_1_backtracks_out_of_a_window():
    # Started at once, heat is done at 2 and the window closes at 3, but prepare takes until 5.
    actions = (Action("t/heat", "t", 2, 0), Action("t/prepare", "t", 5, 5), Action("t/fry", "t", 1, 1))
    instance = Instance("k", actions, (Lag("t/heat", "t/fry", 0, 1), Lag("t/prepare", "t/fry")))
    timetable, _ = search(instance)
    assert timetable.start == [5, 0, 7]


def test_algorithm_1_stops_at_its_limit_of_nodes():
    failed, reason = search(load("recipe2plan/untimed/Puddings_Volcano-Glass"), nodes=10)
    assert failed is None
    assert "limit" in reason


def test_blocks_join_actions_tied_by_maximum_lags_and_break_cycles():
    actions = tuple(Action(f"t/{n}", "t", 1, 1) for n in range(4))
    # 0 and 2 are tied; 1 lies between them, so it must join; 3 stays alone.
    lags = (Lag("t/0", "t/2", 0, 5), Lag("t/0", "t/1"), Lag("t/1", "t/2"), Lag("t/2", "t/3"))
    blocks = blocks_of(Instance("k", actions, lags))
    assert blocks.members == ((0, 1, 2), (3,))
    assert blocks.before == (frozenset(), frozenset({0}))


@pytest.mark.parametrize("rule", list(RULES))
def test_priority_rules_have_the_documented_values(rule):
    actions = (Action("t/short", "t", 1, 1), Action("t/long", "t", 9, 9), Action("t/last", "t", 2, 0))
    lags = (Lag("t/long", "t/last"),)
    short, long, last = priorities(Instance("k", actions, lags), rule)
    expected = {
        "lpt": (-1, -9, -2),
        "spt": (1, 9, 2),
        "mts": (0, -1, 0),
        "lst": (-1, -11, -2),
        "lft": (0, -2, 0),
        "grpw": (-1, -11, -2),
        "wait": (0, -2, -2),
    }
    assert (short, long, last) == expected[rule]
