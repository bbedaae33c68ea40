"""The cook who plans nothing: dish by dish, ingredient by ingredient, and who cooks stands by until it is done.

So proceed the plans that are fixed for the examples of a benchmark; the dishes are dealt out to the cooks in turn.
"""

from __future__ import annotations

from planoracle.heuristics.floors_jobs import FETCH, INTO, MOVE, PLATE, SERVE, STAY, WASH, Job, carried_out
from planoracle.heuristics.floors_shop import Shop
from planoracle.instances.errors import InputError


def fixed(shop: Shop) -> tuple[list[Job], list[int]]:
    """Return jobs that serve all orders, and the plate of each.

    Raises
    ------
    InputError
        If a cook cannot reach what is needed.
    """
    plates = list(range(len(shop.floor.orders)))
    jobs: list[Job] = []

    def add(kind: int, what: int, targets: list[int], rest: bool | tuple[int, ...] = False) -> None:
        """Add a job, with the target that is reached first."""
        best: tuple[int, Job] | None = None
        for target in targets:
            job: Job = (kind, cook, what, target, rest)
            done = carried_out(shop, [*jobs, job], plates)
            if done is not None and (best is None or done.time[cook] < best[0]):
                best = done.time[cook], job
        if best is None:
            raise InputError("a cook cannot reach what is needed", value=shop.floor.name)
        jobs.append(best[1])

    for order in range(len(shop.floor.orders)):
        cook = order % len(shop.floor.cooks)
        if order >= len(shop.plates):
            add(WASH, order - len(shop.plates), shop.sinks, True)
            add(PLATE, order, shop.parks, ())
        for part in shop.of_order[order]:
            own = shop.parts[part]
            if own.chopped:
                add(FETCH, part, shop.boards, True)
                add(MOVE, part, list(own.stoves) or [INTO])
            else:
                add(FETCH, part, list(own.stoves) or [INTO])
            if own.stoves:
                add(STAY, part, [INTO])
        cooked = tuple(part for part in shop.of_order[order] if shop.parts[part].stoves)
        add(PLATE, order, [SERVE], cooked)
    return jobs, plates
