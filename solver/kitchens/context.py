"""What the parts of the bound share: the kitchen's objects and roles, what an object still needs, one evaluation."""

from __future__ import annotations

from planoracle.instances.kitchens.kitchen import split_name
from planoracle.solver.kitchens.abstraction import Abstraction, View
from planoracle.solver.kitchens.goals import Group, Process, Role, Roles, pot_processes

__all__ = ["NEVER", "Context", "Scene"]

#: More steps than any plan takes: the goal cannot be reached this way any more.
NEVER = 10**6


class Scene:
    """What one evaluation works on: a state, the choices of a group, and what follows from both."""

    __slots__ = ("direct", "group", "here", "leaving", "options", "tables", "view")

    def __init__(self, view: View, group: Group, options: dict[str, tuple[int, ...]], tables: list[str]) -> None:
        self.view = view
        self.group = group
        self.here = frozenset(view.at.values())
        self.options = options  # by item, the roles it may play; -1: none
        self.tables = tables  # where every dish is being put together, "": nowhere yet
        self.leaving: set[str] = set()  # stations that some item has to leave, whatever its role
        self.direct: dict[tuple[str, int], str] = {}  # where an item comes from that is carried straight to its dish


class Context:
    """A kitchen as the bound sees it; ``kinds`` are those of its objects, ``cooks`` is how many players there are."""

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        kitchen = abstraction.compiled.kitchen
        self.bits = abstraction.compiled.bits
        self.roles = roles
        self.fill, self.boil = pot_processes(kitchen.domain)
        self.kinds = {name: split_name(name)[0] for name, _ in kitchen.objects}
        self.items = [name for name, kind in kitchen.objects if kind == "item"]
        self.count = {kind: list(self.kinds.values()).count(kind) for kind in roles.kinds}
        self.pots = [name for name, kind in kitchen.objects if kind == "container" and self.kinds[name] == "pot"]
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        self.cooks = len(kitchen.players)
        self.alone = self.cooks == 1
        self._options: dict[Group, dict[str, tuple[int, ...]]] = {}

    def choices(self, group: Group) -> dict[str, tuple[int, ...]]:
        """Return for every item the roles it may play; -1: none."""
        found = self._options.get(group)
        if found is not None:
            return found
        found = self._options[group] = {}
        fixed = {name: self.roles.dishes[i].bottom for i, name in enumerate(group.bottoms) if name}
        for item in self.items:
            if item in fixed:
                found[item] = (fixed[item],)
                continue
            open_roles = (i for i in self.roles.kinds.get(self.kinds[item], ()) if i not in fixed.values())
            found[item] = (*open_roles, -1)
        return found

    def fits(self, station: str, asked: str) -> bool:
        """Whether a station is the one, or of the kind, that is asked for."""
        return asked in (station, self.kinds.get(station))

    def todo(self, view: View, item: str, role: Role) -> tuple[Process, ...]:
        """Return what has still to be done to an item for a role."""
        if not role.needs:
            return ()
        return tuple(each for each in role.needs if not view.facts & self.bits.mask((each.predicate, item)))

    def effort(self, view: View, name: str, process: Process, at: str | None) -> tuple[int, int]:
        """Return the actions that a process still takes, and 1 if one has to wait for it or come back.

        ``at`` is the station where it is going on or may be begun; ``None`` if the object has yet to be put to one.
        """
        if not process.ticks:
            return view.ticks.get((name, process.predicate, ""), process.acts), 0
        running = [
            ticks
            for (other, predicate, station), ticks in view.ticks.items()
            if other == name and predicate == process.predicate and (at is None or station == at)
        ]
        if not running:
            return process.acts, int(process.ticks > 1)
        return 0, int(min(running) > (0 if at is not None else 1))  # putting it down is a tick
