"""Verdicts of random runs in grid kitchens compared with their definitions, tick by tick."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, Station
from planoracle.instances.benchmarks.grid_kitchens.language import WAIT
from planoracle.instances.benchmarks.grid_kitchens.run import (
    MAX_ERRORS,
    GridKitchenRun,
    GridKitchenSimulator,
    as_schedule,
)
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.benchmarks.paracook.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from tests.support.grid_kitchens import RAW, STEAK, plan, row, tiny
from tests.support.samples import examples

RULES = st.sampled_from([PROFILES["paper"], PROFILES["released"]])


#: Serves the first order of the tiny kitchen.
SERVE_RAW = [
    {"action": "MoveTo", "target": [1, 2]},
    {"action": "Interact", "target": "dispenser2"},
    {"action": "MoveTo", "target": [0, 2]},
    *[{"action": "Interact", "target": "table1"}] * 2,
    {"action": "MoveTo", "target": [2, 2]},
    {"action": "Interact", "target": "serving_window"},
]


def draw_submissions(data: st.DataObject, kitchen: GridKitchen, rules: Any) -> list[dict[str, Any]]:
    """Draw legal single actions, turn by turn, sometimes after the first order is served."""
    simulator = GridKitchenSimulator(kitchen, rules)
    state = simulator.initial()
    submissions: list[dict[str, Any]] = []
    if data.draw(st.booleans()):
        submissions.append({"agent1": SERVE_RAW})
        state, _ = simulator.apply(state, submissions[0])
    while len(submissions) < 15 and simulator.ended(state) is None:
        legal = simulator.legal(state)
        check_waits(state.kitchen, [command.text for command in legal if command.kind == "wait"])
        texts = [command.text for command in legal if command.kind != "close"]
        submission = json.loads(data.draw(st.sampled_from(texts)))
        state, steps = simulator.apply(state, submission)
        assert all(step.violation is None for step in steps)
        submissions.append(submission)
    return submissions


def check_waits(clock: Simulation, texts: list[str]) -> None:
    """Check that waits last one tick, or until an action ends or a plate returns, without cooking."""
    ends = [end for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None]
    ticks = {end - clock.time for end in (*ends, *clock.world.coming)}
    waits = {action["duration"] for text in texts for (action,) in json.loads(text).values()}
    if not any(clock.cooking()):
        assert waits == {1} | {tick for tick in ticks if tick > 0}


def run_of(kitchen: GridKitchen, submission: dict[str, Any], rules: Any) -> GridKitchenRun:
    return registry.of(kitchen).run(kitchen, {"id": "x", "instance": kitchen.name, **submission}, rules)


def ticks_of(intervals: Any) -> set[int]:
    return {tick for start, end in intervals for tick in range(start, end)}


@examples(120, is_shrunk=False)
@given(st.data(), RULES)
def test_verdict_of_legal_actions_follows_its_definitions(data: st.DataObject, rules: Any) -> None:
    kitchen = tiny("raw", "chopped")
    submissions = draw_submissions(data, kitchen, rules)
    run = run_of(kitchen, {"submissions": submissions}, rules)
    verdict, outcome = run.verdict, run.outcome
    assert (verdict.violations, verdict.fatal) == ((), None)
    assert verdict.progress == verdict.goal_ratio == len(outcome.served_at) / 2
    working = [(action.start, action.end) for action in outcome.started_actions if action.act.word != WAIT]
    assert ticks_of(verdict.idle) == set(range(verdict.makespan)) - ticks_of(working)
    for event in verdict.events:
        assert event.accepted
        assert event.progress == sum(moment <= event.end for moment in outcome.served_at) / 2
    assert [step.kind == "wait" for step in run.steps] == [
        action.act.word == WAIT for action in outcome.started_actions
    ]
    assert [(step.start, step.end) for step in run.steps] == [
        (action.start, action.end) for action in outcome.started_actions
    ]


@examples(60, is_shrunk=False)
@given(st.data(), RULES)
def test_wrong_action_fails_and_changes_nothing_before_it(data: st.DataObject, rules: Any) -> None:
    kitchen = tiny("raw", "chopped", cooks=1)
    actions: list[Any] = []
    for submission in draw_submissions(data, kitchen, rules):
        actions += submission["agent1"]
    good = run_of(kitchen, {"plan": {"agent1": actions}}, rules)
    bad = run_of(kitchen, {"plan": {"agent1": [*actions, {"action": "Process", "target": "table1"}]}}, rules)
    if good.success and rules.end == "served":  # the last dish ends the run
        assert bad.success
        return
    fault = bad.verdict.fatal
    assert fault is not None
    assert (fault.kind, fault.position) == ("process_unsupported", len(actions))
    assert [step.kind for step in bad.steps[-1:]] == ["lost"]
    assert list(bad.outcome.trace) == list(good.outcome.trace)
    assert (bad.stop, good.stop) == (len(actions), len(actions))
    assert (bad.lost_at(len(actions)), bad.lost_at(len(actions) + 1)) == (None, "over")
    assert good.lost_at(len(actions)) is None


#: Submissions with an error, and the number of their actions in the run.
ERRORS = [({"agent1": [{"action": "Process", "target": "table1"}]}, 1), ("no plan", 0), ({}, 0)]


@examples(80, is_shrunk=False)
@given(st.data(), RULES)
def test_errors_restart_the_kitchen_and_the_third_one_ends_the_run(data: st.DataObject, rules: Any) -> None:
    kitchen = tiny("raw", "chopped", cooks=1)
    count = data.draw(st.integers(0, MAX_ERRORS))
    submissions: list[Any] = []
    for _ in range(count):
        error, actions = data.draw(st.sampled_from(ERRORS))
        started = draw_submissions(data, kitchen, rules)[:-1]
        submissions += [*started, error]
    last = draw_submissions(data, kitchen, rules) if count < MAX_ERRORS else [*started, error]
    if count < MAX_ERRORS and count:
        failed = run_of(kitchen, {"submissions": submissions}, rules)
        assert (failed.errors, failed.restarts, failed.stop) == (count, True, len(failed.steps))
        assert {failed.lost_at(number) for number in range(len(failed.steps) + 1)} == {None}
    alone = run_of(kitchen, {"submissions": last}, rules)
    run = run_of(kitchen, {"submissions": [*submissions, *(last if count < MAX_ERRORS else ())]}, rules)
    assert (run.errors, run.restarts) == (count, False)
    assert (run.success, run.outcome.as_dict()) == (alone.success, alone.outcome.as_dict())
    assert run.steps == alone.steps
    number_of_steps = len(run.steps)
    lost = [number for number in range(number_of_steps + 1) if run.lost_at(number) is not None]
    if count < MAX_ERRORS:
        is_lost = run.outcome.end == "all_finished" and not run.success
        assert (run.stop, lost) == (number_of_steps, [number_of_steps] if is_lost else [])
        return
    fault = run.verdict.fatal
    assert fault is not None
    assert (run.stop, lost) == (number_of_steps - actions, [number_of_steps])
    assert {run.lost_at(number) for number in lost} == {"over"}


#: Bars of a run that fries meat for the first of two orders: name, label, station, start, end and cook.
FRIED = [
    "walk/1, to [1, 1], , 0, 1, agent1",
    "walk/3, to [3, 1], , 0, 3, agent2",
    "order/1, steak, orders, 0, 34, None",
    "walk/5, to [2, 1], , 1, 2, agent1",
    "work/7, chop, board, 2, 6, agent1",
    "wait/8, wait, , 3, 33, agent2",
    "walk/10, to [3, 1], , 6, 7, agent1",
    "wait/12, wait, , 7, 37, agent1",
    "cook/1, pan with meat (chopped), stove1, 7, 33, None",
    "walk/14, to [4, 1], , 33, 34, agent2",
    "wait/16, wait, , 34, 43, agent2",
]


def test_schedule_of_a_run_has_all_work_cooking_and_orders() -> None:
    kitchen = row(STEAK, RAW, cooks=2)
    plans = plan("@1 meat @2 board !board board @3 stove1 ~30", "table1 @3 ~30 stove1 @4 window ~9")
    instance, schedule = as_schedule(run_of(kitchen, {"plan": plans}, PROFILES["released"]))
    bars = []
    for action, piece in zip(instance.actions, schedule.pieces, strict=True):
        station = "".join(demand.resource for demand in action.modes[0].demands)
        bars.append(f"{piece.action}, {action.label}, {station}, {piece.start}, {piece.end}, {piece.agent}")
        is_of_cook = piece.agent is not None
        assert (action.id, action.duration) == (piece.action, piece.duration)
        assert (action.attended, action.agents) == ((piece.duration, None) if is_of_cook else (0, ()))
    assert bars == FRIED
    assert (instance.name, instance.agents, instance.unit) == (kitchen.name, kitchen.agents, kitchen.unit)
    rows = ["board", "stove1", "sink", "stove2", "stove3", "orders"]
    assert [resource.name for resource in instance.resources] == rows
    with pytest.raises(InputError, match=kitchen.name):
        as_schedule(run_of(kitchen, {"plan": plan(".", ".")}, PROFILES["released"]))


def test_food_that_is_poured_too_early_is_noted_for_each_pouring() -> None:
    kitchen = row(STEAK, cooks=2)
    fried = "@1 meat @2 board !board board @3 stove1"
    plans = plan(f"{fried} {fried}", "table1 @3 ~6 stove1 @4 ~20 @3 stove1 ~40")
    outcome = run_of(kitchen, {"plan": plans}, PROFILES["released"]).outcome
    poured = [(early.clock, early.cook, early.station, early.ware.remaining) for early in outcome.world.early]
    assert poured == [(9, 1, 3, 22), (31, 1, 3, 24)]  # emptied cookware continues to cook


def test_kitchen_has_the_first_cooks_of_a_crew() -> None:
    kitchen = tiny("raw", cooks=3)
    for count in (1, 2, 3):
        smaller = kitchen.with_cooks("few", count)
        assert smaller == replace(kitchen, name="few", cooks=kitchen.cooks[:count])
    for count in (0, 4):
        with pytest.raises(InputError, match="from 1 to 3"):
            kitchen.with_cooks("few", count)


def test_each_served_plate_returns_once_after_its_ticks() -> None:
    kitchen = replace(row(RAW, RAW, cooks=2), stations=tuple(map(_with_plate, row().stations)))
    clock = Simulation.of(kitchen, PROFILES["released"])
    serve = "@1 meat @0 table1 table1 @4 window"
    ticks = " ".join(["~1"] * 10)
    clock.load(plan(f"{serve} {ticks} @6 back", f"~1 @1 meat @8 table2 table2 @4 window {ticks}"))
    while clock.advance():
        moments = [moment + 10 for moment in clock.served_at]
        returned = [moment for moment in moments if moment <= clock.time]
        carried = clock.world.hands.count("dirty_plate")
        assert clock.world.dirty == len(returned) - carried
        assert list(clock.world.coming) == moments[len(returned) :]
    assert (clock.error, clock.served_at, carried) == (None, (6, 13), 1)


def _with_plate(station: Station) -> Station:
    return replace(station, holds="plate") if station.name == "table2" else station


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"stations": (Station("a", "table", (0, 0)), Station("a", "table", (1, 0)))}, "name"),
        ({"stations": (Station("a", "table", (0, 0)), Station("b", "table", (0, 0)))}, "b"),
        ({"walls": (("a", (5, 1)), ("b", (5, 1)))}, "b"),
        ({"cooks": (("cook", (13, 1)),)}, "cook"),
        ({"cooks": (("cook", (0, 0)),)}, "cook"),
        ({"cooks": ()}, "cooks"),
        ({"cooks": tuple((f"cook{number}", (0, 1)) for number in range(17))}, "cooks"),
        ({"orders": (RAW,) * 65}, "orders"),
        ({"width": 0}, "size"),
        ({"width": 2501, "height": 1}, "tiles"),
        ({"stations": (Station("a", "shelf", (0, 0)),)}, "a.kind"),
        ({"stations": (Station("a", "table", (0, 0), "meat"),)}, "a.holds"),
        ({"stations": (Station("a" * 201, "table", (0, 0)),)}, "name"),
    ],
)
def test_impossible_kitchen_is_rejected_with_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        replace(row(), **changes).check()
    assert caught.value.field == field
    assert field != "size" or caught.value.value == [0, 3]


def test_kitchen_at_its_limits_is_accepted() -> None:
    cooks = tuple((f"cook{number}", (0, 1)) for number in range(16))
    replace(row(), cooks=cooks, orders=(RAW,) * 64).check()
