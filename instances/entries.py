"""Instances made of documents of our own format whose fields have been checked, as those have that ship with us.

What checks the fields of other documents, `planoracle.instances.files`, brings a library that takes time to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planoracle.instances import registry
from planoracle.instances.errors import InputError, together
from planoracle.instances.model import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.problem import GENERAL
from planoracle.instances.visible import one_of

_Entry = Mapping[str, Any]


def instance_of(document: _Entry) -> Instance:
    """Return the instance of a document; raises `InputError` where its parts do not fit together."""
    error = together(
        InputError("give either uses or modes, not both", field=f"tasks[{t}].actions[{a}].modes")
        for t, task in enumerate(document["tasks"])
        for a, step in enumerate(task["actions"])
        if step.get("uses") is not None and step.get("modes") is not None
    )
    if error is not None:
        raise error
    actions, lags = [], []
    for task in document["tasks"]:
        for step in task["actions"]:
            actions.append(_action(task["name"], step))
            lags += [_lag(task["name"], step["name"], after) for after in step.get("after", ())]
    return Instance(
        name=document["name"],
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(Resource(**resource) for resource in document.get("resources", ())),
        agents=tuple(document.get("agents", ("agent",))),
        benchmark=_benchmark(document.get("benchmark", GENERAL)),
        unit=document.get("unit", "tick"),
        seconds_per_tick=document.get("seconds_per_tick"),
        time_limit=document.get("time_limit"),
    )


def _benchmark(name: str) -> str:
    """Return the name of a benchmark whose problems a file can hold."""
    found = registry.formerly(name)
    if found is None or not found.self_contained:
        known = [other for other in registry.names() if registry.get(other).self_contained]
        raise InputError(one_of(name, known), field="benchmark", value=name)
    return found.name


def _action(task: str, step: _Entry) -> Action:
    modes, agents, attended = step.get("modes"), step.get("agents"), step.get("attended")
    return Action(
        id=f"{task}/{step['name']}",
        task=task,
        duration=step["duration"],
        attended=step["duration"] if attended is None and agents != [] else attended or 0,
        interruptible=step.get("interruptible", False),
        modes=tuple(_mode(task, mode) for mode in ([{"uses": step.get("uses") or ()}] if modes is None else modes)),
        agents=None if agents is None else tuple(agents),
        release=step.get("release", 0),
        label=step.get("label", ""),
    )


def _mode(task: str, mode: _Entry) -> Mode:
    demands = tuple(Demand(**use) for use in mode.get("uses", ()))
    return Mode(demands, mode.get("name", ""), tuple(_full(task, before) for before in mode.get("after", ())))


def _lag(task: str, name: str, after: _Entry | str) -> Lag:
    entry: _Entry = {"action": after} if isinstance(after, str) else after
    return Lag(_full(task, entry["action"]), f"{task}/{name}", entry.get("min_lag", 0), entry.get("max_lag"))


def _full(task: str, name: str) -> str:
    """Return the id of an action, which within its task goes by its name alone."""
    return name if "/" in name else f"{task}/{name}"
