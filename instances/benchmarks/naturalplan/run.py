"""Runs of Natural Plan: the simulator of live runs, and replays of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, PlanVerdict, Profile
from planoracle.instances.benchmarks.naturalplan.task_modules import modules_of
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint, waited
from planoracle.instances.protocol.plan import Plan, Target, Targets
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun, path_of
from planoracle.instances.protocol.simulator import CLOSE, LegalCommand, ScheduleSimulator, Step, Unreadable

#: Number of refused commands that do not end a live run; the next one does.
MAX_REFUSALS = 10


@dataclass(frozen=True, slots=True)
class PlanState:
    """State of a live run.

    Attributes
    ----------
    answer
        Steps that were accepted.
    text
        The whole answer as a message, in tasks that are answered at once.
    refused
        Number of refused commands.
    over
        Reason why the run has ended; empty if it goes on.
    """

    answer: PlanAnswer
    text: str = ""
    refused: int = 0
    over: str = ""


class PlanSimulator(ScheduleSimulator[PlanState, str | Unreadable]):
    """Rules of a problem. Commands are sentences of a plan, or a whole answer where a task has no steps.

    Parameters
    ----------
    problem, rules
        Problem as the rules change it, and the rules.
    """

    def __init__(self, problem: Instance, rules: Profile) -> None:
        self.problem = problem
        self.rules = rules

    @property
    def answers(self) -> ModuleType:
        """Module of answers to the task."""
        return modules_of(self.problem).answers

    def grade(self, answer: PlanAnswer) -> PlanVerdict:
        """Return the grading on an answer."""
        grading: PlanVerdict = self.answers.grade(self.problem, answer, self.rules)
        return grading

    def initial(self) -> PlanState:
        """Return the state before the first command."""
        return PlanState(PlanAnswer((), is_open=True))

    def apply(self, state: PlanState, command: str | Unreadable) -> tuple[PlanState, tuple[Step, ...]]:
        """Return the state after a command; a refused one changes nothing."""
        position, clock = len(state.answer.steps), self.clock(state)
        if command == CLOSE:
            closed = replace(state, answer=replace(state.answer, is_open=False), over="finished")
            return closed, (Step(position, CLOSE, "close", clock, clock),)
        text = command.text if isinstance(command, Unreadable) else command
        answer = self._read(text)
        if answer is None:
            violation = Violation(None, "unreadable", text[:200])
            return self._refused(state, Step(position, text[:200], "lost", clock, clock, violation))
        if self.answers.IS_STEPWISE:
            return self._take(state, self._logged(answer))
        steps = self.grade(answer).steps
        return replace(state, answer=answer, text=text, over="answered"), steps

    def _read(self, text: str) -> PlanAnswer | None:
        """Return the answer in a command, ``None`` if there is none."""
        try:
            reading = self.answers.reading(self.problem, text, self.rules)
        except PlanError:
            return None
        answer: PlanAnswer = reading.commands
        return answer if answer.steps and not reading.fault else None

    def _logged(self, answer: PlanAnswer) -> PlanAnswer:
        """Return the first step of an answer, as the log of the run is read."""
        log = [{"response": self.answers.line_of(answer.steps[0])}]
        logged: PlanAnswer = self.answers.reading(self.problem, log, self.rules).commands
        return logged

    def _take(self, state: PlanState, answer: PlanAnswer) -> tuple[PlanState, tuple[Step, ...]]:
        """Return the state after the first step of a message."""
        steps = (*state.answer.steps, answer.steps[0])
        longer = replace(state.answer, steps=steps)
        grading = self.grade(longer)
        last = grading.steps[-1]
        if last.violation is not None:
            return self._refused(state, last)
        pieces = [step.piece for step in grading.steps if step.piece is not None]
        longer = replace(longer, pieces=Schedule.of(self.problem, pieces).pieces)
        over = "completed" if grading.replay.success else ""
        return replace(state, answer=longer, over=over), (last,)

    def _refused(self, state: PlanState, step: Step) -> tuple[PlanState, tuple[Step, ...]]:
        refused = state.refused + 1
        over = "too_many_refusals" if refused > MAX_REFUSALS else ""
        return replace(state, refused=refused, over=over), (step,)

    def legal(self, state: PlanState) -> list[LegalCommand]:
        """Return some of the commands that the rules allow, and `CLOSE`."""
        texts = self.answers.choices(self.problem, state.answer, self.rules)
        return [*(LegalCommand(text, "act") for text in texts), LegalCommand(CLOSE, "close")]

    def ended(self, state: PlanState) -> str | None:
        """Return the reason why the run has ended."""
        return state.over or None

    def clock(self, state: PlanState) -> int:
        """Return the time in ticks."""
        return self.point(state).state.clock

    def verdict(self, state: PlanState) -> Replay:
        """Return the verdict on the accepted steps."""
        return self.grade(state.answer).replay

    # Decision points

    def path(self, steps: Sequence[Step]) -> DecisionPath:
        """Return the path of steps; it stops at the first one that is lost."""
        path = path_of(self, DecisionPoint(self.problem), steps)
        lost = [number for number, step in enumerate(steps) if step.kind == "lost"]
        return path._replace(stop=min(lost, default=len(steps)))

    def point(self, state: PlanState) -> DecisionPoint:
        """Return the point after the accepted steps."""
        path = self.path(self.grade(state.answer).steps)
        return path.points[path.stop]

    def next_point(self, point: DecisionPoint, step: Step) -> DecisionPoint:
        """Return the point after a step: ways take time, too."""
        if step.piece is not None:
            return self.after_piece(point, step.piece)
        return waited(point, step.end) if step.end > point.state.clock else point

    def choices(self, point: DecisionPoint, step: int, state: PlanState | None = None) -> Iterator[LegalCommand]:
        """Yield the legal commands of a state; points alone do not determine them."""
        if state is not None:
            yield from self.legal(state)

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return the plan of a schedule as messages, from the beginning of a run."""
        written = self.answers.written(self.problem, remaining)
        return [*written, CLOSE] if self.answers.IS_STEPWISE else [text_of_plan(written)]


class PlanRun(ScheduleRun[PlanAnswer, Profile]):
    """Replay of an answer."""

    simulator: PlanSimulator

    def __init__(self, problem: Instance, plan: Plan[PlanAnswer], rules: Profile) -> None:
        self.simulator = PlanSimulator(problem, rules)
        self.grading = self.simulator.grade(plan.commands)
        super().__init__(problem, plan, rules, self.grading.replay)

    def compute_path(self) -> DecisionPath:
        """Return the steps of the answer and the points between them."""
        return self.simulator.path(self.grading.steps)

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the plan of the pieces up to a step and those of the rest, and its verdict."""
        executed = self.points[count].state.pieces
        schedule = Schedule.of(self.problem, (*executed, *remaining.pieces))
        text = text_of_plan(self.simulator.answers.written(self.problem, schedule))
        answer: PlanAnswer = self.simulator.answers.reading(self.problem, text, self.rules).commands
        return text, self.simulator.grade(answer).replay

    @property
    def command_texts(self) -> list[str]:
        """Every step of the answer as a command."""
        return [step.command for step in self.grading.steps]

    def targets(self) -> Targets:
        """Return the pieces of the answer as they are."""
        targets = []
        for position, piece in enumerate(self.plan.commands.pieces):
            targets.append(Target(position, self.problem.by_id[piece.action].label, piece))
        return Targets(self.problem, tuple(targets))


def text_of_plan(written: object) -> str:
    """Return a plan as text, with a line for each sentence."""
    return "\n".join(written) if isinstance(written, list) else str(written)


def simulator(problem: Instance, rules: Profile) -> PlanSimulator:
    """Return the rules for a problem."""
    return PlanSimulator(under(problem, rules), rules)


def replay(problem: Instance, plan: Plan[PlanAnswer], rules: Profile) -> PlanRun:
    """Grade an answer."""
    return PlanRun(under(problem, rules), plan, rules)


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem as the rules change it."""
    changed: Instance = modules_of(problem).tasks.under(problem, rules)
    return changed
