"""Estimates of the kitchen planner in stored walks.

``python -m tests.support.kitchen_walks`` renews them. The kitchens are drawn from a grammar, or have soups, stews or
two dishes. A walk of 14 steps or more from the start comes nearer to the goal in half of its steps. ``steps`` are the
distances of its states by exhaustive enumeration.

"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.model.limits import NO_LIMIT
from planoracle.solver.kitchens.heuristic import heuristic
from planoracle.solver.kitchens.relaxed_distance import RelaxedDistance
from planoracle.solver.kitchens.state_view import UNREACHABLE
from tests.support.kitchen_cases import Case

#: More steps than an optimal plan, so that the longest schedule is no bound.
SLACK = 6
#: Steps from one schedule to the next.
_INTERVAL = 6
#: File of the walks.
WALKS = Path(__file__).parents[1] / "solver/data/kitchen_walks.json"


@dataclass
class Estimates:
    """Estimates of the states of a walk.

    Attributes
    ----------
    bounds
        Lower bounds of the remaining steps; ``None``: the goal is out of reach.
    groups
        Number of groups that may lead to the goal.
    unstarted
        Number of timed processes that are not started.
    keys
        Keys as numbers in order of their first state, so that equal keys have equal numbers.
    relaxed
        Estimates of `RelaxedDistance`, which are no bounds.
    scheduled
        Lower bounds by schedules, in some of the states; 0: none.
    """

    bounds: list[int | None]
    groups: list[int]
    unstarted: list[int]
    keys: list[int]
    relaxed: list[int]
    scheduled: list[int]


def estimate(engine: CompiledKitchen, states: list[State], distances: list[int | None]) -> Estimates:
    """Return the estimates of states, with their distances, for the groups of the start."""
    guide = heuristic(engine)
    groups = tuple((0, group) for _, group in guide.root(engine.start()))
    estimates = Estimates([], [], [], [], [], [])
    relaxed = RelaxedDistance(engine)
    numbers: dict[Any, int] = {}
    for state, steps in zip(states, distances, strict=True):
        looked = guide.look(state, groups, 0, UNREACHABLE)
        estimates.bounds.append(looked.groups[0][0] if looked.groups else None)
        estimates.groups.append(len(looked.groups))
        estimates.unstarted.append(looked.unstarted)
        estimates.relaxed.append(relaxed.distance(state))
        is_scheduled = steps and len(estimates.scheduled) % _INTERVAL == 0
        scheduled = guide.schedule_bound(state, groups, steps + SLACK, NO_LIMIT) if is_scheduled else 0
        estimates.scheduled.append(scheduled)
        estimates.keys.append(numbers.setdefault(looked.key, len(numbers)))
    return estimates


def states_of(case: Case, engine: CompiledKitchen) -> list[State]:
    """Return the start and the states after each of the actions already done."""
    states = [engine.start()]
    for text in case.after:
        action = engine.find(states[-1], text)
        assert action is not None, text
        states.append(engine.step(states[-1], action))
    return states


def estimates_of_row(row: dict[str, Any]) -> Estimates:
    """Return the estimates of the states of a stored walk."""
    case = case_of(row)
    engine = CompiledKitchen(case.problem(), case.profile())
    return estimate(engine, states_of(case, engine), row["steps"])


def case_of(row: dict[str, Any]) -> Case:
    """Return the kitchen of a stored walk, with the actions of the walk."""
    return Case(row["kitchen"], row["counts"], row["rules"], tuple(row["after"]))


def renew(path: Path) -> None:
    """Replace the estimates in a file of walks, after the bound or the key of states changed."""
    rows = json.loads(path.read_text("utf-8"))
    for row in rows:
        row["estimates"] = vars(estimates_of_row(row))
    path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    renew(WALKS)
