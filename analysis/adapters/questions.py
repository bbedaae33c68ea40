"""Answers to the tools of the MCP server, as a worker process computes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeAlias

from planoracle.analysis.adapters.answers import Advised, Described, Explained, Found, Graded, Solved, Step, Violated
from planoracle.analysis.advice import next_commands
from planoracle.analysis.critique import critique_of
from planoracle.analysis.explain import explain
from planoracle.analysis.grade import Grader
from planoracle.analysis.oracle import Oracle, optimum
from planoracle.analysis.places import Places
from planoracle.analysis.problems import Problems
from planoracle.analysis.profiles import profiles
from planoracle.instances import catalogue, registry
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.episode import Manner
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.problem import Problem
from planoracle.instances.visible import did_you_mean

#: A plan as a caller gives it: text, commands, or a submission.
PlanGiven: TypeAlias = str | list[Any] | dict[str, Any]
#: Most violations and names in one answer.
MOST = 50


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
        return lambda task: getattr(self, task[0])(**task[1])

    def problems(self, pattern: str) -> Found:
        """Return the names of bundled problems that begin with a text or match a glob."""
        every = catalogue.bundled() if pattern else catalogue.begun("")
        names = [name for name in every if name.startswith(pattern) or fnmatchcase(name, pattern)]
        return Found(names=names[:MOST], total=len(names))

    def describe(self, problem: str | dict[str, Any]) -> Described:
        """Return a problem in words."""
        subject = self._problem(problem)[0]
        run = registry.of(subject).environment(subject, manner=Manner("open"))
        return Described(
            instance=subject.name, unit=subject.unit, instructions=run.instructions(), introduction=run.introduction()
        )

    def solve(self, problem: str | dict[str, Any], seconds: float | None) -> Solved:
        """Return a best plan, and how that is proved."""
        return Solved.model_validate(optimum(self._problem(problem)[0], limit=_limit(seconds)).as_dict())

    def explain(self, problem: str | dict[str, Any], seconds: float | None) -> Explained:
        """Return the proof of the optimum in words."""
        return Explained.model_validate(explain(self._problem(problem)[0], time_limit=_limit(seconds)).as_dict())

    def grade(
        self, problem: str | dict[str, Any], plan: PlanGiven, profile: str, prices: bool, seconds: float | None
    ) -> Graded:
        """Return the verdict of the rules on a plan."""
        subject, where = self._problem(problem)
        submission = _submission(subject, plan)
        limit = _limit(seconds)
        grader = Grader(profiles(profile), problems=where, oracle=Oracle(limit))
        grade = grader.grade(submission)
        report = ""
        if grade.scored:
            report = critique_of(grader.run(submission), oracle=grader.oracle, regret=prices, seconds=limit).prose()
        violations = [Violated.model_validate(one) for one in grade.violations or ()]
        own = {name: value for name, value in grade.metrics.items() if isinstance(value, str | int | float | None)}
        return Graded(
            **{name: getattr(grade, name) for name in Graded.model_fields if hasattr(grade, name)}
            | {"instance": subject.name, "violations": violations[:MOST], "metrics": own},
            violations_in_all=len(violations),
            unit=subject.unit,
            report=report,
        )

    def next(
        self,
        problem: str | dict[str, Any],
        after: PlanGiven | None,
        everything: bool,
        clock: int | None,
        profile: str,
        seconds: float | None,
    ) -> Advised:
        """Return the commands after which the best makespan can still be reached."""
        subject = self._problem(problem)[0]
        rules = profiles(profile)[subject.benchmark]
        so_far = None if after is None else _submission(subject, after)
        advice = next_commands(
            subject, so_far, rules, everything=everything, clock=clock, seconds=_limit(seconds)
        ).as_dict()
        return Advised(**advice | {"options": [Step.model_validate(option) for option in advice["options"]]})

    def _problem(self, argument: str | dict[str, Any]) -> tuple[Problem, Problems]:
        """Return a problem, and where its name leads to it."""
        if isinstance(argument, str):
            if not self.files and not catalogue.names_problem(argument):  # no answer depends on which files exist
                meant = did_you_mean(argument, catalogue.bundled())
                raise UnknownNameError(f"names no bundled problem{meant}", field="problem", value=argument)
            named = Problems(places=Places(trusted=self.files))
            return named.find(argument), named
        problems = catalogue.read_line(json.dumps(argument).encode(), "problem")
        if len(problems) != 1:
            raise InputError(f"must hold a single problem, not {len(problems)}", source="problem")
        if isinstance(problems[0], InputError):
            raise problems[0]
        return problems[0], Problems(named={problems[0].name: problems[0]})


def _limit(seconds: float | None) -> Limit:
    return Work(10.0) if seconds is None else seconds


def _submission(problem: Problem, plan: PlanGiven) -> dict[str, Any]:
    return {**(plan if isinstance(plan, dict) else {"plan": plan}), "instance": problem.name}
