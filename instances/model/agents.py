"""Problems with several agents: replicated and eligible agents, and the suffix of names (``~3``).

Rules and plan language are the general ones, since those of the single-agent benchmarks support one agent only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.text import did_you_mean, one_of

#: Most agents of a replicated problem.
MOST_AGENTS = 999

_SUFFIX = re.compile(r"(.*[^~])~([1-9][0-9]{0,2})((?:~[^~=]+=[^~=]+)*)", re.DOTALL)


def with_agents(instance: Instance, count: int) -> Instance:
    """Return the same problem with ``count`` identical agents, under the general rules.

    Durations, lags, resources, modes and the time limit stay as they are. An action that any agent could execute can be
    executed by each. With one agent the optimum is that of the original. Rules on messages of the agent (AsyncTool's
    format of calls, TimeArena's end after five wrong decisions) have no counterpart.

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
    actions = []
    for action in instance.actions:
        actions.append(replace(action, agents=action.agents and None))
    numbers = range(1, count + 1)
    agents = tuple(f"agent{number}" for number in numbers)
    name = f"{instance.name}~{count}"
    return replace(instance, name=name, actions=tuple(actions), agents=agents, benchmark="generic", origin=None)


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
        if before and not after:
            raise InputError("no agent is eligible for this action", field="only", value=action.id)
        actions.append(action if after == before else replace(action, agents=after))
    return replace(instance, actions=tuple(actions))


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


def interchangeable(instance: Instance) -> tuple[tuple[str, ...], ...]:
    """Return the agents in groups that are eligible for the same actions, in the order of the instance.

    >>> from planoracle.instances.model.instance import Action
    >>> actions = Action("t/chop", "t", 3, 3), Action("t/drive", "t", 9, 9, agents=("b",))
    >>> interchangeable(Instance("k", actions, agents=("a", "b", "c")))
    (('a', 'c'), ('b',))
    """
    memberships: dict[str, list[int]] = {agent: [] for agent in instance.agents}
    restricted = [action.agents for action in instance.actions if action.agents]
    eligible_sets = dict.fromkeys(map(frozenset, restricted))
    for number, eligible_agents in enumerate(eligible_sets):
        for agent in eligible_agents:
            memberships[agent].append(number)
    groups: dict[tuple[int, ...], list[str]] = {}
    for agent, numbers in memberships.items():
        groups.setdefault(tuple(numbers), []).append(agent)
    return tuple(map(tuple, groups.values()))


def busy_agent_note(instance: Instance, makespan: int | None) -> str:
    """Return a note if the work of the only agent alone decides the makespan; ``""`` otherwise.

    Problems of benchmarks have the agents of the benchmark, and no note.

    >>> from planoracle.instances.model.instance import Action
    >>> busy_agent_note(Instance("shop", (Action("a/saw", "a", 3, 3), Action("b/saw", "b", 4, 4))), 7)
    'shop: the only agent (agent) is busy for all 7 ticks; --agents 2 adds a second agent'
    """
    if instance.benchmark != GENERAL or len(instance.agents) != 1 or len(instance.actions) < 2:
        return ""
    if makespan is None or sum(action.attended for action in instance.actions) != makespan:
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
