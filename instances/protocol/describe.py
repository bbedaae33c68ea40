"""Description of scheduling problems in words: tasks, actions, resources, durations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.protocol.feedback import clean, listed, span
from planoracle.instances.protocol.schedule_benchmark import moment
from planoracle.instances.text import visible


def brief(problem: Instance, called: Callable[[str], str] = visible, *, hands: bool = True) -> str:
    r"""Describe a problem: its tasks with their actions, the resources, the agents.

    Parameters
    ----------
    problem
        Scheduling problem.
    called
        Function that returns the name of an action in commands, by its id; line breaks are escaped.
    hands
        Describe the agents, and the attended time of actions. Not needed with an agent for each action.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> for line in brief(load("recipe2plan/timed/Cobbler_Pancakes")).split("\n")[:4]:
    ...     print(line)
    Cobbler
    - Cobbler/0: preheat oven to 350 F; 10 min, by itself; uses oven and makes it 350
    - Cobbler/1: measure butter; 2 min, by hand, may be paused
    - Cobbler/2: melt butter; 1 min, by itself; after Cobbler/1; uses microwave
    """
    lines = []
    for task in problem.tasks:
        lines += [clean(task)] if len(problem.tasks) > 1 else []
        actions = [action for action in problem.actions if action.task == task]
        lines += [f"- {_line(problem, action, called, hands)}" for action in actions]
    notable = []
    for resource in problem.resources:
        if resource.capacity > 1 or resource.state is not None:
            notable.append(_room(resource))
    if notable:
        lines.append(f"There is {listed(notable)}.")
    if hands and len(problem.agents) > 1:
        agents = ", ".join(map(clean, problem.agents))
        lines.append(f"Agents: {agents}.")
    if problem.time_limit is not None:
        lines.append(f"Everything has to end by {moment(problem, problem.time_limit)}.")
    return "\n".join(lines)


def _line(problem: Instance, action: Action, called: Callable[[str], str], hands: bool) -> str:
    work = span(problem, action.duration)
    if hands:
        work = ", ".join(_work(problem, action))
    parts = [clean(action.label), work, *_order(problem, action, called)]
    modes = [_mode(problem, mode, called) for mode in action.modes]
    if len(modes) > 1:
        for number, text in enumerate(modes):
            parts.append(f"mode {number}: {text or 'uses nothing'}")
    elif modes[0]:
        parts.append(modes[0])
    if action.release:
        parts.append(f"not before {moment(problem, action.release)}")
    description = "; ".join(filter(None, parts))
    return f"{called(action.id)}: {description}"


def _work(problem: Instance, action: Action) -> Iterator[str]:
    """Yield the duration of an action, and its use of agents."""
    yield span(problem, action.duration)
    if action.agents == ():
        yield "needs nobody"
    elif not action.attended:
        yield "by itself"
    elif action.attended == action.duration:
        yield "by hand"
    else:
        yield f"by hand for the first {span(problem, action.attended)}"
    if action.interruptible:
        yield "may be paused"
    if action.agents:
        yield f"only {' or '.join(map(clean, action.agents))}"


def _order(problem: Instance, action: Action, called: Callable[[str], str]) -> Iterator[str]:
    """Yield the lags to an action."""
    lags = [lag for lag in problem.lags if lag.after == action.id]
    predecessors = [called(lag.before) for lag in lags if _is_plain(lag)]
    if predecessors:
        yield f"after {listed(predecessors)}"
    for lag in lags:
        if _is_plain(lag):
            continue
        before = called(lag.before)
        minimum = ""
        if lag.minimum:
            minimum = f"at least {span(problem, lag.minimum)} "
        order = None if lag.minimum is None else f"{minimum}after {before}"
        end = "its end" if order else f"the end of {before}"
        latest_start = None
        if lag.maximum is not None:
            latest_start = f"starts at most {span(problem, lag.maximum)} after {end}"
        yield ", ".join(filter(None, (order, latest_start)))


def _is_plain(lag: Lag) -> bool:
    """Return whether a lag only orders two actions."""
    return lag.minimum == 0 and lag.maximum is None


def _mode(problem: Instance, mode: Mode, called: Callable[[str], str]) -> str:
    parts = []
    if mode.demands:
        uses = [_use(problem.resource[demand.resource], demand) for demand in mode.demands]
        parts.append(f"uses {listed(uses)}")
    if mode.after:
        predecessors = [called(before) for before in mode.after]
        parts.append(f"after {listed(predecessors)}")
    text = ", ".join(parts)
    if not mode.name:
        return text
    name = clean(mode.name)
    return f"{name}: {text}" if parts else name


def _use(resource: Resource, demand: Demand) -> str:
    text = clean(resource.name)
    if resource.capacity > 1:
        text = f"{demand.amount} of {text}"
    if demand.requires is not None:
        text += f", which must be {clean(demand.requires)}"
    if demand.sets is None:
        return text
    return f"{text} and makes it {clean(demand.sets)}"


def _room(resource: Resource) -> str:
    text = clean(resource.name)
    if resource.capacity > 1:
        text = f"{text} (room for {resource.capacity})"
    if resource.state is None:
        return text
    return f"{text}, at first {clean(resource.state)}"
