"""Plans by the general rules: the pieces of a schedule, as JSON, text or a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from planoracle.instances.benchmarks.generic.action_names import ActionNames
from planoracle.instances.benchmarks.generic.plan_rows import MAX_TIME as MAX_TIME
from planoracle.instances.benchmarks.generic.plan_rows import field_of, is_row, pieces_of
from planoracle.instances.benchmarks.generic.timed_lines import TimedLines, is_mapping, rows_in
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.json_values import values_in
from planoracle.instances.model_output.messages import chat_in, with_texts
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import NO_PLAN, DroppedCommand, Plan, Reading
from planoracle.instances.protocol.profiles import Rules

_NEEDED = {"action", "start", "duration"}
_FIELDS = set(Piece._fields)
_NUMBERS = {"start", "duration", "mode"}
#: Number of digits of the largest number in a table.
_MAX_DIGITS = 40
_TOKEN = re.compile(r"[^\s,;:|\"'`()\[\]{}]{1,200}")


def written(problem: Instance, schedule: Schedule) -> list[dict[str, object]]:
    """Write a schedule as a plan."""
    return [piece._asdict() for piece in schedule.pieces]


def schedule(problem: Instance, plan: Plan[Schedule]) -> Schedule:
    """Return the schedule of a plan."""
    return plan.commands


def _cell(name: str, text: str) -> object:
    """Return the value of a cell: a number in the columns of numbers."""
    is_number = text.isdecimal() and len(text) <= _MAX_DIGITS
    return int(text) if is_number and name in _NUMBERS else text


class Pieces(Grammar[object]):
    """Pieces of a schedule, as objects."""

    unique = True

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    def find(self, text: str) -> list[StepMatch[object]]:
        """Return the pieces in a line."""
        if "{" not in text:
            return []
        spans, _ = values_in(text, lists=False)
        objects = [span for span in spans if self.of(span[2])]
        return [StepMatch(end - start, value) for start, end, value in objects]

    def of(self, value: object) -> list[object] | None:
        """Return an object with the required fields of a piece."""
        is_piece = isinstance(value, dict) and value.keys() >= _NEEDED
        return [value] if is_piece else None

    def row(self, cells: Mapping[str, str]) -> list[object] | None:
        """Return a row of a table that has the columns of a piece."""
        row: dict[str, object] = {}
        for name, text in cells.items():
            if name in _FIELDS and text.strip():
                row[name] = _cell(name, text.strip("`*\"' "))
        return self.of(row)

    def looks(self, text: str, free: bool) -> bool:
        """Return true if a line names an action."""
        words = _TOKEN.findall(text[:500])
        return any(word in self.instance.by_id for word in words)

    def key(self, step: object) -> tuple[str, str]:
        """Return the action and its start."""
        if not isinstance(step, dict):
            return "", ""
        return str(step["action"]), str(step["start"])


class PlanForms(Pieces):
    """Pieces in all forms that people and planners write, see `planoracle.instances.benchmarks.generic`."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.names = ActionNames(instance)
        self.lines = TimedLines(instance, self.names)

    def find(self, text: str) -> list[StepMatch[object]]:
        """Return the pieces in a line, as objects or in words."""
        matches = super().find(text)
        if matches:
            return matches
        rows = self.lines.rows(text) or self.lines.in_sentence(text)
        return [StepMatch(len(text) // len(rows), row) for row in rows]

    def of(self, value: object) -> list[object] | None:
        """Return the rows of a JSON value: a row, a mapping by action, or lists by agent or machine."""
        if is_row(value, self.names):
            return [value]
        if not isinstance(value, dict):
            return None
        if is_mapping(value, self.names):
            return self._expand(rows_in(value, self.names))
        fields = [(field_of(name), entry) for name, entry in value.items()]
        values = [entry for field, entry in fields if field == "start"]
        starts = [entry for entry in values if is_mapping(entry, self.names)]
        if starts:
            return self.of(starts[0])
        names = [entry for field, entry in fields if field == "action"]
        texts = [entry for entry in names if isinstance(entry, str)]
        names_of_fields = {field for field, _ in fields}
        if len(texts) == 1 and names_of_fields <= {"action", "ignored"}:
            return self.lines.rows(texts[0]) or None
        return self._by_owner(value)

    def _by_owner(self, value: Mapping[str, object]) -> list[object] | None:
        """Return the rows of an object with a list of rows for each agent or machine."""
        owners = dict.fromkeys((resource.name for resource in self.instance.resources), "machine")
        owners |= dict.fromkeys(self.instance.agents, "agent")
        if not value or not owners.keys() >= value.keys():
            return None
        rows = list[object]()
        for owner, entries in value.items():
            for entry in entries if isinstance(entries, list) else ():
                if not isinstance(entry, dict) or not is_row(entry, self.names):
                    return None
                rows.append({owners[owner]: owner, **entry})
        return rows or None

    def _expand(self, rows: Iterable[object]) -> list[object]:
        """Return rows of a mapping, in which texts such as ``0-5`` are read as in lines."""
        return [self._expand_row(row) for row in rows]

    def _expand_row(self, row: object) -> object:
        """Return the row of a span such as ``0-5``; other rows as they are."""
        if not isinstance(row, dict) or row.keys() != {"action", "start"}:
            return row
        action, start = row["action"], row["start"]
        if not isinstance(start, str):
            return row
        parts = self.lines.rows(f"{action}: {start}")
        return parts[0] if len(parts) == 1 else row

    def listed(self, entries: Iterable[object]) -> list[object]:
        """Return the rows of the entries of a list; an entry that cannot be read stays, and is an error later."""
        rows = list[object]()
        for entry in entries:
            parts = self.lines.rows(entry) if isinstance(entry, str) else self.of(entry)
            rows += parts or [entry]
        return rows

    def row(self, cells: Mapping[str, str]) -> list[object] | None:
        """Return a row of a table with columns for the action and its times."""
        plain = {name: text.strip("`*\"' ") for name, text in cells.items()}
        return self.of({name: text for name, text in plain.items() if text})

    def mentions(self, text: str) -> bool:
        """Return true if a line with a number names an action."""
        has_number = any(map(str.isdigit, text[:500]))
        return has_number and self.names.mentions(text)

    def key(self, step: object) -> tuple[str, str]:
        """Return the action and its start."""
        if isinstance(step, list):
            name = self.names.find(step[0]) or step[0]
            return str(name), str(step[1:2])
        if not isinstance(step, dict):
            return "", ""
        fields = {field_of(name): value for name, value in step.items()}
        name = fields.get("action")
        time = fields.get("start", fields.get("end"))
        return self.names.find(name) or str(name), str(time)


def rows_of(instance: Instance, submission: object) -> Reading[list[object]]:
    """Read the rows of a plan, from a JSON value, a chat or a text; raises `PlanError` for others."""
    grammar = PlanForms(instance)
    rows = submission
    if isinstance(submission, str | bytes):
        try:
            rows = load_json(submission, "plan")
        except InputError as error:
            reading = None
            if isinstance(submission, str):
                reading = read_output(grammar.lines.as_json(submission), grammar)
                if reading.fault == NO_PLAN and submission.lstrip()[:1] in ("[", "{"):
                    reading = None  # broken JSON
            if reading is None:
                raise PlanError(error.message, source=error.source, field=error.field) from None
            return reading
    if chat_in(rows) is not None:
        return read_output(with_texts(rows, grammar.lines.as_json), grammar)
    if isinstance(rows, dict):
        reading = read_output(rows, grammar)
        if reading.commands or reading.doubtful:
            return reading
    if isinstance(rows, list) and rows and all(isinstance(row, str) for row in rows):
        return read_output("\n".join(map(grammar.lines.as_json, rows)), grammar)
    if not isinstance(rows, list):
        raise PlanError("must be a list of pieces", field="plan", value=rows)
    return read_list(grammar.listed(rows))


def reading(problem: Instance, submission: object, rules: Rules) -> Reading[Schedule]:
    """Read a plan as a schedule in normal form; raises `PlanError`."""

    def schedule_of(rows: list[object]) -> Schedule:
        return Schedule.of(problem, pieces_of(problem, rows))

    return rows_of(problem, submission).of(schedule_of)


def salvage(submission: object, instance: Instance) -> tuple[object, tuple[DroppedCommand, ...]]:
    """Return a plan without the pieces of actions that do not exist, and these."""
    rows = rows_of(of_kind(instance, Instance), submission).commands
    names = ActionNames(instance)
    remaining = list[object]()
    dropped = list[DroppedCommand]()
    for position, row in enumerate(rows):
        unknown = _unknown_action(names, row)
        if unknown is None:
            remaining.append(row)
        else:
            dropped.append(DroppedCommand(position, unknown[:80], "there is no such action"))
    return remaining, tuple(dropped)


def _unknown_action(names: ActionNames, row: object) -> str | None:
    """Return the name of an action that does not exist, ``None`` for other rows."""
    name = row.get("action") if isinstance(row, dict) else None
    return name if isinstance(name, str) and not names.is_name(name) else None
