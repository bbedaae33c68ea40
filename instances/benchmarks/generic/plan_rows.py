"""Rows of plans: fields under their usual names, implied values, and conversion into pieces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Final

from planoracle.instances.benchmarks.generic.action_names import ActionNames, key_of
from planoracle.instances.benchmarks.generic.plan_breaks import end_with_breaks, with_breaks
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.validation import MAX_NAME

#: Largest number in a plan.
MAX_TIME = 10**40

#: Fields of a row with their usual names, in normal form. The names of actions are tried in this order.
FIELDS: Final = {
    "action": "action action_id activity operation op step task task_id name id event label command job order",
    "start": "start starts start_time begin begins begin_time from t time at",
    "end": "end ends end_time finish finishes finish_time stop to until completion completion_time",
    "duration": "duration dur length processing_time d",
    "agent": "agent agents worker workers cook person who assignee operator robot employee",
    "mode": "mode",
    "machine": "machine machines resource resources station workstation",
    "ignored": "index no number row nr note notes comment comments description remark unit",
}
#: Accepted forms, for errors.
ACCEPTED = (
    'an object with action, start, and duration or end; ["action", start, duration]; or text such as "action: 0-5"'
)
_WRITTEN_FIELDS = frozenset(Piece._fields)
_ALIASES: dict[str, str] = {}
for _field, _names in FIELDS.items():
    _ALIASES |= dict.fromkeys(_names.split(), _field)
# Pairs of fields that together are the id of an action.
_JOBS = ("job", "task", "order")
_STEPS = ("action", "step", "operation", "op", "activity", "task", "name", "id")
_NUMBER = re.compile(r"([0-9]{1,60})(?:\.([0-9]{1,60}))?\s{0,3}([A-Za-z]{1,12})?")
_EMPTY = ("", "-", "–", "—", "none", "null", "n/a")
_SEPARATORS = re.compile(r"[,;+&]")
_ABBREVIATIONS = {
    "second": ("s", "sec", "secs"),
    "minute": ("m", "min", "mins"),
    "hour": ("h", "hr", "hrs"),
    "day": ("d",),
}


@dataclass(frozen=True, slots=True)
class TimedRow:
    """Row of a plan as it was read, before values that it leaves out are implied.

    Attributes
    ----------
    action
        Id of the action.
    field
        Place of the row in the plan, for errors.
    start, end, duration
        Ticks, ``None`` if the row leaves them out.
    length_or_end
        Third entry of ``["action", 0, 5]``, which is a duration or an end.
    agent
        Agent; ``None`` for none.
    names_agent
        True if the row has a field for the agent, perhaps with null.
    mode
        Position of the mode, ``None`` if the row leaves it out.
    """

    action: Action
    field: str
    start: int | None = None
    end: int | None = None
    duration: int | None = None
    length_or_end: int | None = None
    agent: str | None = None
    names_agent: bool = False
    mode: int | None = None

    @property
    def length(self) -> int:
        """Duration of the action in the mode of the row; that of the action in a mode that does not exist."""
        modes = self.action.modes
        mode = self.mode or 0
        return self.action.duration_in(modes[mode]) if mode < len(modes) else self.action.duration


def is_row(value: object, names: ActionNames) -> bool:
    """Return whether a value is a row: an object with action and time, or ``["action", 0, 5]``."""
    if isinstance(value, list):
        if not 2 <= len(value) <= 3 or not all(map(_is_number, value[1:])):
            return False
        return names.is_name(value[0])
    if not isinstance(value, dict):
        return False
    if value.keys() == _WRITTEN_FIELDS:
        return True
    fields = {field_of(name) for name in value}
    return "action" in fields and not fields.isdisjoint(("start", "end"))


def field_of(name: str) -> str | None:
    """Return the field for a column or key, ``None`` for an unknown one.

    >>> field_of("Start time [min]"), field_of("Task"), field_of("colour")
    ('start', 'action', None)
    """
    return _field_of_heading(name[:80])


@lru_cache(1000)
def _field_of_heading(heading: str) -> str | None:
    without_unit = re.sub(r"[(\[].{0,40}?[)\]]", "", heading.casefold())
    normal = re.sub(r"[\s_-]+", "_", without_unit).strip("_ *`#.")
    return _ALIASES.get(normal) if normal else "ignored"


def pieces_of(problem: Instance, rows: Sequence[object]) -> list[Piece]:
    """Return the pieces of rows.

    Parameters
    ----------
    rows
        Objects with the fields of `FIELDS`, or lists ``["action", start, duration or end]``.

    Raises
    ------
    PlanError
        For unknown fields and actions, numbers that are not whole, and values that cannot be implied.
    """
    written_pieces = [_written_piece(problem, row) for row in rows]
    pieces = [piece for piece in written_pieces if piece is not None]
    if len(pieces) == len(rows):
        return with_breaks(problem, pieces)
    names = ActionNames(problem)
    timed = []
    for i, row in enumerate(rows):
        timed.append(timed_row(problem, names, row, f"plan[{i}]"))
    timed = _with_modes(problem, _without_doubtful_lengths(problem, timed))
    _check_ends(timed)
    counts = Counter(row.action.id for row in timed)
    return with_breaks(problem, [_piece(problem, row, counts[row.action.id]) for row in timed])


def _written_piece(problem: Instance, row: object) -> Piece | None:
    """Return the piece of a row as planoracle writes it; ``None`` for a row to be interpreted.

    Each schedule of the solver is read back, so that its rows are frequent.
    """
    if not isinstance(row, dict) or row.keys() != _WRITTEN_FIELDS:
        return None
    piece = Piece(**row)
    if not isinstance(piece.action, str) or piece.action not in problem.by_id:
        return None
    if piece.agent is not None and piece.agent not in problem.agents:
        return None
    for value in (piece.start, piece.duration, piece.mode):
        if type(value) is not int or not 0 <= value <= MAX_TIME:
            return None
    return piece


def timed_row(problem: Instance, names: ActionNames, row: object, field: str) -> TimedRow:
    """Return a row with its action and its numbers; raises `PlanError`."""
    if isinstance(row, list):
        return _of_list(problem, names, row, field)
    if not isinstance(row, dict):
        raise PlanError(f"must be {ACCEPTED}", field=field, value=row)
    by_field: dict[str, object] = {}
    fields = set[str]()
    for name, value in row.items():
        known_field = field_of(name) if isinstance(name, str) else None
        if known_field is None:
            place = f"{field}.{name}"[:200]
            raise PlanError(f"unknown field; must be {ACCEPTED}", field=place, value=value)
        fields.add(known_field)
        if not _is_empty(value):
            by_field.setdefault(known_field, value)
    if "action" not in fields or fields.isdisjoint(("start", "end")):
        raise PlanError(f"must be {ACCEPTED}", field=field, value=row)
    action = problem.by_id[action_of(names, row, field)]
    times = [name for name in _TIMES if name in by_field]
    numbers = {}
    for name in times:
        numbers[name] = number(problem, by_field[name], f"{field}.{name}")
    agent = _agent(problem.agents, by_field.get("agent"), f"{field}.agent")
    names_agent = "agent" in by_field or _has_null_agent(row)
    mode = _mode(action, by_field["mode"], f"{field}.mode") if "mode" in by_field else None
    timed = TimedRow(action, field, **numbers, agent=agent, names_agent=names_agent, mode=mode)
    if mode is None and "machine" in by_field:
        return _with_machine(problem, timed, by_field["machine"])
    return timed


_TIMES = ("start", "end", "duration")


def action_of(names: ActionNames, row: Mapping[str, object], field: str = "plan") -> str:
    """Return the action of a row, by its id or its name, or by job and step; raises `PlanError`."""
    written_id = row.get("action")
    if isinstance(written_id, str) and names.find(written_id) == written_id:
        return written_id
    normal: dict[str, object] = {}
    for name, value in row.items():
        normal_name = re.sub(r"[\s_-]+", "_", name.casefold().strip())
        normal[normal_name] = value
    aliases = FIELDS["action"].split()
    values = {alias: _text(normal[alias]) for alias in aliases if alias in normal}
    texts = [value for value in values.values() if value]
    for text in texts:
        if names.find(text) == text:
            return text
    for name in (*_names_of_pairs(values), *texts):
        action = names.find(name)
        if action is not None:
            return action
    default = texts[0] if texts else None
    return names.resolve(normal.get("action", default), f"{field}.action")


def _names_of_pairs(values: Mapping[str, str]) -> Iterator[str]:
    """Yield the names that a job and a step of a row are together."""
    for job, step in product(_JOBS, _STEPS):
        if job != step and job in values and step in values:
            yield f"{values[job]}/{values[step]}"


def number(problem: Instance, value: object, field: str) -> int:
    """Return whole ticks, also from ``5.000`` or ``"5 min"``; raises `PlanError` for other values."""
    accepted = f"must be a whole number of {problem.unit}s"
    if type(value) is int:
        return _check_limit(value, field)
    text = repr(value) if isinstance(value, float) else value
    match = None
    if isinstance(text, str) and len(text) < 100:
        match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise PlanError(accepted, field=field, value=value)
    if match[2] and match[2].strip("0"):
        hint = "; if it separates actions by an epsilon such as 0.001, round all times first"
        raise PlanError(f"{accepted}{hint}", field=field, value=value)
    if match[3] and match[3].casefold() not in units_of(problem):
        raise PlanError(accepted, field=field, value=value)
    return _check_limit(int(match[1]), field)


def _check_limit(value: int, field: str) -> int:
    """Return a number within the limits; raises `PlanError` for others."""
    if not 0 <= value <= MAX_TIME:
        raise PlanError(f"must be a whole number from 0 to {MAX_TIME}", field=field, value=value)
    return value


def units_of(problem: Instance) -> frozenset[str]:
    """Return the words for the unit of a problem."""
    unit = problem.unit.casefold()
    abbreviations = _ABBREVIATIONS.get(unit, ())
    return frozenset(("tick", "ticks", unit, f"{unit}s", *abbreviations))


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return _NUMBER.fullmatch(value.strip()[:200]) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_empty(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _EMPTY
    return value is None


def _has_null_agent(row: Mapping[str, object]) -> bool:
    """Return whether a row says that there is no agent, as opposed to an empty cell."""
    null_names = (name for name, value in row.items() if value is None)
    return "agent" in map(field_of, null_names)


def _text(value: object) -> str:
    """Return the text of a cell, also of a number; empty for other values."""
    if isinstance(value, str):
        return value.strip("`*\"' ") if len(value) < 10 * MAX_NAME else ""
    if type(value) is not int or abs(value) >= MAX_TIME:
        return ""
    return str(value)


def _of_list(problem: Instance, names: ActionNames, row: list[object], field: str) -> TimedRow:
    """Return the row of ``["action", start]``, or with a third number, which is a duration or an end."""
    if not is_row(row, names):
        raise PlanError(f"must be {ACCEPTED}", field=field, value=row)
    name = names.resolve(row[0], f"{field}[0]")
    start = number(problem, row[1], f"{field}[1]")
    third = None
    if len(row) > 2:
        third = number(problem, row[2], f"{field}[2]")
    return TimedRow(problem.by_id[name], field, start=start, length_or_end=third)


def _agent(agents: Sequence[str], value: object, field: str) -> str | None:
    """Return the agent of a row, also in another spelling; numbers are names, too."""
    if value is None:
        return None
    name = _text(value) if isinstance(value, int) else value
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise PlanError(f"must be null or a name of at most {MAX_NAME} characters", field=field, value=value)
    if name in agents:
        return name
    letters = _letters_of(name)
    same = [agent for agent in agents if _letters_of(agent) == letters]
    return same[0] if len(same) == 1 else name


def _letters_of(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return key_of(name).replace("_", "")


def _mode(action: Action, value: object, field: str) -> int:
    """Return the position of a mode, also by its name or as text."""
    modes = {mode.name: position for position, mode in enumerate(action.modes)}
    if isinstance(value, str) and value and value in modes:
        return modes[value]
    if isinstance(value, str) and value.isdecimal() and len(value) < 5:
        return int(value)
    if type(value) is not int or not 0 <= value <= MAX_TIME:
        raise PlanError(f"must be a whole number up to {MAX_TIME}", field=field, value=value)
    return value


def _with_machine(problem: Instance, row: TimedRow, value: object) -> TimedRow:
    """Return a row with the mode that uses the machines of a cell; raises `PlanError` if there is none."""
    parts = (part.strip() for part in _SEPARATORS.split(_text(value)))
    machines = set(filter(None, parts))
    agents = machines.intersection(problem.agents)
    if agents == machines and len(agents) == 1 and not row.names_agent:
        return replace(row, agent=agents.pop(), names_agent=True)
    uses = [{demand.resource for demand in mode.demands} for mode in row.action.modes]
    fitting = [position for position, resources in enumerate(uses) if machines <= resources]
    if not fitting:
        usable = sorted(set().union(*uses))
        accepted = ", ".join(usable) or "no machine"
        message = f"{row.action.id} uses {accepted}"
        raise PlanError(message, field=f"{row.field}.machine", value=value)
    return replace(row, mode=_first_fitting(problem, row, fitting))


def _with_modes(problem: Instance, rows: list[TimedRow]) -> list[TimedRow]:
    """Return rows with modes: for a single row, the first mode with its duration and agent, else 0."""
    counts = Counter(row.action.id for row in rows)
    resolved = []
    for row in rows:
        modes = range(len(row.action.modes))
        is_open = row.mode is None and len(modes) > 1 and counts[row.action.id] == 1
        resolved.append(replace(row, mode=_first_fitting(problem, row, modes)) if is_open else row)
    return resolved


def _first_fitting(problem: Instance, row: TimedRow, modes: Sequence[int]) -> int:
    """Return the first of some modes that has the duration and the agent of a row, else the first of all."""
    length = row.duration
    if length is None and row.start is not None and row.end is not None:
        length = row.end - row.start
    variants = problem.variants[row.action.id]
    for mode in modes:
        variant = variants[mode]
        has_agent = not row.names_agent or row.agent in (variant.agents or (None,))
        has_length = length in (None, variant.duration) or _ends_after_breaks(problem, replace(row, mode=mode))
        if has_agent and has_length:
            return mode
    return modes[0]


def _without_doubtful_lengths(problem: Instance, rows: list[TimedRow]) -> list[TimedRow]:
    """Decide for a whole plan if the third entries of its rows are durations or ends."""
    doubtful = [row for row in rows if row.length_or_end is not None]
    if not doubtful:
        return rows
    as_durations = _with_modes(problem, [replace(row, duration=row.length_or_end) for row in doubtful])
    as_ends = _with_modes(problem, [replace(row, end=row.length_or_end) for row in doubtful])
    fitting = [choice for choice in (as_durations, as_ends) if _adds_up(problem, choice)]
    if not fitting:
        message = "is neither the duration nor the end of the action; write objects with start and duration or end"
        rows_and_durations = zip(doubtful, as_durations, strict=True)
        first = next(row for row, as_duration in rows_and_durations if not _adds_up(problem, [as_duration]))
        raise PlanError(message, field=f"{first.field}[2]", value=first.length_or_end)
    decided = iter(fitting[0])
    return [row if row.length_or_end is None else next(decided) for row in rows]


def _adds_up(problem: Instance, rows: Iterable[TimedRow]) -> bool:
    """Return whether the pieces of each action in some rows add up to its duration."""
    totals: dict[str, int] = {}
    durations: dict[str, int] = {}
    for row in rows:
        length = row.duration
        if length is None:
            length = (row.end or 0) - (row.start or 0)
        if length < 0:
            return False
        if row.duration is None and _ends_after_breaks(problem, row):
            length = row.length
        action = row.action
        totals[action.id] = totals.get(action.id, 0) + length
        durations[action.id] = row.length
    return totals == durations


def _ends_after_breaks(problem: Instance, row: TimedRow) -> bool:
    """Return whether a row ends when its action does, which pauses in breaks."""
    if not row.action.pauses_in_breaks or row.start is None or row.end is None:
        return False
    eligible = _eligible(problem, row)
    agent = row.agent if row.names_agent or len(eligible) != 1 else eligible[0]
    piece = Piece(row.action.id, row.start, row.length, agent, row.mode or 0)
    return end_with_breaks(problem, piece) == row.end


def _check_ends(rows: Iterable[TimedRow]) -> None:
    """Raise `PlanError` if the ends of all rows are one tick early, as if they named the last tick."""
    ends = []
    lengths = list[int]()
    durations = list[int]()
    for row in rows:
        if row.end is not None and row.start is not None and row.duration is None:
            ends.append(row)
            lengths.append(row.end - row.start + 1)
            durations.append(row.length)
    if len(ends) > 1 and lengths == durations:
        first = ends[0]
        message = "all ends are one tick early; an end is the first tick after the action, not its last tick"
        raise PlanError(message, field=f"{first.field}.end", value=first.end)


def _piece(problem: Instance, row: TimedRow, count: int) -> Piece:
    """Return the piece of a row; ``count`` is the number of rows of its action."""
    agent = _implied_agent(problem, row) if not row.names_agent else row.agent
    start, duration = _span(problem, row, agent, count)
    return Piece(row.action.id, start, duration, agent, row.mode or 0)


def _span(problem: Instance, row: TimedRow, agent: str | None, count: int) -> tuple[int, int]:
    """Return start and duration, of which one may follow from the end or from the problem."""
    start, end = row.start, row.end
    duration = row.duration
    if row.action.pauses_in_breaks:
        if start is None:
            message = f"is missing; {row.action.id} pauses in breaks, so that its start does not follow from its end"
            raise PlanError(message, field=f"{row.field}.start")
        piece = Piece(row.action.id, start, row.length, agent, row.mode or 0)
        if end is not None and duration == row.length and end == end_with_breaks(problem, piece):
            return start, end - start
    if duration is None and (start is None or end is None):
        if count > 1 and (row.action.interruptible or row.action.pauses_in_breaks):
            pauses = "is interruptible" if row.action.interruptible else "pauses in breaks"
            message = f"is missing; {row.action.id} {pauses} and has {count} pieces, each of which needs it"
            raise PlanError(f"{message}, or start and end", field=f"{row.field}.duration")
        duration = row.length
    if start is None and end is not None and duration is not None:
        start = end - duration
    if start is None or start < 0:
        raise PlanError("must not be before 0", field=f"{row.field}.start", value=start)
    if duration is None:
        duration = (end or 0) - start
    if duration < 0 or (end is not None and start + duration != end):
        expected = f"{start} + {max(0, duration)}"
        raise PlanError(f"must be start plus duration, {expected}", field=f"{row.field}.end", value=end)
    return start, duration


def _implied_agent(problem: Instance, row: TimedRow) -> str | None:
    """Return the only eligible agent of a row without one; other benchmarks assign agents themselves."""
    eligible = _eligible(problem, row)
    if problem.benchmark != GENERAL or not eligible:
        return None
    if len(eligible) > 1:
        message = f"is missing; the agent must be one of {', '.join(eligible[:5])}"
        raise PlanError(message, field=f"{row.field}.agent")
    return eligible[0]


def _eligible(problem: Instance, row: TimedRow) -> tuple[str, ...]:
    """Return the eligible agents of an action in the mode of a row."""
    variants = problem.variants[row.action.id]
    mode = row.mode or 0
    return variants[mode].agents if mode < len(variants) else problem.eligible(row.action)
