"""Colours of bars: by task, or in problems of many tasks by resource or agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from planoracle.analysis.figures.colours import PALETTE
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule

#: Most tasks that colours distinguish; bars of further tasks name them.
MAX_TASKS = 8
#: Colour of tasks of milestones, and of actions that use no resource or agent.
HELPER = "#d9d9d9"
_NEUTRAL = "#9ec3dc"  # where nothing is distinguished


class BarColours(NamedTuple):
    """Colours of the bars of a chart.

    Attributes
    ----------
    kind
        What the colours distinguish: ``task``, ``resource``, ``agent``, or ``""`` for nothing.
    by_name
        Colours by the name of the task, resource or agent, as in the legend.
    """

    kind: str
    by_name: Mapping[str, str]

    def of(self, action: Action, piece: Piece) -> str:
        """Return the colour of a piece of an action."""
        if not self.kind:
            return _NEUTRAL
        return self.by_name.get(_group(self.kind, action, piece), HELPER)

    def legend(self, bars: Iterable[tuple[Action, Piece]]) -> dict[str, str]:
        """Return names and colours for the legend of some bars."""
        has_others = any(self.of(*bar) == HELPER for bar in bars)
        return {**self.by_name, **({f"no {self.kind}": HELPER} if has_others else {})}


def palette(instance: Instance) -> dict[str, str]:
    """Return a colour for every task with an action that is no milestone."""
    tasks = dict.fromkeys(action.task for action in instance.actions if not action.is_milestone)
    return _colours(list(tasks))


def bar_colours(instance: Instance, schedules: Iterable[Schedule]) -> BarColours:
    """Choose what the colours of bars distinguish: up to `MAX_TASKS` tasks, else resources or agents.

    Examples
    --------
    >>> jobs = tuple(Action(f"J{k}/1", f"J{k}", 1, 1) for k in range(9))
    >>> pieces = tuple(Piece(job.id, k, 1, "Ann" if k % 2 else "Ben") for k, job in enumerate(jobs))
    >>> shop = Instance("shop", jobs, agents=("Ann", "Ben"))
    >>> chosen = bar_colours(shop, [Schedule(pieces)])
    >>> chosen.kind, list(chosen.by_name)
    ('agent', ['Ann', 'Ben'])
    """
    by_task = palette(instance)
    if len(by_task) <= MAX_TASKS:
        return BarColours("task", by_task)
    pieces = list(chain.from_iterable(schedule.pieces for schedule in schedules))
    orders = {"resource": list(instance.resource), "agent": list(instance.agents)}
    groups = {kind: _names_with_bar(instance, pieces, kind, order) for kind, order in orders.items()}
    for max_names in (MAX_TASKS, len(PALETTE)):
        for kind, names in groups.items():
            if 2 <= len(names) <= max_names:
                return BarColours(kind, _colours(names))
    return BarColours("task", by_task) if len(by_task) <= len(PALETTE) else BarColours("", {})


def _names_with_bar(instance: Instance, pieces: Iterable[Piece], kind: str, order: Sequence[str]) -> list[str]:
    """Return the names of groups with a bar, in an order."""
    drawn = [piece for piece in pieces if not instance.by_id[piece.action].is_milestone]
    used = {_group(kind, instance.by_id[piece.action], piece) for piece in drawn}
    return [name for name in order if name in used]


def _group(kind: str, action: Action, piece: Piece) -> str:
    """Return the task of a piece, its first resource or its agent; ``""`` for none."""
    if kind == "task":
        return action.task
    if kind == "agent":
        return piece.agent or ""
    demands = action.modes[piece.mode].demands if 0 <= piece.mode < len(action.modes) else ()
    return next((demand.resource for demand in demands if demand.amount), "")


def _colours(names: Sequence[str]) -> dict[str, str]:
    return {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(names)}
