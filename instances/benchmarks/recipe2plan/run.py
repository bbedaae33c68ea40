"""Replays of Recipe2Plan plans and logs."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.benchmarks.recipe2plan.language import Answers, check_reading
from planoracle.instances.benchmarks.recipe2plan.rules import Profile
from planoracle.instances.benchmarks.recipe2plan.simulation import Recipe2PlanSimulator, replay_answers, simulation_of
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets, first_or_attempted
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun, path_of
from planoracle.instances.protocol.simulator import Step, fold


class Recipe2PlanRun(ScheduleRun[Answers, Profile]):
    """Run: a plan ends at its first violation, an interactive log continues after refused commands."""

    simulator: Recipe2PlanSimulator

    def __init__(self, problem: Instance, plan: Plan[Answers], rules: Profile) -> None:
        self.simulator, commands = simulation_of(problem, plan.commands, rules)
        state, self._commanded = fold(self.simulator, commands)
        super().__init__(problem, plan, rules, self.simulator.verdict(state))

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of all commands; a plan stops before the first violation."""
        steps = [step for step in self._commanded if not _is_no_command(step)]
        path = path_of(self.simulator, DecisionPoint(self.problem), steps)
        is_refused = bool(steps) and steps[-1].kind == "lost"
        if self.plan.commands.interactive or not is_refused:
            return path
        kinds = [step.kind for step in steps[-2:]]
        unplanned = 2 if kinds == ["wait", "lost"] else 1
        return path._replace(stop=path.stop - unplanned)

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the commands carried out up to a step and those of the rest."""
        done = self.points[count].state.pieces
        pieces = (*done, *remaining.pieces)
        commands = [StepCommand.of(*piece[:3]) for piece in pieces]
        text = ", ".join(command.text for command in commands)
        answers = Answers((tuple(commands),))
        return text, replay_answers(self.problem, answers, self.rules)

    @property
    def command_texts(self) -> list[str]:
        """Texts of all steps; an answer without a step is an empty text."""
        texts: list[str] = []
        for answer in self.plan.commands.answers:
            texts += [command.text for command in answer] or [""]
        return texts

    def targets(self) -> Targets:
        """Return every command with its position; of a log, those that were carried out."""
        carried: list[Target] = []
        attempted: list[tuple[Target, str]] = []
        unknown: list[DroppedCommand] = []
        for position, (command, is_accepted) in enumerate(self._commands_with_acceptance()):
            name = f"{command.recipe}/{command.step}"
            text = command.text[:200]
            if name not in self.problem.by_id:
                unknown.append(DroppedCommand(position, text, "is not a step of the problem"))
                continue
            piece = Piece(name, command.start, command.duration, self.problem.agents[0])
            target = Target(position, text, piece)
            if self.plan.commands.interactive and not is_accepted:
                attempted.append((target, "was refused"))
            else:
                carried.append(target)
        targets, refused = first_or_attempted(carried, attempted)
        return Targets(self.problem, targets, (*unknown, *refused))

    def _commands_with_acceptance(self) -> Iterator[tuple[StepCommand, bool]]:
        """Yield every command, and True if it was accepted; a refusal ends its answer."""
        events = iter(self.verdict.events)
        for answer in self.plan.commands.answers:
            is_accepted = True
            for command in answer:
                event = next(events, None) if is_accepted else None
                is_accepted = event is not None and event.accepted
                yield command, is_accepted


def _is_no_command(step: Step) -> bool:
    """Return True for an answer without a command."""
    return step.violation is not None and step.violation.kind == "no_action"


def simulator(problem: Instance, rules: Profile) -> Recipe2PlanSimulator:
    """Return the rules of an interactive run; raises `InputError` if they contradict each other."""
    check_reading(rules)
    return Recipe2PlanSimulator(problem, rules)


replay = Recipe2PlanRun
