"""Registry of kinds by name: those of this package, and those of other packages.

Other packages declare entry points of the group `GROUP`, each the path of an object of a class derived from
`planoracle.solver.kinds.kind.Kind`, or call `register`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NoReturn, cast

from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.contributions import Contributions
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.kinds.kind import Kind

#: Group of the entry points of kinds in other packages.
GROUP = "planoracle.kinds"

# Modules of the kinds of this package, imported on first use; each defines `KIND`.
_BUILT_IN = {
    "schedule": "planoracle.solver.kinds.schedule_kind",
    "kitchen": "planoracle.solver.kinds.kitchen_kind",
    "floor": "planoracle.solver.kinds.grid_kitchen_kind",
}


def _check(kind: object, name: str) -> None:
    """Raise `InputError` for an object that is no kind, or whose name is another one."""
    if not isinstance(kind, Kind):
        message = "must be an object of a class derived from planoracle.solver.kinds.kind.Kind"
        raise InputError(message, field=f"{GROUP}.{name}", value=kind)
    if kind.name != name:
        raise InputError("must be the name of the kind", field=GROUP, value=name)
    if name in _BUILT_IN:
        raise InputError("is the name of another kind", field=GROUP, value=name)


#: Kinds of other packages.
CONTRIBUTIONS: Contributions[Kind] = Contributions(GROUP, "kind", _check)


def register(kind: Kind) -> None:
    """Add a kind to this process; raises `InputError` if there is another of its name."""
    used_names = [name for name, registered in CONTRIBUTIONS.by_name().items() if registered is not kind]
    CONTRIBUTIONS.register(kind, kind.name, used_names)


@cache
def _built_in(name: str) -> Kind:
    return cast("Kind", import_module(_BUILT_IN[name]).KIND)


def find(name: str) -> Kind:
    """Return the kind of a name; an `UnknownKind` if there is none.

    Examples
    --------
    >>> find("schedule").has_interval_model, find("riddle").no_solver
    (True, "no solver accepts problems of kind 'riddle'")
    """
    if name in _BUILT_IN:
        return _built_in(name)
    return CONTRIBUTIONS.by_name().get(name) or UnknownKind(name)


def kind_of(problem: Problem) -> Kind:
    """Return the kind of a problem."""
    return find(check_problem(problem).kind)


class UnknownKind(Kind):
    """Kind that no package defines: every request is refused."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.no_solver = f"no solver accepts problems of kind {name!r}"

    def solve(self, problem: Problem, options: Any) -> NoReturn:
        """Refuse."""
        raise self._refusal(problem)

    def pack(self, problem: Problem, rules: Rules | None, result: Any) -> NoReturn:
        """Refuse."""
        raise self._refusal(problem)

    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> NoReturn:
        """Refuse."""
        raise self._refusal(problem)

    def timeline(self, run: AnyRun) -> NoReturn:
        """Refuse."""
        raise self._refusal(run.problem)

    def _refusal(self, problem: Problem) -> NoSolverError:
        return NoSolverError(f"has no solver: {self.no_solver}", field=problem.name)
