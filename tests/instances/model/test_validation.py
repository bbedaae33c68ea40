"""Validation of instances: every rule, and the field that its error names."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model import validation
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import certify, check_instance
from planoracle.solver.solve import solve

HUGE = 10**9 + 1
OVEN = Resource("oven", 2, "cold")


def act(name: str = "a", duration: Any = 3, attended: Any = None, **more: Any) -> Action:
    return Action(f"t/{name}", "t", duration, duration if attended is None else attended, **more)


def use(*demands: Demand) -> Action:
    return act(modes=(Mode(demands),))


A, B, C = act("a"), act("b"), act("c")


def lagged(*lags: Lag) -> dict[str, Any]:
    return {"actions": (A, B, C), "lags": lags}


def cooked(*actions: Action, **more: Any) -> dict[str, Any]:
    """Keywords of an instance of Recipe2Plan, by default with the steps t/0, t/1 and u/0."""
    return {"benchmark": "recipe2plan", "actions": actions or (act("0"), act("1"), Action("u/0", "u", 3, 0))} | more


# Keywords of an invalid instance, the field of the error, and a part of the message.
FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no actions": ({"actions": ()}, "actions", "at least one action"),
    "two actions of one id": ({"actions": (A, B, A)}, "actions", "unique (got 't/a')"),
    "two resources of one name": ({"resources": (OVEN, OVEN)}, "resources", "unique (got 'oven')"),
    "two agents of one name": ({"agents": ("x", "y", "x")}, "agents", "unique (got 'x')"),
    "empty agent name": ({"agents": ("",)}, "agents", "non-empty text (got '')"),
    "resource name that is no text": ({"resources": (Resource(7),)}, "resources", "non-empty text (got 7)"),
    "action id that cannot be hashed": ({"actions": (Action([], "t", 1, 1),)}, "actions", "non-empty text (got [])"),
    "negative time limit": ({"time_limit": -1}, "time_limit", "between 0 and 1000000000 (got -1)"),
    "time limit that is true": ({"time_limit": True}, "time_limit", "whole number (got True)"),
    "tick of no seconds": ({"seconds_per_tick": 0}, "seconds_per_tick", "between 1 and 1000000000 (got 0)"),
    "tick of half seconds": ({"seconds_per_tick": 0.5}, "seconds_per_tick", "whole number (got 0.5)"),
    "capacity zero": ({"resources": (Resource("oven", 0),)}, "resources[oven].capacity", "between 1 and"),
    "capacity that is text": ({"resources": (Resource("oven", "2"),)}, "resources[oven].capacity", "(got '2')"),
    "budget with a state": (
        {"resources": (Resource("oven", 1, "cold", renewable=False),)},
        "resources[oven].state",
        "a budget has no states (got 'cold')",
    ),
    "negative duration": ({"actions": (act(duration=-1, attended=0),)}, "actions[t/a].duration", "(got -1)"),
    "huge duration": ({"actions": (act(duration=HUGE, attended=0),)}, "actions[t/a].duration", "(got 1000000001)"),
    "duration with thousands of digits": (
        {"actions": (act(duration=10**9999, attended=0),)},
        "actions[t/a].duration",
        "thousands of digits",
    ),
    "float duration": ({"actions": (act(duration=3.0),)}, "actions[t/a].duration", "whole number (got 3.0)"),
    "boolean duration": ({"actions": (act(duration=True),)}, "actions[t/a].duration", "whole number (got True)"),
    "negative attendance": ({"actions": (act(attended=-1),)}, "actions[t/a].attended", "(got -1)"),
    "float attendance": ({"actions": (act(attended=1.5),)}, "actions[t/a].attended", "(got 1.5)"),
    "boolean attendance": ({"actions": (act(attended=True),)}, "actions[t/a].attended", "(got True)"),
    "negative release": ({"actions": (act(release=-2),)}, "actions[t/a].release", "(got -2)"),
    "huge release": ({"actions": (act(release=HUGE),)}, "actions[t/a].release", "(got 1000000001)"),
    "attended longer than it lasts": (
        {"actions": (act(duration=3, attended=4),)},
        "actions[t/a].attended",
        "not exceed the duration 3 (got 4)",
    ),
    "interruptible and partly attended": (
        {"actions": (act(attended=2, interruptible=True),)},
        "actions[t/a].attended",
        "0 or the duration 3 for an interruptible action (got 2)",
    ),
    "interruptible and sets a state": (
        {
            "resources": (OVEN,),
            "actions": (act(interruptible=True, modes=(Mode(), Mode((Demand("oven", sets="hot"),)))),),
        },
        "actions[t/a].interruptible",
        "cannot set a state",
    ),
    "interruptible and unattended, but uses what carries a state": (
        {
            "resources": (OVEN,),
            "actions": (act(interruptible=True, attended=0, modes=(Mode((Demand("oven"),)),)),),
        },
        "actions[t/a].interruptible",
        "uses oven, which has states, cannot be interruptible",
    ),
    "unknown agent": (
        {"agents": ("x", "y"), "actions": (act(agents=("y", "z")),)},
        "actions[t/a].agents",
        "must be one of x, y (got 'z')",
    ),
    "attended, but nobody is eligible": ({"actions": (act(agents=()),)}, "actions[t/a].agents", "needs an eligible"),
    "attended, but there is nobody": ({"agents": ()}, "actions[t/a].agents", "needs an eligible agent"),
    "no mode": ({"actions": (act(modes=()),)}, "actions[t/a].modes", "at least one mode"),
    "too many modes": (
        {"actions": (act(modes=(Mode(),) * 1001),)},
        "actions[t/a].modes",
        "must have at most 1000 entries (got 1001)",
    ),
    "too many actions": ({"actions": (A,) * 10_001}, "actions", "must have at most 10000 entries (got 10001)"),
    "too many agents": ({"agents": ("x",) * 1_001}, "agents", "must have at most 1000 entries (got 1001)"),
    "too long a name": ({"agents": ("x" * 501,)}, "agents", "at most 500 characters"),
    "resource twice in a mode": (
        {"resources": (OVEN,), "actions": (use(Demand("oven"), Demand("oven")),)},
        "actions[t/a].modes[0]",
        "uses a resource twice",
    ),
    "unknown resource": (
        {"resources": (OVEN,), "actions": (use(Demand("pan")),)},
        "actions[t/a].modes[0].uses[pan].resource",
        "must be one of oven (got 'pan')",
    ),
    "negative demand": (
        {"resources": (OVEN,), "actions": (use(Demand("oven", -1)),)},
        "actions[t/a].modes[0].uses[oven].amount",
        "(got -1)",
    ),
    "state that nobody sets": (
        {"resources": (OVEN,), "actions": (use(Demand("oven", requires="hot")),)},
        "actions[t/a].modes[0].uses[oven].requires",
        "is not the initial state, and no action sets it (got 'hot')",
    ),
    "state that is set on another resource only": (
        {
            "resources": (OVEN, Resource("pan")),
            "actions": (use(Demand("pan", sets="hot"), Demand("oven", requires="hot")),),
        },
        "actions[t/a].modes[0].uses[oven].requires",
        "no action sets it",
    ),
    "lag from nowhere": (lagged(Lag("t/x", "t/a")), "lags[t/x -> t/a]", "does not exist (got 't/x')"),
    "lag to nowhere": (lagged(Lag("t/a", "t/x")), "lags[t/a -> t/x]", "does not exist (got 't/x')"),
    "lag to itself": (lagged(Lag("t/a", "t/a")), "lags[t/a -> t/a]", "cannot precede itself"),
    "lag twice": (
        lagged(Lag("t/a", "t/b"), Lag("t/a", "t/b", 1)),
        "lags[t/a -> t/b]",
        "these actions already have a time lag",
    ),
    "lag without bounds": (lagged(Lag("t/a", "t/b", None)), "lags[t/a -> t/b]", "a minimum or a maximum"),
    "maximum below minimum": (lagged(Lag("t/a", "t/b", 3, 2)), "lags[t/a -> t/b].maximum", "below the minimum 3"),
    "float lag": (lagged(Lag("t/a", "t/b", 1.0)), "lags[t/a -> t/b].minimum", "(got 1.0)"),
    "boolean lag": (lagged(Lag("t/a", "t/b", 0, True)), "lags[t/a -> t/b].maximum", "(got True)"),
    "huge lag": (lagged(Lag("t/a", "t/b", 0, HUGE)), "lags[t/a -> t/b].maximum", "(got 1000000001)"),
    "hugely negative lag": (lagged(Lag("t/a", "t/b", -HUGE)), "lags[t/a -> t/b].minimum", "(got -1000000001)"),
    "cycle": (
        lagged(Lag("t/c", "t/a"), Lag("t/a", "t/b"), Lag("t/b", "t/a", 1)),
        "lags",
        "form a cycle: t/a -> t/b -> t/a",
    ),
    "cycle behind which others wait": (
        lagged(Lag("t/b", "t/c"), Lag("t/c", "t/b"), Lag("t/b", "t/a")),
        "lags",
        "form a cycle: t/b -> t/c -> t/b",
    ),
    "id without a task": ({"actions": (Action("a", "t", 1, 1),)}, "actions[a].id", "task/name"),
    "id of another task": ({"actions": (Action("u/a", "t", 1, 1),)}, "actions[u/a].id", "(got 'u/a')"),
    "id without a name": ({"actions": (act(""),)}, "actions[t/].id", "neither part may be empty"),
    "id with an empty task": ({"actions": (Action("/a", "", 1, 1),)}, "actions[/a].id", "neither part may be empty"),
    "name with a slash": ({"actions": (act("a/b"),)}, "actions[t/a/b].id", "or contain '/' (got 't/a/b')"),
    "task with a slash": ({"actions": (Action("t/u/a", "t/u", 1, 1),)}, "actions[t/u/a].id", "(got 't/u/a')"),
    "task that is no text": ({"actions": (Action("5/a", 5, 1, 1),)}, "actions[5/a].id", "(got '5/a')"),
    "agent twice in an action": (
        {"agents": ("x", "y"), "actions": (act(agents=("x", "y", "x")),)},
        "actions[t/a].agents",
        "unique (got 'x')",
    ),
    "unknown benchmark": (
        {"benchmark": "foo"},
        "benchmark",
        "generic, kitchens, naturalplan, paracook, paracook_abstract, recipe2plan, robotouille, timearena (got 'foo')",
    ),
    "mode after an action that does not exist": (
        {"actions": (act(modes=(Mode(after=("t/x",)),)),)},
        "actions[t/a].modes[0].after",
        "another action of the instance (got 't/x')",
    ),
    "mode after itself": ({"actions": (act(modes=(Mode(after=("t/a",)),)),)}, "actions[t/a].modes[0].after", "another"),
    "recipe2plan: mode with predecessors": (
        cooked(act("0"), act("1", modes=(Mode(after=("t/0",)),))),
        "benchmark",
        "not support predecessors of single modes",
    ),
    "benchmark that cannot be hashed": ({"benchmark": []}, "benchmark", "(got [])"),
    "recipe2plan: two agents": (cooked(agents=("x", "y")), "benchmark", "one agent"),
    "recipe2plan: no agent": (cooked(act("0", attended=0), agents=()), "benchmark", "one agent"),
    "recipe2plan: time limit": (cooked(time_limit=99), "benchmark", "no time limit"),
    "recipe2plan: volume": (
        cooked(act("0", modes=(Mode((Demand("jug", sets="full"),)),)), resources=(Resource("jug", 9),)),
        "actions[t/0].uses[jug]",
        "for a volume (capacity above 1), sets must be a whole number",
    ),
    "recipe2plan: initial state": (cooked(resources=(Resource("oven", 1, "hot"),)), "resources[oven]", "no initial"),
    "recipe2plan: named step": (cooked(A), "actions[t/a].id", "0, 1, 2, ... in order (got 't/a')"),
    "recipe2plan: step with a zero in front": (cooked(act("00")), "actions[t/00].id", "(got 't/00')"),
    "recipe2plan: steps from 1": (cooked(act("1"), act("2")), "actions[t/1].id", "(got 't/1')"),
    "recipe2plan: steps out of order": (cooked(act("0"), act("2"), act("1")), "actions[t/2].id", "(got 't/2')"),
    "recipe2plan: recipe with a blank": (
        cooked(Action("a b/0", "a b", 1, 1)),
        "actions[a b/0].task",
        "letters, digits, _ and -",
    ),
    "recipe2plan: recipe with a line break": (cooked(Action("a\n/0", "a\n", 1, 1)), "actions[a\n/0].task", "(got"),
    "recipe2plan: eligible agents": (cooked(act("0", agents=("agent",))), "actions[t/0]", "attended throughout"),
    "recipe2plan: release": (cooked(act("0", release=1)), "actions[t/0]", "neither agents nor release"),
    "recipe2plan: two modes": (cooked(act("0", modes=(Mode(), Mode()))), "actions[t/0]", "one mode"),
    "recipe2plan: partly attended": (cooked(act("0", attended=1)), "actions[t/0]", "attended throughout or not"),
    "recipe2plan: no duration": (cooked(act("0", duration=0)), "actions[t/0]", "a positive duration"),
    "recipe2plan: runs by itself and can be paused": (
        cooked(act("0"), act("1", attended=0, interruptible=True)),
        "actions[t/1].interruptible",
        "must be false for unattended steps of recipe2plan (got True)",
    ),
    "recipe2plan: empty demand": (
        cooked(act("0", modes=(Mode((Demand("oven", 0),)),)), resources=(Resource("oven"),)),
        "actions[t/0]",
        "one unit",
    ),
    "recipe2plan: lag between recipes": (cooked(lags=(Lag("t/0", "u/0"),)), "lags[t/0 -> u/0]", "must connect steps"),
    "recipe2plan: positive lag": (cooked(lags=(Lag("t/0", "t/1", 1),)), "lags[t/0 -> t/1]", "with minimum 0"),
    "recipe2plan: negative lag": (cooked(lags=(Lag("t/0", "t/1", -1),)), "lags[t/0 -> t/1]", "with minimum 0"),
    "recipe2plan: negative maximum": (cooked(lags=(Lag("t/0", "t/1", None, -1),)), "lags[t/0 -> t/1]", "lags of"),
    "recipe2plan: maximum alone after what can be paused": (
        cooked(act("0", interruptible=True), act("1"), lags=(Lag("t/0", "t/1", None, 5),)),
        "lags[t/0 -> t/1]",
        "cannot be interrupted",
    ),
}


def fault(name: str) -> InputError:
    with pytest.raises(InputError) as caught:
        check_instance(Instance(**{"name": "k", "actions": (A,), **FAULTS[name][0]}))
    return caught.value


@pytest.mark.parametrize("name", FAULTS)
def test_fault_names_field_and_value(name: str) -> None:
    error = fault(name)
    _, field, message = FAULTS[name]
    assert error.field == field
    assert str(error).startswith(f"{field}: ")
    assert message in str(error.faults[0])


def test_faults_cover_every_error_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints = {
        (node.lineno, node.end_lineno)
        for node in ast.walk(ast.parse(inspect.getsource(validation)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "InputError"
    }
    reached = set()

    class NotedError(InputError):
        def __init__(self, *args: Any, **named: Any) -> None:
            reached.add(sys._getframe(1).f_lineno)
            super().__init__(*args, **named)

    monkeypatch.setattr(validation, "InputError", NotedError)
    for name in FAULTS:
        fault(name)
    assert complaints
    assert [first for first, last in complaints if not any(first <= line <= last for line in reached)] == []


@pytest.mark.parametrize(
    "instance",
    [
        {"actions": (act(duration=0),)},
        {"actions": (act(duration=10**9),), "time_limit": 10**9},
        {"agents": (), "actions": (act(attended=0),)},
        {"actions": (act(attended=0, agents=()),)},
        {"actions": (act(attended=0, interruptible=True), act("b", interruptible=True))},
        {"resources": (OVEN,), "actions": (use(Demand("oven", 2, requires="cold")),)},
        # A mode that uses more than the capacity is never chosen.
        {"resources": (OVEN,), "actions": (use(Demand("oven", 3)),)},
        {"resources": (OVEN,), "actions": (act(interruptible=True, modes=(Mode((Demand("oven"),)),)),)},
        {
            "resources": (Resource("pan"),),
            "actions": (act(interruptible=True, attended=0, modes=(Mode((Demand("pan"),)),)),),
        },
        {"resources": (OVEN,), "actions": (use(Demand("oven", 0, requires="hot", sets="hot")),)},
        lagged(Lag("t/a", "t/b", 2, 2), Lag("t/b", "t/a", None, 5)),
        lagged(Lag("t/a", "t/b", 0), Lag("t/b", "t/a", -10)),
        lagged(Lag("t/a", "t/b", -(10**9), 10**9)),
        {"agents": ("x", "y"), "actions": (act(agents=("y", "x")),)},
        {"actions": (Action("Küche 1/\n", "Küche 1", 1, 1),)},
        cooked(),
        cooked(Action("Vada-2/0", "Vada-2", 3, 3), act("0"), Action("Vada-2/1", "Vada-2", 3, 3)),
        cooked(agents=("x",), lags=(Lag("t/0", "t/1", None, 0),)),
        cooked(act("0", interruptible=True), act("1"), lags=(Lag("t/0", "t/1", 0, 5),)),
        cooked(
            act("0", modes=(Mode((Demand("oven", sets="hot"),)),)),
            act("1", attended=0, modes=(Mode((Demand("oven", requires="hot"),)),)),
            resources=(Resource("oven"), Resource("kettle")),
        ),
    ],
)
def test_valid_instance_is_accepted(instance: dict[str, Any]) -> None:
    problem = Instance(**{"name": "k", "actions": (A,), **instance})
    check_instance(problem)
    assert sorted(problem.order) == list(range(len(problem.actions)))


def test_instance_rejected_by_its_benchmark_is_neither_solved_nor_graded() -> None:
    problem = Instance("k", **cooked(time_limit=99))  # the model itself does not check the benchmark
    with pytest.raises(InputError, match="no time limit"):
        solve(problem)
    with pytest.raises(InputError, match="no time limit"):
        registry.of(problem).run(problem, "")
    with pytest.raises(InputError, match="no time limit"):
        certify(problem, Schedule(()))


def test_topological_order_breaks_ties_by_position() -> None:
    assert Instance("k", **lagged(Lag("t/c", "t/a"))).order == (1, 2, 0)
