"""Built-in agents by name, as on the command line."""

from __future__ import annotations

from planoracle.analysis.agents.agent import Agent
from planoracle.analysis.agents.replay_agent import Replaying
from planoracle.analysis.agents.schedule_agents import GreedyAgent, Random, ScheduleAgent
from planoracle.analysis.agents.solver_agents import Optimal
from planoracle.heuristics.registry import names as heuristics
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.text import one_of

# Agents of earlier releases, and what replaces them.
_REMOVED = {
    "advice": "use optimal, or planoracle next for the commands that keep the optimum within reach",
    "human": "use planoracle next for the legal commands and their costs",
    "openai": "use planoracle run --model openai/MODEL",
}


def names() -> tuple[str, ...]:
    """Return the names of all agents; capitals stand for what is to be filled in."""
    return ("optimal", "greedy", "random", *heuristics(), "replay:FILE")


def agent(name: str, *, seed: int = 0) -> Agent:
    """Return a new agent, for one run.

    Parameters
    ----------
    name
        One of `names`: an agent, a heuristic, or ``replay:FILE``.
    seed
        Of random choices, if the agent makes any.

    Raises
    ------
    UnknownNameError
        If there is no agent of that name.
    InputError
        If there is no file to replay.

    Examples
    --------
    >>> agent("bogus")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.UnknownNameError: agent: must be one of optimal, greedy, ... (got 'bogus')
    """
    kind, _, rest = name.partition(":")
    if name == "optimal":
        return Optimal()
    if name == "random":
        return Random(seed=seed)
    if kind == "replay" and rest:
        return Replaying(rest, seed=seed)
    if name == "greedy" or name in heuristics():
        return GreedyAgent(seed=seed) if name == "greedy" else ScheduleAgent(name, seed=seed)
    fault = f"was removed; {_REMOVED[kind]}" if kind in _REMOVED else one_of(name, names(), "agents")
    raise UnknownNameError(fault, field="agent", value=name)


def content_of(name: str) -> str:
    """Return a digest of the file that an agent replays, ``""`` for other agents; raises as `agent`."""
    about = getattr(agent(name), "content", None)
    return "" if about is None else str(about())
