"""Figures: what they show, at 24 and at 150 actions, and that nothing is cut off, overlaps or warns."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from support.batches import MAIN
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis import frames
from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.regret import DecisionRegret, RunRegret, regret
from planoracle.analysis.figures.gantt import differences, gantt, gantt_pair
from planoracle.analysis.figures.grouped_bars import grouped_bars
from planoracle.analysis.figures.methods import gap_distribution, performance_profile
from planoracle.analysis.figures.plan_figure import draw, draw_pair
from planoracle.analysis.figures.regret_curve import regret_staircase
from planoracle.analysis.figures.style import Shape, save, use_shape
from planoracle.analysis.statistics.groups import bin_names
from planoracle.heuristics.registry import names as heuristic_names
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.solve import solve as solve_any
from tests.support.grades import comparisons as compared
from tests.support.random_instances import workshop

COBBLER = "recipe2plan/timed/Cobbler_Pancakes"
SANDWICH = "kitchens/synchronous/0_cheese_sandwich"
GRID_KITCHEN = "paracook/cook/own/seed_1/agent_num_1/orders_num_1"
TASKS = "timearena/cooking1+cooking2"


def many(count: int = 150) -> Instance:
    """A shop of about so many actions in chains that meet, with windows, modes and machines."""
    actions, lags = [], []
    for i in range(count):
        task = f"order {i // 15}"
        uses = Mode((Demand(f"machine {i % 5}"),))
        own = Mode((Demand("bench"),), name="bench")
        attended = 4 if i % 3 else 0
        actions.append(Action(f"{task}/{i}", task, 4, attended, modes=(uses, own), label=f"carry out step {i}"))
        if i % 15:
            lags.append(
                Lag(f"order {(i - 1) // 15}/{i - 1 - (i % 15 > 9)}", actions[-1].id, 0, 30 if i % 7 == 0 else None)
            )
    machines = tuple(Resource(f"machine {k}") for k in range(5))
    return Instance(f"shop of {count}", tuple(actions), tuple(lags), (*machines, Resource("bench", 2)), ("Ann", "Bob"))


#: An instance and two of its schedules, by size.
Pairs = dict[str, tuple[Instance, Schedule, Schedule]]

BIG = many()


SMALL = catalog.load(COBBLER)


@pytest.fixture(scope="module")
def schedules() -> Pairs:
    """Two schedules of an instance of 24 and of one of 150 actions."""
    chosen = {}
    for name, instance, methods in (
        ("24", SMALL, ("improve", "parallel-lpt")),
        ("150", BIG, ("serial-lpt", "parallel-spt")),
    ):
        one, other = (run(instance, method).schedule for method in methods)
        assert one is not None
        assert other is not None
        chosen[name] = instance, one, other
    return chosen


@pytest.fixture(scope="module")
def comparisons() -> pd.DataFrame:
    methods = ("optimum", "reference", "parallel-lpt", "serial-lpt", "timearena-greedy", "asynctool-sequential")
    names = ["recipe2plan/timed/Cobbler_P*", "timearena/cooking/1", "asynctool/cross2/0?", workshop(4), workshop(9)]
    frame = compared(names, methods)
    # Measured times would place labels differently in each run.
    return frame.assign(seconds=[0.002 * 1.02**row for row in range(len(frame))])


def chain(costs: list[int | None], no_return: int | None = None, unit: str = "minute") -> RunRegret:
    """Regret of a plan whose decisions cost so much; from a cost that is not known on nothing is."""
    level: int | None = 100
    decisions = []
    for k, cost in enumerate(costs):
        after = None if level is None or cost is None else level + cost
        status = "optimal" if after is not None else "infeasible"
        decisions.append(
            DecisionRegret(k, f"do <b>{k}</b>", "act", k, k + 1, level, after, cost, status, after, after, None)
        )
        level = after
    return RunRegret(
        "chain",
        "generic",
        unit,
        False,
        tuple(decisions),
        100,
        None,
        None,
        no_return,
        "constraints",
        "proved",
        None,
        "unknown",
        None,
        1,
    )


@pytest.fixture(scope="module")
def drawings(schedules: Pairs, comparisons: pd.DataFrame) -> dict[str, Callable[..., Axes]]:
    """Every figure on real data, small and large, as a function of the axes."""
    cobbler = regret(SMALL, run(SMALL, "parallel-lpt").plan)
    wrong = regret(catalog.load("timearena/household1"), ["fly"] * 6)
    random = np.random.default_rng(0)
    costs = [int(cost) for cost in random.choice([0, 0, 0, 1, 5], 150)]
    functions: dict[str, Callable[..., Axes]] = {}
    for size, (instance, one, other) in schedules.items():
        functions[f"gantt {size}"] = lambda ax=None, i=instance, s=one: gantt(i, s, ax)
        functions[f"pair {size}"] = lambda ax=None, i=instance, s=one, t=other: gantt_pair(i, s, t, ax)
    functions["gaps"] = lambda ax=None: gap_distribution(comparisons, ax, title="gaps")
    functions["profile"] = lambda ax=None: performance_profile(comparisons, ax, title="profile")
    functions["profile against the optimum"] = lambda ax=None: performance_profile(
        comparisons[comparisons["method"].isin(["parallel-lpt", "serial-lpt"])], ax, against="optimum"
    )
    functions["regret 24"] = lambda ax=None: regret_staircase(cobbler, ax)
    functions["regret wrong"] = lambda ax=None: regret_staircase(wrong, ax)
    functions["regret 150"] = lambda ax=None: regret_staircase(chain([*costs[:-20], *[None] * 20], 130), ax)
    tasks = [
        {"model": model, "task": f"synchronous/{i}_two_lettuce_tomato_burger", "success": i / 9, "submissions": 10}
        for model in ("gpt-4o", "gpt-4o-mini")
        for i in range(10)
    ]
    functions["tasks"] = lambda ax=None: grouped_bars(tasks, "task", ax)
    bins = [
        {"model": model, "steps": name, "count": 9, "succeeded": 3, "failed": 6}
        | {"share_of_succeeded": 0.5, "share_of_failed": 0.25}
        for model in ("gpt-4o", "gpt-4o-mini")
        for name in bin_names((0, 5, 10, 20))
    ]
    functions["bins"] = lambda ax=None: grouped_bars(bins, "steps", ax)
    return functions


NAMES = (
    *("gantt 24", "gantt 150", "pair 24", "pair 150"),
    *("gaps", "profile", "profile against the optimum", "regret 24", "regret wrong", "regret 150"),
    *("tasks", "bins"),
)


#: Figures with names instead of values on an axis, or without ticks.
_NO_SCALE = ("gantt", "pair")


def rendered(ax: Axes) -> Figure:
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.savefig(BytesIO(), format="png")
    return figure


def texts(figure: Figure) -> Iterator[Text]:
    """Yield all texts that can be seen; ticks outside the axes are not drawn."""
    for ax in figure.axes:
        ticks = {
            id(label)
            for axis in (ax.xaxis, ax.yaxis)
            for label, at in zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
            if not min(axis.get_view_interval()) <= at <= max(axis.get_view_interval())
        }
        yield from (t for t in ax.findobj(Text) if t.get_visible() and t.get_text().strip() and id(t) not in ticks)


def legend(ax: Axes) -> list[str]:
    drawn = ax.get_legend()
    return [] if drawn is None else [text.get_text() for text in drawn.get_texts()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width"),
    sample([*((n, None) for n in NAMES), *((n, 3.3) for n in NAMES if "150" not in n)], 7, several=True),
)
def test_figures_have_no_clipped_or_overlapping_texts_or_warnings(
    name: str, width: float | None, drawings: dict[str, Callable[..., Axes]]
) -> None:
    before = dict(mpl.rcParams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="matplotlib|pyparsing")
        with use_shape(Shape(width)):
            ax = drawings[name]()
            figure = rendered(ax)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        has_scale = not name.startswith(_NO_SCALE) and not (name in ("gaps", "tasks") and axis is ax.yaxis)
        assert not has_scale or sum(low <= at <= high for at in axis.get_ticklocs()) >= 3
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []  # nothing to close
    seen = list(texts(figure))
    assert len(seen) >= 5
    for text in seen:
        box = text.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1, text
        assert figure.bbox.y0 - 1 <= box.y0 <= box.y1 <= figure.bbox.y1 + 1, text
    visible = {id(text) for text in seen}
    drawn = ax.get_legend()
    marks = [*ax.xaxis.get_ticklabels(), *ax.yaxis.get_ticklabels(), ax.xaxis.label, ax.yaxis.label]
    marks += [] if drawn is None else drawn.get_texts()
    boxes = [text.get_window_extent() for text in marks if id(text) in visible]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 + 1 or other.y1 <= one.y0 + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(NAMES, 8))
def test_given_axes_are_used_and_returned(name: str, drawings: dict[str, Callable[..., Axes]]) -> None:
    figure = Figure(figsize=(9, 5))
    left, right = figure.subplots(1, 2)
    assert drawings[name](right) is right
    rendered(right)
    assert figure.axes == [left, right]
    assert tuple(figure.get_size_inches()) == (9, 5)
    assert not left.has_data()


def test_differences_by_hand() -> None:
    one = Schedule((Piece("a", 0, 4, "x"), Piece("b", 4, 2, "x"), Piece("c", 6, 2, "x"), Piece("d", 9, 1, "x")))
    cut = Piece("c", 4, 1, "x"), Piece("c", 8, 1, "x")
    two = Schedule((Piece("a", 0, 4, "x"), Piece("b", 6, 2, "x"), *cut, Piece("e", 9, 1, "y")))
    expected = {"a": "same", "b": "moved", "c": "changed", "d": "only", "e": "only"}
    assert differences(one, two) == expected
    assert differences(two, one) == expected


def test_pair_shows_both_schedules() -> None:
    instance = Instance("k", (Action("t/a", "t", 4, 4), Action("t/b", "t", 2, 2)))
    upper = Schedule((Piece("t/a", 0, 4, "agent"), Piece("t/b", 4, 2, "agent")))
    lower = Schedule((Piece("t/a", 0, 4, "agent"), Piece("t/b", 7, 2, "agent")))
    ax = gantt_pair(instance, upper, lower, names=("best", "mine"))
    bars = {name: [patch for patch in ax.patches if patch.get_label() == name] for name in ("t/a", "t/b")}
    assert [bar.get_x() for bar in bars["t/b"]] == [4, 7]  # type: ignore[attr-defined]
    assert bars["t/b"][0].get_y() < bars["t/b"][1].get_y()  # type: ignore[attr-defined]
    pale, full = (min(bars[name][0].get_facecolor()[:3]) for name in ("t/a", "t/b"))  # type: ignore[index]
    assert pale > 0.8 > full
    headings = [text.get_text() for text in ax.texts]
    assert "best: makespan 6" in headings
    assert "mine: makespan 9 (+3)" in headings
    assert {"the same in both plans", "at a different time"} <= set(legend(ax))
    assert "in this plan only" not in legend(ax)


@pytest.mark.slow
def test_methods_and_plans_of_a_figure_have_different_colours() -> None:
    names = ["optimum", *heuristic_names(), *(f"model {k}" for k in range(6))]
    rows = [
        {
            "instance": f"i{k}",
            "method": name,
            "makespan": 10 + k + place,
            "gap": place / 10,
            "optimum": 10,
            "accepted": True,
        }
        for place, name in enumerate(names)
        for k in range(2)
    ]
    frame = frames.schema.from_rows("comparisons", rows)[0]
    curves = performance_profile(frame).get_legend().get_lines()
    assert len({line.get_color() for line in curves}) == len(curves) == len(names)
    dots = gap_distribution(frame).collections
    assert len({tuple(one.get_facecolor()[0]) for one in dots}) == len(dots) == len(names) - 1
    models = [{"model": name, "task": "a", "success": 0.5, "submissions": 2} for name in names]
    assert len({patch.get_facecolor() for patch in grouped_bars(models, "task").get_legend().get_patches()}) == len(
        names
    )
    instance = Instance("k", (Action("t/a", "t", 4, 4),))
    plan = Schedule((Piece("t/a", 0, 4, "agent"),))
    ends = [line.get_color() for line in gantt_pair(instance, plan, plan, names=("a.txt", "b.txt")).lines]
    assert len({*ends} - {"0.75"}) == 2


@pytest.mark.parametrize("models", sample([2, 24]))
def test_names_and_legends_of_narrow_figures_leave_room_for_the_axes(models: int) -> None:
    names = [f"a model with a name, {k}" for k in range(models)]
    rows = [
        {"model": name, "task": f"household{k}", "success": 0.0, "submissions": 2} for name in names for k in range(5)
    ]
    with use_shape(Shape(3.3)):
        ax = grouped_bars(rows, "task")
        curves = performance_profile(
            pd.DataFrame({"instance": "i", "method": names, "makespan": range(10, 10 + models), "accepted": True})
        )
    for axes in (ax, curves):
        rendered(axes)
        assert axes.get_window_extent().height > 1.4 * axes.figure.dpi
    texts = [text.get_window_extent() for text in ax.texts]  # names stand above level bars
    assert len(texts) == 5
    assert all(not box.overlaps(other) for box, other in pairwise(texts))
    assert ax.get_xlim()[0] == 0


def test_plan_with_unknown_agents_and_modes_is_drawn() -> None:
    instance = Instance("k", (Action("t/a", "t", 4, 4),))
    ax = gantt(instance, Schedule((Piece("t/a", 0, 4, "nobody", 7),)))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["nobody"]
    with pytest.raises(InputError, match="pieces"):
        gantt(instance, Schedule(tuple(Piece("t/a", i, 1, "agent") for i in range(6000))))


def test_caption_of_gaps_counts_unanswered_problems(comparisons: pd.DataFrame, tmp_path: Path) -> None:
    methods = ["parallel-lpt", "timearena-greedy"]
    drawn = comparisons[comparisons["method"].isin(["optimum", *methods])]
    with use_shape(Shape(3.3)):
        ax = gap_distribution(drawn)
        caption = save(lambda: gap_distribution(drawn), tmp_path / "x.svg")
    assert not ax.get_yticks().size  # names stand above their rows
    assert set(methods) <= {text.get_text() for text in ax.texts}
    part = comparisons[(comparisons["method"] == "timearena-greedy") & comparisons["optimum"].notna()]
    missing = int(part["makespan"].isna().sum())
    assert missing > 0
    assert re.search(rf"timearena-greedy: \d+ of {len(part)} optimal, {missing} without answer", caption)
    dots = sum(len(one.get_offsets()) for one in ax.collections)
    assert dots == comparisons[comparisons["method"].isin(methods)]["gap"].notna().sum()


def test_few_gaps_have_no_median(comparisons: pd.DataFrame) -> None:
    one = comparisons[(comparisons["instance"] == COBBLER) & comparisons["method"].isin(["reference", "parallel-lpt"])]
    ax = gap_distribution(one)
    assert [len(dots.get_offsets()) for dots in ax.collections] == [1, 1]
    assert (legend(ax), list(ax.patches)) == ([], [])


@pytest.mark.slow
def test_empty_frames_are_drawn() -> None:
    empty = frames.empty("comparisons")
    for figure in (gap_distribution, performance_profile):
        rendered(figure(empty))
    rendered(regret_staircase(chain([])))


@pytest.mark.slow
def test_regret_curve_follows_decisions() -> None:
    ax = regret_staircase(chain([0, 3, 0, 2, None, None], no_return=4), named=1)
    rendered(ax)
    stair = next(line for line in ax.lines if line.get_drawstyle() == "steps-post")
    heights = np.asarray(stair.get_ydata(), dtype=float)
    assert heights[:5].tolist() == [100, 100, 103, 103, 105]
    assert np.isnan(heights[5:]).all()
    labels = legend(ax)
    assert any(text.startswith("+3: do <b>1</b> (decision 2)") for text in labels)
    assert not any(text.startswith("+2") for text in labels)
    assert any(text.startswith("point of no return: do <b>4</b> (decision 5)") for text in labels)
    assert any("success impossible under the rules" in text for text in labels)


def test_graph_has_all_actions_and_lags() -> None:
    actions = (
        Action("t/a", "t", 2, 2),
        Action("t/b", "t", 3, 0),
        Action("t/c", "t", 1, 1, modes=(Mode(), Mode(after=("t/b",)))),
    )
    instance = Instance("i", actions, (Lag("t/a", "t/b", 1, 9), Lag("t/a", "t/c", None, 4)))
    graph = instance.to_networkx()
    kind = {"kind": "end to start"}
    assert nx.to_dict_of_dicts(graph) == {
        "t/a": {"t/b": {"minimum": 1, "maximum": 9, **kind}, "t/c": {"minimum": None, "maximum": 4, **kind}},
        "t/b": {"t/c": {"minimum": 0, "maximum": None, "mode": 1, **kind}},
        "t/c": {},
    }


@pytest.mark.slow
@pytest.mark.parametrize("against", ["optimum", "other.txt", "dfs"])
def test_gantt_against_another_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, against: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.txt").write_text(str(run(SMALL, "serial-lpt").plan), encoding="utf-8")
    result = CliRunner().invoke(app, ["gantt", COBBLER, "-H", "parallel-lpt", "--against", against, "-o", "x.svg"])
    assert result.exit_code == 0, result.output
    drawn = Path("x.svg").read_text(encoding="utf-8")
    alone = CliRunner().invoke(app, ["gantt", COBBLER, "-H", "parallel-lpt", "-o", "y.svg"])
    assert alone.exit_code == 0
    assert drawn.count("<g id=") > 1.5 * Path("y.svg").read_text(encoding="utf-8").count("<g id=")


@pytest.mark.slow
def test_pair_of_kitchen_plans_marks_actions_of_one_plan_only() -> None:
    kitchen = catalog.problem(SANDWICH)
    best = solve_any(kitchen)
    short = str(best.plan).splitlines()
    ax = draw_pair(kitchen, short, [*short[:2], "Do nothing", "Dance", *short[2:]], names=("best", "mine"))
    waits = [patch.get_x() for patch in ax.patches if str(patch.get_label()).startswith("wait/")]
    assert waits == [2]
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == ["robot1", "board1", "table1", "table2"] * 2
    assert {"in this plan only", "at a different time"} <= set(legend(ax))
    headings = [text.get_text() for text in ax.texts if "makespan" in text.get_text()]
    assert headings == [f"best: makespan {len(short)}", f"mine: makespan {len(short) + 1} (+1)"]
    rendered(ax)
    with pytest.raises(InputError, match="no action was carried out"):
        draw(kitchen, ["Dance"])


@pytest.mark.slow
def test_pair_of_grid_kitchen_plans_marks_equal_actions() -> None:
    kitchen = catalog.problem(GRID_KITCHEN)
    (cook,) = kitchen.agents
    west, up = ({"action": "MoveTo", "target": place} for place in ([6, 3], [6, 2]))
    wait = {"action": "Wait", "duration": 3}
    ax = draw_pair(kitchen, {cook: [west, wait, up]}, {cook: [west, up, wait]}, names=("one", "other"))
    bars = sorted((patch.get_x(), patch.get_width()) for patch in ax.patches if "/" in str(patch.get_label()))
    assert bars == [(0, 1), (0, 1), (1, 1), (1, 3), (2, 3), (4, 1)]
    rendered(ax)


@pytest.mark.slow
def test_examples_of_documentation_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path(__file__).resolve().parents[3] / ".docs" / "reference"
    pages = [(folder / f"{name}.md").read_text(encoding="utf-8") for name in ("frames", "comparisons", "figures")]
    blocks = re.findall(r"```python\n(?!>>>)(.*?)```", "".join(pages), re.DOTALL)
    assert len(blocks) >= 3
    exec("\n".join(blocks), {})
    assert {path.name for path in tmp_path.iterdir()} == {"comparisons.csv", "grades.parquet", "profile.svg"}


# --- settings of others -------------------------------------------------------------------------

#: Settings that change pictures; the first runs LaTeX with this preamble.
HOSTILE = r"""
text.usetex: True
text.latex.preamble: \immediate\write18{touch ran}
font.size: 30
axes.facecolor: red
savefig.facecolor: blue
svg.fonttype: none
path.sketch: 5, 50, 10
"""


def drawn_in(folder: Path, *arguments: str) -> bytes:
    """The picture that the command line draws in a folder."""
    call = [sys.executable, "-c", MAIN, *arguments, "-o", "plan.svg"]
    subprocess.run(call, cwd=folder, check=True, capture_output=True, timeout=120)
    return (folder / "plan.svg").read_bytes()


@pytest.mark.slow
def test_matplotlibrc_of_current_folder_is_ignored(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("plain", "hostile", "waiting")]
    for folder in folders:
        folder.mkdir()
    (folders[1] / "matplotlibrc").write_text(HOSTILE)
    os.mkfifo(folders[2] / "matplotlibrc")  # opening it blocks forever
    plain_one, *others = (drawn_in(folder, "gantt", TASKS) for folder in folders)
    assert others == [plain_one] * 2
    assert sorted(os.listdir(folders[1])) == ["matplotlibrc", "plan.svg"]


@pytest.mark.slow
def test_matplotlib_settings_of_session_do_not_change_files(
    tmp_path: Path, drawings: dict[str, Callable[..., Axes]]
) -> None:
    draw = next(iter(drawings.values()))
    save(draw, tmp_path / "one.svg")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none", "text.usetex": True}):
        before = dict(mpl.rcParams)
        save(draw, tmp_path / "two.svg")
        assert dict(mpl.rcParams) == before
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
