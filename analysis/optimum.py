"""Proved optima, each solved once: per process, and kept on the disk for later ones.

The disk is not believed: a schedule that comes from it is replayed by the rules like any other, and solved anew if
it does not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from planoracle.analysis.batch.digest import FORMAT, digest, fingerprint
from planoracle.analysis.batch.store import Store, default_store
from planoracle.instances.certify import certify
from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.status import Status
from planoracle.solver.exact.solve import Result, solve, versions

if TYPE_CHECKING:  # kitchens are imported by those who have some
    from planoracle.instances.kitchens.kitchen import Kitchen
    from planoracle.instances.kitchens.profile import Profile
    from planoracle.solver.kitchens.planner import KitchenResult

__all__ = ["kitchen_optimum", "optimum", "remembering"]

_R = TypeVar("_R", "Result", "KitchenResult")

_forgetful = False


@contextmanager
def remembering(wanted: bool) -> Iterator[None]:
    """Do without the disk in this process for a while, if so ``wanted``."""
    global _forgetful  # noqa: PLW0603  # a switch of the process, like the environment variable it overrides
    before, _forgetful = _forgetful, not wanted
    try:
        yield
    finally:
        _forgetful = before


@Memo
def optimum(instance: Instance) -> Result:
    """Solve an instance, or return what an earlier call, or an earlier process, found."""
    return _kept(("optimum", instance), lambda: solve(instance), lambda entry: _result(instance, entry), _entry)


def kitchen_optimum(kitchen: Kitchen, rules: Profile, *, seconds: float) -> KitchenResult:
    """Look for the fewest steps for at most ``seconds``, or return what an earlier process proved."""
    from planoracle.solver.kitchens.planner import plan

    return _kept(
        ("kitchen", kitchen, rules),
        lambda: plan(kitchen, time_limit=seconds, rules=rules),
        lambda entry: _kitchen_result(kitchen, rules, entry),
        _kitchen_entry,
    )


def _kept(
    about: tuple[Any, ...],
    find: Callable[[], _R],
    decode: Callable[[dict[str, Any]], _R],
    encode: Callable[[_R], dict[str, Any]],
) -> _R:
    store: Store | None = None if _forgetful else default_store()
    if store is None:
        return find()
    kind, problem, *rest = about
    key = digest(kind, FORMAT, versions(), fingerprint(problem), *rest)
    entry = store.get(key)
    if entry is not None:
        try:
            return decode(entry)
        except Exception as error:  # whatever the file holds
            store.drop(key, f"does not hold ({type(error).__name__}: {error})"[:500])
    found = find()
    if found.status.settled:
        store.put(key, encode(found))
    return found


def _entry(result: Result) -> dict[str, Any]:
    return {
        "status": result.status,
        "makespan": result.makespan,
        "pieces": None if result.schedule is None else [list(piece) for piece in result.schedule.pieces],
        "canonical": result.canonical,
        "proof": result.proof,
        "grid": result.grid,
    }


def _result(instance: Instance, entry: dict[str, Any]) -> Result:
    began = perf_counter()
    status, makespan, pieces = Status(entry["status"]), entry["makespan"], entry["pieces"]
    schedule = text = None
    if status == Status.optimal:
        schedule = Schedule(tuple(Piece(*piece) for piece in pieces))
        text = certify(instance, schedule, makespan)
    else:
        _expect(status == Status.infeasible and makespan is None and pieces is None, "no proved result")
    _expect(type(entry["grid"]) is int and entry["grid"] >= 1, "no grid")
    return Result(
        instance=instance.name,
        status=status,
        schedule=schedule,
        makespan=makespan,
        lower_bound=makespan,
        plan=text,
        canonical=bool(entry["canonical"]),
        seconds=perf_counter() - began,
        proof=str(entry["proof"]),
        grid=entry["grid"],
        versions=versions(),
    )


def _kitchen_entry(result: KitchenResult) -> dict[str, Any]:
    return {
        "status": result.status,
        "actions": result.actions,
        "proof": result.proof,
        "expanded": result.expanded,
    }


def _kitchen_result(kitchen: Kitchen, rules: Profile, entry: dict[str, Any]) -> KitchenResult:
    from planoracle.instances.kitchens import language, run
    from planoracle.solver.kitchens.planner import KitchenResult

    began = perf_counter()
    status, actions = Status(entry["status"]), tuple(entry["actions"])
    steps = None
    if status == Status.optimal:
        replayed = run.replay(kitchen, actions, rules)
        steps = len(actions)
        passed = replayed.success and not replayed.refusals and sum(step.valid for step in replayed.steps) == steps
        _expect(passed, "the plan does not pass the rules")
    else:
        _expect(status == Status.infeasible and not actions, "no proved result")
    return KitchenResult(
        instance=kitchen.name,
        status=status,
        makespan=steps,
        lower_bound=steps,
        rounds=None if steps is None else -(-steps // len(kitchen.players)),
        plan=None if steps is None else language.render(actions),
        actions=actions,
        seconds=perf_counter() - began,
        proof=str(entry["proof"]),
        expanded=int(entry["expanded"]),
        versions=versions(),
    )


def _expect(held: bool, otherwise: str) -> None:
    if not held:
        raise ValueError(otherwise)
