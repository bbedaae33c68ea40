"""Advice: exactly the commands that keep the optimum reachable; an agent that follows it is optimal."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from random import Random

import pytest
from support import exhaustive, timearena
from support.asynctool import messages_before, min_turns, random_chains
from support.random_instances import kitchen, workshop
from support.random_runs import odd_workshop, random_run, solve_from_scratch
from support.replays import verdict_of
from support.runner import CliRunner, values_in_this_process
from support.samples import sample

import planoracle
from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.regret import next_commands
from planoracle.instances.benchmarks.asynctool import problem_model as asynctool
from planoracle.instances.benchmarks.asynctool.language import CLOSING
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol.decision_points import started, waited
from planoracle.solver.exact.search import solve
from planoracle.solver.states import run_solver
from planoracle.solver.states.values import value_of

NAME = "recipe2plan/timed/Cobbler_Pancakes"
TEA = "timearena/household1"
PIECE = {"action": "t/a", "start": 0, "duration": 2, "agent": "agent"}


def rows(situation, benchmark="generic"):
    pieces = situation.state.pieces
    if benchmark == "generic":
        return [piece._asdict() for piece in pieces]
    return [[int(piece.action[3:]), piece.action[:2], piece.duration, piece.start] for piece in pieces]


# --- exactly the right commands ------------------------------------------------------------------


def conceivable(run):
    """Every piece that could begin at the clock of a situation, sensible or not."""
    instance, state = run.instance, run.state
    done = {action.id: [piece for piece in state.pieces if piece.action == action.id] for action in instance.actions}
    for action in instance.actions:
        remaining = action.duration - sum(piece.duration for piece in done[action.id])
        if done[action.id] and not remaining:
            continue
        for agent in instance.eligible(action) or (None,):
            for mode in range(len(action.modes)):
                if all(piece.mode == mode for piece in done[action.id]):
                    for length in range(1, remaining + 1) if action.interruptible else [remaining]:
                        yield Piece(action.id, state.clock, length, agent, mode)


@pytest.mark.slow
@pytest.mark.parametrize("make", sample([workshop, odd_workshop], 2))
def test_advice_is_exactly_the_commands_that_keep_the_optimum(make):
    advised = 0
    for seed in range(20):
        instance = make(seed)
        for _, _, run in random_run(instance, seed, lazy=0.2, most=8):
            best = solve_from_scratch(run).makespan
            advice = next_commands(instance, rows(run), all_commands=True, clock=run.state.clock)
            assert advice.best == best
            if run.complete or best is None:
                continue
            costs = {
                (one.command if piece is None else piece._replace(duration=length)): one.cost
                for one in advice.options
                for piece in [Piece(**json.loads(one.command)) if one.kind == "act" else None]
                for length in ([one.shortest or 0] if piece is None else _lengths(one, piece))
            }
            for piece in conceivable(run):
                if instance.time_limit is not None and piece.end > instance.time_limit:
                    assert piece not in costs
                    continue
                after, horizon = started(run, piece).state, best + 4
                if exhaustive.count_schedules(instance, horizon, after) > 400:
                    continue
                makespan = exhaustive.general_optimum(replace(instance, time_limit=None), horizon, after)
                if makespan is not None:
                    assert costs[piece] == makespan - best, (seed, run.state, piece)
                else:  # or it ends after the searched horizon
                    assert (costs.get(piece) or 5) > 4, (seed, run.state, piece)
                advised += makespan == best
            optimal = [one for one in advice.options if one.cost == 0]
            assert next_commands(instance, rows(run), clock=run.state.clock).options == tuple(optimal)
    assert advised > 50


def _lengths(option, piece):
    return [piece.duration] if option.longest is None else range(option.shortest, option.longest + 1)


@pytest.mark.slow
@pytest.mark.parametrize("make", sample([workshop, odd_workshop, kitchen], 3))
def test_waits_are_advised_while_they_cost_nothing(make):
    lengths = set()
    for seed in range(15):
        instance = make(seed)
        for _, step, run in random_run(instance, seed, lazy=0.2, most=8):
            best = solve_from_scratch(run).makespan
            if run.complete or best is None:
                continue
            advice = next_commands(instance, rows(run, instance.benchmark), all_commands=True, clock=run.state.clock)
            (wait,) = (one for one in advice.options if one.kind == "wait")
            longest = 0 if wait.cost != 0 else wait.longest
            for ticks in range(step, 8 * step, step):
                later = solve_from_scratch(waited(run, run.state.clock + ticks)).makespan
                assert (later == best) == (ticks <= longest), (seed, run.state, ticks)
                if ticks == step:
                    assert wait.cost == (None if later is None else later - best)
            lengths.add(longest // step)
    assert {0, 1, 2} <= lengths


@pytest.mark.slow
def test_advice_in_kitchens_agrees_with_search_through_rules():
    for seed in range(15):
        instance = kitchen(seed, most=4)
        horizon = 40
        for _, _, run in random_run(instance, seed, lazy=0.2, most=6):
            state = run.state
            done = [StepCommand(int(p.action[3:]), p.action[:2], p.duration, p.start) for p in state.pieces]
            best = exhaustive.kitchen_optimum(instance, horizon, done, state.clock)
            if best is None or run.complete:
                continue
            plan = rows(run, "recipe2plan")
            advice = next_commands(instance, plan, all_commands=True, clock=state.clock)
            options = {one.command: one for one in advice.options}
            for piece in conceivable(run):
                command = StepCommand(int(piece.action[3:]), piece.action[:2], piece.duration, piece.start)
                try:
                    after = exhaustive.kitchen_optimum(instance, horizon, [*done, command], state.clock)
                except AssertionError:  # the rules reject it
                    assert command.text not in options
                    continue
                if command.text in options:
                    assert options[command.text].cost == (None if after is None else after - best)
                else:
                    assert any(one.shortest is not None for one in advice.options)


@pytest.mark.slow
def test_advice_in_timearena_agrees_with_search_through_rules():
    for number, task in enumerate(("household1", "cooking3", "lab2")):
        scene = world(f"timearena/{task}")
        instance = load(f"timearena/{task}")
        for _, _, start in random_run(instance, number, most=6):
            decisions = timearena.decisions_before(instance, start)
            if start.complete:
                continue
            best = timearena.optimum(scene, 300_000, played=decisions)[1]
            advice = next_commands(instance, decisions, all_commands=True)
            assert advice.best == best
            costs = {one.command: one.cost for one in advice.options}
            for command in [*scene.commands, "wait"]:
                run = timearena.replay(instance.name, [*decisions, command], 10**6)
                if run.steps[-1].violation is None:
                    assert costs[command] == timearena.optimum(scene, 300_000, played=[*decisions, command])[1] - best
                else:
                    assert command not in costs


@pytest.mark.slow
def test_advice_in_asynctool_agrees_with_search_through_environment():
    for seed in range(8):
        problem = random_chains(seed, constant=False)
        instance = asynctool.instance(problem)
        calls = sum(len(task.reference_calls) for task in problem.tasks)
        for _, _, run in random_run(instance, seed, most=8):
            if run.complete or len(run.state.pieces) >= calls:
                continue
            messages = messages_before(problem, run)
            advice = next_commands(instance, messages, all_commands=True)
            assert advice.best == min_turns(problem, messages)
            for one in advice.options:
                assert one.cost == min_turns(problem, [*messages, json.loads(one.command)]) - advice.best


# --- an agent that follows -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", sample([workshop, odd_workshop, kitchen], 3))
def test_following_any_advice_reaches_the_optimum(make):
    ended = 0
    for seed in range(25):
        random, instance = Random(seed), make(seed)
        own = instance.benchmark == "generic"
        optimum, plan, clock = solve(instance).makespan, [], None
        for _ in range(200):
            advice = next_commands(instance, plan, clock=clock)
            if optimum is None:
                assert advice.over == "time_limit" or not advice.options
                assert advice.plan is None
                break
            assert advice.best == optimum
            replay = verdict_of(instance, advice.plan)
            assert (replay.violations, replay.makespan) == ((), optimum)
            if not advice.options:
                ended_so = verdict_of(instance, plan)
                assert (ended_so.success, ended_so.makespan) == (True, optimum), seed
                ended += 1
                break
            option = random.choice(advice.options)
            if option.kind == "wait":
                clock = advice.clock + random.randrange(option.shortest, option.longest + 1, option.shortest)
                continue
            plan, clock = [*plan, json.loads(option.command) if own else option.command], None
        else:
            raise AssertionError(seed)
    assert ended > 15


# --- the clock, ends, errors ---------------------------------------------------------------------


def test_clock_can_be_later_than_end_of_plan():
    later = next_commands(load(NAME), "", clock=300)
    assert (later.best, later.status) == (4380, "optimal")
    for name, clock in ((NAME, -1), (NAME, True), (NAME, 1.5), (TEA, 3), ("asynctool/files_1", 3)):
        with pytest.raises(InputError, match="clock"):
            next_commands(load(name), None, clock=clock)


def test_ended_run_has_no_next_command():
    five = next_commands(load(TEA), ["dance"] * 5)
    assert (five.over, five.options, five.plan) == ("five_invalid", (), None)
    advice = next_commands(load(TEA), ["activate kettle", "Quit!"])
    assert (advice.over, advice.options, advice.plan, advice.best) == ("exit", (), None, 13)
    done = next_commands(load(TEA), solve(load(TEA)).plan)
    assert (done.options, done.best) == ((), 13)
    late = next_commands(load(TEA), {"actions": ["wait"] * 5, "time_limit": 12})
    assert (late.over, late.plan) == ("time_limit", None)
    none = next_commands(load(TEA), {"actions": [], "time_limit": 0})
    assert (none.over, none.plan) == ("time_limit", None)
    closed = next_commands(load("asynctool/files_1"), [CLOSING])
    assert (closed.over, closed.options) == ("closed", ())


def test_commands_that_prevent_success_are_listed_only_with_all_commands():
    actions = (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 3), Action("t/c", "t", 1, 1))
    instance = Instance("tight", actions, (Lag("t/a", "t/c", 0, 0),))
    options = next_commands(instance, [PIECE], all_commands=True).options
    assert [(one.cost, one.status) for one in options] == [
        (0, "optimal"),
        (None, "infeasible"),
        (None, "infeasible"),
    ]
    assert [json.loads(one.command)["action"] for one in next_commands(instance, [PIECE]).options] == ["t/c"]


def test_infeasible_combination_has_reason():
    released = PROFILES["released"]
    advice = next_commands(load("timearena/cooking3+cooking4"), None, released)
    assert (advice.best, advice.status, advice.options) == (None, "infeasible", ())
    assert "mode" in advice.over


# --- the command line ----------------------------------------------------------------------------


def invoke(*arguments, stdin=None):
    return CliRunner().invoke(app, [str(one) for one in arguments], input=stdin)


def read(result, form):
    if form == "csv":
        return list(csv.DictReader(io.StringIO(result.stdout)))
    return json.loads(result.stdout) if form == "json" else [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("form", sample(["json", "jsonl"]))
def test_next_writes_advice_as_json(form, tmp_path):
    (tmp_path / "so-far.txt").write_text("activate kettle\n")
    result = invoke("next", TEA, "--after", tmp_path / "so-far.txt", "--all", "--format", form)
    assert result.exit_code == 0
    advice = read(result, form) if form == "json" else read(result, form)[0]
    expected = next_commands(load(TEA), ["activate kettle"], all_commands=True).as_dict()
    assert advice == json.loads(json.dumps(expected)) | {"method": "next"}
    assert "best reachable makespan: 13 minutes (optimal)" in result.stderr


@pytest.fixture
def no_worker(monkeypatch):
    """Answer in this process: a worker takes a second to start."""
    monkeypatch.setattr("planoracle.analysis.cli.next.each_in_worker", values_in_this_process)


@pytest.mark.usefixtures("no_worker")
def test_next_writes_tables_and_reads_standard_input():
    result = invoke("next", TEA, "--after", "-", "--format", "csv", stdin="activate kettle")
    assert [(row["command"], row["cost"]) for row in read(result, "csv")][:1] == [("wash teapot", "0")]
    assert "wash teapot" in invoke("next", TEA, "-a", "-", stdin="activate kettle").stdout
    late = invoke("next", NAME, "--clock", 300)
    assert "4380" in late.stderr
    assert late.exit_code == 0


@pytest.mark.usefixtures("no_worker")
def test_next_fails_without_readable_problem_or_plan(tmp_path):
    for arguments in (
        ["timearena/*"],
        ["no/such/problem"],
        [TEA, "--after", tmp_path / "missing"],
        [NAME, "--clock", -5],
    ):
        result = invoke("next", *arguments)
        assert result.exit_code != 0, arguments
        assert not result.stdout
    assert invoke("next", TEA, "--profile", "none").exit_code != 0


@pytest.fixture
def submissions(tmp_path):
    lines = [
        {"id": "good", "instance": NAME, "plan": solve(load(NAME)).plan},
        {"id": "late", "instance": NAME, "plan": [[0, "Cobbler", 600, 300]]},
        {"id": "tea", "instance": TEA, "actions": ["wait"] * 9, "time_limit": 20},
        {"id": "lost", "instance": "no/such/thing", "plan": ""},
        {"id": "odd", "instance": NAME, "plan": 7},
    ]
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{broken\n[1]\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["json", "jsonl"]))
def test_regret_writes_one_object_per_plan_and_reports_bad_lines(submissions, form):
    result = invoke("regret", submissions, "--format", form)
    assert result.exit_code == 1
    rows = read(result, form)
    assert [(one["line"], one["id"]) for one in rows] == [
        (1, "good"), (2, "late"), (3, "tea"), (4, "lost"), (5, "odd"), (6, None), (7, None),
    ]  # fmt: skip
    assert [one["reason"] is None for one in rows] == [True, True, True, False, False, False, False]
    good, late, tea = rows[:3]
    assert (good["total"], good["success"], late["completion"], tea["no_return_reason"]) == (
        0,
        True,
        4380,
        "time_limit",
    )
    assert [one["cost"] for one in late["decisions"]] == [300, 0]
    assert "line 4" in result.stderr


def test_commands_are_multiples_of_reported_grid():
    """As ``planoracle next --help`` says: what lies between is not listed."""
    saw, glue = Action("t/saw", "t", 180, 180, interruptible=True), Action("t/glue", "t", 60, 60)
    instance = Instance("shop", (saw, glue))
    advice = next_commands(instance, all_commands=True)
    acts = [one for one in advice.options if one.kind == "act" and one.shortest is not None]
    assert advice.grid == 60
    assert [(one.shortest, one.longest, one.cost) for one in acts] == [(60, 180, 0)]
    assert [one.command for one in advice.options if one.kind == "wait"] == ["wait 60 ticks"]
    off = next_commands(
        instance, [{"action": "t/glue", "start": 90, "duration": 60, "agent": "agent"}], all_commands=True
    )
    assert off.grid == 30
    assert {one.shortest for one in off.options if one.kind == "act"} == {30}
    assert next_commands(catalog.problem("kitchens/synchronous/0_cheese_sandwich")).grid == 1


@pytest.mark.parametrize("name", [NAME, TEA, "robotouille/synchronous/3_burger"])
def test_text_without_a_command_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"^plan: contains no command of this benchmark$"):
        next_commands(planoracle.load(name), "Let me think.")


def test_wall_time_limits_the_whole_answer(monkeypatch):
    limits = []

    def recording_value_of(*arguments, limit, **options):
        limits.append(limit)
        return value_of(*arguments, limit=limit, **options)

    monkeypatch.setattr(run_solver, "value_of", recording_value_of)
    next_commands(load(TEA), "wash cup", all_commands=True, seconds=60.0)
    assert len(limits) > 2
    assert all(limit is limits[0] for limit in limits)


def test_no_command_has_a_cost_without_time():
    advice = next_commands(load(TEA), all_commands=True, seconds=0.0)
    assert (advice.best, advice.status) == (None, "unknown")
    assert {option.cost for option in advice.options} == {None}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"plan": "fly away"}, "plan: contains no command"),
        ("Either:\n1. wash cup\n\nor:\n1. wash teapot", "plan: the answer contains several plans"),
    ],
)
def test_plans_that_are_not_read_completely_are_refused(plan, message):
    with pytest.raises(PlanError, match=message):
        next_commands(load(TEA), plan)
