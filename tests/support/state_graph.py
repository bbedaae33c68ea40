"""State graphs of small kitchens by exhaustive enumeration of the rules, with the distance of every state to a goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State


class TooManyStatesError(Exception):
    """A search met more states than it may."""


@dataclass(frozen=True)
class StateGraph:
    """All states of a kitchen that can be reached from one state.

    Attributes
    ----------
    states
        In order of their distance from the first.
    successors
        By state, action and number of the state after it.
    origins
        By state, the number of a state one step nearer to the first, and the action taken there.
    """

    engine: CompiledKitchen
    states: list[State]
    successors: list[list[tuple[int, int]]]
    origins: list[tuple[int, int]]

    @classmethod
    def explore(cls, engine: CompiledKitchen, most: int) -> StateGraph | None:
        """Enumerate the states; ``None`` if there are more than ``most``."""
        numbers = {engine.start(): 0}
        graph = cls(engine, [engine.start()], [], [(-1, -1)])
        for number, state in enumerate(graph.states):
            successors = []
            for deed in engine.texts(state).values():  # of actions written alike, plans can only mean the first
                after = engine.step(state, deed)
                place = numbers.setdefault(after, len(numbers))
                if place == len(graph.states):
                    if place >= most:
                        return None
                    graph.states.append(after)
                    graph.origins.append((number, deed))
                successors.append((deed, place))
            graph.successors.append(successors)
        return graph

    def distances(self, is_goal: Callable[[State], bool]) -> list[int | None]:
        """Return by state the fewest steps to a goal state; 0 at goal states, ``None`` where none can be reached."""
        before: list[list[int]] = [[] for _ in self.states]
        for number, successors in enumerate(self.successors):
            for _, after in successors:
                before[after].append(number)
        found: list[int | None] = [0 if is_goal(state) else None for state in self.states]
        level, steps = [number for number, known in enumerate(found) if known == 0], 0
        while level:
            steps += 1
            following = []
            for number in level:
                for earlier in before[number]:
                    if found[earlier] is None:
                        found[earlier] = steps
                        following.append(earlier)
            level = following
        return found

    def steps_from_start(self, distances: list[int | None]) -> int | None:
        """Return the fewest steps from the first state, at least one: the rules look at the goal after a step."""
        known = [distance for _, after in self.successors[0] if (distance := distances[after]) is not None]
        return min(known) + 1 if known else None

    def path(self, number: int) -> list[str]:
        """Return the actions of a shortest path from the first state to another."""
        actions = []
        while number:
            number, deed = self.origins[number]
            actions.append(self.engine.deeds[deed].text)
        return actions[::-1]


def min_steps(engine: CompiledKitchen, state: State, most: int, *, at_start: bool) -> int | None:
    """Return the fewest steps from a state to the goal by breadth-first search; ``None`` if it cannot be reached.

    Parameters
    ----------
    most
        States after which the search gives up with `TooManyStatesError`.
    at_start
        No step has been made yet, so that a goal that holds already takes one.
    """
    if engine.goal(state) and not at_start:
        return 0
    seen, level, steps = {state}, [state], 0
    while level:
        steps += 1
        following = []
        for one in level:
            for deed in engine.texts(one).values():
                after = engine.step(one, deed)
                if engine.goal(after):
                    return steps
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        if len(seen) > most:
            raise TooManyStatesError(f"more than {most} states")
        level = following
    return None
