"""Charts of problems with calendars, ways, set-ups, breaks, deadlines and dates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.axes import Axes
from support.workshops import workshop, workshop_schedule

from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.figures.row_background import MAX_SPANS, Way, off_spans, ways
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.transitions import Transitions


@pytest.fixture(scope="module")
def chart() -> Axes:
    return gantt(workshop(), workshop_schedule())


def labels(axes: Axes) -> list[str]:
    return [label for label in axes.get_legend_handles_labels()[1] if label]


def legend(axes: Axes) -> list[str]:
    box = axes.get_legend()
    assert box is not None
    return [text.get_text() for text in box.get_texts()]


@pytest.mark.parametrize("with_sign", [True, False])
def test_the_schedule_of_the_workshop_keeps_all_rules(with_sign: bool) -> None:
    assert referee(workshop(), workshop_schedule(with_sign=with_sign)).violations == ()


def test_off_times_are_shaded_in_rows_with_a_calendar(chart: Axes) -> None:
    shaded = [area for area in chart.collections if area.get_label() == "off"]
    spans = []
    for area in shaded:
        spans.append([(path.get_extents().x0, path.get_extents().x1) for path in area.get_paths()])
    assert spans == [[(0, 480), (720, 750)], [(0, 480), (720, 750)], [(0, 480)]]  # Ann, Ben, the booth
    assert "off" in legend(chart)


def test_ways_and_setups_end_at_the_visit_that_they_lead_to() -> None:
    assert ways(workshop(), workshop_schedule()) == {
        "Ann": [Way(555, 570, "hall A", "hall B")],
        "Ben": [],
        "booth": [Way(510, 540, "red", "blue"), Way(855, 900, "blue", "red")],
    }


def test_way_after_visits_at_one_instant_leaves_from_the_place_that_fits() -> None:
    starts = tuple(Action(f"t/{place}", "t", 5, 0, place=place) for place in ("A", "B"))
    last = Action("t/C", "t", 5, 5, place="C")
    trips = Transitions(("agent",), (("A", "B", 0), ("B", "A", 0), ("A", "C", 2)))
    instance = Instance("i", (*starts, last), transitions=(trips,))
    pieces = (Piece("t/A", 0, 5, "agent"), Piece("t/B", 0, 5, "agent"), Piece("t/C", 4, 5, "agent"))
    assert ways(instance, Schedule(pieces)) == {"agent": [Way(2, 4, "A", "C")]}


def test_ways_are_thin_bars_and_pauses_are_lines(chart: Axes) -> None:
    bars = {patch.get_label(): patch.get_height() for patch in chart.patches}
    assert bars["way"] < 0.3 * bars["frame/weld"]
    pauses = [list(line.get_xdata()) for line in chart.lines if line.get_label() == "pause"]
    assert pauses == [[720, 750]] * 2  # Ann, and the welder that she uses
    assert {"pause in a break", "way or set-up, as late as possible"} <= set(legend(chart))


def test_families_of_work_are_shown_below_the_machine(chart: Axes) -> None:
    strips = [patch for patch in chart.patches if patch.get_label() == "state"]
    assert [(strip.get_x(), strip.get_x() + strip.get_width()) for strip in strips] == [(540, 900), (900, 960)]
    assert "state or family of work" in legend(chart)


def test_set_up_before_each_operation_shows_no_families() -> None:
    always = Transitions(("M",), (("10", "10", 10),))
    actions = tuple(Action(f"t/{name}", "t", 5, 0, (Mode((Demand("M", family="10"),)),), agents=()) for name in "ab")
    instance = Instance("i", actions, resources=(Resource("M"),), agents=(), transitions=(always,))
    axes = gantt(instance, Schedule((Piece("t/a", 0, 5, None), Piece("t/b", 15, 5, None))))
    assert "state" not in {patch.get_label() for patch in axes.patches}


def test_an_action_that_pauses_stays_in_its_lane() -> None:
    uses = (Mode((Demand("bench", 1),)),)
    actions = (
        Action("t/long", "t", 4, 0, modes=uses, agents=(), pauses_in_breaks=True),
        Action("t/first", "t", 2, 0, modes=uses, agents=()),
    )
    night = Calendar(("bench",), ((2, 6),))
    instance = Instance("i", actions, resources=(Resource("bench", 2),), agents=(), calendars=(night,))
    pieces = (Piece("t/first", 0, 2, None), Piece("t/long", 0, 2, None), Piece("t/long", 6, 2, None))
    axes = gantt(instance, Schedule(pieces))
    heights = {patch.get_y() for patch in axes.patches if patch.get_label() == "t/long"}
    assert len(heights) == 1


def test_deadlines_and_last_windows_are_marked(chart: Axes) -> None:
    marks = [instant for line in chart.lines if line.get_label() == "deadline" for instant in line.get_xdata()]
    assert set(marks) == {600, 700}  # later ones lie beyond the end


def test_axis_shows_dates_and_begins_with_the_work(chart: Axes) -> None:
    chart.figure.draw_without_rendering()
    texts = [label.get_text() for label in chart.get_xticklabels()]
    assert texts[:2] == ["08:00\nMon 2 Mar", "09:00"]
    assert chart.get_xlim()[0] > 400
    assert [text.get_text() for text in chart.texts if text.get_text().startswith("end ")] == ["end Mon 2 Mar 16:00"]


def test_nights_without_work_are_narrow() -> None:
    days = 3
    actions = tuple(Action(f"t/{day}", "t", 480, 480) for day in range(days))
    night = Calendar(("agent",), ((1020, 1920),), 1440)
    instance = Instance("i", actions, unit="minute", seconds_per_tick=60, calendars=(night,))
    pieces = tuple(Piece(f"t/{day}", 480 + 1440 * day, 480, "agent") for day in range(days))
    dated = replace(instance, start_time=workshop().start_time)
    axes = gantt(dated, Schedule(pieces))
    to_inches = axes.transData + axes.figure.dpi_scale_trans.inverted()

    def width(start: int, end: int) -> float:
        left, right = to_inches.transform([(start, 0), (end, 0)])
        return float(right[0] - left[0])

    assert width(1020, 1920) < 0.1 * width(480, 960)
    assert width(480, 960) == pytest.approx(width(3360, 3840))
    plain = gantt(instance, Schedule(pieces))
    assert plain.get_xscale() == "linear"


def test_too_many_off_times_are_not_drawn() -> None:
    blinking = Calendar(("agent",), ((0, 1),), 2)
    instance = Instance("i", (Action("t/a", "t", 1, 1),), calendars=(blinking,))
    assert len(off_spans(instance, "agent", 2 * MAX_SPANS)) == MAX_SPANS
    assert off_spans(instance, "agent", 2 * MAX_SPANS + 2) == ()


def test_budgets_have_no_row_and_modes_have_their_agents() -> None:
    modes = (Mode((Demand("money", 5),), "buy", duration=2, agents=()), Mode((Demand("saw"),), "make"))
    resources = (Resource("money", 9, renewable=False), Resource("saw"))
    actions = (Action("t/a", "t", 4, 4, modes=modes), Action("t/b", "t", 4, 4, modes=modes))
    instance = Instance("i", actions, resources=resources, agents=("Ann",))
    schedule = Schedule((Piece("t/a", 0, 2, None, 0), Piece("t/b", 0, 4, "Ann", 1)))
    axes = gantt(instance, schedule)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Ann", "saw", "unattended"]


def test_pairs_show_the_order_that_a_plan_leaves_out() -> None:
    axes = gantt_pair(workshop(), workshop_schedule(), workshop_schedule(with_sign=False))
    assert "in this plan only" in legend(axes)
