"""Repair of submitted plans: the nearest plan that passes the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rule_options import complete_rules
from planoracle.instances.model.limits import Limit, WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.plan import COMMON_FIELDS, submitted_plan
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.repair.minimal_change import OBJECTIVES, checked_objectives
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.solve import solving_kind

#: Default work for each of the nearest plan and the optimum.
WORK = WorkLimit(60.0)


class Repairer:
    """Repairs submissions; every problem is solved once.

    Parameters
    ----------
    rules
        Profiles by benchmark, as `planoracle.analysis.grading.rule_options.profiles` returns them; by default those
        of ``paper``.
    objectives
        Measures of change, the most important first, see `planoracle.solver.repair.minimal_change.minimal_change`.
        Kitchens have one measure only.
    time_limit
        Seconds of wall time, or counted work, for each of the nearest plan and the optimum.
    """

    def __init__(
        self,
        rules: Mapping[str, Rules] | None = None,
        *,
        objectives: Sequence[str] = OBJECTIVES,
        time_limit: Limit = WORK,
    ) -> None:
        self.rules = complete_rules(rules)
        self.objectives = checked_objectives(objectives)
        self.time_limit = time_limit
        self.oracle = SolverOracle(time_limit)

    def repair(self, problem: Problem, submission: object) -> Repair:
        """Repair one submission, an object with a plan as for `planoracle.analysis.grading.grader.Grader`.

        A successful plan without violations is returned unchanged.

        Raises
        ------
        InputError
            For an unreadable submission.
        InternalError
            If the repaired plan does not pass the rules.
        """
        benchmark = registry.of(problem)
        rules = self.rules[benchmark.name]
        raw_plan = submitted_plan(submission, benchmark.plan_fields)
        plan, salvaged = benchmark.salvage(problem, raw_plan)
        read = replace(benchmark.parse(problem, _with_plan(submission, benchmark, plan), rules), submitted=raw_plan)
        run = benchmark.replay(problem, read, rules)

        def solve_best(modified: Problem) -> BestKnown:
            return self.oracle.best(modified, rules)

        kind = solving_kind(run.problem)
        return kind.repair(run, solve_best, self.objectives, self.time_limit, salvaged)


def _with_plan(submission: object, benchmark: AnyBenchmark, plan: object) -> object:
    """Return a submission with another plan."""
    if not isinstance(submission, Mapping):
        return plan
    plan_fields = (*benchmark.plan_fields, *COMMON_FIELDS)
    further_fields = {name: value for name, value in submission.items() if name not in plan_fields}
    return further_fields | {benchmark.plan_fields[0]: plan}


def repair(problem: Problem, submission: object, **options: Any) -> Repair:
    """Compute the nearest plan that follows the rules.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    submission
        The plan, in any form that the benchmark's language reads, or an object with it as ``plan``.
    options
        Keyword arguments of `Repairer`: ``rules`` by benchmark (default: those of the paper), ``objectives`` in order
        of importance (``moved``, ``shift``, ``makespan``), and ``time_limit`` in seconds of wall time.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> made = ["activate kettle", "wash cup", "pour kettle into cup", "wash teapot"]
    >>> found = repair(load("timearena/household1"), {"plan": made})
    >>> found.status, found.changed, found.moved, found.shift, found.makespan, found.optimum
    ('optimal', True, 0, 0, 13, 13)
    """
    return Repairer(**options).repair(problem, submission)
