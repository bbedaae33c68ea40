"""What there can be to do: every task, by every agent."""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.instances.paracook_abstract.encode import by_name
from planoracle.instances.paracook_abstract.run import command
from planoracle.instances.repertoire import Repertoire


def repertoire(problem: Instance) -> Repertoire:
    """Return the commands, and ``Finish``."""
    return Repertoire((*(command(agent, name) for name in by_name(problem) for agent in problem.agents), "Finish"))
