"""What a planner asks of a state: a key up to symmetry, how many steps are left at least, what has not been started."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, Effect, KitchenDomain, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, split_name
from planoracle.instances.model.limits import NEVER as NO_DEADLINE
from planoracle.instances.model.limits import Deadline
from planoracle.solver.kitchens.consistency import is_usual
from planoracle.solver.kitchens.goals import Group, Process, Roles
from planoracle.solver.kitchens.lower_bound import Bound
from planoracle.solver.kitchens.state_view import NEVER, Abstraction, StateView

#: Choices that may still lead to the goal, the best first, after the fewest steps that a plan with them may have.
Groups = tuple[tuple[int, Group | None], ...]

# Ways to choose objects for roles that are all looked at.
_MOST_WAYS = 200_000
# Of counted work: seconds to bound what is left with one choice.
_LOOK = 5e-5


class Seeing(NamedTuple):
    """What is seen of a state.

    Attributes
    ----------
    key
        Equal for states that are equally far from the goal.
    groups
        Choices that may still lead to the goal in fewer steps than asked for.
    unstarted
        How many things that take time of themselves have not been started.
    """

    key: Any
    groups: Groups
    unstarted: int


class SearchHeuristic(Protocol):
    """Guides the search on one kitchen; ``familiar``: it knows what the actions of the kitchen mean."""

    familiar: bool

    def root(self, state: State) -> Groups:
        """Return all choices at the start."""
        ...

    def look(self, state: State, groups: Groups, steps: int, most: int) -> Seeing:
        """Look at a state, reached in so many steps, for plans of fewer than ``most`` steps with one of the choices."""
        ...

    def errand_plans(self, start: State, groups: Groups, most: int, deadline: Deadline) -> Iterator[tuple[int, ...]]:
        """Yield ever shorter plans of fewer than so many steps, by way of schedules; there may be none."""
        ...


class _Blind:
    """Knows nothing but that the goal has not been reached."""

    familiar = False

    def root(self, state: State) -> Groups:
        return ((1, None),)

    def errand_plans(self, start: State, groups: Groups, most: int, deadline: Deadline) -> Iterator[tuple[int, ...]]:
        return iter(())

    def look(self, state: State, groups: Groups, steps: int, most: int) -> Seeing:
        return Seeing((state,), ((steps + 1, None),) if steps + 1 < most else (), 0)


class _Familiar:
    """For kitchens of the usual domain, be times and repetitions other."""

    familiar = True

    def __init__(self, compiled: CompiledKitchen, roles: Roles, deadline: Deadline) -> None:
        self._bits = compiled.bits
        self._abstraction = Abstraction(compiled)
        self._roles = roles
        self._deadline = deadline
        self._bound = Bound(self._abstraction, self._roles)
        self._awaited: list[tuple[str, list[str], int]] = []
        for kind, places in self._roles.kinds.items():
            asked = [self._roles.roles[place] for place in places]
            for process in sorted({each for role in asked for each in role.needs if each.ticks}, key=_predicate):
                count = sum(process in role.needs for role in asked)
                self._awaited.append((process.predicate, self._roles.items[kind], count))

    def root(self, state: State) -> Groups:
        return self.look(state, tuple((0, group) for group in self._roles.groups()), 0, NEVER).groups

    def errand_plans(self, start: State, groups: Groups, most: int, deadline: Deadline) -> Iterator[tuple[int, ...]]:
        from planoracle.solver.kitchens.transport.execution import errand_plans

        listed = [group for _, group in groups if group is not None]
        return errand_plans(self._bound.context, self._abstraction, start, listed, most, deadline)

    def look(self, state: State, groups: Groups, steps: int, most: int) -> Seeing:
        # What a choice took before it still takes: those that took more than another does now need no second look.
        view = self._abstraction.view(state)
        least, left = most, []
        for known, group in groups:
            if known < least:
                self._deadline.check(_LOOK)
                assert group is not None
                known = max(known, steps + self._bound.remaining(view, group))
                least = min(least, known)
            if known < most:
                left.append((known, group))
        if not left:
            return Seeing(None, (), 0)
        left.sort(key=_first)
        return Seeing(self._abstraction.key(state, view), tuple(left), self._unstarted(view))

    def _unstarted(self, view: StateView) -> int:
        running = {(name, predicate) for name, predicate, _ in view.ticks}
        count = 0
        for predicate, items, wanted in self._awaited:
            begun = sum(
                (item, predicate) in running or bool(view.facts & self._bits.mask((predicate, item))) for item in items
            )
            count += max(0, wanted - begun)
        filled = len(view.inside) + sum(predicate.startswith("new ") for _, predicate in running)
        meals = [meal for meal in self._roles.meals if meal.vessel >= 0]
        boiled = sum(
            (meal, "isboiling") in running or bool(view.facts & self._bits.mask(("isboiling", meal)))
            for meal in view.inside
        )
        return count + max(0, len(meals) - filled) + max(0, sum(meal.boiled for meal in meals) - boiled)


def _first(entry: tuple[int, Group | None]) -> int:
    return entry[0]


def _predicate(process: Process) -> str:
    return process.predicate


def heuristic(compiled: CompiledKitchen, deadline: Deadline = NO_DEADLINE) -> SearchHeuristic:
    """Return the heuristic for a kitchen: one that knows nothing if the domain, or the way things stand, is unusual.

    Nor does it where there are too many ways to choose who plays which role. After the deadline it raises
    `TimeOverError`.
    """
    roles = Roles(compiled.kitchen) if ordinary(compiled.kitchen) else None
    return _Blind() if roles is None or roles.ways() > _MOST_WAYS else _Familiar(compiled, roles, deadline)


def ordinary(kitchen: Kitchen) -> bool:
    """Whether a kitchen is of the usual domain, and nothing in it stands as the usual actions never leave it."""
    if not _alike(kitchen.domain, bundled()):
        return False
    single = (("station",), ("container",))
    kinds = {name for name, types in kitchen.domain.signature.items() if types in single and name.startswith("is")}
    own = all(fact[0] == f"is{split_name(fact[1])[0]}" for fact in kitchen.facts if fact[0] in kinds)
    return own and is_usual(kitchen)


def _alike(one: KitchenDomain, other: KitchenDomain) -> bool:
    """Whether two domains are the same but for numbers of ticks and repetitions."""
    return one.types == other.types and list(map(_plain, one.actions)) == list(map(_plain, other.actions))


def _plain(action: ActionSchema) -> ActionSchema:
    return replace(action, effects=tuple(map(_plain_effect, action.effects)))


def _plain_effect(effect: Effect) -> Effect:
    return replace(effect, count=bool(effect.count), effects=tuple(map(_plain_effect, effect.effects)))
