"""Reader of the simulator's own files: the domain, and environments (kitchens)."""

from __future__ import annotations

from os.path import isfile
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.kitchens import problems
from planoracle.instances.benchmarks.kitchens.domain import (
    KitchenDomain,
    bundled,
)
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, check_size, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout
from planoracle.instances.benchmarks.kitchens.problems import json_schema as json_schema
from planoracle.instances.errors import InputError

# No name of a kitchen is longer.
_LONGEST = 300
#: Lists of an environment, and the type of what they hold.
_FIELDS = {"stations": "station", "items": "item", "players": "player", "containers": "container", "meals": "meal"}


def recognises(document: Any) -> bool:
    """Return whether a document is a kitchen in our format or an environment of the simulator."""
    if not isinstance(document, dict):
        return False
    return document.get("format") == problems.FORMAT or (
        "format" not in document and {"stations", "goal"} <= set(document)
    )


def kitchen_of(document: Any, source: str, domain: KitchenDomain | None = None) -> Kitchen:
    """Turn a parsed document of either format into a `Kitchen`; raises `InputError`."""
    if isinstance(document, dict) and "format" not in document:
        return environment_from_document(document, source, Path(source).stem, domain)
    return problems.kitchen_from_document(document, source, domain)


def read(document: Any, source: str) -> list[Kitchen]:
    """Return the kitchen of a document of either format."""
    return [kitchen_of(document, source)]


def file_of(name: str, folder: Path) -> str | None:
    """Return the file of a kitchen below a folder, ``None`` if there is none."""
    inner = Path(name.removeprefix("robotouille/"))
    if len(name) > _LONGEST or "\0" in name or inner.is_absolute() or ".." in inner.parts:
        return None
    problems = (folder / inner.parent / f"{inner.name}{ending}" for ending in ("", ".json"))
    return next((str(path) for path in problems if isfile(path)), None)  # which raises for no path


def environment_from_document(document: Any, source: str, name: str, domain: KitchenDomain | None = None) -> Kitchen:
    """Turn a parsed environment into a `Kitchen`; raises `InputError` like `read_environment`.

    Follows the simulator's builder: objects are sorted by their cell (x, then y) and numbered kind by kind in that
    order, unless their names carry numbers; a player stands at the station it faces and holds what lies on its own
    cell, an item rather than a container; items on a cell form a stack in order of their level. Size, ``config`` (the
    simulator has constants for all times) and unknown keys are passed over.
    """
    domain = bundled() if domain is None else domain
    try:
        entry = _object(document, "document", needed=("stations", "players", "goal"))
        things = {field: _things(entry, field, domain) for field in _FIELDS}
        layout = _layout(things)
        text = entry.get("goal_description", "")
        if not isinstance(text, str):
            raise InputError("must be text", field="goal_description", value=text)
        goal = _goal(_list(entry, "goal", ""), things, domain)
        return Kitchen.of(name, domain, layout.objects(), layout.facts(domain), goal, text)
    except InputError as error:
        raise error.at(source) from None


_Thing = dict[str, Any]  # an entry of the file with the final name, and "kind"


def _things(entry: dict[str, Any], field: str, domain: KitchenDomain) -> list[_Thing]:
    things = []
    listed = _list(entry, field, "") if field in entry else []
    check_size(len(listed))
    for i, thing in enumerate(listed):
        location = f"{field}[{i}]"
        _object(thing, location, needed=("name", "x", "y"))
        name = _text(thing["name"], f"{location}.name")
        for key in ("x", "y"):
            _whole(thing[key], f"{location}.{key}")
        traits = _list(thing, "predicates", location) if "predicates" in thing else []
        for p, trait in enumerate(traits):
            if domain.signature.get(_text(trait, f"{location}.predicates[{p}]")) != (_FIELDS[field],):
                raise InputError(
                    f"is no predicate of a {_FIELDS[field]}", field=f"{location}.predicates[{p}]", value=trait
                )
        if field == "players":
            direction = _list(thing, "direction", location) if "direction" in thing else []
            if len(direction) != 2 or any(type(step) is not int for step in direction):
                raise InputError("must be two whole numbers", field=f"{location}.direction", value=direction)
        if "stack-level" in thing:
            _whole(thing["stack-level"], f"{location}.stack-level")
        kind = name.rstrip("0123456789")
        if domain.type_of(kind) != _FIELDS[field]:
            hint = "; one chosen at random is not supported" if name == _FIELDS[field] else ""
            raise InputError(f"names no {_FIELDS[field]} of the domain{hint}", field=f"{location}.name", value=name)
        things.append({**thing, "kind": kind, "location": location})
    numbered = [thing["name"] != thing["kind"] for thing in things]
    if any(numbered) and not all(numbered):
        raise InputError("either all names must carry a number or none", field=field)
    if not any(numbered):
        things.sort(key=lambda thing: (thing["x"], thing["y"]))
        count: dict[str, int] = {}
        for thing in things:
            count[thing["kind"]] = count.get(thing["kind"], 0) + 1
            thing["name"] += str(count[thing["kind"]])
    names = [split_name(thing["name"])[0] and thing["name"] for thing in things]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError("is given twice", field=f"{things[i]['location']}.name", value=name)
    return things


def _layout(things: dict[str, list[_Thing]]) -> KitchenLayout:
    layout = KitchenLayout()
    cells: dict[tuple[int, int], list[str]] = {}  # of the stations
    for station in things["stations"]:
        if (station["x"], station["y"]) in cells:
            raise InputError("another station stands there already", field=station["location"], value=station["name"])
        cells[station["x"], station["y"]] = layout.stations[station["name"]] = []
    at = {(station["x"], station["y"]): station["name"] for station in things["stations"]}
    items = [item for item in things["items"] if (item["x"], item["y"]) in cells]
    for item in items:
        if "stack-level" not in item:
            raise InputError("is missing", field=f"{item['location']}.stack-level")
    for thing in sorted(items, key=lambda item: item["stack-level"]) + things["containers"]:
        cells.get((thing["x"], thing["y"]), []).append(thing["name"])
    for player in things["players"]:
        x, y = player["x"], player["y"]
        hand = [thing["name"] for thing in things["items"] + things["containers"] if (thing["x"], thing["y"]) == (x, y)]
        faced = at.get((x + player["direction"][0], y + player["direction"][1]))
        layout.players[player["name"]] = (faced, hand[0] if hand else None)
    for container in things["containers"]:
        cell = container["x"], container["y"]
        meals = [meal["name"] for meal in things["meals"] if (meal["x"], meal["y"]) == cell]
        if meals:
            layout.containers[container["name"]] = meals
    placed = set(layout.objects())
    all_things = [thing for field in _FIELDS for thing in things[field]]
    layout.unplaced = [thing["name"] for thing in all_things if thing["name"] not in placed]
    layout.traits = {thing["name"]: thing["predicates"] for thing in all_things if thing.get("predicates")}
    return layout


def _goal(entries: list[Any], things: dict[str, list[_Thing]], domain: KitchenDomain) -> Goal:
    """Read a goal: an id of digits is a role, another one names the object that has it, of whatever kind.

    An id of digits that goes with several kinds is a role of the kind named first, as in the simulator; for the other
    kinds there must only be an object more.
    """
    rows: list[tuple[str, list[tuple[str, str]], str]] = []
    ids: dict[str, list[str]] = {}  # of every kind, in the order in which the goal names the kinds
    for i, entry in enumerate(entries):
        location = f"goal[{i}]"
        _object(entry, location, needed=("predicate", "args", "ids"))
        kinds = [_text(kind, f"{location}.args[{a}]") for a, kind in enumerate(_list(entry, "args", location))]
        labels = _list(entry, "ids", location)
        for a, label in enumerate(labels):
            if type(label) is not int and not isinstance(label, str):
                raise InputError("must be text or a whole number", field=f"{location}.ids[{a}]", value=label)
        if len(labels) != len(kinds):
            raise InputError("there must be as many ids as args", field=f"{location}.ids", value=labels)
        pairs = [(kind, str(label)) for kind, label in zip(kinds, labels, strict=True)]
        for kind, label in pairs:
            if domain.type_of(kind) is None and (label.isdigit() or kind not in _FIELDS.values()):
                raise InputError("is of no kind that the domain knows", field=f"{location}.args", value=kind)
            if label.isdigit() and label not in ids.setdefault(kind, []):
                ids[kind].append(label)
        rows.append((_text(entry["predicate"], f"{location}.predicate"), pairs, location))
    owner: dict[str, str] = {}
    for kind, labels in ids.items():
        for label in labels:
            owner.setdefault(label, kind)
    conditions = []
    for predicate, pairs, location in rows:
        atom = [predicate]
        for kind, label in pairs:
            if label.isdigit():
                atom.append(f"{owner[label]}#{label}")
            else:
                atom.append(_object_with_id(kind, label, things, domain, location))
        conditions.append(atom)
    return Goal.of(conditions, (f"{kind}#{label}" for kind, labels in ids.items() for label in labels))


def _object_with_id(
    kind: str, label: str, things: dict[str, list[_Thing]], domain: KitchenDomain, location: str
) -> str:
    its_type = domain.type_of(kind) or kind
    field = next(field for field, object_type in _FIELDS.items() if object_type == its_type)
    for thing in things[field]:
        if thing.get("id") == label:
            return str(thing["name"])
    raise InputError(f"no {its_type} has this id", field=f"{location}.ids", value=label)


def _object(
    value: Any, field: str, needed: tuple[str, ...] = (), optional: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Check that a value is an object with the keys needed and, unless ``optional`` is None, no others."""
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    for key in needed:
        if key not in value:
            raise InputError("is missing", field=f"{field}.{key}".removeprefix("document."))
    for key in value:
        if optional is not None and key not in needed and key not in optional:
            raise InputError("unknown key", field=f"{field}.{key}", value=value[key])
    return value


def _list(entry: dict[str, Any], key: str, location: str) -> list[Any]:
    value = entry[key]
    if not isinstance(value, list):
        raise InputError("must be a list", field=f"{location}.{key}".lstrip("."), value=value)
    return value


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError("must be text", field=field, value=value)
    return value


def _whole(value: Any, field: str) -> None:
    if type(value) is not int:
        raise InputError("must be a whole number", field=field, value=value)
