"""Execution of random task lists compared with a separate model of the released rules."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.paracook_abstract.problems import instance
from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.simulator import Step
from tests.support.paracook_abstract import DISH, best_after, random_problem
from tests.support.samples import examples

BENCHMARK = registry.get("paracook_abstract")
#: Ticks, and minimum lags from other tasks, by task.
TASKS = {name: (ticks, lags) for name, ticks, lags in DISH}
TWO = instance("two", DISH, 2)
#: Tasks in topological order.
TASK_ORDER = [TWO.actions[position].id.partition("/")[2] for position in TWO.order]
#: Four to six tasks, which can repeat, or every task once, in up to three lists.
NAMES = st.lists(st.sampled_from(list(TASKS)), min_size=4, max_size=6) | st.permutations(list(TASKS))
LISTS = st.builds(
    lambda names, first, second: [names[:first], names[first:second], names[max(first, second) :]],
    NAMES,
    st.integers(0, 4),
    st.integers(0, 6),
)
#: The second execution of fry ends before the first one.
EARLIER_REPETITION = [["wash", "fry", "serve"], ["cut", "fry"]]
#: Two executions of fry end at the same time.
EQUAL_ENDS = [["fry", "wash", "cut", "serve"]] * 2
#: Four repetitions, and three tasks that are missing.
MORE_REPETITIONS = [[], ["fry"], ["fry"] * 4]
#: All tasks, in one list more than there are agents.
SURPLUS_LIST = [["fry", "serve"], ["cut"], ["wash"]]


class Execution(NamedTuple):
    """Task of a list with its place, start and end."""

    task: str
    place: tuple[int, int]
    start: int
    end: int


def execute(lists: list[list[str]]) -> list[Execution]:
    """Try the lists in turn, a task per try, until a round executes nothing."""
    executed: list[Execution] = []
    positions = [0] * len(lists)
    count = -1
    while len(executed) > count:
        count = len(executed)
        for number, tasks in enumerate(lists):
            if positions[number] == len(tasks):
                continue
            task = tasks[positions[number]]
            ticks, lags = TASKS[task]
            if set(lags) <= {entry.task for entry in executed}:
                free = [entry.end for entry in executed if entry.place[0] == number]
                ready = [entry.end + lags[entry.task] for entry in executed if entry.task in lags]
                start = max([0, *free, *ready])
                executed.append(Execution(task, (number, positions[number]), start, start + ticks))
                positions[number] += 1
    return executed


def run(plan: Any, profile: str) -> ParaCookRun:
    return BENCHMARK.run(TWO, {"id": "x", "instance": "two", "plan": plan}, BENCHMARK.rules.profile(profile))


def listed(lists: list[list[str]]) -> list[str]:
    return [*chain.from_iterable(lists)]


def is_strict(lists: list[list[str]], executed: list[Execution]) -> bool:
    """Return True if every task is executed, listed once, and no agent is missing."""
    return sorted(listed(lists)) == sorted(TASKS) and len(executed) == len(TASKS) and sum(map(bool, lists)) <= 2


@examples(600)
@example(EARLIER_REPETITION)
@example(SURPLUS_LIST)
@example(EQUAL_ENDS)
@given(LISTS)
def test_lists_are_executed_by_the_released_rules(lists: list[list[str]]) -> None:
    executed = execute(lists)
    makespan = max((entry.end for entry in executed), default=0)
    pairs = {(entry.task, entry.end) for entry in executed}
    released, paper = run(lists, "released"), run(lists, "paper")
    assert list(map(tuple, released.record.entries)) == executed
    executed_of_lists = [sum(entry.place[0] == number for entry in executed) for number in range(len(lists))]
    unfinished = [number for number, tasks in enumerate(lists) if executed_of_lists[number] < len(tasks)]
    assert list(released.record.stuck) == [(number, executed_of_lists[number]) for number in unfinished]
    assert released.success == (len(pairs) == len(TASKS))
    assert paper.success == is_strict(lists, executed)
    for result in (released, paper):
        assert result.makespan == (makespan if result.success else None)
    loopholes = ["repeats"] * (set(listed(lists)) != set(TASKS) or len(listed(lists)) > len(TASKS))
    loopholes += ["lists"] * (sum(map(bool, lists)) > 2)
    assert (released.loophole, paper.loophole) == (" and ".join(loopholes) if released.success else "", "")
    done = {entry.task for entry in executed}
    for violation in paper.verdict.violations:
        if violation.kind == "too_many_lists":
            assert (violation.required, violation.actual) == (2, 3)
        elif violation.kind == "never_ready":
            lags = TASKS[violation.subject.partition("/")[2]][1]
            assert [other.subject for other in violation.others] == [
                f"orders/{task}" for task in lags if task not in done
            ]


@examples(600)
@example(EARLIER_REPETITION)
@given(LISTS)
def test_verdict_counts_the_tasks_before_the_first_violation(lists: list[list[str]]) -> None:
    in_order = sorted(execute(lists), key=lambda entry: entry.start)
    result = run(lists, "paper")
    verdict = result.verdict
    positions = [violation.position for violation in verdict.violations if violation.position is not None]
    counted = in_order[: min([len(in_order), *positions])]
    tasks = {entry.task for entry in counted}
    missing = {f"orders/{task}": ticks for task, (ticks, _) in TASKS.items() if task not in tasks}
    assert (verdict.executed, verdict.progress) == (len(counted), len(tasks) / len(TASKS))
    assert (verdict.makespan, verdict.remaining) == (max((entry.end for entry in counted), default=0), missing)
    events = in_order[: len(counted) + 1]
    assert [(event.start, event.end, event.accepted) for event in verdict.events] == [
        (entry.start, entry.end, entry in counted) for entry in events
    ]
    busy = {tick for entry in in_order for tick in range(entry.start, entry.end)}
    idle = {tick for start, end in verdict.idle for tick in range(start, end)}
    assert idle == set(range(max((entry.end for entry in in_order), default=0))) - busy


@examples(600)
@example(EARLIER_REPETITION)
@given(LISTS)
def test_targets_are_the_first_places_of_tasks(lists: list[list[str]]) -> None:
    """Tasks that are never executed follow one another in their list."""
    executed = execute(lists)
    starts = {entry.place: entry.start for entry in executed}
    order = sorted(executed, key=lambda entry: entry.start)
    places = [(number, index) for number, tasks in enumerate(lists) for index in range(len(tasks))]
    expected: dict[str, int] = {}
    for number, index in [*(entry.place for entry in order), *(place for place in places if place not in starts)]:
        if (number, index) not in starts:
            before = lists[number][index - 1]
            starts[number, index] = starts[number, index - 1] + TASKS[before][0] if index else 0
        expected.setdefault(lists[number][index], starts[number, index])
    targets = run(lists, "paper").targets()
    assert {target.piece.action: target.piece.start for target in targets.targets} == {
        f"orders/{task}": start for task, start in expected.items()
    }
    for target in targets.targets:
        agent = target.command.partition(":")[0]
        assert target.piece.agent == (agent if agent in TWO.agents else None)
    assert len(targets.dropped) == len(places) - len(expected)


@examples(600)
@example(MORE_REPETITIONS, "released")
@given(LISTS | st.sampled_from([EARLIER_REPETITION, SURPLUS_LIST]), st.sampled_from(["paper", "released"]))
def test_executed_tasks_up_to_the_first_violation_are_decisions(lists: list[list[str]], profile: str) -> None:
    """A passing plan may repeat tasks: each repetition stands for a missing task, the last one first."""
    in_order = sorted(execute(lists), key=lambda entry: entry.start)
    result = run(lists, profile)
    fatal = result.verdict.fatal
    stop = result.stop
    assert stop == min([len(in_order), *(v.position for v in result.verdict.violations if v.position is not None)])
    full = [number for number, tasks in enumerate(lists) if tasks]
    numbers = full if len(lists) > 2 else [0, 1]
    missing = [name for name in TASK_ORDER if name not in listed(lists)] if result.success else []
    tasks: list[tuple[str, int, int, str]] = []
    for count, point in enumerate(result.points[: stop + 1]):
        pieces = [piece[:4] for piece in point.state.pieces if piece.action in TWO.by_id]
        assert pieces == tasks
        repeats = count - len(tasks)
        dropped = missing[max(0, len(missing) - repeats) :]
        assert set(TWO.by_id) - set(point.instance.by_id) == {f"orders/{name}" for name in dropped}
        is_crowded = any(numbers.index(entry.place[0]) > 1 for entry in in_order[:count])
        assert len(point.instance.agents) == (3 if is_crowded else 2)
        if count < stop:
            entry, step = in_order[count], result.steps[count]
            agent = f"agent{numbers.index(entry.place[0]) + 1}"
            assert step == Step(count, f"{agent}: {entry.task}", "act", entry.start, entry.end)
            if f"orders/{entry.task}" not in {action for action, *_ in tasks}:
                tasks.append((f"orders/{entry.task}", entry.start, entry.end - entry.start, agent))
        text, verdict = result.completed(count, Schedule(()))
        assert verdict == run(json.loads(text), profile).verdict
        commands = {f"agent{number}: {task}" for number, tasks in enumerate(json.loads(text), 1) for task in tasks}
        assert commands == {f"{agent}: {task.partition('/')[2]}" for task, _, _, agent in tasks[: len(pieces)]}
    lost = result.steps[stop:]
    assert [step.kind for step in lost] == ["lost"] * (stop < sum(map(len, lists)))
    is_fault = fatal is not None and fatal.position == stop
    assert [step.violation for step in lost] == [fatal if is_fault else None] * len(lost)


@given(st.integers(0, 500), st.data())
def test_live_run_accepts_exactly_the_legal_commands(seed: int, data: st.DataObject) -> None:
    problem = random_problem(seed)
    live = BENCHMARK.environment(problem, BENCHMARK.rules.profile("paper"), RunConfig())
    lists: dict[str, list[str]] = {agent: [] for agent in problem.agents}
    tasks = [action.id.partition("/")[2] for action in problem.actions]
    while not live.done:
        legal = [command.text for command in live.legal()]
        commands = [f"{agent}: {task}" for task in tasks for agent in problem.agents]
        accepted = [text for text in commands if live.fork().step(text).outcomes[0].violation is None]
        assert legal == accepted
        point = live.run().points[-1]
        assert [choice.text for choice in live.simulator.choices(point, 1)] == legal
        text = data.draw(st.sampled_from(legal))
        agent, _, task = text.partition(": ")
        lists[agent].append(task)
        assert live.step(text).outcomes[0].command == text
    replayed = BENCHMARK.run(problem, list(lists.values()))
    assert (live.state.over, live.success) == ("completed", True)
    assert replayed.makespan == best_after(problem, list(lists.values()))
