"""Metrics and overlaps of random plans of Recipe2Plan compared with their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.metrics import (
    METRICS,
    RecipeMeasurement,
    _against_reference,
    declare,
    efficiency,
    released,
)
from planoracle.instances.benchmarks.recipe2plan.problems import bundled_names, load, reference_plan
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, Profile
from planoracle.instances.benchmarks.recipe2plan.simulation import Recipe2PlanSimulator
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import Status
from planoracle.instances.model.violations import MAX_OTHERS, Other, Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Claim, MetricSet, Optimum
from planoracle.instances.protocol.simulator import fold
from tests.support.replays import recipe_verdict, run_of
from tests.support.samples import examples

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]

#: Boil by itself, peel with interruptions, and serve what is boiled.
BOILED = Instance(
    "boiled",
    actions=(
        Action("A/0", "A", 600, 0, interruptible=True),
        Action("A/1", "A", 300, 300, interruptible=True),
        Action("A/2", "A", 120, 120),
    ),
    lags=(Lag("A/0", "A/2"),),
    benchmark="recipe2plan",
    unit="second",
)
_PIECES = [(0, 600), (1, 300), (1, 200), (1, 100), (2, 120), (0, 400)]


@st.composite
def plans(draw: st.DrawFn) -> list[StepCommand]:
    """Draw commands, most of which are accepted."""
    start = 0
    commands = []
    for step, seconds in draw(st.permutations(_PIECES))[: draw(st.integers(1, 5))]:
        start += draw(st.sampled_from((0, 0, 100, 300, 600)))
        commands.append(StepCommand(step, "A", seconds, start))
    return commands


SUCCESS = [StepCommand(0, "A", 600, 0), StepCommand(1, "A", 300, 0), StepCommand(2, "A", 120, 600)]
#: The last plan completes all steps, and fails by a repetition.
PLANS = plans() | st.sampled_from([SUCCESS, [*SUCCESS, SUCCESS[0]._replace(start=720)]])
RULES = st.builds(
    Profile,
    ref_floor=st.booleans(),
    undefined_ref=st.sampled_from(("zero", "undefined")),
    clip_saved=st.booleans(),
    t_auto=st.sampled_from(("nominal", "executed")),
    score_if=st.sampled_from(("success", "complete")),
)


def saved_time(commands: list[StepCommand]) -> int:
    makespan = max((command.start + command.duration for command in commands), default=0)
    return sum(command.duration for command in commands) - makespan


def autonomous_time(commands: list[StepCommand]) -> int:
    return sum(command.duration for command in commands if command.step == 0)


def ratio(numerator: float, denominator: float | None) -> float | None:
    return numerator / denominator if denominator else None


@examples(500)
@given(PLANS, PLANS, st.booleans(), RULES)
def test_efficiency_follows_equations_1_to_3(
    commands: list[StepCommand], reference: list[StepCommand], is_whole: bool, rules: Profile
) -> None:
    run = replay(BOILED, commands)
    carried_out = commands[: run.executed]
    saved = saved_time(carried_out)
    if rules.clip_saved:
        saved = max(saved, 0)
    autonomous = autonomous_time(carried_out)
    if rules.t_auto == "nominal":
        autonomous = 600 if autonomous == 600 else 0
    # A failed run is compared with as many commands of the reference, whatever the reference is.
    compared = reference if is_whole and run.success else reference[: run.executed]
    against = ratio(saved_time(compared), autonomous_time(compared))
    value = ratio(saved / autonomous, against) if autonomous else None
    if value is not None and rules.ref_floor:
        value = min(value, 5 * saved / autonomous)
    if value is None and rules.undefined_ref == "zero":
        value = 0
    is_scored = run.success if rules.score_if == "success" else run.progress == 1
    expected = (ratio(saved, autonomous), value, value if is_scored else 0)
    assert efficiency(BOILED, run, reference, rules, is_whole_reference=is_whole) == expected


@pytest.mark.parametrize(("commands", "expected"), [(SUCCESS, 1.0), (SUCCESS[:2], 3.0)])
def test_success_is_compared_with_the_whole_optimal_plan(commands: list[StepCommand], expected: float) -> None:
    pieces = [StepCommand(1, "A", 100, start) for start in (0, 100, 200)]
    plan = "\n".join(command.text for command in (SUCCESS[0], *pieces, SUCCESS[2]))
    best = SimpleNamespace(status=Status.optimal, plan=plan)
    name, figures = _against_reference(BOILED, replay(BOILED, commands), Profile(reference="optimal"), best)  # type: ignore[arg-type]
    assert (name, figures.r_efficiency) == ("optimal", pytest.approx(expected))


def test_too_long_rest_of_a_step_is_a_repetition_after_a_pause() -> None:
    for start, kind in ((100, "action_duration"), (101, "repeated_action")):
        verdict = replay(BOILED, [StepCommand(1, "A", 100, 0), StepCommand(1, "A", 300, start)])
        assert verdict.violations[0].kind == kind


def test_run_without_another_legal_command_may_be_closed() -> None:
    actions = (Action("A/0", "A", 10, 0), Action("A/1", "A", 10, 10), Action("A/2", "A", 10, 10))
    soon = Lag("A/0", "A/1", 0, 5)
    problem = replace(BOILED, actions=actions, lags=(soon,))
    simulator = Recipe2PlanSimulator(problem, PAPER)
    commands = [StepCommand(0, "A", 10, 0), StepCommand(2, "A", 10, 10)]
    state, _ = fold(simulator, [tuple(commands[:1])])
    assert "close" not in [command.kind for command in simulator.legal(state)]
    state, _ = fold(simulator, [tuple(commands)])
    assert [command.kind for command in simulator.legal(state)] == ["close"]


def replay(problem: Instance, commands: list[StepCommand], rules: Profile = PAPER) -> Replay:
    return recipe_verdict(problem, Answers((tuple(commands),)), rules)


#: Steps that need one oven, every second one with the cook's attention.
OVEN = Instance(
    "oven",
    actions=tuple(
        Action(f"X/{number}", "X", 100, 100 * (number % 2), interruptible=True, modes=(Mode((Demand("oven"),)),))
        for number in range(4)
    ),
    resources=(Resource("oven"),),
    benchmark="recipe2plan",
    unit="second",
)
SPANS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(range(0, 25, 5)), st.sampled_from((0, 5, 10, 15, 100))),
    min_size=2,
    max_size=12,
)


def overlaps(command: StepCommand, earlier: StepCommand) -> bool:
    """Return True if two intervals overlap; an empty one does strictly inside the other."""
    start, end = command.start, command.start + command.duration
    if start == end:
        return earlier.start < start < earlier.start + earlier.duration
    return max(start, earlier.start) < min(end, earlier.start + earlier.duration)


@examples(500)
@given(SPANS, st.sampled_from([PAPER, RELEASED]))
def test_command_overlaps_every_earlier_interval_on_its_object(
    spans: list[tuple[int, int, int]], rules: Profile
) -> None:
    """A long action can reach beyond shorter ones that start after it."""
    commands = [StepCommand(step, "X", seconds, start) for step, start, seconds in spans]
    violations: dict[tuple[int | None, str], Any] = {}
    for violation in replay(OVEN, commands, rules).violations:
        violations[violation.position, violation.kind] = violation
    for position, command in enumerate(commands):
        earlier = [other for other in commands[:position] if overlaps(command, other)]
        at_work = [other for other in earlier if other.step % 2 and command.step % 2]
        check_conflicts(violations.get((position, "object_occupancy")), earlier)
        check_conflicts(violations.get((position, "infeasible_multitask")), at_work)


def check_conflicts(violation: Any, conflicts: list[StepCommand]) -> None:
    """Check that a violation names the last conflicts and their latest end; none without a conflict."""
    assert (violation is not None) == bool(conflicts)
    if violation is None:
        return
    named: list[Other] = []
    for command in conflicts[-MAX_OTHERS:]:
        other = Other(f"X/{command.step}", command.start, command.start + command.duration)
        if named and (named[-1].subject, named[-1].end) == (other.subject, other.start):
            other = other._replace(start=named.pop().start)
        named.append(other)
    assert violation.others == tuple(named)
    assert violation.required == max(other.end for other in named)


#: The same as a problem that Recipe2Plan allows.
VALID = replace(BOILED, actions=(replace(BOILED.actions[0], interruptible=False), *BOILED.actions[1:]))


class FixedOptimum(NamedTuple):
    """Oracle with one answer for all problems, and the answer itself."""

    status: Status
    plan: str | None = "".join(command.text for command in SUCCESS)
    makespan: int | None = 720
    lower_bound: int | None = 600

    def best(self, problem: Instance, rules: Profile) -> FixedOptimum:
        return self


def measurement_of(problem: Instance, commands: Sequence[StepCommand], rules: Profile, oracle: Any) -> Any:
    return RecipeMeasurement(run_of(problem, {"plan": list(map(list, commands))}, rules), oracle)


@examples(100)
@given(PLANS, RULES, st.sampled_from(Status), st.sampled_from(["zero", "optimum"]))
def test_run_is_compared_with_the_reference_and_with_the_optimum(
    commands: list[StepCommand], rules: Profile, status: Status, missing: str
) -> None:
    verdict = replay(VALID, commands, rules)
    is_proved = status == Status.optimal
    optimal = SUCCESS if is_proved else None
    against_optimum = efficiency(VALID, verdict, optimal, rules, is_whole_reference=True)
    without = efficiency(VALID, verdict, None, rules)
    for reference in ("heuristic", "optimal"):
        profile = replace(rules, reference=reference, missing_ref=missing)
        measurement = measurement_of(VALID, commands, profile, FixedOptimum(status))
        is_compared = is_proved and (reference == "optimal" or missing == "optimum")
        values = METRICS.values(measurement)
        figures = (values["efficiency"], values["r_efficiency"], values["multitasking_score"])
        assert figures == (against_optimum if is_compared else without)
        assert values["reference"] == ("optimal" if is_compared else "none")
        assert (values["r_efficiency_optimal"], values["beliefs"]) == (against_optimum.r_efficiency, None)
        assert measurement.optimum == Optimum(720 if is_proved else None, status, 600)


@pytest.mark.parametrize("name", [*bundled_names()[::20], "recipe2plan/timed/Pizza_Chocolate-Egg"])
def test_released_plan_is_the_reference_of_its_problem(name: str) -> None:
    problem, commands = load(name), reference_plan(name)
    assert released(replace(problem, time_limit=10**6)) == Claim(None)
    oracle = FixedOptimum(Status.unknown)
    if commands is None:
        assert released(problem) == Claim(
            None, reason="no plan was released, so the released grader scores every plan 0"
        )
        assert measurement_of(problem, (), PAPER, oracle).reference == "none"
        return
    verdict = replay(problem, list(commands))
    reason = verdict.violations[0].message if verdict.violations else ""
    text = "\n".join(command.text for command in commands)
    makespan = max(command.start + command.duration for command in commands)
    assert released(problem) == Claim(makespan, accepted=verdict.success, reason=reason, plan=text)
    for is_optimal, expected in ((False, "heuristic"), (True, "none")):
        rules = replace(PAPER, reference="optimal" if is_optimal else "heuristic")
        assert measurement_of(problem, commands, rules, oracle).reference == expected


def test_makespan_below_the_optimum_has_no_optimum() -> None:
    for makespan in (719, 720, 721):
        measurement = measurement_of(VALID, SUCCESS, PAPER, FixedOptimum(Status.optimal, makespan=makespan))
        assert measurement.optimum == (Optimum() if makespan > 720 else Optimum(makespan, Status.optimal, 600))


def test_live_score_is_that_of_the_grade() -> None:
    environment = registry.of(VALID).environment(VALID)
    oracle: Any = FixedOptimum(Status.optimal)
    scores = []
    for command in SUCCESS:
        environment.step(command.text)
        row = METRICS.live_row(environment, oracle)
        assert row == {"multitasking_score": RecipeMeasurement(environment.run(), oracle).figures.multitasking_score}
        scores.append(environment.success)
    assert scores == [False, False, True]


def test_averages_leave_out_undefined_values() -> None:
    read = {"recipe": "Pie", "belief": "resources", "right": 1, "believed": 10_001, "true": 2}
    unread = {"recipe": "Pie", "belief": "dependency", "unread": "missing"}
    good = {"success": True, "r_efficiency": 0.5, "r_efficiency_optimal": 0.25, "beliefs": [read, unread]}
    failed = {"success": False, "progress": 0.5, "r_efficiency": None, "r_efficiency_optimal": 0.75}
    averages = MetricSet(RecipeMeasurement, declare).averages(PAPER)
    terms = {average.name: [average.terms(row) for row in (good, failed)] for average in averages}
    counts = {"Pie resources right": 1, "Pie resources believed": 10_000, "Pie resources true": 2}
    counts |= {"Pie resources read": 1, "Pie dependency unread": 1}
    assert [Counter(items) for items in terms["beliefs"]] == [counts, {}]
    assert (terms["success"], terms["progress"]) == ([(1, 1), (0, 1)], [(0, 1), (0.5, 1)])
    assert (terms["r_efficiency"], terms["r_efficiency_feasible"]) == ([(0.5, 1), None], [(0.5, 1), None])
    assert (terms["r_efficiency_optimal"], terms["undefined"]) == ([(0.25, 1), None], [(0, 1), (1, 1)])
