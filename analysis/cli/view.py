"""What the caller wants to see of a table: all columns, certain ones, or those that there is room for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Annotated, Any, NamedTuple

import typer

from planoracle.analysis.cli.options import with_options
from planoracle.analysis.spoken import tell

__all__ = ["View", "chosen", "viewable"]


class View(NamedTuple):
    """What is shown.

    Attributes
    ----------
    wide
        Every column of a table in full, whatever the terminal is.
    columns
        These, in this order; none: the usual ones.
    all
        Every field, in tables and csv.
    """

    wide: bool = False
    columns: tuple[str, ...] = ()
    all: bool = False

    def check(self, known: Iterable[str]) -> None:
        """Say which of the columns asked for there are not."""
        from planoracle.instances.similar import one_of

        there = list(known)
        for name in self.columns:
            if name not in there:
                tell(f"no result has a column {name!r}: {one_of(name, there)}", "warning")


_view: ContextVar[View] = ContextVar("view", default=View())  # noqa: B039  # it cannot be changed


def chosen() -> View:
    """Return what the caller wants to see."""
    return _view.get()


_PANEL = "Columns"
_OPTIONS = {
    "wide": (
        Annotated[
            bool,
            typer.Option("--wide", "-w", help="Show tables in full, in any terminal.", rich_help_panel=_PANEL),
        ],
        False,
    ),
    "some_columns": (
        Annotated[
            str | None,
            typer.Option("--columns", help="Show these, in every format: id,success.", rich_help_panel=_PANEL),
        ],
        None,
    ),
    "all_columns": (
        Annotated[
            bool,
            typer.Option(
                "--all-columns", help="Show every field that there is, in tables and csv.", rich_help_panel=_PANEL
            ),
        ],
        False,
    ),
}


def viewable(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb that writes tables with options for what they show; every other verb as it is."""
    signature = inspect.signature(verb, eval_str=True)
    form = getattr(signature.parameters.get("form"), "default", None)
    if not isinstance(form, Enum) or "table" not in type(form).__members__:
        return verb

    return with_options(verb, _OPTIONS, _viewed)


@contextmanager
def _viewed(*, wide: bool, some_columns: str | None, all_columns: bool) -> Iterator[None]:
    names = tuple(dict.fromkeys(name.strip() for name in (some_columns or "").split(",") if name.strip()))
    before = _view.set(View(wide, names, all_columns))
    try:
        yield
    finally:
        _view.reset(before)
