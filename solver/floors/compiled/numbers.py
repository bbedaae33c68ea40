"""Compiling, and how a state is written down as a row of numbers.

A row is: moment, orders served, who acted last, dirty plates; when they appear, by order; by cook tile, moment from
which it is free, what it holds, clock, lag and whether closed; by station what lies there; clocks; moments since when.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, TypeVar, cast

import numba
from numba import config
from platformdirs import user_cache_dir

from planoracle.solver.floors.compiled.sizes import NEVER
from planoracle.solver.floors.compiled.tables import Fixed
from planoracle.solver.floors.moves import State

__all__ = ["ACTOR", "COOK", "DIRTY_PLATES", "HEAD", "MOMENT", "SERVED", "compiled", "row_of", "width"]

MOMENT, SERVED, ACTOR, DIRTY_PLATES, HEAD = range(5)
#: Numbers of a cook.
COOK: Final = 6

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _folder() -> str:
    """Return where compiled code is kept: a folder for these very sources, as the compiler looks at single files."""
    seal = sha256(version("numba").encode())
    for source in sorted(Path(__file__).parents[1].rglob("*.py")):
        seal.update(source.read_bytes())
    return str(Path(user_cache_dir("planoracle", appauthor=False)) / "compiled" / seal.hexdigest()[:16])


def _kept() -> bool:
    """Whether compiled code can be kept; else the compiler would keep it next to the sources."""
    try:
        Path(_FOLDER).mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=_FOLDER):
            return True
    except OSError:
        return False


_FOLDER: Final = _folder()
_KEPT: Final = _kept()


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called, and keep the code for the next process if there is a place for it."""
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, _FOLDER
    try:
        return cast("_Function", numba.njit(cache=_KEPT)(function))
    finally:
        settings.CACHE_DIR = before


def width(fixed: Fixed) -> int:
    """Return how many numbers a state has."""
    return HEAD + fixed.orders + COOK * fixed.cooks + 3 * fixed.stations


def row_of(state: State, fixed: Fixed) -> list[int]:
    """Write a state down."""
    row = [state.moment, state.served, state.actor if fixed.turns else -1, len(state.dirty), *state.dirty]
    row += [0] * (HEAD + fixed.orders - len(row))
    for tile, free, held, clock, lag, closed in state.cooks:
        row += [tile, free, held, max(clock, NEVER), lag if fixed.turns else 0, int(closed and fixed.turns)]
    return [*row, *state.on, *(max(clock, NEVER) for clock in state.clocks), *state.since]
