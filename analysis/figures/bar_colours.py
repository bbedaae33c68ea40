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
        pieces = list(bars)
        present = {_group(self.kind, *bar) for bar in pieces}
        colours = {name: colour for name, colour in self.by_name.items() if name in present}
        if any(self.of(*bar) == HELPER for bar in pieces):
            colours[f"no {self.kind}"] = HELPER
        return colours


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
    groups = {
        "resource": _names_with_bar(instance, pieces, "resource", list(instance.resource)),
        "agent": _names_with_bar(instance, pieces, "agent", list(instance.agents)),
    }
    for max_names in (MAX_TASKS, len(PALETTE)):
        for kind, names in groups.items():
            if 2 <= len(names) <= max_names:
                return BarColours(kind, _colours(names))
    if len(by_task) <= len(PALETTE):
        return BarColours("task", by_task)
    return BarColours("", {})


def _names_with_bar(instance: Instance, pieces: Iterable[Piece], kind: str, order: Sequence[str]) -> list[str]:
    """Return the names of groups with a bar, in an order."""
    groups = set()
    for piece in pieces:
        action = instance.by_id[piece.action]
        if not action.is_milestone:
            groups.add(_group(kind, action, piece))
    return [name for name in order if name in groups]


def _group(kind: str, action: Action, piece: Piece) -> str:
    """Return the task of a piece, its first resource or its agent; ``""`` for none."""
    if kind == "task":
        return action.task
    if kind == "agent":
        return piece.agent or ""
    if not 0 <= piece.mode < len(action.modes):
        return ""
    demands = action.modes[piece.mode].demands
    return next((demand.resource for demand in demands if demand.amount), "")


def _colours(names: Sequence[str]) -> dict[str, str]:
    return {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(names)}
