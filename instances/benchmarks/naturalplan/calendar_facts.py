"""Facts of calendar tasks: people, times at which they can not meet, and slots that are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.errors import InputError

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Minutes of a day.
DAY_MINUTES = 24 * 60
#: Largest number of people of a task, and of their off-times.
MAX_PEOPLE, MAX_OFF_TIMES = 100, 10_000
#: Minutes between the slots that are counted.
HALF_HOUR = 30


class Slot(NamedTuple):
    """Time of a meeting: number of the weekday from Monday on, and minutes of the day."""

    day: int
    start: int
    end: int

    @property
    def text(self) -> str:
        """The slot as the benchmark writes it, such as ``Monday, 9:30 - 10:00``."""
        return f"{WEEKDAYS[self.day]}, {clock_text(self.start)} - {clock_text(self.end)}"


class Absence(NamedTuple):
    """Time at which a person is busy, or does not want to meet."""

    person: str
    day: int
    start: int
    end: int
    is_wish: bool = False

    @property
    def text(self) -> str:
        """The off-time in words, such as ``Monday, 9:30 - 10:00``, ``Monday after 9:30`` or ``Monday``."""
        day = WEEKDAYS[self.day]
        if self.start > 0 and self.end < DAY_MINUTES:
            return Slot(self.day, self.start, self.end).text
        if self.start > 0:
            return f"{day} after {clock_text(self.start)}"
        return f"{day} before {clock_text(self.end)}" if self.end < DAY_MINUTES else day

    def overlaps(self, slot: Slot) -> bool:
        """Return whether a slot has a minute of the off-time."""
        return self.day == slot.day and self.start < slot.end and slot.start < self.end


@dataclass(frozen=True, slots=True)
class CalendarFacts:
    """Facts of a calendar task; times are minutes of the day, days are numbered from Monday on.

    Attributes
    ----------
    people
        Names of the participants.
    days
        Days on which the meeting may be.
    opens, closes
        Working hours.
    minutes
        Length of the meeting.
    off_times
        Busy times and wishes.
    is_earliest
        True if the earliest slot is asked for.
    reference
        Reference slot.
    """

    people: tuple[str, ...]
    days: tuple[int, ...]
    opens: int
    closes: int
    minutes: int
    off_times: tuple[Absence, ...]
    is_earliest: bool
    reference: Slot

    def __post_init__(self) -> None:
        _check(len(set(self.people)) == len(self.people) <= MAX_PEOPLE, "people", self.people)
        _check(len(set(self.days)) == len(self.days), "days", self.days)
        _check(0 <= self.opens < self.closes <= DAY_MINUTES, "working hours", (self.opens, self.closes))
        _check(0 < self.minutes <= self.closes - self.opens, "length", self.minutes)
        _check(len(self.off_times) <= MAX_OFF_TIMES, "off-times", len(self.off_times))
        _check(0 <= self.reference.start < self.reference.end <= DAY_MINUTES, "reference", self.reference)
        for off_time in self.off_times:
            _check(0 <= off_time.start < off_time.end <= DAY_MINUTES, "off-time", off_time)

    def conflicts(self, slot: Slot) -> list[Absence]:
        """Return the off-times that a slot overlaps, in the order of the text."""
        return [off_time for off_time in self.off_times if off_time.overlaps(slot)]

    def slot_at(self, day: int, start: int) -> Slot:
        """Return the slot of the meeting's length at a start."""
        return Slot(day, start, start + self.minutes)

    def fits(self, slot: Slot) -> bool:
        """Return whether everybody can meet in a slot within working hours."""
        is_open = slot.day in self.days and self.opens <= slot.start and slot.end <= self.closes
        is_complete = slot.end - slot.start == self.minutes
        return is_open and is_complete and not self.conflicts(slot)

    def right_slots(self) -> list[Slot]:
        """Return the slots on the half hour that fit; all of them are right unless the earliest is asked for."""
        slots = []
        first_start = -(-self.opens // HALF_HOUR) * HALF_HOUR
        for day in sorted(self.days):
            for start in range(first_start, self.closes, HALF_HOUR):
                slots.append(self.slot_at(day, start))
        return [slot for slot in slots if self.fits(slot)]

    def first_slot(self) -> Slot | None:
        """Return the earliest slot that fits, at any minute; ``None`` if there is none.

        It begins with the working hours or at the end of an off-time.
        """
        for day in sorted(self.days):
            ends = {off_time.end for off_time in self.off_times if off_time.day == day}
            for start in sorted(ends | {self.opens}):
                slot = self.slot_at(day, start)
                if self.fits(slot):
                    return slot
        return None


def _check(is_right: bool, field: str, value: object) -> None:
    """Raise `InputError` for a fact that is out of range."""
    if not is_right:
        raise InputError("is out of range or repeated", field=field, value=value)


def minutes_of(text: str) -> int:
    """Return the minutes of a clock time from 0:00 to 24:00; raises `InputError`.

    >>> minutes_of("9:30")
    570
    """
    hours, _, minutes = text.partition(":")
    time = int(hours) * 60 + int(minutes)
    if int(minutes) >= 60 or time > DAY_MINUTES:
        raise InputError("must be a clock time from 0:00 to 24:00", field="time", value=text)
    return time


def clock_text(minutes: int) -> str:
    """Return a clock time, such as ``9:30``."""
    return f"{minutes // 60}:{minutes % 60:02d}"
