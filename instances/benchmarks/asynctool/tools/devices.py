"""Tool families of stored data and of a vehicle: folders with files, a table, a vehicle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import eq, gt, lt
from typing import Annotated, Any, Literal

from typing_extensions import TypeAliasType

from planoracle.instances.benchmarks.asynctool.tools.base import (
    ToolError,
    ToolFamily,
    dict_of,
    fields,
    list_of,
    operation,
    refuse_if,
    row_of,
)

_MAX_ENTRIES, _MAX_DEPTH = 200, 8
#: Characters of a name.
_MAX_NAME = 60
#: Characters of one file and of all.
_MAX_FILE, _MAX_TOTAL = 4_000, 20_000

Tree = TypeAliasType("Tree", "dict[str, str | Tree]")

Entry = Annotated[str, "name of a file in the current folder"]


class Files(ToolFamily):
    """Folders and text files. Work begins in the top folder and every name is one of the current folder."""

    #: The top folder: files are text, folders are objects of the same form.
    Initial = fields(root=Tree)
    COMPARED = ("root",)  # which folder is current does not count

    def __init__(self, initial: Mapping[str, Any]) -> None:
        super().__init__(initial)
        self._trail: list[tuple[str, Tree]] = [("", self.data["root"])]

    @operation
    def enter_folder(
        self, name: Annotated[str, "name of a folder in the current folder, or '..' for the folder above"]
    ) -> dict[str, Any]:
        """Go into a folder, one level down or up, and list what lies in it. Work begins in the top folder."""
        if name == "..":
            refuse_if(len(self._trail) == 1, "this is the top folder; there is none above")
            self._trail.pop()
        else:
            entry = self._entry(name)
            if isinstance(entry, str):
                raise ToolError(f"{name!r} is a file, not a folder")
            self._trail.append((name, entry))
        path = "/".join(folder_name for folder_name, _ in self._trail)
        folders, files = list[str](), list[str]()
        for entry_name, entry in self._folder().items():
            names = files if isinstance(entry, str) else folders
            names.append(entry_name)
        return {"current": path or "/", "folders": sorted(folders), "files": sorted(files)}

    @operation
    def make_folder(self, name: Annotated[str, "name of the new folder"]) -> dict[str, Any]:
        """Make an empty folder in the current folder, without entering it."""
        self._free(name)
        refuse_if(len(self._trail) > _MAX_DEPTH, f"folders can be nested {_MAX_DEPTH} deep")
        self._folder()[name] = {}
        return {"made": name}

    @operation
    def read_file(self, name: Entry) -> dict[str, Any]:
        """Read the text of a file in the current folder."""
        return {"text": self._file(name)}

    @operation
    def append_line(
        self, name: Entry, line: Annotated[str, "text of the line, without a line break"]
    ) -> dict[str, Any]:
        """Add one line at the end of a file in the current folder. A file that does not exist is made."""
        folder = self._folder()
        refuse_if("\n" in line or "\r" in line, "the line must not contain a line break")
        if name not in folder:
            self._free(name)
        old = self._file(name) if name in folder else ""
        text = f"{old}\n{line}" if old else line
        files = (entry for entry in _entries(self.data["root"]) if isinstance(entry, str))
        size = sum(map(len, files)) + len(text) - len(old)
        refuse_if(len(text) > _MAX_FILE, f"a file has at most {_MAX_FILE} characters")
        refuse_if(size > _MAX_TOTAL, "the disk is full")
        folder[name] = text
        return {"lines": text.count("\n") + 1}

    @operation
    def move_entry(
        self,
        name: Annotated[str, "name of a file or folder in the current folder"],
        target: Annotated[str, "a folder in the current folder to move it into, or else its new name"],
    ) -> dict[str, Any]:
        """Move a file or folder of the current folder into a folder beside it, or rename it."""
        folder = self._folder()
        entry = self._entry(name)
        goal = folder.get(_plain(target))
        if isinstance(goal, str) or target == name:
            raise ToolError(f"the name {target[:80]!r} is already in use")
        if goal is None:
            folder[target] = folder.pop(name)
            return {"renamed": target}
        depth = len(self._trail) + _height(entry)
        refuse_if(name in goal, f"the folder {target!r} already contains {name!r}")
        refuse_if(depth > _MAX_DEPTH, f"folders can be nested {_MAX_DEPTH} deep")
        goal[name] = folder.pop(name)
        return {"moved_into": target}

    @operation
    def compare_files(
        self,
        first: Annotated[str, "name of the one file in the current folder"],
        second: Annotated[str, "name of the other file in the current folder"],
    ) -> dict[str, Any]:
        """Compare two files of the current folder line by line and count the lines that differ."""
        first_lines = self._file(first).split("\n")
        second_lines = self._file(second).split("\n")
        pairs = zip(first_lines, second_lines, strict=False)
        differing = sum(line != counterpart for line, counterpart in pairs)
        differing += abs(len(first_lines) - len(second_lines))
        return {"identical": not differing, "differing_lines": differing}

    def _folder(self) -> Tree:
        return self._trail[-1][1]

    def _entry(self, name: str) -> str | Tree:
        entry = self._folder().get(_plain(name))
        if entry is None:
            raise ToolError(f"the current folder contains nothing named {name!r}")
        return entry

    def _file(self, name: str) -> str:
        entry = self._entry(name)
        if not isinstance(entry, str):
            raise ToolError(f"{name!r} is a folder, not a file")
        return entry

    def _free(self, name: str) -> None:
        is_used = _plain(name) in self._folder()
        number_of_entries = sum(1 for _ in _entries(self.data["root"]))
        refuse_if(is_used, f"the current folder already contains {name!r}")
        refuse_if(number_of_entries >= _MAX_ENTRIES, "there are too many files and folders")


def _plain(name: str) -> str:
    """Return a name that is one; paths are none."""
    is_path = "/" in name or "\\" in name
    is_plain = not is_path and name.strip(". ") == name and name.isprintable()
    reason = f"{name!r} is not a plain name: paths, control characters and outer dots or blanks are not"
    refuse_if(not 1 <= len(name) <= _MAX_NAME, f"names have 1 to {_MAX_NAME} characters")
    refuse_if(not is_plain, reason)
    return name


def _entries(tree: Tree) -> Iterator[str | Tree]:
    """Yield all files and folders below a folder."""
    for entry in tree.values():
        yield entry
        if not isinstance(entry, str):
            yield from _entries(entry)


def _height(entry: str | Tree) -> int:
    """Levels of folders, counting this one."""
    if isinstance(entry, str):
        return 0
    heights = map(_height, entry.values())
    return 1 + max(heights, default=0)


Column = Annotated[str, "name of the column"]

_RELATIONS = {"below": lt, "equal": eq, "above": gt}
_MEASURES: dict[str, Callable[[Iterable[int]], int]] = {"sum": sum, "smallest": min, "largest": max}


#: A row of the table; every ``id`` occurs once, all rows have the same columns.
SheetRow = fields(id=int, label=str, values=dict_of(int))


class Records(ToolFamily):
    """A table whose cells can be searched and changed; its rows and columns stay the same."""

    Initial = fields(rows=list_of(SheetRow))
    COMPARED = ("rows",)

    @operation
    def filter_rows(
        self,
        column: Column,
        relation: Annotated[Literal["below", "equal", "above"], "how the value must compare with the number"],
        number: Annotated[int, "the number to compare with"],
    ) -> dict[str, Any]:
        """List the rows whose value in a column is below, equal to or above a number."""
        fits = _RELATIONS[relation]
        cells = self._column(column)
        return self._listing([(row, value) for row, value in cells if fits(value, number)])

    @operation
    def rank_rows(
        self,
        column: Column,
        order: Annotated[Literal["ascending", "descending"], "smallest or largest value first"],
        count: Annotated[int, "how many rows to list"],
    ) -> dict[str, Any]:
        """Sort the rows by a column and list the first ones. Rows of equal value keep their order."""
        cells = self._column(column)
        refuse_if(not 1 <= count <= len(cells), f"count must lie between 1 and {len(cells)}")
        sign = 1 if order == "ascending" else -1
        ranked = sorted(cells, key=lambda cell: sign * cell[1])
        return self._listing(ranked[:count])

    @operation
    def measure_column(
        self, column: Column, measure: Annotated[Literal["sum", "smallest", "largest"], "what to take of its values"]
    ) -> dict[str, Any]:
        """Take the sum, the smallest or the largest of all values in a column."""
        values = [value for _, value in self._column(column)]
        return {measure: _MEASURES[measure](values)}

    @operation
    def set_number(
        self,
        row: Annotated[int, "id of the row"],
        column: Column,
        number: Annotated[int, "the new value"],
    ) -> dict[str, Any]:
        """Change the value of one row in a column."""
        self._column(column)
        changed = row_of(self.data["rows"], "id", row, f"there is no row {row}")
        values = changed["values"]
        before = values[column]
        values[column] = number
        return {"row": row, "before": before, "now": number}

    def _column(self, column: str) -> list[tuple[dict[str, Any], int]]:
        rows = self.data["rows"]
        cells = [(row, row["values"][column]) for row in rows if column in row["values"]]
        is_complete = bool(cells) and len(cells) == len(rows)
        refuse_if(not is_complete, f"there is no column {column[:80]!r}")
        return cells

    def _listing(self, cells: list[tuple[dict[str, Any], int]]) -> dict[str, Any]:
        rows = []
        for row, value in cells:
            rows.append({"row": row["id"], "label": row["label"], "value": value})
        return {"rows": rows}


_COLDEST, _HOTTEST = 16, 28

Doors = Literal["locked", "unlocked"]
Brake = Literal["pressed", "released"]
Engine = Literal["on", "off"]


class Vehicle(ToolFamily):
    """A parked vehicle, controlled from outside."""

    #: State of the vehicle: fuel and size of the tank in litres, temperatures in degrees Celsius.
    Initial = fields(doors=Doors, brake=Brake, engine=Engine, fuel=int, tank=int, outside=int, climate=int)
    COMPARED = ("doors", "brake", "engine", "fuel", "climate")

    @operation
    def read_gauges(self) -> dict[str, Any]:
        """Read all gauges: litres of fuel and free in the tank, temperatures outside and set."""
        free = self.data["tank"] - self.data["fuel"]
        further_gauges = {"free_in_tank": free, "outside_temperature": self.data["outside"]}
        return self.state() | further_gauges

    @operation
    def set_doors(self, doors: Annotated[Doors, "what the doors shall be"]) -> dict[str, Any]:
        """Lock or unlock all doors. While the engine is on they cannot be unlocked."""
        refuse_if(doors == "unlocked" and self.data["engine"] == "on", "the engine is on")
        return self._set("doors", doors)

    @operation
    def set_brake(self, brake: Annotated[Brake, "what the brake pedal shall be"]) -> dict[str, Any]:
        """Press or release the brake pedal."""
        return self._set("brake", brake)

    @operation
    def switch_engine(self, engine: Annotated[Engine, "what the engine shall be"]) -> dict[str, Any]:
        """Switch the engine on or off. It starts only with locked doors, a pressed brake and some fuel."""
        if engine == "on":
            refuse_if(self.data["doors"] != "locked", "the doors are unlocked")
            refuse_if(self.data["brake"] != "pressed", "the brake is released")
            refuse_if(self.data["fuel"] <= 0, "there is no fuel")
        return self._set("engine", engine)

    @operation
    def add_fuel(self, litres: Annotated[int, "litres to add"]) -> dict[str, Any]:
        """Add fuel to the tank. The engine must be off and the tank must have room."""
        refuse_if(self.data["engine"] == "on", "the engine is on")
        free = self.data["tank"] - self.data["fuel"]
        fits = 1 <= litres <= free
        refuse_if(not fits, f"at least 1 litre must be added and the tank has room for {free}")
        self.data["fuel"] += litres
        return {"fuel": self.data["fuel"]}

    @operation
    def set_climate(self, celsius: Annotated[int, "temperature in degrees Celsius"]) -> dict[str, Any]:
        """Set the temperature inside. The engine must be on."""
        refuse_if(self.data["engine"] != "on", "the engine is off")
        refuse_if(
            not _COLDEST <= celsius <= _HOTTEST, f"the temperature must lie between {_COLDEST} and {_HOTTEST} degrees"
        )
        return self._set("climate", celsius)

    def _set(self, name: str, value: str | int) -> dict[str, Any]:
        refuse_if(self.data[name] == value, f"{name}: already {value}")
        self.data[name] = value
        return {name: value}
