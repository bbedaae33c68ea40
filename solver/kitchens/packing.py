"""Compact form of plans for kitchens: numbers instead of texts.

An action is the number of its place in the domain and of the objects that its text names, so that it can be decoded
without a search for legal actions. A plan that names objects created during the run uses the other form: places among
the sorted texts of the legal actions. The field ``form`` of an entry tells the two forms.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.domain import ACTOR, KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.language import match
from planoracle.instances.benchmarks.kitchens.rules import Profile

#: Form of entries that are decoded without a search for legal actions.
_FORM: Final = 2


def pack_plan(kitchen: Kitchen, rules: Profile, texts: Sequence[str]) -> dict[str, Any]:
    """Return the fields of an entry that hold a plan.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.rules import PROFILES
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> place, rules = kitchen("kitchens/synchronous/3_burger"), PROFILES["paper"]
    >>> entry = pack_plan(place, rules, ["Do nothing", "Move robot1 from table1 to table2"])
    >>> unpack_plan(place, rules, entry)
    ('Do nothing', 'Move robot1 from table1 to table2')
    """
    numbers = _numbers(kitchen, texts)
    if numbers is None:
        return {"plan": _places(compiled(kitchen, rules), texts)}
    return {"form": _FORM, "plan": numbers}


def unpack_plan(kitchen: Kitchen, rules: Profile, entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts of a packed plan; raise an error if the entry is malformed."""
    if "form" not in entry:
        return tuple(_at(compiled(kitchen, rules), entry["plan"]))
    if entry["form"] != _FORM:
        raise ValueError("a plan has an unknown form")
    return tuple(_texts(kitchen, entry["plan"]))


def _numbers(kitchen: Kitchen, texts: Sequence[str]) -> list[int] | None:
    places = {name: place for place, (name, _) in enumerate(kitchen.objects)}
    named = _named_parameters(kitchen.domain, len(kitchen.players) > 1)
    positions = {action.name: position for position, action in enumerate(kitchen.domain.actions)}
    numbers = []
    for text in texts:
        for action, binding in match(text, kitchen.domain):
            if places.keys() >= set(binding.values()):
                number = 0
                for param in reversed(named[positions[action.name]]):
                    number = number * len(places) + places[binding[param]]
                numbers.append(number * len(named) + positions[action.name])
                break
        else:
            return None
    return numbers


def _texts(kitchen: Kitchen, numbers: Sequence[int]) -> Iterator[str]:
    names = [name for name, _ in kitchen.objects]
    actions = kitchen.domain.actions
    named = _named_parameters(kitchen.domain, len(kitchen.players) > 1)
    alone = {param: kitchen.players[0] for action in actions for param, kind in action.params if kind == ACTOR}
    for number in numbers:
        rest, position = divmod(number, len(named))
        binding = dict(alone)
        for param in named[position]:
            rest, place = divmod(rest, len(names))
            binding[param] = names[place]
        if rest:  # or it is negative
            raise ValueError("a number of a plan is no action")
        yield actions[position].write(binding)


@lru_cache(maxsize=16)
def _named_parameters(domain: KitchenDomain, several: bool) -> tuple[tuple[str, ...], ...]:
    """Return the parameters that the text of every action names, without the player of a single cook."""
    return tuple(
        tuple(param for param, kind in action.params if f"{{{param}}}" in action.text and (several or kind != ACTOR))
        for action in domain.actions
    )


def _places(engine: CompiledKitchen, texts: Sequence[str]) -> list[int]:
    state, places = engine.start(), []
    for text in texts:
        places.append(_legal(engine, state).index(text))
        state = _after(engine, state, text)
    return places


def _at(engine: CompiledKitchen, plan: Sequence[int]) -> Iterator[str]:
    state = engine.start()
    for place in plan:
        if place < 0:
            raise ValueError("a number of a plan is no action")
        text = _legal(engine, state)[place]
        yield text
        state = _after(engine, state, text)


def _legal(engine: CompiledKitchen, state: State) -> list[str]:
    return sorted(engine.deeds[deed].text for deed in engine.legal(state))


def _after(engine: CompiledKitchen, state: State, text: str) -> State:
    deed = engine.find(state, text)
    assert deed is not None
    return engine.step(state, deed)
