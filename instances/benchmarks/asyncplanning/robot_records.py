"""Released records of tasks and episodes, as facts in the form of `task_of`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from planoracle.instances.benchmarks.asyncplanning.robot_facts import TICKS
from planoracle.instances.benchmarks.asyncplanning.robot_lines import lines_in
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import check as check_document

#: Beginning of the difficulty of episodes.
_ONLINE = "online_"
# Name of the order of a task, as in the episodes that begin with it.
_ORDER = "source_order"


class _Item(TypedDict):
    state: str
    predicates: list[str]
    fry_requires_cut: NotRequired[bool]
    grill_requires_marinated: NotRequired[bool]
    mash_requires_boiled: NotRequired[bool]


class _Step(TypedDict):
    action: str
    item: str


class _Lag(TypedDict):
    before: _Step
    after: _Step
    min_lag: float


class _Goal(TypedDict):
    required_states: dict[str, str]
    stack_order: list[str]


class _Delivery(_Goal):
    id: str
    deadline: NotRequired[None]


class _Candidate(TypedDict):
    id: str
    item: str
    state: str
    reward: int
    cost: dict[str, int]


class _KitchenRecord(TypedDict):
    items: dict[str, _Item]
    action_durations: dict[str, float]
    stations: dict[str, int]
    temporal_constraints: NotRequired[list[_Lag]]
    robots: NotRequired[list[str]]
    candidate_goals: NotRequired[list[_Candidate]]
    inventory_limits: NotRequired[dict[str, int]]
    deadline: NotRequired[float | None]


class _Static(_KitchenRecord):
    name: NotRequired[str]
    id: str
    split: str
    goal: _Goal
    optimal_makespan: NotRequired[float]
    optimal_reward: NotRequired[int]
    witness_plan: NotRequired[str]


class _Initial(_KitchenRecord):
    deliveries: list[_Delivery]


class _Delta(TypedDict):
    add_items: dict[str, _Item]
    add_deliveries: NotRequired[list[_Delivery]]
    add_temporal_constraints: NotRequired[list[_Lag]]
    add_candidate_goals: NotRequired[list[_Candidate]]
    set_deadline: NotRequired[None]
    replace_deliveries: NotRequired[None]


class _Event(TypedDict):
    id: str
    trigger_time: float
    delta: _Delta


class _Episode(TypedDict):
    name: NotRequired[str]
    id: str
    difficulty: str
    initial_task: _Initial
    events: list[_Event]


def is_static(document: object) -> bool:
    """Return True for a record of the Robo Challenge."""
    return isinstance(document, dict) and {"witness_plan", "action_durations", "goal"} <= document.keys()


def is_episode(document: object) -> bool:
    """Return True for a record of the online part."""
    return isinstance(document, dict) and {"initial_task", "events"} <= document.keys()


def name_of(record: Mapping[str, Any]) -> str:
    """Return the name of the problem of a record without that of the benchmark.

    >>> name_of({"id": "online_easy_02", "difficulty": "online_easy", "initial_task": {}, "events": []})
    'online/easy/online_easy_02'
    """
    if is_episode(record):
        return f"online/{record['difficulty'].removeprefix(_ONLINE)}/{record['id']}"
    return f"robo/{record['split']}/{record['id']}"


def facts_of(record: dict[str, Any], field: str) -> dict[str, Any]:
    """Return the facts of a record.

    Parameters
    ----------
    record
        JSON object for which `is_static` or `is_episode` is true.
    field
        Path of the record, for errors.

    Raises
    ------
    InputError
        For a missing or wrong field.
    """
    if is_episode(record):
        check_document(_Episode, record, field)
        return _episode_facts(record)
    check_document(_Static, record, field)
    return _static_facts(record)


def _static_facts(record: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a task; its goal is one order."""
    facts = _world(record)
    order = {"id": _ORDER, **record["goal"]}
    facts["orders"] = _orders([order])
    if "optimal_makespan" in record:
        facts["optimum"] = _number(record["optimal_makespan"])
    if "optimal_reward" in record:
        facts["reward"] = record["optimal_reward"]
    plan = lines_in(record.get("witness_plan", ""))
    facts["witness"] = [f"{_number(line.start / TICKS)} {line.words}" for line in plan]
    return facts


def _episode_facts(record: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of an episode."""
    initial = record["initial_task"]
    facts = _world(initial)
    facts["orders"] = _orders(initial["deliveries"])
    facts["events"] = [_event(event) for event in record["events"]]
    return facts


def _world(record: dict[str, Any]) -> dict[str, Any]:
    """Return what both kinds of records have."""
    durations = record["action_durations"]
    robots = map(_word, record.get("robots", ()))
    facts: dict[str, Any] = {"items": _items(record["items"])}
    facts["durations"] = {action: _number(seconds) for action, seconds in durations.items()}
    facts["stations"] = record["stations"]
    facts["lags"] = _lags(record.get("temporal_constraints", ()))
    facts["robots"] = " ".join(robots)
    facts["candidates"] = _candidates(record.get("candidate_goals", ()))
    facts["inventory"] = record.get("inventory_limits")
    facts["deadline"] = record.get("deadline")
    return {key: value for key, value in facts.items() if value}


def _event(event: dict[str, Any]) -> dict[str, Any]:
    delta = event["delta"]
    facts: dict[str, Any] = {}
    facts["orders"] = _orders(delta.get("add_deliveries", ()))
    facts["lags"] = _lags(delta.get("add_temporal_constraints", ()))
    facts["candidates"] = _candidates(delta.get("add_candidate_goals", ()))
    parts = {key: value for key, value in facts.items() if value}
    return {"time": event["trigger_time"], "items": _items(delta["add_items"]), **parts}


def _items(items: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return state and traits of every item, as words."""
    texts = {}
    for name, item in items.items():
        flags = [key for key, value in item.items() if value is True]
        words = [item["state"], *item["predicates"], *flags]
        texts[_word(name)] = " ".join(map(_word, words))
    return texts


def _orders(orders: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    facts: dict[str, list[Any]] = {}
    for order in orders:
        stack = " ".join(map(_word, order["stack_order"]))
        facts[order["id"]] = [order["required_states"], stack]
    return facts


def _candidates(candidates: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    facts: dict[str, list[Any]] = {}
    for candidate in candidates:
        facts[candidate["id"]] = [candidate["item"], candidate["state"], candidate["reward"], candidate["cost"]]
    return facts


def _lags(constraints: Iterable[dict[str, Any]]) -> list[str]:
    """Return minimum times as words: action, item, later action, later item, seconds."""
    texts = []
    for constraint in constraints:
        before, after = constraint["before"], constraint["after"]
        words = [before["action"], before["item"], after["action"], after["item"]]
        names = " ".join(map(_word, words))
        texts.append(f"{names} {_number(constraint['min_lag'])}")
    return texts


def _word(name: str) -> str:
    """Return a name; raise `InputError` if it is empty or contains spaces, as no plan could name it."""
    if name.split() != [name]:
        raise InputError("must be a name without spaces", field="name", value=name)
    return name


def _number(value: float) -> float:
    """Return a whole number without a decimal point.

    >>> _number(10.0), _number(2.5)
    (10, 2.5)
    """
    return int(value) if value == int(value) else value
