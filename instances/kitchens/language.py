"""Plans of Robotouille: actions out of lists, logs and free text, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from planoracle.instances.errors import PlanError
from planoracle.instances.kitchens.domain import Action, Domain
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import PROFILES, Profile

__all__ = ["MAX_ACTIONS", "commands", "extract", "match", "parse", "render"]

#: More actions than steps in any run.
MAX_ACTIONS = 10_000
#: Most lines that are not empty of a text; longer lines are cut.
MAX_LINES, MAX_LINE = 100_000, 20_000

_SLOT = re.compile(r"\{(\w+)\}")
_ACTION_LINE = re.compile(r"^\s{0,20}\**action\**\s{0,20}\d{0,6}\s{0,20}:\**(.*)$", re.I)
_PLAN_LINE = re.compile(r"^\s{0,20}\**plan\**\s{0,20}:\**(.*)$", re.I)


def parse(submission: object, domain: Domain, rules: Profile = PROFILES["released"]) -> list[str]:
    r"""Read the actions of a submission.

    Parameters
    ----------
    submission
        A list of actions, or of records with an ``"action"``: every entry counts, also one that is no action. Or text:
        if it has lines that begin with ``Action:`` those count, else what follows the last ``Plan:``, else all of it;
        actions are found wherever they stand in a line, with any numbering, case and decoration, and what is no action
        is passed over, except on an ``Action:`` line. ``Finish`` ends it.
    rules
        With ``normalize``, entries of a list are read as generously as text.

    Raises
    ------
    PlanError
        If the submission has none of these forms or holds too many actions, or lines that are not empty.

    Examples
    --------
    >>> from planoracle.instances.kitchens.domain import bundled
    >>> parse("1. move Robot1 from table1 to stove1.\n2. Then: **Do nothing**", bundled())
    ['Move robot1 from table1 to stove1', 'Do nothing']
    """
    if isinstance(submission, str):
        made = _from_text(submission, domain)
    elif isinstance(submission, list):
        made = []
        for i, entry in enumerate(submission[: MAX_ACTIONS + 1]):
            text = _entry(entry, f"actions[{i}]")
            found = extract(text, domain) if rules.normalize else []
            made.append(found[0] if found else text.strip())
    else:
        raise PlanError("must be a list of actions, a log or a text", field="actions", value=submission)
    if len(made) > MAX_ACTIONS:
        raise PlanError(f"holds more than {MAX_ACTIONS} actions", field="actions")
    return made


def commands(problem: Kitchen, given: object, rules: Profile) -> list[str]:
    """Read the actions of a plan for a kitchen, see `parse`."""
    return parse(given, problem.domain, rules)


def _entry(entry: Any, field: str) -> str:
    text = entry.get("action") if isinstance(entry, dict) else entry
    if not isinstance(text, str):
        raise PlanError("must be a text, or a record with an action", field=field, value=entry)
    return text


def _from_text(text: str, domain: Domain) -> list[str]:
    lines = [line[:MAX_LINE] for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_LINES:
        raise PlanError(f"holds more than {MAX_LINES} lines", field="actions")
    marked = [found[1] for line in lines if (found := _ACTION_LINE.match(line))]
    if marked:
        made = []
        for line in marked:
            actions = extract(line, domain) or [line.strip()]
            if actions[0].strip(" .*").lower() == "finish":
                break
            made += actions[:1]
        return made
    starts = [i for i, line in enumerate(lines) if _PLAN_LINE.match(line)]
    if starts:
        first = _PLAN_LINE.match(lines[starts[-1]])
        lines = [first[1] if first else "", *lines[starts[-1] + 1 :]]
    return [action for line in lines for action in extract(line, domain)]


def extract(text: str, domain: Domain) -> list[str]:
    """Return the actions that a text names, as the simulator writes them, in order.

    >>> from planoracle.instances.kitchens.domain import bundled
    >>> extract("pick up  Pot1 from sink1 using robot1; then place pot1 on stove1 using robot1", bundled())
    ['Pick up pot1 from sink1 using robot1', 'Place pot1 on stove1 using robot1']
    """
    found: dict[int, tuple[int, str]] = {}
    for generous, actions in _templates(domain):
        for hit in generous.finditer(text[:MAX_LINE]):
            written = actions[0][0].write({slot: name.lower() for slot, name in hit.groupdict().items()})
            found[hit.start()] = max(found.get(hit.start(), (0, "")), (hit.end(), written))
    made, end = [], -1
    for start in sorted(found):
        if start >= end:
            end, action = found[start]
            made.append(action)
    return made


def match(text: str, domain: Domain) -> list[tuple[Action, dict[str, str]]]:
    """Return the actions that are written exactly like a text, and the objects it names.

    >>> from planoracle.instances.kitchens.domain import bundled
    >>> [(action.name, binding) for action, binding in match("Cut onion1 on board2 using robot1", bundled())]
    [('cut', {'i1': 'onion1', 's1': 'board2', 'p1': 'robot1'})]
    """
    found = []
    for _, actions in _templates(domain):
        for action, exact in actions:
            hit = exact.fullmatch(text)
            if hit:
                found.append((action, hit.groupdict()))
    return found


def render(actions: Iterable[str]) -> str:
    """Write a plan, one action a line."""
    return "\n".join(actions)


_Template = tuple[re.Pattern[str], list[tuple[Action, re.Pattern[str]]]]


@lru_cache(maxsize=8)
def _templates(domain: Domain) -> list[_Template]:
    """Return the different ways to write actions: pattern in any case and spacing, actions with their exact one."""
    found: dict[str, _Template] = {}
    for action in domain.actions:
        parts = _SLOT.split(action.text)
        exact = "".join(rf"(?P<{part}>[A-Za-z_][\w-]*)" if i % 2 else re.escape(part) for i, part in enumerate(parts))
        loose = "".join(
            rf"(?P<{part}>[A-Za-z_][A-Za-z_-]{{0,40}}\d{{1,9}})" if i % 2 else _spaced(part)
            for i, part in enumerate(parts)
        )
        shape = _SLOT.sub("{}", action.text)
        if shape not in found:
            found[shape] = (re.compile(rf"(?<!\w){loose}(?!\w)", re.I), [])
        found[shape][1].append((action, re.compile(exact)))
    return list(found.values())


def _spaced(words: str) -> str:
    """Return a pattern for words with any white space between them and any kind of apostrophe."""
    return r"\s{1,20}".join(re.escape(word).replace("'", "['’]?") for word in words.split(" "))
