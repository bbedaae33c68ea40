"""Grades of AsyncTool transcripts: reference calls, single mutations, figures of the paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random

import pytest
from support.samples import sample

from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.statistics.summary import summarize
from planoracle.heuristics.registry import run as schedule
from planoracle.instances.benchmarks.asynctool import problems
from planoracle.instances.benchmarks.asynctool.problem_model import canonical, family_of
from planoracle.instances.benchmarks.asynctool.rules import RULE_SET
from planoracle.instances.files.catalog import load
from planoracle.solver.exact.search import solve
from tests.support.grades import grade_rows

NAMES = problems.names()
CLOSE = {"content": "ALL COMPLETED"}
WAIT = {"content": "WAIT"}
FULL = ("func_f1", "param_f1", "func_f1_micro", "param_f1_micro", "subtask_char", "subtask_env", "subtask_acc")
TEMPORAL = "insufficient_temporal_awareness"


def transcript(name: str, method: str) -> list[dict]:
    """Messages of the optimal play, or of one sub-task after the other."""
    plan = solve(load(name)).plan if method == "optimal" else schedule(load(name), "asynctool-sequential").plan
    return [json.loads(line) for line in plan.splitlines()]


def grade(name: str, turns: list, **options: str) -> Grade:
    result = Grader({"asynctool": RULE_SET.profile(**options)}).grade({"id": "x", "instance": name, "turns": turns})
    assert result.scored, result.reason
    return result


def failed(result: Grade) -> dict[str, str]:
    """Cause of every failed sub-task."""
    return {cause["task"]: cause["cause"] for cause in result.metrics["causes"] if cause["failed"]}


def state_after(name: str, task: str, turns: list) -> bool:
    """Return True if a sub-task ends in its reference state, by running its calls on an executor."""
    sub = problems.problem(name).by_id[task]
    played, reference = (family_of(sub.family)(sub.initial) for _ in range(2))
    for message in turns:
        if message.get("id") == task:
            played.call(message["func_name"], message["params"])
    for call in sub.reference_calls:
        reference.call(call.name, call.params)
    return played.state() == reference.state()


def f1(expected: set, actual: set) -> float:
    return 2 * len(expected & actual) / (len(expected) + len(actual)) if expected or actual else 1.0


def labels(messages: list) -> tuple[set, set]:
    """Function and parameter labels of the calls among messages, with their sub-tasks."""
    calls = [message for message in messages if "func_name" in message]
    functions, parameters = set(), set()
    for call in calls:
        function = (call["id"], call["func_name"])
        functions.add(function)
        parameters |= {(*function, key, canonical(value)) for key, value in call["params"].items()}
    return functions, parameters


def check(name: str, base: list, turns: list, hit: dict[str, str], result: Grade) -> None:
    """Compare a grade of a mutated play with what the mutation must do, worked out here."""
    tasks = problems.problem(name).tasks
    metrics = result.metrics
    env = sum(state_after(name, task.id, turns) for task in tasks)
    assert metrics["subtask_char"] == pytest.approx((len(tasks) - len(hit)) / len(tasks))
    assert metrics["subtask_env"] == pytest.approx(env / len(tasks))
    assert metrics["subtask_acc"] == pytest.approx((len(tasks) - len(hit)) / len(tasks))
    assert (metrics["task_char"], metrics["task_env"]) == (not hit, env == len(tasks))
    assert result.success is metrics["overall"] is (not hit)
    for level, expected, actual in zip(("func_f1", "param_f1"), labels(base), labels(turns), strict=True):
        assert metrics[level] == pytest.approx(f1(expected, actual)), level
    assert metrics["turns"] == len(turns)
    assert failed(result) == hit
    assert (metrics["turn_efficiency"] is None) is bool(hit)
    assert metrics["cause"] == next(iter(hit.values()), None)


@pytest.mark.parametrize("method", sample(["sequential", "optimal"]))
@pytest.mark.parametrize("suffix", sample(["", "@2", "@0-1"], 3))
def test_reference_calls_get_full_scores(method: str, suffix: str) -> None:
    for name in NAMES:
        full = f"{name}{suffix}"
        turns = transcript(full, method)
        result = grade(full, turns)
        assert all(result.metrics[key] == 1 for key in FULL), name
        assert result.metrics["task_char"]
        assert result.metrics["task_env"]
        assert result.success
        assert not result.violations
        assert result.metrics["causes"] == []
        assert result.metrics["turns"] == result.makespan == len(turns) >= result.optimal_makespan
        assert result.metrics["premature_calls"] == 0
        if method == "optimal":
            assert result.metrics["turns"] == result.metrics["optimal_turns"] == result.optimal_makespan
            assert result.metrics["turn_efficiency"] == 1
            assert result.metrics["usable_idle_turns"] == 0


def test_guessed_call_does_not_raise_the_turn_efficiency() -> None:
    name = "asynctool/cross2/08"
    turns = [message for message in transcript(name, "optimal") if message.get("content") != "WAIT"]
    result = grade(name, turns)
    assert (result.success, result.metrics["premature_calls"]) == (True, 1)
    assert len(turns) < result.optimal_makespan
    assert result.metrics["turn_efficiency"] == 1


def test_implied_closing_ends_transcript() -> None:
    *turns, _ = transcript("asynctool/files_2", "optimal")
    required = grade("asynctool/files_2", turns, closing="required")
    assert [violation["kind"] for violation in required.violations] == ["not_closed"]
    assert required.makespan == len(turns)
    implied = grade("asynctool/files_2", turns)
    assert (implied.success, implied.makespan, implied.metrics["turns"]) == (True, len(turns) + 1, len(turns) + 1)


def swapped(base: list[dict]) -> Iterator[tuple[list[dict], str]]:
    """Yield transcripts with two swapped parameter values in one call, and the sub-task of the call."""
    for at, message in enumerate(base):
        first, second, *_ = *message.get("params", ()), None, None
        if second and canonical(message["params"][first]) != canonical(message["params"][second]):
            params = message["params"] | {first: message["params"][second], second: message["params"][first]}
            yield [*base[:at], message | {"params": params}, *base[at + 1 :]], message["id"]


def dropped(base: list[dict]) -> Iterator[tuple[list[dict], str]]:
    """Yield transcripts that lack one call."""
    for at, message in enumerate(base):
        if "func_name" in message:
            yield [*base[:at], WAIT, *base[at + 1 :]], message["id"]


def confused(base: list[dict]) -> Iterator[tuple[list[dict], str]]:
    """Yield transcripts in which one call is of a tool that only another sub-task has."""
    for at, message in enumerate(base):
        if "func_name" in message:
            other = next(one for one in base if one.get("id") != message["id"] and "func_name" in one)
            yield [*base[:at], other | {"id": message["id"]}, *base[at + 1 :]], message["id"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutated", "cause", "names", "least"),
    [
        (swapped, "wrong_parameter", NAMES, 100),
        (dropped, "neglected_task", NAMES, 500),
        (confused, "tool_confusion", [name for name in NAMES if "/cross" in name], 200),  # tools differ between classes
    ],
)
def test_mutated_transcript_has_cause_of_its_mutation(
    mutated: Callable[[list[dict]], Iterator[tuple[list[dict], str]]], cause: str, names: Sequence[str], least: int
) -> None:
    done = 0
    for name in names:
        base = transcript(name, "optimal")
        for turns, task in mutated(base):
            result = grade(name, turns)
            check(name, base, turns, {task: cause}, result)
            assert mutated not in (swapped, dropped) or result.metrics["premature_calls"] == 0
            assert mutated is not dropped or result.metrics["usable_idle_turns"] >= 1
            assert mutated is not confused or result.violations[0]["kind"] == "other_tool"
            done += 1
    assert done > least


def test_premature_call_with_correct_guess_keeps_score() -> None:
    for name in NAMES:
        base = transcript(name, "sequential")
        at = base.index(WAIT)
        turns = base[:at] + base[at + 1 :]
        result = grade(name, turns)
        check(name, base, turns, {}, result)
        task = base[at + 1]["id"]
        assert result.metrics["premature_calls"] == 1
        assert [(c["task"], c["cause"], c["turn"], c["failed"]) for c in result.metrics["causes"]] == [
            (task, TEMPORAL, at + 1, False)
        ]
        assert [(v["kind"], v["index"]) for v in result.violations] == [("premature", at)]


def test_premature_call_with_wrong_guess_fails() -> None:
    done = 0
    for name in NAMES:
        base = transcript(name, "sequential")
        at = base.index(WAIT)
        early = deepcopy(base[at + 1])
        if not early["params"]:
            continue
        key = next(iter(early["params"]))
        early["params"][key] = "a guess"
        turns = [*base[:at], early, *base[at + 2 :]]
        result = grade(name, turns)
        check(name, base, turns, {early["id"]: TEMPORAL}, result)
        assert result.metrics["premature_calls"] >= 1
        done += 1
    assert done > 80


@pytest.mark.slow
def test_unreadable_message_fails() -> None:
    for name in NAMES:
        base = transcript(name, "optimal")
        at = Random(name).choice([i for i, message in enumerate(base) if "func_name" in message])
        turns = [*base[:at], "I shall call " + str(base[at]["func_name"]), *base[at + 1 :]]
        result = grade(name, turns)
        assert failed(result) == {base[at]["id"]: "format"}
        assert result.violations[0]["kind"] == "unreadable"
        several = [*base[:at], json.dumps(base[at]) + json.dumps(base[at]), *base[at + 1 :]]
        assert failed(grade(name, several)) == {base[at]["id"]: "format"}
        assert grade(name, several, several_calls="first").success
        unknown = [*base[:at], base[at] | {"id": "no such task"}, *base[at + 1 :]]
        assert failed(grade(name, unknown)) == {base[at]["id"]: "format"}


def test_task_without_calls_fails_despite_unreadable_message() -> None:
    base = transcript(PAIR, "sequential")
    turns = ["Let me think." if message == WAIT else message for message in base if message.get("id") != "files_1"]
    assert failed(grade(PAIR, turns)) == {"files_1": "neglected_task"}
    started = ["Let me think." if message.get("func_name") == "make_folder" else message for message in base]
    assert failed(grade(PAIR, started)) == {"files_1": "format"}


def test_call_for_another_task_is_confusion() -> None:
    name = "asynctool/trading_1+files_1"
    base = transcript(name, "sequential")
    at = next(i for i, message in enumerate(base) if message.get("func_name") == "make_folder")
    turns = [*base[:at], base[at] | {"id": "trading_1"}, *base[at + 1 :]]
    assert failed(grade(name, turns)) == {"files_1": "tool_confusion"}


def test_extra_call_that_changes_state_is_wrong_call() -> None:
    name = "asynctool/trading_1+files_1"
    base = transcript(name, "sequential")
    extra = {"id": "files_1", "func_name": "make_folder", "params": {"name": "Other"}}
    result = grade(name, [*base[:-1], WAIT, extra, CLOSE])
    assert failed(result) == {"files_1": "wrong_call"}
    assert (result.metrics["subtask_char"], result.metrics["subtask_env"]) == (1, 0.5)
    (fault,) = result.violations
    assert fault["kind"] == "wrong_state"
    assert fault["message"].endswith("""turn 10 called "files_1: make_folder(name='Other')" as well""")


def test_hallucinated_functions_only_count_in_micro_f1() -> None:
    name = "asynctool/trading_1+files_1"
    base = transcript(name, "optimal")
    turns = [*base[:-1], {"id": "files_1", "func_name": "no_such_function", "params": {"a": 1}}, CLOSE]
    metrics = grade(name, turns).metrics
    assert metrics["func_f1"] == metrics["param_f1"] == 1
    assert metrics["func_f1_micro"] == pytest.approx(2 * 5 / (2 * 5 + 1))
    assert grade(name, turns, f1="micro").metrics["func_f1"] == metrics["func_f1_micro"]


def test_path_matching_compares_results() -> None:
    # The order is placed twice: the reference result (order 1) occurs once, the reference state does not.
    name = "asynctool/trading_1+text_1"
    base = transcript(name, "sequential")
    wrong = deepcopy(base)
    at = next(i for i, message in enumerate(wrong) if message.get("func_name") == "place_order")
    wrong[at]["params"]["limit"] += 1  # executed at the same price: another call, the same result, another state
    calls, results, both = (
        grade(name, wrong, char=rule).metrics["subtask_char"] for rule in ("calls", "results", "both")
    )
    assert (calls, results, both) == (0.5, 1.0, 0.5)
    assert grade(name, base, char="both").success


PAIR = "asynctool/trading_1+files_1"


def test_labels_of_confused_call_count_for_run_or_sub_task() -> None:
    """The calls of Figure 14, whose reference calls are those of Figure 12: 2 of 7 labels hit, or 1."""
    first, second = transcript(PAIR, "sequential")[0], {"id": "trading_1", "func_name": "enter_folder"}
    turns = [first, second | {"params": {"name": "workspace"}}]
    by_run, by_task, pooled = (
        grade(PAIR, turns, **rules).metrics for rules in ({"f1_scope": "run"}, {}, {"f1": "micro"})
    )
    assert by_run["func_f1"] == by_run["func_f1_micro"] == pytest.approx(2 * 2 / 7)
    assert by_task["func_f1"] == by_task["func_f1_micro"] == pooled["func_f1"] == pytest.approx(2 * 1 / 7)
    assert by_task["param_f1"] < by_run["param_f1"]


def test_calls_of_the_right_functions_for_the_wrong_sub_tasks_have_no_hits() -> None:
    other_task = {"trading_1": "files_1", "files_1": "trading_1"}
    turns = [{**call, "id": other_task[call["id"]]} for call in transcript(PAIR, "optimal") if "id" in call]
    metrics = grade(PAIR, turns).metrics
    assert metrics["func_f1"] == metrics["param_f1"] == metrics["func_f1_micro"] == 0
    by_run = grade(PAIR, turns, f1_scope="run").metrics
    assert by_run["func_f1"] == by_run["param_f1"] == 1


def test_summary_pools_sub_tasks_and_runs() -> None:
    grader = Grader()
    lines = []
    for name in NAMES[:17]:
        base = transcript(name, "optimal")
        lines.append({"id": "a", "model": "m", "instance": name, "turns": base})
    two, three = NAMES[0], NAMES[1]
    lines[1]["turns"] = [m for m in lines[1]["turns"] if m.get("id") != problems.problem(three).tasks[0].id]
    lines[2]["turns"] = 5
    lines.append({"id": "b", "model": "n", "instance": two, "turns": [CLOSE]})
    row, other = summarize(grade_rows(grader.grade(line) for line in lines)).sets
    assert (row["model"], row["set"], row["submissions"], row["unscored"], row["missing"]) == (
        "m",
        "asynctool/similar2",
        17,
        1,
        0,
    )
    assert row["acc"] == row["char"] == pytest.approx(31 / 32)
    assert row["overall"] == row["task_char"] == pytest.approx(15 / 16)
    assert row["efficiency"] == 1
    assert row["causes"] == {"neglected_task": 1}
    assert (other["overall"], other["turns"], other["func"], other["missing"]) == (0, None, 0, 16)
    assert other["causes"] == {"neglected_task": 2}
