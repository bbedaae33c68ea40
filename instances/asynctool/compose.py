"""The composer: single tasks put together to problems of two, three or more (paper, section 2.2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random

from planoracle.instances.asynctool.problem import SubTask
from planoracle.instances.errors import InputError

#: Whether the tasks of a problem are of one class or of different ones.
KINDS = ("similar", "cross")

#: Samples of the paper's data set by kind and number of tasks (Table 5).
SHARES = {("similar", 2): 120, ("cross", 2): 132, ("similar", 3): 240, ("cross", 3): 220}

# Draws for a class or set of classes before the next one is tried.
_TRIES = 20


def compose(pool: Sequence[SubTask], kind: str, size: int, count: int, seed: int = 0) -> list[tuple[SubTask, ...]]:
    """Combine single tasks into problems, no combination twice.

    The paper says weighted random sampling and no more; but its numbers (120 = 12 x 10, 132 = 66 x 2, 240 = 12 x 20
    and 220 = 220 x 1 of 12 classes, 66 pairs and 220 triples of them) say that classes are taken evenly. So they
    are here, in random order; tasks are drawn with weights that fall the more often they have been used.

    Parameters
    ----------
    pool
        Tasks; their class is their ``family``.
    kind
        ``"similar"``: all tasks of a problem are of one class. ``"cross"``: each is of another.
    size, count
        Tasks of a problem, and number of problems.

    Raises
    ------
    InputError
        If there is no such kind or the pool cannot make so many.

    Examples
    --------
    >>> from planoracle.instances.asynctool.sets import tasks
    >>> [(first, second)] = compose(list(tasks().values()), "similar", 2, 1)
    >>> first.family == second.family, first.id == second.id
    (True, False)
    """
    if kind not in KINDS:
        raise InputError(f"must be one of {', '.join(KINDS)}", field="kind", value=kind)
    if size < 1:
        raise InputError("must be at least 1", field="size", value=size)
    if len({task.id for task in pool}) < len(pool):
        raise InputError("must hold every id once", field="pool")
    classes: dict[str, list[SubTask]] = {}
    for task in pool:
        classes.setdefault(task.family or "", []).append(task)
    if kind == "similar":
        classes = {name: group for name, group in classes.items() if len(group) >= size}
    possible = _combinations([len(group) for group in classes.values()], kind, size)
    if not 0 <= count <= possible:
        raise InputError(
            f"must lie between 0 and {possible}: there are no more combinations", field="count", value=count
        )
    random = Random(f"{kind}/{size}/{seed}")
    uses = dict.fromkeys((task.id for task in pool), 0)
    found: dict[frozenset[str], tuple[SubTask, ...]] = {}
    groups: list[tuple[str, ...]] = []
    while len(found) < count:
        if not groups:
            groups = [(name,) * size for name in classes] if kind == "similar" else list(combinations(classes, size))
            random.shuffle(groups)
        group = groups.pop()
        for _ in range(_TRIES):
            row = _draw([classes[name] for name in group], uses, random)
            if found.setdefault(frozenset(task.id for task in row), row) is row:
                for task in row:
                    uses[task.id] += 1
                break
    return list(found.values())


def _combinations(sizes: list[int], kind: str, size: int) -> int:
    if kind == "similar":
        return sum(comb(entries, size) for entries in sizes)
    ways = [1] + [0] * size  # elementary symmetric polynomials of the sizes
    for entries in sizes:
        ways = [ways[0], *(ways[k] + entries * ways[k - 1] for k in range(1, size + 1))]
    return ways[size]


def _draw(groups: list[list[SubTask]], uses: dict[str, int], random: Random) -> tuple[SubTask, ...]:
    drawn: list[SubTask] = []
    for group in random.sample(groups, len(groups)):
        left = [task for task in group if task not in drawn]
        drawn.append(random.choices(left, [1 / (1 + uses[task.id]) for task in left])[0])
    return tuple(drawn)
