"""Statements that the checker accepts hold in small problems; those of the problem are accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, permutations, product
from random import Random
from typing import Any, NamedTuple

import pytest
from support.all_schedules import BEGIN, END, Event, min_gaps, small_instances, times_of_events
from support.samples import sample

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.solver.proofs.checker import Checker, RefusedError, _Hop, _Problem

#: Seeds of each block, and most ticks of the statements that the checker is asked for.
SEEDS, MAX_TICKS = 6, 10
BLOCKS = sample(range(25), 25)
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
                longer = range(gap + 1, MAX_TICKS + 1)
                stated = [ticks for ticks in longer if checker.is_stated(_Hop(source, target, ticks, reason))]
                assert not stated, (instance, source, target, reason)
                count += checker.is_stated(_Hop(source, target, gap, reason))
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
def test_checker_accepts_hops_that_the_problem_states(block: int) -> None:
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
    assert kinds >= {"agent", "start", "resource", "modes", "mode", "state"}


def _conflict(instance: Instance, first: Mode, second: Mode) -> bool:
    """Return whether two modes exceed a capacity together by uses that set no state."""
    for demand, other in product(first.demands, second.demands):
        resource = instance.resource[demand.resource]
        is_shared = demand.resource == other.resource and demand.sets is None and other.sets is None
        take_units = resource.renewable and demand.amount > 0 < other.amount
        if is_shared and take_units and demand.amount + other.amount > resource.capacity:
            return True
    return False


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
        pairs_of_modes = product(first.modes, second.modes)
        always_conflict = all(_conflict(instance, *modes) for modes in pairs_of_modes)
        if take_time and not _is_pausing(first) and always_conflict:
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
        plain = list(_plain_choices(instance))
        for choice in plain:
            assert choice in accepted, instance
            kinds.add(choice[0])
        assert [choice for choice in accepted if choice[0] == "modes" and choice not in plain] == [], instance
    assert kinds >= {"agent", "start", "resource", "modes", "mode"}


def _shop(*actions: Action, capacity: int = 1) -> Instance:
    return Instance("shop", actions, resources=(Resource("oven", capacity),))


@pytest.mark.parametrize("may_pause", [False, True])
def test_attended_actions_of_one_agent_are_ordered_unless_one_may_pause(may_pause: bool) -> None:
    checker = checker_of(_shop(Action("t/a", "t", 2, 2, may_pause), Action("t/b", "t", 1, 1)))
    choice = {"number": 1, "kind": "agent", "about": ["t/a", "t/b", "agent"]}
    if not may_pause:
        assert checker.ways(choice) == (
            (("finish", "t/a"), ("start", "t/b"), 0),
            (("finish", "t/b"), ("start", "t/a"), 0),
        )
        return
    with pytest.raises(RefusedError, match="can run at the same time"):
        checker.ways(choice)


@pytest.mark.parametrize(
    ("capacity", "early"),
    [(1, (("finish", "t/spoil"), ("start", "t/set"), 0)), (2, (("start", "t/spoil"), ("start", "t/set"), 1))],
)
def test_rival_setting_ends_before_the_setting_only_if_they_exclude_each_other(capacity: int, early: Any) -> None:
    demands = {"set": {"sets": "hot"}, "spoil": {"sets": "cold"}, "use": {"requires": "hot"}}
    actions = []
    for name, fields in demands.items():
        modes = (Mode((Demand("oven", **fields),)),)
        actions.append(Action(f"t/{name}", "t", 2, 0, modes=modes, agents=()))
    checker = checker_of(_shop(*actions, capacity=capacity))
    ways = checker.ways({"number": 1, "kind": "state", "about": ["t/spoil", "t/set", "t/use", "oven"]})
    assert ways == (early, (("finish", "t/use"), ("start", "t/spoil"), 0))


# --- orders --------------------------------------------------------------------------------------


def _longest_paths(hops: list[_Hop], source: Event) -> dict[Event, list[_Hop]]:
    """Return long paths of at most five hops from an event to others."""
    paths: dict[Event, list[_Hop]] = {source: []}
    for _ in range(5):
        for event, path in list(paths.items()):
            for hop in hops:
                if hop.source == event and _ticks([*path, hop]) > _ticks(paths.get(hop.target)):
                    paths[hop.target] = [*path, hop]
    return paths


def _ticks(path: list[_Hop] | None) -> int:
    """Return the ticks of a path, less than those of any other if there is none."""
    return -(10**6) if path is None else sum(hop.ticks for hop in path)


def _order(kind: str, about: list[str], ways: Any, against: list[_Hop]) -> dict[str, Any]:
    """Return the step that excludes the second of two ways by a path."""
    holding, excluded = (_row(*way, "case") for way in ways)
    rows = [_row(*hop[:4]) for hop in against]
    return {"number": 1, "kind": kind, "about": about, "held": holding, "excluded": excluded, "against": rows}


@pytest.mark.parametrize("block", BLOCKS)
def test_accepted_order_holds_in_every_schedule_that_is_short_enough(block: int) -> None:
    accepted = 0
    random = Random(block)
    for instance, optimum, schedules in small_instances(block, SEEDS):
        supposition = _Hop(END, BEGIN, -optimum, "supposition")
        short = [times_of_events(instance, schedule) for schedule in schedules if schedule.makespan <= optimum]
        hops = [*hops_of(instance), supposition]
        checker = Checker(_Problem(to_document(instance)), optimum + 1, [{supposition}])
        for kind, about, ways in _accepted_choices(instance):
            for pair in (ways, ways[::-1]):
                paths = _longest_paths(hops, pair[1][1])
                for path in (paths.get(pair[1][0], []), random.choice(list(paths.values()))):
                    try:
                        checker.order(_order(kind, about, pair, path))
                    except RefusedError:
                        continue
                    assert all(holds(pair[0], times) for times in short), (instance, kind, about, pair)
                    accepted += 1
    assert accepted


@pytest.mark.parametrize("block", BLOCKS)
def test_split_needs_both_ways_of_its_choice(block: int) -> None:
    path = {"number": 2, "link": "path", "ticks": 0, "hops": [_row(BEGIN, END, 0, "order")]}  # for a bound of 0
    for instance, _, _ in small_instances(block, SEEDS):
        for kind, about, ways in _accepted_choices(instance):
            checker = checker_of(instance)
            first, second = (_row(*way, "case") for way in ways)
            longer = first | {"ticks": first["ticks"] + 1}
            for assumed in ((first, second), (first, first), (longer, second), (second, longer)):
                cases = [{"assumed": way, "steps": [path | {"number": k}]} for k, way in enumerate(assumed, 1)]
                checker.problem.count = 0
                step = {"number": 0, "kind": kind, "about": about, "cases": cases}
                if assumed[0] is first and assumed[1] is second:
                    checker.split(step)
                    continue
                with pytest.raises(RefusedError):
                    checker.split(step)


def _path_of(number: int, *names: str) -> dict[str, Any]:
    """Return a path over actions of two ticks, each after the one before by an assumption."""
    hops = [_row(BEGIN, ("start", names[0]), 0, "release")]
    for before, after in pairwise(names):
        hops.append(_row(("start", before), ("finish", before), 2, "duration"))
        hops.append(_row(("finish", before), ("start", after), 0, "case"))
    hops += [
        _row(("start", names[-1]), ("finish", names[-1]), 2, "duration"),
        _row(("finish", names[-1]), END, 0, "order"),
    ]
    return {"number": number, "link": "path", "ticks": 2 * len(names), "hops": hops}


def test_assumption_of_a_case_holds_in_no_other_case() -> None:
    modes = (Mode((Demand("oven"),)),)
    instance = _shop(*(Action(f"t/{name}", "t", 2, 0, modes=modes, agents=()) for name in "ab"))
    choice = {"number": 1, "link": "split", "kind": "resource", "about": ["t/a", "t/b", "oven"]}
    for second in (("t/b", "t/a"), ("t/a", "t/b")):
        checker = Checker(_Problem(to_document(instance)), 4, [set()])
        paths = [_path_of(2, "t/a", "t/b"), _path_of(3, *second)]
        ways = [_row(*way, "case") for way in checker.ways(choice)]
        cases = [{"assumed": way, "steps": [path]} for way, path in zip(ways, paths, strict=True)]
        step = choice | {"cases": cases}
        if second == ("t/b", "t/a"):
            checker.steps([step])
            continue
        with pytest.raises(RefusedError, match="nothing states that"):
            checker.steps([step])


# --- loads ---------------------------------------------------------------------------------------


class Member(NamedTuple):
    """Member of a load, with the hops before its start and after its end."""

    action: str
    ticks: int
    before: list[dict[str, Any]]
    after: list[dict[str, Any]]


def _load(instance: Instance, checker: Checker, random: Random) -> dict[str, Any]:
    """Return a random step of a load between the beginning and the end, whose sums are right."""
    in_turn = random.random() < 0.5
    if instance.agents and random.random() < 0.4:
        names = random.sample(instance.agents, random.randint(1, len(instance.agents)))
        members = _members(checker, random.sample(instance.actions, random.randint(1, len(instance.actions))), None)
        return _summed(members, names, "agents", _near(len(names), random), in_turn)
    resource = random.choice(instance.resources or (Resource("none"),))
    users = [action for action in instance.actions if checker.problem.actions[action.id].needs[resource.name].amount]
    chosen = random.sample(users, random.randint(1, len(users))) if users else list(instance.actions)
    capacity = random.randint(1, 3) if in_turn else resource.capacity
    amounts = random.choice(((None,), (1,), (None, capacity)))
    members = []
    for action in chosen:
        members += _members(checker, [action], resource.name, random.choice(amounts))
    return _summed(members, [resource.name], "resource", _near(capacity, random), in_turn)


def _near(number: int, random: Random) -> int:
    return max(1, number + random.choice((0, 0, 0, -1, 1)))


def _members(
    checker: Checker, actions: Sequence[Action], resource: str | None, amount: int | None = None
) -> list[Member]:
    """Return members that attend, or use so many units, by default those that they need."""
    members = []
    for action in actions:
        checked = checker.problem.actions[action.id]
        if resource is None:
            members.append(
                Member(action.id, checked.attended, _hops_before(checked), _hops_after(checked, checked.last))
            )
            continue
        units = checked.needs[resource].amount if amount is None else amount
        members.append(
            Member(action.id, checked.duration * units, _hops_before(checked), _hops_after(checked, "finish"))
        )
    return members


def _row(source: Event, target: Event, ticks: int, reason: str) -> dict[str, Any]:
    return {"from": list(source), "to": list(target), "ticks": ticks, "why": reason}


def _hops_before(checked: Any) -> list[dict[str, Any]]:
    return [_row(BEGIN, ("start", checked.id), checked.release, "release")]


def _hops_after(checked: Any, release_kind: str) -> list[dict[str, Any]]:
    """Return the hops from the release of the agent or the finish of an action to the end."""
    finish = ("finish", checked.id)
    hops = [_row(finish, END, 0, "order")]
    if release_kind == "free":
        start = ("start", checked.id)
        hops.insert(0, _row(start, finish, checked.duration, "duration"))
        hops.insert(0, _row(("free", checked.id), start, -checked.most_attended, "attended"))
    return hops


def _summed(members: list[Member], names: list[str], machine: str, capacity: int, in_turn: bool) -> dict[str, Any]:
    """Return the step of a load with the sums of its members, the larger of two if they take turns."""
    ticks = sorted(member.ticks for member in members)
    head = min(sum(hop["ticks"] for hop in member.before) for member in members)
    tail = min(sum(hop["ticks"] for hop in member.after) for member in members)
    needed = -(-sum(ticks) // capacity)
    if in_turn:
        needed = max(needed, sum(ticks[: -(-len(ticks) // capacity)]))
    rows = [member._asdict() for member in members]
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
            excess = random.choice((0, 0, 0, 1, 2))
            step |= {"needed": step["needed"] + excess, "ticks": step["ticks"] + excess}
            try:
                checker.load(step)
            except RefusedError:
                continue
            assert step["ticks"] <= optimum, (instance, step)
            accepted += 1
    assert accepted > 300


def test_busy_time_counts_the_least_attended_mode() -> None:
    instance = _shop(Action("t/a", "t", 3, 3, modes=(Mode(), Mode(attended=1))))
    checker = checker_of(instance)
    (member,) = _members(checker, instance.actions, None)
    assert member.ticks == 1
    checker.load(_summed([member], ["agent"], "agents", 1, False))
    for ticks in (2, 3):
        with pytest.raises(RefusedError, match=f"does not hold one of these agents for {ticks} ticks"):
            checker.load(_summed([member._replace(ticks=ticks)], ["agent"], "agents", 1, False))


@pytest.mark.parametrize("block", BLOCKS)
def test_checker_accepts_loads_of_plain_uses(block: int) -> None:
    count = 0
    for instance, _, _ in small_instances(block, SEEDS):
        checker = checker_of(instance)
        attended = [action for action in instance.actions if checker.problem.actions[action.id].attended]
        everybody = [action for action in attended if _eligible(instance, action) == {instance.agents}]
        if everybody:
            checker.load(_summed(_members(checker, everybody, None), list(instance.agents), "agents",
                                 len(instance.agents), False))  # fmt: skip
        for resource in instance.resources:
            users = [action for action in instance.actions if all(_amounts(instance, action.id, resource.name) or [0])]
            if users and resource.renewable:
                members = _members(checker, users, resource.name)
                checker.load(_summed(members, [resource.name], "resource", resource.capacity, False))
                count += 1
                amounts = sorted(min(_amounts(instance, action.id, resource.name)) for action in users)
                fitting = sum(total <= resource.capacity for total in accumulate(amounts))
                if resource.capacity > 1 and not any(map(_is_pausing, users)):
                    members = _members(checker, users, resource.name, 1)
                    checker.load(_summed(members, [resource.name], "resource", fitting, True))
    assert count > 10


def _eligible(instance: Instance, action: Action) -> set[tuple[str, ...]]:
    return {variant.agents for variant in instance.variants[action.id]}
