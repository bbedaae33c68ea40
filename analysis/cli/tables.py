"""``planoracle tables``: what papers print about their benchmarks, beside ours."""

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
    """Set the figures that papers print about their own benchmarks beside ours, and say what differs and why.

    What is called ours is counted in the bundled problems; lengths of plans are proved optima.
    """
    from planoracle.analysis.published import rows_of, with_tables
    from planoracle.instances import registry
    from planoracle.instances.errors import InputError

    for name in names or ():
        if not registry.get(name).tables:
            raise InputError(f"has no tables here; those of {', '.join(with_tables())} are", field="name", value=name)
    chosen = names or with_tables()
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
