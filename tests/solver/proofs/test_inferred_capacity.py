"""Constraints that several resources, agents and precedences imply together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs import checker, inferred_capacity
from planoracle.solver.proofs.axioms import BEGIN, END
from planoracle.solver.proofs.certificate import Certificate, certificate
from planoracle.solver.proofs.steps import Hop, Load, Path, Via


def _action(name: str, duration: int, resources: dict[str, int], **fields: Any) -> Action:
    demands = tuple(Demand(resource, amount) for resource, amount in resources.items())
    fields = {"attended": 0, "agents": (), **fields}
    return Action(f"t/{name}", "t", duration, modes=(Mode(demands),), **fields)


def _pentagon(**fields: Any) -> Instance:
    """Return five actions in a circle, of which neighbours need the same resource."""
    actions = tuple(_action(str(k), 3, {f"r{k}": 1, f"r{(k + 1) % 5}": 1}, **fields) for k in range(5))
    return Instance("pentagon", actions, resources=tuple(Resource(f"r{k}") for k in range(5)))


def _load_of(instance: Instance, makespan: int) -> Load:
    proof = certificate(instance, makespan)
    assert proof is not None
    assert (proof.bound, proof.kind) == (makespan, "busy time")
    load = proof.steps[0]
    assert isinstance(load, Load)
    return load


def test_members_of_which_few_run_together_follow_each_other() -> None:
    load = _load_of(_pentagon(), 9)
    assert (load.machine, load.capacity, load.in_turn, load.work) == ("together", 2, True, 15)
    (line,) = certificate(_pentagon(), 9).lines(_pentagon())
    assert "At most 2 of these 5 run at the same time, so 3 run one after another; the 3 shortest take 9 ticks" in line
    assert "By their needs: at most 2 of these actions run at the same time. So" in line


def test_work_of_members_that_pause_is_divided() -> None:
    load = _load_of(_pentagon(interruptible=True), 8)
    assert (load.machine, load.capacity, load.in_turn, load.work) == ("together", 2, False, 15)


@st.composite
def _problems(draw: st.DrawFn) -> Instance:
    """Draw actions with needs of three resources, agents and precedences; they may pause."""
    actions = []
    for number in range(draw(st.integers(2, 6))):
        amounts = draw(st.lists(st.integers(0, 2), min_size=3, max_size=3))
        agents = draw(st.sampled_from([(), ("ann",), ("bob",), ("ann", "bob")]))
        duration = draw(st.integers(1, 3))
        fields = {"attended": duration if agents else 0, "agents": agents, "interruptible": draw(st.booleans())}
        actions.append(_action(str(number), duration, dict(zip("rst", amounts, strict=True)), **fields))
    names = [action.id for action in actions]
    pairs = draw(st.lists(st.sampled_from(list(combinations(names, 2))), unique=True, max_size=4))
    lags = tuple(Lag(*pair, draw(st.integers(0, 1))) for pair in pairs)
    resources = tuple(Resource(name, draw(st.integers(2, 3))) for name in "rst")
    return Instance("p", tuple(actions), lags, resources, ("ann", "bob"))


def _may_run_together(instance: Instance, actions: tuple[Action, ...]) -> bool:
    """Return whether the rules accept one tick in which all of these actions run, in some order of time."""
    following = {(lag.before, lag.after) for lag in instance.lags}
    for middle, first, last in product([action.id for action in instance.actions], repeat=3):
        if {(first, middle), (middle, last)} <= following:
            following.add((first, last))
    if any((first.id, second.id) in following for first, second in combinations(actions, 2)):
        return False
    short = [replace(action, duration=1, attended=min(1, action.attended)) for action in actions]
    tick = replace(instance, actions=tuple(short), lags=())
    for agents in product(*(action.agents or (None,) for action in short)):
        pieces = [Piece(action.id, 0, 1, agent) for action, agent in zip(short, agents, strict=True)]
        if next(find_violations(tick, Schedule.of(tick, pieces)), None) is None:
            return True
    return False


def _subsets(actions: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
    for size in range(1, len(actions) + 1):
        yield from combinations(actions, size)


def _proof(instance: Instance, weights: list[int], capacity: int) -> dict[str, Any]:
    """Return a proof by one load of all actions."""
    members = []
    for action, weight in zip(instance.actions, weights, strict=True):
        before = Hop(BEGIN, ("start", action.id), 0, "release")
        after = Hop(("finish", action.id), END, 0, "order")
        members.append(Via(action.id, weight * action.duration, (before,), (after,)))
    lags = [Hop(("finish", lag.before), ("start", lag.after), lag.minimum or 0, "lag") for lag in instance.lags]
    precedences = tuple((lag,) for lag in lags)
    load = Load(1, BEGIN, END, "together", (), capacity, False, tuple(members), 0, 0, precedences)
    path = Path(2, (Hop(BEGIN, END, load.ticks, "line", 1),))
    return Certificate(instance="p", kind="", makespan=None, bound=load.ticks, steps=(load, path)).as_dict()


@settings(max_examples=40, deadline=None)
@given(_problems(), st.data())
def test_capacity_is_the_weight_of_the_heaviest_set_that_the_rules_accept(instance: Instance, data: st.DataObject):
    number = len(instance.actions)
    weights = data.draw(st.lists(st.integers(1, 3), min_size=number, max_size=number))
    by_id = {action.id: weight for action, weight in zip(instance.actions, weights, strict=True)}
    sets = [chosen for chosen in _subsets(instance.actions) if _may_run_together(instance, chosen)]
    assume(sets)
    heaviest = max(sum(by_id[action.id] for action in chosen) for chosen in sets)
    proof = _proof(instance, weights, heaviest)
    assert checker.check(to_document(instance), proof) == proof["bound"]
    if heaviest > 1:
        with pytest.raises(checker.RefusedError, match="members that may run together weigh more than"):
            checker.check(to_document(instance), _proof(instance, weights, heaviest - 1))


@settings(max_examples=40, deadline=None)
@given(_problems())
def test_bound_is_never_above_the_optimum(instance: Instance) -> None:
    optimum = solve(instance).makespan
    if optimum is not None:
        assert certificate(instance, optimum + 1).bound <= optimum


def _pentagon_proof(**changes: Any) -> dict[str, Any]:
    proof = certificate(_pentagon(), 9).as_dict()
    proof["steps"][0] |= changes
    return proof


def _hop(kind: str, target_kind: str, ticks: int, reason: str) -> dict[str, Any]:
    return {"from": [kind, "t/0"], "to": [target_kind, "t/0"], "ticks": ticks, "why": reason}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"names": ["r0"]}, "machine must be"),
        (
            {"precedences": [[{"from": ["finish", "t/0"], "to": ["start", "t/2"], "ticks": 0, "why": "lag"}]]},
            "nothing states",
        ),
        (
            {"precedences": [[{"from": ["start", "t/0"], "to": ["finish", "t/0"], "ticks": 3, "why": "duration"}]]},
            "must lead",
        ),
    ],
)
def test_changed_loads_are_refused(changes: dict[str, Any], reason: str) -> None:
    problem = to_document(_pentagon())
    assert checker.check(problem, _pentagon_proof()) == 9
    with pytest.raises(checker.RefusedError, match=reason):
        checker.check(problem, _pentagon_proof(**changes))


def test_weights_above_one_do_not_follow_each_other() -> None:
    proof = _pentagon_proof()
    proof["steps"][0]["members"][0]["ticks"] = 6
    with pytest.raises(checker.RefusedError, match="with weights of 1 if in_turn"):
        checker.check(to_document(_pentagon()), proof)
    proof["steps"][0]["members"][0]["ticks"] = 4
    with pytest.raises(checker.RefusedError, match="must be its duration times a weight"):
        checker.check(to_document(_pentagon()), proof)


def test_uses_that_set_a_state_may_run_together() -> None:
    heat = [_action(str(k), 3, {}) for k in range(2)]
    heat = [replace(action, modes=(Mode((Demand("oven", sets="hot"),)),)) for action in heat]
    instance = Instance("p", tuple(heat), resources=(Resource("oven"),))
    assert checker.check(to_document(instance), _proof(instance, [1, 1], 2)) == 3
    with pytest.raises(checker.RefusedError, match="weigh more than 1"):
        checker.check(to_document(instance), _proof(instance, [1, 1], 1))


def test_actions_that_free_their_agent_early_may_run_together() -> None:
    actions = tuple(_action(name, 2, {}, attended=1, agents=("ann",)) for name in "ab")
    instance = Instance("p", actions, agents=("ann",))
    assert checker.check(to_document(instance), _proof(instance, [1, 1], 2)) == 2
    with pytest.raises(checker.RefusedError, match="weigh more than 1"):
        checker.check(to_document(instance), _proof(instance, [1, 1], 1))


@pytest.mark.parametrize("minimum", [0, -1])
def test_negative_minimum_lag_is_no_precedence(minimum: int) -> None:
    actions = tuple(_action(name, 2, {}) for name in "ab")
    instance = Instance("p", actions, (Lag("t/a", "t/b", minimum),))
    if minimum == 0:
        assert checker.check(to_document(instance), _proof(instance, [1, 1], 1)) == 4
        return
    with pytest.raises(checker.RefusedError, match="from a finish to a start, in at least 0 ticks"):
        checker.check(to_document(instance), _proof(instance, [1, 1], 1))


def test_constraint_beyond_the_limit_of_the_checker_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inferred_capacity, "_MAX_COMPARISONS", 4)
    proof = certificate(_pentagon(interruptible=True), 8)
    assert (proof.bound, proof.kind) == (6, "search")
