"""File format ``planoracle/kitchen``, and the bundled kitchens of our own with their variants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from planoracle.instances.benchmarks.kitchens.action_index import check_choices
from planoracle.instances.benchmarks.kitchens.domain import ACTOR, OWN, KitchenDomain, domain_for
from planoracle.instances.benchmarks.kitchens.domain_files import DomainField, domain_document, domain_of
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, check_size, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import RAW, KitchenLayout, layout_of, served, variant
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_entries import SchemaLink, StrictEntry, schema_of, validated
from planoracle.instances.files.strict_json import load_json

FORMAT: Final = "planoracle/kitchen"
VERSION: Final = 1


class PlayerEntry(StrictEntry):
    """Player of a kitchen."""

    at: str | None = Field(None, description="station at which the player stands")
    holds: str | None = Field(None, description="item or container in the hand of the player")


#: Numbers of cuts and of steps by kind of item, or ``default`` for all others.
Config = dict[str, dict[str, Annotated[int, Field(ge=1, le=1_000)]]]


class KitchenDocument(StrictEntry):
    """A kitchen for planoracle. Names are a kind and a number, like stove2."""

    schema_: SchemaLink = None
    format: Literal["planoracle/kitchen"]
    version: Literal[1]
    name: str
    benchmark: str = Field(OWN, description="benchmark of the kitchen, robotouille or kitchens")
    domain: DomainField = Field(
        None, description="domain with other predicates and actions: a file in this folder or below it, or its content"
    )
    text: str = Field("", description="goal in words")
    stations: dict[str, list[str]] = Field(description="things on each station: items from the bottom up, containers")
    players: dict[str, PlayerEntry] = Field(description="players in the order in which they act")
    containers: dict[str, list[str]] = Field({}, description="meals in each container; default: none")
    unplaced: list[str] = Field([], alias="elsewhere", description="objects without a position")
    traits: dict[str, list[str]] = Field({}, description="further predicates of objects, such as iscuttable")
    goal: list[list[str]] = Field(description="atoms over objects and roles (bread#1: some bread)")
    roles: list[str] = Field([], description="roles that are in no atom of the goal")
    config: Config = Field(
        {}, description="numbers of cuts and of steps by kind of item; the key default stands for all other kinds (3)"
    )
    more: list[list[str]] = Field([], description="facts in addition to those that follow from the other fields")
    less: list[list[str]] = Field([], description="facts that follow from the other fields but do not hold")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file format."""
    return schema_of(KitchenDocument)


def kitchen_from_document(document: Any, source: str) -> Kitchen:
    """Turn a parsed document into a `Kitchen`; raises `InputError`."""
    entry = validated(document, source, KitchenDocument)
    try:
        return _kitchen(entry, domain_of(entry.domain, source, entry.benchmark).with_config(entry.config))
    except InputError as error:
        raise error if error.source else error.at(source) from None


def _kitchen(entry: KitchenDocument, domain: KitchenDomain) -> Kitchen:
    players = {name: (player.at, player.holds) for name, player in entry.players.items()}
    layout = KitchenLayout(
        stations=_copy(entry.stations),
        players=players,
        containers=_copy(entry.containers),
        traits=_copy(entry.traits),
        unplaced=list(entry.unplaced),
    )
    check_size(len(layout.objects()))
    _check(layout, domain)
    facts = layout.facts(domain)
    for i, fact in enumerate(entry.more):
        if tuple(fact) in facts:
            raise InputError("already follows from the layout", field=f"more[{i}]", value=fact)
    for i, fact in enumerate(entry.less):
        if tuple(fact) not in facts:
            raise InputError("does not follow from the layout", field=f"less[{i}]", value=fact)
    facts.update(tuple(fact) for fact in entry.more)
    facts.difference_update(tuple(fact) for fact in entry.less)
    goal = Goal.of(entry.goal, entry.roles)
    kitchen = Kitchen.of(entry.name, domain, layout.objects(), facts, goal, entry.text)
    check_choices(kitchen)
    return kitchen


def _copy(entries: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {name: list(texts) for name, texts in entries.items()}


def _check(layout: KitchenLayout, domain: KitchenDomain) -> None:
    """Raise `InputError` for things of the wrong type or in two places; ``more`` can state the latter."""
    seen: dict[str, str] = {}

    def put(name: str, location: str, *types: str, once: bool = True) -> None:
        try:
            name_type = domain.type_of(split_name(name)[0])
        except InputError as error:
            raise InputError(error.message, field=location, value=name) from None
        if name_type not in types:
            raise InputError(f"must be of the type {' or '.join(types)}", field=location, value=name)
        if once and name in seen:
            raise InputError(f"is already at {seen[name]}", field=location, value=name)
        if once:
            seen[name] = location

    for station, things in layout.stations.items():
        put(station, "stations", "station")
        for thing in things:
            put(thing, f"stations.{station}", "item", "container")
    for player, (at, in_hand) in layout.players.items():
        put(player, "players", ACTOR)
        if in_hand is not None:
            put(in_hand, f"players.{player}.holds", "item", "container")
        if at is not None and at not in layout.stations:
            raise InputError("is not a station of the kitchen", field=f"players.{player}.at", value=at)
    for container, meals in layout.containers.items():
        put(container, "containers", "container", once=False)
        for meal in meals:
            put(meal, f"containers.{container}", "meal")
    for thing in layout.unplaced:
        put(thing, "elsewhere", "item", "container", "meal")
    objects = layout.objects()
    for name in layout.traits:
        if name not in objects:
            raise InputError("is not an object of the kitchen", field="traits", value=name)


def to_document(kitchen: Kitchen) -> dict[str, Any]:
    """Return the document of a kitchen; reading it gives an equal kitchen."""
    layout, more, less = layout_of(kitchen)
    domain = kitchen.domain
    usual = domain.with_usual_counts()
    is_bundled = usual == domain_for(kitchen.benchmark)
    players = {name: PlayerEntry(at=at, holds=in_hand) for name, (at, in_hand) in layout.players.items()}
    config = {key: row for key, row in domain.config.items() if row != usual.config[key]}
    document = KitchenDocument(
        format=FORMAT,
        version=VERSION,
        name=kitchen.name,
        benchmark=kitchen.benchmark,
        domain=None if is_bundled else domain_document(domain),
        text=kitchen.text,
        stations=layout.stations,
        players=players,
        containers=layout.containers,
        elsewhere=layout.unplaced,
        traits=layout.traits,
        goal=[list(atom) for atom in kitchen.goal.conditions],
        roles=list(kitchen.goal.extra_roles),
        config=config,
        more=sorted(map(list, more)),
        less=sorted(map(list, less)),
    )
    return {"format": FORMAT, "version": VERSION} | document.model_dump(exclude_defaults=True, by_alias=True)


#: Sets of the paper, with ten kitchens each; variants of the first two were released.
SETS = ("synchronous", "asynchronous", "multi_agent")

_PREFIX = "kitchens/"
_SEED = re.compile(r"0|[1-9][0-9]{0,8}")


@cache
def _documents() -> dict[str, dict[str, Any]]:
    """Return documents of our format by name, expanded from the bundled file."""
    documents = {}
    path = files(__package__) / "data" / "kitchens" / "kitchens.json"
    for label, entry_set in load_json(path.read_bytes(), path.name).items():
        traits = {**RAW}
        for kind, words in entry_set.get("traits", {}).items():
            traits[kind] = tuple(words.split())
        for task, entry in entry_set["kitchens"].items():
            name = f"{_PREFIX}{label}/{task}"
            documents[name] = _document(name, entry, traits)
    return documents


def _document(name: str, entry: Mapping[str, Any], traits: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the document of a bundled kitchen; ``traits`` are predicates by kind."""
    stations = {station: things.split() for station, things in entry["stations"].items()}
    players = {player: {"at": station} for player, station in entry["players"].items()}
    traits_of_thing = {}
    for things in stations.values():
        for thing in things:
            predicates = traits.get(split_name(thing)[0], ())
            if predicates:
                traits_of_thing[thing] = list(predicates)
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "text": entry["text"],
        "stations": stations,
        "players": players,
        "traits": traits_of_thing,
        "goal": [list(atom) for atom in served(entry["goal"])],
    }


@cache
def names() -> tuple[str, ...]:
    """Names of the 30 bundled kitchens, in the paper's order.

    >>> names()[0], len(names())
    ('kitchens/synchronous/0_cheese_sandwich', 30)
    """
    return tuple(_documents())


def covers(name: str) -> bool:
    """Return whether a name belongs to a bundled kitchen or a variant (name, ``@``, seed)."""
    head, at, seed = name.partition("@")
    return head in _documents() and (not at or _SEED.fullmatch(seed) is not None)


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set of variants, all with the same seed, ``()`` if there is no such set.

    >>> len(members("kitchens/multi_agent@7")), len(members("kitchens@7"))
    (10, 30)
    """
    head, at, seed = name.partition("@")
    if not at:
        return ()
    members_of_set = [member for member in names() if member.startswith(head.rstrip("/") + "/")]
    variants = [f"{member}@{seed}" for member in members_of_set]
    return tuple(variant for variant in variants if covers(variant))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the set that a name belongs to, ``("", ())`` if to none.

    >>> set_of("kitchens/synchronous/3_burger@7")[0]
    'kitchens/synchronous@7'
    """
    if not covers(name):
        return "", ()
    head, at, seed = name.partition("@")
    label = head.rpartition("/")[0]
    members_of_set = [member for member in names() if member.startswith(f"{label}/")]
    return f"{label}{at}{seed}", tuple(f"{member}{at}{seed}" for member in members_of_set)


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


def recognises(document: object) -> bool:
    """Return True if a document claims to be a kitchen of our format."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def read(document: object, source: str) -> list[Kitchen]:
    """Return the kitchen of a document in our format, of this benchmark or of Robotouille."""
    return [kitchen_from_document(document, source)]
