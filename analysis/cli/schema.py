"""``planoracle schema``: the JSON Schema of our file formats."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from planoracle.analysis.spoken import say_json


class Kind(StrEnum):
    """Our file formats."""

    instance = "instance"
    asynctool = "asynctool"


def schema(kind: Annotated[Kind, typer.Argument(help="Which format.")] = Kind.instance) -> None:
    """Print the JSON Schema of a file format: of scheduling instances, or of AsyncTool problems."""
    if kind is Kind.asynctool:
        from planoracle.instances.asynctool.reader import json_schema
    else:
        from planoracle.instances.files import json_schema
    say_json(json_schema(), indent=1)
