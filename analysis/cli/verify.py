"""``planoracle verify``: certificates of others, checked."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.cli.common import Run, begun
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track

_COLUMNS = ("instance", "kind", "bound", "makespan", "holds", "reason")
_LEAST = ("kind", "makespan")


def verify(
    problem: Annotated[
        str,
        typer.Argument(help="Name, prefix, glob or file of the problems.", metavar="PROBLEM", autocompletion=begun),
    ],
    proof: Annotated[
        str,
        typer.Argument(help="File of certificates, as explain --out writes them.", metavar="PROOF"),
    ],
    form: FormatOption = Format.table,
) -> None:
    """Check proofs that no schedule is shorter, step by step, each against the problem that it names.

    The same check is one file that needs Python alone: python solver/explain/checker.py PROBLEM.json PROOF.json.
    Exit status: 0 if all hold, 1 if one does not, or cannot be read.
    """
    from planoracle.analysis.verified import certificates, verified
    from planoracle.instances.errors import InputError

    run = Run([problem], "reading")
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
        failed |= not one.holds
    table.close()
    run.exit(failed=failed)
