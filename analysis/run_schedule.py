"""Plans as rows of tables and frames, and runs in kitchens as schedules for figures and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens import run as grid_kitchens
from planoracle.instances.benchmarks.kitchens import run as kitchens
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.registry import of
from planoracle.instances.text import format_clock

#: Instance with the actions of a run, and the schedule of the run.
Timeline: TypeAlias = tuple[Instance, Schedule]

_TIMELINES: Final[dict[str, Callable[[Any], Timeline]]] = {
    "kitchen": kitchens.as_schedule,
    "floor": grid_kitchens.as_schedule,
}


def timeline(run: AnyRun) -> Timeline:
    """Return a run in a kitchen or grid kitchen as a schedule.

    Raises
    ------
    InputError
        If nothing was carried out that takes time.
    """
    return for_kind(run.problem, _TIMELINES)(run)


def align(upper: Timeline, lower: Timeline) -> tuple[Instance, Schedule, Schedule]:
    """Return two timelines as schedules of one instance.

    The n-th actions with the same task, label, modes, duration and agent are one action, whatever their start times.
    """
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
    return for_kind(problem, _ROWS)(problem, answer, rules)


def _pieces(instance: Instance, answer: Any, rules: Rules | None = None) -> list[dict[str, Any]]:
    schedule = answer if isinstance(answer, Schedule) else getattr(answer, "schedule", None)
    if not isinstance(schedule, Schedule):
        raise InputError(_missing_reason(answer), field="schedule")
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
        is_attended_throughout = action.interruptible and action.attended
        attended = piece.duration if is_attended_throughout else min(action.attended, piece.duration)
        agent_until = piece.start + attended
    mode = action.modes[piece.mode]
    row = piece._asdict()
    row |= {"end": piece.end, "unit": instance.unit, "position": position, "task": action.task, "label": action.label}
    row |= {"resources": _resources(mode), "mode_name": mode.name, "attended": attended, "agent_until": agent_until}
    return row


class Clock(int):
    """Seconds whose text is a clock.

    >>> str(Clock(4080)), Clock(4080) + 0
    ('1:08:00', 4080)
    """

    def __str__(self) -> str:
        return format_clock(self).removeprefix("0")


def rows_for_people(rows: Iterable[dict[str, Any]], *, keeps_all: bool = False) -> list[dict[str, Any]]:
    """Return rows of `plan_rows` for a table: with clocks, ``agent_until`` only if it is not the end.

    Parameters
    ----------
    keeps_all
        Keep ``agent_until`` even if every piece occupies its agent until its end.
    """
    listed = list(rows)
    differs = any(row["agent_until"] not in (None, row["end"]) for row in listed)
    readable = []
    for row in listed:
        times = {name: row[name] for name in ("start", "end", "agent_until")}
        if row["unit"] == "second":
            for name, time in times.items():
                times[name] = None if time is None else Clock(time)
        if not (differs or keeps_all):
            times["agent_until"] = None
        readable.append(row | times)
    return readable


def _resources(mode: Mode) -> str:
    texts = []
    for demand in mode.demands:
        if demand.amount:
            texts.append(demand.resource if demand.amount == 1 else f"{demand.resource} ({demand.amount})")
    return ", ".join(texts)


def _rows_of_run(kitchen: Problem, answer: Any, rules: Rules | None = None) -> list[dict[str, Any]]:
    return _pieces(*timeline(_run(kitchen, answer, rules)))


def _run(kitchen: Problem, answer: Any, rules: Rules | None) -> Any:
    plan = getattr(answer, "plan", answer)
    if not plan:
        raise InputError(_missing_reason(answer), field="schedule")
    benchmark = of(kitchen)
    return benchmark.run(kitchen, plan, rules or benchmark.rules.profiles["released"])


def _kitchen_rows(kitchen: Kitchen, answer: Any, rules: Rules | None = None) -> list[dict[str, Any]]:
    run = _run(kitchen, answer, rules)
    for position, step in enumerate(run.record.steps):
        if step.action_number is None:
            raise InputError("is rejected by the rules", field=f"actions[{position}]", value=step.action)
    return [row | {"action": row["label"], "label": None} for row in _pieces(*timeline(run))]


def _missing_reason(answer: Any) -> str:
    reason: str = getattr(answer, "reason", "")
    status = getattr(answer, "status", "")
    if reason:
        return reason
    return f"is missing (status: {status})" if status else "is missing"


_ROWS: Final[dict[str, Callable[[Any, Any, Rules | None], list[dict[str, Any]]]]] = {
    "schedule": _pieces,
    "kitchen": _kitchen_rows,
    "floor": _rows_of_run,
}
