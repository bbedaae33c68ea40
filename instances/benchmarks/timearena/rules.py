"""Rules of TimeArena: profiles, and the simulation minute by minute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.benchmarks.timearena.scenario import COMMON, Object, RoleKey, Scenario, words
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.violations import Measure, Other, Violation
from planoracle.instances.protocol.profiles import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of TimeArena where the paper and its released code differ.

    Attributes
    ----------
    score_source
        The score is that of the ``"replay"``, or the sum of the ``"increments"`` shown: the released code shows none
        after a mismatched or an occupied object, and catches up at the next decision, if there is one.
    progress_rounding
        Increments of the score are differences of the score ``"truncated"`` to whole percents, or ``"exact"``.
    max_wrong_streak
        So many wrong decisions in a row end the run, unless the limit does in that minute.
    stop_on_complete
        End as soon as everything is done, also during a wrong decision; else at the next right one.
    invalid_ticks_world
        Whether running actions go on while a malformed action or an unknown object costs a minute.
    exit_ends
        Whether a decision ``exit`` or ``quit`` ends the run before its minute; else it is an invalid action.
    reserved_objects
        A ``"task"`` reservation serves exactly the actions of its task; the ``"released"`` one makes a
        container refuse, whatever the verb, all but the objects of its task that are reserved themselves.
    normalize
        Forgive case and spaces in decisions.
    price_waits
        Work out what every wait cost, which takes a solve for each minute next to one.
    """

    score_source: str = "replay"
    progress_rounding: str = "exact"
    max_wrong_streak: int = 5
    stop_on_complete: bool = True
    invalid_ticks_world: bool = False
    exit_ends: bool = True
    reserved_objects: str = "task"
    normalize: bool = True
    price_waits: bool = False

    def deciding(self) -> Profile:
        """Return the profile as far as it decides which plans are best: by which objects may meet."""
        return Profile(reserved_objects=self.reserved_objects)


PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        score_source="increments",
        progress_rounding="truncated",
        stop_on_complete=False,
        reserved_objects="released",
        normalize=False,
    ),
}

#: Values of the rules that are text.
CHOICES = {
    "score_source": ("replay", "increments"),
    "progress_rounding": ("truncated", "exact"),
    "reserved_objects": ("task", "released"),
}


#: Profiles and single rules, set as ``timearena.RULE``.
RULE_SET = RuleSet("timearena", PROFILES, CHOICES)


#: Feedback kinds of a minute.
KINDS = (
    "valid",
    "continue",
    "wait",
    "invalid_action",
    "nonexistent_object",
    "object_mismatch",
    "object_occupied",
    "dependency_violation",
    "repeated_completed",
)
#: Those that count as wrong.
WRONG = frozenset(KINDS[3:])
#: Decisions that end the run, in any case.
EXITS = ("exit", "quit")


class TimeArenaViolation(Violation):
    """A wrong minute.

    ``case``, of an `object_mismatch`: ``twice`` (one object twice), ``reserved`` (the second one takes others alone)
    or ``tasks`` (the two serve different tasks); else there is nothing to do with it. ``actual`` are the names that
    are wrong.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """The minute of the violation."""
        return f"minute {self.start}"


class Minute(NamedTuple):
    """One minute: the action, the feedback, and by how much the score (in percent) rose since the last."""

    minute: int
    action: str
    kind: str
    increment: float


def may_meet(world: Scenario, first: Object, second: Object, rules: Profile) -> bool:
    """Return true if reservations allow a four-word action to use two objects together."""
    if rules.reserved_objects == "task":
        if first.base in COMMON or second.base in COMMON:
            return True
        return first.task == second.task or not (first.reserved or second.reserved)
    accepted = world.reservations.get(second.name)
    return accepted is None or first.name in accepted


def exits(decision: str, rules: Profile) -> bool:
    """Return true if a decision ends the run instead of filling a minute.

    >>> from planoracle.instances.benchmarks.timearena.rules import PROFILES
    >>> exits(" Quit ", PROFILES["released"]), exits("quit it", PROFILES["released"])
    (True, False)
    """
    return rules.exit_ends and decision.strip().lower() in EXITS


class SimulationState:
    """The world while a plan runs."""

    def __init__(self, world: Scenario, rules: Profile) -> None:
        self.world = world
        self.rules = rules
        self.remaining: dict[RoleKey, int] = {
            (name, *key): role.minutes for name, thing in world.objects.items() for key, role in thing.roles.items()
        }
        self.total = world.minutes
        self.done = 0
        self.running: dict[RoleKey, tuple[str, ...]] = {}  # work that goes on by itself -> objects it occupies
        self.busy: set[str] = set()
        self.version = 0  # grows with every change

    def copy(self) -> SimulationState:
        """Return the same state, to be changed on its own."""
        other = copy(self)
        other.remaining, other.running, other.busy = dict(self.remaining), dict(self.running), set(self.busy)
        return other

    def commands(self) -> Iterator[str]:
        """Yield all actions that could be started now, in a fixed order."""
        remaining, busy = self.remaining, self.busy
        for command, key, names, needs in _starts(self.world, self.rules):
            if remaining[key] and busy.isdisjoint(names) and not any(map(remaining.__getitem__, needs)):
                yield command

    @property
    def score(self) -> float:
        """Percent of the work done, as the profile rounds it."""
        share = 100 * self.done
        return share // self.total if self.rules.progress_rounding == "truncated" else share / self.total

    @property
    def complete(self) -> bool:
        """True if all work is done."""
        return self.done == self.total

    @property
    def tasks_done(self) -> float:
        """Share of the tasks all of whose work is done."""
        open_tasks = {self.world.objects[name].task for (name, _, _), minutes in self.remaining.items() if minutes}
        return (len(self.world.tasks) - len(open_tasks)) / len(self.world.tasks)

    def work(self, key: RoleKey) -> None:
        """Do a minute of some work."""
        self.version += 1
        self.remaining[key] -= 1
        if not self.remaining[key]:
            self.done += self.world.objects[key[0]].roles[key[1:]].minutes

    def advance(self) -> None:
        """Let a minute pass for everything that runs by itself."""
        for key, occupied in list(self.running.items()):
            self.work(key)
            if not self.remaining[key]:
                del self.running[key]
                self.busy.difference_update(occupied)

    def start(self, keys: list[RoleKey]) -> int:
        """Start an action; return how many minutes it occupies the agent: 0 if it goes on by itself."""
        key = keys[0]
        if self.world.verbs[key[1]]:
            return self.remaining[key]
        self.running[key] = tuple(name for name, *_ in keys)
        self.busy.update(self.running[key])
        return 0

    def check(self, decision: str) -> tuple[str, list[RoleKey]]:
        """Return what is wrong with a decision, or ``""``, and the roles it names."""
        words = decision.split(" ")
        verb = words[0] if len(words) == 2 else f"{words[0]} {words[2]}" if len(words) == 4 else None
        if verb not in self.world.verbs:
            return "invalid_action", []
        names = words[1::2]
        if not all(map(self.world.objects.__contains__, names)):
            return "nonexistent_object", []
        pair = len(names) == 2
        keys = [(names[0], verb, 1), (names[1], verb, 2)] if pair else [(names[0], verb, 0)]
        kind = ""
        mismatched = pair and not self.may_meet(names)
        for name, key in zip(names, keys, strict=True):
            if name in self.busy:
                kind = "object_occupied"
            if key not in self.remaining or mismatched:
                kind = "object_mismatch"
        if kind:
            return kind, keys
        for key in keys:
            if any(map(self.remaining.__getitem__, self.world.objects[key[0]].roles[key[1:]].needs)):
                return "dependency_violation", keys
        return ("" if self.remaining[keys[0]] else "repeated_completed"), keys

    def may_meet(self, names: list[str]) -> bool:
        """Return true if two objects may be used together."""
        first, second = map(self.world.objects.__getitem__, names)
        return first is not second and may_meet(self.world, first, second, self.rules)

    def fault(self, minute: int, action: str, kind: str, keys: list[RoleKey]) -> TimeArenaViolation:
        """Return what is known of a wrong decision before its minute passes."""
        names = [name for name, *_ in keys]
        case, resource = "", None
        others: tuple[Other, ...] = ()
        required: Measure = None
        actual: Measure = None
        if kind == "nonexistent_object":
            actual = tuple(name[:80] for name in action.split(" ")[1::2] if name not in self.world.objects)
        elif kind == "object_mismatch":
            wrong = [key[0] for key in keys if key not in self.remaining]
            resource, actual = wrong[0] if wrong else names[1], tuple(wrong or names)
            if not wrong:
                case, required = self._reason_apart(*names)
        elif kind == "object_occupied":
            holders = {key: things for key, things in self.running.items() if set(things) & set(names)}
            held_objects = {thing for things in holders.values() for thing in things}
            others = tuple(self._going(key, minute) for key in holders)
            actual = tuple(name for name in names if name in held_objects)
            resource, required = actual[0], minute + max(self.remaining[key] for key in holders)
        elif kind == "dependency_violation":
            roles = [self.world.objects[key[0]].roles[key[1:]] for key in keys]
            lacking = dict.fromkeys(need for role in roles for need in role.needs if self.remaining[need])
            others = tuple(self._going(need, minute) for need in lacking)
        return TimeArenaViolation(
            minute, kind, action[:80], case, minute, minute + 1, others, resource, required, actual
        )

    def _reason_apart(self, first: str, second: str) -> tuple[str, Measure]:
        """Return why two objects may not be used together, and what the second one takes instead."""
        one, other = self.world.objects[first], self.world.objects[second]
        if one is other:
            return "twice", None
        if one.task != other.task:
            return "tasks", None
        return "reserved", tuple(sorted(self.world.reservations.get(second, ())))

    def _going(self, key: RoleKey, minute: int) -> Other:
        """Return work as an action, and when it goes on if it does so by itself."""
        if key not in self.running:
            return Other(words(key[0], key[1]))
        until = minute + self.remaining[key]
        return Other(words(key[0], key[1]), until - self.world.objects[key[0]].roles[key[1:]].minutes, until)


@ProblemCache
def _starts(world: Scenario, rules: Profile) -> list[tuple[str, RoleKey, tuple[str, ...], tuple[RoleKey, ...]]]:
    """Return the actions that are ever valid: the work, the objects, and the roles that must be done."""
    fresh = SimulationState(world, rules)
    starts = []
    for command in world.commands:
        kind, keys = fresh.check(command)
        if kind in ("", "dependency_violation"):
            needs = (need for key in keys for need in world.objects[key[0]].roles[key[1:]].needs)
            starts.append((command, keys[0], tuple(name for name, *_ in keys), tuple(needs)))
    return starts


class Play:
    """Decisions carried out minute by minute, as far as the limits let them.

    Attributes
    ----------
    state, minute
        How things stand, and the minute that comes next.
    steps, scores, necessary, faults, taken
        What became of the minutes and decisions since its beginning, or since it was copied; see `Run`.
    """

    def __init__(self, world: Scenario, rules: Profile, decisions: Iterable[str] = ()) -> None:
        self.state = SimulationState(world, rules)
        self.rules = rules
        self.minute = 0
        self.executed = 0
        self._decisions = iter(decisions)
        self._occupied: tuple[str, RoleKey, int] | None = None  # an action that occupies the agent, and its minutes
        self._last_score: float = 0
        self._wrong = 0
        self._stuck = False
        # Long runs of waits change nothing: look again only at a world that has changed.
        self._looked, self._idle_now = -1, False
        self.forget()

    def forget(self) -> None:
        """Begin the record anew."""
        self.steps: list[Minute] = []
        self.scores: list[float] = []
        self.necessary: list[bool] = []
        self.faults: list[TimeArenaViolation] = []
        self.decision_minutes: list[int] = []

    @property
    def free(self) -> bool:
        """True if no action occupies the agent."""
        return self._occupied is None

    def copy(self) -> Play:
        """Return one that goes on from here without changing this one; what it records begins here."""
        other = copy(self)
        other.state = self.state.copy()
        other.forget()
        return other

    def go(self, time_limit: float, max_wrong: float, *, past_exits: bool = False) -> str:
        """Go on until the run ends, and return why it does; with wider limits it can go on again."""
        while (end := self.settle(time_limit, max_wrong)) is None:
            decision = next(self._decisions, None)
            if decision is None:
                return "exhausted"
            if not exits(decision, self.rules):
                self.take(decision)
            elif not past_exits:
                return "exit"
        return end

    def settle(self, time_limit: float, max_wrong: float) -> str | None:
        """Go on until the agent is free to decide; return why the run ends, if it does before that."""
        while not (self.state.complete and (not self._wrong or self.rules.stop_on_complete)):
            if self.minute >= time_limit:
                return "time_out"
            if self._occupied is None:
                return "five_invalid" if self._wrong >= max_wrong else None
            self._continue(*self._occupied)
        return "completed"

    def take(self, decision: str) -> None:
        """Carry out the first minute of a decision, which is no exit."""
        state, rules = self.state, self.rules
        self.decision_minutes.append(self.minute)
        text = " ".join(decision.lower().split()) if rules.normalize else decision.strip()
        kind, keys = ("wait", []) if text == "wait" else state.check(text)
        if kind == "wait" and self._looked != state.version:
            self._looked = state.version
            self._idle_now = next(state.commands(), None) is None
        self._stuck = kind == "wait" and self._idle_now
        self._wrong = self._wrong + 1 if kind in WRONG else 0
        if kind == "wait":
            state.advance()
            self._record(text, kind)
        elif kind:
            self.faults.append(state.fault(self.minute, text, kind, keys))
            if kind not in ("invalid_action", "nonexistent_object") or rules.invalid_ticks_world:
                state.advance()
            self._record(text, kind, show=kind in ("dependency_violation", "repeated_completed"))
        else:
            self.executed += 1
            minutes = state.start(keys)
            if minutes:
                self._occupied = text, keys[0], minutes
                return
            state.advance()
            self._record(text, "valid")

    def _continue(self, text: str, key: RoleKey, minutes: int) -> None:
        """Spend a minute of an action that occupies the agent."""
        state = self.state
        first = state.remaining[key] == minutes
        state.work(key)
        state.advance()
        last = not state.remaining[key]
        self._record(text, "valid" if first or last else "continue")
        if last:
            self._occupied = None

    def _record(self, action: str, kind: str, *, show: bool = True) -> None:
        score = self.state.score
        increment = score - self._last_score if show else 0
        self._last_score = score if show else self._last_score
        self.steps.append(Minute(self.minute, action, kind, increment))
        self.minute += 1
        self.scores.append(self._last_score if self.rules.score_source == "increments" else score)
        self.necessary.append(self._stuck)
