"""Examples in prompts: a problem that our solvers have solved, in the form that a setting wants of the agent."""

from __future__ import annotations

from collections.abc import Mapping

from planoracle.analysis.agents.agent import Agent
from planoracle.analysis.agents.registry import agent
from planoracle.analysis.agents.wording import values
from planoracle.instances import catalogue
from planoracle.instances.digest import digest, fingerprint
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import InputError
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem
from planoracle.instances.prompted import Prompted

_THOUGHTS = {
    "act": "{now} No other command leads to an earlier end than this one.",
    "wait": "{now} Nothing that could begin now would lead to an earlier end, so time has to pass.",
    "close": "{now} Everything is done.",
    "plan": "Nobody can do it in less time.",
}
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
    key = digest(prompted.digest, fingerprint(problem), environment.rules)
    if key not in _kept:
        begun = environment.benchmark.environment(problem, environment.rules, setting.manner)
        loop = "open" if setting.shows == "plan" else "closed"
        run = environment.benchmark.environment(problem, environment.rules, Manner(loop))
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
    player, turns = by or agent("optimal"), []
    while not run.done:
        before, message = run.fork(), await player.act(run)
        if message is None:
            break
        outcomes = run.step(message).outcomes
        kind = "plan" if run.manner.loop == "open" else outcomes[-1].kind if outcomes else ""
        texts = {"command": message, "thought": _thought(before, kind), "changes": _changes(before, run)}
        turns.append((before, texts, run.observation.text))
    found = []
    for at, (before, texts, answer) in enumerate(turns):
        rest = "; ".join(later["command"] for _, later, _ in turns[at:])
        found.append(prompted.fill(prompted.setting.form, values(prompted, before, {**texts, "rest": rest})))
        if answers and answer:
            found.append(f"Observation: {answer}")
    return found


def _thought(before: AnyEnvironment, kind: str) -> str:
    """Return why a command of a best plan is given, and how things stand, if that is said in a line."""
    now = before.situation()
    return _THOUGHTS.get(kind, "").format(now="" if "\n" in now else now).strip()


def _changes(before: AnyEnvironment, after: AnyEnvironment) -> str:
    known = before.situation().split("\n")
    return "; ".join(line.strip() for line in after.situation().split("\n") if line not in known) or "nothing else"


def _other(prompted: Prompted, environment: AnyEnvironment) -> Problem:
    """Return the first example that tells nothing of the problem."""
    for name in prompted.setting.examples:
        found = _read(prompted, name)
        if prompted.setting.apart(found, environment.problem):
            return found
    message = f"every example of the setting {prompted.name} has a part of it"
    raise InputError(message, field="instance", value=environment.problem.name)


def _read(prompted: Prompted, name: str) -> Problem:
    if name not in prompted.prompts:
        return catalogue.problem(name)
    file = prompted.prompts[name]
    found = catalogue.read_line(file.text.encode(), file.source)
    if len(found) != 1:
        raise InputError("must hold one problem", source=file.source, field="example", value=len(found))
    if isinstance(found[0], InputError):
        raise found[0]
    if found[0].benchmark != prompted.benchmark:
        message = f"must be a problem of {prompted.benchmark}"
        raise InputError(message, source=file.source, field="benchmark", value=found[0].benchmark)
    return found[0]
