"""Tool families of a user: problems, calls, states and faults of their classes."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.pantry import Pantry

import planoracle
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, family_of, problem_of
from planoracle.instances.benchmarks.asynctool.problems import read, to_document
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import tool_classes

TASK = {
    "id": "cake",
    "family": "Pantry",
    "question": "Look, take two eggs, and order flour.",
    "ground_truth": ["look()", "take(item='egg', amount=2)", "order(items=['flour'])"],
    "initial": {"amounts": {"egg": 6, "salt": 1}},
}


@pytest.fixture(autouse=True)
def classes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the class, for one test."""
    monkeypatch.setattr(tool_classes._CONTRIBUTIONS, "_registered", {})
    planoracle.register(Pantry)
    yield
    tool_classes.use_files(())


def document(**more: Any) -> dict[str, Any]:
    return {"format": "planoracle/asynctool", "version": 1, "name": "pantry", "tasks": [TASK | more]}


def problem(**more: Any) -> AsyncToolProblem:
    (instance,) = read(document(**more), "p.json")
    return problem_of(instance)


def message(name: str, **params: Any) -> dict[str, Any]:
    return {"id": "cake", "func_name": name, "params": params}


RIGHT = [message("look"), message("take", item="egg", amount=2), message("order", items=["flour"])]


Grading = Callable[..., planoracle.Grade]


@pytest.fixture
def grade(tmp_path: Path) -> Grading:
    """Function that grades messages with a wait after each."""

    def graded(*turns: Any, **more: Any) -> planoracle.Grade:
        path = tmp_path / "p.json"
        path.write_text(json.dumps(document(**more)), encoding="utf-8")
        messages: list[Any] = []
        for turn in turns:
            messages += [turn, {"content": "WAIT"}]
        return planoracle.grade({"instance": str(path), "turns": messages}, trust_paths=True)

    return graded


# --- problems --------------------------------------------------------------------------------------


def test_reference_calls_are_executed_and_offer_all_methods() -> None:
    task = problem().tasks[0]
    assert list(task.documents) == ["look", "take", "order"]
    assert task.solved.results == ({"egg": 6, "salt": 1}, {"left": 4}, [["flour", "slow"]])
    assert list(task.solved.state) == ["jars", "orders"]
    assert task.solved.state["jars"]["egg"].amount == 4
    assert task.initial == TASK["initial"]
    assert str(task.reference_calls[2]) == "order(items=['flour'])"  # the method changes its list


def test_written_problem_is_read_back() -> None:
    original = problem()
    assert problem_of(read(to_document(original), "p.json")[0]) == original
    assert to_document(original)["tasks"][0]["tools"] == ["look", "take", "order"]


def test_optimum_and_pickles_need_no_object_of_the_class() -> None:
    (instance,) = read(document(), "p.json")
    assert planoracle.solve(instance).makespan == 6
    assert problem_of(instance).tasks[0].solved.state["jars"]
    data = pickle.dumps(instance)
    assert b"support.pantry" not in data
    assert pickle.loads(data) == instance


@pytest.mark.parametrize(
    ("more", "field", "text"),
    [
        ({"family": "Larder"}, "tasks[0].family", "vehicle, Pantry; --tools FILE adds classes (got 'Larder')"),
        ({"initial": {}}, "tasks[0].initial.amounts", "is missing"),
        ({"initial": {"amounts": {"egg": "6"}}}, "tasks[0].initial.amounts.egg", "must be a whole number (got '6')"),
        ({"initial": {"amounts": {}, "x": 1}}, "tasks[0].initial.x", "unknown key"),
        ({"ground_truth": ["look(x=1)"]}, "tasks[0].ground_truth[0]", 'fails: look has no parameter "x"'),
        ({"ground_truth": ["take()"]}, "tasks[0].ground_truth[0]", "fails: take needs the parameter 'item'"),
        ({"ground_truth": ["take(item='tea')"]}, "tasks[0].ground_truth[0]", "fails: there is no tea"),
        (
            {"ground_truth": ["take(item='salt', amount=2)"]},
            "tasks[0].ground_truth[0]",
            "fails: ValueError: there is not as much",
        ),
        ({"ground_truth": ["bake()"]}, "tasks[0].ground_truth[0]", "calls a tool that is not offered"),
        ({"tools": ["bake"]}, "tasks[0].tools[0]", "must be a tool of the family"),
    ],
)
def test_faulty_problem_is_an_error_with_its_field(more: dict[str, Any], field: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        problem(**more)
    assert caught.value.field == field
    assert text in str(caught.value)


class _Identity:
    """Value that equals itself only."""


class _Unequal:
    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("state", "result", "text"),
    [
        (_Identity, 1, "the attribute state differs after two runs"),
        (_Unequal, 1, "must have objects that deepcopy copies and == compares: TypeError: not comparable"),
        (lambda: (step for step in ()), 1, "must have objects that deepcopy copies and == compares: TypeError"),
        (int, random.random, "two calls of look differ"),
        (int, _Identity, "must return a JSON value"),
        (int, lambda: float("nan"), "must return a JSON value"),
        (lambda: 1 // 0, 1, "initial: is refused by the tools: ZeroDivisionError"),
    ],
)
def test_class_whose_grades_would_depend_on_chance_is_refused(state: Any, result: Any, text: str) -> None:
    class Chance:
        def __init__(self) -> None:
            self.state = state()

        def look(self) -> Any:
            return result() if callable(result) else result

    planoracle.register(Chance)
    with pytest.raises(InputError) as caught:
        problem(family="Chance", initial={}, ground_truth=["look()"])
    assert text in str(caught.value)
    assert caught.value.value is not None


def test_class_with_a_loader_begins_with_the_loaded_state() -> None:
    class Cupboard:
        def _load_scenario(self, scenario: dict[str, Any]) -> None:
            self.jars = scenario["jars"]

        def look(self) -> list[int]:
            return self.jars  # type: ignore[no-any-return]

    planoracle.register(Cupboard)
    task = problem(family="Cupboard", initial={"jars": [1]}, ground_truth=["look()"]).tasks[0]
    assert (task.solved.results, task.solved.state) == (([1],), {"jars": [1]})


# --- runs ------------------------------------------------------------------------------------------


def test_right_calls_succeed_and_other_states_fail(grade: Grading) -> None:
    assert grade(*RIGHT).success
    more = grade(*RIGHT, message("take", item="salt"))
    assert (more.success, more.metrics["subtask_char"], more.metrics["subtask_env"]) == (False, 1.0, 0.0)
    failed = grade(*RIGHT, message("take", item="salt", amount=9))
    assert failed.success
    assert [violation["kind"] for violation in failed.violations] == ["failed_call"]
    unknown = grade(*RIGHT, message("take", item="salt", count=9), message("__init__", amounts={}), message("jars"))
    assert unknown.success
    assert [violation["kind"] for violation in unknown.violations] == ["failed_call", "unknown_tool", "unknown_tool"]


def test_results_are_copies_and_runs_are_independent() -> None:
    family = family_of("Pantry")
    executors = [family(TASK["initial"]) for _ in range(2)]
    first = executors[0].call("order", {"items": ["a"]})
    executors[0].call("order", {"items": ["b"]})
    assert first == [["a", "slow"]]
    assert executors[1].state() == family(TASK["initial"]).state() != executors[0].state()
    assert pickle.loads(pickle.dumps(executors[0])).state() == executors[0].state()


def test_result_that_is_no_json_value_is_no_score(grade: Grading) -> None:
    class Odd(Pantry):
        def take(self, item: str, amount: int = 1) -> Any:
            """Take, once with an odd result."""
            return {1, 2} if amount == 1 else super().take(item, amount)

    planoracle.register(Odd)
    ungraded = grade(message("take", item="egg"), family="Odd")
    assert (ungraded.scored, ungraded.success) == (False, None)
    assert "Odd.take: must return a JSON value (got 'set')" in ungraded.reason


def test_live_run_has_the_functions_and_their_results() -> None:
    (instance,) = read(document(), "p.json")
    run = planoracle.environment(instance)
    assert "Take an amount of an item out of its jar." in run.observation.text
    run.step(message("look"))
    answer = run.step("WAIT").observation.text
    assert '"response": {"egg": 6, "salt": 1}' in answer
    copy = pickle.loads(pickle.dumps(run))
    for live in (run, copy):
        for turn in (RIGHT[1], "WAIT", RIGHT[2], "ALL COMPLETED"):
            live.step(turn)
        assert live.run().success


# --- BFCL ------------------------------------------------------------------------------------------

BFCL = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code.gorilla_file_system"
FOLDER = {"docs": {"type": "directory", "contents": {"a.txt": {"type": "file", "content": "first"}}}}
GORILLA = {
    "id": "notes",
    "family": "GorillaFileSystem",
    "ground_truth": ["cd(folder='docs')", "touch(file_name='b.txt')", "echo(content='second', file_name='b.txt')"],
    "initial": {"root": {"home": {"type": "directory", "contents": FOLDER}}},
}


def test_file_system_of_bfcl_is_a_family(tmp_path: Path, grade: Grading) -> None:
    pytest.importorskip(BFCL, reason="bfcl-eval is not installed: pip install --no-deps bfcl-eval")
    path = tmp_path / "tools.py"
    path.write_text(f"from {BFCL} import GorillaFileSystem\n__all__ = ['GorillaFileSystem']\n", encoding="utf-8")
    tool_classes.use_files([path])
    task = problem(**GORILLA).tasks[0]
    assert task.solved.results == ({"current_working_directory": "docs"}, None, None)
    assert task.documents["ls"]["parameters"]["properties"]["a"]["type"] == "boolean"
    right = [{"id": "notes", "func_name": call.name, "params": call.params} for call in task.reference_calls]
    remove = {"id": "notes", "func_name": "rm", "params": {"file_name": "a.txt"}}
    move = {"id": "notes", "func_name": "cd", "params": {"folder": ".."}}  # where one is does not count
    grades = [grade(*turns, **GORILLA) for turns in (right, [*right, move], [*right, remove])]
    assert [graded.metrics["subtask_env"] for graded in grades] == [1.0, 1.0, 0.0]
