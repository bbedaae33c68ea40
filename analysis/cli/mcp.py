"""``planoracle mcp``: the oracle as a server of tools."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    files: Annotated[bool, typer.Option("--files", help="Names of problems may be paths of files here.")] = False,
) -> None:
    """Serve the tools problems, describe, solve, explain, grade and next by the Model Context Protocol.

    It speaks over standard input and output, so it is an assistant that starts it, not a person. Needs the extra mcp.
    """
    from planoracle.analysis.adapters.server import server

    server(files=files).run("stdio")
