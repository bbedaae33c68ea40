"""Simulator of the general rules: each piece of a schedule is checked with the pieces before it."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, product
from math import gcd
from operator import attrgetter

from planoracle.instances.errors import PlanError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.general_violations import fault, other_of
from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule, variant_of
from planoracle.instances.model.schedule_rules import referee, violations_of_last
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Other, Replay, Violation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.decision_points import (
    DecisionPoint,
    clock_after,
    piece_choices,
    remaining_ticks,
    started,
    wait_words,
    waited,
)
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.instances.protocol.simulator import CLOSE, Acceptance, LegalCommand, ScheduleSimulator, Step, Unreadable
from planoracle.instances.protocol.start_times import MAX_LENGTHS, fitting_starts, fixed_times, moments

#: Maximum number of refused commands; the next refusal ends the run.
MAX_REFUSALS = 10


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """State of a run by the general rules.

    Attributes
    ----------
    point
        Decision point with the executed pieces.
    count, refused
        Numbers of executed and of refused commands.
    closed
        True if the agent gave up.
    is_valid
        True in the replay of a schedule that the general rules accept as a whole; its pieces are not checked by them.
    """

    point: DecisionPoint
    count: int = 0
    refused: int = 0
    closed: bool = False
    is_valid: bool = False


# Methods by which a derived class changes runs; the others describe commands only.
_RULES = ("initial", "copy", "apply", "refusal", "ended", "verdict")


class GenericSimulator(ScheduleSimulator[ScheduleState, Piece | Unreadable | str]):
    """General rules, piece by piece in the order of starts.

    The rules check a schedule as a whole. The simulator refuses a piece that breaks a rule together with the pieces
    before it, or makes a rule impossible to satisfy; a refused piece changes nothing. Commands are pieces,
    `Unreadable` or `CLOSE`.

    Parameters
    ----------
    problem
        Problem as the rules change it.
    """

    def __init__(self, problem: Instance) -> None:
        self.problem = problem

    @cached_property
    def adds_rules(self) -> bool:
        """True if a derived class may refuse a schedule that the problem allows."""
        kind = type(self)
        return any(getattr(kind, name) is not getattr(GenericSimulator, name) for name in _RULES)

    @property
    def is_restricted(self) -> bool:
        """True if the benchmark may refuse a schedule that the problem allows."""
        return self.adds_rules or not registry.is_bundled(self.problem.benchmark)

    def acceptance(self, rules: Rules) -> Acceptance | None:
        """Return `accepts_pieces` for some rules, ``None`` if the benchmark only has general rules."""
        return partial(self.accepts_pieces, rules=rules) if self.is_restricted else None

    def accepts_pieces(self, pieces: Sequence[Piece], rules: Rules) -> bool:
        """Return True if the rules of the benchmark accept a schedule of these pieces."""
        schedule = Schedule.of(self.problem, pieces)
        plan = Plan(None, schedule)
        return language(self.problem).replay(self.problem, plan, rules).success

    def words(self, piece: Piece) -> str:
        """Return a piece as a command of the plan language."""
        return json.dumps(piece._asdict())

    def refusal(self, state: ScheduleState, piece: Piece) -> Violation | None:
        """Return the violation if a piece breaks a rule that its problem does not state; by default ``None``.

        Parameters
        ----------
        state
            State before the piece; ``state.point.state.pieces`` have been executed, and ``state.count`` is the position
            of the piece.
        piece
            Piece that the general rules accept.
        """
        return None

    def initial(self) -> ScheduleState:
        """Return the state before the first piece."""
        return ScheduleState(DecisionPoint(self.problem))

    def apply(
        self, state: ScheduleState, command: Piece | Unreadable | str, *, force: bool = False
    ) -> tuple[ScheduleState, tuple[Step, ...]]:
        """Return the state after a piece; ``force`` omits the check by the general rules."""
        point, clock = state.point, state.point.state.clock
        if isinstance(command, Unreadable):
            unread = Violation(None, "unreadable", command.text)
            excerpt = command.text[:200]
            step = Step(state.count, excerpt, "lost", clock, clock, unread)
            return self._refused(state, step)
        if not isinstance(command, Piece):
            step = Step(state.count, CLOSE, "close", clock, clock)
            return replace(state, closed=True), (step,)
        words = self.words(command)
        is_checked = force or state.is_valid
        violation = None
        if not is_checked:
            violation = fault_of(self.problem, (*point.state.pieces, command), clock)
        if violation is None:
            violation = self.refusal(state, command)
        after = point
        if violation is None:
            try:
                after = _after_start(point, command)
            except PlanError as error:
                violation = Violation(state.count, "too_many", command.action, actual=error.message)
        if violation is not None:
            step = Step(state.count, words, "lost", clock, clock, violation)
            return self._refused(state, step)
        now = after.state.clock
        end = max(command.start, now)
        step = Step(state.count, words, "act", command.start, end)
        following = replace(state, point=after, count=state.count + 1)
        if clock < command.start <= now:
            words_of_wait = wait_words(self.problem, command.start - clock)
            wait = Step(state.count, words_of_wait, "wait", clock, command.start)
            return following, (wait, step)
        return following, (step,)

    def accepts(self, state: ScheduleState, piece: Piece) -> bool:
        """Return True if the rules that a derived class adds accept a piece that the general rules accept."""
        return not self.adds_rules or self._refused_step(state, piece) is None

    def _refused_step(self, state: ScheduleState, piece: Piece) -> Step | None:
        """Return the step by which a derived class refuses a piece that the general rules accept."""
        valid_state = replace(self.copy(state), is_valid=True)
        _, steps = self.apply(valid_state, piece)
        refused = (step for step in steps if step.kind == "lost" or step.violation is not None)
        return next(refused, None)

    def _accepted(self, state: ScheduleState, piece: Piece) -> Piece | None:
        """Return a piece if all rules accept it, or the piece at the later start that a rule requires."""
        refused = self._refused_step(state, piece) if self.adds_rules else None
        if refused is None:
            return piece
        start = None if refused.violation is None else refused.violation.required
        if not isinstance(start, int) or start <= piece.start:
            return None
        later = piece._replace(start=start)
        pieces = (*state.point.state.pieces, later)
        if fault_of(self.problem, pieces, state.point.state.clock) is not None:
            return None
        return None if self._refused_step(state, later) is not None else later

    def _refused(self, state: ScheduleState, step: Step) -> tuple[ScheduleState, tuple[Step, ...]]:
        return replace(state, refused=state.refused + 1), (step,)

    def ended(self, state: ScheduleState) -> str | None:
        """Return why the run has ended."""
        if state.closed:
            return "finished"
        if state.point.complete:
            return "completed"
        return "too_many_refusals" if state.refused > MAX_REFUSALS else None

    def clock(self, state: ScheduleState) -> int:
        """Return the time in ticks."""
        return state.point.state.clock

    def verdict(self, state: ScheduleState) -> Replay:
        """Return the verdict on the executed pieces."""
        schedule = Schedule.of(self.problem, state.point.state.pieces)
        return referee(self.problem, schedule)

    def success(self, state: ScheduleState) -> bool:
        """Return True if all actions have been executed as the rules demand."""
        return state.point.complete and self.verdict(state).success

    def point(self, state: ScheduleState) -> DecisionPoint:
        """Return the point with the executed pieces."""
        return state.point

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return every piece as a command; starts imply waits."""
        return [self.words(piece) for piece in remaining.pieces]

    def legal(self, state: ScheduleState) -> list[LegalCommand]:
        """Return pieces that the rules allow, at the clock and at later `moments`; the list is not complete.

        A later start implies a wait. `CLOSE` is legal only if no piece is.
        """
        problem, point = self.problem, state.point
        pieces = point.state.pieces
        remaining = remaining_ticks(problem, pieces)
        ends = [piece.end for piece in pieces]
        over = ends.copy()
        over += [piece.start + variant_of(problem, piece).attended for piece in pieces]
        over += [end + lag for end, lag in product(ends, _lags(problem))]
        over += [action.release for action in problem.actions]
        over += fitting_starts(problem, remaining, [point.state.clock, *over])
        commands: dict[str, None] = {}
        remaining_by_position = [remaining[action.id] for action in problem.actions]
        for start, positions in moments(problem, point.state.clock, over, remaining_by_position):
            only = None
            if positions is not None:
                only = {problem.actions[position].id for position in positions}
            for option, _ in self.startable(waited(point, start), _grid(problem), only):
                accepted = self._accepted(state, option)
                if accepted is not None:
                    commands[self.words(accepted)] = None
        return [LegalCommand(text, "act") for text in commands] or [LegalCommand(CLOSE, "close")]

    def choices(self, point: DecisionPoint, step: int, state: ScheduleState | None = None) -> Iterator[LegalCommand]:
        """Yield every piece that can begin now, and the wait."""
        if self.adds_rules and state is None:
            state = self._after_pieces(point)
        for piece, _ in self.startable(point, step):
            if state is None or self.accepts(state, piece):
                yield LegalCommand(self.words(piece), "act", piece)
        yield LegalCommand(wait_words(self.problem, step), "wait")

    def _after_pieces(self, point: DecisionPoint) -> ScheduleState:
        """Return the state after the pieces of a point, which the general rules accept."""
        state = replace(self.initial(), is_valid=True)
        for piece in point.state.pieces:
            state, _ = self.apply(self.copy(state), piece)
        return state

    def startable(
        self, point: DecisionPoint, step: int, only: Container[str] | None = None
    ) -> Iterator[tuple[Piece, DecisionPoint]]:
        """Yield every piece that the general rules let start now, and the point after it.

        Parameters
        ----------
        point, step
            Decision point, and the number of ticks of which lengths of parts are multiples.
        only
            Actions to consider; by default all.
        """
        early = _early(self.problem, point)
        ready = {name for name in self.problem.by_id if name not in early}
        if only is not None:
            ready = {name for name in ready if name in only}
        for piece, after in piece_choices(point, step, ready) if ready else ():
            if fault_of(self.problem, after.state.pieces, point.state.clock) is None:
                yield piece, after


def _after_start(point: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the point after a piece has been started.

    A piece that continues an earlier one without a gap is joined with it, as in the plan; time does not pass.
    """
    joined = piece
    for earlier in sorted(point.state.pieces, key=attrgetter("end"), reverse=True):
        is_same_work = earlier[0] == piece[0] and earlier[3:] == piece[3:]
        if earlier.end == joined.start and is_same_work:
            joined = joined._replace(start=earlier.start, duration=joined.end - earlier.start)
    after = started(point, piece)
    clock = max(point.state.clock, clock_after(point.instance, joined))
    state = PartialSchedule(after.state.pieces, clock)
    return replace(after, state=state)


@ProblemCache
def _lags(problem: Instance) -> tuple[int, ...]:
    """Return the different minimum lags."""
    return tuple(sorted({lag.minimum for lag in problem.lags if lag.minimum}))


@ProblemCache
def _grid(problem: Instance) -> int:
    """Return the grid of parts of interruptible actions, in ticks; it bounds the number of parts."""
    limits = chain.from_iterable((lag.minimum, lag.maximum) for lag in problem.lags)
    lengths = [abs(limit) for limit in limits if limit]
    lengths += fixed_times(problem)
    longest = 1
    for action in problem.actions:
        durations = [variant.duration for variant in problem.variants[action.id]]
        lengths += durations
        if action.interruptible:
            longest = max(longest, *durations)
    grid = gcd(*lengths) or 1
    factor = -(-longest // (MAX_LENGTHS * grid))
    return grid * factor


def _early(instance: Instance, point: DecisionPoint) -> set[str]:
    """Return actions whose releases or minimum lags forbid a start now; `fault_of` rejects the same."""
    clock, pieces = point.state.clock, point.state.pieces
    started_actions = {piece.action for piece in pieces}
    remaining = remaining_ticks(instance, pieces)
    finish = dict.fromkeys(instance.by_id, 0)
    for piece in pieces:
        finish[piece.action] = max(finish[piece.action], piece.end)
    early = {action.id for action in instance.actions if action.release > clock}
    for lag in instance.lags:
        if lag.minimum is not None and lag.after not in started_actions:
            is_to_come = remaining[lag.before] > 0 or lag.before not in started_actions
            earliest_end = finish[lag.before] + remaining[lag.before]
            if is_to_come:
                earliest_end = max(earliest_end, clock + remaining[lag.before])
            if earliest_end + lag.minimum > clock:
                early.add(lag.after)
    return early


def fault_of(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> Violation | None:
    """Return the violation of the last piece that no later piece can repair, ``None`` if there is none."""
    remaining = remaining_ticks(instance, pieces)
    started_actions = {piece.action for piece in pieces}
    begun_tasks = {instance.by_id[name].task for name in started_actions}
    to_come = set()
    for action in instance.actions:
        is_to_do = action.task not in instance.weights or action.task in begun_tasks
        if is_to_do and (remaining[action.id] > 0 or action.id not in started_actions):
            to_come.add(action.id)
    empty_pieces = [piece for piece in pieces if piece.duration <= 0]
    has_empty_piece = any(variant_of(instance, piece).duration for piece in empty_pieces)
    for violation in violations_of_last(instance, pieces):
        is_unfinished = violation.kind == "action_duration" and not has_empty_piece and remaining[violation.subject] > 0
        subject = instance.by_id.get(violation.subject)
        may_pause = subject is not None and (subject.interruptible or subject.pauses_in_breaks)
        if not (is_unfinished and may_pause):
            return violation
    late = next(_lag_faults(instance, pieces, remaining, to_come), None)
    if late is not None or pieces[-1].start >= clock:
        return late
    last = pieces[-1]
    before = tuple(map(other_of, pieces[-2:-1]))
    position = len(pieces) - 1
    return fault("agent_busy", position, last, before, case="too_early", required=clock, actual=last.start)


def _lag_faults(
    instance: Instance, pieces: tuple[Piece, ...], remaining: dict[str, int], to_come: set[str]
) -> Iterator[Violation]:
    """Yield the time lags that can no longer be kept because of the last piece.

    ``to_come`` is not finished yet.
    """
    last = pieces[-1]
    place = len(pieces) - 1
    pieces_by_action: dict[str, list[Piece]] = {}
    for piece in pieces:
        pieces_by_action.setdefault(piece.action, []).append(piece)
    for lag in (*instance.lags, *_lags_of_modes(instance, pieces_by_action)):
        if last.action not in (lag.before, lag.after) or lag.after not in pieces_by_action:
            continue
        is_to_come = lag.before in to_come
        if not is_to_come and lag.before not in pieces_by_action:
            continue  # its optional task has not begun
        starts = [piece.start for piece in pieces_by_action[lag.after]]
        before_pieces = pieces_by_action.get(lag.before, ())
        finish = max((piece.end for piece in before_pieces), default=0)
        if is_to_come:
            finish = max(finish, last.start) + remaining[lag.before]
        first_start = min((piece.start for piece in before_pieces), default=None)
        prerequisite = (Other(lag.before, first_start, None if is_to_come else finish),)
        shortest_gap = min(starts) - finish
        longest_gap = max(starts) - finish
        if lag.minimum is not None and shortest_gap < lag.minimum:
            actual = None if is_to_come else shortest_gap
            yield fault("minimum_lag", place, last, prerequisite, required=lag.minimum, actual=actual)
        elif lag.maximum is not None and not is_to_come and longest_gap > lag.maximum:
            yield fault("maximum_lag", place, last, prerequisite, required=lag.maximum, actual=longest_gap)


def _lags_of_modes(instance: Instance, pieces_by_action: dict[str, list[Piece]]) -> Iterator[Lag]:
    """Yield the lags that the chosen modes of the started actions have in addition."""
    for name, pieces in pieces_by_action.items():
        yield from (Lag(before, name) for before in variant_of(instance, pieces[0]).after)
