"""Options of the verbs that draw: width, letters, title and resolution of the picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.options import with_options

__all__ = ["drawing"]

_PANEL = "Picture"
_OPTIONS = {
    "width": (
        Annotated[
            str | None,
            typer.Option(
                help="Width: column (3.3 inches), page (7), or inches.",
                metavar="WIDTH",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "font_size": (
        Annotated[
            float | None,
            typer.Option(
                help="Points of labels; all letters follow. By default 7 in a column, 8 in a page.",
                min=3,
                max=40,
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "picture_title": (
        Annotated[str | None, typer.Option("--title", help="Title; '' for none.", rich_help_panel=_PANEL)],
        None,
    ),
    "dpi": (
        Annotated[int, typer.Option(help="Dots per inch of a PNG.", min=30, max=1200, rich_help_panel=_PANEL)],
        150,
    ),
}


def drawing(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb that draws with options for the shape of its picture."""
    return with_options(verb, _OPTIONS, _drawn)


@contextmanager
def _drawn(*, width: str | None, font_size: float | None, picture_title: str | None, dpi: int) -> Iterator[None]:
    from planoracle.analysis.figures.shape import Shape, shaped, width_of

    with suppress(FileNotFoundError), chdir(os.sep):  # unless the current folder was deleted, with all files in it
        import matplotlib  # noqa: F401  # evaluates the file matplotlibrc of the current folder, which is untrusted
    with shaped(Shape(None if width is None else width_of(width), font_size, picture_title, dpi)):
        yield
