"""Bound and plans of the kitchen planner compared with blind search, in kitchens drawn from a grammar."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

from planoracle.instances.benchmarks.kitchens.action_index import GoalTest
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.generate.parameters import below, chance, one
from planoracle.solver.kitchens.heuristic import heuristic
from tests.support.kitchen_cases import Case, bound
from tests.support.kitchen_grammar import draw_config, draw_counts, draw_goal, draw_layout, draw_odd_fact, draw_rules
from tests.support.state_graph import StateGraph

#: Random walks per goal, and maximum steps of each.
_WALKS, _STEPS = 2, 12
#: Minimum number of states, as a share of the maximum; goals to draw, of which the most distant one is compared.
_SHARE, _TRIES = 0.05, 4


@dataclass(frozen=True)
class Difference:
    """Case with a fault; ``kind`` is one of `tests.support.kitchen_cases.FAULTS`."""

    case: Case
    kind: str
    text: str


@dataclass
class Comparison:
    """Number of compared states and plans of one goal, and the cases with a difference."""

    states: int = 0
    plans: int = 0
    differences: list[Difference] = field(default_factory=list)


def draw_cases(seed: int, goals: int, most: int, cooks: int | None = None) -> Iterator[tuple[Case, StateGraph]]:
    """Yield one kitchen with several goals, and its state graph of at most ``most`` states."""
    random = Random(seed)
    size = 4 + below(random, 5)
    while True:
        document = draw_layout(random, size, cooks) | draw_config(Random(seed))
        case = Case(document, draw_counts(random, document), draw_rules(random, document))
        bare = case.problem()
        if chance(random, 6) and "more" not in document:
            document |= draw_odd_fact(random, bare)
            bare = case.problem()
        graph = StateGraph.explore(CompiledKitchen(bare, case.profile()), most)
        if graph is not None and len(graph.states) >= _SHARE * most:
            break
        size = max(1, size - 1) if graph is None else size + 1
    for number in range(goals):
        options: list[tuple[int, int, Case]] = []
        for _ in range(_TRIES if chance(random, 85) else 1):
            goal = draw_goal(random, bare, graph)
            with_goal_case = replace(case, kitchen=document | {"name": f"drawn/{seed}/{number}"} | goal)
            engine = with_goal(graph.engine, with_goal_case.problem())
            options.append((graph.steps_from_start(graph.distances(engine.goal)) or 0, len(options), with_goal_case))
        yield max(options)[2], graph


def with_goal(engine: CompiledKitchen, kitchen: Kitchen) -> CompiledKitchen:
    """Return the compiled rules of a kitchen that differs in its goal only, with the same numbers."""
    other = copy(engine)
    other.kitchen = kitchen
    other._goal = GoalTest(kitchen, engine.bits, engine.always)
    return other


@cache
def draw_kitchen(seed: int, cooks: int | None = None) -> Kitchen:
    """Return a kitchen of at most 1,000 states, with a goal."""
    case, _ = next(draw_cases(seed, 1, 1_000, cooks))
    return case.problem()


def compare(case: Case, graph: StateGraph) -> Comparison:
    """Compare bounds in all states, and plans from the start and from random walks, with the graph."""
    engine = with_goal(graph.engine, case.problem())
    distances = graph.distances(engine.goal)
    comparison = Comparison()
    compare_bounds(case, graph, engine, distances, comparison)
    random = Random(str(case.kitchen["name"]))
    for after, number in [((), 0), *_walks(random, graph, distances)]:
        question = replace(case, after=after)
        comparison.plans += 1
        text = question.plan_fault(distances[number] if after else graph.steps_from_start(distances))
        if text:
            comparison.differences.append(Difference(question, "plan", text))
            break
    return comparison


def compare_bounds(
    case: Case, graph: StateGraph, engine: CompiledKitchen, distances: list[int | None], comparison: Comparison
) -> None:
    """Compare the bound in every state that can reach the goal, until the first difference."""
    guide = heuristic(engine)
    groups = guide.root(engine.start())
    for number, steps in enumerate(distances if guide.familiar else ()):
        if not steps:
            continue
        comparison.states += 1
        claim = bound(guide, graph.states[number], groups)
        if claim > steps:
            wrong = replace(case, after=tuple(graph.path(number)))
            comparison.differences.append(Difference(wrong, "bound", f"bound {claim}, truth {steps}"))
            break


def _walks(random: Random, graph: StateGraph, distances: list[int | None]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield actions and final states of random walks; one walk continues after a goal state."""
    goals = [number for number, steps in enumerate(distances) if steps == 0]
    for number in [0] * _WALKS + ([one(random, goals)] if goals else []):
        actions = graph.path(number)
        for _ in range(1 + below(random, _STEPS)):
            deed, number = one(random, graph.successors[number])
            actions.append(graph.engine.actions[deed].text)
        yield tuple(actions), number
