"""Builder of problems: same problems, defaults and errors as files."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.builder import Model
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Instance, Mode
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.search import solve
from tests.strategies import instances
from tests.support.random_model_instances import model_mix

EXAMPLES = Path(__file__).resolve().parents[3] / "instances" / "examples"


def built(instance: Instance) -> Instance:
    """Build an equal instance, each feature by its method."""
    model = Model(
        instance.name,
        unit=instance.unit,
        seconds_per_tick=instance.seconds_per_tick,
        agents=instance.agents,
        time_limit=instance.time_limit,
        start_time=instance.start_time,
    )
    for resource in instance.resources:
        model.resource(resource.name, resource.capacity, resource.state, renewable=resource.renewable)
    for calendar in instance.calendars:
        model.calendar(calendar.members, calendar.off, calendar.period)
    for transitions in instance.transitions:
        model.travel(transitions.members, transitions.times, dict(transitions.start))
    for task, weight in instance.optional:
        model.optional(task, weight)
    task = ""
    for action in instance.actions:
        if action.task != task:
            task = action.task
            model.task(task)
        model.action(
            action.id.removeprefix(f"{task}/"),
            action.duration,
            attended=action.attended,
            interruptible=action.interruptible,
            release=action.release,
            agents=action.agents,
            label=action.label,
            deadline=action.deadline,
            windows=action.windows,
            pauses="breaks" if action.pauses_in_breaks else None,
            place=action.place,
        )
        for mode in action.modes:
            if action.modes != (Mode(mode.demands),):
                model.mode(mode.name, mode.after, duration=mode.duration, attended=mode.attended, agents=mode.agents)
            for demand in mode.demands:
                states = {"requires": demand.requires, "sets": demand.sets}
                model.uses(demand.resource, demand.amount, **states, family=demand.family)
        for lag in instance.lags:
            if lag.after == action.id:
                model.after(lag.before, lag.minimum, lag.maximum)
    return model.build()


@given(instances())
def test_builder_rebuilds_any_instance(instance: Instance) -> None:
    assert built(instance) == instance


@pytest.mark.parametrize("seed", range(40))
def test_builder_rebuilds_any_instance_of_the_larger_model(seed: int) -> None:
    instance = model_mix(seed)
    copy = built(instance)
    assert set(copy.lags) == set(instance.lags)
    assert replace(copy, lags=instance.lags) == instance


def test_example_of_the_larger_model_is_rebuilt_and_does_the_optional_order_of_more_weight() -> None:
    joinery = catalog.single(str(EXAMPLES / "joinery.json"))
    assert built(joinery) == joinery
    result = solve(joinery)
    # Table and door take four of five boards; the last one is for the order of weight 3 or that of weight 2.
    assert (result.status, result.weight, result.makespan) == ("optimal", 3, 945)
    assert result.schedule is not None
    assert {piece.mode for piece in result.schedule.pieces if piece.action.endswith("/saw")} == {1}


def test_builder_has_defaults_of_the_file_format() -> None:
    model = (
        Model("tea-and-toast", unit="minute", seconds_per_tick=60, agents=["cook"])
        .resource("stove")
        .resource("toaster")
        .task("tea")
        .action("fill", 1, label="fill the kettle")
        .action("boil", 5, attended=0, uses="stove", after="fill", label="boil water")
        .action("pour", 1, label="pour while it is hot")
        .after("boil", maximum=1)
        .action("steep", 3, attended=0, after="pour", label="let it steep")
        .task("toast")
        .action("slice", 3, interruptible=True, label="slice bread")
        .action("toast", 2, attended=0, uses=["toaster"], after=["slice"], label="toast")
        .action("butter", 2, label="butter it warm")
        .after("toast", maximum=2)
    )
    assert model.build() == catalog.single(str(EXAMPLES / "tea.json"))
    assert built(catalog.single(str(EXAMPLES / "bakery.json"))) == catalog.single(str(EXAMPLES / "bakery.json"))


def test_action_without_agents_is_unattended_by_default() -> None:
    assert Model().task("t").action("dry", 5, agents=()).build().actions[0].attended == 0


def test_resources_are_declared_all_or_none() -> None:
    kiln = Model().task("t").action("heat", 10, attended=0, uses="kiln")
    assert [(one.name, one.capacity) for one in kiln.build().resources] == [("kiln", 1)]
    with pytest.raises(InputError, match=r"must be one of oven; did you mean oven\? \(got 'ovne'\)"):
        Model().resource("oven", 2).task("t").action("heat", 10, uses="ovne").build()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model(), "actions: needs at least one action"),
        (Model().task("t").action("a", 1).action("a", 2), "names must be unique"),
        (Model().task("t").action("a", 1, attended=2), r"actions\[t/a\].attended: must not exceed the duration 1"),
        (Model().task("t").action("a", -1), r"actions\[t/a\].duration: must lie between 0"),
        (Model().task("t").action("a", 1, after="b"), "refers to an action that does not exist"),
        (Model().task("t").action("a", 1, after="b").action("b", 1, after="a"), "the precedences form a cycle"),
        (Model().task("t").action("a", 1, agents="cook"), "agents: must be one of agent"),
        (Model(time_limit=-1).task("t").action("a", 1), "time_limit: must lie between 0"),
    ],
)
def test_invalid_model_raises_input_error(model: Model, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.build()


def test_builder_methods_out_of_order_raise_input_error() -> None:
    with pytest.raises(InputError, match=r"action: call .task\(\) before .action\(\) \(got 'a'\)"):
        Model().action("a", 1)
    for call in (lambda model: model.after("b"), lambda model: model.uses("kiln"), lambda model: model.mode("fast")):
        with pytest.raises(InputError, match=r"call .action\(\) before "):
            call(Model().task("t"))
        with pytest.raises(InputError, match=r"call .action\(\) before "):
            call(Model().task("t").action("a", 1).task("s"))
    with pytest.raises(InputError, match=r"actions\[t/a\].modes: give either uses or modes, not both"):
        Model().task("t").action("a", 1, uses="kiln").mode("slow")


def test_values_of_modes_that_leaving_out_gives_are_not_stored() -> None:
    model = Model(agents=["ann", "bob"]).task("t").action("cut", 4)
    model.mode(duration=4, attended=4, agents=["ann", "bob"]).mode(duration=6).mode(duration=6, attended=6)
    model.mode(duration=6, attended=0).mode(agents=[]).mode(agents=[], attended=0).mode(agents=["bob"])
    values = [(mode.duration, mode.attended, mode.agents) for mode in model.build().actions[0].modes]
    assert values == [
        (None, None, None),
        (6, None, None),
        (6, None, None),
        (6, 0, None),
        (None, None, ()),
        (None, None, ()),
        (None, None, ("bob",)),
    ]


def test_order_of_modes_of_an_action_without_a_duration_does_not_matter() -> None:
    def variants(durations: list[int], attended: int | str | None) -> set[tuple[int, int]]:
        model = Model().task("t").action("cut", attended=attended)
        for duration in durations:
            model.mode(duration=duration)
        return {variant[:2] for variant in model.build().variants["t/cut"]}

    for durations in ([0, 3, 5], [3, 0, 5]):
        assert variants(durations, None) == variants(durations, "all") == {(0, 0), (3, 3), (5, 5)}
        assert variants(durations, 0) == {(0, 0), (3, 0), (5, 0)}
    with pytest.raises(
        InputError, match=r"^actions\[t/cut\].attended: must be 0 or 'all' if only the modes have durations"
    ):
        variants([3, 5], 2)


def test_action_without_any_duration_is_an_error() -> None:
    model = Model().task("t").action("cut").mode(duration=3).mode()
    with pytest.raises(InputError, match=r"actions\[t/cut\].duration: is missing; give one, or one in each mode"):
        model.build()


def test_pauses_and_interruptible_are_one_choice() -> None:
    model = Model().task("t").action("a", 2, pauses="anywhere").action("b", 2, pauses="breaks")
    model.action("c", 2, interruptible=True, pauses="anywhere").action("d", 2, pauses="never")
    flags = [(action.interruptible, action.pauses_in_breaks) for action in model.build().actions]
    assert flags == [(True, False), (False, True), (True, False), (False, False)]
    with pytest.raises(InputError, match="pauses: contradicts interruptible"):
        model.action("e", 2, interruptible=True, pauses="breaks")
    with pytest.raises(InputError, match=r"pauses: must be one of .*, anywhere; did you mean breaks\? \(got 'break'\)"):
        model.action("e", 2, pauses="break")


def test_builder_makes_calendars_transitions_and_budgets() -> None:
    model = Model(unit="hour", seconds_per_tick=3600, agents=["ann", "bob"])
    model.resource("oven").resource("flour", 20, renewable=False)
    model.calendar(["ann", "bob"], [(timedelta(hours=9), 24)], timedelta(days=1)).calendar("ann", [(0, 5)])
    model.travel(["ann", "bob"], {("home", "shop"): timedelta(hours=1), ("shop", "home"): 2}, start="home")
    model.setup("oven", [("rye", "wheat", 1)], {"oven": "rye"})
    model.task("t").optional().action("bake", 2, place="shop").uses("oven", family="rye").uses("flour", 3)
    instance = model.task("u").action("eat", 1, place="home").optional("u", 4).build()
    assert instance.calendars == (Calendar(("ann", "bob"), ((9, 24),), 24), Calendar(("ann",), ((0, 5),)))
    ways = (("home", "shop", 1), ("shop", "home", 2))
    travel = Transitions(("ann", "bob"), ways, (("ann", "home"), ("bob", "home")))
    assert instance.transitions == (travel, Transitions(("oven",), (("rye", "wheat", 1),), (("oven", "rye"),)))
    assert instance.optional == (("t", 1), ("u", 4))
    assert not instance.resource["flour"].renewable
    assert instance.actions[0].place == "shop"
    assert [demand.family for demand in instance.actions[0].modes[0].demands] == ["rye", None]


def test_dates_become_ticks_of_a_model_with_a_start() -> None:
    model = Model(unit="hour", seconds_per_tick=3600, start_time=date(2026, 3, 2)).task("t")
    model.action("a", 1, release="2026-03-02 8:00", deadline=datetime(2026, 3, 3, 12))
    model.action("b", 1, release=datetime(2026, 3, 1), deadline=date(2026, 3, 2), windows=[("8:00", "17:00")])
    model.calendar("agent", [("2026-03-07", "2026-03-09")], timedelta(weeks=1)).calendar("agent", [("22:00", "6:00")])
    instance = model.build()
    assert instance.start_time == datetime(2026, 3, 2)
    first, second = instance.actions
    assert (first.release, first.deadline) == (8, 36)
    assert (second.release, second.deadline, second.windows) == (0, 24, ((8, 17),))
    assert [(calendar.off, calendar.period) for calendar in instance.calendars] == [
        (((120, 168),), 168),
        (((22, 30),), 24),
    ]


@pytest.mark.parametrize(
    ("start_time", "seconds", "arguments", "message"),
    [
        (None, 60, {"release": "8:00"}, "release: dates and clock times require start_time"),
        ("2026-03-02", None, {"release": "8:00"}, "seconds_per_tick: start_time requires the length of a tick"),
        ("2026-03-02", 3600, {"release": "8:30"}, "release: lies between two ticks of 3600 seconds from 2026-03-02"),
        ("2026-03-02 1:00", 3600, {"deadline": "2026-03-01"}, "deadline: is before the start at 2026-03-02 01:00"),
        ("2026-03-02", 3600, {"deadline": "soon"}, "deadline: must be ticks, a date such as 2026-03-02"),
        ("2026-03-02", 3600, {"windows": [("8:00",)]}, "windows: must be a pair of begin and end"),
        ("2026-03-02", 3600, {"windows": [("8:00", "25:00")]}, "windows: a clock time must lie between 0:00 and 24:00"),
        ("8:00", 3600, {}, "start_time: must be a date such as 2026-03-02"),
        ("2026-03-02T08:00Z", 3600, {}, "start_time: must be local time without a zone"),
    ],
)
def test_faults_of_dates_name_their_field(
    start_time: str | None, seconds: int | None, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Model(seconds_per_tick=seconds, start_time=start_time).task("t").action("a", 1, **arguments).build()


def test_clock_times_of_a_calendar_stand_alone() -> None:
    model = Model(seconds_per_tick=3600, start_time="2026-03-02").task("t").action("a", 1)
    with pytest.raises(InputError, match=r"calendars\[0\]: clock times repeat every day"):
        model.calendar("agent", [("8:00", 9)])
    with pytest.raises(InputError, match=r"calendars\[0\]: clock times repeat every day"):
        model.calendar("agent", [("8:00", "9:00")], 48)
    model = Model(seconds_per_tick=7 * 60, start_time="2026-03-02")
    with pytest.raises(InputError, match="seconds_per_tick: must divide a day of 86400 for daily times"):
        model.calendar("agent", [("7:00", "7:07")])
