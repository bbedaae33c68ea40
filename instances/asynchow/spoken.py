"""The part of a text that is its answer, where models do not put it in double quotes as they are asked to."""

from __future__ import annotations

import re
from typing import NamedTuple

from planoracle.instances.asynchow.answers import MAX_REWRITTEN, candidates, narrowed, read
from planoracle.instances.outputs.characters import plain, spoken
from planoracle.instances.outputs.cues import Cue, cues_of, introduces, pieces_of
from planoracle.instances.outputs.layout import lines_of
from planoracle.instances.outputs.values import leaves
from planoracle.instances.plan import AMBIGUOUS, CUT_OFF, NO_PLAN

_FINAL = 4
_WHERE = {0: "last time", 1: "last time", 2: "time in quotes", 3: "JSON value"}
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
    r"""Return what counts of an answer as text that the released grader reads, which part it is, and what is wrong.

    The same words as for plans decide, see `planoracle.instances.outputs.cues`. Of what is left a time that is
    announced as final counts before one in JSON, that before one in double quotes, and that before any other; of
    several of one kind the last, and the time of everything before those of steps.

    Returns
    -------
    tuple
        The answer, its part, and one of `planoracle.instances.plan.FAULTS` or nothing.

    Examples
    --------
    >>> answer_in('Step 1 takes "10 min".')
    ('"10 min"', 'time in quotes', '')
    >>> answer_in('Step 1 takes "10 min". Final answer: **1 hr 30m**')
    ('"1 hour 30 min"', "time after 'Final answer:'", '')
    >>> answer_in("It takes 2 days. Wait, that is wrong.")[2], answer_in("It takes 2 or 3 days.")[2]
    ('no_plan', 'ambiguous')
    """
    said, cut = spoken(text)
    if cut:
        return "", "nothing", CUT_OFF
    if any(len(line) > MAX_REWRITTEN for line in said.split("\n")):
        return said, "time in quotes", ""  # for the released grader to judge
    best: _Time | None = None
    announced, cues, doubtful, seen = "", Cue(0), False, False
    for line in lines_of(said)[0]:
        seen = seen or _time_in(line.text) is not None
        if line.quoted or line.kind in ("said", "break", "observed"):
            continue
        if line.kind == "final":
            announced, cues = line.text, Cue(0)
            continue
        pieces = [(piece, cues_of(piece), False) for piece in pieces_of(line.text)]
        pieces += [(one, Cue(0), True) for value in line.values for one in _said(value)]
        for piece, own, json in pieces:
            if Cue.RETRACTED in own:
                best, announced, cues, doubtful = None, "", Cue(0), False
                continue
            if line.kind == "note":
                continue
            cues |= own
            found = _time_in(piece)
            if found is None:
                announced = piece[:40] if Cue.FINAL in own else announced
                if Cue.NO_PLAN in own and not introduces(piece):
                    cues &= ~Cue.NO_PLAN
                continue
            rank = _rank(piece, bool(announced) or Cue.FINAL in own, json, found.quoted)
            where = f"time after '{announced or piece[:40]}'" if rank == _FINAL else _WHERE[int(rank)]
            now, example = found._replace(rank=rank, where=where), Cue.NO_PLAN in cues
            other, announced, cues = Cue.OTHER in cues and Cue.CHOSEN not in cues, "", Cue(0)
            if example or (best is not None and rank < best.rank):
                continue
            doubtful = now.several or (other and best is not None and rank < _FINAL and best.value != now.value)
            best = now
    if best is None:
        return ("", "nothing", NO_PLAN) if seen else (said, "nothing", "")
    return best.text, best.where, AMBIGUOUS if doubtful else ""


class _Time(NamedTuple):
    """A time that may be the answer: as the released grader reads it, and whether another one stands beside it."""

    text: str
    value: object
    quoted: bool
    several: bool
    rank: float = 0
    where: str = ""


def _rank(piece: str, final: bool, json: bool, quoted: bool) -> float:
    """Return how likely a time is that of everything."""
    if final:
        return _FINAL
    likely = 0.5 if _WHOLE.search(piece) else -0.5 if _WOULD.search(piece) else 0
    return 3 if json else (2 if quoted else 1) + likely


def _time_in(piece: str) -> _Time | None:
    """Return the last time in a sentence, ``None`` if there is none."""
    better = _NOT.sub(" ", plain(piece))
    quotes = [one for one in _QUOTED.findall(better) if _readable(one)]
    times = [*_TIME.finditer(better)]
    last = quotes[-1] if quotes else _converted(times[-1][0]) if times else ""
    if not last and not _readable(better):
        return None
    several = _NUMBERS.search(better) is not None
    if len(times) > 1:
        first, second = times[-2:]
        between = better[first.end() : second.start()]
        several = several or (_BETWEEN.fullmatch(between) is not None and _value(first[0]) != _value(second[0]))
    return _Time(last or better, read(narrowed(last.lower())), bool(quotes) or not last, several)


def _value(time: str) -> object:
    return read(_converted(time))


def _said(value: object) -> list[str]:
    """Return the texts in a JSON value that may be an answer, of an object that which is called so."""
    if isinstance(value, dict):
        named = [held for name, held in value.items() if "answer" in name.lower() and isinstance(held, str)]
        if named:
            return named
    return [leaf for leaf in leaves(value, _nothing) if isinstance(leaf, str)]


def _nothing(value: object) -> list[str] | None:
    """No value is itself a step."""
    return None


def _readable(text: str) -> bool:
    parts = [part for part in map(narrowed, candidates(text)) if " to " not in part]
    return any(time is not None and time[1] for time in map(read, parts))


def _converted(time: str) -> str:
    """Return a time in quotes, with its units written out."""
    parts = [f"{one['number']} {next(unit for unit in _UNITS if one[unit])}" for one in _NAMED.finditer(time)]
    return f'"{" ".join(parts)}"'
