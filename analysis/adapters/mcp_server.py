"""A server of tools by the Model Context Protocol, so that an assistant can ask the oracle.

It keeps nothing about its callers. A worker process answers each question, by counted work unless the caller says how
many seconds it may take; it ends when the caller cancels. Paths of files mean nothing unless the server is started so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field

from planoracle import __version__
from planoracle.analysis.adapters import need
from planoracle.analysis.adapters.mcp_answers import (
    ExplanationAnswer,
    GradeAnswer,
    NextCommands,
    OptimumAnswer,
    ProblemNames,
    ProblemStatement,
    Questions,
)
from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.text import visible

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

#: Seconds that a caller may ask for, and seconds after which a worker that goes on beyond them is ended.
LONGEST, GRACE = 600.0, 5.0
#: Limits of one question.
LIMITS = TaskLimits(1200.0, 4000)

_INSTRUCTIONS = """\
Proved optimal plans, and verdicts on plans, for problems in which several tasks are to be done at once as fast as
possible. A problem is named (see the tool `problems`), or given whole as a document in planoracle's JSON format. Times
are ticks; `unit` says what a tick is. `describe` tells a problem in words and how plans for it are written, `solve`
gives a best plan and how that is proved, `explain` the proof in words, `grade` the verdict of a benchmark's rules on a
plan, `next` the commands that keep the optimum within reach after a plan so far."""

ProblemArgument = Annotated[
    str | dict[str, Any], Field(description="Name of a problem, or the problem as a document in planoracle's format")
]
PlanArgument = Annotated[
    str | list[Any] | dict[str, Any],
    Field(description="The plan: text in the benchmark's language, a list of commands, or a submission as an object"),
]
SecondsArgument = Annotated[
    float | None,
    Field(
        description="Wall time for the answer; by default work is counted, about ten seconds of it", gt=0, le=LONGEST
    ),
]
ProfileArgument = Annotated[str, Field(description="Rules: paper, or released (those of the released code)")]


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

    app = MCPServer("planoracle", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    questions = Questions(files)
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    async def ask(tool: str, **arguments: Any) -> Any:
        """Have a worker answer; end the worker when the caller cancels, or when the time is long over."""
        seconds = arguments.get("seconds")
        pool = WorkerPool(questions.start, LIMITS, 1)
        try:
            with anyio.fail_after((LONGEST if seconds is None else seconds) + GRACE):
                answer = await anyio.to_thread.run_sync(
                    lambda: next(pool.map([(tool, arguments)])), abandon_on_cancel=True
                )
        except TimeoutError:
            raise ToolError("exceeds its time limit; allow more seconds") from None
        except PlanoracleError as error:
            raise ToolError(visible(str(error))) from None
        finally:
            pool.close()
        if isinstance(answer, TaskFailure):
            raise ToolError(visible(str(answer.error)))
        return answer

    @app.tool(annotations=reading)
    async def problems(
        pattern: Annotated[
            str, Field(description="A prefix or a glob; empty for the names of the benchmarks", max_length=500)
        ] = "",
    ) -> ProblemNames:
        """List the names of bundled problems that begin with a text or match a glob."""
        return cast("ProblemNames", await ask("problems", pattern=pattern))

    @app.tool(annotations=reading)
    async def describe(problem: ProblemArgument) -> ProblemStatement:
        """Tell a problem in words, with its rules and how a plan for it is written."""
        return cast("ProblemStatement", await ask("describe", problem=problem))

    @app.tool(annotations=reading)
    async def solve(problem: ProblemArgument, seconds: SecondsArgument = None) -> OptimumAnswer:
        """Compute an optimal plan for a problem; the status says whether optimality is proved."""
        return cast("OptimumAnswer", await ask("solve", seconds=seconds, problem=problem))

    @app.tool(annotations=reading)
    async def explain(problem: ProblemArgument, seconds: SecondsArgument = None) -> ExplanationAnswer:
        """Explain why no plan is shorter than the optimum, in steps to check by hand; or why there is no plan."""
        return cast("ExplanationAnswer", await ask("explain", seconds=seconds, problem=problem))

    @app.tool(annotations=reading)
    async def grade(
        problem: ProblemArgument,
        plan: PlanArgument,
        profile: ProfileArgument = "paper",
        prices: Annotated[bool, Field(description="Also say which decisions cost most, which takes longer")] = False,
        seconds: SecondsArgument = None,
    ) -> GradeAnswer:
        """Replay a plan by the rules of its benchmark: violations, metrics and the gap to the optimum."""
        return cast(
            "GradeAnswer",
            await ask("grade", seconds=seconds, problem=problem, plan=plan, profile=profile, prices=prices),
        )

    @app.tool(name="next", annotations=reading)
    async def next_(
        problem: ProblemArgument,
        after: Annotated[
            str | list[Any] | dict[str, Any] | None, Field(description="The plan so far; none: the beginning")
        ] = None,
        all_commands: Annotated[bool, Field(description="All commands that the rules allow, with their costs")] = False,
        clock: Annotated[
            int | None, Field(description="The time, in ticks, if later than the plan so far says")
        ] = None,
        profile: ProfileArgument = "paper",
        seconds: SecondsArgument = None,
    ) -> NextCommands:
        """List the commands after which the best makespan can still be reached, and a best completion."""
        arguments = {
            "problem": problem,
            "after": after,
            "all_commands": all_commands,
            "clock": clock,
            "profile": profile,
        }
        return cast("NextCommands", await ask("next", seconds=seconds, **arguments))

    return app
