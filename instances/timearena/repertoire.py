"""What there can be to do in a problem of TimeArena."""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.instances.repertoire import Repertoire
from planoracle.instances.timearena.world import world


def repertoire(problem: Instance) -> Repertoire:
    """Return all actions, and the wait."""
    return Repertoire((*world(problem.name).commands, "wait"))
