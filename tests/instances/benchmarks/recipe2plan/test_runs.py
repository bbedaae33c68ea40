"""Decisions of random plans and logs of Recipe2Plan, compared with their definition."""

from __future__ import annotations

from itertools import chain

from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import Profile
from planoracle.instances.benchmarks.recipe2plan.run import Recipe2PlanRun, replay
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import ReplayEvent
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target
from tests.support.critiques import KITCHEN
from tests.support.recipe2plan import COMMANDS, submissions
from tests.support.replays import recipe_verdict
from tests.support.samples import examples

_LATE = COMMANDS[3]._replace(start=1000)
RULES = st.builds(Profile, reject_advances_clock=st.booleans(), zero_duration=st.sampled_from(["accepted", "rejected"]))


def run_of(answers: Answers, rules: Profile) -> Recipe2PlanRun:
    return replay(KITCHEN, Plan(None, answers), rules)


def piece_of(command: StepCommand) -> Piece:
    return Piece(f"{command.recipe}/{command.step}", command.start, command.duration, "agent")


def tried_commands(answers: Answers, events: tuple[ReplayEvent, ...]) -> list[tuple[int, StepCommand, bool | None]]:
    """Return all commands with their positions; True if accepted, False if refused, ``None`` if not tried."""
    pending = list(events)
    commands = []
    for answer in answers.answers:
        is_tried = True
        for command in answer:
            is_accepted = None
            if is_tried and pending:
                is_accepted = is_tried = pending.pop(0).accepted
            commands.append((len(commands), command, is_accepted))
    return commands


@examples(300, is_shrunk=False)
@given(submissions(), RULES)
def test_decisions_are_commands_and_the_waits_before_them(answers: Answers, rules: Profile) -> None:
    run = run_of(answers, rules)
    clock = 0
    expected: list[tuple[str, int, int, int, tuple[Piece, ...]]] = []
    pieces: tuple[Piece, ...] = ()
    stop = 0
    tried = [(command, accepted) for _, command, accepted in tried_commands(answers, run.verdict.events)]
    for position, (command, accepted) in enumerate(entry for entry in tried if entry[1] is not None):
        piece = piece_of(command)
        moves_clock = accepted or (rules.reject_advances_clock and piece.action in KITCHEN.by_id)
        if moves_clock and command.start > clock:
            expected.append(("wait", position, clock, command.start, pieces))
            clock = command.start
        if not accepted:
            expected.append(("lost", position, clock, clock, pieces))
            continue
        if KITCHEN.by_id[piece.action].attended:
            clock = max(clock, piece.end)
        pieces = (*pieces, piece) if piece.duration else pieces
        expected.append(("act", position, command.start, clock, pieces))
        stop = len(expected)
    steps = []
    for step, point in zip(run.steps, run.points[1:], strict=True):
        steps.append((step.kind, step.position, step.start, step.end, point.state.pieces))
    assert steps == expected
    assert run.points[0].state.pieces == ()
    assert run.stop == (len(steps) if answers.interactive else stop)


@examples(100, is_shrunk=False)
@given(submissions(), RULES, st.integers(0, 9))
def test_completed_run_has_executed_commands_and_those_of_the_rest(answers: Answers, rules: Profile, size: int) -> None:
    run = run_of(answers, rules)
    rest = COMMANDS[size:]
    schedule = Schedule.of(KITCHEN, map(piece_of, rest))
    for count, point in enumerate(run.points[: run.stop + 1]):
        pieces = [*point.state.pieces, *schedule.pieces]
        commands = tuple(StepCommand.of(piece.action, piece.start, piece.duration) for piece in pieces)
        text = ", ".join(command.text for command in commands)
        verdict = recipe_verdict(KITCHEN, Answers((commands,)), rules)
        assert run.completed(count, schedule) == (text, verdict)


@examples(300, is_shrunk=False)
@example(Answers(((*COMMANDS[1:3], _LATE), (COMMANDS[4],)), interactive=True), Profile())
@given(submissions(), RULES)
def test_targets_are_commands_of_a_plan_and_accepted_commands_of_a_log(answers: Answers, rules: Profile) -> None:
    run = run_of(answers, rules)
    accepted: list[Target] = []
    attempted: list[Target] = []
    dropped = []
    for position, command, is_accepted in tried_commands(answers, run.verdict.events):
        text = command.text[:200]
        piece = piece_of(command)
        if piece.action not in KITCHEN.by_id:
            dropped.append(DroppedCommand(position, text, "is not a step of the problem"))
        elif is_accepted or not answers.interactive:
            accepted.append(Target(position, text, piece))
        else:
            attempted.append(Target(position, text, piece))
    for target in attempted:
        if any(target.piece.action == other.piece.action for other in accepted):
            dropped.append(DroppedCommand(target.position, target.command, "was refused"))
        else:
            accepted.append(target)
    targets = run.targets()
    assert targets.problem == KITCHEN
    assert targets.dropped == tuple(dropped)
    assert targets.targets == tuple(sorted(accepted, key=lambda target: (target.piece.start, target.position)))
    texts = [[command.text for command in answer] or [""] for answer in answers.answers]
    assert run.command_texts == [*chain.from_iterable(texts)]
