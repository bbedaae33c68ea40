"""Replay of TimeArena decisions, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from planoracle.instances.benchmarks.timearena.rules import PROFILES, WRONG, Minute, Play, Profile, TimeArenaViolation
from planoracle.instances.benchmarks.timearena.scenario import Scenario
from planoracle.instances.model.violations import Replay, ReplayEvent


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """Verdict on one list of decisions.

    Attributes
    ----------
    end
        ``completed``, ``time_out`` (the limit), ``five_invalid`` (too many wrong in a row), ``exit`` (of
        the agent) or ``exhausted`` (no decisions left). What is left of the limit is looked at first, then the wrong
        ones, then the next decision.
    total_time
        Minutes that passed.
    score
        Percent of the work done, as the profile rounds it; under ``score_source="increments"`` the sum of those shown.
    scores
        The same at the end of every minute.
    necessary
        For every minute whether it was a wait in which no action could have been started.
    executed
        Actions started.
    tasks_done
        Share of the tasks all of whose work is done.
    remaining
        Minutes left of everything not done, as ``object: verb``.
    violations
        One for every wrong minute.
    decision_minutes
        The minute of every decision that filled one.
    play
        Where the run stopped.
    """

    steps: tuple[Minute, ...]
    completed: bool
    end: str
    total_time: int
    score: float
    scores: tuple[float, ...]
    necessary: tuple[bool, ...]
    executed: int
    tasks_done: float
    remaining: dict[str, int]
    violations: tuple[TimeArenaViolation, ...]
    decision_minutes: tuple[int, ...]
    play: Play = field(repr=False, compare=False)

    def followed(self) -> tuple[Sequence[Minute], Sequence[int]]:
        """Return ``steps`` and ``decision_minutes`` of the run without its limits and exits."""
        self.play.go(inf, inf, past_exits=True)
        return self.play.steps, self.play.decision_minutes


def replay(
    world: Scenario, decisions: Iterable[str], time_limit: int, rules: Profile = PROFILES["paper"]
) -> DecisionRecord:
    """Run decisions minute by minute; an occupying action asks for no decision until it ends.

    Nothing a decision holds can make this raise.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.timearena.scenario import world
    >>> run = replay(world("timearena/household1"), ["wash cup", "pour kettle into cup"], time_limit=40)
    >>> [(step.minute, step.kind) for step in run.steps], run.end
    ([(0, 'valid'), (1, 'continue'), (2, 'valid'), (3, 'dependency_violation')], 'exhausted')
    """
    play = Play(world, rules, decisions)
    end = play.go(time_limit, rules.max_wrong_streak)
    state = play.state
    return DecisionRecord(
        steps=tuple(play.steps),
        completed=end == "completed",
        end=end,
        total_time=len(play.steps),
        score=play.scores[-1] if play.scores else 0,
        scores=tuple(play.scores),
        necessary=tuple(play.necessary),
        executed=play.executed,
        tasks_done=state.tasks_done,
        remaining={f"{name}: {verb}": minutes for (name, verb, _), minutes in state.remaining.items() if minutes},
        violations=tuple(play.faults),
        decision_minutes=tuple(play.decision_minutes),
        play=play,
    )


def as_replay(run: DecisionRecord) -> Replay:
    """Return a run in the form common to all benchmarks: wrong minutes are its violations."""
    events = tuple(
        ReplayEvent(i, step.action[:80], step.minute, step.minute + 1, step.kind not in WRONG, run.scores[i] / 100)
        for i, step in enumerate(run.steps)
    )
    return Replay(
        events=events,
        violations=run.violations,
        fatal=run.violations[-1] if run.end == "five_invalid" else None,
        executed=run.executed,
        progress=run.score / 100,
        goal_ratio=run.tasks_done,
        success=run.completed,
        makespan=run.total_time,
        remaining=run.remaining,
        idle=tuple((step.minute, step.minute + 1) for step in run.steps if step.kind == "wait"),
    )
