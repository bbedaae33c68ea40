"""TimeArena without occupied objects: the problem that the greedy algorithms of the paper solve."""

from __future__ import annotations

import re
from dataclasses import replace

from planoracle.instances.model import Instance, Lag, Mode
from planoracle.instances.problem import GENERAL

#: Action -> prerequisite in the released ``dependencygraph.json`` only; ids without the numbers of objects.
_LISTED = {
    "cooking6/bake dish in": "cooking6/add beef to",
    "household7/pour coffee_machine into": "household7/activate coffee_machine",
    "lab5/add aluminum_foil to": "lab5/dissolve sodium_hydroxide in",
}
#: Second object that the released list names where the environment would take another as well.
_LISTED_OBJECT = {"household1/pour kettle into": "teapot"}


def without_objects(instance: Instance, *, as_listed: bool = False) -> Instance:
    """Drop all resources, so that only the agent and the prerequisites are left.

    Modes keep their names and prerequisites; of modes with the same prerequisites the first is kept. The
    result is judged by the general rules (``benchmark="generic"``). With ``as_listed`` it has the additional
    prerequisites of the released list: the problem that the released greedy solves.
    """
    actions = []
    for action in instance.actions:
        modes: dict[frozenset[str], Mode] = {}
        for mode in action.modes:
            modes.setdefault(frozenset(mode.after), replace(mode, demands=()))
        actions.append(replace(action, modes=tuple(modes.values())))
    name = f"{instance.name} without objects"
    free = replace(instance, name=name, actions=tuple(actions), resources=(), benchmark=GENERAL)
    return _as_listed(free) if as_listed else free


def _as_listed(instance: Instance) -> Instance:
    ids = {re.sub(r"_\d+", "", action.id): action.id for action in instance.actions}
    actions = tuple(
        replace(action, modes=tuple(m for m in action.modes if m.name.startswith(kept))) if kept else action
        for action in instance.actions
        for kept in (_LISTED_OBJECT.get(re.sub(r"_\d+", "", action.id)),)
    )
    more = [Lag(ids[before], ids[after]) for after, before in _LISTED.items() if before in ids and after in ids]
    return replace(instance, actions=actions, lags=instance.lags + tuple(more))
