"""Rules of ParaCook's abstract part, on problems solved by hand."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planoracle.analysis.diagnosis.critique import critique
from planoracle.instances.benchmarks.paracook_abstract.metrics import _time
from planoracle.instances.benchmarks.paracook_abstract.problems import instance
from planoracle.instances.benchmarks.paracook_abstract.rules import ListSimulator, ListVariant
from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.registry import of
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.instances.protocol.scoring import Optimum
from planoracle.solver.exact.search import solve
from tests.support.paracook_abstract import DISH
from tests.support.samples import sample

BENCHMARK = registry.get("paracook_abstract")
TWO = instance("two", DISH, 2)


def run(plan: object, profile: str = "released", problem: Instance = TWO, **rules: str) -> ParaCookRun:
    submission = {"id": "1", "instance": problem.name, "plan": plan}
    return BENCHMARK.run(problem, submission, BENCHMARK.rules.profile(profile, **rules))


def kinds(result: ParaCookRun) -> list[str]:
    return [one.kind for one in result.verdict.violations]


# --- start times -----------------------------------------------------------------------------------


# --- loopholes of the released checker -------------------------------------------------------------


@pytest.mark.parametrize("more", [[], [[]], [[], []]])
def test_empty_lists_are_accepted(more):
    for profile in ("paper", "released"):
        assert run([[], ["fry", "wash", "cut", "serve"], *more], profile).makespan == 14


def test_surplus_empty_lists_are_accepted_at_any_position():
    plan = [[], [], ["fry", "wash"], ["cut", "serve"]]
    for profile in ("paper", "released"):
        result = run(plan, profile)
        assert (result.makespan, result.loophole) == (14, "")
        assert result.command_texts[:2] == ["agent1: fry", "agent2: cut"]
        assert BENCHMARK.schedule(TWO, result.plan).makespan == 14
        assert "14 ticks" in critique(TWO, {"id": "1", "instance": "two", "plan": plan}).verdict.text


#: All tasks in the list of one agent.
DONE = [["fry", "cut", "wash", "serve"]]


@pytest.mark.parametrize(
    ("name", "exception"),
    [("stir", "KeyError"), (None, "KeyError"), (7, "KeyError"), ([], "TypeError"), ({"task": "fry"}, "TypeError")],
)
def test_unknown_name_fails_with_the_exception_of_the_released_code(name, exception):
    for profile, lists in product(("paper", "released"), ([*DONE, [name]], [[*DONE[0], name]])):
        result = run(lists, profile)
        assert (result.success, result.crash, kinds(result)[0]) == (False, exception, "unknown_task")


def test_unknown_name_after_a_deadlock_is_not_reached():
    result = run([["serve", "stir"], ["cut"]])
    assert (result.success, result.crash) == (False, "")
    assert "never_ready" in kinds(result)


@pytest.mark.parametrize("plan", [[], [[]], [[], []]])
def test_empty_plan_fails(plan):
    for profile in ("paper", "released"):
        result = run(plan, profile)
        assert not result.success
        assert set(kinds(result)) == {"missing_task"}


def test_task_without_duration_precedes_its_successors():
    problem = instance("still", [("a", 0, {}), ("b", 0, {"a": 0}), ("c", 2, {"b": 0})], 2)
    for plan in ([["b"], ["a", "c"]], [["c"], ["b"], ["a"]]):
        result = run(plan, problem=problem)
        assert result.makespan == 2
        assert [step.command.partition(": ")[2] for step in result.steps] == ["a", "b", "c"]


# --- reading of plans ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("[['fry'], ['cut']]", [["fry"], ["cut"]]),
        ("<think>[['cut']]</think>[['fry']]", [["fry"]]),
        ('<think>never ends\n```json\n[["fry"]]\n```', [["fry"]]),
        ('[["fry"]] // a remark', [["fry"]]),
        ('["http://a"]', None),
        ('```json\n[["fry"]]\n```\nno:\n```json\n[["cut"]]\n```', [["fry"]]),
        ("```json\n[['fry']]\n```", None),
        ('```\n[["fry"]]\n```', None),
        ('I say [["fry"]]', None),
        ('{"plan": [["fry"]]}', None),
        ('[["fry"], null]', None),
        ('[["fry", null, ["cut"]]]', [["fry", None, ["cut"]]]),
        ("[" * 100_000, None),
    ],
)
def test_released_profile_reads_text_like_the_released_code(text, plan):
    rules = BENCHMARK.rules.profile("released")
    if plan is None:
        with pytest.raises(PlanError, match="released code"):
            BENCHMARK.parse(TWO, text, rules)
    else:
        assert BENCHMARK.parse(TWO, text, rules).commands == plan


@pytest.mark.parametrize(
    "text",
    [
        "[['fry', 'wash'], ['cut', 'serve']]",
        'So: {"plan": [["fry", "wash"], ["cut", "serve"]]}',
        '```\n[["fry", "wash"],\n ["cut", "serve"]]\n```',
        '<think>[["serve"]]</think>{"agent2": ["cut", "serve"], "agent1": ["fry", "wash"]}',
        "Agent 1: fry, wash\nAgent 2: cut -> serve (13 to 14)",
        "**Agent 1**\n- fry\n- wash\n\n**Agent 2**\n- cut\n- serve",
        "| agent | tasks |\n|---|---|\n| 1 | fry, wash |\n| 2 | cut, serve |",
        '[{"agent": 1, "task": "fry"}, {"agent": 2, "task": "cut"}, {"agent": 1, "task": "wash"}, '
        '{"agent": "agent2", "task": "serve"}]',
        'First [["cut"], ["fry"]], no.\nFinal answer:\n```json\n[["fry", "wash"], ["cut", "serve"]]\n```',
        "Agent 0: fry, wash\nAgent 1: cut, serve",
    ],
)
def test_paper_profile_reads_model_output(text):
    read = BENCHMARK.parse(TWO, text)
    assert (read.commands, read.read) == ([["fry", "wash"], ["cut", "serve"]], 4)
    chat = [{"role": "user", "content": "[['wash']]"}, {"role": "assistant", "content": text}]
    assert BENCHMARK.parse(TWO, {"id": "1", "instance": "two", "messages": chat}).commands == read.commands


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fry, wash, cut, serve", "names no agent for this task"),
        ("First agent 1 has to fry while agent 2 does the cutting and then will serve.", "not clearly its agent"),
        (
            "Agent 1: fry, wash\nAgent 2: cut\nThe last one, serve, has to be done when fry is cool.",
            "not clearly its agent",
        ),
        ("Agent 1: fry, wash\nAgent 2: cut, serve, fry", "twice"),
    ],
)
def test_unclear_text_is_unscored(text, message):
    with pytest.raises(PlanError, match=message):
        BENCHMARK.parse(TWO, text)


def test_refusal_is_an_empty_plan():
    assert BENCHMARK.parse(TWO, "I cannot do that.").commands == []


@pytest.mark.parametrize("profile", ["paper", "released"])
@pytest.mark.parametrize("plan", [5, 0.5, True, [None], [1, 2], [True, None]])
def test_invalid_plan_is_unscored(plan, profile):
    with pytest.raises(PlanError):
        run(plan, profile)


def test_far_too_many_idle_times_are_unscored():
    simulator = ListSimulator(TWO, BENCHMARK.rules.profile("paper"))
    assert len(simulator.variant(ListVariant((1,) * 500)).actions) == len(TWO.actions) + 500
    with pytest.raises(PlanError, match="more than 500 waits and repeated tasks"):
        simulator.variant(ListVariant((1,) * 501))


# --- problems --------------------------------------------------------------------------------------


def test_agent_suffix_sets_the_number_of_agents():
    three = BENCHMARK.with_agents(instance("paracook/abstract/x", DISH), "~3")
    assert (three.name, three.agents, of(three)) == ("paracook/abstract/x~3", ("agent1", "agent2", "agent3"), BENCHMARK)
    assert of(BENCHMARK.with_agents(TWO, "~2~agent2=orders/cut")).name == "generic"


def test_problem_is_equal_after_writing_and_reading():
    assert registry.get("generic").read(BENCHMARK.document(TWO), "file") == [TWO]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"agents": ("x",)}, "agents"),
        ({"time_limit": 9}, "time_limit"),
        ({"actions": (Action("orders/a", "orders", 3, 1),)}, r"actions\[orders/a\]"),
        ({"actions": (Action("orders/a", "orders", 3, 3, agents=("agent1",)),)}, r"actions\[orders/a\]"),
        ({"actions": (Action("a/a", "a", 3, 3), Action("b/a", "b", 3, 3))}, "actions"),
        ({"lags": (Lag("orders/a", "orders/b", 0, 5),)}, "lags"),
    ],
)
def test_instance_that_plans_cannot_express_is_rejected(changes: dict[str, Any], field: str):
    fields = {
        "actions": (Action("orders/a", "orders", 1, 1), Action("orders/b", "orders", 1, 1)),
        "agents": ("agent1",),
    }
    with pytest.raises(InputError, match=field):
        check_instance(Instance("odd", benchmark="paracook_abstract", **{**fields, **changes}))


# --- metrics ---------------------------------------------------------------------------------------


class FixedOptimum:
    """Oracle that always returns the same optimum."""

    status, makespan, lower_bound, plan = Status.optimal, 14, 14, None

    def best(self, problem: object, rules: object) -> FixedOptimum:
        return self


def measured(plan: object, profile: str = "released") -> tuple[dict[str, Any], Optimum]:
    measurement = BENCHMARK.metrics.measurement(run(plan, profile), FixedOptimum())
    return BENCHMARK.metrics.values(measurement), measurement.optimum


def test_metrics_of_successful_and_failed_plans():
    good, optimum = measured([["fry"], ["cut", "serve", "wash"]])
    assert good == {"done": True, "time": 18, "optimum_ratio": 18 / 14, "crash": None, "loophole": None}
    bad, same = measured([["fry"]])
    assert bad == {"done": False, "time": -1, "optimum_ratio": None, "crash": None, "loophole": None}
    assert (optimum.makespan, same.makespan) == (14, 14)
    assert measured([["stir"]])[0]["crash"] == "KeyError"


def test_plan_with_a_loophole_is_not_compared_with_the_optimum():
    for profile, optimum in (("released", None), ("paper", 14)):
        metrics, compared = measured([["fry", "wash", "wash"], ["cut"]], profile)
        assert (compared.makespan, metrics["optimum_ratio"]) == (optimum, None)
    assert measured([["fry", "wash", "wash"], ["cut"]])[1].status == Status.unknown


def test_failure_counts_as_six_fifths_of_the_optimum_in_average_time():
    plans = [[["fry"], ["cut", "serve", "wash"]], [["fry"]], [["fry", "wash", "wash"], ["cut"]]]
    rows = [{"optimal_makespan": optimum.makespan, **metrics} for metrics, optimum in map(measured, plans)]
    assert _time(rows[1] | {"optimal_makespan": None}) is None
    figures = {}
    for one in BENCHMARK.metrics.averages(BENCHMARK.rules.profile("released")):
        parts = [part for part in map(one.terms, rows) if part is not None]
        figures[one.name] = parts if one.aggregate == "counts" else sum(p[0] for p in parts) / sum(p[1] for p in parts)
    assert figures == {
        "success_rate": pytest.approx(2 / 3),
        "time_ratio": pytest.approx(18 / 14),
        "average_time": pytest.approx((18 + 1.2 * 14 + 11) / 3),
        "loopholes": [[], [], ["repeats"]],
    }


# --- the released checker --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "benchmarks/paracook/abstract.json").read_text())["problems"]


def lines(shared: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (shared / "verdicts/paracook" / name).read_text().splitlines()]


@pytest.mark.parametrize("part", sample(range(4)))
def test_verdicts_equal_those_of_the_released_checker(shared: Path, released: dict[str, Any], part: int):
    for entry in lines(shared, "paracook_abstract.jsonl")[part::4]:
        rows = [(name, time, lags) for name, time, lags in released[entry["instance"]]]
        result = run(entry["answer"], problem=instance(entry["instance"], rows, entry["agents"]))
        done = {"done": result.success, "time": -1 if result.makespan is None else result.makespan}
        assert ({"crash": result.crash} if result.crash else done) == entry["expected"], entry["id"]


def test_texts_are_read_like_the_released_code(shared: Path):
    rules = BENCHMARK.rules.profile("released")
    for entry in lines(shared, "paracook_text.jsonl"):
        try:
            lists = BENCHMARK.parse(TWO, {"id": "1", "instance": "two", "plan": entry["text"]}, rules).commands
        except PlanError:
            lists = None
        assert lists == entry["expected"]["parsed"], entry["id"]


@pytest.mark.slow
def test_released_settings_are_proved_and_only_loopholes_beat_the_optimum(shared: Path, released: dict[str, Any]):
    best = {}
    for name, rows in released.items():
        for agents in (1, 2, 3):
            problem = instance(name, map(tuple, rows), agents)
            best[name, agents] = solved = solve(problem)
            assert solved.status == Status.optimal, name
            assert BENCHMARK.run(problem, solved.plan).makespan == solved.makespan
    for entry in lines(shared, "paracook_abstract.jsonl"):
        problem = instance(entry["instance"], map(tuple, released[entry["instance"]]), entry["agents"])
        optimum = best[entry["instance"], entry["agents"]].makespan
        oracle = SimpleNamespace(best=lambda *_, best=best[entry["instance"], entry["agents"]]: best)
        for profile in ("paper", "released"):
            replayed = run(entry["answer"], profile, problem)
            ratio = BENCHMARK.metrics.values(BENCHMARK.metrics.measurement(replayed, oracle))["optimum_ratio"]
            assert ratio is None or ratio >= 1, entry["id"]
            assert replayed.loophole or not replayed.success or replayed.makespan >= optimum, entry["id"]
            assert profile == "released" or not replayed.loophole
