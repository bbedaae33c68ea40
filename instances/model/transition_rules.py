"""General rules of transitions: ways of agents between places, and set-up times of resources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from planoracle.instances.model.general_violations import fault
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.piece_variants import Pieces, held_ticks, whole_runs
from planoracle.instances.model.schedule import Piece, variant_of
from planoracle.instances.model.transitions import Ways, ticks_between
from planoracle.instances.model.violations import Other, Violation

#: Most visits of no length of a member at one instant; all their orders are tried.
MAX_TIED_VISITS = 8


class Visit(NamedTuple):
    """Visit of a member: a piece that holds it, or its start of an unattended piece.

    Attributes
    ----------
    start, end
        Ticks; equal for the start of an unattended piece.
    place
        Place or family.
    position, piece
        Piece, and its position in the schedule.
    """

    start: int
    end: int
    place: str
    position: int
    piece: Piece


class _Stay(NamedTuple):
    """Places at which a member may be after a visit.

    Attributes
    ----------
    end
        Tick from which the member may leave.
    visits
        Last visits, by place; several after visits of no length at one instant. ``None`` before the first visit.
    """

    end: int
    visits: Mapping[str, Visit | None]


def transitions(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    """Yield the pieces whose visits begin before their agent or resource can be ready for them.

    Visits of a member are ordered by start, then end. Visits that overlap violate another rule and are not reported.
    """
    if not instance.transitions:
        return
    visits = visits_of(instance, pieces)
    for table in instance.transitions:
        ways = table.ways()
        starts = dict(table.start)
        for member in table.members:
            if member in visits:
                yield from _path_faults(member, sorted(visits[member]), ways, starts.get(member))


def visits_of(instance: Instance, pieces: Pieces) -> dict[str, list[Visit]]:
    """Return the visits of every agent and resource that has places or families."""
    visits: dict[str, list[Visit]] = defaultdict(list)
    for i, piece in whole_runs(instance, pieces):
        action = instance.by_id[piece.action]
        variant = variant_of(instance, piece)
        start = piece.start
        if action.place is not None and piece.agent is not None and variant.agents:
            end = start + held_ticks(action, variant, piece)
            visits[piece.agent].append(Visit(start, end, action.place, i, piece))
        for demand in variant.demands:
            if demand.family is not None:
                visits[demand.resource].append(Visit(start, piece.end, demand.family, i, piece))
    return visits


def _path_faults(member: str, visits: list[Visit], ways: Ways, start_place: str | None) -> Iterator[Violation]:
    """Yield the visits that a member cannot make after those before them."""
    stay = None if start_place is None else _Stay(0, {start_place: None})
    for (start, end), tied in groupby(visits, key=attrgetter("start", "end")):
        group = list(tied)
        if start < end:
            for visit in group:
                violation = _arrival_fault(member, stay, visit, ways)
                if violation is not None:
                    yield violation
                stay = _after(stay, [visit])
            continue
        last_visits = group
        if len(group) > MAX_TIED_VISITS:
            visit = group[MAX_TIED_VISITS]
            yield _fault_of(member, visit, required=MAX_TIED_VISITS, case="too_many_visits")
        else:
            last_visits = _last_visits(stay, group, ways)
        if not last_visits:
            last_visits = group
            yield _tie_fault(member, stay, group, ways)
        stay = _after(stay, last_visits)


def _after(stay: _Stay | None, visits: Sequence[Visit]) -> _Stay:
    """Return where a member may be after one of some visits with the same end."""
    end = visits[0].end if stay is None else max(stay.end, visits[0].end)
    return _Stay(end, {visit.place: visit for visit in visits})


def _can_arrive(stay: _Stay | None, visit: Visit, ways: Ways) -> bool:
    """Return whether a member is ready for a visit; also if the visit overlaps the one before it."""
    if stay is None or visit.start < stay.end:
        return True
    gap = visit.start - stay.end
    times = [ticks_between(ways, place, visit.place) for place in stay.visits]
    return any(ticks is not None and ticks <= gap for ticks in times)


def _last_visits(stay: _Stay | None, group: list[Visit], ways: Ways) -> list[Visit]:
    """Return the visits of no length at one instant that can be the last of them.

    The list is empty if no order is possible.
    """
    count = len(group)
    followers: list[list[int]] = []
    for visit in group:
        followers.append([j for j in range(count) if ticks_between(ways, visit.place, group[j].place) == 0])
    # Pairs of the set of visits that were made, as bits, and the last of them.
    reached = {(1 << j, j) for j in range(count) if _can_arrive(stay, group[j], ways)}
    for _ in range(count - 1):
        longer: set[tuple[int, int]] = set()
        for made_bits, i in reached:
            longer.update((made_bits | 1 << j, j) for j in followers[i] if not made_bits >> j & 1)
        reached = longer
    return [group[j] for _, j in sorted(reached)]


def _arrival_fault(member: str, stay: _Stay | None, visit: Visit, ways: Ways) -> Violation | None:
    """Return the violation of a visit for which a member is not ready, ``None`` if it is."""
    if stay is None or _can_arrive(stay, visit, ways):
        return None
    times: list[tuple[int, str]] = []
    for place in stay.visits:
        way = ticks_between(ways, place, visit.place)
        if way is not None:
            times.append((way, place))
    if not times:
        place, before = next(iter(stay.visits.items()))
        return _fault_of(member, visit, before, required=(place, visit.place), case="no_way")
    ticks, place = min(times)
    before = stay.visits[place]
    if before is None:
        return _fault_of(member, visit, required=ticks, actual=visit.start)
    return _fault_of(member, visit, before, required=ticks, actual=visit.start - before.end)


def _tie_fault(member: str, stay: _Stay | None, group: list[Visit], ways: Ways) -> Violation:
    """Return the violation of visits of no length at one instant, none of whose orders is possible."""
    faults = [_arrival_fault(member, stay, visit, ways) for visit in group]
    violation = faults[-1]
    if violation is not None and None not in faults:
        return violation
    return _fault_of(member, group[-1], actual=len(group), case="tied_visits")


def _fault_of(
    member: str,
    visit: Visit,
    before: Visit | None = None,
    *,
    required: int | tuple[str, ...] | None = None,
    actual: int | None = None,
    case: str = "",
) -> Violation:
    """Return the violation of a visit of a member."""
    conflicts = () if before is None else (Other(before.piece.action, before.start, before.end),)
    return fault(
        "transition",
        visit.position,
        visit.piece,
        conflicts,
        resource=member,
        required=required,
        actual=actual,
        case=case,
    )
