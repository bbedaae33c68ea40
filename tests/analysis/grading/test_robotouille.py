"""Grades of Robotouille plans: optimal plans, single mutations, hand-made bad ones; states for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import get_args

import pytest

from planoracle.analysis.grading import oracle
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.rewards import reward
from planoracle.instances.benchmarks.kitchens import metrics
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, compiled
from planoracle.instances.benchmarks.kitchens.descriptions import describe
from planoracle.instances.benchmarks.kitchens.failures import CAUSES, FAILURES, Lack, LackKind, _lacks, lacks
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Goal, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.measures import Foresight, foresight, step_limit
from planoracle.instances.benchmarks.kitchens.problems import kitchen, names
from planoracle.instances.benchmarks.kitchens.simulation import REFUSALS, trace
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.result import Result
from tests.support.kitchen_comparison import draw_kitchen
from tests.support.robotouille import kitchen as small_kitchen
from tests.support.state_graph import min_steps

CHEESE = "kitchens/synchronous/0_cheese_sandwich"
LETTUCE = "kitchens/synchronous/1_lettuce_sandwich"
DOUBLE = "kitchens/synchronous/5_double_cheeseburger"
CHICKEN = "kitchens/asynchronous/0_cheese_chicken_sandwich"
SOUP = "kitchens/asynchronous/5_potato_soup"
ONIONS = "kitchens/asynchronous/6_onion_soup"
SOLVED = (CHEESE, LETTUCE, DOUBLE, CHICKEN, SOUP, ONIONS)
RULES = PROFILES["released"]
BENCHMARK = registry.get("robotouille")
WAIT = "Do nothing"


@cache
def best(name: str) -> Result:
    return plan(kitchen(name), rules=RULES)


def shortest_actions(name: str) -> list[str]:
    return list(best(name).actions)


class FixedOracle(oracle.SolverOracle):
    """Oracle with fixed optima; completions of runs are solved."""

    def __init__(self, optimum: Callable[[Kitchen], Result]) -> None:
        super().__init__()
        self.optimum = optimum

    def best(self, problem: Kitchen, rules: KitchenRules) -> Result:
        return self.optimum(problem)


def graded(
    name: str,
    actions: object,
    limit: int | None = None,
    optimum: Callable[[Kitchen], Result] = lambda problem: best(problem.name),
    rule: str = "optimum",
    **options: object,
) -> dict:
    submission = {"actions": actions} | ({} if limit is None else {"limit": limit})
    run = BENCHMARK.run(kitchen(name), submission, replace(RULES, limit=rule, **options))
    grade = Grade.of_run(run, FixedOracle(optimum), id="x", instance=name)
    row = grade.row(trace=True)
    assert json.loads(json.dumps(row))["steps"] == row["steps"]
    assert row["failure"] in FAILURES
    assert {lack["kind"] for lack in row["lacks"]} <= set(get_args(LackKind))
    assert {column.name for column in BENCHMARK.columns} <= grade.metrics.keys()
    assert row["main_score"] == row["within_limit"]
    return row


def kinds(row: dict) -> set[tuple[str, str, str]]:
    return {(lack["kind"], lack["condition"][0], lack["objects"][1]) for lack in row["lacks"]}


@pytest.mark.parametrize("name", SOLVED)
def test_optimal_plans_have_full_metrics(name: str) -> None:
    row = graded(name, shortest_actions(name))
    assert row["success"]
    assert row["within_limit"]
    assert row["optimality"] == 1
    assert row["steps_to_go"] == 0
    assert row["failure"] == "success"
    assert row["lacks"] == []
    assert row["invalid_actions"] == 0
    assert row["makespan"] == row["optimal_makespan"] == row["optimal_steps"] == best(name).makespan
    assert (row["prioritised"] is None) == ("/synchronous/" in name)


@pytest.mark.parametrize("name", SOLVED)
def test_steps_to_go_of_every_start_of_an_optimal_plan(name: str) -> None:
    actions = shortest_actions(name)
    for done in range(0, len(actions), 4):
        row = graded(name, actions[:done], price_rest=True)
        assert row["steps_left"] == len(actions) - done
        assert row["steps_to_go"] == pytest.approx(1 - done / len(actions))
        assert row["lost"] == pytest.approx(0, abs=1e-12)
        assert row["failure"] == "goal"
        assert row["lacks"]


def blind(name_or_kitchen: object, actions: list[str]) -> int | None:
    """Fewest steps to the goal from where actions lead, by a breadth-first search."""
    engine = compiled(name_or_kitchen, RULES)
    state = trace(name_or_kitchen, actions, RULES).states[-1]
    return min_steps(engine, state, 1_000_000, at_start=not actions)


@pytest.mark.slow
def test_steps_to_go_agrees_with_a_blind_search() -> None:
    compared = 0
    for seed in range(40):
        tiny = draw_kitchen(seed, 1)
        engine = compiled(tiny, RULES)
        state, actions = engine.start(), []
        for at in range(5):
            legal = engine.legal(state)
            deed = legal[(seed * 7 + at * 3) % len(legal)]
            state = engine.step(state, deed)
            actions.append(engine.actions[deed].text)
            if engine.goal(state):
                break
        else:
            run = BENCHMARK.run(tiny, {"actions": actions}, replace(RULES, price_rest=True))
            metrics = Grade.of_run(run, oracle.SolverOracle(), id=None, instance=None).metrics
            assert metrics["steps_left"] == blind(tiny, actions), seed
            assert (metrics["rest"] == "infeasible") == (metrics["steps_left"] is None)
            compared += 1
    assert compared > 15


def test_step_limit_ends_run() -> None:
    name, actions = CHEESE, shortest_actions(CHEESE)  # 12 steps
    late = [WAIT] * 6 + actions
    assert step_limit(21) == 31
    row = graded(name, late)
    assert (row["within_limit"], row["optimality"], row["failure"]) == (True, 1.5, "success")
    assert [graded(name, [WAIT] * count)["failure"] for count in (17, 18)] == ["goal", "budget"]
    late = [WAIT, *late]
    row = graded(name, late)
    assert (row["success"], row["within_limit"], row["failure"]) == (True, False, "budget")
    assert row["optimality"] is None
    # Steps to go count from the end of the run by the limit: of 18 steps seven are waits.
    row = graded(name, late, stop_at_limit=True, price_rest=True)
    assert (row["success"], row["end"], row["makespan"], row["optimality"]) == (False, "limit", 18, None)
    assert (row["steps_left"], row["failure"]) == (1, "budget")
    assert row["lost"] == pytest.approx((18 + 1) / 12 - 1)
    idle = graded(name, [WAIT] * 18, stop_at_limit=True)
    assert (idle["end"], idle["makespan"], idle["failure"]) == ("limit", 18, "budget")
    assert graded(name, [WAIT] * 17, stop_at_limit=True)["end"] == "exhausted"
    counted = graded(name, ["Dance"] * 7 + actions, stop_at_limit=True, count_refused=True)
    assert (counted["success"], counted["steps_taken"], counted["failure"]) == (False, 18, "action")
    assert graded(name, ["Dance"] * 6 + actions, stop_at_limit=True, count_refused=True)["optimality"] == 1.5
    assert reward(["\n".join(late[number:]) for number in (0, 1)], CHEESE, "success") == [0, 1]
    assert graded(name, late, limit=18)["end"] == "limit"
    assert graded(name, late, limit=18)["failure"] == "budget"
    attempts = graded(name, ["Dance"] * 7 + actions)
    assert (attempts["within_limit"], attempts["within_limit_attempts"], attempts["attempts"]) == (True, False, 19)


def test_published_limit_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "published_steps", {CHEESE: 13}.get)
    row = graded(CHEESE, [WAIT] * 7 + shortest_actions(CHEESE), rule="published")
    assert (row["step_limit"], row["within_limit"], row["optimal_steps"]) == (19, True, 12)
    unknown = graded(LETTUCE, [], rule="published")
    assert unknown["step_limit"] is None
    assert unknown["within_limit"] is None


def test_unproved_optimum_leaves_metrics_undefined() -> None:
    feasible = Result(CHEESE, "feasible", makespan=12, lower_bound=9)
    row = graded(CHEESE, shortest_actions(CHEESE), optimum=lambda _: feasible)
    assert row["success"]
    for name in ("step_limit", "within_limit", "optimality", "steps_to_go", "optimal_steps", "optimal_makespan"):
        assert row[name] is None, name
    assert row["lower_bound"] == 9


@pytest.mark.parametrize("limit", [-1, True, 1.5, "9", 10**9])
def test_invalid_limits_are_rejected(limit: object) -> None:
    with pytest.raises(InputError, match="limit"):
        graded(CHEESE, [], limit=limit)


def test_invalid_submissions_are_rejected() -> None:
    with pytest.raises(InputError, match="missing"):
        BENCHMARK.run(kitchen(CHEESE), {"id": "x", "instance": CHEESE}, RULES)
    with pytest.raises(InputError, match="actions"):
        graded(CHEESE, [3])
    with pytest.raises(InputError, match="limit"):
        registry.get("robotouille").rules.profile("released", limit="guess")


def test_repeated_transitions_are_counted() -> None:
    actions = shortest_actions(CHICKEN)
    cooking = next(at for at, action in enumerate(actions) if action.startswith("Cook"))
    assert graded(CHICKEN, actions)["repeated_transitions"] == 0
    assert graded(CHICKEN, [WAIT, WAIT, *actions])["repeated_transitions"] == 1
    waiting = actions[: cooking + 1] + [WAIT] * 2 + actions[cooking + 1 :]  # time passes for the chicken
    assert graded(CHICKEN, waiting)["repeated_transitions"] == 0
    forth, back = "Move robot1 from table3 to table1", "Move robot1 from table1 to table3"
    row = graded(CHICKEN, [forth, back, forth, "Dance", "Dance"])
    assert (row["repeated_transitions"], row["repeated_share"]) == (2, 2 / 5)
    assert graded(CHICKEN, [])["repeated_share"] == 0


def test_invalid_actions_are_counted() -> None:
    wrong = ["Dance", "Cut bread9 on board1 using robot1", "Cut cheese1 on board1 using robot1"]
    row = graded(CHEESE, wrong + shortest_actions(CHEESE))
    assert row["invalid_actions"] == len(row["violations"]) == 3
    assert row["invalid_kinds"] == dict(zip(REFUSALS, (1, 1, 0, 1), strict=True))
    assert (row["recovered"], row["failure"], row["steps_taken"]) == (3, "success", 12)


@pytest.mark.parametrize(
    ("name", "before", "action", "cause"),
    [
        (CHEESE, 0, "Pick up cheese1 from table1 using robot1", "position"),
        (CHEESE, 0, "Move robot1 from board1 to board2", "unknown"),
        (LETTUCE, 0, "Stack bread1 on top of bread2 using robot1", "hands"),
        (LETTUCE, 0, "Cut lettuce1 on board1 using robot1", "not_there"),
        (SOUP, 0, "Cook potato1 on table1 using robot1", "not_there"),
        (SOUP, 0, "Make soup", "unknown"),
    ],
)
def test_rejected_actions_have_kind_of_violation(name: str, before: int, action: str, cause: str) -> None:
    row = graded(name, [*shortest_actions(name)[:before], action])
    assert row["cause"] == cause
    assert cause in CAUSES
    assert row["failure"] == ("action" if cause == "unknown" else "transition")
    assert row["cause_index"] == before
    repeated = graded(name, [*shortest_actions(name)[:before], *[action] * 3])
    assert (repeated["failure"], repeated["cause"]) == (row["failure"], cause)


def test_cause_of_a_failure_is_the_last_action_from_which_the_run_did_not_recover() -> None:
    take, cut = "Pick up lettuce1 from table2 using robot1", "Cut lettuce1 on board1 using robot1"
    row = graded(LETTUCE, [take, "Dance", cut])
    assert (row["failure"], row["cause_index"], row["recovered"]) == ("transition", 2, 0)
    # The same action before the refusal is no recovery.
    move = "Move robot1 from table1 to table2"
    row = graded(LETTUCE, [move, move])
    assert (row["failure"], row["cause_index"], row["recovered"]) == ("transition", 1, 0)
    # The run recovers from both, and runs out of steps.
    actions = shortest_actions(LETTUCE)[:-1]
    row = graded(LETTUCE, [cut, take, *actions], limit=len(actions))
    assert (row["failure"], row["cause_index"], row["recovered"]) == ("transition", 1, 2)


def test_only_runs_without_a_known_limit_are_unproved() -> None:
    averages = {average.name: average for average in BENCHMARK.metrics.averages(RULES)}
    rows = [{"within_limit": value} for value in (True, False, None)]
    assert [averages["unproved"].of(row) for row in rows] == [0, 0, 1]


def test_station_holds_one_item() -> None:
    take = ["Move robot1 from table1 to table2", "Pick up lettuce1 from table2 using robot1"]
    put = "Place lettuce1 on board1 using robot1"  # bread1 lies on it
    row = graded(LETTUCE, [*take, "Move robot1 from table2 to board1", put])
    assert (row["failure"], row["cause"], row["cause_index"]) == ("transition", "one_item_at_station", 3)
    stack = ["Stack lettuce1 on top of bread1 using robot1", "Cut lettuce1 on board1 using robot1"]
    row = graded(LETTUCE, [*take, "Move robot1 from table2 to board1", *stack])
    assert (row["failure"], row["cause"]) == ("transition", "one_item_at_station")


def test_recovery_after_invalid_actions() -> None:
    actions = shortest_actions(LETTUCE)
    assert graded(LETTUCE, ["Cut lettuce1 on board1 using robot1", *actions[:-1]])["failure"] == "goal"
    assert graded(LETTUCE, ["Dance", *actions[:-1]])["recovered"] == 1
    # The steps were over after the recovery (A.12).
    late = graded(LETTUCE, ["Cut lettuce1 on board1 using robot1", *actions[:-1]], limit=len(actions) - 1)
    assert (late["failure"], late["cause_index"], late["recovered"]) == ("transition", 0, 1)


def test_repetition_of_a_mistake_after_recovery() -> None:
    actions, cut = shortest_actions(LETTUCE)[:-1], "Cut lettuce1 on board1 using robot1"

    def mistake(*played: str) -> tuple[object, object]:
        row = graded(LETTUCE, list(played), limit=len(actions))
        assert row["failure"] == "transition"
        return row["recovered_mistake"], row["repeated_mistake"]

    # The four cases of A.12; a cut of something else at another board is the same mistake.
    assert mistake(cut, cut) == (False, None)
    assert mistake(cut, *actions) == mistake("Dance", cut, *actions) == (True, False)
    assert mistake(cut, *actions[:-1], "Cut bread1 on board1 using robot1") == (True, True)
    assert mistake(cut, *actions[:-1], "Place lettuce1 on table1 using robot1") == (True, False)
    assert graded(LETTUCE, actions)["recovered_mistake"] is None
    # Stacking names no station: it is that of the player, a table first.
    stack = "Stack lettuce1 on top of bread1 using robot1"
    assert actions[10:13] == [cut, "Pick up lettuce1 from board1 using robot1", "Move robot1 from board1 to table1"]
    assert mistake(stack, *actions[:11], stack) == (True, False)
    assert mistake(stack, *actions[:13], "Stack bread2 on top of bread1 using robot1") == (True, True)


def test_failed_goals_have_lacks() -> None:
    # The lettuce is served uncut.
    uncut = [action for action in shortest_actions(LETTUCE) if not action.startswith("Cut")]
    row = graded(LETTUCE, uncut)
    assert row["failure"] == "goal"
    assert kinds(row) == {("unprepared", "iscut", "lettuce1")}
    assert [lack["made"] for lack in row["lacks"]] == [True]
    assert graded(LETTUCE, uncut, limit=len(uncut))["failure"] == "goal"
    # The potato never gets into the pot.
    dry = [action for action in shortest_actions(SOUP) if not action.startswith("Add")]
    row = graded(SOUP, dry)
    assert ("missing", "addedto", "potato1") in kinds(row)


@pytest.mark.parametrize(
    ("reasoning", "failure"),
    [
        ("lettuce1 is already cut, so I stack it.", "state"),
        ("The goal needs it. lettuce1 has already been cut", "state"),
        ("If lettuce1 is already cut, I stack it.", "goal"),
        ("lettuce2 is already cut.", "goal"),
        ("lettuce1 is already cooked.", "goal"),
        ("The lettuce needs no work.", "goal"),
    ],
)
def test_goal_failure_by_a_false_statement_is_a_state_failure(reasoning: str, failure: str) -> None:
    uncut = [action for action in shortest_actions(LETTUCE) if not action.startswith("Cut")]
    records = [{"reasoning": "", "action": action} for action in uncut]
    records[-1]["reasoning"] = reasoning
    assert graded(LETTUCE, records)["failure"] == failure
    texts = [f"{record['reasoning']}\nAction: {record['action']}" for record in records]
    chat = [{"role": "assistant", "content": text} for text in texts]
    assert graded(LETTUCE, chat)["failure"] == failure
    # A true statement, before the lettuce is served in time.
    cut = [{"reasoning": reasoning, "action": action} for action in shortest_actions(LETTUCE)]
    assert graded(LETTUCE, cut)["failure"] == "success"


#: Stacks: cheese1 on bread1, patty1 on lettuce1 on bread2; bread3 is held.
PANTRY = small_kitchen(
    {"table1": ["bread1", "cheese1"], "table2": ["bread2", "lettuce1", "patty1"], "table3": [], "table4": ["bowl1"]},
    players={"robot1": {"at": "table1", "holds": "bread3"}},
    traits={"lettuce1": ["iscuttable"]},
)


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        (("iscut", "lettuce1"), "unprepared"),
        (("clear", "bread1"), "wrong_stack"),
        (("clear", "lettuce1"), "wrong_stack"),
        (("clear", "bread3"), "wrong_place"),
        (("atop", "lettuce1", "patty1"), "wrong_stack"),
        (("atop", "bread2", "patty1"), "wrong_stack"),
        (("atop", "cheese1", "bread2"), "wrong_place"),
        (("atop", "bread3", "bread1"), "wrong_place"),
        (("item_on", "cheese1", "table1"), "wrong_stack"),
        (("item_on", "cheese1", "table2"), "wrong_place"),
        (("item_on", "bread3", "table3"), "wrong_place"),
        (("item_at", "bread1", "table2"), "wrong_place"),
        (("loc", "robot1", "table2"), "wrong_place"),
        (("in", "water#1", "bowl1"), "missing"),
    ],
)
def test_kind_of_a_lack_follows_from_the_place_of_the_thing(condition: tuple[str, ...], kind: str) -> None:
    engine = compiled(replace(PANTRY, goal=Goal.of([condition])), RULES)
    (lack,) = lacks(engine, engine.start())
    assert (lack.kind, lack.condition, lack.is_own_doing) == (kind, condition, False)


#: Two things of three kinds for a dish, of which either may play the role.
TWICE = small_kitchen(
    {"table1": ["bread1", "lettuce1"], "table2": ["bread2"], "table3": ["patty2"], "table4": []}
    | {"board1": ["lettuce2"], "stove1": ["patty1"]},
    traits={
        "lettuce1": ["iscuttable"],
        "lettuce2": ["iscuttable"],
        "patty1": ["iscookable"],
        "patty2": ["iscookable"],
    },
    goal=[
        condition.split()
        for condition in (
            *("iscut lettuce#1", "iscooked patty#1", "clear patty#1", "item_at bread#1 table2"),
            *("atop lettuce#1 bread#1", "atop patty#1 lettuce#1"),
        )
    ],
)


@pytest.mark.parametrize("seed", range(4))
def test_lacks_are_those_of_the_best_cast_of_all(seed: int) -> None:
    """Compare with all casts by the number of lacks, of those of own doing, and of wrong stacks."""
    random = Random(seed)
    engine = CompiledKitchen(TWICE, RULES)
    state = start = engine.start()
    for _ in range(90):
        texts = engine.texts(state)
        weights = [1 if text.startswith(("Move", WAIT)) else 3 for text in texts]
        state = engine.step(state, random.choices([*texts.values()], weights)[0])
        facts = engine.facts(state)
        new = facts - engine.facts(start)
        ranks = []
        for numbers in product("12", repeat=3):
            cast = {
                f"{kind}#1": kind + number for kind, number in zip(("bread", "lettuce", "patty"), numbers, strict=True)
            }
            ranks.append(_rank(_lacks(engine, facts, new, cast)))
        assert _rank(lacks(engine, state)) == min(ranks)


def _rank(unmet: tuple[Lack, ...]) -> tuple[int, int, int]:
    own = sum(lack.is_own_doing for lack in unmet)
    return len(unmet), own, sum(lack.kind == "wrong_stack" for lack in unmet)


def test_lacks_of_start_state() -> None:
    for name in names():
        engine = compiled(kitchen(name), RULES)
        state = engine.start()
        missing = lacks(engine, state)
        assert missing, name
        assert not any(lack.is_own_doing for lack in missing), name
        share = 1 - len(missing) / len(kitchen(name).goal.conditions)
        assert share <= engine.share(state) + 1e-9 or "#" not in str(kitchen(name).goal), name


def test_long_running_work_is_prioritised() -> None:
    actions = shortest_actions(CHICKEN)
    row = graded(CHICKEN, actions)
    cook = next(at for at, action in enumerate(actions) if action.startswith("Cook"))
    assert (row["prioritised"], row["slow_needed"], row["slow_started"]) == (True, 1, 1)
    assert (row["first_slow_start"], row["other_before"]) == (cook, 0)
    fetch = ["Move robot1 from table3 to table1", "Unstack bread1 from cheese1 using robot1"]
    return_ = ["Stack bread1 on top of cheese1 using robot1", "Move robot1 from table1 to table3"]
    row = graded(CHICKEN, fetch + return_ + actions)
    assert (row["prioritised"], row["other_before"]) == (False, 2)
    assert graded(CHICKEN, [WAIT, "Dance", *actions])["prioritised"] is True
    assert graded(CHICKEN, [])["prioritised"] is False
    assert graded(CHEESE, [])["prioritised"] is None
    assert graded(SOUP, shortest_actions(SOUP))["slow_needed"] == 2  # water in the pot, and boiling


#: A cooked patty and one that can be cooked; the goal needs both cooked.
PATTIES = {
    "traits": {"patty1": ["iscookable", "iscooked"], "patty2": ["iscookable"]},
    "goal": [["iscooked", "patty#1"], ["iscooked", "patty#2"]],
}
COOK = "Cook patty2 on stove2 using robot1"


@pytest.mark.parametrize("count_refused", [True, False])
def test_needed_long_running_work_is_missing_at_the_start(count_refused: bool) -> None:
    task = small_kitchen({"stove1": ["patty1"], "stove2": ["patty2"]}, **PATTIES)
    actions = ["Cook patty1 on stove1 using robot1", "Dance", "Move robot1 from stove1 to stove2", COOK]
    rules = replace(RULES, count_refused=count_refused)
    assert foresight(trace(task, actions, rules)) == Foresight(False, 1, 1, 2 + count_refused, 1)
    assert foresight(trace(task, actions[:2], rules)) == Foresight(False, 1, 0, None, 1)


def test_clearing_the_way_of_long_running_work_is_no_other_work() -> None:
    stations = {"table1": ["patty2", "bread1", "cheese1"], "table2": ["bread2"], "stove1": ["patty1"], "stove2": []}
    task = small_kitchen(stations, **PATTIES)
    go, back = "Move robot1 from table1 to table2", "Move robot1 from table2 to table1"
    actions = ["Unstack cheese1 from bread1 using robot1", go, "Stack cheese1 on top of bread2 using robot1", back]
    actions += ["Unstack bread1 from patty2 using robot1", go, "Stack bread1 on top of cheese1 using robot1", back]
    actions += ["Pick up patty2 from table1 using robot1", "Move robot1 from table1 to stove2"]
    actions += ["Place patty2 on stove2 using robot1", COOK]
    assert foresight(trace(task, actions, RULES)) == Foresight(True, 1, 1, 11, 0)


def test_thing_on_the_station_of_long_running_work_is_in_its_way() -> None:
    stations = {"table1": ["patty2"], "table2": [], "stove1": ["patty1"], "stove2": ["bread1"]}
    task = small_kitchen(stations, players={"robot1": {"at": "stove2"}}, **PATTIES)
    actions = ["Pick up bread1 from stove2 using robot1", "Move robot1 from stove2 to table2"]
    actions += ["Place bread1 on table2 using robot1", "Move robot1 from table2 to table1"]
    actions += ["Pick up patty2 from table1 using robot1", "Move robot1 from table1 to stove2"]
    actions += ["Place patty2 on stove2 using robot1", COOK]
    assert foresight(trace(task, actions, RULES)) == Foresight(True, 1, 1, 7, 0)


def test_putting_down_a_thing_held_at_the_start_is_no_other_work() -> None:
    players = {"robot1": {"at": "table1", "holds": "bread1"}}
    stations = {"table1": [], "table2": ["bread2"], "stove1": ["patty1"], "stove2": ["patty2"]}
    task = small_kitchen(stations, players=players, **PATTIES)
    place, go = "Place bread1 on table1 using robot1", "Move robot1 from table1 to stove2"
    assert foresight(trace(task, [place, go, COOK], RULES)) == Foresight(True, 1, 1, 2, 0)
    fetch = ["Move robot1 from table1 to table2", "Pick up bread2 from table2 using robot1"]
    back = ["Place bread2 on table2 using robot1", "Move robot1 from table2 to stove2"]
    assert foresight(trace(task, [place, *fetch, *back, COOK], RULES)) == Foresight(False, 1, 1, 5, 2)


def test_work_of_other_players_does_not_delay_long_running_work() -> None:
    players = {"robot1": {"at": "stove2"}, "robot2": {"at": "table1"}}
    task = small_kitchen({"stove1": ["patty1"], "stove2": ["patty2"], "table1": ["bread1"]}, players=players, **PATTIES)
    actions = [WAIT, "Pick up bread1 from table1 using robot2", COOK]
    assert foresight(trace(task, actions, RULES)) == Foresight(True, 1, 1, 2, 0)


def test_plans_of_several_players() -> None:
    name = "kitchens/multi_agent/0_cheese_chicken_sandwich"
    name = name if name in names() else next(each for each in names() if "multi_agent" in each)
    task = kitchen(name)
    run = trace(task, [WAIT, "Move robot1 from table1 to table9", WAIT], RULES)
    assert run.steps_taken == 2
    assert describe(run.rules, run.states[-1]).count("robot") == 2
    # Both players wait: one round, and the same in steps.
    joint = graded(name, [WAIT, WAIT, WAIT], optimum=lambda _: Result(name, "optimal", makespan=10), moves="joint")
    assert (joint["makespan"], joint["step_limit"]) == (1, 15)


def test_description_of_states() -> None:
    actions = shortest_actions(SOUP)
    filled = next(at for at, action in enumerate(actions) if action.startswith("Fill pot1 with water"))
    run = trace(kitchen(SOUP), actions, RULES)
    assert "sink1: pot1 (water in 3 steps)" in describe(run.rules, run.states[filled + 1])
    assert "potato1" in describe(run.rules, run.states[-2]).partition("with")[2]
    interrupted = [*actions[: filled + 1], "Pick up pot1 from sink1 using robot1"]
    paused = trace(kitchen(SOUP), interrupted, RULES)
    assert "robot1 at sink1, holds pot1 (water after 3 steps, paused)" in describe(paused.rules, paused.states[-1])
