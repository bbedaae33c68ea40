"""Kitchens in words: states, conditions, goals and actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import ascii_uppercase

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, Effect, KitchenDomain, Literal, bundled
from planoracle.instances.benchmarks.kitchens.effects import Running
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, atom_rank, natural
from planoracle.instances.benchmarks.kitchens.kitchen_layout import places
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import clean, listed

# Predicates of prepared items and meals.
_STATES = ("iscut", "iscooked", "isfried", "isboiling")


def _rank(engine: CompiledKitchen, name: str) -> tuple[bool, int, tuple[str, int, str]]:
    players = engine.kitchen.players
    return name not in players, players.index(name) if name in players else 0, natural(name)


def _timers(
    effects: Iterable[Running], facts: frozenset[tuple[str, ...]], unit: str, *, paused: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield things with running effects, and a description of each effect."""
    for running in effects:
        effect = running.effect
        is_paused = paused or any((atom in facts) != value for atom, value in effect.conditions)
        if not effect.count or running.done:
            yield from _timers(running.nested, facts, unit, paused=is_paused)
            continue
        results = [atom[0].removeprefix("is") for atom, value in sorted(effect.changes) if value]
        results += [inner.effect.creates[1] for inner in running.nested if inner.effect.creates is not None]
        makes, remaining = " and ".join(results) or "done", effect.count - running.count
        plural = "s" if remaining > 1 else ""
        if effect.kind == "delayed":
            when = f"after {remaining} {unit}{plural}, paused" if is_paused else f"in {remaining} {unit}{plural}"
            yield effect.argument, f"{makes} {when}"
        else:
            yield effect.argument, f"{remaining} time{plural} more until {makes}"


def describe(engine: CompiledKitchen, state: State) -> str:
    """Describe a state: players, then stations with the things on them from the bottom up.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.compiled_kitchen import compiled
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> engine = compiled(kitchen("kitchens/synchronous/1_lettuce_sandwich"))
    >>> print(describe(engine, engine.start()))
    robot1 at table1, hands empty
      board1: bread1
      table1: empty
      table2: lettuce1
      table3: bread2
    """
    facts, players = engine.facts(state), engine.kitchen.players
    objects = sorted(engine.objects(state).items(), key=lambda entry: _rank(engine, entry[0]))
    layout = places(objects, facts)
    words: dict[str, list[str]] = {}  # by thing, what it has become and what is under way with it
    added: dict[str, list[str]] = {}  # by meal
    decisive = (fact for fact in facts if fact[0] in (*_STATES, "addedto"))
    for predicate, thing, *meals in sorted(decisive, key=atom_rank):
        if predicate in _STATES:
            words.setdefault(thing, []).append(predicate.removeprefix("is"))
        elif predicate == "addedto":
            added.setdefault(meals[0], []).append(thing)
    relations = []
    for predicate, thing, *partners in _further_facts(engine, facts):
        if partners:
            relations.append(condition_in_words([predicate, thing, *partners], "is", engine.kitchen.domain.sentence_of))
        else:
            words.setdefault(thing, []).append(predicate.removeprefix("is"))
    for thing, text in dict.fromkeys(_timers(engine.running(state), facts, engine.kitchen.unit)):
        words.setdefault(thing, []).append(text)

    def with_words(thing: str) -> str:
        return f"{thing} ({'; '.join(words[thing])})" if thing in words else thing

    def thing_in_words(thing: str) -> str:
        meals = []
        for meal in layout.containers.get(thing, ()):
            contents = f" with {', '.join(added[meal])}" if meal in added else ""
            meals.append(thing_in_words(meal) + contents)
        inside = f" of {' and '.join(meals)}" if meals else ""
        return with_words(thing) + inside

    lines = []
    for player, (at, in_hand) in layout.players.items():
        turn = "* " if len(players) > 1 and player == engine.player(state) else ""
        hands = "hands empty" if in_hand is None else f"holds {thing_in_words(in_hand)}"
        lines.append(f"{turn}{with_words(player)} at {at or 'no station'}, {hands}")
    for station, things in layout.stations.items():
        lines.append(f"  {with_words(station)}: {' < '.join(map(thing_in_words, things)) or 'empty'}")
    contained = set(layout.containers).union(*added.values())
    if nowhere := [name for name in layout.unplaced if name not in contained]:
        lines.append(f"  nowhere: {', '.join(map(with_words, nowhere))}")
    lines += [f"  {relation}" for relation in relations]
    return "\n".join(lines)


def _further_facts(engine: CompiledKitchen, facts: frozenset[Atom]) -> list[Atom]:
    """Return the true facts of predicates that only the actions of a user's domain change."""
    changing = engine.kitchen.domain.changing - bundled().changing
    return sorted((fact for fact in facts if fact[0] in changing and fact[0] not in _STATES), key=atom_rank)


# Words of conditions of the usual domains; other conditions are not changed.
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


#: Sentences by predicate of the bundled domain, which has none.
_NO_SENTENCES: Mapping[str, str] = {}


def condition_in_words(words: Sequence[str], verb: str = "to be", sentences: Mapping[str, str] = _NO_SENTENCES) -> str:
    """Write a condition: predicate and names, optionally after ``not``.

    ``sentences`` are those of a user's domain, for statements (``verb`` is "is") and for predicates of the user.

    >>> condition_in_words(["atop", "bread1", "lettuce2"]), condition_in_words(["not", "iscut", "lettuce2"])
    ('bread1 on top of lettuce2', 'lettuce2 not to be cut')
    """
    if words[0] == "not":
        if len(words) == 3 and words[1].startswith("is"):
            return condition_in_words(words[1:], "is not" if verb == "is" else f"not {verb}")
        return f"not {condition_in_words(words[1:], verb, sentences)}"
    predicate, *names = (clean(word) for word in words)
    sentence = sentences.get(predicate, "")
    if sentence and verb == "is":
        return sentence.format(*names)
    if predicate in _WORDS and len(names) == _WORDS[predicate].count("{"):
        return _WORDS[predicate].format(*names)
    if len(names) == 1 and predicate.startswith("is"):
        return f"{names[0]} {verb} {predicate.removeprefix('is')}"
    return sentence.format(*names) if sentence else " ".join((predicate, *names))


def refusal_in_words(refusal: Violation, domain: KitchenDomain, limit: int = 80) -> str:
    """Write the reason of a refusal; ``limit`` is the maximum length of texts other than conditions."""
    if refusal.kind == "precondition" and isinstance(refusal.required, tuple):
        conditions = [condition_in_words(part.split(), sentences=domain.sentence_of) for part in refusal.required]
        return f"needs {listed(conditions)}"
    return clean(refusal.message, limit)


def goal_in_words(kitchen: Kitchen) -> str:
    """Write the goal: its name, if it has one, and its conditions.

    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> print(goal_in_words(kitchen("kitchens/asynchronous/5_potato_soup")))
    Soup of a whole potato, in a bowl on a table: potato A added to water A; bowl A at table A; water A in bowl A; water A is boiling. (Letters stand for any different objects.)
    """  # noqa: E501
    letters: dict[str, str] = {}
    for role in kitchen.goal.roles:
        kind = role.partition("#")[0]
        count = sum(name.startswith(f"{kind} ") for name in letters.values())
        letters[role] = f"{kind} {ascii_uppercase[count] if count < 26 else count + 1}"
    named = [[letters.get(part, part) for part in condition] for condition in kitchen.goal.conditions]
    conditions = [condition_in_words(condition, "is", kitchen.domain.sentence_of) for condition in named]
    conditions += [f"there is {letters[role]}" for role in kitchen.goal.extra_roles]
    text = f"{clean(kitchen.text, 200)}: " if kitchen.text else ""
    remark = " (Letters stand for any different objects.)" if letters else ""
    return f"{text}{'; '.join(conditions)}.{remark}"


def actions_in_words(domain: KitchenDomain, unit: str = "step") -> Iterator[str]:
    """Yield every action with its conditions and delayed effects; ``unit`` is the unit of time.

    Actions of a user's domain also have their immediate effects.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> print(list(actions_in_words(bundled()))[0])
    Move {p1} from {s1} to {s2} (needs p1 at s1 and nobody at s2)
    """
    for action in domain.actions:
        yield _action_in_words(action, domain, unit)


def _action_in_words(action: ActionSchema, domain: KitchenDomain, unit: str) -> str:
    sentences = domain.sentence_of
    needs = listed([_literal(literal, "to be", sentences) for literal in action.conditions])
    changes = []
    if not domain.is_standard:
        changes = [_literal(literal, "is", sentences) for literal in action.changes]
    effects = "; ".join(filter(None, [*changes, *(_effect(effect, domain, unit) for effect in action.effects)]))
    needs_text = f" (needs {needs})" if needs else ""
    effects_text = f": {effects}" if effects else ""
    return f"{action.text}{needs_text}{effects_text}"


def actions_in_phrases(domain: KitchenDomain, unit: str = "step") -> Iterator[str]:
    """Yield every action of the benchmark's domain with a phrase about it.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> print(list(actions_in_phrases(bundled()))[6])
    Cut {i1} on {s1} using {p1}: the player cuts the item once; it is cut after 3 times
    """
    for action in domain.actions:
        phrase = _phrases()[action.name].format(steps=_steps(action.effects), unit=unit)
        yield f"{action.text}: {phrase}"


@cache
def _phrases() -> Mapping[str, str]:
    path = files(__package__) / "data" / "action_phrases.json"
    phrases: Mapping[str, str] = load_json(path.read_bytes(), path.name)
    return phrases


def _steps(effects: Iterable[Effect]) -> int:
    """Return the repetitions of an action, or the steps between it and its effect."""
    for effect in effects:
        if effect.kind == "repetitive":
            return effect.count
        if effect.kind == "delayed":
            return effect.count - 1  # that of the action counts
        steps = _steps(effect.effects)
        if steps:
            return steps
    return 0


def _literal(literal: Literal, verb: str, sentences: Mapping[str, str]) -> str:
    words = [literal.predicate, *literal.params]
    return condition_in_words(words if literal.value else ["not", *words], verb, sentences)


def _effect(effect: Effect, domain: KitchenDomain, unit: str) -> str:
    sentences = domain.sentence_of
    shown_changes = [change for change in effect.changes if change.value or not domain.is_standard]
    changes = [_literal(change, "is", sentences) for change in shown_changes]
    nested_texts = filter(None, (_effect(nested, domain, unit) for nested in effect.effects))
    text = " and ".join([*changes, *nested_texts])
    if effect.creates is not None:
        return f"there is new {effect.creates[2]} {effect.creates[0]}: {text}"
    counts = [f"for {kind} {number}" for kind, number in effect.counts]
    count = ", ".join([str(effect.count), *counts])
    if effect.kind == "delayed":
        return f"after {count} {unit}s (that of the action counts) {text}"
    if effect.kind == "repetitive":
        return f"once done {count} times {text}"
    if effect.kind == "conditional":
        conditions = listed([_literal(condition, "is", sentences) for condition in effect.conditions])
        return f"while {conditions}, {text}"
    return text
