"""Registry of benchmarks by name: those of this package, and those of other packages.

Other packages declare entry points of the group `GROUP`, each the path of a
`planoracle.instances.protocol.benchmark.Benchmark`, or call `register`.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING

from planoracle.instances.errors import BenchmarkError, InputError, InternalError, PlanoracleError, UnknownNameError
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.model.violations import Replay
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark
    from planoracle.instances.protocol.feedback import ClockFormat


#: Group of the entry points of benchmarks in other packages.
GROUP = "planoracle.benchmarks"

_PACKAGE = "planoracle.instances.benchmarks"
_registered: dict[str, AnyBenchmark] = {}


@cache
def _folders() -> frozenset[str]:
    paths = import_module(_PACKAGE).__path__
    return frozenset(module.name for module in pkgutil.iter_modules(paths) if module.ispkg)


@cache
def _benchmarks_of(folder: str) -> dict[str, AnyBenchmark]:
    """Return the benchmarks of a package below `_PACKAGE`: its ``benchmark``, or several ``benchmarks``."""
    package = import_module(f"{_PACKAGE}.{folder}")
    benchmarks = getattr(package, "benchmarks", ())
    if hasattr(package, "benchmark"):
        benchmarks = (package.benchmark,)
    return {benchmark.name: benchmark for benchmark in benchmarks}


@cache
def _built_in(name: str) -> AnyBenchmark | None:
    """Return the benchmark of a package below `_PACKAGE`, ``None`` if there is none of that name."""
    # The package of the same name comes first: as a rule, no other package is imported.
    for folder in sorted(_folders(), key=lambda folder: (folder != name, folder)):
        if name in _benchmarks_of(folder):
            return _benchmarks_of(folder)[name]
    return None


@cache
def _from_packages() -> dict[str, AnyBenchmark]:
    from importlib.metadata import entry_points  # slow to import

    benchmarks: dict[str, AnyBenchmark] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            benchmark: AnyBenchmark = point.load()
            _check(benchmark, point.name)
        except (ImportError, AttributeError, BenchmarkError) as error:
            missing = getattr(error, "name", None) or ""
            advice = "repair or uninstall this package"
            if isinstance(error, ImportError) and missing.startswith("planoracle."):
                advice = (
                    "it was written for planoracle 0.10 or earlier: import from planoracle.plugin, and name the parts "
                    "of the benchmark with lazy(), as `planoracle benchmark new` writes them"
                )
            message = f"cannot be loaded from {point.value} ({error}); {advice}"
            raise InputError(message, field=GROUP, value=point.name) from error
        benchmarks[benchmark.name] = benchmark
    return benchmarks


def _check(benchmark: AnyBenchmark, name: str) -> None:
    if benchmark.name != name or not name.isidentifier():
        raise InputError("must be the name of the benchmark, a Python identifier", field=GROUP, value=name)
    if _built_in(name) is not None:
        raise InputError("is the name of another benchmark", field=GROUP, value=name)


def register(benchmark: AnyBenchmark) -> None:
    """Add a benchmark to this process. An entry point adds it to every process.

    Parameters
    ----------
    benchmark
        Object of a class derived from `planoracle.plugin.Benchmark`; its name must be new.

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


def find(name: str, *, former: bool = False) -> AnyBenchmark | None:
    """Return a benchmark by its name, or with ``former`` by its earlier name; ``None`` if there is none."""
    benchmark = _built_in(name) or _registered.get(name) or _from_packages().get(name)
    if benchmark is None and former and name:
        return next((candidate for candidate in map(get, names()) if candidate.former_name == name), None)
    return benchmark


def get(name: str) -> AnyBenchmark:
    """Return a benchmark by its name; raises `UnknownNameError`.

    Examples
    --------
    >>> get("generic").plan_fields
    ('plan',)
    """
    benchmark = find(name)
    if benchmark is None:
        raise UnknownNameError(one_of(name, names(), "benchmarks"), field="benchmark", value=name)
    return benchmark


def names() -> tuple[str, ...]:
    """Return the names of all benchmarks, first those of this package, each in alphabetical order."""
    built_in: set[str] = set()
    for folder in _folders():
        built_in.update(_benchmarks_of(folder))
    return (*sorted(built_in), *sorted({*_from_packages(), *_registered}))


def packages() -> tuple[str, ...]:
    """Return the names of the other packages that have benchmarks."""
    benchmarks = (_from_packages() | _registered).values()
    return tuple(sorted({type(benchmark).__module__.partition(".")[0] for benchmark in benchmarks}))


@cache
def source_digest(names: tuple[str, ...]) -> str:
    """Return a digest of the Python files of packages; stored results are out of date when it changes."""
    digest = blake2b(digest_size=16)
    for name in names:
        for folder in getattr(sys.modules.get(name), "__path__", ()):
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def of(problem: Problem) -> AnyBenchmark:
    """Return the benchmark of a problem."""
    return get(check_problem(problem).benchmark)


def clock_of(problem: Problem) -> ClockFormat:
    """Return the text form of times of a problem.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `planoracle.load`.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> clock_of(load("recipe2plan/timed/Cobbler_Pancakes")).moment(90), clock_of(load("asynctool/files_1")).moment(0)
    ('00:01:30', 'turn 1')
    """
    return of(problem).clock(problem)


#: Advice for rules that a problem does not state.
_STATE_RULES = "state all rules in the problem, or define optimum(problem)"


def contradiction(
    problem: Problem,
    text: str,
    advice: str = _STATE_RULES,
    details: str = "",
    kind: type[BenchmarkError] = BenchmarkError,
) -> PlanoracleError:
    """Return the error for rules, plan language and problem that contradict each other.

    It is an internal one for the benchmarks of this package.

    Parameters
    ----------
    problem, text
        Problem, and the contradiction in words.
    advice
        Remedy for the author of the benchmark.
    details
        Further text at the end.
    kind
        Class of the error for benchmarks of other packages.
    """
    name = problem.benchmark
    if _built_in(name) is not None:
        return InternalError(f"{problem.name}: {text}")
    remedy = f"{advice}; see planoracle benchmark check {name}"
    return kind("; ".join(filter(None, (f"benchmark {name}: {problem.name}: {text}", remedy, details))))


def check_verdict(problem: Problem, verdict: Replay) -> None:
    """Raise an error, of which `contradiction` says the class, for a verdict that contradicts itself."""
    fault = verdict.contradiction
    if fault:
        advice = "repair the verdict in its simulator or its replay"
        raise contradiction(problem, f"the verdict of its rules contradicts itself: {fault}", advice)


def is_bundled(name: str) -> bool:
    """Return True for the name of a benchmark of this package."""
    return _built_in(name) is not None


def benchmark_error(error: Exception) -> BenchmarkError | None:
    """Return the error of a benchmark in another package whose code raised it, else ``None``."""
    if isinstance(error, BenchmarkError):
        return error
    packages = {}
    for benchmark_name, benchmark in (_from_packages() | _registered).items():
        package = type(benchmark).__module__.partition(".")[0]
        packages[package] = benchmark_name
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        if name := packages.get(module.partition(".")[0]):
            return BenchmarkError(f"benchmark {name}: {module}, line {line}: {type(error).__name__}: {error}")
    return None


_HEAD = "PLANORACLE_DATA_"


def data_variable(benchmark: str) -> str:
    """Return the name of the environment variable for the folder with a benchmark's original data.

    >>> data_variable("tea_time")
    'PLANORACLE_DATA_TEA_TIME'
    """
    return _HEAD + benchmark.upper()


def data_folder(benchmark: str) -> Path | None:
    """Return the folder with a benchmark's original data, ``None`` if none is set."""
    folder = os.environ.get(data_variable(benchmark))
    return Path(folder) if folder else None


def use_data_folder(benchmark: str, folder: str | Path | None) -> None:
    """Set the folder with a benchmark's original data, for this process and its children."""
    if folder is None:
        os.environ.pop(data_variable(benchmark), None)
    else:
        os.environ[data_variable(benchmark)] = str(Path(folder).absolute())


def data_folders() -> tuple[tuple[str, str], ...]:
    """Return all folders that are set, as a key for caches."""
    folders = [(name, value) for name, value in os.environ.items() if name.startswith(_HEAD)]
    return tuple(sorted(folders))
