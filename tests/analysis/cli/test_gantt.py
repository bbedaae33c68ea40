from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.figures.gantt import gantt
from planoracle.analysis.figures.style import save
from planoracle.instances.benchmarks.recipe2plan.problems import load
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.exact.search import solve

BURNER = (Mode((Demand("burner"),)),)
CHOP = Action("soup/chop", "soup", 4, 4, interruptible=True, label="chop an onion")
BOIL = Action("soup/boil", "soup", 10, 1, modes=BURNER, label="boil")
FRY = Action("eggs/fry", "eggs", 6, 6, modes=BURNER)
COOL = Action("eggs/cool", "eggs", 8, 0, label="let cool")
REST = Action("eggs/rest", "eggs", 5, 0)
KITCHEN = Instance(
    "kitchen",
    (CHOP, BOIL, FRY, COOL, REST),
    resources=(Resource("burner", capacity=2), Resource("oven")),
    agents=("Ann", "Bob"),
    unit="minute",
)
SCHEDULE = Schedule.of(
    KITCHEN,
    [
        Piece("soup/chop", 0, 2, "Ann"),
        Piece("soup/boil", 2, 10, "Ann"),
        Piece("soup/chop", 3, 2, "Ann"),
        Piece("eggs/fry", 0, 6, "Bob"),
        Piece("eggs/cool", 6, 8, "Bob"),
        Piece("eggs/rest", 6, 5, "Bob"),
    ],
)


@pytest.fixture(scope="module")
def timed() -> tuple[Instance, Schedule]:
    instance = load("recipe2plan/timed/Cobbler_Pancakes")
    schedule = solve(instance).schedule
    assert schedule is not None
    return instance, schedule


def rendered(ax: Axes) -> Axes:
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(BytesIO(), format="png")
    return ax


def rows(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def windows(ax: Axes) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in ax.lines if line.get_label() == "window"]


def legend(ax: Axes) -> list[str]:
    drawn = ax.get_legend()
    assert drawn is not None
    return [text.get_text() for text in drawn.get_texts()]


def spans(ax: Axes, action: str) -> list[tuple[float, float, bool]]:
    """Return start, end and hatching of every bar of an action."""
    bars = [patch for patch in ax.patches if patch.get_label() == action]
    return sorted((bar.get_x(), bar.get_x() + bar.get_width(), bool(bar.get_hatch())) for bar in bars)


def test_each_piece_is_drawn_in_the_row_of_its_agent_or_object() -> None:
    ax = gantt(KITCHEN, SCHEDULE)
    assert rows(ax) == ["Ann", "Bob", "burner (2)", "unattended"]  # and no oven, which nobody uses
    assert spans(ax, "soup/chop") == [(0, 2, False), (3, 5, False)]
    assert spans(ax, "soup/boil") == [(2, 3, False), (2, 3, False), (3, 12, True)]  # agent and burner
    assert spans(ax, "eggs/fry") == [(0, 6, False), (0, 6, False)]
    assert spans(ax, "eggs/cool") == [(6, 14, True)]
    assert spans(ax, "eggs/rest") == [(6, 11, True)]
    assert len(ax.patches) == 9


def test_unattended_remainder_without_resource_has_its_own_row() -> None:
    instance = Instance("k", (Action("t/a", "t", 5, 2), Action("t/b", "t", 0, 0)))
    ax = gantt(instance, Schedule((Piece("t/a", 0, 5, "agent"), Piece("t/b", 5, 0, "agent"))))
    assert rows(ax) == ["agent", "unattended"]
    assert spans(ax, "t/a") == [(0, 2, False), (2, 5, True)]
    assert spans(ax, "t/b") == [(5, 5, True)]  # no width, but an edge


@pytest.mark.slow
def test_windows_are_drawn_only_for_maximum_lags(timed: tuple[Instance, Schedule]) -> None:
    instance, schedule = timed
    finish = schedule.finish()
    expected = [
        (finish[lag.before], finish[lag.before] + lag.maximum) for lag in instance.lags if lag.maximum is not None
    ]
    ax = gantt(instance, schedule)
    assert sorted(windows(ax)) == sorted(expected)
    assert any("window" in text for text in legend(ax))
    untimed = gantt(instance.without_maximum_lags("untimed"), schedule)
    assert windows(untimed) == []
    assert not any("window" in text for text in legend(untimed))


def test_window_lies_over_the_bar_whose_start_it_bounds() -> None:
    instance = replace(KITCHEN, lags=(Lag("eggs/fry", "eggs/cool", 0, 3),))
    ax = gantt(instance, SCHEDULE)
    bracket, start = (line for line in ax.lines if line.get_marker() in ("|", "v"))
    assert list(bracket.get_xdata()) == [6, 9]
    assert list(start.get_xdata()) == [6]
    (bar,) = (patch for patch in ax.patches if patch.get_label() == "eggs/cool")
    assert 0 < bar.get_y() - bracket.get_ydata()[0] < 0.5  # y grows downwards
    assert bracket.get_ydata()[0] == start.get_ydata()[0]


@pytest.mark.slow
def test_time_axis_has_labels_in_the_unit_of_the_problem(timed: tuple[Instance, Schedule]) -> None:
    ax = rendered(gantt(*timed))
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert {"0:00", "0:10", "1:00"} <= set(labels)
    assert ax.get_xlabel() == "time (h:mm)"
    assert "makespan 01:08:00" in [text.get_text() for text in ax.texts]
    seconds = replace(KITCHEN, unit="second")
    assert "0:04" in [label.get_text() for label in rendered(gantt(seconds, SCHEDULE)).get_xticklabels()]
    ax = rendered(gantt(KITCHEN, SCHEDULE))
    assert ax.get_xlabel() == "time (minutes)"
    assert "10" in [label.get_text() for label in ax.get_xticklabels()]
    assert "makespan 14" in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("name", ["chart.jpg", "chart", "png"])
def test_unknown_suffix_of_a_figure_file_is_refused(tmp_path, name: str) -> None:
    with pytest.raises(InputError, match=r"output: must end in \.png, \.svg or \.pdf") as caught:
        save(lambda: gantt(KITCHEN, SCHEDULE), str(tmp_path / name))
    assert caught.value.field == "output"
    assert not list(tmp_path.iterdir())


def test_default_file_has_the_name_of_the_problem_and_replaces_own_pictures_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["gantt", "timearena/household1", "-H", "serial-lpt", "--width", "column"]
    for _ in range(2):  # the second call draws the picture again
        done = CliRunner().invoke(app, call)
        assert (done.exit_code, done.stdout) == (0, "")
        assert "note: household1.png: timearena/household1" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["household1.png"]
    Path("household1.png").write_bytes(b"a photograph")
    refused = CliRunner().invoke(app, call)
    assert refused.exit_code == 1
    assert "output: exists and is no picture that planoracle drew; choose a file with --output" in str(
        refused.exception
    )
    assert Path("household1.png").read_bytes() == b"a photograph"


def test_second_schedule_is_the_optimum_a_heuristic_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["gantt", "recipe2plan/timed/Cobbler_Pancakes", "-o", "pair.svg", "--against"]
    assert CliRunner().invoke(app, [*call, "dfs"]).exit_code == 0
    drawn = Path("pair.svg").read_text(encoding="utf-8")
    assert "recipe2plan-dfs" in drawn
    unknown = CliRunner().invoke(app, [*call, "other.txt"]).exception
    assert isinstance(unknown, InputError)
    assert str(unknown).startswith("against: must be optimum, the name of a heuristic")
