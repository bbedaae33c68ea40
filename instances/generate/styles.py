"""The styles of random problems by name: the same seed, knobs and version give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import import_module
from random import Random
from typing import Any, Final, NamedTuple

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.generate.parameters import Knobs
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.schedule import Schedule

__all__ = ["STYLES", "VERSION", "Generated", "Style", "document", "draw", "generate", "style"]

#: Raised when the same seed and knobs give other problems than before.
VERSION: Final = 1
#: Knobs by style.
STYLES: Final[dict[str, tuple[str, ...]]] = {
    "own": tuple(Knobs.__dataclass_fields__),
    "recipe2plan": ("tasks", "actions", "order_strength", "parallelism", "interruptible", "windows", "feasible"),
    "timearena": ("tasks", "actions", "parallelism", "resources", "agents"),
    "asynctool": ("tasks", "actions", "shortest", "longest"),
    "robotouille": ("tasks", "actions", "parallelism", "agents"),
}
#: Knobs that count where tasks of the benchmark are combined; styles which can do that.
_COMBINED: Final = {
    "recipe2plan": ("tasks",),
    "timearena": ("tasks",),
    "asynctool": ("tasks", "shortest", "longest"),
}


class Generated(NamedTuple):
    """A random problem: the number of the draw, the knobs, and a schedule for it if one is known."""

    problem: Problem
    number: int
    knobs: Knobs
    witness: Schedule | None


@dataclass(frozen=True, slots=True)
class Style:
    """How to make problems of one style: its knobs with their usual values."""

    name: str
    knobs: tuple[str, ...]
    usual: Knobs
    make: Callable[[Random, Knobs, str], tuple[Problem, Schedule | None]]
    combine: Callable[[Random, Knobs, str], Instance] | None


@cache
def style(name: str) -> Style:
    """Return a style by its name; raises `UnknownNameError`."""
    if name not in STYLES:
        raise UnknownNameError(f"must be one of {', '.join(STYLES)}", field="style", value=name)
    module = import_module(f"planoracle.instances.{'generic' if name == 'own' else name}.generator")
    usual = module.defaults() if hasattr(module, "defaults") else Knobs()
    return Style(name, STYLES[name], usual, module.generate, getattr(module, "combine", None))


def generate(name: str, seed: int = 0, number: int = 0, *, combine: bool = False, **given: Any) -> Generated:
    """Return one random problem.

    Parameters
    ----------
    name
        One of `STYLES`.
    seed, number
        Which one: 0 or more. Problems of one seed are independent of each other.
    combine
        Combine tasks that the benchmark has, instead of making new ones.
    given
        Knobs (see `Knobs`) that differ from the style's usual values.

    Raises
    ------
    UnknownNameError
        For an unknown style.
    InputError
        For a knob that the style does not have or a value out of range.

    Examples
    --------
    >>> found = generate("own", seed=7, tasks=2, windows=0.5)
    >>> found.problem.name, len(found.problem.actions), found.witness is not None
    ('generated/own/v1/tasks=2,windows=0.5/7-0', 16, True)
    """
    for field, value in (("seed", seed), ("number", number)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError("must be a whole number, 0 or more", field=field, value=value)
    kind = style(name)
    if combine and kind.combine is None:
        raise InputError(f"is for {', '.join(_COMBINED)}", field="combine", value=name)
    knobs = Knobs.of(kind.usual, _COMBINED[name] if combine else kind.knobs, given)
    label = "/".join(filter(None, (name, "combined" if combine else "", f"v{VERSION}", knobs.changes(kind.usual))))
    # Knobs do not seed: where one is turned a little, much stays the same.
    digest = blake2b(f"{name}/{VERSION}/{seed}/{number}".encode(), digest_size=16).digest()
    random = Random(int.from_bytes(digest, "big"))
    full = f"generated/{label}/{seed}-{number}"
    if combine and kind.combine is not None:
        return Generated(kind.combine(random, knobs, full), number, knobs, None)
    problem, witness = kind.make(random, knobs, full)
    return Generated(problem, number, knobs, witness)


def draw(name: str, seed: int = 0, *, tries: int, combine: bool = False, **given: Any) -> Iterator[Generated]:
    """Yield the problems of a seed by number, each combination of tasks once; arguments as for `generate`.

    >>> [found.problem.name for found in draw("timearena", tries=2, combine=True)]
    ['timearena/cooking9+lab2', 'timearena/lab9+cooking8']
    """
    met: set[frozenset[str]] = set()
    for number in range(tries):
        found = generate(name, seed, number, combine=combine, **given)
        if combine and isinstance(found.problem, Instance):
            tasks = frozenset(found.problem.tasks)
            if tasks in met:
                continue
            met.add(tasks)
        yield found


def document(problem: Problem) -> dict[str, Any]:
    """Return the document of a problem in the file format of its kind, as ``planoracle solve`` reads it."""
    if not isinstance(problem, Instance):
        from planoracle.instances.kitchens.files import to_document as kitchen
        from planoracle.instances.kitchens.kitchen import Kitchen

        return kitchen(of_kind(problem, Kitchen))
    if problem.benchmark == "asynctool":
        from planoracle.instances.asynctool import encode, reader

        return reader.to_document(encode.problem_of(problem))
    from planoracle.instances.files import to_document

    return to_document(problem)
