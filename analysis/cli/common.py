"""What several verbs share: turning names into instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.output import complain

__all__ = ["NamesArgument", "Reader", "schedule_rows"]

NamesArgument = Annotated[
    list[str], typer.Argument(help="Names, prefixes, globs (recipe2plan/*/Vada_*) or files.", metavar="NAME...")
]


class Reader:
    """Reads the instances behind names; a file that cannot be read is reported and passed over."""

    def __init__(self, names: list[str]) -> None:
        from planoracle.instances import catalogue

        self.names = catalogue.expand(names)
        self.failed = False

    def __iter__(self) -> Iterator[Any]:
        from planoracle.instances import catalogue
        from planoracle.instances.errors import InputError

        for name in self.names:
            try:
                yield from catalogue.read(name)
            except InputError as error:
                complain(error)
                self.failed = True


def schedule_rows(schedule: Any) -> list[dict[str, Any]] | None:
    """Return the pieces of a schedule as rows."""
    return None if schedule is None else [piece._asdict() for piece in schedule.pieces]
