"""Labels of bars, the key of numbers, states, lags and colours of figures."""

from __future__ import annotations

import re

import pytest
from matplotlib.axes import Axes
from support.samples import sample

from planoracle.analysis.figures.bar_colours import palette
from planoracle.analysis.figures.colours import PALETTE
from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.figures.labels import FittedText
from planoracle.analysis.figures.style import Shape, use_shape
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.report.charts import chart
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.registry import of
from planoracle.solver.solve import solve

#: Firing of pots: the kiln is warm at first; drying takes two hours and does not use the wheel.
POTS = Instance(
    "pots",
    (
        Action("pots/throw", "pots", 3, 3, label="throw"),
        Action("pots/dry", "pots", 20, 0, label="dry on the rack"),
        Action("pots/heat", "pots", 1, 0, modes=(Mode((Demand("kiln", sets="hot"),)),), label="heat up"),
        Action("pots/fire in", "pots", 9, 1, modes=(Mode((Demand("kiln", requires="hot"),), name="kiln"),)),
    ),
    lags=(Lag("pots/throw", "pots/dry", 4),),
    resources=(Resource("kiln", state="warm"),),
    unit="hour",
)
FIRED = Schedule(
    (
        Piece("pots/throw", 0, 3, "agent"),
        Piece("pots/heat", 6, 1, "agent"),
        Piece("pots/dry", 7, 20, "agent"),
        Piece("pots/fire in", 27, 9, "agent"),
    )
)


def drawn(instance: Instance, schedule: Schedule, width: float | None = None) -> Axes:
    with use_shape(Shape(width)):
        return gantt(instance, schedule)


def on_bars(ax: Axes) -> dict[str, set[str]]:
    """Return what stands on the bars of every action."""
    numbers: dict[str, set[str]] = {}
    for text in ax.texts:
        if isinstance(text, FittedText) and "/" in str(text.get_label()):
            numbers.setdefault(str(text.get_label()), set()).add(text.get_text().replace("\n", " "))
    return numbers


def key(ax: Axes) -> str:
    content = " ".join(text.get_text() for text in ax.texts if text.get_gid() == "key")
    return content.replace("\n", " ").replace("\u00a0", " ")


@pytest.mark.slow
def test_numbers_on_bars_are_in_the_key() -> None:
    instance = load("timearena/household1+cooking1")
    schedule = solve(instance).schedule
    assert schedule is not None
    for width in (3.3, 7.0, None):
        ax = drawn(instance, schedule, width)
        content = key(ax)
        numbers = {text for texts in on_bars(ax).values() for text in texts if text.isdigit()}
        assert numbers
        for number in numbers:
            assert re.search(rf"(^|[ :]){number} [a-z]", content)
        assert not re.search(r"\b(in|to|into|with)(;|$| \()", content)  # no name ends without its object
        assert "cook rice in pot" in content or "cook rice in pot" in on_bars(ax)["cooking1/cook rice in"]


@pytest.mark.slow
def test_key_has_no_redundant_entries() -> None:
    words = on_bars(drawn(POTS, FIRED))
    assert words["pots/dry"] == {"dry on the rack"}  # not repeated
    assert "dry on the rack" not in key(drawn(POTS, FIRED))
    narrow = drawn(POTS, FIRED, 2.0)
    assert "dry dry" not in key(narrow)
    wide = Instance("one", (Action("t/a", "t", 5, 5, label="a"),))
    assert key(drawn(wide, Schedule((Piece("t/a", 0, 5, "agent"),)))) == ""


def test_key_has_start_of_steps_without_number() -> None:
    actions = Action("t/long", "t", 900, 900, label="long"), Action("t/short", "t", 1, 1, label="short")
    instance = Instance("two", actions)
    both = [
        Schedule((Piece("t/long", start, 900, "agent"), Piece("t/short", other, 1, "agent")))
        for start, other in ((0, 900), (1, 0))
    ]
    with use_shape(Shape(3.3)):
        assert key(gantt_pair(instance, *both)) == "2 short (at 0)"


def test_milestones_and_idle_agents_are_not_drawn() -> None:
    actions = (
        Action("t/start", "t", 0, 0, agents=()),
        Action("t/mill", "t", 4, 0, agents=(), modes=(Mode((Demand("mill"),)),)),
        Action("t/set", "t", 0, 0, agents=(), modes=(Mode((Demand("mill"),)),)),
    )
    pieces = Piece("t/start", 0, 0, None), Piece("t/mill", 0, 4, None), Piece("t/set", 4, 0, None)
    for agents in ((), ("Ann", "Bob")):
        instance = Instance("mill", actions, (Lag("t/start", "t/mill", 0, 3),), (Resource("mill"),), agents)
        ax = drawn(instance, Schedule(pieces))
        assert [label.get_text() for label in ax.get_yticklabels()] == ["mill"]
        assert {"t/mill", "t/set"} == {patch.get_label() for patch in ax.patches}
        assert [bool(patch.get_hatch()) for patch in ax.patches if patch.get_label() == "t/mill"] == [agents != ()]
        assert not [line for line in ax.lines if line.get_label() == "window"]  # the lag is a deadline, after the end
        pieces_of_page = chart(instance, of(instance).default_rules(instance), SolverOracle())["optimum"]["pieces"]
        assert {instance.actions[action].id for action, *_ in pieces_of_page} == {"t/mill", "t/set"}


def test_axis_of_long_schedules_has_days() -> None:
    instance = Instance("far", (Action("t/a", "t", 6220800, 6220800, label="a"),), unit="second")
    ax = drawn(instance, Schedule((Piece("t/a", 0, 6220800, "agent"),)), 3.3)
    assert ax.get_xlabel() == "time (days)"
    assert {"0", "20", "40", "60"} <= {text.get_text() for text in ax.get_xticklabels()}


def test_states_of_resources_are_drawn() -> None:
    ax = drawn(POTS, FIRED)
    states = [
        (patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches if patch.get_label() == "state"
    ]
    assert states == [(0, 6), (6, 36)]
    assert {"warm", "hot"} <= {text.get_text() for text in ax.texts}


def test_minimum_lags_are_drawn_after_their_step() -> None:
    ax = drawn(POTS, FIRED)
    (line,) = (line for line in ax.lines if line.get_label() == "delay")
    assert list(line.get_xdata()) == [3, 7]
    assert any("minimum lag" in text.get_text() for text in ax.get_legend().get_texts())


def shop(jobs: int, *, deadline: int) -> tuple[Instance, Schedule]:
    """Return jobs of two steps on two machines, with deadlines as in tables of tasks, and a schedule."""
    actions, lags, pieces = [Action("time/begin", "time", 0, 0, agents=())], [], [Piece("time/begin", 0, 0, None)]
    for job in range(jobs):
        for step, machine in enumerate(("mill", "lathe")):
            name = f"J{job:02}/{step + 1}"
            actions.append(Action(name, f"J{job:02}", 10, 10, modes=(Mode((Demand(machine),)),)))
            lags.append(Lag("time/begin", name, 0, deadline - 10))
            pieces.append(Piece(name, 10 * (job + step), 10, ("Ann", "Ben")[step]))
    machines = Resource("mill"), Resource("lathe")
    return Instance("shop", tuple(actions), tuple(lags), machines, ("Ann", "Ben")), Schedule(tuple(pieces))


@pytest.mark.parametrize("width", sample([None, 3.3]))
@pytest.mark.parametrize(("jobs", "legend"), [(3, ["J00", "J01", "J02"]), (9, ["mill", "lathe"])])
def test_charts_of_tables_name_jobs_and_have_no_lines_of_deadlines(
    jobs: int, legend: list[str], width: float | None
) -> None:
    instance, schedule = shop(jobs, deadline=500)
    ax = drawn(instance, schedule, width)
    assert not [line for line in ax.lines if line.get_label() in ("window", "deadline")]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == legend  # no milestones
    labels = on_bars(ax)
    tasks = {action.id: action.task for action in instance.actions} if jobs > 8 else {}
    assert all(texts <= {action, tasks.get(action, ""), ""} for action, texts in labels.items())
    assert sum(action in texts for action, texts in labels.items()) > jobs
    colours = {patch.get_facecolor() for patch in ax.patches if patch.get_label() in instance.by_id}
    assert len(colours) == len(legend)


@pytest.mark.slow
def test_bars_too_narrow_for_the_step_show_the_job() -> None:
    steps = ("assemble", "mill", "Ann"), ("paint", "lathe", "Ben")
    actions, pieces = [], []
    for job in range(12):
        for place, (step, machine, agent) in enumerate(steps):
            actions.append(Action(f"J{job:02}/{step}", f"J{job:02}", 10, 10, modes=(Mode((Demand(machine),)),)))
            pieces.append(Piece(actions[-1].id, 10 * (job + place), 10, agent))
    machines = Resource("mill"), Resource("lathe")
    instance = Instance("shop", tuple(actions), (), machines, ("Ann", "Ben"))
    ax = drawn(instance, Schedule(tuple(pieces)), 3.3)
    assert on_bars(ax) == {action.id: {action.task} for action in actions}
    assert "J03/paint (at 40)" in key(ax)  # the job alone does not tell the step
    wide = on_bars(drawn(instance, Schedule(tuple(pieces)), 20))
    assert wide == {action.id: {action.id} for action in actions}


def test_deadlines_before_the_end_are_marked() -> None:
    instance, schedule = shop(3, deadline=35)
    (marks, _) = (line for line in drawn(instance, schedule).lines if line.get_label() == "deadline")
    assert list(marks.get_xdata()) == [35]
    legend = drawn(instance, schedule).get_legend()
    assert "deadline of a step below" in [text.get_text() for text in legend.get_texts()]


def test_wide_windows_beyond_three_levels_are_counted_in_the_legend() -> None:
    steps = range(12)
    actions = tuple(Action(f"t/{k}", "t", 2, 2) for k in steps)
    lags = tuple(Lag("t/0", f"t/{k}", 0, 50 + k) for k in steps[1:])
    pieces = tuple(Piece(f"t/{k}", 2 * k, 2, "agent") for k in steps)
    ax = drawn(Instance("windows", actions, lags), Schedule(pieces))
    windows = [line for line in ax.lines if line.get_label() == "window"]
    assert len(windows) == 3
    assert max(line.get_xdata()[1] for line in windows) == 2 + 53  # the narrowest ones
    assert any("8 wide windows are not drawn" in text.get_text() for text in ax.get_legend().get_texts())


@pytest.mark.slow
def test_tasks_have_the_same_colour_in_figures_and_reports() -> None:
    instance = load("timearena/household1+cooking1")
    schedule = solve(instance).schedule
    assert schedule is not None
    place = {
        task: i for i, task in enumerate(chart(instance, of(instance).default_rules(instance), SolverOracle())["tasks"])
    }
    assert palette(instance) == {task: PALETTE[i] for task, i in place.items()}

    def colours(ax: Axes) -> dict[str, tuple[float, ...]]:
        return {patch.get_label(): patch.get_facecolor() for patch in ax.get_legend().get_patches()}

    alone, pair = gantt(instance, schedule), gantt_pair(instance, schedule, Schedule(schedule.pieces[::2]))
    assert colours(alone).items() <= colours(pair).items()
