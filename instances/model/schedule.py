"""Schedules as lists of pieces; solvers and heuristics return them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.errors import PlanError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance, Variant
from planoracle.instances.model.problem import Problem

#: Most pieces of a schedule after cutting. Overlapping pieces, as in invalid schedules, are cut up to n²/4 times.
MAX_PIECES = 20_000


class Piece(NamedTuple):
    """Uninterrupted run of an action; ``start`` and ``duration`` in ticks, ``mode`` the index of the mode.

    Attributes
    ----------
    action
        Id of the action.
    start, duration
        Ticks.
    agent
        Agent that the piece holds or that starts it; ``None`` if the action needs none.
    mode
        Position of the chosen mode.
    """

    action: str
    start: int
    duration: int
    agent: str | None
    mode: int = 0

    @property
    def end(self) -> int:
        """First tick after the piece."""
        return self.start + self.duration


def variant_of(instance: Instance, piece: Piece) -> Variant:
    """Return the action of a piece in its mode.

    In a mode that does not exist, it is as the action says, and has no demands.
    """
    variants = instance.variants[piece.action]
    mode = piece.mode
    if mode == 0 or 0 < mode < len(variants):  # nearly all pieces have the first mode
        return variants[mode]
    action = instance.by_id[piece.action]
    return Variant(action.duration, action.attended, instance.eligible(action), (), ())


@dataclass(frozen=True, slots=True)
class Schedule:
    """Pieces in the order of their commands; constructed by `Schedule.of`.

    Pieces are ordered by start. At the same instant unattended actions come before attended ones, and actions that
    set no state before those that do; then the order of the instance counts.

    Attributes
    ----------
    pieces
        Pieces in normal form.
    """

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, instance: Instance, pieces: Iterable[Piece]) -> Schedule:
        """Bring pieces into normal form.

        Adjacent pieces of one action by one agent are joined, except where the agent starts an
        unattended action: no agent can start an action strictly inside a piece that holds it. Actions that pause
        in breaks are not cut.

        Parameters
        ----------
        instance
            Problem that the pieces schedule.
        pieces
            Pieces in any order.

        Raises
        ------
        PlanError
            For more than `MAX_PIECES` pieces after cutting; they are counted before they are built.

        Examples
        --------
        >>> from planoracle.instances.model.instance import Action, Instance
        >>> chop = Action("t/chop", "t", duration=4, attended=4, interruptible=True)
        >>> boil = Action("t/boil", "t", duration=9, attended=0)
        >>> kitchen = Instance("k", (chop, boil))
        >>> units = [Piece("t/chop", k, 1, "agent") for k in range(4)]
        >>> for piece in Schedule.of(kitchen, [*units, Piece("t/boil", 3, 9, "agent")]).pieces:
        ...     print(*piece)
        t/chop 0 3 agent 0
        t/boil 3 9 agent 0
        t/chop 3 1 agent 0
        """
        index = instance.index

        def by_action(piece: Piece) -> tuple[int, int, int]:
            return index[piece.action], piece.start, piece.duration

        has_settings = _has_settings(instance)

        def by_start(piece: Piece) -> tuple[int, bool, bool, int]:
            variant = variant_of(instance, piece)
            return piece.start, variant.attended > 0, has_settings and _sets(variant), index[piece.action]

        joined: list[Piece] = []
        previous_run = None
        for piece in sorted(pieces, key=by_action):
            run = piece.action, piece.agent, piece.mode
            if run == previous_run and joined[-1].end == piece.start:
                last = joined[-1]
                joined[-1] = last._replace(duration=last.duration + piece.duration)
            else:
                joined.append(piece)
            previous_run = run
        return cls(tuple(sorted(_cut_at_starts(instance, joined), key=by_start)))

    @property
    def makespan(self) -> int:
        """Latest end of a piece, in ticks; 0 for the empty schedule."""
        return max((piece.start + piece.duration for piece in self.pieces), default=0)

    def finish(self) -> dict[str, int]:
        """Return the end of the last piece of every action, in ticks."""
        ends: dict[str, int] = {}
        for piece in self.pieces:
            ends[piece.action] = max(ends.get(piece.action, 0), piece.end)
        return ends


def weight_of(problem: Problem, pieces: Iterable[Piece]) -> int | None:
    """Return the total weight of the optional tasks of which pieces execute an action.

    Parameters
    ----------
    problem
        Problem of any kind.
    pieces
        Pieces of a valid schedule.

    Returns
    -------
    int or None
        ``None`` if no task is optional.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Instance
    >>> actions = Action("a/b", "a", 2, 2), Action("c/d", "c", 2, 2)
    >>> shop = Instance("shop", actions, optional=(("a", 3), ("c", 1)))
    >>> weight_of(shop, [Piece("a/b", 0, 2, "agent")]), weight_of(shop, []), weight_of(Instance("k", actions), [])
    (3, 0, None)
    """
    weights: dict[str, int] = getattr(problem, "weights", {})
    if not weights:
        return None
    executed_tasks = {piece.action.partition("/")[0] for piece in pieces}
    return sum(weight for task, weight in weights.items() if task in executed_tasks)


@ProblemCache
def _has_settings(instance: Instance) -> bool:
    """Return whether an action sets a state."""
    for action in instance.actions:
        for mode in action.modes:
            for demand in mode.demands:
                if demand.sets is not None:
                    return True
    return False


def _sets(variant: Variant) -> bool:
    demands = variant.demands
    return bool(demands) and any(demand.sets is not None for demand in demands)


def _cut_at_starts(instance: Instance, pieces: list[Piece]) -> list[Piece]:
    """Cut interruptible pieces at the starts of unattended actions by their agent."""
    if all(piece.agent is None for piece in pieces):
        return pieces
    variants = [variant_of(instance, piece) for piece in pieces]
    started = _starts(instance, pieces, variants)
    if not started:
        return pieces
    by_id = instance.by_id
    starts = {agent: sorted(instants) for agent, instants in started.items()}

    def inside(piece: Piece, variant: Variant) -> range:
        instants = starts.get(piece.agent, []) if piece.agent is not None else []
        if not (instants and variant.attended and by_id[piece.action].interruptible):
            return range(0)
        return range(bisect_right(instants, piece.start), bisect_left(instants, piece.end))

    places = [inside(piece, variant) for piece, variant in zip(pieces, variants, strict=True)]
    cuts = sum(map(len, places))
    if not cuts:
        return pieces
    if len(pieces) + cuts > MAX_PIECES:
        message = f"has {len(pieces) + cuts} pieces after cutting at starts of unattended actions; at most {MAX_PIECES}"
        raise PlanError(message, field="plan")
    parts: list[Piece] = []
    for piece, cut in zip(pieces, places, strict=True):
        parts.extend(_parts(piece, cut, starts))
    return parts


def _starts(instance: Instance, pieces: list[Piece], variants: list[Variant]) -> dict[str, set[int]]:
    """Return the instants at which each agent starts an unattended piece.

    After a pause in a break, an action needs no agent to start it.
    """
    pausing = instance.pausing
    instants: dict[str, set[int]] = {}
    under_way: set[str] = set()  # of the actions that pause in breaks
    for piece, variant in zip(pieces, variants, strict=True):
        if variant.attended or piece.agent is None or piece.action in under_way:
            continue
        instants.setdefault(piece.agent, set()).add(piece.start)
        if piece.action in pausing:
            under_way.add(piece.action)
    return instants


def _parts(piece: Piece, cut: range, starts: dict[str, list[int]]) -> Iterator[Piece]:
    """Yield the parts of a piece that is cut at a range of starts of its agent."""
    for place in cut:
        assert piece.agent is not None
        instant = starts[piece.agent][place]
        yield piece._replace(duration=instant - piece.start)
        piece = piece._replace(start=instant, duration=piece.end - instant)
    yield piece
