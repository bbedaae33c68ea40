"""Critic of Recipe2Plan: which step, object or prerequisite stands against every refused command, and until when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from planoracle.instances.feedback import (
    Examined,
    Finding,
    Other,
    Topic,
    clean,
    clock_of,
    listed,
    named,
    quoted,
    sentence,
    some,
)
from planoracle.instances.model import Action, Instance
from planoracle.instances.recipe2plan.language import Answers, Command, to_schedule
from planoracle.instances.recipe2plan.profile import Profile
from planoracle.instances.recipe2plan.rules import MAX_VIOLATIONS
from planoracle.instances.recipe2plan.run import Recipe2PlanRun
from planoracle.instances.replay import Replay, Violation

__all__ = ["TOPICS", "examine"]

TOPICS = (
    Topic("reading", "Reading", ("no_action",), "Write every step as Step(number, recipe, duration, start)."),
    Topic(
        "unknown", "Unknown steps", ("wrong_recipe", "wrong_action"), "Use the recipes and step numbers you were given."
    ),
    Topic(
        "completeness",
        "Missing steps",
        ("missing_action",),
        "Add what is missing.",
        "Your plan never carries out {names}.",
    ),
    Topic("duration", "Durations", ("action_duration",), "Give every step exactly the time it takes."),
    Topic(
        "concurrency",
        "Concurrency",
        ("infeasible_multitask",),
        "Such steps need you from start to end; do them one after the other.",
    ),
    Topic("time_order", "Order in time", ("time_error",), "Start a step only when you are free to."),
    Topic("interruption", "Interruption", ("execution_interruptibility",), "Do such steps in one go."),
    Topic("dependency", "Prerequisites", ("dependency",), "Finish what a step needs before you start it."),
    Topic("repetition", "Repetition", ("repeated_action",), "Do every step once."),
    Topic("time_constraint", "Time constraints", ("time_constraint",), "Move the two steps closer together."),
    Topic("objects", "Objects", ("object_occupancy",), "Wait until the object is free, or use it earlier."),
    Topic("temperature", "Temperature", ("object_temperature",), "Set the temperature first, and keep it."),
)


def examine(run: Recipe2PlanRun) -> Examined:
    """Look closely at what is wrong with a run."""
    instance, plan, verdict = run.problem, run.plan.commands, run.verdict
    reached = tuple(command for _, command, _ in _reached(plan, verdict))
    broken_off = not plan.interactive and len(verdict.violations) >= MAX_VIOLATIONS
    faultless = run.success and not verdict.violations
    return Examined(
        replay=verdict,
        findings=_Walk(instance, run.rules, plan.commands).findings(plan, verdict),
        clock=clock_of(instance),
        command=lambda index: _place(instance, reached, verdict, index),
        unsettled=frozenset(topic.key for topic in TOPICS) if broken_off else frozenset(),
        instance=instance,
        schedule=to_schedule(plan, instance) if faultless else None,
        notes=("The search for faults was broken off, there are too many.",) if broken_off else (),
        name=lambda action: named(instance, action),
    )


def _place(instance: Instance, commands: tuple[Command, ...], run: Replay, index: int) -> str:
    """Say where a run ended."""
    unread = run.fatal is not None and run.fatal.kind == "no_action"
    if unread or index >= len(commands):
        return "an answer that holds no step"
    command = commands[index]
    action = f"{command.recipe}/{command.step}"
    step = named(instance, action) if action in instance.by_id else "which is no step of these recipes"
    return f"command {index + 1}, {step}"


class _Run(NamedTuple):
    """One run of a step, or a piece of it."""

    subject: str
    start: int
    end: int


class _Walk:
    """The kitchen as the rules see it, remembering who did what."""

    def __init__(self, instance: Instance, rules: Profile, commands: tuple[Command, ...]) -> None:
        self.instance = instance
        self.rules = rules
        self.clock = 0
        self.holder: _Run | None = None  # what moved the clock to where it is
        self.left = {action.id: action.duration for action in instance.actions}
        self.runs: dict[str, _Run] = {}  # last run of every step
        self.working: list[_Run] = []
        self.objects: dict[str, list[_Run]] = defaultdict(list)
        self.temperature: dict[str, tuple[str, _Run]] = {}
        self.known = {(action.task, int(action.id.rpartition("/")[2])): action for action in instance.actions}
        self.planned: dict[str, int] = {}  # first start of every step in the whole plan
        for command in commands:
            action = self.known.get((command.recipe, command.step))
            if action is not None:
                self.planned.setdefault(action.id, command.start)
        self.times = clock_of(instance)

    def findings(self, plan: Answers, run: Replay) -> tuple[Finding, ...]:
        """Return one finding per violation, in their order."""
        by_place: dict[int | None, list[int]] = defaultdict(list)
        for i, violation in enumerate(run.violations):
            unread = violation.kind == "no_action"
            by_place[None if unread else violation.position].append(i)
        found: dict[int, Finding] = {}
        for index, command, accepted in _reached(plan, run):
            action = self.known.get((command.recipe, command.step))
            details: dict[str, Iterator[Finding]] = {}
            for i in by_place.get(index, ()):
                violation = run.violations[i]
                kind = violation.kind
                if kind not in details:
                    details[kind] = self.details(kind, index, command, action)
                found[i] = next(details[kind], None) or self.plain(violation, command)
            if not plan.interactive or accepted:
                self.carry_out(command, action)
            elif action is not None and self.rules.reject_advances_clock and command.start > self.clock:
                self.clock, self.holder = command.start, None
        for i in by_place[None]:
            found[i] = self.whole(run.violations[i])
        return tuple(found[i] if i in found else self.plain(v) for i, v in enumerate(run.violations))

    def carry_out(self, command: Command, action: Action | None) -> None:
        if action is None:
            return
        run = _Run(action.id, command.start, command.start + command.duration)
        self.left[action.id] = max(0, self.left[action.id] - command.duration)
        self.runs[action.id] = run
        reached = command.start
        if action.attended:
            reached = command.start + command.duration
            if command.duration:
                self.working.append(run)
        if reached > self.clock:
            self.clock, self.holder = reached, run
        for demand in action.modes[0].demands:
            if command.duration:
                self.objects[demand.resource].append(run)
            if demand.sets is not None:
                self.temperature[demand.resource] = (demand.sets, run)

    # Sentences.

    def name(self, action: str) -> str:
        return named(self.instance, action)

    def plain(self, violation: Violation, command: Command | None = None) -> Finding:
        index = violation.position
        start = None if command is None else command.start
        end = None if command is None else command.start + command.duration
        text = sentence(f"{quoted(violation.subject)}: {clean(violation.message, 200)}")
        return Finding(violation.kind, violation.subject, text, index, start, end)

    def whole(self, violation: Violation) -> Finding:
        """Faults of the plan, or of an answer, as a whole."""
        kind, subject, index = violation.kind, violation.subject, violation.position
        if kind == "no_action":
            return Finding(kind, subject, "No step can be read in your answer.", index)
        needed = self.instance.by_id[subject].duration
        if kind == "missing_action":
            text = f"{self.name(subject)} ({self.times.span(needed)}) is missing"
            return Finding(kind, subject, sentence(text), required=needed, actual=0, excess=needed)
        done = needed - self.left[subject]
        text = f"{self.name(subject)} gets {self.times.span(done)} in all of the {self.times.span(needed)} it takes"
        return Finding(kind, subject, sentence(text), required=needed, actual=done, excess=needed - done)

    def details(self, kind: str, index: int, command: Command, action: Action | None) -> Iterator[Finding]:
        """Yield the findings of one kind that a command gives rise to, in the order of the rules."""
        start, end = command.start, command.start + command.duration
        if action is None:
            yield self._unknown(kind, index, command)
            return
        makers = {
            "time_error": self._time_order,
            "infeasible_multitask": self._concurrency,
            "object_occupancy": self._objects,
            "object_temperature": self._temperature,
            "time_constraint": self._time_constraint,
            "repeated_action": self._repetition,
            "action_duration": self._duration,
            "execution_interruptibility": self._interruption,
            "dependency": self._dependency,
        }
        for text, facts in makers[kind](command, action):
            others = tuple(Other(*run) for run in facts.pop("others", ()))
            yield Finding(kind, action.id, sentence(text), index, start, end, others, **facts)

    def _unknown(self, kind: str, index: int, command: Command) -> Finding:
        recipes = self.instance.tasks
        start, end = command.start, command.start + command.duration
        if kind == "wrong_recipe":
            there = listed([clean(recipe) for recipe in recipes])
            text = f"command {index + 1} names the recipe {quoted(command.recipe)}; there are {there}"
            return Finding(kind, command.recipe[:80], sentence(text), index, start, end, required=recipes)
        last = sum(action.task == command.recipe for action in self.instance.actions) - 1
        step = f"step {clean(str(command.step), 12)} of {clean(command.recipe)}"
        text = f"command {index + 1} names {step}, whose steps go from 0 to {last}"
        subject = f"{command.recipe}/{command.step}"
        return Finding(kind, subject, sentence(text), index, start, end, required=last, actual=command.step)

    def _time_order(self, command: Command, action: Action) -> _Told:
        text = f"{self.name(action.id)} starts at {self.times.moment(command.start)}, "
        now = self.times.moment(self.clock)
        if self.holder is None:
            text += f"but your answers have already come to {now}"
        elif self.instance.by_id[self.holder.subject].attended:
            text += f"but {self.name(self.holder.subject)} keeps you busy until {now}"
        else:
            text += f"but you have started {self.name(self.holder.subject)} at {now} already"
        others = () if self.holder is None else (self.holder,)
        facts = {"required": self.clock, "actual": command.start, "excess": self.clock - command.start}
        yield text, facts | {"others": others}

    def _concurrency(self, command: Command, action: Action) -> _Told:
        others = _joined(_overlapping(self.working, command))
        text = f"{self.name(action.id)} ({self._stretch(command)}) overlaps with "
        text += some(
            f"{self.name(o.subject)} ({self.times.moment(o.start)} to {self.times.moment(o.end)})" for o in others
        )
        last = max((other.end for other in others), default=command.start)
        facts = {"required": last, "actual": command.start, "excess": last - command.start}
        yield text, facts | {"others": others}

    def _objects(self, command: Command, action: Action) -> _Told:
        for demand in action.modes[0].demands:
            now = self.temperature.get(demand.resource, (None, None))[0]
            shared = demand.sets is not None and demand.sets == now
            span = (command.start, command.start + command.duration)
            taken = [
                other
                for other in _overlapping(self.objects[demand.resource], command)
                if not (shared and (other.start, other.end) == span)
            ]
            if taken:
                others = _joined(taken)
                last = max((other.end for other in others), default=command.start)
                who = some(f"{self.name(o.subject)} (until {self.times.moment(o.end)})" for o in others)
                text = (
                    f"{self.name(action.id)} needs the {clean(demand.resource)} at {self.times.moment(command.start)}, "
                )
                text += f"which is in use by {who}"
                facts = {"others": others, "resource": demand.resource, "required": last, "actual": command.start}
                yield text, facts | {"excess": last - command.start}

    def _temperature(self, command: Command, action: Action) -> _Told:
        for demand in action.modes[0].demands:
            now, by = self.temperature.get(demand.resource, (None, None))
            if demand.requires is None or demand.requires == now:
                continue
            text = f"{self.name(action.id)} needs the {clean(demand.resource)} at {clean(demand.requires)}, "
            text += f"but at {self.times.moment(command.start)} "
            if now is None or by is None:
                text += "nothing has heated it"
            else:
                text += f"it is set to {clean(now)} by {self.name(by.subject)}"
            others = () if by is None else (by,)
            yield text, {"resource": demand.resource, "required": demand.requires, "actual": now, "others": others}

    def _time_constraint(self, command: Command, action: Action) -> _Told:
        for lag in self.instance.lags:
            since = self.runs.get(lag.before)
            if lag.after != action.id or lag.maximum is None or since is None:
                continue
            gap = command.start - since.end
            if gap <= lag.maximum:
                continue
            within = f"within {self.times.span(lag.maximum)} after {self.name(lag.before)} is finished"
            text = f"{self.name(action.id)} must start {within}; "
            text += f"it starts {self.times.span(gap)} after, {self.times.span(gap - lag.maximum)} too late"
            yield text, {"others": (since,), "required": lag.maximum, "actual": gap, "excess": gap - lag.maximum}

    def _repetition(self, command: Command, action: Action) -> _Told:
        run = self.runs.get(action.id)
        until = 0 if run is None else run.end
        done = f"is {'done since' if until <= command.start else 'at work until'} {self.times.moment(until)}"
        again = self.times.moment(command.start)
        text = f"{self.name(action.id)} {done}; your plan does it again at {again}"
        yield text, {"others": () if run is None else (run,), "actual": command.duration}

    def _duration(self, command: Command, action: Action) -> _Told:
        left = self.left[action.id]
        text = f"{self.name(action.id)} takes {self.times.span(left)}"
        text += " more" if left < action.duration else ""
        text += f"; your plan gives it {self.times.span(command.duration)} at {self.times.moment(command.start)}"
        yield text, {"required": left, "actual": command.duration, "excess": abs(command.duration - left)}

    def _interruption(self, command: Command, action: Action) -> _Told:
        left = self.left[action.id]
        text = f"{self.name(action.id)} must not be interrupted and takes {self.times.span(left)}; "
        text += f"your plan gives it {self.times.span(command.duration)} at {self.times.moment(command.start)}"
        yield text, {"required": left, "actual": command.duration, "excess": abs(left - command.duration)}

    def _dependency(self, command: Command, action: Action) -> _Told:
        for position, _ in self.instance.predecessors[self.instance.index[action.id]]:
            before = self.instance.actions[position]
            run, left = self.runs.get(before.id), self.left[before.id]
            if not left and run is not None and run.end <= command.start:
                continue
            text = f"{self.name(action.id)} starts at {self.times.moment(command.start)}, but {self.name(before.id)} "
            if not left and run is not None:
                late = run.end - command.start
                text += f"is finished only at {self.times.moment(run.end)}"
                yield text, {"others": (run,), "required": run.end, "actual": command.start, "excess": late}
                continue
            if run is not None:
                text += f"still lacks {self.times.span(left)} by then"
            elif before.id in self.planned:
                text += f"comes first and starts only at {self.times.moment(self.planned[before.id])} in your plan"
            else:
                text += "comes first and is not in your plan"
            other = run or (before.id, self.planned.get(before.id))
            yield text, {"others": (other,), "actual": command.start}

    def _stretch(self, command: Command) -> str:
        return f"{self.times.moment(command.start)} to {self.times.moment(command.start + command.duration)}"


_Told = Iterator[tuple[str, dict[str, Any]]]


def _reached(plan: Answers, run: Replay) -> Iterator[tuple[int, Command, bool]]:
    """Yield the commands that the rules looked at, with their index and whether they were accepted."""
    index = 0
    for answer in plan.answers:
        for command in answer:
            if plan.interactive and index >= len(run.events):
                return
            accepted = not plan.interactive or run.events[index].accepted
            yield index, command, accepted
            index += 1
            if not accepted:
                break


def _overlapping(runs: list[_Run], command: Command) -> list[_Run]:
    start, end = command.start, command.start + command.duration
    return [
        run for run in runs if (run.start < start < run.end if start == end else run.start < end and start < run.end)
    ]


def _joined(runs: list[_Run]) -> tuple[_Run, ...]:
    """Put the pieces of one step together where no time lies between them."""
    joined: list[_Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and last.subject == run.subject and last.end == run.start:
            joined[-1] = last._replace(end=run.end)
        else:
            joined.append(run)
    return tuple(joined)
