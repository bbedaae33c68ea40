"""Forward-backward improvement (Li and Willis 1992; Valls, Ballestin and Quintanilla 2005).

All actions are moved as late as possible, the last one first, and then as early as possible, the first one first. The
late schedule closes gaps, which then leaves room at the end. It is a schedule of the mirrored instance, in which time
runs backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planoracle.heuristics.generation import Blocks, blocks_of, generate_serial
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance


@ProblemCache
def mirrored(instance: Instance) -> Instance:
    """Return the instance with time running backwards, as far as the model can state it.

    Its schedules only set priorities. Releases, states of resources and predecessors of single modes are left out, and
    an action that is attended in part holds its agent at its last ticks instead of its first ones.
    """
    actions = tuple(
        replace(
            action,
            release=0,
            modes=tuple(
                replace(mode, after=(), demands=tuple(replace(use, requires=None, sets=None) for use in mode.demands))
                for mode in action.modes
            ),
        )
        for action in instance.actions
    )
    return replace(
        instance,
        actions=actions,
        lags=tuple(replace(lag, before=lag.after, after=lag.before) for lag in instance.lags),
        resources=tuple(replace(resource, state=None) for resource in instance.resources),
        time_limit=None,
        benchmark="generic",
        origin=None,
    )


def forward_backward(
    timetable: Timetable, blocks: Blocks, over: Callable[[float], bool], *, behind: bool = False
) -> Timetable:
    """Shift a complete timetable right and left until it gets no shorter; return the shortest.

    Parameters
    ----------
    blocks, over, behind
        See `planoracle.heuristics.generation.generate_serial`.
    """
    instance = timetable.instance
    while True:
        mirror = mirrored(instance)
        late = _in_order(mirror, timetable.finish, blocks_of(mirror), over)
        early = None if late is None else _in_order(instance, late.finish, blocks, over, behind=behind)
        if early is None or early.makespan >= timetable.makespan:
            return timetable
        timetable = early


def _in_order(
    instance: Instance,
    finish: Sequence[int | None],
    blocks: Blocks,
    over: Callable[[float], bool],
    *,
    behind: bool = False,
) -> Timetable | None:
    """Place the blocks in the reverse order of the latest finishes in a schedule of the mirrored instance."""
    last = [-max(end for i in members if (end := finish[i]) is not None) for members in blocks.members]
    return generate_serial(instance, [float(end) for end in last], blocks, over, behind=behind)
