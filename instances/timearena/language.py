"""Plans of TimeArena: decisions out of lists, logs and free text."""

from __future__ import annotations

import re
from typing import Any

from planoracle.instances.errors import PlanError
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.schedule import Schedule
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.profile import PROFILES, Profile
from planoracle.instances.timearena.rules import EXITS
from planoracle.instances.timearena.world import World, world

__all__ = ["MAX_DECISIONS", "commands", "extract", "parse", "schedule", "written"]

#: More decisions than minutes in any run.
MAX_DECISIONS = 100_000

_MARK = re.compile(r"^\s{0,20}(?:[-*•>]|\d{1,6}[.):])\s{0,20}")
_EDGES = " \t\r\n.,;:!?\"'`()[]{}*"


def parse(submission: object, world: World, rules: Profile = PROFILES["paper"]) -> list[str]:
    r"""Read the agent's decisions.

    Parameters
    ----------
    submission
        A list of decisions; a released log, a list of records with an ``"action"``; or text, one decision a
        line. Continuations of an occupying action are implied.
    rules
        With ``normalize``, an action is extracted from what surrounds it, and lines of prose without any
        are passed over.

    Raises
    ------
    PlanError
        If the submission has none of these forms or holds too many decisions.

    Examples
    --------
    >>> from planoracle.instances.timearena.world import world
    >>> parse("1. I will wash cup.\n2. Wait", world("timearena/household1"))
    ['wash cup', 'wait']
    """
    if isinstance(submission, str):
        lines = [line for line in submission.splitlines() if line.strip()]
        if rules.normalize:
            lines = [_MARK.sub("", line) for line in lines]
            lines = [line for line in lines if len(line.split()) <= 6 or extract(line, world) != line]
        made = lines
    elif isinstance(submission, list):
        made = [_decision(entry, f"actions[{i}]") for i, entry in enumerate(submission)]
    else:
        raise PlanError("must be a list of decisions, a log or a text", field="actions", value=submission)
    if len(made) > MAX_DECISIONS:
        raise PlanError(f"holds more than {MAX_DECISIONS} decisions", field="actions")
    return [extract(decision, world) for decision in made] if rules.normalize else made


def commands(problem: Instance, given: object, rules: Profile) -> list[str]:
    """Read the decisions of a plan, see `parse`."""
    return parse(given, world(problem.name), rules)


def written(problem: Instance, schedule: Schedule) -> list[str]:
    """Write a schedule as decisions."""
    return encode.decisions(problem, schedule)


def schedule(problem: Instance, plan: Plan[list[str]]) -> Schedule:
    """Turn decisions into a schedule."""
    return encode.to_schedule(problem, plan.commands)


def _decision(entry: Any, field: str) -> str:
    text = entry.get("action") if isinstance(entry, dict) else entry
    if not isinstance(text, str):
        raise PlanError("must be a text, or a record with an action", field=field, value=entry)
    return text


def extract(text: str, world: World) -> str:
    """Return the first action of the world that a text names, or the text itself if it names none.

    A wait may have a few words around it; ``exit`` and ``quit``, which end a run, must stand alone.

    >>> from planoracle.instances.timearena.world import world
    >>> extract("Next I pour kettle into teapot!", world("timearena/household1"))
    'pour kettle into teapot'
    >>> extract("Quit!", world("timearena/household1")), extract("I would quit", world("timearena/household1"))
    ('quit', 'I would quit')
    """
    words = [stripped for word in text[:10_000].lower().split() if (stripped := word.strip(_EDGES))]
    for i, verb in enumerate(words):
        four = words[i : i + 4]
        if len(four) == 4 and f"{verb} {four[2]}" in world.verbs and {four[1], four[3]} <= world.objects.keys():
            return " ".join(four)
        if verb in world.verbs and i + 1 < len(words) and words[i + 1] in world.objects:
            return f"{verb} {words[i + 1]}"
    if len(words) == 1 and words[0] in EXITS:
        return words[0]
    return "wait" if "wait" in words and len(words) <= 8 else text
