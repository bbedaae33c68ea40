"""Critic of own instances: what the general rules say of a schedule, and which other actions stand against it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from planoracle.instances.feedback import (
    Examined,
    Finding,
    Other,
    Topic,
    clean,
    clock_of,
    named,
    quoted,
    sentence,
    some,
)
from planoracle.instances.generic.run import GenericRun
from planoracle.instances.model import Action, Instance
from planoracle.instances.referee import referee
from planoracle.instances.replay import Replay, Violation
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["TOPICS", "examine", "examine_schedule"]

TOPICS = (
    Topic("unknown", "Unknown actions", ("unknown_action", "wrong_mode"), "Use the actions and modes that there are."),
    Topic("agents", "Agents", ("ineligible_agent",), "Let somebody do it who may."),
    Topic("release", "Releases", ("release",), "Wait until the action is released."),
    Topic("time_limit", "Time limit", ("time_limit",), "Everything has to end in time."),
    Topic("duration", "Durations", ("action_duration",), "Give every action exactly the time it takes."),
    Topic("interruption", "Interruption", ("interruptibility",), "Do such actions in one go."),
    Topic(
        "completeness",
        "Missing actions",
        ("missing_action",),
        "Add what is missing.",
        "Your plan never carries out {names}.",
    ),
    Topic("concurrency", "Concurrency", ("agent_busy",), "Nobody can attend to two actions at once."),
    Topic("starts", "Starts", ("start_attended",), "Start an action before or after what its agent attends to."),
    Topic("resources", "Resources", ("resource_capacity",), "Wait until there is room."),
    Topic("states", "States of resources", ("resource_state",), "Set the state first, and keep it."),
    Topic("dependency", "Order and distances", ("minimum_lag",), "Keep the order, and the time between."),
    Topic("time_constraint", "Time constraints", ("maximum_lag",), "Move the two actions closer together."),
)

# Pieces that are looked at to explain violations; every explanation looks at all of them.
_MOST_LOOKS = 500_000


def examine(run: GenericRun) -> Examined:
    """Look closely at what is wrong with a run."""
    return examine_schedule(run.problem, run.plan.commands, run.verdict)


def examine_schedule(instance: Instance, schedule: Schedule, verdict: Replay | None = None) -> Examined:
    """Examine a schedule; findings point at its pieces in normal form, which also holds actions nobody knows."""
    run = referee(instance, schedule) if verdict is None else verdict
    looker = _Looker(instance, schedule)
    return Examined(
        replay=run,
        findings=tuple(looker.findings(run.violations)),
        clock=looker.times,
        command=lambda index: looker.name(schedule.pieces[index].action),
        instance=instance,
        schedule=schedule if run.success else None,
        whole=True,
        name=looker.name,
    )


class _Facts(NamedTuple):
    """What is behind one violation, in words and figures."""

    text: str
    others: Iterable[Piece] = ()
    resource: str | None = None
    required: int | str | tuple[str, ...] | None = None
    actual: int | str | None = None
    excess: int | None = None


class _Looker:
    """Works out what is behind every violation of a schedule."""

    def __init__(self, instance: Instance, schedule: Schedule) -> None:
        self.instance = instance
        self.pieces = schedule.pieces
        self.times = clock_of(instance)
        self.runs: dict[str, list[Piece]] = defaultdict(list)
        self.held: dict[str | None, list[Piece]] = defaultdict(list)
        self.users: dict[str, list[Piece]] = defaultdict(list)
        for piece in self.pieces:
            self.runs[piece.action].append(piece)
            action = instance.by_id.get(piece.action)
            if action is None:
                continue
            if self._held(piece):
                self.held[piece.agent].append(piece)
            for demand in self.demands(piece):
                self.users[demand.resource].append(piece)

    def findings(self, violations: Iterable[Violation]) -> Iterator[Finding]:
        """Yield one finding per violation; after much work, those left in the words of the rules."""
        pending: dict[tuple[object, ...], Iterator[_Facts]] = {}
        explained = _MOST_LOOKS // max(1, len(self.pieces))  # an explanation looks at every piece
        for count, violation in enumerate(violations):
            # What the message alone tells apart is looked at message by message.
            key = tuple(violation) if violation.kind.startswith("resource") else tuple(violation)[:3]
            if key not in pending and count < explained:
                pending[key] = self.facts(violation)
            facts = next(pending.get(key, iter(())), None) or _Facts(
                f"{self.name(violation.subject)}: {clean(violation.message, 200)}"
            )
            piece = None if violation.position is None else self.pieces[violation.position]
            others = tuple(Other(p.action, p.start, p.end) for p in sorted(facts.others, key=lambda p: p.start))
            yield Finding(
                kind=violation.kind,
                subject=violation.subject,
                text=sentence(facts.text),
                index=violation.position,
                start=None if piece is None else piece.start,
                end=None if piece is None else piece.end,
                others=others,
                resource=facts.resource,
                required=facts.required,
                actual=facts.actual,
                excess=facts.excess,
            )

    def facts(self, violation: Violation) -> Iterator[_Facts]:
        """Yield what is behind the violations of one kind at one piece, in the order of the rules."""
        if violation.kind == "missing_action":
            needed = self.instance.by_id[violation.subject].duration
            text = f"{self.name(violation.subject)} ({self.times.span(needed)}) is missing"
            yield _Facts(text, required=needed, actual=0, excess=needed)
        elif violation.kind == "unknown_action":
            yield _Facts(f"there is no action {quoted(violation.subject)}")
        elif violation.position is not None:
            piece = self.pieces[violation.position]
            makers: dict[str, Callable[[Piece, Violation], Iterator[_Facts]]] = {
                "wrong_mode": self._mode,
                "ineligible_agent": self._agent,
                "release": self._release,
                "time_limit": self._limit,
                "action_duration": self._duration,
                "interruptibility": self._interruption,
                "agent_busy": self._busy,
                "start_attended": self._start,
                "resource_capacity": self._capacity,
                "resource_state": self._state,
                "minimum_lag": self._minimum,
                "maximum_lag": self._maximum,
            }
            yield from makers[violation.kind](piece, violation)

    def name(self, action: str) -> str:
        return named(self.instance, action)

    def action(self, piece: Piece) -> Action:
        return self.instance.by_id[piece.action]

    def demands(self, piece: Piece) -> tuple[Any, ...]:
        modes = self.action(piece).modes
        return modes[piece.mode].demands if 0 <= piece.mode < len(modes) else ()

    def at(self, piece: Piece) -> str:
        """Name a piece by its action and start."""
        return f"{self.name(piece.action)} at {self.times.moment(piece.start)}"

    def stretch(self, piece: Piece, end: int | None = None) -> str:
        return f"{self.times.moment(piece.start)} to {self.times.moment(piece.end if end is None else end)}"

    def _held(self, piece: Piece) -> int:
        action = self.action(piece)
        return piece.duration if action.interruptible and action.attended else action.attended

    def _mode(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        count = len(self.action(piece).modes)
        if 0 <= piece.mode < count:
            text = f"{self.at(piece)} goes on in mode {piece.mode}, but was begun in another"
        else:
            text = f"{self.at(piece)} is in mode {piece.mode}; its modes go from 0 to {count - 1}"
        yield _Facts(text, required=count - 1, actual=piece.mode)

    def _agent(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        eligible = self.instance.eligible(self.action(piece))
        who = "nobody" if piece.agent is None else quoted(piece.agent)
        allowed = f"may be done by {some(map(clean, eligible))}" if eligible else "needs no agent"
        yield _Facts(f"{self.at(piece)} is given to {who}; it {allowed}", required=eligible, actual=piece.agent)

    def _release(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        release = self.action(piece).release
        text = f"{self.at(piece)} is too early; it is released at {self.times.moment(release)}"
        yield _Facts(text, required=release, actual=piece.start, excess=release - piece.start)

    def _limit(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        limit = self.instance.time_limit or 0
        late = self.times.span(piece.end - limit)
        text = f"{self.name(piece.action)} ends at {self.times.moment(piece.end)}, {late} after the limit"
        yield _Facts(text, required=limit, actual=piece.end, excess=piece.end - limit)

    def _duration(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        needed = self.action(piece).duration
        runs = self.runs[piece.action]
        if piece.duration < 0 or (piece.duration == 0 < needed):
            yield _Facts(f"{self.at(piece)} has a piece of no length", required=1, actual=piece.duration)
        total = sum(run.duration for run in runs)
        text = f"{self.name(piece.action)} takes {self.times.span(needed)}; your plan gives it {self.times.span(total)}"
        yield _Facts(text, required=needed, actual=total, excess=abs(total - needed))

    def _interruption(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        runs = self.runs[piece.action]
        others = [run for run in runs if run is not piece]
        if not self.action(piece).interruptible and piece is runs[1]:
            text = f"{self.name(piece.action)} must not be interrupted; your plan does it in {len(runs)} pieces"
            yield _Facts(text, others, required=1, actual=len(runs), excess=len(runs) - 1)
        beside = [run for run in others if run.start < piece.end and piece.start < run.end]
        yield _Facts(f"{self.at(piece)} overlaps with another piece of itself", beside)

    def _busy(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        end = piece.start + self._held(piece)
        others = [
            other
            for other in self.held[piece.agent]
            if other is not piece and other.start <= piece.start < other.start + self._held(other)
        ]
        busy = some(f"{self.name(o.action)} ({self.stretch(o, o.start + self._held(o))})" for o in others)
        until = max((other.start + self._held(other) for other in others), default=end)
        text = f"{self.at(piece)} needs {clean(piece.agent or 'nobody')}, who attends to {busy}"
        yield _Facts(text, others, required=until, actual=piece.start, excess=until - piece.start)

    def _start(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        for other in sorted(self.held[piece.agent], key=lambda p: (p.start, p.start + self._held(p))):
            end = other.start + self._held(other)
            if other.start < piece.start < end:
                text = f"{self.at(piece)} cannot be started by {clean(piece.agent or 'nobody')}, who attends to "
                text += f"{self.name(other.action)} ({self.stretch(other, end)})"
                yield _Facts(text, [other], required=end, actual=piece.start, excess=end - piece.start)

    def _capacity(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        for demand in self.demands(piece):
            capacity = self.instance.resource[demand.resource].capacity
            others = [p for p in self.users[demand.resource] if p is not piece and p.start <= piece.start < p.end]
            load = _load(violation.message, demand.resource)
            if load is None:
                continue
            beside = some(f"{self.name(o.action)} (until {self.times.moment(o.end)})" for o in others)
            text = f"{self.at(piece)} needs {demand.amount} of {clean(demand.resource)}, which has {capacity} in all"
            text += f", while it is used by {beside}" if others else ""
            yield _Facts(text, others, demand.resource, capacity, load, load - capacity)

    def _state(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        for demand in self.demands(piece):
            if demand.requires is None or not violation.message.startswith(f"needs {demand.resource} to be "):
                continue
            setters = [
                other
                for other in self.users[demand.resource]
                if other is not piece and any(d.resource == demand.resource and d.sets for d in self.demands(other))
            ]
            last = max((other.start for other in setters if other.start < piece.start), default=None)
            others = [
                o for o in setters if o.start == last or piece.start <= o.start < piece.end or o.start == piece.start
            ]
            found = violation.message.rpartition(", not ")[2]
            text = f"{self.at(piece)} needs {clean(demand.resource)} to be {clean(demand.requires)} all the while"
            if others:
                text += f"; it is set by {some(self.at(other) for other in others)}"
            else:
                text += "; nothing sets it before" + ("" if found == "None" else f", and it is {clean(found)}")
            yield _Facts(text, others, demand.resource, demand.requires, None if found == "None" else found)

    def _minimum(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        action = self.action(piece)
        after = action.modes[piece.mode].after if 0 <= piece.mode < len(action.modes) else ()
        for before in after:
            finish = max((run.end for run in self.runs.get(before, ())), default=None)
            if finish is None or piece.start < finish:
                yield self._late(piece, before, finish, 0)
        for lag in self.instance.lags:
            if lag.after == action.id and lag.before in self.runs and lag.minimum is not None:
                finish = max(run.end for run in self.runs[lag.before])
                if piece.start < finish + lag.minimum:
                    yield self._late(piece, lag.before, finish, lag.minimum)

    def _late(self, piece: Piece, before: str, finish: int | None, minimum: int) -> _Facts:
        wait = f"{self.times.span(minimum)} after " if minimum else ""
        text = f"{self.at(piece)} must come {wait or 'after '}{self.name(before)}"
        if finish is None:
            return _Facts(f"{text}, which your plan never carries out")
        text += f", which ends at {self.times.moment(finish)}"
        gap = piece.start - finish
        return _Facts(text, self.runs[before], required=minimum, actual=gap, excess=minimum - gap)

    def _maximum(self, piece: Piece, violation: Violation) -> Iterator[_Facts]:
        for lag in self.instance.lags:
            if lag.after != piece.action or lag.before not in self.runs or lag.maximum is None:
                continue
            gap = piece.start - max(run.end for run in self.runs[lag.before])
            if gap > lag.maximum:
                within = f"within {self.times.span(lag.maximum)} after {self.name(lag.before)} is finished"
                late = self.times.span(gap - lag.maximum)
                text = f"{self.name(piece.action)} must start {within}; "
                text += f"it starts {self.times.span(gap)} after, {late} too late"
                yield _Facts(text, self.runs[lag.before], None, lag.maximum, gap, gap - lag.maximum)


def _load(message: str, resource: str) -> int | None:
    """Return the load of a resource that a violation tells of, ``None`` if it is about another resource."""
    found = re.fullmatch(rf"{re.escape(resource)} would carry (\d+) of \d+", message)
    return int(found[1]) if found else None
