"""Inferred cumulative constraints: weighted actions of which few may run together.

Several resources, agents and precedences together may forbid sets of actions that each of them accepts. The best
weights solve the dual of the feasible-subset bound of Mingozzi, Maniezzo, Ricciardelli and Bianco (1998): they maximize
the work of all actions, while no set that may run together weighs more than 1. Rows of this linear program are such
sets. CP-SAT finds the heaviest set for the current weights, until none weighs more than 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Status
from planoracle.solver.exact.bounds import shortest_duration
from planoracle.solver.exact.cp_model import CpModel, negated, run
from planoracle.solver.exact.linear_program import best_shares
from planoracle.solver.proofs.axioms import (
    Machine,
    eligible_agents,
    is_held_throughout,
    is_rigid,
    least_amount,
    states_set,
)
from planoracle.solver.proofs.checker import MAX_COMPARISONS, MAX_TOGETHER, RefusedError, _Problem, _Together

# Largest capacity of an inferred constraint: larger ones raise the bound of no file of PSPLIB's j30 by a tick.
_MAX_CAPACITY = 24
# Comparisons of one check, of those that the checker accepts in all: files of j60 need up to 32,000.
_MAX_COMPARISONS = 100_000
# Error of shares of the linear program, in units of a capacity.
_TOLERANCE = 1e-4


class _Limit(NamedTuple):
    """Units of a resource, or number of agents, and the units that actions take, by their position."""

    units: int
    amounts: Mapping[int, int]


def infer_machines(instance: Instance, is_before: NDArray[np.bool_], deadline: Deadline) -> list[Machine]:
    """Return the inferred constraint with the most work, also in turn; nothing beyond a limit.

    Parameters
    ----------
    is_before
        For each pair of actions, whether the first one always finishes before the second one starts.
    """
    actions = instance.actions
    members = [i for i, action in enumerate(actions) if shortest_duration(action) > 0]
    if not 1 < len(members) <= MAX_TOGETHER:
        return []
    durations = {i: shortest_duration(actions[i]) for i in members}
    sets = _CompatibleSets(members, _limits(instance, members), is_before, deadline)
    shares = best_shares(durations, sets.heaviest, deadline)
    weights = {} if shares is None else _whole_weights(shares, durations)
    heaviest = sets.heaviest(weights) if weights else None
    if heaviest is None:
        return []
    capacity = sum(weights[i] for i in heaviest)
    weighted = [i for i in members if weights[i]]
    work = tuple((actions[i].id, weights[i] * durations[i]) for i in weighted)
    following = {}
    for i in weighted:
        following[actions[i].id] = frozenset(actions[j].id for j in weighted if is_before[i, j])
    machines = [Machine("together", (), capacity, False, work, following)]
    if not _is_checkable(instance, machines[0]):
        return []
    if capacity > 1 and all(weights[i] == 1 and is_rigid(actions[i]) for i in weighted):
        machines.append(machines[0]._replace(in_turn=True))
    return machines


def _is_checkable(instance: Instance, machine: Machine) -> bool:
    """Return whether the checker of certificates goes through all sets with few comparisons."""
    problem = _Problem(to_document(instance))
    problem.comparisons = MAX_COMPARISONS - _MAX_COMPARISONS
    members = [problem.actions[name] for name, _ in machine.members]
    weights = [ticks // action.duration for action, (_, ticks) in zip(members, machine.members, strict=True)]
    try:
        sets = _Together(problem, members, weights, {name: {*names} for name, names in machine.following.items()})
        return not sets.exceed(sets.order, machine.capacity, sets.capacities)
    except RefusedError:  # too many comparisons
        return False


def direct_pairs(members: Sequence[str], following: Mapping[str, Set[str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of members that follow each other without another member between them."""
    pairs: list[tuple[str, str]] = []
    for name in members:
        later = following[name] & set(members)
        indirect: set[str] = set()
        for between in later:
            indirect |= following[between]
        pairs += [(name, later_name) for later_name in sorted(later - indirect)]
    return tuple(pairs)


def _limits(instance: Instance, members: Sequence[int]) -> list[_Limit]:
    """Return the limits of resources and of groups of agents; uses that may share units count nothing."""
    limits = []
    for resource in instance.resources:
        if not resource.renewable:
            continue
        amounts = {}
        for i in members:
            action = instance.actions[i]
            if states_set(action, resource.name) == {None}:
                amounts[i] = least_amount(action, resource.name)
        limits.append(_Limit(resource.capacity, amounts))
    eligible = {}
    for i in members:
        action = instance.actions[i]
        if is_held_throughout(action):
            eligible[i] = eligible_agents(instance, action)
    for group in {frozenset(instance.agents), *eligible.values()}:
        amounts = {i: 1 for i, agents in eligible.items() if agents <= group}
        limits.append(_Limit(len(group), amounts))
    return limits


class _CompatibleSets:
    """Sets of actions that may run together, as solutions of a CP-SAT model."""

    def __init__(
        self, members: Sequence[int], limits: Sequence[_Limit], is_before: NDArray[np.bool_], deadline: Deadline
    ) -> None:
        self.members = members
        self.deadline = deadline
        self.model = CpModel(deadline)
        self.literal = {i: self.model.boolean() for i in members}
        for limit in limits:
            terms = [(self.literal[i], amount) for i, amount in limit.amounts.items()]
            if sum(amount for _, amount in terms) > limit.units:
                self.model.linear(terms, 0, limit.units)
        for position, i in enumerate(members):
            for j in members[position + 1 :]:
                if is_before[i, j] or is_before[j, i]:
                    self.model.clause(negated(self.literal[i]), negated(self.literal[j]))

    def heaviest(self, weights: Mapping[int, int]) -> list[int] | None:
        """Return the heaviest set, ``None`` at the end of the time limit."""
        self.model.parse()
        self.model.minimize_sum([(self.literal[i], -weights[i]) for i in self.members])
        outcome = run(self.model, deadline=self.deadline, presolve=True)
        if outcome.status != Status.optimal:
            return None
        return [i for i in self.members if outcome.solution[self.literal[i]]]


def _whole_weights(shares: Mapping[int, float], durations: Mapping[int, int]) -> dict[int, int]:
    """Return the whole weights, of the smallest capacity, that need the most time."""
    best = 0
    chosen: dict[int, int] = {}
    for capacity in range(1, _MAX_CAPACITY + 1):
        weights = {i: int(share * capacity + _TOLERANCE) for i, share in shares.items()}
        work = sum(weights[i] * durations[i] for i in weights)
        needed = -(-work // capacity)
        if needed > best:
            best, chosen = needed, weights
    return chosen
