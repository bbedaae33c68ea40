"""Schedules for planners: dates, left-out tasks and the objective in text and frames."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.workshops import workshop, workshop_schedule

from planoracle.analysis.run_schedule import plan_rows
from planoracle.instances.model.limits import Status
from planoracle.solver.result import Result, in_words


def result(*, with_sign: bool = True) -> Result:
    schedule = workshop_schedule(with_sign=with_sign)
    status = Status.optimal if with_sign else Status.feasible
    weight, makespan = (5, schedule.makespan) if with_sign else (2, schedule.makespan)
    return Result(
        "workshop",
        status,
        makespan,
        960 if with_sign else None,
        "a plan",
        unit="minute",
        schedule=schedule,
        weight=weight,
        weight_bound=5,
        problem=workshop(),
    )


def test_text_shows_dates_and_the_objective() -> None:
    lines = str(result()).splitlines()
    assert lines[1].split() == ["start", "date", "end", "date", "action", "agent", "agent", "until", "resources"]
    assert lines[3].split() == ["2026-03-02", "08:00", "2026-03-02", "09:30", "frame/cut", "Ben", *UNTIL, *SAW]
    assert lines[-6:-1] == [
        "weight        5 of at most 5; the greatest weight first, then the least makespan",
        "makespan      960 minutes",
        "lower bound   960 minutes",
        "end           2026-03-02 16:00",
        "proof         no plan has a greater weight, and none of this weight is shorter",
    ]
    assert lines[-1].startswith("proof grade")


UNTIL = ["2026-03-02", "09:30"]
SAW = ["saw", "2"]


def test_text_names_the_tasks_that_are_left_out() -> None:
    text = str(result(with_sign=False))
    assert "weight        2 of at most 5;" in text
    assert "left out      sign (weight 3)\n" in text
    assert "a plan of a greater weight, or a shorter plan of this weight, may exist" in text


def test_records_have_left_out_tasks_and_the_date_of_the_end() -> None:
    record = result(with_sign=False).as_dict()
    assert record["left_out"] == {"sign": 3}
    assert record["end_date"] == "2026-03-02 16:00"
    plain = replace(workshop(), optional=(), start_time=None)
    record = replace(result(), problem=plain, weight=None, weight_bound=None).as_dict()
    assert not record.keys() & {"left_out", "end_date", "weight", "weight_bound"}


def test_result_without_a_plan_has_no_weight() -> None:
    row = replace(result(), status=Status.unknown, makespan=None, weight=None, schedule=None, plan=None).as_dict()
    assert in_words(row).startswith("weight        no plan of at most 5;")


def test_frames_have_dates_beside_ticks_and_ticks_of_the_mode() -> None:
    frame = result().to_frame()
    first = frame[frame["action"] == "frame/cut"].iloc[0]
    assert (first["start"], first["start_date"]) == (480, "2026-03-02 08:00")
    assert (first["attended"], first["agent_until_date"]) == (90, "2026-03-02 09:30")
    paint = frame[frame["action"] == "sign/paint"].iloc[0]
    assert (paint["end_date"], paint["agent_until_date"]) == ("2026-03-02 10:00", "2026-03-02 09:10")


@pytest.mark.parametrize("name", ["start_date", "end_date", "agent_until_date"])
def test_rows_without_start_time_have_no_dates(name: str) -> None:
    rows = plan_rows(replace(workshop(), start_time=None), workshop_schedule())
    assert not any(name in row for row in rows)
