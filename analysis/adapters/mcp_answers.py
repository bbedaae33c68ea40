"""Answers of the MCP server's tools, as models whose JSON Schema assistants can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import BaseModel, Field, RootModel

from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.diagnosis.regret import Advice, next_commands
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.oracle import SolverOracle, optimum
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import Limit, WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.text import did_you_mean, similar

_STATUS = "optimal (proved), feasible (not proved optimal), infeasible (proved), or unknown"


class ProblemNames(BaseModel):
    """Names of problems."""

    names: list[str] = Field(description="First names that match")
    total: int = Field(description="Number of all names that match")
    sets: list[str] = Field(description="Sets of the problems that match")
    similar: list[str] = Field(description="Names of problems and sets that resemble a pattern without a match")


class ProblemStatement(BaseModel):
    """A problem in words."""

    instance: str
    unit: str = Field(description="Unit of time: the meaning of one tick")
    instructions: str = Field(description="Rules, and language of plans")
    introduction: str = Field(description="Tasks to be done, and objects, agents and resources")


class OptimumAnswer(BaseModel):
    """Result of a search for the optimum of a problem."""

    instance: str
    status: str = Field(description=_STATUS)
    makespan: int | None = Field(description="Makespan of the plan, in ticks")
    lower_bound: int | None = Field(description="Proved lower bound on the makespan of every plan, in ticks")
    unit: str = Field(description="Unit of time: the meaning of one tick")
    plan: str | None = Field(description="The plan in the benchmark's language, accepted by its rules")
    proof: str = Field(description="Method that proved the status")


class ViolationAnswer(BaseModel):
    """One rule that a plan breaks."""

    index: int | None = Field(description="Number of the command that breaks the rule, from 0; null: no single command")
    kind: str
    subject: str
    message: str


class GradeAnswer(BaseModel):
    """The verdict of the rules on a plan."""

    instance: str
    scored: bool = Field(description="False if the plan could not be graded; the field reason has the cause")
    reason: str | None
    success: bool | None
    main_score: float | None = Field(description="Main metric of the benchmark; 1 is the best value")
    makespan: int | None = Field(description="Latest end of an executed command, in ticks")
    optimal_makespan: int | None = Field(description="Proved optimum, in ticks; null if not proved")
    unit: str
    progress: float | None = Field(description="Share of the work that is done, 0 to 1")
    violations: list[ViolationAnswer] = Field(description="First violations, also those after the end of the run")
    violations_in_all: int
    metrics: dict[str, Any] = Field(description="Metrics of the benchmark's paper")
    report: str = Field(description="Errors of the plan, and its gap to the optimum, in words")


class ExplanationAnswer(BaseModel):
    """Explanation of an optimum."""

    instance: str
    status: str = Field(description=_STATUS)
    makespan: int | None
    lower_bound: int | None
    unit: str
    explained: bool = Field(description="True if the lines prove the status completely")
    lines: list[str] = Field(description="Steps of the proof, in words")


class NextCommands(RootModel[Advice]):
    """Commands that keep the best makespan reachable."""


#: A plan as a caller gives it: text, commands, or a submission.
PlanGiven: TypeAlias = str | list[Any] | dict[str, Any]
#: Most violations and names in one answer.
MOST = 50
#: Largest time limit of a question, in seconds.
LONGEST = 600.0
#: Methods of `Questions` that are tools.
TOOLS = ("problems", "describe", "solve", "explain", "grade", "next")

ProblemArgument = Annotated[
    str | dict[str, Any], Field(description="Name of a problem, or the problem as a document in planoracle's format")
]
PlanArgument = Annotated[
    PlanGiven,
    Field(description="The plan: text in the benchmark's language, a list of commands, or a submission as an object"),
]
SecondsArgument = Annotated[
    float | None,
    Field(
        description="Limit on wall time, in seconds; default: a limit on solver work, about ten seconds",
        gt=0,
        le=LONGEST,
    ),
]
ProfileArgument = Annotated[str, Field(description="Rule profile: paper, or released (rules of the released code)")]


class Questions(NamedTuple):
    """Answers one question per task.

    Attributes
    ----------
    files
        Whether names of problems may be paths of files on this machine.
    """

    files: bool

    def start(self) -> Callable[[tuple[str, dict[str, Any]]], Any]:
        """Return the function that answers a task: the name of a tool and its arguments."""
        return self._answer

    def _answer(self, task: tuple[str, dict[str, Any]]) -> Any:
        tool, arguments = task
        return getattr(self, tool)(**arguments)

    def problems(
        self,
        pattern: Annotated[
            str, Field(description="Prefix or glob of names; empty for the names of the benchmarks", max_length=500)
        ] = "",
    ) -> ProblemNames:
        """List the names of bundled problems that begin with a text or match a glob, and their sets."""
        bundled = catalog.bundled()
        matches = [name for name in bundled if name.startswith(pattern) or fnmatchcase(name, pattern)]
        sets = _sets_of(matches)
        names = matches if pattern else catalog.completions("")
        near = [] if names else similar(pattern, [*bundled, *_sets_of(bundled)])
        return ProblemNames(names=names[:MOST], total=len(names), sets=sets[:MOST], similar=near)

    def describe(self, problem: ProblemArgument) -> ProblemStatement:
        """Describe a problem in words, with its rules and the language of its plans."""
        subject = self._problem(problem)[0]
        run = registry.of(subject).environment(subject, config=RunConfig("open"))
        return ProblemStatement(
            instance=subject.name, unit=subject.unit, instructions=run.instructions(), introduction=run.introduction()
        )

    def solve(self, problem: ProblemArgument, seconds: SecondsArgument = None) -> OptimumAnswer:
        """Compute an optimal plan for a problem; the status is optimal if this is proved."""
        answer = optimum(self._problem(problem)[0], limit=_limit(seconds))
        return OptimumAnswer.model_validate(answer.as_dict())

    def explain(self, problem: ProblemArgument, seconds: SecondsArgument = None) -> ExplanationAnswer:
        """Explain why no plan is shorter than the optimum, in steps to check by hand; or why there is no plan."""
        explanation = explain(self._problem(problem)[0], time_limit=_limit(seconds))
        return ExplanationAnswer.model_validate(explanation.as_dict())

    def grade(
        self,
        problem: ProblemArgument,
        plan: PlanArgument,
        profile: ProfileArgument = "paper",
        prices: Annotated[bool, Field(description="Also list the most costly decisions (slower)")] = False,
        seconds: SecondsArgument = None,
    ) -> GradeAnswer:
        """Replay a plan by the rules of its benchmark: violations, metrics and the gap to the optimum."""
        subject, problem_loader = self._problem(problem)
        submission = _submission(subject, plan)
        limit = _limit(seconds)
        grader = Grader(profiles(profile), problems=problem_loader, oracle=SolverOracle(limit))
        grade = grader.grade(submission)
        report = ""
        if grade.scored:
            critique = critique_of(grader.run(submission), oracle=grader.oracle, regret=prices, seconds=limit)
            report = critique.prose()
        violations = [ViolationAnswer.model_validate(violation) for violation in grade.violations or ()]
        metrics = {name: value for name, value in grade.metrics.items() if isinstance(value, str | int | float | None)}
        fields = {name: getattr(grade, name) for name in GradeAnswer.model_fields if hasattr(grade, name)}
        fields |= {"instance": subject.name, "violations": violations[:MOST], "metrics": metrics}
        return GradeAnswer(**fields, violations_in_all=len(violations), unit=subject.unit, report=report)

    def next(
        self,
        problem: ProblemArgument,
        after: Annotated[PlanGiven | None, Field(description="Commands executed so far; null: none")] = None,
        all_commands: Annotated[bool, Field(description="List all legal commands with their costs")] = False,
        clock: Annotated[
            int | None, Field(description="Current time in ticks, if it is later than the last command")
        ] = None,
        profile: ProfileArgument = "paper",
        seconds: SecondsArgument = None,
    ) -> NextCommands:
        """List the commands after which the best makespan can still be reached, and a best completion."""
        subject = self._problem(problem)[0]
        so_far = None if after is None else _submission(subject, after)
        rules, limit = profiles(profile)[subject.benchmark], _limit(seconds)
        advice = next_commands(subject, so_far, rules, all_commands=all_commands, clock=clock, seconds=limit)
        return NextCommands(advice)

    def _problem(self, argument: str | dict[str, Any]) -> tuple[Problem, Problems]:
        """Return a problem, and where its name leads to it."""
        if isinstance(argument, str):
            argument = catalog.real_name(argument)
            if not self.files and not catalog.names_problem(argument):  # no answer depends on which files exist
                raise _unknown_problem(argument)
            named = Problems(places=Places(trusted=self.files))
            return named.find(argument), named
        problems = catalog.read_line(json.dumps(argument).encode(), "problem")
        if len(problems) != 1:
            raise InputError(f"must contain a single problem, not {len(problems)}", source="problem")
        if isinstance(problems[0], InputError):
            raise problems[0]
        return problems[0], Problems(named={problems[0].name: problems[0]})


def _limit(seconds: float | None) -> Limit:
    return WorkLimit(10.0) if seconds is None else seconds


def _sets_of(names: Iterable[str]) -> list[str]:
    """Return the sets of bundled problems, each once."""
    labels = (catalog.set_of(name)[0] for name in names)
    return [label for label in dict.fromkeys(labels) if label]


def _unknown_problem(name: str) -> UnknownNameError:
    """Return the error for a name that is not that of a bundled problem: of a set, or unknown."""
    bundled = catalog.bundled()
    members = [member for member in bundled if member.startswith(f"{name.rstrip('/')}/")]
    if members:
        message = f"is a set of {len(members)} problems; accepted is one of them, such as {members[0]}"
    else:
        message = f"names no bundled problem{did_you_mean(name, bundled)}"
    return UnknownNameError(message, field="problem", value=name)


def _submission(problem: Problem, plan: PlanGiven) -> dict[str, Any]:
    return {**(plan if isinstance(plan, dict) else {"plan": plan}), "instance": problem.name}
