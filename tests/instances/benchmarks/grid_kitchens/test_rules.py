"""Rules of grid kitchens on a row of stations: every violation, both profiles, and the clock."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planoracle.instances.benchmarks.grid_kitchens.feedback import KINDS, fault_of
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import CHOICES, GridKitchenRules, Need, OrderedDish
from planoracle.instances.benchmarks.grid_kitchens.language import INTERACT, PROCESS, CookAction, read
from planoracle.instances.benchmarks.grid_kitchens.run import choices
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from planoracle.instances.errors import InputError
from tests.support.grid_kitchens import PAPER, RAW, RELEASED, error_of, plan, row, run_plan

BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
#: Chopped meat is in the cook's hand at tick 6, at the board.
CHOP = "@1 meat @2 board !board board"
#: It is in the pan at tick 7.
FRY = f"{CHOP} @3 stove1"
TWO = OrderedDish("two", (Need("meat", "cooked"), Need("meat", "cooked")))

#: Kind of the violation, plans, and a part of the message; the last action of the first cook fails.
FAULTS = [
    ("malformed", ["@1 ?"], '"target" must be a tile'),
    ("unknown_action", ["@1 *"], "MoveTo, Interact, Process, Wait and Finish"),
    ("unreachable", ["@12"], "not a free tile"),
    ("negative_wait", ["~-1"], "at least 0 ticks"),
    ("unknown_target", ["stov1"], "did you mean stove1"),
    ("not_a_station", ["@3 pan"], "it stands on, such as stove1"),
    ("not_a_station", ["agent1"], "is a cook"),
    ("stove_empty", ["@11 !stove3"], "no cookware is on stove3"),
    ("process_unsupported", ["!table1"], "only at board and sink"),
    ("not_adjacent", ["meat"], "is at [0, 1], which is not next to meat; it is used from [1, 1]"),
    ("station_in_use", ["@2 ~1 board", "@1 meat @2 board !board"], "agent2 is working at board until tick 6"),
    ("nothing_here", ["@8 table2"], "hands are empty and nothing is on table2"),
    (
        "wrong_for_cookware",
        ["@1 meat @3 stove1"],
        "meat (raw) cannot go into a pan, which takes chopped meat and tomato",
    ),
    ("cannot_place", ["@1 meat @8 table2 @1 meat @8 table2"], "meat (raw) and meat (raw) is on table2"),
    ("stove_refuses", ["@1 meat @11 stove3"], "only a pan or pot can be put"),
    ("stove_refuses", ["@10 stove2 @3 stove1"], "an empty pot and an empty pan is on stove1"),
    ("serve_no_plate", ["@1 meat @4 window"], "served on a plate"),
    ("dish_wrong_count", ["table1 @4 window"], "steak, that is meat (cooked), and on the plate is nothing"),
    (
        "dish_wrong_count",
        ["table1 @8 table2 @1 meat @8 table2 @1 meat @8 table2 table2 @4 window"],
        "on the plate is meat (raw) and meat (raw)",
    ),
    ("dish_mismatch", ["table1 @8 table2 @1 meat @8 table2 table2 @4 window"], "on the plate is meat (raw)"),
    ("no_clean_plate", ["@5 sink"], "no plate is in it"),
    ("sink_refuses", ["table1 @5 sink"], "only a dirty plate"),
    ("hands_full", ["table1 @6 back"], "the cook holds an empty plate"),
    ("no_dirty_plate", ["@6 back"], "return after dishes are served"),
    ("nothing_to_discard", ["@7 trash"], "hands are empty"),
    ("wall", ["@11 wall"], "is a wall"),
    ("nothing_to_chop", ["@2 !board"], "nothing is on board"),
    ("not_raw", ["@1 meat @2 board !board !board"], "meat (chopped) is on board"),
    ("nothing_to_wash", ["@5 !sink"], "only a dirty plate can be washed"),
    ("stove_process", ["@3 !stove1"], "cooks by itself"),
]


def progress(run: Simulation) -> list[int]:
    """Return the number of started actions of the first cook, and the number of all its actions."""
    return [run.started[0], len(run.queues[0])]


@BOTH
@pytest.mark.parametrize(("kind", "texts", "words"), FAULTS, ids=[f"{kind}-{n}" for n, (kind, *_) in enumerate(FAULTS)])
def test_every_violation_ends_the_run_with_its_message(
    rules: GridKitchenRules, kind: str, texts: list[str], words: str
) -> None:
    plans = plan(*(text.replace("?", ".").replace("*", ".") for text in texts))
    last = {"?": {"action": "MoveTo", "target": 3}, "*": {"action": "finish"}}.get(texts[0][-1])
    plans["agent1"][-1] = last or plans["agent1"][-1]
    if kind == "wall":
        plans["agent1"] = [{"action": "MoveTo", "target": [11, 1]}, {"action": "Interact", "target": "wall"}]
    run = carry_out(row(cooks=len(texts)), plans, rules)
    fault = fault_of(run)
    assert error_of(run) == (kind, "agent1", len(plans["agent1"]) - 1)
    assert fault is not None
    assert (fault.kind, fault.resource) == (kind, "agent1")
    assert words in fault.message
    assert not run.done


def test_every_kind_of_violation_has_a_case() -> None:
    other = {
        "after_finish",
        "serve_at_zero",
        "no_order_left",
        "unknown_agent",
        "plan_not_a_list",
        "empty",
        "unreadable",
    }
    assert {kind for kind, *_ in FAULTS} | other == set(KINDS)


@BOTH
def test_serving_at_tick_0_or_without_open_orders_is_rejected(rules: GridKitchenRules) -> None:
    serve = "@1 meat @0 table1 table1 @4 window"
    run = run_plan(replace(rules, end="plans"), f"{serve} @6 ~8 back @5 sink !sink sink @4 window", orders=(RAW,))
    assert error_of(run) == ("no_order_left", "agent1", 15)
    at_window = replace(row(RAW), cooks=(("agent1", (4, 1)),))
    assert error_of(carry_out(at_window, plan("window"), rules)) == ("serve_at_zero", "agent1", 0)


@BOTH
def test_unknown_cooks_and_malformed_plans_are_rejected(rules: GridKitchenRules) -> None:
    run = carry_out(row(), {"agent1": plan("@1 meat")["agent1"], "agent7": []}, rules)
    assert (error_of(run), run.time, progress(run)) == (
        ("unknown_agent", None, None),
        0,
        [0, 2],
    )
    assert "the cooks are agent1" in fault_of(run).message  # type: ignore[union-attr]
    run = carry_out(row(), {"agent1": {"actions": []}}, rules)
    assert error_of(run) == ("plan_not_a_list", None, None)
    run = carry_out(row(), {"agent1": [{"action": "Interact", "target": ""}]}, rules)
    assert error_of(run) == ("unknown_target", "agent1", 0)


# Cooking

SERVE = "stove1 @4 window"
#: A plate is at the stove at tick 13, food from tick 7 on.
PLATE = f"{FRY} @0 table1 @3"


@BOTH
@pytest.mark.parametrize(("wait", "good"), [(18, True), (17, False)])
def test_one_ingredient_is_cooked_after_its_cooking_time(rules: GridKitchenRules, wait: int, good: bool) -> None:
    run = run_plan(rules, f"{PLATE} ~{wait} {SERVE}")
    assert (run.done, run.served_at) == (good, (32,) if good else ())


@BOTH
@pytest.mark.parametrize(("wait", "good"), [(25, True), (24, False)])
def test_two_ingredients_take_twice_the_cooking_time(rules: GridKitchenRules, wait: int, good: bool) -> None:
    # The second is in the pan at tick 15, the plate is there at 21, and 7 + 48 is 55.
    run = run_plan(rules, f"{FRY} {CHOP} @3 stove1 @0 table1 @3 ~{wait + 9} {SERVE}", orders=(TWO,))
    assert run.done == good
    assert run.time == (56 if good else 55)


@pytest.mark.parametrize(("rules", "least"), [(PAPER, 10), (RELEASED, 0)], ids=["paper", "released"])
def test_cooking_pauses_off_the_stove_in_the_paper_profile_only(rules: GridKitchenRules, least: int) -> None:
    # In at 7, off the stove for 10 ticks, back at 17; the plate is there at 23 and 14 (4) ticks are left by the paper.
    off_stove = f"{FRY} stove1 ~10 stove1 @0 table1 @3"
    for wait, good in ((8 + least, True), (7 + least, False)):
        assert run_plan(rules, f"{off_stove} ~{wait} {SERVE}").done == good


@pytest.mark.parametrize(("rules", "least"), [(PAPER, 24), (RELEASED, 0)], ids=["paper", "released"])
def test_second_batch_takes_its_cooking_time_in_the_paper_profile_only(rules: GridKitchenRules, least: int) -> None:
    # The first is cooked at 31 and poured away at 43 with a plate that goes to the trash; the second is in at 53.
    first = f"{FRY} ~24 @0 table1 @3 ~6 stove1 @7 trash @3 ~1"
    for wait in (least, least - 1):
        clock = Simulation.of(row(), rules)
        clock.carry_out(plan(f"{first} @0 table1 {CHOP} @3 stove1 ~{max(wait, 1)}"))
        assert clock.error is None
        cooked = clock.world.on[3].contents[0].state == "cooked"  # type: ignore[union-attr]
        assert cooked == (wait >= least or rules is RELEASED)


def test_emptying_a_pan_resets_its_cooking_time_in_the_paper_profile_only() -> None:
    # Half raw meat is taken out at tick 13; what is put in at 23 is cooked at 47 by the paper, and at 55 as released.
    half = f"{PLATE} stove1 @0 table1 {CHOP} @3 stove1"
    for rules, since in ((PAPER, 24), (RELEASED, 32)):
        for wait, good in ((since, True), (since - 1, False)):
            clock = Simulation.of(row(), rules)
            clock.carry_out(plan(f"{half} ~{wait}"))
            assert clock.error is None
            state = clock.world.on[3].contents[0].state  # type: ignore[union-attr]
            assert (state == "cooked") == good, (rules.cooking, wait, clock.time)


# Turns


def test_first_error_of_an_instant_counts() -> None:
    assert error_of(run_plan(PAPER, "!sink", "!sink")) == ("not_adjacent", "agent1", 0)


def test_sink_serves_one_cook_at_a_time_in_the_paper_profile_only() -> None:
    serve = "@1 meat @0 table1 table1 @4 window @6 ~9 back @5 sink !sink"
    other = "~18 @5 !sink"
    paper, released = (run_plan(rules, serve, other, orders=(RAW, RAW)) for rules in (PAPER, RELEASED))
    assert error_of(paper) == ("station_in_use", "agent2", 2)
    assert error_of(released) == ("nothing_to_wash", "agent2", 2)


def test_actions_after_finish_are_rejected_in_the_paper_profile_only() -> None:
    assert error_of(run_plan(PAPER, "@1 . . meat")) == ("after_finish", "agent1", 3)
    assert error_of(run_plan(RELEASED, "@1 . . meat")) is None


def test_run_ends_with_the_last_dish_in_the_paper_profile_only() -> None:
    serve = "@1 meat @0 table1 table1 @4 window ~5 window"
    run = run_plan(PAPER, serve, "@8", orders=(RAW,))
    assert (run.done, run.time, run.served_at, progress(run)) == (
        True,
        6,
        (6,),
        [7, 9],
    )
    run = run_plan(RELEASED, serve, "@8", orders=(RAW,))
    assert (run.done, run.world.all_served, run.time, run.served_at) == (False, True, 11, (6,))
    assert run_plan(RELEASED, serve.removesuffix(" window"), "@8", orders=(RAW,)).time == 11


@BOTH
def test_earlier_starts_act_first_and_ties_follow_the_map(rules: GridKitchenRules) -> None:
    # Both are at the table at tick 1 and there is one plate. A walk begun at moment 0 ends first, in map order.
    run = run_plan(rules, "@1 @0 table1", "@1 @0 table1")
    assert (error_of(run), run.as_dict()["final"]["agents"]["agent1"][2]) == (
        ("nothing_here", "agent2", 2),
        "plate[]",
    )
    # The first cook waits twice, so its end is queued after that of the second cook.
    run = run_plan(rules, "~1 ~1 table1", "~2 table1")
    assert (error_of(run), run.as_dict()["final"]["agents"]["agent2"][2]) == (
        ("nothing_here", "agent1", 2),
        "plate[]",
    )


@BOTH
def test_fractional_times_are_exact(rules: GridKitchenRules) -> None:
    tenths = " ".join(["~0.1"] * 10)
    run = run_plan(rules, f"{tenths} @1 meat", "~1 @1 meat")
    assert run.time == 2
    assert [cook["waiting"] for cook in run.as_dict()["agents"].values()] == [1, 1]
    run = run_plan(rules, "~0.1 ~0.2")
    assert run.time == Fraction(3, 10)
    assert run.as_dict()["time"] == 0.3


@BOTH
def test_fork_does_not_change_the_original_run(rules: GridKitchenRules) -> None:
    clock = Simulation.of(row(cooks=2), rules)
    clock.submit(plan("@1 meat", "~1"))
    clock.until_decision()
    before, other = _snapshot(clock), clock.fork()
    assert (clock.decide, clock.time) == ([0, 1], 1)
    other.submit(plan("@2 board !board board @3 stove1 ~24", "table1 @3 stove1"))
    while other.advance():
        pass
    assert (_snapshot(clock), clock.time) == (before, 1)
    assert _snapshot(other) != before


def _snapshot(clock: Simulation) -> tuple[object, ...]:
    """Return the summary of a run and the places of its cooks and things."""
    return clock.as_dict(), clock.world.tiles[:], clock.world.hands[:], clock.world.on[:]


@BOTH
def test_choices_are_exactly_the_station_actions_without_error(rules: GridKitchenRules) -> None:
    clock = Simulation.of(row(cooks=2), rules)
    clock.load(plan("@1 meat @2 board !board board @3 stove1 @0 table1 @3 stove1 @7 trash", "@2 ~1 ~9 ~9 ~9"))
    of = clock.ground
    every = [CookAction(word, station=number) for word in (INTERACT, PROCESS) for number in range(len(of.names))]
    refused = set()
    while clock.advance():
        for cook in (0, 1):
            for act in every:
                fork = clock.fork()
                fork.acts[cook] = None
                fork.queues, fork.started = [(), ()], [0, 0]
                legal = act in [one for one in choices(fork, cook) if one.word in (INTERACT, PROCESS)]
                fork.give(cook, act)
                fork.begin()
                fork.acts[1 - cook] = None
                while fork.error is None and fork.acts[cook] is not None and fork.advance():
                    pass
                assert legal == (fork.error is None), (clock.time, cook, act, fork.error)
                refused.add(fork.error and fork.error.kind)
    assert {"station_in_use", "nothing_here", "not_adjacent", "process_unsupported", None} <= refused


def test_malformed_actions_are_detected_when_read() -> None:
    of = Simulation.of(row(), PAPER).ground
    for action in (
        None,
        5,
        [],
        "MoveTo",
        {},
        {"action": "MoveTo", "target": [1, []]},
        {"action": "Wait", "duration": "1"},
    ):
        assert read(of, action).fault == "malformed"
    assert read(of, {"action": "MoveTo", "target": [1.0, 1.0]}).tile == (1, 1)
    assert read(of, {"action": "Wait", "duration": float("nan")}).fault == "malformed"
    assert read(of, {"action": ["MoveTo"]}).fault == "unknown_action"


def test_deciding_resets_rules_without_effect_on_optima() -> None:
    strange = GridKitchenRules(refuse_unread=False, finish="ignored", price_optimum=False)
    assert strange.deciding() == GridKitchenRules()
    assert RELEASED.deciding().cooking == "stamp"
    assert all(getattr(rules, name) in values for name, values in CHOICES.items() for rules in (PAPER, RELEASED))


def test_dish_without_ingredients_is_rejected() -> None:
    with pytest.raises(InputError, match="must need at least one ingredient"):
        row(OrderedDish("nothing", ()))
