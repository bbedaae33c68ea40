"""Runs of the Robo Challenge and of its online part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from planoracle.instances.benchmarks.asyncplanning.robot_facts import TICKS, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_language import (
    RobotPlan,
    line_from,
    lines_of,
    pieces_of,
    stages_of,
    task_in,
)
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line, line_of
from planoracle.instances.benchmarks.asyncplanning.robot_outcome import Outcome, outcome
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import under as under
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.generic.rules import MAX_REFUSALS, GenericSimulator, ScheduleState
from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.errors import NoSolverError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint, wait_words, waited
from planoracle.instances.protocol.plan import Plan, Target, Targets
from planoracle.instances.protocol.schedule_run import DecisionPath
from planoracle.instances.protocol.simulator import CLOSE, LegalCommand, Step, Unreadable

# Seconds of a wait for the next event.
_LONG_WAIT = 3600
_HINDSIGHT = "in episodes decisions have no cost: when they were made, later orders were unknown"
_FURTHER = "the plan has actions beyond those of the problem, or with other durations, so its decisions have no cost"


class Wait(NamedTuple):
    """Command that lets time pass up to a tick."""

    until: int


class RobotSimulator(GenericSimulator):
    """General rules, with commands as lines of a plan; in episodes what has not arrived is unknown.

    Parameters
    ----------
    problem
        Problem as the rules change it.
    rules
        Rules of the run.
    """

    def __init__(self, problem: Instance, rules: Profile) -> None:
        super().__init__(problem)
        self.rules = rules

    @cached_property
    def adds_rules(self) -> bool:
        """False: the rules accept every schedule that the problem allows."""
        return False

    def words(self, piece: Piece) -> str:
        """Return a piece as a line of a plan.

        >>> from planoracle.instances.benchmarks.asyncplanning.robot_tasks import load
        >>> fish = load("robo/easy/easy_02_fried_fish_plate")
        >>> RobotSimulator(fish, Profile()).words(Piece("fish/fry", 1500, 8000, None))
        '1.500: (fry fish)  [8.000]'
        """
        return line_from(piece).text()

    def stage(self, clock: int) -> int:
        """Return the number of events up to a time."""
        return bisect_right(task_in(self.problem).arrivals, clock)

    def task_at(self, clock: int) -> RobotTask:
        """Return what has arrived by a time."""
        return task_in(self.problem).until(self.stage(clock))

    def next_arrival(self, clock: int) -> int | None:
        """Return the time of the next event, ``None`` after the last one."""
        later = [arrival for arrival in task_in(self.problem).arrivals if arrival > clock]
        return min(later, default=None)

    def apply(
        self, state: ScheduleState, command: Piece | Wait | Unreadable | str, *, force: bool = False
    ) -> tuple[ScheduleState, tuple[Step, ...]]:
        """Return the state after a command; a wait ends at the next event, and without one it is refused."""
        if not isinstance(command, Wait):
            return super().apply(state, command, force=force)
        clock = self.clock(state)
        arrival = self.next_arrival(clock)
        if arrival is None or command.until <= clock:
            violation = Violation(state.count, "no_wait", "wait", start=clock, end=clock)
            step = Step(state.count, "wait", "lost", clock, clock, violation)
            return replace(state, refused=state.refused + 1), (step,)
        end = min(arrival, command.until)
        step = Step(state.count, wait_words(self.problem, end - clock), "wait", clock, end)
        return replace(state, point=waited(state.point, end)), (step,)

    def legal(self, state: ScheduleState) -> list[LegalCommand]:
        """Return pieces of what has arrived, up to the next event, and the wait for it."""
        clock = self.clock(state)
        arrival = self.next_arrival(clock)
        items = self.task_at(clock).by_name
        commands: list[LegalCommand] = []
        for command in super().legal(state):
            line = line_of(command.text)
            if line is None or line.item not in items:
                continue
            if arrival is None or line.start < arrival:  # a later start would tell when the next order arrives
                commands.append(command)
        if arrival is not None:
            commands.append(LegalCommand(_wait_text(arrival - clock), "wait"))
        elif self.problem.weights or not commands:
            commands.append(LegalCommand(CLOSE, "close"))
        return commands

    def ended(self, state: ScheduleState) -> str | None:
        """Return why the run has ended; with optional goals it is complete only when all of them are done."""
        if state.closed:
            return "finished"
        executed = {piece.action for piece in state.point.state.pieces}
        if state.point.complete and executed == self.problem.by_id.keys():
            return "completed"
        return "too_many_refusals" if state.refused > MAX_REFUSALS else None

    def success(self, state: ScheduleState) -> bool:
        """Return True if the run has ended and its plan is valid."""
        return self.ended(state) in ("completed", "finished") and super().success(state)

    def verdict(self, state: ScheduleState) -> Replay:
        """Return the verdict on the executed pieces."""
        schedule = Schedule.of(self.problem, state.point.state.pieces)
        return verdict_of(self.problem, schedule.pieces, graded(self.problem, schedule, self.rules))

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return the lines of pieces and waits for events, and the command that leaves goals out."""
        texts: list[str] = []
        for piece in remaining.pieces:
            clock = point.state.clock
            arrival = self.next_arrival(clock)
            while arrival is not None and arrival <= piece.start:
                texts.append(_wait_text(arrival - clock))
                clock = arrival
                arrival = self.next_arrival(clock)
            texts.append(self.words(piece))
            point = self.after_piece(waited(point, clock), piece)
        executed = {piece.action for piece in point.state.pieces}
        if executed != self.problem.by_id.keys():  # goals with rewards are left out
            texts.append(CLOSE)
        return texts

    def startable(
        self, point: DecisionPoint, step: int, only: Container[str] | None = None
    ) -> Iterator[tuple[Piece, DecisionPoint]]:
        """Yield every action that can start now, by the first robot that can start it: robots are alike."""
        offered: set[str] = set()
        for piece, after in super().startable(point, step, only):
            if piece.action not in offered:
                offered.add(piece.action)
                yield piece, after


def _wait_text(ticks: int) -> str:
    """Return the command that waits for the next event, at most so many ticks away.

    A wait ends at the event. So that commands do not tell when it is, they are the same up to `_LONG_WAIT`.

    >>> _wait_text(2290)
    'wait 3600'
    """
    seconds = max(_LONG_WAIT, -(-ticks // TICKS))
    return f"wait {seconds}"


class RobotRun(GenericRun):
    """Run of a plan as lines.

    Attributes
    ----------
    outcome
        Outcome by the rules.
    lines
        Lines of the plan in the order of their execution, also after the end of the run by the rules.
    is_bounded
        False for a success that the problem does not allow, for instance with shorter durations.
    seconds
        Makespan in seconds, also of a failure; ``None`` if no line could be read.
    form
        Form of the answer: ``lines``, or ``stages`` of an episode.
    """

    rules: Profile

    def __init__(self, problem: Instance, plan: Plan[Schedule], rules: Profile) -> None:
        self.outcome = graded(problem, plan.commands, rules)
        self.lines = lines_of(problem, plan.commands)
        pieces = pieces_of(problem, self.lines)
        executed = Schedule.of(problem, pieces)
        stages = stages_of(problem, plan.commands)
        self._waited_until = getattr(plan.commands, "waited_until", 0)
        commands = replace(plan, commands=RobotPlan(executed.pieces, stages, self._waited_until))
        verdict = verdict_of(problem, executed.pieces, self.outcome)
        makespan = self.outcome.makespan
        self.seconds = None if makespan is None else Fraction(makespan, TICKS)
        self.form = "stages" if task_in(problem).is_online else "lines"
        self.is_bounded = not verdict.success or referee(problem, executed).success
        self._is_regular = self.is_bounded and len(pieces) == len(self.lines)
        super().__init__(RobotSimulator(problem, rules), commands, rules, verdict)

    @property
    def fault(self) -> Violation | None:
        """First violation, which is the reason of the failure."""
        return next(iter(self.verdict.violations), None)

    @property
    def weight(self) -> int | None:
        """Collected reward of a success, else 0; ``None`` without candidates."""
        if not self.problem.weights:
            return None
        return (self.collected_reward or 0) if self.success else 0

    @property
    def collected_reward(self) -> int | None:
        """Reward of the candidates attained at the end, also of a failure; ``None`` without any."""
        candidates = task_in(self.problem).candidates
        if not candidates:
            return None
        states = self.outcome.states
        return sum(candidate.reward for candidate in candidates if states[candidate.item] == candidate.state)

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times, see `ScheduleRun.grid`.

        Raises
        ------
        NoSolverError
            If decisions have no cost.
        """
        if task_in(self.problem).is_online:
            raise NoSolverError(_HINDSIGHT, field="plan")
        if not self._is_regular:
            raise NoSolverError(_FURTHER, field="plan")
        return super().grid

    @property
    def command_texts(self) -> list[str]:
        """Every line, in order."""
        return [line.text() for line in self.lines]

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of the lines.

        Where a line is no action of the problem, it only takes time.
        """
        if self._is_regular:
            path = super().compute_path()
        else:
            path = _path_of_lines(self.problem, self.lines, self.outcome.violations)
        clock = path.points[-1].state.clock
        if path.stop < len(path.steps) or self._waited_until <= clock:
            return path
        words = wait_words(self.problem, self._waited_until - clock)
        wait = Step(len(self.lines), words, "wait", clock, self._waited_until)
        end = waited(path.points[-1], self._waited_until)
        return DecisionPath((*path.points, end), (*path.steps, wait), path.stop + 1)

    def targets(self) -> Targets:
        """Return the pieces as they are."""
        targets: list[Target] = []
        for position, piece in enumerate(self.plan.commands.pieces):
            targets.append(Target(position, line_from(piece).text(), piece))
        return Targets(self.problem, tuple(targets))


def _path_of_lines(problem: Instance, lines: Sequence[Line], violations: Iterable[Violation]) -> DecisionPath:
    """Return a step for every line up to the first fault, and for the waits before them."""
    faults: dict[int, Violation] = {}
    for violation in violations:
        if violation.position is not None:
            faults.setdefault(violation.position, violation)
    points = [DecisionPoint(problem)]
    steps: list[Step] = []
    for position, line in enumerate(lines):
        point = points[-1]
        clock = point.state.clock
        if line.start > clock:
            words = wait_words(problem, line.start - clock)
            steps.append(Step(position, words, "wait", clock, line.start))
            point = waited(point, line.start)
            points.append(point)
        fault = faults.get(position)
        if fault is not None:
            steps.append(Step(position, line.text(), "lost", line.start, line.start, fault))
            points.append(point)
            break
        steps.append(Step(position, line.text(), "act", line.start, line.start))
        pieces = (*point.state.pieces, *_piece_of(problem, point, line))
        state = PartialSchedule(pieces, line.start)
        points.append(replace(point, state=state, reached=max(point.reached, line.end)))
    return DecisionPath(tuple(points), tuple(steps), len(steps))


def _piece_of(problem: Instance, point: DecisionPoint, line: Line) -> list[Piece]:
    """Return the piece that a line starts, unless its action has been started."""
    executed = {piece.action for piece in point.state.pieces}
    return [piece for piece in pieces_of(problem, (line,)) if piece.action not in executed]


def graded(problem: Instance, commands: Schedule, rules: Profile) -> Outcome:
    """Return the outcome of a plan, or of a schedule as the plan that states it."""
    return outcome(task_in(problem), stages_of(problem, commands), rules)


def verdict_of(problem: Instance, pieces: Sequence[Piece], result: Outcome) -> Replay:
    """Return the verdict of an outcome, with events and shares of the pieces by the general rules."""
    general = referee(problem, Schedule(tuple(pieces)))
    violations = result.violations
    makespan = result.makespan or 0
    if not problem.agents:
        general = replace(general, idle=())
    if violations:
        return replace(general, violations=violations, fatal=violations[0], success=False, makespan=makespan)
    return replace(
        general,
        violations=(),
        fatal=None,
        progress=1.0,
        goal_ratio=1.0,
        success=True,
        makespan=makespan,
        remaining={},
    )


def simulator(problem: Instance, rules: Profile) -> RobotSimulator:
    """Return the rules as code."""
    return RobotSimulator(under(problem, rules), rules)


def replay(problem: Instance, plan: Plan[Schedule], rules: Profile) -> RobotRun:
    """Replay a plan."""
    return RobotRun(under(problem, rules), plan, rules)
