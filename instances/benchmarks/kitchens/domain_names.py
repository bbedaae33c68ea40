"""Actions in the names of the domain, such as ``(move robot1 table1 stove1)``.

The arguments are those of the domain. Objects of different types may stand in any order, objects of one type stand in
the order of the sentences of the plan language (from, to). The only player may be left out. The name of a meal is
ignored: the rules number meals when they are created, and the plan language never names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema, KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, split_name

_SLOT = re.compile(r"\{(\w+)\}")
_SEPARATED = re.compile(r"([A-Za-z]{1,40})[ _-]?(\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}$")
# Between arguments: blanks, commas and quotation marks; around them, brackets, too.
_GAP = r"[\s,;'\"?]{1,4}"
_AFTER_VERB = r"[\s,(\['\":?]{1,4}"
_END = r"[\s'\"]{0,3}[)\]]{0,2}(?![\w-])"
# Last words of names that only state the type of an argument: pick-up-item, pick-up-container.
_TYPES = ("item", "container")
# Text before a wait: none, a number or a bullet, or the end of another action.
_BEFORE_WAIT = re.compile(r"(?:^\W*(?:\d{1,4}\W{1,3})?|[,;)]\W{0,3})$")
# Characters around a wait that are read.
_NEAR = 40
# Largest number of arguments of an action: add-to has five.
_MAX_ARGUMENTS = 6
#: Type of the objects that the rules create and number.
MEAL, STATION = "meal", "station"


class NamedAction(NamedTuple):
    """Action in the names of the domain within a text.

    Attributes
    ----------
    start, end
        Its characters.
    command
        The same action in the plan language.
    """

    start: int
    end: int
    command: str


@dataclass(frozen=True)
class _Names:
    """Patterns of a domain: actions with their arguments, and the names of its objects."""

    action: re.Pattern[str]
    argument: re.Pattern[str]
    schemas: Mapping[str, tuple[ActionSchema, ...]]


def hidden_station(action: ActionSchema) -> str | None:
    """Return the parameter for the station of an action whose sentence does not name it.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> {action.name: hidden_station(action) for action in bundled().actions if hidden_station(action)}
    {'add-to': 's1', 'fill-bowl': 's1', 'stack': 's1', 'unstack': 's1'}
    """
    slots = set(_SLOT.findall(action.text))
    hidden = [param for param, kind in action.params if kind == STATION and param not in slots]
    return hidden[0] if hidden else None


def written(action: ActionSchema, binding: Mapping[str, str | None]) -> str:
    """Write an action as a command, with the station if it is bound but not in the sentence."""
    sentence = action.write({param: name for param, name in binding.items() if name is not None})
    station = hidden_station(action)
    at = None if station is None else binding.get(station)
    return sentence if at is None else f"{sentence} (at {at})"


def usual_name(name: str, domain: KitchenDomain) -> str:
    """Return the name of an object without a separator before its number.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> usual_name("Robot_1", bundled()), usual_name("mars_1", bundled())
    ('robot1', 'mars_1')
    """
    match = _SEPARATED.fullmatch(name)
    if match is None or domain.type_of(match[1].lower()) is None:
        return name.lower()
    return f"{match[1].lower()}{int(match[2])}"


def find(text: str, kitchen: Kitchen) -> Iterator[NamedAction]:
    r"""Yield the actions in a text that are written in the names of the domain.

    >>> from planoracle import load
    >>> burger = load("robotouille/synchronous/3_burger")
    >>> [action.command for action in find("(pick-up robot_1 patty_1 table_3); wait", burger)]
    ['Pick up patty1 from table3 using robot1', 'Do nothing']
    >>> [action.command for action in find("stack(robot1, patty1, bottombun1, table1)", burger)]
    ['Stack patty1 on top of bottombun1 using robot1 (at table1)']
    """
    names = _names(kitchen.domain)
    for match in names.action.finditer(text):
        arguments = [argument[0] for argument in names.argument.finditer(match["arguments"] or "")]
        command = _command(names.schemas[_plain(match["verb"])], arguments, kitchen)
        if command is not None and (arguments or _stands_alone(text, match, names.action)):
            yield NamedAction(match.start(), match.end(), command)


def of_words(words: Sequence[object], kitchen: Kitchen) -> str | None:
    """Return the action of words ``["move", "robot1", "table1", "stove1"]``; ``None`` if it is none."""
    if not words or not all(isinstance(word, str) and len(word) <= 60 for word in words):
        return None
    text = " ".join(map(str, words))
    actions = list(find(text, kitchen))
    is_whole = len(actions) == 1 and actions[0].start == 0 and actions[0].end == len(text)
    return actions[0].command if is_whole else None


def of_record(record: Mapping[str, object], kitchen: Kitchen) -> str | None:
    """Return the action of a record ``{"action": "move", "args": ["robot1", "table1", "stove1"]}``."""
    named = {name.lower(): value for name, value in record.items()}
    verb = next((named[name] for name in _VERB_FIELDS if isinstance(named.get(name), str)), None)
    arguments = next((named[name] for name in _ARGUMENT_FIELDS if isinstance(named.get(name), list | dict)), None)
    if not isinstance(verb, str) or verb.count(" ") > 1:
        return None
    if arguments is None:
        arguments = {name: value for name, value in named.items() if name not in _NO_ARGUMENTS}
    words = _by_role(arguments) if isinstance(arguments, dict) else arguments
    return of_words([verb, *words], kitchen) if isinstance(words, list) and words else None


def _by_role(arguments: Mapping[str, object]) -> list[object]:
    """Return arguments in the order of the domain: by parameter, or origin before destination."""
    if all(_PARAMETER.fullmatch(str(name)) for name in arguments):
        return [arguments[name] for name in sorted(arguments)]
    origins = [value for name, value in arguments.items() if name.lower() in _ORIGINS]
    destinations = [value for name, value in arguments.items() if name.lower() in _DESTINATIONS]
    remaining = [value for name, value in arguments.items() if name.lower() not in {*_ORIGINS, *_DESTINATIONS}]
    return [*remaining, *origins, *destinations]


_VERB_FIELDS = ("action", "name", "operator", "function", "verb", "command")
_NO_ARGUMENTS = frozenset((*_VERB_FIELDS, "step", "time", "minute", "index", "thought", "reason", "comment"))
_ORIGINS = ("from", "source", "origin", "from_station")
_DESTINATIONS = ("to", "target", "destination", "to_station", "on", "onto", "below", "bottom")
_PARAMETER = re.compile(r"[a-z]\d")
_ARGUMENT_FIELDS = ("args", "arguments", "parameters", "params", "objects")


def begins_with_action(text: str, domain: KitchenDomain) -> bool:
    """Return whether a text begins with the name of an action and an object, perhaps of a wrong type."""
    names = _names(domain)
    return names.action.match(text.lstrip(" \t(['\"`*_-")) is not None


def counts_objects(text: str, domain: KitchenDomain) -> int:
    """Return how many numbered objects a text names."""
    return sum(_NUMBER.search(match[0]) is not None for match in _names(domain).argument.finditer(text))


def _stands_alone(text: str, match: re.Match[str], action: re.Pattern[str]) -> bool:
    """Return whether a wait, which has no arguments, is a line of its own or precedes an action."""
    before = text[max(0, match.start() - _NEAR) : match.start()]
    after = text[match.end() : match.end() + _NEAR].lstrip(" \t)],;.'\"`*_")
    return _BEFORE_WAIT.search(before) is not None and (not after or action.match(after) is not None)


def _command(schemas: Sequence[ActionSchema], arguments: Sequence[str], kitchen: Kitchen) -> str | None:
    """Return the command of the first action with these arguments, ``None`` if they fit none."""
    objects = [_object(argument, kitchen) for argument in arguments]
    if None in objects:
        return None
    for action in schemas:
        binding = _binding(action, [name for name in objects if name is not None], kitchen)
        if binding is not None:
            return written(action, binding)
    return None


def _object(argument: str, kitchen: Kitchen) -> str | None:
    """Return the object of an argument; a kind without a number stands for the only object of this kind."""
    if _NUMBER.search(argument):
        return usual_name(argument, kitchen.domain)
    kind = argument.lower()
    if kitchen.domain.type_of(kind) == MEAL:
        return f"{kind}1"
    same = [name for name, _ in kitchen.objects if split_name(name)[0] == kind]
    return same[0] if len(same) == 1 else None


def _binding(action: ActionSchema, objects: Sequence[str], kitchen: Kitchen) -> dict[str, str] | None:
    """Return the objects by parameter, type by type; ``None`` if some are missing or superfluous."""
    named = _by_type((name, kitchen.domain.type_of(split_name(name)[0]) or "") for name in objects)
    if not action.params:  # a wait, of whichever player
        return {} if named.keys() <= {ACTOR} else None
    hidden = hidden_station(action) if STATION not in named else None
    params = _by_type((param, kind) for param, kind in sorted(action.params) if param != hidden)
    if ACTOR in params and ACTOR not in named and len(kitchen.players) == 1:
        named[ACTOR] = list(kitchen.players)
    if named.keys() != params.keys():
        return None
    binding: dict[str, str] = {}
    for kind, group in params.items():
        if len(named[kind]) != len(group):
            return None
        binding |= zip(group, named[kind], strict=True)
    return binding


def _by_type(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return names by their types, without meals."""
    names: dict[str, list[str]] = {}
    for name, kind in pairs:
        if kind != MEAL:
            names.setdefault(kind, []).append(name)
    return names


def _plain(verb: str) -> str:
    """Return the letters of an action's name without a last word for a type.

    >>> _plain("Pick_up-item"), _plain("move")
    ('pickup', 'move')
    """
    words = re.split(r"[\s_-]+", verb.lower())
    if len(words) > 1 and words[-1] in _TYPES:
        words.pop()
    return "".join(words)


@lru_cache(maxsize=8)
def _names(domain: KitchenDomain) -> _Names:
    """Return the patterns of a domain."""
    schemas: dict[str, list[ActionSchema]] = {}
    verbs: set[str] = set()
    for action in domain.actions:
        schemas.setdefault(_plain(action.name), []).append(action)
        words = [word for word in action.name.split("-") if word not in _TYPES]
        verbs.add(r"[\s_-]?".join(map(re.escape, words)))
    kind_predicates = [name for name, types in domain.signature.items() if name[:2] == "is" and len(types) == 1]
    kinds = {name.removeprefix("is") for name in kind_predicates}
    kind = "|".join(sorted(map(re.escape, kinds), key=len, reverse=True))
    argument = rf"(?<![A-Za-z])(?:{kind})(?:[ _-]?\d{{1,9}}(?![\w-])|(?![\w-]))"
    verb = "|".join(sorted(verbs, key=len, reverse=True))
    types = "|".join(_TYPES)
    verb_pattern = rf"(?P<verb>(?:{verb})(?:[\s_-](?:{types})(?![A-Za-z]))?)"
    arguments = rf"(?P<arguments>{argument}(?:{_GAP}{argument}){{0,{_MAX_ARGUMENTS}}})"
    pattern = re.compile(
        rf"(?<![\w-])\(?{verb_pattern}(?![A-Za-z\d])(?:{_AFTER_VERB}{arguments})?(?:\(\))?{_END}", re.IGNORECASE
    )
    tuples = {name: tuple(same) for name, same in schemas.items()}
    return _Names(pattern, re.compile(argument, re.IGNORECASE), tuples)
