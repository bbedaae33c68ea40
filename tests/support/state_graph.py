"""State graphs of small kitchens by exhaustive enumeration, with distances to a goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State


class TooManyStatesError(Exception):
    """Search that exceeds its maximum number of states."""


@dataclass(frozen=True)
class StateGraph:
    """All reachable states of a kitchen.

    Attributes
    ----------
    states
        States in order of their distance from the first.
    successors
        Pairs of action and next state by state.
    origins
        Previous state on a shortest path from the first state, and its action, by state.
    """

    engine: CompiledKitchen
    states: list[State]
    successors: list[list[tuple[int, int]]]
    origins: list[tuple[int, int]]

    @classmethod
    def explore(cls, engine: CompiledKitchen, most: int) -> StateGraph | None:
        """Enumerate the states; return ``None`` if there are more than ``most``."""
        numbers = {engine.start(): 0}
        graph = cls(engine, [engine.start()], [], [(-1, -1)])
        for number, state in enumerate(graph.states):
            successors = []
            for deed in engine.texts(state).values():  # of actions with the same text, plans can only name the first
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
        """Return the minimum number of steps to a goal by state; ``None`` if no goal is reachable."""
        before: list[list[int]] = [[] for _ in self.states]
        for number, successors in enumerate(self.successors):
            for _, after in successors:
                before[after].append(number)
        result: list[int | None] = [0 if is_goal(state) else None for state in self.states]
        level, steps = [number for number, distance in enumerate(result) if distance == 0], 0
        while level:
            steps += 1
            following = []
            for number in level:
                for earlier in before[number]:
                    if result[earlier] is None:
                        result[earlier] = steps
                        following.append(earlier)
            level = following
        return result

    def steps_from_start(self, distances: list[int | None]) -> int | None:
        """Return the minimum number of steps from the first state, at least 1: goals count after a step."""
        reachable = [distance for _, after in self.successors[0] if (distance := distances[after]) is not None]
        return min(reachable) + 1 if reachable else None

    def path(self, number: int) -> list[str]:
        """Return the actions of a shortest path from the first state to another."""
        actions = []
        while number:
            number, deed = self.origins[number]
            actions.append(self.engine.actions[deed].text)
        return actions[::-1]


def min_steps(engine: CompiledKitchen, state: State, most: int, *, at_start: bool) -> int | None:
    """Return the minimum number of steps to the goal by breadth-first search; ``None``: unreachable.

    Parameters
    ----------
    most
        Number of states above which the search raises `TooManyStatesError`.
    at_start
        True before the first step: a goal that already holds takes one step.
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
