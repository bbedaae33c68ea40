"""Statements that the checker accepts hold in every schedule of small problems, and it accepts those of the problem."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest
from support.all_schedules import BEGIN, END, Event, min_gaps, small_instances, times_of_events
from support.samples import sample

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Instance, Resource
from planoracle.solver.proofs.checker import Checker, RefusedError, _Hop, _Problem

#: Seeds of each block, and ticks of the statements that the checker is asked for.
SEEDS, TICKS = 8, range(-10, 11)
BLOCKS = sample(range(20), 20)
REASONS = ("order", "release", "duration", "attended", "lag", "window", "state")


def checker_of(instance: Instance) -> Checker:
    """Return a checker without suppositions."""
    return Checker(_Problem(to_document(instance)), 0, [set()])


def _is_pausing(action: Action) -> bool:
    return action.interruptible or action.pauses_in_breaks


# --- hops ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", BLOCKS)
def test_stated_hop_holds_in_every_schedule(block: int) -> None:
    count = 0
    for instance, _, schedules in small_instances(block, SEEDS):
        checker = checker_of(instance)
        for (source, target), gap in min_gaps(instance, schedules).items():
            for reason in REASONS:
                stated = [ticks for ticks in TICKS if checker.is_stated(_Hop(source, target, ticks, reason))]
                assert max(stated, default=gap) <= gap, (instance, source, target, reason)
                count += len(stated)
    assert count > 500


def hops_of(instance: Instance) -> Iterator[_Hop]:
    """Yield what the definitions of the model state about two events."""
    for action in instance.actions:
        name = action.id
        variants = instance.variants[name]
        durations = [variant.duration for variant in variants]
        attended = [variant.attended for variant in variants]
        start, finish, free = ("start", name), ("finish", name), ("free", name)
        openings = [max(begin, action.release) for begin, end in action.windows if end >= action.release]
        yield _Hop(BEGIN, start, min(openings, default=action.release), "release")
        yield _Hop(finish, END, 0, "order")
        yield _Hop(start, finish, min(durations), "duration")
        if not _is_pausing(action):
            yield _Hop(finish, start, -max(durations), "duration")
            yield _Hop(start, free, min(attended), "attended")
            yield _Hop(free, start, -max(attended), "attended")
        for before in set.intersection(*(set(variant.after) for variant in variants)):
            yield _Hop(("finish", before), start, 0, "lag")
    for lag in instance.lags:
        before, start = ("finish", lag.before), ("start", lag.after)
        if lag.minimum is not None:
            yield _Hop(before, start, lag.minimum, "lag")
        if lag.maximum is not None:
            yield _Hop(start, before, -lag.maximum, "window")
            if instance.by_id[lag.after].interruptible:
                longest = max(variant.duration for variant in instance.variants[lag.after])
                yield _Hop(("finish", lag.after), before, -lag.maximum - longest, "window")


def _amounts(instance: Instance, name: str, resource: str) -> list[int]:
    """Return the units of a resource that an action takes in its modes; none if it sets a state of it."""
    amounts = []
    for mode in instance.by_id[name].modes:
        demands = [demand for demand in mode.demands if demand.resource == resource]
        if any(demand.sets is not None for demand in demands):
            return []
        amounts.append(sum(demand.amount for demand in demands))
    return amounts


def _setters(instance: Instance, resource: str, state: str) -> set[str]:
    names = set()
    for action in instance.actions:
        for mode in action.modes:
            if any(demand.resource == resource and demand.sets == state for demand in mode.demands):
                names.add(action.id)
    return names


def settings_before_uses(instance: Instance) -> Iterator[_Hop]:
    """Yield that a use in the only mode of an action comes after the only setting of its state."""
    for action in instance.actions:
        for demand in action.modes[0].demands if len(action.modes) == 1 else ():
            if demand.requires in (None, instance.resource[demand.resource].state):
                continue
            setters = _setters(instance, demand.resource, demand.requires) - {action.id}
            if len(setters) == 1:
                yield _Hop(("start", setters.pop()), ("start", action.id), 1, "state")


@pytest.mark.parametrize("block", BLOCKS)
def test_checker_accepts_what_the_problem_states(block: int) -> None:
    count = 0
    for instance, _, _ in small_instances(block, SEEDS):
        checker = checker_of(instance)
        hops = [*hops_of(instance), *settings_before_uses(instance)]
        assert [hop for hop in hops if not checker.is_stated(hop)] == [], instance
        count += any(hop.reason == "state" for hop in hops)
    assert count


# --- choices -------------------------------------------------------------------------------------


def _choices(instance: Instance) -> Iterator[tuple[str, list[str]]]:
    """Yield kinds of choices with all that they may be about."""
    names = [action.id for action in instance.actions]
    resources = [resource.name for resource in instance.resources]
    for pair in permutations(names, 2):
        yield "modes", [*pair, ""]
        for agent in instance.agents:
            yield "agent", [*pair, agent]
            yield "start", [*pair, agent]
        for resource in resources:
            yield "resource", [*pair, resource]
    for triple in permutations(names, 3):
        yield "mode", [*triple, ""]
        for resource in resources:
            yield "state", [*triple, resource]


def _accepted_choices(instance: Instance) -> Iterator[tuple[str, list[str], Any]]:
    """Yield the choices that the checker accepts, with their two ways."""
    checker = checker_of(instance)
    for kind, about in _choices(instance):
        try:
            ways = checker.ways({"number": 1, "kind": kind, "about": about})
        except RefusedError:
            continue
        yield kind, about, ways


def holds(way: tuple[Event, Event, int], times: dict[Event, int]) -> bool:
    """Return whether a way holds in a schedule."""
    source, target, ticks = way
    return times[target] - times[source] >= ticks


@pytest.mark.parametrize("block", BLOCKS)
def test_one_way_of_an_accepted_choice_holds_in_every_schedule(block: int) -> None:
    kinds = set()
    for instance, _, schedules in small_instances(block, SEEDS):
        times = [times_of_events(instance, schedule) for schedule in schedules]
        for kind, about, ways in _accepted_choices(instance):
            kinds.add(kind)
            for row in times:
                assert any(holds(way, row) for way in ways), (instance, kind, about, row)
    assert kinds >= {"agent", "start", "resource", "modes"}


def _plain_choices(instance: Instance) -> Iterator[tuple[str, list[str]]]:
    """Yield choices between two actions that cannot run at the same time by the definitions of the model."""
    variants = instance.variants
    for first, second in permutations(instance.actions, 2):
        pair = [first.id, second.id]
        eligible = {variant.agents for name in pair for variant in variants[name]}
        attended = [min(variant.attended for variant in variants[name]) for name in pair]
        take_time = min(variant.duration for name in pair for variant in variants[name]) > 0
        if _is_pausing(second):
            continue
        if len(eligible) == 1 and len(min(eligible)) == 1 and attended[1]:
            agent = min(eligible)[0]
            if not attended[0]:
                yield "start", [*pair, agent]
            elif not _is_pausing(first):
                yield "agent", [*pair, agent]
        for resource in instance.resources if take_time and not _is_pausing(first) else ():
            amounts = [_amounts(instance, name, resource.name) for name in pair]
            takes_units = resource.renewable and all(amounts) and all(map(all, amounts))
            if takes_units and sum(map(min, amounts)) > resource.capacity:
                yield "resource", [*pair, resource.name]
                yield "modes", [*pair, ""]
    for name in variants:
        if len(variants[name]) == 2:
            for before in variants[name][0].after:
                for other in variants[name][1].after:
                    if other != before:
                        yield "mode", [before, other, name, ""]


@pytest.mark.parametrize("block", BLOCKS)
def test_checker_accepts_choices_that_the_problem_states(block: int) -> None:
    kinds = set()
    for instance, _, _ in small_instances(block, SEEDS):
        accepted = [(kind, about) for kind, about, _ in _accepted_choices(instance)]
        for choice in _plain_choices(instance):
            assert choice in accepted, instance
            kinds.add(choice[0])
    assert kinds >= {"agent", "start", "resource"}


# --- loads ---------------------------------------------------------------------------------------


def _load(instance: Instance, checker: Checker, random: Random) -> dict[str, Any]:
    """Return a random step of a load between the beginning and the end, whose sums are right."""
    chosen = random.sample(instance.actions, random.randint(1, len(instance.actions)))
    needs_agents = bool(instance.agents) and random.random() < 0.4
    in_turn = random.random() < 0.5
    if needs_agents:
        names = random.sample(instance.agents, random.randint(1, len(instance.agents)))
        capacity = len(names)
    else:
        resource = random.choice(instance.resources or (Resource("none"),))
        names = [resource.name]
        capacity = random.randint(1, 3) if in_turn else resource.capacity
    capacity = max(1, capacity + random.choice((0, 0, 0, -1, 1)))
    members = []
    for action in chosen:
        checked = checker.problem.actions[action.id]
        if needs_agents:
            ticks, release_kind = checked.attended, checked.last
        else:
            amount = random.choice((checked.needs[names[0]].amount, capacity))
            ticks, release_kind = checked.duration * (1 if in_turn else amount), "finish"
        members.append((action.id, ticks, _hops_before(action, checked), _hops_after(action, checked, release_kind)))
    return _summed(members, names, "agents" if needs_agents else "resource", capacity, in_turn)


def _row(source: Event, target: Event, ticks: int, reason: str) -> dict[str, Any]:
    return {"from": list(source), "to": list(target), "ticks": ticks, "why": reason}


def _hops_before(action: Action, checked: Any) -> list[dict[str, Any]]:
    return [_row(BEGIN, ("start", action.id), checked.release, "release")]


def _hops_after(action: Action, checked: Any, release_kind: str) -> list[dict[str, Any]]:
    """Return the hops from the release of the agent or the finish of an action to the end."""
    finish = ("finish", action.id)
    hops = [_row(finish, END, 0, "order")]
    if release_kind == "free":
        start = ("start", action.id)
        hops.insert(0, _row(start, finish, checked.duration, "duration"))
        hops.insert(0, _row(("free", action.id), start, -checked.most_attended, "attended"))
    return hops


def _summed(members: list[Any], names: list[str], machine: str, capacity: int, in_turn: bool) -> dict[str, Any]:
    """Return the step of a load with the sums of its members, by one of two ways if they take turns."""
    ticks = sorted(member[1] for member in members)
    head = min(sum(hop["ticks"] for hop in before) for _, _, before, _ in members)
    tail = min(sum(hop["ticks"] for hop in after) for _, _, _, after in members)
    needed = -(-sum(ticks) // capacity)
    if in_turn:
        needed = max(needed, sum(ticks[: -(-len(ticks) // capacity)]))
    rows = []
    for name, need, before, after in members:
        rows.append({"action": name, "ticks": need, "before": before, "after": after})
    step = {"number": 1, "link": "load", "from": list(BEGIN), "to": list(END), "ticks": head + needed + tail}
    step |= {"machine": machine, "names": names, "capacity": capacity, "in_turn": in_turn}
    return step | {"first": head, "work": sum(ticks), "needed": needed, "rest": tail, "members": rows}


@pytest.mark.parametrize("block", BLOCKS)
def test_accepted_load_is_at_most_the_optimum(block: int) -> None:
    accepted = 0
    random = Random(block)
    for instance, optimum, _ in small_instances(block, SEEDS):
        checker = checker_of(instance)
        for _ in range(150):
            step = _load(instance, checker, random)
            try:
                checker.load(step)
            except RefusedError:
                continue
            assert step["ticks"] <= optimum, (instance, step)
            accepted += 1
    assert accepted > 300
