"""Plans by the general rules: the list of a schedule's pieces, as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planoracle.instances.model.validation import MAX_NAME
from planoracle.instances.model_output.json_values import values_in
from planoracle.instances.protocol.plan import NO_PLAN
from planoracle.plugin import (
    DroppedCommand,
    Grammar,
    InputError,
    Instance,
    Piece,
    Plan,
    PlanError,
    Reading,
    Rules,
    Schedule,
    StepMatch,
    load_json,
    read_list,
    read_output,
)

#: Largest number in a plan.
MAX_TIME = 10**40

_NEEDED, _FIELDS = {"action", "start", "duration"}, set(Piece._fields)
_WHOLE = {"start", "duration", "mode"}
_TOKEN = re.compile(r"[^\s,;:|\"'`()\[\]{}]{1,200}")


def written(problem: Instance, schedule: Schedule) -> list[dict[str, object]]:
    """Write a schedule as a plan."""
    return [piece._asdict() for piece in schedule.pieces]


def schedule(problem: Instance, plan: Plan[Schedule]) -> Schedule:
    """Return the schedule of a plan."""
    return plan.commands


class Pieces(Grammar[object]):
    """Pieces of a schedule, as objects."""

    unique = True

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    def find(self, text: str) -> list[StepMatch[object]]:
        """Return the pieces in a line."""
        spans, _ = values_in(text, lists=False) if "{" in text else ((), True)
        return [StepMatch(end - start, value) for start, end, value in spans if self.of(value)]

    def of(self, value: object) -> list[object] | None:
        """Return an object with the required fields of a piece."""
        return [value] if isinstance(value, dict) and value.keys() >= _NEEDED else None

    def row(self, cells: Mapping[str, str]) -> list[object] | None:
        """Return a row of a table that has the columns of a piece."""
        fields = {name: text.strip("`*\"' ") for name, text in cells.items() if name in _FIELDS and text.strip()}
        whole = {
            name: int(text) if text.isdecimal() and len(text) < 41 and name in _WHOLE else text
            for name, text in fields.items()
        }
        return self.of(whole)

    def looks(self, text: str, free: bool) -> bool:
        """Return true if a line names an action."""
        return any(word in self.instance.by_id for word in _TOKEN.findall(text[:500]))

    def key(self, step: object) -> tuple[str, str]:
        """Return the action and its start."""
        return (str(step["action"]), str(step["start"])) if isinstance(step, dict) else ("", "")


def rows_of(instance: Instance, submission: object) -> Reading[list[object]]:
    """Read the pieces of a plan as objects, from a list or from text; raises `PlanError` for neither."""
    rows = submission
    if isinstance(submission, str | bytes):
        try:
            rows = load_json(submission, "plan")
        except InputError as error:
            reading = read_output(submission, Pieces(instance)) if isinstance(submission, str) else None
            if reading is None or (reading.fault == NO_PLAN and submission.lstrip()[:1] in ("[", "{")):  # broken JSON
                raise PlanError(error.message, source=error.source, field=error.field) from None
            return reading
    if not isinstance(rows, list):
        raise PlanError("must be a list of pieces", field="plan", value=rows)
    return read_list(rows)


def reading(problem: Instance, submission: object, rules: Rules) -> Reading[Schedule]:
    """Read a plan as a schedule in normal form; raises `PlanError`."""
    return rows_of(problem, submission).of(
        lambda rows: Schedule.of(problem, [_piece(problem, row, f"plan[{i}]") for i, row in enumerate(rows)])
    )


def _piece(instance: Instance, row: object, field: str) -> Piece:
    if not isinstance(row, dict) or not _NEEDED <= row.keys() <= _FIELDS:
        raise PlanError("must be an object with action, start, duration, agent, mode", field=field, value=row)
    row = {"mode": 0, "agent": None} | row
    if not isinstance(row["action"], str) or row["action"] not in instance.by_id:
        raise PlanError("there is no such action", field=f"{field}.action", value=row["action"])
    for key in ("start", "duration", "mode"):
        value = row[key]
        if type(value) is not int or not 0 <= value <= MAX_TIME:
            raise PlanError(f"must be a whole number up to {MAX_TIME}", field=f"{field}.{key}", value=value)
    agent = row["agent"]
    if agent is not None and not (isinstance(agent, str) and len(agent) <= MAX_NAME):
        raise PlanError(f"must be null or a name of at most {MAX_NAME} characters", field=f"{field}.agent", value=agent)
    return Piece(**row)


def salvage(submission: object, instance: Instance) -> tuple[object, tuple[DroppedCommand, ...]]:
    """Return a plan without the pieces of actions that do not exist, and these."""
    rows = rows_of(instance, submission).commands
    unknown = [_names_nothing(instance, row) for row in rows]
    if not any(unknown):
        return rows, ()
    remaining = [row for row, one in zip(rows, unknown, strict=True) if not one]
    return remaining, tuple(
        DroppedCommand(n, str(row["action"])[:80] if isinstance(row, dict) else "", "there is no such action")
        for n, (row, one) in enumerate(zip(rows, unknown, strict=True))
        if one
    )


def _names_nothing(instance: Instance, row: object) -> bool:
    name = row.get("action") if isinstance(row, dict) else None
    return isinstance(name, str) and name not in instance.by_id
