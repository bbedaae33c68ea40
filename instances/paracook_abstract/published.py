"""Ways to pass the released checker of the abstract part by less work than a problem asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from planoracle.instances.model import Instance
from planoracle.instances.paracook_abstract.encode import name_of, with_hands
from planoracle.instances.references import Loophole

_Best = Callable[[Instance], str]


def repeated_task(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield shortest plans for all but one task that nothing waits for, with one of the shortest tasks done twice."""
    awaited = {lag.before for lag in problem.lags}
    shortest = min(action.duration for action in problem.actions)
    for last in problem.actions:
        if last.id in awaited:
            continue
        kept = tuple(action for action in problem.actions if action is not last)
        lags = tuple(lag for lag in problem.lags if lag.after != last.id)
        name = f"{problem.name} without {name_of(last.id)}"
        lists: list[list[str]] = json.loads(best(replace(problem, name=name, actions=kept, lags=lags)))
        for again in (name_of(action.id) for action in kept if action.duration == shortest):
            for number in range(len(lists)):
                yield [[*one, again] if n == number else one for n, one in enumerate(lists)]


def one_task(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield plans in which one agent does a single task as often as there are tasks."""
    waiting = {lag.after for lag in problem.lags}
    first = min((action for action in problem.actions if action.id not in waiting), key=lambda one: one.duration)
    yield [[name_of(first.id)] * len(problem.actions)]


def more_lists(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield the shortest plan of one agent more."""
    yield json.loads(best(with_hands(problem, len(problem.agents) + 1)))


LOOPHOLES = (
    Loophole(
        "repeated_task",
        "tasks that have been carried out are counted, and not which; one that is done twice stands for one that is "
        "left out",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        repeated_task,
    ),
    Loophole(
        "one_task",
        "the same, again and again: a task that waits for nothing stands for all of them",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        one_task,
    ),
    Loophole(
        "more_lists",
        "the number of lists is not compared with the number of agents; a plan may have more of them",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        more_lists,
    ),
)
