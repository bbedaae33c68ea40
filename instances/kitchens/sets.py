"""Names of kitchens: one of our own for each task the paper names, and seeded variants of them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.kitchens.files import FORMAT, VERSION, kitchen_from_document
from planoracle.instances.kitchens.kitchen import Kitchen, split_name
from planoracle.instances.kitchens.variants import RAW, served, variant
from planoracle.instances.reading import load_json

#: Ten kitchens each.
SETS = ("synchronous", "asynchronous", "multi_agent")

_PREFIX = "kitchens/"
_SEED = re.compile(r"0|[1-9][0-9]{0,8}")


@cache
def _documents() -> dict[str, dict[str, Any]]:
    """Return documents of our format by name, written out from the bundled file."""
    found = {}
    path = files(__package__) / "data" / "kitchens.json"
    for label, shelf in load_json(path.read_bytes(), path.name).items():
        traits = {**RAW, **{kind: words.split() for kind, words in shelf.get("traits", {}).items()}}
        for task, entry in shelf["kitchens"].items():
            stations = {station: things.split() for station, things in entry["stations"].items()}
            things = [thing for stack in stations.values() for thing in stack]
            like = {thing: list(traits.get(split_name(thing)[0], ())) for thing in things}
            found[f"{_PREFIX}{label}/{task}"] = {
                "format": FORMAT,
                "version": VERSION,
                "name": f"{_PREFIX}{label}/{task}",
                "text": entry["text"],
                "stations": stations,
                "players": {player: {"at": station} for player, station in entry["players"].items()},
                "traits": {thing: words for thing, words in like.items() if words},
                "goal": [list(atom) for atom in served(entry["goal"])],
            }
    return found


@cache
def names() -> tuple[str, ...]:
    """Names of the 30 bundled kitchens, in the paper's order.

    >>> names()[0], len(names())
    ('kitchens/synchronous/0_cheese_sandwich', 30)
    """
    return tuple(_documents())


def covers(name: str) -> bool:
    """Whether a name is that of a bundled kitchen, or of a variant of one: the name, ``@`` and a seed."""
    head, at, seed = name.partition("@")
    return head in _documents() and (not at or _SEED.fullmatch(seed) is not None)


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set of variants, all with the same seed, ``()`` if there is no such set.

    >>> len(members("kitchens/multi_agent@7")), len(members("kitchens@7"))
    (10, 30)
    """
    head, at, seed = name.partition("@")
    below = [each for each in names() if at and each.startswith(head.rstrip("/") + "/")]
    return tuple(each for member in below if covers(each := f"{member}@{seed}"))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the set that a name belongs to, ``("", ())`` if to none.

    >>> set_of("kitchens/synchronous/3_burger@7")[0]
    'kitchens/synchronous@7'
    """
    if not covers(name):
        return "", ()
    head, at, seed = name.partition("@")
    label = head.rpartition("/")[0]
    return f"{label}{at}{seed}", tuple(f"{each}{at}{seed}" for each in names() if each.startswith(f"{label}/"))


@lru_cache(maxsize=1024)
def kitchen(name: str) -> Kitchen:
    """Return the kitchen of a name; raises `UnknownNameError`.

    >>> kitchen("kitchens/asynchronous/5_potato_soup").text
    'Soup of a whole potato, in a bowl on a table'
    """
    if not covers(name):
        raise UnknownNameError("there is no such kitchen", value=name)
    head, at, seed = name.partition("@")
    return variant(kitchen(head), int(seed)) if at else kitchen_from_document(_documents()[head], head)


load = kitchen
