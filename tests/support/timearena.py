"""Exhaustive search through the rules of TimeArena: no scheduling model, only decisions and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planoracle.instances.benchmarks.timearena import problems, run
from planoracle.instances.benchmarks.timearena.problems import Scenario
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.simulation import ArenaState, TimeArenaSimulator
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.simulator import fold
from planoracle.instances.protocol.trajectory import DecisionPoint


def replay(
    name: str, decisions: Sequence[str], limit: int | None = None, rules: Profile = PROFILES["paper"]
) -> TimeArenaRun:
    """Return the run of decisions as they are written, without a reader of plans."""
    return run.replay(problems.load(name), Plan(decisions, list(decisions), limit), rules)


def commands(simulator: TimeArenaSimulator) -> list[str]:
    """Return every two- and four-word command that the rules do not always refuse."""
    said, things = [], simulator.world.objects
    for verb in simulator.world.verbs:
        first, *preposition = verb.split()
        others = [f" {preposition[0]} {other}" for other in things] if preposition else [""]
        said += [f"{first} {name}{other}" for name in things for other in others]
    faults = [simulator.apply(simulator.initial(), text)[1][0].violation for text in said]
    pairs = zip(said, faults, strict=True)
    return [text for text, fault in pairs if fault is None or fault.kind == "dependency_violation"]


def decisions_before(instance: Instance, here: DecisionPoint) -> list[str]:
    """Return the decisions that lead to a decision point."""
    return problems.decisions(instance, here.state.pieces, end=here.state.clock)


def optimum(
    scene: Scenario, most_states: int, profile: Profile = PROFILES["paper"], made: Sequence[str] = ()
) -> tuple[str, int | None]:
    """Search breadth first, minute by minute, over all states in which the agent is free.

    The search goes on from the decisions ``made``.

    A wrong decision passes a minute at best like a wait, so it is left out; a state met again, at the same
    minute or later, cannot do better than the first time.

    Returns
    -------
    tuple
        ``"complete"`` and the least number of minutes; ``"impossible"`` if no run completes; ``"too many"``
        states to tell.
    """
    simulator = TimeArenaSimulator(scene, replace(profile, max_wrong_streak=10**6))
    said = [*commands(simulator), "wait"]
    start = fold(simulator, made)[0]
    layers: dict[int, list[ArenaState]] = {start.minute: [start]}
    met: set[tuple[object, ...]] = set()
    while layers:
        minute = min(layers)
        for state in layers.pop(minute):
            if state.end:
                return "complete", minute
            # What runs, with all the minutes left, also tells which objects are occupied.
            mark = (*state.remaining.values(), frozenset(state.running.items()))
            if mark in met:
                continue
            met.add(mark)
            if len(met) > most_states:
                return "too many", None
            for text in said:
                after, (step,) = simulator.apply(simulator.copy(state), text)
                if step.violation is None:
                    layers.setdefault(after.minute, []).append(after)
    return "impossible", None
