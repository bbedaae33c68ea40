"""Random problems by style and seed: equal seed, parameters and version give equal bytes."""

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

#: Version of the generators; increased when the same seed and parameters give other problems.
VERSION: Final = 1


class GeneratedProblem(NamedTuple):
    """Random problem, with the number of the draw, the parameters, and a schedule if one is known."""

    problem: Problem
    number: int
    parameters: Parameters
    witness: Schedule | None


def styles() -> tuple[str, ...]:
    """Return the names of all styles: the benchmarks with a generator."""
    benchmarks = map(registry.get, registry.names())
    return tuple(benchmark.name for benchmark in benchmarks if benchmark.generator is not None)


@cache
def style(name: str) -> Generator:
    """Return a style by its name; raises `UnknownNameError`."""
    benchmark = registry.find(name)
    if benchmark is None or benchmark.generator is None:
        raise UnknownNameError(one_of(name, styles(), "styles"), field="style", value=name)
    generator: Generator = benchmark.generator.style()
    return generator


def generate(name: str, seed: int = 0, number: int = 0, *, combine: bool = False, **overrides: Any) -> GeneratedProblem:
    """Return one random problem.

    Parameters
    ----------
    name
        One of `styles`.
    seed, number
        Seed and number of the draw, 0 or more. Problems of one seed are independent of each other.
    combine
        Combine existing tasks of the benchmark, instead of generating new ones.
    overrides
        `Parameters` that differ from the style's usual values.

    Raises
    ------
    UnknownNameError
        For an unknown style.
    InputError
        For an unknown parameter or a value out of range.

    Examples
    --------
    >>> draw = generate("generic", seed=7, tasks=2, windows=0.5)
    >>> draw.problem.name, len(draw.problem.actions), draw.witness is not None
    ('generated/generic/v1/tasks=2,windows=0.5/7-0', 16, True)
    """
    for field, value in (("seed", seed), ("number", number)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError("must be a whole number, 0 or more", field=field, value=value)
    kind = style(name)
    if combine and kind.combine is None:
        able = [style_name for style_name in styles() if style(style_name).combine is not None]
        message = f"must be a style with tasks to combine: {', '.join(able)}"
        raise InputError(message, field="combine", value=name)
    parameters = Parameters.of(kind.usual, kind.combined if combine else kind.parameters, overrides)
    changes = parameters.changes(kind.usual)
    label_parts = (name, "combined" if combine else "", f"v{VERSION}", changes)
    label = "/".join(filter(None, label_parts))
    # The seed is independent of the parameters, so that small changes of a parameter keep most of the problem.
    salt = kind.salt or name
    seed_text = f"{salt}/{VERSION}/{seed}/{number}"
    digest = blake2b(seed_text.encode(), digest_size=16).digest()
    random = Random(int.from_bytes(digest, "big"))
    full = f"generated/{label}/{seed}-{number}"
    if combine and kind.combine is not None:
        return GeneratedProblem(kind.combine(random, parameters, full), number, parameters, None)
    problem, witness = kind.make(random, parameters, full)
    return GeneratedProblem(problem, number, parameters, witness)


def draw(
    name: str, seed: int = 0, *, tries: int, combine: bool = False, **overrides: Any
) -> Iterator[GeneratedProblem]:
    """Yield the problems of a seed by number, each combination of tasks once; arguments as in `generate`.

    >>> [one.problem.name for one in draw("timearena", tries=2, combine=True)]
    ['timearena/cooking9+lab2', 'timearena/lab9+cooking8']
    """
    combinations: set[frozenset[str]] = set()
    for number in range(tries):
        drawn = generate(name, seed, number, combine=combine, **overrides)
        if combine:
            tasks = frozenset(of_kind(drawn.problem, Instance).tasks)
            if tasks in combinations:
                continue
            combinations.add(tasks)
        yield drawn


def compose(
    name: str, seed: int = 0, *, count: int, kind: str | None = None, variant: str | None = None, **overrides: Any
) -> Iterator[GeneratedProblem]:
    """Yield combinations of a benchmark's tasks by a kind, each once.

    Parameters
    ----------
    name
        A style with `Generator.compose`.
    kind, variant
        Kind of combination, and the variant in names after ``@``; ``None`` for the usual ones.
    overrides
        Parameters that differ from the style's usual values.

    Raises
    ------
    InputError
        If the benchmark has no kinds of combinations, or fewer combinations.

    Examples
    --------
    >>> [one.problem.name for one in compose("asynctool", count=1, variant="0-1")]
    ['asynctool/tickets_4+messages_3@0-1']
    """
    generator = style(name)
    catalog = registry.get(name).catalog
    if generator.compose is None or catalog is None:
        raise InputError("this benchmark defines no kinds of combinations", field="kind", value=kind)
    parameters = Parameters.of(generator.usual, generator.combined, overrides)
    for number, label in enumerate(generator.compose(kind, variant, parameters.tasks, count, seed)):
        yield GeneratedProblem(catalog.load(label), number, parameters, None)
