"""Greedy algorithm of TimeArena: its claims, and their feasibility under the rules."""

import pytest
from support.timearena import replay

from planoracle.heuristics.registry import run
from planoracle.heuristics.timearena_greedy import realise, run_printed, run_released
from planoracle.instances.benchmarks.timearena.problems import scenario_set, without_objects
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule_rules import referee

MEANS = {  # per scenario and number of tasks, by the released code
    "household": (12.7, 23.6, 35.4),
    "cooking": (18.9, 35.0, 52.5),
    "lab": (16.1, 24.4, 34.7),
}


@pytest.mark.parametrize("scenario", MEANS)
def test_the_released_variant_reproduces_the_oracle_times(scenario):
    for size, mean in enumerate(MEANS[scenario], 1):
        schedules = [run_released(load(name)) for name in scenario_set(scenario, size)]
        assert sum(greedy.claim for greedy in schedules) / 10 == pytest.approx(mean)


def test_claim_of_nine_minutes_for_household4_breaks_the_rules():
    problem = load("timearena/household4")
    greedy = run_released(problem)
    assert greedy.makespan == 9
    assert realise(problem, greedy.starts)[0] is None
    for name in ("timearena-greedy", "timearena-greedy-released"):
        answer = run(problem, name)
        assert answer.schedule is None
        assert answer.claim == 9
        assert answer.reason.startswith("claims 9 minutes, impossible under the rules: object fruit_tree is occupied")
    decisions = ["add water to watering_can", "water fruit_tree by watering_can", "trim fruit_tree"]
    verdict = replay(problem.name, decisions, 40)
    assert "object_occupied" in [step.kind for step in verdict.record.steps]


def test_algorithm_1_worked_by_hand():
    actions = (
        Action("t/wash", "t", 3, 3),
        Action("t/boil", "t", 4, 1),
        Action("t/chop", "t", 2, 2),
        Action("t/fry", "t", 6, 1),
        Action("t/serve", "t", 1, 1),
    )
    lags = (Lag("t/chop", "t/fry"), Lag("t/boil", "t/serve"), Lag("t/fry", "t/serve"))
    # The list: chop, fry (the longest), boil, wash, serve. Agent: chop 0-2, fry starts at 2, boil at 3,
    # wash 4-7, idle until fry ends at 8, serve 8-9.
    greedy = run_printed(Instance("k", actions, lags))
    assert greedy.starts == (4, 3, 0, 2, 8)
    assert greedy.makespan == 9


def test_makespan_includes_unattended_work():
    actions = (Action("t/wash", "t", 1, 1), Action("t/boil", "t", 9, 1))
    assert run_printed(Instance("k", actions, (Lag("t/wash", "t/boil"),))).makespan == 10


def test_claim_is_at_most_100_minutes():
    greedy = run_released(Instance("k", (Action("t/a", "t", 120, 120),)))
    assert (greedy.makespan, greedy.claim) == (120, 100)


def test_modes_are_chosen_that_allow_the_start_times():
    either, one = Mode((Demand("pot"),)), Mode((Demand("pan"),))
    actions = (Action("t/a", "t", 3, 1, modes=(either, one)), Action("t/b", "t", 3, 1, modes=(either,)))
    problem = Instance("k", actions, resources=(Resource("pot"), Resource("pan")))
    schedule, reason = realise(problem, (0, 1))
    assert not reason
    assert {piece.action: piece.mode for piece in schedule.pieces} == {"t/a": 1, "t/b": 0}


def test_relaxation_without_objects_keeps_agent_and_prerequisites():
    problem = load("timearena/household1+household4")
    relaxed = without_objects(problem)
    assert relaxed.benchmark == "generic"
    assert not relaxed.resources
    assert all(not mode.demands for action in relaxed.actions for mode in action.modes)
    pour = relaxed.by_id["household1/pour kettle into"]
    assert [mode.name for mode in pour.modes] == ["teapot", "cup"]
    schedule, _ = realise(relaxed, run_printed(problem).starts)
    assert schedule is not None
    assert referee(relaxed, schedule).success


def test_instances_with_several_agents_are_refused():
    answer = run(Instance("k", (Action("t/a", "t", 1, 1),), agents=("ann", "bob")), "timearena-greedy")
    assert answer.reason == "the greedy algorithm requires exactly one agent"
