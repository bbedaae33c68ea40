"""Outcome of a plan by the rules: executed lines, violations, makespan and reward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from planoracle.instances.benchmarks.asyncplanning import robot_checks as checks
from planoracle.instances.benchmarks.asyncplanning.robot_events import (
    UNDER_WAY,
    RobotState,
    first_world,
    line_fault,
    play,
)
from planoracle.instances.benchmarks.asyncplanning.robot_facts import WORK, Candidate, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line, in_order
from planoracle.instances.benchmarks.asyncplanning.robot_rules import RobotRules
from planoracle.instances.model.violations import Violation

_RESULTS = {UNDER_WAY[action]: work.after for action, work in WORK.items()}


class Outcome(NamedTuple):
    """Outcome of a plan.

    Attributes
    ----------
    lines
        Lines in the order of their execution, with absolute starts.
    violations
        Violations; the first is the reason of the failure.
    makespan
        Ticks; of a failed execution by events the time of the failure. ``None`` if no line could be read.
    states
        States of the items at the end.
    reward
        Reward of the attained candidates; ``None`` if there are no candidates, or the plan breaks an earlier rule.
    aim
        Reward that could be reached at the last event, if the rules compare with it.
    """

    lines: tuple[Line, ...]
    violations: tuple[Violation, ...]
    makespan: int | None
    states: dict[str, str]
    reward: int | None = None
    aim: int | None = None


class StageLines(NamedTuple):
    """Lines of an episode that are carried out.

    Attributes
    ----------
    lines
        Lines in order, with absolute starts.
    violation
        Violation of the stages, which ended the episode.
    at_last_event
        State at the last event, for the reward that could still be reached.
    clock
        Time of a failure before an event.
    """

    lines: list[Line]
    violation: Violation | None
    at_last_event: RobotState | None = None
    clock: int | None = None


def outcome(task: RobotTask, stages: Sequence[Sequence[Line]], rules: RobotRules) -> Outcome:
    """Return the outcome of a plan.

    Parameters
    ----------
    task
        Facts.
    stages
        Lines of every stage, see `RobotPlan`; a task has one.
    rules
        Rules.
    """
    goal = _under(task, rules)
    if not goal.is_online:
        return _graded(goal, in_order(stages[0], is_online=False) if stages else [], rules)
    committed = commit(goal, stages, rules)
    if committed.violation is None:
        return _graded(goal, committed.lines, rules, committed.at_last_event)
    end = committed.clock
    if end is None:
        end = _latest_end(committed.lines)
    is_read = any(stages)
    states = first_world(goal).states
    return Outcome(tuple(committed.lines), (committed.violation,), end if is_read else None, states)


def _under(task: RobotTask, rules: RobotRules) -> RobotTask:
    """Return a task with the goals that the rules check: of a task with candidates these or the selection."""
    if not task.candidates or task.is_online:
        return task if rules.online_lags or not task.is_online else replace(task, lags=())
    if rules.selection == "published":
        return replace(task, candidates=())
    return replace(task, orders=tuple(order._replace(required=()) for order in task.orders))


def commit(task: RobotTask, stages: Sequence[Sequence[Line]], rules: RobotRules) -> StageLines:
    """Return the lines of an episode that are carried out.

    A line is if it starts before the next event; all others are forgotten.
    """
    lines: list[Line] = []
    world = None
    for stage, now in enumerate(task.moments):
        if stage >= len(stages):
            return StageLines(lines, Violation(None, "stage_missing", f"stage {stage}", start=now, end=now))
        if not stages[stage] and not rules.empty_stages:
            empty = Violation(None, "no_plan", f"stage {stage}", start=now, end=now, required=stage)
            return StageLines(lines, empty)
        horizon = task.arrivals[stage] if stage < len(task.arrivals) else None
        future = [line._replace(start=line.start + now) for line in stages[stage]]
        if horizon is not None:
            future = [line for line in future if line.start < horizon]
        lines = in_order([*lines, *future], is_online=True)
        known_task = task.until(stage)
        if rules.execution == "events" and horizon is not None:
            world = play(known_task, lines, horizon)
            if world.violation is not None:
                return StageLines(lines, world.violation, clock=world.clock)
        violation = _unknown_item(known_task, lines)
        if rules.execution == "whole" and violation is not None:
            return StageLines(lines, violation)
    return StageLines(lines, None, world)


def _unknown_item(task: RobotTask, lines: Sequence[Line]) -> Violation | None:
    """Return the first line with an item that has not arrived."""
    for position, line in enumerate(lines):
        if line.arguments and line.item not in task.by_name:
            return line_fault("unknown_item", position, line)
    return None


def _latest_end(lines: Sequence[Line]) -> int:
    return max((line.end for line in lines), default=0)


def _graded(task: RobotTask, lines: list[Line], rules: RobotRules, at_event: RobotState | None = None) -> Outcome:
    """Return the outcome of lines with absolute starts."""
    if not lines and not task.is_online:
        violation = Violation(None, "no_plan", "answer")
        return Outcome((), (violation,), None, first_world(task).states)
    faults = list(checks.line_faults(task, lines, rules))
    if rules.execution == "whole":
        result = _as_whole(task, lines, faults, rules)
    else:
        result = _by_events(task, lines, faults)
    if task.candidates and not result.violations:
        return _with_reward(task, result, rules, at_event)
    return result


def _as_whole(task: RobotTask, lines: list[Line], faults: list[Violation], rules: RobotRules) -> Outcome:
    """Return the outcome of a plan that is checked as a whole."""
    end = _latest_end(lines)
    if faults:
        return Outcome(tuple(lines), tuple(faults), end, first_world(task).states)
    world = first_world(task)
    numbered = sorted(enumerate(lines), key=itemgetter(1))
    in_sequence = [line for _, line in numbered]
    violations = [*checks.conflicts(task, lines), *checks.state_faults(world, numbered)]
    if rules.stacks == "order":
        violations += checks.pile_order_faults(task, checks.pile_of(lines))
    else:
        violations += checks.pile_faults(task, in_sequence)
    violations += checks.goal_faults(task, world)
    violations += checks.lag_faults(task, in_sequence)
    violations += checks.deadline_faults(task, end)
    return Outcome(tuple(lines), tuple(violations), end if lines else None, world.states)


def _by_events(task: RobotTask, lines: list[Line], faults: list[Violation]) -> Outcome:
    """Return the outcome of a plan that is carried out until the first failure."""
    world = play(task, lines)
    violations = list(faults)
    if not violations and world.violation is not None:
        violations.append(world.violation)
    if not violations:
        violations = list(_goal_faults_of_run(task, world, lines))
    return Outcome(tuple(lines), tuple(violations), world.clock, world.states)


def _goal_faults_of_run(task: RobotTask, world: RobotState, lines: Sequence[Line]) -> Iterator[Violation]:
    """Yield the goals that a run without failure does not reach, in the order of the released code."""
    yield from checks.goal_faults(task, world)
    yield from checks.pile_order_faults(task, world.pile)
    yield from checks.lag_faults(task, lines)
    yield from checks.deadline_faults(task, world.clock)


def _with_reward(task: RobotTask, result: Outcome, rules: RobotRules, at_event: RobotState | None) -> Outcome:
    """Return an outcome with its reward, and the violations of inventory and reward."""
    attained = [candidate for candidate in task.candidates if result.states[candidate.item] == candidate.state]
    reward = sum(candidate.reward for candidate in attained)
    violations = tuple(checks.inventory_faults(task, attained))
    aim = None
    if rules.selection == "published" and at_event is not None:
        aim = reachable_reward(task, at_event)
        if reward < aim and not violations:
            violations = (Violation(None, "reward", "plan", required=aim, actual=reward),)
    return result._replace(violations=violations, reward=reward, aim=aim)


def reachable_reward(task: RobotTask, world: RobotState) -> int:
    """Return the reward that the released code finds reachable at an event.

    What is under way counts as done. A candidate that has been touched but not attained is lost, and takes its whole
    cost from the inventory.
    """
    reward = 0
    stock = dict(task.inventory or {})
    untouched: list[Candidate] = []
    for candidate in task.candidates:
        state = world.states.get(candidate.item, task.by_name[candidate.item].state)
        is_touched = state != task.by_name[candidate.item].state
        if _RESULTS.get(state, state) == candidate.state:
            reward += candidate.reward
        elif not is_touched:
            untouched.append(candidate)
        for resource, amount in candidate.cost if is_touched else ():
            stock[resource] = max(0, stock.get(resource, 0) - amount)
    return reward + best_selection(untouched, stock)


def best_selection(candidates: Sequence[Candidate], stock: dict[str, int]) -> int:
    """Return the greatest reward of candidates within an inventory.

    >>> fish, soup = Candidate("a", "fish", "fried", 8, (("oil", 1),)), Candidate("b", "soup", "boiled", 6, ())
    >>> best_selection([fish, soup], {"oil": 1}), best_selection([fish, soup], {"oil": 0})
    (14, 6)
    """
    resources = sorted(stock)
    best = {tuple(stock[resource] for resource in resources): 0}
    for candidate in candidates:
        cost = dict(candidate.cost)
        for amounts, reward in list(best.items()):
            pairs = zip(resources, amounts, strict=True)
            remaining = tuple(amount - cost.get(resource, 0) for resource, amount in pairs)
            if min(remaining, default=0) >= 0:
                best[remaining] = max(best.get(remaining, 0), reward + candidate.reward)
    return max(best.values())
