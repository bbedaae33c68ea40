"""Random modes, calendars, set-up times, budgets, deadlines and optional tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import Parameters, below
from planoracle.instances.generate.random_network import cheapest_mode, sample_share
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.transitions import Transitions

#: Largest amount of a budget that a mode uses up, and largest weight of an optional task.
_MAX_AMOUNT, _MAX_WEIGHT = 3, 10
# A period of off-times is at least so many of the longest durations.
_DURATIONS_PER_PERIOD = 4


def with_workshop_features(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Add what does not depend on a schedule: modes, set-up times, breaks, off-times and budgets."""
    if parameters.modes > 1:
        instance = _with_modes(random, instance, parameters)
    if parameters.families:
        instance = _with_families(random, instance, parameters)
    if parameters.breaks:
        instance = _with_breaks(random, instance, parameters)
    if parameters.off_time:
        instance = _with_off_times(random, instance, parameters)
    if parameters.budgets:
        instance = _with_budgets(random, instance, parameters)
    return instance


def with_deadlines_and_weights(
    random: Random, instance: Instance, parameters: Parameters, schedule: Schedule
) -> Instance:
    """Add deadlines of tasks, and weights of optional tasks.

    If the problem must be feasible, the schedule keeps the deadlines.
    """
    late_tasks = _tasks(random, instance, parameters.deadlines)
    if late_tasks:
        instance = _with_deadlines(random, instance, parameters, schedule, late_tasks)
    optional = tuple((task, 1 + below(random, _MAX_WEIGHT)) for task in _tasks(random, instance, parameters.optional))
    return replace(instance, optional=optional) if optional else instance


def _tasks(random: Random, instance: Instance, share: float) -> list[str]:
    """Return a random share of the tasks, in their order; no number is drawn for a share of 0."""
    if not share:
        return []
    chosen = sample_share(random, len(instance.tasks), share)
    return [instance.tasks[position] for position in sorted(chosen)]


def _with_modes(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Let each action with resources choose among several, with a duration for each choice."""
    names = list(instance.resource)
    count = min(parameters.modes, len(names))
    actions = []
    for action in instance.actions:
        demands = action.modes[0].demands
        modes = [action.modes[0]]
        for shift in range(1, count if demands else 1):
            shifted = tuple(_shifted(instance, demand, names, shift) for demand in demands)
            duration = _duration(random, action, parameters)
            modes.append(_mode(action, shifted, duration))
        named = tuple(_named(mode) for mode in modes) if len(modes) > 1 else action.modes
        actions.append(replace(action, modes=named))
    return replace(instance, actions=tuple(actions))


def _shifted(instance: Instance, demand: Demand, names: Sequence[str], shift: int) -> Demand:
    """Return the demand for another resource, of at most its capacity."""
    name = names[(names.index(demand.resource) + shift) % len(names)]
    return Demand(name, min(demand.amount, instance.resource[name].capacity))


def _duration(random: Random, action: Action, parameters: Parameters) -> int:
    shortest = parameters.shortest
    if not action.continuous:
        shortest = max(shortest, action.attended + 1)
    return shortest + below(random, parameters.longest - shortest + 1)


def _mode(action: Action, demands: tuple[Demand, ...], duration: int) -> Mode:
    """Return a mode whose duration differs from that of the action, or is left out."""
    if duration == action.duration:
        return Mode(demands)
    is_partly_attended = 0 < action.attended < action.duration
    return Mode(demands, duration=duration, attended=action.attended if is_partly_attended else None)


def _named(mode: Mode) -> Mode:
    return replace(mode, name=" and ".join(demand.resource for demand in mode.demands))


def _with_families(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Make machines of the resources, with set-up times between families of actions."""
    families = [f"family{number + 1}" for number in range(parameters.families)]
    actions = []
    for action in instance.actions:
        family = families[below(random, len(families))]
        modes = tuple(_of_family(mode, family) for mode in action.modes)
        actions.append(replace(action, modes=modes))
    machines = tuple(Resource(name) for name in instance.resource)
    times = []
    for before in families:
        times += [(before, after, 1 + below(random, parameters.longest)) for after in families if after != before]
    setups = Transitions(tuple(instance.resource), tuple(times), ()) if machines else None
    transitions = () if setups is None or not times else (setups,)
    if not transitions:
        raise InputError("needs resources and at least 2 families", field="families", value=parameters.families)
    return replace(instance, actions=tuple(actions), resources=machines, transitions=transitions)


def _of_family(mode: Mode, family: str) -> Mode:
    demands = tuple(Demand(demand.resource, family=family) for demand in mode.demands)
    return replace(mode, demands=demands)


def _with_breaks(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Let a share of the actions that may pause in breaks do so."""
    candidates = []
    for position, action in enumerate(instance.actions):
        if action.attended in (0, action.duration) and not action.interruptible:
            candidates.append(position)
    chosen = sample_share(random, len(candidates), parameters.breaks)
    pausing = {candidates[place] for place in chosen}
    actions = []
    for position, action in enumerate(instance.actions):
        actions.append(replace(action, pauses_in_breaks=position in pausing))
    return replace(instance, actions=tuple(actions))


def _with_off_times(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Give each agent a shift: off for a share of a period that leaves time for the longest action."""
    share = parameters.off_time
    if share >= 1:
        raise InputError("must be less than 1", field="off_time", value=share)
    period = max(_DURATIONS_PER_PERIOD * parameters.longest, int(parameters.longest / (1 - share)) + 1)
    length = min(round(share * period), period - parameters.longest)
    if length < 1:
        return instance
    calendars = []
    for agent in instance.agents:
        begin = below(random, period)
        calendars.append(Calendar((agent,), ((begin, begin + length),), period))
    return replace(instance, calendars=tuple(calendars))


def _with_budgets(random: Random, instance: Instance, parameters: Parameters) -> Instance:
    """Let modes use up budgets, whose capacities lie between the cheapest and the dearest choice of modes."""
    names = [f"budget{number + 1}" for number in range(parameters.budgets)]
    actions = []
    for action in instance.actions:
        modes = tuple(_with_amounts(random, mode, names) for mode in action.modes)
        actions.append(replace(action, modes=modes))
    cheapest = [action.modes[cheapest_mode(action, names)] for action in actions]
    budgets = []
    for name in names:
        cheap = sum(_amount(mode, name) for mode in cheapest)
        dear = sum(max(_amount(mode, name) for mode in action.modes) for action in actions)
        limit = cheap + round((1 - parameters.tightness) * (dear - cheap))
        if not parameters.feasible:
            limit = below(random, dear + 1)
        budgets.append(Resource(name, limit, renewable=False))
    return replace(instance, actions=tuple(actions), resources=(*instance.resources, *budgets))


def _with_amounts(random: Random, mode: Mode, names: Sequence[str]) -> Mode:
    amounts = {name: below(random, _MAX_AMOUNT + 1) for name in names}
    used = tuple(Demand(name, amount) for name, amount in amounts.items() if amount)
    return replace(mode, demands=(*mode.demands, *used))


def _amount(mode: Mode, name: str) -> int:
    return sum(demand.amount for demand in mode.demands if demand.resource == name)


def _with_deadlines(
    random: Random, instance: Instance, parameters: Parameters, schedule: Schedule, tasks: Sequence[str]
) -> Instance:
    """Give the last actions of tasks a deadline."""
    finish = schedule.finish()
    slack = round((1 - parameters.tightness) * schedule.makespan)
    deadlines = {}
    for task in tasks:
        last = max(_ids(instance, task), key=finish.__getitem__)
        later = below(random, slack + 1)
        deadlines[last] = finish[last] + later
        if not parameters.feasible:
            deadlines[last] = max(parameters.longest, below(random, finish[last] + later))
    actions = []
    for action in instance.actions:
        actions.append(replace(action, deadline=deadlines.get(action.id)))
    return replace(instance, actions=tuple(actions))


def _ids(instance: Instance, task: str) -> Iterator[str]:
    return (action.id for action in instance.actions if action.task == task)
