"""Text: manipulation of strings, without a state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_TEXT, _MAX_SEPARATOR = 4_000, 20

Given = Annotated[str, "the text to work on"]


class Initial(TypedDict):
    """Nothing."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012


class Text(Toolbox):
    """Tools that turn a text into another one."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        pass

    def state(self) -> dict[str, Any]:
        """Return nothing: there is no state."""
        return {}

    @tool
    def join_numbers(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        separator: Annotated[str, "what stands between two numbers"],
    ) -> dict[str, Any]:
        """Write a list of whole numbers as one text, with a separator between them."""
        if len(separator) > _MAX_SEPARATOR:
            raise ToolError(f"the separator must have at most {_MAX_SEPARATOR} characters")
        return {"text": _bounded(separator.join(map(str, numbers)))}

    @tool
    def normalise_text(self, text: Given) -> dict[str, Any]:
        """Normalise a text: lower case, with an underscore for every character that is not a letter a-z or a digit."""
        return {"text": re.sub("[^A-Za-z0-9]", "_", _bounded(text)).lower()}

    @tool
    def replace_part(
        self,
        text: Given,
        old: Annotated[str, "the part to replace, wherever it occurs"],
        new: Annotated[str, "what takes its place"],
    ) -> dict[str, Any]:
        """Replace every occurrence of a part of a text by something else."""
        found = text.count(old) if old else 0
        if not found:
            raise ToolError("the text does not hold the part to replace")
        if len(text) + found * (len(new) - len(old)) > _MAX_TEXT:
            raise ToolError(f"the text must have at most {_MAX_TEXT} characters")
        return {"text": text.replace(old, new)}

    @tool
    def sort_words(self, text: Given) -> dict[str, Any]:
        """Put the words of a text into alphabetical order, capitals first, with one space between them."""
        return {"text": " ".join(sorted(_bounded(text).split()))}


def _bounded(text: str) -> str:
    if len(text) > _MAX_TEXT:
        raise ToolError(f"the text must have at most {_MAX_TEXT} characters")
    return text
