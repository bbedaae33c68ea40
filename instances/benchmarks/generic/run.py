"""Replays of schedules by the general rules."""

from __future__ import annotations

from dataclasses import replace

from planoracle.instances.benchmarks.generic.rules import GenericSimulator, ScheduleState
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee, refused
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.decision_points import wait_words, waited
from planoracle.instances.protocol.plan import Plan, Target, Targets
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun
from planoracle.instances.protocol.simulator import Step


class GenericRun(ScheduleRun[Schedule, Rules]):
    """Run of a schedule: its pieces in order of their starts; the first violation ends it.

    A simulator that adds rules executes the pieces as in a live run, and its refusal is part of the verdict.

    Parameters
    ----------
    simulator
        Rules of the run, and its problem.
    verdict
        Verdict on the plan; by default that of the simulator on its schedule.
    plan, rules
        Plan that was read, and rules of the run.
    """

    simulator: GenericSimulator

    _ended_by: Violation | None = None

    def __init__(
        self, simulator: GenericSimulator, plan: Plan[Schedule], rules: Rules, verdict: Replay | None = None
    ) -> None:
        self.simulator = simulator
        if verdict is not None:
            registry.check_verdict(simulator.problem, verdict)
        general = verdict
        if verdict is None or simulator.adds_rules:
            general = referee(simulator.problem, plan.commands)
        assert general is not None
        stated = general if verdict is None else verdict
        super().__init__(simulator.problem, plan, rules, stated)
        self._is_valid = general.success
        self._last = simulator.initial()
        if simulator.adds_rules:
            self.verdict = self._with_added_rules(general, verdict)

    @property
    def fault(self) -> Violation | None:
        """First violation of the piece that ended the run; else the first missing action."""
        if not self.steps or self._ended_by is None:
            return super().fault
        return self._ended_by

    def _with_added_rules(self, general: Replay, verdict: Replay | None) -> Replay:
        """Return the verdict of a simulator that adds rules: it executes the pieces, as in a live run.

        Parameters
        ----------
        general
            Verdict of the general rules.
        verdict
            Verdict of the benchmark, if it has stated one.
        """
        is_executed = all(step.kind != "lost" for step in self.steps)
        if verdict is None:
            verdict = self._stated_verdict(general, is_executed=is_executed)
        return verdict if self._ended_by is None else refused(self.problem, verdict, self._ended_by)

    def _stated_verdict(self, general: Replay, *, is_executed: bool) -> Replay:
        """Return the verdict of the simulator; raise `BenchmarkError` if it allows what the problem forbids."""
        is_ended = self.points[-1].over is not None
        is_complete = is_ended or (self._is_valid and is_executed)
        state = self._last if is_complete else self._with_all_pieces()
        verdict = self.simulator.verdict(state)
        is_whole = len(state.point.state.pieces) == len(self.plan.commands.pieces)
        if verdict.success and not (general.success and is_whole):
            kind = next((violation.kind for violation in general.violations), "missing_action")
            fault = f"its simulator accepts a schedule that the problem forbids ({kind})"
            raise registry.contradiction(self.problem, fault)
        return verdict

    def _with_all_pieces(self) -> ScheduleState:
        """Return the last state with all pieces of the plan, also those that were not executed."""
        state = replace(self._last.point.state, pieces=self.plan.commands.pieces)
        return replace(self._last, point=replace(self._last.point, state=state))

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of the pieces and the waits before them, up to the first refusal."""
        simulator = self.simulator
        self._last = replace(simulator.initial(), is_valid=self._is_valid)
        points = [self._last.point]
        steps = list[Step]()
        for piece in self.plan.commands.pieces:
            end = simulator.ended(self._last) if simulator.adds_rules else None
            if end is not None and end != "completed":
                if steps:
                    points[-1] = replace(points[-1], over=end)
                break
            stop = len(steps)
            wait = self._wait_before(piece)
            if wait is not None:
                steps.append(wait)
                points.append(waited(points[-1], wait.end))
            before = simulator.copy(self._last)
            state, (*_, step) = simulator.apply(before, piece)
            if step.violation is not None or step.kind == "lost":
                steps.append(self._refuse(step, piece))
                return DecisionPath((*points, points[-1]), tuple(steps), stop)
            steps.append(step)
            points.append(state.point)
            self._last = state
        return DecisionPath(tuple(points), tuple(steps), len(steps))

    def _wait_before(self, piece: Piece) -> Step | None:
        """Return the wait for the start of a piece, ``None`` if it starts now."""
        clock = self._last.point.state.clock
        if piece.start <= clock:
            return None
        words = wait_words(self.problem, piece.start - clock)
        return Step(self._last.count, words, "wait", clock, piece.start)

    def _refuse(self, step: Step, piece: Piece) -> Step:
        """Return the last step of the run, in which a piece was refused at its start."""
        violation = step.violation
        if violation is not None and violation.kind == "too_many":
            raise PlanError(str(violation.actual), field="plan")
        self._ended_by = violation
        return replace(step, kind="lost", start=piece.start, end=piece.start)

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the pieces up to a step and those of the rest."""
        executed = self.points[count].state.pieces
        schedule = Schedule.of(self.problem, (*executed, *remaining.pieces))
        benchmark = language(self.problem)
        plan = replace(self.plan, commands=schedule, fault="")
        verdict = benchmark.replay(self.problem, plan, self.rules).verdict
        return benchmark.render(self.problem, schedule), verdict

    @property
    def command_texts(self) -> list[str]:
        """Every piece as a command."""
        return [self.simulator.words(piece) for piece in self.plan.commands.pieces]

    def targets(self) -> Targets:
        """Return the pieces as they are."""
        targets = []
        for position, piece in enumerate(self.plan.commands.pieces):
            targets.append(Target(position, self.simulator.words(piece), piece))
        return Targets(self.problem, tuple(targets))


def simulator(problem: Instance, rules: Rules) -> GenericSimulator:
    """Return the general rules for a problem."""
    return GenericSimulator(problem)


def replay(problem: Instance, plan: Plan[Schedule], rules: Rules) -> GenericRun:
    """Replay by `planoracle.instances.model.schedule_rules`."""
    return GenericRun(GenericSimulator(problem), plan, rules)
