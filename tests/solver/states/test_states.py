"""Values of states, compared with a solve from scratch and with searches through the rules."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from support import exhaustive, timearena
from support.asynctool import messages_before, min_turns, random_chains
from support.model_distance import plain_mix
from support.random_agent_instances import interruption_workshop
from support.random_instances import kitchen, workshop
from support.random_runs import odd_workshop, random_run, solve_from_scratch
from support.samples import sample

from planoracle.instances.benchmarks.asynctool import problem_model as asynctool
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import task_names, world
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import load
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact.search import solve
from planoracle.solver.states.state_solver import StateSolver, Value
from planoracle.solver.states.values import follow_witness, state_solver, value_of
from tests.support.efforts import count_efforts


def chains(seed):
    return asynctool.instance(random_chains(seed, constant=False))


def bundled(pattern):
    names = catalog.expand([pattern])
    return lambda seed: load(Random(seed).choice(names))


# --- against a solve from scratch ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "seeds", "share", "least"),
    [
        (workshop, range(12), 1.0, 90),
        (odd_workshop, range(12), 1.0, 90),
        (interruption_workshop, range(16), 1.0, 150),
        *sample(
            [
                (chains, range(12), 1.0, 100),
                (kitchen, range(25), 1.0, 100),
                (interruption_workshop, range(16, 80), 1.0, 800),
                (bundled("recipe2plan"), range(2, 4), 0.3, 10),
                (bundled("timearena"), range(6), 0.3, 30),
                (workshop, range(12, 40), 1.0, 210),
                (odd_workshop, range(12, 40), 1.0, 210),
                (bundled("recipe2plan"), range(4, 8), 0.3, 20),
            ],
            several=True,
        ),
    ],
    ids=lambda one: one.__name__ if callable(one) else str(one),
)
def test_values_equal_those_of_a_solve_from_scratch(make, seeds, share, least):
    statuses = []
    for seed in seeds:
        random = Random(seed)
        for _, step, point in random_run(make(seed), seed):
            if random.random() > share:
                continue
            value, scratch = value_of(point, step), solve_from_scratch(point)
            assert (value.status, value.makespan) == (scratch.status, scratch.makespan), (seed, point.state)
            statuses.append(value.status)
    assert len(statuses) >= least
    assert set(statuses) <= {"optimal", "infeasible"}
    if make in (workshop, odd_workshop, kitchen):
        assert "infeasible" in statuses


@pytest.mark.parametrize("make", sample([kitchen, interruption_workshop]))
def test_values_do_not_depend_on_the_order_of_queries(make):
    for seed in range(12):
        instance = make(seed)
        states = [point.state for _, _, point in random_run(instance, seed)]
        makespans = [StateSolver(instance).value(state).makespan for state in states]
        solver = StateSolver(instance)
        for k in Random(seed).sample(range(len(states)), len(states)):
            assert solver.value(states[k]).makespan == makespans[k], (seed, k)


def test_command_without_length_changes_no_value():
    polish = Action("t/polish", "t", 2, 2, interruptible=True)
    instance = Instance("k", (Action("t/cut", "t", 3, 3), polish, Action("t/mix", "t", 1, 1)))
    pieces = Piece("t/polish", 0, 0, "agent"), Piece("t/cut", 0, 3, "agent")
    assert StateSolver(instance).value(PartialSchedule(pieces, 3)).makespan == 6


@pytest.mark.slow
def test_given_bounds_do_not_change_a_value():
    for seed in range(12):
        instance = kitchen(seed)
        for _, _, point in random_run(instance, seed):
            plain = StateSolver(instance).value(point.state)
            if plain.makespan is None:
                assert StateSolver(instance).value(point.state, 3) == plain
                continue
            for below in (0, 1, 4):
                for above in (None, 0, 1, 100):
                    most = None if above is None else plain.makespan + above
                    value = StateSolver(instance).value(point.state, plain.makespan - below, most)
                    assert value == plain, (seed, point.state, below, above)


@pytest.mark.slow
def test_witness_is_retained_exactly_by_states_on_its_path():
    retained = lost = 0
    for seed in range(25):
        instance = kitchen(seed)
        solvers, before = {}, None
        solver = state_solver(solvers, instance, 1)
        for _, _, point in random_run(instance, seed):
            if before is not None and before.witness is not None:
                if solver.keeps(before.witness, point.state):
                    assert value_of(point, 1, solvers=solvers).makespan == before.makespan
                    retained += 1
                else:
                    lost += 1
            before = value_of(point, 1, solvers=solvers)
    assert retained > 10
    assert lost > 10


@pytest.mark.parametrize("make", sample([kitchen, interruption_workshop, odd_workshop]))
def test_value_counts_lost_time_and_the_makespan_of_the_executed_pieces(make):
    followed = 0
    for seed in range(6):
        for _, step, point in random_run(make(seed), seed, most=20):
            solvers = {}
            value = value_of(point, step, solvers=solvers)
            if value.makespan is None:
                continue
            for reached, lost in ((0, 0), (value.makespan + 3, 0), (0, 5), (value.makespan + 9, 5)):
                later = replace(point, reached=reached, lost=point.lost + lost)
                makespan = value.makespan + lost
                expected = max(makespan, reached)
                assert value_of(later, step, solvers=solvers).makespan == expected
                assert value_of(later, step, makespan, expected + 1).makespan == expected
                following = follow_witness(point, value, later, step, solvers)
                assert following is None or following.makespan == expected
                followed += following is not None
    assert followed > 30


# --- against a search through the rules ----------------------------------------------------------


@pytest.mark.slow
def test_kitchens_agree_with_a_search_through_the_rules_of_recipe2plan():
    looked = {"optimal": 0, "infeasible": 0}
    for seed in range(30):
        instance = kitchen(seed, most=4)
        for _, step, point in random_run(instance, seed):
            state = point.state
            done = [StepCommand(int(p.action[3:]), p.action[:2], p.duration, p.start) for p in state.pieces]
            horizon = state.clock + sum(action.duration for action in instance.actions) + 4
            best = exhaustive.kitchen_optimum(instance, horizon, done, state.clock)
            value = value_of(point, step)
            assert (value.status, value.makespan) == ("infeasible" if best is None else "optimal", best), (seed, state)
            looked[value.status] += 1
    assert min(looked.values()) > 15


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(4), 4))
@pytest.mark.parametrize("make", sample([workshop, odd_workshop, interruption_workshop], 2))
def test_workshops_agree_with_a_search_through_the_general_rules(make, block):
    looked = {"optimal": 0, "infeasible": 0}
    for seed in range(block, 40, 4):
        instance = make(seed)
        for _, step, point in random_run(instance, seed, lazy=0.2):
            state = point.state
            horizon = max([state.clock, *(piece.end for piece in state.pieces)]) + 9
            whole = _without_limit(instance)
            if state.clock > 12 or exhaustive.count_schedules(whole, horizon, state) > 20_000:
                continue
            value, best = value_of(point, step), exhaustive.general_optimum(whole, horizon, state)
            if best is None and value.makespan is not None:
                assert value.makespan > horizon
                continue
            assert (value.status, value.makespan) == ("infeasible" if best is None else "optimal", best), (seed, state)
            looked[value.status] += 1
    assert looked["optimal"] > 20
    assert looked["infeasible"] > 0 or make is interruption_workshop


def _without_limit(instance):
    return Instance(instance.name, instance.actions, instance.lags, instance.resources, instance.agents)


@pytest.mark.slow
@pytest.mark.parametrize("profile", sample(["paper", "released"], 2))
def test_single_tasks_of_timearena_agree_with_a_search_through_its_rules(profile):
    rules = PROFILES[profile]
    for number, task in enumerate(task_names()):
        if number % 3 != (profile == "paper"):
            continue
        scene = world(f"timearena/{task}", rules)
        for course, step, point in random_run(problems.load(scene.name, rules), number, rules, most=8):
            decisions = timearena.decisions_before(course.problem, point)
            if not point.complete:
                assert timearena.optimum(scene, 300_000, rules, decisions) == (
                    "complete",
                    value_of(point, step).makespan,
                )


@pytest.mark.slow
def test_asynctool_agrees_with_a_search_through_its_live_environment():
    for seed in range(15):
        problem = random_chains(seed, constant=False)
        instance = asynctool.instance(problem)
        for _, step, point in random_run(instance, seed, most=12):
            if point.complete:
                continue
            assert min_turns(problem, messages_before(problem, point)) == value_of(point, step).makespan, (
                seed,
                point.state,
            )


# --- single states -------------------------------------------------------------------------------


def test_waiting_one_tick_past_a_maximum_lag_of_zero_is_infeasible():
    actions = (Action("t/a", "t", 2, 2), Action("t/b", "t", 1, 1))
    states = StateSolver(Instance("tight", actions, (Lag("t/a", "t/b", 0, 0),)))
    started = (Piece("t/a", 3, 2, "agent"),)
    assert states.value(PartialSchedule(started, 5)) == Value(6, 6)
    late = states.value(PartialSchedule(started, 6))
    assert (late.status, late.makespan, late.upper) == ("infeasible", None, None)


def test_interrupted_action_keeps_its_mode_but_not_its_agent():
    saw = Action("t/saw", "t", 4, 4, interruptible=True, modes=(Mode((Demand("bench"),)), Mode((Demand("vice"),))))
    glue = Action("t/glue", "t", 6, 6, modes=(Mode((Demand("bench"),)),))
    tools = (Resource("bench"), Resource("vice"))
    states = StateSolver(Instance("shop", (saw, glue), resources=tools, agents=("a", "b")))
    assert states.value(PartialSchedule((Piece("t/saw", 0, 2, "a", 1), Piece("t/glue", 0, 6, "b", 0)), 2)).makespan == 6
    on_bench = PartialSchedule((Piece("t/saw", 0, 2, "a", 0), Piece("t/glue", 2, 6, "a", 0)), 2)
    assert states.value(on_bench).makespan == 10


@pytest.mark.parametrize("late", [10**6, 10**9 + 7, 10**30])
def test_far_times_cost_no_more_than_near_ones(late):
    states = StateSolver(kitchen(3), latest=late)
    optimum = states.value(PartialSchedule()).makespan
    assert states.value(PartialSchedule((), late)).makespan == late + optimum
    assert states.value(PartialSchedule((), 5)).makespan == 5 + optimum


def test_times_off_the_grid_are_refused():
    states = StateSolver(load("recipe2plan/timed/Cobbler_Pancakes"))
    for state in (PartialSchedule((), 7), PartialSchedule((Piece("Cobbler/0", 30, 600, "agent"),), 60)):
        with pytest.raises(InputError, match="60"):
            states.value(state)


def test_value_without_time_has_valid_bounds():
    value = StateSolver(load("recipe2plan/timed/Cobbler_Pancakes")).value(PartialSchedule(), limit=0.0)
    assert value.status in ("unknown", "feasible", "optimal")
    assert value.lower <= 4080
    assert value.upper is None or value.upper >= 4080


def test_mode_whose_state_cannot_be_set_is_excluded():
    heat = Action("t/heat", "t", 1, 1, modes=(Mode((Demand("oven", sets="hot"),)), Mode((Demand("stove"),))))
    bake = Action("t/bake", "t", 3, 0, modes=(Mode((Demand("oven", requires="hot"),)), Mode((Demand("stove"),))))
    instance = Instance("oven", (heat, bake), resources=(Resource("oven"), Resource("stove")))
    cold = PartialSchedule((Piece("t/heat", 0, 1, "agent", 1),), 1)
    assert solve(remaining_problem(instance, cold)).makespan == StateSolver(instance).value(cold).makespan == 4
    only = Instance("oven", (heat, Action("t/bake", "t", 3, 0, modes=bake.modes[:1])), resources=instance.resources)
    assert solve(remaining_problem(only, cold)).status == StateSolver(only).value(cold).status == "infeasible"


CHOP = Action("t/chop", "t", 2, 2, interruptible=True)
BOIL = Action("t/boil", "t", 2, 0, release=1)
FREE = Action("t/free", "t", 3, 0, agents=())
LATE = Action("t/late", "t", 1, 0, release=3)
# Every piece of chopping starts at least four ticks before the end of `LATE`.
RUSH = (Lag("t/late", "t/chop", None, -4),)


@pytest.mark.parametrize(
    ("actions", "lags", "agents", "best"),
    [
        ((CHOP, BOIL), (), ("a",), 4),
        ((CHOP, BOIL, FREE), (), ("a",), 4),
        ((replace(CHOP, agents=("a",)), replace(BOIL, agents=("a",))), (), ("a", "b"), 4),
        ((CHOP, BOIL), (), ("a", "b"), 3),  # the other agent starts it
        ((replace(CHOP, agents=("a",)), BOIL), (), ("a", "b"), 3),
        ((CHOP, replace(CHOP, id="t/peel"), BOIL), (), ("a", "b"), 4),
        ((CHOP, BOIL, LATE), RUSH, ("a", "b"), 4),
        ((CHOP, BOIL, LATE), RUSH, ("a",), 4),
        ((CHOP, replace(BOIL, duration=4), LATE), RUSH, ("a",), 6),
        ((CHOP, replace(BOIL, duration=4), LATE), RUSH, ("a", "b"), 5),
        ((CHOP, BOIL), (Lag("t/boil", "t/chop", -3),), ("a",), None),  # boiling would have to begin at 1
    ],
)
def test_fixed_piece_is_not_cut_by_a_later_start(actions, lags, agents, best):
    instance = Instance("kitchen", actions, lags, agents=agents)
    fixed_pieces = [Piece(action.id, 0, 2, agents[k]) for k, action in enumerate(actions) if action.attended]
    for state in (PartialSchedule(tuple(fixed_pieces)), PartialSchedule(tuple(fixed_pieces), 1)):
        solver = StateSolver(instance, 1)
        value = solver.value(state)
        assert value.makespan == solve(remaining_problem(instance, state)).makespan == best
        assert value.makespan == exhaustive.general_optimum(instance, 8, state)
        if best is not None:
            rest = solver.completion(value.witness, state)
            assert not list(find_violations(instance, Schedule((*fixed_pieces, *rest.pieces))))


def test_unattended_action_can_start_between_two_fixed_pieces():
    instance = Instance("kitchen", (CHOP, BOIL))
    halves = (Piece("t/chop", 0, 1, "agent"), Piece("t/chop", 1, 1, "agent"))
    assert StateSolver(instance, 1).value(PartialSchedule(halves, 1)).makespan == 3
    # Each of the two pieces must start in time.
    rushed = Instance("kitchen", (CHOP, LATE), RUSH)
    state = PartialSchedule(halves, 1)
    assert StateSolver(rushed, 1).value(state).makespan == solve(remaining_problem(rushed, state)).makespan == 5


def test_rest_of_a_started_action_is_started_by_a_free_agent():
    soak = Action("t/soak", "t", 2, 0, interruptible=True)
    instance = Instance("kitchen", (CHOP, soak), agents=("a", "b"))
    state = PartialSchedule((Piece("t/soak", 0, 1, "a"), Piece("t/chop", 0, 2, "a")))
    solver = StateSolver(instance)
    value = solver.value(state)
    assert value.makespan == 2
    assert solver.completion(value.witness, state).pieces == (Piece("t/soak", 1, 1, "b"),)


def test_agents_of_pieces_are_kept_if_idle_time_is_cut():
    saw, glue = Action("t/saw", "t", 4, 4), Action("t/glue", "t", 1, 1)
    paint = Action("t/paint", "t", 4, 4, agents=("b",))
    states = StateSolver(Instance("shop", (saw, glue, paint), agents=("a", "b")))
    one = PartialSchedule((Piece("t/saw", 100, 4, "a"), Piece("t/glue", 100, 1, "b")), 100)
    other = PartialSchedule((Piece("t/glue", 100, 1, "a"), Piece("t/saw", 100, 4, "b")), 100)
    assert [states.value(state).makespan for state in (one, other, one)] == [105, 108, 105]


@pytest.mark.parametrize("ticks", [1, 2])
def test_fixed_piece_of_one_tick_does_not_share_its_capacity(ticks):
    keep = Action("t/keep", "t", 3, 3, interruptible=True, modes=(Mode((Demand("oven"),)),))
    heat = Action("t/heat", "t", ticks, ticks, modes=(Mode((Demand("oven", sets="hot"),)),))
    instance = Instance("oven", (keep, heat), resources=(Resource("oven", state="hot"),), agents=("a", "b"))
    state = PartialSchedule((Piece("t/keep", 0, ticks, "a"),))
    assert exhaustive.general_optimum(instance, 9, state) == 3 + ticks
    assert (
        solve(remaining_problem(instance, state)).makespan == StateSolver(instance).value(state).makespan == 3 + ticks
    )


@pytest.mark.parametrize("clock", [0, 3, 5, 9])
def test_negative_maximum_lag_applies_to_started_actions(clock):
    late = Instance("p", (Action("t/a", "t", 0, 0), Action("t/b", "t", 1, 1)), (Lag("t/b", "t/a", None, -5),))
    state = PartialSchedule((Piece("t/a", 0, 0, "agent"),), clock)
    assert StateSolver(late).value(state).makespan == max(5, clock + 1)


@pytest.mark.slow
def test_value_of_a_large_model_respects_the_work_limit():
    # Thousands of segments: CP-SAT's deterministic time does not include the cost of a conflict.
    solver = StateSolver(load("recipe2plan/timed/Vada_Daikon-Radish"), step=1)
    with count_efforts() as efforts:
        solver.value(PartialSchedule(), limit=WorkLimit(0.1))
    assert efforts.size > 10_000 * efforts.calls
    assert efforts.units < 0.001 * efforts.calls


# --- problems of the larger model ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(10), 10))
def test_values_of_the_larger_model_equal_those_of_a_solve_from_scratch(block):
    checked = 0
    for seed in range(block, 120, 10):
        try:
            instance = plain_mix(seed)
        except InputError:  # an action that pauses would fit in its windows, one that does not would not
            continue
        if not features_of(instance):
            continue
        for _, step, point in random_run(instance, seed, most=12):
            value = value_of(point, step)
            if point.complete:
                continue
            expected = solve_from_scratch(point)
            assert (value.status, value.makespan) == (expected.status, expected.makespan), (instance.name, point.state)
            checked += 1
    assert checked > 10


def test_state_fixes_the_segments_of_its_mode():
    modes = Mode(duration=2), Mode()
    saw = Action("t/saw", "t", 3, 3, interruptible=True, modes=modes)
    instance = Instance("s", (saw, Action("t/ring", "t", 1, 1, release=3)))
    states = StateSolver(instance)
    assert states.value(PartialSchedule()).makespan == 4
    started_early = PartialSchedule((Piece("t/saw", 0, 1, "agent", 1),), clock=1)
    assert states.value(started_early).makespan == 4
    late = PartialSchedule((Piece("t/saw", 1, 1, "agent", 1),), clock=2)
    assert states.value(late).makespan == 5
    other_mode = PartialSchedule((Piece("t/saw", 1, 1, "agent", 0),), clock=2)
    value = states.value(other_mode)
    assert value.makespan == 4
    assert [(piece.start, piece.mode) for piece in states.completion(value.witness, other_mode).pieces] == [
        (2, 0),
        (3, 0),
    ]


def test_idle_time_is_not_cut_out_of_states_with_absolute_times():
    rest = Calendar(("agent",), ((101, 103),))
    instance = Instance("s", (Action("t/a", "t", 2, 2), Action("t/b", "t", 1, 1, deadline=110)), calendars=(rest,))
    states = StateSolver(instance)
    assert states.value(PartialSchedule(clock=98)).makespan == 101
    assert states.value(PartialSchedule(clock=100)).makespan == 105
    assert states.value(PartialSchedule(clock=110)).status == "infeasible"


def test_started_pieces_use_up_their_budget():
    modes = Mode((Demand("money", 2),), duration=1), Mode(duration=5)
    actions = tuple(Action(f"t/{name}", "t", 1, 0, modes=modes, agents=()) for name in "ab")
    instance = Instance("s", actions, resources=(Resource("money", 3, renewable=False),))
    states = StateSolver(instance)
    assert states.value(PartialSchedule((Piece("t/a", 0, 5, None, 1),), clock=0)).makespan == 5
    assert states.value(PartialSchedule((Piece("t/a", 0, 1, None, 0),), clock=2)).makespan == 7
    both = Piece("t/a", 0, 1, None, 0), Piece("t/b", 0, 1, None, 0)
    assert states.value(PartialSchedule(both, clock=0)).status == "infeasible"


@pytest.mark.parametrize(("order", "best"), [("", 100), ("u", 100), ("s", 200), ("us", 100)])
def test_use_shares_the_room_of_a_setting_only_if_its_command_comes_first(order, best):
    """A benchmark whose commands are executed one by one."""
    demands = {"u": Demand("oven"), "s": Demand("oven", sets="hot")}
    actions = tuple(Action(f"t/{name}", "t", 100, 0, modes=(Mode((demand,)),)) for name, demand in demands.items())
    instance = Instance("oven", actions, resources=(Resource("oven", 1, "hot"),), benchmark="recipe2plan")
    states = StateSolver(instance)
    assert states.value(PartialSchedule()).makespan == 100
    for start in (0, 100):
        pieces = tuple(Piece(f"t/{name}", start, 100, "agent") for name in order)
        assert states.value(PartialSchedule(pieces, start)).makespan == start + best


def test_best_schedule_of_other_agents_is_not_kept():
    x, y = Action("t/x", "t", 2, 2, agents=("ann", "bob")), Action("t/y", "t", 2, 2, agents=("ann",))
    states = StateSolver(Instance("crews", (x, y), agents=("ann", "bob")))
    assert states.value(PartialSchedule()).makespan == 2
    assert states.value(PartialSchedule((Piece("t/x", 0, 2, "bob"),))).makespan == 2
    assert states.value(PartialSchedule((Piece("t/x", 0, 2, "ann"),))).makespan == 4


def test_other_work_starts_inside_an_unattended_piece():
    boil = Action("t/boil", "t", 4, 0, interruptible=True)
    soak = Action("t/soak", "t", 5, 0)
    states = StateSolver(Instance("unattended", (boil, soak)))
    assert states.value(PartialSchedule((Piece("t/boil", 0, 4, "agent"),), clock=1)).makespan == 6


def test_idle_time_is_not_cut_out_before_a_window():
    instance = Instance("window", (Action("t/sell", "t", 2, 2, windows=((100, 110),)),))
    assert StateSolver(instance).value(PartialSchedule((), clock=90)).makespan == 102
    assert StateSolver(instance).value(PartialSchedule((), clock=104)).makespan == 106
