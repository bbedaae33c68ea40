"""Results in the user's copy of ParaCook's data (folder ``results``): plans of people and least times.

A run of the cook world is ``results/METHOD/MODEL/MAP/orders_num_N.json``, with whether it was done, its time and its
plan; all runs of a model on the abstract part are ``results/abstract/MODEL.json``, by setting.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from planoracle.instances.benchmarks.paracook.local_copy import an_object, within
from planoracle.instances.benchmarks.paracook.problems import COOK, covers
from planoracle.instances.benchmarks.paracook_abstract.problems import ABSTRACT
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

_PATH = re.compile(r"[A-Za-z0-9][\w-]{0,40}/seed_[0-9]{1,9}/agent_num_[0-9]{1,3}/orders_num_[0-9]{1,3}")
_SETTING = re.compile(r"([A-Za-z0-9][\w-]{0,40}/seed_[0-9]{1,9})/agent_num_([1-9][0-9]{0,2})/(orders_num_[0-9]{1,3})")
# Most runs of people that are looked at.
_MOST_RUNS = 10_000


def human(problem: Problem) -> Claim:
    """Return the shortest successful run of a person with its plan; raises `InputError` for a bad file."""
    runs = map(_run, _human(registry.data_folders()).get(problem.name, ()))
    done = [run for run in runs if run.makespan is not None]
    return min(done, key=lambda run: run.makespan or 0, default=Claim(None))


def human_names() -> tuple[str, ...]:
    """Return the names of the problems of the copy for which there are runs of people."""
    return tuple(filter(covers, _human(registry.data_folders())))


def minimum(problem: Problem) -> Claim:
    """Return the least time of the released script with its plan; raises `InputError` for a bad file."""
    name = problem.name if "~" in problem.name else f"{problem.name}~1"
    setting, row, source = _minima(registry.data_folders()).get(name, ("", {}, ""))
    try:
        return _claim(an_object(row, setting), row.get("answer"))
    except InputError as error:
        raise error.at(source, setting) from None


def minimum_names() -> tuple[str, ...]:
    """Return the names of the problems of the copy for which there is a least time."""
    minima = _minima(registry.data_folders()).items()
    done = [name for name, (_, row, _) in minima if not isinstance(row, dict) or row.get("done") is True]
    return tuple(name.removesuffix("~1") for name in done if covers(name.partition("~")[0]))


@lru_cache(maxsize=4)
def _human(folders: object) -> dict[str, list[Path]]:
    """Return the files of runs of people by the names of their problems."""
    folder, runs = registry.data_folder("paracook"), dict[str, list[Path]]()
    root = (folder or Path()) / "results" / "Human"
    files = [] if folder is None else sorted(islice(root.glob("*/*/*/*/*.json"), _MOST_RUNS + 1))
    if len(files) > _MOST_RUNS:
        raise InputError(f"holds more than {_MOST_RUNS} runs", source=str(root))
    for file in files:
        _, _, name = file.relative_to(root).with_suffix("").as_posix().partition("/")
        if _PATH.fullmatch(name):
            runs.setdefault(f"{COOK}{name}", []).append(file)
    return runs


def _run(file: Path) -> Claim:
    with within(str(file)):
        document = an_object(load_json(read_bytes(str(file)), str(file)), "document")
        return _claim(document, an_object(document.get("plan"), "plan"))


@lru_cache(maxsize=4)
def _minima(folders: object) -> dict[str, tuple[str, Any, str]]:
    """Return setting, row and file of the minimum of each problem; names have the number of agents."""
    folder = registry.data_folder("paracook")
    file = None if folder is None else folder / "results" / "abstract" / "cp_sat.json"
    if file is None or not file.is_file():
        return {}
    with within(str(file)):
        rows = an_object(load_json(read_bytes(str(file)), str(file)), "document")
    places = ((setting, _SETTING.fullmatch(setting)) for setting in rows)
    return {
        f"{ABSTRACT}{place[1]}/{place[3]}~{place[2]}": (setting, rows[setting], str(file))
        for setting, place in places
        if place is not None
    }


def _claim(row: dict[str, Any], plan: object) -> Claim:
    """Return what a run states that was done."""
    if row.get("done") is not True:
        return Claim(None)
    time = row.get("time")
    whole = isinstance(time, int | float) and not isinstance(time, bool) and time == int(time)
    if not whole or not 0 <= time < 2**53:  # type: ignore[operator]
        raise InputError("must be a whole number of ticks", field="time", value=time)
    return Claim(int(time), plan={"plan": plan})  # type: ignore[arg-type]
