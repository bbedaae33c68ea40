"""What the foot of the page says: from when the submissions are, what made the page, by which rules it judges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from planoracle.instances import registry
from planoracle.instances.errors import InputError
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions

#: The moment that builds which must be the same again set, in seconds since 1970.
EPOCH = "SOURCE_DATE_EPOCH"


def about(benchmarks: Iterable[str], profile: str, rules: Mapping[str, Rules], day: str | None) -> dict[str, Any]:
    """Describe what a page was made with.

    Parameters
    ----------
    benchmarks
        Those of the submissions; names that are of none are left out.
    profile, rules
        The name of the profile, and what it comes to for every benchmark.
    day
        That of the submissions, ``None`` if it is not known.

    Returns
    -------
    dict
        ``date``, ``versions``, ``profile``, and for each of the ``benchmarks`` its ``title``, the package that
        ``brought`` it (``None`` for ours) and its ``rules``, each ``[name, value]``.
    """
    brought = {point.name: point.dist for point in entry_points(group=registry.GROUP)}
    told = []
    for name in sorted(name for name in set(benchmarks) if registry.find(name) is not None):
        package = brought.get(name)
        told.append(
            {
                "title": registry.get(name).title,
                "brought": None if package is None else f"{package.name} {package.version}",
                "rules": [[rule.name, _said(getattr(rules[name], rule.name))] for rule in fields(rules[name])],
            }
        )
    return {"date": day, "versions": versions(), "profile": profile, "benchmarks": told}


def _said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def date_of(source: Path, given: str | None = None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the day of submissions, as 2026-11-22: nothing of the moment at which it is asked for is in it.

    It is the day that is ``given``; or else that of ``SOURCE_DATE_EPOCH``; or else that of the input's last change, in
    a folder that of its newest file (UTC). ``None`` if that is not known, as of a pipe.

    Raises
    ------
    InputError
        For what is no day, and for a ``SOURCE_DATE_EPOCH`` that is no whole number of seconds.

    Examples
    --------
    >>> date_of(Path("-"), "2026-11-22"), date_of(Path("-"), environment={"SOURCE_DATE_EPOCH": "86400"})
    ('2026-11-22', '1970-01-02')
    >>> date_of(Path("-"), environment={}) is None
    True
    """
    if given is not None:
        try:
            return date.fromisoformat(given).isoformat()
        except ValueError:
            raise InputError("must be a day such as 2026-11-22", field="date", value=given) from None
    moment = environment.get(EPOCH)
    if moment is not None:
        try:
            return _day(int(moment))
        except (ValueError, OverflowError, OSError):
            raise InputError("must be seconds since 1970", field=EPOCH, value=moment) from None
    newest = max(_changes(source), default=None)
    return None if newest is None else _day(newest)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _changes(source: Path) -> Iterator[float]:
    """Yield when the files of an input were changed last; no link in a folder is followed."""
    if source.is_file():
        yield source.stat().st_mtime
    elif source.is_dir():
        for folder, _, names in os.walk(source):
            yield from (os.lstat(os.path.join(folder, name)).st_mtime for name in names)
