"""Runs in kitchens as schedules: legal actions of one step each, by player and station."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule


def as_schedule(run: KitchenRun) -> tuple[Instance, Schedule]:
    """Return the legal actions of a run as actions of a scheduling problem, with stations as resources.

    The task of an action is its name in the domain. Actions of one text at one station are pieces of one action; walks
    and waits use no station.

    Raises
    ------
    InputError
        If no action was legal.
    """
    engine = run.record.rules
    actions: dict[tuple[str, str], Action] = {}
    pieces: list[Piece] = []
    for step in run.record.steps:
        if step.deed is None:
            continue
        deed = engine.deeds[step.deed]
        schema = engine.kitchen.domain.actions[deed.position]
        station = ""
        if not deed.is_wait and all(change.predicate != "loc" for change in schema.changes):
            at = (atom[2] for atom in engine.facts(step.before) if atom[:2] == ("loc", deed.player))
            station = next(at, "")
        mode = Mode((Demand(station),) if station else ())
        action = Action(f"{schema.name}/{len(actions) + 1}", schema.name, 1, 1, modes=(mode,), label=deed.text)
        action = actions.setdefault((deed.text, station), action)
        pieces.append(Piece(action.id, len(pieces), 1, deed.player))
    if not pieces:
        raise InputError("there is nothing to show: no action was carried out", field=run.problem.name)
    kitchen = run.problem
    used = {station for _, station in actions}
    stations = tuple(Resource(name) for name, _ in kitchen.objects if name in used)
    instance = Instance(kitchen.name, tuple(actions.values()), (), stations, kitchen.agents, unit=kitchen.unit)
    return instance, Schedule(tuple(pieces))
