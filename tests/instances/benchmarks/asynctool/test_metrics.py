"""Metrics and decisions of AsyncTool compared with their definitions, on random transcripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby, permutations
from math import inf
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.asynctool.language import CLOSING, MAX_MESSAGES, WAIT, call_message
from planoracle.instances.benchmarks.asynctool.metrics import CallMeasurement, Labels, declare, streak_floor
from planoracle.instances.benchmarks.asynctool.problem_model import CLOSE, Call, Delays, instance
from planoracle.instances.benchmarks.asynctool.rules import RULE_SET
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.plan import Plan, Target
from planoracle.instances.protocol.scoring import MetricSet, Optimum
from planoracle.solver.states.values import values_of
from tests.support.asynctool import chains
from tests.support.samples import examples

LENGTHS = {"t0": 3, "t1": 2}
#: Reference calls: a sub-task, and the number of the call in its chain.
CALLS = [("t0", 0), ("t0", 1), ("t0", 2), ("t1", 0), ("t1", 1)]
MESSAGES = {
    "wait": WAIT,
    "text": "Let me think. " * 20 + json.dumps(call_message("t0", Call("t0_f0", {"x": 0}))) * 2,
    "other task": call_message("t9", Call("t0_f0", {"x": 0})),
    "close": CLOSING,
}
TURNS = st.lists(st.sampled_from([*CALLS, *CALLS, "wait", "text", "other task"]), max_size=12)


def function(call: tuple[str, int]) -> str:
    """Return the function of a reference call: two functions alternate in a chain."""
    task, step = call
    return f"{task}_f{step % 2}"


#: Actions by reference call.
ACTIONS = {call: f"{call[0]}/{call[1] + 1} {function(call)}" for call in CALLS}


def message(turn: Any) -> object:
    if isinstance(turn, str):
        return MESSAGES[turn]
    task, step = turn
    return call_message(task, Call(function(turn), {"x": step}))


def replayed(turns: Sequence[Any], delay: int = 1, **rules: str) -> Any:
    problem = instance(chains(list(LENGTHS.values()), Delays(delay, delay)))
    return AsyncToolRun(problem, Plan(None, list(map(message, turns))), RULE_SET.profile(**rules))


def measured(turns: Sequence[Any], delay: int = 1, **rules: str) -> Any:
    return CallMeasurement(replayed(turns, delay, **rules), None)  # type: ignore[arg-type]


def calls_of(turns: Iterable[Any]) -> list[tuple[str, int]]:
    return [turn for turn in turns if turn in CALLS]


def ids_and_steps(turns: Iterable[Any]) -> list[tuple[str, int]]:
    """Return the sub-task that each call names, which can be unknown, and the step of the same function."""
    return [("t9", 0) if turn == "other task" else turn for turn in turns if turn not in ("wait", "text")]


def known_from(turns: Sequence[Any], call: tuple[str, int], delay: int) -> float:
    """Return the first turn in which the result of a call can be used."""
    return turns.index(call) + 2 + delay if call in turns else inf


def is_ready(turns: Sequence[Any], call: tuple[str, int], number: int, delay: int) -> bool:
    """Return True if a call is missing before a turn in which its input is known."""
    task, step = call
    is_known = step == 0 or known_from(turns, (task, step - 1), delay) <= number
    return is_known and call not in turns[:number]


def is_early(turns: Sequence[Any], number: int, delay: int) -> bool:
    """Return True for a call before a result that it needs; a repetition needs all of its sub-task."""
    call, earlier = turns[number - 1], turns[: number - 1]
    task, step = call
    if call in earlier:
        pending = calls_of(earlier[max(0, number - 1 - delay) :])
        return task in dict(pending)
    before = (task, step - 1)
    return before in turns and known_from(turns, before, delay) > number


@examples(300)
@given(TURNS, st.integers(0, 3))
@example([("t1", 0), ("t1", 1), ("t0", 0), "wait"], 3)
def test_idle_turn_is_usable_if_the_input_of_a_missing_call_is_known(turns: list[Any], delay: int) -> None:
    idle = [number for number, turn in enumerate(turns, 1) if turn not in CALLS]
    usable = [number for number in idle if any(is_ready(turns, call, number, delay) for call in CALLS)]
    measurement = measured(turns, delay)
    assert (measurement.idle, measurement.usable_idle) == (idle, usable)


@examples(300)
@given(TURNS, st.integers(0, 3))
def test_call_is_premature_before_the_result_that_it_depends_on(turns: list[Any], delay: int) -> None:
    numbers = [number for number, turn in enumerate(turns, 1) if turn in CALLS]
    early = [number for number in numbers if is_early(turns, number, delay)]
    assert list(measured(turns, delay).record.premature) == early


@examples(300)
@given(TURNS)
def test_path_matches_by_calls_or_by_the_multiset_of_results(turns: list[Any]) -> None:
    # All calls of these tools have the same result: a sub-task needs as many results as reference calls.
    counts = Counter(task for task, _ in calls_of(turns))
    by_results = [counts[task] >= length for task, length in LENGTHS.items()]
    steps = Counter(task for task, _ in set(calls_of(turns)))
    by_calls = [steps[task] == length for task, length in LENGTHS.items()]
    assert measured(turns).char_matches == by_calls
    assert measured(turns, char="results").char_matches == by_results
    assert measured(turns, char="both").char_matches == list(map(min, by_calls, by_results))
    for rule, matches in (("calls", by_calls), ("results", by_results)):
        is_done = dict(zip(LENGTHS, matches, strict=True))
        lacking = {ACTIONS[call]: 1 for call in CALLS if call not in turns and not is_done[call[0]]}
        assert replayed(turns, char=rule).verdict.remaining == lacking


def labels(expected: Sequence[Hashable], actual: Sequence[Hashable]) -> Labels:
    """Return the counts of shared, surplus and missing labels, taken away one by one."""
    missing = list(expected)
    surplus = []
    for label in actual:
        if label in missing:
            missing.remove(label)
        else:
            surplus.append(label)
    return Labels(len(expected) - len(missing), len(surplus), len(missing))


@examples(300)
@given(TURNS)
def test_labels_are_compared_as_sets_and_for_micro_f1_as_multisets(turns: list[Any]) -> None:
    actual = ids_and_steps(turns)
    functions = [(task, step % 2) for task, step in CALLS]
    called = [(task, step % 2) for task, step in actual]
    measurement = measured(turns)
    assert measurement.functions == labels(list(set(functions)), list(set(called)))
    assert measurement.parameters == labels(CALLS, list(set(actual)))
    assert measurement.all_functions == labels(functions, called)
    assert measurement.all_parameters == labels(CALLS, actual)


@examples(300)
@given(TURNS)
def test_streak_is_the_longest_sequence_of_calls_of_one_sub_task(turns: list[Any]) -> None:
    ids = [turn[0] for turn in ids_and_steps(turns)]
    numbers = [number for number, turn in enumerate(turns, 1) if turn not in ("wait", "text")]
    numbered = zip(numbers, ids, strict=True)
    streaks = [[number for number, _ in streak] for _, streak in groupby(numbered, lambda call: call[1])]
    measurement = measured(turns)
    assert measurement.streak_calls == max(map(len, streaks), default=0)
    assert measurement.streak == max((streak[-1] - streak[0] + 1 for streak in streaks), default=0)


@pytest.mark.parametrize("counts", [(), (1,), (3,), (2, 2), (4, 1), (5, 1), (4, 2), (3, 1, 1), (3, 2, 2)])
def test_shortest_possible_streak_is_that_of_the_best_order(counts: tuple[int, ...]) -> None:
    tasks = [task for task, count in enumerate(counts) for _ in range(count)]
    orders = [groupby(order) for order in set(permutations(tasks))]
    assert streak_floor(counts) == min(max((len(list(same)) for _, same in order), default=0) for order in orders)


@examples(300)
@given(st.lists(TURNS, min_size=2, max_size=2), st.sampled_from(["implied", "required"]))
def test_every_turn_up_to_the_closing_message_is_a_decision(halves: list[list[Any]], closing: str) -> None:
    turns = [*halves[0], "close", *halves[1]] if halves[1] else halves[0]
    run = replayed(turns, closing=closing)
    pieces: list[Piece] = []
    is_complete = set(CALLS) <= set(halves[0])
    for number, turn in enumerate(turns[: len(run.steps)]):
        is_first = turn in ACTIONS and turn not in turns[:number]
        if is_first or turn == "close":
            pieces.append(Piece(ACTIONS.get(turn, CLOSE), number, 1, "agent"))
        kind = turn if turn == "wait" else "act" if is_first or turn == "close" else "lost"
        step, event, point = run.steps[number], run.verdict.events[number], run.points[number + 1]
        assert (step.position, step.kind, step.start, step.end) == (number, kind, number, number + 1)
        faults = [violation for violation in run.verdict.violations if violation.position == number]
        assert step.violation == (faults[0] if turn != "close" and faults else None)
        subjects = {"wait": "wait", "text": "unreadable", "other task": "t9: t0_f0", "close": "close"}
        subject = subjects[turn] if turn in subjects else f"{turn[0]}: {function(turn)}"
        call_count = len(set(calls_of(turns[: number + 1])))
        is_accepted = turn not in ("text", "other task")
        assert event == (number, subject, number, number + 1, is_accepted, call_count / len(CALLS))
        assert (point.state.pieces, point.state.clock, point.reached) == (tuple(pieces), number + 1, number + 1)
        assert point.over == ("closed" if turn == "close" and not is_complete else None)
        assert not (run.success and point.dead_end)
    assert len(run.steps) == len(halves[0]) + ("close" in turns)
    assert run.success == (is_complete and (closing == "implied" or "close" in turns))


@examples(300)
@given(st.lists(TURNS, min_size=1, max_size=2))
def test_targets_are_first_reference_calls_and_the_first_closing_message(parts: list[list[Any]]) -> None:
    turns = [turn for part in parts for turn in (*part, "close")]
    targets: list[Target] = []
    dropped = []
    several = "the message contains several calls; only one per turn is accepted"
    for number, turn in enumerate(turns):
        action = CLOSE if turn == "close" else ACTIONS.get(turn)
        if action is not None and turn not in turns[:number]:
            targets.append(Target(number, action, Piece(action, number, 1, "agent")))
        elif turn == "text":
            dropped.append((number, MESSAGES["text"][:200], several))
        elif turn == "close":
            dropped.append((number, "", "repeats the closing message"))
        elif turn != "wait":
            task, step = ("t0", 0) if turn == "other task" else turn
            call = str(Call(function((task, step)), {"x": step}))
            dropped.append((number, call, "is not a reference call of the problem"))
    result = replayed(turns).targets()
    assert list(result.targets) == targets
    assert list(map(tuple, result.dropped)) == dropped
    assert result.problem.time_limit == MAX_MESSAGES


@examples(300)
@given(TURNS, st.integers(0, 3))
def test_missing_calls_complete_a_run(turns: list[Any], delay: int) -> None:
    run = replayed(turns, delay)
    missing = [call for call in CALLS if call not in turns]
    rest = [*(ACTIONS[call] for call in missing), CLOSE]
    schedule = Schedule(tuple(Piece(action, len(turns) + late, 1, "agent") for late, action in enumerate(rest)))
    completed = [*turns, *missing, "close"]
    expected = "\n".join(json.dumps(message(turn)) for turn in completed)
    text, verdict = run.completed(len(turns), schedule)
    assert (text, verdict) == (expected, replayed(completed, delay).verdict)
    ready = [call for call in CALLS if is_next(turns, call) and is_ready(turns, call, len(turns) + 1, delay)]
    legal = [(json.dumps(message(call)), "act") for call in ready]
    legal.append((json.dumps(WAIT), "wait") if missing else (json.dumps(CLOSING), "close"))
    assert [(command.text, command.kind) for command in run.simulator.legal(run.state)] == legal


def is_next(turns: Sequence[Any], call: tuple[str, int]) -> bool:
    """Return True for the first missing call of a sub-task."""
    task, step = call
    return call not in turns and all((task, earlier) in turns for earlier in range(step))


def test_call_on_a_guess_leaves_the_remaining_calls_possible() -> None:
    run = replayed(CALLS[:2], delay=3)
    assert run.record.premature == (2,)
    assert values_of(run)[-1].makespan == 8  # t1 calls in turns 3 and 7


def test_other_call_replaces_one_missing_call_only() -> None:
    problem = instance(chains(list(LENGTHS.values()), Delays(1, 1)))
    other = call_message("t0", Call("t0_f0", {"x": 1}))  # the function of steps 0 and 2, the value of step 1
    run = AsyncToolRun(problem, Plan(None, [other, CLOSING]), RULE_SET.profile())
    missing = [violation for violation in run.verdict.violations if violation.kind == "missing_call"]
    assert [violation.actual for violation in missing if violation.others] == [0]


def test_values_of_a_failed_run() -> None:
    """The third call of a sub-task is missing, its first one is repeated, and a call is early."""
    turns = [("t0", 0), "wait", ("t0", 0), ("t0", 1), "text", ("t1", 0), ("t1", 1), "close"]
    measurement = measured(turns)
    measurement.optimum = Optimum(7)
    values = MetricSet(CallMeasurement, declare).values(measurement)
    assert [(cause["task"], cause["failed"]) for cause in values.pop("causes")] == [("t0", True), ("t1", False)]
    assert [list(counts.values()) for counts in values.pop("labels").values()] == [[5, 0, 0], [4, 1, 1]]
    text = ", ".join(f"{name} {value:.4g}" for name, value in values.items() if isinstance(value, int | float))
    assert text == (
        "func_f1 1, param_f1 0.8889, subtask_char 0.5, subtask_env 1, subtask_acc 0.5, task_char 0, task_env 1, "
        "overall 0, streak 4, streak_turns 4, streak_calls 3, streak_excess 2, turns 8, optimal_turns 7, "
        "optimal_calls 6, premature_calls 1, idle_turns 2, usable_idle_turns 2, func_f1_micro 1, param_f1_micro 0.8, "
        "subtasks 2, closed 1"
    )
    assert (values["turn_efficiency"], values["cause"]) == (None, "wrong_parameter")
