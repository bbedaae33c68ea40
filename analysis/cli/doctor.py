"""``planoracle doctor``: whether the installation is sound."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.spoken import tell

_COLUMNS = ("check", "state", "found", "needs", "about")
_LEAST = ("needs",)
_OF_LICENCES = ("package", "version", "licence", "extra", "accepted")


def doctor(
    form: FormatOption = Format.table,
    licences: Annotated[
        bool,
        typer.Option("--licences", help="List the licences of all that is needed and installed, extras included."),
    ] = False,
) -> None:
    """Say whether this installation is sound, and what to do where it is not.

    Looks at versions, the cache, cores and memory, and at a solve and a grade whose answers are known.
    What is missing (an extra) is no fault. Exit status 1 if something is wrong; with --licences, if what is always
    needed has a licence that is not accepted.
    """
    if licences:
        raise typer.Exit(_licences(form))
    from planoracle.analysis.checkup import State, checkup

    table, found = Table(form, _COLUMNS, least=_LEAST), []
    for one in track(checkup(), "looking"):
        found.append(one)
        table.add({key: value or None for key, value in asdict(one).items()})
    table.close()
    for one in found:
        if one.state == State.wrong:
            complain(f"{one.check}: {': '.join(filter(None, (one.found, one.about)))}; {one.advice}")
        elif one.advice:
            tell(f"{one.check}: {one.advice}", "note")
    wrong = sum(one.state == State.wrong for one in found)
    tell(f"{wrong} of {len(found)} checks failed" if wrong else "all is well")
    raise typer.Exit(int(wrong > 0))


def _licences(form: Format) -> int:
    from planoracle.analysis.checkup import EXTRAS
    from planoracle.analysis.packages import licences

    table, refused = Table(form, _OF_LICENCES), []
    for one in licences(extras=EXTRAS):
        table.add({**asdict(one), "extra": one.extra or None, "accepted": one.accepted})
        if not one.accepted:
            refused.append(one)
    table.close()
    for one in refused:
        told = f"{one.package} {one.version}: its licence is {one.licence}, which is none of those accepted"
        if one.extra:
            tell(f"{told}; only the extra {one.extra} brings it", "note")
        else:
            complain(told)
    return int(any(not one.extra for one in refused))
