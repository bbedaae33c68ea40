"""Names of AsyncTool problems: the bundled ones, and any combination of the bundled tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations
from math import comb
from random import Random
from typing import Any

from planoracle.instances.benchmarks.asynctool import encoding
from planoracle.instances.benchmarks.asynctool.bfcl import documents
from planoracle.instances.benchmarks.asynctool.calls import parse_call
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Delays, SubTask
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance

_PREFIX = "asynctool/"


def _read(file: str) -> Any:
    return load_json((files(__package__) / "data" / file).read_bytes(), file)


@cache
def tasks() -> dict[str, SubTask]:
    """Return the bundled single tasks by id."""
    rows = _read("tasks.json")["tasks"]
    return {row["id"]: _task(**row) for row in rows}


def _task(id: str, family: str, question: str, ground_truth: list[str], initial: dict[str, Any]) -> SubTask:
    return SubTask(id, question, tuple(map(parse_call, ground_truth)), family, documents(family), initial)


@cache
def _sets() -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        label: {f"{number:02}": tuple(ids) for number, ids in enumerate(rows, 1)}
        for label, rows in _read("sets.json").items()
    }


@cache
def names() -> tuple[str, ...]:
    """Names of the 100 bundled problems; kinds and sizes in the proportions of the paper's Table 5."""
    return tuple(f"{_PREFIX}{label}/{number}" for label, rows in _sets().items() for number in rows)


def _parts(name: str) -> tuple[tuple[str, ...], str] | None:
    """Return the ids of a problem's tasks and the text of its delay; ``None`` if there is no such problem."""
    if len(name) > 1000 or not name.startswith(_PREFIX):
        return None
    body, _, delay = name.removeprefix(_PREFIX).partition("@")
    label, _, number = body.partition("/")
    ids = _sets()[label].get(number, ()) if label in _sets() else tuple(body.split("+"))
    if not ids or len(set(ids)) < len(ids) or not all(task in tasks() for task in ids):
        return None
    return ids, delay


def covers(name: str) -> bool:
    """Return true for the name of a problem: ``asynctool/cross2/01``, ``asynctool/files_1+text_2``.

    Both may end in a delay, ``@2``, ``@0-1`` or ``@1-2:seed``, see `Delays.parse`.
    """
    parts = _parts(name)
    if parts is None:
        return False
    try:
        return not name.endswith("@") and (not parts[1] or bool(Delays.parse(parts[1])))
    except UnknownNameError:
        return False


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set with a delay of their own: ``asynctool/cross2@0-1``, ``asynctool@2``."""
    head, at, delay = name.partition("@")
    below = [each for each in names() if at and each.startswith(head.rstrip("/") + "/")]
    return tuple(each for member in below if covers(each := f"{member}@{delay}"))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the set that a name belongs to, its delay included.

    >>> set_of("asynctool/cross2/01@2")[0]
    'asynctool/cross2@2'
    """
    head, at, delay = name.partition("@")
    if head not in names() or not covers(name):
        return "", ()
    label = head.rpartition("/")[0]
    return f"{label}{at}{delay}", tuple(f"{each}{at}{delay}" for each in names() if each.startswith(f"{label}/"))


@lru_cache(maxsize=4096)
def problem(name: str) -> AsyncToolProblem:
    """Return the problem of a name; raises `UnknownNameError`.

    >>> [task.id for task in problem("asynctool/files_2+trading_1@0-1:7").tasks]
    ['files_2', 'trading_1']
    """
    parts = _parts(name)
    if parts is None or not covers(name):
        raise UnknownNameError("there is no such AsyncTool problem", value=name)
    ids, delay = parts
    return AsyncToolProblem(name, tuple(tasks()[task] for task in ids), Delays.parse(delay) if delay else Delays())


@lru_cache(maxsize=4096)
def load(name: str) -> Instance:
    """Return the instance of a name; raises `UnknownNameError`."""
    return encoding.instance(problem(name))


def composed(kind: str | None, delay: str | None, size: int, count: int, seed: int = 0) -> list[str]:
    """Return names of new problems; the arguments as for `compose.compose`, and delays as in names.

    >>> composed("cross", "0-1", 2, 1)
    ['asynctool/numbers_4+text_2@0-1']
    """
    suffix = "" if delay is None or Delays.parse(delay) == Delays() else f"@{delay}"
    rows = compose(list(tasks().values()), "cross" if kind is None else kind, size, count, seed)
    return [f"{_PREFIX}{'+'.join(task.id for task in row)}{suffix}" for row in rows]


#: Whether the tasks of a problem are of one class or of different ones.
KINDS = ("similar", "cross")

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
    >>> from planoracle.instances.benchmarks.asynctool.problems import tasks
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
    problems: dict[frozenset[str], tuple[SubTask, ...]] = {}
    groups: list[tuple[str, ...]] = []
    while len(problems) < count:
        if not groups:
            groups = [(name,) * size for name in classes] if kind == "similar" else list(combinations(classes, size))
            random.shuffle(groups)
        group = groups.pop()
        for _ in range(_TRIES):
            row = _draw([classes[name] for name in group], uses, random)
            if problems.setdefault(frozenset(task.id for task in row), row) is row:
                for task in row:
                    uses[task.id] += 1
                break
    return list(problems.values())


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
        unused = [task for task in group if task not in drawn]
        drawn.append(random.choices(unused, [1 / (1 + uses[task.id]) for task in unused])[0])
    return tuple(drawn)
