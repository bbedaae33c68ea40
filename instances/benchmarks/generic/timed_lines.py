r"""Lines with an action and its times, as people and planners write them, as rows of a plan.

Forms: ``0.000: (boil tea) [5.000]`` (temporal planners), ``boil: 0-5``, ``boil from 0 to 5``, ``boil at 0``,
``boil 0 5``, ``0-5: boil``, ``t=0: boil``, several of them in a line, and lines of a table with a header (commas,
semicolons, tabs, or blanks as in ``planoracle solve``).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from functools import cached_property

from planoracle.instances.benchmarks.generic.action_names import ActionNames, key_of
from planoracle.instances.benchmarks.generic.plan_rows import field_of, units_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model_output.characters import plain
from planoracle.instances.model_output.json_values import spans_of_values

# Characters of the longest line that is read.
_MAX_LINE = 2_000
_NUMBER = r"\d{1,60}(?:\.\d{1,60})?"
_TO = r"(?:->|\.\.|to\b|until\b|till\b|[-\u2013\u2014\u2192])"
_PLANNER = re.compile(
    rf"(?P<start>{_NUMBER})\s{{0,3}}:\s{{0,9}}\((?P<name>[^()]{{1,300}})\)\s{{0,9}}\[\s{{0,3}}(?P<duration>{_NUMBER})\s{{0,3}}\]"
)
_MARK = re.compile(r"[ \t]{0,40}(?:[-*+\u2022]\s{1,9}|\(?\d{1,6}[.)]\s{1,9})?(?=\S)")
_VERB = re.compile(r"(?:start|begin|run|do|execute|schedule|perform)\s{1,3}", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s,;:|()\[\]=*_`\"'@>\u2192-]{0,12}")
_END = re.compile(r"[\s,;.)|\]}*_`\"']{0,12}")
_DIGIT = re.compile(r"\d")
_SPLIT = re.compile(r"[;,]\s{0,9}")
_RULE = re.compile(r"[\s|+=:\u2500\u2550_-]{3,400}")
_WIDE = re.compile(r"\s{2,}")
_KEYS = {
    "start": "start starts begin begins from at t time",
    "end": "end ends finish finishes to until stop stops till",
    "duration": "duration dur for length lasts takes d",
    "agent": "agent by worker with cook",
    "mode": "mode",
    "machine": "machine on resource",
}
# Keys of a mapping of starts that are no actions.
_TOTALS = frozenset(("makespan", "total", "total_time", "total_duration", "objective", "note", "notes", "comment"))
_CLAUSE = re.compile(r"[,;.!]\s{1,9}|[.!]$|\b(?:and|then|while|meanwhile)\b", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween\s{{1,3}}({_NUMBER})\s{{1,3}}and\s{{1,3}}({_NUMBER})", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:first|second|third|then|next|finally|lastly|after that|afterwards|at the same time|in parallel|also|now|so"
    r"|i|we|you|will|should|can|the|it|to)\b[\s,:]{0,9}",
    re.IGNORECASE,
)
_TIMED = re.compile(r"\b(?:at|from|starts?|begins?|starting|t)\b|\d\s{0,3}[-\u2013]\s{0,3}\d", re.IGNORECASE)
_NUMBERS = ("start", "end", "duration")
_KEY_OF: dict[str, str] = {}
for _field, _words in _KEYS.items():
    _KEY_OF |= dict.fromkeys(_words.split(), _field)


class TimedLines:
    """Reader of the lines of a text for one problem.

    Examples
    --------
    >>> from planoracle import Model
    >>> lines = TimedLines(Model("tea", unit="minute").task("tea").action("boil", 5).build())
    >>> lines.rows("0.000: (boil) [5.000]"), lines.rows("- tea/boil from 0 to 5")
    ([{'action': 'boil', 'start': '0.000', 'duration': '5.000'}], [{'action': 'tea/boil', 'start': '0', 'end': '5'}])
    >>> lines.rows("boil 0 5"), lines.rows("boil it at once")
    ([['boil', '0', '5']], [])
    """

    def __init__(self, problem: Instance, names: ActionNames | None = None) -> None:
        self._problem = problem
        self.names = ActionNames(problem) if names is None else names

    # Texts

    def as_json(self, text: str) -> str:
        """Return a text in which every such line outside JSON is a JSON value; other lines stay as they are."""
        text, spans = spans_of_values(text)
        lines = []
        header: _Header | None = None
        position = 0
        current = 0
        for line in text.split("\n"):
            end = position + len(line)
            while current < len(spans) and spans[current][1] <= position:
                current += 1
            is_json = current < len(spans) and spans[current][0] < end
            if is_json or "|" in line or not _DIGIT.search(line):
                header = None if is_json else _next_header(header, line)
                lines.append(line)
            else:
                lines.append(self._line(line, header))
            position = end + 1
        return "\n".join(lines)

    def _line(self, line: str, header: _Header | None) -> str:
        """Return a line with its rows as JSON, after its number or bullet."""
        cells = None if header is None else header.row(line)
        if cells is not None:
            return json.dumps(cells)
        mark = _MARK.match(line)
        has_mark = mark is not None and not _PLANNER.match(line.strip())
        prefix = mark[0] if mark is not None and has_mark else ""
        rows = self.rows(line)
        if not rows:
            return line
        values = " ".join(map(json.dumps, rows))
        return f"{prefix}{values}"

    # Lines

    def rows(self, line: str) -> list[object]:
        """Return the rows of a line; none if it contains anything else."""
        if len(line) > _MAX_LINE or not _DIGIT.search(line):
            return []
        line = _BETWEEN.sub(r"from \1 to \2", plain(line)).strip()
        row = self._row(line)
        if row is not None:
            return [row]
        parts = _SPLIT.split(line.strip("{}[] ."))
        rows = [self._row(part.strip()) for part in parts if part.strip()]
        return [row for row in rows if row is not None] if None not in rows else []

    def in_sentence(self, text: str) -> list[object]:
        """Return the rows of a sentence such as ``First boil from 0 to 5, then pour from 5 to 6``.

        There are none if a clause with an action and a number is unclear.
        """
        rows = list[object]()
        for clause in _CLAUSE.split(_BETWEEN.sub(r"from \1 to \2", text[:_MAX_LINE])):
            clause = _without_fillers(clause.strip())
            if not _DIGIT.search(clause) or not self.names.mentions(clause):
                continue
            row = self._row(clause) if _TIMED.search(clause) else None
            if row is None:
                return []
            rows.append(row)
        return rows

    def _row(self, line: str) -> object:
        """Return the row of a line or of a part of it, ``None`` if it is none."""
        mark = _MARK.match(line)
        text = line[mark.end() :] if mark is not None else line
        planner = _PLANNER.match(line) or _PLANNER.match(text)
        if planner is not None:
            ending = planner.string[planner.end() :]
            return self._of_planner(planner) if _is_comment(ending) else None
        return self._time_first(text) or self._name_first(text) or self._time_first(line)

    def _of_planner(self, match: re.Match[str]) -> object:
        """Return the row of ``t: (action arguments) [d]``; agents and resources may be among the arguments."""
        words = match["name"].split()
        times = {"start": match["start"], "duration": match["duration"]}
        row: dict[str, object] = {"action": match["name"].strip(), **times}
        if self.names.is_name(match["name"]):
            return row
        agents = {agent.casefold(): agent for agent in self._problem.agents}
        resources = {resource.name.casefold(): resource.name for resource in self._problem.resources}
        remaining = list[str]()
        for word in words:
            if word.casefold() in agents:
                row["agent"] = agents[word.casefold()]
            elif word.casefold() in resources:
                row["machine"] = resources[word.casefold()]
            else:
                remaining.append(word)
        for order in (remaining, [*remaining[1:], *remaining[:1]]):  # verb and object, or job and step
            name = " ".join(order)
            if self.names.is_name(name):
                return {**row, "action": name}
        return {"action": match["name"].strip(), **times}

    def _time_first(self, text: str) -> object:
        """Return the row of ``0-5: boil`` or ``t=0: boil``, ``None`` if it is none."""
        match = self._before.match(text)
        if match is None:
            return None
        row: dict[str, object] = {"start": match["start"] or match["only"]}
        if match["end"]:
            row["end"] = match["end"]
        return self._with_name(text[match.end() :], row)

    def _with_name(self, text: str, row: dict[str, object]) -> object:
        """Return a row with the action that the text begins with and with the fields after it."""
        verb = _VERB.match(text)
        if verb is not None and self.names.at_start(text) == 0:
            text = text[verb.end() :]
        length = self.names.at_start(text)
        if not length:
            return None
        action = text[:length].strip("\"'`")
        return self._fields(text, length, {"action": action, **row})

    def _name_first(self, text: str) -> object:
        """Return the row of an action and its times, ``None`` if there are none."""
        row = self._with_name(text.lstrip("\"'`*_({["), {})
        if isinstance(row, dict) and "start" not in row and "end" not in row:
            return None
        return row

    def _fields(self, text: str, position: int, row: dict[str, object]) -> object:
        """Read the fields after an action until the end of the line, ``None`` if there is other text."""
        third = ""
        while position < len(text):
            match = self._after.match(text, position)
            if match is None or match.end() == position:
                return None if _END.fullmatch(text, position) is None else _with_third(row, third)
            position = match.end()
            if match["from"]:
                added = {"start": match["from"], "end": match["to"]}
            elif match["key"]:
                field = _KEY_OF[match["key"].casefold()]
                word = None if field in _NUMBERS else match["word"]
                added = {field: match["value"] or word}
            elif match["bracket"]:
                added = {"duration": match["bracket"]}
            elif "start" not in row:
                added = {"start": match["bare"]}
            elif not third and not {"end", "duration"} & row.keys():
                added, third = {}, match["bare"]
            else:
                return None
            if added.keys() & row.keys() or None in added.values():
                return None
            row |= added
        return _with_third(row, third)

    @cached_property
    def _units(self) -> str:
        """Pattern of an optional unit after a number."""
        words = sorted(units_of(self._problem), key=len, reverse=True)
        return rf"(?:\s{{0,3}}(?:{'|'.join(map(re.escape, words))})(?![\w]))?"

    @cached_property
    def _before(self) -> re.Pattern[str]:
        """Pattern of times before an action."""
        n, unit = _NUMBER, self._units
        gap = r"\s{0,3}"
        unit_name = re.escape(self._problem.unit)
        words = "|".join(("at", "t", "time", "tick", "start", unit_name))
        start = rf"(?P<start>{n}){unit}"
        end = rf"(?P<end>{n}){unit}"
        span = rf"{start}{gap}(?:{_TO}|,){gap}{end}"
        span_in_brackets = rf"[\[(]?(?:from\s)?{gap}{span}{gap}[\])]?"
        label = rf"[\[(]?(?:{words}){gap}[=:]?{gap}"
        single = rf"{label}(?P<only>{n}){unit}[\])]?"
        return re.compile(rf"(?:{span_in_brackets}|{single})[\s:,|>=-]{{1,9}}", re.IGNORECASE)

    @cached_property
    def _after(self) -> re.Pattern[str]:
        """Pattern of one field after an action."""
        n, unit = _NUMBER, self._units
        keys = "|".join(sorted(map(re.escape, _KEY_OF), key=len, reverse=True))
        unit_name = re.escape(self._problem.unit)
        before = "|".join(("at", "time", "is", "of", "tick", unit_name))
        gap, word_end = r"\s{0,3}", r"(?![\w])"
        start = rf"(?P<from>{n}){unit}"
        end = rf"(?P<to>{n}){unit}"
        span = rf"(?:from\s{{1,3}})?{start}{gap}{_TO}{gap}{end}"
        particles = rf"(?:(?:{before}){word_end}{gap}){{0,2}}"
        key = rf"(?P<key>{keys}){word_end}{gap}{particles}[=:]?{gap}"
        value = rf"(?P<value>{n}){unit}(?![\w.])"
        word = rf"(?P<word>\w[\w -]{{0,80}}?)(?={gap}(?:[,;)\]]|$))"
        bracket = rf"(?P<bracket>(?<=\[){n})(?={gap}\])"
        bare = rf"(?P<bare>{n}){unit}(?![\w.])"
        field = rf"{span}|{key}(?:{value}|{word})|{bracket}|{bare}"
        return re.compile(rf"{_SEPARATOR.pattern}(?:{field})", re.IGNORECASE)


class _Header:
    """Header of a table in lines: its separator and its columns."""

    def __init__(self, separator: str, columns: list[str]) -> None:
        self._separator = separator
        self._columns = columns

    @classmethod
    def of(cls, line: str) -> _Header | None:
        """Return the header in a line, ``None`` if its columns do not name actions and times."""
        if len(line) > _MAX_LINE or "|" in line:
            return None
        for separator in ("\t", ";", ",", "  "):
            columns = _cells(line, separator)
            if len(columns) < 2:
                continue
            fields = [field_of(column) for column in columns]
            if "action" in fields and not {"start", "end"}.isdisjoint(fields):
                return cls(separator, columns)
        return None

    def row(self, line: str) -> dict[str, str] | None:
        """Return a line by columns, ``None`` if it has more cells than columns, or no time."""
        cells = _cells(line, self._separator)
        if not 1 < len(cells) <= len(self._columns) or _RULE.fullmatch(line):
            return None
        row = dict(zip(self._columns, cells, strict=False))
        times = [row[column] for column in row if field_of(column) in ("start", "end")]
        return row if any(_DIGIT.search(time) for time in times) else None


def _without_fillers(clause: str) -> str:
    """Return a clause without words such as *first* and *then* at its beginning."""
    for _ in range(5):
        filler = _FILLER.match(clause)
        if filler is None:
            break
        clause = clause[filler.end() :]
    return clause


def _next_header(header: _Header | None, line: str) -> _Header | None:
    """Return the header that holds after a line without numbers; rules of a table keep it."""
    if header is not None and _RULE.fullmatch(line):
        return header
    return _Header.of(line)


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of a line; two blanks or more separate the columns of an aligned table."""
    if separator == "  ":
        return _WIDE.split(line.strip())
    if separator not in line:
        return [line]
    try:
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]


def _with_third(row: dict[str, object], third: str) -> object:
    """Return a row, as a list if its second number may be a duration or an end."""
    if not third:
        return row
    if row.keys() != {"action", "start"}:
        return None
    return [row["action"], row["start"], third]


def _is_comment(text: str) -> bool:
    """Return whether the text after a step of a planner is empty or a comment."""
    comment = text.strip()
    return not comment or comment[0] in ";#"


def rows_in(value: dict[str, object], names: ActionNames) -> Iterator[object]:
    """Yield the rows of a mapping by action, or by task and step, see `is_mapping`.

    >>> from planoracle import Model
    >>> names = ActionNames(Model("tea").task("tea").action("boil", 5).action("pour", 1).build())
    >>> list(rows_in({"boil": 0, "pour": [5, 6]}, names))
    [{'action': 'boil', 'start': 0}, ['pour', 5, 6]]
    >>> list(rows_in({"tea": {"boil": {"start": 0, "end": 5}}}, names))
    [{'start': 0, 'end': 5, 'action': 'tea/boil'}]
    """
    for name, entry in value.items():
        if names.is_name(name):
            yield from _rows_of_entry(name, entry)
        elif isinstance(entry, dict):
            for step, inner in entry.items():
                yield from _rows_of_entry(f"{name}/{step}", inner)
        elif key_of(name) not in _TOTALS:
            yield from _rows_of_entry(name, entry)


def _rows_of_entry(name: str, entry: object) -> Iterator[object]:
    """Yield the rows of an action: its start, its span, its fields, or a list of pieces."""
    if isinstance(entry, dict):
        yield {**entry, "action": name}
    elif isinstance(entry, list) and entry and all(isinstance(piece, dict | list) for piece in entry):
        for piece in entry:
            if isinstance(piece, dict):
                yield {**piece, "action": name}
            else:
                yield [name, *piece]
    elif isinstance(entry, list):
        yield [name, *entry]
    else:
        yield {"action": name, "start": entry}


def is_mapping(value: object, names: ActionNames) -> bool:
    """Return whether an object is a mapping by action, or by task and step; a few names may be wrong."""
    if not isinstance(value, dict) or not value:
        return False
    named = 0
    for name, entry in value.items():
        named += _is_by_action(name, entry, names)
    totals = sum(key_of(name) in _TOTALS for name in value)
    return 2 * named > len(value) - totals


def _is_by_action(name: str, entry: object, names: ActionNames) -> bool:
    """Return whether a key is the name of an action, or of a task with entries for its steps."""
    if names.is_name(name):
        return True
    if not isinstance(entry, dict) or not entry:
        return False
    return all(names.is_name(f"{name}/{step}") for step in entry)
