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
    ends: dict[int, int | None] = {}
    by_minute = {snapshot.minute: snapshot for snapshot in seen}
    found = []
    for step, necessary in zip(run.steps, run.necessary, strict=True):
        if step.kind != "wait" or step.minute == seen[-1].minute:
            continue  # the wait we added only shows the world after the last decision
        before, after = (_best_end(scene, by_minute.get(m), rules, ends) for m in (step.minute, step.minute + 1))
        found.append(Wait(step.minute, necessary, None if before is None or after is None else after - before))
    return found


def _best_end(scene: World, snapshot: Snapshot | None, rules: Profile, known: dict[int, int | None]) -> int | None:
    if snapshot is None:
        return None
    if snapshot.minute not in known:
        problem = encode.remaining(scene, snapshot, rules)
        if problem is None:
            known[snapshot.minute] = snapshot.minute
        else:
            result = solve(problem)
            proved = result.status == "optimal" and result.makespan is not None
            known[snapshot.minute] = snapshot.minute + (result.makespan or 0) if proved else None
    return known[snapshot.minute]
