"""How a live run is held, see `planoracle.instances.environment`."""

from __future__ import annotations

from typing import NamedTuple


class Manner(NamedTuple):
    """How a live run is held.

    Attributes
    ----------
    loop
        ``closed``: command by command, each of which is answered; ``open``: one message with the whole plan.
    feedback
        ``terse``: whether a command was carried out; ``detailed``: also why it was not, and what goes on.
    style
        Of messages, where a benchmark has its own: ``paper``, or ``chat`` for the form that chat interfaces demand.
    limit
        Messages of the agent after which the run ends; ``None``: as many as the rules allow.
    bounded
        Whether a run ends where the authors' own harness ends it although their rules do not; where none is known,
        when it leads nowhere.
    """

    loop: str = "closed"
    feedback: str = "detailed"
    style: str = "chat"
    limit: int | None = None
    bounded: bool = True


#: Command by command, in detail.
USUAL = Manner()
