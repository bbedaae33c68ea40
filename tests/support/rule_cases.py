"""Small problems and schedules by hand, for tests of the general rules."""

from __future__ import annotations

from typing import Any

from planoracle.instances.model.instance import Action, Demand, Instance, Mode
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee


def act(name: str, duration: int = 2, attended: int | None = None, *uses: Demand, **more: Any) -> Action:
    """Return an action of task ``t``, attended throughout by default, with one mode for its uses."""
    modes = {"modes": (Mode(uses),)} if uses else {}
    return Action(f"t/{name}", "t", duration, duration if attended is None else attended, **modes, **more)


def run(action: str, start: int, duration: int = 2, agent: str | None = "agent", mode: int = 0) -> Piece:
    """Return a piece of an action of task ``t``, unless its name contains a task."""
    name = action if "/" in action else f"t/{action}"
    return Piece(name, start, duration, agent, mode)


def kinds(instance: Instance, *pieces: Piece) -> list[str]:
    """Return the kinds of violations of a schedule, each once, in normal form and as it is."""
    as_is = referee(instance, Schedule(pieces))
    normal = referee(instance, Schedule.of(instance, pieces))
    found_kinds = list(dict.fromkeys(violation.kind for violation in as_is.violations))
    assert found_kinds == list(dict.fromkeys(violation.kind for violation in normal.violations))
    assert all(violation.message for violation in as_is.violations)
    assert not as_is.contradiction
    return found_kinds


def messages(instance: Instance, *pieces: Piece) -> list[str]:
    """Return the messages of the violations of a schedule as it is."""
    return [violation.message for violation in referee(instance, Schedule(pieces)).violations]
