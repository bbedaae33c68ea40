"""Reader of the simulator's files (environments), in which objects are on cells of a grid."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from os.path import isfile
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from planoracle.instances.benchmarks.kitchens import problems
from planoracle.instances.benchmarks.kitchens.action_index import check_choices
from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain, bundled
from planoracle.instances.benchmarks.kitchens.domain_files import DomainField, domain_of, is_domain
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, check_size, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout
from planoracle.instances.benchmarks.kitchens.problems import json_schema as json_schema
from planoracle.instances.benchmarks.kitchens.problems import to_document as to_document
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import StrictEntry, input_error

# No name of a kitchen is longer.
_LONGEST = 300
# Endings of the file of a name.
_ENDINGS = ("", ".json")
#: Lists of an environment, and the type of their entries.
_FIELDS = {"stations": "station", "items": "item", "players": "player", "containers": "container", "meals": "meal"}


class GridThing(StrictEntry):
    """Object on a cell; a player faces a direction, an item has a level in its stack.

    Files of the variant generator contain ``typed_enum`` and ``force_add``, which have no effect.
    """

    name: str = Field(min_length=1)
    x: int
    y: int
    id: Any = None
    predicates: list[str] = Field([])
    direction: list[Any] = Field([])
    level: int | None = Field(None, alias="stack-level")
    typed_enum: Any = None
    force_add: Any = None

    @property
    def cell(self) -> tuple[int, int]:
        """Cell on which it stands."""
        return self.x, self.y

    @property
    def kind(self) -> str:
        """Its name without a number."""
        return self.name.rstrip("0123456789")


class _Condition(StrictEntry):
    """Condition of the goal; an id of digits is a role."""

    predicate: str = Field(min_length=1)
    args: list[str]
    ids: list[Any]


class SimulatorFile(StrictEntry):
    """File of the simulator. The size of its grid matters only to its variants."""

    version: Literal["1.0.0"] = "1.0.0"
    width: int = 0
    height: int = 0
    config: problems.Config = Field({})
    domain: DomainField = Field(
        None, description="domain with other predicates and actions: a file in this folder or below it, or its content"
    )

    stations: list[GridThing]
    players: list[GridThing]
    goal: list[_Condition]
    items: list[GridThing] = Field([])
    containers: list[GridThing] = Field([])
    meals: list[GridThing] = Field([])
    goal_description: str = ""


_OTHER_DOMAIN = "the field domain may name a file with further predicates"

_Things = dict[str, list[GridThing]]


def recognises(document: Any) -> bool:
    """Return whether a document is a kitchen in our format, or a file or domain of the simulator."""
    if problems.recognises(document):
        return True
    return _is_environment(document) and ({"stations", "goal"} <= set(document) or is_domain(document))


def _is_environment(document: Any) -> bool:
    return isinstance(document, dict) and "format" not in document


def read(document: Any, source: str) -> list[Kitchen]:
    """Return the kitchen of a document of either format."""
    if is_domain(document):
        message = 'is a domain, not a kitchen; name it in the file of a kitchen ("domain": "domain/toast.json")'
        raise InputError(f"{message}, from a subfolder if all files of a folder are read", source=source)
    if _is_environment(document):
        return [environment_from_document(document, source, Path(source).stem)]
    return problems.read(document, source)


def file_of(name: str, folder: Path) -> str | None:
    """Return the file of a kitchen below a folder, with ``@SEED`` for a variant, or ``None``."""
    inner = Path(name.removeprefix("robotouille/"))
    if len(name) > _LONGEST or "\0" in name or inner.is_absolute() or ".." in inner.parts:
        return None
    original, at, seed = inner.name.partition("@")
    files = {f"{inner.name}{ending}": "" for ending in _ENDINGS}
    if at:
        files |= {f"{original}{ending}": f"@{seed}" for ending in _ENDINGS}
    for file, suffix in files.items():
        path = folder / inner.parent / file
        if isfile(path):  # which raises for no path
            return f"{path}{suffix}"
    return None


def environment_from_document(document: Any, source: str, name: str) -> Kitchen:
    """Turn a parsed environment into a `Kitchen`.

    Follows the simulator's builder: objects are sorted by their cell (x, then y) and numbered kind by kind in that
    order, unless their names end in numbers; a player stands at the station it faces and holds the thing on its own
    cell, an item rather than a container; items on a cell form a stack in order of their level. ``config`` applies,
    although the simulator has constants. Notes, whose keys begin with ``_``, are ignored; unknown keys are rejected.

    Raises
    ------
    InputError
        Naming file, field and value of the first fault.
    """
    try:
        entry = SimulatorFile.model_validate({key: document[key] for key in document if not key.startswith("_")})
    except ValidationError as error:
        raise input_error(error, source, SimulatorFile) from None
    try:
        domain = domain_of(entry.domain, source, bundled().benchmark).with_config(entry.config)
        return kitchen_of_file(entry, name, domain)
    except InputError as error:
        raise error if error.source else error.at(source) from None


def kitchen_of_file(entry: SimulatorFile, name: str, domain: KitchenDomain) -> Kitchen:
    """Return the kitchen of a file, and store the file with it; raises `InputError` with the field."""
    things = {field: _with_numbers(field, getattr(entry, field), domain) for field in _FIELDS}
    layout, goal = _layout(things), _goal(entry.goal, things, domain)
    kitchen = Kitchen.of(name, domain, layout.objects(), layout.facts(domain), goal, entry.goal_description)
    check_choices(kitchen)
    object.__setattr__(kitchen, "simulator_file", entry)
    return kitchen


def _with_numbers(field: str, things: list[GridThing], domain: KitchenDomain) -> list[GridThing]:
    """Check the things of a list, and give them numbers if they have none."""
    check_size(len(things))
    object_type = _FIELDS[field]
    for i, thing in enumerate(things):
        for p, trait in enumerate(thing.predicates):
            if domain.signature.get(trait) != (object_type,):
                message = f"is not a predicate of the type {object_type}; {_OTHER_DOMAIN}"
                raise InputError(message, field=f"{field}[{i}].predicates[{p}]", value=trait)
        if field == "players" and [type(step) for step in thing.direction] != [int, int]:
            raise InputError("must be two whole numbers", field=f"{field}[{i}].direction", value=thing.direction)
        if domain.type_of(thing.kind) != object_type:
            hint = "random objects are not supported"
            if thing.name != object_type:
                hint = f"its kind must have a predicate, is{thing.kind}; {_OTHER_DOMAIN}"
            message = f"is not an object of the type {object_type}; {hint}"
            raise InputError(message, field=f"{field}[{i}].name", value=thing.name)
    is_numbered = {thing.name != thing.kind for thing in things}
    if len(is_numbered) > 1:
        raise InputError("either all names or none must end in a number", field=field)
    if False in is_numbered:
        count = Counter[str]()
        numbered = []
        for thing in sorted(things, key=attrgetter("cell")):
            count[thing.kind] += 1
            numbered.append(thing.model_copy(update={"name": f"{thing.kind}{count[thing.kind]}"}))
        return numbered
    names = set[str]()
    for i, thing in enumerate(things):
        split_name(thing.name)
        if thing.name in names:
            raise InputError("is given twice", field=f"{field}[{i}].name", value=thing.name)
        names.add(thing.name)
    return things


def _layout(things: _Things) -> KitchenLayout:
    layout = KitchenLayout()
    station_on: dict[tuple[int, int], str] = {}
    for i, station in enumerate(things["stations"]):
        if station.cell in station_on:
            raise InputError("another station is already on this cell", field=f"stations[{i}]", value=station.name)
        station_on[station.cell] = station.name
        layout.stations[station.name] = []
    items = [item for item in things["items"] if item.cell in station_on]
    for item in items:
        if item.level is None:
            raise InputError("is missing", field=f"items[{things['items'].index(item)}].stack-level")
    for thing in (*sorted(items, key=lambda item: item.level or 0), *things["containers"]):
        if thing.cell in station_on:
            layout.stations[station_on[thing.cell]].append(thing.name)
    for player in things["players"]:
        hand = [thing.name for thing in (*things["items"], *things["containers"]) if thing.cell == player.cell]
        dx, dy = player.direction
        faced = station_on.get((player.x + dx, player.y + dy))
        layout.players[player.name] = (faced, hand[0] if hand else None)
    for container in things["containers"]:
        meals = [meal.name for meal in things["meals"] if meal.cell == container.cell]
        if meals:
            layout.containers[container.name] = meals
    placed = set(layout.objects())
    all_things: list[GridThing] = []
    for field in _FIELDS:
        all_things += things[field]
    layout.unplaced = [thing.name for thing in all_things if thing.name not in placed]
    layout.traits = {thing.name: thing.predicates for thing in all_things if thing.predicates}
    return layout


def _goal(entries: list[_Condition], things: _Things, domain: KitchenDomain) -> Goal:
    """Read a goal: an id of digits is a role, any other id names the object with this id, of any kind.

    An id of digits with several kinds is a role of the first kind, as in the simulator; the other kinds only need one
    more object.
    """
    rows: list[_GoalRow] = []
    labels_of_kind: dict[str, list[str]] = {}  # in the order in which the goal names the kinds
    for i, entry in enumerate(entries):
        location = f"goal[{i}]"
        pairs = _kinds_and_labels(entry, location)
        for kind, label in pairs:
            if domain.type_of(kind) is None and (label.isdigit() or kind not in _FIELDS.values()):
                raise InputError("is of an unknown kind", field=f"{location}.args", value=kind)
            if label.isdigit() and label not in labels_of_kind.setdefault(kind, []):
                labels_of_kind[kind].append(label)
        rows.append(_GoalRow(entry.predicate, pairs, location))
    first_kind: dict[str, str] = {}
    roles = []
    for kind, labels in labels_of_kind.items():
        for label in labels:
            first_kind.setdefault(label, kind)
            roles.append(f"{kind}#{label}")
    conditions = []
    for row in rows:
        condition = [row.predicate]
        for kind, label in row.pairs:
            if label.isdigit():
                condition.append(f"{first_kind[label]}#{label}")
            else:
                object_type = domain.type_of(kind) or kind
                condition.append(_object_with_id(object_type, label, things, row.location))
        conditions.append(condition)
    return Goal.of(conditions, roles)


class _GoalRow(NamedTuple):
    """Condition of a goal with the kind and the id of each argument, and the location of its entry."""

    predicate: str
    pairs: list[tuple[str, str]]
    location: str


def _kinds_and_labels(entry: _Condition, location: str) -> list[tuple[str, str]]:
    for a, label in enumerate(entry.ids):
        if type(label) is not int and not isinstance(label, str):
            raise InputError("must be text or a whole number", field=f"{location}.ids[{a}]", value=label)
    if len(entry.ids) != len(entry.args):
        raise InputError("must have as many entries as args", field=f"{location}.ids", value=entry.ids)
    return [(kind, str(label)) for kind, label in zip(entry.args, entry.ids, strict=True)]


def _object_with_id(object_type: str, label: str, things: _Things, location: str) -> str:
    field = next(field for field, type_of_field in _FIELDS.items() if type_of_field == object_type)
    for thing in things[field]:
        if thing.id == label:
            return thing.name
    raise InputError(f"no {object_type} has this id", field=f"{location}.ids", value=label)
