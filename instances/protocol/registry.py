"""All benchmarks by name: a folder beside this module each, and those of other packages.

A package brings benchmarks by entry points of the group `GROUP`, each the path of a
`planoracle.instances.protocol.benchmark.Benchmark`; or it calls `register`.
"""

from __future__ import annotations

import os
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.text import one_of

if TYPE_CHECKING:  # which imports what benchmarks are made of
    from planoracle.instances.protocol.benchmark import AnyBenchmark


#: Entry points of benchmarks that other packages bring.
GROUP = "planoracle.benchmarks"

_PACKAGE = "planoracle.instances.benchmarks"
_registered: dict[str, AnyBenchmark] = {}


@cache
def _folders() -> frozenset[str]:
    paths = import_module(_PACKAGE).__path__
    return frozenset(module.name for module in pkgutil.iter_modules(paths) if module.ispkg)


@cache
def _built_in(name: str) -> AnyBenchmark | None:
    """Return the benchmark of a folder of ours, if there is a folder of that name and it has one."""
    found = getattr(import_module(f"{_PACKAGE}.{name}"), "benchmark", None) if name in _folders() else None
    return cast("AnyBenchmark | None", found)


@cache
def _from_packages() -> dict[str, AnyBenchmark]:
    from importlib.metadata import entry_points  # which takes longer to import than all the rest here

    found: dict[str, AnyBenchmark] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            benchmark: AnyBenchmark = point.load()
            _check(benchmark, point.name)
        except (ImportError, AttributeError) as error:
            missing = getattr(error, "name", None) or ""
            advice = "mend or uninstall the package that brings it"
            if isinstance(error, ImportError) and missing.startswith("planoracle."):
                advice = (
                    "it was written for planoracle 0.10 or earlier: import from planoracle.plugin, and name the parts "
                    "of the benchmark with lazy(), as `planoracle benchmark new` writes them"
                )
            message = f"cannot be loaded from {point.value} ({error}); {advice}"
            raise InputError(message, field=GROUP, value=point.name) from error
        found[benchmark.name] = benchmark
    return found


def _check(benchmark: AnyBenchmark, name: str) -> None:
    if benchmark.name != name or not name.isidentifier():
        raise InputError("must be the benchmark's name, a plain word", field=GROUP, value=name)
    if _built_in(name) is not None:
        raise InputError("is the name of another benchmark", field=GROUP, value=name)


def register(benchmark: AnyBenchmark) -> None:
    """Add a benchmark in this process; an entry point does so in every process.

    Raises
    ------
    InputError
        If there is another of that name.
    """
    if _registered.get(benchmark.name) is benchmark:
        return
    _check(benchmark, benchmark.name)
    if benchmark.name in _from_packages() or benchmark.name in _registered:
        raise InputError("is the name of another benchmark", field=GROUP, value=benchmark.name)
    _registered[benchmark.name] = benchmark


def find(name: str) -> AnyBenchmark | None:
    """Return a benchmark by its name, ``None`` if there is none."""
    return _built_in(name) or _registered.get(name) or _from_packages().get(name)


def formerly(name: str) -> AnyBenchmark | None:
    """Return a benchmark by its name, or by the one that it had once, ``None`` if there is none."""
    return find(name) or next((one for one in map(get, names()) if name and one.formerly == name), None)


def get(name: str) -> AnyBenchmark:
    """Return a benchmark by its name; raises `UnknownNameError`.

    Examples
    --------
    >>> get("generic").plan_fields
    ('plan',)
    """
    found = find(name)
    if found is None:
        raise UnknownNameError(one_of(name, names(), "benchmarks"), field="benchmark", value=name)
    return found


def names() -> tuple[str, ...]:
    """Return the names of all benchmarks, ours first, by alphabet."""
    ours = sorted(name for name in _folders() if _built_in(name) is not None)
    return (*ours, *sorted({*_from_packages(), *_registered}))


def of(problem: Problem) -> AnyBenchmark:
    """Return the benchmark of a problem."""
    return get(check_problem(problem).benchmark)


_HEAD = "PLANORACLE_DATA_"


def data_variable(benchmark: str) -> str:
    """Return the variable of the environment that says where a benchmark's data are.

    >>> data_variable("tea_time")
    'PLANORACLE_DATA_TEA_TIME'
    """
    return _HEAD + benchmark.upper()


def data_folder(benchmark: str) -> Path | None:
    """Return the folder with a benchmark's data, ``None`` if nobody has told of one."""
    found = os.environ.get(data_variable(benchmark))
    return Path(found) if found else None


def use_data_folder(benchmark: str, folder: str | Path | None) -> None:
    """Let names of a benchmark mean what is in a folder, here and in processes started later; ``None`` for none."""
    if folder is None:
        os.environ.pop(data_variable(benchmark), None)
    else:
        os.environ[data_variable(benchmark)] = str(Path(folder).absolute())


def data_folders() -> tuple[tuple[str, str], ...]:
    """Return all folders that have been told of: what depends on them can be kept under this."""
    return tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith(_HEAD)))
