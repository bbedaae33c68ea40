"""Charts of the report for problems with calendars, dates, budgets and modes with attended ticks."""

from __future__ import annotations

from dataclasses import replace

from planoracle.analysis.report.charts import _instance_chart as chart_of
from planoracle.instances.model.instance import Demand, Mode, Resource
from tests.support.workshops import workshop


def test_chart_has_off_times_and_the_date_of_tick_0() -> None:
    chart = chart_of(workshop(), None)
    shifts = [[720, 750], [1020, 1920]]
    assert chart["off"] == [["a0", 1440, shifts], ["a1", 1440, shifts], ["r3", 0, [[0, 480]]]]
    assert chart["start"] == "2026-03-02T00:00:00"
    plain = chart_of(replace(workshop(), calendars=(), start_time=None), None)
    assert not plain.keys() & {"off", "start"}


def test_modes_have_their_attended_ticks_and_no_budgets() -> None:
    problem = workshop()
    money = Resource("money", 9, renewable=False)
    cut = replace(problem.actions[0], modes=(*problem.actions[0].modes, Mode((Demand("money", 5),), "buy", duration=9)))
    changed = replace(problem, actions=(cut, *problem.actions[1:]), resources=(*problem.resources, money))
    row = chart_of(changed, None)["actions"][0]
    assert row[4:] == [120, 120, 1, [["saw 1", [[0, 1]], 120], ["saw 2", [[1, 1]], 90], ["buy", [], 9]]]
