"""Builder of problems: same problems, defaults and errors as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from tests.strategies import instances

EXAMPLES = Path(__file__).resolve().parents[3] / "instances" / "examples"


def built(instance: Instance) -> Instance:
    """Build an equal instance, each feature by its method."""
    model = Model(
        instance.name,
        unit=instance.unit,
        seconds_per_tick=instance.seconds_per_tick,
        agents=instance.agents,
        time_limit=instance.time_limit,
    )
    for resource in instance.resources:
        model.resource(resource.name, resource.capacity, resource.state)
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
        )
        for mode in action.modes:
            if len(action.modes) > 1 or mode.name or mode.after:
                model.mode(mode.name, mode.after)
            for demand in mode.demands:
                model.uses(demand.resource, demand.amount, requires=demand.requires, sets=demand.sets)
        for lag in instance.lags:
            if lag.after == action.id:
                model.after(lag.before, lag.minimum, lag.maximum)
    return model.build()


@given(instances())
def test_builder_rebuilds_any_instance(instance: Instance) -> None:
    assert built(instance) == instance


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
