"""How large a figure is made: for a column or a page of a paper, with what letters, title and resolution.

Who draws asks here, so that no function has to hand it on: `shaped` holds for everything drawn within.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from planoracle.instances.errors import InputError

#: Inches; most styles have columns of 3.25 to 3.5 inches and pages of 6.75 to 7.2.
WIDTHS: Final = {"column": 3.3, "page": 7.0}
#: Points of labels where nobody asks for a size; small letters are not made smaller than the least by a narrow figure.
_USUAL, _IN_PAGE, _IN_COLUMN, _LEAST = 8.5, 8.0, 7.0, 6.0
_NARROW = 5.0


class Shape(NamedTuple):
    """What a figure is to look like, whatever is drawn.

    Attributes
    ----------
    width
        In inches; ``None`` for what the content needs.
    font
        Points of labels, by which all letters grow or shrink; ``None`` for what suits the width.
    title
        ``None`` for the usual one, ``""`` for none.
    dpi
        Dots per inch of a PNG file.
    """

    width: float | None = None
    font: float | None = None
    title: str | None = None
    dpi: int = 150


_shape: ContextVar[Shape] = ContextVar("shape", default=Shape())  # noqa: B039  # it cannot be changed


def chosen() -> Shape:
    """Return the shape of what is drawn now."""
    return _shape.get()


@contextmanager
def shaped(shape: Shape) -> Iterator[None]:
    """Draw in a shape."""
    before = _shape.set(shape)
    try:
        yield
    finally:
        _shape.reset(before)


def scale() -> float:
    """Return how much larger letters, and what they must fit in, are than usual."""
    shape = chosen()
    if shape.font is not None:
        return shape.font / _USUAL
    if shape.width is None:
        return 1.0
    return (_IN_COLUMN if is_narrow() else _IN_PAGE) / _USUAL


def is_narrow() -> bool:
    """Whether a figure is made for a column."""
    width = chosen().width
    return width is not None and width < _NARROW


def points(size: float) -> float:
    """Return the size of letters that usually have ``size`` points.

    Examples
    --------
    >>> with shaped(Shape(width=3.3)):
    ...     points(8.5), points(6.5)
    (7.0, 6.0)
    """
    found = size * scale()
    return found if chosen().font is not None else max(found, min(size, _LEAST))


def width_of(text: str) -> float:
    """Return inches of a width: ``column``, ``page``, or a number from 1 to 40.

    Examples
    --------
    >>> width_of("column"), width_of("6.5")
    (3.3, 6.5)

    Raises
    ------
    InputError
        If it is none of these.
    """
    try:
        inches = WIDTHS[text] if text in WIDTHS else float(text)
    except ValueError:
        inches = 0.0
    if not 1 <= inches <= 40:
        raise InputError("must be column, page, or inches from 1 to 40", field="width", value=text)
    return inches
