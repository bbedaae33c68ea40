"""What there can be to do in a problem: its commands, whatever the state, without their times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repertoire:
    """What there can be to do.

    Attributes
    ----------
    names
        In a fixed order; every legal command in every state is one of these.
    name_of
        Returns the name of a command as `planoracle.instances.environment` writes it; of others, whatever it likes.
    timed
        Whether commands say when or for how long, so that several that are legal have the same name.

    Examples
    --------
    >>> from planoracle.instances import catalogue, registry
    >>> problem = catalogue.problem("recipe2plan/timed/Vada_Daikon-Radish")
    >>> found = registry.of(problem).repertoire(problem)
    >>> found.names[:2], found.name_of("Step(1, Vada, 00:05:00, 00:02:00)")
    (('Vada/0', 'Vada/1'), 'Vada/1')
    """

    names: tuple[str, ...]
    name_of: Callable[[str], str] = str
    timed: bool = False
