"""Plans by the general rules: the pieces of a schedule, as JSON, text or a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from planoracle.instances.benchmarks.generic.action_names import ActionNames
from planoracle.instances.benchmarks.generic.plan_rows import MAX_TIME as MAX_TIME
from planoracle.instances.benchmarks.generic.plan_rows import field_of, is_row, pieces_of
from planoracle.instances.benchmarks.generic.timed_lines import TimedLines, is_mapping, rows_in
from planoracle.instances.model.problem import of_kind
from planoracle.instances.model_output.json_values import values_in
from planoracle.instances.model_output.messages import with_texts
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
    chat_in,
    load_json,
    read_list,
    read_output,
)

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
            return self._expanded(rows_in(value, self.names))
        starts = [entry for name, entry in value.items() if field_of(name) == "start" and is_mapping(entry, self.names)]
        if starts:
            return self.of(starts[0])
        texts = [entry for name, entry in value.items() if field_of(name) == "action" and isinstance(entry, str)]
        is_text = len(texts) == 1 and {field_of(name) for name in value} <= {"action", "ignored"}
        return (self.lines.rows(texts[0]) or None) if is_text else self._by_owner(value)

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

    def _expanded(self, rows: Iterable[object]) -> list[object]:
        """Return rows of a mapping, in which texts such as ``0-5`` are read as in lines."""
        expanded = list[object]()
        for row in rows:
            start = row.get("start") if isinstance(row, dict) else None
            parts = (
                self.lines.rows(f"{row['action']}: {start}") if isinstance(row, dict) and isinstance(start, str) else []
            )
            is_span = len(parts) == 1 and isinstance(row, dict) and row.keys() == {"action", "start"}
            expanded.append(parts[0] if is_span else row)
        return expanded

    def listed(self, entries: Iterable[object]) -> list[object]:
        """Return the rows of the entries of a list; an entry that cannot be read stays, and is an error later."""
        rows = list[object]()
        for entry in entries:
            parts = self.lines.rows(entry) if isinstance(entry, str) else self.of(entry)
            rows += parts or [entry]
        return rows

    def row(self, cells: Mapping[str, str]) -> list[object] | None:
        """Return a row of a table with columns for the action and its times."""
        return self.of({name: text.strip("`*\"' ") for name, text in cells.items() if text.strip("`*\"' ")})

    def mentions(self, text: str) -> bool:
        """Return true if a line with a number names an action."""
        return any(map(str.isdigit, text[:500])) and self.names.mentions(text)

    def key(self, step: object) -> tuple[str, str]:
        """Return the action and its start."""
        if isinstance(step, list):
            return str(self.names.find(step[0]) or step[0]), str(step[1:2])
        if not isinstance(step, dict):
            return "", ""
        fields = {field_of(name): value for name, value in step.items()}
        action = self.names.find(fields.get("action")) or str(fields.get("action"))
        return action, str(fields.get("start", fields.get("end")))


def rows_of(instance: Instance, submission: object) -> Reading[list[object]]:
    """Read the rows of a plan, from a JSON value, a chat or a text; raises `PlanError` for others."""
    grammar = PlanForms(instance)
    rows = submission
    if isinstance(submission, str | bytes):
        try:
            rows = load_json(submission, "plan")
        except InputError as error:
            text = submission if isinstance(submission, str) else None
            reading = None if text is None else read_output(grammar.lines.as_json(text), grammar)
            if reading is None or (reading.fault == NO_PLAN and text is not None and text.lstrip()[:1] in ("[", "{")):
                raise PlanError(error.message, source=error.source, field=error.field) from None  # broken JSON
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
    return rows_of(problem, submission).of(lambda rows: Schedule.of(problem, pieces_of(problem, rows)))


def salvage(submission: object, instance: Instance) -> tuple[object, tuple[DroppedCommand, ...]]:
    """Return a plan without the pieces of actions that do not exist, and these."""
    rows = rows_of(of_kind(instance, Instance), submission).commands
    names = ActionNames(instance)
    remaining, dropped = list[object](), list[DroppedCommand]()
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
