"""Off-times of machines and agents from tables: columns of the tasks, and tables of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.clock_times import LocalClock
from planoracle.instances.model.task_cells import cell_names, cell_text
from planoracle.instances.model.task_columns import normal_name
from planoracle.instances.model.task_moments import is_clock_time, is_date, off_span, spans_of
from planoracle.instances.text import did_you_mean

if TYPE_CHECKING:
    from planoracle.instances.model.task_rows import Row

_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_NAME = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?", re.IGNORECASE)
_WEEK: Final = 7
_ALL_MEMBERS: Final = frozenset(("all", "any", "everyone", "everybody", "everything", "*"))
#: Fields of a table of off-times, each with its usual names.
_FIELDS: Final = {
    "member": "member name machine agent resource worker person operator employee station equipment tool who",
    "begin": "begin from start off_from begins starts start_time begin_time",
    "end": "end to until till stop off_to off_until ends finish end_time",
    "off": "off off_time unavailable break span time window closed down downtime",
    "days": "day weekday days weekdays day_of_week on",
    "period": "period every repeat repeats",
    "note": "note notes comment comments reason description label",
}
# Largest number of off-times, each of one machine or agent, and longest heading with a meaning.
_MAX_OFF_TIMES: Final = 100_000
_LONGEST_HEADING: Final = 200
_WHOLE_DAY: Final = ("0:00", "24:00")


class SideTable(NamedTuple):
    """Table beside that of the tasks: its rows, and its file for faults."""

    rows: Sequence[Row]
    source: str = ""

    @property
    def headings(self) -> list[str]:
        """Headings of all columns."""
        headings: dict[str, None] = {}
        for _, cells in self.rows:
            headings.update(dict.fromkeys(cells))
        return list(headings)

    def fault(self, line: int, column: str, value: Any, message: str) -> InputError:
        """Return an error about a cell."""
        return InputError(message, source=self.source, field=column, value=value, line=line)


class OffTime(NamedTuple):
    """Off-time of a member in ticks, with the ticks after which it repeats, if it does."""

    member: str
    begin: int
    end: int
    period: int | None = None


def side_columns(table: SideTable, fields: Mapping[str, str], kind: str) -> dict[str, str]:
    """Return the column of each field of a table beside that of the tasks.

    Parameters
    ----------
    fields
        Usual names of each field.
    kind
        Contents of the table, for errors.

    Raises
    ------
    InputError
        For unknown columns, and for two columns of one field.
    """
    names: dict[str, str] = {}
    for field, text in fields.items():
        for name in text.split():
            names.setdefault(name, field)
    columns: dict[str, str] = {}
    for heading in filter(None, table.headings):
        normal = normal_name(heading)
        match = names.get(normal) or names.get(normal.removesuffix("s"))
        if match is None:
            accepted = ", ".join(fields)
            message = f"is not a column of {kind}; accepted are {accepted}{did_you_mean(normal, names)}"
            raise InputError(message, source=table.source, field=heading)
        if match in columns:
            message = f"columns {columns[match]} and {heading} have this meaning"
            raise InputError(message, source=table.source, field=match)
        columns[match] = heading
    return columns


def moments_of(table: SideTable) -> Iterator[Any]:
    """Yield the cells of a table of off-times that may be dates."""
    notes = {*_FIELDS["note"].split(), *_FIELDS["member"].split()}
    for _, cells in table.rows:
        for heading, value in cells.items():
            if normal_name(heading[:_LONGEST_HEADING]) in notes:
                continue
            if is_date(value):
                yield value
                continue
            try:
                for span in spans_of(value):
                    yield from span
            except InputError:  # no span
                continue


class OffTimeReader:
    """Reader of a table of off-times.

    Parameters
    ----------
    table
        Rows with a member, and begin and end of an off-time or a cell with both.
    members
        Machines and agents of the tasks.
    clock
        Clock that converts dates and clock times.
    """

    def __init__(self, table: SideTable, members: Sequence[str], clock: LocalClock) -> None:
        self.table = table
        self.members = members
        self.clock = clock
        self.columns = side_columns(table, _FIELDS, "a table of off-times")
        self.off_times: list[OffTime] = []
        if "member" not in self.columns:
            raise InputError("column is missing", source=table.source, field="member")
        if not self.columns.keys() & {"off", "begin", "days"}:
            message = "column is missing; accepted are begin and end, off, or days"
            raise InputError(message, source=table.source, field="begin")

    def read(self) -> Iterator[InputError]:
        """Read all rows, and yield their faults."""
        for line, cells in self.table.rows:
            members = []
            try:
                members = self._members(cells)
            except InputError as error:
                yield self._fault(line, cells, "member", error.message)
            field = "off" if "off" in self.columns else "begin"
            try:
                for begin, end in self._spans(cells):
                    self._add(members, cells, begin, end)
            except InputError as error:
                yield self._fault(line, cells, error.field if error.field in self.columns else field, error.message)

    def _fault(self, line: int, cells: Mapping[str, Any], field: str | None, message: str) -> InputError:
        column = self.columns.get(field or "", field or "")
        return self.table.fault(line, column, cells.get(column), message)

    def _members(self, cells: Mapping[str, Any]) -> list[str]:
        """Return the members that a row names."""
        names = cell_names(cells.get(self.columns["member"]))
        if not names:
            raise InputError("must name a machine or an agent, or be all")
        members: list[str] = []
        for name in names:
            if name in self.members:
                members.append(name)
            elif name.casefold() in _ALL_MEMBERS:
                members += self.members
            else:
                hint = did_you_mean(name, self.members)
                raise InputError(f"{name!r} is neither a machine nor an agent of the table{hint}")
        return list(dict.fromkeys(members))

    def _spans(self, cells: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
        """Yield begin and end of the off-times of a row, as values of the clock."""
        off = self._cell(cells, "off")
        begin, end = self._cell(cells, "begin"), self._cell(cells, "end")
        has_span = bool(cell_text(begin) or cell_text(end))
        if cell_text(off) and has_span:
            raise InputError("contradicts begin and end; write one of both", field="off")
        if cell_text(off):
            for first, last in spans_of(off):
                yield off_span(first, last, self.clock)
        elif has_span:
            if not cell_text(end):
                raise InputError("has no end; an off-time needs a begin and an end", field="begin")
            if not cell_text(begin):
                raise InputError("has no begin; an off-time needs a begin and an end", field="end")
            first_text, last_text = _text(begin), _text(end)
            yield off_span(first_text, last_text, self.clock)
        elif cell_text(self._cell(cells, "days")):
            yield _WHOLE_DAY
        else:
            raise InputError("is missing; an off-time needs a begin and an end")

    def _cell(self, cells: Mapping[str, Any], field: str) -> Any:
        column = self.columns.get(field)
        return None if column is None else cells.get(column)

    def _add(self, members: Sequence[str], cells: Mapping[str, Any], begin: Any, end: Any) -> None:
        """Add an off-time of members, once, daily or weekly."""
        days = cell_text(self._cell(cells, "days"))
        period = cell_text(self._cell(cells, "period"))
        if days and period:
            raise InputError("contradicts days, on which an off-time repeats every week", field="period")
        if days:
            spans = list(weekly_spans(days, begin, end, self.clock))
            ticks: int | None = _WEEK * self.clock.ticks_of_day
        else:
            spans, ticks = single_spans(begin, end, self.clock, self._period(period))
        if len(self.off_times) + len(members) * len(spans) > _MAX_OFF_TIMES:
            raise InputError(f"must have at most {_MAX_OFF_TIMES} off-times of machines and agents in all")
        for member in members:
            for first, last in spans:
                self.off_times.append(OffTime(member, first, last, ticks))

    def _period(self, text: str) -> int | None:
        """Return the ticks of a period."""
        if not text or text.casefold() in ("no", "once"):
            return None
        words = {"day": 1, "daily": 1, "every day": 1, "week": _WEEK, "weekly": _WEEK, "every week": _WEEK}
        if text.casefold() in words:
            return words[text.casefold()] * self._day()
        if not text.isdecimal() or not 0 < int(text) < 10**9:
            raise InputError("must be day, week, or a number of ticks", field="period")
        return int(text)

    def _day(self) -> int:
        """Return the ticks of a day, also of a table without a start."""
        return LocalClock(datetime(2000, 1, 1), self.clock.seconds_per_tick).ticks_of_day


def _text(value: Any) -> str:
    """Return the text of a begin or an end; spreadsheets have dates as objects."""
    if isinstance(value, datetime):
        is_day = value.time() == time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    if isinstance(value, date):
        return value.isoformat()
    return cell_text(value)


def single_spans(
    begin: Any, end: Any, clock: LocalClock, period: int | None = None
) -> tuple[list[tuple[int, int]], int | None]:
    """Return an off-time in ticks, and the ticks after which it repeats; clock times repeat every day.

    Raises
    ------
    InputError
        If it does not end after its begin.
    """
    is_daily = is_clock_time(begin) and is_clock_time(end)
    if is_daily and period == clock.ticks_of_day:
        period = None
    spans, ticks = clock.off_times([(begin, end)], period)
    for first, last in spans:
        if last <= first:
            raise InputError("an off-time must end after its begin", field="end")
        if ticks is not None and last - first >= ticks:
            raise InputError("an off-time must be shorter than its period", field="end")
    return list(spans), ticks


def weekly_spans(days: str, begin: Any, end: Any, clock: LocalClock) -> Iterator[tuple[int, int]]:
    """Yield the off-times on days of the week, in ticks of a week.

    Parameters
    ----------
    days
        Days, as in ``Sat, Sun`` or ``Mon-Fri``.
    begin, end
        Clock times; an end that is not after its begin is on the next day.

    Examples
    --------
    >>> list(weekly_spans("Sat", "8:00", "12:00", LocalClock(datetime(2026, 11, 30), 3600)))
    [(128, 132)]
    """
    if clock.start is None:
        raise InputError("a day of the week needs the date of tick 0; --start DATE sets it", field="days")
    if not (is_clock_time(begin) and is_clock_time(end)):
        raise InputError("must be clock times beside days of the week", field="begin")
    monday = clock.start.date() - timedelta(days=clock.start.weekday())
    week = _WEEK * clock.ticks_of_day
    for number in _day_numbers(days):
        day = datetime.combine(monday + timedelta(days=number), time())
        first = day + _since_midnight(begin)
        last = day + _since_midnight(end)
        if last <= first:
            last += timedelta(days=1)
        spans, _ = clock.off_times([(first, last)], week)
        yield from spans


def _since_midnight(text: str) -> timedelta:
    hours, minutes, *seconds = map(int, text.split(":"))
    return timedelta(hours=hours, minutes=minutes, seconds=seconds[0] if seconds else 0)


def _day_numbers(text: str) -> list[int]:
    """Return the days of the week in a text, Monday is 0."""
    numbers: list[int] = []
    for part in re.split(r"[;,|/+&\s]+(?!-)(?<!-)", re.sub(r"\s*(?:-|–|\bto\b)\s*", "-", text.strip())):
        ends = [_day_number(name) for name in part.split("-")]
        if len(ends) > 2:
            raise InputError("must be days such as Sat, Sun or Mon-Fri", field="days")
        first, last = ends[0], ends[-1]
        count = (last - first) % _WEEK + 1
        numbers += [(first + k) % _WEEK for k in range(count)]
    return list(dict.fromkeys(numbers))


def _day_number(name: str) -> int:
    match = _DAY_NAME.fullmatch(name.strip())
    if match is None:
        raise InputError("must be days such as Sat, Sun or Mon-Fri", field="days")
    return _WEEKDAYS.index(match[1].casefold())


class MemberCalendar(NamedTuple):
    """Off-times of some machines and agents, in ticks."""

    members: list[str]
    off: tuple[tuple[int, int], ...]
    period: int | None


def calendars_of(off_times: Sequence[OffTime]) -> list[MemberCalendar]:
    """Return calendars of off-times: one for all members with the same ones, and one for each period.

    Examples
    --------
    >>> for entry in calendars_of([OffTime("m", 4, 6), OffTime("m", 5, 8), OffTime("n", 4, 8), OffTime("n", 2, 3, 24)]):
    ...     entry
    MemberCalendar(members=['m', 'n'], off=((4, 8),), period=None)
    MemberCalendar(members=['n'], off=((2, 3),), period=24)
    """
    by_member: dict[tuple[str, int | None], list[tuple[int, int]]] = {}
    for off_time in off_times:
        spans = by_member.setdefault((off_time.member, off_time.period), [])
        spans.append((off_time.begin, off_time.end))
    entries: dict[tuple[tuple[tuple[int, int], ...], int | None], list[str]] = {}
    for (member, period), spans in by_member.items():
        for layer in _layers(spans, period):
            entries.setdefault((layer, period), []).append(member)
    return [MemberCalendar(members, off, period) for (off, period), members in entries.items()]


def _layers(spans: Sequence[tuple[int, int]], period: int | None) -> list[tuple[tuple[int, int], ...]]:
    """Return lists of disjoint spans; those of a list that repeats stay as long as they are."""
    if period is None:
        return [tuple(_joined(spans))]
    layers: list[list[tuple[int, int]]] = []
    for begin, end in sorted(set(spans)):
        layer = next((layer for layer in layers if layer[-1][1] <= begin), None)
        if layer is None:
            layers.append([(begin, end)])
        else:
            layer.append((begin, end))
    return [tuple(layer) for layer in layers]


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of which those that touch or overlap are one."""
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            begin, previous_end = joined.pop()
            end = max(end, previous_end)
        joined.append((begin, end))
    return joined
