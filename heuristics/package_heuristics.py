"""Heuristics of other packages: entry points, registration, and calls within a time limit.

Other packages declare entry points of the group `GROUP`, each the path of a function `Heuristic`, or call
`planoracle.register`. Such a function may fail in any way: it raises, does not end, or returns a schedule that the
rules refuse. Each is a `HeuristicError` with the name of the heuristic.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from math import inf
from threading import Thread
from time import perf_counter
from traceback import extract_tb
from typing import Any

from planoracle.heuristics.improve import Budget, HeuristicOutcome
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import deadline_of
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.contributions import Contributions

#: Group of the entry points of heuristics in other packages.
GROUP = "planoracle.heuristics"
#: Seconds of a heuristic of another package without a time limit.
SECONDS = 60.0

#: A heuristic: its outcome is a schedule, its pieces, or an outcome with the reason why there is none.
Heuristic = Callable[[Instance, Budget], Any]

# Seconds between two looks at the thread of a heuristic, and after its time limit until it counts as endless.
_LOOK, _GRACE = 0.05, 1.0


class HeuristicError(InputError):
    """Failure of a heuristic in another package: an error, no end, or a schedule that the rules refuse."""


def _check(heuristic: object, name: str) -> None:
    """Raise `InputError` for an object that cannot be called."""
    if not callable(heuristic):
        raise InputError("must be a function of a problem and a budget", field=f"{GROUP}.{name}", value=heuristic)


#: Heuristics of other packages.
CONTRIBUTIONS: Contributions[Heuristic] = Contributions(GROUP, "heuristic", _check)


def package_heuristics() -> dict[str, Heuristic]:
    """Return the heuristics of other packages by name, those of entry points first."""
    return CONTRIBUTIONS.by_name()


def call(name: str, heuristic: Heuristic, instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Return the outcome of a heuristic of another package; its schedule breaks no rule of the problem.

    Raises
    ------
    HeuristicError
        If it raises an error, does not end, or returns no schedule or one that breaks a rule.
    """
    outcome = _within_time(name, heuristic, instance, budget)
    if isinstance(outcome, HeuristicOutcome):
        if outcome.schedule is None:
            return HeuristicOutcome(None, str(outcome.reason) or "the heuristic found no schedule")
        outcome = outcome.schedule
    if outcome is None:
        return HeuristicOutcome(None, "the heuristic found no schedule")
    schedule = _schedule(name, instance, outcome)
    violation = next(find_violations(instance, schedule), None)
    if violation is not None:
        place = violation.subject
        if violation.start is not None:
            place = f"{place} at {violation.start}"
        fault = f"its schedule breaks the rule {violation.kind!r}: {place}: {violation.message}"
        raise HeuristicError(fault, field=name)
    return HeuristicOutcome(schedule)


def _schedule(name: str, instance: Instance, value: object) -> Schedule:
    """Return a schedule in normal form; raise `HeuristicError` for another value."""
    pieces = value.schedule().pieces if isinstance(value, Timetable) else value
    if isinstance(pieces, Schedule):
        pieces = pieces.pieces
    if not isinstance(pieces, list | tuple) or not all(isinstance(piece, Piece) for piece in pieces):
        message = "must return a Schedule, a list of Piece, a HeuristicOutcome, or None"
        raise HeuristicError(message, field=name, value=value)
    for piece in pieces:
        if piece.action not in instance.by_id:
            raise HeuristicError("its schedule has an action that the problem lacks", field=name, value=piece.action)
        numbers = (piece.start, piece.duration, piece.mode)
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise HeuristicError("times and modes must be whole numbers from 0 on", field=name, value=piece)
    return Schedule.of(instance, pieces)


def _within_time(name: str, heuristic: Heuristic, instance: Instance, budget: Budget) -> object:
    """Return what a heuristic returns; raise `HeuristicError` for its errors, and after its time limit."""
    results: list[object] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(heuristic(instance, budget))
        except BaseException as error:  # SystemExit, too
            errors.append(error)

    deadline = deadline_of(budget.time_limit)
    remaining = deadline.wall_seconds()
    seconds = SECONDS if remaining == inf else remaining + _GRACE
    thread = Thread(target=run, daemon=True, name=f"heuristic {name}")
    end = perf_counter() + seconds
    thread.start()
    while thread.is_alive() and perf_counter() < end and not deadline.stopped.is_set():
        thread.join(_LOOK)
    if thread.is_alive():
        _stop(thread)
        limit = SECONDS if remaining == inf else remaining
        reason = "was interrupted" if deadline.stopped.is_set() else f"did not end within {limit:.3g} s"
        raise HeuristicError(reason, field=name)
    if errors:
        raise HeuristicError(f"raised {_place(errors[0])}", field=name) from errors[0]
    return results[0]


def _stop(thread: Thread) -> None:
    """Raise `SystemExit` in a thread, which ends loops in Python code."""
    identifier = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identifier, ctypes.py_object(SystemExit))


def _place(error: BaseException) -> str:
    """Return an error with the function and the line that raised it."""
    frames = extract_tb(error.__traceback__)
    text = f"{type(error).__name__}: {error}"[:500]
    if not frames:
        return text
    return f"{text} ({frames[-1].name}, line {frames[-1].lineno})"


def as_heuristic(name: str, heuristic: Heuristic) -> Callable[[Instance, Budget], HeuristicOutcome]:
    """Return a heuristic of another package as one of this package, see `call`."""
    return partial(call, name, heuristic)
