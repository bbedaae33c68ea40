"""What several verbs share: going through the instances behind names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from planoracle.analysis.cli.output import complain, track
from planoracle.analysis.spoken import tell

__all__ = [
    "AgentsOption",
    "LimitOption",
    "NameArgument",
    "NamesArgument",
    "Notes",
    "OnlyOption",
    "OptionalNamesArgument",
    "Run",
    "begun",
    "begun_heuristic",
    "schedule_rows",
    "stated",
]


def begun(start: str) -> list[str]:
    """Return what a shell offers for a name that has been begun."""
    from planoracle.instances import catalogue

    return catalogue.begun(start)


def begun_heuristic(start: str) -> list[str]:
    """Return what a shell offers for the name of a heuristic that has been begun."""
    from planoracle.heuristics.registry import names

    return [name for name in names() if name.startswith(start)]


NamesArgument = Annotated[
    list[str],
    typer.Argument(help="Names, prefixes, globs (BENCHMARK/*/Vada_*) or files.", metavar="NAME", autocompletion=begun),
]
OptionalNamesArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Names, prefixes, globs (BENCHMARK/*/Vada_*) or files.", metavar="NAME", autocompletion=begun),
]
NameArgument = Annotated[str, typer.Argument(help="Name or file of one problem.", autocompletion=begun)]

AgentsOption = Annotated[
    int | None,
    typer.Option("--agents", help="The same problems with so many agents, all alike (as NAME~3).", min=1, max=999),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="What one of the --agents may do: agent2=TaskA,TaskB/action (repeatable).",
        metavar="AGENT=TASK,...",
    ),
]

LimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        help="Seconds of wall time for a question, so that answers depend on the machine; else work is counted.",
        min=0.0,
    ),
]

_T = TypeVar("_T")
# Names that are remembered, to be looked up once.
_MOST_NAMES = 10_000


def stated(**options: float | None) -> dict[str, Any]:
    """Return those of some options that the call states."""
    return {name: value for name, value in options.items() if value is not None}


class Run:
    """Applies a function to the instances behind names, one after the other.

    A file that cannot be read, or an instance that our tools fail on, is reported on standard error and
    passed over; ``failed`` then is true. Kitchens are instances only to those who ask for them.
    """

    def __init__(self, names: list[str], label: str, *, kitchens: bool = False) -> None:
        from planoracle.instances import catalogue

        self.names = catalogue.expand(names)
        self._kitchens = kitchens
        self.label = label
        self.failed = False

    def each(self, function: Callable[[Any], _T]) -> Iterator[tuple[Any, _T]]:
        """Yield every instance with the result of the function."""
        from planoracle.instances.catalogue import read_each
        from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
        from planoracle.instances.model import Instance
        from planoracle.instances.problem import of_kind

        for name in track(self.names, self.label):
            try:
                for found in read_each(name):
                    if isinstance(found, InputError):
                        complain(found)
                        self.failed = True
                        continue
                    instance = found if self._kitchens else of_kind(found, Instance)
                    yield instance, function(instance)
            except UnknownNameError:  # a mistake in the call, not in an instance
                raise
            except PlanoracleError as error:
                complain(error)
                self.failed = True

    def exit(self, *, failed: bool) -> NoReturn:
        """End the program: 0, or 1 if something could not be answered."""
        raise typer.Exit(1 if failed or self.failed else 0)


class Notes:
    """What is to be said of problems, each thing once: that they are not the benchmark's, where it is so."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self._seen: set[str] = set()

    def add(self, name: str | None) -> None:
        """Count a problem in."""
        if not name or name in self._seen:
            return
        from planoracle.instances.catalogue import note

        if len(self._seen) < _MOST_NAMES:
            self._seen.add(name)
        if said := note(name):
            self._said.setdefault(said)

    def close(self) -> None:
        """Say it on standard error."""
        for said in self._said:
            tell(said, "note")


def schedule_rows(schedule: Any) -> list[dict[str, Any]] | None:
    """Return the pieces of a schedule as rows."""
    return None if schedule is None else [piece._asdict() for piece in schedule.pieces]
