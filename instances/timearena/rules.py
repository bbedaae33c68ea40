"""The referee of TimeArena: what a minute of the simulation makes of a decision.

Follows the released environment (Zhang et al., 2024, section 3.3); `Profile` switches the points in which
paper and code differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from planoracle.instances.replay import Event, Measure, Other, Replay, Violation
from planoracle.instances.timearena.profile import PROFILES, Profile
from planoracle.instances.timearena.world import COMMON, Object, RoleKey, World, words

__all__ = ["EXITS", "KINDS", "WRONG", "Fault", "Minute", "Run", "as_replay", "exits", "may_meet", "replay"]

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


class Fault(Violation):
    """A wrong minute.

    ``case``, of an `object_mismatch`: ``twice`` (one object twice), ``reserved`` (the second one takes others alone)
    or ``tasks`` (the two serve different tasks); else there is nothing to do with it. ``actual`` are the names that
    are wrong.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """When it was."""
        return f"minute {self.start}"


class Minute(NamedTuple):
    """One minute: the action, the feedback, and by how much the score (in percent) rose since the last."""

    minute: int
    action: str
    kind: str
    increment: float


@dataclass(frozen=True, slots=True)
class Run:
    """Verdict on one list of decisions.

    Attributes
    ----------
    end
        ``completed``, ``time_out`` (the limit), ``five_invalid`` (too many wrong in a row), ``exit`` (the agent
        said so) or ``exhausted`` (no decisions left). What is left of the limit is looked at first, then the wrong
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
    taken
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
    violations: tuple[Fault, ...]
    taken: tuple[int, ...]
    play: _Play = field(repr=False, compare=False)

    def followed(self) -> tuple[Sequence[Minute], Sequence[int]]:
        """Return the minutes and ``taken`` as they are if the run is not cut short: by wrong ones, limit or exit."""
        self.play.go(inf, inf, past_exits=True)
        return self.play.steps, self.play.taken


def may_meet(world: World, first: Object, second: Object, rules: Profile) -> bool:
    """Whether reservations let a four-word action use two objects together, whatever its verb."""
    if rules.reserved_objects == "task":
        if first.base in COMMON or second.base in COMMON:
            return True
        return first.task == second.task or not (first.reserved or second.reserved)
    taken = world.reservations.get(second.name)
    return taken is None or first.name in taken


def exits(decision: str, rules: Profile) -> bool:
    """Whether a decision ends the run instead of filling a minute.

    >>> exits(" Quit ", PROFILES["released"]), exits("quit it", PROFILES["released"])
    (True, False)
    """
    return rules.exit_ends and decision.strip().lower() in EXITS


class _State:
    """The world while a plan runs."""

    def __init__(self, world: World, rules: Profile) -> None:
        self.world = world
        self.rules = rules
        self.left: dict[RoleKey, int] = {
            (name, *key): role.minutes for name, thing in world.objects.items() for key, role in thing.roles.items()
        }
        self.total = world.minutes
        self.done = 0
        self.running: dict[RoleKey, tuple[str, ...]] = {}  # work that goes on by itself -> objects it occupies
        self.busy: set[str] = set()
        self.version = 0  # grows with every change

    @property
    def score(self) -> float:
        share = 100 * self.done
        return share // self.total if self.rules.progress_rounding == "truncated" else share / self.total

    @property
    def complete(self) -> bool:
        return self.done == self.total

    @property
    def tasks_done(self) -> float:
        open_tasks = {self.world.objects[name].task for (name, _, _), left in self.left.items() if left}
        return (len(self.world.tasks) - len(open_tasks)) / len(self.world.tasks)

    def work(self, key: RoleKey) -> None:
        self.version += 1
        self.left[key] -= 1
        if not self.left[key]:
            self.done += self.world.objects[key[0]].roles[key[1:]].minutes

    def advance(self) -> None:
        """Let a minute pass for everything that runs by itself."""
        for key, occupied in list(self.running.items()):
            self.work(key)
            if not self.left[key]:
                del self.running[key]
                self.busy.difference_update(occupied)

    def start(self, keys: list[RoleKey]) -> int:
        """Start an action; return how many minutes it occupies the agent: 0 if it goes on by itself."""
        key = keys[0]
        if self.world.verbs[key[1]]:
            return self.left[key]
        self.running[key] = tuple(name for name, *_ in keys)
        self.busy.update(self.running[key])
        return 0

    def judge(self, decision: str) -> tuple[str, list[RoleKey]]:
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
            if key not in self.left or mismatched:
                kind = "object_mismatch"
        if kind:
            return kind, keys
        for key in keys:
            if any(map(self.left.__getitem__, self.world.objects[key[0]].roles[key[1:]].needs)):
                return "dependency_violation", keys
        return ("" if self.left[keys[0]] else "repeated_completed"), keys

    def may_meet(self, names: list[str]) -> bool:
        first, second = map(self.world.objects.__getitem__, names)
        return first is not second and may_meet(self.world, first, second, self.rules)

    def fault(self, minute: int, action: str, kind: str, keys: list[RoleKey]) -> Fault:
        """Return what is known of a wrong decision before its minute passes."""
        names = [name for name, *_ in keys]
        case, resource = "", None
        others: tuple[Other, ...] = ()
        required: Measure = None
        actual: Measure = None
        if kind == "nonexistent_object":
            actual = tuple(name[:80] for name in action.split(" ")[1::2] if name not in self.world.objects)
        elif kind == "object_mismatch":
            wrong = [key[0] for key in keys if key not in self.left]
            resource, actual = wrong[0] if wrong else names[1], tuple(wrong or names)
            if not wrong:
                case, required = self._apart(*names)
        elif kind == "object_occupied":
            taking = {key: things for key, things in self.running.items() if set(things) & set(names)}
            taken = {thing for things in taking.values() for thing in things}
            others = tuple(self._going(key, minute) for key in taking)
            actual = tuple(name for name in names if name in taken)
            resource, required = actual[0], minute + max(self.left[key] for key in taking)
        elif kind == "dependency_violation":
            roles = [self.world.objects[key[0]].roles[key[1:]] for key in keys]
            lacking = dict.fromkeys(need for role in roles for need in role.needs if self.left[need])
            others = tuple(self._going(need, minute) for need in lacking)
        return Fault(minute, kind, action[:80], case, minute, minute + 1, others, resource, required, actual)

    def _apart(self, first: str, second: str) -> tuple[str, Measure]:
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
        until = minute + self.left[key]
        return Other(words(key[0], key[1]), until - self.world.objects[key[0]].roles[key[1:]].minutes, until)


class _Play:
    """Decisions carried out minute by minute, as far as the limits let them."""

    def __init__(self, world: World, decisions: Iterable[str], rules: Profile) -> None:
        self.state = _State(world, rules)
        self.rules = rules
        self.steps: list[Minute] = []
        self.scores: list[float] = []
        self.necessary: list[bool] = []
        self.faults: list[Fault] = []
        self.taken: list[int] = []
        self.executed = 0
        self._decisions = iter(decisions)
        self._occupied: tuple[str, RoleKey, int] | None = None  # an action that occupies the agent, and its minutes
        self._shown: float = 0
        self._wrong = 0
        self._stuck = False
        # Long runs of waits change nothing: look again only at a world that has changed.
        self._looked, self._idle_now = -1, False

    def go(self, time_limit: float, max_wrong: float, *, past_exits: bool = False) -> str:
        """Go on until the run ends, and return why it does; with wider limits it can go on again."""
        while not (self.state.complete and (not self._wrong or self.rules.stop_on_complete)):
            if len(self.steps) >= time_limit:
                return "time_out"
            if self._occupied is not None:
                self._continue(*self._occupied)
                continue
            if self._wrong >= max_wrong:
                return "five_invalid"
            decision = next(self._decisions, None)
            if decision is None:
                return "exhausted"
            if not exits(decision, self.rules):
                self._take(decision)
            elif not past_exits:
                return "exit"
        return "completed"

    def _take(self, decision: str) -> None:
        state, rules = self.state, self.rules
        self.taken.append(len(self.steps))
        text = " ".join(decision.lower().split()) if rules.normalize else decision.strip()
        kind, keys = ("wait", []) if text == "wait" else state.judge(text)
        if kind == "wait" and self._looked != state.version:
            self._looked = state.version
            self._idle_now = not any(not state.judge(command)[0] for command in state.world.commands)
        self._stuck = kind == "wait" and self._idle_now
        self._wrong = self._wrong + 1 if kind in WRONG else 0
        if kind == "wait":
            state.advance()
            self._record(text, kind)
        elif kind:
            self.faults.append(state.fault(len(self.steps), text, kind, keys))
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
        first = state.left[key] == minutes
        state.work(key)
        state.advance()
        last = not state.left[key]
        self._record(text, "valid" if first or last else "continue")
        if last:
            self._occupied = None

    def _record(self, action: str, kind: str, *, show: bool = True) -> None:
        score = self.state.score
        increment = score - self._shown if show else 0
        self._shown = score if show else self._shown
        self.steps.append(Minute(len(self.steps), action, kind, increment))
        self.scores.append(self._shown if self.rules.score_source == "increments" else score)
        self.necessary.append(self._stuck)


def replay(world: World, decisions: Iterable[str], time_limit: int, rules: Profile = PROFILES["paper"]) -> Run:
    """Run decisions minute by minute; an occupying action asks for no decision until it ends.

    Nothing a decision holds can make this raise.

    Examples
    --------
    >>> from planoracle.instances.timearena.world import world
    >>> run = replay(world("timearena/household1"), ["wash cup", "pour kettle into cup"], time_limit=40)
    >>> [(step.minute, step.kind) for step in run.steps], run.end
    ([(0, 'valid'), (1, 'continue'), (2, 'valid'), (3, 'dependency_violation')], 'exhausted')
    """
    play = _Play(world, decisions, rules)
    end = play.go(time_limit, rules.max_wrong_streak)
    state = play.state
    return Run(
        steps=tuple(play.steps),
        completed=end == "completed",
        end=end,
        total_time=len(play.steps),
        score=play.scores[-1] if play.scores else 0,
        scores=tuple(play.scores),
        necessary=tuple(play.necessary),
        executed=play.executed,
        tasks_done=state.tasks_done,
        remaining={f"{name}: {verb}": left for (name, verb, _), left in state.left.items() if left},
        violations=tuple(play.faults),
        taken=tuple(play.taken),
        play=play,
    )


def as_replay(run: Run) -> Replay:
    """Return a run in the form common to all benchmarks: wrong minutes are its violations."""
    events = tuple(
        Event(i, step.action[:80], step.minute, step.minute + 1, step.kind not in WRONG, run.scores[i] / 100)
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
