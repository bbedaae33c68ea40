"""``planoracle schema``: the JSON Schema of our file formats."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.spoken import say_json
from planoracle.instances import registry
from planoracle.instances.problem import GENERAL


def schema(
    kind: Annotated[str, typer.Argument(help="instance, or the benchmark whose problems are meant.")] = "instance",
) -> None:
    """Print the JSON Schema of the files that planoracle instances --export writes."""
    say_json(registry.get(GENERAL if kind == "instance" else kind).schema(), indent=1)
