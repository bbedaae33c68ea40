"""What the released scripts of ParaCook leave in the user's copy, and how its checker can be passed by less work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planoracle.analysis.audit.auditor import Auditor, published_names
from planoracle.analysis.audit.finding import ReferenceFinding
from planoracle.instances.benchmarks.paracook_abstract.metrics import LOOPHOLES
from planoracle.instances.files.catalog import problem
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve
from tests.support.paracook_abstract import DISH
from tests.support.paracook_copies import COMPACT, compact

ABSTRACT = registry.get("paracook_abstract")
NAME = "tea/seed_1/orders_num_1"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy with a single abstract problem, and no results yet."""
    files = {
        "abstract.json": {"problems": {NAME: DISH}},
        "maps.json": {"maps": {}},
        "orders.json": {"orders": {}},
        "recipes.json": {"recipes": {}},
    }
    for name, document in files.items():
        (tmp_path / name).write_text(json.dumps(document))
    monkeypatch.setenv(registry.data_variable("paracook"), str(tmp_path))
    return tmp_path


def left(copy: Path, rows: object) -> list[ReferenceFinding]:
    """Return what is said of the minima that a script has left."""
    folder = copy / "results" / "abstract"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cp_sat.json").write_text(json.dumps(rows))
    copies_seen = Auditor()
    return [one for name in published_names(["paracook"]) for one in copies_seen.check_published(name)]


def test_each_way_past_the_checker_is_graded_as_less_than_the_optimum() -> None:
    found = list(Auditor().check_loopholes(ABSTRACT))
    assert [one.reference for one in found] == [way.name for way in LOOPHOLES]
    for one in found:
        assert one.optimum is not None
        assert one.claimed is not None
        assert (one.verdict, one.feasible) == ("infeasible", False)
        assert one.claimed < one.optimum
    assert [one.violation for one in found] == ["repeated_task", "repeated_task", "too_many_lists"]


@pytest.mark.parametrize("way", LOOPHOLES, ids=lambda way: way.name)
def test_every_plan_of_a_way_passes_by_the_released_rules_only(way) -> None:
    known = problem(way.problem)
    plans = list(way.plans(known, lambda one: solve(one).plan))
    assert plans
    for plan in plans:
        released = ABSTRACT.run(known, {"plan": plan}, ABSTRACT.rules.profiles["released"])
        assert released.success
        assert not ABSTRACT.run(known, {"plan": plan}, ABSTRACT.rules.profiles["paper"]).success
        if way.name != "more_lists":
            assert len(plan) <= len(known.agents)
            assert sum(map(len, plan)) == len(known.actions)
            assert len({task for one in plan for task in one}) < len(known.actions)
        else:
            assert len(plan) == len(known.agents) + 1


def test_minima(copy: Path) -> None:
    """Frying, cooling and serving take 14, whoever does the rest meanwhile."""
    two, one = [["fry", "serve"], ["cut", "wash"]], [["fry", "wash", "cut", "serve"]]
    rows = {
        "tea/seed_1/agent_num_1/orders_num_1": {"done": True, "time": 14, "answer": one},
        "tea/seed_1/agent_num_2/orders_num_1": {"done": True, "time": 14, "answer": two},
        "tea/seed_1/agent_num_3/orders_num_1": {"done": True, "time": 13, "answer": two},
        "tea/seed_1/agent_num_4/orders_num_1": {"done": False, "time": -1, "answer": two},
        "tea/seed_9/agent_num_2/orders_num_1": {"done": True, "time": 14, "answer": two},
    }
    found = left(copy, rows)
    assert [(each.instance, each.claimed, each.verdict) for each in found] == [
        (f"paracook/abstract/{NAME}", 14, "optimal"),
        (f"paracook/abstract/{NAME}~2", 14, "optimal"),
        (f"paracook/abstract/{NAME}~3", 13, "misstated"),
    ]
    assert {each.reference for each in found} == {"minimum"}


@pytest.mark.parametrize("time", [14.5, "14", True, None, -1])
def test_a_time_that_is_none_does_not_stop_the_rest(copy: Path, time: object) -> None:
    good = {"done": True, "time": 14, "answer": [["fry", "serve"], ["cut", "wash"]]}
    names = [f"tea/seed_1/agent_num_{agents}/orders_num_1" for agents in (2, 3)]
    broken, sound = left(copy, {names[0]: {**good, "time": time}, "anything": 3, names[1]: good})
    assert (broken.verdict, sound.verdict) == ("not_checked", "optimal")
    assert "cp_sat.json" in broken.reason
    assert "time" in broken.reason


def test_minima_that_are_none(copy: Path) -> None:
    rows = {"tea/seed_1/agent_num_2/orders_num_1": {"done": True, "time": 15, "answer": [["fry", "cut"], ["wash"]]}}
    (found,) = left(copy, rows)
    assert (found.verdict, found.feasible, found.violation) == ("infeasible", False, "missing_task")


def test_a_copy_without_results(copy: Path) -> None:
    assert published_names(["paracook"]) == []
    assert list(Auditor().check_published(f"paracook/abstract/{NAME}~2")) == []


# --- plans of people -------------------------------------------------------------------------------


@pytest.fixture
def people(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Lay the recorded plans of people down as the released scripts leave them; return their times by problem."""
    file = shared / "verdicts" / "paracook" / "paracook.jsonl"
    if not file.is_file():
        pytest.skip(f"no verdicts in {file}")
    for name in COMPACT:
        (tmp_path / name).symlink_to(compact(shared) / name)
    times = {}
    for row in map(json.loads, file.read_text().splitlines()):
        if row["kind"] == "human":
            name = f"{row['map']}/orders_num_{len(row['orders'])}"
            times[f"paracook/cook/{name}"] = row["expected"]["time"]
            run = tmp_path / "results" / "Human" / "someone" / f"{name}.json"
            run.parent.mkdir(parents=True, exist_ok=True)
            run.write_text(json.dumps({"done": True, "time": row["expected"]["time"], "plan": row["plan"]}))
    monkeypatch.setenv(registry.data_variable("paracook"), str(tmp_path))
    return times


@pytest.mark.slow
def test_people(people: dict[str, int]) -> None:
    """All 24 plans pass by the released rules and take what they state; the paper's refuse one."""
    names = published_names(["paracook"])
    assert set(names) == set(people)
    found = [one for name in names for one in Auditor(limit=0.0).check_published(name)]
    assert {one.instance: one.claimed for one in found} == people
    assert all(one.feasible and one.verdict in ("optimal", "too_high", "unproved") for one in found)
    paper = [one for name in names for one in Auditor("paper", limit=0.0).check_published(name)]
    (refused,) = [one for one in paper if not one.feasible]
    assert refused.instance == "paracook/cook/pasta/seed_84/agent_num_2/orders_num_2"
    assert (refused.verdict, refused.violation) == ("infeasible", "dish_mismatch")
    assert not [one for one in paper if one.verdict == "below_bound"]


def test_the_shortest_of_several_people_counts(people: dict[str, int], tmp_path: Path) -> None:
    """One who was not done does not count; one who states less than his plan takes is found out."""
    name = next(iter(people))
    home = tmp_path / "results" / "Human"
    file = home / "someone" / f"{name.removeprefix('paracook/cook/')}.json"
    run = json.loads(file.read_text())
    for person, change in {"failed": {"done": False, "time": 1}, "other": {"time": run["time"] - 1}}.items():
        other = home / person / file.relative_to(home / "someone")
        other.parent.mkdir(parents=True)
        other.write_text(json.dumps(run | change))
    (found,) = Auditor(limit=0.0).check_published(name)
    assert (found.claimed, found.verdict) == (people[name] - 1, "misstated")


def test_a_file_of_a_person_that_is_none(people: dict[str, int], tmp_path: Path) -> None:
    name = next(iter(people))
    (file,) = (tmp_path / "results").glob(f"Human/*/{name.removeprefix('paracook/cook/')}.json")
    file.write_text("[]")
    (found,) = Auditor(limit=0.0).check_published(name)
    assert found.verdict == "not_checked"
    assert str(file) in found.reason
