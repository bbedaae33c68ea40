"""Efficiency and overlaps of random plans of Recipe2Plan compared with their definitions."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.metrics import efficiency
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, Profile
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.violations import MAX_OTHERS, Replay
from tests.support.replays import recipe_verdict
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
PLANS = plans() | st.just(SUCCESS)
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


def replay(problem: Instance, commands: list[StepCommand], rules: Profile = PAPER) -> Replay:
    return recipe_verdict(problem, Answers((tuple(commands),)), rules)


#: Steps that need one oven, every second one with the cook's attention.
OVEN = Instance(
    "oven",
    actions=tuple(
        Action(f"X/{number}", "X", 100, 100 * (number % 2), interruptible=True, modes=(Mode((Demand("oven"),)),))
        for number in range(12)
    ),
    resources=(Resource("oven"),),
    benchmark="recipe2plan",
    unit="second",
)
SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 12) | st.sampled_from((0, 100))), min_size=2, max_size=12)


def overlaps(command: StepCommand, earlier: StepCommand) -> bool:
    """Return True if two intervals overlap; an empty one does strictly inside the other."""
    start, end = command.start, command.start + command.duration
    if start == end:
        return earlier.start < start < earlier.start + earlier.duration
    return max(start, earlier.start) < min(end, earlier.start + earlier.duration)


@examples(500)
@given(SPANS, st.sampled_from([PAPER, RELEASED]))
def test_command_overlaps_every_earlier_interval_on_its_object(spans: list[tuple[int, int]], rules: Profile) -> None:
    """A long action can reach beyond shorter ones that start after it."""
    in_order = sorted(spans, key=lambda span: span[0])
    commands = [StepCommand(number, "X", seconds, start) for number, (start, seconds) in enumerate(in_order)]
    violations: dict[tuple[int | None, str], Any] = {}
    for violation in replay(OVEN, commands, rules).violations:
        violations[violation.position, violation.kind] = violation
    for position, command in enumerate(commands):
        earlier = [other for other in commands[:position] if overlaps(command, other)]
        at_work = [other for other in earlier if other.step % 2 and command.step % 2]
        check_conflicts(violations.get((position, "object_occupancy")), earlier)
        check_conflicts(violations.get((position, "infeasible_multitask")), at_work)


def check_conflicts(violation: Any, conflicts: list[StepCommand]) -> None:
    """Check that a violation names the latest conflicts and their latest end; none without a conflict."""
    assert (violation is not None) == bool(conflicts)
    if violation is not None:
        named = conflicts[-MAX_OTHERS:]
        assert {other.subject for other in violation.others} == {f"X/{other.step}" for other in named}
        assert violation.required == max(other.start + other.duration for other in named)
