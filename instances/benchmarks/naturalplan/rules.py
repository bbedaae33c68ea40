"""Rule profiles of Natural Plan, and the answers and gradings that its tasks share.

``exact`` and ``official`` are further names of the profiles ``paper`` and ``released``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.violations import Replay, ReplayEvent, Violation
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.protocol.simulator import Step


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of Natural Plan.

    Attributes
    ----------
    verdict
        ``"exact"``: an answer succeeds if it keeps all constraints. ``"official"``: as in the published evaluation, it
        succeeds if it agrees with the published plan.
    """

    verdict: str = "exact"

    @property
    def is_official(self) -> bool:
        """True if answers are compared with the published plan."""
        return self.verdict == "official"


PROFILES = {"paper": Profile(), "released": Profile(verdict="official", refuse_unread=False)}

#: Profiles and single rules, set as ``naturalplan.RULE``.
RULE_SET = RuleSet(
    "naturalplan",
    PROFILES,
    {"verdict": ("exact", "official")},
    {"exact": "paper", "official": "released"},
)


# --- answers and gradings -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanAnswer(Schedule):
    """Plan that was read, with its pieces as far as it states them.

    Attributes
    ----------
    steps
        Steps in the form of the task, which its module of rules grades.
    is_open
        True for the log of a live run that the agent has not closed.
    """

    steps: tuple[Any, ...] = ()
    is_open: bool = False


class PlanVerdict(NamedTuple):
    """Verdict on an answer, and its steps.

    Attributes
    ----------
    steps
        Steps of the run, in order; those that are carried out have their pieces.
    replay
        Verdict.
    """

    steps: tuple[Step, ...]
    replay: Replay


def verdict_of(
    problem: Instance, steps: Sequence[Step], violations: Sequence[Violation], *, success: bool, share: float
) -> PlanVerdict:
    """Return the grading of the steps of an answer.

    Parameters
    ----------
    problem
        Problem of the answer.
    steps
        Steps in order; those with a piece are actions that count.
    violations
        Violations in order; the first one is fatal unless the answer is a success.
    success
        True if the answer succeeds.
    share
        Share of the work that is done, from 0 to 1.
    """
    pieces = [step.piece for step in steps if step.piece is not None]
    fatal = violations[0] if violations and not success else None
    replay = Replay(
        events=tuple(_event(step, share) for step in steps),
        violations=tuple(violations),
        fatal=fatal,
        executed=len(pieces),
        progress=1.0 if success else share,
        goal_ratio=float(success),
        success=success,
        makespan=max((piece.end for piece in pieces), default=0),
        remaining={},
        idle=(),
    )
    return PlanVerdict(tuple(steps), replay)


def _event(step: Step, share: float) -> ReplayEvent:
    """Return the event of a step; steps that are carried out have the share of the work that is done."""
    subject = step.command if step.piece is None else step.piece.action
    is_accepted = step.kind != "lost"
    progress = share if is_accepted else 0.0
    return ReplayEvent(step.position, subject, step.start, step.end, is_accepted, progress)
