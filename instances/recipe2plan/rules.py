"""The referee of Recipe2Plan: what the environment makes of a plan, command by command.

Follows the released environment (Wu et al., 2025, section 3.4 and Table 15); `Profile` switches the
points in which paper and code differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.faults import KINDS, Fault
from planoracle.instances.recipe2plan.language import Answers, Command
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.referee import gaps
from planoracle.instances.replay import MAX_OTHERS, Event, Other, Replay

__all__ = ["KINDS", "MAX_VIOLATIONS", "replay"]

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


# Start and end, the step, and the latest end of this interval and those before it; ordered by start.
_Span = tuple[int, int, int, int]


class _State:
    """The kitchen while a plan runs."""

    def __init__(self, kitchen: _Kitchen, rules: Profile, plan: Answers) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.plan = plan
        self.planned: dict[tuple[str, int], int] | None = None  # the first start of every step in the whole plan
        self.clock = 0
        self.holder: tuple[str, int, int] | None = None  # what moved the clock to where it is
        self.left = [step.duration for step in kitchen.steps]
        self.begun: list[int | None] = [None] * len(kitchen.steps)
        self.finish: list[int | None] = [None] * len(kitchen.steps)
        self.done: set[int] = set()  # steps that count: complete, or prerequisite of a complete one
        self.objects: dict[str, list[_Span]] = {}
        self.temperature: dict[str, tuple[str, tuple[str, int, int]]] = {}  # and what set it
        self.working: list[_Span] = []

    def step_of(self, command: Command) -> int | None:
        """Return the position of the step that a command names, if there is one."""
        return self.kitchen.index.get((command.recipe, command.step))

    def check(self, index: int, command: Command, position: int | None) -> list[Fault]:
        """Return what forbids a command, in the order in which the environment looks."""
        if position is None:
            return [self._unknown(index, command)]
        step = self.kitchen.steps[position]
        _, _, duration, start = command
        end = start + duration
        found: list[Fault] = []
        by: tuple[Other, ...]
        if start < self.clock:
            by = () if self.holder is None else (Other(*self.holder),)
            found.append(Fault(index, "time_error", step.id, "", start, end, by, None, self.clock, start))
        if not step.autonomous:
            spans = _overlaps(self.working, start, end)
            if spans:
                by, until = self._others(spans), max(span[1] for span in spans)
                found.append(Fault(index, "infeasible_multitask", step.id, "", start, end, by, None, until, start))
        for name, requires, sets in step.objects:
            now, setter = self.temperature.get(name, (None, None))
            spans = _overlaps(self.objects.get(name, ()), start, end)
            if spans and sets is not None and sets == now:
                spans = [span for span in spans if span[:2] != (start, end)]
            if spans:
                by, until = self._others(spans), max(span[1] for span in spans)
                found.append(Fault(index, "object_occupancy", step.id, "", start, end, by, name, until, start))
            if requires is not None and requires != now:
                by = () if setter is None else (Other(*setter),)
                found.append(Fault(index, "object_temperature", step.id, "", start, end, by, name, requires, now))
        self._check_step(found, index, step, position, start, end)
        return found

    def _unknown(self, index: int, command: Command) -> Fault:
        number, recipe, duration, start = command
        recipes, end = self.kitchen.recipes, start + duration
        if recipe not in recipes:
            return Fault(index, "wrong_recipe", recipe[:80], "", start, end, required=tuple(recipes))
        last = recipes[recipe] - 1
        return Fault(index, "wrong_action", f"{recipe}/{number}", "", start, end, required=last, actual=number)

    def _last(self, position: int) -> Other:
        """Return the last run of a step; of one that has not begun, when the plan foresees it."""
        step, start = self.kitchen.steps[position], self.begun[position]
        if start is None:
            if self.planned is None:
                self.planned = {(one.recipe, one.step): one.start for one in reversed(self.plan.commands)}
            recipe, _, number = step.id.rpartition("/")
            start = self.planned.get((recipe, int(number)))
        return Other(step.id, start, self.finish[position])

    def _others(self, spans: list[_Span]) -> tuple[Other, ...]:
        """Return the steps of some intervals, latest first; pieces of one step without time between them as one."""
        joined: list[Other] = []
        for start, end, position, _ in reversed(spans):
            last, name = joined[-1] if joined else None, self.kitchen.steps[position].id
            if last is not None and last.subject == name and last.end == start:
                joined[-1] = Other(name, last.start, end)
            else:
                joined.append(Other(name, start, end))
        return tuple(joined)

    def _check_step(self, found: list[Fault], index: int, step: _Step, position: int, start: int, end: int) -> None:
        left, finish, duration = self.left[position], self.finish[position], end - start
        resumed = finish is not None and not self.rules.window_on_resume
        for before, limit in step.windows:
            since = self.finish[before]
            if since is not None and start - since > limit and not resumed:
                by = (self._last(before),)
                found.append(Fault(index, "time_constraint", step.id, "", start, end, by, None, limit, start - since))
        if duration > left:
            if left == 0 or (finish and finish < start):
                found.append(self._repeated(index, position, start, end))
            else:
                found.append(Fault(index, "action_duration", step.id, "", start, end, required=left, actual=duration))
        elif duration == 0 and self.rules.zero_duration == "rejected":
            if left:
                kind, case = "action_duration", "no_duration"
                found.append(Fault(index, kind, step.id, case, start, end, required=left, actual=0))
            else:
                found.append(self._repeated(index, position, start, end, "no_duration"))
        elif duration != left and not step.interruptible:
            kind = "execution_interruptibility"
            found.append(Fault(index, kind, step.id, "", start, end, required=left, actual=duration))
        for before in step.prerequisites:
            since = self.finish[before]
            if since is None or self.left[before]:
                needed = self.kitchen.steps[before].duration
                by, made = (self._last(before),), needed - self.left[before]
                found.append(Fault(index, "dependency", step.id, "", start, end, by, None, needed, made))
            elif since > start:
                by = (self._last(before),)
                found.append(Fault(index, "dependency", step.id, "unfinished", start, end, by, None, since, start))

    def _repeated(self, index: int, position: int, start: int, end: int, case: str = "") -> Fault:
        name = self.kitchen.steps[position].id
        by = () if self.finish[position] is None else (self._last(position),)
        return Fault(index, "repeated_action", name, case, start, end, by, actual=end - start)

    def carry_out(self, command: Command, position: int) -> None:
        """Apply a command; one that breaks rules is applied as far as it makes sense."""
        step = self.kitchen.steps[position]
        _, _, duration, start = command
        end = start + duration
        left = self.left[position] - duration
        self.left[position] = left if left > 0 else 0
        if left <= 0:
            self.done.add(position)
            self.done.update(step.prerequisites)
        self.begun[position] = start
        self.finish[position] = end
        reached = start
        if not step.autonomous:
            _occupy(self.working, start, end, position)
            reached = end
        if reached > self.clock:
            self.clock, self.holder = reached, (step.id, start, end)
        for name, _, sets in step.objects:
            _occupy(self.objects.setdefault(name, []), start, end, position)
            if sets is not None:
                self.temperature[name] = (sets, (step.id, start, end))

    @property
    def progress(self) -> float:
        """Share of steps that count."""
        return len(self.done) / len(self.kitchen.steps)

    @property
    def goal_ratio(self) -> float:
        """Share of recipes all of whose steps count."""
        missing = {step.recipe for i, step in enumerate(self.kitchen.steps) if i not in self.done}
        return (len(self.kitchen.recipes) - len(missing)) / len(self.kitchen.recipes)


def _occupy(spans: list[_Span], start: int, end: int, position: int) -> None:
    if start == end:  # no later command can lie around it, since starts only grow
        return
    reach = spans[-1][3] if spans else end
    spans.append((start, end, position, reach if reach > end else end))


def _overlaps(spans: Sequence[_Span], start: int, end: int) -> list[_Span]:
    """Return the intervals that overlap ``[start, end)``, latest first, at most `MAX_OTHERS`.

    An interval of length zero overlaps another only strictly inside it.
    """
    found: list[_Span] = []
    for i in range(len(spans) - 1, -1, -1):
        span = spans[i]
        if span[3] <= start or len(found) == MAX_OTHERS:  # nothing up to here reaches this far
            break
        if (span[0] < start < span[1]) if start == end else (span[0] < end and start < span[1]):
            found.append(span)
    return found


def replay(instance: Instance, plan: Answers, rules: Profile = PROFILES["paper"]) -> Replay:
    """Replay a plan by the rules of Recipe2Plan.

    Returns
    -------
    Replay
        ``events`` hold the commands the run reached; ``violations`` those of the whole plan.
    """
    state = _State(_kitchen(instance), rules, plan)
    if not any(plan.answers):
        none = Fault(0, "no_action", "")
        return _result(state, [], [none, *_missing(state)], none, 0, 0, [])
    if plan.interactive:
        return _replay_answers(state, plan, rules)
    events: list[Event] = []
    violations: list[Fault] = []
    fatal: Fault | None = None
    verdict: tuple[float, float, int, dict[str, int]] | None = None
    makespan = 0
    broken_off = False
    for index, command in enumerate(plan.answers[0]):
        position = state.step_of(command)
        found = state.check(index, command, position)
        if found:
            violations += found
            if fatal is None:
                fatal = found[0]
                verdict = (state.progress, state.goal_ratio, makespan, _remaining(state))
                events.append(_event(state, index, command, accepted=False))
            if len(violations) >= MAX_VIOLATIONS:
                broken_off = True
                break
        if position is not None:
            state.carry_out(command, position)
        if fatal is None:
            event = _event(state, index, command, accepted=True)
            makespan = max(makespan, event.end)
            events.append(event)
    violations += [] if broken_off else _missing(state)
    executed = len(events) - (fatal is not None)
    return _result(state, events, violations, fatal, executed, makespan, list(plan.answers[0]), verdict)


def _replay_answers(state: _State, plan: Answers, rules: Profile) -> Replay:
    """Replay a log answer by answer: a refused command ends its answer and changes only the clock."""
    events: list[Event] = []
    violations: list[Fault] = []
    fatal: Fault | None = None
    carried: list[Command] = []
    refused = 0
    index = 0
    for answer in plan.answers:
        found: list[Fault] = []
        if not answer:
            found = [Fault(index, "no_action", "", "empty_answer")]
        for command in answer:
            position = state.step_of(command)
            found = state.check(index, command, position)
            events.append(_event(state, index, command, accepted=not found))
            index += 1
            if found or position is None:
                if position is not None and rules.reject_advances_clock and command.start > state.clock:
                    state.clock, state.holder = command.start, None
                break
            state.carry_out(command, position)
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
    number, recipe, duration, start = command
    return Event(index, f"{recipe}/{number}", start, start + duration, accepted, state.progress)


def _remaining(state: _State) -> dict[str, int]:
    return {step.id: left for step, left in zip(state.kitchen.steps, state.left, strict=True) if left}


def _missing(state: _State) -> list[Fault]:
    """Faults of the plan as a whole: steps never started, or never brought to an end."""
    found = []
    for step, left, finish in zip(state.kitchen.steps, state.left, state.finish, strict=True):
        if finish is None:
            found.append(Fault(None, "missing_action", step.id, required=step.duration, actual=0))
        elif left:
            made = step.duration - left
            found.append(Fault(None, "action_duration", step.id, "lack", required=step.duration, actual=made))
    return found


def _result(
    state: _State,
    events: list[Event],
    violations: list[Fault],
    fatal: Fault | None,
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
    busy = [(start, stop) for start, stop, *_ in state.working]
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
