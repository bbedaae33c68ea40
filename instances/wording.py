"""Names of actions, instants and spans of time in the words of the benchmark, and short names of problems."""

from __future__ import annotations

from planoracle.instances import registry
from planoracle.instances.catalogue import set_of
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem
from planoracle.instances.visible import format_clock, visible


def action_name(instance: Instance, action: str) -> str:
    """Name an action as its benchmark does.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> action_name(load("recipe2plan/timed/Cobbler_Pancakes"), "Cobbler/2")
    'step 2 of Cobbler'
    >>> action_name(load("timearena/household1"), "household1/pour kettle into")
    'pour kettle into ...'
    >>> action_name(load("asynctool/files_1"), "files_1/2 make_folder")
    'call 2 of files_1 (make_folder)'
    """
    original = instance.rest_of or instance
    return registry.of(original).name_of(original, action)


def short(problem: str) -> str:
    """Return what the name of a problem adds to that of its set, else its last part.

    >>> short("recipe2plan/timed/Vada_Daikon-Radish"), short("timearena/cooking1+cooking2")
    ('Vada_Daikon-Radish', 'cooking1+cooking2')
    """
    rest = problem.removeprefix(set_of(problem)[0].partition("~")[0] + "/")
    return problem.rpartition("/")[2] if rest == problem else rest


def span(instance: Problem, ticks: int) -> str:
    """Write a duration.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> kitchen = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> span(kitchen, 90), span(kitchen, 3900), span(kitchen, 0)
    ('1 min 30 s', '1 h 5 min', '0 s')
    >>> span(load("asynctool/files_1"), 1), span(load("timearena/household1"), 3)
    ('1 turn', '3 min')
    """
    if instance.seconds_per_tick is None:
        return f"{ticks} {visible(instance.unit)}{'' if ticks == 1 else 's'}"
    seconds = abs(ticks) * instance.seconds_per_tick
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s"))
    told = [f"{amount} {unit}" for amount, unit in parts if amount]
    return ("-" if ticks < 0 else "") + (" ".join(told) or "0 s")


def moment(instance: Problem, tick: int) -> str:
    """Write an instant: a clock where ticks are seconds, else the number of the minute, turn (from 1) or tick.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> moment(load("recipe2plan/timed/Cobbler_Pancakes"), 90), moment(load("timearena/household1"), 3)
    ('00:01:30', 'minute 3')
    >>> moment(load("asynctool/files_1"), 0)
    'turn 1'
    """
    if instance.seconds_per_tick == 1:
        return format_clock(tick)
    original: Problem = getattr(instance, "rest_of", None) or instance
    return f"{visible(instance.unit)} {tick + registry.of(original).first_moment}"
