"""Exhaustive search through the decisions of the TimeArena simulator, without a scheduling model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planoracle.instances.benchmarks.timearena import problems, run
from planoracle.instances.benchmarks.timearena.problems import Scenario
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.simulation import ArenaState, TimeArenaSimulator
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.simulator import fold


def replay(
    name: str, decisions: Sequence[str], limit: int | None = None, rules: Profile = PROFILES["paper"]
) -> TimeArenaRun:
    """Return the run of decisions without reading them from a text."""
    return run.replay(problems.load(name), Plan(decisions, list(decisions), limit), rules)


def commands(simulator: TimeArenaSimulator) -> list[str]:
    """Return all commands of two or four words that the rules may accept."""
    texts, things = [], simulator.world.objects
    for verb in simulator.world.verbs:
        first, *preposition = verb.split()
        others = [f" {preposition[0]} {other}" for other in things] if preposition else [""]
        texts += [f"{first} {name}{other}" for name in things for other in others]
    faults = [simulator.apply(simulator.initial(), text)[1][0].violation for text in texts]
    pairs = zip(texts, faults, strict=True)
    return [text for text, fault in pairs if fault is None or fault.kind == "dependency_violation"]


def decisions_before(instance: Instance, point: DecisionPoint) -> list[str]:
    """Return the decisions before a decision point."""
    return problems.decisions(instance, point.state.pieces, end=point.state.clock)


def optimum(
    scene: Scenario, most_states: int, profile: Profile = PROFILES["paper"], played: Sequence[str] = ()
) -> tuple[str, int | None]:
    """Search breadth first, minute by minute, over all states in which the agent is free.

    The search continues the decisions ``played``. A wrong decision takes at least a minute, like a wait, and is left
    out. A state that is repeated at the same minute or later is left out as well.

    Returns
    -------
    tuple
        ``"complete"`` and the minimum number of minutes; ``"impossible"`` if no run completes; ``"too many"`` if the
        limit of states is reached.
    """
    simulator = TimeArenaSimulator(scene, replace(profile, max_wrong_streak=10**6))
    choices = [*commands(simulator), "wait"]
    start = fold(simulator, played)[0]
    layers: dict[int, list[ArenaState]] = {start.minute: [start]}
    met: set[tuple[object, ...]] = set()
    while layers:
        minute = min(layers)
        for state in layers.pop(minute):
            if state.end:
                return "complete", minute
            # The running actions and the remaining minutes determine the occupied objects.
            mark = (*state.remaining.values(), frozenset(state.running.items()))
            if mark in met:
                continue
            met.add(mark)
            if len(met) > most_states:
                return "too many", None
            for text in choices:
                after, (step,) = simulator.apply(simulator.copy(state), text)
                if step.violation is None:
                    layers.setdefault(after.minute, []).append(after)
    return "impossible", None
