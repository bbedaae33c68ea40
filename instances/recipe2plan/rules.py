"""The referee of Recipe2Plan: what the environment makes of a plan, command by command.

Follows the released environment (Wu et al., 2025, section 3.4 and Table 15); `Profile` switches the
points in which paper and code differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.language import Answers, Command
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.referee import gaps
from planoracle.instances.replay import Event, Replay, Violation
from planoracle.instances.times import format_clock

__all__ = ["KINDS", "MAX_VIOLATIONS", "replay"]

#: Kinds of violation: those of Table 15, and the missing actions of Table 16.
KINDS = (
    "wrong_recipe",
    "wrong_action",
    "time_error",
    "infeasible_multitask",
    "object_occupancy",
    "object_temperature",
    "dependency",
    "repeated_action",
    "time_constraint",
    "action_duration",
    "execution_interruptibility",
    "no_action",
    "missing_action",
)

#: The search for further violations ends after this many.
MAX_VIOLATIONS = 1000


@dataclass(frozen=True, slots=True)
class _Step:
    """Static facts of a step, references as positions in the kitchen's list."""

    id: str
    recipe: int
    duration: int
    autonomous: bool
    interruptible: bool
    objects: tuple[tuple[str, str | None, str | None], ...]  # name, requires, sets
    prerequisites: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]  # predecessor, limit


@dataclass(frozen=True, slots=True)
class _Kitchen:
    steps: tuple[_Step, ...]
    index: dict[tuple[str, int], int]
    recipes: dict[str, int]  # name -> number of steps


@Memo
def _kitchen(instance: Instance) -> _Kitchen:
    recipes = {task: number for number, task in enumerate(instance.tasks)}
    windows: list[list[tuple[int, int]]] = [[] for _ in instance.actions]
    for lag in instance.lags:
        if lag.maximum is not None:
            windows[instance.index[lag.after]].append((instance.index[lag.before], lag.maximum))
    steps = tuple(
        _Step(
            id=action.id,
            recipe=recipes[action.task],
            duration=action.duration,
            autonomous=not action.attended,
            interruptible=action.interruptible,
            objects=tuple((d.resource, d.requires, d.sets) for d in action.modes[0].demands),
            prerequisites=tuple(i for i, _ in instance.predecessors[position]),
            windows=tuple(windows[position]),
        )
        for position, action in enumerate(instance.actions)
    )
    index = {(a.task, int(a.id.rpartition("/")[2])): i for i, a in enumerate(instance.actions)}
    return _Kitchen(steps, index, dict(Counter(action.task for action in instance.actions)))


class _State:
    """The kitchen while a plan runs."""

    __slots__ = ("clock", "done", "finish", "kitchen", "left", "objects", "rules", "temperature", "working")

    def __init__(self, kitchen: _Kitchen, rules: Profile) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.clock = 0
        self.left = [step.duration for step in kitchen.steps]
        self.finish: list[int | None] = [None] * len(kitchen.steps)
        self.done: set[int] = set()  # steps that count: complete, or prerequisite of a complete one
        # Intervals by object, and of the cook, each with the latest end so far; ordered by start.
        self.objects: dict[str, list[tuple[int, int, int]]] = {}
        self.temperature: dict[str, str | None] = {}
        self.working: list[tuple[int, int, int]] = []

    def check(self, index: int, command: Command) -> Iterator[Violation]:
        """Yield what forbids a command, in the order in which the environment looks."""
        number, recipe, duration, start = command
        position = self.kitchen.index.get((recipe, number))
        if position is None:
            yield self._unknown(index, command)
            return
        step = self.kitchen.steps[position]
        if start < self.clock:
            message = f"starts at {format_clock(start)}, but it is {format_clock(self.clock)}"
            yield Violation(index, "time_error", step.id, message)
        end = start + duration
        if not step.autonomous:
            for _ in _overlaps(self.working, start, end):
                message = "two continuous steps cannot run at the same time"
                yield Violation(index, "infeasible_multitask", step.id, message)
                break
        for name, requires, sets in step.objects:
            now = self.temperature.get(name)
            shared = sets is not None and sets == now
            if any(not (shared and span == (start, end)) for span in _overlaps(self.objects.get(name, ()), start, end)):
                yield Violation(index, "object_occupancy", step.id, f"{name} is occupied")
            if requires is not None and requires != now:
                message = f"needs {name} at {requires}, it is {'cold' if now is None else 'at ' + now}"
                yield Violation(index, "object_temperature", step.id, message)
        yield from self._check_step(index, step, position, duration, start)

    def _unknown(self, index: int, command: Command) -> Violation:
        recipes = self.kitchen.recipes
        if command.recipe not in recipes:
            message = f"the recipes are {', '.join(recipes)}"[:300]
            return Violation(index, "wrong_recipe", command.recipe[:80], message)
        message = f"steps go from 0 to {recipes[command.recipe] - 1}"
        return Violation(index, "wrong_action", f"{command.recipe}/{command.step}", message)

    def _check_step(self, index: int, step: _Step, position: int, duration: int, start: int) -> Iterator[Violation]:
        left, finish = self.left[position], self.finish[position]
        resumed = finish is not None and not self.rules.window_on_resume
        for before, limit in step.windows:
            since = self.finish[before]
            if since is not None and start - since > limit and not resumed:
                message = (
                    f"must start within {limit} s of {self.kitchen.steps[before].id}, starts after {start - since} s"
                )
                yield Violation(index, "time_constraint", step.id, message)
        if duration > left:
            if left == 0 or (finish and finish < start):
                yield Violation(index, "repeated_action", step.id, "has been carried out already")
            else:
                yield Violation(index, "action_duration", step.id, f"takes {left} s, not {duration}")
        elif duration == 0 and self.rules.zero_duration == "rejected":
            kind = "action_duration" if left else "repeated_action"
            yield Violation(index, kind, step.id, "a command must last some time")
        elif duration != left and not step.interruptible:
            message = f"must be carried out in one go ({left} s)"
            yield Violation(index, "execution_interruptibility", step.id, message)
        for before in step.prerequisites:
            since = self.finish[before]
            name = self.kitchen.steps[before].id
            if self.left[before]:
                yield Violation(index, "dependency", step.id, f"{name} is not complete")
            elif since is None or since > start:
                until = "" if since is None else f" until {format_clock(since)}"
                yield Violation(index, "dependency", step.id, f"{name} is not finished{until}")

    def carry_out(self, command: Command) -> None:
        """Apply a command; one that breaks rules is applied as far as it makes sense."""
        position = self.kitchen.index.get((command.recipe, command.step))
        if position is None:
            return
        step = self.kitchen.steps[position]
        start, duration = command.start, command.duration
        end = start + duration
        left = self.left[position] - duration
        self.left[position] = left if left > 0 else 0
        if left <= 0:
            self.done.add(position)
            self.done.update(step.prerequisites)
        self.finish[position] = end
        reached = start
        if not step.autonomous:
            _occupy(self.working, start, end)
            reached = end
        if reached > self.clock:
            self.clock = reached
        for name, _, sets in step.objects:
            _occupy(self.objects.setdefault(name, []), start, end)
            if sets is not None:
                self.temperature[name] = sets

    @property
    def progress(self) -> float:
        """Share of steps that count."""
        return len(self.done) / len(self.kitchen.steps)

    @property
    def goal_ratio(self) -> float:
        """Share of recipes all of whose steps count."""
        missing = {step.recipe for i, step in enumerate(self.kitchen.steps) if i not in self.done}
        return (len(self.kitchen.recipes) - len(missing)) / len(self.kitchen.recipes)


def _occupy(spans: list[tuple[int, int, int]], start: int, end: int) -> None:
    if start == end:  # no later command can lie around it, since starts only grow
        return
    reach = spans[-1][2] if spans else end
    spans.append((start, end, reach if reach > end else end))


def _overlaps(spans: list[tuple[int, int, int]] | tuple[()], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the intervals that overlap ``[start, end)``, latest first.

    An interval of length zero overlaps another only strictly inside it.
    """
    for i in range(len(spans) - 1, -1, -1):
        first, last, reach = spans[i]
        if reach <= start:  # nothing up to here reaches this far
            return
        if (first < start < last) if start == end else (first < end and start < last):
            yield first, last


def replay(instance: Instance, plan: Answers, rules: Profile = PROFILES["paper"]) -> Replay:
    """Replay a plan by the rules of Recipe2Plan.

    Returns
    -------
    Replay
        ``events`` hold the commands the run reached; ``violations`` those of the whole plan.
    """
    state = _State(_kitchen(instance), rules)
    if not any(plan.answers):
        none = Violation(0, "no_action", "", "the plan holds no command that can be read")
        return _result(state, [], [none, *_missing(state)], none, 0, 0, [])
    if plan.interactive:
        return _replay_answers(state, plan, rules)
    events: list[Event] = []
    violations: list[Violation] = []
    fatal: Violation | None = None
    verdict: tuple[float, float, int, dict[str, int]] | None = None
    makespan = 0
    broken_off = False
    for index, command in enumerate(plan.answers[0]):
        found = list(state.check(index, command))
        if found:
            violations += found
            if fatal is None:
                fatal = found[0]
                verdict = (state.progress, state.goal_ratio, makespan, _remaining(state))
                events.append(_event(state, index, command, accepted=False))
            if len(violations) >= MAX_VIOLATIONS:
                broken_off = True
                break
        state.carry_out(command)
        if fatal is None:
            makespan = max(makespan, command.start + command.duration)
            events.append(_event(state, index, command, accepted=True))
    violations += [] if broken_off else _missing(state)
    executed = len(events) - (fatal is not None)
    return _result(state, events, violations, fatal, executed, makespan, list(plan.answers[0]), verdict)


def _replay_answers(state: _State, plan: Answers, rules: Profile) -> Replay:
    """Replay a log answer by answer: a refused command ends its answer and changes only the clock."""
    events: list[Event] = []
    violations: list[Violation] = []
    fatal: Violation | None = None
    carried: list[Command] = []
    refused = 0
    index = 0
    for answer in plan.answers:
        found: list[Violation] = []
        if not answer:
            found = [Violation(index, "no_action", "", "the answer holds no command that can be read")]
        for command in answer:
            found = list(state.check(index, command))
            events.append(_event(state, index, command, accepted=not found))
            index += 1
            if found:
                known = (command.recipe, command.step) in state.kitchen.index
                if known and rules.reject_advances_clock:
                    state.clock = max(state.clock, command.start)
                break
            state.carry_out(command)
            carried.append(command)
            events[-1] = events[-1]._replace(progress=state.progress)
        if found:
            violations += found[: MAX_VIOLATIONS - len(violations)]
            refused += 1
            late = found[0].kind == "time_constraint" and rules.fatal_time_constraint
            if late or refused > rules.max_failures:
                fatal = found[0]
                break
    makespan = max((command.start + command.duration for command in carried), default=0)
    violations += _missing(state)
    # Once every recipe is complete, further answers that are refused spoil nothing.
    return _result(state, events, violations, fatal, len(carried), makespan, carried, interactive=True)


def _event(state: _State, index: int, command: Command, *, accepted: bool) -> Event:
    name = f"{command.recipe}/{command.step}"
    return Event(index, name, command.start, command.start + command.duration, accepted, state.progress)


def _remaining(state: _State) -> dict[str, int]:
    return {step.id: left for step, left in zip(state.kitchen.steps, state.left, strict=True) if left}


def _missing(state: _State) -> list[Violation]:
    """Faults of the plan as a whole: steps never started, or never brought to an end."""
    found = []
    for step, left, finish in zip(state.kitchen.steps, state.left, state.finish, strict=True):
        if finish is None:
            found.append(Violation(None, "missing_action", step.id, "is never carried out"))
        elif left:
            found.append(Violation(None, "action_duration", step.id, f"lacks {left} s of {step.duration}"))
    return found


def _result(
    state: _State,
    events: list[Event],
    violations: list[Violation],
    fatal: Violation | None,
    executed: int,
    makespan: int,
    commands: list[Command],
    verdict: tuple[float, float, int, dict[str, int]] | None = None,
    interactive: bool = False,
) -> Replay:
    progress, goal_ratio = state.progress, state.goal_ratio
    remaining = _remaining(state) if verdict is None else verdict[3]
    if verdict is not None:
        progress, goal_ratio, makespan = verdict[:3]
    end = max((command.start + command.duration for command in commands), default=0)
    busy = [(start, stop) for start, stop, _ in state.working]
    return Replay(
        events=tuple(events),
        violations=tuple(violations),
        fatal=fatal,
        executed=executed,
        progress=progress,
        goal_ratio=goal_ratio,
        success=goal_ratio == 1 and (fatal is None or interactive),
        makespan=makespan,
        remaining=remaining,
        idle=gaps(sorted(busy), end),
    )
