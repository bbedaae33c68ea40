"""What the waits of a TimeArena run cost: how much later everything can be done at best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.instances.timearena import encode
from planoracle.instances.timearena.profile import PROFILES, Profile
from planoracle.instances.timearena.rules import Snapshot, replay
from planoracle.instances.timearena.world import World
from planoracle.solver.solve import solve

__all__ = ["Wait", "waits"]


class Wait(NamedTuple):
    """One wait: in which minute, whether nothing could be started, and the minutes it added to the best end.

    ``cost`` is ``None`` if a best end is not proved; a wait of cost 0 is *costless*, any other *costly*.
    """

    minute: int
    necessary: bool
    cost: int | None


def waits(scene: World, decisions: Sequence[str], time_limit: int, rules: Profile = PROFILES["paper"]) -> list[Wait]:
    """Replay decisions and price every wait by the best completion time before and after it.

    Examples
    --------
    >>> from planoracle.instances.timearena.world import world
    >>> waits(world("timearena/household1"), ["wait", "activate kettle", "wash cup", "wait"], 40)
    [Wait(minute=0, necessary=False, cost=1), Wait(minute=5, necessary=False, cost=1)]
    """
    seen: list[Snapshot] = []
    # One minute and one wait more than were given show the world after the last of them.
    run = replay(scene, [*decisions, "wait"], time_limit + 1, rules, watch=seen.append)
    ends: dict[int, int | None] = {run.total_time: run.total_time} if run.completed else {}
    lengths: dict[tuple[object, ...], int | None] = {}  # the same world is solved once
    by_minute = {snapshot.minute: snapshot for snapshot in seen}
    ours = seen[-1].minute if len(seen) > len(decisions) else None
    found = []
    for step, necessary in zip(run.steps, run.necessary, strict=True):
        if step.kind != "wait" or step.minute == ours or step.minute >= time_limit:
            continue
        before, after = (_best_end(scene, by_minute, m, rules, ends, lengths) for m in (step.minute, step.minute + 1))
        found.append(Wait(step.minute, necessary, None if before is None or after is None else after - before))
    return found


def _best_end(
    scene: World,
    seen: dict[int, Snapshot],
    minute: int,
    rules: Profile,
    ends: dict[int, int | None],
    lengths: dict[tuple[object, ...], int | None],
) -> int | None:
    """Return the best completion time from a minute on, ``None`` if the run never got there or it is unproved."""
    if minute not in ends and minute in seen:
        now = seen[minute]
        key = (*now.left.values(), *now.running.items())
        if key not in lengths:
            lengths[key] = _least_minutes(scene, now, rules)
        length = lengths[key]
        ends[minute] = None if length is None else minute + length
    return ends.get(minute)


def _least_minutes(scene: World, now: Snapshot, rules: Profile) -> int | None:
    problem = encode.remaining(scene, now, rules)
    if problem is None:
        return 0
    result = solve(problem)
    return result.makespan if result.status == "optimal" else None
