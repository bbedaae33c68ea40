"""Executors: who carries out the calls of a sub-task, behind one small protocol."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from planoracle.instances.asynctool.tools.base import Toolbox
from planoracle.instances.asynctool.tools.calculation import Numbers, Text
from planoracle.instances.asynctool.tools.communication import Messages, Posts, Tickets
from planoracle.instances.asynctool.tools.devices import Files, Records, Vehicle
from planoracle.instances.asynctool.tools.purchases import Trading, Travel
from planoracle.instances.errors import InputError
from planoracle.instances.files import check

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


class Executor(Protocol):
    """Carries out the calls of one sub-task; holds its state and shares nothing."""

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        """Call a tool and return its result, a JSON value; a call that fails returns ``{"error": why}``."""
        ...

    def state(self) -> Any:
        """Return what is compared after a run; equal states compare equal."""
        ...


class _Silent:
    """Where no executor is known: every call returns ``None`` and changes nothing."""

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        return None

    def state(self) -> Any:
        return {}


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
    if family is None:
        return _Silent()
    if family in FAMILIES:
        return FAMILIES[family](initial)
    if family.startswith("bfcl:"):
        from planoracle.instances.asynctool.bfcl import BfclExecutor

        return BfclExecutor(family.removeprefix("bfcl:"), initial)
    raise InputError(f"must be one of {sorted(FAMILIES)} or bfcl:ClassName", field="family", value=family)


@cache
def documents(family: str | None) -> dict[str, dict[str, Any]]:
    """Return the documents of a family's tools by name, in the form of the paper's Figure 11.

    Raises
    ------
    InputError
        As `make`.
    """
    if family is None:
        return {}
    if family in FAMILIES:
        return {name: tool.document() for name, tool in FAMILIES[family].tools().items()}
    if family.startswith("bfcl:"):
        from planoracle.instances.asynctool.bfcl import tool_documents

        return tool_documents(family.removeprefix("bfcl:"))
    raise InputError(f"must be one of {sorted(FAMILIES)} or bfcl:ClassName", field="family", value=family)


def check_state(family: str | None, initial: Any) -> None:
    """Raise an `InputError` that names the first field of an initial state that the family cannot start from."""
    if not isinstance(initial, dict):
        raise InputError("must be an object", field="initial", value=initial)
    if family in FAMILIES:
        check(FAMILIES[family].Initial, initial, "initial")
