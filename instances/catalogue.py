"""Names of problems: bundled ones, sets of them, and files."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from os.path import isfile, join
from pathlib import Path
from typing import Protocol, cast

from planoracle.instances.crew import split_crew, with_crew
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind

__all__ = [
    "bundled",
    "expand",
    "is_file",
    "load",
    "names_problem",
    "problem",
    "read",
    "read_problems",
    "set_of",
]

#: Benchmarks with bundled problems; each has a module ``sets`` with the functions of `_Shelf`.
BENCHMARKS = ("recipe2plan", "timearena", "asynctool", "robotouille")


class _Shelf(Protocol):
    """The problems of one benchmark; names begin with its own."""

    def names(self) -> tuple[str, ...]:
        """Return the bundled problems in their fixed order."""
        ...

    def covers(self, name: str) -> bool:
        """Whether a name stands for one problem, be it bundled or combined from bundled parts."""
        ...

    def members(self, name: str) -> tuple[str, ...]:
        """Return the problems of a set that is not simply a prefix, ``()`` if there is no such set."""
        ...

    def set_of(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Return the label and the members of the set a name belongs to, ``("", ())`` if to none."""
        ...

    def load(self, name: str) -> Problem:
        """Return the problem of a name that is covered; raises `UnknownNameError` for others."""
        ...


def _shelf(name: str) -> _Shelf | None:
    benchmark = name.partition("/")[0].partition("@")[0]
    if benchmark not in BENCHMARKS:
        return None
    return cast(_Shelf, import_module(f"planoracle.instances.{benchmark}.sets"))


@cache
def bundled() -> tuple[str, ...]:
    """Names of all bundled problems, in their fixed order.

    Tasks of TimeArena and AsyncTool can also be combined by name (``timearena/lab1+lab2``).
    """
    return tuple(name for benchmark in BENCHMARKS for name in _names(benchmark))


def _names(pattern: str) -> tuple[str, ...]:
    """Return the bundled names among which those of a pattern are: all, unless it begins with a benchmark."""
    shelf = _shelf(pattern)
    return bundled() if shelf is None else shelf.names()


def names_problem(name: str) -> bool:
    """Whether a name stands for one problem, bundled or combined from bundled tasks, perhaps with more agents.

    >>> names_problem("timearena/lab1+lab2~3"), names_problem("timearena/lab1+lab2~none")
    (True, False)
    """
    crew = split_crew(name)
    shelf = _shelf(name)
    return shelf is not None and shelf.covers(name if crew is None else crew[0])


def expand(patterns: Iterable[str]) -> list[str]:
    """Turn names, prefixes, globs and paths into a list of names and paths, without repetition.

    A prefix stands for everything below it (``recipe2plan/timed``); a glob for all names it matches
    (``recipe2plan/*/Cobbler_*``); a path is kept as it is. With ``~3`` at the end it is the same problems with three
    agents.

    Raises
    ------
    UnknownNameError
        For a pattern that stands for nothing; names similar ones.

    Examples
    --------
    >>> len(expand(["recipe2plan"])), expand(["*/timed/Vada_D*"])
    (130, ['recipe2plan/timed/Vada_Daikon-Radish'])
    >>> len(expand(["timearena"])), len(expand(["timearena/lab/2"])), expand(["timearena/cooking3+lab2"])
    (90, 10, ['timearena/cooking3+lab2'])
    >>> len(expand(["asynctool"])), expand(["*/timed/Vada_D*~2"])
    (100, ['recipe2plan/timed/Vada_Daikon-Radish~2'])
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        if len(pattern) > 4096:  # longer than any name or path; matching is quadratic
            raise UnknownNameError("names no problem, set or file", field="name", value=pattern)
        if names_problem(pattern):
            found.setdefault(pattern)
            continue
        crew = split_crew(pattern)
        if crew is not None and _path(pattern) is None:
            found.update(dict.fromkeys(name + crew[1] for name in expand([crew[0]])))
            continue
        shelf = _shelf(pattern)
        if shelf is None and is_file(pattern):  # without looking through all names, which would load all benchmarks
            found.setdefault(pattern)
            continue
        prefix = pattern.rstrip("/") + "/"
        below = [name for name in _names(pattern) if name.startswith(prefix) or fnmatchcase(name, pattern)]
        below += shelf.members(pattern) if shelf is not None else ()
        if below and pattern:
            found.update(dict.fromkeys(below))
        elif is_file(pattern):
            found.setdefault(pattern)
        else:
            raise UnknownNameError(f"names no problem, set or file{_similar(pattern)}", value=pattern)
    return list(found)


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the bundled set that a name belongs to, ``("", ())`` if to none."""
    crew = split_crew(name)
    if crew is not None:
        label, members = set_of(crew[0])
        return (label + crew[1], tuple(one + crew[1] for one in members)) if label else ("", ())
    shelf = _shelf(name)
    return ("", ()) if shelf is None else shelf.set_of(name)


def is_file(name: str) -> bool:
    """Whether a name is the path of a file, or of one problem in it (``path#name``); or an S-LAB problem's folder."""
    crew = split_crew(name)
    return _path(name) is not None or (crew is not None and _path(crew[0]) is not None)


def _path(name: str) -> str | None:
    """Return the path of the file that a name is or points into, ``None`` if there is no such file."""
    return next((path for path in (name, name.rpartition("#")[0]) if path and _exists(path)), None)


def _exists(path: str) -> bool:
    try:
        return Path(path).is_file() or _is_folder(path)
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _is_folder(path: str) -> bool:
    """Whether a path is a folder with the tables of an S-LAB problem."""
    return isfile(join(path, "operations.tsv"))


def _similar(pattern: str) -> str:
    if len(pattern) > 200:  # comparing is quadratic
        return ""
    sets = {name.rpartition("/")[0] for name in bundled()} | set(BENCHMARKS)
    close = get_close_matches(pattern, [*bundled(), *sorted(sets)], n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def problem(name: str) -> Problem:
    """Return one problem by its name; raises `UnknownNameError`, and `InputError` if it cannot have these agents."""
    crew = split_crew(name)
    if crew is not None:
        return _with_crew(problem(crew[0]), crew[1])
    shelf = _shelf(name)
    if shelf is None or not shelf.covers(name):
        raise UnknownNameError(f"names no problem{_similar(name)}", value=name)
    return shelf.load(name)


def _with_crew(found: Problem, crew: str) -> Problem:
    if isinstance(found, Instance):
        return with_crew(found, crew)
    from planoracle.instances.kitchens.cooks import with_cooks
    from planoracle.instances.kitchens.kitchen import Kitchen

    _, count, *rules = crew.split("~")
    if rules:
        raise InputError("everybody may do everything in a kitchen", field="only", value=rules[0])
    return with_cooks(of_kind(found, Kitchen), int(count))


def load(name: str) -> Instance:
    """Return one scheduling problem by its name; raises `UnknownNameError`, and `InputError` for a kitchen."""
    return _instance(problem(name), name)


def _instance(found: Problem, name: str) -> Instance:
    if not isinstance(found, Instance):
        raise InputError("is a kitchen, no scheduling problem", value=name)
    return found


def read(name_or_path: str) -> list[Instance]:
    """Return what `read_problems` does, if it is scheduling problems; raises `InputError` for kitchens."""
    return [_instance(found, name_or_path) for found in read_problems(name_or_path)]


def read_problems(name_or_path: str) -> list[Problem]:
    """Return the problem of a name, or all problems of a file, its format recognised from its content.

    With ``path#name`` only the one of that name in the file.

    Raises
    ------
    InputError
        For an unknown name, or naming file, field and value of a fault.
    """
    if names_problem(name_or_path):
        return [problem(name_or_path)]
    crew = split_crew(name_or_path)
    if crew is not None and _path(name_or_path) is None:
        return [_with_crew(one, crew[1]) for one in read_problems(crew[0])]
    path = _path(name_or_path) or name_or_path
    found = _read(path)
    if path == name_or_path:
        return found
    chosen = [one for one in found if one.name == name_or_path.removeprefix(f"{path}#")]
    if not chosen and crew is not None:
        return [_with_crew(one, crew[1]) for one in read_problems(crew[0])]
    if not chosen:
        raise UnknownNameError("is no problem of the file", value=name_or_path)
    return chosen


def _read(path: str) -> list[Problem]:
    # Readers are imported when their turn comes: together they take longer than most files.
    from planoracle.instances.literature import reader as literature
    from planoracle.instances.reading import load_json, read_bytes

    if _is_folder(path):
        return [literature.read_folder(path)]
    data = read_bytes(path)
    found = literature.read_data(data, path)
    if found:
        return [*found]
    document = load_json(data, path)
    if isinstance(document, dict) and document.get("format") == "planoracle/instance":
        return [_own(document, path)]
    from planoracle.instances.robotouille import reader as kitchens

    if kitchens.looks_like_kitchen(document):
        return [kitchens.kitchen_of(document, path)]
    from planoracle.instances.asynctool import reader as asynctool

    if asynctool.looks_like_asynctool(document):
        return [*asynctool.read_document(document, path)]
    if isinstance(document, dict) and "format" in document:
        return [_own(document, path)]
    from planoracle.instances.recipe2plan import reader as recipe2plan

    if recipe2plan.looks_like_cooking(document):
        timed = recipe2plan.read_cooking(path, document)
        return [*timed, *(one.without_maximum_lags(one.name.replace("/timed/", "/untimed/", 1)) for one in timed)]
    raise InputError(
        'is neither of our formats (an object with "format": "planoracle/instance", ".../asynctool" or ".../kitchen") '
        "nor a cooking.json, an environment of Robotouille or one of the formats in instances/literature/README.md",
        source=path,
    )


def _own(document: object, path: str) -> Instance:
    from planoracle.instances.files import instance_from_document

    return instance_from_document(document, path)
