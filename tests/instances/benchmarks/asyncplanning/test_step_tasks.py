"""AsyncPlan-XXL: names, bundled facts, and readers of released records."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from support.samples import sample

from planoracle import environment
from planoracle.instances.benchmarks.asyncplanning.problems import load, names, set_of
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.benchmarks.asyncplanning.step_facts import duration_seconds, earliest_starts
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import expand
from planoracle.instances.generate.network_measures import describe
from planoracle.instances.generate.styles import generate
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve

BENCHMARK = registry.get("asyncplanning")
QUESTION = """To make tea, here are the steps needed.
Step 1. Boil water for 2 cups (5 minutes)
Step 2. Brew after 1 hour (1 hour 3 minutes)

These ordering constraints need to be obeyed when executing above steps:
Step 1 must precede Step 2.
"""
RECORD: dict[str, Any] = {
    "id": 3,
    "question": QUESTION,
    "answer": 3900,
    "task_title": "make tea",
    "graph": {"edges": [[1, 0]], "step_to_node": {"1": 1, "2": 0}, "durations": [3600, 300]},
}


def originals(shared: Path) -> list[dict[str, Any]]:
    data = gzip.decompress((shared / "benchmarks" / "asyncplanning" / "xxl.jsonl.gz").read_bytes())
    return [json.loads(line) for line in data.splitlines()]


def test_names_are_size_and_id_in_the_order_of_the_files() -> None:
    steps = [name for name in names() if "/xxl/" in name]
    assert (len(steps), steps[0], steps[-1]) == (600, "asyncplanning/xxl/5/1", "asyncplanning/xxl/100/50")
    assert set_of("asyncplanning/xxl/10/7")[0] == "asyncplanning/xxl/10"
    assert len(expand(["asyncplanning/xxl/10"])) == 50
    assert expand(["asyncplanning/xxl/*/7"])[1] == "asyncplanning/xxl/10/7"
    for name in ("asyncplanning/xxl/5/51", "asyncplanning/xxl/6/1", "asyncplanning/5/1"):
        with pytest.raises(UnknownNameError):
            catalog.load(name)


@pytest.mark.parametrize("step", sample([5, 1]))
def test_bundled_facts_are_those_of_the_original_records(shared: Path, step: int) -> None:
    rows = originals(shared)
    assert len(rows) == 600
    rows = rows[::step]
    problems = BENCHMARK.read(rows, "xxl.jsonl")
    for row, problem in zip(rows, problems, strict=True):
        bundled = load(f"asyncplanning/xxl/{row['n_steps']}/{row['id']}")
        facts = replace(problem.origin.facts, sentences=(), question="")
        assert facts == bundled.origin.facts
        assert facts.misread == bundled.origin.facts.misread
        assert BENCHMARK.addressed_name("", row) == bundled.name


def test_each_size_is_a_set_with_that_number_of_steps() -> None:
    for name in names()[:600:25]:
        assert len(load(name).actions) == int(name.split("/")[2])


def test_record_is_read_with_both_durations() -> None:
    assert BENCHMARK.recognises(RECORD)
    [problem] = BENCHMARK.read([RECORD], "data/tea.json")
    assert problem.name == "tea.json/2/3"
    assert [(action.duration, action.label) for action in problem.actions] == [
        (300, "Boil water for 2 cups"),
        (3780, "Brew after 1 hour"),
    ]
    assert [(lag.before, lag.after) for lag in problem.lags] == [("step/1", "step/2")]
    assert solve(problem).makespan == 4080
    assert solve(BENCHMARK.under(problem, PROFILES["released"])).makespan == 3900


def test_record_without_text_has_the_released_durations() -> None:
    [problem] = BENCHMARK.read({name: value for name, value in RECORD.items() if name != "question"}, "tea.json")
    assert [action.duration for action in problem.actions] == [300, 3600]


def test_file_of_released_records_is_solved(tmp_path: Path) -> None:
    path = tmp_path / "nodes2.json"
    path.write_text(json.dumps([RECORD, RECORD | {"id": 4}]))
    assert [problem.name for problem in catalog.read_problems(str(path))] == ["nodes2.json/2/3", "nodes2.json/2/4"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("answer", "3900", "answer: must be a whole number"),
        ("question", 5, "question: must be text"),
        ("question", "Step 1. Boil (5 minutes)", "lines 'Step 1.' to 'Step 2.'"),
        ("question", "Step 1. Boil (5 minutes)\nStep 2. Brew", "must end with a time in brackets"),
        ("question", "Step 1. Boil (5 minutes)\nStep 2. Brew (soon)", "must be a time such as"),
        ("graph.durations", [1], "must be 2 whole numbers"),
        ("graph.durations", [1, -1], "must be 2 whole numbers"),
        ("graph.edges", [[0, 2]], r"edges\[0\]: must be two nodes below 2"),
        ("graph.edges", [[0, 1], [1, 0]], "must have no cycle"),
        ("graph.step_to_node", {"1": 0, "2": 0}, "must map steps"),
        ("graph.step_to_node", {}, "must map steps"),
    ],
)
def test_faults_of_records_are_named(path: str, value: object, message: str) -> None:
    record = deepcopy(RECORD)
    *keys, last = path.split(".")
    part = record
    for key in keys:
        part = part[key]
    part[last] = value
    with pytest.raises(InputError, match=message):
        BENCHMARK.read([record], "tea.json")


@pytest.mark.parametrize("text", ["", "soon", "5 minutes later", "5", "-5 minutes", "1 fortnight", "5  minutes"])
def test_texts_that_are_no_duration_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be a time"):
        duration_seconds(text)


def test_longest_paths_agree_with_the_enumeration_of_orders() -> None:
    """Steps start at the latest end of their predecessors, in any order that the graph allows."""
    for name in names()[:50]:
        facts = load(name).origin.facts
        durations = facts.seconds()
        before = {step: [early for early, late in facts.edges if late == step] for step in range(1, 6)}
        for order in permutations(range(1, 6)):
            if all(order.index(early) < order.index(late) for early, late in facts.edges):
                break
        ends: dict[int, Fraction] = {}
        for step in order:
            ends[step] = max((ends[early] for early in before[step]), default=Fraction(0)) + durations[step - 1]
        assert facts.shortest_time() == max(ends.values())


def test_cycle_has_no_earliest_starts() -> None:
    assert earliest_starts([Fraction(1), Fraction(1)], [(1, 2), (2, 1)]) is None


def test_problem_has_one_agent_per_step_and_no_other_crew() -> None:
    problem = catalog.load("asyncplanning/xxl/5/9")
    assert len(problem.agents) == 5
    with pytest.raises(InputError, match="agents must be identical"):
        catalog.load("asyncplanning/xxl/5/9~2")


def test_random_problem_has_the_requested_steps_and_order_strength() -> None:
    problem = generate("asyncplanning", seed=5, actions=40, order_strength=0.1).problem
    assert len(problem.actions) == 40
    assert describe(problem).order_strength == pytest.approx(0.1, abs=0.001)
    assert solve(problem).makespan == problem.origin.facts.released_answer
    assert not any("." in text for text in problem.origin.facts.durations)


def test_groups_are_part_and_size_of_bundled_names() -> None:
    groups = BENCHMARK.groups("asyncplanning/xxl/10/7")
    assert groups == {"task": ["asyncplanning/xxl/10/7"], "part": ["xxl"], "size": ["10"], "difficulty": []}
    assert BENCHMARK.groups("tea.json/2/3").keys() == groups.keys()


def test_copy_of_the_repository_is_read_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "async_planning"
    folder.mkdir(parents=True)
    with pytest.raises(InputError, match="must be the released repository"):
        BENCHMARK.check_copy(tmp_path)
    file = folder / "nodes5_n50_s42_nlrewrite_openrouter-gemini-3-flash.json"
    file.write_text("[]")
    BENCHMARK.check_copy(tmp_path)
    assert BENCHMARK.file_of("asyncplanning/xxl/5/9", tmp_path) == f"{file}#{file.name}/5/9"
    assert BENCHMARK.file_of("asyncplanning/xxl/10/9", tmp_path) is None


def test_question_of_the_file_is_part_of_prompts() -> None:
    [problem] = BENCHMARK.read([RECORD], "tea.json")
    assert environment(problem, loop="open").introduction() == QUESTION
