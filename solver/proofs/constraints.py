"""The constraints of an instance as units that can be dropped one by one, each told in the benchmark's words.

Durations, the choice of modes and what may be paused are facts, not constraints. A setting of a state disturbs some
actions but serves others, so it is only dropped together with what it serves: every drop makes an instance easier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import action_name, moment, span

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
        What it is about, see `constraints`.
    text
        The constraint in words.
    """

    kind: str
    subject: tuple[str, ...]
    text: str

    @property
    def key(self) -> _Key:
        """What tells it from the other constraints of the instance."""
        return self.kind, self.subject


@ProblemCache
def constraints(instance: Instance) -> tuple[Constraint, ...]:
    """Return all constraints of an instance, action by action in the order of precedence.

    ==============  =======================  =========================================================
    kind            subject                  without it
    ==============  =======================  =========================================================
    ``decision``    (piece)                  the piece carried out is free to start at any time
    ``clock``       ()                       what is open may start at any time
    ``release``     (action)                 the action is released at once
    ``minimum``     (before, after)          the time lag has no minimum, and orders nothing
    ``maximum``     (before, after)          the time lag has no maximum
    ``after``       (action, mode, before)   the mode (by its position) does not wait for ``before``
    ``attendance``  (action)                 the action holds nobody, and needs nobody to start it
    ``start``       (action)                 nobody is needed to start the action, which holds nobody
    ``eligibility`` (action)                 any agent will do
    ``use``         (action, resource)       the action does without the resource, whatever its state; if it
                                             sets a state, nobody needs that state any more
    ``state``       (action, resource)       the resource may be in any state
    ``limit``       ()                       there is no time limit
    ==============  =======================  =========================================================

    The first two occur in what is left of a run (`planoracle.instances.model.state.residual_instance`).
    What is carried out or under way keeps its mode and agent; no action starts before the run does.

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
    return tuple(_ConstraintLister(instance).tell())


def only(instance: Instance, kept: Iterable[Constraint]) -> Instance:
    """Return the instance with no other constraints than these; see `without`."""
    keys = _keys(instance, kept)
    return without(instance, (constraint for constraint in constraints(instance) if constraint.key not in keys))


def without(instance: Instance, dropped: Iterable[Constraint]) -> Instance:
    """Return the instance without some of its constraints: every schedule of the instance remains one.

    The general rules apply to it, whatever the benchmark; ``origin`` is the original instance, for its words.

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
    """Name an action, or a part of one in what is left of a run, as the benchmark does."""
    action, number = _piece(instance, name)
    if action:
        return f"part {number} of {action_name(instance, action)}"
    parted = _piece(instance, f"{name}#1")[0] and f"{name}#1" in instance.by_id
    return f"the last part of {action_name(instance, name)}" if parted else action_name(instance, name)


def _keys(instance: Instance, chosen: Iterable[Constraint]) -> set[_Key]:
    keys = {constraint.key for constraint in chosen}
    known = {constraint.key for constraint in constraints(instance)}
    for key in sorted(keys - known):
        raise InputError(f"is no constraint of {instance.name}", field="constraint", value=key)
    return keys


def _is_decision(lag: Lag) -> bool:
    return lag.before == NOW and lag.minimum is not None and lag.minimum == lag.maximum


def _is_open(lag: Lag) -> bool:
    """Whether a lag tells from when on something still open may start."""
    return lag.before == NOW and lag.minimum is not None and lag.minimum >= 0 and lag.maximum is None


def _is_fact(instance: Instance, lag: Lag) -> bool:
    """Whether a lag only says that the rest of an action comes after its earlier pieces."""
    return _piece(instance, lag.before)[0] == lag.after


def _piece(instance: Instance, name: str) -> tuple[str, str]:
    """Return the action of which ``name`` is an earlier piece, and the piece's number; ``""`` twice if of none."""
    action, _, number = name.rpartition("#")
    known = (instance.rest_of or instance).by_id
    return (action, number) if NOW in instance.by_id and name not in known and action in known else ("", "")


def _clock(instance: Instance) -> int:
    """Return the time before which nothing open can start, as far as it matters."""
    least = ((lag.minimum or 0, lag.after) for lag in instance.lags if _is_open(lag))
    return min((ticks for ticks, name in least if ticks > _release(instance, name)), default=0)


def _release(instance: Instance, name: str) -> int:
    """Return the release of an action, which in what is left of a run is hidden in its lag from `NOW`."""
    hidden = (instance.rest_of or instance).by_id.get(name) if NOW in instance.by_id else None
    return max(instance.by_id[name].release, hidden.release if hidden else 0)


class _ConstraintLister:
    """Lists the constraints of an instance and puts them into words."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.waiting: dict[str, list[Lag]] = {name: [] for name in instance.by_id}
        for lag in instance.lags:
            if not _is_fact(instance, lag):
                self.waiting[lag.after].append(lag)

    def tell(self) -> Iterator[Constraint]:
        instance = self.instance
        if clock := _clock(instance):
            text = f"it is {moment(instance, clock)} already, and nothing more can start earlier"
            yield Constraint("clock", (), text)
        for position in instance.order:
            action = instance.actions[position]
            yield from self.times(action)
            yield from self.people(action)
            yield from self.things(action)
        if instance.time_limit is not None:
            text = f"everything must be finished within {self.span(instance.time_limit)}"
            yield Constraint("limit", (), text)

    def name(self, name: str) -> str:
        return name_of(self.instance, name)

    def span(self, ticks: int) -> str:
        return span(self.instance, ticks)

    def times(self, action: Action) -> Iterator[Constraint]:
        name, release = self.name(action.id), _release(self.instance, action.id)
        lags = self.waiting[action.id]
        if release and not any(map(_is_decision, lags)):
            text = f"{name} cannot start before {moment(self.instance, release)}"
            yield Constraint("release", (action.id,), text)
        for lag in lags:
            if _is_decision(lag):
                text = f"{name} was started at {moment(self.instance, lag.minimum or 0)}"
                yield Constraint("decision", (action.id,), text)
            elif not _is_open(lag):
                yield from self.lag(lag, name, self.name(lag.before))
        for number, mode in enumerate(action.modes):
            for before in dict.fromkeys(mode.after):
                text = f"{_way(name, action, number)} cannot start before {self.name(before)} is finished"
                yield Constraint("after", (action.id, str(number), before), text)

    def lag(self, lag: Lag, after: str, before: str) -> Iterator[Constraint]:
        least, most = lag.minimum, lag.maximum
        if least is not None:
            told = f"cannot start before {before} is finished"
            if least:
                side = "after" if least > 0 else "before"
                told = f"cannot start earlier than {self.span(abs(least))} {side} {before} is finished"
            yield Constraint("minimum", (lag.before, lag.after), f"{after} {told}")
        if most is not None:
            told = f"must start no later than when {before} is finished"
            if most > 0:
                told = f"must start within {self.span(most)} after {before} is finished"
            elif most < 0:
                told = f"must start at least {self.span(-most)} before {before} is finished"
            if self.instance.by_id[lag.after].interruptible:
                told += ", also after every pause"
            yield Constraint("maximum", (lag.before, lag.after), f"{after} {told}")

    def people(self, action: Action) -> Iterator[Constraint]:
        agents, eligible = self.instance.agents, self.instance.eligible(action)
        name, somebody = self.name(action.id), "the agent" if len(agents) == 1 else "an agent"
        if not eligible:
            return
        if action.attended:
            long = f"for {self.span(action.attended)}"
            if action.attended < action.duration:
                long = f"for the first {self.span(action.attended)} of its {self.span(action.duration)}"
            pauses = ", pauses not counted" if action.interruptible else ""
            yield Constraint("attendance", (action.id,), f"{name} holds {somebody} {long}{pauses}")
        else:
            yield Constraint("start", (action.id,), f"{somebody} must be free to start {name}")
        if set(eligible) != set(agents):
            verb = "carry out" if action.attended else "start"
            yield Constraint("eligibility", (action.id,), f"only {' or '.join(eligible)} may {verb} {name}")

    def things(self, action: Action) -> Iterator[Constraint]:
        name = self.name(action.id)
        demands: dict[str, list[Demand]] = {}
        for mode in action.modes:
            for demand in mode.demands:
                demands.setdefault(demand.resource, []).append(demand)
        for resource, asked in demands.items():
            ways = "" if len(asked) == len(action.modes) else ", if done in one of the ways that need it"
            states = dict.fromkeys(demand.requires for demand in asked if demand.requires is not None)
            if states:
                initial = self.instance.resource[resource].state
                first = "" if initial is None else f" (which is {initial} at first)"
                text = f"{name} needs the {resource}{first} to be {' or '.join(states)}{ways}"
                yield Constraint("state", (action.id, resource), text)
            sets = dict.fromkeys(demand.sets for demand in asked if demand.sets is not None)
            needs = self.room(action, resource, asked)
            if sets or needs:
                it = "it" if needs else f"the {resource}"
                told = " and ".join(filter(None, (needs, f"sets {it} to {' or '.join(sets)}" if sets else "")))
                text = f"{name} {told}{ways}"
                if NOW in self.instance.by_id and not needs and sets == states:  # as in `residual_instance`
                    text = f"nothing that sets the {resource} to {' or '.join(sets)} is left for {name}"
                yield Constraint("use", (action.id, resource), text)

    def room(self, action: Action, resource: str, asked: list[Demand]) -> str:
        amounts = sorted({demand.amount for demand in asked if demand.amount})
        if not amounts or not action.duration:
            return ""
        capacity, long = self.instance.resource[resource].capacity, self.span(action.duration)
        if capacity == 1:
            return f"occupies the {resource} for {long}"
        return f"takes {' or '.join(map(str, amounts))} of the {capacity} units of {resource} for {long}"


def _way(name: str, action: Action, number: int) -> str:
    """Name an action in one of its modes."""
    mode = action.modes[number].name
    if mode:
        return f"{name.removesuffix('...')}{mode}" if name.endswith(" ...") else f"{name} with {mode}"
    return name if len(action.modes) == 1 else f"{name} in its way {number + 1}"


class _Weakening:
    """An instance without the constraints of the given keys."""

    def __init__(self, original: Instance, removed: set[_Key]) -> None:
        self.original = original
        self.removed = removed
        self.clock = 0 if ("clock", ()) in removed else _clock(original)
        self.lags = tuple(kept for lag in original.lags if (kept := self.lag(lag)) is not None)
        # After their finish a maximum lag runs, so a pause can be of use.
        self.awaited = {lag.before for lag in self.lags if lag.maximum is not None}
        self.stateful = {r.name for r in original.resources if r.state is not None}
        self.stateful |= {
            d.resource for a in original.actions for m in a.modes for d in m.demands if d.sets is not None
        }
        self.hired: dict[str, str] = {}
        # States that an action without the resource would set: nobody needs them.
        self.void = {
            (demand.resource, demand.sets)
            for action in original.actions
            for mode in action.modes
            for demand in mode.demands
            if ("use", (action.id, demand.resource)) in removed
        }

    def instance(self) -> Instance:
        original, limited = self.original, ("limit", ()) not in self.removed
        actions = tuple(map(self.action, original.actions))
        if self.hired:  # nobody else may use them
            actions = tuple(replace(a, agents=original.agents) if a.agents is None else a for a in actions)
        return replace(
            original,
            name=f"{original.name} weakened",
            actions=actions,
            lags=self.lags,
            agents=(*original.agents, *self.hired.values()),
            benchmark="generic",
            time_limit=original.time_limit if limited else None,
            rest_of=original.rest_of or original,
        )

    def lag(self, lag: Lag) -> Lag | None:
        if _is_fact(self.original, lag):
            return lag
        if _is_decision(lag):
            return Lag(NOW, lag.after, 0, None) if ("decision", (lag.after,)) in self.removed else lag
        if _is_open(lag):
            wait, release = lag.minimum or 0, _release(self.original, lag.after)
            clock = wait if self.clock and wait > release else self.clock
            if ("release", (lag.after,)) in self.removed:
                release = 0
            return replace(lag, minimum=min(wait, max(clock, release)))
        pair = (lag.before, lag.after)
        least = None if ("minimum", pair) in self.removed else lag.minimum
        most = None if ("maximum", pair) in self.removed else lag.maximum
        return None if least is None and most is None else Lag(*pair, least, most)

    def action(self, action: Action) -> Action:
        subject = (action.id,)
        action = replace(action, modes=tuple(self.mode(action, n, mode) for n, mode in enumerate(action.modes)))
        if ("release", subject) in self.removed:
            action = replace(action, release=0)
        if ("eligibility", subject) in self.removed:
            action = replace(action, agents=None)
        if ("start", subject) in self.removed:
            action = replace(action, agents=())
        if ("attendance", subject) in self.removed:
            if self.needs_hand(action):
                return replace(action, agents=(self.hire(action),))
            action = replace(action, attended=0, agents=())
        idle = not self.original.eligible(action) and not any(mode.demands for mode in action.modes)
        if idle and action.id not in self.awaited:  # no pause can be of use, and without them there are fewer ticks
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
        kept = tuple(before for before in mode.after if ("after", (action.id, str(number), before)) not in self.removed)
        return replace(mode, demands=tuple(demands), after=kept)

    def needs_hand(self, action: Action) -> bool:
        """Whether being attended also allows an action something: pauses, or to share a setting with another's."""
        demands = [demand for mode in action.modes for demand in mode.demands]
        pauses = action.interruptible and any(demand.resource in self.stateful for demand in demands)
        return pauses or (len(self.original.agents) > 1 and any(demand.sets is not None for demand in demands))

    def hire(self, action: Action) -> str:
        """Return the name of an agent of the action's own, so that the action holds none of the others."""
        name = f"for {action.id}"
        while name in self.original.agents:
            name += "'"
        self.hired[action.id] = name
        return name
