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
    run = replay(scene, [*decisions, "wait"], time_limit, rules, watch=seen.append)
    ends: dict[int, int | None] = {run.total_time: run.total_time} if run.completed else {}
    by_minute = {snapshot.minute: snapshot for snapshot in seen}
    ours = seen[-1].minute if len(seen) > len(decisions) else None
    found = []
    for step, necessary in zip(run.steps, run.necessary, strict=True):
        if step.kind != "wait" or step.minute == ours:
            continue  # the wait we added only shows the world after the last decision
        before, after = (_best_end(scene, by_minute, m, rules, ends) for m in (step.minute, step.minute + 1))
        found.append(Wait(step.minute, necessary, None if before is None or after is None else after - before))
    return found


def _best_end(
    scene: World, seen: dict[int, Snapshot], minute: int, rules: Profile, known: dict[int, int | None]
) -> int | None:
    """Return the best completion time from a minute on, ``None`` if the run never got there or it is unproved."""
    if minute not in known:
        known[minute] = None
        if minute in seen:
            problem = encode.remaining(scene, seen[minute], rules)
            result = solve(problem) if problem is not None else None
            if result is None:
                known[minute] = minute
            elif result.status == "optimal" and result.makespan is not None:
                known[minute] = minute + result.makespan
    return known[minute]
