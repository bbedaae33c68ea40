"""Plans by the general rules: the list of a schedule's pieces, as JSON."""

from __future__ import annotations

from planoracle.instances.errors import PlanError
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.profiles import Rules
from planoracle.instances.reading import load_json
from planoracle.instances.schedule import MAX_PIECES, Piece, Schedule
from planoracle.instances.targets import Dropped
from planoracle.instances.validate import MAX_NAME

__all__ = ["MAX_TIME", "commands", "salvage", "schedule", "written"]

#: Largest number in a plan; more than any needs. As many pieces are read as cutting may lead to.
MAX_TIME = 10**40

_NEEDED, _FIELDS = {"action", "start", "duration"}, set(Piece._fields)


def written(problem: Instance, schedule: Schedule) -> list[dict[str, object]]:
    """Write a schedule as a plan."""
    return [piece._asdict() for piece in schedule.pieces]


def schedule(problem: Instance, plan: Plan[Schedule]) -> Schedule:
    """Return the schedule that a plan is."""
    return plan.commands


def commands(instance: Instance, given: object, rules: Rules) -> Schedule:
    """Read a plan as a schedule in normal form; raises `PlanError`."""
    rows = load_json(given, "plan") if isinstance(given, str | bytes) else given
    if not isinstance(rows, list):
        raise PlanError("must be a list of pieces", field="plan", value=rows)
    if len(rows) > MAX_PIECES:
        raise PlanError(f"holds more than {MAX_PIECES} pieces", field="plan")
    return Schedule.of(instance, [_piece(instance, row, f"plan[{i}]") for i, row in enumerate(rows)])


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


def salvage(given: object, instance: Instance) -> tuple[object, tuple[Dropped, ...]]:
    """Return a plan without the pieces of actions that do not exist, and these."""
    rows = load_json(given, "plan") if isinstance(given, str | bytes) else given
    if not isinstance(rows, list):
        return rows, ()
    strange = [_names_nothing(instance, row) for row in rows]
    if not any(strange):
        return rows, ()
    kept = [row for row, one in zip(rows, strange, strict=True) if not one]
    return kept, tuple(
        Dropped(n, row["action"][:80], "there is no such action")
        for n, (row, one) in enumerate(zip(rows, strange, strict=True))
        if one
    )


def _names_nothing(instance: Instance, row: object) -> bool:
    name = row.get("action") if isinstance(row, dict) else None
    return isinstance(name, str) and name not in instance.by_id
