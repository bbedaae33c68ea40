"""Simulator of TimeArena, minute by minute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import NamedTuple

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import RoleKey, Scenario, words
from planoracle.instances.benchmarks.timearena.rules import MALFORMED, SILENT, WRONG, Profile, exits
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Measure, Other, Replay, ReplayEvent, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint, started, waited
from planoracle.instances.protocol.simulator import LatePoint, LegalCommand, ScheduleSimulator, Step, entries_of, fold

# Kind of the step of a decision by its kind of feedback; all others are lost minutes.
_STEP_KINDS = {"valid": "act", "wait": "wait"}


class TimeArenaViolation(Violation):
    """Wrong decision.

    ``case`` of an `object_mismatch`: ``twice`` (one object twice), ``reserved`` (the second object accepts only
    others), ``tasks`` (the objects belong to different tasks), or empty (the object has no such role). ``actual`` are
    the names of the wrong objects.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """Text of the violation: its minute."""
        return f"minute {self.start}"


class Minute(NamedTuple):
    """One minute: the action, the feedback, and the increment of the score in percent."""

    minute: int
    action: str
    kind: str
    increment: float


class History(NamedTuple):
    """Minute of a run, linked to the previous minutes.

    Attributes
    ----------
    score
        Score at the end of the minute, by ``score_source``.
    necessary
        True for a wait in which no action could be started.
    violation
        Violation of a decision that fills the minute.
    """

    minute: Minute
    score: float
    necessary: bool
    violation: Violation | None
    before: History | None


class Decision(NamedTuple):
    """Submitted decision of an agent, linked to the previous one."""

    text: str
    before: Decision | None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """Record of a run, minute by minute.

    Attributes
    ----------
    end
        ``completed``, ``time_out`` (the limit), ``five_invalid`` (too many wrong in a row), ``exit`` (of the agent) or
        ``exhausted`` (no further decision). The limit is checked first, then the wrong decisions, then the next
        decision.
    steps
        Minutes of the run.
    scores, necessary
        Values of `History` for every minute.
    """

    end: str
    steps: tuple[Minute, ...]
    scores: tuple[float, ...]
    necessary: tuple[bool, ...]

    @property
    def total_time(self) -> int:
        """Minutes that passed."""
        return len(self.steps)

    @property
    def score(self) -> float:
        """Finished work in percent, rounded by the profile; with ``increments`` the sum of the printed ones."""
        return self.scores[-1] if self.scores else 0


@dataclass(eq=False)
class ArenaState:
    """State of a run in which the agent is free to decide, or which has ended.

    Attributes
    ----------
    remaining
        Remaining minutes of every role.
    running
        Autonomous work in progress, and the objects that it occupies.
    done
        Minutes of all finished work.
    minute
        The next minute.
    executed, wrong
        Number of started actions, and of wrong decisions in a row at the end.
    last_score, best_score
        Score up to the last increment, and highest score of a minute.
    end
        Reason why the run has ended, if it has.
    idle
        True if no action can be started; ``None`` if unknown. Cached because long sequences of waits need it every
        minute.
    point
        Decision point, computed on demand; ``None`` if the simulator has no problem.
    history, decisions
        Last minute and last decision, linked to the previous ones.
    """

    remaining: dict[RoleKey, int]
    running: dict[RoleKey, tuple[str, ...]] = field(default_factory=dict)
    done: int = 0
    minute: int = 0
    executed: int = 0
    wrong: int = 0
    last_score: float = 0
    best_score: float = 0
    end: str | None = None
    idle: bool | None = None
    point: DecisionPoint | LatePoint | None = None
    history: History | None = None
    decisions: Decision | None = None

    @property
    def past(self) -> list[History]:
        """Minutes so far."""
        return entries_of(self.history)

    @property
    def occupied(self) -> set[str]:
        """Objects in use."""
        return set[str]().union(*self.running.values())


def kind_of(step: Step) -> str:
    """Return the kind of feedback on a decision; an exit is its own kind."""
    if step.violation:
        return step.violation.kind
    return "valid" if step.kind == "act" else step.command


def roles_of(decision: str) -> tuple[RoleKey, ...]:
    """Return the roles of a decision of two or four words, ``()`` for other decisions."""
    words = decision.split(" ")
    if len(words) == 2:
        return ((words[1], words[0], 0),)
    if len(words) != 4:
        return ()
    verb = f"{words[0]} {words[2]}"
    return (words[1], verb, 1), (words[3], verb, 2)


class TimeArenaSimulator(ScheduleSimulator[ArenaState, str]):
    """Rules of TimeArena: a decision lasts to the next minute in which the agent is free.

    Parameters
    ----------
    world, rules
        Tasks and rules of the run.
    limit
        Minutes after which the run ends.
    problem
        Problem of the decision points, if they are needed.
    impossible
        True if the rules make the problem impossible, so that actions are no pieces of its schedules.
    """

    def __init__(
        self,
        world: Scenario,
        rules: Profile,
        limit: float = inf,
        problem: Instance | None = None,
        *,
        impossible: bool = False,
    ) -> None:
        self.world = world
        self.rules = rules
        self.limit = limit
        self.problem = problem
        self.impossible = impossible

    @cached_property
    def _action_modes(self) -> dict[str, tuple[Action, int]]:
        assert self.problem is not None
        return problems.action_modes(self.problem)

    def initial(self) -> ArenaState:
        """Return the state in minute 0."""
        remaining = {}
        for thing, role in self.world.roles():
            remaining[thing.name, role.verb, role.slot] = role.minutes
        point = None if self.problem is None else DecisionPoint(self.problem)
        return self._set_end(ArenaState(remaining, point=point))

    def copy(self, state: ArenaState) -> ArenaState:
        """Return an independent copy."""
        return replace(state, remaining=dict(state.remaining), running=dict(state.running))

    def apply(self, state: ArenaState, command: str) -> tuple[ArenaState, tuple[Step, ...]]:
        """Return the state after a decision: at the next one, or at the end of the run."""
        if state.end:  # the limit leaves no minute
            return state, ()
        begin = state.minute
        state.decisions = Decision(command, state.decisions)
        if exits(command, self.rules):
            state.end = "exit"
            return state, (Step(begin, "exit", "lost", begin, begin),)
        text = command.strip()
        if self.rules.normalize:
            text = " ".join(command.lower().split())
        kind, keys = ("wait", ()) if text == "wait" else self._check(state, text)
        fault = self._fault(state, text, kind, keys) if kind in WRONG else None
        state.wrong = state.wrong + 1 if fault else 0
        if kind == "valid":
            state.executed += 1
        if kind == "valid" and self.world.verbs[keys[0][1]]:
            self._work_on(state, text, keys[0])
        else:
            necessary = kind == "wait" and self._is_idle(state)
            if kind == "valid":
                state.running[keys[0]] = tuple(key[0] for key in keys)
                state.idle = None
            if kind not in MALFORMED or self.rules.invalid_ticks_world:
                self._advance(state)
            self._record(state, text, kind, fault, necessary)
        text = text if kind == "valid" else text[:80]
        kind_of_step = _STEP_KINDS.get(kind, "lost")
        step = Step(begin, text, kind_of_step, begin, state.minute, fault)
        if state.point is not None:
            state.point = LatePoint(state.point, step)
        return self._set_end(state), (step,)

    def next_point(self, point: DecisionPoint, step: Step) -> DecisionPoint:
        """Return the point after a decision."""
        if step.kind == "act" and not self.impossible:
            return started(point, self.piece(step.command, point.state.clock))
        next_point = waited(point, point.state.clock + step.end - step.start)
        if step.violation is None:
            return next_point
        if step.violation.kind in MALFORMED and not self.rules.invalid_ticks_world:
            next_point = replace(point, lost=point.lost + 1)
        if next_point.complete and not self.rules.stop_on_complete:
            end_of_work = next_point.lost + max(piece.end for piece in next_point.state.pieces)
            if end_of_work <= step.end:
                # All is done, but a wrong action does not end the run: it takes one more minute.
                return replace(next_point, reached=step.end + 1)
        return next_point

    def piece(self, command: str, start: int) -> Piece:
        """Return the piece that a decision starts."""
        assert self.problem is not None
        action, mode = self._action_modes[command]
        return Piece(action.id, start, action.duration, self.problem.agents[0], mode)

    def point(self, state: ArenaState) -> DecisionPoint:
        """Return the decision point; ``over`` if the run has ended without completion."""
        assert state.point is not None
        point = state.point = self.computed(state.point)
        return point if state.end in (None, "completed") else replace(point, over=state.end)

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return decisions minute by minute, with waits until all work has ended."""
        pieces = (*point.state.pieces, *remaining.pieces)
        ends = [piece.end for piece in pieces]
        end = max([point.reached - point.lost, *ends])
        return problems.decisions(point.instance, remaining.pieces, point.state.clock, end)

    def success(self, state: ArenaState) -> bool:
        """Return True if all tasks are complete."""
        return state.end == "completed"

    def legal(self, state: ArenaState) -> list[LegalCommand]:
        """Return all actions that can be started now, and the wait."""
        commands = [LegalCommand(text, "act") for text in self._startable(state)]
        return [*commands, LegalCommand("wait", "wait")]

    def choices(self, point: DecisionPoint, step: int, state: ArenaState | None = None) -> Iterator[LegalCommand]:
        """Yield every action of the problem that can be started now, and the wait."""
        clock = point.state.clock
        if state is None:
            state = self._after_pieces(point)
        for command in self._startable(state):
            if command in self._action_modes:
                yield LegalCommand(command, "act", self.piece(command, clock))
        yield LegalCommand("wait", "wait")

    def _after_pieces(self, point: DecisionPoint) -> ArenaState:
        """Return the state after the pieces of a point without a time limit."""
        assert self.problem is not None
        decisions = problems.decisions(self.problem, point.state.pieces, end=point.state.clock)
        state, _ = fold(TimeArenaSimulator(self.world, self.rules), decisions)
        return state

    def ended(self, state: ArenaState) -> str | None:
        """Return why the run has ended."""
        return state.end

    def clock(self, state: ArenaState) -> int:
        """Return the next minute."""
        return state.minute

    def record(self, state: ArenaState) -> DecisionRecord:
        """Return the minutes so far."""
        past = state.past
        minutes = tuple(entry.minute for entry in past)
        scores = tuple(entry.score for entry in past)
        necessary = tuple(entry.necessary for entry in past)
        return DecisionRecord(state.end or "exhausted", minutes, scores, necessary)

    def verdict(self, state: ArenaState) -> Replay:
        """Return the verdict: wrong minutes are the violations."""
        past = state.past
        remaining = {key: minutes for key, minutes in state.remaining.items() if minutes}
        open_tasks = {self.world.objects[name].task for name, _, _ in remaining}
        number_of_tasks = len(self.world.tasks)
        violations = tuple(entry.violation for entry in past if entry.violation)
        waits = (entry.minute.minute for entry in past if entry.minute.kind == "wait")
        open_work = {f"{name}: {verb}": minutes for (name, verb, _), minutes in remaining.items()}
        progress = past[-1].score / 100 if past else 0.0
        fatal = violations[-1] if state.end == "five_invalid" else None
        idle = tuple((minute, minute + 1) for minute in waits)
        goal_ratio = (number_of_tasks - len(open_tasks)) / number_of_tasks
        return Replay(
            events=tuple(map(_event, past)),
            violations=violations,
            fatal=fatal,
            executed=state.executed,
            progress=progress,
            goal_ratio=goal_ratio,
            success=state.end == "completed",
            makespan=state.minute,
            remaining=open_work,
            idle=idle,
        )

    def _set_end(self, state: ArenaState) -> ArenaState:
        """Set the reason why the run has ended, if it has; return the state."""
        if state.done == self.world.minutes and (not state.wrong or self.rules.stop_on_complete):
            state.end = "completed"
        elif state.minute >= self.limit:
            state.end = "time_out"
        elif state.wrong >= self.rules.max_wrong_streak:
            state.end = "five_invalid"
        return state

    def _is_idle(self, state: ArenaState) -> bool:
        """Return True if no action can be started."""
        if state.idle is None:
            state.idle = next(self._startable(state), None) is None
        return state.idle

    def _work_on(self, state: ArenaState, text: str, key: RoleKey) -> None:
        """Let the minutes of an occupying action pass, at most up to the limit."""
        begin = state.minute
        while state.remaining[key] and state.minute < self.limit:
            self._work(state, key)
            self._advance(state)
            is_continued = state.minute > begin and state.remaining[key]
            self._record(state, text, "continue" if is_continued else "valid")

    def _work(self, state: ArenaState, key: RoleKey) -> None:
        """Advance some work by one minute."""
        state.remaining[key] -= 1
        if not state.remaining[key]:
            state.idle = None  # startable actions change only when work starts or ends
            role = self.world.objects[key[0]].roles[key[1:]]
            state.done += role.minutes

    def _advance(self, state: ArenaState) -> None:
        """Advance all autonomous work by one minute."""
        for key in list(state.running):
            self._work(state, key)
            if not state.remaining[key]:
                del state.running[key]

    def _record(
        self, state: ArenaState, action: str, kind: str, fault: Violation | None = None, necessary: bool = False
    ) -> None:
        """Append a minute to the history."""
        exact = 100 * state.done / self.world.minutes
        increment: float = 0
        score = int(exact) if self.rules.progress_rounding == "truncated" else exact
        if kind not in SILENT:
            increment, state.last_score = score - state.last_score, score
        reported = state.last_score if self.rules.score_source == "increments" else score
        state.best_score = max(state.best_score, reported)
        minute = Minute(state.minute, action, kind, increment)
        state.history = History(minute, reported, necessary, fault, state.history)
        state.minute += 1

    def _startable(self, state: ArenaState) -> Iterator[str]:
        """Yield all actions that can be started, in a fixed order."""
        remaining, occupied = state.remaining, state.occupied
        for command, key, names, needs in _possible_actions(self.world):
            if remaining[key] and occupied.isdisjoint(names) and not any(map(remaining.__getitem__, needs)):
                yield command

    def _check(self, state: ArenaState, decision: str) -> tuple[str, tuple[RoleKey, ...]]:
        """Return the kind of feedback on a decision, and the roles of the decision."""
        keys = roles_of(decision)
        if not keys or keys[0][1] not in self.world.verbs:
            return "invalid_action", ()
        if not all(key[0] in self.world.objects for key in keys):
            return "nonexistent_object", keys
        is_apart = not _fit(self.world, keys)
        occupied = state.occupied
        kind = ""
        for key in keys:
            if key[0] in occupied:
                kind = "object_occupied"
            if key not in state.remaining or is_apart:
                kind = "object_mismatch"
        if kind:
            return kind, keys
        if any(map(state.remaining.__getitem__, _needs(self.world, keys))):
            return "dependency_violation", keys
        return ("valid" if state.remaining[keys[0]] else "repeated_completed"), keys

    def _fault(self, state: ArenaState, action: str, kind: str, keys: Sequence[RoleKey]) -> TimeArenaViolation:
        """Return the violation of a wrong decision before its minute passes."""
        minute = state.minute
        names = [key[0] for key in keys]
        violation = TimeArenaViolation(minute, kind, action[:80], start=minute, end=minute + 1)
        if kind == "nonexistent_object":
            unknown = [name[:80] for name in names if name not in self.world.objects]
            return violation._replace(actual=tuple(unknown))
        if kind == "object_mismatch":
            wrong = tuple(key[0] for key in keys if key not in state.remaining)
            if wrong:
                return violation._replace(resource=wrong[0], actual=wrong)
            case, required = self._reason_apart(*names)
            return violation._replace(case=case, resource=names[1], required=required, actual=tuple(names))
        if kind == "object_occupied":
            used = set(names)
            holders = [key for key, things in state.running.items() if not used.isdisjoint(things)]
            work = tuple(self._running_work(state, key) for key in holders)
            occupied = tuple(name for name in names if name in state.occupied)
            end = minute + max(state.remaining[key] for key in holders)
            return violation._replace(others=work, resource=occupied[0], required=end, actual=occupied)
        if kind == "dependency_violation":
            needs = _needs(self.world, keys)
            lacking = dict.fromkeys(need for need in needs if state.remaining[need])
            work = tuple(self._running_work(state, need) for need in lacking)
            return violation._replace(others=work)
        return violation

    def _reason_apart(self, first: str, second: str) -> tuple[str, Measure]:
        """Return the reason why two objects must not be combined, and the objects that the second one accepts."""
        if first == second:
            return "twice", None
        objects = self.world.objects
        if objects[first].task != objects[second].task:
            return "tasks", None
        return "reserved", tuple(sorted(self.world.reservations.get(second, ())))

    def _running_work(self, state: ArenaState, key: RoleKey) -> Other:
        """Return work as an action, with its interval if it is autonomous."""
        name, verb, slot = key
        if key not in state.running:
            return Other(words(name, verb))
        end = state.minute + state.remaining[key]
        duration = self.world.objects[name].roles[verb, slot].minutes
        return Other(words(name, verb), end - duration, end)


def _event(entry: History) -> ReplayEvent:
    """Return a minute as an event of the replay."""
    minute, action, kind, _ = entry.minute
    is_accepted = kind not in WRONG
    share = entry.score / 100
    return ReplayEvent(minute, action[:80], minute, minute + 1, is_accepted, share)


def _fit(world: Scenario, keys: Sequence[RoleKey]) -> bool:
    """Return True if the objects of an action may be used together."""
    if len(keys) == 1:
        return True
    return world.may_meet(*(world.objects[key[0]] for key in keys))


def _needs(world: Scenario, keys: Iterable[RoleKey]) -> list[RoleKey]:
    """Return the roles that must be done before an action."""
    needs: list[RoleKey] = []
    for name, verb, slot in keys:
        needs += world.objects[name].roles[verb, slot].needs
    return needs


class _PossibleAction(NamedTuple):
    """Action of the tasks: the work, the objects, and the roles that must be done before."""

    command: str
    key: RoleKey
    names: tuple[str, ...]
    needs: list[RoleKey]


@ProblemCache
def _possible_actions(world: Scenario) -> list[_PossibleAction]:
    """Return all possible actions."""
    actions = []
    for command in world.commands:
        keys = roles_of(command)
        if _fit(world, keys):
            names = tuple(key[0] for key in keys)
            possible = _PossibleAction(command, keys[0], names, _needs(world, keys))
            actions.append(possible)
    return actions
