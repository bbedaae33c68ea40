"""File format of scheduling problems: reading, writing, and error messages."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.errors import InputError, InputNote, UnknownNameError
from planoracle.instances.files.instance_file import instance_from_document, json_schema, to_document
from planoracle.instances.files.strict_json import load_document, load_json, read_bytes
from planoracle.instances.model.cache import fingerprint
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transitions import Transitions
from tests.strategies import instances
from tests.support.line_counter import count_lines
from tests.support.random_model_instances import model_mix

FULL: dict[str, Any] = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "kitchen",
    "unit": "minute",
    "seconds_per_tick": 60,
    "agents": ["cook", "help"],
    "resources": [{"name": "oven", "state": "cold"}, {"name": "pan", "capacity": 2}],
    "time_limit": 99,
    "tasks": [
        {
            "name": "pie",
            "actions": [
                {"name": "chop", "label": "chop it", "duration": 3, "interruptible": True},
                {"name": "heat", "duration": 5, "attended": 0, "uses": [{"resource": "oven", "sets": "hot"}]},
                {
                    "name": "bake",
                    "duration": 9,
                    "attended": 1,
                    "release": 2,
                    "agents": ["cook"],
                    "modes": [
                        {"name": "in oven", "uses": [{"resource": "oven", "requires": "hot"}]},
                        {"uses": [{"resource": "pan", "amount": 2}]},
                    ],
                    "after": ["chop", {"action": "tea/boil", "min_lag": 1, "max_lag": 4}],
                },
            ],
        },
        {"name": "tea", "actions": [{"name": "boil", "duration": 4, "agents": [], "after": []}]},
    ],
}


def ascii_start(value: Any) -> str:
    return ascii(value)[:30]


def read_file(path: Path | str) -> Instance:
    name = str(path)
    return instance_from_document(load_document(read_bytes(name), name).value, name)


def read(document: Any) -> Instance:
    return instance_from_document(document, "k.json")


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    document = copy.deepcopy(FULL)
    place: Any = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return document


def step(*path: str | int, to: Any) -> dict[str, Any]:
    return changed("tasks", 0, "actions", *path, to=to)


def test_every_field_is_read() -> None:
    assert read(FULL) == Instance(
        name="kitchen",
        actions=(
            Action("pie/chop", "pie", 3, 3, interruptible=True, label="chop it"),
            Action("pie/heat", "pie", 5, 0, modes=(Mode((Demand("oven", sets="hot"),)),)),
            Action(
                "pie/bake",
                "pie",
                9,
                1,
                modes=(Mode((Demand("oven", requires="hot"),), "in oven"), Mode((Demand("pan", 2),))),
                agents=("cook",),
                release=2,
            ),
            Action("tea/boil", "tea", 4, 0, agents=()),
        ),
        lags=(Lag("pie/chop", "pie/bake"), Lag("tea/boil", "pie/bake", 1, 4)),
        resources=(Resource("oven", 1, "cold"), Resource("pan", 2)),
        agents=("cook", "help"),
        unit="minute",
        seconds_per_tick=60,
        time_limit=99,
    )


@given(instances())
@pytest.mark.slow
def test_written_instance_reads_back_equal(instance: Instance) -> None:
    text = json.dumps(to_document(instance))
    assert read(load_json(text, "k.json")) == instance


@pytest.mark.parametrize(
    ("ids", "lags", "read_ids", "read_lags"),
    [
        (("t/a", "u/a", "t/b"), (), ("t/a", "t/b", "u/a"), ()),
        (
            ("t/a", "t/b", "t/c"),
            (Lag("t/a", "t/c"), Lag("t/a", "t/b")),
            ("t/a", "t/b", "t/c"),
            (Lag("t/a", "t/b"), Lag("t/a", "t/c")),
        ),
    ],
    ids=["tasks interleaved", "lags in another order"],
)
def test_actions_and_lags_are_written_in_file_order(
    ids: tuple[str, ...], lags: tuple[Lag, ...], read_ids: tuple[str, ...], read_lags: tuple[Lag, ...]
) -> None:
    actions = {name: Action(name, name[0], 1, 1) for name in ids}
    instance = read(to_document(Instance("k", tuple(actions.values()), lags)))
    assert instance == Instance("k", tuple(actions[name] for name in read_ids), read_lags)


def test_default_values_are_not_written() -> None:
    assert to_document(Instance("k", (Action("t/a", "t", 3, 3),))) == {
        "format": "planoracle/instance",
        "version": 1,
        "name": "k",
        "tasks": [{"name": "t", "actions": [{"name": "a", "duration": 3}]}],
    }


def test_attendance_of_an_action_without_agents_is_not_written() -> None:
    document = to_document(Instance("k", (Action("t/a", "t", 3, 0, agents=()),)))
    assert document["tasks"][0]["actions"] == [{"name": "a", "duration": 3, "agents": []}]


# --- version 2 ---


NEW: dict[str, Any] = {
    "format": "planoracle/instance",
    "version": 2,
    "name": "shop",
    "unit": "hour",
    "seconds_per_tick": 3600,
    "start_time": "2026-03-02 8:00",
    "agents": ["ann", "bob"],
    "resources": [{"name": "mill"}, {"name": "gold", "capacity": 9, "renewable": False}],
    "calendars": [
        {"members": ["mill", "bob"], "off": [["17:00", "8:00"], ["12:00", "13:00"]]},
        {"members": ["ann"], "off": [["2026-03-01", "2026-03-03"], [20, "2026-03-04 6:00"]]},
        {"members": ["ann"], "off": [["2026-02-28", "2026-03-02"]], "period": 168},
    ],
    "transitions": [
        {"members": ["ann", "bob"], "times": [["home", "shop", 2], ["shop", "home", 3]], "start": [["ann", "home"]]},
        {"members": ["mill"], "times": [["a", "b", 1]]},
    ],
    "tasks": [
        {
            "name": "gear",
            "optional": True,
            "weight": 3,
            "actions": [
                {
                    "name": "cut",
                    "release": "2026-03-02",
                    "deadline": "2026-03-03",
                    "windows": [["9:00", "17:00"], [30, 39]],
                    "pauses": "breaks",
                    "place": "shop",
                    "modes": [
                        {"duration": 4, "uses": [{"resource": "mill", "family": "a"}]},
                        {"duration": 6, "attended": 6, "agents": ["bob"], "uses": [{"resource": "gold", "amount": 9}]},
                    ],
                }
            ],
        },
        {"name": "hub", "optional": True, "actions": [{"name": "turn", "duration": 2, "place": "home"}]},
        {"name": "end", "actions": [{"name": "rest", "duration": 3, "pauses": "anywhere", "place": "home"}]},
    ],
}


def new_action(**fields: Any) -> dict[str, Any]:
    """Return a document of one action, in version 2."""
    tasks = [{"name": "t", "actions": [{"name": "a", **fields}]}]
    return {"format": "planoracle/instance", "version": 2, "name": "k", "agents": ["ann", "bob"], "tasks": tasks}


def test_every_field_of_version_2_is_read() -> None:
    cut = Action(
        "gear/cut",
        "gear",
        4,
        4,
        modes=(Mode((Demand("mill", family="a"),)), Mode((Demand("gold", 9),), duration=6, agents=("bob",))),
        deadline=40,
        windows=((1, 9), (30, 39)),
        pauses_in_breaks=True,
        place="shop",
    )
    turn = Action("hub/turn", "hub", 2, 2, place="home")
    rest = Action("end/rest", "end", 3, 3, interruptible=True, place="home")
    ways = (("home", "shop", 2), ("shop", "home", 3))
    assert read(NEW | {"calendars": []}) == Instance(
        name="shop",
        actions=(cut, turn, rest),
        resources=(Resource("mill"), Resource("gold", 9, renewable=False)),
        agents=("ann", "bob"),
        unit="hour",
        seconds_per_tick=3600,
        transitions=(
            Transitions(("ann", "bob"), ways, (("ann", "home"),)),
            Transitions(("mill",), (("a", "b", 1),)),
        ),
        optional=(("gear", 3), ("hub", 1)),
        start_time=datetime(2026, 3, 2, 8),
    )


def test_off_times_are_ticks_dates_or_daily_clock_times() -> None:
    assert read(NEW).calendars == (
        Calendar(("mill", "bob"), ((4, 5), (9, 24)), 24),
        Calendar(("ann",), ((0, 16), (20, 46))),
        Calendar(("ann",), ((112, 160),), 168),
    )


def test_written_file_of_version_2_reads_back_equal() -> None:
    instance = read(NEW)
    document = to_document(instance)
    assert document["version"] == 2
    copied = read(load_json(json.dumps(document), "k.json"))
    assert copied == instance
    assert fingerprint(copied) == fingerprint(instance)


def test_any_instance_of_the_larger_model_reads_back_equal() -> None:
    for seed in range(60):
        instance = model_mix(seed)
        order = [action.id for action in instance.actions]
        lags = sorted(instance.lags, key=lambda lag: order.index(lag.after))
        instance = replace(instance, lags=tuple(lags))  # a file has the lags of each action with it
        assert read(json.loads(json.dumps(to_document(instance)))) == instance, seed


def test_version_1_suffices_without_a_new_field() -> None:
    instance = read(FULL | {"version": 2})
    assert instance == read(FULL)
    assert to_document(instance)["version"] == 1


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (FULL | {"start_time": "2026-03-02"}, "start_time"),
        (FULL | {"calendars": [{"members": ["cook"], "off": [[0, 1]]}]}, "calendars"),
        (FULL | {"transitions": [{"members": ["cook"], "times": []}]}, "transitions"),
        (changed("resources", 1, "renewable", to=False), "resources[1].renewable"),
        (changed("tasks", 1, "optional", to=True), "tasks[1].optional"),
        (step(0, "deadline", to=9), "tasks[0].actions[0].deadline"),
        (step(0, "windows", to=[[0, 9]]), "tasks[0].actions[0].windows"),
        (step(0, "pauses", to="anywhere"), "tasks[0].actions[0].pauses"),
        (step(0, "place", to="shop"), "tasks[0].actions[0].place"),
        (step(0, "attended", to="all"), "tasks[0].actions[0].attended"),
        (step(2, "modes", 0, "duration", to=4), "tasks[0].actions[2].modes[0].duration"),
        (step(2, "modes", 0, "attended", to=4), "tasks[0].actions[2].modes[0].attended"),
        (step(2, "modes", 0, "agents", to=[]), "tasks[0].actions[2].modes[0].agents"),
        (step(1, "uses", 0, "family", to="a"), "tasks[0].actions[1].uses[0].family"),
    ],
)
def test_version_1_has_no_new_field(document: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert str(caught.value) == f"k.json: {field}: needs version 2 of the file format"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (new_action(modes=[{"duration": 2}, {}]), "actions[t/a].duration: is missing; give one, or one in each mode"),
        (
            new_action(attended=1, modes=[{"duration": 2}]),
            "actions[t/a].attended: must be 0 or 'all' if only the modes have durations; a mode can have attended "
            "ticks (got 1)",
        ),
        (
            new_action(duration=2, interruptible=True, pauses="breaks"),
            "actions[t/a].pauses: contradicts interruptible, which means pauses anywhere (got 'breaks')",
        ),
        (
            new_action(duration=2, deadline="8:00"),
            "actions[t/a].deadline: dates and clock times require start_time, the clock time of tick 0 (got '8:00')",
        ),
        (
            new_action(duration=2)
            | {
                "start_time": "2026-03-02",
                "seconds_per_tick": 3600,
                "calendars": [{"members": ["ann"], "off": [["8:00", "9:00"]], "period": 24}],
            },
            "calendars[0].off: clock times repeat every day; give other off-times and other periods in a calendar of "
            "their own (got [('8:00', '9:00')])",
        ),
        (
            new_action(duration=2) | {"tasks": [{"name": "t", "weight": 2, "actions": [{"name": "a", "duration": 2}]}]},
            "tasks[0].weight: needs optional: true, since tasks that must be done have no weight (got 2)",
        ),
        (
            new_action(duration=2) | {"start_time": "8:00"},
            "start_time: must be a date such as 2026-03-02 or 2026-03-02 08:30 (got '8:00')",
        ),
    ],
)
def test_fault_of_version_2_names_its_field(document: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert str(caught.value) == f"k.json: {message}"


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (new_action(duration=2, pauses="often"), "pauses", "'never', 'breaks' or 'anywhere' (got 'often')"),
        (new_action(duration=2, windows=[[1]]), "windows[0][1]", "is missing"),
        (new_action(duration=2, windows=[3]), "windows[0]", "(got 3)"),
        (new_action(duration=2, windows=[["soon", 3]]), "windows[0][0]", "or a whole number (got 'soon')"),
        (new_action(duration=2, deadline=True), "deadline", "or a whole number (got True)"),
    ],
)
def test_fault_of_a_value_of_version_2_names_its_place(document: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert caught.value.field == f"tasks[0].actions[0].{field}"
    assert message in str(caught.value)


def test_modes_that_need_too_much_are_noted() -> None:
    uses = [{"resource": "steel", "amount": 2}]
    document = new_action(duration=2, modes=[{}, {"uses": uses}]) | {
        "resources": [{"name": "steel", "capacity": 1, "renewable": False}]
    }
    with pytest.warns(InputNote, match=r"^k\.json: never chosen, .* a capacity or budget: mode 1 of t/a$"):
        instance = read(document)
    assert len(instance.actions[0].modes) == 2


# --- faults of the document -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (changed("colour", to="red"), "colour", "unknown key (got 'red')"),
        (step(0, "colour", to=7), "tasks[0].actions[0].colour", "unknown key (got 7)"),
        (
            step(2, "after", 1, "lag", to=1),
            "tasks[0].actions[2].after[1].lag",
            "unknown key; did you mean min_lag or max_lag? (got 1)",
        ),
        (step(1, "uses", 0, "state", to="x"), "tasks[0].actions[1].uses[0].state", "unknown key (got 'x')"),
        (changed("format", to="planoracle/plan"), "format", "'planoracle/instance' (got 'planoracle/plan')"),
        (changed("version", to=3), "version", "must be 1 or 2 (got 3)"),
        (changed("version", to="1"), "version", "must be 1 or 2 (got '1')"),
        (changed("version", to=True), "version", "must be 1 or 2 (got True)"),
        (changed("version", to=1.0), "version", "must be 1 or 2 (got 1.0)"),
        (changed("version", to=[]), "version", "must be 1 or 2 (got [])"),
        (changed("benchmark", to="other"), "benchmark", "generic, paracook_abstract, recipe2plan (got 'other')"),
        (changed("name", to=5), "name", "must be text (got 5)"),
        (changed("agents", to="cook"), "agents", "must be a list (got 'cook')"),
        (changed("agents", 0, to=None), "agents[0]", "must be text (got None)"),
        (changed("resources", to={}), "resources", "must be a list (got {})"),
        (changed("resources", 0, to="oven"), "resources[0]", "must be an object (got 'oven')"),
        (changed("resources", 1, "capacity", to=True), "resources[1].capacity", "whole number (got True)"),
        (changed("time_limit", to=9.0), "time_limit", "whole number (got 9.0)"),
        (changed("seconds_per_tick", to=False), "seconds_per_tick", "whole number (got False)"),
        (changed("tasks", 1, to=[]), "tasks[1]", "must be an object (got [])"),
        (step(0, "duration", to=3.0), "tasks[0].actions[0].duration", "whole number (got 3.0)"),
        (step(0, "duration", to=True), "tasks[0].actions[0].duration", "whole number (got True)"),
        (step(0, "duration", to="3"), "tasks[0].actions[0].duration", "whole number (got '3')"),
        (step(0, "duration", to=None), "tasks[0].actions[0].duration", "whole number (got None)"),
        (step(0, "attended", to=2.5), "tasks[0].actions[0].attended", "whole number (got 2.5)"),
        (step(0, "interruptible", to=1), "tasks[0].actions[0].interruptible", "true or false (got 1)"),
        (step(2, "release", to="2"), "tasks[0].actions[2].release", "8:30, or a whole number (got '2')"),
        (step(2, "release", to=2.5), "tasks[0].actions[2].release", "8:30, or a whole number (got 2.5)"),
        (step(0, "attended", to="none"), "tasks[0].actions[0].attended", "'all' or a whole number (got 'none')"),
        (
            step(2, "modes", 1, "uses", 0, "amount", to=1.0),
            "tasks[0].actions[2].modes[1].uses[0].amount",
            "(got 1.0)",
        ),
        (step(2, "after", 1, "min_lag", to=True), "tasks[0].actions[2].after[1].min_lag", "whole number (got True)"),
        (step(2, "after", 1, "max_lag", to=4.5), "tasks[0].actions[2].after[1].max_lag", "whole number (got 4.5)"),
        (
            step(2, "after", 0, to=0),
            "tasks[0].actions[2].after[0]",
            "must be the name of an action or an object (got 0)",
        ),
        (step(2, "uses", to=[]), "tasks[0].actions[2].modes", "either uses or modes"),
        ([FULL], "document", "must be an object"),
        (None, "document", "must be an object (got None)"),
    ],
)
def test_fault_names_file_field_and_value(document: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"k.json: {field}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("field", ["format", "version", "name", "tasks"])
def test_missing_field_is_named(field: str) -> None:
    with pytest.raises(InputError, match=rf"^k\.json: {field}: is missing$"):
        read({key: value for key, value in FULL.items() if key != field})


@pytest.mark.parametrize("field", ["name", "duration"])
def test_missing_field_of_an_action_is_named(field: str) -> None:
    entry = {key: value for key, value in FULL["tasks"][0]["actions"][0].items() if key != field}
    with pytest.raises(InputError, match=rf"^k\.json: tasks\[0\]\.actions\[0\]\.{field}: is missing$"):
        read(step(0, to=entry))


def test_error_names_the_first_fault_and_counts_the_others() -> None:
    with pytest.raises(InputError, match=r"^k\.json: colour: unknown key \(and 1 more\) \(got 1\)$"):
        read(FULL | {"colour": 1, "size": 2})


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (step(0, "duration", to=-1), "actions[pie/chop].duration", "(got -1)"),
        (step(0, "duration", to=10**4000), "actions[pie/chop].duration", "(got 1000"),
        (step(2, "agents", to=["thief"]), "actions[pie/bake].agents", "(got 'thief')"),
        (step(2, "agents", to=["cook", "cook"]), "actions[pie/bake].agents", "unique (got 'cook')"),
        (step(2, "after", to=["fetch"]), "lags[pie/fetch -> pie/bake]", "(got 'pie/fetch')"),
        (step(0, "after", to=["bake"]), "lags", "a cycle: pie/chop -> pie/bake -> pie/chop"),
        (step(0, "name", to="a/b"), "actions[pie/a/b].id", "or contain '/' (got 'pie/a/b')"),
        (step(1, "name", to=""), "actions[pie/].id", "neither part may be empty or contain '/' (got 'pie/')"),
        (changed("tasks", 1, "name", to=""), "actions[/boil].id", "(got '/boil')"),
        (changed("benchmark", to="recipe2plan"), "benchmark", "one agent and no time limit"),
    ],
)
def test_fault_of_the_model_names_file_and_action(document: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert (caught.value.source, caught.value.field) == ("k.json", field)
    assert str(caught.value).startswith(f"k.json: {field}: ")
    assert message in str(caught.value.faults[0])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed("tasks", to=[]), "actions: needs at least one action"),
        (step(2, "after", to=["chop", "chop"]), "lags[pie/chop -> pie/bake]: these actions already have a time lag"),
    ],
)
def test_fault_without_a_value_prints_no_value(document: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert str(caught.value) == f"k.json: {message}"
    assert not caught.value.has_value


def test_error_keeps_value_and_type_when_the_file_is_added() -> None:
    error = UnknownNameError("is wrong", field="a.b", value=None).at("k.json", "tasks[0]")
    assert (type(error), error.source, error.field) == (UnknownNameError, "k.json", "tasks[0].a.b")
    assert error.has_value
    assert str(error) == "k.json: tasks[0].a.b: is wrong (got None)"
    assert str(InputError("is wrong").at("k.json")) == "k.json: is wrong"


# --- faults of the file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b" \n", "is not JSON"),
        (b"\0" * 9, "is not JSON"),
        (b'{"name": "a\0b"}', "is not JSON: Invalid control character at in column 12"),
        (b'{"name": \n 1,}', "in line 2"),
        (b'{"name": "\xff"}', "is not UTF-8 (invalid start byte at byte 10)"),
        ("{}".encode("utf-16"), "is not UTF-8"),
        (b"\x80\x04K\x01.", "is not UTF-8"),
        (b'{"unit": "a", "name": "a", "name": "b"}', "name: key is given twice"),
        (b'{"tasks": [{"duration": 1, "duration": 1}]}', "duration: key is given twice"),
        (b'{"duration": NaN}', "NaN is not a JSON number"),
        (b'{"duration": Infinity}', "Infinity is not a JSON number"),
        (b'{"duration": -Infinity}', "-Infinity is not a JSON number"),
        (b'{"duration": 1e999}', "1e999 is too large a number"),
        (b'{"duration": -1e999}', "-1e999 is too large a number"),
        (b'{"duration": 1' + b"0" * 999 + b".0}", "0 is too large a number"),
        (b"[" * 10**5, "nested too deeply"),
        (b"[" * 10**5 + b"]" * 10**5, "nested too deeply"),
        (b'{"a":' * 10**5, "nested too deeply"),
        (b'{"duration": ' + b"1" * 10**5 + b"}", "number that cannot be read"),
        (b"[]", "must be an object (got [])"),
        (b"1", "must be an object (got 1)"),
    ],
    ids=ascii_start,
)
def test_error_about_invalid_content_names_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "k.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert caught.value.source == str(path)
    assert str(caught.value).startswith((f"{path}: ", f"{path}, line 1: "))
    assert message in str(caught.value)


@pytest.mark.parametrize(("name", "message"), [("none.json", "No such file"), ("", "Is a directory")])
def test_error_about_missing_file_names_the_path(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: cannot be read: {message}")


@pytest.mark.parametrize(
    ("path", "printed"), [("a\0b", "a\0b"), ("\ud800", "\\ud800"), ("x" * 5000, "x" * 300 + "...")], ids=ascii_start
)
def test_error_about_impossible_path_is_printable(path: str, printed: str) -> None:
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{printed}: cannot be read: ")


def test_duplicate_keys_are_found_in_linear_time() -> None:
    def refused(count: int) -> None:
        keys = ", ".join(f'"key{i}": 0' for i in range(count))
        with pytest.raises(InputError, match=rf"^k\.json: key{count - 1}: key is given twice$"):
            load_json(f'{{{keys}, "key{count - 1}": 0}}', "k.json")

    few, many = (count_lines(lambda n=n: refused(n)) for n in (1_000, 4_000))  # type: ignore[misc]
    assert many < 5 * few


def test_file_above_the_size_limit_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planoracle.instances.files.strict_json.MAX_BYTES", 10)
    path = tmp_path / "k.json"
    path.write_bytes(b" " * 11)
    with pytest.raises(InputError, match="is larger than 10 bytes"):
        read_file(path)
    path.write_bytes(b" " * 10)
    with pytest.raises(InputError, match="is not JSON"):
        read_file(path)


def test_file_with_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text(json.dumps(FULL), encoding="utf-8-sig")
    assert read_file(path) == read(FULL)


@given(st.text("[]{}01,.- \n\0\xff", max_size=12).map(lambda text: text.encode("latin-1")))
def test_arbitrary_bytes_are_parsed_or_rejected(data: bytes) -> None:
    try:
        expected = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        with pytest.raises(InputError, match=r"^k\.json: "):
            load_json(data, "k.json")
    else:
        assert load_json(data, "k.json") == expected


# --- the schema -----------------------------------------------------------------------------------


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema or schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from _objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects(part)


def test_schema_has_dialect_and_required_keys() -> None:
    schema = json.loads(json.dumps(json_schema()))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["type"] == "object"
    assert schema["required"] == ["format", "version", "name", "tasks"]
    assert schema["properties"]["format"]["const"] == "planoracle/instance"
    assert schema["properties"]["version"]["enum"] == [1, 2]
    assert schema["$defs"]["ActionEntry"]["required"] == ["name"]
    assert "default" not in schema["$defs"]["ActionEntry"]["properties"]["duration"]


def test_schema_allows_no_unknown_keys_anywhere() -> None:
    objects = list(_objects(json_schema()))
    assert len(objects) == 9
    assert [entry["title"] for entry in objects if entry.get("additionalProperties") is not False] == []


def test_schema_allows_a_plain_name_as_predecessor() -> None:
    after = json_schema()["$defs"]["ActionEntry"]["properties"]["after"]["items"]
    assert {"type": "string"} in after["anyOf"]
