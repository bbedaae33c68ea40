"""The instances to compare on: made here, bundled, or read from the literature's files, with what is known."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from planoracle.instances.catalogue import expand, load, read
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model import Instance
from tests.benchmarks.peers.made import project

__all__ = ["LITERATURE", "MADE", "Problem", "problems"]

LITERATURE = Path(__file__).resolve().parents[4] / "shared" / "literature"
#: Problems of every made set, ``made/10`` and so on, by the number of actions.
MADE = 30
_KNOWN = ("optimum.csv", "optimum_kobe.csv", "best_known.csv", "best_sagas.csv")


@dataclass(frozen=True, slots=True)
class Problem:
    """An instance with what the literature says of its best makespan.

    Attributes
    ----------
    reading
        Seconds to read it from its file, or to make it.
    known
        Least and greatest value that the best makespan can have, ``None`` for open; ``"infeasible"``; or ``None``.
    """

    name: str
    instance: Instance
    reading: float
    known: tuple[int | None, int | None] | str | None = None


def problems(name: str) -> list[Problem]:
    """Return a set: ``made/20``, a name or prefix of bundled problems, a folder of the literature, or a path.

    Raises
    ------
    UnknownNameError
        If the name stands for nothing here.
    """
    if match := re.fullmatch(r"made/(\d+)", name):
        return [_timed(f"{name}/{seed}", partial(project, int(match[1]), seed)) for seed in range(MADE)]
    path = LITERATURE / name if (LITERATURE / name).exists() else Path(name)
    if path.exists():
        return list(_files(path))
    return [_timed(member, partial(load, member)) for member in expand([name])]


def _timed(name: str, make, known=None) -> Problem:
    began = perf_counter()
    instance = make()
    return Problem(name, instance, perf_counter() - began, known)


def _files(path: Path) -> Iterator[Problem]:
    folder = path if path.is_dir() else path.parent
    tables = _known(folder) | _known(folder.parent)
    if path.is_file():
        members = [path]
    else:
        members = sorted((one for one in path.iterdir() if one.suffix in (".sch", ".sm", ".jss")), key=_natural)
    if not members:
        raise UnknownNameError("no instance is in this folder", value=str(path))
    read(str(members[0]))  # imports the reader
    for member in members:
        known = tables.get(member.stem, tables.get(member.name))
        yield _timed(f"{member.parent.name}/{member.name}", partial(_first, member), known)


def _first(path: Path) -> Instance:
    return read(str(path))[0]


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", path.name)]


def _known(folder: Path) -> dict[str, tuple[int | None, int | None] | str]:
    """Read the tables of known values beside the instances; the last one in `_KNOWN` that names an instance wins."""
    found: dict[str, tuple[int | None, int | None] | str] = {}
    for name in _KNOWN:
        if not (folder / name).exists():
            continue
        for row in csv.reader((folder / name).read_text().splitlines()):
            if len(row) < 2 or not row[-1]:
                continue
            key = row[0].rpartition(".")[0] or row[0]
            if name == "best_known.csv":
                if row[1].isdigit() and row[2].isdigit():
                    found[key] = int(row[1]), int(row[2])
            elif name == "best_sagas.csv":
                if row[2].isdigit():
                    found[key] = None, int(row[2])  # found by a heuristic
            elif row[1] == "unsat":
                found[key] = "infeasible"
            elif match := re.fullmatch(r"(\d+)(?:\.\.(\d+))?", row[1]):
                found[key] = int(match[1]), int(match[2] or match[1])
    return found
