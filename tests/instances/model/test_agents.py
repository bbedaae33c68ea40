"""Problems with several agents: names, preserved parts, eligible agents, and kitchens with more cooks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.samples import some_problems

from planoracle.instances.benchmarks.kitchens.kitchen_layout import with_cooks
from planoracle.instances.benchmarks.kitchens.problems import kitchen
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import instance_from_document, to_document
from planoracle.instances.model.agents import (
    add_agent_suffix,
    assign,
    busy_agent_note,
    interchangeable,
    split_agent_suffix,
    with_agents,
)
from planoracle.instances.model.builder import Model
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.protocol.schedule_benchmark import language

TIMED = "recipe2plan/timed/Cobbler_Pancakes"
CHOP, DRIVE = Action("home/chop", "home", 3, 3), Action("out/drive", "out", 9, 9)


def test_replication_changes_only_the_agents() -> None:
    one = catalog.load(TIMED)
    three = with_agents(one, 3)
    assert three == replace(one, name=f"{TIMED}~3", agents=("agent1", "agent2", "agent3"), benchmark="generic")
    assert all(three.eligible(action) == three.agents for action in three.actions)
    assert catalog.load(f"{TIMED}~3") == three


def test_replicated_agents_are_eligible_for_actions_of_the_single_agent() -> None:
    alone = Instance("k", (replace(CHOP, agents=("me",)), Action("t/rise", "t", 5, 0, agents=())), agents=("me",))
    two = with_agents(alone, 2)
    assert [two.eligible(action) for action in two.actions] == [("agent1", "agent2"), ()]


@pytest.mark.parametrize("count", [0, -1, 1000])
def test_number_of_agents_out_of_range_is_rejected(count: int) -> None:
    with pytest.raises(InputError, match=rf"^agents: must be from 1 to 999 \(got {count}\)$"):
        with_agents(Instance("k", (CHOP,)), count)


def test_different_agents_are_not_replicated() -> None:
    with pytest.raises(InputError, match=r"k\.agents: agents must be identical to be replicated \(got \('a', 'b'\)\)$"):
        with_agents(Instance("k", (CHOP, replace(DRIVE, agents=("b",))), agents=("a", "b")), 2)


def test_restricted_agents_are_eligible_only_for_assigned_tasks() -> None:
    three = with_agents(Instance("k", (CHOP, DRIVE)), 3)
    restricted = assign(three, {"agent2": ["home"], "agent3": ["out/drive"]})
    assert [restricted.eligible(action) for action in restricted.actions] == [
        ("agent1", "agent2"),
        ("agent1", "agent3"),
    ]
    assert interchangeable(restricted) == (("agent1",), ("agent2",), ("agent3",))
    assert interchangeable(assign(three, {"agent2": ["home"]})) == (("agent1", "agent3"), ("agent2",))
    assert assign(three, {}) == three


@pytest.mark.parametrize(
    ("only", "fault"),
    [
        ({"agent7": ["home"]}, r"only: must be one of agent1, agent2.* \(got 'agent7'\)$"),
        (
            {"agent1": ["home", "shop"]},
            r"only\.agent1: must be a task \(home, out\) or an action; did you mean home/chop\? \(got 'shop'\)",
        ),
        ({"agent1": ["home"], "agent2": ["home"]}, r"only: no agent is eligible for this action \(got 'out/drive'\)"),
    ],
)
def test_impossible_restriction_is_rejected(only: dict[str, list[str]], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        assign(with_agents(Instance("k", (CHOP, DRIVE)), 2), only)


# --- names ----------------------------------------------------------------------------------------


def test_no_bundled_name_has_an_agent_suffix() -> None:
    assert not any("~" in name for name in catalog.bundled())


def test_every_bundled_name_accepts_an_agent_suffix() -> None:
    for name in some_problems():
        assert catalog.names_problem(f"{name}~2"), name
        assert split_agent_suffix(f"{name}~2") == (name, "~2")


@pytest.mark.parametrize("end", ["~", "~0", "~1000", "~two", "~2~", "~2~agent1", "~2~=home", "~~2", "~02", "~2~3"])
def test_invalid_agent_suffix_is_an_unknown_name(end: str) -> None:
    assert not catalog.names_problem(TIMED + end)
    with pytest.raises(UnknownNameError):
        catalog.expand([TIMED + end])


def test_sets_globs_and_files_accept_agent_suffixes(tmp_path: Path) -> None:
    assert catalog.expand(["recipe2plan/timed~2"]) == [f"{name}~2" for name in catalog.expand(["recipe2plan/timed"])]
    assert catalog.expand(["*/timed/Cobbler_P*~3", "timearena/lab/2~2"])[:2] == [
        f"{TIMED}~3",
        "timearena/lab1+lab2~2",
    ]
    assert catalog.set_of("timearena/lab1~2")[0] == "timearena/lab/1~2"
    assert f"{TIMED}~2" in catalog.set_of(f"{TIMED}~2")[1]
    path = str(tmp_path / "k.json")
    Path(path).write_text(json.dumps(to_document(Instance("k", (CHOP, DRIVE)))))
    for name in (f"{path}~2~agent2=home", f"{path}#k~2~agent2=home"):
        assert catalog.is_file(name)
        assert catalog.expand([name]) == [name]
        (instance,) = catalog.read_problems(name)
        assert instance.name == "k~2~agent2=home"
        assert instance.eligible(instance.actions[1]) == ("agent1",)


def test_file_precedes_a_name_with_agent_suffix(tmp_path: Path) -> None:
    path = tmp_path / "k~2"
    path.write_text(json.dumps(to_document(Instance("k", (CHOP,)))))
    assert catalog.read_problems(str(path)) == [Instance("k", (CHOP,))]


def test_agent_suffix_follows_delay_variant() -> None:
    instance = catalog.load("asynctool/cross2/01@1-2:3~2")
    assert instance.lags == catalog.load("asynctool/cross2/01@1-2:3").lags
    assert len(instance.agents) == 2


@pytest.mark.parametrize(
    ("name", "agents", "only"),
    [(TIMED, None, ["agent1=x"]), (f"{TIMED}~2", 2, []), (TIMED, 2, ["agent1"]), (TIMED, 0, [])],
)
def test_invalid_agent_suffix_is_not_added(name: str, agents: int | None, only: list[str]) -> None:
    with pytest.raises(UnknownNameError):
        add_agent_suffix(name, agents, only)
    assert add_agent_suffix(TIMED, None) == TIMED


def test_replicated_problem_has_general_rules_and_can_be_written() -> None:
    two = catalog.load("timearena/household1~2~agent2=household1")
    copy = instance_from_document(to_document(two), "-")
    assert (copy.name, copy.agents, copy.by_id) == (two.name, two.agents, two.by_id)
    plan = [{"action": two.actions[0].id, "start": 0, "duration": two.actions[0].duration, "agent": "agent9"}]
    kinds = {violation.kind for violation in language(two).run(two, plan).verdict.violations}
    assert {"ineligible_agent", "missing_action"} <= kinds


# --- kitchens -------------------------------------------------------------------------------------


def test_additional_cooks_start_at_empty_stations() -> None:
    one = kitchen("kitchens/synchronous/3_burger")
    three = with_cooks(one, 3)
    assert three.players == ("robot1", "robot2", "robot3")
    places = {fact[1]: fact[2] for fact in three.facts if fact[0] == "loc"}
    assert ("loc", "robot1", places["robot1"]) in one.facts
    assert len(set(places.values())) == 3
    assert ("nothing", "robot2") in three.facts
    assert not any(("vacant", station) in three.facts for station in places.values())
    empty = {fact[1] for fact in one.facts if fact[0] == "station_empty"} - {places["robot1"]}
    assert len(empty & {places["robot2"], places["robot3"]}) == min(2, len(empty))
    assert catalog.problem("kitchens/synchronous/3_burger~3") == three


def test_unsupported_number_or_restriction_of_cooks_is_rejected() -> None:
    with pytest.raises(InputError, match="must be at most"):
        with_cooks(kitchen("kitchens/synchronous/3_burger"), 50)
    with pytest.raises(InputError, match="must be at least 2"):
        with_cooks(kitchen(catalog.expand(["kitchens/multi_agent"])[0]), 1)
    with pytest.raises(InputError, match="every cook may do every action"):
        catalog.problem("kitchens/synchronous/3_burger~2~robot2=burger")


def crew(**changes: Any) -> Instance:
    """Return a problem of two agents with equal calendars and ways, and a machine with its own calendar."""
    model = Model("crew", agents=["ann", "bob"]).resource("saw").calendar(["ann", "saw"], [(0, 5)])
    model.calendar("bob", [(0, 5)]).travel(["ann", "bob"], [("home", "shop", 2)], start="home").task("t")
    model.action("cut", 4, place="shop").mode().uses("saw").mode(duration=2, agents=["bob", "ann"])
    return replace(model.build(), **changes)


def test_copies_have_calendars_and_ways_of_the_replaced_agents() -> None:
    three = with_agents(crew(), 3)
    names = ("agent1", "agent2", "agent3")
    assert three.calendars == (Calendar((*names, "saw"), ((0, 5),)),)
    start = tuple((name, "home") for name in names)
    assert three.transitions == (Transitions(names, (("home", "shop", 2),), start),)
    assert [variant.agents for variant in three.variants["t/cut"]] == [names, names]


def test_agents_of_an_action_that_needs_none_are_copied_in_its_modes() -> None:
    model = Model(agents=["ann"]).task("t").action("cut", 4, agents=[]).mode().mode(duration=2, agents=["ann"])
    two = with_agents(model.build(), 2)
    assert [variant.agents for variant in two.variants["t/cut"]] == [(), ("agent1", "agent2")]


@pytest.mark.parametrize(
    "changes",
    [
        {"calendars": (Calendar(("ann",), ((0, 5),)),)},
        {"calendars": (Calendar(("ann",), ((0, 5),)), Calendar(("bob",), ((0, 5),), 9))},
        {"transitions": (Transitions(("ann", "bob"), (("home", "shop", 2),), (("ann", "home"),)),)},
    ],
)
def test_agents_with_other_calendars_or_ways_are_not_alike(changes: dict[str, Any]) -> None:
    assert interchangeable(crew()) == (("ann", "bob"),)
    assert interchangeable(crew(**changes)) == (("ann",), ("bob",))


def test_agents_of_other_modes_are_not_alike() -> None:
    model = Model(agents=["ann", "bob"]).task("t").action("cut", 4).mode().mode(agents=["ann"])
    assert interchangeable(model.build()) == (("ann",), ("bob",))


def test_restriction_of_an_agent_holds_in_every_mode() -> None:
    model = Model(agents=["a", "b"]).task("t").action("cut", 4).mode().mode(duration=2, agents=["b"])
    instance = model.task("u").action("go", 1).build()
    assert [variant.agents for variant in assign(instance, {"a": ["u"]}).variants["t/cut"]] == [("b",), ("b",)]
    assert assign(instance, {"b": ["t"]}).variants["t/cut"] == instance.variants["t/cut"]
    with pytest.raises(InputError, match="only: no agent is eligible for mode 1 of this action"):
        assign(instance, {"b": ["u"]})


def test_note_on_a_busy_agent_counts_the_shortest_modes() -> None:
    model = Model("shop").task("t").action("a", 3).mode().mode(duration=2).task("u").action("b", 4)
    assert "busy for all 6 ticks" in busy_agent_note(model.build(), 6)
    assert not busy_agent_note(model.optional("u").build(), 6)
