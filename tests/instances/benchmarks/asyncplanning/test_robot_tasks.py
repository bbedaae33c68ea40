"""Robo Challenge and its online part: facts, published optima and plans, and the encoding."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planoracle.instances.benchmarks.asyncplanning.problems import load, names, read, recognises
from planoracle.instances.benchmarks.asyncplanning.robot_facts import RobotTask, task_of
from planoracle.instances.benchmarks.asyncplanning.robot_language import task_in
from planoracle.instances.benchmarks.asyncplanning.robot_lines import witness_text
from planoracle.instances.benchmarks.asyncplanning.robot_records import facts_of, name_of
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import bundled_task
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve

BENCHMARK = registry.get("asyncplanning")
TASKS = [name for name in names() if name.startswith("asyncplanning/robo/")]
EPISODES = [name for name in names() if name.startswith("asyncplanning/online/")]

#: A small kitchen: an egg to boil, on a cup.
EGG: dict[str, Any] = {
    "id": "egg",
    "split": "easy",
    "items": {
        "egg": {"state": "raw", "predicates": ["isboilable"]},
        "cup": {"state": "ready", "predicates": []},
    },
    "goal": {"required_states": {"egg": "boiled"}, "stack_order": ["cup", "egg"]},
    "action_durations": {"boil": 12.0, "stack": 1.0},
    "stations": {"boiler": 1},
    "optimal_makespan": 13.0,
    "witness_plan": "0.000: (boil egg)  [12.000]\n0.000: (stack cup)  [1.000]\n12.000: (stack egg)  [1.000]",
}


def records(shared: Path, name: str) -> list[dict[str, Any]]:
    data = (shared / "benchmarks" / "asyncplanning" / f"{name}.jsonl.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


def contents(task: RobotTask) -> dict[str, object]:
    return {key: value for key, value in vars(task).items() if key in RobotTask.__dataclass_fields__}


@pytest.mark.parametrize("part", ["robo", "online"])
def test_bundled_facts_are_those_of_the_released_records(shared: Path, part: str) -> None:
    rows = records(shared, part)
    assert len(rows) == 140
    for row in rows:
        name = name_of(row)
        expected = task_of(f"asyncplanning/{name}", facts_of(row, "record"))
        assert contents(bundled_task(name)) == contents(expected)


def test_published_optima_are_right() -> None:
    assert len(TASKS) == 140
    for name in TASKS:
        task = task_in(load(name))
        result = solve(load(name))
        assert (result.status, result.makespan, result.weight) == ("optimal", task.optimum, task.best_reward), name


def test_published_plans_keep_all_rules() -> None:
    for name in TASKS:
        problem = load(name)
        run = BENCHMARK.run(problem, witness_text(task_in(problem)))
        assert run.success
        assert run.verdict.makespan == task_in(problem).optimum


def test_plans_a_thousand_times_too_fast_pass_the_released_checks_in_120_of_140() -> None:
    accepted = []
    for name in TASKS:
        problem = load(name)
        text = witness_text(task_in(problem), divisor=1000)
        assert not BENCHMARK.run(problem, text, PROFILES["paper"]).success
        if BENCHMARK.run(problem, text, PROFILES["released"]).success:
            accepted.append(name)
    assert len(accepted) == 120
    assert not any("hard_temporal" in name for name in accepted)


def test_optimum_of_hindsight_collects_60_in_every_episode_with_rewards() -> None:
    rewards = [solve(load(name)).weight for name in EPISODES if "hard_optimization" in name]
    assert rewards == [60] * 20


def test_small_kitchen_has_the_optimum_by_hand() -> None:
    assert recognises([EGG])
    [problem] = read([EGG], "eggs.json")
    assert problem.name == "eggs.json/robo/easy/egg"
    assert solve(problem).makespan == 13_000
    assert [action.id for action in problem.actions] == ["egg/boil", "egg/stack", "cup/stack"]


def test_mash_and_cut_share_the_cutting_board() -> None:
    problem = load("asyncplanning/robo/medium/medium_02_patty_lettuce_yam_combo")
    stations = {action.id: action.modes[0].demands for action in problem.actions}
    assert stations["lettuce02/cut"] == stations["yam02/mash"]


def test_optima_of_episodes_are_called_those_of_hindsight() -> None:
    assert "hindsight, a bound" in BENCHMARK.note(EPISODES[0])
    assert BENCHMARK.note(TASKS[0]) == ""


def test_items_of_an_event_are_released_at_its_time() -> None:
    problem = load("asyncplanning/online/easy/online_easy_01_grilled_chicken_sandwich")
    releases = {action.id: action.release for action in problem.actions}
    assert releases["chicken/grill"] == 0
    assert releases["online_cut_01_11/cut"] == 2290


def test_documents_are_read_as_the_same_problem() -> None:
    for name in (*TASKS[::9], *EPISODES[::9]):
        problem = load(name)
        [repeated] = read(BENCHMARK.document(problem), "document")
        assert repeated == problem
        assert contents(task_in(repeated)) == contents(task_in(problem))


def test_names_refer_to_a_copy_of_the_repository(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "robo_async_challenge_v2" / "easy"
    folder.mkdir(parents=True)
    record = BENCHMARK.document(load("asyncplanning/robo/easy/easy_02_fried_fish_plate"))
    (folder / "easy_02_fried_fish_plate.json").write_text(json.dumps(record), "utf-8")
    name = "asyncplanning/robo/easy/easy_02_fried_fish_plate"
    assert BENCHMARK.catalog.file_of(name, tmp_path) == str(folder / "easy_02_fried_fish_plate.json")
    assert BENCHMARK.catalog.file_of(name.replace("02", "03"), tmp_path) is None


def test_random_kitchens_have_optima_that_their_rules_accept() -> None:
    for seed in range(5):
        problem = generate("asyncplanning", seed=seed, tasks=5, agents=2).problem
        result = solve(problem)
        assert problem.agents == ("robot1", "robot2")
        assert BENCHMARK.run(problem, result.plan).verdict.makespan == result.makespan
        assert read(BENCHMARK.document(problem), "document") == [problem]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"optimal_makespan": "13"}, "optimal_makespan: must be a valid number"),
        ({"goal": {"required_states": {"tea": "boiled"}, "stack_order": []}}, "goal: must be one of the items"),
        ({"goal": {"required_states": {"egg": "fried"}, "stack_order": []}}, "cannot be reached from 'raw'"),
        ({"goal": {"required_states": {}, "stack_order": ["cup", "cup"]}}, "stack_order: must be different"),
        ({"action_durations": {"boil": 0.00001, "stack": 1}}, "must be seconds with at most three decimals"),
        ({"action_durations": {"boil": 12}}, "action_durations.stack: is missing"),
        ({"items": {"an egg": {"state": "raw", "predicates": []}}}, "must be a name without spaces"),
    ],
)
def test_faulty_records_are_rejected_with_field_and_value(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        read([EGG | changes], "eggs.json")
    assert message in str(error.value)
    assert "eggs.json" in str(error.value)


def test_deadlines_of_orders_are_refused_by_name(shared: Path) -> None:
    episode = records(shared, "online")[0]
    episode["events"][0]["delta"]["set_deadline"] = 30
    with pytest.raises(InputError, match="set_deadline"):
        read([episode], "episodes.json")


def test_rules_and_encoding_agree_on_changed_plans() -> None:
    """A plan of the actions of a problem is valid by the rules if its schedule is by the model."""
    random = Random(3)
    verdicts = []
    for name in (*TASKS[::3], *EPISODES[::3]):
        problem = load(name)
        if problem.optional:
            continue
        best = solve(problem).schedule
        for _ in range(6):
            pieces = list(best.pieces)
            changed = random.randrange(len(pieces))
            shift = random.choice([-1000, -1, 1, 500, 1000, 20_000])
            for number in range(changed, len(pieces) if random.random() < 0.5 else changed + 1):
                pieces[number] = pieces[number]._replace(start=max(0, pieces[number].start + shift))
            schedule = Schedule.of(problem, pieces)
            run = BENCHMARK.run(problem, BENCHMARK.render(problem, schedule))
            valid = referee(problem, schedule).success
            assert run.success == valid, (name, changed, shift, run.fault)
            verdicts.append(valid)
    assert 0.2 < sum(verdicts) / len(verdicts) < 0.8
