"""Figures into files, the same bytes for the same figure."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from matplotlib import rc_context, rcdefaults, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planoracle.analysis.figures.shape import chosen
from planoracle.analysis.output_files import output_file
from planoracle.instances.errors import InputError

_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "planoracle", "svg.fonttype": "path", "pdf.fonttype": 42}
# Without dates the bytes depend on nothing but what is drawn.
_METADATA: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save(draw: Callable[[], Axes], path: str | Path) -> None:
    """Draw a figure into a PNG, SVG or PDF file, of the size in `planoracle.analysis.figures.shape`.

    Neither a file ``matplotlibrc`` nor the settings of the session change the file: ``draw`` is called with the
    defaults of matplotlib. A PDF holds its letters as a TrueType font (Type 42), as publishers ask; an SVG holds them
    as paths, so that it looks the same where the font is missing.

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
        figure = cast(Figure, draw().figure)
        try:
            drawn = BytesIO()
            figure.savefig(drawn, format=suffix[1:], dpi=chosen().dpi, metadata=_METADATA[suffix])
            with output_file(path) as stream:
                stream.buffer.write(drawn.getvalue())
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", field="output", value=str(path)) from None
