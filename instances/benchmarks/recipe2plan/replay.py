"""Replay of Recipe2Plan plans: effects and violations of every command.

Follows the released environment (Wu et al., 2025, section 3.4 and Table 15); `Profile` switches the
points in which paper and code differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import (
    PROFILES,
    CookingState,
    Profile,
    Recipe2PlanViolation,
    kitchen_of,
)
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule_rules import gaps
from planoracle.instances.model.violations import Replay, ReplayEvent

#: The search for further violations ends after this many.
MAX_VIOLATIONS = 1000


def replay(instance: Instance, plan: Answers, rules: Profile = PROFILES["paper"]) -> Replay:
    """Replay a plan by the rules of Recipe2Plan.

    Returns
    -------
    Replay
        ``events`` hold the commands the run reached; ``violations`` those of the whole plan.
    """
    if plan.interactive:
        log = Log(instance, rules)
        for answer in plan.answers:
            log.take(answer)
            if log.fatal is not None:
                break
        return log.verdict()
    state = CookingState(kitchen_of(instance), rules, plan.commands)
    if not any(plan.answers):
        return _empty_verdict(state)
    commands = plan.answers[0]
    events: list[ReplayEvent] = []
    violations: list[Recipe2PlanViolation] = []
    failed: Replay | None = None  # the run up to the first fault; further commands only show further faults
    for index, command in enumerate(commands):
        position = state.step_of(command)
        faults = state.check(index, command, position)
        violations += faults
        if faults and failed is None:
            executed = commands[: len(events)]
            events.append(_event(state, index, command, accepted=False))
            failed = _result(state, events, violations, faults[0], executed)
        if len(violations) >= MAX_VIOLATIONS:
            break
        if position is not None:
            state.carry_out(command, position)
        if failed is None:
            events.append(_event(state, index, command, accepted=True))
    else:
        violations += _missing(state)
    whole = _result(state, events, violations, None, commands)
    return whole if failed is None else replace(failed, violations=whole.violations, idle=whole.idle)


class Log:
    """An interactive log, answer by answer: a refused command ends its answer and changes only the clock.

    Attributes
    ----------
    state
        The kitchen now.
    events, violations, refused
        What the rules saw so far, and how many answers they refused.
    fatal
        What has ended the run, if it is over.
    carried
        The commands that were carried out.
    """

    def __init__(self, instance: Instance, rules: Profile = PROFILES["paper"]) -> None:
        self.state = CookingState(kitchen_of(instance), rules)
        self.events: list[ReplayEvent] = []
        self.violations: list[Recipe2PlanViolation] = []
        self.fatal: Recipe2PlanViolation | None = None
        self.refused = 0
        self.carried: list[StepCommand] = []

    def copy(self) -> Self:
        """Return a log of its own that goes on from here."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.state, other.events, other.violations = self.state.copy(), self.events[:], self.violations[:]
        other.carried = self.carried[:]
        return other

    def take(self, answer: Sequence[StepCommand]) -> Sequence[Recipe2PlanViolation]:
        """Carry out an answer of a run that is not over; return the faults of its last command."""
        state, rules = self.state, self.state.rules
        faults: Sequence[Recipe2PlanViolation] = ()
        if not answer:
            faults = [Recipe2PlanViolation(len(self.events), "no_action", "", "empty_answer")]
        for command in answer:
            position = state.step_of(command)
            faults = state.check(len(self.events), command, position)
            self.events.append(_event(state, len(self.events), command, accepted=not faults))
            if faults or position is None:
                if position is not None and rules.reject_advances_clock and command.start > state.clock:
                    state.clock, state.holder = command.start, None
                break
            state.carry_out(command, position)
            self.carried.append(command)
            self.events[-1] = self.events[-1]._replace(progress=state.progress)
        if faults:
            self.violations += faults[: MAX_VIOLATIONS - len(self.violations)]
            self.refused += 1
            late = faults[0].kind == "time_constraint" and rules.fatal_time_constraint
            if late or self.refused > rules.max_failures:
                self.fatal = faults[0]
        return faults

    def verdict(self) -> Replay:
        """Return what the rules say of all answers so far."""
        if not self.events:
            return _empty_verdict(self.state)
        violations = [*self.violations, *_missing(self.state)]
        # Once every recipe is complete, further answers that are refused spoil nothing.
        verdict = _result(self.state, self.events, violations, self.fatal, self.carried)
        return replace(verdict, success=verdict.goal_ratio == 1)


def _empty_verdict(state: CookingState) -> Replay:
    """Return the verdict on a plan that holds no command."""
    none = Recipe2PlanViolation(0, "no_action", "")
    return _result(state, [], [none, *_missing(state)], none, [])


def _event(state: CookingState, index: int, command: StepCommand, *, accepted: bool) -> ReplayEvent:
    number, recipe, duration, start = command
    return ReplayEvent(index, f"{recipe}/{number}", start, start + duration, accepted, state.progress)


def _missing(state: CookingState) -> list[Recipe2PlanViolation]:
    """Faults of the plan as a whole: steps never started, or never brought to an end."""
    violations = []
    for step, remaining, finish in zip(state.kitchen.steps, state.remaining, state.finish, strict=True):
        if finish is None:
            violations.append(Recipe2PlanViolation(None, "missing_action", step.id, required=step.duration, actual=0))
        elif remaining:
            done = step.duration - remaining
            violations.append(
                Recipe2PlanViolation(None, "action_duration", step.id, "lack", required=step.duration, actual=done)
            )
    return violations


def _result(
    state: CookingState,
    events: Sequence[ReplayEvent],
    violations: Sequence[Recipe2PlanViolation],
    fatal: Recipe2PlanViolation | None,
    commands: Sequence[StepCommand],
) -> Replay:
    """Return the verdict on a run; ``commands`` are those that were carried out."""
    end = max((command.start + command.duration for command in commands), default=0)
    busy = [(start, stop) for start, stop, *_ in state.working]
    return Replay(
        events=tuple(events),
        violations=tuple(violations),
        fatal=fatal,
        executed=len(commands),
        progress=state.progress,
        goal_ratio=state.goal_ratio,
        success=state.goal_ratio == 1 and fatal is None,
        makespan=end,
        remaining={step.id: rest for step, rest in zip(state.kitchen.steps, state.remaining, strict=True) if rest},
        idle=gaps(sorted(busy), end),
    )
