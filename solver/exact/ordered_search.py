"""Short search in the order of the starts, without CP-SAT, that proves the optimum of small problems.

Actions are placed most urgent first, each at the first instant that no action placed before it forbids. The search
gives up an instant only when no later action fits behind it. It considers only some of the constraints of a schedule:
if it finds no schedule of some makespan, there is none. Sets of instants are the bits of integers.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planoracle.instances.model.instance import Demand, Instance
from planoracle.instances.model.limits import Deadline
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.bounds import Windows, urgent

# Largest numbers of parts, instants and units of a capacity.
_MOST_PARTS = 1_000
_MOST_INSTANTS = 4_000
_MOST_UNITS = 64
# Tries per part, and counted work per placed part (seconds).
_TRIES, _PLACING = 1.5, 1e-5
# Number of makespans tried, from the lower bound on.
_MAKESPANS = 3


@dataclass(slots=True)
class _Part:
    """The whole of an action, or one step of it if it can be paused; times in steps."""

    action: int
    size: int
    busy: int
    first: int
    last: int
    starter: bool = False  # unattended, but an agent must start it
    uses: Sequence[Demand] = ()
    after: list[tuple[int, int]] = field(default_factory=list)  # (part placed before, least distance of the starts)
    until: list[tuple[int, int]] = field(default_factory=list)  # (part placed before, greatest distance)
    near: list[tuple[int, int]] = field(default_factory=list)  # the same, unless it goes on from the step before it


def schedule_in_order(
    instance: Instance, bounds: Windows, step: int, lower_bound: int, latest_makespan: int, deadline: Deadline
) -> tuple[Schedule | None, int]:
    """Search for an optimal schedule of a makespan close to its lower bound.

    Parameters
    ----------
    step
        Ticks by which all times can be divided.
    lower_bound, latest_makespan
        Bounds of the makespan in ticks, the lower one on the grid of steps.

    Returns
    -------
    An optimal schedule or ``None``, and the lower bound, raised above all refuted makespans.

    Examples
    --------
    >>> from planoracle.instances.model.limits import NO_LIMIT
    >>> from planoracle.instances.model.instance import Action
    >>> from planoracle.solver.exact.precedence import ordered_windows
    >>> kitchen = Instance("k", (Action("t/chop", "t", 3, 3), Action("t/boil", "t", 9, 0), Action("t/eat", "t", 4, 4)))
    >>> schedule, lower_bound = schedule_in_order(kitchen, ordered_windows(kitchen), 1, 9, 16, NO_LIMIT)
    >>> [(piece.action, piece.start) for piece in schedule.pieces], lower_bound
    ([('t/boil', 0), ('t/eat', 0), ('t/chop', 4)], 9)
    """
    if not _suits(instance, step, lower_bound):
        return None, lower_bound
    end = min(latest_makespan + 1, lower_bound + _MAKESPANS * step)
    for makespan in range(lower_bound, end, step):
        parts = _parts(instance, bounds, step, makespan)
        tries = int(_TRIES * len(parts)) + 10
        search = _Search(instance, parts)
        starts = search.run(tries)
        deadline.spend(_PLACING * search.placed)
        if starts is None and search.placed <= tries:
            lower_bound = min(latest_makespan, makespan + step)
            continue
        schedule = None if starts is None else _schedule(instance, parts, starts, step)
        if schedule is None or _exact(instance):
            return schedule, makespan
        is_valid = next(find_violations(instance, schedule), None) is None
        return schedule if is_valid else None, makespan
    return None, lower_bound


def _suits(instance: Instance, step: int, makespan: int) -> bool:
    """Return whether the search applies to an instance, and is short."""
    if len(instance.agents) > 1 or makespan > _MOST_INSTANTS * step:
        return False
    if any(resource.capacity > _MOST_UNITS for resource in instance.resources):
        return False
    parts = 0
    for action in instance.actions:
        if len(action.modes) > 1:
            return False
        if action.interruptible and (action.modes[0].demands or not action.attended):
            return False
        parts += action.duration // step if action.interruptible else 1
    return parts <= _MOST_PARTS


def _parts(instance: Instance, bounds: Windows, step: int, makespan: int) -> list[_Part]:
    parts: list[_Part] = []
    ends: dict[str, tuple[int, int]] = {}  # first and last part of every action
    for i in urgent(instance, bounds):
        action = instance.actions[i]
        first_part = len(parts)
        size = action.duration // step
        first = -(-bounds.head[i] // step)
        last = (makespan - bounds.tail[i]) // step - size
        if action.interruptible and size:
            for k in range(size):
                part = _Part(i, 1, 1, first + k, last + k)
                if k:
                    part.after.append((len(parts) - 1, 1))
                parts.append(part)
        else:
            starter = not action.attended and bool(instance.eligible(action))
            busy = action.attended // step
            parts.append(_Part(i, size, busy, first, last, starter, action.modes[0].demands))
        ends[action.id] = first_part, len(parts) - 1
    for action in instance.actions:
        for before in action.modes[0].after:
            finish = ends[before][1]
            _tie(parts, finish, ends[action.id][0], parts[finish].size)
    for lag in instance.lags:
        finish = ends[lag.before][1]
        start, end = ends[lag.after]
        if lag.minimum is not None:
            _tie(parts, finish, start, parts[finish].size + lag.minimum // step)
        if lag.maximum is not None:
            reach = parts[finish].size + lag.maximum // step
            _tie(parts, start, finish, -reach)
            for part in parts[max(start + 1, finish + 1) : end + 1]:
                part.near.append((finish, reach))
    return parts


def _exact(instance: Instance) -> bool:
    """Return whether the search considers all constraints: no action has states or can be interrupted."""
    for action in instance.actions:
        if action.interruptible:
            return False
        for use in action.modes[0].demands:
            if use.sets or use.requires:
                return False
    return True


def _tie(parts: list[_Part], first: int, second: int, distance: int) -> None:
    """Let part ``second`` start at least so long after part ``first``, whichever of them is placed later."""
    if first < second:
        parts[second].after.append((first, distance))
    else:
        parts[first].until.append((second, -distance))


def runs(free: int, length: int) -> int:
    """Return the instants from which on ``length`` instants in a row are free.

    >>> bin(runs(0b1101110, 2)), bin(runs(0b1101110, 3))
    ('0b100110', '0b10')
    """
    if not length:
        return -1
    length_so_far = 1
    while 2 * length_so_far <= length:
        free &= free >> length_so_far
        length_so_far *= 2
    return free & free >> (length - length_so_far)


def span(start: int, length: int) -> int:
    """Return the set of ``length`` instants from a start on."""
    return ((1 << length) - 1) << start


class PlacedLoad:
    """Uses placed on one resource; immutable."""

    __slots__ = ("levels", "required", "settings", "uses")

    def __init__(self, capacity: int) -> None:
        self.levels = [0] * capacity  # instants at which more than 0, 1, 2 ... units are taken
        self.settings: tuple[tuple[str, int], ...] = ()  # states and the instants at which they are set
        self.required: tuple[tuple[str, int], ...] = ()  # states and the instants at which they are needed
        self.uses: tuple[tuple[int, bool, int], ...] = ()  # length, whether a state is set, start

    def fits(self, demand: Demand, size: int) -> int:
        """Return all instants at which nothing placed stands against a use of this length."""
        free = runs(~self.levels[-demand.amount], size) if demand.amount else -1
        for length, sets, start in self.uses if demand.sets is not None or self.settings else ():
            if length == size and (sets or demand.sets is not None):
                free |= 1 << start  # the same interval: a setting may take no room of its own
        if demand.requires is not None:
            for state, instants in self.settings:
                if state != demand.requires:
                    free &= runs(~instants, max(1, size))
        if demand.sets is not None:
            for state, instants in self.required:
                if state != demand.sets:
                    free &= ~instants
        return free

    def with_use(self, demand: Demand, start: int, size: int) -> PlacedLoad:
        """Return the load with one more use."""
        load = object.__new__(PlacedLoad)
        load.settings = self.settings
        load.required = self.required
        load.levels = self.levels
        instants = span(start, size)
        if not self._shares_interval(demand, start, size):
            load.levels = self._raised_levels(instants, demand.amount)
        if demand.sets is not None:
            load.settings += ((demand.sets, 1 << start),)
        if demand.requires is not None:
            load.required += ((demand.requires, instants or 1 << start),)
        load.uses = (*self.uses, (size, demand.sets is not None, start))
        return load

    def _raised_levels(self, instants: int, amount: int) -> list[int]:
        """Return the levels after so many units more are taken at some instants."""
        levels = self.levels.copy()
        for units in range(amount):
            levels[units] |= instants
        for units in range(amount, len(levels)):
            raised = instants & self.levels[units - amount]
            if not raised:
                break  # nor are more units taken there
            levels[units] |= raised
        return levels

    def _shares_interval(self, demand: Demand, start: int, size: int) -> bool:
        """Return whether a use has the interval of one placed before, and one of both is a setting."""
        if demand.sets is None and not self.settings:
            return False
        for length, sets, placed_start in self.uses:
            if length == size and placed_start == start and (sets or demand.sets is not None):
                return True
        return False


class _Search:
    """Search that places parts one after the other and takes back the last one where no part fits."""

    def __init__(self, instance: Instance, parts: list[_Part]) -> None:
        self.parts = parts
        count = len(parts)
        self.starts = [0] * count
        # Before each part is placed: instants at which the agent is busy, those strictly inside of what keeps it from
        # starting anything, those at which it starts something, and what is placed on the resources.
        self.busy = [0] * (count + 1)
        self.inside = [0] * (count + 1)
        self.started = [0] * (count + 1)
        no_loads = {resource.name: PlacedLoad(resource.capacity) for resource in instance.resources}
        self.loads = [no_loads] * (count + 1)
        #: Number of parts placed, or tried without success.
        self.placed = 0

    def run(self, tries: int) -> list[int] | None:
        """Return the first starts in order that fit; ``None`` if there are none, or after so many tries."""
        k = min_start = 0
        while k < len(self.parts):
            self.placed += 1
            if self.placed > tries:
                return None
            start = self._first(k, min_start)
            if start is not None:
                self._place(k, start)
                k += 1
                min_start = 0
            elif k:
                k -= 1
                min_start = self.starts[k] + 1
            else:
                return None
        return self.starts

    def _first(self, k: int, min_start: int) -> int | None:
        """Return the first instant from ``min_start`` on at which a part fits, if there is one in time."""
        part, starts = self.parts[k], self.starts
        first, last = max(part.first, min_start), part.last
        for placed_part, distance in part.after:
            earliest = starts[placed_part] + distance
            if earliest > first:
                first = earliest
        for placed_part, distance in part.until:
            last = min(last, starts[placed_part] + distance)
        if first > last:
            return None
        free = -1
        if part.busy:
            free = runs(~self.busy[k], part.busy)
            if part.busy > 1 and self.started[k]:
                free &= runs(~self.started[k] >> 1, part.busy - 1)
        elif part.starter:
            free = ~self.inside[k]
        for demand in part.uses:
            free &= self.loads[k][demand.resource].fits(demand, part.size)
        free >>= first
        if not free:
            return None
        start = first + (free & -free).bit_length() - 1
        if start > last or (part.near and not self._in_time(k, start)):
            return None
        return start

    def _late(self, k: int, start: int) -> bool:
        latest_starts = (self.starts[finish] + distance for finish, distance in self.parts[k].near)
        return any(start > latest_start for latest_start in latest_starts)

    def _in_time(self, k: int, start: int) -> bool:
        """Return whether a step may start then: it is not late, or it continues the step before it."""
        if not self._late(k, start):
            return True
        is_cut = self.started[k] >> start & 1
        return start == self.starts[k - 1] + 1 and not is_cut

    def _place(self, k: int, start: int) -> None:
        part = self.parts[k]
        self.starts[k] = start
        busy, inside = self.busy[k], self.inside[k]
        started, loads = self.started[k], self.loads[k]
        if part.busy:
            busy |= span(start, part.busy)
            inside |= span(start + 1, part.busy - 1)
            if part.near and self._late(k, start):
                inside |= 1 << start
        elif part.starter:
            started |= 1 << start
        if part.uses:
            loads = loads.copy()
            for demand in part.uses:
                loads[demand.resource] = loads[demand.resource].with_use(demand, start, part.size)
        self.busy[k + 1] = busy
        self.inside[k + 1] = inside
        self.started[k + 1] = started
        self.loads[k + 1] = loads


def _schedule(instance: Instance, parts: list[_Part], starts: list[int], step: int) -> Schedule:
    pieces = []
    for part, start in zip(parts, starts, strict=True):
        action = instance.actions[part.action]
        agent = next(iter(instance.eligible(action)), None)
        pieces.append(Piece(action.id, start * step, part.size * step, agent))
    return Schedule.of(instance, pieces)
