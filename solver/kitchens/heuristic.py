"""Search heuristic of the kitchen planner: state key, lower bound, number of pending processes."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, split_name
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.solver.kitchens.consistency import is_usual
from planoracle.solver.kitchens.goals import Group, Process, Roles
from planoracle.solver.kitchens.lower_bound import Bound
from planoracle.solver.kitchens.relaxed_distance import RelaxedDistance
from planoracle.solver.kitchens.state_view import UNREACHABLE, Abstraction, StateView
from planoracle.solver.kitchens.transport.execution import transport_plans
from planoracle.solver.kitchens.transport.schedule_bound import schedule_bound

#: Groups that may still lead to the goal, each with the lower bound of plans that use it; the best first.
Groups = tuple[tuple[int, Group | None], ...]

# Largest number of assignments of objects to roles.
_MOST_WAYS = 200_000
# Counted work (seconds) of a lower bound for one group, and of an estimate for one relaxed action.
_LOOK, _RELAXED_WORK = 5e-5, 2e-6


class StateEstimate(NamedTuple):
    """Key, lower bounds and pending processes of a state.

    Attributes
    ----------
    key
        Equal for states that are equally far from the goal.
    groups
        Groups that may still lead to the goal in fewer steps than required.
    unstarted
        Number of timed processes that have not been started.
    """

    key: Any
    groups: Groups
    unstarted: int


class SearchHeuristic:
    """Guide of the search without domain knowledge: every state is at least one step from the goal.

    ``familiar``: the guide knows the meaning of the kitchen's actions.
    """

    familiar = False

    def distance(self, state: State, deadline: Deadline) -> int:
        """Return an estimate of the remaining steps beyond the lower bound, for the greedy search."""
        return 0

    def root(self, state: State) -> Groups:
        """Return all groups at the start."""
        return ((1, None),)

    def transport_plans(
        self, start: State, groups: Groups, too_long: int, deadline: Deadline
    ) -> Iterator[tuple[int, ...]]:
        """Yield ever shorter plans of fewer than ``too_long`` steps from schedules of transport tasks."""
        return iter(())

    def schedule_bound(self, start: State, groups: Groups, longest: int, deadline: Deadline) -> int:
        """Return a lower bound of the steps from a state by a schedule, given the steps of a plan."""
        return 0

    def look(self, state: State, groups: Groups, steps: int, too_long: int) -> StateEstimate:
        """Estimate a state, reached in ``steps`` steps, for plans of fewer than ``too_long`` steps."""
        return StateEstimate((state,), ((steps + 1, None),) if steps + 1 < too_long else (), 0)


class _Unfamiliar(SearchHeuristic):
    """Heuristic for kitchens in a user's domain: no bound, and an estimate for the greedy search."""

    def __init__(self, compiled: CompiledKitchen) -> None:
        self._relaxed = RelaxedDistance(compiled)

    def distance(self, state: State, deadline: Deadline) -> int:
        deadline.spend(_RELAXED_WORK * self._relaxed.size)
        return self._relaxed.distance(state)


class _Familiar(SearchHeuristic):
    """Heuristic for the standard domain, with any times and repetitions."""

    familiar = True

    def __init__(self, compiled: CompiledKitchen, roles: Roles, deadline: Deadline) -> None:
        self._bits = compiled.bits
        self._abstraction = Abstraction(compiled)
        self._roles = roles
        self._deadline = deadline
        self._bound = Bound(self._abstraction, self._roles)
        self._awaited: list[tuple[str, list[str], int]] = []
        for kind, places in self._roles.kinds.items():
            roles_of_kind = [self._roles.roles[place] for place in places]
            timed: set[Process] = set()
            for role in roles_of_kind:
                timed.update(process for process in role.needs if process.ticks)
            for process in sorted(timed, key=attrgetter("predicate")):
                count = sum(process in role.needs for role in roles_of_kind)
                self._awaited.append((process.predicate, self._roles.items[kind], count))

    def root(self, state: State) -> Groups:
        return self.look(state, tuple((0, group) for group in self._roles.groups()), 0, UNREACHABLE).groups

    def transport_plans(
        self, start: State, groups: Groups, too_long: int, deadline: Deadline
    ) -> Iterator[tuple[int, ...]]:
        listed = [group for _, group in groups if group is not None]
        return transport_plans(self._bound.context, self._abstraction, start, listed, too_long, deadline)

    def schedule_bound(self, start: State, groups: Groups, longest: int, deadline: Deadline) -> int:
        listed = [(bound, group) for bound, group in groups if group is not None]
        return schedule_bound(self._bound.context, self._abstraction, start, listed, longest, deadline)

    def look(self, state: State, groups: Groups, steps: int, too_long: int) -> StateEstimate:
        # Lower bounds never fall: a group whose earlier bound exceeds another's current bound is not estimated again.
        view = self._abstraction.view(state)
        lowest, remaining = too_long, []
        for bound, group in groups:
            if bound < lowest:
                self._deadline.check(_LOOK)
                assert group is not None
                bound = max(bound, steps + self._bound.remaining(view, group))
                lowest = min(lowest, bound)
            if bound < too_long:
                remaining.append((bound, group))
        if not remaining:
            return StateEstimate(None, (), 0)
        remaining.sort(key=itemgetter(0))
        return StateEstimate(self._abstraction.key(state, view), tuple(remaining), self._count_unstarted(view))

    def _count_unstarted(self, view: StateView) -> int:
        facts, mask = view.facts, self._bits.mask
        running = {(name, predicate) for name, predicate, _ in view.ticks}
        count = 0
        for predicate, items, needed in self._awaited:
            started = 0
            for item in items:
                if (item, predicate) in running or facts & mask((predicate, item)):
                    started += 1
            count += max(0, needed - started)
        filled = len(view.inside) + sum(predicate.startswith("new ") for _, predicate in running)
        boiled = 0
        for meal in view.inside:
            if (meal, "isboiling") in running or facts & mask(("isboiling", meal)):
                boiled += 1
        needed_meals = [meal for meal in self._roles.meals if meal.vessel >= 0]
        unfilled = max(0, len(needed_meals) - filled)
        unboiled = max(0, sum(meal.boiled for meal in needed_meals) - boiled)
        return count + unfilled + unboiled


def heuristic(compiled: CompiledKitchen, deadline: Deadline = NO_LIMIT) -> SearchHeuristic:
    """Return the heuristic for a kitchen, without domain knowledge if the kitchen is not standard.

    The same holds if too many objects could play the roles. The heuristic raises `TimeOverError` after the deadline.
    """
    if not compiled.kitchen.domain.is_standard:
        return _Unfamiliar(compiled)
    roles = Roles(compiled.kitchen) if ordinary(compiled.kitchen) else None
    return SearchHeuristic() if roles is None or roles.ways() > _MOST_WAYS else _Familiar(compiled, roles, deadline)


def ordinary(kitchen: Kitchen) -> bool:
    """Return whether a kitchen has the standard domain, and facts that its actions can produce."""
    if not kitchen.domain.is_standard:
        return False
    single = (("station",), ("container",))
    kinds = {name for name, types in kitchen.domain.signature.items() if types in single and name.startswith("is")}
    for fact in kitchen.facts:
        if fact[0] in kinds and fact[0] != f"is{split_name(fact[1])[0]}":
            return False
    return is_usual(kitchen)
