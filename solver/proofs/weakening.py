"""Instances without some of their constraints: every schedule of the instance remains one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Variant
from planoracle.instances.model.mode_values import has_values, with_values_of_modes
from planoracle.instances.model.state import NOW
from planoracle.solver.proofs.constraints import (
    Constraint,
    Key,
    clock_of,
    constraints,
    demands_of,
    is_decision,
    is_fact,
    is_open,
    pausing_members,
    release_of,
)


def only(instance: Instance, retained: Iterable[Constraint]) -> Instance:
    """Return the instance with these constraints only; see `without`."""
    keys = _keys(instance, retained)
    dropped = (constraint for constraint in constraints(instance) if constraint.key not in keys)
    return without(instance, dropped)


def without(instance: Instance, dropped: Iterable[Constraint]) -> Instance:
    """Return the instance without some of its constraints: every schedule of the instance remains one.

    The general rules apply to it, whatever the benchmark.

    Raises
    ------
    InputError
        For a constraint that is none of the instance.

    Examples
    --------
    >>> problem = Instance("p", (Action("t/a", "t", 3, 3), Action("t/b", "t", 2, 2)), time_limit=4)
    >>> without(problem, [Constraint("limit", (), "")]).time_limit is None
    True
    """
    return _Weakening(instance, _keys(instance, dropped)).instance()


def _keys(instance: Instance, chosen: Iterable[Constraint]) -> set[Key]:
    keys = {constraint.key for constraint in chosen}
    keys_of_instance = {constraint.key for constraint in constraints(instance)}
    for key in sorted(keys - keys_of_instance):
        raise InputError(f"is not a constraint of {instance.name}", field="constraint", value=key)
    return keys


class _Weakening:
    """Instance without the constraints of some keys."""

    def __init__(self, original: Instance, removed: set[Key]) -> None:
        self.original = original
        self.removed = removed
        self.clock = 0 if ("clock", ()) in removed else clock_of(original)
        weaker_lags = [self.lag(lag) for lag in original.lags]
        self.lags = tuple(lag for lag in weaker_lags if lag is not None)
        # Their finish starts a maximum lag, so an interruption can help.
        self.awaited = {lag.before for lag in self.lags if lag.maximum is not None}
        self.stateful = {resource.name for resource in original.resources if resource.state is not None}
        #: Added agents with the agents whose calendars they have, by the action that they are reserved for.
        self.reserved_agents: dict[str, dict[str, str | None]] = {}
        self.pausing = pausing_members(original)
        # States set by actions that do not use the resource any more: no action needs them.
        self.void: set[tuple[str, str | None]] = set()
        for action in original.actions:
            for demand in demands_of(action):
                if demand.sets is not None:
                    self.stateful.add(demand.resource)
                if ("use", (action.id, demand.resource)) in removed:
                    self.void.add((demand.resource, demand.sets))

    def instance(self) -> Instance:
        original = self.original
        time_limit = None if ("limit", ()) in self.removed else original.time_limit
        actions = tuple(map(self.action, original.actions))
        if self.reserved_agents:
            actions = tuple(self.with_agents(action) for action in actions)
        agents = (*original.agents, *chain.from_iterable(self.reserved_agents.values()))
        return replace(
            original,
            name=f"{original.name} weakened",
            actions=actions,
            lags=self.lags,
            agents=agents,
            benchmark="generic",
            time_limit=time_limit,
            calendars=tuple(self.calendars()),
            rest_of=original.rest_of or original,
        )

    def with_agents(self, action: Action) -> Action:
        """Return an action for which the original agents are eligible if it names none."""
        if action.agents is not None:
            return action
        return replace(action, agents=self.original.agents)

    def calendars(self) -> Iterator[Calendar]:
        """Yield the calendars of the members for which they still hold, and of reserved agents."""
        for number, calendar in enumerate(self.original.calendars):
            members = [name for name in calendar.members if ("calendar", (name, str(number))) not in self.removed]
            for models in self.reserved_agents.values():
                members += [name for name, model in models.items() if model in calendar.members]
            if members:
                yield replace(calendar, members=tuple(members))

    def lag(self, lag: Lag) -> Lag | None:
        if is_fact(self.original, lag):
            return lag
        if is_decision(lag):
            is_removed = ("decision", (lag.after,)) in self.removed
            return Lag(NOW, lag.after, 0, None) if is_removed else lag
        if is_open(lag):
            wait = lag.minimum or 0
            release = release_of(self.original, lag.after)
            clock = wait if self.clock and wait > release else self.clock
            if ("release", (lag.after,)) in self.removed:
                release = 0
            return replace(lag, minimum=min(wait, max(clock, release)))
        pair = (lag.before, lag.after)
        minimum = None if ("minimum", pair) in self.removed else lag.minimum
        maximum = None if ("maximum", pair) in self.removed else lag.maximum
        if minimum is None and maximum is None:
            return None
        return Lag(*pair, minimum, maximum)

    def action(self, action: Action) -> Action:
        subject = (action.id,)
        modes = tuple(self.mode(action, number, mode) for number, mode in enumerate(action.modes))
        action = replace(action, modes=modes)
        if ("release", subject) in self.removed:
            action = replace(action, release=0)
        if ("deadline", subject) in self.removed:
            action = replace(action, deadline=None)
        if ("window", subject) in self.removed:
            action = replace(action, windows=())
        if action.pauses_in_breaks or any(map(has_values, action.modes)):
            return self.with_people(action)
        if ("eligibility", subject) in self.removed:
            action = replace(action, agents=None)
        if ("start", subject) in self.removed:
            action = replace(action, agents=())
        if ("attendance", subject) in self.removed:
            if self.needs_hand(action):
                return replace(action, agents=(self.reserve_agent(action),))
            action = replace(action, attended=0, agents=())
        needs_resources = any(mode.demands for mode in action.modes)
        idle = not needs_resources and not self.original.eligible(action)
        if idle and action.id not in self.awaited and not action.windows:
            # Interruptions cannot help, and without them the model is smaller.
            action = replace(action, interruptible=False)
        return action

    def with_people(self, action: Action) -> Action:
        """Return an action of which each mode has the agents that it still needs."""
        variants = self.original.variants[action.id]
        modes = []
        for mode, variant in zip(action.modes, variants, strict=True):
            agents, attended = self.people(action, variant)
            modes.append(replace(mode, duration=variant.duration, attended=attended, agents=agents))
        first = variants[0]
        first_agents, first_attended = self.people(action, first)
        weakened = replace(
            action, duration=first.duration, attended=first_attended, agents=first_agents, modes=tuple(modes)
        )
        return with_values_of_modes(weakened, first_attended, self.original.agents)

    def people(self, action: Action, variant: Variant) -> tuple[tuple[str, ...], int]:
        """Return the eligible agents and the attended ticks of a mode of an action."""
        subject = (action.id,)
        agents = variant.agents
        if agents and ("eligibility", subject) in self.removed:
            agents = self.original.agents
        if not variant.attended:
            is_free = ("start", subject) in self.removed
            return () if is_free else agents, 0
        if ("attendance", subject) not in self.removed:
            return agents, variant.attended
        if action.pauses_in_breaks and self.pausing.intersection(agents):
            return self.reserve_agents(action, agents), variant.attended
        if self.needs_hand(action):
            return (self.reserve_agent(action),), variant.attended
        return (), 0

    def reserve_agents(self, action: Action, agents: tuple[str, ...]) -> tuple[str, ...]:
        """Add agents reserved for the action with the calendars of others, so that it pauses as before."""
        return tuple(self.reserve_agent(action, agent) for agent in agents)

    def mode(self, action: Action, number: int, mode: Mode) -> Mode:
        demands = []
        for demand in mode.demands:
            if ("use", (action.id, demand.resource)) in self.removed:
                if demand.resource in self.pausing and action.pauses_in_breaks:  # the action pauses as before
                    demands.append(Demand(demand.resource, 0))
                continue
            void = (demand.resource, demand.requires) in self.void
            if void or ("state", (action.id, demand.resource)) in self.removed:
                demand = replace(demand, requires=None)
            is_off = demand.resource in self.original.off_times
            if is_off or demand.amount or demand.requires is not None or demand.sets is not None:
                demands.append(demand)
        after = []
        for before in mode.after:
            key = ("after", (action.id, str(number), before))
            if key not in self.removed:
                after.append(before)
        return replace(mode, demands=tuple(demands), after=tuple(after))

    def needs_hand(self, action: Action) -> bool:
        """Return whether attendance also allows an action more.

        Attended actions may be interrupted while they hold a state, and may share a setting with another's.
        """
        demands = demands_of(action)
        if action.interruptible and any(demand.resource in self.stateful for demand in demands):
            return True
        sets_state = any(demand.sets is not None for demand in demands)
        return sets_state and len(self.original.agents) > 1

    def reserve_agent(self, action: Action, model: str | None = None) -> str:
        """Add an agent reserved for the action, so that the action holds none of the others.

        The agent has the calendars of another one, its ``model``, if there is one.
        """
        name = f"for {action.id}" if model is None else f"{model} for {action.id}"
        while name in self.original.agents:
            name += "'"
        self.reserved_agents.setdefault(action.id, {})[name] = model
        return name
