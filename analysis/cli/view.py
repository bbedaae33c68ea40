"""What the caller wants to see of a table: all columns, certain ones, or those that there is room for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum, StrEnum
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
    raw
        Texts of csv as they are, also those that a spreadsheet would run.
    """

    wide: bool = False
    columns: tuple[str, ...] = ()
    all: bool = False
    raw: bool = False

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


class Cells(StrEnum):
    """What becomes of texts in csv that a spreadsheet would run."""

    safe = "safe"
    raw = "raw"


_PANEL = "Columns"


def _options(begun: Callable[[str], list[str]]) -> dict[str, tuple[Any, Any]]:
    """Return the options; the function says which columns a shell offers."""
    wide = typer.Option("--wide", "-w", help="Show tables in full, in any terminal.", rich_help_panel=_PANEL)
    some = typer.Option(
        "--columns",
        help="Show these, in every format: id,success.",
        rich_help_panel=_PANEL,
        autocompletion=begun,
    )
    every = typer.Option(
        "--all-columns", help="Show every field that there is, in tables and csv.", rich_help_panel=_PANEL
    )
    cells = typer.Option(
        "--csv",
        help="Texts in csv that a spreadsheet would run as a formula: safe (a ' before them) or raw.",
        metavar="safe|raw",
        rich_help_panel=_PANEL,
    )
    return {
        "wide": (Annotated[bool, wide], False),
        "some_columns": (Annotated[str | None, some], None),
        "all_columns": (Annotated[bool, every], False),
        "cells": (Annotated[Cells, cells], Cells.safe),
    }


def viewable(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb that writes tables with options for what they show; every other verb as it is."""
    signature = inspect.signature(verb, eval_str=True)
    form = getattr(signature.parameters.get("form"), "default", None)
    if not isinstance(form, Enum) or "table" not in type(form).__members__:
        return verb

    return with_options(verb, _options(_begun(inspect.unwrap(verb).__globals__)), _viewed)


def _begun(module: Mapping[str, Any]) -> Callable[[str], list[str]]:
    """Return what says which columns of a verb's own table a shell offers for a list whose last one has been begun."""

    def begun(incomplete: str) -> list[str]:
        known = module["_COLUMNS"] if "_COLUMNS" in module else module.get("_columns", list)()
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [before + comma + name for name in known if name.startswith(last) and name not in given]

    return begun


@contextmanager
def _viewed(*, wide: bool, some_columns: str | None, all_columns: bool, cells: Cells) -> Iterator[None]:
    names = tuple(dict.fromkeys(name.strip() for name in (some_columns or "").split(",") if name.strip()))
    before = _view.set(View(wide, names, all_columns, cells is Cells.raw))
    try:
        yield
    finally:
        _view.reset(before)
