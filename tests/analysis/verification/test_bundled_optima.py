"""Bundled optima: lookup by content, replay, comparison with the solver, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.runner import invoke

from planoracle.analysis.verification import bundled_checks
from planoracle.analysis.verification.bundled_checks import (
    BundledEntry,
    bundled_entries,
    derive,
    faults_of,
    select_names,
)
from planoracle.analysis.verification.verify import verify_bundled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, optima_text, read_optima
from planoracle.solver.solve import bundled_result

PAIR = "recipe2plan/timed/Cobbler_Pancakes"
SANDWICH = "kitchens/synchronous/0_cheese_sandwich"
ALL = select_names([])
SETS = sorted({registry.of(catalog.problem(name)).name for name in ALL})


SOUP_AND_BURGER = (
    "robotouille/asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich"
)
#: Bundled problems without a proved optimum.
UNPROVED = {
    "kitchens/multi_agent/6_double_lettuce_chicken_burger",
    "kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup",
    "paracook/cook/own/seed_1/agent_num_2/orders_num_1",
    "paracook/cook/own/seed_2/agent_num_2/orders_num_1",
    "paracook/cook/own/seed_3/agent_num_1/orders_num_1",
    "paracook/cook/own/seed_3/agent_num_2/orders_num_1",
    f"{SOUP_AND_BURGER}@84",
    f"{SOUP_AND_BURGER}@420",
    "robotouille/multi_agent/6_double_lettuce_chicken_burger",
    "robotouille/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup",
}


def test_every_bundled_problem_has_an_entry_under_each_profile() -> None:
    assert len(ALL) >= 220 + 230 + 30
    statuses = {name: [one.entry["status"] if one.entry else None for one in bundled_entries(name)] for name in ALL}
    assert {status for each in statuses.values() for status in each} == {"optimal", "feasible"}
    assert {name for name, each in statuses.items() if "feasible" in each} == UNPROVED


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [PAIR, SANDWICH, "timearena/household1+household2", *select_names(["robotouille"], 2, 3)]
)
def test_some_bundled_optima_are_solved_again(name: str) -> None:
    ways = list(bundled_entries(name))
    assert ways
    assert [faults_of(one) for one in ways] == [[]] * len(ways)


def test_changed_problem_has_no_bundled_optimum() -> None:
    pair = catalog.load(PAIR)
    first, *others = pair.actions
    assert bundled_result(pair) is not None
    assert bundled_result(replace(pair, actions=(replace(first, duration=660, attended=660), *others))) is None
    assert bundled_result(replace(pair, name="recipe2plan/timed/another")) is None
    kitchen = catalog.problem(SANDWICH)
    assert bundled_result(kitchen) is not None
    assert bundled_result(kitchen, PROFILES["paper"]) is not None
    assert bundled_result(kitchen, replace(PROFILES["paper"], moves="joint")) is None


def test_rules_without_effect_on_optima_share_an_entry() -> None:
    kitchen = catalog.problem(SANDWICH)
    optimum = bundled_result(kitchen, replace(PROFILES["paper"], price_rest=True, limit="published"))
    assert optimum is not None
    assert optimum.status == "optimal"


def test_entry_has_exactly_the_documented_fields() -> None:
    entries = {name: registry.get(name).optima for name in SETS}
    assert all(entries.values())
    for shelf in entries.values():
        for name, ways in shelf.items():
            assert catalog.names_problem(name)
            for way in ways:
                assert way.keys() - {"grid", "expanded", "derivable", "work", "weight", "weight_bound"} == {
                    *("of", "status", "makespan", "bound", "plan", "proof")
                }
                assert ("weight" in way) == ("weight_bound" in way)
                settled = way["status"] in ("optimal", "infeasible")
                assert ("work" in way) == (not settled and way.get("derivable", True))


def test_entry_shared_by_profiles_is_written_once(tmp_path: Path) -> None:
    same = {"status": "optimal", "makespan": 3, "bound": 3, "plan": [1, 2], "proof": "A*"}
    ways = [{"of": "a", **same}, {"of": "b", **same}, {"of": "c", **same, "plan": [2, 1]}]
    document = json.loads(optima_text({"x/one": ways}, {"planoracle": "1"}))
    assert document["versions"] == {"planoracle": "1"}
    assert [way["of"] for way in document["optima"]["x/one"]] == ["a b", "c"]
    assert by_key(document["optima"]["x/one"]) == {way["of"]: way for way in ways}
    assert read_optima(registry.get("generic").bundled_data) == {}


def test_writing_retains_the_optimum_of_a_goal_by_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "optima.json"
    monkeypatch.setattr(bundled_checks, "writable_path", lambda benchmark, file: path)
    name = "robotouille/multi_agent/7_onion_potato_tomato_soup"
    benchmark = registry.get("robotouille")
    *derived, by_words = benchmark.optima[name]
    assert by_words["makespan"] == 41
    bundled_checks.write_optima(benchmark, {name: derived})
    assert json.loads(path.read_text())["optima"][name] == [*derived, by_words]


@pytest.fixture
def tampered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bundled optimum of one problem too short by a minute."""
    benchmark = registry.get("recipe2plan")
    (way,) = benchmark.optima[PAIR]
    wrong = way | {"status": "feasible", "bound": way["bound"] - 60, "work": 5.0}
    monkeypatch.setitem(benchmark.__dict__, "optima", {PAIR: [wrong]})


def run(*call: str) -> tuple[int, str, str]:
    result = invoke(*call)
    return result.exit_code, result.stdout, result.stderr


def test_difference_from_a_bundled_optimum_is_reported(tampered: None) -> None:
    status, out, err = run("verify", "--bundled", PAIR)
    assert (status, out) == (1, "")
    assert f"{PAIR} (paper, released): status is feasible, but solving gives optimal" in " ".join(err.split())
    assert "2 differences" in err


def test_bundled_entry_without_a_valid_plan_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = bundled_entries(PAIR)
    assert one.entry is not None
    worse = BundledEntry(one.problem, one.profiles, one.rules, one.entry | {"makespan": 60, "bound": 60})
    (fault,) = faults_of(worse)
    assert fault.startswith("does not hold")
    (fault,) = faults_of(replace(one, entry=None))
    assert fault.startswith("no optimum is bundled")


def test_verify_bundled_solves_and_compares() -> None:
    status, out, err = run("verify", "--bundled", "recipe2plan", "--sample", "2", "--seed", "5")
    assert (status, out) == (0, "")
    assert "2 optima solved again, no differences" in err
    assert (
        "0 optima solved again, no differences; 2 skipped, because they need more work"
        in run("verify", "--bundled", SANDWICH, "--work", "0")[2]
    )
    assert run("verify", "--write")[0] == 2
    assert run("verify", "--bundled", "recipe2plan", "proof.json")[0] == 2
    assert (
        select_names(["recipe2plan"], 2, 5)
        == select_names(["recipe2plan"], 2, 5)
        != select_names(["recipe2plan"], 2, 6)
    )


def test_entry_that_cannot_be_solved_again_is_only_replayed() -> None:
    name = "robotouille/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup"
    status, out, err = run("verify", "--bundled", name, "--work", "1")
    assert (status, out) == (0, "")
    assert "0 optima solved again" in err
    assert "2 more only replayed (search from the bundled plan)" in " ".join(err.split())
    assert [one.proved for one in verify_bundled(name)] == ["search from the bundled plan"] * 2


@pytest.mark.slow
def test_verify_write_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = registry.get("recipe2plan")
    pattern = "recipe2plan/timed/C*"
    new, *others = select_names([pattern])
    other_optima = {name: benchmark.optima[name] for name in others}
    monkeypatch.setitem(benchmark.__dict__, "optima", other_optima | {"recipe2plan/timed/None_Such": [{"of": "0"}]})
    monkeypatch.setattr(bundled_checks, "writable_path", lambda _, name: tmp_path / name)
    solved: list[str] = []

    def counted(one: BundledEntry, work: WorkLimit) -> dict[str, object]:
        solved.append(one.problem.name)
        return derive(one, work)

    monkeypatch.setattr("planoracle.analysis.cli.verify.derive", counted)
    status, _, err = run("verify", "--bundled", pattern, "--write")
    assert (status, err) == (0, "")
    assert solved == [new]
    optima = json.loads((tmp_path / "optima.json").read_text())["optima"]
    assert sorted(optima) == sorted([*other_optima, new])


@pytest.mark.slow
def test_unsettled_entries_are_solved_with_the_same_work() -> None:
    hard = catalog.problem("kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup")
    rules = PROFILES["paper"].deciding()
    one = BundledEntry(hard, ("paper",), rules, None)
    entry = derive(one, WorkLimit(0.3))
    assert (entry["status"], entry["work"]) in (("feasible", 0.3), ("unknown", 0.3))
    assert faults_of(replace(one, entry=entry)) == []
    assert derive(one, WorkLimit(0.3)) == entry
