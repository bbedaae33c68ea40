"""``planoracle mcp``: server of the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.adapters.mcp_server import server


def mcp(
    files: Annotated[bool, typer.Option("--files", help="Accept paths of local files as names of problems.")] = False,
) -> None:
    """Serve tools by the Model Context Protocol: problems, describe, solve, explain, grade, next.

    The server uses standard input and output; an assistant starts it. Needs planoracle[mcp].
    """
    server(files=files).run("stdio")
