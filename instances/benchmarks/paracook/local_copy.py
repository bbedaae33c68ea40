"""User's copy of ParaCook's data: a clone of the released repository, or the compact files.

The repository states no licence, so nothing of it is bundled, see `planoracle.instances.protocol.registry`. A copy is
read piece by piece, as names ask for it. Both forms have the same parts: tasks (``abstract``), ``maps``, ``orders`` and
``recipes``. Durations and cookware are those of the released simulator, which has them in its code.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import islice
from os.path import isfile
from pathlib import Path
from typing import Any, Final, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    KINDS,
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Station,
    Tile,
)
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.protocol import registry
from planoracle.instances.text import one_of

# Maximum length of a name, entries of a list, and files of one kind in a clone (the released one has 120).
_LONGEST = 200
_LONGEST_LIST = 5_000
_MOST = 5_000


@contextmanager
def within(source: str) -> Iterator[None]:
    """Add a file to errors that name no file yet."""
    try:
        yield
    except InputError as error:
        raise (error if error.source else error.at(source)) from None


def an_object(value: Any, field: str) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    return value


def a_list(value: Any, field: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list) or len(value) > _LONGEST_LIST:
        raise InputError(f"must be a list of at most {_LONGEST_LIST} entries", field=field, value=value)
    return value


def some(value: Any, field: str) -> list[Any]:
    """Return a list that is not empty."""
    values = a_list(value, field)
    if not values:
        raise InputError("must not be empty", field=field, value=value)
    return values


def a_text(value: Any, field: str) -> str:
    """Return text that can be a name."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise InputError(f"must be text of 1 to {_LONGEST} characters", field=field, value=value)
    return value


def a_whole(value: Any, field: str) -> int:
    """Return a whole number that is not negative."""
    if type(value) is not int or value < 0:
        raise InputError("must be a whole number, 0 or more", field=field, value=value)
    return value


#: A task of the abstract part: name, time, and minimum lags from the ends of its predecessors.
Row: TypeAlias = tuple[str, int, Mapping[str, int]]

#: Durations and cookware in the code of the released simulator.
FACTS: Final = Facts(
    move=1,
    chop=4,
    wash=6,
    plate_return=10,
    cookware=(
        Cookware("pan", 24, "chopped", ("meat", "chicken", "mushroom", "tomato", "fish", "prawn")),
        Cookware("pot", 16, "raw", ("rice", "pasta")),
    ),
)

#: The compact files.
COMPACT: Final = ("abstract.json", "maps.json", "orders.json", "recipes.json")
_ORDERS = "data/cook/orders/all_orders.json"
_CLONE = ("config/recipe", "data/abstract", "data/cook/maps", _ORDERS)
#: Accepted folders, in words.
ACCEPTED_FOLDERS: Final = f"a clone of the released repository, or a folder with {', '.join(COMPACT)}"

_CATEGORY, _SEED = r"[A-Za-z0-9][\w-]{0,40}", r"seed_[0-9]{1,9}"
_MAP = re.compile(rf"{_CATEGORY}/{_SEED}/agent_num_[0-9]{{1,3}}")
_SETTING = re.compile(rf"{_CATEGORY}/{_SEED}/orders_num_[0-9]{{1,3}}")
# Folders of the documents of each part in a clone, prefixes of their names, and patterns of valid names.
_FOLDERS = {
    "abstract": [("data/abstract", "", _SETTING)],
    "maps": [("data/cook/maps", "", _MAP), ("config/map_examples", "example/", re.compile(r"example/[^/]+"))],
    "recipes": [("config/recipe", "", re.compile(r"[^/]+"))],
}


class Copy(ABC):
    """Copy of the data; every property is read on first use.

    Raises
    ------
    InputError
        From each property, with file, field and value of an error.
    """

    facts: Facts = FACTS

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: dict[str, Any] = {}

    @abstractmethod
    def names(self, part: str) -> Iterable[str]:
        """Return the names of the documents of a part, in any order."""

    @abstractmethod
    def document(self, part: str, name: str) -> tuple[Any, str]:
        """Return an existing document, and its file."""

    @cached_property
    def dishes(self) -> Mapping[str, OrderedDish]:
        """Dishes by name, ``burger/burger_full``."""
        dishes: dict[str, OrderedDish] = {}
        for category in self.names("recipes"):
            document, source = self.document("recipes", category)
            with within(source):
                dishes.update((dish.name, dish) for dish in _dishes(category, document))
        return dishes

    @cached_property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """Names of dishes by setting, ``burger/seed_42/orders_num_2``."""
        document, source = self.document("orders", "")
        orders: dict[str, tuple[str, ...]] = {}
        with within(source):
            for name, dishes in an_object(document, "orders").items():
                if _SETTING.fullmatch(name):
                    texts = []
                    for number, dish in enumerate(some(dishes, name)):
                        texts.append(a_text(dish, f"{name}[{number}]"))
                    orders[name] = tuple(texts)
        return {name: orders[name] for name in in_order(orders)}

    @cached_property
    def maps(self) -> tuple[str, ...]:
        """Names of maps, ``burger/seed_42/agent_num_2``; maps without a category are last."""
        names = in_order(self.names("maps"))
        return tuple(sorted(names, key=lambda name: _MAP.fullmatch(name) is None))

    @cached_property
    def abstract(self) -> tuple[str, ...]:
        """Names of problems of the abstract part, ``burger/seed_42/orders_num_2``."""
        return in_order(self.names("abstract"))

    def has_map(self, name: str) -> bool:
        """Return true if the map exists."""
        return name in self.maps

    def has_abstract(self, name: str) -> bool:
        """Return true if the abstract problem exists."""
        return name in self.abstract

    def orders_of(self, setting: str) -> tuple[str, ...]:
        """Return the dishes of a setting, ``()`` for an unknown setting."""
        return self.orders.get(setting, ())

    def settings_of(self, name: str) -> tuple[str, ...]:
        """Return the settings that belong to a map: those of its category and seed."""
        seed = name.rpartition("/")[0]
        settings = [setting for setting in self.orders if setting.rpartition("/")[0] == seed]
        return tuple(settings)

    def dishes_of(self, names: Iterable[str]) -> list[OrderedDish]:
        """Return dishes by their names; raises `InputError` for an unknown one."""
        names = list(names)
        for name in names:
            if name not in self.dishes:
                raise InputError(one_of(name, self.dishes, "dishes"), field="orders", value=name)
        return [self.dishes[name] for name in names]

    def held_in(self, path: str, names: Iterable[str]) -> list[str]:
        """Return the maps, or abstract problems, in a file of this copy."""
        location = Path(path).absolute().relative_to(self.folder.absolute())
        inner = location.with_suffix("").as_posix()
        if "/" not in inner:
            return list(names)
        return [name for name in names if inner.endswith(f"/{name}")]

    def kitchen(self, name: str, place: str, dishes: Iterable[str]) -> GridKitchen:
        """Return the grid kitchen of an existing map with ordered dishes."""
        document, source = self.document("maps", place)
        return kitchen_from_map(name, document, source, self.dishes_of(dishes), self.facts)

    def rows(self, name: str) -> list[Row]:
        """Return the tasks of an existing abstract problem."""
        document, source = self.document("abstract", name)
        with within(source):
            return rows_of(document, name)


def _number_or_text(part: str) -> tuple[int, str]:
    """Return a sort key of a part of a name: numbers by value, after texts."""
    if part.isdecimal() and len(part) < 20:
        return int(part), ""
    return -1, part


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in an order independent of the file system; numbers are sorted by value."""

    def key(name: str) -> list[tuple[int, str]]:
        return list(map(_number_or_text, re.split(r"[/_]", name)))

    return tuple(sorted(names, key=key))


class _Compact(Copy):
    def names(self, part: str) -> Iterable[str]:
        return self._part(part)[0]

    def document(self, part: str, name: str) -> tuple[Any, str]:
        documents, source = self._part(part)
        if not name:
            return documents, source
        return documents[name], f"{source}#{name}"

    def _part(self, part: str) -> tuple[dict[str, Any], str]:
        source = str(self.folder / f"{part}.json")
        field = "problems" if part == "abstract" else part
        if part not in self._parts:
            with within(source):
                document = an_object(load_json(read_bytes(source), source), "document")
                self._parts[part] = an_object(document.get(field), field)
        return self._parts[part], source


class _Clone(Copy):
    def names(self, part: str) -> Iterable[str]:
        return self._files(part)

    def document(self, part: str, name: str) -> tuple[Any, str]:
        path = self._files(part)[name] if name else self.folder / _ORDERS
        source = str(path)
        return load_json(read_bytes(source), source), source

    def _files(self, part: str) -> dict[str, Path]:
        if part in self._parts:
            return self._parts[part]  # type: ignore[no-any-return]
        files = self._parts[part] = {}
        for folder, prefix, pattern in _FOLDERS[part]:
            root = self.folder / folder
            paths = sorted(islice(root.rglob("*.json"), _MOST + 1))
            if len(paths) > _MOST:
                raise InputError(f"contains more than {_MOST} files", source=str(root))
            for path in paths:
                name = prefix + path.relative_to(root).as_posix().removesuffix(".json")
                if pattern.fullmatch(name):
                    files[name] = path
        return files


# --- parts ----------------------------------------------------------------------------------------


def rows_of(value: Any, field: str) -> list[Row]:
    """Return the tasks of a problem, each a list or an object; raises `InputError` for invalid ones."""
    rows: list[Row] = []
    for number, entry in enumerate(some(value, field)):
        location = f"{field}[{number}]"
        if isinstance(entry, dict):
            entry = [entry.get(key) for key in ("name", "time", "dependencies")]
        if not isinstance(entry, list) or len(entry) != 3:
            raise InputError("must be a name, a time and dependencies", field=location, value=entry)
        name, time, dependencies = entry
        lags: dict[str, int] = {}
        for predecessor, lag in an_object(dependencies, f"{location}.dependencies").items():
            lags[predecessor] = a_whole(lag, f"{location}.dependencies.{predecessor}")
        text = a_text(name, f"{location}.name")
        rows.append((text, a_whole(time, f"{location}.time"), lags))
    return rows


def _dishes(category: str, document: Any) -> Iterator[OrderedDish]:
    """Yield the dishes of a category: an object of lists by name, or a list of objects, as released."""
    if isinstance(document, list):
        entries = [an_object(dish, f"{category}[{number}]") for number, dish in enumerate(document)]
        dishes: list[tuple[str, Any]] = []
        for number, dish in enumerate(entries):
            field = f"{category}[{number}].name"
            dish_name = a_text(dish.get("name"), field)
            dishes.append((dish_name, dish.get("ingredients")))
    else:
        dishes = list(an_object(document, category).items())
    for name, ingredients in dishes:
        full_name = f"{category}/{name}"
        needs = []
        for number, need in enumerate(some(ingredients, f"{category}.{name}")):
            needs.append(_need(need, f"{full_name}[{number}]"))
        yield OrderedDish(full_name, tuple(needs))


def _need(need: Any, field: str) -> Need:
    if isinstance(need, dict):
        need = [need.get("item"), need.get("state"), need.get("cookware", "")]
    is_list = isinstance(need, list) and len(need) in (2, 3)
    if not is_list or not all(isinstance(part, str) for part in need):
        raise InputError("must be an ingredient, a state and optionally cookware", field=field, value=need)
    return Need(*need)


def kind_of(name: str) -> str | None:
    """Return the kind of station with a name: the first kind that occurs in it; ``None`` for none.

    >>> kind_of("chopping_board2"), kind_of("table_of_the_sink"), kind_of("fridge")
    ('chopping_board', 'table', None)
    """
    return next((kind for kind in KINDS if kind in name), None)


def kitchen_from_map(name: str, document: Any, source: str, orders: Iterable[OrderedDish], facts: Facts) -> GridKitchen:
    """Turn the document of a map, released or compact, into a grid kitchen; raises `InputError`."""
    with within(source):
        entry = an_object(document, "document")
        stations: list[Station] = []
        walls: dict[str, Tile] = {}
        for number, value in enumerate(a_list(entry.get("tiles"), "tiles")):
            location = f"tiles[{number}]"
            tile = _tile(value, location)
            if tile.get("type") == "obstacle":
                wall_name = a_text(tile.get("name"), f"{location}.name")
                wall = _unused_name(wall_name, walls)
                walls[wall] = _place(tile, location)
            else:
                stations.append(_station(tile, location))
        agents = entry.get("agents")
        if isinstance(agents, dict):
            named_tiles = agents.items()
            agents = [{"name": name, **_tile(tile, name)} for name, tile in named_tiles]
        cooks: list[tuple[str, Tile]] = []
        for number, cook in enumerate(a_list(agents, "agents")):
            field = f"agents[{number}]"
            cook_entry = an_object(cook, field)
            cook_name = a_text(cook_entry.get("name"), f"{field}.name")
            cooks.append((cook_name, _place(cook, field)))
        width = a_whole(entry.get("width"), "width")
        size = width, a_whole(entry.get("height"), "height")
        return GridKitchen.of(name, "paracook", size, stations, walls.items(), cooks, orders, facts)


def _unused_name(name: str, names: Collection[str]) -> str:
    """Return a name, with the first free number if it is in use."""
    if name not in names:
        return name
    numbers = range(1, len(names) + 1)
    numbered = (f"{name}_{number}" for number in numbers)
    return next(candidate for candidate in numbered if candidate not in names)


def _tile(value: Any, field: str) -> dict[str, Any]:
    """Return a tile as an object; a list is name, type, place and contents, a pair is a place."""
    if isinstance(value, list) and len(value) in (2, 4, 5):
        contents = {}
        if len(value) == 5:
            contents = an_object(value[4], f"{field}[4]")
        names = ("x", "y") if len(value) == 2 else ("name", "type", "x", "y")
        return {**contents, **dict(zip(names, value, strict=False))}
    return an_object(value, field)


def _place(tile: Mapping[str, Any], field: str) -> Tile:
    x = tile.get("x")
    y = tile.get("y")
    if type(x) is not int or type(y) is not int:
        raise InputError("must be a column and a row", field=field, value=[x, y])
    return x, y


def _station(tile: Mapping[str, Any], field: str) -> Station:
    name = a_text(tile.get("name"), f"{field}.name")
    kind = kind_of(name)
    if tile.get("type") != "station" or kind is None:
        raise InputError(f"must be an obstacle, or a station: {', '.join(KINDS)}", field=field, value=name)
    contents = [_optional_text(tile, key, field) for key in ("item", "provides")]
    return Station(name, kind, _place(tile, field), *contents)


def _optional_text(tile: Mapping[str, Any], key: str, field: str) -> str:
    if tile.get(key) is None:
        return ""
    return a_text(tile[key], f"{field}.{key}")


# --- folders --------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def copy_in(folder: Path) -> Copy:
    """Return the copy in a folder; raises `InputError` with the missing files."""
    compact = [name for name in COMPACT if not isfile(folder / name)]
    if not compact:
        return _Compact(folder)
    clone = [name for name in _CLONE if not (folder / name).exists()]
    if not clone:
        return _Clone(folder)
    message = "is not a copy of ParaCook's data"
    if len(clone) < len(_CLONE):
        message = f"lacks {', '.join(clone)}"
    elif len(compact) < len(COMPACT):
        message = f"lacks {', '.join(compact)}"
    variable = registry.data_variable("paracook")
    raise InputError(f"{message}; must be {ACCEPTED_FOLDERS}", field=variable, value=str(folder))


def copy() -> Copy | None:
    """Return the user's copy, ``None`` if none is configured; raises `InputError` like `copy_in`."""
    folder = registry.data_folder("paracook")
    return None if folder is None else copy_in(folder)


def copy_of(path: str) -> Copy | None:
    """Return the copy that contains a file, ``None`` if there is none."""
    for folder in list(Path(path).absolute().parents)[:6]:
        is_compact = all(isfile(folder / name) for name in COMPACT)
        if is_compact or all((folder / name).exists() for name in _CLONE):
            return copy_in(folder)
    return None
