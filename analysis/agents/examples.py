"""Examples in prompts: a problem that our solvers have solved, in the form that a setting wants of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from planoracle.analysis.agents.agent import Agent
from planoracle.analysis.agents.registry import agent
from planoracle.analysis.agents.wording import values
from planoracle.instances import catalogue
from planoracle.instances.digest import digest
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.instances.prompted import Prompted
from planoracle.instances.reading import load_json

__all__ = ["example", "formed", "spoken"]

_THOUGHTS = {
    "act": "Of all that is allowed now, this keeps the shortest time within reach.",
    "wait": "Nothing that could begin now would make it shorter, so time has to pass.",
    "close": "Everything is done.",
}
_PLAN = "A plan that nobody can make shorter."
_kept: dict[str, Mapping[str, str]] = {}


async def example(prompted: Prompted, environment: AnyEnvironment) -> Mapping[str, str]:
    """Return the texts of the example in the prompts for a problem, by the file that says how they look.

    None if the setting has no example. The same problem is solved once in a process.

    Raises
    ------
    InputError
        If every example is the problem itself, or one cannot be read or solved.
    """
    setting = prompted.setting
    if not setting.examples:
        return {}
    problem = _other(prompted, environment)
    key = digest(prompted.digest, problem.name, repr(environment.rules))
    if key not in _kept:
        loop = "open" if setting.shows == "plan" else "closed"
        manner = setting.manner._replace(loop=loop, limit=None)
        run = environment.benchmark.environment(problem, environment.rules, manner)
        begun = run.fork()  # which prompts look at, while the run goes on
        said = await spoken(prompted, run, answers=setting.shows == "dialogue")
        filling = values(prompted, begun, {"plan": "\n".join(said)})
        files = (setting.example, *(ask.example for ask in setting.asks if ask.example))
        _kept[key] = {file: prompted.fill(file, filling) for file in files}
    return _kept[key]


async def spoken(
    prompted: Prompted, run: AnyEnvironment, by: Agent | None = None, *, answers: bool = False
) -> list[str]:
    """Let an agent play a run to its end, by default the optimal one, and return what it says in a setting's form.

    ``answers``: also what it is answered.
    """
    player, found = by or agent("optimal"), []
    while not run.done:
        before = run.fork()
        said = await player.act(run)
        if said is None:
            break
        outcomes = run.step(said.text).outcomes
        thought = _PLAN if run.manner.loop == "open" else _THOUGHTS.get(outcomes[-1].kind if outcomes else "", "")
        found.append(formed(prompted, before, said.text, thought))
        if answers and run.observation.text:
            found.append(f"Answer: {run.observation.text}")
    return found


def formed(prompted: Prompted, environment: AnyEnvironment, command: str, thought: str = "") -> str:
    """Return a message of the agent as a setting wants it."""
    filling = values(prompted, environment, {"command": command, "thought": thought})
    return prompted.fill(prompted.setting.form, filling)


def _other(prompted: Prompted, environment: AnyEnvironment) -> Problem:
    """Return the first example that tells nothing of the problem."""
    for name in prompted.setting.examples:
        found = _read(prompted, environment, name)
        if prompted.setting.apart(found, environment.problem):
            return found
    message = f"every example of the setting {prompted.name} has a part of it"
    raise InputError(message, field="instance", value=environment.problem.name)


def _read(prompted: Prompted, environment: AnyEnvironment, name: str) -> Problem:
    if name not in prompted.prompts:
        return catalogue.load(name)
    file = prompted.prompts[name]
    found = environment.benchmark.read(load_json(file.text, file.source), file.source)
    if len(found) != 1:
        raise InputError("must hold one problem", source=file.source, field="example", value=len(found))
    return cast(Problem, found[0])
