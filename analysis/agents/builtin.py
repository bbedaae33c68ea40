"""Built-in agents by name, as on the command line."""

from __future__ import annotations

from planoracle.analysis.agents.agent import Agent
from planoracle.analysis.agents.schedule_agents import GreedyAgent, Random, ScheduleAgent
from planoracle.analysis.agents.solver_agents import Optimal
from planoracle.heuristics.registry import GREEDY, accepted_names
from planoracle.heuristics.registry import names as heuristics
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.text import one_of

#: Agents of the last release, and what replaces them.
_REMOVED = {"floor-list": "was removed with the planners of grid kitchens; use random, or optimal for bundled plans"}


def names() -> tuple[str, ...]:
    """Return the names of all agents."""
    return ("optimal", GREEDY, "random", *heuristics())


def agent(name: str, *, seed: int = 0) -> Agent:
    """Return a new agent, for one run.

    Parameters
    ----------
    name
        One of `names`: an agent or a heuristic, see `planoracle.heuristics.registry.full_name`.
    seed
        Of random choices, if the agent makes any.

    Raises
    ------
    UnknownNameError
        If there is no agent of that name.

    Examples
    --------
    >>> agent("bogus")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.UnknownNameError: agent: must be one of optimal, greedy, ... (got 'bogus')
    """
    if name == "optimal":
        return Optimal()
    if name == "random":
        return Random(seed=seed)
    if name == GREEDY:
        return GreedyAgent(seed=seed)
    if name in accepted_names():
        return ScheduleAgent(name, seed=seed)
    message = _REMOVED.get(name) or one_of(name, names(), "agents")
    raise UnknownNameError(message, field="agent", value=name)
