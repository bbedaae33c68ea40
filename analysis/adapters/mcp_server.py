"""MCP server with tools that list, solve, grade and advise.

It keeps nothing about its callers. A worker process answers each question, by counted work unless the caller says how
many seconds it may take; it ends when the caller cancels. Paths of files mean nothing unless the server is started so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

from planoracle import __version__
from planoracle.analysis.adapters import need
from planoracle.analysis.adapters.mcp_answers import LONGEST, TOOLS, Questions
from planoracle.instances.errors import PlanoracleError, UnknownNameError
from planoracle.instances.text import lone_surrogate, one_of, visible
from planoracle.instances.workers.pool import TaskFailure, WorkerPool
from planoracle.instances.workers.worker import TaskLimits

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

# Seconds beyond the time limit of a question after which its worker is ended.
GRACE = 5.0
#: Limits of one question.
LIMITS = TaskLimits(1200.0, 4000)

_INSTRUCTIONS = """\
Proved optimal plans, and grades of plans, for problems in which several tasks overlap and the makespan is minimized. A
problem is a name (see the tool `problems`) or a document in planoracle's JSON format. Times are in ticks; `unit` is the
meaning of one tick. `describe` returns the problem statement and the language of plans, `solve` an optimal plan and the
method of proof, `explain` the proof in words, `grade` the grade of a plan by the benchmark's rules, `next` the commands
after which the best makespan is still reachable."""


def server(*, files: bool = False) -> MCPServer:
    """Return the server.

    Parameters
    ----------
    files
        Whether names of problems may be paths of files on this machine.

    Raises
    ------
    InputError
        If the library is not installed.
    """
    need("mcp", "mcp")
    import anyio
    import anyio.to_thread
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    class CheckedServer(MCPServer):
        """Server that rejects unknown arguments of tools, which the library ignores."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            try:
                _check_arguments(name, arguments)
            except UnknownNameError as error:
                raise ToolError(visible(str(error))) from None
            return await super().call_tool(name, arguments, context)

    app = CheckedServer("planoracle", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    questions = Questions(files)
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    async def ask(tool: str, **arguments: Any) -> Any:
        """Have a worker answer; end the worker when the caller cancels, or when the time is long over."""
        seconds = arguments.get("seconds")
        pool = WorkerPool(questions.start, LIMITS, 1)

        def first_answer() -> Any:
            return next(pool.map([(tool, arguments)]))

        try:
            with anyio.fail_after((LONGEST if seconds is None else seconds) + GRACE):
                answer = await anyio.to_thread.run_sync(first_answer, abandon_on_cancel=True)
        except TimeoutError:
            raise ToolError("exceeds its time limit; allow more seconds") from None
        except PlanoracleError as error:
            raise ToolError(visible(str(error))) from None
        finally:
            pool.close()
        if isinstance(answer, TaskFailure):
            raise ToolError(visible(str(answer.error)))
        if half := lone_surrogate(answer.model_dump()):
            raise ToolError(f"the problem has half a surrogate pair ({half}), which no answer can hold")
        return answer

    for name in TOOLS:
        app.add_tool(_tool_function(ask, getattr(questions, name)), name=name, annotations=reading)
    return app


def _check_arguments(tool: str, arguments: Mapping[str, Any]) -> None:
    """Raise `UnknownNameError` for an argument that a tool does not have."""
    if tool not in TOOLS:
        return
    accepted = [name for name in signature(getattr(Questions, tool)).parameters if name != "self"]
    for name, value in arguments.items():
        if name not in accepted:
            raise UnknownNameError(f"unknown argument; {one_of(name, accepted)}", field=name, value=value)


def _tool_function(ask: Callable[..., Awaitable[Any]], method: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return the function of a tool, with signature and description of a method of `Questions`."""

    @wraps(method)
    async def call(**arguments: Any) -> Any:
        return await ask(method.__name__, **arguments)

    call.__signature__ = signature(method, eval_str=True)  # type: ignore[attr-defined]
    return call
