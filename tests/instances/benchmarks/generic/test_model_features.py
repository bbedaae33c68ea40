"""Plans, descriptions and live runs of problems with modes, calendars, breaks and optional tasks."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from support.model_search import best_schedule
from support.random_model_instances import model_mix

from planoracle.instances.benchmarks.generic import plan_breaks
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.state import STATES
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig


def workshop() -> Instance:
    """Return an optional task that pauses in breaks, and one with two modes."""
    model = Model("shop", agents=["ann"]).resource("saw").resource("mill").calendar("ann", [(4, 6), (8, 9)])
    model.task("t").optional(weight=2).action("cut", 5, pauses="breaks")
    model.task("u").optional().action("mill").mode("slow", duration=3).uses("saw").mode("fast", duration=2)
    return model.uses("mill").build()


def pieces_of(plan: object) -> list[tuple[Any, ...]]:
    problem = workshop()
    run = registry.of(problem).run(problem, plan)
    return [(piece.action, piece.start, piece.end, piece.mode) for piece in run.plan.commands.pieces]


PIECES = [("t/cut", 2, 4, 0), ("t/cut", 6, 8, 0), ("t/cut", 9, 10, 0)]


@pytest.mark.parametrize(
    "plan",
    [
        [["t/cut", 2]],
        [["t/cut", 2, 5]],
        [["t/cut", 2, 10]],
        [{"action": "cut", "start": 2}],
        [{"action": "cut", "start": 2, "end": 10}],
        [{"action": "cut", "start": 2, "duration": 5, "end": 10}],
        [{"action": "t/cut", "start": 2, "duration": 5, "agent": "ann", "mode": 0}],
        [
            {"action": "cut", "start": 2, "end": 4},
            {"action": "cut", "start": 6, "end": 8},
            {"action": "cut", "start": 9, "duration": 1},
        ],
        "cut: 2-10",
    ],
)
def test_plan_gives_the_start_or_start_and_end_or_all_pieces_of_an_action_with_breaks(plan: object) -> None:
    assert pieces_of(plan) == PIECES


def test_pauses_in_breaks_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for plan in ([["t/cut", 2]], [["t/cut", 2, 10]]):
        monkeypatch.setattr(plan_breaks, "MAX_PIECES", len(PIECES))
        assert pieces_of(plan) == PIECES
        monkeypatch.setattr(plan_breaks, "MAX_PIECES", len(PIECES) - 1)
        with pytest.raises(PlanError, match=r"^plan: has an action with more than 2 pauses in breaks"):
            pieces_of(plan)


def test_schedule_is_written_with_all_pieces() -> None:
    problem = workshop()
    benchmark = registry.of(problem)
    schedule = benchmark.run(problem, [["t/cut", 2]]).plan.commands
    assert [(row["start"], row["duration"]) for row in benchmark.written(problem, schedule)] == [(2, 2), (6, 2), (9, 1)]
    assert benchmark.run(problem, benchmark.render(problem, schedule)).plan.commands == schedule


@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        ([["t/cut", 4]], "off_time"),
        ([{"action": "cut", "start": 2, "end": 9}], "action_duration"),
        ([{"action": "cut", "start": 2, "end": 12}], "action_duration"),
    ],
)
def test_faults_around_breaks_are_found(plan: object, kind: str) -> None:
    problem = workshop()
    run = registry.of(problem).run(problem, plan)
    assert [violation.kind for violation in run.verdict.violations] == [kind]
    assert run.fault is not None
    assert run.fault.kind == kind


def test_start_of_an_action_with_breaks_does_not_follow_from_its_end() -> None:
    with pytest.raises(PlanError, match=r"plan\[0\].start: is missing; t/cut pauses in breaks, so that its start"):
        pieces_of([{"action": "cut", "end": 10}])
    with pytest.raises(PlanError, match=r"t/cut pauses in breaks and has 2 pieces, each of which needs it"):
        pieces_of([{"action": "cut", "start": 2, "end": 4}, {"action": "cut", "start": 6}])


@pytest.mark.parametrize(
    ("row", "mode", "end"),
    [
        ({"start": 0}, 0, 3),
        ({"start": 0, "mode": "fast"}, 1, 2),
        ({"start": 0, "machine": "mill"}, 1, 2),
        ({"start": 0, "end": 2}, 1, 2),
        ({"start": 0, "duration": 2}, 1, 2),
        ({"end": 2, "mode": 1}, 1, 2),
        ({"start": 0, "duration": 4}, 0, 4),
    ],
)
def test_duration_is_that_of_the_mode(row: dict[str, object], mode: int, end: int) -> None:
    assert pieces_of([{"action": "u/mill", **row}]) == [("u/mill", 0, end, mode)]


def test_agent_of_a_row_is_one_of_its_mode() -> None:
    model = Model("k", agents=["ann", "bob"]).task("t").action("a", 2, agents=["ann"]).mode().mode(agents=["bob"])
    problem = model.build()
    benchmark = registry.of(problem)
    [piece] = benchmark.run(problem, [{"action": "a", "start": 0, "mode": 1}]).plan.commands.pieces
    assert (piece.agent, piece.mode) == ("bob", 1)
    [piece] = benchmark.run(problem, [{"action": "a", "start": 0, "agent": "bob"}]).plan.commands.pieces
    assert (piece.agent, piece.mode) == ("bob", 1)


def test_plan_may_leave_out_optional_tasks_as_a_whole() -> None:
    problem = workshop()
    benchmark = registry.of(problem)
    for plan in ([], "[]", benchmark.render(problem, benchmark.run(problem, []).plan.commands)):
        verdict = benchmark.run(problem, plan).verdict
        assert (verdict.success, verdict.makespan) == (True, 0)
    for row in (["u/mill", 1, 2], ["u/mill", 1, 3], ["u/mill", 1, 4]):
        assert benchmark.run(problem, [row]).verdict.success
    both = Model().task("t").optional().action("a", 1).action("b", 1).build()
    assert benchmark.run(both, []).verdict.success
    [violation] = benchmark.run(both, [["a", 0, 1]]).verdict.violations
    assert (violation.kind, violation.subject) == ("missing_action", "t/b")


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 120), marks=pytest.mark.slow)])
def test_best_schedules_are_written_and_replayed(seeds: range) -> None:
    for seed in seeds:
        problem = model_mix(seed)
        best = best_schedule(problem)
        if best.schedule is None:
            continue
        benchmark = registry.of(problem)
        run = benchmark.run(problem, benchmark.render(problem, best.schedule))
        assert (run.verdict.success, run.verdict.makespan, run.plan.commands) == (True, best.makespan, best.schedule)
        assert "lost" not in [step.kind for step in run.steps], seed
        assert run.points[-1].complete, seed


# --- live runs ------------------------------------------------------------------------------------


def live(problem: Instance) -> AnyEnvironment:
    benchmark = registry.of(problem)
    return benchmark.environment(problem, benchmark.rules.profile("paper"), RunConfig())


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 400), marks=pytest.mark.slow)])
def test_live_runs_are_exact_for_modes_windows_calendars_and_budgets(seeds: range) -> None:
    runs = completed = 0
    for seed in seeds:
        problem = model_mix(seed)
        if STATES.refusal(problem):
            continue
        best = best_schedule(problem)
        if best.schedule is None:
            continue
        runs += 1
        run = live(problem)
        for piece in best.schedule.pieces:
            run.step(json.dumps(piece._asdict()))
            assert not run.state.world.refused, seed
        assert run.state.over == "completed", seed
        completed += played_to_the_end(problem, seed, best.makespan)
    assert runs >= 5
    assert completed > runs / 2


def played_to_the_end(problem: Instance, seed: int, best_makespan: int) -> bool:
    """Play random legal commands, and return whether all actions were done."""
    random = Random(seed)
    run = live(problem)
    while not run.done:
        command = random.choice(run.legal())
        run.step(command)
        assert not run.state.world.refused, (seed, command)
    if run.state.over != "completed":
        return False
    verdict = run.run().verdict
    assert verdict.success, (seed, verdict.violations)
    assert verdict.makespan >= best_makespan, seed
    return True


def test_legal_starts_are_offered_after_off_times() -> None:
    model = Model("shop", agents=["ann"]).resource("saw").calendar("ann", [(8, 24)], 24).calendar("saw", [(24, 30)])
    run = live(model.task("t").action("cut", 5, uses="saw", windows=[(6, 12), (20, 60)]).build())
    assert [json.loads(command.text)["start"] for command in run.legal()] == [48]


def test_legal_starts_are_offered_to_modes_of_no_length() -> None:
    model = Model("k").task("t").action("a", 5, windows=[(3, 3), (6, 20)]).mode().mode(duration=0)
    commands = [json.loads(command.text) for command in live(model.build()).legal()]
    assert [(command["start"], command["mode"]) for command in commands] == [(3, 1), (6, 0), (6, 1)]


@pytest.mark.parametrize("feature", ["optional tasks", "pauses in breaks", "ways and set-up times"])
def test_live_runs_refuse_features_without_states_by_name(feature: str) -> None:
    model = Model("k").task("t").action("a", 2, pauses="breaks" if feature == "pauses in breaks" else "never")
    if feature == "optional tasks":
        model.optional()
    if feature == "ways and set-up times":
        model = Model("k").travel("agent", [("x", "y", 1)]).task("t").action("a", 2, place="x")
    with pytest.raises(InputError, match=f"^k: live runs cannot respect {feature}$"):
        live(model.build())


# --- descriptions ---------------------------------------------------------------------------------


def test_description_has_all_fields() -> None:
    model = Model("k", unit="hour", seconds_per_tick=3600, agents=["ann", "bob"], start_time="2026-03-02 8:00")
    model.resource("steel", 9, renewable=False).resource("saw").calendar("bob", [("17:00", "8:00")])
    model.travel("ann", {("home", "shop"): 2}, start="home").setup("saw", {("red", "blue"): 1}).task("t").optional()
    model.action("cut", deadline=20, windows=[(0, 9), (12, 20)], pauses="breaks", place="shop")
    model.mode("saw", duration=4).uses("saw", family="red").mode(duration=6, agents=["bob"]).uses("steel", 3)
    assert brief(model.task("u").action("go", 1, place="home").build()).splitlines() == [
        "t (optional, weight 1)",
        "- t/cut: mode 0: saw: uses saw for red, 4 h, by hand, pauses exactly while what it needs is off; "
        "mode 1: uses 3 of steel, 6 h, by hand, pauses exactly while what it needs is off, only bob; "
        "ends by hour 20 (2026-03-03 04:00); "
        "only from hour 0 (2026-03-02 08:00) to hour 9 (2026-03-02 17:00) "
        "or from hour 12 (2026-03-02 20:00) to hour 20 (2026-03-03 04:00); at shop",
        "u",
        "- u/go: 1 h, by hand; at home",
        "All actions together may use up 9 of steel.",
        "Agents: ann, bob.",
        "bob is off from hour 9 (2026-03-02 17:00) to hour 24 (2026-03-03 08:00), and again every 24 h.",
        "Between consecutive actions ann needs: home to shop 2 h. No other change is possible. ann begins with home.",
        "Between consecutive actions saw needs: red to blue 1 h. No other change is possible.",
        "Optional tasks may be left out as a whole: the total weight is to be as great as possible.",
    ]
