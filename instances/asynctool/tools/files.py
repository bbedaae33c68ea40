"""Files: a tree of folders, walked one level at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypeAliasType, TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_ENTRIES, _MAX_DEPTH, _MAX_NAME = 200, 8, 60
#: Characters of one file and of all.
_MAX_FILE, _MAX_TOTAL = 4_000, 20_000

Tree = TypeAliasType("Tree", "dict[str, str | Tree]")

Entry = Annotated[str, "name of a file in the current folder"]


class Initial(TypedDict):
    """The top folder: files are text, folders are objects of the same form."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    root: Tree


class Files(Toolbox):
    """Folders and text files. Work begins in the top folder and every name is one of the current folder."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._root = _copy(initial["root"])
        self._entries, self._size = _measure(self._root)
        self._trail: list[tuple[str, Tree]] = [("", self._root)]

    def state(self) -> dict[str, Any]:
        """Return the whole tree; which folder is current does not count."""
        return {"root": _copy(self._root)}

    @tool
    def enter_folder(
        self, name: Annotated[str, "name of a folder in the current folder, or '..' for the folder above"]
    ) -> dict[str, Any]:
        """Go into a folder, one level down or up, and list what lies in it. Work begins in the top folder."""
        if name == "..":
            if len(self._trail) == 1:
                raise ToolError("this is the top folder; there is none above")
            self._trail.pop()
        else:
            entry = self._entry(name)
            if isinstance(entry, str):
                raise ToolError(f"{name!r} is a file, not a folder")
            self._trail.append((name, entry))
        here = self._here()
        return {
            "current": "/".join(name for name, _ in self._trail) or "/",
            "folders": sorted(name for name, entry in here.items() if not isinstance(entry, str)),
            "files": sorted(name for name, entry in here.items() if isinstance(entry, str)),
        }

    @tool
    def make_folder(self, name: Annotated[str, "name of the new folder"]) -> dict[str, Any]:
        """Make an empty folder in the current folder, without entering it."""
        self._free(name)
        if len(self._trail) > _MAX_DEPTH:
            raise ToolError(f"folders can be nested {_MAX_DEPTH} deep")
        self._here()[name] = {}
        self._entries += 1
        return {"made": name}

    @tool
    def read_file(self, name: Entry) -> dict[str, Any]:
        """Read the text of a file in the current folder."""
        return {"text": self._file(name)}

    @tool
    def append_line(
        self, name: Entry, line: Annotated[str, "text of the line, without a line break"]
    ) -> dict[str, Any]:
        """Add one line at the end of a file in the current folder. A file that does not exist is made."""
        here = self._here()
        if "\n" in line or "\r" in line:
            raise ToolError("the line must not hold a line break")
        if name in here:
            old = self._file(name)
        else:
            self._free(name)
            old = ""
        text = f"{old}\n{line}" if old else line
        if len(text) > _MAX_FILE:
            raise ToolError(f"a file holds at most {_MAX_FILE} characters")
        if self._size + len(text) - len(old) > _MAX_TOTAL:
            raise ToolError("the disk is full")
        self._entries += name not in here
        self._size += len(text) - len(old)
        here[name] = text
        return {"lines": text.count("\n") + 1}

    @tool
    def move_entry(
        self,
        name: Annotated[str, "name of a file or folder in the current folder"],
        target: Annotated[str, "a folder in the current folder to move it into, or else its new name"],
    ) -> dict[str, Any]:
        """Move a file or folder of the current folder into a folder beside it, or rename it."""
        here = self._here()
        entry = self._entry(name)
        goal = here.get(_plain(target))
        if isinstance(goal, str) or target == name:
            raise ToolError(f"{target[:80]!r} is taken already")
        if goal is None:
            here[target] = here.pop(name)
            return {"renamed": target}
        if name in goal:
            raise ToolError(f"the folder {target!r} holds {name!r} already")
        if len(self._trail) + _height(entry) > _MAX_DEPTH:
            raise ToolError(f"folders can be nested {_MAX_DEPTH} deep")
        goal[name] = here.pop(name)
        return {"moved_into": target}

    @tool
    def compare_files(
        self,
        first: Annotated[str, "name of the one file in the current folder"],
        second: Annotated[str, "name of the other file in the current folder"],
    ) -> dict[str, Any]:
        """Compare two files of the current folder line by line and count the lines that differ."""
        one, other = self._file(first).split("\n"), self._file(second).split("\n")
        differing = sum(left != right for left, right in zip(one, other, strict=False)) + abs(len(one) - len(other))
        return {"identical": not differing, "differing_lines": differing}

    def _here(self) -> Tree:
        return self._trail[-1][1]

    def _entry(self, name: str) -> str | Tree:
        found = self._here().get(_plain(name))
        if found is None:
            raise ToolError(f"the current folder holds nothing named {name!r}")
        return found

    def _file(self, name: str) -> str:
        found = self._entry(name)
        if not isinstance(found, str):
            raise ToolError(f"{name!r} is a folder, not a file")
        return found

    def _free(self, name: str) -> None:
        if _plain(name) in self._here():
            raise ToolError(f"the current folder holds {name!r} already")
        if self._entries >= _MAX_ENTRIES:
            raise ToolError("there are too many files and folders")


def _plain(name: str) -> str:
    """Return a name that is one; paths are none."""
    if not 1 <= len(name) <= _MAX_NAME:
        raise ToolError(f"names have 1 to {_MAX_NAME} characters")
    if "/" in name or "\\" in name or name.strip(". ") != name or not name.isprintable():
        raise ToolError(f"{name!r} is not a plain name: paths, control characters and outer dots or blanks are not")
    return name


def _copy(tree: Tree) -> Tree:
    return {name: entry if isinstance(entry, str) else _copy(entry) for name, entry in tree.items()}


def _measure(tree: Tree) -> tuple[int, int]:
    entries, size = len(tree), 0
    for entry in tree.values():
        if isinstance(entry, str):
            size += len(entry)
        else:
            below = _measure(entry)
            entries, size = entries + below[0], size + below[1]
    return entries, size


def _height(entry: str | Tree) -> int:
    """Levels of folders, counting this one."""
    return 0 if isinstance(entry, str) else 1 + max(map(_height, entry.values()), default=0)
