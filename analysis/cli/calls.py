"""What becomes of a call: help texts of ours, and values taken as they are where it is plain what they are.

For either typer imports what takes longer than all else: rich draws its help texts, and pydantic is asked about values.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from typer.core import TyperCommand, TyperGroup

from planoracle.analysis.cli.boxes import help_text

__all__ = ["Command", "Group"]


class Command(TyperCommand):
    """A verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, the one that asks for help among them."""
        return _plain(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(help_text(self, ctx))


class Group(TyperGroup):
    """A group of verbs."""

    def panels(self, ctx: Any) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the verbs by what they are for, each with what is said of it."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {"Commands": [(name, (verb.help or "").split("\n\n")[0]) for name, verb in found.items() if verb]}

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, the one that asks for help among them."""
        return _plain(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(help_text(self, ctx, self.panels(ctx)))


def _plain(parameters: list[Any]) -> list[Any]:
    """Have parameters ask no further about what is plain; where typer's release asks nobody they stay as they are."""
    for one in parameters:
        if hasattr(one, "get_runtime_param") and hasattr(one, "type_descriptor"):
            one.get_runtime_param = _Plain(one, type(one).get_runtime_param).itself
    return parameters


class _Plain:
    """Takes what is not given, is of its type already, or a text; asks about the rest."""

    def __init__(self, parameter: Any, thorough: Any) -> None:
        self._type = parameter.type_descriptor.annotation
        self._info = parameter.type_descriptor.parameter_info
        self._thorough = thorough

    def itself(self) -> _Plain:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as the verb is given it."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        if self._info.parser is not None:
            return self._thorough(param).coerce(value, param=param, ctx=ctx)
        if many and get_args(self._type) == (str,) and all(type(one) is str for one in value):
            return list(value)
        if many and get_args(self._type) == (Path,) and all(map(self._is_any_path, value)):
            return list(map(Path, value))
        if not many and type(value) is self._type:
            return value
        if not many and self._type is Path and self._is_any_path(value):
            return Path(value)
        if isinstance(self._type, type) and issubclass(self._type, Enum) and value in [one.value for one in self._type]:
            return self._type(value)
        return self._thorough(param).coerce(value, param=param, ctx=ctx)

    def _is_any_path(self, value: object) -> bool:
        """Whether a text is a path of which nothing is asked, or nothing but that what is there can be read."""
        info = self._info
        asked = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type is not None
        if asked or not (info.file_okay and info.dir_okay) or type(value) is not str:
            return False
        return not os.path.exists(value) or os.access(value, os.R_OK)
