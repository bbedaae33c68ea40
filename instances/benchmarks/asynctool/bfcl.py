"""Adapter to the executor classes of the ``bfcl-eval`` package, for those who have it installed.

``pip install --no-deps bfcl-eval mpmath`` suffices: only the simulated tools are imported, not the evaluation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from decimal import localcontext
from functools import cache
from importlib import import_module
from importlib.resources import files
from inspect import signature
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox
from planoracle.instances.benchmarks.asynctool.tools.calculation import Numbers, Text
from planoracle.instances.benchmarks.asynctool.tools.communication import Messages, Posts, Tickets
from planoracle.instances.benchmarks.asynctool.tools.devices import Files, Records, Vehicle
from planoracle.instances.benchmarks.asynctool.tools.purchases import Trading, Travel
from planoracle.instances.errors import InputError

_SOURCE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"

#: Classes without network or further packages, and the module and document file of each.
CLASSES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "TwitterAPI": "posting_api",
    "VehicleControlAPI": "vehicle_control",
}

# The package's arithmetic is exact, and its copies of folders share what is in them, so that a folder can come to lie
# in itself: a hostile call could run for hours or fill the memory. The last is the most characters that a search of
# all files may go through.
_LARGEST, _MOST_COPIES, _LARGEST_TREE = 10_000, 12, 1_000_000


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(
            f"needs the package bfcl-eval: pip install --no-deps bfcl-eval mpmath ({error})", field="family"
        ) from None


def _module_of(name: str) -> str:
    if name not in CLASSES:
        raise InputError(f"must be bfcl: and one of {sorted(CLASSES)}", field="family", value=f"bfcl:{name}")
    return CLASSES[name]


class BfclExecutor:
    """One object of a class of bfcl-eval; its public attributes are the state (paper, B.1).

    Raises
    ------
    InputError
        If the class is unknown, the package missing, or the initial state not one that the class can load.
    """

    def __init__(self, family: str, initial: Mapping[str, Any]) -> None:
        self._name = name = family.removeprefix("bfcl:")
        self._tools = documents(family)
        self._copies = 0
        self._object = getattr(_import(f"{_SOURCE}.{_module_of(name)}"), name)()
        if hasattr(self._object, "_load_scenario"):
            try:
                self._object._load_scenario(deepcopy(dict(initial)))
            except Exception as error:  # whatever foreign code makes of a state it does not expect
                raise InputError(f"cannot be loaded by {name}: {error}", field="initial", value=initial) from None

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        """Call a documented tool; whatever goes wrong is returned as ``{"error": why}``."""
        if name not in self._tools:
            return {"error": f"there is no tool {name[:80]!r}"}
        if self._name == "MathAPI" and any(not _small(value) for value in params.values()):
            return {"error": f"numbers must lie between -{_LARGEST} and {_LARGEST}"}
        self._copies += name == "cp"
        if self._copies > _MOST_COPIES:
            return {"error": "too many copies"}
        try:
            if name in ("find", "du") and _is_endless(self._object, len(str(params.get("path", "")))):
                return {"error": "the folders hold too much, or each other"}
            tool = getattr(self._object, name)
            with localcontext():
                result = tool(**_defaults(tool, params), **deepcopy(dict(params)))
            return json.loads(json.dumps(result, default=str))
        except Exception as error:  # foreign code, hostile parameters
            return {"error": f"{type(error).__name__}: {error}"[:300]}

    def state(self) -> Any:
        """Return the public attributes."""
        return {name: value for name, value in vars(self._object).items() if not name.startswith("_")}


def _defaults(tool: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return copies of the defaults that a call leaves out: the package changes some (lists of mentions)."""
    return {
        name: deepcopy(one.default)
        for name, one in signature(tool).parameters.items()
        if one.default is not one.empty and name not in params
    }


def _is_endless(files: Any, start: int) -> bool:
    """Return true if a walk through all folders takes too long; ``start`` is the length of its path."""
    budget = _LARGEST_TREE
    folders = [(files.root, start), (files._current_dir, start)]
    while folders:
        folder, before = folders.pop()
        for name, entry in folder.contents.items():
            path = before + len(name) + 1
            budget -= path + len(getattr(entry, "content", ""))
            if budget < 0:
                return True
            if hasattr(entry, "contents"):
                folders.append((entry, path))
    return False


def _small(value: Any) -> bool:
    if isinstance(value, str):  # some tools read numbers out of text
        return not any(map(str.isdigit, value))
    if isinstance(value, list):
        return len(value) <= _LARGEST and all(map(_small, value))
    return not isinstance(value, int | float) or -_LARGEST <= value <= _LARGEST


#: Our own tool families by name.
FAMILIES: dict[str, type[Toolbox]] = {
    "files": Files,
    "messages": Messages,
    "numbers": Numbers,
    "posts": Posts,
    "records": Records,
    "text": Text,
    "tickets": Tickets,
    "trading": Trading,
    "travel": Travel,
    "vehicle": Vehicle,
}


#: Carries out the calls of one sub-task; holds its state and shares nothing.
Executor: TypeAlias = Toolbox | BfclExecutor


class _NoTools(Toolbox):
    """Executor of a sub-task without tools: every call returns ``None`` and changes nothing."""

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        return None


def _toolbox(family: str | None) -> type[Toolbox] | None:
    """Return the class of one of our own families, ``None`` for a family of bfcl-eval."""
    if family is None:
        return _NoTools
    if family not in FAMILIES and not family.startswith("bfcl:"):
        raise InputError(f"must be one of {sorted(FAMILIES)} or bfcl:ClassName", field="family", value=family)
    return FAMILIES.get(family)


def make(family: str | None, initial: Mapping[str, Any]) -> Executor:
    """Make the executor of a sub-task.

    Parameters
    ----------
    family
        One of `FAMILIES`; ``bfcl:ClassName`` for a class of the bfcl-eval package; ``None`` for none.
    initial
        State to begin with; not changed.

    Raises
    ------
    InputError
        For an unknown family, or if bfcl-eval is needed and not installed.
    """
    toolbox = _toolbox(family)
    return BfclExecutor(str(family), initial) if toolbox is None else toolbox(initial)


@cache
def documents(family: str | None) -> dict[str, dict[str, Any]]:
    """Return the documents of a family's tools by name, in the form of the paper's Figure 11.

    Raises
    ------
    InputError
        As `make`.
    """
    toolbox = _toolbox(family)
    if toolbox is not None:
        return {name: tool.document() for name, tool in toolbox.tools().items()}
    _import("bfcl_eval")
    module = _module_of(str(family).removeprefix("bfcl:"))
    path = files("bfcl_eval") / "data" / "multi_turn_func_doc" / f"{module}.json"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["name"]: row for row in rows}
