"""Answers about meetings: sentences, JSON itineraries, and the steps of the published evaluation."""

from __future__ import annotations

import re
from dataclasses import replace

from planoracle.instances.benchmarks.naturalplan.day_times import clock_text, released_minutes
from planoracle.instances.benchmarks.naturalplan.meeting_grammar import (
    ItineraryGrammar,
    SentenceGrammar,
    is_cut,
    prepared,
)
from planoracle.instances.benchmarks.naturalplan.meeting_rules import MeetingWalk, Move, Position, walk
from planoracle.instances.benchmarks.naturalplan.meeting_rules import grade as grade
from planoracle.instances.benchmarks.naturalplan.meeting_tasks import MeetingFacts
from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, Profile
from planoracle.instances.benchmarks.naturalplan.whole_answers import Sentence, sentence_of, text_of, without_remarks
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.messages import chat_in
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.feedback import Topic, clean
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, Reading
from planoracle.instances.protocol.simulator import CLOSE

#: Beginning of an answer in the published form.
_SOLUTION = "SOLUTION:"
_MAX_ENTRIES = 2_000

INSTRUCTIONS = """You are in a city for a day and want to meet as many friends as possible. Each friend is at one place
for some time, and is to be met there for at least some minutes. Ways between places take time."""
HOW_TO_ANSWER = """Write the plan as sentences of these forms, in order:
You travel to PLACE in N minutes and arrive at H:MMAM.
You wait until H:MMAM.
You meet NAME for N minutes from H:MMAM to H:MMPM."""


# --- reading --------------------------------------------------------------------------------------


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[PlanAnswer]:
    """Read a plan; raises `PlanError` for one that cannot be read.

    >>> from planoracle.instances.benchmarks.naturalplan.problems import load
    >>> from planoracle.instances.benchmarks.naturalplan.rules import PROFILES
    >>> text = "You travel to Nob Hill. You meet Kenneth for 90 minutes from 2:15PM to 3:45PM."
    >>> answer = reading(load("naturalplan/meeting/6"), text, PROFILES["paper"]).commands
    >>> [move.kind for move in answer.steps], answer.pieces[0].start
    (['travel', 'meet'], 315)
    """
    is_open = False
    if _is_log(submitted):
        lines = [entry["response"] for entry in submitted]  # type: ignore[attr-defined]
        is_open = CLOSE not in lines
        submitted = [line for line in lines if line != CLOSE]
    moves = _moves(problem, submitted, rules)

    def answer_of(steps: list[Move]) -> PlanAnswer:
        answer = PlanAnswer((), tuple(steps), is_open)
        pieces = [step.piece for step in grade(problem, answer, rules).steps if step.piece is not None]
        return replace(answer, pieces=Schedule.of(problem, pieces).pieces)

    return moves.of(answer_of)


def _is_log(submitted: object) -> bool:
    """Return true for the log of a live run."""
    if not isinstance(submitted, list) or not submitted:
        return False
    return all(isinstance(entry, dict) and isinstance(entry.get("response"), str) for entry in submitted)


def _moves(problem: Instance, submitted: object, rules: Profile) -> Reading[list[Move]]:
    """Read the moves of a plan, in the way of its profile."""
    if not isinstance(submitted, str | list | dict):
        raise PlanError("must be text, a list of sentences or an itinerary", field="plan", value=submitted)
    if isinstance(submitted, list) and len(submitted) > _MAX_ENTRIES:
        raise PlanError(f"must have at most {_MAX_ENTRIES} entries", field="plan", value=len(submitted))
    if submitted == []:
        return read_list([])
    facts = _facts(problem)
    itinerary = _itinerary(facts, without_remarks(submitted), rules)
    text = text_of(submitted)
    if itinerary.commands or itinerary.fault in (AMBIGUOUS, CUT_OFF) or not text:
        return itinerary.of(_timeless) if rules.is_official else itinerary
    sentences = _sentences(submitted if isinstance(submitted, list) and not chat_in(submitted) else text)
    if rules.is_official and sentences is not None:
        return read_list([_released_move(sentence) for sentence in sentences])
    moves = read_output(prepared(str(without_remarks(text))), SentenceGrammar(facts))
    return moves.of(_timeless) if rules.is_official else moves


def _itinerary(facts: MeetingFacts, submitted: object, rules: Profile) -> Reading[list[Move]]:
    """Read the moves of a JSON itinerary, which precede sentences: models repeat an itinerary in words."""
    grammar = ItineraryGrammar(facts, has_ends=not rules.is_official)
    itinerary = read_output(submitted, grammar)
    if itinerary.commands and is_cut(text_of(submitted), grammar):
        return replace(itinerary, commands=[], read=0, read_from="nothing", fault=CUT_OFF)
    return itinerary


def _facts(problem: Instance) -> MeetingFacts:
    facts = (problem.rest_of or problem).origin
    assert isinstance(facts, MeetingFacts)
    return facts


def _sentences(submitted: object) -> list[str] | None:
    """Return the steps that the published evaluation reads, ``None`` where it has no text in its form."""
    if isinstance(submitted, list):
        is_text = all(isinstance(entry, str) and entry.startswith("You ") for entry in submitted)
        return submitted if is_text else None
    if not isinstance(submitted, str):
        return None
    text = submitted.rpartition("</think>")[2]
    _, prefix, plan = text.partition(_SOLUTION)
    plan = plan if prefix else text
    if not prefix and not plan.lstrip().startswith("You "):
        return None
    steps = [step.strip() for step in plan.split(".")]
    return [step for step in steps if step]


def _released_move(step: str) -> Move:
    """Return the move of a step as the published evaluation reads it: only the times of waits count."""
    text = step.removeprefix("You ").removesuffix(".")
    unread = Move("unread", text)
    if step.startswith("You start"):
        return Move("start", text)
    if step.startswith("You travel"):
        place = _between(step, "travel to ", " in")
        return unread if place is None else Move("travel", text, place)
    if step.startswith("You wait"):
        end = released_minutes(_between(step, "wait until ", ".") or "")
        return unread if end is None else Move("wait", text, end=end)
    if step.startswith("You meet"):
        person = _between(step, "meet ", " for")
        return unread if person is None else Move("meet", text, person=person)
    return unread


def _between(step: str, before: str, after: str) -> str | None:
    """Return the text between two texts, up to the end without the second; ``None`` without the first."""
    parts = step.split(before)
    return parts[1].split(after)[0].strip() if len(parts) > 1 else None


def _timeless(moves: list[Move]) -> list[Move]:
    """Return moves as the published evaluation takes them.

    The form with ``person_name`` begins with an entry for the start, which is not looked at. Of sentences only the
    times of waits count.
    """
    if moves and moves[0].kind == "published":
        moves = moves[1:]
    timeless = []
    for move in moves:
        if move.kind in ("travel", "meet"):
            move = move._replace(begin=None, end=None, minutes=None)
        timeless.append(move)
    return timeless


# --- writing --------------------------------------------------------------------------------------


def written(problem: Instance, schedule: Schedule) -> list[str]:
    """Write a schedule in the sentences of the published plans."""
    facts = _facts(problem)
    ways = {(before, after): minutes for before, after, minutes in facts.ways}
    clock, place = facts.arrival, facts.start
    sentences = [f"You start at {place} at {clock_text(clock)}."]
    for piece in schedule.pieces:
        action = problem.by_id[piece.action]
        begin, end = piece.start + facts.arrival, piece.end + facts.arrival
        if action.place != place:
            minutes = ways[place, action.place or ""]
            clock += minutes
            place = action.place or ""
            sentences.append(f"You travel to {place} in {minutes} minutes and arrive at {clock_text(clock)}.")
        if clock < begin:
            sentences.append(f"You wait until {clock_text(begin)}.")
        times = f"from {clock_text(begin)} to {clock_text(end)}"
        sentences.append(f"You meet {action.task} for {piece.duration} minutes {times}.")
        clock = end
    return sentences


def published(problem: Instance) -> list[str]:
    """Return the published plan: its persons in their order, each as early as possible."""
    facts = _facts(problem)
    moves = [Move("entry", name, place, name) for name, place in _stops(facts)]
    steps = grade(problem, PlanAnswer((), tuple(moves)), Profile()).steps
    pieces = [step.piece for step in steps if step.piece is not None]
    return written(problem, Schedule.of(problem, pieces))


def answer_count(problem: Instance) -> None:
    """Return ``None``: the task asks for as many persons as possible."""
    return


def _stops(facts: MeetingFacts) -> list[tuple[str, str]]:
    """Return persons and places of the published plan."""
    places = {person.name: person.place for person in facts.persons}
    return [(name, places[name]) for name in facts.order]


def describe(problem: Instance) -> str:
    """Return a problem in words."""
    facts = _facts(problem)
    lines = [f"You arrive at {facts.start} at {clock_text(facts.arrival)}.", "", "Friends:"]
    for person in facts.persons:
        window = f"from {clock_text(person.begin)} to {clock_text(person.end)}"
        lines.append(f"- {person.name}: at {person.place} {window}, for at least {person.minutes} minutes")
    lines += ["", "Ways in minutes:"]
    for before, after, minutes in facts.ways:
        lines.append(f"- {before} to {after}: {minutes}")
    return "\n".join(lines)


# --- violations -----------------------------------------------------------------------------------


def _timed(template: str) -> Sentence:
    """Return a function that fills a template with the subject of a violation and its times of day."""

    def write(problem: Instance, violation: Violation) -> str:
        return template.format(
            subject=clean(violation.subject),
            required=_time_of_day(problem, violation.required),
            actual=_time_of_day(problem, violation.actual),
        )

    return write


def _time_of_day(problem: Instance, ticks: object) -> str:
    return moment(problem, ticks) if isinstance(ticks, int) else ""


_TIMED = {
    "wait_in_past": "the wait until {actual} is over, since it is already {required}",
    "travel_time": "{subject} is reached at {required} at the earliest, after the stated {actual}",
    "too_early": "{subject} is stated for {actual}, but you are free and there at {required}",
    "not_there_yet": "{subject} is there from {required} on, after the meeting begins at {actual}",
    "gone": "{subject} is there until {required}, before the meeting ends at {actual}",
}
_UNTIMED = {
    "unread_step": 'the evaluation reads no step "{subject}"',
    "unknown_person": 'there is no friend "{subject}"',
    "unknown_place": 'no way to "{subject}" is given',
    "repeated_person": "{subject} is met a second time",
    "wrong_start": 'you arrive at {required}, not at "{subject}"',
    "wrong_place": "{subject} is at {required}, and you are at {actual}",
    "too_short": "the meeting with {subject} takes {actual} minutes, and needs {required}",
}
SENTENCES = {kind: _timed(template) for kind, template in _TIMED.items()}
SENTENCES |= {kind: sentence_of(template) for kind, template in _UNTIMED.items()}

TOPICS = (
    Topic("steps", "Steps", ("unread_step",), "Use the sentences of the published plans."),
    Topic("friends", "Friends", ("unknown_person", "repeated_person"), "Meet each friend of the text once."),
    Topic(
        "places",
        "Places and ways",
        ("unknown_place", "wrong_start", "wrong_place", "travel_time"),
        "Begin at the place of arrival, and give each way its time.",
    ),
    Topic(
        "times",
        "Times",
        ("wait_in_past", "too_early", "too_short", "not_there_yet", "gone"),
        "Meet friends while they are there, for as long as they wish.",
    ),
)


# --- live runs ------------------------------------------------------------------------------------

#: True if a command of a live run is one step of the plan, and not the whole.
IS_STEPWISE = True


def choices(problem: Instance, answer: PlanAnswer, rules: Profile) -> list[str]:
    """Return the sentences that the rules allow after those of an answer: meetings, waits and ways."""
    facts = _facts(problem)
    position = _position(facts, answer, rules)
    clock, place = position.clock, position.place
    remaining = [person for person in facts.persons if person.name not in position.met and person.end > clock]
    sentences = []
    for person in remaining:
        end = clock + person.minutes
        if person.place == place and person.begin <= clock and end <= person.end:
            times = f"from {clock_text(clock)} to {clock_text(end)}"
            sentences.append(f"You meet {person.name} for {person.minutes} minutes {times}.")
    openings = sorted({person.begin for person in remaining if person.begin > clock})
    for opening in openings:
        sentences.append(f"You wait until {clock_text(opening)}.")
    destinations = {person.place for person in remaining}
    for before, after, minutes in facts.ways:
        if before == place and after in destinations:
            arrival = clock_text(clock + minutes)
            sentences.append(f"You travel to {after} in {minutes} minutes and arrive at {arrival}.")
    return sentences


def _position(facts: MeetingFacts, answer: PlanAnswer, rules: Profile) -> Position:
    """Return the position after the moves of an answer."""
    position = MeetingWalk(facts, rules).begin()
    for _, _, effect in walk(facts, answer.steps, rules):
        position = effect.position
    return position


def moment(problem: Instance, tick: int) -> str:
    """Write an instant as a time of day."""
    return clock_text(_facts(problem).arrival + tick)


def line_of(move: Move) -> str:
    """Return a move as a command."""
    return f"You {move.text}."


_COMMAND = re.compile(r"(?:You )?(travel to [^.]*?|meet [^.]*?)(?: in \d| for \d|\.|$)|(?:You )?(wait) until")


def command_names(problem: Instance) -> tuple[str, ...]:
    """Return the names of commands in live runs, without their times."""
    facts = _facts(problem)
    places = dict.fromkeys(after for _, after, _ in facts.ways)
    ways = [f"travel to {place}" for place in places]
    meetings = [f"meet {person.name}" for person in facts.persons]
    return (*ways, *meetings, "wait")


def name_of_command(command: str) -> str:
    """Return the name of a command.

    >>> name_of_command("You travel to Nob Hill in 11 minutes."), name_of_command("You wait until 9:00AM.")
    ('travel to Nob Hill', 'wait')
    """
    match = _COMMAND.match(command)
    return command if match is None else match[1] or match[2]
