"""User's copy of ParaCook's data: a clone of the released repository, or the compact files.

The repository states no licence, so nothing of it is bundled, see `planoracle.instances.protocol.registry`. A copy is
read piece
by piece, as names ask for it. What the simulator knows in its code, how long things take and what cookware accepts,
the compact files repeat, and `FACTS` says for a clone.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import islice
from os.path import isfile
from pathlib import Path
from typing import Any, Final, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import Cookware, Facts, Need, OrderedDish
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.protocol import registry
from planoracle.instances.text import one_of

# Longest name, most entries of a list that is read to its end.
_LONGEST, _LONGEST_LIST = 200, 5_000


@contextmanager
def within(source: str) -> Iterator[None]:
    """Let errors name a file that name none yet."""
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
        raise InputError(f"must be a list of at most {_LONGEST_LIST}", field=field, value=value)
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
        raise InputError("must be a short text", field=field, value=value)
    return value


def a_whole(value: Any, field: str) -> int:
    """Return a whole number that is not negative."""
    if type(value) is not int or value < 0:
        raise InputError("must be a whole number, 0 or more", field=field, value=value)
    return value


#: A task of the abstract part: its name, its time, and the least time after the end of what it waits for.
Row: TypeAlias = tuple[str, int, Mapping[str, int]]

#: What the released simulator has in its code.
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
COMPACT: Final = ("abstract.json", "kitchen.json", "maps.json", "orders.json", "recipes.json")
_CLONE = ("config/recipe", "data/abstract", "data/cook/maps", "data/cook/orders/all_orders.json")
#: Accepted folders, in words.
ACCEPTED_FOLDERS: Final = f"a clone of the released repository, or a folder with {', '.join(COMPACT)}"

# Most files of one kind in a clone; the released one has 120.
_MOST = 5_000
_CATEGORY, _SEED = r"[A-Za-z0-9][\w-]{0,40}", r"seed_[0-9]{1,9}"
_MAP = re.compile(rf"{_CATEGORY}/{_SEED}/agent_num_[0-9]{{1,3}}")
_SETTING = re.compile(rf"{_CATEGORY}/{_SEED}/orders_num_[0-9]{{1,3}}")


class Copy(ABC):
    """A copy of the data; every property is read when it is first asked for.

    Raises
    ------
    InputError
        From each of them, naming file, field and value of a fault.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """Durations and cookware."""

    @property
    @abstractmethod
    def dishes(self) -> Mapping[str, OrderedDish]:
        """Dishes by name, ``burger/burger_full``."""

    @property
    @abstractmethod
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """Names of dishes by setting, ``burger/seed_42/orders_num_2``."""

    @property
    @abstractmethod
    def maps(self) -> tuple[str, ...]:
        """Names of maps, ``burger/seed_42/agent_num_2``; last those that are of no category."""

    @property
    @abstractmethod
    def abstract(self) -> tuple[str, ...]:
        """Names of problems of the abstract part, ``burger/seed_42/orders_num_2``."""

    def has_map(self, name: str) -> bool:
        """Return whether the map exists."""
        return name in self.maps

    def has_abstract(self, name: str) -> bool:
        """Return whether the abstract problem exists."""
        return name in self.abstract

    def orders_of(self, setting: str) -> tuple[str, ...]:
        """Return what a setting orders, ``()`` if there is no such setting."""
        return self.orders.get(setting, ())

    def settings_of(self, name: str) -> tuple[str, ...]:
        """Return the settings that belong to a map: those of its category and seed."""
        seed = name.rpartition("/")[0]
        return tuple(one for one in self.orders if one.rpartition("/")[0] == seed)

    def dishes_of(self, names: Iterable[str]) -> list[OrderedDish]:
        """Return dishes by their names; raises `InputError` for one that there is not."""
        names = list(names)
        for name in names:
            if name not in self.dishes:
                raise InputError(one_of(name, self.dishes, "dishes"), field="orders", value=name)
        return [self.dishes[name] for name in names]

    def held_in(self, path: str, names: Iterable[str]) -> list[str]:
        """Return which maps, or which abstract problems, are in a file of this copy."""
        inner = Path(path).absolute().relative_to(self.folder.absolute()).with_suffix("").as_posix()
        return [name for name in names if "/" not in inner or inner.endswith(f"/{name}")]

    @abstractmethod
    def map(self, name: str) -> tuple[Any, str]:
        """Return the document of a map that there is, and its file."""

    @abstractmethod
    def rows(self, name: str) -> list[Row]:
        """Return the tasks of an abstract problem that there is."""


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in an order that no file system has a say in: numbers by their value."""

    def key(name: str) -> list[tuple[int, str]]:
        parts = re.split(r"[/_]", name)
        return [(int(part), "") if part.isdecimal() and len(part) < 20 else (-1, part) for part in parts]

    return tuple(sorted(names, key=key))


class _Compact(Copy):
    def _document(self, file: str) -> tuple[dict[str, Any], str]:
        path = self.folder / file
        source = str(path)
        with within(source):
            return an_object(load_json(read_bytes(path), source), "document"), source

    def _field(self, file: str, field: str) -> tuple[dict[str, Any], str]:
        document, source = self._document(file)
        with within(source):
            return an_object(document.get(field), field), source

    @cached_property
    def facts(self) -> Facts:
        document, source = self._document("kitchen.json")
        with within(source):
            return _facts(document)

    @cached_property
    def dishes(self) -> Mapping[str, OrderedDish]:
        recipes, source = self._field("recipes.json", "recipes")
        with within(source):
            return {
                f"{category}/{name}": _dish(f"{category}/{name}", some(needs, f"{category}.{name}"))
                for category, dishes in recipes.items()
                for name, needs in an_object(dishes, category).items()
            }

    @cached_property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        orders_by_setting, source = self._field("orders.json", "orders")
        with within(source):
            return _orders(orders_by_setting)

    @cached_property
    def _maps(self) -> tuple[dict[str, Any], str]:
        return self._field("maps.json", "maps")

    @cached_property
    def maps(self) -> tuple[str, ...]:
        documents, _ = self._maps
        mine = in_order(name for name in documents if _MAP.fullmatch(name))
        return (*mine, *in_order(name for name in documents if name not in mine))

    @cached_property
    def _abstract(self) -> tuple[dict[str, Any], str]:
        return self._field("abstract.json", "problems")

    @cached_property
    def abstract(self) -> tuple[str, ...]:
        return in_order(self._abstract[0])

    def map(self, name: str) -> tuple[Any, str]:
        documents, source = self._maps
        return documents[name], f"{source}#{name}"

    def rows(self, name: str) -> list[Row]:
        problems, source = self._abstract
        with within(source):
            return rows_of(problems[name], name)


class _Clone(Copy):
    facts = FACTS

    def _json(self, inner: str) -> tuple[Any, str]:
        path = self.folder / inner
        return load_json(read_bytes(path), str(path)), str(path)

    def _names(self, below: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
        root = self.folder / below
        paths = list(islice(root.glob("*/*/*.json"), _MOST + 1))
        if len(paths) > _MOST:
            raise InputError(f"holds more than {_MOST} files", source=str(root))
        names = (path.relative_to(root).as_posix().removesuffix(".json") for path in paths)
        return in_order(name for name in names if pattern.fullmatch(name))

    @cached_property
    def dishes(self) -> Mapping[str, OrderedDish]:
        dishes_by_name: dict[str, OrderedDish] = {}
        for path in sorted(islice((self.folder / "config/recipe").glob("*.json"), _MOST)):
            document, source = self._json(f"config/recipe/{path.name}")
            with within(source):
                dishes = (_released_dish(path.stem, dish, n) for n, dish in enumerate(a_list(document, "document")))
                dishes_by_name.update((dish.name, dish) for dish in dishes)
        return dishes_by_name

    @cached_property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        document, source = self._json("data/cook/orders/all_orders.json")
        with within(source):
            return _orders(an_object(document, "document"))

    @cached_property
    def maps(self) -> tuple[str, ...]:
        examples = islice((self.folder / "config/map_examples").glob("*.json"), _MOST)
        return (*self._names("data/cook/maps", _MAP), *in_order(f"example/{path.stem}" for path in examples))

    @cached_property
    def abstract(self) -> tuple[str, ...]:
        return self._names("data/abstract", _SETTING)

    def map(self, name: str) -> tuple[Any, str]:
        head, _, tail = name.partition("/")
        return self._json(f"config/map_examples/{tail}.json" if head == "example" else f"data/cook/maps/{name}.json")

    def rows(self, name: str) -> list[Row]:
        document, source = self._json(f"data/abstract/{name}.json")
        with within(source):
            return rows_of(document, "")


# --- parts ----------------------------------------------------------------------------------------


def rows_of(value: Any, field: str) -> list[Row]:
    """Return the tasks of a problem, each a list or an object; raises `InputError` for what is none."""
    rows: list[Row] = []
    for number, entry in enumerate(some(value, field)):
        location = f"{field}[{number}]"
        if isinstance(entry, dict):
            entry = [entry.get(key) for key in ("name", "time", "dependencies")]
        if not isinstance(entry, list) or len(entry) != 3:
            raise InputError("must be a name, a time and what it waits for", field=location, value=entry)
        after = an_object(entry[2], f"{location}.dependencies")
        lags = {other: a_whole(lag, f"{location}.dependencies.{other}") for other, lag in after.items()}
        rows.append((a_text(entry[0], f"{location}.name"), a_whole(entry[1], f"{location}.time"), lags))
    return rows


def _dish(name: str, needs: list[Any]) -> OrderedDish:
    for number, need in enumerate(needs):
        if not isinstance(need, list) or len(need) not in (2, 3) or not all(isinstance(part, str) for part in need):
            raise InputError("must be ingredient, state and perhaps cookware", field=f"{name}[{number}]", value=need)
    return OrderedDish(name, tuple(Need(*need) for need in needs))


def _released_dish(category: str, value: Any, number: int) -> OrderedDish:
    entry = an_object(value, f"[{number}]")
    needs = []
    for place, need in enumerate(some(entry.get("ingredients"), f"[{number}].ingredients")):
        part = an_object(need, f"[{number}].ingredients[{place}]")
        needs.append([part.get("item"), part.get("state"), part.get("cookware", "")])
    return _dish(f"{category}/{a_text(entry.get('name'), f'[{number}].name')}", needs)


def _orders(document: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    read = {
        name: tuple(a_text(dish, f"{name}[{number}]") for number, dish in enumerate(some(dishes, name)))
        for name, dishes in document.items()
        if _SETTING.fullmatch(name)
    }
    return {name: read[name] for name in in_order(read)}


def _facts(document: dict[str, Any]) -> Facts:
    times = an_object(document.get("durations"), "durations")
    if times.get("interact") != 0:
        raise InputError("must be 0", field="durations.interact", value=times.get("interact"))

    def ticks(name: str) -> int:
        return a_whole(times.get(name), f"durations.{name}")

    def vessel(name: str) -> Cookware:
        field = f"{name}_accepts"
        takes = an_object(document.get(field), field)
        items = [a_text(one, f"{field}.items") for one in a_list(takes.get("items"), f"{field}.items")]
        return Cookware(name, ticks(name), a_text(takes.get("state"), f"{field}.state"), tuple(items))

    return Facts(
        ticks("move_per_tile"), ticks("chop"), ticks("wash"), ticks("plate_return"), (vessel("pan"), vessel("pot"))
    )


# --- folders --------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def copy_in(folder: Path) -> Copy:
    """Return the copy in a folder; raises `InputError` that names what is missing."""
    compact = [name for name in COMPACT if not isfile(folder / name)]
    if not compact:
        return _Compact(folder)
    clone = [name for name in _CLONE if not (folder / name).exists()]
    if not clone:
        return _Clone(folder)
    partly = clone if len(clone) < len(_CLONE) else compact if len(compact) < len(COMPACT) else []
    missing = f"lacks {', '.join(partly)}; " if partly else "is no copy of ParaCook's data; "
    raise InputError(
        f"{missing}must be {ACCEPTED_FOLDERS}", field=registry.data_variable("paracook"), value=str(folder)
    )


def copy() -> Copy | None:
    """Return the user's copy, ``None`` if none is configured; raises `InputError` like `copy_in`."""
    folder = registry.data_folder("paracook")
    return None if folder is None else copy_in(folder)


def copy_of(path: str) -> Copy | None:
    """Return the copy in which a file stands, ``None`` if it stands in none."""
    for folder in list(Path(path).absolute().parents)[:6]:
        if all(isfile(folder / name) for name in COMPACT) or all((folder / name).exists() for name in _CLONE):
            return copy_in(folder)
    return None
