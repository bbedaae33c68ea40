"""Grammar of plans for meetings: sentences of any wording, and entries of JSON itineraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from planoracle.instances.benchmarks.naturalplan.day_times import TIME, clock_text, minutes_of
from planoracle.instances.benchmarks.naturalplan.meeting_rules import Move
from planoracle.instances.benchmarks.naturalplan.meeting_tasks import MeetingFacts
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Grammar, StepMatch

_NAME = r"[A-Z][\w'’&-]{0,40}(?: (?:of|the|[A-Z][\w'’&-]{0,40})){0,5}"
_LENGTH = r"(?P<minutes>\d{1,4})[ -]min\w{0,4}"
_FROM_TO = rf"(?:from|at|between) (?P<begin>{TIME})(?: ?(?:to|until|till|and|-|\u2013) ?(?P<end>{TIME}))?"
_ARRIVE = rf"(?:and )?(?i:arriv\w{{1,3}}|reach\w{{0,3}})(?: there| it)? (?:at|by) (?P<end>{TIME})"
_WAY = rf"(?:from {_NAME} )?to (?P<place>{_NAME})(?:,? \(?(?:in|taking|which takes)? ?{_LENGTH}\)?)?"
_GO = r"(?i:\b(?:travel|walk|go|head|drive|move)\w{0,4})"
_WAYS = re.compile(_GO)
_SENTENCES = {
    "start": rf"(?i:\b(?:start|begin)\w{{0,4}}) (?:at|in|from) (?P<place>{_NAME}) at (?P<begin>{TIME})",
    "travel": rf"{_GO} {_WAY}(?:,? {_ARRIVE})?",
    "wait": rf"(?i:\bwait\w{{0,3}})(?: there| at {_NAME})? (?:until|till) (?P<end>{TIME})",
    "meet": rf"(?i:\bmeet\w{{0,3}}) (?:with )?(?P<person>{_NAME})(?: (?:at|in) (?P<place>{_NAME}))?"
    rf"(?: for {_LENGTH})?(?: (?:at|in) (?P<late_place>{_NAME}))?(?:,? {_FROM_TO})?",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _SENTENCES.items()}
_TIMES_BEFORE = re.compile(
    rf"^[ \t•-]{{0,12}}({TIME})\s?(?:to|until|-|\u2013)\s?({TIME})[\s:|,\u2013-]{{1,9}}(meet\b[^\n.]*)",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_SENTENCE = re.compile(r"(?<=[.!]) +(?=You )")
_LETTERS = re.compile(r"[^\w]+")
_SPAN = re.compile(rf"({TIME})\s?(?:to|until|-|\u2013)\s?({TIME})", re.IGNORECASE)
_MAX_LINE = 5_000

#: Fields of an entry of an itinerary, by meaning, in order of precedence.
_FIELDS = {
    "person": ("person", "person_name", "friend", "name", "meet", "who", "with"),
    "place": ("location", "place", "where", "to", "destination"),
    "begin": ("start_time", "start", "begin", "from_time", "arrival_time", "time", "time_range"),
    "end": ("end_time", "end", "finish", "to_time", "until"),
    "minutes": ("duration", "minutes", "duration_minutes"),
}
_ACTIONS = ("action", "type", "activity")
_LISTS = ("itinerary", "schedule", "plan", "meetings", "events", "steps", "solution", "answer")
# Fields, one of which every entry has.
_NEEDED = frozenset(("person", "person_name", "friend", "who", "with", *_FIELDS["begin"]))
_NOBODY = frozenset(("", "na", "none", "null", "noone", "nobody"))


_OPEN_LIST = re.compile(rf'"(?:{"|".join(_LISTS)})"\s{{0,9}}:\s{{0,9}}\[\s{{0,9}}\{{')


def is_cut(text: str, grammar: ItineraryGrammar) -> bool:
    """Return true if a text begins a list of entries in JSON, but ends none."""
    return grammar.lists == 0 and _OPEN_LIST.search(text) is not None


def letters_of(text: str) -> str:
    """Return the letters and digits of a name, in lower case, without a leading article.

    >>> letters_of("The Fisherman’s  Wharf"), letters_of("Fisherman's Wharf")
    ('fishermanswharf', 'fishermanswharf')
    """
    letters = _LETTERS.sub(" ", text.replace("'", "").replace("’", "").lower()).strip()
    return letters.removeprefix("the ").replace(" ", "").replace("_", "")


def prepared(text: str) -> str:
    """Return a text with a line for each sentence, no bold type, and times behind their meetings.

    >>> prepared("**9:30 - 10:15**: Meet Bo at the park")
    'Meet Bo at the park from 9:30 to 10:15'
    """
    plain = text.replace("**", "")
    plain = _TIMES_BEFORE.sub(r"\3 from \1 to \2", plain)
    return _NEXT_SENTENCE.sub("\n", plain)


class NameFinder:
    """Names of a problem in any spelling.

    Parameters
    ----------
    facts
        MeetingFacts of the problem.
    """

    def __init__(self, facts: MeetingFacts) -> None:
        places = {facts.start} | {place for place, _, _ in facts.ways}
        self._places = {letters_of(place): place for place in places}
        self._persons = {letters_of(person.name): person.name for person in facts.persons}

    def place(self, text: object) -> str | None:
        """Return a place as the problem writes it; unknown ones as they are, ``None`` for no text."""
        return self._places.get(letters_of(text), text) if isinstance(text, str) else None

    def person(self, text: object) -> str | None:
        """Return a person as the problem writes it; unknown ones as they are, ``None`` for nobody."""
        if not isinstance(text, str) or letters_of(text) in _NOBODY:
            return None
        return self._persons.get(letters_of(text), text)


class SentenceGrammar(Grammar[Move]):
    """Moves in sentences.

    Parameters
    ----------
    facts
        MeetingFacts of the problem.
    """

    def __init__(self, facts: MeetingFacts) -> None:
        self._names = NameFinder(facts)

    def find(self, text: str) -> list[StepMatch[Move]]:
        """Return the moves in a line."""
        if len(text) > _MAX_LINE:
            return []
        matches: list[tuple[int, StepMatch[Move]]] = []
        for kind, pattern in _PATTERNS.items():
            for match in pattern.finditer(text):
                fields = {name: value for name, value in match.groupdict().items() if value}
                has_time = bool({"minutes", "begin"} & fields.keys())
                if has_time or kind != "meet":
                    move = self._move(kind, match[0].removesuffix("."), fields)
                    matches.append((match.start(), StepMatch(len(match[0]), move)))
        matches.sort(key=itemgetter(0))
        return [match for _, match in matches]

    def _move(self, kind: str, text: str, fields: Mapping[str, str]) -> Move:
        """Return the move of a sentence; it is not read if it has a time that no day has, such as 24:30PM."""
        times = {name: minutes_of(fields[name]) for name in ("begin", "end") if name in fields}
        if None in times.values():
            return Move("unread", text)
        place = self._names.place(fields.get("place", fields.get("late_place")))
        person = self._names.person(fields.get("person"))
        length = fields.get("minutes")
        minutes = None if length is None else int(length)
        if kind == "meet" and place is not None:
            kind = "entry"
        return Move(kind, text, place, person, times.get("begin"), times.get("end"), minutes)


class ItineraryGrammar(Grammar[Move]):
    """Moves in the entries of JSON itineraries.

    Parameters
    ----------
    facts
        MeetingFacts of the problem.
    has_ends
        True if ends of meetings count, so that they must be readable.
    """

    def __init__(self, facts: MeetingFacts, *, has_ends: bool) -> None:
        self._names = NameFinder(facts)
        self._has_ends = has_ends
        #: Number of lists of entries that were read.
        self.lists = 0

    def of(self, value: object) -> list[Move] | None:
        """Return the moves of an entry, or of an object with a list of entries."""
        if not isinstance(value, dict):
            return None
        fields = {str(name).lower().replace(" ", "_"): content for name, content in value.items()}
        for name in _LISTS:
            entries = fields.get(name)
            if isinstance(entries, list) and entries and all(isinstance(entry, dict) for entry in entries):
                return self._entries(entries)
        move = self._entry(fields)
        return None if move is None else [move]

    def _entries(self, entries: list[Any]) -> list[Move] | None:
        """Return the moves of a list of entries; ``None`` if one is none."""
        self.lists += 1
        moves: list[Move] = []
        for entry in entries:
            steps = self.of(entry)
            if steps is None:
                return None
            moves += steps
        return moves

    def _entry(self, fields: Mapping[str, Any]) -> Move | None:
        """Return the move of an entry, ``None`` for other objects."""
        values = {}
        for meaning, names in _FIELDS.items():
            values[meaning] = next((fields[name] for name in names if fields.get(name) is not None), None)
        has_text = isinstance(values["place"], str) or isinstance(values["person"], str)
        has_field = not _NEEDED.isdisjoint(fields)
        if not (has_text and has_field):
            return None
        person = self._names.person(values["person"])
        place = self._names.place(values["place"])
        begin, end = self._times(values, is_meeting=person is not None)
        text = _entry_text(place, person, begin, end)
        kind = "published" if "person_name" in fields else "entry"
        if person is None and _is_way(fields):
            return Move("travel", text, place, end=end)
        return Move(kind, text, place, person, begin, end)

    def _times(self, values: Mapping[str, Any], *, is_meeting: bool) -> tuple[int | None, int | None]:
        """Return begin and end of an entry; raises `PlanError` for unreadable times of a meeting."""
        begin = values["begin"]
        span = _SPAN.fullmatch(begin.strip()) if isinstance(begin, str) else None
        if span is not None:
            return minutes_of(span[1]), minutes_of(span[2])
        start = _minutes(begin, "start_time", is_needed=is_meeting)
        end = _minutes(values["end"], "end_time", is_needed=is_meeting and self._has_ends)
        return start, end


def _is_way(fields: Mapping[str, Any]) -> bool:
    """Return true for an entry of a way, whose times are those of departure and arrival."""
    actions = [fields.get(name) for name in _ACTIONS]
    texts = [action for action in actions if isinstance(action, str)]
    return any(_WAYS.match(text) for text in texts)


def _entry_text(place: str | None, person: str | None, begin: int | None, end: int | None) -> str:
    """Return an entry as a sentence."""
    text = f"meet {person}" if person else "be there"
    if place is not None:
        text = f"{text} at {place}" if person else f"be at {place}"
    if begin is not None:
        text += f" from {clock_text(begin)}"
    return text if end is None else f"{text} to {clock_text(end)}"


def _minutes(value: object, field: str, *, is_needed: bool) -> int | None:
    """Return the minutes of a time, ``None`` without one; raises `PlanError` for a bad one that is needed."""
    minutes = minutes_of(value) if isinstance(value, str) else None
    if value is not None and minutes is None and is_needed:
        raise PlanError("must be a time such as 9:00AM or 14:15", field=field, value=value)
    return minutes
