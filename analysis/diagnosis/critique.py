"""Critique: report on a plan with its faults by topic, efficiency and costliest decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.diagnosis.decisions import Decisions, decisions, too_long
from planoracle.analysis.diagnosis.efficiency import Efficiency, best_of, efficiency
from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.analysis.grading.oracle import WORK, SolverOracle
from planoracle.instances.errors import PlanError
from planoracle.instances.model.limits import Limit
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.feedback import ANSWER, Examination, Section, sections_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.solve import has_state_values

#: Version of `Critique.as_dict`; grows when a field changes its meaning or is removed.
VERSION = 2
#: Maximum number of decisions of a run whose costs are computed.
MAX_DECISIONS = 1_000


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Outcome of the run.

    Attributes
    ----------
    success, executed, progress, goal_ratio
        See `planoracle.instances.model.violations.Replay`.
    makespan
        Ticks; the latest end of a command carried out, also for failed plans.
    fatal
        Kind, subject and index of the violation that ended the run; ``None`` if none did.
    later
        Number of violations after it, as if refused commands had been carried out.
    text
        The paragraph without its heading.
    """

    success: bool
    executed: int
    progress: float
    goal_ratio: float
    makespan: int
    fatal: tuple[str, str, int | None] | None
    later: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        row = {name: getattr(self, name) for name in self.__slots__}
        keys = ("kind", "subject", "index")
        return row | {"fatal": None if self.fatal is None else dict(zip(keys, self.fatal, strict=True))}


@dataclass(frozen=True, slots=True)
class Critique:
    """A report on one plan.

    Attributes
    ----------
    sections
        Topics of the benchmark in fixed order, also those without violations.
    efficiency
        Efficiency of the plan compared with the optimum.
    decisions
        Costs of single decisions; ``None`` if they were not requested.
    unit, seconds_per_tick
        Name of a tick, and its length; ``None`` if it has no fixed length.
    """

    instance: str
    benchmark: str
    verdict: RunVerdict
    sections: tuple[Section, ...]
    efficiency: Efficiency
    decisions: Decisions | None
    unit: str
    seconds_per_tick: int | None

    def prose(self) -> str:
        """Return the report as short paragraphs with headings; topics without violations are omitted.

        Examples
        --------
        >>> from planoracle.instances.files.catalog import load
        >>> plan = "Step(1, Cobbler, 3 min, 0:00) Step(6, Soup, 1 min, 0:02:00)"
        >>> report = critique(load("recipe2plan/timed/Cobbler_Pancakes"), plan, regret=False)
        >>> print(report.prose().partition("Missing")[0])
        Result: The run ends at command 1, step 1 of Cobbler, after 0 commands and with 0% of the work done. \
Violations of later commands are computed as if the rejected commands had been carried out.
        Unknown steps: Command 2 names the recipe "Soup"; the recipes are Cobbler and Pancakes. Use only the \
recipes and step numbers of the problem.
        <BLANKLINE>
        """
        parts = [("Result", self.verdict.text)]
        parts += [(section.title, section.text) for section in self.sections]
        parts.append(("Efficiency", self.efficiency.text))
        parts.append(("Decisions", "" if self.decisions is None else self.decisions.text))
        return "\n".join(f"{title}: {text}" for title, text in parts if text)

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON, in a stable format (see `VERSION`)."""
        return {
            "format": "planoracle/critique",
            "version": VERSION,
            "instance": self.instance,
            "benchmark": self.benchmark,
            "unit": self.unit,
            "seconds_per_tick": self.seconds_per_tick,
            "verdict": self.verdict.as_dict(),
            "sections": [section.as_dict() for section in self.sections],
            "efficiency": self.efficiency.as_dict(),
            "decisions": None if self.decisions is None else self.decisions.as_dict(),
        }


def critique(
    problem: Problem,
    submission: object,
    *,
    rules: Rules | None = None,
    regret: bool = True,
    seconds: Limit = WORK,
) -> Critique:
    """Report on a plan.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    submission
        The plan in any form that the benchmark's language reads, or an object with it as ``plan`` (TimeArena and
        Robotouille: ``actions``, AsyncTool: ``turns``) and, where the benchmark knows one, its ``time_limit`` or
        ``limit``.
    rules
        The profile of the benchmark; by default that of the paper.
    regret
        Compute the costs of single decisions, which takes a solve for each.
    seconds
        Limit for each state of the run: wall time in seconds, or counted work, which does not depend on the machine.

    Raises
    ------
    PlanError, InputError
        If the submission cannot be read at all.
    """
    if submission is None:  # in other functions ``None`` is the empty run
        raise PlanError("is missing", field="plan")
    return critique_of(registry.of(problem).run(problem, submission, rules), regret=regret, seconds=seconds)


def critique_of(
    run: AnyRun, *, oracle: SolverOracle | None = None, regret: bool = True, seconds: Limit = WORK
) -> Critique:
    """Report on a run, see `critique`; ``oracle`` solves the problem."""
    problem, benchmark = run.problem, registry.of(run.problem)
    examined = benchmark.examine(run)
    best = best_of(problem, run.rules, oracle or SolverOracle(seconds))
    topics = benchmark.feedback.TOPICS
    if run.plan.fault:
        topics = (ANSWER, *topics)
    costs = None
    if regret and not examined.outcome and has_state_values(problem):
        costs = _decisions(run, examined, seconds)
    return Critique(
        instance=problem.name,
        benchmark=problem.benchmark,
        verdict=_verdict(examined),
        sections=sections_of(topics, examined),
        efficiency=efficiency(examined, best, run.weight),
        decisions=costs,
        unit=problem.unit,
        seconds_per_tick=problem.seconds_per_tick,
    )


def _verdict(examined: Examination) -> RunVerdict:
    run = examined.replay
    fatal, later = None, 0
    if run.fatal is not None:
        fatal = (run.fatal.kind, run.fatal.subject, run.fatal.position)
        later = sum(_is_later(violation, run.fatal) for violation in run.violations)
    return RunVerdict(
        success=run.success,
        executed=run.executed,
        progress=run.progress,
        goal_ratio=run.goal_ratio,
        makespan=run.makespan,
        fatal=fatal,
        later=later,
        text=" ".join(_verdict_sentences(examined, later)),
    )


def _is_later(violation: Violation, fatal: Violation) -> bool:
    """Return whether a violation comes after the one at which the run ends."""
    if fatal.position is None:
        return violation is not fatal
    return (violation.position or 0) > fatal.position


def _verdict_sentences(examined: Examination, later: int) -> Iterator[str]:
    run = examined.replay
    count = len(run.violations)
    violations = "1 violation" if count == 1 else f"{count} violations"
    if examined.outcome:
        yield examined.outcome
    elif run.success:
        suffix = f"with {violations}" if count else "without violations"
        yield f"The plan completes all tasks in {examined.clock.span(run.makespan)} {suffix}."
    elif examined.whole:
        yield f"The plan is invalid: it has {violations}."
    elif run.fatal is not None and run.fatal.position is not None:
        count_text = "1 command" if run.executed == 1 else f"{run.executed} commands"
        at = examined.command(run.fatal.position)
        yield f"The run ends at {at}, after {count_text} and with {run.progress:.0%} of the {examined.aim} done."
        if later:
            yield "Violations of later commands are computed as if the rejected commands had been carried out."
    else:
        suffix = f" and {violations}" if count else ""
        yield f"The plan ends with {run.progress:.0%} of the {examined.aim} done{suffix}."
    yield from examined.notes


def _decisions(run: AnyRun, examined: Examination, seconds: Limit) -> Decisions:
    if len(examined.replay.events) > MAX_DECISIONS:
        return too_long(len(examined.replay.events))
    return decisions(regret_of(run, seconds=seconds), examined.clock)
