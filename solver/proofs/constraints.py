"""Constraints of an instance as units that can be dropped one by one, in the benchmark's words.

Durations, the choice of modes and interruptibility are facts, not constraints. So are the calendars that decide when an
action pauses: with fewer breaks it ends earlier, which a maximum lag may forbid. A setting of a state disturbs some
actions but serves others, so it is only dropped together with what it serves: every drop relaxes the instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Variant
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.schedule_benchmark import action_name, moment

#: Kinds of constraints: decisions of a run, its clock, times, agents, resources, calendars, the time limit.
KINDS = (
    "decision", "clock", "release", "deadline", "window", "minimum", "maximum", "after",
    "attendance", "start", "eligibility", "use", "state", "calendar", "limit",
)  # fmt: skip
# Off-times of a calendar that a text lists; texts of more give their number.
_LISTED = 3

Key = tuple[str, tuple[str, ...]]


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
    def key(self) -> Key:
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
    ``deadline``    (action)                 the action has no deadline
    ``window``      (action)                 the action may run at any time from its release to its deadline
    ``minimum``     (before, after)          the time lag has no minimum, and orders nothing
    ``maximum``     (before, after)          the time lag has no maximum
    ``after``       (action, mode, before)   the mode (by its position) does not wait for ``before``
    ``attendance``  (action)                 the action needs no agent, nor one to start it
    ``start``       (action)                 no agent is needed to start the action, which is unattended
    ``eligibility`` (action)                 any agent is eligible
    ``use``         (action, resource)       the action does without the resource, whatever its state; if it
                                             sets a state, no action needs that state any more
    ``state``       (action, resource)       the resource may be in any state
    ``calendar``    (member, number)         the off-times of a calendar (by its position) do not hold for the member
    ``limit``       ()                       there is no time limit
    ==============  =======================  =========================================================

    Calendars of members that decide when an action pauses are no constraints, see `pausing_members`. An action that
    pauses keeps its pauses if its attendance or use is dropped.

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
    may_pause = (action.interruptible or action.pauses_in_breaks) and action.duration
    has_modes = any(mode.duration is not None for mode in action.modes)
    if lag.maximum is None or lag.before != beginning_of(instance) or may_pause or has_modes:
        return None
    names = [action.id]
    if action.is_milestone:
        original = instance.rest_of or instance
        predecessors = [entry.before for entry in original.lags if entry.after == action.id]
        names = [name for name in predecessors if name != lag.before] or names
    names_text = " and ".join(name_of(instance, name) for name in names)
    return names_text, lag.maximum + action.duration


def pausing_members(instance: Instance) -> frozenset[str]:
    """Return the agents and resources with a calendar that may decide when some action pauses.

    Examples
    --------
    >>> rest = Calendar(("ann",), ((2, 3),))
    >>> walk = Action("t/walk", "t", 3, 3, pauses_in_breaks=True)
    >>> sorted(pausing_members(Instance("i", (walk,), agents=("ann", "bob"), calendars=(rest,))))
    ['ann']
    """
    members = set[str]()
    for action in instance.actions:
        for variant in instance.variants[action.id] if action.pauses_in_breaks else ():
            if variant.duration:
                members.update(demand.resource for demand in variant.demands)
            if variant.attended:
                members.update(instance.agents)  # all are eligible if eligibility is dropped
    return frozenset(members & instance.off_times.keys())


def pauses(instance: Instance, chosen: Iterable[Constraint]) -> tuple[str, ...]:
    """Return in words when the actions pause that some constraints concern, and that do so in breaks."""
    members = pausing_members(instance)
    names = set(chain.from_iterable(constraint.subject for constraint in chosen))
    texts = []
    for action in instance.actions:
        if action.id not in names or not action.pauses_in_breaks:
            continue
        used = set[str]()
        for variant in instance.variants[action.id]:
            used.update(demand.resource for demand in variant.demands)
            if variant.attended:
                used.update(variant.agents)
        durations = sorted({variant.duration for variant in instance.variants[action.id]})
        long = " or ".join(span(instance, duration) for duration in durations)
        for member in sorted(used & members):
            for calendar in instance.calendars:
                if member in calendar.members:
                    off = off_text(instance, member, calendar)
                    texts.append(f"{name_of(instance, action.id)} takes {long} and pauses while {off}")
    return tuple(texts)


def off_text(instance: Instance, member: str, calendar: Calendar) -> str:
    """Return in words when a member is off by a calendar."""
    spans = [_span_text(instance, *off) for off in calendar.off[:_LISTED]]
    if len(calendar.off) > _LISTED:
        spans.append(f"at {len(calendar.off) - _LISTED} further times")
    repeated = "" if calendar.period is None else f", every {span(instance, calendar.period)}"
    return f"{member_name(instance, member)} is off {' and '.join(spans)}{repeated}"


def member_name(instance: Instance, member: str) -> str:
    """Return the name of an agent or resource in texts; a single agent needs none."""
    return "the agent" if instance.agents == (member,) else member


def _span_text(instance: Instance, begin: int, end: int) -> str:
    return f"from {moment(instance, begin)} to {moment(instance, end)}"


def is_decision(lag: Lag) -> bool:
    """Return whether a lag is the start of a started piece."""
    if lag.before != NOW or lag.minimum is None:
        return False
    return lag.minimum == lag.maximum


def is_open(lag: Lag) -> bool:
    """Return whether a lag is the earliest start of an action that has not been started."""
    if lag.before != NOW or lag.minimum is None:
        return False
    return lag.minimum >= 0 and lag.maximum is None


def is_fact(instance: Instance, lag: Lag) -> bool:
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


def clock_of(instance: Instance) -> int:
    """Return the time before which no open action can start, as far as it exceeds releases."""
    starts = []
    for lag in instance.lags:
        if is_open(lag):
            earliest = lag.minimum or 0
            if earliest > release_of(instance, lag.after):
                starts.append(earliest)
    return min(starts, default=0)


def release_of(instance: Instance, name: str) -> int:
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
            if not is_fact(instance, lag):
                self.waiting[lag.after].append(lag)

    def constraints(self) -> Iterator[Constraint]:
        instance = self.instance
        if clock := clock_of(instance):
            text = f"the clock is at {moment(instance, clock)}; no open action can start earlier"
            yield Constraint("clock", (), text)
        for position in instance.order:
            action = instance.actions[position]
            yield from self.times(action)
            yield from self.people(action)
            yield from self.things(action)
        yield from self.calendars()
        if instance.time_limit is not None:
            text = f"all actions must be finished within {self.span(instance.time_limit)}"
            yield Constraint("limit", (), text)

    def calendars(self) -> Iterator[Constraint]:
        facts = pausing_members(self.instance)
        for number, calendar in enumerate(self.instance.calendars):
            for member in calendar.members if calendar.off else ():
                if member not in facts:
                    text = off_text(self.instance, member, calendar)
                    yield Constraint("calendar", (member, str(number)), text)

    def name(self, name: str) -> str:
        return name_of(self.instance, name)

    def span(self, ticks: int) -> str:
        return span(self.instance, ticks)

    def times(self, action: Action) -> Iterator[Constraint]:
        name = self.name(action.id)
        release = release_of(self.instance, action.id)
        lags = self.waiting[action.id]
        if release and not any(map(is_decision, lags)):
            text = f"{name} cannot start before {moment(self.instance, release)}"
            yield Constraint("release", (action.id,), text)
        if action.windows:
            spans = " or ".join(_span_text(self.instance, *window) for window in action.windows)
            text = f"{name} can only run {spans}"
            if action.interruptible or action.pauses_in_breaks:
                text += "; this applies to each of its pieces"
            yield Constraint("window", (action.id,), text)
        is_tick_zero = action.id in (NOW, self.beginning) and not action.deadline
        if action.deadline is not None and not is_tick_zero:
            text = f"{name} must be finished by {moment(self.instance, action.deadline)}"
            yield Constraint("deadline", (action.id,), text)
        for lag in lags:
            if is_decision(lag):
                start = moment(self.instance, lag.minimum or 0)
                yield Constraint("decision", (action.id,), f"{name} was started at {start}")
            elif not is_open(lag):
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
        agents = self.instance.agents
        variants = [variant for variant in self.instance.variants[action.id] if variant.agents]
        attended = [variant for variant in variants if variant.attended]
        name = self.name(action.id)
        agent_text = "the agent" if len(agents) == 1 else "an agent"
        subject = (action.id,)
        if attended:
            text = f"{name} holds {agent_text} {self.attended_text(action, attended)}"
            yield Constraint("attendance", subject, text)
        if len(attended) < len(variants):
            number = len(variants) - len(attended)
            ways = "" if number == len(action.modes) else " (in the modes that need it)"
            text = f"{agent_text} must be free to start {name}{ways}"
            yield Constraint("start", subject, text)
        if any(set(variant.agents) != set(agents) for variant in variants):
            eligible = dict.fromkeys(chain.from_iterable(variant.agents for variant in variants))
            verb = "carry out" if attended else "start"
            eligible_text = " or ".join(eligible)
            differs = len({frozenset(variant.agents) for variant in variants}) > 1
            ways = ", as its mode says" if differs else ""
            yield Constraint("eligibility", subject, f"only {eligible_text} may {verb} {name}{ways}")

    def attended_text(self, action: Action, attended: list[Variant]) -> str:
        """Return for how long an action holds its agent in its attended modes."""
        spans = []
        for ticks, duration in dict.fromkeys((variant.attended, variant.duration) for variant in attended):
            text = f"for {self.span(ticks)}"
            if ticks < duration:
                text = f"for the first {self.span(ticks)} of its {self.span(duration)}"
            spans.append(text)
        ways = "" if len(attended) == len(action.modes) else " (in the modes that need one)"
        pauses = ", interruptions not counted" if action.interruptible else ""
        return f"{' or '.join(spans)}{ways}{pauses}"

    def things(self, action: Action) -> Iterator[Constraint]:
        name = self.name(action.id)
        demands: dict[str, list[Demand]] = {}
        for demand in demands_of(action):
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
            if not needs and resource in self.instance.off_times:
                needs = f"uses the {resource}"
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
        if not amounts:
            return ""
        capacity, is_renewable = self.instance.resource[resource].capacity, self.instance.resource[resource].renewable
        amounts_text = " or ".join(map(str, amounts))
        if amounts[-1] > capacity:
            verb = "takes" if is_renewable else "uses up"
            return f"{verb} {amounts_text} units of {resource}, of which there are {capacity}"
        if not is_renewable:
            return f"uses up {amounts_text} of the {capacity} units of {resource}"
        durations = self.durations(action, resource)
        if not any(durations):
            return ""
        long = " or ".join(map(self.span, durations))
        if capacity == 1:
            return f"occupies the {resource} for {long}"
        return f"takes {amounts_text} of the {capacity} units of {resource} for {long}"

    def durations(self, action: Action, resource: str) -> list[int]:
        """Return the durations of the modes of an action that use a resource."""
        durations = set[int]()
        for variant in self.instance.variants[action.id]:
            if any(demand.resource == resource for demand in variant.demands):
                durations.add(variant.duration)
        return sorted(durations)


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


def demands_of(action: Action) -> list[Demand]:
    """Return the demands of an action in all its modes."""
    return list(chain.from_iterable(mode.demands for mode in action.modes))
