"""Style of figures: width, fonts, title and resolution; axes, legends, fitted text; writing files.

Functions that draw read the shape from this module instead of a parameter, see `use_shape`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any, Final, NamedTuple, cast

import numpy as np
from matplotlib import rc_context, rcdefaults, rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend_handler import HandlerLine2D
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator
from matplotlib.transforms import ScaledTranslation, Transform

from planoracle.analysis.console import output_file, set_variable
from planoracle.instances.errors import InputError
from planoracle.instances.text import format_clock, visible

#: Inches; most styles have columns of 3.25 to 3.5 inches and pages of 6.75 to 7.2; sheets in landscape.
WIDTHS: Final = {"column": 3.3, "page": 7.0, "a4": 11.7, "a3": 16.5}
#: Default size of labels in points, and minimum size to which a narrow figure shrinks small letters.
_USUAL, _IN_PAGE = 8.5, 8.0
_IN_COLUMN, _LEAST = 7.0, 6.0
_NARROW = 5.0


class Shape(NamedTuple):
    """Width, font size, title and resolution of a figure.

    Attributes
    ----------
    width
        Width in inches; ``None`` for a width that fits the content.
    font
        Size of labels in points, which scales all letters; ``None`` for a size that suits the width.
    title
        ``None`` for the default title, ``""`` for no title.
    dpi
        Dots per inch of a PNG file.
    """

    width: float | None = None
    font: float | None = None
    title: str | None = None
    dpi: int = 150


_shape: ContextVar[Shape] = ContextVar("shape", default=Shape())  # noqa: B039  # it cannot be changed


def current_shape() -> Shape:
    """Return the shape of the figures being drawn."""
    return _shape.get()


def use_shape(shape: Shape) -> AbstractContextManager[None]:
    """Draw all figures within the context in a shape."""
    return set_variable(_shape, shape)


def scale() -> float:
    """Return the factor by which letters and their boxes are larger than usual."""
    shape = current_shape()
    if shape.font is not None:
        return shape.font / _USUAL
    if shape.width is None:
        return 1.0
    return (_IN_COLUMN if is_narrow() else _IN_PAGE) / _USUAL


def is_narrow() -> bool:
    """Return True if the figure has the width of a column."""
    width = current_shape().width
    return width is not None and width < _NARROW


def points(size: float) -> float:
    """Return the size of letters that usually have ``size`` points.

    Examples
    --------
    >>> with use_shape(Shape(width=3.3)):
    ...     points(8.5), points(6.5)
    (7.0, 6.0)
    """
    scaled = size * scale()
    return scaled if current_shape().font is not None else max(scaled, min(size, _LEAST))


def width_of(text: str) -> float:
    """Return a width in inches: ``column``, ``page``, ``a4``, ``a3``, or a number from 1 to 40.

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
        raise InputError("must be column, page, a4, a3 or a number of inches from 1 to 40", field="width", value=text)
    return inches


#: Dashes and markers that distinguish lines and points without colours.
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (9, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")

# Usable share of the width for a text below the axes: letters are a little wider in a PDF than when measured.
_SPARE = 0.94
#: Distance of the legend from the axes, in inches.
LEGEND_DROP = 0.5
# Height of a legend of two lines in inches, for which figures have room.
_USUAL_LEGEND = 0.4

_HOUR, _DAY = 3600, 86400
# Each is at most two and a half times the one before, so that an axis with space for six ticks has at least three.
_CLOCK_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)


def new_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ``ax``, or axes of a new figure that belongs to no window and needs no closing.

    It is as wide as `planoracle.analysis.figures.style` says, or else ``width`` inches; in a column it is lower.
    """
    if ax is not None:
        return ax
    if is_narrow():
        height *= 0.8
    size = current_shape().width or width, height
    return Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)).add_subplot()


def plain(text: str, limit: int = 40) -> str:
    r"""Shorten a name, and escape it so that matplotlib does not read it as a formula or hidden entry.

    Examples
    --------
    >>> plain("_$x$ "), plain("a long name", 8)
    (' _\\$x\\$', 'a long …')
    """
    text = visible(" ".join(text[: 4 * limit].split()))
    if len(text) > limit:
        text = f"{text[: limit - 1]}…"
    if text.startswith("_"):
        text = f" {text}"
    return text.replace("$", r"\$")


def shade(colour: str, hatch: str | None = None) -> dict[str, Any]:
    """Return the style of an area: full colour, or pale and hatched."""
    full = np.array(to_rgb(colour))
    return {"facecolor": 0.8 + 0.2 * full if hatch else full, "edgecolor": 0.4 * full, "lw": 0.8, "hatch": hatch}


def title(ax: Axes, text: str, *, pad: float = 6, limit: int = 80) -> None:
    """Write a title at the left: the title of the shape, or else the text."""
    shape_title = current_shape().title
    text = plain(text if shape_title is None else shape_title, limit)
    width = 0.72 * ax.figure.bbox.width / ax.figure.dpi * 72
    letters = int(width / (0.58 * points(10)))
    ax.set_title(fill(text, max(10, letters)), loc="left", pad=pad, fontsize=points(10))


def name_rows(ax: Axes, rows: Sequence[tuple[float, float, str]]) -> None:
    """Write names of rows beside them, or in a narrow figure above them.

    Parameters
    ----------
    rows
        Upper end and lower end on the vertical axis, and name of each row.
    """
    ax.tick_params(axis="y", length=0)
    if not is_narrow():
        middles = [(top + bottom) / 2 for top, bottom, _ in rows]
        ax.set_yticks(middles, [plain(name) for *_, name in rows], fontsize=points(8.5))
        return
    ax.set_yticks([])
    look: dict[str, Any] = {"fontsize": points(8.5), "color": "0.25", "textcoords": "offset points", "va": "top"}
    for top, _, name in rows:
        ax.annotate(plain(name), (0, top), (2, -1), ax.get_yaxis_transform(), zorder=4, **look)


def bare(ax: Axes) -> None:
    """Hide the upper and right lines of the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)


def clock(tick: int, unit: str) -> str:
    """Return an instant or duration as text: as a clock if ticks are seconds, milliseconds as seconds.

    Examples
    --------
    >>> clock(90, "second"), clock(90, "minute"), clock(24010, "millisecond")
    ('00:01:30', '90', '24.01 s')
    """
    if unit == "millisecond":
        return f"{tick / 1000:.10g} s"
    if unit != "second":
        return str(tick)
    sign = "-" if tick < 0 else ""
    return f"{sign}{format_clock(abs(tick))}"


def value_axis(axis: Axis) -> None:
    """Set at least three round ticks on an axis."""
    axis.set_major_locator(MaxNLocator(5 if is_narrow() else 7, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))


def time_axis(ax: Axes, span: int, unit: str) -> None:
    """Set round ticks on the time axis: as a clock if ticks are seconds."""
    seconds = unit == "second"
    max_ticks = 1.5 * ax.get_window_extent().width / ax.figure.dpi
    step = round_step(span, max(5.0, max_ticks), seconds)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    if unit == "millisecond":
        label, unit_text = _millisecond_label, "seconds"
    elif not seconds:
        label, unit_text = _number_label, f"{unit}s"
    elif step >= _DAY:
        label, unit_text = _day_label, "days"
    elif span >= _HOUR:
        label, unit_text = _hour_label, "h:mm"
    else:
        label, unit_text = _minute_label, "m:ss"
    ax.xaxis.set_major_formatter(FuncFormatter(label))
    ax.set_xlabel(plain(f"time ({unit_text})"), fontsize=points(8.5))
    ax.tick_params(axis="x", labelsize=points(8))
    ax.grid(axis="x", color="0.88", lw=0.6)


def _number_label(tick: float, _: int | None) -> str:
    return f"{tick:.0f}"


def _millisecond_label(tick: float, _: int | None) -> str:
    return f"{tick / 1000:g}"


def _day_label(tick: float, _: int | None) -> str:
    return f"{tick / _DAY:.0f}"


def _hour_label(tick: float, _: int | None) -> str:
    return format_clock(round(tick))[:-3].removeprefix("0")


def _minute_label(tick: float, _: int | None) -> str:
    return format_clock(round(tick))[3:].removeprefix("0")


def round_step(span: int, room: float, seconds: bool) -> int:
    """Return the smallest round step that divides ``span`` into at most ``room`` parts."""
    steps = [step for step in _CLOCK_STEPS if seconds and (step >= 60 or span < _HOUR)]
    unit = _DAY if seconds else 1
    for power in range(20):
        steps += [digit * 10**power * unit for digit in (1, 2, 5)]
    return next(step for step in steps if span / step <= room)


def legend_below(ax: Axes, handles: Sequence[Patch | Line2D]) -> float:
    """Put a legend below the axis label, in as many columns as fit; return its height in inches."""
    if not handles:
        return 0.0
    cast(Figure, ax.figure).draw_without_rendering()  # names of rows may take much of the width
    room = _SPARE * ax.get_window_extent().width
    lines = [handle for handle in handles if isinstance(handle, Line2D)]
    single_marks = [line for line in lines if line.get_linestyle() == "None" or line.get_markevery()]
    single = {line: HandlerLine2D(numpoints=1) for line in single_marks}
    options: dict[str, Any] = {"bbox_to_anchor": (0, 0), "bbox_transform": below(ax, LEGEND_DROP), "borderaxespad": 0}
    options |= {"numpoints": 2, "fontsize": points(8), "frameon": False, "handlelength": 2.6, "handler_map": single}
    single_column = ax.legend(handles=list(handles), loc="upper left", **options)
    narrowest_text = min(text.get_window_extent().width for text in single_column.get_texts())
    max_columns = min(len(handles), int(room / max(narrowest_text, 1)))
    for columns in range(max(max_columns, 1), 0, -1):
        legend = ax.legend(handles=list(handles), loc="upper left", ncols=columns, **options)
        if legend.get_window_extent().width <= room:
            break
    labels = [text.get_text() for text in legend.get_texts()]
    for letters in range(max(map(len, labels)), 15, -1):
        if legend.get_window_extent().width <= room:
            break
        for text, label in zip(legend.get_texts(), labels, strict=True):
            text.set_text(fill(label, letters))
    return float(legend.get_window_extent().height / ax.figure.dpi)


def below(ax: Axes, drop: float) -> Transform:
    """Return a transform with its origin ``drop`` inches below the left end of the axes."""
    return ax.transAxes + ScaledTranslation(0, -drop, ax.figure.dpi_scale_trans)


def write_below(ax: Axes, paragraphs: Iterable[str], drop: float, size: float) -> float:
    """Write paragraphs ``drop`` inches below the axes, at their width; return the height in inches."""
    size, texts = points(size), list(paragraphs)
    room = _SPARE * ax.get_window_extent().width
    text = ax.text(0, 0, "", transform=below(ax, drop), va="top", fontsize=size, linespacing=1.3, gid="key")
    max_letters = max(16, int(room / ax.figure.dpi * 72 / (0.45 * size)))
    for letters in range(max_letters, 15, -1):
        text.set_text("\n".join(fill(paragraph, letters) for paragraph in texts))
        if text.get_window_extent().width <= room:
            break
    return float(text.get_window_extent().height / ax.figure.dpi)


def finish(
    ax: Axes,
    text: str,
    handles: Sequence[Patch | Line2D],
    *,
    is_new: bool,
    x: str = "",
    y: str = "",
    **grid: Any,
) -> Axes:
    """Add labels of the axes, grid, legend and title to a chart; return the axes.

    A new figure grows by a high legend, which would otherwise take the room of the axes.
    """
    ax.set_xlabel(x, fontsize=points(8.5))
    if y:
        ax.set_ylabel(y, fontsize=points(8.5))
    ax.tick_params(labelsize=points(8))
    ax.grid(lw=0.6, **{"color": "0.9", **grid})
    bare(ax)
    legend = legend_below(ax, handles)
    if is_new:
        figure = cast(Figure, ax.figure)
        figure.set_figheight(figure.get_figheight() + max(0.0, legend - _USUAL_LEGEND))
    title(ax, text)
    return ax


_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "planoracle", "svg.fonttype": "path", "pdf.fonttype": 42}
# Bytes at the beginning of a PNG file that contain its source.
_HEAD = 1024
# Without dates, equal figures have equal bytes.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Source": "planoracle"},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def save(draw: Callable[[], Axes], path: str | Path) -> str:
    """Draw a figure into a PNG, SVG or PDF file, of the size in `planoracle.analysis.figures.style`.

    Returns the caption of the figure, which functions that draw frames set as the label of their axes; it is empty if
    there is none.

    Neither a file ``matplotlibrc`` nor the settings of the session change the file: ``draw`` is called with the
    defaults of matplotlib. A PDF embeds its letters as a TrueType font (Type 42), as publishers require; an SVG
    contains them as paths, so that it looks the same without the font.

    Raises
    ------
    InputError
        If ``path`` has another suffix or cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _METADATA:
        raise InputError("must end in .png, .svg or .pdf", field="output", value=str(path))
    with rc_context():
        rcdefaults()
        rcParams.update(_SETTINGS)
        axes = draw()
        figure = cast(Figure, axes.figure)
        try:
            drawn = BytesIO()
            figure.savefig(drawn, format=suffix[1:], dpi=current_shape().dpi, metadata=_METADATA[suffix])
            with output_file(path) as stream:
                stream.buffer.write(drawn.getvalue())
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", field="output", value=str(path)) from None
    return str(axes.get_label())


def is_drawn(path: str | Path) -> bool:
    """Return True for a PNG file that `save` wrote."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
    return head.startswith(b"\x89PNG") and b"tEXtSource\0planoracle" in head
