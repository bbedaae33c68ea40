"""Shared data of the lower bound: objects and roles of a kitchen, what an object still needs, one state."""

from __future__ import annotations

from planoracle.instances.kitchens.kitchen import split_name
from planoracle.solver.kitchens.abstraction import Abstraction, View
from planoracle.solver.kitchens.goals import Group, Process, Role, Roles, pot_processes

#: More steps than any plan takes: the goal is out of reach.
NEVER = 10**6


class Scene:
    """One state together with the choices of a group.

    Attributes
    ----------
    attended
        Stations where a cook stands.
    options
        By item, the roles that it may play; -1: none.
    tables
        By dish, the station where its lowest item lies ready, ``""`` if there is none.
    leaving
        Stations where some item has to leave, whatever its role.
    """

    __slots__ = ("attended", "group", "leaving", "options", "tables", "view")

    def __init__(self, view: View, group: Group, options: dict[str, tuple[int, ...]], tables: list[str]) -> None:
        self.view = view
        self.group = group
        self.attended = frozenset(view.at.values())
        self.options = options
        self.tables = tables
        self.leaving: set[str] = set()


class Context:
    """A kitchen as the bound sees it.

    Attributes
    ----------
    kinds
        Kind of every object.
    count
        Number of items of each kind that has a role.
    cooks
        Number of players.
    """

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        kitchen = abstraction.compiled.kitchen
        self.bits = abstraction.compiled.bits
        self.roles = roles
        self.fill, self.boil = pot_processes(kitchen.domain)
        self.kinds = {name: split_name(name)[0] for name, _ in kitchen.objects}
        self.items = [name for name, kind in kitchen.objects if kind == "item"]
        self.count = {kind: list(self.kinds.values()).count(kind) for kind in roles.kinds}
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        self.pots = [name for name in self.containers if self.kinds[name] == "pot"]
        self.cooks = len(kitchen.players)
        self.alone = self.cooks == 1
        self._options: dict[Group, dict[str, tuple[int, ...]]] = {}

    def choices(self, group: Group) -> dict[str, tuple[int, ...]]:
        """Return for every item the roles it may play; -1: none."""
        options = self._options.get(group)
        if options is not None:
            return options
        options = self._options[group] = {}
        fixed = {name: self.roles.dishes[i].bottom for i, name in enumerate(group.bottoms) if name}
        for item in self.items:
            if item in fixed:
                options[item] = (fixed[item],)
                continue
            open_roles = (i for i in self.roles.kinds.get(self.kinds[item], ()) if i not in fixed.values())
            options[item] = (*open_roles, -1)
        return options

    def fits(self, station: str, asked: str) -> bool:
        """Whether a station is the one, or of the kind, that is asked for."""
        return asked in (station, self.kinds.get(station))

    def suits(self, station: str, process: Process) -> bool:
        """Whether a process can be carried out at a station."""
        return self.kinds.get(station) == process.station

    def todo(self, view: View, item: str, role: Role) -> tuple[Process, ...]:
        """Return what has still to be done to an item for a role."""
        if not role.needs:
            return ()
        return tuple(each for each in role.needs if not view.facts & self.bits.mask((each.predicate, item)))

    def effort(self, view: View, name: str, process: Process, at: str | None) -> tuple[int, int]:
        """Return the actions that a process still takes, and 1 if its cook must wait or come back before the pick.

        Parameters
        ----------
        at
            The station where it is going on or may be begun; ``None`` if the object has yet to be put to one.
        """
        if not process.ticks:
            return view.ticks.get((name, process.predicate, ""), process.acts), 0
        running = [
            ticks
            for (other, predicate, station), ticks in view.ticks.items()
            if other == name and predicate == process.predicate and (at is None or station == at)
        ]
        if not running:
            return process.acts, int(process.ticks > self.cooks)
        # Of the ticks after putting it down one passes at once; others pass while the other cooks have their turns.
        return 0, int(min(running) >= self.cooks + (at is None))
