"""Results in the user's copy of ParaCook's data (folder ``results``): plans of people and least times.

A run of the cook world is ``results/METHOD/MODEL/MAP/orders_num_N.json``, with whether it was done, its time and its
plan; all runs of a model on the abstract part are ``results/abstract/MODEL.json``, by setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from planoracle.instances.benchmarks.paracook.local_copy import an_object, within
from planoracle.instances.benchmarks.paracook.problems import covers
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Claim

#: Descriptions of the two references for the page of an audit.
HUMAN: Final = (
    "The plans of people, `results/Human` of a copy, as far as they were done. (The repository had 24, and has taken "
    "them out; in a clone `git checkout 37f651b -- results` brings them back.) `planoracle audit paracook --data "
    "paracook=DIR` checks them."
)
MINIMUM: Final = (
    "The least times for so many agents that the released script leaves in `results/abstract/cp_sat.json` of a copy: "
    "the best plan that it has found after a minute, proved or not. `planoracle audit paracook --data paracook=DIR` "
    "checks them."
)

_COOK, _ABSTRACT = "paracook/cook/", "paracook/abstract/"
_PATH = re.compile(r"[A-Za-z0-9][\w-]{0,40}/seed_[0-9]{1,9}/agent_num_[0-9]{1,3}/orders_num_[0-9]{1,3}")
_SETTING = re.compile(r"([A-Za-z0-9][\w-]{0,40}/seed_[0-9]{1,9})/agent_num_([1-9][0-9]{0,2})/(orders_num_[0-9]{1,3})")
# Most people and most runs that are looked at.
_MOST_PEOPLE, _MOST_RUNS = 100, 10_000


def human(problem: Problem) -> Claim:
    """Return the shortest successful run of a person with its plan; raises `InputError` for a bad file."""
    if not problem.name.startswith(_COOK):
        return Claim(None)
    runs = [_run(file) for file in _human(registry.data_folders()).get(problem.name.removeprefix(_COOK), ())]
    done = [claim for claim in runs if claim is not None]
    return min(done, key=lambda one: one.makespan or 0, default=Claim(None))


def human_names() -> tuple[str, ...]:
    """Return the names of the problems of the copy for which there are runs of people."""
    return tuple(name for one in _human(registry.data_folders()) if covers(name := _COOK + one))


def minimum(problem: Problem) -> Claim:
    """Return the least time of the released script with its plan; raises `InputError` for a bad file."""
    if not problem.name.startswith(_ABSTRACT):
        return Claim(None)
    inner, _, agents = problem.name.removeprefix(_ABSTRACT).partition("~")
    claim = _minima(registry.data_folders()).get((inner, agents or "1"), Claim(None))
    if isinstance(claim, InputError):
        raise claim.with_traceback(None)
    return claim


def minimum_names() -> tuple[str, ...]:
    """Return the names of the problems of the copy for which there is a least time."""
    covered = (one for one in _minima(registry.data_folders()) if covers(_ABSTRACT + one[0]))
    return tuple(f"{_ABSTRACT}{name}{f'~{agents}' if agents != '1' else ''}" for name, agents in covered)


def _results() -> Path | None:
    folder = registry.data_folder("paracook")
    return None if folder is None else folder / "results"


@lru_cache(maxsize=4)
def _human(folders: object) -> dict[str, tuple[Path, ...]]:
    """Return the files of runs of people by what is behind the person's name, without its end."""
    folder = _results()
    if folder is None or not (folder / "Human").is_dir():
        return {}
    runs: dict[str, tuple[Path, ...]] = {}
    people = sorted(path for path in (folder / "Human").iterdir() if path.is_dir())[:_MOST_PEOPLE]
    for person in people:
        for file in _files(person):
            name = file.relative_to(person).with_suffix("").as_posix()
            if _PATH.fullmatch(name):
                runs[name] = (*runs.get(name, ()), file)
    return runs


def _files(folder: Path) -> Iterator[Path]:
    for number, file in enumerate(sorted(folder.glob("*/*/*/*.json"))):
        if number == _MOST_RUNS:
            raise InputError(f"holds more than {_MOST_RUNS} runs", source=str(folder))
        yield file


@cache
def _run(file: Path) -> Claim | None:
    with within(str(file)):
        document = an_object(load_json(read_bytes(str(file)), str(file)), "document")
        return _claim(document, an_object(document.get("plan"), "plan"))


@lru_cache(maxsize=4)
def _minima(folders: object) -> dict[tuple[str, str], Claim | InputError]:
    """Return what was left for each problem and number of agents, or what is wrong with it."""
    folder = _results()
    file = None if folder is None else folder / "abstract" / "cp_sat.json"
    if file is None or not file.is_file():
        return {}
    claims: dict[tuple[str, str], Claim | InputError] = {}
    source = str(file)
    with within(source):
        rows = an_object(load_json(read_bytes(source), source), "document")
    for setting, row in rows.items():
        place = _SETTING.fullmatch(setting)
        if place is None:
            continue
        try:
            claim = _claim(an_object(row, setting), row.get("answer"))
        except InputError as error:
            claims[f"{place[1]}/{place[3]}", place[2]] = error.at(source, setting)
            continue
        if claim is not None:
            claims[f"{place[1]}/{place[3]}", place[2]] = claim
    return claims


def _claim(row: dict[str, Any], plan: object) -> Claim | None:
    """Return what a run states that was done."""
    if row.get("done") is not True:
        return None
    time = row.get("time")
    whole = isinstance(time, int | float) and not isinstance(time, bool) and time == int(time)
    if not whole or not 0 <= time < 2**53:  # type: ignore[operator]
        raise InputError("must be a whole number of ticks", field="time", value=time)
    return Claim(int(time), plan={"plan": plan})  # type: ignore[arg-type]
