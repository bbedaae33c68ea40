"""Hypothesis strategies for random, valid, tiny problems."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

_STATES = ("hot", "cold")


@st.composite
def instances(draw: st.DrawFn, max_actions: int = 5) -> Instance:
    """Draw a problem with any features of the model; it may be infeasible.

    Actions are ordered by task, lags by the later action.
    """
    agents = tuple(f"agent{i}" for i in range(draw(st.integers(1, 3))))
    resources = tuple(
        Resource(f"tool{i}", draw(st.integers(1, 3)), draw(st.sampled_from((None, *_STATES))))
        for i in range(draw(st.integers(0, 2)))
    )
    tasks = sorted(draw(st.lists(st.integers(0, 2), min_size=1, max_size=max_actions)))
    drafts = [draw(_actions(f"task{task}", number, agents, resources)) for number, task in enumerate(tasks)]
    settable = {(r.name, r.state) for r in resources if r.state is not None} | {
        (demand.resource, demand.sets)
        for action in drafts
        for mode in action.modes
        for demand in mode.demands
        if demand.sets is not None
    }
    actions = tuple(draw(_with_requirements(action, settable)) for action in drafts)
    return Instance(
        name=draw(st.sampled_from(("k", "own/kitchen", "Küche 1"))),
        actions=actions,
        lags=draw(_lags([action.id for action in actions])),
        resources=resources,
        agents=agents,
        unit=draw(st.sampled_from(("tick", "minute"))),
        seconds_per_tick=draw(st.sampled_from((None, 1, 60))),
        time_limit=draw(st.none() | st.integers(0, 20)),
    )


@st.composite
def _actions(
    draw: st.DrawFn, task: str, number: int, agents: tuple[str, ...], resources: tuple[Resource, ...]
) -> Action:
    duration = draw(st.integers(0, 4))
    interruptible = draw(st.booleans())
    eligible = draw(st.none() | st.lists(st.sampled_from(agents), unique=True).map(tuple))
    if eligible == ():
        attended = 0
    else:
        attended = draw(st.sampled_from((0, duration)) if interruptible else st.integers(0, duration))
    return Action(
        id=f"{task}/{number}",
        task=task,
        duration=duration,
        attended=attended,
        interruptible=interruptible,
        modes=tuple(
            Mode(draw(_demands(resources, may_set=not interruptible)), draw(st.sampled_from(("", "m"))))
            for _ in range(draw(st.integers(1, 2)))
        ),
        agents=eligible,
        release=draw(st.integers(0, 3)),
        label=draw(st.sampled_from(("", "stir"))),
    )


@st.composite
def _demands(draw: st.DrawFn, resources: tuple[Resource, ...], may_set: bool) -> tuple[Demand, ...]:
    sets = st.sampled_from((None, *_STATES)) if may_set else st.none()
    chosen = [resource for resource in resources if draw(st.booleans())]
    return tuple(Demand(r.name, draw(st.integers(0, r.capacity)), sets=draw(sets)) for r in chosen)


@st.composite
def _with_requirements(draw: st.DrawFn, action: Action, settable: set[tuple[str, str]]) -> Action:
    """Draw required states among those that are initial or set by an action."""
    # An unattended interruptible action must not use resources with states.
    forbidden = {name for name, _ in settable} if action.interruptible and not action.attended else set()

    def require(demand: Demand) -> Demand:
        states = [state for state in _STATES if (demand.resource, state) in settable]
        return replace(demand, requires=draw(st.sampled_from((None, *states))))

    return replace(
        action,
        modes=tuple(
            Mode(tuple(require(demand) for demand in mode.demands if demand.resource not in forbidden), mode.name)
            for mode in action.modes
        ),
    )


@st.composite
def _lags(draw: st.DrawFn, ids: list[str]) -> tuple[Lag, ...]:
    rank = {name: place for place, name in enumerate(draw(st.permutations(ids)))}
    pairs = [(before, after) for after in ids for before in ids if before != after]
    return tuple(
        draw(_bounds(before, after, forward=rank[before] < rank[after]))
        for before, after in pairs
        if draw(st.integers(0, 3)) == 0
    )


@st.composite
def _bounds(draw: st.DrawFn, before: str, after: str, forward: bool) -> Lag:
    """Draw a lag; a backward lag has no minimum or a negative one, so that it does not order its actions."""
    minimum = draw(st.none() | st.integers(-3, 2 if forward else -1))
    lowest = -3 if minimum is None else minimum
    maximum = draw(st.integers(lowest, lowest + 4) if minimum is None else st.none() | st.integers(lowest, lowest + 4))
    return Lag(before, after, minimum, maximum)
