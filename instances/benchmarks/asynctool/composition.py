"""Composition of new AsyncTool problems from the bundled tasks."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from random import Random
from typing import Final

from planoracle.instances.benchmarks.asynctool.problem_model import Delays
from planoracle.instances.benchmarks.asynctool.problems import PREFIX, tasks
from planoracle.instances.errors import InputError

#: Kinds of problems: all tasks of one family, or of different families.
KINDS: Final = ("similar", "cross")

# Tasks of a family that are combined first: later ones leave the problems of a seed as they were.
_FIRST_TASKS = 5
# Draws for a family or set of families before the next one is tried.
_TRIES = 20


def compose(kind: str | None, delay: str | None, size: int, count: int, seed: int = 0) -> list[str]:
    """Combine bundled tasks into problems, no combination twice, and return their names.

    The paper only states weighted random sampling. Its numbers (120 = 12 x 10, 132 = 66 x 2, 240 = 12 x 20 and
    220 = 220 x 1 of 12 classes, 66 pairs and 220 triples of them) imply that classes have equal weight. This function
    therefore takes families evenly in random order, and draws tasks with weights that decrease with use. The sixth and
    the seventh task of a family are drawn when all combinations of the first five are.

    Parameters
    ----------
    kind
        ``"similar"``: all tasks of a problem have one family. ``"cross"`` (default): all have different families.
    delay
        As in names.
    size, count
        Tasks of a problem, and number of problems.

    Raises
    ------
    InputError
        For an unknown kind or delay, or more problems than combinations.

    Examples
    --------
    >>> compose("cross", "0-1", 2, 1)
    ['asynctool/tickets_4+messages_3@0-1']
    """
    suffix = ""
    if delay is not None and Delays.parse(delay) != Delays():
        suffix = f"@{delay}"
    kind = "cross" if kind is None else kind
    if kind not in KINDS:
        raise InputError(f"must be one of {', '.join(KINDS)}", field="kind", value=kind)
    families: dict[str, list[str]] = {}
    for task in tasks().values():
        families.setdefault(str(task.family), []).append(task.id)
    first_tasks = {name: ids[:_FIRST_TASKS] for name, ids in families.items()}
    possible = _number_of_problems(families, kind, size)
    if not 0 <= count <= possible:
        raise InputError(
            f"must lie between 0 and {possible}: there are no more combinations", field="count", value=count
        )
    composer = _Composer(kind, size, seed)
    for available_tasks in (first_tasks, families):
        composer.extend(available_tasks, min(count, _number_of_problems(available_tasks, kind, size)))
    bodies = map("+".join, composer.rows.values())
    return [f"{PREFIX}{body}{suffix}" for body in bodies]


class _Composer:
    """Rows of tasks drawn so far, and how often each task was used."""

    def __init__(self, kind: str, size: int, seed: int) -> None:
        self.rows: dict[frozenset[str], tuple[str, ...]] = {}
        self._kind = kind
        self._size = size
        self._random = Random(f"{kind}/{size}/{seed}")
        self._uses: Counter[str] = Counter()

    def extend(self, families: dict[str, list[str]], count: int) -> None:
        """Draw rows of the tasks of some families until there are ``count``."""
        groups = _groups_of_families(families, self._kind, self._size)
        pending: list[tuple[str, ...]] = []
        while len(self.rows) < count:
            if not pending:
                pending = list(groups)
                self._random.shuffle(pending)
            group = pending.pop()
            self._add([families[name] for name in group])

    def _add(self, groups: list[list[str]]) -> None:
        """Add a row with a task of each group, if a draw gives a new one."""
        for _ in range(_TRIES):
            row = self._draw(groups)
            if self.rows.setdefault(frozenset(row), row) is row:
                self._uses.update(row)
                return

    def _draw(self, groups: list[list[str]]) -> tuple[str, ...]:
        drawn: list[str] = []
        for group in self._random.sample(groups, len(groups)):
            unused = [task for task in group if task not in drawn]
            weights = [1 / (1 + self._uses[task]) for task in unused]
            drawn += self._random.choices(unused, weights)
        return tuple(drawn)


def _groups_of_families(families: dict[str, list[str]], kind: str, size: int) -> list[tuple[str, ...]]:
    """Return the families of the tasks of a problem, in all combinations that a kind allows."""
    if kind == "similar":
        large_families = [name for name, ids in families.items() if len(ids) >= size]
        return [(name,) * size for name in large_families]
    return list(combinations(families, size))


def _number_of_problems(families: dict[str, list[str]], kind: str, size: int) -> int:
    """Return the number of problems of a kind and size with tasks of some families."""
    total = 0
    for group in _groups_of_families(families, kind, size):
        number = 1
        for name, times in Counter(group).items():
            number *= comb(len(families[name]), times)
        total += number
    return total
