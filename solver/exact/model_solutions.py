"""Solutions of the CP-SAT model: values of its variables in a schedule, and pieces of a solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.exact.segments import Segment, Version, holds

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel

_Choice = TypeVar("_Choice")


class _PlacedSegment(NamedTuple):
    """A segment of a solution, in the order in which segments get their agents."""

    start: int
    turn: int
    action: int
    number: int
    segment: Segment
    mode: int


# Turns of segments that start at the same instant.
_SETTLED, _GOING_ON, _UNATTENDED, _ATTENDED = range(4)


def values_of_schedule(model: ScheduleModel, schedule: Schedule) -> dict[int, int] | None:
    """Return the values of the makespan, starts, modes and agents in a schedule.

    ``None`` if its pieces do not start and end on the grid of the model.
    """
    step = model.step
    if any(piece.start % step or piece.duration % step for piece in schedule.pieces):
        return None
    pieces_by_action: list[list[Piece]] = [[] for _ in model.segments]
    for piece in schedule.pieces:  # in the order of their starts
        pieces_by_action[model.instance.index[piece.action]].append(piece)
    values = {model.makespan: schedule.makespan // step}
    for i, pieces in enumerate(pieces_by_action):
        present = model.present[i]
        if present is not None:
            values[present] = int(bool(pieces))
        for number, literal in enumerate(model.modes[i]):
            if literal is not None:
                values[literal] = int(bool(pieces) and number == pieces[0].mode)
        for version in model.versions[i]:
            values |= _values_of_version(model, version, pieces)
    return values


def _values_of_version(model: ScheduleModel, version: Version, pieces: Sequence[Piece]) -> dict[int, int]:
    """Return the values of a version of an action with some pieces, in the order of their starts."""
    is_chosen = bool(pieces) and pieces[0].mode in version.modes
    if is_chosen and version.attended and version.off_times is not None:
        is_chosen = pieces[0].agent in version.agents
    values: dict[int, int] = {}
    if version.present is not None:
        values[version.present] = int(is_chosen)
    if not is_chosen:
        for segment in version.segments:
            values |= {literal: 0 for literal in segment.agents.values() if literal is not None}
        return values
    starts: list[tuple[int, str | None]] = []
    for piece in pieces if version.off_times is None else pieces[:1]:
        times: Sequence[int] = (piece.start,)
        if len(version.segments) > 1:
            times = range(piece.start, piece.end, model.step)
        head = model.head_of.get(piece.agent or "")
        starts += [(time // model.step, head) for time in times]
    for segment, (start, head) in zip(version.segments, starts, strict=True):
        values[segment.start] = start
        for agent, literal in segment.agents.items():
            if literal is not None:
                values[literal] = int(agent == head)
        if segment.end is not None:
            values[segment.end] = pieces[-1].end // model.step
            values[segment.length] = values[segment.end] - start
    return values


def pieces_of_solution(
    model: ScheduleModel,
    solution: list[int],
    agent_of: Mapping[tuple[int, int], str | None],
    begins: Set[tuple[int, int]],
) -> list[tuple[int, int, Piece]]:
    """Return every segment of a solution as (action, number of the segment, piece), in order of time.

    ``agent_of`` holds the agents of fixed segments, ``begins`` the segments with which a piece begins.
    Interchangeable agents are assigned to the other segments around them.
    """
    resumed = (successor for _, successor, literal in model.runs if holds(literal, solution))
    going_on = {id(segment) for segment in resumed if segment.busy}
    for i, k in agent_of:
        if (i, k) not in begins:
            going_on.add(id(model.segments[i][k]))
    free = dict.fromkeys(model.instance.agents, 0)
    since = dict.fromkeys(model.instance.agents, -1)  # start of the last piece that holds the agent
    last: dict[int, tuple[int, str | None]] = {}
    pieces = []
    for start, turn, i, k, segment, mode in _placed_segments(model, solution, agent_of, going_on):
        head = _chosen(segment.agents.items(), solution)
        previous_end, agent = last.get(i, (-1, None))
        if head is None:
            agent = None
        elif turn == _SETTLED:
            agent = agent_of[i, k]
        elif turn != _GOING_ON:
            # The segment after a fixed piece is a separate command, with its own start.
            needs_free_agent = segment.busy or (i, k - 1) in agent_of
            goes_on = previous_end == start and agent is not None and model.head_of[agent] == head
            is_free = agent is not None and free[agent] <= start
            keeps_agent = goes_on and (is_free or not needs_free_agent)
            if not keeps_agent:
                # An unattended action may also start at the moment at which its agent begins a piece.
                beginning = []
                if not segment.busy:
                    beginning = [name for name, begin in since.items() if begin == start]
                crew = (name for name in free if model.head_of[name] == head)
                agent = next(name for name in crew if free[name] <= start or name in beginning)
        if segment.busy and agent is not None:
            if id(segment) not in going_on:
                since[agent] = start
            free[agent] = start + (segment.busy if segment.end is None else solution[segment.length])
        last[i] = (start + segment.size, agent)
        name = model.instance.actions[i].id
        piece = Piece(name, start * model.step, segment.size * model.step, agent, mode)
        pieces.append((i, k, piece))
    return pieces


def _placed_segments(
    model: ScheduleModel,
    solution: list[int],
    agent_of: Mapping[tuple[int, int], str | None],
    going_on: Set[int],
) -> list[_PlacedSegment]:
    """Return the segments in the order in which they get their agents; ``going_on`` holds ids of segments."""
    placed = []
    for i, segments in enumerate(model.segments):
        mode = _chosen(enumerate(model.modes[i]), solution) or 0
        for k, segment in enumerate(segments):
            if segment.present is not None and not holds(segment.present, solution):
                continue
            if (i, k) in agent_of:
                turn = _SETTLED
            elif id(segment) in going_on:
                turn = _GOING_ON
            else:
                turn = _ATTENDED if segment.busy else _UNATTENDED
            placed.append(_PlacedSegment(solution[segment.start], turn, i, k, segment, mode))
    return sorted(placed, key=lambda segment: segment[:4])


def _chosen(choices: Iterable[tuple[_Choice, int | None]], solution: Sequence[int]) -> _Choice | None:
    """Return the first choice whose literal is true or that has none."""
    for choice, literal in choices:
        if literal is None or solution[literal]:
            return choice
    return None
