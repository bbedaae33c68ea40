"""Description of scheduling problems in words: tasks, actions, resources, durations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource, Variant
from planoracle.instances.model.transitions import Transitions
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
        lines += [_title(problem, task)] if len(problem.tasks) > 1 or problem.optional else []
        actions = [action for action in problem.actions if action.task == task]
        lines += [f"- {_line(problem, action, called, hands)}" for action in actions]
    notable = []
    for resource in problem.resources:
        if not resource.renewable:
            lines.append(f"All actions together may use up {resource.capacity} of {clean(resource.name)}.")
        elif resource.capacity > 1 or resource.state is not None:
            notable.append(_room(resource))
    if notable:
        lines.append(f"There is {listed(notable)}.")
    if hands and len(problem.agents) > 1:
        agents = ", ".join(map(clean, problem.agents))
        lines.append(f"Agents: {agents}.")
    lines += [_off_times(problem, calendar) for calendar in problem.calendars]
    lines += [_ways(problem, transitions) for transitions in problem.transitions]
    if problem.optional:
        lines.append("Optional tasks may be left out as a whole: the total weight is to be as great as possible.")
    if problem.time_limit is not None:
        lines.append(f"Everything has to end by {moment(problem, problem.time_limit)}.")
    return "\n".join(lines)


def _title(problem: Instance, task: str) -> str:
    """Return the name of a task, with its weight if it is optional."""
    weight = problem.weights.get(task)
    return clean(task) if weight is None else f"{clean(task)} (optional, weight {weight})"


def _off_times(problem: Instance, calendar: Calendar) -> str:
    """Return the off-times of a calendar in a sentence."""
    spans = [f"{moment(problem, begin)} to {moment(problem, end)}" for begin, end in calendar.off]
    members = listed([clean(member) for member in calendar.members])
    verb = "is" if len(calendar.members) == 1 else "are"
    text = f"{members} {verb} off from {listed(spans)}"
    if calendar.period is None:
        return f"{text}."
    return f"{text}, and again every {span(problem, calendar.period)}."


def _ways(problem: Instance, transitions: Transitions) -> str:
    """Return the ways or set-up times of some members in a sentence."""
    members = listed([clean(member) for member in transitions.members])
    ways = []
    for before, after, ticks in transitions.times:
        ways.append(f"{clean(before)} to {clean(after)} {span(problem, ticks)}")
    verb = "needs" if len(transitions.members) == 1 else "need"
    sentences = [f"Between consecutive actions {members} {verb}: {', '.join(ways)}. No other change is possible."]
    for member, place in transitions.start:
        sentences.append(f"{clean(member)} begins with {clean(place)}.")
    return " ".join(sentences)


def _line(problem: Instance, action: Action, called: Callable[[str], str], hands: bool) -> str:
    variants = problem.variants[action.id]
    works = []
    for mode, variant in zip(action.modes, variants, strict=True):
        named_agents = action.agents if mode.agents is None else mode.agents
        work = ", ".join(_work(problem, action, variant, named_agents))
        works.append(work if hands else span(problem, variant.duration))
    is_one_work = len(set(works)) == 1
    parts = [clean(action.label), works[0] if is_one_work else "", *_order(problem, action, called)]
    modes = []
    for mode, work in zip(action.modes, works, strict=True):
        texts = [_mode(problem, mode, called), "" if is_one_work else work]
        modes.append(", ".join(filter(None, texts)))
    if len(modes) > 1:
        for number, text in enumerate(modes):
            parts.append(f"mode {number}: {text or 'uses nothing'}")
    elif modes[0]:
        parts.append(modes[0])
    parts += _times(problem, action)
    if action.place is not None:
        parts.append(f"at {clean(action.place)}")
    description = "; ".join(filter(None, parts))
    return f"{called(action.id)}: {description}"


def _times(problem: Instance, action: Action) -> Iterator[str]:
    """Yield release, deadline and windows of an action."""
    if action.release:
        yield f"not before {moment(problem, action.release)}"
    if action.deadline is not None:
        yield f"ends by {moment(problem, action.deadline)}"
    if action.windows:
        spans = [f"{moment(problem, begin)} to {moment(problem, end)}" for begin, end in action.windows]
        yield f"only from {' or from '.join(spans)}"


def _work(problem: Instance, action: Action, variant: Variant, named_agents: tuple[str, ...] | None) -> Iterator[str]:
    """Yield the duration of an action in a variant, and its use of agents."""
    yield span(problem, variant.duration)
    if not variant.agents:
        yield "needs nobody"
    elif not variant.attended:
        yield "by itself"
    elif variant.attended == variant.duration:
        yield "by hand"
    else:
        yield f"by hand for the first {span(problem, variant.attended)}"
    if action.interruptible:
        yield "may be paused"
    if action.pauses_in_breaks:
        yield "pauses exactly while what it needs is off"
    if named_agents:
        yield f"only {' or '.join(map(clean, named_agents))}"


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
    if resource.capacity > 1 or not resource.renewable or demand.amount > 1:
        text = f"{demand.amount} of {text}"
    if demand.family is not None:
        text = f"{text} for {clean(demand.family)}"
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
