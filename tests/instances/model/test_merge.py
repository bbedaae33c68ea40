"""Merged problems, their graphs and fingerprints."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.cache import digest, fingerprint
from planoracle.instances.model.instance import Instance, Lag, merge


def part(task: str, **changes: Any) -> Instance:
    """Return a problem of one optional task, with a calendar and set-up times."""
    model = Model(task, agents=["ann"], seconds_per_tick=60, start_time="2026-03-02").resource("oven")
    model.setup("oven", [("a", "b", 2)]).calendar("ann", [(0, 5)]).task(task).optional(weight=len(task))
    return replace(model.action("bake", 2).uses("oven", family="a").build(), **changes)


def test_calendars_transitions_and_optional_tasks_are_joined() -> None:
    tea, cake = part("tea"), part("cake")
    both = merge("both", [tea, cake])
    assert both.calendars == tea.calendars
    assert both.transitions == tea.transitions
    assert both.optional == (("tea", 3), ("cake", 4))
    assert both.start_time == datetime(2026, 3, 2)
    calendar = replace(tea.calendars[0], off=((9, 12),))
    other_times = merge("both", [tea, part("cake", calendars=(calendar,))])
    assert list(other_times.off_times["ann"].until(20)) == [(0, 5), (9, 12)]


def test_parts_agree_on_start_time_and_optional_tasks() -> None:
    with pytest.raises(InputError, match=r"cake\.start_time: must equal datetime"):
        merge("both", [part("tea"), part("cake", start_time=None)])
    small, large = (Model(task).resource("oven", len(task)).task(task).action("bake", 2) for task in ("tea", "cake"))
    with pytest.raises(InputError, match=r"resources\[oven\]: differs between the parts \(got .*4"):
        merge("both", [small.build(), large.build()])
    mandatory = part("tea", optional=(), name="again")
    action = replace(mandatory.actions[0], id="tea/eat")
    with pytest.raises(InputError, match=r"optional\[tea\]: differs between the parts"):
        merge("both", [part("tea"), replace(mandatory, actions=(action,))])


def test_graph_has_the_values_of_modes() -> None:
    model = Model("shop", agents=["ann", "bob"]).resource("saw").calendar("ann", [(0, 2)]).task("t").optional(weight=3)
    model.action("cut", deadline=20, windows=[(1, 9)]).mode(duration=6).uses("saw")
    instance = model.mode(duration=4, attended=2, agents=["bob"]).build()
    graph = instance.to_networkx()
    node = graph.nodes["t/cut"]
    assert (node["duration"], node["attended"], node["agents"], node["resources"]) == (4, 2, ("ann", "bob"), {"saw": 1})
    assert node["modes"] == instance.variants["t/cut"]
    assert (node["deadline"], node["windows"], node["pauses_in_breaks"], node["weight"]) == (20, ((1, 9),), False, 3)
    assert graph.graph["calendars"] == instance.calendars


def test_edges_of_the_graph_are_lags_and_waits_of_modes() -> None:
    model = Model("shop").resource("saw", 3).task("t").action("wash", 1).action("dry", 2).action("sand", 2)
    model.action("cut", 4).mode().uses("saw", 2).mode(after=["wash", "dry"]).uses("saw", 3).mode().uses("saw")
    lags = Lag("t/wash", "t/cut", 1, 4), Lag("t/sand", "t/cut", None, 5)
    instance = replace(model.build(), lags=lags)
    graph = instance.to_networkx()
    kind = "end to start"
    assert set(graph.edges) == {("t/wash", "t/cut"), ("t/sand", "t/cut"), ("t/dry", "t/cut")}
    assert graph.edges["t/wash", "t/cut"] == {"minimum": 1, "maximum": 4, "kind": kind}
    assert graph.edges["t/sand", "t/cut"] == {"minimum": None, "maximum": 5, "kind": kind}
    assert graph.edges["t/dry", "t/cut"] == {"minimum": 0, "maximum": None, "mode": 1, "kind": kind}
    assert graph.nodes["t/cut"]["resources"] == {"saw": 3}
    untimed = instance.without_maximum_lags("untimed")
    assert (untimed.name, untimed.lags) == ("untimed", (Lag("t/wash", "t/cut", 1),))


def test_start_time_enters_the_fingerprint_as_iso_text() -> None:
    instance = part("tea")
    later = replace(instance, start_time=datetime(2026, 3, 3))
    assert fingerprint(instance) != fingerprint(later) != fingerprint(replace(instance, start_time=None))
    assert digest(datetime(2026, 3, 2)) == digest("2026-03-02T00:00:00")
