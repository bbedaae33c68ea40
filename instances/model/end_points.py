"""Links between starts and ends of actions, and bounds of them, in terms of the model.

A time lag runs from an end to a start. The start of an action is a fixed time before its end, unless its modes have
several durations or it pauses in breaks. Then a milestone of the same task stands for the end point that a lag cannot
name: one that is not before the start, or one that is not after the end. Both directions suffice, as a link asks only
that the earlier point is early and the later one is late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Lag

START: Final = "start"
END: Final = "end"

#: Position of an action, and one of its two end points.
Point = tuple[int, str]


@dataclass
class _Bounds:
    """Bounds of a lag; ``None``: no bound."""

    minimum: int | None = None
    maximum: int | None = None

    def tighten(self, minimum: int | None, maximum: int | None) -> None:
        """Add further bounds."""
        if minimum is not None:
            self.minimum = minimum if self.minimum is None else max(minimum, self.minimum)
        if maximum is not None:
            self.maximum = maximum if self.maximum is None else min(maximum, self.maximum)


class EndPoints:
    """Actions with links between their starts and ends.

    Parameters
    ----------
    actions
        Actions; links refer to their positions.

    Examples
    --------
    The second action ends at least a tick after the first one, which takes two ticks or five:

    >>> from planoracle.instances.model.instance import Mode
    >>> saw = Action("t/saw", "t", 2, 0, modes=(Mode(), Mode(duration=5)), agents=())
    >>> oil = Action("t/oil", "t", 3, 0, agents=())
    >>> points = EndPoints([saw, oil])
    >>> points.link((0, END), (1, END), 1)
    >>> points.lags()
    [Lag(before='t/saw', after='t/oil', minimum=-2, maximum=None)]

    It starts at tick 7 at the latest, and the second one not before it:

    >>> points.bound(0, START, 0, 7)
    >>> points.link((0, START), (1, START), 0)
    >>> [(action.id, action.deadline) for action in points.actions()]
    [('t/saw', None), ('t/saw start', 7), ('t/oil', None)]
    >>> points.lags()[1:]
    [Lag(before='t/saw start', after='t/saw', minimum=None, maximum=0), \
Lag(before='t/saw start', after='t/oil', minimum=0, maximum=None)]
    """

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions = list(actions)
        self._milestones: dict[Point, Action] = {}
        self._bounds: dict[tuple[str, str], _Bounds] = {}
        self._ids = {action.id for action in actions}

    def actions(self) -> list[Action]:
        """Return all actions, each with its milestones after it."""
        return list(self._all_actions())

    def _all_actions(self) -> Iterator[Action]:
        for position, action in enumerate(self._actions):
            yield action
            for point in (START, END):
                if (position, point) in self._milestones:
                    yield self._milestones[position, point]

    def lags(self) -> list[Lag]:
        """Return the lags, at most one from one action to another."""
        lags = []
        for (before, after), bounds in self._bounds.items():
            lags.append(Lag(before, after, bounds.minimum, bounds.maximum))
        return lags

    def add_lag(self, before: int, after: int, minimum: int | None, maximum: int | None) -> None:
        """Bound the time from the end of an action to the start of another one.

        Parameters
        ----------
        before, after
            Positions of the actions.
        minimum, maximum
            Ticks; ``None``: no bound.
        """
        self._add(self._actions[before].id, self._actions[after].id, minimum, maximum)

    def link(self, earlier: Point, later: Point, delay: int) -> None:
        """Let a point come at least some ticks after another one.

        Parameters
        ----------
        earlier, later
            The points.
        delay
            Ticks, also negative ones.

        Raises
        ------
        InputError
            If the earlier one is the start, or the later one the end, of an action that may pause anywhere.
        """
        before, earlier_point = earlier
        after, later_point = later
        self._check_interruptible(before, earlier_point == START)
        self._check_interruptible(after, later_point == END)
        if earlier_point == START and (length := self._length(before)) is not None:
            earlier_point, delay = END, delay - length
        if later_point == END and (length := self._length(after)) is not None:
            later_point, delay = START, delay - length
        if earlier_point == START and later_point == END:
            self._add(self._actions[after].id, self._actions[before].id, None, -delay)
            return
        first = self._milestone(before, START) if earlier_point == START else self._actions[before]
        second = self._milestone(after, END) if later_point == END else self._actions[after]
        self._add(first.id, second.id, delay, None)

    def bound(self, position: int, point: str, earliest: int, latest: int | None) -> None:
        """Bound the start or the end of an action.

        Parameters
        ----------
        position
            Position of the action.
        point
            `START` or `END`.
        earliest, latest
            Ticks; ``None``: no bound.

        Raises
        ------
        InputError
            For the latest start and the earliest end of an action that may pause anywhere.
        """
        if point == START:
            self._release(position, earliest)
            if latest is not None:
                self._bound_start(position, latest)
            return
        if earliest > 0:
            self._bound_end(position, earliest)
        if latest is not None:
            self._actions[position] = _due(self._actions[position], latest)

    def _release(self, position: int, earliest: int) -> None:
        action = self._actions[position]
        if earliest > action.release:
            self._actions[position] = replace(action, release=earliest)

    def _bound_start(self, position: int, latest: int) -> None:
        """Bound the start of an action from above."""
        self._check_interruptible(position, True)
        length = self._length(position)
        if length is not None:
            self._actions[position] = _due(self._actions[position], latest + length)
            return
        milestone = self._milestone(position, START)
        self._milestones[position, START] = _due(milestone, latest)

    def _bound_end(self, position: int, earliest: int) -> None:
        """Bound the end of an action from below."""
        self._check_interruptible(position, True)
        length = self._length(position)
        if length is not None:
            self._release(position, earliest - length)
            return
        milestone = self._milestone(position, END)
        release = max(earliest, milestone.release)
        self._milestones[position, END] = replace(milestone, release=release)

    def _check_interruptible(self, position: int, concerns: bool) -> None:
        if concerns and self._actions[position].interruptible:
            message = "its start and its end cannot be linked or fixed, as it may be interrupted"
            raise InputError(message, field=self._actions[position].id)

    def _length(self, position: int) -> int | None:
        """Return the time from the start of an action to its end; ``None`` if it varies."""
        action = self._actions[position]
        durations = {action.duration_in(mode) for mode in action.modes}
        if action.pauses_in_breaks or len(durations) > 1:
            return None
        return min(durations)

    def _milestone(self, position: int, point: str) -> Action:
        """Return the milestone that stands for an end point of an action."""
        if (position, point) in self._milestones:
            return self._milestones[position, point]
        action = self._actions[position]
        milestone_id = f"{action.id} {point}"
        while milestone_id in self._ids:
            milestone_id += "'"
        self._ids.add(milestone_id)
        milestone = Action(milestone_id, action.task, 0, 0, agents=())
        self._milestones[position, point] = milestone
        if point == START:
            self._add(milestone_id, action.id, None, 0)
        else:
            self._add(action.id, milestone_id, None, 0)
        return milestone

    def _add(self, before: str, after: str, minimum: int | None, maximum: int | None) -> None:
        bounds = self._bounds.setdefault((before, after), _Bounds())
        bounds.tighten(minimum, maximum)


def _due(action: Action, latest_end: int) -> Action:
    """Return an action that ends at a tick at the latest."""
    deadline = latest_end if action.deadline is None else min(latest_end, action.deadline)
    return replace(action, deadline=deadline)
