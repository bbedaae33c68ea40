"""The same problem with several agents: how many, who may do what, who can stand in for whom.

Rules and plan language then are the general ones, for those of the single-agent benchmarks know one agent only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.text import did_you_mean, one_of

#: Most agents that a problem can be given.
MOST_AGENTS = 999

_CREW = re.compile(r"(.*[^~])~([1-9][0-9]{0,2})((?:~[^~=]+=[^~=]+)*)", re.DOTALL)


def with_agents(instance: Instance, count: int) -> Instance:
    """Return the same problem for ``count`` agents that are all alike, under the general rules.

    Durations, lags, objects, modes and the time limit stay as they are; what any agent could do, any of them can. With
    one agent it has the optimum of the original. What a benchmark's own rules ask beyond the model of its agent's
    messages (AsyncTool's format of calls, TimeArena's end after five wrong decisions) has no counterpart.

    Parameters
    ----------
    count
        1 to `MOST_AGENTS`; they are called agent1, agent2, ...

    Raises
    ------
    InputError
        For another number, or an instance that tells its agents apart.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.bundled_data import load
    >>> three = with_agents(load("timed", "Cobbler_Pancakes"), 3)
    >>> three.name, three.benchmark, three.agents
    ('recipe2plan/timed/Cobbler_Pancakes~3', 'generic', ('agent1', 'agent2', 'agent3'))
    """
    if not 1 <= count <= MOST_AGENTS:
        raise InputError(f"must be from 1 to {MOST_AGENTS}", field="agents", value=count)
    if len(interchangeable(instance)) > 1:
        raise InputError("has agents of its own that differ", field=f"{instance.name}.agents", value=instance.agents)
    return replace(
        instance,
        name=f"{instance.name}~{count}",
        actions=tuple(replace(action, agents=action.agents and None) for action in instance.actions),
        agents=tuple(f"agent{number}" for number in range(1, count + 1)),
        benchmark="generic",
        origin=None,
    )


def assign(instance: Instance, only: Mapping[str, Sequence[str]]) -> Instance:
    """Return the instance with agents restricted to some tasks or actions.

    Parameters
    ----------
    only
        For every agent that may not do everything, the tasks and actions (``task/name``) that it may do.

    Raises
    ------
    InputError
        For names that the instance does not have, and an attended action that is left without an agent.

    Examples
    --------
    >>> chop, drive = Action("home/chop", "home", 3, 3), Action("out/drive", "out", 9, 9)
    >>> two = assign(Instance("k", (chop, drive), agents=("a", "b")), {"b": ["home"]})
    >>> two.eligible(two.actions[0]), two.eligible(two.actions[1])
    (('a', 'b'), ('a',))
    """
    for agent, names in only.items():
        if agent not in instance.agents:
            raise InputError(one_of(agent, instance.agents, "agents"), field="only", value=agent)
        for name in names:
            if name not in instance.tasks and name not in instance.by_id:
                raise InputError(
                    f"must be a task ({', '.join(instance.tasks)}) or an action"
                    + did_you_mean(name, [*instance.tasks, *instance.by_id]),
                    field=f"only.{agent}",
                    value=name,
                )

    def restricted(action: Action) -> Action:
        before = instance.eligible(action)
        left = tuple(
            agent for agent in before if agent not in only or {action.task, action.id}.intersection(only[agent])
        )
        if before and not left:
            raise InputError("leaves nobody for it", field="only", value=action.id)
        return action if left == before else replace(action, agents=left)

    return replace(instance, actions=tuple(map(restricted, instance.actions)))


def interchangeable(instance: Instance) -> tuple[tuple[str, ...], ...]:
    """Return the agents in groups of those that may carry out the same actions, in the order of the instance.

    >>> actions = Action("t/chop", "t", 3, 3), Action("t/drive", "t", 9, 9, agents=("b",))
    >>> interchangeable(Instance("k", actions, agents=("a", "b", "c")))
    (('a', 'c'), ('b',))
    """
    chosen: dict[str, list[int]] = {agent: [] for agent in instance.agents}
    for n, some in enumerate(dict.fromkeys(frozenset(action.agents) for action in instance.actions if action.agents)):
        for agent in some:
            chosen[agent].append(n)
    groups: dict[tuple[int, ...], list[str]] = {}
    for agent, places in chosen.items():
        groups.setdefault(tuple(places), []).append(agent)
    return tuple(map(tuple, groups.values()))


# --- names ----------------------------------------------------------------------------------------


def add_agent_suffix(name: str, agents: int | None, only: Sequence[str] = ()) -> str:
    """Return the name of the same problem with several agents; raises `UnknownNameError` if there is no such name.

    Parameters
    ----------
    agents
        Their number; ``None`` for the problem as it is.
    only
        Restrictions, ``agent2=Cobbler,Pancakes/3`` each.

    Examples
    --------
    >>> add_agent_suffix("recipe2plan/timed/Cobbler_Pancakes", 2, ["agent2=Cobbler"])
    'recipe2plan/timed/Cobbler_Pancakes~2~agent2=Cobbler'
    """
    if agents is None:
        if only:
            raise UnknownNameError("needs a number of agents", field="only", value=only[0])
        return name
    made = "~".join([name, str(agents), *only])
    if split_agent_suffix(made) is None:
        wanted = f"must be a problem's name, 1 to {MOST_AGENTS} agents and restrictions like agent2=TaskA,TaskB"
        raise UnknownNameError(wanted, field="name", value=made)
    return made


def split_agent_suffix(name: str) -> tuple[str, str] | None:
    """Split the name of a problem with several agents into that of the problem and the rest; ``None`` for others.

    There is no second number behind the first: ``~2~3`` is none.

    >>> split_agent_suffix("timearena/lab1+lab2~3~agent2=lab1"), split_agent_suffix("timearena/lab1")
    (('timearena/lab1+lab2', '~3~agent2=lab1'), None)
    """
    match = _CREW.fullmatch(name) if "~" in name and len(name) <= 4096 else None
    if match is None or _CREW.fullmatch(match[1]):
        return None
    return match[1], name[len(match[1]) :]


def apply_agent_suffix(instance: Instance, crew: str) -> Instance:
    """Return the problem with the agents that the second part of a name asks for, see `split_agent_suffix`."""
    _, number, *rules = crew.split("~")
    only: dict[str, list[str]] = {}
    for rule in rules:
        agent, _, names = rule.partition("=")
        only.setdefault(agent, []).extend(names.split(","))
    return replace(assign(with_agents(instance, int(number)), only), name=f"{instance.name}{crew}")
