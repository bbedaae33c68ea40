"""Rules of meetings: a plan is walked move by move, from place to place and person to person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.meeting_tasks import AGENT, MeetingFacts, Person, action_of
from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, PlanVerdict, Profile, verdict_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.simulator import Step


class Move(NamedTuple):
    """Move of a plan; times in minutes since midnight, as far as the plan states them.

    Attributes
    ----------
    kind
        ``start``, ``travel``, ``wait`` or ``meet``; ``entry`` and ``published``, which say where one is with whom, so
        that the way there is implied; ``unread`` for a step that the published evaluation cannot read.
    text
        The move as written, without a subject and a full stop.
    place, person
        Destination or place, and the person to meet.
    begin, end
        Begin and end of a meeting; the arrival of a way, and the end of a wait, is ``end``.
    minutes
        Length of a meeting or of a way.
    """

    kind: str
    text: str
    place: str | None = None
    person: str | None = None
    begin: int | None = None
    end: int | None = None
    minutes: int | None = None


class Position(NamedTuple):
    """Place and time of a walk, and the persons of whom a meeting was stated.

    Attributes
    ----------
    clock
        Minutes since midnight.
    place
        Current place.
    met
        Persons of whom the plan states a meeting.
    """

    clock: int
    place: str
    met: frozenset[str] = frozenset()


class MoveEffect(NamedTuple):
    """Effect of a move.

    Attributes
    ----------
    position
        Position after the move.
    violation
        Broken rule, if any.
    meeting
        Begin and end of a meeting that counts.
    """

    position: Position
    violation: Violation | None = None
    meeting: tuple[int, int] | None = None


class MeetingWalk:
    """Rules for one problem.

    Parameters
    ----------
    facts
        Facts of the problem.
    rules
        With the verdict ``official``, waits of no length are refused.
    """

    def __init__(self, facts: MeetingFacts, rules: Profile) -> None:
        self.facts = facts
        self.is_official = rules.is_official
        self._persons = {person.name: person for person in facts.persons}
        self._ways = {(before, after): minutes for before, after, minutes in facts.ways}

    def begin(self) -> Position:
        """Return the position at the arrival."""
        return Position(self.facts.arrival, self.facts.start)

    def take(self, position: Position, move: Move, number: int) -> MoveEffect:
        """Return the effect of a move; after a violation the walk continues as if the move were carried out."""
        take = getattr(self, f"_{move.kind}")
        effect: MoveEffect = take(position, move)
        if effect.violation is None:
            return effect
        return effect._replace(violation=effect.violation._replace(position=number))

    def _tick(self, minutes: int) -> int:
        return minutes - self.facts.arrival

    def _fault(
        self, kind: str, subject: str, required: int | str | None = None, actual: int | str | None = None
    ) -> Violation:
        """Return a violation; times are given in minutes since midnight."""
        required_value = self._tick(required) if isinstance(required, int) else required
        actual_value = self._tick(actual) if isinstance(actual, int) else actual
        return Violation(None, kind, subject, required=required_value, actual=actual_value)

    # Moves

    def _unread(self, position: Position, move: Move) -> MoveEffect:
        return MoveEffect(position, self._fault("unread_step", move.text))

    def _start(self, position: Position, move: Move) -> MoveEffect:
        """Check the start that a plan states; the published evaluation does not."""
        if self.is_official:
            return MoveEffect(position)
        place = move.place or position.place
        clock = position.clock if move.begin is None else move.begin
        if place != position.place:
            return MoveEffect(position._replace(place=place), self._fault("wrong_start", place, position.place))
        if clock < position.clock:
            return MoveEffect(position, self._fault("too_early", place, position.clock, clock))
        return MoveEffect(position._replace(clock=clock))

    def _wait(self, position: Position, move: Move) -> MoveEffect:
        assert move.end is not None
        is_past = move.end <= position.clock if self.is_official else move.end < position.clock
        if is_past:
            return MoveEffect(position, self._fault("wait_in_past", "wait", position.clock, move.end))
        return MoveEffect(position._replace(clock=move.end))

    def _travel(self, position: Position, move: Move) -> MoveEffect:
        place = move.place or ""
        way = self._way(position.place, place)
        if way is None:
            return MoveEffect(position, self._fault("unknown_place", place))
        earliest = position.clock + way
        stated = earliest
        if move.end is not None:
            stated = move.end
        elif move.minutes is not None:
            stated = position.clock + move.minutes
        arrived = position._replace(place=place, clock=max(stated, earliest))
        if stated < earliest:
            return MoveEffect(arrived, self._fault("travel_time", place, earliest, stated))
        return MoveEffect(arrived)

    def _entry(self, position: Position, move: Move) -> MoveEffect:
        """Go to the place of an entry, and meet its person, if it names one; else one may leave at any time."""
        place = move.place or position.place
        way = self._way(position.place, place)
        if way is None:
            return MoveEffect(position, self._fault("unknown_place", place))
        arrived = position._replace(place=place, clock=position.clock + way)
        is_meeting = move.person is not None and not (self.is_official and move.person not in self._persons)
        if is_meeting:
            return self._meet(arrived, move)
        if move.begin is None:
            return MoveEffect(arrived)
        if move.begin < arrived.clock:
            return MoveEffect(arrived, self._fault("travel_time", place, arrived.clock, move.begin))
        return MoveEffect(arrived._replace(clock=move.begin))

    _published = _entry

    def _meet(self, position: Position, move: Move) -> MoveEffect:
        name = move.person or ""
        person = self._persons.get(name)
        if person is None:
            return MoveEffect(position, self._fault("unknown_person", name))
        begin, end = self._times(position, move, person)
        violation = self._meeting_fault(position, person, begin, end)
        after = Position(max(position.clock, end), position.place, position.met | {name})
        return MoveEffect(after, violation, None if violation else (begin, end))

    def _times(self, position: Position, move: Move, person: Person) -> tuple[int, int]:
        """Return begin and end of a meeting; as long as wished, where the plan does not say."""
        begin = position.clock
        if move.begin is not None:
            begin = move.begin
        elif move.kind in ("entry", "published"):
            begin = max(begin, person.begin)
        if self.is_official:
            return begin, begin + person.minutes
        if move.end is not None:
            return begin, move.end
        return begin, begin + (person.minutes if move.minutes is None else move.minutes)

    def _meeting_fault(self, position: Position, person: Person, begin: int, end: int) -> Violation | None:
        """Return the first broken rule of a meeting."""
        name = person.name
        if name in position.met:
            return self._fault("repeated_person", name)
        if position.place != person.place:
            return self._fault("wrong_place", name, person.place, position.place)
        if begin < position.clock:
            return self._fault("too_early", name, position.clock, begin)
        if end - begin < person.minutes:
            return Violation(None, "too_short", name, required=person.minutes, actual=end - begin)
        if begin < person.begin:
            return self._fault("not_there_yet", name, person.begin, begin)
        if end > person.end:
            return self._fault("gone", name, person.end, end)
        return None

    def _way(self, before: str, after: str) -> int | None:
        """Return the minutes of a way, ``None`` if there is none."""
        return 0 if before == after else self._ways.get((before, after))


def walk(facts: MeetingFacts, moves: Sequence[Move], rules: Profile) -> Iterator[tuple[Position, Move, MoveEffect]]:
    """Yield each move with the position before it and its effect.

    The published evaluation stops at the first violation.
    """
    rules_of_walk = MeetingWalk(facts, rules)
    position = rules_of_walk.begin()
    for number, move in enumerate(moves):
        effect = rules_of_walk.take(position, move, number)
        yield position, move, effect
        position = effect.position
        if rules.is_official and effect.violation is not None:
            return


def grade(problem: Instance, answer: PlanAnswer, rules: Profile) -> PlanVerdict:
    """Grade a plan.

    It succeeds with ``exact`` if it keeps all rules, and with ``official`` if it meets as many as the published plan.
    """
    facts = (problem.rest_of or problem).origin
    assert isinstance(facts, MeetingFacts)
    moves = answer.steps
    steps = []
    violations: list[Violation] = []
    count = 0
    for number, (before, move, effect) in enumerate(walk(facts, moves, rules)):
        is_counted = effect.meeting is not None and not violations
        if effect.violation is not None:
            violations.append(effect.violation)
        meeting = effect.meeting if is_counted else None
        steps.append(_step(facts, number, before, move, effect._replace(meeting=meeting)))
        count += is_counted
    expected = len(facts.order)
    if rules.is_official:
        success = count == expected and bool(moves)
    else:
        is_closed = not answer.is_open or count == len(facts.persons)
        success = count > 0 and not violations and is_closed
    if not moves:
        violations.append(Violation(None, "no_plan", "answer"))
    share = min(1.0, count / max(1, expected))
    return verdict_of(problem, steps, violations, success=success, share=share)


def _step(facts: MeetingFacts, number: int, before: Position, move: Move, effect: MoveEffect) -> Step:
    """Return the step of a move. A longer meeting than wished is scheduled in its last minutes."""
    start = before.clock - facts.arrival
    end = effect.position.clock - facts.arrival
    if effect.violation is not None:
        return Step(number, move.text, "lost", start, start, effect.violation)
    if effect.meeting is None:
        kind = "wait" if move.kind == "wait" and end > start else "act"
        return Step(number, move.text, kind, start, end)
    name = move.person or ""
    minutes = next(person.minutes for person in facts.persons if person.name == name)
    begin = effect.meeting[1] - facts.arrival - minutes
    piece = Piece(action_of(name), begin, minutes, AGENT)
    return Step(number, move.text, "act", piece.start, piece.end, piece=piece)
