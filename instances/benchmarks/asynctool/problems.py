"""Names of AsyncTool problems: the bundled ones, and any combination of the bundled tasks."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations
from math import comb, prod
from random import Random
from typing import Any

from planoracle.instances.benchmarks.asynctool import encoding
from planoracle.instances.benchmarks.asynctool.calls import parse_call
from planoracle.instances.benchmarks.asynctool.families import family_of
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
    return {
        row["id"]: SubTask(
            row["id"],
            row["question"],
            tuple(map(parse_call, row["ground_truth"])),
            row["family"],
            family_of(row["family"]).documents(),
            row["initial"],
        )
        for row in _read("tasks.json")["tasks"]
    }


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


@lru_cache(maxsize=4096)
def problem(name: str) -> AsyncToolProblem:
    """Return the problem of a name; raises `UnknownNameError`.

    Names are ``asynctool/cross2/01`` or ``asynctool/files_1+text_2``. Both may end in a delay, ``@2``, ``@0-1`` or
    ``@1-2:seed``, see `Delays.parse`.

    >>> [task.id for task in problem("asynctool/files_2+trading_1@0-1:7").tasks]
    ['files_2', 'trading_1']
    """
    head, at, delay = name[:1000].partition("@")
    body = head.removeprefix(_PREFIX)
    label, _, number = body.partition("/")
    ids = _sets()[label].get(number, ()) if label in _sets() else tuple(body.split("+"))
    if len(name) > 1000 or head == body or not ids or len({*ids} & tasks().keys()) < len(ids):
        raise UnknownNameError("there is no such AsyncTool problem", value=name)
    delays = Delays.parse(delay) if at else Delays()
    return AsyncToolProblem(name, tuple(tasks()[task] for task in ids), delays)


@lru_cache(maxsize=4096)
def load(name: str) -> Instance:
    """Return the instance of a name; raises `UnknownNameError`."""
    return encoding.instance(problem(name))


def covers(name: str) -> bool:
    """Return true for the name of a `problem`."""
    try:
        problem(name)
    except UnknownNameError:
        return False
    return True


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


#: Whether the tasks of a problem are of one family or of different ones.
KINDS = ("similar", "cross")

# Draws for a family or set of families before the next one is tried.
_TRIES = 20


def compose(kind: str | None, delay: str | None, size: int, count: int, seed: int = 0) -> list[str]:
    """Combine bundled tasks into problems, no combination twice, and return their names.

    The paper says weighted random sampling and no more; but its numbers (120 = 12 x 10, 132 = 66 x 2, 240 = 12 x 20
    and 220 = 220 x 1 of 12 classes, 66 pairs and 220 triples of them) say that classes are taken evenly. So families
    are here, in random order; tasks are drawn with weights that fall the more often they have been used.

    Parameters
    ----------
    kind
        ``"similar"``: all tasks of a problem are of one family. ``"cross"`` (default): each is of another.
    delay
        As in names.
    size, count
        Tasks of a problem, and number of problems.

    Raises
    ------
    InputError
        If there is no such kind or delay, or there are not so many combinations.

    Examples
    --------
    >>> compose("cross", "0-1", 2, 1)
    ['asynctool/numbers_4+text_2@0-1']
    """
    suffix = "" if delay is None or Delays.parse(delay) == Delays() else f"@{delay}"
    kind = "cross" if kind is None else kind
    if kind not in KINDS:
        raise InputError(f"must be one of {', '.join(KINDS)}", field="kind", value=kind)
    if size < 1:
        raise InputError("must be at least 1", field="size", value=size)
    families: dict[str, list[str]] = {}
    for task in tasks().values():
        families.setdefault(str(task.family), []).append(task.id)
    if kind == "similar":
        groups = [(name,) * size for name, ids in families.items() if len(ids) >= size]
        possible = sum(comb(len(families[name]), size) for name, *_ in groups)
    else:
        groups = list(combinations(families, size))
        possible = sum(prod(len(families[name]) for name in group) for group in groups)
    if not 0 <= count <= possible:
        raise InputError(
            f"must lie between 0 and {possible}: there are no more combinations", field="count", value=count
        )
    random = Random(f"{kind}/{size}/{seed}")
    uses = dict.fromkeys(tasks(), 0)
    rows: dict[frozenset[str], tuple[str, ...]] = {}
    pending: list[tuple[str, ...]] = []
    while len(rows) < count:
        if not pending:
            pending = list(groups)
            random.shuffle(pending)
        group = pending.pop()
        for _ in range(_TRIES):
            row = _draw([families[name] for name in group], uses, random)
            if rows.setdefault(frozenset(row), row) is row:
                uses |= {task: uses[task] + 1 for task in row}
                break
    return [f"{_PREFIX}{'+'.join(row)}{suffix}" for row in rows.values()]


def _draw(groups: list[list[str]], uses: dict[str, int], random: Random) -> tuple[str, ...]:
    drawn: list[str] = []
    for group in random.sample(groups, len(groups)):
        unused = [task for task in group if task not in drawn]
        drawn += random.choices(unused, [1 / (1 + uses[task]) for task in unused])
    return tuple(drawn)
