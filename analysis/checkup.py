"""Whether an installation is sound: versions, places, the machine, a solve and a grade whose answers are known."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Final

from planoracle import __version__
from planoracle.analysis.packages import Requirement, requirements

__all__ = ["EXTRAS", "Finding", "State", "checkup"]

#: What extras bring to users; all others are for who works on planoracle itself.
EXTRAS: Final = {
    "frames": "Parquet files, read and written",
    "cluster": "batches on the workers of dask",
    "yaml": "problems in YAML",
    "inspect": "models in planoracle run, tasks of inspect_ai",
    "gym": "environments of Gymnasium and PettingZoo",
    "mcp": "the tools of planoracle mcp",
}
# Modules whose name is not that of their package.
_MODULES: Final = {"typing-extensions": "typing_extensions", "pyyaml": "yaml"}
_LEAST_PYTHON: Final = (3, 11)
# Available memory below which it is better to do one thing at a time, in bytes.
_LITTLE: Final = 2**30


class State:
    """What a finding means: all is well; an extra that is not there, which is no fault; something is wrong."""

    ok: Final = "ok"
    missing: Final = "missing"
    wrong: Final = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing, and what to do if it is not as it should be.

    Attributes
    ----------
    check
        What was looked at.
    state
        One of `State`.
    found
        What there is: a version, a place, a figure.
    needs
        What there should be, of packages.
    about
        What it is good for.
    advice
        What to do, ``""`` if nothing.
    """

    check: str
    state: str
    found: str = ""
    needs: str = ""
    about: str = ""
    advice: str = ""


def checkup() -> Iterator[Finding]:
    """Yield all findings, one after the other; a check that fails does not keep the others from being made."""
    yield _python()
    needed = requirements()
    yield _itself(needed)
    yield from (_package(one) for one in needed if not one.extra)
    for extra in EXTRAS:
        yield _extra(extra, [one for one in needed if one.extra == extra])
    for check in (_cache, _cores, _memory, _solve, _grade):
        name = check.__name__.strip("_")
        try:
            yield check()
        except Exception as error:  # whatever is broken: that is what is looked for
            yield Finding(name, State.wrong, f"{type(error).__name__}: {error}", advice=_ANEW)


_ANEW = "install planoracle anew, into an environment of its own"


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    least = ".".join(map(str, _LEAST_PYTHON))
    good = sys.version_info >= _LEAST_PYTHON
    advice = "" if good else f"use Python {least} or newer"
    return Finding("python", State.ok if good else State.wrong, version, f">={least}", sys.executable, advice)


def _itself(needed: list[Requirement]) -> Finding:
    import planoracle

    place = str(Path(planoracle.__file__).parent)
    if not needed:
        return Finding(
            "planoracle", State.wrong, __version__, about=place, advice="install it by pip: what it needs is not known"
        )
    recorded = Requirement("planoracle").installed
    if recorded != __version__:
        advice = f"install it again: pip knows it as {recorded}"
        return Finding("planoracle", State.wrong, __version__, about=place, advice=advice)
    return Finding("planoracle", State.ok, __version__, about=place)


def _package(one: Requirement) -> Finding:
    """Look at a package: whether it is there, of a version that will do, and can be imported."""
    version = one.installed
    advice = f"pip install '{one}'"
    if version is None:
        return Finding(one.name, State.wrong, "", one.wanted, advice=advice)
    if not one.admits(version):
        return Finding(one.name, State.wrong, version, one.wanted, advice=advice)
    fault = _fault_of(one.name)
    if fault:
        return Finding(one.name, State.wrong, version, one.wanted, fault, f"pip install --force-reinstall '{one}'")
    return Finding(one.name, State.ok, version, one.wanted)


def _fault_of(package: str) -> str:
    """Return why a package cannot be imported, ``""`` if it can."""
    try:
        import_module(_MODULES.get(package, package))
    except Exception as error:  # a broken library fails in any way
        return f"cannot be imported: {error}"
    return ""


def _extra(name: str, needed: list[Requirement]) -> Finding:
    here = {one: version for one in needed if (version := one.installed) is not None}
    found = ", ".join(f"{one.name} {version}" for one, version in here.items())
    wanted = ", ".join(map(str, needed))
    bad = [one for one, version in here.items() if not one.admits(version)]
    advice = f"pip install {' '.join(repr(str(one)) for one in needed)}"
    if bad:
        return Finding(f"[{name}]", State.wrong, found, wanted, EXTRAS[name], advice)
    if len(here) < len(needed) or not needed:
        return Finding(f"[{name}]", State.missing, found, wanted, EXTRAS[name], advice if needed else "")
    if fault := next(filter(None, map(_fault_of, (one.name for one in needed))), ""):
        return Finding(f"[{name}]", State.wrong, found, wanted, fault, advice)
    return Finding(f"[{name}]", State.ok, found, wanted, EXTRAS[name])


def _cache() -> Finding:
    """Look at the folder in which proved optima are kept."""
    from planoracle.analysis.batch.store import VARIABLE, default_store

    store = default_store()
    if store is None:
        return Finding("cache", State.ok, "off", about=f"{VARIABLE} is empty: no optimum is kept")
    folder = store.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = f"set {VARIABLE} to a folder that you may write, or to nothing"
        return Finding("cache", State.wrong, str(folder), about=f"cannot be written: {error.strerror}", advice=advice)
    count, size = _contents(folder)
    owner = _owner(folder)
    return Finding(
        "cache", State.ok, str(folder), about=f"{count} optima, {_bytes(size)}{owner and f', of {owner}'}, writable"
    )


def _cores() -> Finding:
    from loky import cpu_count

    free, there = int(cpu_count()), os.cpu_count() or 1
    return Finding("cores", State.ok, str(free), about=f"of {there} in the machine; batches use them all")


def _memory() -> Finding:
    total, free = _memories()
    if total is None:
        return Finding("memory", State.ok, "unknown", about="the system does not say")
    advice = "little is free: --workers 1 needs least" if free is not None and free < _LITTLE else ""
    about = "" if free is None else f"{_bytes(free)} free"
    return Finding("memory", State.ok, _bytes(total), about=about, advice=advice)


def _solve() -> Finding:
    """Solve a job shop whose optimum OR-Tools' documentation states, by CP-SAT; the rules have accepted the plan."""
    from planoracle.analysis.api import solve
    from planoracle.instances.build import Model

    model = Model("three jobs")
    for task, steps in {"a": ("x3", "y2", "z2"), "b": ("x2", "z1", "y4"), "c": ("y4", "z3")}.items():
        model.task(task)
        for number, step in enumerate(steps):
            before = (str(number - 1),) if number else ()
            model.action(str(number), int(step[1]), attended=0, uses=step[0], after=before)
    result = solve(model.build())
    told = f"{result.status}, {result.makespan}"
    if (result.status, result.makespan) != ("optimal", 11):
        return Finding("solve", State.wrong, told, "optimal, 11", "three jobs on three machines", _ANEW)
    return Finding("solve", State.ok, told, "optimal, 11", f"three jobs on three machines, {result.seconds:.2f} s")


def _grade() -> Finding:
    """Grade the plan that ships with a bundled problem, and none at all."""
    from planoracle.analysis.api import grade
    from planoracle.analysis.optima import ways_of
    from planoracle.instances import registry

    start = perf_counter()
    names = (next(iter(shelf.names()), None) for each in registry.names() if (shelf := registry.get(each).shelf))
    shipped = ((name, next(iter(ways_of(name))).result()) for name in names if name is not None)
    name, best = next((name, best) for name, best in shipped if best is not None and best.kind == "schedule")
    good = grade({"id": "good", "instance": name, "plan": best.plan})
    bad = grade({"id": "bad", "instance": name, "plan": "-"})
    told = f"success {good.success}, of no plan {bad.success if bad.scored else 'unscored'}"
    if not (good.scored and good.success) or bad.success:
        return Finding("grade", State.wrong, told, "success True, of no plan False", name, _ANEW)
    return Finding("grade", State.ok, told, "", f"{name}, {perf_counter() - start:.2f} s")


def _contents(folder: Path) -> tuple[int, int]:
    """Return how many JSON files are below a folder, and the bytes of all files there."""
    count = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += name.endswith(".json")
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # another process has just removed it
                continue
    return count, size


def _owner(path: Path) -> str:
    """Return the name of the owner of a folder, ``""`` where the system has none."""
    try:
        return path.owner()
    except (OSError, KeyError, NotImplementedError):  # also: not on this system (UnsupportedOperation)
        return ""


def _memories() -> tuple[int | None, int | None]:
    """Return the bytes of memory that this process may have, and how many are free, as far as the system says."""
    total = _pages("SC_PHYS_PAGES")
    try:  # of a container
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):
        limit, used = "max", 0
    free = _available()
    if total is not None and limit.isdigit() and int(limit) < total:
        room = max(0, int(limit) - used)
        return int(limit), room if free is None else min(free, room)
    return total, free


def _pages(name: str) -> int | None:
    try:
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _available() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return None


def _bytes(size: int) -> str:
    """Return a size as people read it.

    >>> _bytes(0), _bytes(1536), _bytes(3 * 2**30)
    ('0 B', '1.5 KiB', '3.0 GiB')
    """
    number, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if number < 1024:
            break
        number, unit = number / 1024, larger
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
