"""The styles of random problems by name: the same seed, parameters and version give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.generate.parameters import Parameters
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import Generator
from planoracle.instances.text import one_of

#: Raised when the same seed and parameters give other problems than before.
VERSION: Final = 1


class GeneratedProblem(NamedTuple):
    """A random problem: the number of the draw, the parameters, and a schedule for it if one is known."""

    problem: Problem
    number: int
    parameters: Parameters
    witness: Schedule | None


def styles() -> tuple[str, ...]:
    """Return the names of all styles: the benchmarks that say how problems like theirs are made."""
    return tuple(name for name in registry.names() if registry.get(name).generator is not None)


@cache
def style(name: str) -> Generator:
    """Return a style by its name; raises `UnknownNameError`."""
    benchmark = registry.find(name)
    found = None if benchmark is None else benchmark.generator
    if found is None:
        raise UnknownNameError(one_of(name, styles(), "styles"), field="style", value=name)
    return found


def generate(name: str, seed: int = 0, number: int = 0, *, combine: bool = False, **given: Any) -> GeneratedProblem:
    """Return one random problem.

    Parameters
    ----------
    name
        One of `styles`.
    seed, number
        Which one: 0 or more. Problems of one seed are independent of each other.
    combine
        Combine tasks that the benchmark has, instead of making new ones.
    given
        Those (see `Parameters`) that differ from the style's usual values.

    Raises
    ------
    UnknownNameError
        For an unknown style.
    InputError
        For a parameter that the style does not have or a value out of range.

    Examples
    --------
    >>> found = generate("generic", seed=7, tasks=2, windows=0.5)
    >>> found.problem.name, len(found.problem.actions), found.witness is not None
    ('generated/generic/v1/tasks=2,windows=0.5/7-0', 16, True)
    """
    for field, value in (("seed", seed), ("number", number)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError("must be a whole number, 0 or more", field=field, value=value)
    kind = style(name)
    if combine and kind.combine is None:
        able = [other for other in styles() if style(other).combine is not None]
        raise InputError(f"is for {', '.join(able)}", field="combine", value=name)
    parameters = Parameters.of(kind.usual, kind.combined if combine else kind.parameters, given)
    label = "/".join(filter(None, (name, "combined" if combine else "", f"v{VERSION}", parameters.changes(kind.usual))))
    # Parameters do not seed: where one is turned a little, much stays the same.
    digest = blake2b(f"{kind.salt or name}/{VERSION}/{seed}/{number}".encode(), digest_size=16).digest()
    random = Random(int.from_bytes(digest, "big"))
    full = f"generated/{label}/{seed}-{number}"
    if combine and kind.combine is not None:
        return GeneratedProblem(kind.combine(random, parameters, full), number, parameters, None)
    problem, witness = kind.make(random, parameters, full)
    return GeneratedProblem(problem, number, parameters, witness)


def draw(name: str, seed: int = 0, *, tries: int, combine: bool = False, **given: Any) -> Iterator[GeneratedProblem]:
    """Yield the problems of a seed by number, each combination of tasks once; arguments as for `generate`.

    >>> [found.problem.name for found in draw("timearena", tries=2, combine=True)]
    ['timearena/cooking9+lab2', 'timearena/lab9+cooking8']
    """
    met: set[frozenset[str]] = set()
    for number in range(tries):
        found = generate(name, seed, number, combine=combine, **given)
        if combine:
            tasks = frozenset(of_kind(found.problem, Instance).tasks)
            if tasks in met:
                continue
            met.add(tasks)
        yield found


def compose(
    name: str, seed: int = 0, *, count: int, kind: str | None = None, variant: str | None = None, **given: Any
) -> Iterator[GeneratedProblem]:
    """Yield problems that a benchmark combines of its tasks by a kind, no combination twice.

    Parameters
    ----------
    name
        A style with `Generator.compose`.
    kind, variant
        Kind of combination, and the end of the names behind ``@``; ``None`` for the usual ones.
    given
        Parameters that differ from the style's usual values.

    Raises
    ------
    InputError
        If the benchmark has no kinds of combinations, or not as many combinations.

    Examples
    --------
    >>> [found.problem.name for found in compose("asynctool", count=1, variant="0-1")]
    ['asynctool/numbers_4+text_2@0-1']
    """
    maker, shelf = style(name), registry.get(name).shelf
    if maker.compose is None or shelf is None:
        raise InputError("this benchmark has no kinds of combinations", field="kind", value=kind)
    parameters = Parameters.of(maker.usual, maker.combined, given)
    for number, label in enumerate(maker.compose(kind, variant, parameters.tasks, count, seed)):
        yield GeneratedProblem(shelf.load(label), number, parameters, None)
