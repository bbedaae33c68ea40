"""Problems with several agents: replicated and eligible agents, and the suffix of names (``~3``).

Rules and plan language are the general ones, since those of the single-agent benchmarks support one agent only.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.text import did_you_mean, one_of

#: Most agents of a replicated problem.
MOST_AGENTS = 999

_SUFFIX = re.compile(r"(.*[^~])~([1-9][0-9]{0,2})((?:~[^~=]+=[^~=]+)*)", re.DOTALL)


def with_agents(instance: Instance, count: int) -> Instance:
    """Return the same problem with ``count`` identical agents, under the general rules.

    Durations, lags, resources, modes and the time limit stay as they are. An action that any agent could execute can be
    executed by each, and each has the calendars and ways of the agents that it replaces. With one agent the optimum is
    that of the original. Rules on messages of the agent (AsyncTool's format of calls, TimeArena's end after five wrong
    decisions) have no counterpart.

    Parameters
    ----------
    count
        1 to `MOST_AGENTS`; the agents are called agent1, agent2, ...

    Raises
    ------
    InputError
        For another number, or an instance whose agents differ.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> three = with_agents(load("recipe2plan/timed/Cobbler_Pancakes"), 3)
    >>> three.name, three.benchmark, three.agents
    ('recipe2plan/timed/Cobbler_Pancakes~3', 'generic', ('agent1', 'agent2', 'agent3'))
    """
    if not 1 <= count <= MOST_AGENTS:
        raise InputError(f"must be from 1 to {MOST_AGENTS}", field="agents", value=count)
    if len(interchangeable(instance)) > 1:
        raise InputError(
            "agents must be identical to be replicated", field=f"{instance.name}.agents", value=instance.agents
        )
    numbers = range(1, count + 1)
    agents = tuple(f"agent{number}" for number in numbers)
    actions = []
    for action in instance.actions:
        modes = tuple(_replicated(action, mode, agents) for mode in action.modes)
        actions.append(replace(action, agents=action.agents and None, modes=modes))
    copies = _Copies(instance.agents, agents)
    name = f"{instance.name}~{count}"
    return replace(
        instance,
        name=name,
        actions=tuple(actions),
        agents=agents,
        benchmark="generic",
        origin=None,
        calendars=tuple(copies.calendars(instance.calendars)),
        transitions=tuple(copies.transitions(instance.transitions)),
    )


def _replicated(action: Action, mode: Mode, agents: tuple[str, ...]) -> Mode:
    """Return a mode whose agents, if it needs any, are all new ones."""
    if not mode.agents:
        return mode
    return replace(mode, agents=agents if action.agents == () else None)


@dataclass(frozen=True, slots=True)
class _Copies:
    """New agents, each with what the first of the agents has that they replace; all of these are alike.

    Attributes
    ----------
    replaced, agents
        Names before and after.
    """

    replaced: tuple[str, ...]
    agents: tuple[str, ...]

    def calendars(self, calendars: Iterable[Calendar]) -> Iterator[Calendar]:
        """Yield calendars of the new agents and of the resources."""
        for calendar in calendars:
            members = self._members(calendar.members)
            if members:
                yield replace(calendar, members=members)

    def transitions(self, transitions: Iterable[Transitions]) -> Iterator[Transitions]:
        """Yield transitions of the new agents and of the resources."""
        for entry in transitions:
            members = self._members(entry.members)
            start = []
            for member, place in entry.start:
                start += [(copy, place) for copy in self._members((member,))]
            if members:
                yield replace(entry, members=members, start=tuple(start))

    def _members(self, members: Iterable[str]) -> tuple[str, ...]:
        names: list[str] = []
        for member in members:
            if member not in self.replaced:
                names.append(member)
            elif member == self.replaced[0]:
                names += self.agents
        return tuple(names)


def assign(instance: Instance, only: Mapping[str, Sequence[str]]) -> Instance:
    """Restrict agents to some tasks or actions.

    Parameters
    ----------
    only
        For each restricted agent, the tasks and actions (``task/name``) that it may execute.

    Raises
    ------
    InputError
        For unknown names, and for an action without an eligible agent.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> chop, drive = Action("home/chop", "home", 3, 3), Action("out/drive", "out", 9, 9)
    >>> two = assign(Instance("k", (chop, drive), agents=("a", "b")), {"b": ["home"]})
    >>> two.eligible(two.actions[0]), two.eligible(two.actions[1])
    (('a', 'b'), ('a',))
    """
    for agent, names in only.items():
        if agent not in instance.agents:
            raise InputError(one_of(agent, instance.agents, "agents"), field="only", value=agent)
        for name in names:
            _check_restriction(instance, agent, name)
    actions = []
    for action in instance.actions:
        before = instance.eligible(action)
        after = tuple(agent for agent in before if _is_allowed(action, agent, only))
        modes = tuple(_restricted(action, mode, only) for mode in action.modes)
        if before and not after and any(mode.agents is None for mode in modes):
            raise InputError("no agent is eligible for this action", field="only", value=action.id)
        actions.append(action if after == before else replace(action, agents=after))
        actions[-1] = replace(actions[-1], modes=modes)
    return replace(instance, actions=tuple(actions))


def _restricted(action: Action, mode: Mode, only: Mapping[str, Sequence[str]]) -> Mode:
    """Return a mode with those of its agents that may execute the action."""
    if not mode.agents:
        return mode
    agents = tuple(agent for agent in mode.agents if _is_allowed(action, agent, only))
    if not agents:
        number = action.modes.index(mode)
        raise InputError(f"no agent is eligible for mode {number} of this action", field="only", value=action.id)
    return replace(mode, agents=agents)


def _is_allowed(action: Action, agent: str, only: Mapping[str, Sequence[str]]) -> bool:
    return agent not in only or _is_listed(action, only[agent])


def _check_restriction(instance: Instance, agent: str, name: str) -> None:
    """Raise `InputError` for a restriction of an agent that names neither a task nor an action."""
    if name in instance.tasks or name in instance.by_id:
        return
    suggestion = did_you_mean(name, [*instance.tasks, *instance.by_id])
    message = f"must be a task ({', '.join(instance.tasks)}) or an action{suggestion}"
    raise InputError(message, field=f"only.{agent}", value=name)


def _is_listed(action: Action, names: Sequence[str]) -> bool:
    """Return whether an action or its task is among some names."""
    return not {action.task, action.id}.isdisjoint(names)


@ProblemCache
def interchangeable(instance: Instance) -> tuple[tuple[str, ...], ...]:
    """Return the agents in groups of alike ones, in the order of the instance.

    They are eligible for the same actions in the same modes, and have the same calendars and ways.

    >>> from planoracle.instances.model.instance import Action
    >>> actions = Action("t/chop", "t", 3, 3), Action("t/drive", "t", 9, 9, agents=("b",))
    >>> interchangeable(Instance("k", actions, agents=("a", "b", "c")))
    (('a', 'c'), ('b',))
    """
    memberships: dict[str, list[int]] = {agent: [] for agent in instance.agents}
    restricted = [action.agents for action in instance.actions if action.agents]
    for action in instance.actions:
        for mode in action.modes:
            if mode.agents:
                restricted.append(mode.agents)
    eligible_sets = dict.fromkeys(map(frozenset, restricted))
    for number, eligible_agents in enumerate(eligible_sets):
        for agent in eligible_agents:
            memberships[agent].append(number)
    groups: dict[Hashable, list[str]] = {}
    has_further_fields = bool(instance.calendars or instance.transitions)
    for agent, numbers in memberships.items():
        key: Hashable = tuple(numbers)
        if has_further_fields:
            key = (key, _calendars_of(instance, agent), _ways_of(instance, agent))
        groups.setdefault(key, []).append(agent)
    return tuple(map(tuple, groups.values()))


def _calendars_of(instance: Instance, agent: str) -> frozenset[Hashable]:
    """Return the off-times of an agent, without the other members."""
    calendars = [calendar for calendar in instance.calendars if agent in calendar.members]
    return frozenset((calendar.off, calendar.period) for calendar in calendars)


def _ways_of(instance: Instance, agent: str) -> Hashable:
    """Return the ways of an agent and its place at tick 0."""
    for transitions in instance.transitions:
        if agent in transitions.members:
            return transitions.times, dict(transitions.start).get(agent)
    return None


def busy_agent_note(instance: Instance, makespan: int | None) -> str:
    """Return a note if the work of the only agent alone decides the makespan; ``""`` otherwise.

    Problems of benchmarks have the agents of the benchmark, and no note.

    >>> from planoracle.instances.model.instance import Action
    >>> busy_agent_note(Instance("shop", (Action("a/saw", "a", 3, 3), Action("b/saw", "b", 4, 4))), 7)
    'shop: the only agent (agent) is busy for all 7 ticks; --agents 2 adds a second agent'
    """
    if instance.benchmark != GENERAL or len(instance.agents) != 1 or len(instance.actions) < 2:
        return ""
    work = sum(min(variant.attended for variant in variants) for variants in instance.variants.values())
    if instance.optional or makespan is None or work != makespan:
        return ""
    agent = instance.agents[0]
    text = f"the only agent ({agent}) is busy for all {makespan} {instance.unit}s"
    return f"{instance.name}: {text}; --agents 2 adds a second agent"


def add_agent_suffix(name: str, agents: int | None, only: Sequence[str] = ()) -> str:
    """Return the name of the same problem with several agents; raises `UnknownNameError`.

    Parameters
    ----------
    agents
        Number of agents; ``None`` for the original problem.
    only
        Restrictions, ``agent2=Cobbler,Pancakes/3`` each.

    Examples
    --------
    >>> add_agent_suffix("recipe2plan/timed/Cobbler_Pancakes", 2, ["agent2=Cobbler"])
    'recipe2plan/timed/Cobbler_Pancakes~2~agent2=Cobbler'
    """
    if agents is None:
        if only:
            raise UnknownNameError("requires a number of agents (--agents)", field="only", value=only[0])
        return name
    full_name = "~".join([name, str(agents), *only])
    if split_agent_suffix(full_name) is None:
        message = f"must be a problem's name, 1 to {MOST_AGENTS} agents and restrictions like agent2=TaskA,TaskB"
        raise UnknownNameError(message, field="name", value=full_name)
    return full_name


def split_agent_suffix(name: str) -> tuple[str, str] | None:
    """Split a name into the name of the original problem and its agent suffix; ``None`` without a suffix.

    A suffix has one number: ``~2~3`` is none.

    >>> split_agent_suffix("timearena/lab1+lab2~3~agent2=lab1"), split_agent_suffix("timearena/lab1")
    (('timearena/lab1+lab2', '~3~agent2=lab1'), None)
    """
    if "~" not in name or len(name) > 4096:
        return None
    match = _SUFFIX.fullmatch(name)
    if match is None or _SUFFIX.fullmatch(match[1]):
        return None
    return match[1], name[len(match[1]) :]


def apply_agent_suffix(instance: Instance, suffix: str) -> Instance:
    """Return the problem with the agents of an agent suffix, see `split_agent_suffix`."""
    _, number, *rules = suffix.split("~")
    only: dict[str, list[str]] = {}
    for rule in rules:
        agent, _, names = rule.partition("=")
        only.setdefault(agent, []).extend(names.split(","))
    replicated = with_agents(instance, int(number))
    return replace(assign(replicated, only), name=f"{instance.name}{suffix}")
