"""Plans of Robotouille: actions in lists, logs and free text, and back.

Actions stand in the sentences of the simulator, or in the names of the domain, see
`planoracle.instances.benchmarks.kitchens.domain_names`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from planoracle.instances.benchmarks.kitchens import domain_names
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.messages import chat_in, is_log, observed
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import Reading

#: Maximum number of actions, more than any run has steps.
MAX_ACTIONS = 10_000
#: Maximum length of a line; longer lines are cut.
MAX_LINE = 20_000
#: Maximum length of lines whose actions are cached, because plans repeat lines.
MAX_SHORT = 120

_SLOT = re.compile(r"\{(\w+)\}")
_AT_STATION = re.compile(r" \(at (?P<station>[A-Za-z_][\w-]*)\)$")
_NUMBERED = re.compile(r"[a-z][_ -]?\d", re.I)
_DECORATION = " .,;:!*_`\"'()[]"


class _Actions(Grammar[str]):
    """The actions of a kitchen."""

    def __init__(self, kitchen: Kitchen) -> None:
        self.kitchen = kitchen
        self.domain = kitchen.domain

    def find(self, text: str) -> list[StepMatch[str]]:
        actions = extract(text, self.domain)
        if actions:
            return [StepMatch(len(action), action) for action in actions]
        named = domain_names.find(text[:MAX_LINE], self.kitchen)
        return [StepMatch(action.end - action.start, action.command) for action in named]

    def of(self, value: object) -> list[str] | None:
        command = None
        if isinstance(value, list):
            command = domain_names.of_words(value, self.kitchen)
        elif isinstance(value, dict):
            action = value.get("action")
            if isinstance(action, list):
                return self.of(action)
            command = domain_names.of_record(action if isinstance(action, dict) else value, self.kitchen)
        return None if command is None else [command]

    def looks(self, text: str, free: bool) -> bool:
        if domain_names.begins_with_action(text[:200], self.domain):
            return not free or _NUMBERED.search(text[:200]) is not None
        words = text[:200].lower().split(maxsplit=1)
        if not words or words[0].strip(_DECORATION) not in _verbs(self.domain):
            return False
        return not free or _NUMBERED.search(text[:200]) is not None

    def mentions(self, text: str) -> bool:
        return self.looks(text, False) or domain_names.counts_objects(text[:200], self.domain) > 0

    def interpret(self, text: str, kind: str, follows_steps: bool) -> str | None:
        return text if kind == "action" else None

    def ends(self, text: str) -> bool:
        return _is_finish(text)

    def key(self, step: str) -> str | None:
        return step if " " in step.partition(" ")[2] else None


def reading(problem: Kitchen, submitted: object, rules: KitchenRules) -> Reading[list[str]]:
    r"""Read the actions of a plan for a kitchen.

    A list of actions, or of records with an ``"action"``: every entry counts, also one that is no action; with
    ``normalize`` as generously as text. Or what a model wrote, see `planoracle.instances.model_output`: actions are
    found wherever they stand in a line, with any numbering, case and decoration, and the rest is ignored,
    except on an ``Action:`` line. ``Finish`` ends it. Names of objects may have a separator before their number, and
    actions may be in the names of the domain.

    Raises
    ------
    PlanError
        If it has none of these forms.

    Examples
    --------
    >>> from planoracle import load
    >>> from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
    >>> soup = load("kitchens/asynchronous/5_potato_soup")
    >>> text = "1. move Robot1 from table1 to stove1.\n2. Then: **Do nothing**"
    >>> reading(soup, text, PROFILES["paper"]).commands
    ['Move robot1 from table1 to stove1', 'Do nothing']
    >>> reading(soup, ["(move robot_1 table_1 stove_1)", "wait"], PROFILES["paper"]).commands
    ['Move robot1 from table1 to stove1', 'Do nothing']
    """
    grammar = _Actions(problem)
    if isinstance(submitted, list) and chat_in(submitted) is None:
        return _read_list(submitted, grammar, rules)
    if isinstance(submitted, str) or chat_in(submitted) is not None:
        return _with_unknown_commands(read_output(submitted, grammar), grammar, rules)
    as_output = read_output(submitted, grammar) if isinstance(submitted, dict) else None
    if as_output is None or not (as_output.commands or as_output.doubtful):
        raise PlanError("must be a list of actions, a log or text", field="actions", value=submitted)
    return as_output


def _read_list(entries: list[object], grammar: _Actions, rules: KitchenRules) -> Reading[list[str]]:
    """Read a list or a log, in which every entry is an action."""
    actions: list[str] = []
    for i, entry in enumerate(entries):
        action = _action(entry, grammar, rules)
        text = _entry(entry, f"actions[{i}]") if action is None else ""
        actions.append(text.strip() if action is None else action)
    reading = read_list(actions)
    return reading if is_log(entries) else _with_unknown_commands(reading, grammar, rules)


def _with_unknown_commands(reading: Reading[list[str]], grammar: _Actions, rules: KitchenRules) -> Reading[list[str]]:
    """Count commands in unknown words as unread if they are too many, as in a text without ``Action:``."""
    unknown = sum(not grammar.find(command) for command in reading.commands)
    if unknown < 2 or reading.doubtful or not rules.refuse_unread:
        return reading
    as_list = read_list(reading.commands, entries=reading.commands, grammar=grammar)
    if not as_list.doubtful:
        return reading
    return replace(reading, read=as_list.read, unread=as_list.unread, example=as_list.example)


def _action(entry: object, grammar: _Actions, rules: KitchenRules) -> str | None:
    """Return the action of an entry as the simulator writes it, ``None`` if it is to be read exactly."""
    if not rules.normalize:
        return None
    parts = grammar.of(entry)
    if parts is None:
        text = entry.get("action") if isinstance(entry, dict) else entry
        parts = [match.step for match in grammar.find(text)] if isinstance(text, str) else []
        if not parts and isinstance(text, str) and text.lstrip()[:1] in ("[", "{"):
            parts = grammar.of(whole_value(text)) or []
    return parts[0] if parts else None


def _entry(entry: Any, field: str) -> str:
    text = entry.get("action") if isinstance(entry, dict) else entry
    if not isinstance(text, str):
        raise PlanError("must be text or a record with an action", field=field, value=entry)
    return text


def _is_finish(text: str) -> bool:
    """Return whether a line ends the plan."""
    return len(text) < 40 and text.strip(_DECORATION).lower() in ("finish", "finish[]")


def right_line(problem: Kitchen) -> str:
    """Return an action that is possible at the start, if one is a move; an example for errors.

    >>> from planoracle import load
    >>> right_line(load("robotouille/synchronous/3_burger"))
    'Move robot1 from table1 to table2'
    """
    player = problem.players[0]
    places = [atom[2] for atom in sorted(problem.facts) if atom[:2] == ("loc", player)]
    # First where the player is: a move is from there.
    names = dict.fromkeys([player, *places, *(name for name, _ in problem.objects)])
    for action in problem.domain.actions:
        binding = _first_objects(action, names, problem.types)
        if binding is not None:
            return action.write(binding)
    return ""


def _first_objects(action: ActionSchema, names: Iterable[str], types: Mapping[str, str]) -> dict[str, str] | None:
    """Return the first objects of the types of an action's parameters, ``None`` if some are missing."""
    binding: dict[str, str] = {}
    for param, param_type in action.params:
        fitting = (name for name in names if types[name] == param_type and name not in binding.values())
        name = next(fitting, None)
        if name is None:
            return None
        binding[param] = name
    return binding


def extract(text: str, domain: KitchenDomain) -> list[str]:
    """Return the actions that a text names, as the simulator writes them, in order.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> extract("pick up  Pot1 from sink1 using robot1; then place pot1 on stove1 using robot1", bundled())
    ['Pick up pot1 from sink1 using robot1', 'Place pot1 on stove1 using robot1']
    """
    return list(_short(text, domain) if len(text) <= MAX_SHORT else _extract(text[:MAX_LINE], domain))


def _extract(text: str, domain: KitchenDomain) -> list[str]:
    matches: dict[int, tuple[int, str]] = {}
    begins, templates = _by_verb(domain)
    for number in sorted({hit.lastindex or 0 for hit in begins.finditer(text)}):
        for generous, actions in templates[number]:
            for hit in generous.finditer(text):
                named = {slot: name for slot, name in hit.groupdict().items() if name is not None}
                binding = {slot: domain_names.usual_name(name, domain) for slot, name in named.items()}
                written = domain_names.written(actions[0][0], binding)
                matches[hit.start()] = max(matches.get(hit.start(), (0, "")), (hit.end(), written))
    result, end = [], -1
    for start in sorted(matches):
        if start >= end:
            end, action = matches[start]
            result.append(action)
    return result


_short = lru_cache(maxsize=8_192)(_extract)


def match(text: str, domain: KitchenDomain) -> Sequence[tuple[ActionSchema, dict[str, str]]]:
    """Return the actions that are written exactly like a text, and the objects it names.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> [(action.name, binding) for action, binding in match("Cut onion1 on board2 using robot1", bundled())]
    [('cut', {'i1': 'onion1', 's1': 'board2', 'p1': 'robot1'})]
    """
    return _matched(text, domain) if len(text) <= MAX_SHORT else _match(text, domain)


def _match(text: str, domain: KitchenDomain) -> tuple[tuple[ActionSchema, dict[str, str]], ...]:
    matches = []
    at = _AT_STATION.search(text)
    sentence = text if at is None else text[: at.start()]
    for _, actions in _templates(domain):
        for action, exact in actions:
            hit = exact.fullmatch(sentence)
            station = domain_names.hidden_station(action)
            if hit and at is None:
                matches.append((action, hit.groupdict()))
            elif hit and at is not None and station is not None:
                matches.append((action, {**hit.groupdict(), station: at["station"]}))
    return tuple(matches)


_matched = lru_cache(maxsize=8_192)(_match)


def suits(action: ActionSchema, named: Mapping[str, str], types: Mapping[str, str]) -> bool:
    """Return whether the objects that a text names exist, differ, and have the types of the parameters."""
    for param, param_type in action.params:
        if param in named and types.get(named[param]) != param_type:
            return False
    return len(set(named.values())) == len(named)


def logged(actions: list[str], domain: KitchenDomain) -> list[object]:
    """Return the actions of a run as its log: several in unknown words have an observation."""
    unknown = {action for action in actions if not match(action, domain)}
    is_doubtful = sum(action in unknown for action in actions) > 1
    return [observed(action) if is_doubtful and action in unknown else action for action in actions]


def finishes(text: str, domain: KitchenDomain) -> bool:
    r"""Return whether a text without an action ends the plan.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> finishes("All is done.\nAction: Finish", bundled()), finishes("Finish the soup!", bundled())
    (True, False)
    """
    return any(_is_finish(line.rpartition(":")[2]) for line in text.splitlines())


def render(actions: Iterable[str]) -> str:
    """Write a plan, one action a line."""
    return "\n".join(actions)


_Template = tuple[re.Pattern[str], list[tuple[ActionSchema, re.Pattern[str]]]]


@lru_cache(maxsize=8)
def _templates(domain: KitchenDomain) -> list[_Template]:
    """Return the notations of actions: a tolerant pattern, and the actions with their exact patterns."""
    templates: dict[str, _Template] = {}
    for action in domain.actions:
        parts = _SLOT.split(action.text)
        exact = loose = ""
        for i, part in enumerate(parts):
            if i % 2:
                exact += rf"(?P<{part}>[A-Za-z_][\w-]*)"
                loose += rf"(?P<{part}>[A-Za-z_][A-Za-z_-]{{0,40}} ?\d{{1,9}})"
            else:
                exact += re.escape(part)
                loose += _with_any_spaces(part)
        station = domain_names.hidden_station(action)
        if station is not None:
            loose += rf"(?: \(at (?P<{station}>[A-Za-z_][A-Za-z_-]{{0,40}}\d{{1,9}})\))?"
        shape = _SLOT.sub("{}", action.text)
        if shape not in templates:
            templates[shape] = (re.compile(rf"(?<!\w){loose}(?!\w)", re.I), [])
        templates[shape][1].append((action, re.compile(exact)))
    return list(templates.values())


@lru_cache(maxsize=8)
def _verbs(domain: KitchenDomain) -> frozenset[str]:
    """Return the first words of all actions, see `_verb`."""
    return frozenset(map(_verb, domain.actions))


def _verb(action: ActionSchema) -> str:
    """Return the first word of an action in small letters; not a parameter, as in ``{p1} salts {i1}``."""
    words = [word for word in action.text.split() if _SLOT.search(word) is None]
    return next(word for word in words if any(map(str.isalpha, word))).lower()


@lru_cache(maxsize=8)
def _by_verb(domain: KitchenDomain) -> tuple[re.Pattern[str], list[list[_Template]]]:
    """Return a pattern with a group for the first word of every action, and by its number the templates."""
    by_verb: dict[str, list[_Template]] = {}
    for template in _templates(domain):
        _, actions = template
        first_action, _ = actions[0]
        by_verb.setdefault(_verb(first_action), []).append(template)
    heads = "|".join(f"({re.escape(verb)})" for verb in by_verb)
    return re.compile(rf"(?<!\w)(?:{heads})(?!\w)", re.I), [[], *by_verb.values()]


def _with_any_spaces(words: str) -> str:
    """Return a pattern for words with any white space between them and any kind of apostrophe."""
    return r"\s{1,20}".join(re.escape(word).replace("'", "['’]?") for word in words.split(" "))
