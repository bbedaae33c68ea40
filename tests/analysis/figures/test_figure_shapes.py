"""Figures for papers: width, font size, embedded TrueType fonts, titles and resolution."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.figures import methods
from planoracle.analysis.figures.style import Shape, legend_below, new_axes, points, use_shape, width_of
from planoracle.instances.errors import InputError

NAME = "timearena/household1"


def drawn(tmp_path: Path, *words: str, suffix: str = ".png") -> bytes:
    path = tmp_path / f"x{suffix}"
    result = CliRunner().invoke(app, ["gantt", NAME, "-H", "serial-lpt", "-o", str(path), *words])
    assert result.exit_code == 0, result.output
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "inches"), sample([("column", 3.3), ("page", 7.0), ("a3", 16.5), ("4.5", 4.5)], several=True)
)
def test_figures_have_requested_width(tmp_path: Path, width: str, inches: float) -> None:
    (pixels,) = struct.unpack(">I", drawn(tmp_path, "--width", width, "--dpi", "100")[16:20])
    assert pixels == round(100 * inches)


@pytest.mark.slow
def test_pdf_has_truetype_fonts_and_requested_width_and_is_reproducible(tmp_path: Path) -> None:
    content = drawn(tmp_path, "--width", "page", suffix=".pdf")
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", content)
    assert box is not None
    assert float(box[1]) == 7.0 * 72
    assert drawn(tmp_path, "--width", "page", suffix=".pdf") == content


@pytest.mark.slow
def test_fonts_have_requested_size(tmp_path: Path) -> None:
    with use_shape(Shape(font=17)):
        assert points(8.5) == 17
    assert points(8.5) == 8.5
    assert drawn(tmp_path, "--font-size", "12") != drawn(tmp_path)


@pytest.mark.slow
def test_titles_are_replaced_or_omitted(tmp_path: Path) -> None:
    heights = [struct.unpack(">I", drawn(tmp_path, *words)[20:24])[0] for words in ((), ("--title", ""))]
    assert heights[0] >= heights[1]
    assert drawn(tmp_path, "--title", "mine") not in (drawn(tmp_path), drawn(tmp_path, "--title", ""))


@pytest.mark.parametrize("width", ["wide", "0", "99", "nan"])
def test_invalid_widths_are_rejected(width: str) -> None:
    with pytest.raises(InputError, match="width: must be column, page, a4, a3 or a number of inches"):
        width_of(width)


@pytest.mark.slow
def test_legends_fit_wider_letters_of_pdf() -> None:
    with use_shape(Shape(7.0)):
        for letters in (5, 9, 10, 16):
            ax = new_axes(None, 8, 3)
            legend_below(ax, [Patch(label="m" * letters) for _ in range(6)])
            assert ax.get_legend().get_window_extent().width <= 0.95 * ax.get_window_extent().width


def test_names_of_methods_agree_with_table(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    names: list[str] = []

    def drawn(frame: pd.DataFrame) -> Axes:
        names.extend(frame["method"])
        return new_axes(None, 1, 1)

    with mock.patch.object(methods, "gap_distribution", drawn):
        result = CliRunner().invoke(app, ["compare", NAME, "-o", str(path)])
    assert result.exit_code == 0, result.output
    assert {"released greedy", "printed greedy", "optimum without objects"} <= set(names)
    assert all(name.replace("_", " ") in result.stdout for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("figure", sample(["gaps", "profile"]))
def test_compare_draws_its_methods(tmp_path: Path, figure: str) -> None:
    path = tmp_path / "x.svg"
    call = ["compare", NAME, "timearena/household2", "-o", str(path), "--figure", figure, "--width", "column"]
    result = CliRunner().invoke(app, [*call, "--format", "latex"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(r"\begin{table}")
    assert "note: caption of x.svg: " in result.stderr
    size = re.search(r'width="([0-9.]+)pt"', path.read_text(encoding="utf-8"))
    assert size is not None
    assert float(size[1]) == pytest.approx(3.3 * 72)
