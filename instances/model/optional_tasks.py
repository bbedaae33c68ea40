"""Total weight of the optional tasks that a schedule executes."""

from __future__ import annotations

from collections.abc import Iterable

from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece


def weight_of(problem: Problem, pieces: Iterable[Piece]) -> int | None:
    """Return the total weight of the optional tasks of which pieces execute an action.

    Parameters
    ----------
    problem
        Problem of any kind.
    pieces
        Pieces of a valid schedule.

    Returns
    -------
    int or None
        ``None`` if no task is optional.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Instance
    >>> actions = Action("a/b", "a", 2, 2), Action("c/d", "c", 2, 2)
    >>> shop = Instance("shop", actions, optional=(("a", 3), ("c", 1)))
    >>> weight_of(shop, [Piece("a/b", 0, 2, "agent")]), weight_of(shop, []), weight_of(Instance("k", actions), [])
    (3, 0, None)
    """
    weights: dict[str, int] = getattr(problem, "weights", {})
    if not weights:
        return None
    executed_tasks = {piece.action.partition("/")[0] for piece in pieces}
    return sum(weight for task, weight in weights.items() if task in executed_tasks)
