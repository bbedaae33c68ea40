"""Texts for agents and authors of plans: instructions, answers and sentences on refused commands."""

from __future__ import annotations

from planoracle.plugin import (
    Examination,
    FeedbackItem,
    LiveText,
    Rules,
    Step,
    Topic,
    Violation,
    clean,
    quoted,
)

from .language import Jobs
from .rules import ShopRun, ShopState
from .shop import BlockingShop

TOPICS = (
    Topic("jobs", "Jobs", ("unknown_job", "finished_job"), "Name each job once for each of its operations."),
    Topic("blocking", "Blocked machines", ("blocked",), "Let the job on the machine leave first."),
)


def _sentence(violation: Violation) -> str:
    """Return the reason of a refused command as part of a sentence."""
    subject = clean(violation.subject)
    if violation.kind == "unknown_job":
        return f"there is no job {quoted(violation.subject)}"
    if violation.kind == "finished_job":
        return f"job {subject} has no further operation"
    return f"job {violation.others[0].subject} blocks the {violation.resource}, which job {subject} needs"


def examine(run: ShopRun) -> Examination:
    """Return the refused commands of a run as feedback."""
    findings = [FeedbackItem.of(violation, _sentence(violation)) for violation in run.verdict.violations]
    clock = run.benchmark.clock(run.problem)
    return Examination(run.verdict, tuple(findings), clock, lambda index: f"command {index + 1}")


class ShopText(LiveText[BlockingShop, Rules, ShopState]):
    """Texts of live runs: a message names a job."""

    def instructions(self) -> str:
        """Return the form of messages."""
        return "Name the job whose next operation starts. It stays on its machine until its next operation starts."

    def introduction(self) -> str:
        """Return the operations of all jobs."""
        lines = []
        for job in self.problem.jobs:
            operations = [f"{operation.machine} {operation.duration}" for operation in job.operations]
            lines.append(f"{job.name}: {', '.join(operations)}")
        return "\n".join(lines)

    def command(self, state: ShopState, message: object) -> str:
        """Return the first job that a message names, else the message, which the rules refuse."""
        text = message if isinstance(message, str) else ""
        matches = Jobs(self.problem).find(text)
        return matches[0].step if matches else text[:80]

    def submission(self, state: ShopState) -> dict[str, object]:
        """Return all commands as a plan."""
        return {"plan": [step.command for step in state.steps]}

    def step_text(self, before: ShopState, after: ShopState, step: Step) -> str:
        """Return the time of an operation, or why it is refused."""
        if step.violation is not None:
            return f"Refused: {_sentence(step.violation)}"
        return f"{step.command}: {step.start} to {step.end}"


TEXT = ShopText
