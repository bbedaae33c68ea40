"""Plans for kitchens: reading, each rule in both profiles, stages, and what reports show."""

from __future__ import annotations

from collections import Counter
from itertools import chain, compress, product
from random import Random
from types import SimpleNamespace

import pytest

from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.robot_facts import Candidate
from planoracle.instances.benchmarks.asyncplanning.robot_feedback import TOPICS
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line, lines_in
from planoracle.instances.benchmarks.asyncplanning.robot_outcome import reachable_reward
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES, RULE_SET
from planoracle.instances.errors import NoSolverError, PlanError
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve

BENCHMARK = registry.get("asyncplanning")
#: Fry fish for 8 s, stack plate and then fish.
FISH = load("asyncplanning/robo/easy/easy_02_fried_fish_plate")
GOOD = "0: (fry fish) [8]\n0: (stack plate) [1]\n8: (stack fish) [1]"
TEAM = load("asyncplanning/robo/hard_multiagent/hard_multiagent_02_robot_team_service")
MENU = load("asyncplanning/robo/hard_optimization/hard_optimization_01_deadline_menu")
#: An order for a cut item at 2 s, one for a grilled item at 4.14 s.
EPISODE = load("asyncplanning/online/easy/online_easy_02_fried_fish_plate")
STAGES = [
    GOOD,
    "0: (cut online_cut_02_11) [3]\n3: (stack online_cut_02_11) [1]\n6: (stack fish) [1]",
    "0.86: (stack online_cut_02_11) [1]\n3.86: (stack fish) [1]\n"
    "0: (grill online_grill_02_21) [10]\n10: (stack online_grill_02_21) [1]",
]


def outcome(problem: object, plan: object, profile: str) -> tuple[bool, int, str | None]:
    run = BENCHMARK.run(problem, {"plan": plan}, PROFILES[profile])
    return run.success, run.verdict.makespan, None if run.fault is None else run.fault.kind


@pytest.mark.parametrize("seed", range(30))
def test_reachable_reward_is_the_best_of_all_selections(seed: int) -> None:
    """Compare with all subsets of the candidates that nobody has touched, within what touched ones leave."""
    random = Random(seed)
    states = ("raw", "cut", "cut under way", "grilled")
    inventory = {"oil": random.randint(0, 4), "salt": random.randint(0, 4)}
    candidates, world = [], {}
    for number in range(random.randint(1, 5)):
        cost = tuple((resource, random.randint(0, 2)) for resource in random.sample(list(inventory), 1 + seed % 2))
        candidates.append(Candidate(f"c{number}", f"item{number}", "cut", random.randint(1, 9), cost, 0))
        world[f"item{number}"] = random.choice(states)
    del world["item0"]  # not seen yet: raw
    items = {candidate.item: SimpleNamespace(state="raw") for candidate in candidates}
    task = SimpleNamespace(candidates=candidates, inventory=inventory, by_name=items)
    attained, stock = 0, dict(inventory)
    untouched = []
    for candidate in candidates:
        state = world.get(candidate.item, "raw")
        attained += candidate.reward if state in ("cut", "cut under way") else 0
        if state == "raw":
            untouched.append(candidate)
            continue
        for resource, amount in candidate.cost:
            stock[resource] = max(0, stock[resource] - amount)
    rewards = []
    for chosen in product((False, True), repeat=len(untouched)):
        selection = list(compress(untouched, chosen))
        total = sum((Counter(dict(candidate.cost)) for candidate in selection), Counter())
        if total <= Counter(stock):
            rewards.append(sum(candidate.reward for candidate in selection))
    assert reachable_reward(task, SimpleNamespace(states=world)) == attained + max(rewards)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0.5: (grill patty) [10]", Line(500, "grill", ("patty",), 10_000)),
        ("  1.0004 :(GRILL robot1 Patty)[10.000] and more", Line(1000, "grill", ("robot1", "Patty"), 10_000)),
        ("3: (stack_bun_bot) [1]", Line(3000, "stack", ("bun_bot",), 1000)),
        ("3: (stack_bun_bot robot2) [1]", Line(3000, "stack", ("robot2", "bun_bot"), 1000)),
        ("- 3: (stack cup) [1]", None),
        ("3: (wait_for_egg) [1]", None),
        ("-3: (stack cup) [1]", None),
        (".5: (stack cup) [1]", None),
        ("3: (stack cup) [1", None),
        ("; 3: (stack cup) [1]", None),
    ],
)
def test_a_line_is_read_as_the_released_code_reads_it(text: str, line: Line | None) -> None:
    assert lines_in(text) == ([] if line is None else [line])


def test_fences_with_a_language_are_removed_in_tasks_only() -> None:
    text = "```text 0: (fry fish) [8]\n```"
    assert len(lines_in(text)) == 1
    assert lines_in(text, is_online=True) == []
    assert len(lines_in("```plaintext 0: (fry fish) [8]```", is_online=True)) == 1


@pytest.mark.parametrize("text", ["9999999: (fry fish) [8]", "0: (fry fish) [1" + "0" * 400 + "]"])
def test_times_beyond_all_bounds_are_unreadable(text: str) -> None:
    with pytest.raises(PlanError, match="at most 1000000 seconds"):
        BENCHMARK.run(FISH, text)


def test_a_long_hostile_line_is_read_in_linear_time() -> None:
    assert lines_in("0: (" + "a " * 100_000) == []


def test_thousands_of_conflicts_are_found() -> None:
    run = BENCHMARK.run(EPISODE, {"plan": ["0: (fry fish) [8]\n" * 4000] * 3})
    assert len(run.verdict.violations) > 10_000


@pytest.mark.parametrize(
    ("plan", "paper", "released"),
    [
        (GOOD, (True, 9000, None), (True, 9000, None)),
        ("", (False, 0, "no_plan"), (False, 0, "no_plan")),
        ("0: (fry robot1 fish) [8]", (False, 8000, "arguments"), (False, 0, "arguments")),
        ("2: (bake fish) [8]", (False, 10_000, "unknown_action"), (False, 2000, "unknown_action")),
        ("2: (fry carp) [8]", (False, 10_000, "unknown_item"), (False, 2000, "unknown_item")),
        ("1: (cut fish) [3]\n" + GOOD, (False, 9000, "not_applicable"), (False, 1000, "wrong_state")),
        (GOOD.replace("[8]", "[7]"), (False, 9000, "duration"), (True, 9000, None)),
        ("1: (fry fish) [8]\n" + GOOD, (False, 9000, "station_full"), (False, 1000, "wrong_state")),
        ("8: (fry fish) [8]\n" + GOOD, (False, 16_000, "item_busy"), (False, 8000, "wrong_state")),
        (GOOD.replace("8: (", "7: ("), (False, 8000, "item_busy"), (False, 7000, "not_ready")),
        (GOOD.replace("0: (stack", "7.5: (stack"), (False, 9000, "stack_overlap"), (True, 9000, None)),
        (GOOD.replace("0: (stack", "9: (stack"), (False, 10_000, "goal_stack"), (False, 10_000, "goal_stack")),
        (GOOD + "\n9: (stack fish) [1]", (False, 10_000, "goal_stack"), (False, 10_000, "goal_stack")),
        (
            GOOD.replace("0: (stack plate) [1]", "7: (stack plate) [3]"),
            (False, 10_000, "duration"),
            (False, 10_000, "goal_stack"),
        ),
        ("0: (fry fish) [8]", (False, 8000, "goal_stack"), (False, 8000, "goal_stack")),
        ("0: (stack plate) [1]", (False, 1000, "goal_stack"), (False, 1000, "goal_state")),
    ],
)
def test_each_rule_of_tasks(plan: str, paper: tuple[object, ...], released: tuple[object, ...]) -> None:
    assert outcome(FISH, plan, "paper") == paper
    assert outcome(FISH, plan, "released") == released


def test_only_items_that_an_order_asks_for_are_stacked() -> None:
    problem = load("asyncplanning/robo/hard_high_speedup/hard_high_speedup_01_feast")
    plan = BENCHMARK.render(problem, solve(problem).schedule)
    assert outcome(problem, plan, "paper") == outcome(problem, plan, "released") == (True, 24_000, None)
    further = f"{plan}\n30: (stack lettuce01) [1]"
    assert outcome(problem, further, "paper") == (False, 31_000, "goal_stack")
    assert outcome(problem, further, "released") == (False, 31_000, "goal_stack")


def test_a_robot_carries_out_one_action_at_a_time() -> None:
    plan = "0: (cut robot1 onion02) [3]\n2: (stack robot1 bun_bot) [1]"
    for rules in PROFILES.values():
        fault = BENCHMARK.run(TEAM, plan, rules).fault
        assert (fault.kind, fault.resource) == ("robot_busy", "robot1")
    assert outcome(TEAM, plan, "paper") == (False, 3000, "robot_busy")
    assert outcome(TEAM, plan, "released") == (False, 2000, "robot_busy")
    assert outcome(TEAM, plan.replace("robot1", "r1"), "paper")[2] == "unknown_robot"


def test_another_choice_of_dishes_is_a_success_with_its_reward_in_paper_only() -> None:
    plan = "0: (grill robot1 patty01) [10]\n0: (cut robot2 lettuce01) [3]"
    assert outcome(MENU, plan, "paper") == (True, 10_000, None)
    assert outcome(MENU, plan, "released") == (False, 10_000, "goal_state")
    run = BENCHMARK.run(MENU, plan)
    assert (run.collected_reward, run.weight) == (13, 13)


def test_dishes_beyond_inventory_or_deadline_fail_in_paper() -> None:
    meat = "0: (grill robot1 patty01) [10]\n0: (cut robot2 chicken01) [3]\n3: (marinate robot2 chicken01) [6]"
    meat += "\n10: (grill robot1 chicken01) [10]\n9: (fry robot2 fish01) [8]"
    assert outcome(MENU, meat, "paper") == (False, 20_000, "inventory")
    shortage = BENCHMARK.run(MENU, meat).fault
    assert (shortage.resource, shortage.required, shortage.actual) == ("protein", 2, 3)
    assert outcome(MENU, "15: (grill robot1 patty01) [10]", "paper") == (False, 25_000, "deadline")
    assert outcome(MENU, "14: (grill robot1 patty01) [10]", "paper") == (True, 24_000, None)
    late = BENCHMARK.run(MENU, "15: (grill robot1 patty01) [10]")
    assert (late.collected_reward, late.weight) == (9, 0)


def test_a_zero_length_action_ends_before_it_starts_in_released() -> None:
    assert outcome(FISH, GOOD.replace("[1]", "[0]"), "released") == (True, 8000, None)
    assert outcome(FISH, GOOD.replace("[8]", "[0]"), "released") == (False, 0, "wrong_state")


def test_line_of_another_length_is_a_step_after_its_wait() -> None:
    plan = GOOD.replace("0: (fry fish) [8]", "2: (fry fish) [6]")
    steps = BENCHMARK.run(FISH, plan, PROFILES["released"]).steps
    assert [(step.kind, step.start, step.end) for step in steps] == [
        ("act", 0, 0),
        ("wait", 0, 2000),
        ("act", 2000, 2000),
        ("wait", 2000, 8000),
        ("act", 8000, 8000),
    ]


def test_lost_step_has_its_violation() -> None:
    run = BENCHMARK.run(FISH, GOOD + "\n9: (fry carp) [8]")
    assert (run.steps[-1].kind, run.steps[-1].violation, run.fault.kind) == ("lost", run.fault, "unknown_item")


def test_violations_have_times_and_values() -> None:
    unknown = BENCHMARK.run(EPISODE, [GOOD + "\n1: (cut online_cut_02_11) [3]", *STAGES[1:]]).fault
    assert (unknown.position, unknown.start, unknown.end) == (2, 1000, 4000)
    pile = BENCHMARK.run(FISH, GOOD.replace("0: (stack", "9: (stack")).fault
    overlap = BENCHMARK.run(FISH, GOOD.replace("0: (stack", "7.5: (stack")).fault
    assert (overlap.subject, overlap.required, overlap.actual) == ("stack fish", 8500, 8000)
    released = BENCHMARK.run(FISH, GOOD.replace("0: (stack", "9: (stack"), PROFILES["released"]).fault
    for fault in (pile, released):
        assert (fault.required, fault.actual) == (("plate", "fish"), ("fish", "plate"))


def test_repair_of_a_plan_moves_its_lines() -> None:
    repaired = repair(FISH, GOOD.replace("8: (stack", "7: (stack"))
    assert (repaired.makespan, repaired.shift) == (9000, 1000)


def test_stages_commit_lines_that_start_before_the_next_event() -> None:
    assert outcome(EPISODE, STAGES, "paper") == (True, 15_140, None)
    assert (BENCHMARK.run(EPISODE, STAGES).form, BENCHMARK.run(FISH, GOOD).form) == ("stages", "lines")
    assert outcome(EPISODE, STAGES, "released") == (True, 15_140, None)


@pytest.mark.parametrize(
    ("stages", "paper", "released"),
    [
        (STAGES[:2], (False, 8000, "stage_missing"), (False, 8000, "stage_missing")),
        ([], (False, 0, "stage_missing"), (False, 0, "stage_missing")),
        ([*STAGES[:2], "nothing to do"], (False, 8000, "goal_stack"), (False, 8000, "no_plan")),
        ([GOOD, *STAGES[:2]], (False, 11_140, "station_full"), (False, 2000, "wrong_state")),
        (
            [GOOD + "\n1: (cut online_cut_02_11) [3]", *STAGES[1:]],
            (False, 8000, "unknown_item"),
            (False, 1000, "unknown_item"),
        ),
    ],
)
def test_each_rule_of_stages(stages: list[str], paper: tuple[object, ...], released: tuple[object, ...]) -> None:
    assert outcome(EPISODE, stages, "paper") == paper
    assert outcome(EPISODE, stages, "released") == released


@pytest.mark.parametrize(
    "form",
    [
        {"plan": STAGES},
        {"responses": STAGES},
        {"stage_records": [{"stage": number, "response": text} for number, text in enumerate(STAGES)]},
        {"stage_records": [{"stage": number, "solver_plan": text} for number, text in enumerate(STAGES)]},
        {"plan": {"stages": STAGES}},
        {"messages": [{"role": "assistant", "content": text} for text in STAGES]},
    ],
)
def test_episodes_are_read_in_all_recorded_forms(form: dict[str, object]) -> None:
    assert BENCHMARK.run(EPISODE, form).success


def test_stage_of_a_solver_that_failed_has_no_lines() -> None:
    records = [*({"response": text} for text in STAGES[:2]), {"error_type": "solver_error", "error": "timeout"}]
    run = BENCHMARK.run(EPISODE, {"stage_records": records}, PROFILES["released"])
    assert run.verdict.violations[0].kind == "no_plan"


def test_a_null_answer_is_an_empty_one() -> None:
    assert outcome(FISH, None, "paper") == outcome(FISH, "", "paper")
    assert outcome(EPISODE, [*STAGES[:2], None], "released") == outcome(EPISODE, [*STAGES[:2], ""], "released")


@pytest.mark.parametrize("plan", [7, [7], {"steps": []}])
def test_values_without_text_are_unscored(plan: object) -> None:
    with pytest.raises(PlanError, match="must be"):
        BENCHMARK.run(EPISODE, {"plan": plan})


@pytest.mark.parametrize(
    ("rule", "value", "plan"),
    [
        ("action_durations", "any", GOOD.replace("[8]", "[7]")),
        ("stacks", "order", GOOD.replace("0: (stack", "7.5: (stack")),
    ],
)
def test_a_single_rule_can_be_relaxed_by_its_name(rule: str, value: str, plan: str) -> None:
    assert not BENCHMARK.run(FISH, plan).success
    assert BENCHMARK.run(FISH, plan, RULE_SET.profile(**{rule: value})).success


def test_critique_names_the_conflict_in_seconds() -> None:
    run = BENCHMARK.run(FISH, "1: (fry fish) [8]\n" + GOOD)
    findings = [finding.text for finding in BENCHMARK.examine(run).findings]
    assert findings[0] == "Fry fish at 1 s needs fryer, which is full with fry fish until 8 s."


def test_every_violation_belongs_to_a_topic_with_a_sentence() -> None:
    kinds = list(chain.from_iterable(topic.kinds for topic in TOPICS))
    assert len(kinds) == len(set(kinds)) == 18


def test_regret_of_a_late_plan_adds_up_to_the_lost_time() -> None:
    result = regret(FISH, GOOD.replace("8: (stack", "9.5: (stack"))
    assert (result.optimum, result.final, result.total) == (9000, 10_500, 1500)


@pytest.mark.parametrize(
    ("problem", "plan", "profile"),
    [
        (EPISODE, STAGES, "paper"),
        (FISH, GOOD.replace("[8]", "[7]"), "released"),
    ],
)
def test_decisions_without_a_cost_are_refused_by_name(problem: object, plan: object, profile: str) -> None:
    with pytest.raises(NoSolverError, match="decisions have no cost"):
        regret(problem, {"plan": plan}, PROFILES[profile])
