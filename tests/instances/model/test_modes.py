"""Modes with durations, attended ticks and agents: rules, normal form and checks."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model import schedule
from planoracle.instances.model.cache import fingerprint
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.mode_validation import normal_mode
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from tests.support.rule_cases import act, kinds, messages, run

AGENTS = ("ann", "bob")
#: Ann alone for 4 ticks, Bob for 2, or a machine without an agent for 6.
CUT = act("cut", 4, modes=(Mode(agents=("ann",)), Mode(duration=2, agents=("bob",)), Mode(duration=6, agents=())))
CUTS = Instance("k", (CUT,), agents=AGENTS)


def test_duration_is_that_of_the_mode() -> None:
    assert kinds(CUTS, run("cut", 0, 4, "ann")) == []
    assert kinds(CUTS, run("cut", 0, 2, "bob", 1)) == []
    assert kinds(CUTS, run("cut", 0, 6, None, 2)) == []
    assert kinds(CUTS, run("cut", 0, 2, "ann")) == ["action_duration"]
    assert messages(CUTS, run("cut", 0, 4, "bob", 1)) == ["runs 4 ticks, needs 2"]


def test_eligible_agents_are_those_of_the_mode() -> None:
    assert messages(CUTS, run("cut", 0, 4, "bob")) == ["needs one of ann, not bob"]
    assert messages(CUTS, run("cut", 0, 6, "ann", 2)) == ["needs no agent, not ann"]
    assert kinds(CUTS, run("cut", 0, 2, None, 1)) == ["ineligible_agent"]


def test_mode_that_does_not_exist_is_compared_with_the_action() -> None:
    assert kinds(CUTS, run("cut", 0, 4, "ann", 3)) == ["wrong_mode"]
    assert kinds(CUTS, run("cut", 0, 4, "ann", -1)) == ["wrong_mode"]


def test_attended_ticks_are_those_of_the_mode() -> None:
    bake = act("bake", 4, 4, modes=(Mode(), Mode(duration=6, attended=1), Mode(duration=5, attended=0)))
    instance = Instance("k", (bake, act("wash")))
    assert kinds(instance, run("bake", 0, 4), run("wash", 4)) == []
    assert kinds(instance, run("bake", 0, 4), run("wash", 3)) == ["agent_busy"]
    assert kinds(instance, run("bake", 0, 6, mode=1), run("wash", 1)) == []
    assert kinds(instance, run("bake", 0, 6, mode=1), run("wash", 0)) == ["agent_busy"]
    assert kinds(instance, run("bake", 1, 5, mode=2), run("wash", 1)) == []
    assert kinds(instance, run("bake", 1, 5, mode=2), run("wash", 0)) == ["start_attended"]


def test_time_in_which_no_agent_is_busy_follows_from_the_mode() -> None:
    bake = act("bake", 4, 4, modes=(Mode(), Mode(duration=6, attended=1)))
    replay = referee(Instance("k", (bake,)), Schedule((run("bake", 0, 6, mode=1),)))
    assert replay.success
    assert replay.idle == ((1, 6),)


def test_mode_with_a_duration_is_attended_as_its_action_is() -> None:
    attended, unattended = act("a", 2, modes=(Mode(duration=5),)), act("b", 2, 0, modes=(Mode(duration=5),))
    variants = Instance("k", (attended, unattended)).variants
    assert variants["t/a"][0].attended == 5
    assert variants["t/b"][0].attended == 0


def test_mode_without_agents_is_unattended() -> None:
    [variant] = Instance("k", (act("a", 0, modes=(Mode(duration=5, agents=()),)),)).variants["t/a"]
    assert (variant.duration, variant.attended, variant.agents) == (5, 0, ())


def test_interruptible_piece_is_cut_at_a_start_only_if_its_mode_is_attended() -> None:
    knead = act("knead", 4, 4, interruptible=True, modes=(Mode(), Mode(duration=4, attended=0)))
    instance = Instance("k", (knead, act("boil", 2, 0)))
    attended = Schedule.of(instance, [run("knead", 0, 4), run("boil", 2)])
    unattended = Schedule.of(instance, [run("knead", 0, 4, mode=1), run("boil", 2)])
    assert [piece.duration for piece in attended.pieces] == [2, 2, 2]
    assert [piece.duration for piece in unattended.pieces] == [4, 2]


def test_pieces_are_cut_into_a_limited_number(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Instance("k", (act("a", 9, interruptible=True), act("b", 1, 0), act("c", 1, 0)))
    pieces = [run("a", 0, 9), run("b", 3, 1), run("c", 5, 1)]
    monkeypatch.setattr(schedule, "MAX_PIECES", 5)
    normal = Schedule.of(instance, pieces)
    assert sorted(piece[:3] for piece in normal.pieces)[:3] == [("t/a", 0, 3), ("t/a", 3, 2), ("t/a", 5, 4)]
    assert normal.finish() == {"t/a": 9, "t/b": 4, "t/c": 6}
    monkeypatch.setattr(schedule, "MAX_PIECES", 4)
    with pytest.raises(
        PlanError, match=r"^plan: has 5 pieces after cutting at starts of unattended actions; at most 4$"
    ):
        Schedule.of(instance, pieces)


def test_unattended_mode_comes_before_attended_ones_in_normal_form() -> None:
    first, second = act("a", 2, modes=(Mode(), Mode(duration=2, attended=0))), act("b", 2)
    instance = Instance("k", (second, first))
    pieces = [run("b", 0), run("a", 0, mode=1)]
    assert [piece.action for piece in Schedule.of(instance, pieces).pieces] == ["t/a", "t/b"]


def test_predecessors_of_a_mode_count_for_this_mode_only() -> None:
    sell = act("sell", modes=(Mode(after=("t/pack",)), Mode(duration=3)))
    instance = Instance("k", (sell, act("pack")))
    assert kinds(instance, run("pack", 3), run("sell", 0, 3, mode=1)) == []
    assert kinds(instance, run("pack", 2), run("sell", 0)) == ["minimum_lag"]


def test_longer_mode_moves_the_end_from_which_lags_count() -> None:
    instance = Instance("k", (CUT, act("eat")), (Lag("t/cut", "t/eat"),), agents=AGENTS)
    assert kinds(instance, run("cut", 0, 2, "bob", 1), run("eat", 2, agent="ann")) == []
    assert kinds(instance, run("cut", 0, 6, None, 2), run("eat", 5, agent="ann")) == ["minimum_lag"]


def test_setting_without_room_reads_the_attention_of_the_mode() -> None:
    """An attended use makes room for an attended setting only."""
    use = act("use", 2, 2, Demand("oven"))
    heat = (Demand("oven", sets="hot"),)
    setting = act("heat", 2, 2, modes=(Mode(heat), Mode(heat, duration=2, attended=0)))
    instance = Instance("k", (use, setting), resources=(Resource("oven", 1, "hot"),), agents=AGENTS)
    assert kinds(instance, run("use", 0, agent="ann"), run("heat", 0, agent="bob")) == []
    assert kinds(instance, run("use", 0, agent="ann"), run("heat", 0, agent="bob", mode=1)) == ["resource_capacity"]


def test_mode_above_a_capacity_is_never_chosen() -> None:
    oven = Resource("oven", 1)
    instance = Instance(
        "k",
        (
            act(
                "a",
                2,
                0,
                modes=(Mode((Demand("oven", 2),)), Mode(duration=3)),
            ),
        ),
        resources=(oven,),
    )
    assert kinds(instance, run("a", 0, 3, mode=1)) == []
    assert kinds(instance, run("a", 0)) == ["resource_capacity"]
    instance = Instance("k", (act("a", 0, 0, Demand("oven", 2)),), resources=(oven,))
    assert kinds(instance, run("a", 0, 0)) == ["resource_capacity"]


def test_milestone_has_no_mode_with_a_duration_agent_or_demand() -> None:
    plain = act("a", 0, 0, agents=())
    assert plain.is_milestone
    for mode in (Mode(duration=3), Mode(agents=("ann",)), Mode((Demand("oven", 0),))):
        assert not act("a", 0, 0, agents=(), modes=(Mode(), mode)).is_milestone
    assert act("a", 0, 0, agents=(), modes=(Mode(), Mode(duration=0, agents=()))).is_milestone
    assert act("a", 4, 4, modes=(Mode(duration=0, agents=()),)).is_milestone
    assert not act("a", 0, 0, modes=(Mode(), Mode(agents=()))).is_milestone


@pytest.mark.parametrize(
    ("action", "mode", "normal"),
    [
        (act("a", 4), Mode(duration=4), Mode()),
        (act("a", 4), Mode(duration=6, attended=6), Mode(duration=6)),
        (act("a", 4, 2), Mode(duration=4, attended=2), Mode()),
        (act("a", 4, 2), Mode(duration=4, attended=4), Mode(attended=4)),
        (act("a", 4, 2), Mode(duration=6, attended=2), Mode(duration=6, attended=2)),
        (act("a", 4, 2), Mode(agents=("ann", "bob")), Mode()),
        (act("a", 4, agents=("bob",)), Mode(agents=("bob",)), Mode()),
        (act("a", 4), Mode(agents=("ann",)), Mode(agents=("ann",))),
        (act("a", 4), Mode(agents=(), attended=0), Mode(agents=())),
        (act("a", 4, agents=()), Mode(agents=()), Mode(attended=0)),
        (act("a", 0), Mode(duration=6, attended=0), Mode(duration=6, attended=0)),
        (act("a", 0), Mode(duration=0, attended=0), Mode()),
        # Values that the checks refuse stay.
        (act("a", 4, 2), Mode(duration=6), Mode(duration=6)),
        (act("a", 4), Mode(duration="6"), Mode(duration="6")),  # type: ignore[arg-type]
    ],
)
def test_normal_mode_has_only_values_that_differ(action: Action, mode: Mode, normal: Mode) -> None:
    assert normal_mode(action, mode, AGENTS) == normal


def test_equal_problems_have_equal_fingerprints() -> None:
    explicit = act("cut", 4, modes=(Mode(duration=4, attended=4), Mode(duration=2, attended=2, agents=AGENTS)))
    concise = act("cut", 4, modes=(Mode(), Mode(duration=2)))
    instances = [Instance("k", (action,), agents=AGENTS) for action in (explicit, concise)]
    assert instances[0] == instances[1]
    assert fingerprint(instances[0]) == fingerprint(instances[1])


def test_action_without_agents_is_attended_if_its_modes_name_agents() -> None:
    action = act("a", 4, agents=(), modes=(Mode(agents=("ann",)), Mode(duration=3, agents=("bob",))))
    instance = Instance("k", (action,), agents=AGENTS)
    assert kinds(instance, run("a", 0, 3, "bob", 1)) == []
    assert kinds(instance, run("a", 0, 4, None)) == ["ineligible_agent"]


FAULTS: dict[str, tuple[Action, str, str]] = {
    "negative duration": (act("a", modes=(Mode(duration=-1),)), "modes[0].duration", "between 0 and"),
    "duration as text": (act("a", modes=(Mode(duration="2"),)), "modes[0].duration", "whole number"),  # type: ignore[arg-type]
    "attended as truth": (act("a", modes=(Mode(attended=True),)), "modes[0].attended", "whole number"),
    "unknown agent": (act("a", modes=(Mode(agents=("eve",)),)), "modes[0].agents", "ann, bob (got 'eve')"),
    "agent twice": (act("a", modes=(Mode(agents=("ann", "ann")),)), "modes[0].agents", "unique"),
    "missing attended ticks": (act("a", 4, 2, modes=(Mode(duration=5),)), "modes[0].attended", "2 of 4 ticks"),
    "missing attended ticks of the same duration": (
        act("a", 4, 2, modes=(Mode(duration=4),)),
        "modes[0].attended",
        "is missing",
    ),
    "missing attended ticks beside no duration": (
        act("a", 0, modes=(Mode(), Mode(duration=5))),
        "modes[1].attended",
        "is missing",
    ),
    "more attended ticks than the duration": (
        act("a", 4, modes=(Mode(duration=5, attended=6),)),
        "modes[0].attended",
        "not exceed the duration 5 (got 6)",
    ),
    "more attended ticks than the duration of the action": (
        act("a", 4, modes=(Mode(attended=6),)),
        "modes[0].attended",
        "not exceed the duration 4 (got 6)",
    ),
    "partly attended, interruptible": (
        act("a", 4, interruptible=True, modes=(Mode(duration=5, attended=2),)),
        "modes[0].attended",
        "0 or the duration 5",
    ),
    "partly attended, pauses in breaks": (
        act("a", 4, pauses_in_breaks=True, modes=(Mode(duration=5, attended=2),)),
        "modes[0].attended",
        "0 or the duration 5",
    ),
    "attended without agents": (
        act("a", 4, modes=(Mode(duration=5, attended=5, agents=()),)),
        "modes[0].agents",
        "needs an eligible agent",
    ),
    "attended by nobody, in a mode": (
        act("a", 4, agents=(), modes=(Mode(agents=("ann",)), Mode(duration=5))),
        "modes[1].agents",
        "needs an eligible agent",
    ),
    "attended by nobody, in a plain mode": (
        act("a", 4, agents=(), modes=(Mode(agents=("ann",)), Mode())),
        "agents",
        "needs an eligible agent",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_mode_names_field_and_value(name: str) -> None:
    action, field, message = FAULTS[name]
    with pytest.raises(InputError) as caught:
        Instance("k", (action,), agents=AGENTS)
    assert caught.value.field == f"actions[t/a].{field}"
    assert message in str(caught.value)


def test_unattended_interruptible_mode_cannot_use_states() -> None:
    oven = (Demand("oven"),)
    resources = (Resource("oven", 1, "hot"),)

    def build(*modes: Mode) -> Any:
        return Instance("k", (act("a", 2, interruptible=True, modes=modes),), resources=resources)

    assert build(Mode(oven), Mode(attended=0))
    with pytest.raises(InputError, match="unattended action that uses oven"):
        build(Mode(), Mode(oven, attended=0))


def test_agents_are_checked_beside_wrong_ticks() -> None:
    with pytest.raises(InputError) as caught:
        Instance("k", (act("a", -1, 0, agents=("eve",)),))
    assert {fault.field for fault in caught.value.faults} == {"actions[t/a].duration", "actions[t/a].agents"}
