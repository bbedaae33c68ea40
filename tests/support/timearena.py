"""Exhaustive search through the rules of TimeArena: no scheduling model, only decisions and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile, SimulationState
from planoracle.instances.benchmarks.timearena.scenario import Scenario
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.trajectory import DecisionPoint


def commands(scene: Scenario, profile: Profile) -> list[str]:
    """Return every two- and four-word command that the rules do not always refuse."""
    fresh = SimulationState(scene, profile)
    said = []
    for verb in scene.verbs:
        first, *preposition = verb.split()
        for name in scene.objects:
            if not preposition:
                said.append(f"{first} {name}")
            else:
                said += [f"{first} {name} {preposition[0]} {other}" for other in scene.objects]
    return [text for text in said if fresh.check(text)[0] in ("", "dependency_violation")]


def decisions_of(instance: Instance, here: DecisionPoint) -> list[str]:
    """Return the decisions that lead to a decision point."""
    made, clock = [], 0
    for piece in here.state.pieces:
        action = instance.by_id[piece.action]
        made += ["wait"] * (piece.start - clock) + [problems.command(action, piece.mode)]
        clock = piece.start + action.attended
    return made + ["wait"] * (here.state.clock - clock)


def _after(state: SimulationState, text: str) -> tuple[SimulationState, int] | None:
    """Return the state when the agent is next free and the minutes until then; ``None`` for a wrong command."""
    if text == "wait":
        kind, keys = "", []
    else:
        kind, keys = state.check(text)
    if kind:
        return None
    after = state.copy()
    minutes = after.start(keys) if keys else 0
    for _ in range(minutes):
        after.work(keys[0])
        after.advance()
    if not minutes:
        after.advance()
    return after, minutes or 1


def _arrived(scene: Scenario, made: Sequence[str], profile: Profile) -> tuple[SimulationState, int]:
    """Return the state after some decisions, wrong ones among them, and the minute."""
    state, minute = SimulationState(scene, profile), 0
    for text in made:
        reached = _after(state, text)
        if reached is not None:
            state, minutes = reached
            minute += minutes
            continue
        if profile.invalid_ticks_world or state.check(text)[0] not in ("invalid_action", "nonexistent_object"):
            state.advance()
        minute += 1
    return state, minute


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
    said = [*commands(scene, profile), "wait"]
    start, begin = _arrived(scene, made, profile)
    layers: dict[int, list[SimulationState]] = {begin: [start]}
    met: set[tuple[object, ...]] = set()
    while layers:
        minute = min(layers)
        for state in layers.pop(minute):
            if state.complete:
                return "complete", minute
            # What runs, with all the minutes left, also tells which objects are occupied.
            mark = (*state.remaining.values(), frozenset(state.running.items()))
            if mark in met:
                continue
            met.add(mark)
            if len(met) > most_states:
                return "too many", None
            for text in said:
                if (reached := _after(state, text)) is not None:
                    after, minutes = reached
                    layers.setdefault(minute + minutes, []).append(after)
    return "impossible", None
