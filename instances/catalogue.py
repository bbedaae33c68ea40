"""Names of problems: bundled ones, sets of them, and files."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model import Instance

__all__ = ["bundled", "expand", "is_file", "load", "read"]


@cache
def bundled() -> tuple[str, ...]:
    """Names of all bundled instances, in their fixed order.

    Of TimeArena these are the paper's sets; any other combination of its tasks can be named as well.
    """
    from planoracle.instances.recipe2plan import facts
    from planoracle.instances.timearena import sets

    return facts.names() + sets.names()


def expand(patterns: Iterable[str]) -> list[str]:
    """Turn names, prefixes, globs and paths into a list of names and paths, without repetition.

    A prefix stands for everything below it (``recipe2plan/timed``); a glob for all names it matches
    (``recipe2plan/*/Cobbler_*``); a path is kept as it is.

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
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        if len(pattern) > 4096:  # longer than any name or path; matching is quadratic
            raise UnknownNameError("names no problem, set or file", field="name", value=pattern)
        if pattern in bundled():
            found.setdefault(pattern)
            continue
        if is_combination(pattern):
            found.setdefault(pattern)
            continue
        prefix = pattern.rstrip("/") + "/"
        below = [name for name in bundled() if name.startswith(prefix) or fnmatchcase(name, pattern)]
        below += _named(pattern)
        if below and pattern:
            found.update(dict.fromkeys(below))
        elif is_file(pattern):
            found.setdefault(pattern)
        else:
            raise UnknownNameError(f"names no problem, set or file{_similar(pattern)}", value=pattern)
    return list(found)


def _named(pattern: str) -> tuple[str, ...]:
    from planoracle.instances.timearena import sets

    return sets.named(pattern)


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the bundled set that a name belongs to, ``("", ())`` if to none."""
    if name not in bundled():
        return "", ()
    if name.startswith("timearena/"):
        from planoracle.instances.timearena import sets

        return sets.set_of(name)
    label = name.rpartition("/")[0]
    return label, tuple(other for other in bundled() if other.startswith(f"{label}/"))


def is_combination(name: str) -> bool:
    """Whether a name combines TimeArena tasks."""
    from planoracle.instances.timearena import sets

    return name.startswith("timearena/") and sets.is_combination(name)


def is_file(name: str) -> bool:
    """Whether a name is the path of a file; false for names no file can have."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _similar(pattern: str) -> str:
    if len(pattern) > 200:  # comparing is quadratic
        return ""
    sets = {name.rpartition("/")[0] for name in bundled()} | {name.split("/")[0] for name in bundled()}
    close = get_close_matches(pattern, [*bundled(), *sorted(sets)], n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def load(name: str) -> Instance:
    """Return one bundled instance by its name; raises `UnknownNameError`."""
    parts = name.split("/")
    if is_combination(name):
        from planoracle.instances.timearena import encode

        return encode.load(name)
    if len(parts) == 3 and parts[0] == "recipe2plan" and name in bundled():
        from planoracle.instances.recipe2plan import facts

        return facts.load(parts[1], parts[2])
    raise UnknownNameError(f"names no problem{_similar(name)}", value=name)


def read(name_or_path: str) -> list[Instance]:
    """Return the instance of a name, or all instances of a file, its format recognised from its content.

    Raises
    ------
    InputError
        For an unknown name, or naming file, field and value of a fault.
    """
    if name_or_path in bundled() or is_combination(name_or_path):
        return [load(name_or_path)]
    from planoracle.instances import files
    from planoracle.instances.recipe2plan import reader

    document = files.load_json(files.read_bytes(name_or_path), name_or_path)
    if isinstance(document, dict) and "format" in document:
        return [files.instance_from_document(document, name_or_path)]
    if reader.looks_like_cooking(document):
        timed = reader.read_cooking(name_or_path, document)
        return timed + [one.without_maximum_lags(one.name.replace("/timed/", "/untimed/", 1)) for one in timed]
    raise InputError(
        'is neither an instance (an object with "format": "planoracle/instance") nor a cooking.json',
        source=name_or_path,
    )
