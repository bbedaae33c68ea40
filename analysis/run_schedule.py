"""Plans as rows of tables and frames, and pairs of timelines for figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.clock_times import LocalClock
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.piece_variants import ticks_of_agent
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.text import format_clock
from planoracle.solver.kinds.kind import Timeline
from planoracle.solver.kinds.registry import kind_of


def align(upper: Timeline, lower: Timeline) -> tuple[Instance, Schedule, Schedule]:
    """Return two timelines as schedules of one instance.

    The n-th actions with the same task, label, modes, duration and agent are one action, whatever their start times.
    """
    if upper[0] is lower[0]:
        return *upper, lower[1]
    names: dict[tuple[object, ...], str] = {}
    actions: dict[str, Action] = {}
    schedules = []
    for instance, schedule in (upper, lower):
        repetitions: Counter[tuple[object, ...]] = Counter()
        pieces = []
        for piece in schedule.pieces:
            action = instance.by_id[piece.action]
            content = action.task, action.label, action.modes, action.duration, piece.agent
            key = *content, repetitions[content]
            repetitions[content] += 1
            name = names.setdefault(key, f"{action.task}/{len(names) + 1}")
            actions[name] = replace(action, id=name)
            pieces.append(piece._replace(action=name))
        schedules.append(Schedule(tuple(pieces)))
    instance = upper[0]
    resources = dict.fromkeys((*instance.resources, *lower[0].resources))
    merged = replace(instance, actions=tuple(actions.values()), resources=tuple(resources))
    return merged, schedules[0], schedules[1]


def plan_rows(problem: Problem, answer: Any, rules: Rules | None = None) -> list[dict[str, Any]]:
    """Return a row per piece of a plan, with columns of the frame ``schedules``; milestones are left out.

    If tick 0 has a clock time, rows also have ``start_date`` and ``end_date``.

    Parameters
    ----------
    answer
        `Schedule` or an object with one, such as a `Result`. For kitchens a `Result`, a plan or a list of actions;
        for grid kitchens a plan or an object with a ``plan``.
    rules
        Rules of kitchens and grid kitchens, by default the released ones.

    Raises
    ------
    InputError
        If there is no schedule, or it does not fit the problem.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.solver.solve import solve
    >>> tea = load("timearena/household1")
    >>> [(row["start"], row["action"], row["agent"]) for row in plan_rows(tea, solve(tea))][:2]
    [(0, 'household1/activate kettle', 'agent'), (1, 'household1/wash teapot', 'agent')]
    """
    kind = kind_of(problem)
    rows = _rows(*kind.timeline_of_answer(problem, answer, rules))
    if kind.command_is_action:
        return [row | {"action": row["label"], "label": None} for row in rows]
    return rows


def _rows(instance: Instance, schedule: Schedule) -> list[dict[str, Any]]:
    rows = []
    for position, piece in enumerate(schedule.pieces):
        action = instance.by_id.get(piece.action)
        if action is None or not 0 <= piece.mode < len(action.modes):
            message = "must name an action and a mode of the instance"
            raise InputError(message, field=f"schedule[{position}]", value=piece)
        if not action.is_milestone:
            rows.append(_row_of_piece(instance, action, piece, position))
    return rows


def _row_of_piece(instance: Instance, action: Action, piece: Piece, position: int) -> dict[str, Any]:
    """Return the row of a piece of a schedule, and of its action."""
    attended = 0
    agent_until = None
    if piece.agent is not None:
        attended = min(ticks_of_agent(instance, piece), piece.duration)
        agent_until = piece.start + attended
    mode = action.modes[piece.mode]
    row = piece._asdict()
    row |= {"end": piece.end, "unit": instance.unit, "position": position, "task": action.task, "label": action.label}
    row |= {"resources": _resources(mode), "mode_name": mode.name, "attended": attended, "agent_until": agent_until}
    if instance.start_time is not None:
        clock = LocalClock(instance.start_time, instance.seconds_per_tick)
        agent_until_date = None if agent_until is None else clock.text(agent_until)
        row |= {"start_date": clock.text(piece.start), "end_date": clock.text(piece.end)}
        row |= {"agent_until_date": agent_until_date}
    return row


class Clock(int):
    """Seconds whose text is a clock.

    >>> str(Clock(4080)), Clock(4080) + 0
    ('1:08:00', 4080)
    """

    def __str__(self) -> str:
        return format_clock(self).removeprefix("0")


def rows_for_people(rows: Iterable[dict[str, Any]], *, keeps_all: bool = False) -> list[dict[str, Any]]:
    """Return rows of `plan_rows` for a table: dates or clocks, and columns that repeat no other.

    Parameters
    ----------
    keeps_all
        Keep ``agent_until`` even if every piece occupies its agent until its end, names of modes that are those of
        their machines, and ticks beside dates.
    """
    listed = list(rows)
    differs = any(row["agent_until"] not in (None, row["end"]) for row in listed)
    has_mode_names = any(row.get("mode_name") not in (None, "", row.get("resources")) for row in listed)
    readable = []
    for row in listed:
        times = {name: row[name] for name in ("start", "end", "agent_until")}
        if row["unit"] == "second":
            for name, time in times.items():
                times[name] = None if time is None else Clock(time)
        if not (differs or keeps_all):
            times["agent_until"] = None
        if not (has_mode_names or keeps_all):
            times["mode_name"] = None
        if row.get("start_date") and row.get("end_date") and not keeps_all:
            times["start"] = times["end"] = None
            if times["agent_until"] is not None:
                times["agent_until"] = row["agent_until_date"]
        readable.append(row | times)
    return readable


def _resources(mode: Mode) -> str:
    texts = []
    for demand in mode.demands:
        if demand.amount:
            texts.append(demand.resource if demand.amount == 1 else f"{demand.resource} ({demand.amount})")
    return ", ".join(texts)
