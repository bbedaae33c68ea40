"""Graded again: which rows of a run directory, or of a file of grades, are not what their submissions get."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.batch.pipeline import answered
from planoracle.analysis.batch.pool import Pool
from planoracle.analysis.batch.work import Item
from planoracle.analysis.submissions import Intake, Place, is_grade
from planoracle.instances.errors import InputError

__all__ = ["Count", "Regraded", "Written", "is_graded", "kept_in", "regraded"]

#: Returns the row that is kept of an item, ``None`` if there is none.
Kept = Callable[[Item], Any]

_NOTHING: Any = object()
# Fields of a row that say where its submission stands; runs do not keep them.
_PLACE = ("line", "source")


class Regraded(NamedTuple):
    """A row that is not what its submission gets: the fields that differ, as kept and as graded again."""

    place: Place
    kept: Any
    again: dict[str, Any]
    fields: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """Return the fields for a table."""
        kept = self.kept if isinstance(self.kept, dict) else {}
        return {
            "line": self.place.line,
            "source": self.place.source,
            "id": self.again.get("id"),
            "instance": self.again.get("instance"),
            "differs": ", ".join(self.fields),
            "kept": {name: kept.get(name) for name in self.fields},
            "again": {name: self.again.get(name) for name in self.fields},
        }


@dataclass
class Count:
    """What has been looked at: submissions with a row, without one, and those graded again."""

    found: int = 0
    missing: int = 0
    again: int = 0


def kept_in(journal: Journal) -> Kept:
    """Return what finds rows in a run directory."""

    def kept(item: Item) -> Any:
        text = None if item.key is None else journal.get(item.key)
        return None if text is None else _parsed(text)

    return kept


class Written:
    """Finds rows in a file that ``planoracle grade`` has written, by where their submissions stand.

    Raises
    ------
    InputError
        If it cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self._rows: dict[Place, Any] = {}
        self._nowhere = 0
        for _, row in Intake([path]):
            place = _place_of(row)
            if place is None:
                self._nowhere += 1
            else:
                self._rows[place] = "two rows" if place in self._rows else row
        self._asked: set[Place] = set()

    def __call__(self, item: Item) -> Any:
        """Return the row of an item, ``None`` if there is none."""
        self._asked.add(item.about)
        return self._rows.get(item.about)

    @property
    def left(self) -> int:
        """How many rows nobody has asked for, or can, as they are no grades or do not say where their submission is."""
        return self._nowhere + len(self._rows.keys() - self._asked)


def _place_of(row: Any) -> Place | None:
    """Return where the submission of a row stands, ``None`` if the row is no grade or does not say so."""
    if not is_grade(row) or type(row.get("line")) is not int or not isinstance(row.get("source"), str | None):
        return None
    return Place(row["line"], row.get("source"))


def is_graded(path: str) -> bool:
    """Whether a path is a file of grades."""
    try:
        return os.path.isfile(path) and any(is_grade(row) for _, row in islice(Intake([path]), 1))
    except InputError:
        return False


def regraded(
    items: Iterable[Item], kept: Kept, pool: Pool, count: Count, sample: int | None = None, seed: int = 0
) -> Iterator[Regraded | None]:
    """Grade submissions again, and yield what of each is not as its row says; ``None`` where nothing is.

    Parameters
    ----------
    sample
        How many of those that have a row, drawn by ``seed``; ``None``: all.
    """
    chosen = _with_rows(items, kept, count)
    if sample is not None:
        chosen = iter(_drawn(chosen, sample, Random(seed)))
    rows: dict[int, Any] = {}

    def asked() -> Iterator[Item]:
        for item, row in chosen:
            rows[id(item)] = row
            yield item

    for item, answer in answered(asked(), pool):
        count.again += 1
        assert answer.row is not None
        yield _difference(item.about, rows.pop(id(item)), json.loads(answer.row))


def _with_rows(items: Iterable[Item], kept: Kept, count: Count) -> Iterator[tuple[Item, Any]]:
    for item in items:
        row = kept(item)
        if row is None:
            # What cannot be read is no part of a run.
            count.missing += item.key is not None
            continue
        count.found += 1
        yield item, row


def _drawn(found: Iterable[tuple[Item, Any]], size: int, random: Random) -> list[tuple[Item, Any]]:
    """Return so many, each as likely as any other, in their order; no more are held at a time."""
    held: list[tuple[int, tuple[Item, Any]]] = []
    for number, one in enumerate(found):
        if len(held) < size:
            held.append((number, one))
        elif (place := random.randrange(number + 1)) < size:
            held[place] = (number, one)
    return [one for _, one in sorted(held, key=lambda entry: entry[0])]


def _difference(place: Place, kept: Any, again: dict[str, Any]) -> Regraded | None:
    if not isinstance(kept, dict):
        return Regraded(place, kept, again, ("row",))
    names = [name for name in {**again, **kept} if name not in _PLACE]
    fields = tuple(name for name in names if not _same(kept.get(name, _NOTHING), again.get(name, _NOTHING)))
    return Regraded(place, kept, again, fields) if fields else None


def _same(one: Any, two: Any) -> bool:
    """Whether two values are written alike: true is not 1."""
    if _NOTHING in (one, two):
        return one is two
    return json.dumps(one) == json.dumps(two)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
