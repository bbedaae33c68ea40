"""``planoracle tables``: published figures about benchmarks, compared with those of the bundled problems."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table

_COLUMNS = ("benchmark", "table", "figure", "paper", "ours", "difference", "note")


def tables(
    names: Annotated[
        list[str] | None, typer.Argument(help="Benchmarks; by default all with such tables.", metavar="BENCHMARK")
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Compare figures published in the papers with recomputed ones.

    The column "ours" is of the bundled problems; lengths of plans are proved optima.
    """
    from planoracle.analysis.audit.tables import rows_of, with_tables
    from planoracle.instances import registry
    from planoracle.instances.errors import InputError

    benchmarks = with_tables()
    for name in names or ():
        if registry.get(name).name not in benchmarks:
            raise InputError(f"has no tables here; those of {', '.join(benchmarks)} are", field="name", value=name)
    chosen = names or benchmarks
    table = Table(form, _COLUMNS[len(chosen) == 1 :], least=("benchmark", "note"))
    rows = [row for name in chosen for row in rows_of(name)]
    if form in PEOPLE:  # with the decimals that the papers print
        for column in ("paper", "ours", "difference"):
            texts = ["-" if row[column] is None else str(row[column]) for row in rows]
            width = max(map(len, texts), default=0) if form is Format.table else 0
            for row, text in zip(rows, texts, strict=True):
                row[column] = text.rjust(width)
    for row in rows:
        table.add(row)
    table.close()
