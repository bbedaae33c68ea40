"""``--data NAME=DIR``, which every verb has that takes names of problems: whose data we do not bundle, the user has.

Folders are told by the environment, see `planoracle.instances.copies`, so that processes that a verb starts have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.options import with_options
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.instances.benchmark import AnyBenchmark

__all__ = ["with_data"]

_OPTIONS = {
    "data": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--data",
                help="Folder with the authors' own files, which the benchmark's names then mean (repeatable).",
                metavar="BENCHMARK=DIR",
            ),
        ],
        None,
    ),
    "originals": (Annotated[Path | None, typer.Option("--originals", hidden=True)], None),
}


def with_data(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb with the option, which holds while it runs."""
    return with_options(verb, _OPTIONS, _used)


@contextmanager
def _used(data: list[str] | None, originals: Path | None) -> Iterator[None]:
    if not data and originals is None:
        yield
        return
    from planoracle.instances import copies

    found = _folders([*_as_once(originals), *(data or ())])
    before = {name: copies.folder_of(name) for name in found}
    for name, folder in found.items():
        copies.use(name, folder)
    try:
        yield
    finally:
        for name, was in before.items():
            copies.use(name, was)


def _able() -> dict[str, AnyBenchmark]:
    from planoracle.instances import registry

    return {name: found for name in registry.names() if (found := registry.get(name)).data}


def _folders(entries: Iterable[str]) -> dict[str, Path]:
    """Return folders by benchmark; ends the program for what is none, or is no copy of its data."""
    from planoracle.instances.errors import InputError

    able, found = _able(), {}
    for entry in entries:
        name, _, folder = entry.partition("=")
        if name not in able or not isdir(folder):
            known = ", ".join(f"{one.name} ({one.data})" for one in reversed(able.values()))
            raise typer.BadParameter(f"must be NAME=FOLDER, NAME one of {known}; not {entry!r}", param_hint="--data")
        try:
            able[name].check_copy(Path(folder))
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--data") from None
        found[name] = Path(folder)
    return found


def _as_once(folder: Path | None) -> list[str]:
    """Return what is meant by the option that was for all benchmarks: those of whose data the folder may be a copy."""
    from planoracle.instances.errors import InputError

    entries = []
    for name, one in _able().items() if folder is not None else ():
        with suppress(InputError):
            one.check_copy(Path(str(folder)))
            entries.append(f"{name}={folder}")
    if folder is not None:
        tell(f"--originals {folder} is called --data {' --data '.join(entries)} now", "note")
    return entries
