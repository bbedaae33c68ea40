"""Values of actions and their modes, with the defaults of files, tables and the builder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Mode
from planoracle.instances.model.mode_validation import normal_mode
from planoracle.instances.text import one_of

#: Attended ticks of an action that holds its agent for its whole duration, whatever it is.
ALL: Final = "all"
#: Words for the pauses of an action.
PAUSES: Final = ("never", "breaks", "anywhere")


def pause_flags(pauses: str | None, interruptible: bool, field: str) -> tuple[bool, bool]:
    """Return whether an action pauses anywhere, and whether it pauses in breaks.

    Parameters
    ----------
    pauses
        Word of `PAUSES`; ``None``: as ``interruptible`` says.
    interruptible
        True if it pauses anywhere.
    field
        Path of the action, for errors.
    """
    if pauses is None:
        return interruptible, False
    if pauses not in PAUSES:
        raise InputError(one_of(pauses, PAUSES), field=f"{field}.pauses", value=pauses)
    if interruptible and pauses != "anywhere":
        message = "contradicts interruptible, which means pauses anywhere"
        raise InputError(message, field=f"{field}.pauses", value=pauses)
    return pauses == "anywhere", pauses == "breaks"


def attended_ticks(duration: Any, attended: Any, agents: tuple[str, ...] | None) -> Any:
    """Return the attended ticks of an action of some duration: by default all, and none if it needs no agent."""
    if attended is None:
        return 0 if agents == () else duration
    return duration if attended == ALL else attended


def with_values_of_modes(action: Action, attended: Any, agents: Iterable[str]) -> Action:
    """Return an action with its defaults and, in its modes, only values that differ from the defaults.

    Two descriptions of the same modes so give equal actions. Values that need an explicit one stay as they are, and
    the checks of the instance refuse them.

    Parameters
    ----------
    action
        Action with the values of its modes as they are given; its duration may be ``None`` if every mode has one.
    attended
        Attended ticks, `ALL`, or ``None`` for the default: all ticks, and none if the action needs no agent.
    agents
        Agents of the instance.

    Raises
    ------
    InputError
        If no duration is given, or if attended ticks are given and only the modes have durations.

    Examples
    --------
    >>> modes = Mode(duration=4), Mode(duration=6), Mode(duration=6, attended=2)
    >>> action = with_values_of_modes(Action("t/cut", "t", None, None, modes=modes), None, ("ann",))
    >>> action.duration, action.attended, [(mode.duration, mode.attended) for mode in action.modes]
    (4, 4, [(None, None), (6, None), (6, 2)])
    """
    field = f"actions[{action.id}]"
    is_of_modes = action.duration is None
    if is_of_modes and attended not in (None, 0, ALL):
        message = f"must be 0 or {ALL!r} if only the modes have durations; a mode can have attended ticks"
        raise InputError(message, field=f"{field}.attended", value=attended)
    duration = _duration(action)
    ticks = attended_ticks(duration, attended, action.agents)
    if (duration, ticks) != (action.duration, action.attended):
        action = replace(action, duration=duration, attended=ticks)
    if not any(map(has_values, action.modes)):
        return action
    if is_of_modes:
        is_attended = attended == ALL or (attended is None and action.agents != ())
        modes = [_explicit(mode, is_attended=is_attended) for mode in action.modes]
    else:
        modes = list(action.modes)
    eligible = tuple(agents)
    return replace(action, modes=tuple(normal_mode(action, mode, eligible) for mode in modes))


def has_values(mode: Mode) -> bool:
    """Return whether a mode has a duration, attended ticks or agents."""
    return mode.duration is not None or mode.attended is not None or mode.agents is not None


def _duration(action: Action) -> Any:
    """Return the duration of an action, or else that of its first mode."""
    if action.duration is not None:
        return action.duration
    durations = [mode.duration for mode in action.modes]
    if not durations or None in durations:
        raise InputError("is missing; give one, or one in each mode", field=f"actions[{action.id}].duration")
    return durations[0]


def _explicit(mode: Mode, *, is_attended: bool) -> Mode:
    """Return a mode of an action without a duration with its attended ticks."""
    if mode.attended is not None:
        return mode
    is_attended_mode = is_attended and mode.agents != ()
    return replace(mode, attended=mode.duration if is_attended_mode else 0)
