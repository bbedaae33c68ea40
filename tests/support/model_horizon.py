"""A tick by which some best schedule of an instance ends, by the claim on idle ticks.

*Claim.* Let L be the least common multiple of the periods of all calendars, and let T be the latest of all ends of
off-times that do not repeat, of all releases and of all begins of windows. If the L ticks from some ``t >= T`` on are
idle in a schedule that keeps all rules, the schedule without them keeps all rules, too.

A tick ``[i, i + 1)`` is idle if

- no action is under way in it; an action that pauses in breaks is under way from its first start to its last end;
- no action of duration 0 stands at ``i``;
- no minimum lag and no way runs over it: neither from the end of an action or visit, nor from tick 0 to a first visit;
- it is not among the k ticks after the start of a piece, or at it, that a maximum lag of -k binds to a later end.

*Proof.* Each piece ends by t or starts at ``t + L`` or later, and those of the second kind now start L ticks earlier.

- They start at t or later, so after every release and begin of a window. Ends of windows, deadlines and the time limit
  are reached earlier. Off-times from T on repeat after L ticks.
- The order of all starts and ends stays the same. No two of them meet that had time between them, but an end at t and a
  start at ``t + L``. So states, shared room, budgets, capacities, attendance and the order of visits stay the same. Two
  pieces of an interruptible action may become a single piece; `Transitions` has no time between them then.
- A lag or way between a piece before and a piece after the idle ticks has run out by t. A minimum lag to a piece before
  the idle ticks gains time. A maximum lag to a piece after them is met earlier, and so is one of 0 or more to a piece
  before them: its other action ends at t or later. One of -k to a piece with start s before them has ``s + k < t``,
  and its other action still ends at t or later.

*Horizon.* A shortest schedule has no L consecutive idle ticks from T on. Its other ticks from T on are at most the sum
of all durations, lags and ways. Each run of idle ticks ends with a start, so there are at most as many as pieces.
"""

from __future__ import annotations

from math import lcm

from planoracle.instances.model.instance import Action, Instance, Variant
from planoracle.instances.model.schedule import Piece, Schedule


def repetition(instance: Instance) -> int:
    """Return the least common multiple of the periods of all calendars."""
    return lcm(*(calendar.period for calendar in instance.calendars if calendar.period is not None))


def settled(instance: Instance) -> int:
    """Return the tick after which off-times repeat, and every release and begin of a window is over."""
    instants = [action.release for action in instance.actions]
    for action in instance.actions:
        instants += [begin for begin, _ in action.windows]
    for calendar in instance.calendars:
        if calendar.period is None:
            instants += [end for _, end in calendar.off]
    return max(instants)


def horizon(instance: Instance) -> int:
    """Return a tick by which some best schedule ends, if there is a schedule."""
    busy = sum(_longest_time(instance, action) for action in instance.actions)
    starts = sum(_max_pieces(instance, action) for action in instance.actions)
    lags = sum(max(lag.minimum or 0, 0) for lag in instance.lags)
    bound = sum(1 - lag.maximum for lag in instance.lags if lag.maximum is not None and lag.maximum < 0)
    first_ways = max((_longest_way(instance, member) for member in _members(instance)), default=0)
    ways = sum(_ways_after(instance, action) for action in instance.actions)
    latest = settled(instance) + busy + lags + bound + first_ways + ways + starts * (repetition(instance) - 1)
    if instance.time_limit is not None:
        latest = min(latest, instance.time_limit)
    ends = [_latest_end(action) for action in instance.actions]
    limits = [end for end in ends if end is not None]
    return min(latest, max(limits)) if len(limits) == len(ends) else latest


def idle_ticks(instance: Instance, schedule: Schedule) -> set[int]:
    """Return the idle ticks before the end of a schedule."""
    busy: set[int] = set()
    ends = schedule.finish()
    starts: dict[str, list[int]] = {}
    for piece in schedule.pieces:
        starts.setdefault(piece.action, []).append(piece.start)
        busy.update(range(piece.start, piece.end), (piece.start,))
        if instance.by_id[piece.action].pauses_in_breaks:
            busy.update(range(piece.start, ends[piece.action]))
        busy.update(_ticks_of_ways(instance, piece))
    first_ways = max((_longest_way(instance, member) for member in _members(instance)), default=0)
    busy.update(range(first_ways))
    for lag in instance.lags:
        if lag.before not in ends or lag.after not in ends:
            continue
        end = ends[lag.before]
        busy.update(range(end, end + (lag.minimum or 0)))
        if lag.maximum is not None and lag.maximum < 0:
            for start in starts[lag.after]:
                busy.update(range(start, start + 1 - lag.maximum))
    return set(range(schedule.makespan)) - busy


def without_ticks(instance: Instance, schedule: Schedule, begin: int) -> Schedule:
    """Return a schedule without the ticks of one repetition of all calendars."""
    end = begin + repetition(instance)
    pieces = []
    for piece in schedule.pieces:
        start = piece.start - repetition(instance) if piece.start >= end else piece.start
        pieces.append(piece._replace(start=start))
    return Schedule.of(instance, pieces)


def _members(instance: Instance) -> list[str]:
    """Return the agents and resources with transitions."""
    members = []
    for transitions in instance.transitions:
        members += transitions.members
    return members


def _longest_way(instance: Instance, member: str, place: str | None = None) -> int:
    """Return the most ticks of a way of a member, from one place or from any."""
    longest = 0
    for transitions in instance.transitions:
        if member in transitions.members:
            for origin, _, ticks in transitions.times:
                if place is None or origin == place:
                    longest = max(longest, ticks)
    return longest


def _ticks_of_ways(instance: Instance, piece: Piece) -> set[int]:
    """Return the ticks after the visits of a piece in which its agent or a resource may be on the way."""
    action = instance.by_id[piece.action]
    variant = instance.variants[piece.action][piece.mode]
    attended = piece.duration if action.interruptible and variant.attended else variant.attended
    ticks: set[int] = set()
    if piece.agent is not None and action.place is not None:
        end = piece.end if action.pauses_in_breaks and attended else piece.start + attended
        ticks.update(range(end, end + _longest_way(instance, piece.agent, action.place)))
    for demand in variant.demands:
        if demand.family is not None:
            ticks.update(range(piece.end, piece.end + _longest_way(instance, demand.resource, demand.family)))
    return ticks


def _ways_after(instance: Instance, action: Action) -> int:
    """Return the most ticks of ways after all visits of an action."""
    longest = 0
    for variant in instance.variants[action.id]:
        agents = [_longest_way(instance, agent, action.place) for agent in variant.agents if action.place is not None]
        ticks = max(agents, default=0)
        for demand in variant.demands:
            if demand.family is not None:
                ticks += _longest_way(instance, demand.resource, demand.family)
        longest = max(longest, ticks)
    return longest * _max_pieces(instance, action)


def _max_pieces(instance: Instance, action: Action) -> int:
    """Return the most pieces between which there may be idle ticks."""
    longest = max(variant.duration for variant in instance.variants[action.id])
    return max(longest, 1) if action.interruptible else 1


def _longest_time(instance: Instance, action: Action) -> int:
    """Return the most ticks after `settled` in which an action is under way."""
    longest = 1  # an action of duration 0 stands at its first instant
    for variant in instance.variants[action.id]:
        longest = max(longest, variant.duration)
        if action.pauses_in_breaks:
            for agent in variant.agents or (None,):
                longest = max(longest, _longest_span(instance, variant, agent))
    return longest


def _longest_span(instance: Instance, variant: Variant, agent: str | None) -> int:
    """Return the most ticks from any tick on until a duration is worked; 0 if it never is."""
    longest = 0
    begin = settled(instance)
    for start in range(begin, begin + repetition(instance)):
        tick = start
        remaining = variant.duration
        idle = 0
        while remaining and idle < repetition(instance):
            if is_off(instance, variant, agent, tick):
                idle += 1
            else:
                remaining -= 1
                idle = 0
            tick += 1
        longest = max(longest, 0 if remaining else tick - start)
    return longest


def is_off(instance: Instance, variant: Variant, agent: str | None, tick: int) -> bool:
    """Return whether an action in a mode, done by an agent, pauses in a tick."""
    members = [demand.resource for demand in variant.demands]
    if variant.attended and agent is not None:
        members.append(agent)
    return any(_covers(instance, member, tick) for member in members)


def _covers(instance: Instance, member: str, tick: int) -> bool:
    """Return whether a member is off in a tick."""
    for calendar in instance.calendars:
        if member not in calendar.members:
            continue
        for begin, end in calendar.off:
            period = calendar.period
            if begin <= tick < end or (period is not None and (tick - begin) % period < end - begin):
                return True
    return False


def _latest_end(action: Action) -> int | None:
    """Return the last tick at which an action may end, or ``None``."""
    ends = [end for _, end in action.windows[-1:]]
    if action.deadline is not None:
        ends.append(action.deadline)
    return min(ends, default=None)
