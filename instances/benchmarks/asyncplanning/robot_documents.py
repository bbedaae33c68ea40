"""Tasks and episodes as records like the released ones, with their names."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning.robot_facts import PREPARED, TICKS, WORK, Ingredient, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_lines import witness_text

# Traits that records state as flags.
_FLAGS = frozenset((*(flag for flag, _ in PREPARED.values()), *WORK["mash"].traits))


def document_of(task: RobotTask) -> dict[str, Any]:
    """Return the record of a task or an episode.

    Parameters
    ----------
    task
        Facts.
    """
    *_, difficulty, identifier = f"any/{task.name}".split("/")
    record: dict[str, Any] = {"name": task.name, "id": identifier}
    if task.is_online:
        initial = _beginning(task) | {"deliveries": _deliveries(task, 0)}
        record |= {"difficulty": f"online_{difficulty}", "initial_task": initial}
        record["events"] = [_event(task, stage) for stage in range(1, len(task.arrivals) + 1)]
        return record
    record |= _beginning(task)
    record["split"] = difficulty
    (order,) = task.orders
    record["goal"] = {"required_states": dict(order.required), "stack_order": list(order.stack)}
    record["witness_plan"] = witness_text(task)
    limits = {"deadline": task.deadline, "optimal_makespan": task.optimum}
    for field, ticks in limits.items():
        if ticks is not None:
            record[field] = ticks / TICKS
    if task.best_reward is not None:
        record["optimal_reward"] = task.best_reward
    return record


def _beginning(task: RobotTask) -> dict[str, Any]:
    """Return what both kinds of records have at the beginning."""
    durations = {action: ticks / TICKS for action, ticks in task.durations.items()}
    facts: dict[str, Any] = {"items": _items(task, 0), "action_durations": durations}
    facts["stations"] = dict(task.stations)
    facts["temporal_constraints"] = _constraints(task, 0)
    facts["robots"] = list(task.robots)
    facts["candidate_goals"] = _candidates(task, 0)
    if task.inventory is not None:
        facts["inventory_limits"] = dict(task.inventory)
    return facts


def _event(task: RobotTask, stage: int) -> dict[str, Any]:
    delta = {"add_items": _items(task, stage), "add_deliveries": _deliveries(task, stage)}
    delta["add_temporal_constraints"] = _constraints(task, stage)
    delta["add_candidate_goals"] = _candidates(task, stage)
    return {"id": f"event_{stage}", "trigger_time": task.moments[stage] / TICKS, "delta": delta}


def _items(task: RobotTask, stage: int) -> Any:
    return {item.name: _item(item) for item in task.items if item.stage == stage}


def _item(item: Ingredient) -> dict[str, Any]:
    predicates = [trait for trait in item.traits if trait not in _FLAGS]
    flags = dict.fromkeys(_FLAGS.intersection(item.traits), True)
    return {"state": item.state, "predicates": predicates, **dict(sorted(flags.items()))}


def _deliveries(task: RobotTask, stage: int) -> Any:
    deliveries: list[dict[str, Any]] = []
    for order in task.orders:
        if order.stage == stage:
            goal = {"required_states": dict(order.required), "stack_order": list(order.stack)}
            deliveries.append({"id": order.name, **goal})
    return deliveries


def _constraints(task: RobotTask, stage: int) -> Any:
    constraints: list[dict[str, Any]] = []
    for lag in task.lags:
        if lag.stage == stage:
            before, after = (dict(zip(("action", "item"), end, strict=True)) for end in (lag.before, lag.after))
            constraints.append({"before": before, "after": after, "min_lag": lag.ticks / TICKS})
    return constraints


def _candidates(task: RobotTask, stage: int) -> Any:
    candidates: list[dict[str, Any]] = []
    for candidate in task.candidates:
        if candidate.stage == stage:
            goal = {"id": candidate.name, "item": candidate.item, "state": candidate.state}
            candidates.append(goal | {"reward": candidate.reward, "cost": dict(candidate.cost)})
    return candidates
