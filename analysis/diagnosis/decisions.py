"""Costliest decisions of a run, and the decision after which success was impossible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from planoracle.instances.protocol.feedback import ClockFormat, clean, listed, quoted, sentence
from planoracle.solver.runs import solver_of

if TYPE_CHECKING:
    from planoracle.analysis.diagnosis.regret import DecisionRegret, RunRegret

#: Maximum numbers of decisions in the report, and of constraints of a contradiction.
MAX_COSTLY, MAX_REASONS = 3, 8
#: Seconds to search for a contradiction.
CONFLICT_SECONDS = 5.0

_NO_RETURN = {
    "constraints": "after {decision}, no continuation completes all tasks without a violation",
    "time_limit": "after {decision}, the remaining time is too short to complete all tasks",
    "over": "{decision} ended the run before all tasks were complete",
    "spoiled": "after {decision}, completing the remaining work is not enough for a success",
}


@dataclass(frozen=True, slots=True)
class Decisions:
    """Summary of the decisions of a run.

    Attributes
    ----------
    costly
        Decisions with a cost, the costliest first; their commands are cleaned.
    no_return
        First decision after which no completion without violation exists.
    cause, proved
        ``constraints``, ``time_limit``, ``over`` or ``spoiled``, see `planoracle.analysis.diagnosis.regret.RunRegret`;
        True if that is proved.
    reasons
        Contradicting constraints in words, if ``cause`` is ``constraints``.
    completion
        Best makespan in ticks of a completion of the run.
    optimal_count, count
        Number of decisions from the first on that keep the optimum reachable, and of all decisions.
    text
        The paragraph without its heading.
    """

    costly: tuple[DecisionRegret, ...]
    no_return: DecisionRegret | None
    cause: str | None
    proved: bool
    reasons: tuple[str, ...]
    completion: int | None
    optimal_count: int
    count: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        keys = {"cause": "why", "optimal_count": "kept"}
        row = {keys.get(name, name): value for name, value in asdict(self).items()}
        row["costly"] = [_row(decision) for decision in self.costly]
        row["no_return"] = None if self.no_return is None else _row(self.no_return)
        row["reasons"] = list(self.reasons)
        return row


def _row(decision: DecisionRegret) -> dict[str, Any]:
    """Return a decision for JSON."""
    names = ("command", "kind", "start", "end", "cost", "status")
    return {"index": decision.position} | {name: getattr(decision, name) for name in names}


def decisions(regret: RunRegret, clock: ClockFormat) -> Decisions:
    """Summarize the regret of a run."""
    steps = regret.decisions
    costly = tuple(_with_clean_command(steps[i]) for i in regret.costliest(MAX_COSTLY))
    last = regret.no_return if regret.no_return is not None and regret.no_return >= 0 else None
    proved = last is not None and regret.no_return_status == "proved"
    suboptimal = (i for i, decision in enumerate(steps) if decision.cost is None or decision.cost > 0)
    optimal_count = next(suboptimal, len(steps))
    no_return = cause = None
    if last is not None:
        no_return = _with_clean_command(steps[last])
        cause = regret.no_return_reason
    summary = Decisions(
        costly=costly,
        no_return=no_return,
        cause=cause,
        proved=proved,
        reasons=_reasons(regret, last) if last is not None and proved else (),
        completion=regret.completion,
        optimal_count=optimal_count,
        count=len(steps),
        text="",
    )
    return replace(summary, text=" ".join(_sentences(clock, summary, success=regret.success)))


def too_long(count: int) -> Decisions:
    """Return the summary of a run with too many decisions to compute their costs."""
    return Decisions(
        (), None, None, False, (), None, 0, count, f"The run has {count} decisions, too many to compute their costs."
    )


def _with_clean_command(decision: DecisionRegret) -> DecisionRegret:
    return replace(decision, command=clean(decision.command))


def _reasons(regret: RunRegret, last: int) -> tuple[str, ...]:
    """Return constraints that contradict each other after a decision, if constraints in time."""
    if regret.run is None or regret.no_return_reason != "constraints":
        return ()
    constraints = solver_of(regret.run, CONFLICT_SECONDS).contradiction(last + 1)
    return tuple(clean(text, 200) for text in constraints[:MAX_REASONS])


def _name(decision: DecisionRegret, clock: ClockFormat) -> str:
    if decision.kind == "wait" and decision.end > decision.start:
        return f"waiting ({clock.stretch(decision.start, decision.end)})"
    # Commands that were carried out are in the words of the benchmark; others are quoted from the submission.
    name = decision.command if decision.kind != "lost" else quoted(decision.command)
    if clock.is_discrete:
        return f"{name} ({clock.moment(decision.start)})"
    return f"command {decision.position + 1} ({name})"


def _sentences(clock: ClockFormat, summary: Decisions, *, success: bool) -> Iterator[str]:
    if summary.costly:
        parts = []
        for delay in summary.costly:
            parts.append(f"{_name(delay, clock)} by {clock.span(delay.cost or 0)}")
        subject = "This decision delays" if len(parts) == 1 else "These decisions delay"
        yield f"{subject} the end of the plan most: {listed(parts)}."
    if summary.no_return is not None and summary.cause is not None:
        decision = _name(summary.no_return, clock)
        yield sentence(_NO_RETURN[summary.cause].format(decision=decision))
        if summary.reasons:
            yield f"From then on, these constraints contradict each other: {'; '.join(summary.reasons)}."
    elif summary.completion is not None and not success:
        yield f"From the end of the run, all tasks can still be completed in {clock.span(summary.completion)} in total."
