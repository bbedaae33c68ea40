"""Problems of ParaCook's abstract part as scheduling problems: tasks, lags, and identical agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from planoracle.instances.benchmarks.paracook.local_copy import an_object, copy_of, rows_of, within
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.protocol.schedule_benchmark import check_instance

#: Task of a released file: name, time, and minimum lags from the ends of its predecessors.
Row: TypeAlias = tuple[str, int, Mapping[str, int]]

#: Task of all actions, as the data do not name dishes.
GROUP = "orders"


def instance(name: str, rows: Iterable[Row], agents: int = 1) -> Instance:
    """Return a problem; raises `InputError` for invalid rows.

    >>> rows = [("chop", 4, {}), ("fry", 1, {"chop": 0}), ("serve", 2, {"fry": 24})]
    >>> three = instance("paracook/abstract/mine~2", rows, 2)
    >>> [action.id for action in three.actions], three.lags[1].minimum, three.agents
    (['orders/chop', 'orders/fry', 'orders/serve'], 24, ('agent1', 'agent2'))
    """
    actions: list[Action] = []
    lags: list[Lag] = []
    for task, time, min_lags in rows:
        action = Action(f"{GROUP}/{task}", GROUP, time, time)
        actions.append(action)
        for predecessor, min_lag in min_lags.items():
            lags.append(Lag(f"{GROUP}/{predecessor}", action.id, min_lag))
    problem = Instance(
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        agents=agent_names(agents),
        benchmark="paracook_abstract",
    )
    check_instance(problem)
    return problem


def agent_names(agents: int) -> tuple[str, ...]:
    """Return names of a number of agents."""
    numbers = range(1, agents + 1)
    return tuple(f"agent{number}" for number in numbers)


def list_agents(problem: Instance, lists: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """Return the agent of each list; with more lists than agents, empty lists come last.

    >>> list_agents(instance("two", [("fry", 3, {})], 2), [[], ["fry"], ["fry"]])
    ('agent3', 'agent1', 'agent2')
    """
    names = agent_names(len(lists))
    if len(lists) <= len(problem.agents):
        return names
    order = sorted(range(len(lists)), key=lambda number: not lists[number])
    names_in_order = sorted(zip(order, names, strict=True))
    return tuple(name for _, name in names_in_order)


def with_agent_count(problem: Instance, agents: int) -> Instance:
    """Return the same problem with another number of agents, which its name states."""
    return replace(problem, name=f"{problem.name}~{agents}", agents=agent_names(agents))


def name_of(action: str) -> str:
    """Return the name of an action in plans."""
    return action.partition("/")[2]


@ProblemCache
def by_name(problem: Instance) -> dict[str, Action]:
    """Return the tasks by their names in plans."""
    return {name_of(action.id): action for action in problem.actions}


#: Prefix of the names of abstract problems.
ABSTRACT: Final = "paracook/abstract/"


def recognises(document: Any) -> bool:
    """Return true for a compact file and for a released abstract problem."""
    if isinstance(document, dict):
        return "format" not in document and isinstance(document.get("problems"), dict)
    first = document[0] if isinstance(document, list) and document else None
    return isinstance(first, dict) and {"name", "time", "dependencies"} <= set(first)


def read(document: Any, source: str) -> list[Instance]:
    """Return the problems of a document that is recognised, each for one agent; raises `InputError`."""
    with within(source):
        if isinstance(document, dict):
            problems: list[Instance] = []
            for name, rows in an_object(document["problems"], "problems").items():
                tasks = rows_of(rows, f"problems.{name}")
                problems.append(instance(ABSTRACT + name, tasks))
            return problems
        copy = copy_of(source)
        names = [] if copy is None else copy.held_in(source, copy.abstract)
        name = ABSTRACT + names[0] if names else Path(source).stem
        return [instance(name, rows_of(document, ""))]
