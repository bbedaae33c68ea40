"""``planoracle schema``: the JSON Schema of our file format."""

from __future__ import annotations

import typer


def schema() -> None:
    """Print the JSON Schema of the instance file format."""
    import json

    from planoracle.instances.files import json_schema

    typer.echo(json.dumps(json_schema(), indent=1))
