"""Schedules by the general rules as trajectories."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.benchmarks.generic.rules import GenericSimulator
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.plugin import (
    DecisionPoint,
    Instance,
    LegalAction,
    Move,
    Plan,
    PlanError,
    Replay,
    Rules,
    Schedule,
    Target,
    Targets,
    Trajectory,
    Violation,
    referee,
    wait_words,
    waited,
)


class GenericRun(Trajectory[Schedule, Rules]):
    """Run of a schedule: its pieces in order of their starts; the first violation ends it.

    Parameters
    ----------
    simulator
        Rules of the run, and its problem.
    verdict
        Verdict on the plan; by default that of the general rules on its schedule.
    plan, rules
        Plan that was read, and rules of the run.
    """

    _ended_by: Violation | None = None

    def __init__(
        self, simulator: GenericSimulator, plan: Plan[Schedule], rules: Rules, verdict: Replay | None = None
    ) -> None:
        self.simulator = simulator
        verdict = referee(simulator.problem, plan.commands) if verdict is None else verdict
        super().__init__(simulator.problem, plan, rules, verdict)

    @property
    def fault(self) -> Violation | None:
        """First violation of the piece that ended the run; else the first missing action."""
        if not self.steps or self._ended_by is None:
            return super().fault
        return self._ended_by

    def _walk(self) -> tuple[list[Move], int]:
        moves: list[Move] = []
        state, stop = self.simulator.initial(), 0
        for piece in self.plan.commands.pieces:
            point, stop = state.point, len(moves)
            clock = point.state.clock
            if piece.start > clock:
                point = waited(point, piece.start)
                words = wait_words(self.problem, piece.start - clock)
                moves.append(Move(state.count, words, "wait", clock, piece.start, after=point))
            state, (*_, step) = self.simulator.apply(state, piece, force=self.success)
            if step.violation is not None:
                if step.violation.kind == "too_many":
                    raise PlanError(str(step.violation.actual), field="plan")
                self._ended_by = step.violation
                start = piece.start
                lost = Move(step.position, step.command, "lost", start, start, step.violation, after=point)
                return [*moves, lost], stop
            moves.append(Move(step.position, step.command, "act", step.start, step.end, after=state.point))
        return moves, len(moves)

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the pieces up to a step and those of the rest."""
        executed = self.points[count].state.pieces
        schedule = Schedule.of(self.problem, (*executed, *rest.pieces))
        text = language(self.problem).render(self.problem, schedule)
        return text, referee(self.problem, schedule)

    @property
    def command_texts(self) -> list[str]:
        """Every piece as a command."""
        return [self.simulator.words(piece) for piece in self.plan.commands.pieces]

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return every piece as a command; starts imply waits."""
        return [self.simulator.words(piece) for piece in rest.pieces]

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every piece that can begin now, and the wait."""
        for piece, after in self.simulator.startable(point, step):
            yield LegalAction(self.simulator.words(piece), "act", after)
        after_wait = waited(point, point.state.clock + step)
        yield LegalAction(wait_words(self.problem, step), "wait", after_wait)

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
