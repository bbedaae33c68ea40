"""Names of AsyncTool problems: the bundled ones, and any combination of the bundled tasks."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from planoracle.instances.asynctool import encode
from planoracle.instances.asynctool.calls import parse_call
from planoracle.instances.asynctool.compose import compose
from planoracle.instances.asynctool.executors import documents
from planoracle.instances.asynctool.problem import Delays, Problem, SubTask
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json

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
    """Whether a name is that of a problem: ``asynctool/cross2/01``, ``asynctool/files_1+text_2``.

    Both may end in a delay, ``@2``, ``@0-1`` or ``@1-2:seed``, see `Delays.parse`.
    """
    found = _parts(name)
    if found is None:
        return False
    try:
        return not name.endswith("@") and (not found[1] or bool(Delays.parse(found[1])))
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
def problem(name: str) -> Problem:
    """Return the problem of a name; raises `UnknownNameError`.

    >>> [task.id for task in problem("asynctool/files_2+trading_1@0-1:7").tasks]
    ['files_2', 'trading_1']
    """
    found = _parts(name)
    if found is None or not covers(name):
        raise UnknownNameError("there is no such AsyncTool problem", value=name)
    ids, delay = found
    return Problem(name, tuple(tasks()[task] for task in ids), Delays.parse(delay) if delay else Delays())


@lru_cache(maxsize=4096)
def load(name: str) -> Instance:
    """Return the instance of a name; raises `UnknownNameError`."""
    return encode.instance(problem(name))


def composed(kind: str | None, delay: str | None, size: int, count: int, seed: int = 0) -> list[str]:
    """Return names of new problems; the arguments as for `compose.compose`, and delays as in names.

    >>> composed("cross", "0-1", 2, 1)
    ['asynctool/numbers_4+text_2@0-1']
    """
    suffix = "" if delay is None or Delays.parse(delay) == Delays() else f"@{delay}"
    rows = compose(list(tasks().values()), "cross" if kind is None else kind, size, count, seed)
    return [f"{_PREFIX}{'+'.join(task.id for task in row)}{suffix}" for row in rows]
