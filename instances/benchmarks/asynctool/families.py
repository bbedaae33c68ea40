"""Tool families by name, and the executors of their calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox
from planoracle.instances.benchmarks.asynctool.tools.calculation import Numbers, Text
from planoracle.instances.benchmarks.asynctool.tools.communication import Messages, Posts, Tickets
from planoracle.instances.benchmarks.asynctool.tools.devices import Files, Records, Vehicle
from planoracle.instances.benchmarks.asynctool.tools.purchases import Trading, Travel
from planoracle.instances.errors import InputError

#: Tool families by name.
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


class _NoTools(Toolbox):
    """Executor of a sub-task without tools: every call returns ``None`` and changes nothing."""

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        return None


def family_of(name: str | None) -> type[Toolbox]:
    """Return a tool family; calls of the family ``None`` return nothing.

    Raises
    ------
    InputError
        For an unknown family.
    """
    if name is None:
        return _NoTools
    if name not in FAMILIES:
        raise InputError(f"must be one of {sorted(FAMILIES)}", field="family", value=name)
    return FAMILIES[name]
