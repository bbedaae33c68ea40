"""``planoracle mcp``: server of the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.adapters.mcp_server import server


def mcp(
    files: Annotated[
        bool, typer.Option("--files", help="Accept paths of local files in place of names of problems.")
    ] = False,
) -> None:
    """Serve tools by the Model Context Protocol (MCP): problems, describe, solve, explain, grade, next.

    The server reads standard input and writes standard output. Enter the command in the settings of an assistant, which
    starts the server. Needs planoracle[mcp].

    Examples
    --------
    planoracle mcp
    planoracle mcp --files
    """
    server(files=files).run("stdio")
