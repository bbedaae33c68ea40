"""Simulator of Recipe2Plan: answers of an agent, command by command.

Follows the released environment (Wu et al., 2025, section 3.4 and Table 15); `Profile` switches the
points in which paper and code differ.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from math import gcd
from typing import NamedTuple, TypeAlias, cast

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import (
    PROFILES,
    Profile,
    Recipe2PlanViolation,
)
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import gaps
from planoracle.instances.model.violations import MAX_OTHERS, Other, Replay, ReplayEvent
from planoracle.instances.protocol.decision_points import DecisionPoint, piece_choices, wait_words
from planoracle.instances.protocol.simulator import (
    CLOSE,
    LatePoint,
    LegalCommand,
    ScheduleSimulator,
    Step,
    Unreadable,
    entries_of,
    fold,
)
from planoracle.instances.protocol.start_times import lengths, moments

#: The search for further violations ends after this many.
MAX_VIOLATIONS = 1000
#: Turns beyond the number of steps that ``max_turns`` allows.
EXTRA_TURNS = 10

#: Commands of one answer, a message without any, or `CLOSE`.
Answer: TypeAlias = tuple[StepCommand, ...] | Unreadable | str


class Span(NamedTuple):
    """Interval in which a step occupies the cook or an object, linked to the one that starts before.

    ``reach`` is the latest end of this interval and of all previous ones.
    """

    start: int
    end: int
    position: int
    reach: int
    before: Span | None


class History(NamedTuple):
    """Command of a run, or an answer without one, linked to the previous ones.

    Attributes
    ----------
    event
        Command; ``None`` for an answer without one, and after the first violation of a whole plan.
    violations
        All violations of the command.
    """

    event: ReplayEvent | None
    violations: tuple[Recipe2PlanViolation, ...]
    before: History | None


@dataclass(eq=False)
class CookingState:
    """State of the kitchen, and of the run.

    Attributes
    ----------
    remaining, begins, finish
        For every step: remaining seconds, last start, last end.
    clock, holder
        Time, and the step that advanced the clock to it.
    done
        Positions of the steps that count: complete, or prerequisite of a complete one.
    objects, working
        Last interval of every object, and of the cook.
    temperature, volume
        State of every object, with the step that set it; and units in every volume that was filled.
    count, turns, refused, violation_count
        Numbers of commands, of answers, of refused answers, and of violations.
    refusals
        Numbers of identical refusals, by what they have in common, see `Profile.refusals_counted`.
    fatal
        Violation that ended the run, if any.
    is_closed
        True if the agent ended the run.
    failed
        Verdict on a whole plan up to its first violation, if it has one.
    point
        Decision point, computed on demand; of a whole plan at most up to its first violation.
    history
        Last command.
    """

    remaining: list[int]
    begins: list[int | None]
    finish: list[int | None]
    point: DecisionPoint | LatePoint
    clock: int = 0
    holder: Other | None = None
    done: set[int] = field(default_factory=set)
    objects: dict[str, Span | None] = field(default_factory=dict)
    working: Span | None = None
    temperature: dict[str, tuple[str, Other]] = field(default_factory=dict)
    volume: dict[str, int] = field(default_factory=dict)
    count: int = 0
    turns: int = 0
    refused: int = 0
    refusals: dict[tuple[object, ...], int] = field(default_factory=dict)
    violation_count: int = 0
    fatal: Recipe2PlanViolation | None = None
    is_closed: bool = False
    failed: Replay | None = None
    history: History | None = None

    @property
    def past(self) -> list[History]:
        """All commands in order."""
        return entries_of(self.history)


class Recipe2PlanSimulator(ScheduleSimulator[CookingState, Answer]):
    """Rules of Recipe2Plan: a refused command ends its answer and changes at most the clock.

    Parameters
    ----------
    plan
        All commands of a whole plan. After the first violation, commands are applied as far as possible, to find
        further violations.
    """

    def __init__(self, problem: Instance, rules: Profile, plan: Sequence[StepCommand] | None = None) -> None:
        self.problem = problem
        self.actions = problem.actions
        self.windows, self.grid = _windows(problem)
        consumable = [resource.name for resource in problem.resources if resource.capacity > 1]
        self.volumes = frozenset(consumable)
        self.rules = rules
        self.plan = plan

    @cached_property
    def _planned_starts(self) -> dict[str, int]:
        """First start of every step in the whole plan."""
        starts = {}
        for command in reversed(self.plan or ()):
            starts[f"{command.recipe}/{command.step}"] = command.start
        return starts

    def initial(self) -> CookingState:
        """Return the state before the first answer."""
        count = len(self.actions)
        durations = [action.duration for action in self.actions]
        start = DecisionPoint(self.problem)
        return CookingState(durations, [None] * count, [None] * count, start)

    def copy(self, state: CookingState) -> CookingState:
        """Return an independent copy."""
        new_state = copy(state)
        new_state.remaining = state.remaining[:]
        new_state.begins = state.begins[:]
        new_state.finish = state.finish[:]
        new_state.done = state.done.copy()
        new_state.objects = state.objects.copy()
        new_state.temperature = state.temperature.copy()
        new_state.volume = state.volume.copy()
        new_state.refusals = state.refusals.copy()
        return new_state

    def apply(self, state: CookingState, command: Answer) -> tuple[CookingState, tuple[Step, ...]]:
        """Return the state after an answer."""
        if isinstance(command, str):
            state.is_closed = True
            return state, (Step(state.count, CLOSE, "close", state.clock, state.clock),)
        steps: list[Step] = []
        first = state.count
        if isinstance(command, Unreadable):
            unread = Recipe2PlanViolation(state.count, "no_action", "", "empty_answer")
            state.history = History(None, (unread,), state.history)
            text = command.text[:200]
            steps.append(Step(state.count, text, "lost", state.clock, state.clock, unread))
        else:
            for step_command in command:
                steps += self._take(state, step_command)
                if steps and steps[-1].violation is not None:
                    break
        if self.plan is None:
            fault = cast("Recipe2PlanViolation | None", steps[-1].violation if steps else None)
            tried = () if isinstance(command, Unreadable) else command[: state.count - first]
            self._end_turn(state, fault, tried)
        return state, tuple(steps)

    def _take(self, state: CookingState, command: StepCommand) -> list[Step]:
        """Carry out a command or refuse it; return its steps, none after the first violation of a whole plan."""
        number, recipe, duration, start = command
        index, clock = state.count, state.clock
        is_open = state.failed is None
        position = self.problem.index.get(f"{recipe}/{number}")
        faults = tuple(self.faults(state, index, command))
        state.count += 1
        if position is not None and not faults:
            self._carry_out(state, command, position)
        moves_clock = not faults or (position is not None and self.rules.reject_advances_clock)
        now = max(clock, start) if moves_clock else clock
        if is_open:
            name = f"{recipe}/{number}"
            progress = self._progress(state)
            event = ReplayEvent(index, name, start, start + duration, not faults, progress)
            state.history = History(event, faults, state.history)
        elif faults:
            state.history = History(None, faults, state.history)
        if faults and self.plan is not None:
            state.failed = state.failed or self._result(state, faults[0])
            state.violation_count += len(faults)
            if position is not None and state.violation_count < MAX_VIOLATIONS:
                self._carry_out(state, command, position)
        elif faults and now > clock:
            state.clock, state.holder = now, None
        if not is_open:
            return []
        steps = []
        if now > clock:
            text = wait_words(self.problem, now - clock)
            steps.append(Step(index, text, "wait", clock, now))
        if faults:
            steps.append(Step(index, command.text, "lost", now, now, faults[0]))
        else:
            agent = self.problem.agents[0]
            piece = Piece(f"{recipe}/{number}", start, duration, agent)
            steps.append(Step(index, command.text, "act", start, state.clock, piece=piece))
        for step in steps:
            state.point = LatePoint(state.point, step)
        return steps

    def point(self, state: CookingState) -> DecisionPoint:
        """Return the decision point, of a whole plan at most up to its first violation."""
        point = state.point = self.computed(state.point)
        return point

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return a step for every piece; waits follow from the starts."""
        return [StepCommand.of(*piece[:3]).text for piece in remaining.pieces]

    def success(self, state: CookingState) -> bool:
        """Return True if all recipes are complete; a whole plan must break no rule."""
        return self._goal_ratio(state) == 1 and state.failed is None

    def _end_turn(
        self, state: CookingState, fault: Recipe2PlanViolation | None, tried: tuple[StepCommand, ...]
    ) -> None:
        """Count an answer, and its refusal if its last command has a fault; either may end the run.

        ``tried`` are the commands of the answer up to its fault.
        """
        rules = self.rules
        max_turns = len(self.actions) + EXTRA_TURNS
        state.turns += 1
        state.refused += fault is not None
        repeats = self._identical_refusals(state, fault, tried)
        is_late = fault is not None and fault.kind == "time_constraint" and rules.fatal_time_constraint
        if fault is not None and (is_late or state.refused > rules.max_failures):
            state.fatal = fault
        elif fault is not None and repeats and repeats == rules.max_identical_refusals:
            case = "same_command" if rules.refusals_counted == "run" else ""
            state.fatal = fault._replace(kind="identical_refusals", case=case, required=repeats)
        elif rules.max_turns == "steps+10" and state.turns >= max_turns and self._goal_ratio(state) < 1:
            state.fatal = Recipe2PlanViolation(state.count - 1, "too_many_turns", "", required=max_turns)
        if state.fatal is not fault and state.fatal is not None and state.history is not None:
            state.history = state.history._replace(violations=(*state.history.violations, state.fatal))

    def _identical_refusals(
        self, state: CookingState, fault: Recipe2PlanViolation | None, tried: tuple[StepCommand, ...]
    ) -> int:
        """Return the number of refusals identical to that of an answer with it, 0 without a refusal."""
        key = None if fault is None else self._refusal_key(fault, tried)
        if self.rules.refusals_counted == "row" and key not in state.refusals:
            state.refusals = {}
        if key is None:
            return 0
        state.refusals[key] = state.refusals.get(key, 0) + 1
        return state.refusals[key]

    def _refusal_key(self, fault: Recipe2PlanViolation, tried: tuple[StepCommand, ...]) -> tuple[object, ...] | None:
        """Return what identical refusals have in common, ``None`` for a refusal that is not counted.

        The paper counts attempts to execute "the same action" (C.2), the released code equal messages in a row.
        """
        if self.rules.refusals_counted == "row":
            return (len(tried), *fault.answer)
        return tried[-1] if tried else None

    def legal(self, state: CookingState) -> list[LegalCommand]:
        """Return every step in every length, at the clock and at later `moments`.

        Waits are later starts. Other starts are accepted as well. `CLOSE` is legal when all recipes are complete or no
        other command is legal.
        """
        over = [finish for finish in state.finish if finish is not None]
        starts = moments(self.problem, state.clock, over, state.remaining)
        commands = [LegalCommand(command.text, "act") for command in self._startable(state, starts)]
        is_done = self._goal_ratio(state) == 1 or not commands
        return [*commands, LegalCommand(CLOSE, "close")] if is_done else commands

    def choices(self, point: DecisionPoint, step: int, state: CookingState | None = None) -> Iterator[LegalCommand]:
        """Yield every step that the rules allow now, in every length, and the wait."""
        if state is None:
            state = self._after_pieces(point)
        possible: set[str] = set()
        if not state.refused:
            possible = {self.actions[position].id for position in self.open_steps(state)}
        for piece, _ in piece_choices(point, step, possible):
            command = StepCommand.of(*piece[:3])
            if next(self.faults(state, 0, command), None) is None:
                yield LegalCommand(command.text, "act", piece)
        yield LegalCommand(wait_words(self.problem, step), "wait")

    def _after_pieces(self, point: DecisionPoint) -> CookingState:
        """Return the state of an interactive run after the pieces of a point as one answer."""
        pieces = point.state.pieces
        commands = tuple(StepCommand.of(*piece[:3]) for piece in pieces)
        interactive = Recipe2PlanSimulator(self.problem, self.rules)
        state, _ = fold(interactive, [commands])
        return state

    def _startable(
        self, state: CookingState, starts: Iterable[tuple[int, Container[int] | None]]
    ) -> Iterator[StepCommand]:
        """Yield the commands that the rules allow, by start, step, and length, the longest first."""
        open_steps = []
        for position in self.open_steps(state):
            action = self.actions[position]
            remaining = state.remaining[position]
            durations = lengths(remaining, self.grid) if action.interruptible else [remaining]
            open_steps.append((position, StepCommand.of(action.id, 0, 0), durations))
        for start, positions in starts:
            for position, step, durations in open_steps:
                if positions is not None and position not in positions:
                    continue
                for duration in durations:
                    command = StepCommand(step.step, step.recipe, duration, start)
                    if next(self._step_faults(state, 0, command, position), None) is None:
                        yield command

    def open_steps(self, state: CookingState) -> list[int]:
        """Return the positions of incomplete steps whose prerequisites are complete."""
        is_open = []
        for remaining, finish in zip(state.remaining, state.finish, strict=True):
            is_open.append(bool(remaining) or finish is None)
        positions = []
        for position, predecessors in enumerate(self.problem.predecessors):
            if is_open[position] and not any(is_open[before] for before, _ in predecessors):
                positions.append(position)
        return positions

    def ended(self, state: CookingState) -> str | None:
        """Return the reason for the end of the run."""
        if state.is_closed:
            return "finished"
        if state.fatal is not None:
            return state.fatal.kind if state.refused <= self.rules.max_failures else "too_many_refusals"
        return "too_many_violations" if state.violation_count >= MAX_VIOLATIONS else None

    def clock(self, state: CookingState) -> int:
        """Return the time in seconds."""
        return state.clock

    def verdict(self, state: CookingState) -> Replay:
        """Return the verdict; violations of a whole plan are those of all its commands."""
        if not state.count:
            none = Recipe2PlanViolation(0, "no_action", "")
            verdict = self._result(state, none)
            return replace(verdict, violations=(none, *self._missing(state)))
        violations = list(chain.from_iterable(entry.violations for entry in state.past))
        if self.plan is None:
            # Refused answers after completion do not change the success.
            is_complete = self._goal_ratio(state) == 1
            verdict = replace(self._result(state, state.fatal), success=is_complete)
            first_violations = violations[:MAX_VIOLATIONS]
            return replace(verdict, violations=(*first_violations, *self._missing(state)))
        if state.violation_count < MAX_VIOLATIONS:
            violations += self._missing(state)
        makespan = max(command.start + command.duration for command in self.plan)
        verdict = state.failed or self._result(state, None)
        return replace(verdict, violations=tuple(violations), idle=_idle(state, makespan))

    def _result(self, state: CookingState, fatal: Recipe2PlanViolation | None) -> Replay:
        """Return the verdict on the commands so far, without violations."""
        goal_ratio = self._goal_ratio(state)
        events = [entry.event for entry in state.past if entry.event is not None]
        ends = [event.end for event in events if event.accepted]
        makespan = max(ends, default=0)
        remaining = {}
        for step, seconds in zip(self.actions, state.remaining, strict=True):
            if seconds:
                remaining[step.id] = seconds
        success = goal_ratio == 1 and fatal is None
        return Replay(
            events=tuple(events),
            violations=(),
            fatal=fatal,
            executed=len(ends),
            progress=self._progress(state),
            goal_ratio=goal_ratio,
            success=success,
            makespan=makespan,
            remaining=remaining,
            idle=_idle(state, makespan),
        )

    def _progress(self, state: CookingState) -> float:
        """Return the share of steps that count."""
        return len(state.done) / len(self.actions)

    def _goal_ratio(self, state: CookingState) -> float:
        """Return the share of recipes all of whose steps count."""
        number_of_recipes = len(self.problem.tasks)
        missing = {action.task for i, action in enumerate(self.actions) if i not in state.done}
        return (number_of_recipes - len(missing)) / number_of_recipes

    def _missing(self, state: CookingState) -> Iterator[Recipe2PlanViolation]:
        """Yield violations of the whole plan: steps that are never started or never completed."""
        for step, remaining, finish in zip(self.actions, state.remaining, state.finish, strict=True):
            duration = step.duration
            if finish is None:
                yield Recipe2PlanViolation(None, "missing_action", step.id, required=duration, actual=0)
            elif remaining:
                done = duration - remaining
                yield Recipe2PlanViolation(None, "action_duration", step.id, "lack", required=duration, actual=done)

    def _carry_out(self, state: CookingState, command: StepCommand, position: int) -> None:
        """Apply a command, as far as possible if it breaks rules."""
        action, start = self.actions[position], command.start
        end = start + command.duration
        remaining = state.remaining[position] - command.duration
        state.remaining[position] = max(remaining, 0)
        if remaining <= 0:
            state.done.add(position)
            predecessors = self.problem.predecessors[position]
            state.done.update(before for before, _ in predecessors)
        state.begins[position], state.finish[position] = start, end
        run = Other(action.id, start, end)
        if action.attended:
            state.working = _with_interval(state.working, start, end, position)
        reached = end if action.attended else start
        if reached > state.clock:
            state.clock, state.holder = reached, run
        for demand in action.modes[0].demands:
            name = demand.resource
            if name in self.volumes:
                remaining_units = max(state.volume.get(name, 0) - demand.amount, 0)
                state.volume[name] = remaining_units if demand.sets is None else int(demand.sets)
                continue
            last = state.objects.get(name)
            state.objects[name] = _with_interval(last, start, end, position)
            if demand.sets is not None:
                state.temperature[name] = (demand.sets, run)

    def faults(self, state: CookingState, index: int, command: StepCommand) -> Iterator[Recipe2PlanViolation]:
        """Yield the violations of a command, in the order in which the environment checks."""
        number, recipe, duration, start = command
        name = f"{recipe}/{number}"
        end = start + duration
        recipes = self.problem.tasks
        if recipe not in recipes:
            yield Recipe2PlanViolation(index, "wrong_recipe", recipe[:80], "", start, end, required=recipes)
        elif name not in self.problem.index:
            last = sum(action.task == recipe for action in self.actions) - 1
            yield Recipe2PlanViolation(index, "wrong_action", name, "", start, end, required=last, actual=number)
        else:
            yield from self._step_faults(state, index, command, self.problem.index[name])

    def _step_faults(
        self, state: CookingState, index: int, command: StepCommand, position: int
    ) -> Iterator[Recipe2PlanViolation]:
        """Yield the violations of a command for an existing step."""
        _, _, duration, start = command
        end = start + duration
        action = self.actions[position]
        broken = partial(Recipe2PlanViolation, index, subject=action.id, start=start, end=end)
        if start < state.clock:
            holders = () if state.holder is None else (state.holder,)
            yield broken("time_error", others=holders, required=state.clock, actual=start)
        spans = _overlaps(state.working, start, end) if action.attended else []
        if spans:
            until = max(span.end for span in spans)
            yield broken("infeasible_multitask", others=self._others(spans), required=until, actual=start)
        for demand in action.modes[0].demands:
            name, requires = demand.resource, demand.requires
            if name in self.volumes:
                if demand.sets is None and state.volume.get(name, -1) < demand.amount:
                    level = state.volume.get(name, 0)
                    yield broken("object_volume", resource=name, required=demand.amount, actual=level)
                continue
            degrees, setter = state.temperature.get(name, (None, None))
            spans = _overlaps(state.objects.get(name), start, end)
            if spans and demand.sets is not None and demand.sets == degrees:
                spans = [span for span in spans if span[:2] != (start, end)]
            if spans:
                until = max(span.end for span in spans)
                yield broken(
                    "object_occupancy", others=self._others(spans), resource=name, required=until, actual=start
                )
            if requires is not None and requires != degrees:
                setters = () if setter is None else (setter,)
                yield broken("object_temperature", others=setters, resource=name, required=requires, actual=degrees)
        resumed = state.finish[position] is not None and not self.rules.window_on_resume
        for before, limit in self.windows[position]:
            since = state.finish[before]
            if since is not None and start - since > limit and not resumed:
                last = self._last(state, before)
                yield broken("time_constraint", others=(last,), required=limit, actual=start - since)
        if duration != state.remaining[position] or not duration:
            yield from self._duration_faults(state, broken, position, start, duration)
        for before, _ in self.problem.predecessors[position]:
            since = state.finish[before]
            remaining = state.remaining[before]
            if since is None or remaining:
                last = self._last(state, before)
                needed = self.actions[before].duration
                yield broken("dependency", others=(last,), required=needed, actual=needed - remaining)
            elif since > start:
                last = self._last(state, before)
                yield broken("dependency", case="unfinished", others=(last,), required=since, actual=start)

    def _duration_faults(
        self,
        state: CookingState,
        broken: partial[Recipe2PlanViolation],
        position: int,
        start: int,
        duration: int,
    ) -> Iterator[Recipe2PlanViolation]:
        """Yield violations by the duration of a command."""
        remaining = state.remaining[position]
        finish = state.finish[position]
        is_empty = duration == 0 and self.rules.zero_duration == "rejected"
        is_repeated = not remaining
        if not is_empty:
            is_repeated = remaining == 0 or bool(finish and finish < start)
        case = "no_duration" if is_empty else ""
        if (duration > remaining or is_empty) and is_repeated:
            by = () if finish is None else (self._last(state, position),)
            yield broken("repeated_action", case=case, others=by, actual=duration)
        elif duration > remaining or is_empty:
            yield broken("action_duration", case=case, required=remaining, actual=duration)
        elif duration != remaining and not self.actions[position].interruptible:
            yield broken("execution_interruptibility", required=remaining, actual=duration)

    def _last(self, state: CookingState, position: int) -> Other:
        """Return the last run of a step, or its planned start if it has not begun."""
        name = self.actions[position].id
        start = state.begins[position]
        if start is None:
            start = self._planned_starts.get(name)
        return Other(name, start, state.finish[position])

    def _others(self, spans: list[Span]) -> tuple[Other, ...]:
        """Return the steps of some intervals, latest first; adjacent pieces of one step are joined."""
        joined: list[Other] = []
        for span in reversed(spans):
            last = joined[-1] if joined else None
            name = self.actions[span.position].id
            if last is not None and last.subject == name and last.end == span.start:
                joined[-1] = Other(name, last.start, span.end)
            else:
                joined.append(Other(name, span.start, span.end))
        return tuple(joined)


def simulation_of(problem: Instance, answers: Answers, rules: Profile) -> tuple[Recipe2PlanSimulator, list[Answer]]:
    """Return the simulator of a plan or an interactive log, and its commands."""
    commands: list[Answer]
    if answers.interactive:
        commands = [answer or Unreadable("") for answer in answers.answers]
        return Recipe2PlanSimulator(problem, rules), commands
    commands = [(command,) for command in answers.commands]
    return Recipe2PlanSimulator(problem, rules, answers.commands), commands


def replay_answers(problem: Instance, answers: Answers, rules: Profile = PROFILES["paper"]) -> Replay:
    """Return the verdict on a plan or an interactive log."""
    simulator, commands = simulation_of(problem, answers, rules)
    state, _ = fold(simulator, commands)
    return simulator.verdict(state)


@ProblemCache
def _windows(problem: Instance) -> tuple[list[list[tuple[int, int]]], int]:
    """Return the maximum lags of every step, with the earlier step, and the common divisor of all times."""
    windows: list[list[tuple[int, int]]] = [[] for _ in problem.actions]
    times = [action.duration for action in problem.actions]
    for lag in problem.lags:
        if lag.maximum is not None:
            before = problem.index[lag.before]
            after = problem.index[lag.after]
            windows[after].append((before, lag.maximum))
            times.append(lag.maximum)
    return windows, gcd(*times) or 1


def _with_interval(last: Span | None, start: int, end: int, position: int) -> Span | None:
    """Return the last interval after a new one."""
    if start == end:  # no later command can lie around it, since starts only grow
        return last
    reach = end if last is None else max(last.reach, end)
    return Span(start, end, position, reach, last)


def _overlaps(last: Span | None, start: int, end: int) -> list[Span]:
    """Return the intervals that overlap ``[start, end)``, latest first, at most `MAX_OTHERS`.

    An interval of length zero overlaps another only strictly inside it.
    """
    overlapping: list[Span] = []
    while last is not None and last.reach > start and len(overlapping) < MAX_OTHERS:  # the others do not reach this far
        is_empty = start == end
        if (last.start < start < last.end) if is_empty else (last.start < end and start < last.end):
            overlapping.append(last)
        last = last.before
    return overlapping


def _idle(state: CookingState, end: int) -> tuple[tuple[int, int], ...]:
    """Return the intervals before an end in which the cook is idle."""
    working = [(span.start, span.end) for span in entries_of(state.working)]
    return gaps(sorted(working), end)
