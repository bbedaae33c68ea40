"""Submissions of AsyncHow: the answer of a model as text, or a schedule as a list of pieces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.bundled_data import Interval
from planoracle.instances.benchmarks.asynchow.problems import with_agents
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.generic import language
from planoracle.instances.model_output.characters import plain, without_thinking
from planoracle.instances.model_output.cues import Cue, cues_of, introduces, pieces_of
from planoracle.instances.model_output.json_values import leaves
from planoracle.instances.model_output.layout import lines_of
from planoracle.instances.model_output.messages import contents, is_agents
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, NO_PLAN
from planoracle.plugin import DroppedCommand, Instance, PlanError, Reading, Schedule, chat_in, read_list, read_output

_ACTION = re.compile(r"\baction\b", re.IGNORECASE)

written, schedule = language.written, language.schedule


@dataclass(frozen=True, slots=True)
class DurationAnswer(Schedule):
    """An answer in words: a total time without a schedule."""

    text: str = ""


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Schedule]:
    """Read an answer or a schedule; raises `PlanError` for anything else.

    ``None`` is an empty answer. Pieces need no agent, because there are as many agents as steps.

    >>> from planoracle.instances.benchmarks.asynchow.problems import load
    >>> reading(load("asynchow/async/829"), 'It takes "70 days".', Profile()).commands
    DurationAnswer(pieces=(), text='"70 days"')
    >>> wait = [{"action": "step/2", "start": 0, "duration": 9}]
    >>> reading(load("asynchow/async/829"), wait, Profile()).commands.pieces[0].agent
    'agent2'
    """
    rows = pieces_in(problem, submission)
    if rows is not None:
        return rows.of(lambda pieces: with_agents(problem, language.reading(problem, pieces, rules).commands))
    chat = chat_in(submission)
    if chat is not None:
        texts = [part for one in filter(is_agents, chat) for part in contents(one)]
        submission = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in texts)
    if submission is not None and not isinstance(submission, str):
        raise PlanError("must be text, or a list of pieces", field="answer", value=submission)
    released = rules.answers == "released"
    text, part, fault = (submission or "", "whole text", "") if released else answer_in(submission or "")
    return Reading(DurationAnswer((), text), int(part != "nothing"), part, 0, fault=fault)


def pieces_in(problem: Instance, submission: object) -> Reading[list[object]] | None:
    """Return the pieces of a submission, also within text; ``None`` for an answer in words."""
    if isinstance(submission, list) and chat_in(submission) is None:
        return read_list(submission)
    is_plan = isinstance(submission, str) and _ACTION.search(submission) and "duration" in submission.lower()
    if not is_plan and chat_in(submission) is None:
        return None
    reading = read_output(submission, language.Pieces(problem))
    return reading if reading.commands or reading.fault in (AMBIGUOUS, CUT_OFF) else None


def salvage(submitted: object, problem: Instance) -> tuple[object, tuple[DroppedCommand, ...]]:
    """Omit pieces of steps that do not exist."""
    pieces = pieces_in(problem, submitted)
    return (submitted, ()) if pieces is None else language.salvage(pieces.commands, problem)


#: Longest line in quotes whose number words are rewritten, in characters.
MAX_REWRITTEN = 50_000

_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_SMALL = (
    {"a": 1, "an": 1} | dict(zip(_ONES, range(1, 20), strict=True)) | dict(zip(_TENS, range(20, 91, 10), strict=True))
)
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORDS = {*_SMALL, *_LARGE, "half"}

_AND_A_HALF = re.compile(r"\b\w++ and a half")
# A letter, more letters with single hyphens among them, perhaps a hyphen; up to the last place where a word ends.
_WORD = re.compile(r"\b[a-zA-Z](?:-?[a-zA-Z])*-?\b")
_DIGITS = re.compile(r"\d+(?:,\d+)*")
_TAIL = re.compile(r"(?:\.\d++)?+(\s*+)(min|hr|hour|sec|week|day|month|year|s|h|m|d|w)")
_BOUNDARY = re.compile(r"\b")

#: Units that the released code reads: a unit of `timedelta`, and its smallest and largest number.
_TIMES = {
    **dict.fromkeys(("hour", "h"), ("hours", 1, 1)),
    "min": ("minutes", 1, 1),
    "sec": ("seconds", 1, 1),
    "year": ("days", 365, 366),
    **dict.fromkeys(("month", "m"), ("days", 28, 31)),
    **dict.fromkeys(("week", "w"), ("days", 7, 7)),
    **dict.fromkeys(("day", "d"), ("days", 1, 1)),
}
_SECOND = timedelta(seconds=1)


class AnswerGrade(NamedTuple):
    """Verdict on an answer, and the seconds that were read, ``(0, 0)`` for a wrong one.

    ``reason`` is the cause of a wrong answer: ``empty``, ``no_time`` (nothing in double quotes), ``range`` (" to "),
    ``unreadable`` (invalid units in every candidate), ``too_short``, ``too_long``, or ``wrong`` (one of each).
    """

    success: bool
    parsed: tuple[float, float]
    reason: str | None


def grade(text: str, right: Interval) -> AnswerGrade:
    """Grade an answer against the interval of right times, in seconds.

    Raises
    ------
    PlanError
        If number words must be rewritten in a line of more than `MAX_REWRITTEN` characters.

    Examples
    --------
    >>> grade('The shortest possible time is "1 month".', (2_600_000, 2_700_000))
    AnswerGrade(success=True, parsed=(2419200, 2678400), reason=None)
    >>> grade('"30min"', (1800, 1800)).reason, grade('"20 min"', (1800, 1800)).reason
    ('unreadable', 'too_short')
    """
    if not text:
        return AnswerGrade(False, (0, 0), "empty")
    least, most = (seconds * _SECOND for seconds in right)
    reasons = []
    for candidate in candidates(text):
        part = narrowed(candidate)
        if " to " in part:
            return AnswerGrade(False, (0, 0), "range")
        time = read(part)
        if time is None:
            reasons.append("unreadable")
        elif any(least <= end <= most for end in time):
            return AnswerGrade(True, (_number(time[0]), _number(time[1])), None)
        else:
            reasons.append("too_short" if time[1] < least else "too_long")
    distinct = set(reasons) - {"unreadable"} or set(reasons) or {"no_time"}
    return AnswerGrade(False, (0, 0), distinct.pop() if len(distinct) == 1 else "wrong")


def _number(time: timedelta) -> float:
    return time // _SECOND if not time % _SECOND else time.total_seconds()


def candidates(text: str) -> tuple[str, ...]:
    """Return candidates for the answer: first and last stretch in double quotes, in lower case.

    A stretch goes from the first to the last double quote of a line. Without any, the text after the last "is " is the
    candidate, but only if it contains a word before "and a half".

    >>> candidates('"A" or "b"'), candidates("It is 30 min"), candidates("It is thirty minutes and a half")
    (('"a" or "b"',), (), ('30.5 minutes',))
    """
    stretches = [line[line.find('"') : line.rfind('"') + 1] for line in text.split("\n") if line.count('"') > 1]
    if stretches:
        return tuple(dict.fromkeys(_digits(stretch.lower()) for stretch in (stretches[0], stretches[-1])))
    rest = text.rpartition("is ")[2].lower()
    return (_digits(rest),) if _AND_A_HALF.search(rest) else ()


def _digits(text: str) -> str:
    """Rewrite number words, but only in a text with a word before "and a half"."""
    half = _AND_A_HALF.search(text)
    if half is None:
        return text
    if len(text) > MAX_REWRITTEN:
        raise PlanError(f"has a line of more than {MAX_REWRITTEN} characters with 'and a half'", field="answer")
    word = half[0].removesuffix(" and a half")
    if word not in _WORDS:
        text = text.replace(half[0], f"and half {word}")
    text = text.replace("half a ", "0.5")
    for match in _WORD.findall(text):
        number = _SMALL.get(match, 0)
        if match not in _WORDS:
            number = sum((_SMALL | _LARGE).get(part, 0) for part in match.split("-"))
        if number:  # at the first occurrence of its letters, even within another word
            text = text.replace(match, str(number), 1)
    return text.replace(" and half", ".5")


def narrowed(candidate: str) -> str:
    """Return the part of a candidate after the last "=", then the last " or ", before the first "("."""
    return candidate.rpartition("=")[2].rpartition(" or ")[2].partition("(")[0]


def read(text: str) -> tuple[timedelta, timedelta] | None:
    """Return the sums of the shortest and longest times in a text; ``None`` for invalid units.

    Examples
    --------
    >>> [str(end) for end in read("2 days, 4 hours and .5 min")]
    ['2 days, 4:05:00', '2 days, 4:05:00']
    >>> [str(end) for end in read("7 workdays and 1 moment")]
    ['77 days, 0:00:00', '80 days, 0:00:00']
    >>> read("1h 30m"), read("1 hr")
    (None, None)
    """
    low = high = timedelta()
    place = 0
    for chunk in _DIGITS.finditer(text):
        tail = _TAIL.match(text, chunk.end()) if chunk.start() >= place else None
        start = None if tail is None else _start(text, chunk)
        if tail is None or start is None:
            continue
        place = tail.end()
        if not tail[1]:  # "30min"
            return None
        try:
            number, (unit, least, most) = float(text[start : tail.start(1)].replace(",", "")), _TIMES[tail[2]]
            low, high = low + timedelta(**{unit: number * least}), high + timedelta(**{unit: number * most})
        except (KeyError, OverflowError, ValueError):  # unknown unit; too many days
            return None
    return low, high


def _start(text: str, chunk: re.Match[str]) -> int | None:
    """Return the start of the number at the end of digits and commas, in groups of three digits."""
    start = chunk.end() + 1
    best = None
    for group in reversed(chunk[0].split(",")):
        start -= len(group) + 1
        if _BOUNDARY.match(text, start):
            best = start
        if len(group) != 3:
            break
    return best


_FINAL = 4
_PARTS_BY_RANK = {0: "last time", 1: "last time", 2: "time in quotes", 3: "JSON value"}
_WHOLE = re.compile(
    r"\b(?:shortest|total|overall|altogether|minimum|minimal|least|in all|everything|therefore|thus|hence|result"
    r"|finish\w*)\b",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:would|could|might|instead of|rather than|not)\b", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]*"')
_BETWEEN = re.compile(
    r"[\W\d]*(?:(?:or|and|to|maybe|perhaps|possibly|even|else|alternatively|either|about)[\W]*)*", re.IGNORECASE
)
_NOT = re.compile(r"[(,]?\s{0,3}\b(?:not|instead of|rather than)\s{1,3}[\"']?\d[^),;]{0,99}\)?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d\s*,?\s(?:or|maybe|perhaps)\s{1,9}(?:maybe |perhaps |even )?\d", re.IGNORECASE)

_UNITS = {
    "year": "years? yrs? y",
    "month": "months? mos?",
    "week": "weeks? wks? w",
    "day": "days? d",
    "hour": "hours? hrs? h",
    "min": "minutes? mins? m",
    "sec": "seconds? secs? s",
}
_NAMES = "|".join(rf"(?P<{unit}>{'|'.join(forms.split())})" for unit, forms in _UNITS.items())
_NAMED = re.compile(rf"(?P<number>\d[\d,]{{0,20}}(?:\.\d{{1,9}})?)[\s-]{{0,3}}(?:{_NAMES})\b", re.IGNORECASE)
_ANY = "|".join(form for forms in _UNITS.values() for form in forms.split())
_ONE = rf"\d[\d,]{{0,20}}(?:\.\d{{1,9}})?[\s-]{{0,3}}(?:{_ANY})\b"
_TIME = re.compile(rf"(?<![\d.,/]){_ONE}(?:[\s,]{{0,3}}(?:(?:and|&)\s{{1,3}})?{_ONE}){{0,6}}", re.IGNORECASE)


def answer_in(text: str) -> tuple[str, str, str]:
    r"""Return the part of an answer that counts, as text for the released grader.

    The cue words are those of plans, see `planoracle.instances.model_output.cues`. Precedence: a time announced as
    final, a time in JSON, a time in double quotes, any other time. Among several of one kind the last counts, and the
    total time takes precedence over times of steps.

    Returns
    -------
    tuple
        The answer, a description of its place, and one of `planoracle.instances.protocol.plan.FAULTS` or ``""``.

    Examples
    --------
    >>> answer_in('Step 1 takes "10 min".')
    ('"10 min"', 'time in quotes', '')
    >>> answer_in('Step 1 takes "10 min". Final answer: **1 hr 30m**')
    ('"1 hour 30 min"', "time after 'Final answer:'", '')
    >>> answer_in("It takes 2 days. Wait, that is wrong.")[2], answer_in("It takes 2 or 3 days.")[2]
    ('no_plan', 'ambiguous')
    """
    message, cut = without_thinking(text)
    if cut:
        return "", "nothing", CUT_OFF
    if any(len(line) > MAX_REWRITTEN for line in message.split("\n")):
        return message, "time in quotes", ""  # left to the released grader
    best: _Time | None = None
    announced, cues, doubtful, seen = "", Cue(0), False, False
    for line in lines_of(message)[0]:
        seen = seen or _time_in(line.text) is not None
        if line.quoted or line.kind in ("said", "break", "observed"):
            continue
        if line.kind == "final":
            announced, cues = line.text, Cue(0)
            continue
        pieces = [(piece, cues_of(piece), False) for piece in pieces_of(line.text)]
        pieces += [(one, Cue(0), True) for value in line.values for one in _answers_in(value)]
        for piece, own, from_json in pieces:
            if Cue.RETRACTED in own:
                best, announced, cues, doubtful = None, "", Cue(0), False
                continue
            if line.kind == "note":
                continue
            cues |= own
            time = _time_in(piece)
            if time is None:
                announced = piece[:40] if Cue.FINAL in own else announced
                if Cue.NO_PLAN in own and not introduces(piece):
                    cues &= ~Cue.NO_PLAN
                continue
            rank = _rank(piece, bool(announced) or Cue.FINAL in own, from_json, time.quoted)
            part = f"time after '{announced or piece[:40]}'" if rank == _FINAL else _PARTS_BY_RANK[int(rank)]
            candidate, example = time._replace(rank=rank, part=part), Cue.NO_PLAN in cues
            other, announced, cues = Cue.OTHER in cues and Cue.CHOSEN not in cues, "", Cue(0)
            if example or (best is not None and rank < best.rank):
                continue
            doubtful = candidate.several or (
                other and best is not None and rank < _FINAL and best.value != candidate.value
            )
            best = candidate
    if best is None:
        return ("", "nothing", NO_PLAN) if seen else (message, "nothing", "")
    return best.text, best.part, AMBIGUOUS if doubtful else ""


class _Time(NamedTuple):
    """A candidate for the answer, as the released grader reads it."""

    text: str
    value: object
    quoted: bool
    several: bool
    rank: float = 0
    part: str = ""


def _rank(piece: str, final: bool, json: bool, quoted: bool) -> float:
    """Return the rank of a time: how likely it is the total time."""
    if final:
        return _FINAL
    likely = 0.5 if _WHOLE.search(piece) else -0.5 if _WOULD.search(piece) else 0
    return 3 if json else (2 if quoted else 1) + likely


def _time_in(piece: str) -> _Time | None:
    """Return the last time in a sentence, ``None`` if there is none."""
    better = _NOT.sub(" ", plain(piece))
    quotes = [one for one in _QUOTED.findall(better) if _readable(one)]
    times = [*_TIME.finditer(better)]
    last = quotes[-1] if quotes else _in_quotes(times[-1][0]) if times else ""
    if not last and not _readable(better):
        return None
    several = _NUMBERS.search(better) is not None
    if len(times) > 1:
        first, second = times[-2:]
        between = better[first.end() : second.start()]
        several = several or (
            _BETWEEN.fullmatch(between) is not None and read(_in_quotes(first[0])) != read(_in_quotes(second[0]))
        )
    return _Time(last or better, read(narrowed(last.lower())), bool(quotes) or not last, several)


def _answers_in(value: object) -> list[str]:
    """Return texts of a JSON value that may be an answer; in an object preferably the field ``answer``."""
    fields = value.items() if isinstance(value, dict) else ()
    named = [text for name, text in fields if "answer" in name.lower() and isinstance(text, str)]
    return named or [leaf for leaf in leaves(value, _no_step) if isinstance(leaf, str)]


def _no_step(value: object) -> list[str] | None:
    """Return ``None``: no value is a step itself."""
    return None


def _readable(text: str) -> bool:
    parts = [part for part in map(narrowed, candidates(text)) if " to " not in part]
    return any(time is not None and time[1] for time in map(read, parts))


def _in_quotes(time: str) -> str:
    """Write a time in quotes, with its units written out."""
    parts = [f"{one['number']} {next(unit for unit in _UNITS if one[unit])}" for one in _NAMED.finditer(time)]
    return f'"{" ".join(parts)}"'
