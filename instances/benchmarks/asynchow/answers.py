"""Selection of the answer among the times of a text."""

from __future__ import annotations

import re
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.json_times import JsonTime, described, time_of
from planoracle.instances.benchmarks.asynchow.key_words import Rank
from planoracle.instances.benchmarks.asynchow.released_grader import MAX_REWRITTEN
from planoracle.instances.benchmarks.asynchow.time_text import (
    Seconds,
    StatedTime,
    has_unread_time,
    is_readable,
    time_in,
)
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.characters import plain, without_thinking
from planoracle.instances.model_output.cues import Cue, cues_of, introduces, pieces_of
from planoracle.instances.model_output.json_values import HOLE, extract_values, whole_value
from planoracle.instances.model_output.layout import TextLine, lines_of
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, NO_PLAN

#: Ranks of times: announced as final; in JSON; in double quotes; others. A problem hides unquoted times before it.
_FINAL, _JSON = 4.0, 3.0
_QUOTED, _PLAIN = 2.0, 1.0
_PROBLEM = 2.0
#: Ranks of times in JSON, by their keys; times of parts rank below times in sentences.
_JSON_RANKS = {
    Rank.PART: 0.2,
    Rank.UNKNOWN: _JSON,
    Rank.TIME: _JSON,
    Rank.TOTAL: _JSON + 0.2,
    Rank.ANSWER: _JSON + 0.4,
}
_TOTAL = re.compile(
    r"\b(?:shortest|total|overall|altogether|minimum|minimal|least|in all|everything|therefore|thus|hence|result"
    r"|finish\w*)\b",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:would|could|might|instead of|rather than|not)\b", re.IGNORECASE)

_VALUE = r"(?P<number>\d[\d,]{0,20}(?:\.\d{1,9})?)"
_MARKS = r"[\s*_`\"'>()-]{0,9}"
# A name and a number, such as "Total time (seconds): 6000", "The answer in minutes is 100.", "<seconds>6000</seconds>".
_KEYED = re.compile(
    rf"{_MARKS}(?P<name>[A-Za-z][^\"{{}}\n:=<>]{{0,99}}?){_MARKS}(?:[:=]|\bis\b){_MARKS}{_VALUE}"
    r"(?:\s{0,3}[(\[](?P<unit>[A-Za-z]{1,10})[)\]])?[\s*_`\"'.,!()]{0,9}"
)
_TAGGED = re.compile(rf"<(?P<name>[A-Za-z][\w-]{{0,60}})>\s{{0,9}}{_VALUE}\s{{0,9}}</(?P=name)>")
_BARE = re.compile(
    rf"{_MARKS}(?:(?:the|my|so|it|is|takes|final|answer|result|therefore|thus|hence|about|approximately)\b{_MARKS},?){{0,9}}"
    rf"{_MARKS}[\\$]{{0,2}}{_VALUE}[\s*_`\"'.!()}}$\\]{{0,9}}",
    re.IGNORECASE,
)
#: Number of cells of a row that are read.
_MAX_CELLS = 20
_OPEN_OBJECT = re.compile(r"\{[ \t\r\n]{0,99}\"[^\"\n]{1,80}\"[ \t]{0,9}:")


#: Answer of a JSON value such as {"answer": null}, for the released grader.
_NO_TIME = "no time"


class _Candidate(NamedTuple):
    """Time that may be the answer, or a number or text in its place that is unreadable."""

    text: str
    seconds: Seconds
    rank: float
    part: str
    is_ambiguous: bool = False
    problem: str = ""


def answer_in(text: str) -> tuple[str, str, str]:
    r"""Return the part of an answer that counts, as text for the released grader.

    The cue words are those of plans, see `planoracle.instances.model_output.cues`. Precedence: a time announced as
    final, a time in JSON, a time in double quotes, any other time. Among several of one kind the last counts, and the
    total time takes precedence over times of steps.

    Returns
    -------
    tuple
        The answer, a description of its place, and one of `planoracle.instances.protocol.plan.FAULTS` or ``""``.

    Raises
    ------
    PlanError
        If the answer is a number without a unit, or stands in JSON that is not complete.

    Examples
    --------
    >>> answer_in('Step 1 takes "10 min".')
    ('"10 min"', 'time in quotes', '')
    >>> answer_in('Step 1 takes "10 min". Final answer: **1 hr 30m**')
    ('"1 hour 30 min"', "time after 'Final answer:'", '')
    >>> answer_in('{"steps": [{"id": 1, "minutes": 30}], "total_minutes": 85}')
    ('"85 min"', 'JSON value', '')
    >>> answer_in("It takes 2 days. Wait, that is wrong.")[2], answer_in("It takes 2 or 3 days.")[2]
    ('no_plan', 'ambiguous')
    """
    message, is_cut = without_thinking(text)
    if is_cut:
        return "", "nothing", CUT_OFF
    document = whole_value(message)
    if isinstance(document, str) and document.lstrip()[:1] in ("{", "["):
        message = document
    elif not isinstance(document, dict | list) and any(len(line) > MAX_REWRITTEN for line in message.split("\n")):
        return message, "time in quotes", ""  # left to the released grader
    selection = _Selection(_broken_object(message))
    for line in lines_of(message)[0]:
        selection.add_line(line)
    return selection.result(message)


def _broken_object(text: str) -> int:
    """Return the line in which an incomplete JSON object begins, 0 without one."""
    if "{" not in text:
        return 0
    remaining = extract_values(text)[0]
    match = _OPEN_OBJECT.search(remaining.replace(HOLE, " "))
    if match is None:
        return 0
    return 1 + remaining.count("\n", 0, match.start())


class _Selection:
    """Selection of the answer, line by line."""

    def __init__(self, broken_line: int) -> None:
        self._broken_line = broken_line
        self._best: _Candidate | None = None
        self._is_doubtful = self._has_time = False
        self._announced = ""
        self._cues = Cue(0)
        self._header: TextLine | None = None
        self._last: TextLine | None = None

    def add_line(self, line: TextLine) -> None:
        """Read the sentences and the JSON values of a line."""
        self._has_time = self._has_time or time_in(line.text) is not None
        if line.quoted or line.kind in ("said", "break", "observed"):
            self._has_time = self._has_time or any(map(_states_time, line.values))
            return
        if line.kind == "final":
            self._announced, self._cues = line.text, Cue(0)
            return
        if line.text:
            self._last = line
        keyed = None if line.kind == "note" else self._keyed_time(line)
        if keyed is not None and keyed.text and not cues_of(line.text) & ~Cue.FINAL:
            final_cues = Cue.FINAL & cues_of(line.text)
            self._propose(line.text, final_cues, keyed, _PLAIN + 0.5)
            return
        for piece in pieces_of(line.text):
            self._add_piece(piece, line.kind)
        for value in line.values if line.kind != "note" else ():
            self._add_value(value)

    def _add_piece(self, piece: str, kind: str) -> None:
        """Read a sentence."""
        cues = cues_of(piece)
        if Cue.RETRACTED in cues:
            self._best, self._is_doubtful = None, False
            self._announced, self._cues = "", Cue(0)
            return
        if kind == "note":
            return
        self._cues |= cues
        stated: StatedTime | JsonTime | None = time_in(piece) or self._announced_number(piece)
        if stated is not None:
            self._propose(piece, cues, stated, _rank_of(piece, stated))
            return
        if Cue.FINAL in cues:
            self._announced = piece[:40]
        if Cue.NO_PLAN in cues and not introduces(piece):
            self._cues &= ~Cue.NO_PLAN

    def _add_value(self, value: object) -> None:
        """Read a JSON value; fragments of an incomplete object count only if they name a total time."""
        stated = time_of(value)
        if stated is None or (self._broken_line and stated.rank < Rank.TOTAL):
            return
        self._has_time = self._has_time or bool(stated.text)
        rank = _PROBLEM if stated.problem else _JSON_RANKS[stated.rank]
        self._propose("", Cue(0), stated, rank)

    def _propose(self, words: str, cues: Cue, stated: StatedTime | JsonTime, rank: float) -> None:
        """Take a time as the answer so far, unless a better one stands before it."""
        is_final = bool(self._announced) or Cue.FINAL in cues
        rank = _FINAL if is_final else rank
        part = _part_of(rank)
        if is_final:
            announcement = self._announced or words[:40]
            part = f"time after '{announcement}'"
        problem = stated.problem if isinstance(stated, JsonTime) else ""
        candidate = _Candidate(stated.text, stated.seconds, rank, part, stated.is_ambiguous, problem)
        is_example = Cue.NO_PLAN in self._cues
        is_alternative = Cue.OTHER in self._cues and Cue.CHOSEN not in self._cues
        self._announced, self._cues = "", Cue(0)
        best = self._best
        if is_example or (best is not None and rank < best.rank):
            return
        differs = best is not None and best.seconds != candidate.seconds
        self._is_doubtful = candidate.is_ambiguous or (is_alternative and differs and rank < _FINAL)
        self._best = candidate

    def _announced_number(self, piece: str) -> JsonTime | None:
        """Return the time of a number that is announced as final, by the unit in the announcement."""
        match = _BARE.fullmatch(piece) if self._announced and not self._broken_line else None
        if match is None:
            return None
        return _named_number(f"final {self._announced}", match["number"])

    def _keyed_time(self, line: TextLine) -> JsonTime | None:
        """Return the total time of a line such as "Total time (min): 85", or of a row of a table."""
        if self._broken_line or line.values or len(line.text) > 300:
            return None
        if line.kind == "table":
            return self._time_in_row(line)
        text = line.text.strip("{} ")
        match = _KEYED.fullmatch(text) or _TAGGED.fullmatch(text)
        if match is None:
            return None
        unit = match.groupdict().get("unit") or ""
        name = f"{match['name']} {unit}"
        stated = _named_number(name, match["number"])
        return stated if stated is not None and stated.rank >= Rank.TIME else None

    def _time_in_row(self, line: TextLine) -> JsonTime | None:
        """Return the total time in a row of a table, whose unit may be in the heading."""
        if self._header is None or self._header.group != line.group:
            self._header = line
        name, *cells = line.cells or [""]
        for heading, cell in zip(self._header.cells[1:_MAX_CELLS], cells, strict=False):
            if _BARE.fullmatch(cell):
                column = "" if self._header is line else heading
                stated = _named_number(f"{name} {column}", cell)
                if stated is not None and stated.rank >= Rank.TOTAL:
                    return stated
        return None

    def result(self, message: str) -> tuple[str, str, str]:
        """Return the answer, its place and its fault.

        Raises
        ------
        PlanError
            If the answer is unreadable.
        """
        best = self._best
        if best is None and not self._has_time and not is_readable(message):
            self._refuse_unreadable()
            return message, "nothing", ""
        if best is None:
            return "", "nothing", NO_PLAN
        if best.problem:
            raise PlanError(described(best.problem), field="answer")
        if not best.text:
            return _NO_TIME, "nothing", ""
        return best.text, best.part, AMBIGUOUS if self._is_doubtful else ""

    def _refuse_unreadable(self) -> None:
        """Raise an error for incomplete JSON, and for a text that ends with an unreadable time or number."""
        if self._broken_line:
            problem = f"the object that begins in line {self._broken_line} is not complete JSON"
            raise PlanError(described(problem), field="answer")
        line = self._last
        if line is None or line.quoted or len(line.text) > 300:
            return
        if has_unread_time(line.text):
            raise PlanError(described("the time has a form that is not read"), field="answer", value=line.text[:80])
        keyed = self._keyed_time(line)
        bare = _BARE.fullmatch(line.text)
        if keyed is not None or bare is not None:
            raise PlanError(described("the number has no unit"), field="answer", value=line.text[:80])


def _states_time(value: object) -> bool:
    """Return whether a JSON value contains a readable time."""
    stated = time_of(value)
    return stated is not None and stated.text != ""


def _named_number(name: str, number: str) -> JsonTime | None:
    """Return the time of a number after some words, such as "Total time in minutes"."""
    return time_of({plain(name): number})


def _rank_of(piece: str, stated: StatedTime | JsonTime) -> float:
    """Return the rank of a time in a sentence: how likely it is the total time."""
    if isinstance(stated, JsonTime):
        return _PROBLEM
    rank = _QUOTED if stated.is_quoted else _PLAIN
    if _TOTAL.search(piece):
        return rank + 0.5
    return rank - 0.5 if _WOULD.search(piece) else rank


def _part_of(rank: float) -> str:
    """Return the description of the place of a time of a rank."""
    if rank >= _JSON or rank == _JSON_RANKS[Rank.PART]:
        return "JSON value"
    return "time in quotes" if rank >= _QUOTED else "last time"
