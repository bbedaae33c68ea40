"""``--instances DIR`` and ``--trust-paths``, which every verb has that reads submissions: what files these may name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.options import with_options

if TYPE_CHECKING:
    from planoracle.analysis.places import Places

__all__ = ["chosen_places", "with_paths"]

_OPTIONS = {
    "instances": (
        Annotated[
            list[Path] | None,
            typer.Option(
                "--instances",
                help="Folder whose files of problems submissions may name by their paths (repeatable).",
                metavar="DIR",
                exists=True,
                file_okay=False,
            ),
        ],
        None,
    ),
    "trust_paths": (
        Annotated[
            bool, typer.Option("--trust-paths", help="Let submissions name any file: only for plans of your own.")
        ],
        False,
    ),
}
_told: ContextVar[tuple[tuple[str, ...], bool]] = ContextVar("paths", default=((), False))  # no list


def with_paths(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb that reads submissions with the options, which hold while it runs; every other as it is."""
    if "problems" not in inspect.signature(verb).parameters:
        return verb
    return with_options(verb, _OPTIONS, _used)


@contextmanager
def _used(*, instances: list[Path] | None, trust_paths: bool) -> Iterator[None]:
    before = _told.set((tuple(map(str, instances or ())), trust_paths))
    try:
        yield
    finally:
        _told.reset(before)


def chosen_places(problems: Iterable[str] | None) -> Places:
    """Return which files submissions may name: those of the options, and the ones of ``--problems``."""
    from planoracle.analysis.places import Places

    folders, trusted = _told.get()
    return Places((*folders, *filter(exists, problems or ())), trusted)
