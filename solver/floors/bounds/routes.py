"""Routes of cooks over the visits that every plan has: a model whose least time is a bound.

Each cook goes from visit to visit. Between two of them he walks at least from tile to tile; and where what he may have
in his hand after one cannot be what he may have before the other, he puts something down on the way, or takes
something, at another station (`Ways.around`): what *leaves* a station is next put down at another, and what *comes* to
one was last taken at another. That holds whatever else he does in between. So every plan gives routes and times that
fit, and what the model cannot do before a moment no plan can.

A thing that is put down may be taken on by anybody, so legs in between cost nobody anything here but their time.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from planoracle.instances.floors.floor import Floor, Tile
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.bounds.carriage import NEVER, Ways
from planoracle.solver.floors.bounds.visits import ANY, NOTHING, Visit, Visits

__all__ = ["least_time"]

_Place = tuple[Any, str, Tile]


def least_time(floor: Floor, rules: FloorRules, work: float, most: int, least: int) -> int:
    """Return a lower bound of the moment of the last serving.

    Parameters
    ----------
    work
        How much work of the solver, in its own deterministic measure (about seconds).
    most
        A moment at which all orders can be served, or one that is late enough: the bound is at most one more.
    least
        A bound that is known.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    visits = Visits(floor, rules, model, most)
    if not visits.possible:
        return least
    _routes(visits)
    model.add(visits.time >= least)
    model.minimize(visits.time)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.linearization_level = 0
    solver.parameters.max_deterministic_time = work
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return most + 1
    return max(least, ceil(solver.best_objective_bound - 1e-6))


def _routes(visits: Visits) -> None:
    model, cooks = visits.model, visits.floor.cooks
    number = len(cooks)
    before = _closed(visits.order)
    index = {visit: number + place for place, visit in enumerate(visits.all)}
    arcs: list[tuple[int, int, Any]] = []
    total: list[tuple[int, Any]] = []

    def arc(start: int, end: int, one: Visit | None, other: Visit, places: list[_Place]) -> Any:
        literal = model.new_bool_var("")
        arcs.append((start, end, literal))
        total.append((_walk(visits, one, other, literal, places), literal))
        return literal

    for visit, node in index.items():
        if visit.present is not None:
            arcs.append((node, node, ~visit.present))
        for cook, (_, place) in enumerate(cooks):
            arcs.append((node, (cook + 1) % number, model.new_bool_var("")))
            arc(cook, node, None, visit, [(None, "", place)])
        direct = None
        for other, to in index.items():
            if other is not visit and (other, visit) not in before:
                literal = arc(node, to, visit, other, visit.places)
                if other.got is visit:
                    direct = other.brought, literal
        if direct is not None and direct[0] is not None:
            model.add(direct[0].present + direct[1] == 1)
    if number > 1:
        arcs += [(cook, (cook + 1) % number, model.new_bool_var("")) for cook in range(number)]
    model.add_circuit(arcs)
    busy = sum(visit.ticks for visit in visits.all)
    model.add(sum(length * literal for length, literal in total) + busy <= number * visits.time)


def _walk(visits: Visits, one: Visit | None, other: Visit, literal: Any, places: list[_Place]) -> int:
    """Ask for the time between two visits of a cook one after the other; return its least."""
    model = visits.model
    begin, ticks = (one.time, one.ticks) if one is not None else (0, 0)
    table = {
        (at, to): _length(visits.ways, one, other, (station, tile), (goal, there))
        for at, station, tile in places
        for to, goal, there in other.places
    }
    least = min(table.values(), default=NEVER)
    if least >= NEVER:
        model.add(literal == 0)
        return 0
    model.add(other.time >= begin + ticks + least).only_enforce_if(literal)
    for (at, to), length in table.items():
        given = [literal, to] if at is None else [literal, at, to]
        if length >= NEVER:
            model.add_bool_or([~each for each in given])
        elif length > least:
            model.add(other.time >= begin + ticks + length).only_enforce_if(*given)
    return least


def _length(ways: Ways, one: Visit | None, other: Visit, start: tuple[str, Tile], end: tuple[str, Tile]) -> int:
    after = one.after if one is not None else frozenset((NOTHING,))
    length = ways.walk(start[1], end[1])
    if length >= NEVER or ANY in after or ANY in other.before or after & other.before:
        return length
    if NOTHING not in after:
        length = max(length, ways.around(start[1], end[1], start[0]))
    if NOTHING not in other.before:
        length = max(length, ways.around(start[1], end[1], end[0]))
    return length


def _closed(order: set[tuple[Visit, Visit]]) -> set[tuple[Visit, Visit]]:
    """Return what comes after what, also by way of others."""
    after: dict[Visit, set[Visit]] = {}
    for one, other in order:
        after.setdefault(one, set()).add(other)
    found = set()
    for one in after:
        rest = [one]
        seen: set[Visit] = set()
        while rest:
            for near in after.get(rest.pop(), ()):
                if near not in seen:
                    seen.add(near)
                    rest.append(near)
        found |= {(one, other) for other in seen}
    return found
