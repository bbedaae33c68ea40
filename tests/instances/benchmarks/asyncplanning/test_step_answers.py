"""AsyncPlan-XXL: answers with one fault each, by hand, and forms of answers."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from planoracle import environment
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.errors import PlanError
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve

BENCHMARK = registry.get("asyncplanning")
NAME = "asyncplanning/xxl/5/1"
#: Steps of 5, 15, 3, 2 and 45 minutes; 3 before 1 before 5, 2 before 4. The longest path takes 53 minutes.
ANSWER: dict[str, Any] = {
    "actions": [
        {"id": "step1", "duration": 300},
        {"id": "step2", "duration": 900},
        {"id": "step3", "duration": 180.0},
        {"id": "step4", "duration": 120},
        {"id": "step5", "duration": 2700},
    ],
    "dependencies": [
        {"before": "step1", "after": "step5"},
        {"before": "step2", "after": "step4"},
        {"before": "step3", "after": "step1"},
    ],
    "final_answer_seconds": 3180,
}
SCHEDULE = [[0, "step2", 900], [0, "step3", 180], [180, "step1", 300], [900, "step4", 120], [480, "step5", 2700]]


def graded(plan: object, profile: str = "paper") -> dict[str, Any]:
    grade: Grade = Grader(profiles(profile)).grade({"id": "a", "instance": NAME, "plan": plan})
    return grade.row()


def verdict(plan: object, profile: str = "paper") -> tuple[bool, str | None, float | None]:
    row = graded(plan, profile)
    return row["success"], row["violation"], row["seconds"]


def changed(path: str, value: object) -> dict[str, Any]:
    """Return the answer with another value at a path such as ``actions.0.id``."""
    answer = deepcopy(ANSWER)
    *keys, last = path.split(".")
    part: Any = answer
    for key in keys:
        part = part[int(key)] if key.isdecimal() else part[key]
    if isinstance(part, list):
        part.insert(int(last), value)
    else:
        part[last] = value
    return answer


@pytest.mark.parametrize(
    "plan",
    [
        ANSWER,
        json.dumps(ANSWER),
        f"```json\n{json.dumps(ANSWER)}\n```",
        f"The plan: {json.dumps(ANSWER)} Good luck!",
        [{"role": "user", "content": "Go!"}, {"role": "assistant", "content": json.dumps(ANSWER)}],
        SCHEDULE,
        json.dumps(SCHEDULE),
        f"The plan:\n{json.dumps(SCHEDULE)}\n",
        [json.dumps(entry) for entry in SCHEDULE],
        [{"action": name, "start": start, "duration": duration} for start, name, duration in SCHEDULE],
    ],
)
def test_right_answer_is_read_in_all_forms(plan: object) -> None:
    assert verdict(plan) == (True, None, 3180)


@pytest.mark.parametrize(
    ("path", "value", "violation", "seconds"),
    [
        ("actions", None, "no_plan", None),
        ("dependencies", "none", "no_plan", None),
        ("actions.0.id", "STEP1", "unknown_step", None),
        ("actions.0.id", None, "unknown_step", None),
        ("dependencies.0.after", "step6", "unknown_step", None),
        ("actions.0", {"id": "step2", "duration": 900}, "repeated_step", None),
        ("actions.0.duration", 301, "duration", None),
        ("actions.0.duration", "300", "duration", None),
        ("actions.0.duration", True, "duration", None),
        ("actions.0.duration", 1e400, "duration", None),
        ("actions.0.duration", 10**400, "duration", None),
        ("final_answer_seconds", -(10**400), "wrong_time", 3180),
        ("dependencies.0", {"before": "step5", "after": "step3"}, "cycle", None),
        ("dependencies.0", {"before": "step1", "after": "step1"}, "cycle", None),
        ("dependencies.0.before", "step3", "order", None),
        ("dependencies.0.before", "step2", "extra_order", 3600),
        ("dependencies", None, "order", None),
        ("final_answer_seconds", 3181, "wrong_time", 3180),
        ("final_answer_seconds", "3180", "wrong_time", 3180),
        ("final_answer_seconds", None, "wrong_time", 3180),
        ("dependencies.0", {"before": "step5", "after": "step2"}, "extra_order", 4200),
    ],
)
def test_answer_with_one_fault_fails_by_it(path: str, value: object, violation: str, seconds: int | None) -> None:
    assert verdict(changed(path, value)) == (False, violation, seconds)


def test_missing_step_is_reported_before_its_orders() -> None:
    answer = deepcopy(ANSWER)
    del answer["actions"][3]
    assert verdict(answer) == (False, "missing_step", None)


def test_harmless_extra_order_is_accepted() -> None:
    assert verdict(changed("dependencies.0", {"before": "step3", "after": "step5"})) == (True, None, 3180)


def test_first_kind_of_fault_in_the_fixed_order_counts() -> None:
    answer = changed("dependencies.0", {"before": "step9", "after": "step3"})
    answer["actions"][0]["duration"] = 1
    assert verdict(answer)[1] == "unknown_step"


@pytest.mark.parametrize(
    ("entry", "exact", "released"),
    [
        ((0, [0, "step2", 901]), (False, "duration", 3180), (True, None, 3180)),
        ((0, [0, "step2", 902]), (False, "duration", 3180), (False, "duration", 3180)),
        ((2, [179, "step1", 300]), (False, "order", 3180), (True, None, 3180)),
        ((2, [178, "step1", 300]), (False, "order", 3180), (False, "order", 3180)),
        ((2, [180.5, "step1", 300]), (False, "order", 3180), (True, None, 3180)),
        ((0, [-1, "step2", 900]), (False, "negative_start", 3180), (True, None, 3180)),
        ((4, [481, "step5", 2700]), (True, None, 3181), (False, "wrong_time", 3181)),
        ((4, [480.5, "step5", 2700]), (True, None, 3180.5), (True, None, 3180.5)),
        ((0, [0, "step7", 900]), (False, "unknown_step", None), (False, "missing_step", 3180)),
        ((0, [0, "step3", 180]), (False, "repeated_step", None), (False, "missing_step", 3180)),
    ],
)
def test_schedules_are_exact_in_paper_and_within_a_second_in_released(
    entry: tuple[int, list[object]],
    exact: tuple[bool, str | None, float | None],
    released: tuple[bool, str | None, float | None],
) -> None:
    position, triple = entry
    plan = [triple if number == position else old for number, old in enumerate(SCHEDULE)]
    assert verdict(plan) == exact
    assert verdict(plan, "released") == released


def test_first_entry_of_a_step_counts_in_released_and_all_ends() -> None:
    assert verdict([*SCHEDULE, [0, "step7 extra", 60]], "released") == (True, None, 3180)
    late = BENCHMARK.run(load(NAME), {"plan": [*SCHEDULE, [4000, "step2", 900]]}, PROFILES["released"]).verdict
    assert (late.fatal.kind, late.fatal.required, late.fatal.actual) == ("wrong_time", "3180 seconds", "4900 seconds")
    assert (late.success, late.makespan, sum(late.remaining.values())) == (False, 4900, 4200)


@pytest.mark.parametrize("plan", [None, "", "no idea", [], "[]", "{}", '[{"id": "step1"}]', '{"actions": [{"id": "st'])
def test_answer_without_a_plan_is_a_failure(plan: object) -> None:
    run = BENCHMARK.run(load(NAME), {"plan": plan}, PROFILES["paper"])
    assert (run.success, run.verdict.fatal.kind) == (False, "no_plan")


@pytest.mark.parametrize(
    "plan",
    [7, [1], ["wait"], [[0, "step1"]], [["0", "step1", 300]], [[0, 1, 300]], [[0, "step1", 1e999]], [[0, " ", 300]]],
)
def test_schedule_that_is_no_list_of_triples_is_unscored(plan: object) -> None:
    with pytest.raises(PlanError, match="must be"):
        BENCHMARK.parse(load(NAME), {"plan": plan})


@pytest.mark.parametrize(
    "text",
    [
        "1" * 200_000,
        "<answer>" * 50_000,
        "{" * 100_000,
        "[" * 100_000,
        "1.1" * 100_000 + " ",
        "1 " * 200_000,
        "```" * 9,
    ],
)
def test_long_texts_are_read_in_short_time(text: str) -> None:
    for profile in PROFILES.values():
        assert not BENCHMARK.run(load(NAME), {"plan": text}, profile).success


def test_step_of_a_tenth_of_a_second_takes_exactly_that_time() -> None:
    problem = load("asyncplanning/xxl/90/40")
    schedule = solve(problem).schedule
    plan = BENCHMARK.written(problem, schedule)
    durations = {name: duration for _, name, duration in plan}
    assert durations["step89"] == 0.1
    assert BENCHMARK.run(problem, {"plan": plan}).success
    rounded = [[start, name, round(duration)] for start, name, duration in plan]
    assert BENCHMARK.run(problem, {"plan": rounded}).verdict.fatal.subject == "step89"


def test_released_durations_above_the_limit_of_ticks_are_in_minutes() -> None:
    released = BENCHMARK.under(load("asyncplanning/xxl/90/32"), PROFILES["released"])
    assert (released.unit, released.seconds_per_tick) == ("minute", 60)
    schedule = solve(released).schedule
    plan = BENCHMARK.written(released, schedule)
    run = BENCHMARK.run(load("asyncplanning/xxl/90/32"), {"plan": plan}, PROFILES["released"])
    assert (run.success, run.seconds, run.verdict.makespan) == (True, 1579402800, 1579402800 // 60)
    assert run.plan.commands.pieces == schedule.pieces


def test_regret_of_a_late_step() -> None:
    late = [*SCHEDULE[:4], [500, "step5", 2700]]
    assert regret(load(NAME), {"plan": late}).total == 20


@pytest.mark.parametrize(
    ("plan", "profile", "text"),
    [
        (changed("actions.0.duration", 60), "paper", "step1 takes 300 seconds; the answer says 60 seconds."),
        (changed("actions.0.id", "soup"), "paper", 'There is no step "soup"; the problem has step1 to step5.'),
        (changed("dependencies.0.before", "step3"), "paper", "step5 must start after step1 has ended"),
        (changed("final_answer_seconds", 9), "paper", "The shortest time is 3180 seconds; the answer says 9."),
        ([[-1, "step2", 900], *SCHEDULE[1:]], "paper", "step2 starts before time 0."),
        ("no idea", "released", "The answer contains no time."),
        (changed("final_answer_seconds", 9), "released", "time is 3180 seconds; the answer says 9 seconds."),
    ],
)
def test_critique_has_the_sentence_of_the_violation(plan: object, profile: str, text: str) -> None:
    assert text in critique(load(NAME), {"plan": plan}, rules=PROFILES[profile], regret=False).prose()


def test_live_runs_ask_for_json_or_one_step_at_a_time() -> None:
    answered = environment(load(NAME), loop="open")
    assert "step1 takes 5 minutes; before it: step3." in answered.introduction()
    assert answered.step(json.dumps(ANSWER)).done
    assert answered.run().success
    stepwise = environment(load(NAME))
    for start, name, duration in sorted(SCHEDULE):
        result = stepwise.step(json.dumps([start, name, duration]))
    assert result.done
    assert stepwise.run().verdict.makespan == 3180
    simulator = BENCHMARK.simulator(load(NAME), PROFILES["paper"])
    assert simulator.verdict(simulator.initial()).fatal.kind == "no_plan"


def test_step_before_its_predecessor_is_refused_live() -> None:
    result = environment(load(NAME), reward="score").step('[0, "step1", 300]')
    assert "must start after step3" in result.observation.text
    assert result.reward == 0
