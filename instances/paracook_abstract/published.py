"""Ways to pass the released checker of the abstract part by less work than a problem asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from planoracle.instances.model import Instance
from planoracle.instances.paracook_abstract.encode import by_name, name_of, with_hands
from planoracle.instances.references import Loophole

__all__ = ["LOOPHOLES", "more_lists", "repeated_task"]

_Best = Callable[[Instance], str]


def repeated_task(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield shortest plans without a task that nothing waits for, and with one of the shortest tasks twice."""
    lists: list[list[str]] = json.loads(best(problem))
    awaited = {name_of(lag.before) for lag in problem.lags}
    times = {name: action.duration for name, action in by_name(problem).items()}
    for left_out in times:
        if left_out in awaited:
            continue
        kept = [[task for task in one if task != left_out] for one in lists]
        for again in (task for task in times if task != left_out and times[task] == min(times.values())):
            for number in range(len(kept)):
                yield [[*one, again] if n == number else one for n, one in enumerate(kept)]


def more_lists(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield the shortest plan of one agent more."""
    yield json.loads(best(with_hands(problem, len(problem.agents) + 1)))


LOOPHOLES = (
    Loophole(
        "repeated_task",
        "tasks that have been carried out are counted, and not which; one that is done twice stands for one that is "
        "left out",
        "paracook/abstract/own/seed_1/orders_num_2~2",
        repeated_task,
    ),
    Loophole(
        "more_lists",
        "the number of lists is not compared with the number of agents; a plan may have more of them",
        "paracook/abstract/own/seed_1/orders_num_2~2",
        more_lists,
    ),
)
