"""Critic of TimeArena: why a decision was refused, and what is left undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from planoracle.instances.feedback import (
    Clock,
    Examined,
    Finding,
    Other,
    Topic,
    clean,
    clock_of,
    listed,
    quoted,
    sentence,
    some,
)
from planoracle.instances.replay import Violation
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.profile import Profile
from planoracle.instances.timearena.rules import WRONG, Minute, may_meet
from planoracle.instances.timearena.run import TimeArenaRun
from planoracle.instances.timearena.world import RoleKey, World

__all__ = ["TOPICS", "examine"]

TOPICS = (
    Topic("reading", "Actions that do not exist", ("invalid_action",), "Use the actions you were given, word by word."),
    Topic("unknown", "Objects that do not exist", ("nonexistent_object",), "Use the objects you were given."),
    Topic("mismatch", "Objects that do not fit", ("object_mismatch",), "Use an object only as its task foresees."),
    Topic("objects", "Occupied objects", ("object_occupied",), "Do something else until the object is free."),
    Topic("dependency", "Prerequisites", ("dependency_violation",), "Do first what an action builds on."),
    Topic("repetition", "Repetition", ("repeated_completed",), "Do not repeat what is done."),
    Topic("completeness", "Unfinished work", (), "Finish it.", "At the end of the run this is left: {names}."),
)

_ENDS = {
    "time_out": "The time was over in {minute}.",
    "five_invalid": "So many wrong actions in a row ended the run before {minute}.",
    "exit": "You ended the run yourself before {minute}.",
}


def examine(run: TimeArenaRun) -> Examined:
    """Look closely at what is wrong with a run."""
    record, verdict = run.record, run.verdict
    times = clock_of(run.problem)
    looker = _Looker(run.scene, run.rules, times)
    left = tuple(
        Finding("unfinished", what, sentence(f"{_task_words(what)} lacks {times.span(minutes)}"), actual=minutes)
        for what, minutes in record.remaining.items()
    )
    ending = _ENDS.get(record.end)
    faultless = record.completed and not verdict.violations
    return Examined(
        replay=verdict,
        findings=tuple(map(looker.finding, verdict.violations, _wrong_minutes(run.scene, record.steps, run.rules))),
        clock=times,
        command=lambda index: f"{quoted(record.steps[index].action)} in {times.moment(index)}",
        remarks={"completeness": left} if left else {},
        instance=run.problem,
        schedule=encode.to_schedule(run.problem, run.plan.commands) if faultless else None,
        notes=(ending.format(minute=times.moment(record.total_time)),) if ending else (),
        name=_task_words,
    )


def _task_words(what: str) -> str:
    """Write ``object: verb`` as the action that it stands for."""
    name, _, verb = what.partition(": ")
    head, gap, preposition = verb.partition(" ")
    return clean(f"{head} {name} {preposition} ..." if gap else f"{head} {name}")


class _Now(NamedTuple):
    """The world before a minute: minutes left of every role, and what goes on by itself on which objects."""

    minute: int
    left: dict[RoleKey, int]
    running: dict[RoleKey, tuple[str, ...]]


def _wrong_minutes(scene: World, steps: Sequence[Minute], rules: Profile) -> Iterator[_Now]:
    """Yield the world before every wrong minute; it changes afterwards."""
    now = _Now(0, {}, {})
    for name, thing in scene.objects.items():
        now.left.update({(name, *key): role.minutes for key, role in thing.roles.items()})
    for step in steps:
        if step.kind in WRONG:
            yield now._replace(minute=step.minute)
        elif step.kind != "wait":
            keys = _keys(step.action)
            if scene.verbs[keys[0][1]]:
                now.left[keys[0]] -= 1
            else:
                now.running[keys[0]] = tuple(name for name, *_ in keys)
        if step.kind in ("invalid_action", "nonexistent_object") and not rules.invalid_ticks_world:
            continue
        for key in list(now.running):
            now.left[key] -= 1
            if not now.left[key]:
                del now.running[key]


def _keys(action: str) -> list[RoleKey]:
    """Return the roles that an action names."""
    words = action.split(" ")
    verb = words[0] if len(words) == 2 else f"{words[0]} {words[2]}"
    names = words[1::2]
    return [(name, verb, slot) for name, slot in zip(names, (1, 2) if len(names) == 2 else (0,), strict=True)]


class _Facts(NamedTuple):
    text: str
    others: tuple[Other, ...] = ()
    resource: str | None = None
    required: tuple[str, ...] | int | None = None


class _Looker:
    """Works out why a decision was refused in the world it met."""

    def __init__(self, scene: World, rules: Profile, times: Clock) -> None:
        self.scene = scene
        self.rules = rules
        self.times = times

    def finding(self, violation: Violation, now: _Now) -> Finding:
        """Return what is behind a wrong minute; ``now`` is the world before it."""
        minute = now.minute
        makers: dict[str, Callable[[str, _Now], _Facts]] = {
            "invalid_action": self._reading,
            "nonexistent_object": self._unknown,
            "object_mismatch": self._mismatch,
            "object_occupied": self._occupied,
            "dependency_violation": self._dependency,
            "repeated_completed": self._repetition,
        }
        facts = makers[violation.kind](violation.subject, now)
        return Finding(
            kind=violation.kind,
            subject=violation.subject,
            text=sentence(f"{self.times.moment(minute)}: {facts.text}"),
            index=violation.position,
            start=minute,
            end=minute + 1,
            others=facts.others,
            resource=facts.resource,
            required=facts.required,
        )

    def told(self, key: RoleKey) -> str:
        """Write a role as the action it is part of."""
        return _task_words(f"{key[0]}: {key[1]}")

    def _reading(self, action: str, now: _Now) -> _Facts:
        return _Facts(f"{quoted(action)} is no action")

    def _unknown(self, action: str, now: _Now) -> _Facts:
        missing = tuple(name for name in action.split(" ")[1::2] if name not in self.scene.objects)
        return _Facts(f"{quoted(action)} names {some(map(quoted, missing))}, which is not there")

    def _mismatch(self, action: str, now: _Now) -> _Facts:
        keys = _keys(action)
        wrong = [name for name, verb, slot in keys if (verb, slot) not in self.scene.objects[name].roles]
        if wrong:
            return _Facts(f"{quoted(action)} is nothing to do with {listed(wrong)}", resource=wrong[0])
        first, second = (self.scene.objects[name] for name, *_ in keys)
        if first is second:
            return _Facts(f"{quoted(action)} names one object twice", resource=first.name)
        text = f"{quoted(action)} brings together {first.name} and {second.name}"
        if not may_meet(self.scene, first, second, self.rules):
            taken = self.scene.reservations.get(second.name, frozenset())
            alone = f"which takes {listed(sorted(taken))} alone"
            text += f", {alone if first.task == second.task else 'which serve different tasks'}"
        return _Facts(text, resource=second.name)

    def _occupied(self, action: str, now: _Now) -> _Facts:
        names = [name for name, *_ in _keys(action)]
        parts, others, free = [], [], now.minute
        for key, things in now.running.items():
            if set(things) & set(names):
                until = now.minute + now.left[key]
                free = max(free, until)
                minutes = self.scene.objects[key[0]].roles[key[1:]].minutes
                others.append(Other(self.told(key), until - minutes, until))
                taken = listed([name for name in things if name in names])
                parts.append(f"{taken} in use by {self.told(key)!r} until {self.times.moment(until)}")
        thing = next((name for name in names if any(name in things for things in now.running.values())), None)
        return _Facts(f"{quoted(action)} finds {some(parts)}", tuple(others), thing, free)

    def _dependency(self, action: str, now: _Now) -> _Facts:
        roles = [self.scene.objects[key[0]].roles[key[1:]] for key in _keys(action)]
        open_ = list(dict.fromkeys(need for role in roles for need in role.needs if now.left[need]))
        others, parts = [], []
        for need in open_:
            going = need in now.running
            until = now.minute + now.left[need] if going else None
            minutes = self.scene.objects[need[0]].roles[need[1:]].minutes
            others.append(Other(self.told(need), None if until is None else until - minutes, until))
            goes_on = "" if until is None else f" (goes on until {self.times.moment(until)})"
            parts.append(f"{self.told(need)!r}{goes_on}")
        return _Facts(f"{quoted(action)} comes before {listed(parts)} is done", tuple(others))

    def _repetition(self, action: str, now: _Now) -> _Facts:
        return _Facts(f"{quoted(action)} is done already")
