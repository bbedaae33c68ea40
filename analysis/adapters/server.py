"""A server of tools by the Model Context Protocol, so that an assistant can ask the oracle.

It keeps nothing about its callers. Plans and problems are read as everywhere else, and never evaluated; paths of files
mean nothing unless it is started so. Questions are answered one after the other, each by counted work unless the
caller says how many seconds it may take.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from planoracle.analysis.adapters.answers import Advised, Described, Explained, Found, Graded, Solved, Step, Violated
from planoracle.analysis.adapters.extras import need
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
from planoracle.instances.problem import Problem
from planoracle.instances.visible import visible

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from planoracle.analysis.problems import Problems

__all__ = ["server"]

#: Violations and names that one answer holds.
MOST = 50
#: Seconds that a caller may ask for.
LONGEST = 600.0

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


class _Desk:
    """Finds problems, and answers one question at a time."""

    def __init__(self, files: bool) -> None:
        from planoracle.analysis.places import Places
        from planoracle.analysis.problems import Problems

        self._files = files
        self._named = Problems(places=Places(trusted=files))
        self._lock = Lock()

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Wait for one's turn; what is wrong with a question is told to who asked."""
        from mcp.server.mcpserver.exceptions import ToolError

        with self._lock:
            try:
                yield
            except PlanoracleError as error:
                raise ToolError(visible(str(error))) from None

    def problem(self, given: str | dict[str, Any]) -> tuple[Problem, Problems]:
        """Return a problem, and where its name leads to it."""
        from planoracle.analysis.problems import Problems
        from planoracle.instances import catalogue
        from planoracle.instances.similar import did_you_mean

        if isinstance(given, str):
            if not self._files and not catalogue.names_problem(given):  # nothing is told of files that there are
                meant = did_you_mean(given, catalogue.bundled())
                raise UnknownNameError(f"names no problem that ships{meant}", field="problem", value=given)
            return self._named.find(given), self._named
        found = catalogue.read_line(json.dumps(given).encode(), "problem")
        if len(found) != 1:
            raise InputError(f"must hold a single problem, not {len(found)}", source="problem")
        if isinstance(found[0], InputError):
            raise found[0]
        return found[0], Problems(named={found[0].name: found[0]})


def _limit(seconds: float | None) -> Limit:
    return Work(10.0) if seconds is None else seconds


def _submission(problem: Problem, plan: str | list[Any] | dict[str, Any]) -> dict[str, Any]:
    return {**(plan if isinstance(plan, dict) else {"plan": plan}), "instance": problem.name}


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
    from mcp.server.mcpserver import MCPServer
    from mcp.types import ToolAnnotations

    from planoracle import __version__

    app = MCPServer("planoracle", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    desk = _Desk(files)
    asking = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    @app.tool(annotations=asking)
    def problems(
        pattern: Annotated[
            str, Field(description="A prefix or a glob; empty for the names of the benchmarks", max_length=500)
        ] = "",
    ) -> Found:
        """List the names of the problems that ship, all those that begin so or match a glob."""
        from planoracle.instances import catalogue

        with desk.asked():
            every = catalogue.bundled() if pattern else catalogue.begun("")
            names = [name for name in every if name.startswith(pattern) or fnmatchcase(name, pattern)]
            return Found(names=names[:MOST], total=len(names))

    @app.tool(annotations=asking)
    def describe(problem: ProblemArgument) -> Described:
        """Tell a problem in words, with its rules and how a plan for it is written."""
        from planoracle.instances import registry
        from planoracle.instances.manner import Manner

        with desk.asked():
            found = desk.problem(problem)[0]
            run = registry.of(found).environment(found, manner=Manner("open"))
            return Described(
                instance=found.name,
                unit=found.unit,
                instructions=run.instructions(),
                introduction=run.introduction(),
            )

    @app.tool(annotations=asking)
    def solve(problem: ProblemArgument, seconds: SecondsArgument = None) -> Solved:
        """Find a best plan for a problem and prove that it is best; the status says how much of that came about."""
        from planoracle.analysis.optimum import optimum

        with desk.asked():
            found = optimum(desk.problem(problem)[0], limit=_limit(seconds))
            return Solved.model_validate(found.as_dict())

    @app.tool(annotations=asking)
    def explain(problem: ProblemArgument, seconds: SecondsArgument = None) -> Explained:
        """Say why no plan is shorter than the optimum, in steps to check by hand; or why there is no plan at all."""
        from planoracle.analysis.explain import explain as explained

        with desk.asked():
            found = explained(desk.problem(problem)[0], time_limit=_limit(seconds))
            return Explained.model_validate(found.as_dict())

    @app.tool(annotations=asking)
    def grade(
        problem: ProblemArgument,
        plan: PlanArgument,
        profile: ProfileArgument = "paper",
        prices: Annotated[bool, Field(description="Also say which decisions cost most, which takes longer")] = False,
        seconds: SecondsArgument = None,
    ) -> Graded:
        """Replay a plan by the rules of its benchmark: violations, the paper's metrics, the loss to the optimum."""
        with desk.asked():
            found, where = desk.problem(problem)
            return _graded(found, where, _submission(found, plan), profile, prices=prices, limit=_limit(seconds))

    @app.tool(name="next", annotations=asking)
    def next_(
        problem: ProblemArgument,
        after: Annotated[
            str | list[Any] | dict[str, Any] | None, Field(description="The plan so far; none: the beginning")
        ] = None,
        everything: Annotated[bool, Field(description="All commands that the rules allow, with their costs")] = False,
        clock: Annotated[
            int | None, Field(description="The time, in ticks, if later than the plan so far says")
        ] = None,
        profile: ProfileArgument = "paper",
        seconds: SecondsArgument = None,
    ) -> Advised:
        """List the commands after which the best makespan can still be reached, and the best way on."""
        from planoracle.analysis.advice import next_commands
        from planoracle.analysis.profiles import profiles

        with desk.asked():
            found = desk.problem(problem)[0]
            rules = profiles(profile)[found.benchmark]
            so_far = None if after is None else _submission(found, after)
            advice = next_commands(
                found, so_far, rules, everything=everything, clock=clock, seconds=_limit(seconds)
            ).as_dict()
            return Advised(**advice | {"options": [Step.model_validate(option) for option in advice["options"]]})

    return app


def _graded(
    problem: Problem, where: Problems, submission: dict[str, Any], profile: str, *, prices: bool, limit: Limit
) -> Graded:
    from planoracle.analysis.critique import critique_of
    from planoracle.analysis.grade import Grader
    from planoracle.analysis.oracle import Oracle
    from planoracle.analysis.profiles import profiles

    grader = Grader(profiles(profile), problems=where, oracle=Oracle(limit))
    grade = grader.grade(submission)
    report = ""
    if grade.scored:
        report = critique_of(grader.run(submission), oracle=grader.oracle, regret=prices, seconds=limit).prose()
    violations = [Violated.model_validate(one) for one in grade.violations or ()]
    own = {name: value for name, value in grade.metrics.items() if isinstance(value, str | int | float | None)}
    return Graded(
        **{name: getattr(grade, name) for name in Graded.model_fields if hasattr(grade, name)}
        | {"instance": problem.name, "violations": violations[:MOST], "metrics": own},
        violations_in_all=len(violations),
        unit=problem.unit,
        report=report,
    )
