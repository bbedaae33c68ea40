"""``planoracle verify``: check bundled certificates, or those of a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from planoracle.analysis.cli.common import Run, begun
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.spoken import tell

_COLUMNS = ("instance", "profile", "makespan", "bound", "proved", "holds", "reason")
_LEAST = ("profile", "proved")


def verify(
    what: Annotated[
        str | None,
        typer.Argument(
            help="Name, prefix, glob or file of the problems; default: all bundled ones.",
            metavar="PROBLEM",
            autocompletion=begun,
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Argument(
            help="File of certificates, as explain --out writes them; default: the bundled ones.", metavar="PROOF"
        ),
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Check proofs that no schedule is shorter, step by step.

    Schedules and plans in proofs are replayed as well. A bound without a certificate is not checked: then the answer is
    "plan holds, bound not checked". A contradiction with a bundled optimum is an error. Two files that need Python
    alone do the same: python solver/explain/checker.py PROBLEM.json PROOF.json, and timetable.py beside it.

    Exit status: 0 if nothing is refuted, 1 if something is, or cannot be read.
    """
    if what is None or proof is None:
        raise typer.Exit(_shipped([] if what is None else [what], form))
    _certificates(what, str(proof), form)


def _shipped(names: list[str], form: Format) -> int:
    """Check what ships about bundled problems; in tables that people read, of many only those that do not hold."""
    from planoracle.analysis.verified import shipped
    from planoracle.instances import catalogue

    found = catalogue.expand(names) or catalogue.bundled()
    table = Table(form, _COLUMNS, least=_LEAST)
    count = Counter[bool | None]()
    for name in track(found, "verifying"):
        for one in shipped(name):
            count[one.holds] += 1
            if one.holds is False or names or form is not Format.table:
                table.add(one.row())
    if table.rows or form is not Format.table:
        table.close()
    tell(
        f"{count[True]} certificates hold; {count[None]} others have none: their plans hold, their bounds are not "
        f"checked; {count[False] or 'none'} refused"
    )
    return int(count[False] > 0)


def _certificates(problem: str, proof: str, form: Format) -> None:
    from planoracle.analysis.verified import certificates, verified
    from planoracle.instances.errors import InputError

    run = Run([problem], "reading", kitchens=True)
    problems = {instance.name: instance for instance, _ in run.each(lambda instance: None)}
    table, failed = Table(form, _COLUMNS, least=_LEAST), False
    for place, found in track(list(certificates(proof)), "verifying"):
        try:
            if isinstance(found, InputError):
                raise found
            one = verified(found, problems)
        except InputError as error:
            complain(error.at(place))
            failed = True
            continue
        table.add(one.row())
        failed |= one.holds is False
    table.close()
    run.exit(failed=failed)
