"""Recipe2Plan plans and logs as trajectories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planoracle.instances.benchmarks.recipe2plan import replay as referee
from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import Profile
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets, first_or_attempted
from planoracle.instances.protocol.trajectory import (
    DecisionPoint,
    LegalAction,
    Move,
    Trajectory,
    piece_choices,
    started,
    wait_words,
    waited,
)


class Recipe2PlanRun(Trajectory[Answers, Profile]):
    """A plan is carried out up to its first violation, an interactive log over refused commands."""

    def _walk(self) -> tuple[list[Move], int]:
        faults = (one for one in reversed(self.verdict.violations) if one.kind != "no_action")  # which is no command
        first = {fault.position: fault for fault in faults}
        moves: list[Move] = []
        point, stop = self.begin, 0
        events, by_id = self.verdict.events, self.problem.by_id
        for event in events:
            recipe, _, number = event.subject.rpartition("/")
            command = StepCommand(int(number), recipe, event.end - event.start, event.start)
            clock = point.state.clock
            stop = len(moves)
            moves_clock = event.accepted or (self.rules.reject_advances_clock and event.subject in by_id)
            if event.start > clock and moves_clock:
                point = waited(point, event.start)
                words = wait_words(self.problem, event.start - clock)
                moves.append(Move(event.position, words, "wait", clock, event.start, after=point))
            if not event.accepted:
                now = point.state.clock
                fault = first.get(event.position)
                moves.append(Move(event.position, command.text, "lost", now, now, fault, after=point))
                continue
            point = started(point, Piece(event.subject, command.start, command.duration, self.problem.agents[0]))
            moves.append(Move(event.position, command.text, "act", event.start, point.state.clock, after=point))
        whole = self.plan.commands.interactive or not events or events[-1].accepted
        return moves, len(moves) if whole else stop

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the commands carried out up to a step and those of the rest."""
        done = self.points[count].state.pieces
        commands = [_command(piece) for piece in (*done, *rest.pieces)]
        text = ", ".join(command.text for command in commands)
        return text, referee.replay(self.problem, Answers((tuple(commands),)), self.rules)

    @property
    def command_texts(self) -> list[str]:
        """Every step; an answer without one, as a log may hold, as nothing."""
        return [text for answer in self.plan.commands.answers for text in ([one.text for one in answer] or [""])]

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return a step for every piece; their starts say where time passes."""
        return [_command(piece).text for piece in rest.pieces]

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every step that the rules allow now, in every length, and the wait."""
        done = [_command(piece) for piece in point.state.pieces]
        for piece, after in piece_choices(point, step):
            command = _command(piece)
            run = referee.replay(self.problem, Answers(((*done, command),)), self.rules)
            if run.fatal is None:
                yield LegalAction(command.text, "act", after)
        yield LegalAction(wait_words(self.problem, step), "wait", waited(point, point.state.clock + step))

    def targets(self) -> Targets:
        """Return every command where it stands; of a log, those that were carried out."""
        carried: list[Target] = []
        attempted: list[tuple[Target, str]] = []
        unknown: list[DroppedCommand] = []
        for position, (command, accepted) in enumerate(self._commands_with_acceptance()):
            name = f"{command.recipe}/{command.step}"
            text = command.text[:200]
            if name not in self.problem.by_id:
                unknown.append(DroppedCommand(position, text, "names no step"))
                continue
            piece = Piece(name, command.start, command.duration, self.problem.agents[0])
            target = Target(position, text, piece)
            if accepted:
                carried.append(target)
            else:
                attempted.append((target, "was refused"))
        targets, refused = first_or_attempted(carried, attempted)
        return Targets(self.problem, targets, (*unknown, *refused))

    def _commands_with_acceptance(self) -> Iterator[tuple[StepCommand, bool]]:
        """Yield every command, and true if it counts: in a log, if it was carried out."""
        done = Counter((event.subject, event.start, event.end) for event in self.verdict.events if event.accepted)
        for command in self.plan.commands.commands:
            key = (f"{command.recipe}/{command.step}", command.start, command.start + command.duration)
            yield command, not self.plan.commands.interactive or done[key] > 0
            done[key] -= 1


def _command(piece: Piece) -> StepCommand:
    recipe, _, number = piece.action.rpartition("/")
    return StepCommand(int(number), recipe, piece.duration, piece.start)


def replay(problem: Instance, plan: Plan[Answers], rules: Profile) -> Recipe2PlanRun:
    """Replay command by command."""
    return Recipe2PlanRun(problem, plan, rules, referee.replay(problem, plan.commands, rules))
