"""Rules of Recipe2Plan: every kind of violation, boundaries, logs and random commands."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.benchmarks.recipe2plan.language import Answers, parse
from planoracle.instances.benchmarks.recipe2plan.rules import KINDS, PROFILES, RULE_SET
from planoracle.instances.benchmarks.recipe2plan.simulation import MAX_VIOLATIONS, Recipe2PlanSimulator
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact.search import solve
from tests.support.replays import recipe_verdict

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
PROFILE_NAMES = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])


def step(name, seconds, *, auto=False, cut=False, uses=()):
    attended = 0 if auto else seconds
    return Action(name, name.split("/")[0], seconds, attended, interruptible=cut, modes=(Mode(tuple(uses)),))


def kitchen(pie_heat="350"):
    """Two recipes that both need the oven.

    Bread: 0 preheat, 1 knead (interruptible), 2 shape within 60 s after kneading, 3 bake.
    Pie: 0 preheat, 1 roll, 2 melt on the stove, 3 fill within 120 s after melting (interruptible), 4 bake.
    """
    return Instance(
        "kitchen",
        actions=(
            step("Bread/0", 600, auto=True, uses=[Demand("oven", sets="350")]),
            step("Bread/1", 300, cut=True),
            step("Bread/2", 120),
            step("Bread/3", 1200, auto=True, uses=[Demand("oven", requires="350")]),
            step("Pie/0", 600, auto=True, uses=[Demand("oven", sets=pie_heat)]),
            step("Pie/1", 180),
            step("Pie/2", 60, auto=True, uses=[Demand("stove")]),
            step("Pie/3", 120, cut=True),
            step("Pie/4", 900, auto=True, uses=[Demand("oven", requires=pie_heat)]),
        ),
        lags=(
            Lag("Bread/1", "Bread/2", 0, 60),
            Lag("Bread/0", "Bread/3"),
            Lag("Bread/2", "Bread/3"),
            Lag("Pie/1", "Pie/3"),
            Lag("Pie/2", "Pie/3", 0, 120),
            Lag("Pie/0", "Pie/4"),
            Lag("Pie/3", "Pie/4"),
        ),
        resources=(Resource("oven"), Resource("stove")),
        benchmark="recipe2plan",
        unit="second",
    )


KITCHEN = kitchen()

PREHEAT, KNEAD, SHAPE = (0, "Bread", 600, 0), (1, "Bread", 300, 0), (2, "Bread", 120, 300)
MELT, ROLL, FILL = (2, "Pie", 60, 420), (1, "Pie", 180, 420), (3, "Pie", 120, 600)
GOOD = [
    PREHEAT,
    (0, "Pie", 600, 0),  # together in one oven
    KNEAD,
    SHAPE,
    MELT,
    ROLL,
    (3, "Bread", 1200, 600),
    FILL,
    (4, "Pie", 900, 1800),
]


def run(*commands, rules=PAPER, instance=KITCHEN):
    return recipe_verdict(instance, Answers((tuple(StepCommand(*command) for command in commands),)), rules)


def run_log(*answers, rules=PAPER, instance=KITCHEN):
    plan = Answers(tuple(tuple(StepCommand(*command) for command in answer) for answer in answers), interactive=True)
    return recipe_verdict(instance, plan, rules)


def kinds_at(result, position):
    return [violation.kind for violation in result.violations if violation.position == position]


# --- a valid plan --------------------------------------------------------------------------------


@PROFILE_NAMES
def test_valid_plan_succeeds(rules):
    result = run(*GOOD, rules=rules)
    assert result.success
    assert result.violations == ()
    assert result.fatal is None
    assert (result.executed, result.makespan, result.progress, result.goal_ratio) == (9, 2700, 1.0, 1.0)
    assert result.remaining == {}
    assert [event.subject for event in result.events] == [f"{recipe}/{number}" for number, recipe, *_ in GOOD]
    assert all(event.accepted for event in result.events)


def test_idle_intervals_are_those_without_continuous_work():
    # The cook works 0-300, 300-420, 420-600, 600-720; the last bake ends at 2700.
    assert run(*GOOD).idle == ((720, 2700),)
    assert run(MELT, (1, "Bread", 300, 500), (2, "Bread", 120, 850)).idle == ((0, 500), (800, 850))


# --- every kind of violation ---------------------------------------------------------------------

FIRST_BROKEN = {
    "wrong_recipe": ([KNEAD, (0, "Stew", 60, 300)], 1, "Stew", "there is no such recipe; the recipes are Bread, Pie"),
    "wrong_action": (
        [KNEAD, SHAPE, (4, "Bread", 60, 420)],
        2,
        "Bread/4",
        "there is no such step; steps go from 0 to 3",
    ),
    "time_error": ([KNEAD, (1, "Pie", 180, 299)], 1, "Pie/1", "starts at 00:04:59, but the clock is at 00:05:00"),
    "object_occupancy": ([PREHEAT, (0, "Pie", 600, 599)], 1, "Pie/0", "oven is occupied"),
    "object_temperature": ([KNEAD, SHAPE, (3, "Bread", 1200, 420)], 2, "Bread/3", "needs oven at 350, but it is cold"),
    "time_constraint": (
        [KNEAD, (2, "Bread", 120, 361)],
        1,
        "Bread/2",
        "must start within 60 s after Bread/1, but starts after 61 s",
    ),
    "repeated_action": ([ROLL, (1, "Pie", 180, 720)], 1, "Pie/1", "has been carried out already"),
    "action_duration": ([PREHEAT, (1, "Bread", 301, 0)], 1, "Bread/1", "takes 300 s, not 301"),
    "execution_interruptibility": ([(1, "Pie", 179, 0)], 0, "Pie/1", "must not be interrupted (180 s)"),
    "dependency": ([(1, "Bread", 299, 0), (2, "Bread", 120, 299)], 1, "Bread/2", "Bread/1 is not complete"),
    "no_action": ([], 0, "", "the plan contains no readable command"),
}


@PROFILE_NAMES
@pytest.mark.parametrize("kind", FIRST_BROKEN)
def test_each_kind_of_violation_ends_the_run(kind, rules):
    commands, position, subject, message = FIRST_BROKEN[kind]
    result = run(*commands, rules=rules)
    assert result.fatal is not None
    assert (result.fatal.kind, result.fatal.position, result.fatal.subject) == (kind, position, subject)
    assert result.fatal.message == message
    assert result.fatal == result.violations[0]
    assert result.executed == position
    assert not result.success
    assert [event.accepted for event in result.events] == [True] * position + [False] * (kind != "no_action")


@PROFILE_NAMES
def test_missing_action_fails_a_plan_without_a_fatal_violation(rules):
    result = run(*GOOD[:-1], rules=rules)
    assert result.fatal is None
    assert not result.success
    assert [(v.position, v.kind, v.subject) for v in result.violations] == [(None, "missing_action", "Pie/4")]
    assert (result.executed, result.progress, result.goal_ratio) == (8, 8 / 9, 0.5)
    assert result.remaining == {"Pie/4": 900}


def test_every_kind_of_violation_has_a_test():
    of_turns = {"identical_refusals", "too_many_turns"}
    assert {*FIRST_BROKEN, *of_turns, "object_volume", "missing_action", "infeasible_multitask"} == set(KINDS)


# --- boundaries ----------------------------------------------------------------------------------


def test_prerequisite_must_have_ended_at_the_start_of_its_successor():
    result = run((1, "Pie", 180, 0), (2, "Pie", 60, 180), (3, "Pie", 120, 239))
    assert (result.fatal.kind, result.fatal.position) == ("dependency", 2)
    assert result.fatal.message == "Pie/2 is not finished until 00:04:00"
    assert run((1, "Pie", 180, 0), (2, "Pie", 60, 180), (3, "Pie", 120, 240)).fatal is None


def test_untimed_problems_have_no_time_constraints():
    untimed = KITCHEN.without_maximum_lags("untimed")
    assert run(KNEAD, (2, "Bread", 120, 5000), instance=untimed).fatal is None


# --- order of the checks -------------------------------------------------------------------------


def crowded():
    """Return steps of which X/2 can break every rule.

    X/2 is not interruptible, needs the oven at 350, follows X/3, and starts within 10 s after X/5.
    """
    return Instance(
        "crowded",
        actions=(
            step("X/0", 100),
            step("X/1", 100, auto=True, uses=[Demand("oven", sets="200")]),
            step("X/2", 50, uses=[Demand("oven", requires="350")]),
            step("X/3", 10),
            step("X/4", 10, auto=True, uses=[Demand("oven", sets="350")]),
            step("X/5", 5),
        ),
        lags=(Lag("X/3", "X/2"), Lag("X/5", "X/2", None, 10)),
        resources=(Resource("oven"),),
        benchmark="recipe2plan",
    )


BEFORE = [(1, "X", 100, 0), (5, "X", 5, 0), (0, "X", 100, 5)]
ALL_AT_ONCE = ["time_error", "infeasible_multitask", "object_occupancy", "object_temperature", "time_constraint"]


@pytest.mark.parametrize(("duration", "kind"), [(60, "action_duration"), (40, "execution_interruptibility")])
def test_violations_of_one_command_are_in_the_order_of_the_checks(duration, kind):
    result = run(*BEFORE, (2, "X", duration, 50), instance=crowded())
    assert kinds_at(result, 3) == [*ALL_AT_ONCE, kind, "dependency"]
    assert (result.fatal.kind, result.fatal.position) == ("time_error", 3)


# --- objects -------------------------------------------------------------------------------------


@PROFILE_NAMES
def test_shared_preheating_needs_the_same_interval_and_temperature(rules):
    assert run(PREHEAT, (0, "Pie", 600, 0), rules=rules).fatal is None
    assert run(PREHEAT, (0, "Pie", 600, 1), rules=rules).fatal.kind == "object_occupancy"
    other = run(PREHEAT, (0, "Pie", 600, 0), rules=rules, instance=kitchen("425"))
    assert (other.fatal.kind, other.fatal.position) == ("object_occupancy", 1)
    hot = run((0, "Pie", 600, 0), KNEAD, SHAPE, (3, "Bread", 1200, 600), rules=rules, instance=kitchen("425"))
    assert hot.fatal.message == "needs oven at 350, but it is at 425"


def kettle(amount=250):
    """Fill 600 units, pour an amount (also in parts), pour 400, all with one kettle."""
    water = [Demand("kettle water", amount=amount), Demand("kettle water", amount=400)]
    return Instance(
        "kettle",
        actions=(
            step("X/0", 100, auto=True, uses=[Demand("kettle"), Demand("kettle water", sets="600")]),
            step("X/1", 50, cut=True, uses=[Demand("kettle"), water[0]]),
            step("X/2", 50, uses=[Demand("kettle"), water[1]]),
        ),
        resources=(Resource("kettle"), Resource("kettle water", 1000)),
        benchmark="recipe2plan",
    )


@PROFILE_NAMES
def test_volume_must_contain_the_amount_of_each_piece(rules):
    fill, pour, rest = (0, "X", 100, 0), (1, "X", 50, 100), (2, "X", 50, 150)
    for commands, position, level in (
        ([(1, "X", 50, 0)], 0, 0),  # never filled
        ([fill, pour, rest], 2, 350),
        ([fill, (1, "X", 25, 100), (1, "X", 25, 125), rest], 3, 100),  # every piece takes the whole amount
    ):
        fault = run(*commands, rules=rules, instance=kettle()).fatal
        assert (fault.kind, fault.position, fault.resource, fault.actual) == (
            "object_volume",
            position,
            "kettle water",
            level,
        )
    assert run(pour, rules=rules, instance=kettle(1)).fatal.kind == "object_volume"
    assert run(fill, rest, rules=rules, instance=kettle()).fatal is None
    refilled = run(fill, pour, (2, "X", 50, 150), (0, "X", 100, 200), instance=kettle())
    assert kinds_at(refilled, 2) == ["object_volume"]


def test_copy_of_a_state_does_not_change_with_the_original():
    simulator = Recipe2PlanSimulator(kettle(), PAPER)
    filled, _ = simulator.apply(simulator.initial(), (StepCommand(0, "X", 100, 0),))
    copied = simulator.copy(filled)
    before = copy.deepcopy(copied)
    simulator.apply(filled, (StepCommand(1, "X", 50, 100), StepCommand(9, "X", 1, 150)))
    for name in ("remaining", "begins", "finish", "done", "objects", "volume", "refusals"):
        assert getattr(copied, name) == getattr(before, name)
        assert getattr(filled, name) != getattr(before, name)


def test_a_problem_with_volumes_is_graded_without_an_optimum():
    submission = {"instance": "kettle", "plan": "Step(0, X, 100, 0), Step(2, X, 50, 100), Step(1, X, 50, 150)"}
    grade = Grader(problems=Problems(named={"kettle": kettle()})).grade(submission)
    assert (grade.scored, grade.failure_cause, grade.optimal_makespan) == (True, "object volume", None)


# --- time constraints at resumption --------------------------------------------------------------

RESUMED = [(1, "Pie", 180, 0), (2, "Pie", 60, 180), (3, "Pie", 60, 240), (3, "Pie", 60, 361)]


def test_time_constraint_is_checked_at_resumption():
    for rules in (PAPER, RELEASED):
        result = run(*RESUMED, rules=rules)
        assert (result.fatal.kind, result.fatal.position) == ("time_constraint", 3)
    assert run(*RESUMED[:-1], (3, "Pie", 60, 360)).fatal is None


def test_window_on_resume_false_checks_only_the_first_start():
    rules = RULE_SET.profile("paper", window_on_resume=False)
    assert run(*RESUMED, rules=rules).fatal is None
    assert run(*RESUMED[:2], (3, "Pie", 60, 361), rules=rules).fatal.kind == "time_constraint"


# --- after the first violation -------------------------------------------------------------------


def test_the_search_for_violations_is_bounded():
    wrong = (0, "Stew", 60, 0)
    result = run(*[wrong] * (MAX_VIOLATIONS + 500))
    assert [v.position for v in result.violations] == [*range(MAX_VIOLATIONS)]
    assert result.fatal == result.violations[0]
    assert (result.executed, len(result.events)) == (0, 1)


# --- interactive logs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "is_end"),
    [
        ([[(9, "Bread", 60, 0)]] * 3, True),
        ([[]] * 3, True),  # answers without a command
        # The released environment names no start in this message, but one of the oven.
        ([[(2, "Bread", 120, start)] for start in (0, 30, 60)], True),
        ([[(0, "Pie", 600, start)] for start in (10, 20, 30)], False),
        ([[(1, "Bread", duration, 0)] for duration in (301, 302, 303)], False),
        ([[(9, "Bread", 60, 0)], [KNEAD], *[[(9, "Bread", 60, 0)]] * 2], False),  # interrupted by a success
    ],
)
def test_three_equal_messages_in_a_row_end_an_interactive_run_by_the_released_rule(refused, is_end):
    result = run_log([PREHEAT], *refused, [ROLL], rules=RELEASED)
    assert (result.fatal is not None and result.fatal.kind == "identical_refusals") is is_end
    assert result.violations.count(result.fatal) == is_end
    assert run_log([PREHEAT], *refused, [ROLL], rules=replace(RELEASED, max_identical_refusals=0)).fatal is None


@PROFILE_NAMES
def test_three_identical_refusals_fail_a_run_that_could_succeed(rules):
    refused, good = [(9, "Bread", 60, 0)], [[one] for one in GOOD]
    assert run_log(*[refused] * 2, *good, rules=rules).success
    assert not run_log(*[refused] * 3, *good, rules=rules).success
    assert run_log(*[refused] * 3, *good, rules=replace(rules, max_identical_refusals=4)).success


def test_released_run_ends_after_ten_turns_more_than_steps():
    cut = [[(1, "Bread", 10, 10 * number)] for number in range(19)]
    over = run_log(*cut, rules=RELEASED)
    assert (over.fatal.kind, over.fatal.message, over.executed) == (
        "too_many_turns",
        "the recipes are not complete after 19 answers",
        19,
    )
    assert run_log(*cut[:-1], rules=RELEASED).fatal is None
    assert run_log(*cut, rules=PAPER).fatal is None
    assert run_log(
        *[[(9, "Bread", 60, 0)], [(8, "Bread", 60, 0)]] * 5, *([one] for one in GOOD), rules=RELEASED
    ).success
    assert run(*(one for [one] in cut), rules=RELEASED).fatal is None  # a whole plan has no turns


def test_idle_intervals_of_an_interactive_run_ignore_refused_commands():
    assert run_log([KNEAD], [(1, "Pie", 100, 900)], [(1, "Pie", 180, 1000)]).idle == ((300, 1000),)


# --- random commands -----------------------------------------------------------------------------

_PAIRS = [
    KITCHEN,
    crowded(),
    *(problems.load(f"recipe2plan/timed/{pair}") for pair in ("Puddings_Volcano-Glass", "Tacos_Smore-Bars")),
]


@st.composite
def _commands(draw, instance):
    actions = [*instance.actions, *instance.actions]
    existing = st.sampled_from([(int(a.id.rpartition("/")[2]), a.task, a.duration) for a in actions])
    absurd = st.tuples(
        st.integers(-2, 10**30), st.sampled_from([*instance.tasks, "", "Stew", "\ud800"]), st.integers(0, 10**30)
    )
    number, recipe, duration = draw(st.one_of(existing, existing, existing, absurd))
    if draw(st.integers(0, 3)) == 0:
        duration = draw(st.one_of(st.integers(0, duration), st.just(0), st.just(10**30)))
    start = draw(st.one_of(st.integers(0, 40).map(lambda k: 60 * k), st.integers(0, 10_000), st.just(10**30)))
    return StepCommand(number, recipe, duration, start)


@st.composite
def _cases(draw):
    instance = draw(st.sampled_from(_PAIRS))
    commands = draw(st.lists(_commands(instance), max_size=20))
    return instance, sorted(commands, key=lambda c: c.start) if draw(st.booleans()) else commands


@given(_cases(), st.sampled_from([PAPER, RELEASED]))
def test_any_commands_are_replayed(case, rules):
    instance, commands = case
    result = recipe_verdict(instance, Answers((tuple(commands),)), rules)
    assert 0 <= result.progress <= 1
    assert 0 <= result.goal_ratio <= 1
    positions = [v.position for v in result.violations if v.position is not None]
    assert positions == sorted(positions)
    assert {v.kind for v in result.violations} <= set(KINDS)
    assert [event.position for event in result.events] == list(range(len(result.events)))
    assert sum(event.accepted for event in result.events) == result.executed
    if result.fatal is None:
        assert positions == []
        assert result.executed == len(commands)
    else:
        assert result.violations[0] == result.fatal
        assert result.executed == result.fatal.position
        assert not result.success
    assert result.success == (result.fatal is None and not result.remaining)
    assert result.makespan == max((event.end for event in result.events if event.accepted), default=0)


@given(_cases(), st.sampled_from([PAPER, RELEASED]), st.data())
def test_any_log_is_replayed(case, rules, data):
    instance, commands = case
    cuts = sorted(data.draw(st.lists(st.integers(0, len(commands)), max_size=20)))
    answers = [tuple(commands[a:b]) for a, b in zip([0, *cuts], [*cuts, len(commands)], strict=True)]
    result = recipe_verdict(instance, Answers(tuple(answers), interactive=True), rules)
    assert 0 <= result.progress <= 1
    assert sum(event.accepted for event in result.events) == result.executed
    assert [event.position for event in result.events] == list(range(len(result.events)))
    progress = [event.progress for event in result.events]
    assert progress == sorted(progress)
    if result.fatal is not None:
        assert result.fatal in result.violations


@given(_cases(), st.sampled_from([PAPER, RELEASED]))
def test_one_command_per_answer_equals_a_plan_until_the_first_violation(case, rules):
    instance, commands = case
    whole = recipe_verdict(instance, Answers((tuple(commands),)), rules)
    log = recipe_verdict(instance, Answers(tuple((command,) for command in commands), interactive=True), rules)
    assert log.events[: len(whole.events)] == whole.events
    assert log.executed >= whole.executed


# --- shares of invalid commands ---


def test_commands_are_counted_by_the_first_rule_that_they_break():
    answers = [
        "Step(9, Soup, 3 min, 00:00:00)",
        "Step(1, Tacos, 20 min, 00:00:00)",
        "Step(2, Smore-Bars, 1 min, 00:00:00)",
        "Step(3, Smore-Bars, 5 min, 00:00:00)",
        "I wait.",
        "Step(2, Smore-Bars, 1 min, 00:05:00)",
        "Step(4, Smore-Bars, 3 min, 00:00:00)",  # before the clock, and before the end of its prerequisite
        "Step(4, Smore-Bars, 3 min, 00:05:00)",
    ]
    plan = [{"response": answer} for answer in answers]
    row = Grader().grade({"instance": "recipe2plan/timed/Tacos_Smore-Bars", "id": "x", "plan": plan}).row()
    # The last command is too late, which is a source of failure.
    assert row["violation"] == "time_constraint"
    assert row["action_kinds"] == {"valid": 2, "dependency": 1, "time_error": 1, "action_mismatch": 3}


# --- breaking optimal plans ----------------------------------------------------------------------

SOLVED = (
    "Cobbler_Pancakes",
    "Cobbler_Daikon-Radish",
    "Pizza_Leche-Asada",
    "Cauliflower-Pizza_Vada",
    "Puddings_Volcano-Glass",
    "Tacos_Smore-Bars",
    "Choco_Strawberry-Cake",
    "Vada_Chocolate-Cake",
)
EACH = pytest.mark.parametrize("pair", SOLVED)


@cache
def optimal(pair):
    instance = problems.load(f"recipe2plan/timed/{pair}")
    return instance, parse(solve(instance).plan, instance).commands


def action(instance, command):
    return instance.by_id[f"{command.recipe}/{command.step}"]


def break_and_replay(instance, commands):
    """Replay by both profiles, which must agree, and return kind and position of the fatal violation."""
    results = [recipe_verdict(instance, Answers((tuple(commands),)), rules) for rules in (PAPER, RELEASED)]
    assert results[0].fatal == results[1].fatal
    fatal = results[0].fatal
    return (fatal.kind, fatal.position) if fatal else None


@EACH
def test_splitting_interruptible_steps_breaks_no_rule(pair):
    instance, commands = optimal(pair)
    count = 0
    for i, command in enumerate(commands):
        split_action = action(instance, command)
        if split_action.interruptible and not any(
            lag.after == split_action.id and lag.maximum is not None for lag in instance.lags
        ):
            parts = [
                command._replace(duration=1),
                command._replace(duration=command.duration - 1, start=command.start + 1),
            ]
            assert break_and_replay(instance, [*commands[:i], *parts, *commands[i + 1 :]]) is None
            count += 1
    assert count >= 3
