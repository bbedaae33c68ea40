"""The part of a text that is its answer, where models do not put it in double quotes as they are asked to."""

from __future__ import annotations

import re

from planoracle.instances.asynchow.answers import MAX_REWRITTEN, candidates, narrowed, read
from planoracle.instances.outputs.characters import plain
from planoracle.instances.outputs.layout import lines_of
from planoracle.instances.outputs.thinking import spoken
from planoracle.instances.outputs.values import leaves

__all__ = ["answer_in"]

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


def answer_in(text: str) -> tuple[str, str]:
    r"""Return what counts of an answer as text that the released grader reads, and which part it is.

    A time in double quotes counts as it does there, unless another is announced as the final answer; without any, the
    last time of the text.

    Examples
    --------
    >>> answer_in('Step 1 takes "10 min".')
    ('Step 1 takes "10 min".', 'time in quotes')
    >>> answer_in('Step 1 takes "10 min".\nFinal answer: **1 hr 30m**')
    ('"1 hour 30 min"', "time after 'Final answer'")
    """
    said, _ = spoken(text)
    announced, scope, told = "", "", []
    lines, _, _ = lines_of(said)
    for line in lines:
        if line.kind == "final":
            announced, scope = line.text, ""
        told += [said for value in line.values for said in _said(value)]
        scope += f"\n{line.text}" if line.kind not in ("final", "said", "break") else ""
    if announced and (found := _last(scope)):
        return found, f"time after '{announced}'"
    if told and (found := _last(told[-1])):
        return found, "JSON value"
    if _readable(said):
        return said, "time in quotes"
    if (better := plain(said)) != said and _readable(better):
        return better, "time in quotes"
    found = _last("\n".join(line.text for line in lines))
    return (found, "last time") if found else (said, "nothing")


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
    if any(len(line) > MAX_REWRITTEN for line in text.split("\n")):
        return True  # for the released grader to judge
    parts = [part for part in map(narrowed, candidates(text)) if " to " not in part]
    return any(time is not None and time[1] for time in map(read, parts))


def _last(text: str) -> str:
    """Return the last time in a text in quotes, with its units written out; what is in quotes already as it is."""
    if _readable(text):
        return text.strip()
    times = _TIME.findall(text)
    if not times:
        return ""
    parts = [f"{one['number']} {next(unit for unit in _UNITS if one[unit])}" for one in _NAMED.finditer(times[-1])]
    return f'"{" ".join(parts)}"'
