"""Scheduling problems: agents, resources, actions and time lags, in whole ticks.

All benchmarks of the scheduling family use this model. The meaning of each field is defined here and
implemented by :mod:`planoracle.instances.model.schedule_rules`; solvers and heuristics follow it.

*Execution.* An action runs for ``duration`` ticks, in one piece or, if ``interruptible``, in
several. A piece that needs an agent holds it for its first ``attended`` ticks. An action with
``attended == 0`` is unattended, but an agent must start it: at the first instant of each of its
pieces an eligible agent must not be strictly inside a piece that holds it. (A piece may be cut
at that instant if its action is interruptible; the cut makes two pieces.)

*Resources.* A running piece uses ``amount`` units of each resource of its chosen mode. A
resource may carry a state. An action that ``sets`` a state does so at its start; one that
``requires`` a state needs the last setting by another action before its start to have been that one
(or the initial state), and no setting of another state may start at its start or while it runs. So a
setting at the instant of a use comes too late for it, but can violate it. If several
actions set different states at one instant, the state is undefined: every requirement of a state
fails until the next setting.

*Shared settings.* Over exactly the same interval, a setting takes no room of its own beside

- a use that sets nothing, of no smaller amount, if the setting could also require the state it
  sets: the resource is in this state already, and no action sets another; or
- a setting of the same state that takes its room: of those without such a use, the largest does.

A setting that takes no room makes none for others. Of three uses, an attended one that sets nothing, an
attended setting and an unattended one, the first makes room for the second, but not the second for the third. Pieces of
interruptible actions make no room. (Thus two recipes can preheat one oven together. Commands are
given one after the other, so a use that sets none must come first: it has to be unattended, or the setting
attended.)

*No length.* An action of duration 0 takes no room and holds no agent, but an agent must start it, and
its setting counts from its instant on. If it requires a state, no other action may set one at that instant.
Without eligible agents and demands it is a milestone: a point in time, such as the beginning that deadlines refer to.
Tables, frames and charts leave milestones out.

*Large numbers.* All times are exact whole numbers of any size. Ticks of an instance are at most
10^9, but those of a plan may be larger, and so may seconds (ticks times ``seconds_per_tick``). Readers of JSON that use
floating-point numbers, such as browsers, are exact up to 2^53 only.

*Time lags* run from the finish of ``before`` to the start of ``after``: the first piece starts
at least ``minimum`` ticks, and every piece at most ``maximum`` ticks, after that finish. A lag
with only a maximum does not order the two actions.

*Modes.* One mode of each action is chosen, for all of its pieces. It decides duration, attended ticks, eligible
agents and demands; what it leaves out, the action says. A mode without agents and attended ticks is unattended; one
with a duration only is attended throughout or not at all, as its action is. A mode whose amount exceeds a capacity is
never chosen.

*Budgets.* A resource that is not renewable is used up: the amounts of all executed actions, each counted once, sum to
at most its capacity. It has no states, calendars and transitions.

*Windows.* Each piece lies between release and deadline, and in a window if there are some; both ends count.

*Calendars.* While an agent is off, no piece holds it and it starts nothing; while a resource is off, no piece uses
it, also with amount 0. An action of duration 0 does not start at a tick at which its starter, or something that it
uses, is off. States persist. Calendars, windows, deadlines and starts of members count from tick 0.

*Pauses in breaks.* An action with ``pauses_in_breaks`` pauses exactly while something that it needs is off: a
resource of its mode or, if it is attended, its agent. For agents, capacities, states, visits and lags the time from
its start to its end counts as one piece: one agent does all of it, and what it holds stays reserved. It starts in its
first tick of work, which alone needs an agent that starts it, and makes and takes no shared room.

*Optional tasks* are executed as a whole or not at all. The greatest total weight of executed tasks comes first, then
the makespan. Of a task that is left out, settings, amounts and visits do not happen, and lags and entries of
``Mode.after`` that name its actions are void.

*Transitions.* A piece that holds an agent is a visit at the action's place, for its attended ticks; the start of an
unattended piece is one of no length. A piece that uses a resource is a visit at the demand's family. Visits of a
member are ordered by start, then end. Between one and the next lie at least the ticks from the first place to the
second, as given, and before the first one those from the member's start. Visits of no length at one instant may come
in any order; there are at most eight.

Examples
--------
An oven for two trays, hot at first. No use makes room for the second setting:

>>> from planoracle.instances.model.schedule_rules import referee
>>> from planoracle.instances.model.schedule import Piece, Schedule
>>> def use(name, duration, attended, amount, **state):
...     return Action(f"t/{name}", "t", duration, attended, modes=(Mode((Demand("oven", amount, **state),)),))
>>> def faults(*uses):
...     actions = tuple(action for action, _ in uses)
...     kitchen = Instance("k", actions, resources=(Resource("oven", 2, "hot"),), agents=("x", "y", "z", "w"))
...     pieces = [Piece(a.id, start, a.duration, who) for (a, start), who in zip(uses, kitchen.agents)]
...     return {fault.kind for fault in referee(kitchen, Schedule.of(kitchen, pieces)).violations} or "none"
>>> tray, heat, keep = use("tray", 2, 2, 2), use("heat", 2, 1, 1, sets="hot"), use("keep", 2, 0, 1, sets="hot")
>>> faults((tray, 0), (heat, 0)), faults((heat, 0), (keep, 0)), faults((tray, 0), (heat, 0), (keep, 0))
('none', 'none', {'resource_capacity'})

A setting of no length takes no room, but counts at its instant:

>>> bake, chill = use("bake", 2, 0, 2, requires="hot"), use("chill", 0, 0, 2, sets="cold")
>>> faults((bake, 0), (chill, 2)), faults((bake, 0), (chill, 1)), faults((bake, 0), (chill, 0))
('none', {'resource_state'}, {'resource_state'})

After two different settings at one instant the state is undefined, until the next:

>>> cool = use("cool", 2, 0, 1, sets="cold")
>>> faults((heat, 0), (cool, 0), (bake, 2)), faults((heat, 0), (cool, 0), (keep, 2), (bake, 4))
({'resource_state'}, 'none')

Work that pauses at lunch, and only then:

>>> office = Instance("o", (Action("t/sort", "t", 3, 3, pauses_in_breaks=True),),
...                   calendars=(Calendar(("agent",), ((4, 6),)),))
>>> for start, end in (2, 4), (1, 3):
...     pieces = Piece("t/sort", start, end - start, "agent"), Piece("t/sort", 6, 3 - end + start, "agent")
...     print([fault.kind for fault in referee(office, Schedule(pieces)).violations])
[]
['pause']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.model.calendars import Calendar, OffTimes, off_times_of
from planoracle.instances.model.mode_validation import normal_actions
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.model.validation import topological_order, validate

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource; ``state`` is its initial state, if it carries one.

    Attributes
    ----------
    name
        Name, unique in the instance.
    capacity
        Units that can be in use at a time; of a budget, the units that all actions may use up together.
    state
        Initial state; ``None`` for a resource without states.
    renewable
        False for a budget, whose units are used up.
    """

    name: str
    capacity: int = 1
    state: str | None = None
    renewable: bool = True


@dataclass(frozen=True, slots=True)
class Demand:
    """Use of one resource by one mode of an action, while a piece of the action runs.

    Attributes
    ----------
    resource
        Name of the resource.
    amount
        Units in use.
    requires, sets
        State that the resource must have, and state that it gets; ``None`` for none.
    family
        Family of the use, between which the resource needs set-up times; ``None`` if the resource has no transitions.
    """

    resource: str
    amount: int = 1
    requires: str | None = None
    sets: str | None = None
    family: str | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """One of the alternative ways to carry out an action; exactly one is chosen per action.

    Attributes
    ----------
    demands
        Resources in use.
    name
        Name of the mode, for readers.
    after
        Ids of actions that must be finished before, if the mode is chosen.
    duration, attended
        Ticks in this mode; ``None``: as the action says, see `Variant`.
    agents
        Eligible agents in this mode; ``None``: those of the action.
    """

    demands: tuple[Demand, ...] = ()
    name: str = ""
    after: tuple[str, ...] = ()
    duration: int | None = None
    attended: int | None = None
    agents: tuple[str, ...] | None = None


class Variant(NamedTuple):
    """An action in one of its modes: what the mode says, and what it leaves out as the action says it.

    Attributes
    ----------
    duration, attended
        Ticks.
    agents
        Eligible agents; empty if none is needed.
    demands
        Resources in use.
    after
        Ids of actions that must be finished before.
    """

    duration: int
    attended: int
    agents: tuple[str, ...]
    demands: tuple[Demand, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a task.

    Attributes
    ----------
    id
        Unique in the instance, ``task/name``.
    task
        Name of the task that the action belongs to.
    modes
        Alternative ways to carry it out, each with the resources in use; exactly one is chosen.
    duration, attended, release
        Ticks. ``0 <= attended <= duration``; no piece starts before ``release``.
    interruptible
        May run in several pieces; then ``attended`` is 0 or ``duration`` and holds piece by piece.
    agents
        Eligible agents; ``None`` for all of the instance, ``()`` if the action needs none.
    label
        Short description for readers.
    deadline
        Last tick at which a piece may end; ``None`` without one.
    windows
        Spans of ticks, in one of which each piece lies; without any, from release to deadline.
    pauses_in_breaks
        Pauses exactly while its agent or a resource that it uses is off.
    place
        Place at which it holds its agent; ``None`` if its agents have no transitions.
    """

    id: str
    task: str
    duration: int
    attended: int
    interruptible: bool = False
    modes: tuple[Mode, ...] = (Mode(),)
    agents: tuple[str, ...] | None = None
    release: int = 0
    label: str = ""
    deadline: int | None = None
    windows: tuple[tuple[int, int], ...] = ()
    pauses_in_breaks: bool = False
    place: str | None = None

    @property
    def continuous(self) -> bool:
        """True if the action holds an agent from its first to its last tick."""
        return self.attended == self.duration and self.agents != ()

    @property
    def is_milestone(self) -> bool:
        """True for a helper action of no length that needs no agent and no resource in any mode."""
        for mode in self.modes:
            agents = self.agents if mode.agents is None else mode.agents
            if mode.demands or agents != () or self.duration_in(mode):
                return False
        return True

    def duration_in(self, mode: Mode) -> int:
        """Return the ticks that the action takes in a mode."""
        return self.duration if mode.duration is None else mode.duration

    def attended_in(self, mode: Mode) -> int:
        """Return the ticks for which the action holds an agent in a mode."""
        if mode.attended is not None:
            return mode.attended
        if mode.agents == ():
            return 0
        if mode.duration is None:
            return self.attended
        return mode.duration if self.attended else 0


@dataclass(frozen=True, slots=True)
class Lag:
    """Time lag in ticks from the finish of ``before`` to the start of ``after`` (``None``: no bound).

    Attributes
    ----------
    before, after
        Ids of two actions; the lag runs from the finish of the first to the start of the second.
    minimum, maximum
        Ticks; ``None``: no bound.
    """

    before: str
    after: str
    minimum: int | None = 0
    maximum: int | None = None

    @property
    def orders(self) -> bool:
        """True if ``after`` starts no earlier than ``before`` ends; such lags form no cycle."""
        return self.minimum is not None and self.minimum >= 0


@dataclass(frozen=True, repr=False)
class Instance(CacheHolder):
    """Scheduling problem: execute every action, with the least makespan. Immutable and validated.

    Actions of optional tasks may be left out. Modes lose the values that they have anyway, see
    `planoracle.instances.model.mode_validation.normal_mode`.

    Attributes
    ----------
    name
        As on the command line, e.g. ``recipe2plan/timed/Cobbler_Pancakes``.
    actions, lags, resources
        Actions, time lags between them, and resources that they use.
    agents
        Names of the agents.
    benchmark
        Benchmark whose rules and plan language apply; ``"generic"`` for the general rules. Whether they can express
        the instance is checked by `planoracle.instances.protocol.schedule_benchmark.check_instance`.
    unit
        Name of a tick, e.g. ``"second"``.
    seconds_per_tick
        Length of a tick in seconds; ``None`` if unknown.
    time_limit
        Last tick at which an action may end; ``None`` without a limit.
    origin
        Data that the benchmark's own rules need beyond this model.
    rest_of
        Original instance of a residual instance, see `planoracle.instances.model.state.residual_instance`.
    calendars
        Times at which agents and resources are off.
    transitions
        Ways between places of agents, and set-up times between families of uses of resources.
    optional
        Names of the tasks that may be left out, and their weights.
    start_time
        Local clock time of tick 0, without a zone; ``None`` if it has none.

    Raises
    ------
    InputError
        From the constructor, naming the field, for duplicate ids, dangling references, impossible
        demands, cycles of precedence and numbers out of range.
    """

    name: str
    actions: tuple[Action, ...]
    lags: tuple[Lag, ...] = ()
    resources: tuple[Resource, ...] = ()
    agents: tuple[str, ...] = ("agent",)
    benchmark: str = "generic"
    unit: str = "tick"
    seconds_per_tick: int | None = None
    time_limit: int | None = None
    origin: object = field(default=None, compare=False, repr=False)
    rest_of: Instance | None = field(default=None, compare=False, repr=False)
    calendars: tuple[Calendar, ...] = ()
    transitions: tuple[Transitions, ...] = ()
    optional: tuple[tuple[str, int], ...] = ()
    start_time: datetime | None = None

    @property
    def kind(self) -> str:
        """Kind of the problem, see `planoracle.instances.model.problem.Problem`."""
        return "schedule"

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", normal_actions(self.actions, self.agents))
        validate(self)

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of every action id."""
        return {action.id: i for i, action in enumerate(self.actions)}

    @cached_property
    def by_id(self) -> dict[str, Action]:
        """Actions by id."""
        return {action.id: action for action in self.actions}

    @cached_property
    def resource(self) -> dict[str, Resource]:
        """Resources by name."""
        return {resource.name: resource for resource in self.resources}

    @cached_property
    def variants(self) -> dict[str, tuple[Variant, ...]]:
        """Variants of every action, by id: one for each mode."""
        rows = {}
        for action in self.actions:  # a plain loop, as checks of single plans need all variants
            eligible = self.agents if action.agents is None else action.agents
            variants = []
            for mode in action.modes:
                if mode.duration is None and mode.attended is None and mode.agents is None:
                    variants.append(Variant(action.duration, action.attended, eligible, mode.demands, mode.after))
                else:
                    variants.append(_variant_with_values(action, mode, eligible))
            rows[action.id] = tuple(variants)
        return rows

    @cached_property
    def pausing(self) -> frozenset[str]:
        """Ids of the actions that pause in breaks."""
        return frozenset(action.id for action in self.actions if action.pauses_in_breaks)

    @cached_property
    def weights(self) -> dict[str, int]:
        """Weights of the optional tasks, by name."""
        return dict(self.optional)

    @cached_property
    def off_times(self) -> dict[str, OffTimes]:
        """Off-times of every agent and resource that has a calendar, by name."""
        return off_times_of(self.calendars)

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks in order of appearance."""
        return tuple(dict.fromkeys(action.task for action in self.actions))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Positions of the actions in a fixed topological order of the precedences."""
        return topological_order(self)

    @cached_property
    def predecessors(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For every action the pairs (position of a predecessor, minimum lag)."""
        rows: list[list[tuple[int, int]]] = [[] for _ in self.actions]
        for lag in self.lags:
            if lag.minimum is not None:
                before = self.index[lag.before]
                after = self.index[lag.after]
                rows[after].append((before, lag.minimum))
        return tuple(map(tuple, rows))

    @cached_property
    def beginning(self) -> str | None:
        """Milestone before everything else; lags from it are releases and deadlines. ``None`` without one."""
        later = {lag.after for lag in self.lags if lag.orders}
        candidates = [action for action in self.actions if action.id not in later]
        first = candidates[0]
        is_beginning = first.is_milestone and not first.release and len(candidates) == 1
        if first.task in self.weights:
            return None
        return first.id if is_beginning else None

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the graph of precedences and time lags, for `networkx`.

        Nodes are ids of actions with ``task, label, interruptible, pauses_in_breaks, release, deadline, windows,
        place``, the ``weight`` of an optional task (``None``: it is mandatory), and ``modes``: a `Variant` for each
        mode. ``duration`` and ``attended`` are the least ticks of a mode, ``agents`` those eligible in some mode, and
        ``resources`` the units in use by name, in the mode that takes most. The graph has the attributes ``calendars``,
        ``transitions`` and ``start_time``. An edge leads from the
        action whose end counts to the one whose start counts; ``kind`` says so. It has ``minimum`` and ``maximum`` in
        ticks (``None``: no bound), and ``mode`` if only that mode of the later action waits for the earlier one. Edges
        without a mode whose minimum is 0 or more form no cycle.

        Examples
        --------
        >>> pour = Action("t/pour", "t", 3, 0, modes=(Mode((Demand("cup"),)),))
        >>> graph = Instance("i", (Action("t/boil", "t", 2, 2), pour), (Lag("t/boil", "t/pour", 1, 4),),
        ...                  (Resource("cup"),)).to_networkx()
        >>> list(graph.edges(data=True))
        [('t/boil', 't/pour', {'minimum': 1, 'maximum': 4, 'kind': 'end to start'})]
        >>> graph.nodes["t/pour"]["duration"], graph.nodes["t/pour"]["agents"], graph.nodes["t/pour"]["resources"]
        (3, ('agent',), {'cup': 1})

        The longest chain of actions and minimum lags:

        >>> import networkx as nx
        >>> for before, after, lag in graph.edges(data=True):
        ...     lag["weight"] = graph.nodes[before]["duration"] + (lag["minimum"] or 0)
        >>> nx.dag_longest_path(graph)
        ['t/boil', 't/pour']
        """
        import networkx as nx

        times = {"calendars": self.calendars, "transitions": self.transitions, "start_time": self.start_time}
        graph: nx.DiGraph[str] = nx.DiGraph(name=self.name, **times)
        for action in self.actions:
            graph.add_node(action.id, **self._node_of(action))
        kind = "end to start"
        for lag in self.lags:
            graph.add_edge(lag.before, lag.after, minimum=lag.minimum, maximum=lag.maximum, kind=kind)
        for action in self.actions:
            for number, mode in enumerate(action.modes):
                for before in mode.after:
                    if not graph.has_edge(before, action.id):
                        graph.add_edge(before, action.id, minimum=0, maximum=None, mode=number, kind=kind)
        return graph

    def _node_of(self, action: Action) -> dict[str, object]:
        """Return the attributes of the node of an action."""
        fields = ("task", "label", "interruptible", "pauses_in_breaks", "release", "deadline", "windows", "place")
        node = {name: getattr(action, name) for name in fields}
        variants = self.variants[action.id]
        demands = chain.from_iterable(variant.demands for variant in variants)
        agents = set(chain.from_iterable(variant.agents for variant in variants))
        return node | {
            "duration": min(variant.duration for variant in variants),
            "attended": min(variant.attended for variant in variants),
            "agents": tuple(agent for agent in self.agents if agent in agents),
            "resources": {demand.resource: demand.amount for demand in sorted(demands, key=attrgetter("amount"))},
            "modes": variants,
            "weight": self.weights.get(action.task),
        }

    def eligible(self, action: Action) -> tuple[str, ...]:
        """Agents that may carry out ``action``, in the order of the instance.

        Parameters
        ----------
        action
            Action of the instance.
        """
        return self.agents if action.agents is None else action.agents

    def without_maximum_lags(self, name: str) -> Instance:
        """Return the instance with every maximum time lag dropped (Recipe2Plan's *untimed* setting).

        Parameters
        ----------
        name
            Name of the new instance.
        """
        minimum_lags = [lag for lag in self.lags if lag.minimum is not None]
        lags = [replace(lag, maximum=None) for lag in minimum_lags]
        return replace(self, name=name, lags=tuple(lags))


def _variant_with_values(action: Action, mode: Mode, eligible: tuple[str, ...]) -> Variant:
    """Return the variant of a mode with values; ``eligible`` agents are those of its action."""
    agents = eligible if mode.agents is None else mode.agents
    return Variant(action.duration_in(mode), action.attended_in(mode), agents, mode.demands, mode.after)


def merge(name: str, parts: Iterable[Instance]) -> Instance:
    """Combine the tasks of several instances, which share agents and resources of equal name.

    Calendars of a shared agent or resource add up, transitions of shared members must be equal.

    Raises
    ------
    InputError
        If the parts disagree on a resource, the agents, the unit, the start time, an optional task or the benchmark,
        or there are none.
    """
    parts = list(parts)
    if not parts:
        raise InputError("needs at least one part", field="parts")
    resources: dict[str, Resource] = {}
    weights: dict[str, int | None] = {}
    for part in parts:
        for attribute in ("agents", "unit", "seconds_per_tick", "benchmark", "time_limit", "start_time"):
            ours = getattr(parts[0], attribute)
            theirs = getattr(part, attribute)
            if ours != theirs:
                message = f"must equal {ours!r} of {parts[0].name}"
                raise InputError(message, field=f"{part.name}.{attribute}", value=theirs)
        for resource in part.resources:
            if resources.setdefault(resource.name, resource) != resource:
                raise InputError("differs between the parts", field=f"resources[{resource.name}]", value=resource)
        for task in part.tasks:
            weight = part.weights.get(task)
            if weights.setdefault(task, weight) != weight:
                raise InputError("differs between the parts", field=f"optional[{task}]", value=weight)
    actions = chain.from_iterable(part.actions for part in parts)
    lags = chain.from_iterable(part.lags for part in parts)
    calendars = dict.fromkeys(chain.from_iterable(part.calendars for part in parts))
    transitions = dict.fromkeys(chain.from_iterable(part.transitions for part in parts))
    optional = dict.fromkeys(chain.from_iterable(part.optional for part in parts))
    return replace(
        parts[0],
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(resources.values()),
        calendars=tuple(calendars),
        transitions=tuple(transitions),
        optional=tuple(optional),
    )
