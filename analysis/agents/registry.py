"""All agents by name, as on the command line."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from typing import cast

from planoracle.analysis.agents.agent import Agent
from planoracle.heuristics.registry import names as heuristics
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.similar import one_of

__all__ = ["agent", "names", "options"]

_PACKAGE = __package__
# Module and class of each; those of the second table have something behind their names, ``replay:FILE``.
_PLAIN = {
    "optimal": "optimal:Optimal",
    "greedy": "heuristic:Greedy",
    "random": "random:Random",
    "advice": "advice:Advised",
    "human": "human:Human",
}
_WITH = {"replay": "replay:Replaying", "openai": "openai:OpenAI"}
_HEURISTIC = "heuristic:Heuristic"


def names() -> tuple[str, ...]:
    """Return the names of all agents; capitals stand for what is to be filled in."""
    return (*_PLAIN, *heuristics(), "replay:FILE", "openai:MODEL")


def agent(name: str, *, seed: int = 0, **options: object) -> Agent:
    """Return a new agent, for one run.

    Parameters
    ----------
    name
        One of `names`: ours, a heuristic's, ``replay:FILE`` or ``openai:MODEL``.
    seed
        Of what it leaves to chance, if anything.
    options
        As the agent has them, such as ``base_url`` of a model.

    Raises
    ------
    UnknownNameError
        If there is no agent of that name.
    InputError
        For an option that it does not have, or what the agent itself says of a value.

    Examples
    --------
    >>> agent("bogus")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.UnknownNameError: agent: must be one of optimal, greedy, ... (found 'bogus')
    """
    make, given = _find(name)
    known = _options(make)
    for option in options:
        if option not in known:
            raise InputError(f"is no option of the agent {name}", field=option, value=options[option])
    return make(*given, seed=seed, **options)


def options(name: str) -> frozenset[str]:
    """Return what an agent of that name can be given beside its seed; raises `UnknownNameError`.

    Examples
    --------
    >>> options("random")
    frozenset()
    """
    return _options(_find(name)[0])


def _options(make: Callable[..., Agent]) -> frozenset[str]:
    parameters = signature(make).parameters.values()
    return frozenset(one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY) - {"seed"}


def _find(name: str) -> tuple[Callable[..., Agent], tuple[str, ...]]:
    """Return what makes an agent, and what it is given before its options."""
    first, colon, rest = name.partition(":")
    given: tuple[str, ...] = ()
    if name in _PLAIN:
        where = _PLAIN[name]
    elif first in _WITH and colon and rest:
        where, given = _WITH[first], (rest,)
    elif name in heuristics():
        where, given = _HEURISTIC, (name,)
    else:
        raise UnknownNameError(one_of(name, names(), "agents"), field="agent", value=name)
    module, _, kind = where.partition(":")
    return cast("Callable[..., Agent]", getattr(import_module(f"{_PACKAGE}.{module}"), kind)), given
