"""Grammar of plans for meetings: sentences of any wording, and entries of JSON itineraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planoracle.instances.benchmarks.naturalplan.day_times import TIME, minutes_of
from planoracle.instances.benchmarks.naturalplan.meeting_rules import Move
from planoracle.instances.benchmarks.naturalplan.meeting_tasks import Facts
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Grammar, StepMatch

_NAME = r"[A-Z][\w'’&-]{0,40}(?: (?:of|the|[A-Z][\w'’&-]{0,40})){0,5}"
_LENGTH = r"(?P<minutes>\d{1,4})[ -]min\w{0,4}"
_SENTENCES = {
    "start": rf"(?i:\b(?:start|begin)\w{{0,4}}) (?:at|in|from) (?P<place>{_NAME}) at (?P<begin>{TIME})",
    "travel": rf"(?i:\b(?:travel|walk|go|head|drive|move)\w{{0,4}}) (?:from {_NAME} )?to (?P<place>{_NAME})"
    rf"(?:,? \(?(?:in|taking|which takes)? ?{_LENGTH}\)?)?"
    rf"(?:,? (?:and )?(?i:arriv\w{{1,3}}|reach\w{{0,3}})(?: there| it)? (?:at|by) (?P<end>{TIME}))?",
    "wait": rf"(?i:\bwait\w{{0,3}})(?: there| at {_NAME})? (?:until|till) (?P<end>{TIME})",
    "meet": rf"(?i:\bmeet\w{{0,3}}) (?:with )?(?P<person>{_NAME})(?: (?:at|in) (?P<place>{_NAME}))?"
    rf"(?: for {_LENGTH})?(?:,? (?:from|at|between) (?P<begin>{TIME})(?: ?(?:to|until|till|and|-|–) ?(?P<end>{TIME}))?)?",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _SENTENCES.items()}
_NEXT_SENTENCE = re.compile(r"(?<=[.!]) +(?=You )")
_FINISH = re.compile(r"\W{0,9}(?:action: ?)?finish\W{0,9}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\w]+")
_SPAN = re.compile(rf"({TIME})\s?(?:to|until|-|–)\s?({TIME})", re.IGNORECASE)
_MAX_LINE = 5_000

#: Fields of an entry of an itinerary, by meaning, in order of precedence.
_FIELDS = {
    "person": ("person", "person_name", "friend", "name", "meet", "who", "with"),
    "place": ("location", "place", "where", "to", "destination"),
    "begin": ("start_time", "start", "begin", "from_time", "arrival_time", "time", "time_range"),
    "end": ("end_time", "end", "finish", "to_time", "until"),
    "minutes": ("duration", "minutes", "duration_minutes"),
}
_LISTS = ("itinerary", "schedule", "plan", "meetings", "events", "steps", "solution", "answer")
_NOBODY = frozenset(("", "na", "none", "null", "noone", "nobody"))


def letters_of(text: str) -> str:
    """Return the letters and digits of a name, in lower case, without a leading article.

    >>> letters_of("The Fisherman’s  Wharf"), letters_of("Fisherman's Wharf")
    ('fishermanswharf', 'fishermanswharf')
    """
    letters = _LETTERS.sub(" ", text.replace("'", "").replace("’", "").lower()).strip()
    return letters.removeprefix("the ").replace(" ", "").replace("_", "")


class MeetingGrammar(Grammar[Move]):
    """Moves in sentences and itineraries.

    Parameters
    ----------
    facts
        Facts of the problem, whose names are recognised in any spelling.
    """

    def __init__(self, facts: Facts) -> None:
        places = {facts.start} | {place for place, _, _ in facts.ways}
        self._places = {letters_of(place): place for place in places}
        self._persons = {letters_of(person.name): person.name for person in facts.persons}

    def prepared(self, text: str) -> str:
        """Return a text with a line for each sentence of a plan."""
        return _NEXT_SENTENCE.sub("\n", text)

    def find(self, text: str) -> list[StepMatch[Move]]:
        """Return the moves in a line."""
        if len(text) > _MAX_LINE:
            return []
        if _FINISH.fullmatch(text):
            return [StepMatch(len(text), Move("close", text))]
        matches = []
        for kind, pattern in _PATTERNS.items():
            for match in pattern.finditer(text):
                fields = {name: value for name, value in match.groupdict().items() if value}
                is_meeting = kind != "meet" or {"minutes", "begin"} & fields.keys()
                if is_meeting:
                    matches.append((match.start(), len(match[0]), self._move(kind, match[0], fields)))
        matches.sort(key=lambda entry: entry[0])
        return [StepMatch(length, move) for _, length, move in matches]

    def _move(self, kind: str, text: str, fields: Mapping[str, str]) -> Move:
        """Return the move of a sentence."""
        minutes = fields.get("minutes")
        return Move(
            "entry" if kind == "meet" and "place" in fields else kind,
            text,
            self._place(fields.get("place")),
            self._person(fields.get("person")),
            minutes_of(fields.get("begin", "")),
            minutes_of(fields.get("end", "")),
            None if minutes is None else int(minutes),
        )

    def _place(self, text: str | None) -> str | None:
        return None if text is None else self._places.get(letters_of(text), text)

    def _person(self, text: str | None) -> str | None:
        return None if text is None else self._persons.get(letters_of(text), text)

    # Itineraries

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
        person, place = values["person"], values["place"]
        is_entry = isinstance(place, str) or (isinstance(person, str) and values["begin"] is not None)
        if (
            not is_entry
            or not ({"person", "person_name", "friend", "who", "with"} | set(_FIELDS["begin"])) & fields.keys()
        ):
            return None
        name = self._person(person) if isinstance(person, str) else None
        if name is not None and letters_of(name) in _NOBODY:
            name = None
        begin, end = self._times(values, is_needed=name is not None)
        kind = "published" if "person_name" in fields else "entry"
        text = f"{name or 'nobody'} at {place} from {values['begin']} to {values['end']}"
        known_place = self._place(place if isinstance(place, str) else None)
        return Move(kind, text[:200], known_place, name, begin, end)

    def _times(self, values: Mapping[str, Any], *, is_needed: bool) -> tuple[int | None, int | None]:
        """Return begin and end of an entry; raises `PlanError` for unreadable times of a meeting."""
        span = _SPAN.fullmatch(values["begin"].strip()) if isinstance(values["begin"], str) else None
        if span is not None:
            return minutes_of(span[1]), minutes_of(span[2])
        times = []
        for field in ("begin", "end"):
            text = values[field]
            minutes = minutes_of(text) if isinstance(text, str) else None
            if text is not None and minutes is None and is_needed:
                message = "must be a time such as 9:00AM or 14:15"
                raise PlanError(message, field="start_time" if field == "begin" else "end_time", value=text)
            times.append(minutes)
        return times[0], times[1]
