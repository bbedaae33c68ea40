"""Modes with durations, attended ticks and agents: their normal form, and their checks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planoracle.instances.errors import InputError
from planoracle.instances.model.value_checks import Faults, name_faults, number_faults
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    from planoracle.instances.model.instance import Action, Instance, Mode


def normal_actions(actions: tuple[Action, ...], agents: tuple[str, ...]) -> tuple[Action, ...]:
    """Return actions with their modes in normal form, see `normal_mode`.

    Parameters
    ----------
    actions
        Actions of an instance; values that the checks refuse stay as they are.
    agents
        Agents of the instance.
    """
    changed = {}
    for position, action in enumerate(actions):
        for mode in action.modes:
            if mode.duration is not None or mode.attended is not None or mode.agents is not None:
                changed[position] = _normal_action(action, agents)
                break
    if not changed:
        return actions
    return tuple(changed.get(position, action) for position, action in enumerate(actions))


def _normal_action(action: Action, agents: tuple[str, ...]) -> Action:
    modes = tuple(normal_mode(action, mode, agents) for mode in action.modes)
    return action if modes == action.modes else replace(action, modes=modes)


def normal_mode(action: Action, mode: Mode, agents: tuple[str, ...]) -> Mode:
    """Return a mode without the values that it has anyway, so that equal problems have equal modes.

    The values are left out in the order duration, agents, attended ticks. A mode that lacks attended ticks, or has
    values that the checks refuse, stays as it is.

    Parameters
    ----------
    action
        Action of the mode.
    mode
        Mode with or without values.
    agents
        Agents of the instance.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Mode
    >>> cut = Action("t/cut", "t", 4, 4)
    >>> normal_mode(cut, Mode(duration=4, attended=4, agents=("ann",)), ("ann",)) == Mode()
    True
    >>> mode = normal_mode(cut, Mode(duration=6, attended=6, agents=("ann",)), ("ann", "bob"))
    >>> mode.duration, mode.attended, mode.agents
    (6, None, ('ann',))
    """
    if not _are_whole(action, mode) or lacks_attended_ticks(action, mode):
        return mode
    attended = action.attended_in(mode)
    eligible = agents if action.agents is None else action.agents
    shorter = replace(
        mode,
        duration=None if mode.duration == action.duration else mode.duration,
        agents=None if mode.agents == eligible else mode.agents,
        attended=None,
    )
    is_determined = not lacks_attended_ticks(action, shorter) and action.attended_in(shorter) == attended
    return shorter if is_determined else replace(shorter, attended=attended)


def _are_whole(action: Action, mode: Mode) -> bool:
    """Return whether all ticks are whole numbers."""
    ticks = [action.duration, action.attended]
    ticks += [value for value in (mode.duration, mode.attended) if value is not None]
    return all(type(value) is int for value in ticks)


def lacks_attended_ticks(action: Action, mode: Mode) -> bool:
    """Return whether a mode needs attended ticks, because those of its action do not say how many it has.

    A mode that needs no agent has none. A mode with a duration is attended throughout or not at all, as its action is.
    """
    if mode.attended is not None or mode.agents == () or mode.duration is None:
        return False
    if not action.duration:
        return mode.duration > 0
    return action.attended not in (0, action.duration)


def agent_faults(instance: Instance, names: tuple[str, ...], field: str, agents: set[str]) -> Faults:
    """Yield the faults of eligible agents.

    Parameters
    ----------
    instance
        Instance whose agents these are.
    names, field
        Names of agents, and the path of their field.
    agents
        Agents of the instance.
    """
    yield from name_faults(names, field)
    for name in names:
        if name not in agents:
            yield InputError(one_of(name, instance.agents, "agents"), field=field, value=name)


def mode_faults(instance: Instance, action: Action, mode: Mode, field: str, agents: set[str]) -> Faults:
    """Yield the faults of the values of a mode.

    Parameters
    ----------
    instance, action, mode
        Instance, an action of it, and a mode of the action with values.
    field
        Path of the mode.
    agents
        Agents of the instance.
    """
    faults = list(agent_faults(instance, mode.agents or (), f"{field}.agents", agents))
    for name in ("duration", "attended"):
        value = getattr(mode, name)
        if value is not None:
            faults += number_faults(value, f"{field}.{name}")
    yield from faults
    if not faults and _are_whole(action, mode):
        yield from _attention_faults(instance, action, mode, field)


def _attention_faults(instance: Instance, action: Action, mode: Mode, field: str) -> Faults:
    """Yield the faults of the attended ticks of a mode with valid values."""
    if lacks_attended_ticks(action, mode):
        message = f"is missing; the action is attended for {action.attended} of {action.duration} ticks"
        yield InputError(f"{message}, so a mode with another duration needs it", field=f"{field}.attended")
        return
    duration = action.duration_in(mode)
    attended = action.attended_in(mode)
    if attended > duration:
        yield InputError(f"must not exceed the duration {duration}", field=f"{field}.attended", value=attended)
    elif 0 < attended < duration and (action.interruptible or action.pauses_in_breaks):
        message = f"must be 0 or the duration {duration} for an action that may pause"
        yield InputError(message, field=f"{field}.attended", value=attended)
    eligible = instance.eligible(action) if mode.agents is None else mode.agents
    if attended and not eligible:
        yield InputError("an attended mode needs an eligible agent", field=f"{field}.agents", value=[])
