"""Constraints of an instance as units that can be dropped one by one, in the benchmark's words.

Durations, the choice of modes and interruptibility are facts, not constraints. A setting of a state disturbs some
actions but serves others, so it is only dropped together with what it serves: every drop relaxes the instance.

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.schedule_benchmark import action_name, moment

#: Kinds of constraints: decisions of a run, its clock, time lags, releases, agents, resources, the time limit.
KINDS = (
    "decision", "clock", "release", "minimum", "maximum", "after",
    "attendance", "start", "eligibility", "use", "state", "limit",
)  # fmt: skip

_Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint of an instance.

    Attributes
    ----------
    kind
        One of `KINDS`.
    subject
        Actions, resources and positions that it concerns, see `constraints`.
    text
        The constraint in words.
    """

    kind: str
    subject: tuple[str, ...]
    text: str

    @property
    def key(self) -> _Key:
        """Kind and subject, which identify the constraint within its instance."""
        return self.kind, self.subject


@ProblemCache
def constraints(instance: Instance) -> tuple[Constraint, ...]:
    """Return all constraints of an instance, action by action in the order of precedence.

    ==============  =======================  =========================================================
    kind            subject                  without it
    ==============  =======================  =========================================================
    ``decision``    (piece)                  the piece carried out is free to start at any time
    ``clock``       ()                       open actions may start at any time
    ``release``     (action)                 the action is released at once
    ``minimum``     (before, after)          the time lag has no minimum, and orders nothing
    ``maximum``     (before, after)          the time lag has no maximum
    ``after``       (action, mode, before)   the mode (by its position) does not wait for ``before``
    ``attendance``  (action)                 the action needs no agent, nor one to start it
    ``start``       (action)                 no agent is needed to start the action, which is unattended
    ``eligibility`` (action)                 any agent is eligible
    ``use``         (action, resource)       the action does without the resource, whatever its state; if it
                                             sets a state, no action needs that state any more
    ``state``       (action, resource)       the resource may be in any state
    ``limit``       ()                       there is no time limit
    ==============  =======================  =========================================================

    The first two occur in the rest of a partly executed run (`planoracle.instances.model.state.residual_instance`).
    Started actions keep their mode and agent; no action starts before the run does.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> for constraint in constraints(load("recipe2plan/timed/Cobbler_Pancakes"))[3:7]:
    ...     print(constraint.kind, constraint.text, sep=": ")
    minimum: step 2 of Cobbler cannot start before step 1 of Cobbler is finished
    start: the agent must be free to start step 2 of Cobbler
    use: step 2 of Cobbler occupies the microwave for 1 min
    minimum: step 3 of Cobbler cannot start before step 2 of Cobbler is finished
    """
    return tuple(_ConstraintLister(instance).constraints())


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


def name_of(instance: Instance, name: str) -> str:
    """Return the benchmark's name of an action, or of a part of one in the rest of a run."""
    action, number = _piece(instance, name)
    if action:
        return f"part {number} of {action_name(instance, action)}"
    text = action_name(instance, name)
    first_piece = f"{name}#1"
    if first_piece in instance.by_id and _piece(instance, first_piece)[0]:
        return f"the last part of {text}"
    return text


def beginning_of(instance: Instance) -> str | None:
    """Return `Instance.beginning`, also of an instance without some constraints."""
    return None if NOW in instance.by_id else (instance.rest_of or instance).beginning


def deadline_text(instance: Instance, lag: Lag) -> tuple[str, int] | None:
    """Return the names of the actions that a maximum lag gives a deadline, and the deadline in ticks.

    ``None`` for other lags. A milestone after some actions passes its deadline on to these.
    """
    action = instance.by_id[lag.after]
    if lag.maximum is None or lag.before != beginning_of(instance) or (action.interruptible and action.duration):
        return None
    names = [action.id]
    if action.is_milestone:
        original = instance.rest_of or instance
        predecessors = [entry.before for entry in original.lags if entry.after == action.id]
        names = [name for name in predecessors if name != lag.before] or names
    names_text = " and ".join(name_of(instance, name) for name in names)
    return names_text, lag.maximum + action.duration


def _keys(instance: Instance, chosen: Iterable[Constraint]) -> set[_Key]:
    keys = {constraint.key for constraint in chosen}
    own_keys = {constraint.key for constraint in constraints(instance)}
    for key in sorted(keys - own_keys):
        raise InputError(f"is not a constraint of {instance.name}", field="constraint", value=key)
    return keys


def _is_decision(lag: Lag) -> bool:
    if lag.before != NOW or lag.minimum is None:
        return False
    return lag.minimum == lag.maximum


def _is_open(lag: Lag) -> bool:
    """Return whether a lag is the earliest start of an action that has not been started."""
    if lag.before != NOW or lag.minimum is None:
        return False
    return lag.minimum >= 0 and lag.maximum is None


def _is_fact(instance: Instance, lag: Lag) -> bool:
    """Return whether a lag only orders the rest of an action after its earlier pieces."""
    return _piece(instance, lag.before)[0] == lag.after


def _piece(instance: Instance, name: str) -> tuple[str, str]:
    """Return the action of which ``name`` is an earlier piece, and the piece's number.

    Two empty texts if it is none.
    """
    action, _, number = name.rpartition("#")
    by_id = (instance.rest_of or instance).by_id
    is_piece = NOW in instance.by_id and name not in by_id and action in by_id
    return (action, number) if is_piece else ("", "")


def _clock(instance: Instance) -> int:
    """Return the time before which no open action can start, as far as it exceeds releases."""
    starts = []
    for lag in instance.lags:
        if _is_open(lag):
            earliest = lag.minimum or 0
            if earliest > _release(instance, lag.after):
                starts.append(earliest)
    return min(starts, default=0)


def _release(instance: Instance, name: str) -> int:
    """Return the release of an action; in the rest of a run it is hidden in the action's lag from `NOW`."""
    release = instance.by_id[name].release
    if NOW not in instance.by_id:
        return release
    original_actions = (instance.rest_of or instance).by_id
    if name not in original_actions:
        return release
    return max(release, original_actions[name].release)


class _ConstraintLister:
    """Constraints of an instance and their texts."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.beginning = beginning_of(instance)
        #: Milestones that only pass a deadline on.
        limited = [lag for lag in instance.lags if lag.maximum is not None]
        ends = {lag.after for lag in limited if lag.before == self.beginning}
        self.ends = {name for name in ends if instance.by_id[name].is_milestone}
        self.ends -= {lag.before for lag in instance.lags}
        self.waiting: dict[str, list[Lag]] = {name: [] for name in instance.by_id}
        for lag in instance.lags:
            if not _is_fact(instance, lag):
                self.waiting[lag.after].append(lag)

    def constraints(self) -> Iterator[Constraint]:
        instance = self.instance
        if clock := _clock(instance):
            text = f"the clock is at {moment(instance, clock)}; no open action can start earlier"
            yield Constraint("clock", (), text)
        for position in instance.order:
            action = instance.actions[position]
            yield from self.times(action)
            yield from self.people(action)
            yield from self.things(action)
        if instance.time_limit is not None:
            text = f"all actions must be finished within {self.span(instance.time_limit)}"
            yield Constraint("limit", (), text)

    def name(self, name: str) -> str:
        return name_of(self.instance, name)

    def span(self, ticks: int) -> str:
        return span(self.instance, ticks)

    def times(self, action: Action) -> Iterator[Constraint]:
        name = self.name(action.id)
        release = _release(self.instance, action.id)
        lags = self.waiting[action.id]
        if release and not any(map(_is_decision, lags)):
            text = f"{name} cannot start before {moment(self.instance, release)}"
            yield Constraint("release", (action.id,), text)
        for lag in lags:
            if _is_decision(lag):
                start = moment(self.instance, lag.minimum or 0)
                yield Constraint("decision", (action.id,), f"{name} was started at {start}")
            elif not _is_open(lag):
                yield from self.lag(lag, name, self.name(lag.before))
        for number, mode in enumerate(action.modes):
            way = _way(name, action, number)
            for before in dict.fromkeys(mode.after):
                text = f"{way} cannot start before {self.name(before)} is finished"
                yield Constraint("after", (action.id, str(number), before), text)

    def lag(self, lag: Lag, after: str, before: str) -> Iterator[Constraint]:
        minimum, maximum = lag.minimum, lag.maximum
        subject = (lag.before, lag.after)
        from_beginning = lag.before == self.beginning
        if minimum is not None and (minimum > 0 or not (from_beginning or lag.after in self.ends)):
            text = f"cannot start before {before} is finished"
            if from_beginning:
                text = f"cannot start before {moment(self.instance, minimum)}"
            elif minimum:
                side = "after" if minimum > 0 else "before"
                span_text = self.span(abs(minimum))
                text = f"cannot start earlier than {span_text} {side} {before} is finished"
            yield Constraint("minimum", subject, f"{after} {text}")
        if maximum is not None:
            text = f"must start at the latest when {before} is finished"
            if maximum > 0:
                text = f"must start within {self.span(maximum)} after {before} is finished"
            elif maximum < 0:
                text = f"must start at least {self.span(-maximum)} before {before} is finished"
            if self.instance.by_id[lag.after].interruptible:
                text += "; this applies to each resumption as well"
            if deadline := deadline_text(self.instance, lag):
                after, ticks = deadline
                text = f"must be finished by {moment(self.instance, ticks)}"
            yield Constraint("maximum", subject, f"{after} {text}")

    def people(self, action: Action) -> Iterator[Constraint]:
        agents, eligible = self.instance.agents, self.instance.eligible(action)
        name = self.name(action.id)
        agent_text = "the agent" if len(agents) == 1 else "an agent"
        subject = (action.id,)
        if not eligible:
            return
        if action.attended:
            attended = self.span(action.attended)
            long = f"for {attended}"
            if action.attended < action.duration:
                duration = self.span(action.duration)
                long = f"for the first {attended} of its {duration}"
            pauses = ", interruptions not counted" if action.interruptible else ""
            text = f"{name} holds {agent_text} {long}{pauses}"
            yield Constraint("attendance", subject, text)
        else:
            text = f"{agent_text} must be free to start {name}"
            yield Constraint("start", subject, text)
        if set(eligible) != set(agents):
            verb = "carry out" if action.attended else "start"
            eligible_text = " or ".join(eligible)
            yield Constraint("eligibility", subject, f"only {eligible_text} may {verb} {name}")

    def things(self, action: Action) -> Iterator[Constraint]:
        name = self.name(action.id)
        demands: dict[str, list[Demand]] = {}
        for demand in _demands(action):
            demands.setdefault(demand.resource, []).append(demand)
        for resource, demanded in demands.items():
            ways = "" if len(demanded) == len(action.modes) else " (in the modes that need it)"
            states = dict.fromkeys(demand.requires for demand in demanded if demand.requires is not None)
            if states:
                initial = self.instance.resource[resource].state
                initial_text = "" if initial is None else f" (which is {initial} at first)"
                states_text = " or ".join(states)
                text = f"{name} needs the {resource}{initial_text} to be {states_text}{ways}"
                yield Constraint("state", (action.id, resource), text)
            sets = dict.fromkeys(demand.sets for demand in demanded if demand.sets is not None)
            sets_text = " or ".join(sets)
            parts = []
            needs = self.capacity_text(action, resource, demanded)
            if needs:
                parts.append(needs)
            if sets:
                owner = "it" if needs else f"the {resource}"
                parts.append(f"sets {owner} to {sets_text}")
            if parts:
                text = f"{name} {' and '.join(parts)}{ways}"
                if NOW in self.instance.by_id and not needs and sets == states:  # as in `residual_instance`
                    text = f"no remaining action sets the {resource} to {sets_text} for {name}"
                yield Constraint("use", (action.id, resource), text)

    def capacity_text(self, action: Action, resource: str, demands: list[Demand]) -> str:
        amounts = sorted({demand.amount for demand in demands if demand.amount})
        if not amounts or not action.duration:
            return ""
        capacity = self.instance.resource[resource].capacity
        long = self.span(action.duration)
        if capacity == 1:
            return f"occupies the {resource} for {long}"
        amounts_text = " or ".join(map(str, amounts))
        return f"takes {amounts_text} of the {capacity} units of {resource} for {long}"


def _way(name: str, action: Action, number: int) -> str:
    """Name an action in one of its modes."""
    mode = action.modes[number].name
    if mode and name.endswith(" ..."):
        return f"{name.removesuffix('...')}{mode}"
    if mode:
        return f"{name} with {mode}"
    if len(action.modes) == 1:
        return name
    return f"{name} in its mode {number + 1}"


class _Weakening:
    """Instance without the constraints of some keys."""

    def __init__(self, original: Instance, removed: set[_Key]) -> None:
        self.original = original
        self.removed = removed
        self.clock = 0 if ("clock", ()) in removed else _clock(original)
        weaker_lags = [self.lag(lag) for lag in original.lags]
        self.lags = tuple(lag for lag in weaker_lags if lag is not None)
        # Their finish starts a maximum lag, so an interruption can help.
        self.awaited = {lag.before for lag in self.lags if lag.maximum is not None}
        self.stateful = {resource.name for resource in original.resources if resource.state is not None}
        self.reserved_agents: dict[str, str] = {}  # by action
        # States set by actions that do not use the resource any more: no action needs them.
        self.void: set[tuple[str, str | None]] = set()
        for action in original.actions:
            for demand in _demands(action):
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
        agents = (*original.agents, *self.reserved_agents.values())
        return replace(
            original,
            name=f"{original.name} weakened",
            actions=actions,
            lags=self.lags,
            agents=agents,
            benchmark="generic",
            time_limit=time_limit,
            rest_of=original.rest_of or original,
        )

    def with_agents(self, action: Action) -> Action:
        """Return an action for which the original agents are eligible if it names none."""
        if action.agents is not None:
            return action
        return replace(action, agents=self.original.agents)

    def lag(self, lag: Lag) -> Lag | None:
        if _is_fact(self.original, lag):
            return lag
        if _is_decision(lag):
            is_removed = ("decision", (lag.after,)) in self.removed
            return Lag(NOW, lag.after, 0, None) if is_removed else lag
        if _is_open(lag):
            wait = lag.minimum or 0
            release = _release(self.original, lag.after)
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
        if idle and action.id not in self.awaited:  # interruptions cannot help, and without them the model is smaller
            action = replace(action, interruptible=False)
        return action

    def mode(self, action: Action, number: int, mode: Mode) -> Mode:
        demands = []
        for demand in mode.demands:
            if ("use", (action.id, demand.resource)) in self.removed:
                continue
            void = (demand.resource, demand.requires) in self.void
            if void or ("state", (action.id, demand.resource)) in self.removed:
                demand = replace(demand, requires=None)
            if demand.amount or demand.requires is not None or demand.sets is not None:
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
        demands = _demands(action)
        if action.interruptible and any(demand.resource in self.stateful for demand in demands):
            return True
        sets_state = any(demand.sets is not None for demand in demands)
        return sets_state and len(self.original.agents) > 1

    def reserve_agent(self, action: Action) -> str:
        """Add an agent reserved for the action, so that the action holds none of the others."""
        name = f"for {action.id}"
        while name in self.original.agents:
            name += "'"
        self.reserved_agents[action.id] = name
        return name


def _demands(action: Action) -> list[Demand]:
    """Return the demands of an action in all its modes."""
    return list(chain.from_iterable(mode.demands for mode in action.modes))
