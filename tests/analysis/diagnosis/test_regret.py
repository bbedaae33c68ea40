"""Regret: what decisions cost, from where on a run is lost, and how it could still end best."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from support.asynctool import random_chains
from support.random_instances import kitchen, workshop
from support.random_runs import odd_workshop, random_run, solve_from_scratch
from support.replays import run_of, verdict_of
from support.samples import sample

from planoracle.analysis.diagnosis.regret import regret, regret_of
from planoracle.instances.benchmarks.asynctool import problem_model as asynctool
from planoracle.instances.benchmarks.asynctool import rules as async_rules
from planoracle.instances.benchmarks.asynctool.language import CLOSING, WAIT, call_message
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.benchmarks.recipe2plan import rules as recipe2plan
from planoracle.instances.benchmarks.timearena import rules as timearena
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve

NAME = "recipe2plan/timed/Cobbler_Pancakes"
REASONS = {None, "constraints", "time_limit", "over", "spoiled"}


def priced(instance, submission, rules=None, *, guesses=False):
    """Regret of a submission, after checking all that must hold for any."""
    result = regret(instance, submission, rules)
    for one, two in pairwise(result.decisions):
        assert one.after == two.before
        assert one.end <= two.start or one.kind == "act"
    for one in result.decisions:
        assert one.cost is None or one.cost == one.after - one.before
        assert guesses or one.cost is None or one.cost >= 0
        assert one.status in ("optimal", "infeasible", "feasible", "unknown")
        assert (one.status == "optimal") == (one.after is not None)
        assert one.lower is None or one.status != "infeasible"
        assert one.after is None or one.after == one.lower == one.upper
    if result.success:
        assert None not in (result.optimum, result.total)
        assert result.total == result.final - result.optimum
        assert (result.completion, result.completion_status, result.completion_plan) == (result.final, "optimal", None)
        assert result.no_return is None
    assert result.no_return_reason in REASONS
    json.dumps(result.as_dict())
    return result


# --- sums ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_costs_sum_to_regret_and_only_guesses_are_negative():
    early = good = 0
    required = async_rules.RULE_SET.profile(closing="required")
    for seed in range(40):
        random = Random(seed)
        problem = random_chains(seed, constant=False)
        chains = [[call_message(task.id, call) for call in task.reference_calls] for task in problem.tasks]
        messages = []
        while any(chains):
            messages.append(
                random.choice([chain for chain in chains if chain]).pop(0) if random.random() < 0.7 else WAIT
            )
        closed = random.random() < 0.8
        instance = asynctool.instance(problem)
        result = priced(instance, [*messages, CLOSING] if closed else messages, required, guesses=True)
        assert result.success == closed
        good += closed
        for one in result.decisions:
            if one.cost is not None and one.cost < 0:
                assert one.violation == "premature"
                early += 1
        if not closed:
            assert result.completion == len(messages) + 1
            implied = priced(instance, messages, guesses=True)
            assert (implied.success, implied.final) == (True, len(messages) + 1)
    assert good > 20
    assert early > 5


def test_total_is_unknown_if_a_cost_is_unknown_and_the_costliest_decisions_have_costs():
    problem = load("timearena/household1+household2")
    unproved = regret(problem, ["wait", "wash cup"], seconds=WorkLimit(1e-9))
    assert (unproved.optimum, unproved.total, unproved.costliest()) == (None, None, [])
    assert all(one.cost is None and one.lower >= 25 for one in unproved.decisions)
    first = unproved.decisions[0]
    costs = [0, 5, None, -1, 7, 5, 1]
    several = replace(unproved, decisions=tuple(replace(first, cost=cost) for cost in costs))
    assert [several.costliest(count) for count in (1, 3, 9)] == [[4], [4, 1, 5], [4, 1, 5, 6]]


# --- what single decisions cost ------------------------------------------------------------------


def test_wait_has_cost():
    late = [[0, "Cobbler", 600, 300]]
    result = priced(load(NAME), late)
    assert [(one.kind, one.command, one.cost) for one in result.decisions] == [
        ("wait", "wait 5 min", 300),
        ("act", "Step(0, Cobbler, 00:10:00, 00:05:00)", 0),
    ]
    household = load("timearena/household1")
    assert [one.cost for one in priced(household, ["wait", "activate kettle"]).decisions] == [1, 0]


def test_rejected_minute_has_cost_of_passing_time():
    household = load("timearena/household1")
    for ticks in (False, True):
        rules = timearena.RULE_SET.profile("paper", invalid_ticks_world=ticks)
        result = priced(household, ["activate kettle", "dance", "wash moon"], rules)
        assert [one.violation for one in result.decisions] == [None, "invalid_action", "nonexistent_object"]
        best = [one.after for one in result.decisions]
        # The kettle continues to boil, or it does not.
        assert best == ([13, 13, 13] if ticks else [13, 14, 15])
        repeated = priced(household, ["wash cup", "wash cup"], rules)
        assert [one.kind for one in repeated.decisions] == ["act", "lost"]


def test_rejected_minute_after_completion_ends_run_only_by_rule():
    household = load("timearena/household1")
    plan = solve(household).plan.splitlines()
    whole = priced(household, plan)
    assert (whole.success, whole.total) == (True, 0)
    rules = timearena.RULE_SET.profile("paper", stop_on_complete=False)
    assert priced(household, plan, rules).total == 0
    # While unattended work finishes, a rejected minute can be the last one.
    for name in ("timearena/cooking2", "timearena/lab1", "timearena/lab5", "timearena/household1"):
        *prefix, _ = whole = solve(load(name)).plan.splitlines()
        ends, goes_on = (
            priced(load(name), [*prefix, "dance" if whole[-1] == "wait" else whole[-1]], profile)
            for profile in (timearena.RULE_SET.profile("paper", invalid_ticks_world=True), rules)
        )
        assert ends.success
        assert goes_on.success == (whole[-1] != "wait")


def test_rejected_commands_of_log_advance_clock_only_for_existing_steps():
    def log(*answers):
        return [{"response": answer} for answer in answers]

    instance = load(NAME)
    advancing = recipe2plan.RULE_SET.profile("paper", reject_advances_clock=True)
    existing = priced(instance, log("Step(5, Cobbler, 1 min, 00:10:00)"), advancing)
    assert [(one.kind, one.cost) for one in existing.decisions] == [("wait", 600), ("lost", 0)]
    unknown_step = log("Step(99, Cobbler, 1 min, 00:10:00)", "Step(0, Cobbler, 10 min, 00:00:00)")
    unknown = priced(instance, unknown_step, advancing)
    assert [(one.kind, one.cost) for one in unknown.decisions] == [("lost", 0), ("act", 0)]
    assert unknown.completion == unknown.optimum == 4080
    assert priced(instance, log("Step(5, Cobbler, 1 min, 00:10:00)")).completion == 4080


@pytest.mark.parametrize("seconds", [15, 20, 1215])
def test_commands_off_the_grid_have_exact_costs(seconds):
    result = priced(load(NAME), [[0, "Cobbler", 600, seconds]])
    assert [one.cost for one in result.decisions] == [seconds, 0]
    assert result.completion == 4080 + seconds
    assert seconds % result.grid == 0


@pytest.mark.parametrize("late", [10**11, 10**30])
def test_late_start_times_have_exact_costs(late):
    instance = load(NAME)
    first = priced(instance, [[0, "Cobbler", 600, late]])
    assert (first.completion, first.completion_status) == (late + 4080, "optimal")
    assert priced(instance, [[0, "Cobbler", 600, 60]]).completion == 4140
    own = Instance("generic", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 0)))
    piece = {"action": "t/b", "start": late, "duration": 3, "agent": "agent"}
    assert priced(own, [piece]).completion == late + 3


def test_commands_of_zero_duration_cost_only_waiting():
    released = recipe2plan.PROFILES["released"]
    result = priced(load(NAME), "Step(0, Cobbler, 10 min, 00:00:00), Step(0, Cobbler, 0 min, 00:20:00)", released)
    assert [one.kind for one in result.decisions] == ["act", "wait", "act"]
    assert result.decisions[-1].cost == 0
    assert verdict_of(load(NAME), result.completion_plan, released).makespan == result.completion
    refused = priced(load(NAME), [[0, "Cobbler", 0, 300]])
    assert refused.decisions[-1].violation == "action_duration"
    assert refused.completion == 4080


# --- runs that do not end well -------------------------------------------------------------------


@pytest.mark.parametrize("plan", ["", "no plan at all", [], None, {"plan": []}, {"plan": ""}])
def test_empty_plan_has_completion_of_whole_problem(plan):
    result = priced(load(NAME), plan)
    assert (result.success, result.decisions, result.completion, result.optimum) == (False, (), 4080, 4080)
    assert verdict_of(load(NAME), result.completion_plan).makespan == 4080


def test_failed_plan_is_completed_from_before_first_violation():
    commands = problems.reference_plan("recipe2plan/timed/Cobbler_Pancakes")
    broken = [*commands[:6], commands[0]._replace(start=commands[6].start), *commands[6:]]
    result = priced(load(NAME), ", ".join(command.text for command in broken))
    assert not result.success
    assert result.decisions[-1].violation in ("repeated_action", "object_occupancy")
    replay = verdict_of(load(NAME), result.completion_plan)
    assert (replay.violations, replay.makespan) == ((), result.completion)
    assert result.completion_plan.startswith(", ".join(command.text for command in commands[:6]))


@pytest.mark.slow
@pytest.mark.parametrize("make", sample([workshop, odd_workshop, kitchen], 3))
def test_point_of_no_return_agrees_with_solves_from_scratch(make):
    seen = 0
    for seed in range(60):
        instance = make(seed)
        *_, (course, _, last) = random_run(instance, seed, lazy=0.5)
        if instance.benchmark == "generic":
            plan = [piece._asdict() for piece in last.state.pieces]
        else:
            plan = [[int(p.action[3:]), p.action[:2], p.duration, p.start] for p in last.state.pieces]
        run = run_of(instance, plan)
        result = regret_of(run)
        possible = []
        for situation in run.points:
            rest = solve_from_scratch(situation)
            possible.append(rest.status == "optimal" and course.in_time(rest.makespan))
        if result.no_return is None:
            assert all(possible) or not possible[0]
            continue
        seen += 1
        assert result.no_return_status == "proved"
        assert possible[result.no_return]
        assert not any(possible[result.no_return + 1 :])
        rest = solve_from_scratch(run.points[result.no_return + 1])
        assert result.no_return_reason == ("constraints" if rest.status == "infeasible" else "time_limit")
    assert seen > 5


def test_infeasible_instance_is_lost_before_first_decision():
    tight = (Action("t/a", "t", 3, 3), Action("t/b", "t", 3, 3), Action("t/c", "t", 1, 1))
    lags = (Lag("t/a", "t/c", 0, 0), Lag("t/b", "t/c", 0, 0))
    result = priced(Instance("never", tight, lags), [{"action": "t/a", "start": 0, "duration": 3, "agent": "agent"}])
    assert (result.no_return, result.no_return_reason, result.no_return_status) == (None, "constraints", "proved")
    assert (result.optimum, result.completion, result.completion_status) == (None, None, "infeasible")


def test_time_limits_set_point_of_no_return_not_costs():
    actions = (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 3))
    limited = Instance("limited", actions, time_limit=6)
    result = priced(limited, [{"action": "t/a", "start": 2, "duration": 2, "agent": "agent"}])
    assert (result.no_return, result.no_return_reason, result.completion) == (0, "time_limit", 7)
    assert result.completion_plan is None
    assert [(one.after, one.cost, one.status) for one in result.decisions] == [(7, 2, "optimal"), (7, 0, "optimal")]
    in_time = priced(limited, [{"action": "t/a", "start": 1, "duration": 2, "agent": "agent"}])
    assert (in_time.no_return, in_time.completion) == (None, 6)
    household = load("timearena/household1")
    for limit, reason in ((12, "time_limit"), (0, "time_limit"), (13, None)):
        run = priced(household, {"actions": [], "time_limit": limit})
        assert (run.no_return_reason, run.completion_plan is None) == (reason, reason is not None)


def test_cost_of_piece_with_one_agent_is_cost_of_wait_with_several():
    """As ``.docs/reference/diagnosis.md`` says."""
    chop, boil = Action("t/chop", "t", 2, 2, agents=("a",)), Action("t/boil", "t", 5, 0, agents=("a",))
    plan = [
        {"action": "t/chop", "start": 0, "duration": 2, "agent": "a"},
        {"action": "t/boil", "start": 2, "duration": 5, "agent": "a"},
    ]
    alone = priced(Instance("k", (chop, boil), agents=("a",)), plan)
    assert [(one.kind, one.cost) for one in alone.decisions] == [("act", 2), ("act", 0)]
    for agents, more in ((("a", "b"), ()), (("a",), (Action("t/free", "t", 0, 0, agents=()),))):
        rows = [*plan, *({"action": one.id, "start": 0, "duration": 0, "agent": None} for one in more)]
        other = priced(Instance("k", (chop, boil, *more), agents=agents), rows)
        kinds = [(one.kind, one.cost) for one in other.decisions]
        assert kinds[len(more) :] == [("act", 0), ("wait", 2), ("act", 0)]
        assert other.total == alone.total == 2


def test_run_ended_by_rules_has_reason_over():
    household = load("timearena/household1")
    five = priced(household, ["dance"] * 7)
    assert (len(five.decisions), five.no_return, five.no_return_reason) == (5, 4, "over")
    assert five.completion_plan is None
    out = priced(household, {"actions": ["wait"] * 30, "time_limit": 20})
    assert (out.no_return, out.no_return_reason) == (7, "time_limit")
    closed = priced(load("asynctool/files_1"), [CLOSING])
    assert (closed.no_return, closed.no_return_reason) == (0, "over")


def test_calls_that_spoil_state_have_reason_spoiled():
    task = asynctool.problem_of(load("asynctool/files_1")).tasks[0]
    call = task.reference_calls[-1]
    wrong = [call_message(task.id, call), call_message(task.id, call), call_message(task.id, task.reference_calls[0])]
    result = priced(load("asynctool/files_1"), wrong, guesses=True)
    assert result.no_return_reason in ("spoiled", None)
    if result.no_return_reason == "spoiled":
        assert (result.no_return_status, result.completion_plan) == ("unknown", None)


def test_action_before_end_of_started_predecessor_is_violation():
    saw = Action("t/saw", "t", 4, 4, interruptible=True)
    instance = Instance("shop", (saw, Action("t/glue", "t", 1, 1)), (Lag("t/saw", "t/glue"),))
    rows = [
        {"action": "t/saw", "start": 0, "duration": 2, "agent": "agent"},
        {"action": "t/glue", "start": 2, "duration": 1, "agent": "agent"},
    ]
    result = priced(instance, rows)
    assert [(one.kind, one.violation) for one in result.decisions] == [("act", None), ("lost", "minimum_lag")]
    assert (result.no_return, result.completion) == (None, 5)


def test_action_of_zero_duration_does_not_block_paused_action():
    mark = Action("t/mark", "t", 0, 0)
    instance = Instance("shop", (mark, Action("t/saw", "t", 4, 4, interruptible=True)))
    rows = [
        {"action": "t/mark", "start": 0, "duration": 0, "agent": "agent"},
        {"action": "t/saw", "start": 0, "duration": 2, "agent": "agent"},
    ]
    result = priced(instance, rows)
    assert [one.kind for one in result.decisions] == ["act", "act"]
    assert result.completion == 4


def test_costs_include_agents_and_capacities():
    bench = (Mode((Demand("bench", amount=2),)),)
    actions = (Action("t/a", "t", 4, 4), Action("t/b", "t", 3, 3, modes=bench), Action("t/c", "t", 3, 3, modes=bench))
    instance = Instance("shop", actions, resources=(Resource("bench", capacity=3),), agents=("x", "y"))
    rows = [
        {"action": "t/b", "start": 0, "duration": 3, "agent": "x"},
        {"action": "t/c", "start": 3, "duration": 3, "agent": "x"},
        {"action": "t/a", "start": 4, "duration": 4, "agent": "y"},
    ]
    result = priced(instance, rows)
    assert (result.optimum, result.final, result.total) == (7, 8, 1) if result.optimum == 7 else (6, 8, 2)
    assert result.optimum == solve(instance).makespan


@pytest.mark.parametrize("rules", ["paper", "released"])
def test_exit_has_no_cost_and_ends_run(rules):
    commands = ["activate kettle", "wash cup", " Quit", "wash teapot"]
    result = priced(load("timearena/household1"), commands, timearena.PROFILES[rules])
    kinds = [(one.command, one.kind, one.start, one.end, one.cost) for one in result.decisions]
    assert kinds == [("activate kettle", "act", 0, 1, 0), ("wash cup", "act", 1, 4, 0), ("exit", "lost", 4, 4, 0)]
    assert (result.no_return, result.no_return_reason, result.no_return_status) == (2, "over", "proved")
    assert (result.completion, result.completion_plan, result.success) == (13, None, False)
    at_once = priced(load("timearena/household1"), ["exit"], timearena.PROFILES[rules])
    assert (at_once.no_return, at_once.no_return_reason, at_once.optimum) == (0, "over", 13)


# --- hostile submissions -------------------------------------------------------------------------


@pytest.mark.slow
def test_excessive_number_of_pieces_is_rejected():
    saw = Action("t/saw", "t", 10**6, 10**6, interruptible=True)
    rows = [{"action": "t/saw", "start": 2 * k, "duration": 1, "agent": "agent"} for k in range(2_100)]
    with pytest.raises(InputError, match="pieces"):
        regret(Instance("long", (saw,)), rows)


@pytest.mark.parametrize("name", ["asynctool/similar2/15", "asynctool/similar3/21", "asynctool/cross2/05"])
def test_completion_after_guessed_call_passes_rules(name):
    for task in asynctool.problem_of(load(name)).tasks:
        for call in task.reference_calls[1:]:
            priced(load(name), [call_message(task.id, call)], guesses=True)  # its completion passes the rules


def test_piece_inside_attended_piece_has_violation_of_rules():
    instance = Instance("shop", (Action("t/saw", "t", 4, 4), Action("t/boil", "t", 3, 0)))
    saw = {"action": "t/saw", "start": 0, "duration": 4, "agent": "agent"}
    boil = {"action": "t/boil", "start": 1, "duration": 3, "agent": "agent"}
    assert priced(instance, [saw, boil]).decisions[-1].violation == "start_attended"
    assert priced(instance, [saw, boil | {"agent": None}]).decisions[-1].violation == "ineligible_agent"


# --- plans by the general rules that are no success ------------------------------------------------

EXAMPLE = str(Path(__file__).parents[3] / "instances" / "examples" / "tea.json")
TEA = catalog.read_problems(EXAMPLE)[0]
FILL, BOIL, POUR, STEEP = [
    {"action": f"tea/{name}", "start": start, "duration": duration, "agent": "cook"}
    for name, start, duration in (("fill", 0, 1), ("boil", 1, 5), ("pour", 6, 1), ("steep", 7, 3))
]


@pytest.mark.parametrize(
    ("plan", "stop", "kind", "words", "completion"),
    [
        ([FILL, BOIL], 2, "missing_action", "tea/pour: is never carried out", 10),
        ([], 0, "missing_action", "tea/fill: is never carried out", 10),
        ([FILL, BOIL | {"start": 0}], 0, "minimum_lag", "tea/boil: starts at 0, before tea/fill is carried out", 10),
        ([BOIL | {"start": 2}], 0, "minimum_lag", "tea/boil: starts at 2, before tea/fill is carried out", 10),
        (
            [FILL, BOIL | {"start": 2}, POUR],
            3,
            "minimum_lag",
            "tea/pour: starts at 6, but 7 is the earliest start after tea/boil",
            11,
        ),
        (
            [FILL, BOIL, POUR | {"start": 8}],
            2,
            "maximum_lag",
            "tea/pour: starts at 8, but 7 is the latest start after tea/boil",
            10,
        ),
        ([FILL, BOIL, FILL | {"start": 3}], 2, "action_duration", "tea/fill: runs 2 ticks, needs 1", 10),
        ([FILL | {"start": 4}, BOIL | {"start": 5, "duration": 4}], 2, "action_duration", "runs 4 ticks, needs 5", 14),
        ([FILL | {"agent": "robot"}], 0, "ineligible_agent", "tea/fill: needs one of cook, not robot", 10),
    ],
)
def test_failed_plan_has_faulty_piece_and_completion(plan, stop, kind, words, completion):
    result = priced(TEA, {"plan": plan})
    assert not result.success
    assert (result.fault["kind"], f"{result.fault['subject']}: {result.fault['message']}"[-len(words) :]) == (
        kind,
        words,
    )
    assert (result.run.stop, result.completion, result.completion_status) == (stop, completion, "optimal")
    replay = registry.of(TEA).run(TEA, {"plan": result.completion_plan})
    assert (replay.success, replay.makespan, replay.fault) == (True, completion, None)
    lost = [one.violation for one in result.decisions if one.kind == "lost"]
    assert lost == ([] if kind == "missing_action" else [kind])
    # Nothing before the piece at fault is without a price.
    assert all(one.cost is not None for one in result.decisions[:stop])
