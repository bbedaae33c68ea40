"""Conditions, actions and goals in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from planoracle.instances.feedback import clean, listed
from planoracle.instances.kitchens.domain import Domain, Effect, Literal
from planoracle.instances.kitchens.kitchen import Kitchen

# How conditions of the usual domains are written; others are written as they are.
_WORDS = {
    "loc": "{0} at {1}",
    "item_at": "{0} at {1}",
    "item_on": "{0} directly on {1}",
    "container_at": "{0} at {1}",
    "atop": "{0} on top of {1}",
    "has_item": "{0} holding {1}",
    "has_container": "{0} holding {1}",
    "nothing": "{0} with empty hands",
    "clear": "nothing on top of {0}",
    "station_empty": "nothing on {0}",
    "container_empty": "nothing in {0}",
    "vacant": "nobody at {0}",
    "in": "{0} in {1}",
    "addedto": "{0} added to {1}",
}


def condition_in_words(words: Sequence[str], verb: str = "to be") -> str:
    """Write a condition: predicate and names, perhaps behind ``not``.

    >>> condition_in_words(["atop", "bread1", "lettuce2"]), condition_in_words(["not", "iscut", "lettuce2"])
    ('bread1 on top of lettuce2', 'lettuce2 not to be cut')
    """
    if words[0] == "not":
        if len(words) == 3 and words[1].startswith("is"):
            return condition_in_words(words[1:], "is not" if verb == "is" else f"not {verb}")
        return f"that it is not so: {condition_in_words(words[1:], verb)}"
    predicate, *names = (clean(word) for word in words)
    if predicate in _WORDS and len(names) == _WORDS[predicate].count("{"):
        return _WORDS[predicate].format(*names)
    if len(names) == 1 and predicate.startswith("is"):
        return f"{names[0]} {verb} {predicate.removeprefix('is')}"
    return " ".join((predicate, *names))


def goal_in_words(kitchen: Kitchen) -> str:
    """Write the goal: its name, if it has one, and its conditions.

    >>> from planoracle.instances.kitchens.sets import kitchen
    >>> print(goal_in_words(kitchen("kitchens/asynchronous/5_potato_soup")))
    Soup of a whole potato, in a bowl on a table: potato A added to water A; bowl A at table A; water A in bowl A; water A is boiling. (Letters stand for any different objects.)
    """  # noqa: E501
    letters: dict[str, str] = {}
    for role in kitchen.goal.roles:
        kind = role.partition("#")[0]
        count = sum(other.startswith(f"{kind} ") for other in letters.values())
        letters[role] = f"{kind} {ascii_uppercase[count] if count < 26 else count + 1}"
    named = [[letters.get(part, part) for part in condition] for condition in kitchen.goal.conditions]
    said = [condition_in_words(condition, "is") for condition in named]
    said += [f"there is {letters[role]}" for role in kitchen.goal.extra_roles]
    text = f"{clean(kitchen.text, 200)}: " if kitchen.text else ""
    return f"{text}{'; '.join(said)}.{' (Letters stand for any different objects.)' if letters else ''}"


def actions_in_words(domain: Domain) -> Iterator[str]:
    """Yield every action with what it needs, and what comes of it in time.

    >>> from planoracle.instances.kitchens.domain import bundled
    >>> print(list(actions_in_words(bundled()))[0])
    Move {p1} from {s1} to {s2} (needs p1 at s1 and nobody at s2)
    """
    for action in domain.actions:
        needs = listed([_literal(literal) for literal in action.conditions])
        after = "; ".join(filter(None, (_effect(effect) for effect in action.effects)))
        yield f"{action.text}{f' (needs {needs})' if needs else ''}{f': {after}' if after else ''}"


def _literal(literal: Literal, verb: str = "to be") -> str:
    return condition_in_words([*([] if literal.value else ["not"]), literal.predicate, *literal.params], verb)


def _effect(effect: Effect) -> str:
    made = [_literal(change, "is") for change in effect.changes if change.value]
    said = " and ".join([*made, *filter(None, (_effect(nested) for nested in effect.effects))])
    if effect.creates is not None:
        return f"there is new {effect.creates[2]} {effect.creates[0]}: {said}"
    if effect.kind == "delayed":
        return f"after {effect.count} steps (that of the action counts) {said}"
    if effect.kind == "repetitive":
        return f"once done {effect.count} times {said}"
    if effect.kind == "conditional":
        return f"while {listed([_literal(one, 'is') for one in effect.conditions])}, {said}"
    return said
