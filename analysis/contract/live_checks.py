"""Checks of live runs: legal and refused commands, grades of every state, snapshots, ends."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

from planoracle.analysis.contract.cases import (
    MOST_TRIED,
    ContractCase,
    NotApplicableError,
    is_refused,
    mutate,
    require,
    require_equal,
    view,
)
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.schedule_run import ScheduleRun
from planoracle.instances.protocol.simulator import LegalCommand, ScheduleSimulator, Step

# Maximum number of messages of a run of refusals or waits.
_MOST_MESSAGES = 3_000


def legal_commands(case: ContractCase) -> None:
    """Check that every legal command is accepted, as a command and as text, and is in the action space."""
    space = case.benchmark.action_space(case.problem)
    names = set() if space is None else set(space.names)
    require(space is None or len(names) == len(space.names), "different names in the action space", space)
    for _, run, message, _, random in case.moves():
        legal = list(run.legal())
        require_equal(len({one.text for one in legal}), len(legal), "number of different legal commands", message)
        for command in random.sample(legal, min(len(legal), MOST_TRIED)):
            one, other = run.fork(), run.fork()
            results = one.step(command).outcomes
            own = [result for result in results if command.text == result.command] or list(results[-1:])
            accepted = own and not is_refused(own) and all(one.violation is None for one in own)
            require(accepted, "an accepted command", results, command.text)
            is_wait = command.kind == "wait"
            require(
                not is_wait or any(deed.end > deed.start for deed in own),
                "a wait of at least one tick",
                own,
                command.text,
            )
            require(one.submission() != run.submission() or one.done, "a changed submission", "none", command.text)
            require_equal(
                other.step(command.text).observation, one.observation, "answer to the command as text", command.text
            )
            require_equal(other.submission(), one.submission(), "submission after the command as text", command.text)
            require(space is None or space.name_of(command.text) in names, "a name of the action space", command.text)


def refused_commands(case: ContractCase) -> None:
    """Check that a command that is not legal is refused, and changes nothing but the clock."""
    space = case.benchmark.action_space(case.problem)
    # If commands state times, or parameters are part of the solution, legal commands are incomplete.
    is_open = not case.benchmark.allows_hints or (space is not None and space.timed)
    commands: list[str] = [] if space is None or is_open else list(space.names)
    fresh = State.of(case.environment())
    for _, run, _, _, random in case.moves():
        if run.done or random.random() < 0.5:
            continue
        before, waited = State.of(run), run.fork()
        for wait in [one for one in before.legal if one.kind == "wait"][:1]:
            waited.step(wait)
        legal = {one.text for one in before.legal}
        commands += sorted(legal.difference(commands))
        tried = {
            *random.sample(commands, min(len(commands), MOST_TRIED)),
            *(mutate(commands, random) for _ in range(2)),
        }
        for text in sorted(tried - legal):
            after = run.fork()
            results = after.step(text).outcomes
            accepted_texts = {one.command for one in results if one.kind == "act" and one.violation is None}
            require(is_open or accepted_texts <= legal, "a refusal, since the command is not legal", results, text)
            if is_refused(results) and not after.done:
                _check_unchanged(
                    State.of(after), before, State.of(waited), fresh, results[-1].end if results else before.clock, text
                )


class State(NamedTuple):
    """Parts of the state that a refusal must not change; ``pieces`` only in runs on scheduling problems."""

    clock: int
    legal: Sequence[LegalCommand]
    situation: str
    pieces: object

    @classmethod
    def of(cls, run: AnyEnvironment) -> State:
        """Return the state of a run."""
        simulator = run.simulator
        pieces = None
        if isinstance(simulator, ScheduleSimulator):
            pieces = simulator.point(run.state.world).state.pieces
        return cls(run.observation.clock, run.legal(), run.situation(), pieces)


def _check_unchanged(after: State, before: State, waited: State, fresh: State, end: int, text: str) -> None:
    """Check that a refusal leaves the state, is like a wait, or starts the run again."""
    possible = (before, waited, fresh)
    require(after.legal in [one.legal for one in possible], "the same legal commands", after.legal, text)
    clocks = (end, fresh.clock)
    require(after.clock in clocks, f"one of the clocks {clocks}", after.clock, text)
    is_same = after.situation in (before.situation, fresh.situation)
    require(is_same or after.clock != before.clock, "the same situation", after.situation, text)
    require(after.pieces in (before.pieces, fresh.pieces), "the same pieces", after.pieces, text)


def graded_states(case: ContractCase) -> None:
    """Check that after every message the replay agrees with the live run in verdict and times."""
    for odd in (0.0, 0.25):
        for before, run, message, results, _ in case.moves(odd):
            record, replay = run.submission(), run.run()
            require_equal(json.loads(json.dumps(record)), record, "submission as JSON", message)
            require_equal(replay.rules, case.rules, "rules of the replay", message)
            require_equal(
                run.verdict(), replay.verdict, "verdict of the simulator to equal that of the replay,", message
            )
            verdict, steps = replay.verdict, replay.steps
            violations = {(one.position, one.kind) for one in verdict.violations}
            lost = {(one.position, one.violation.kind) for one in steps if one.violation}
            require(lost <= violations, f"violations {lost} in the verdict", violations, message)
            refused = {one.violation.kind for one in results if one.violation}
            is_new = record != before.submission()
            require(
                not is_new or refused <= {kind for _, kind in violations}, f"violations {refused}", violations, message
            )
            if not odd and not run.done:
                _compare_times(steps, [one for turn in run.turns for one in turn.outcomes], message)
            if isinstance(replay, ScheduleRun):
                point = replay.points[replay.stop]
                require_equal(run.observation.clock, point.state.clock + point.lost, "clock of the replay", message)
            rest = sorted({one.kind for one in run.legal()})
            require(not verdict.success or rest in ([], ["close"]), "the end of the run after a success", rest, message)
            require(
                run.done or replay.lost_at(len(steps)) != "over",
                "the end of the run, as in the replay",
                "none",
                message,
            )


def _compare_times(steps: Sequence[Step], live: Sequence[Step], message: str) -> None:
    """Compare times of commands; the replay may join parts of an interrupted action."""
    replayed, seen = ([(one.start, one.end) for one in every if one.kind == "act"] for every in (steps, live))
    starts = {start for start, _ in seen}
    require({start for start, _ in replayed} <= starts, f"starts among {starts}", replayed, message)
    if len(replayed) == len(seen):
        require_equal(sorted(replayed), sorted(seen), "times of the commands carried out", message)


def snapshots(case: ContractCase) -> None:
    """Check that snapshots and forks are independent of the run and replay identically."""
    for moves in case.runs(0.1, 12):
        for before, run, message, _, random in moves:
            state, visible_state, after = before.state, view(before), view(run)
            for other in (before.fork(), deepcopy(before)):
                other.step(message)
                require_equal(view(other), after, "state of a copy after the same message", message)
                for _ in range(3):
                    if not other.done:
                        other.step(mutate([message, "wait"], random))
                require_equal(view(before), visible_state, "state of the run before the copy continued", message)
                require_equal(view(run), after, "state of the original run after the copy continued", message)
                other.restore(state)
                require_equal(view(other), visible_state, "restored state", message)
        repeated = case.environment()
        for turn in run.turns:
            repeated.step(turn.message)
        require_equal(view(repeated), view(run), "state after the same messages", message)
        repeated.reset()
        require_equal(view(repeated), view(case.environment()), "state after a reset", "reset")


def pickles(case: ContractCase) -> None:
    """Check that a run can be pickled and continues identically."""
    for before, run, message, _, _ in case.moves(0.0, 6):
        try:
            data = pickle.dumps(before)
        except TypeError as error:
            raise NotApplicableError(f"runs of this benchmark cannot be pickled: {error}") from None
        copy = pickle.loads(data)
        copy.step(message)
        require_equal(view(copy), view(run), "state of a pickled run", message)


def ends(case: ContractCase) -> None:
    """Check that a run of refusals or waits ends within the limits, and accepts no commands afterwards."""
    for has_waits in (False, True):
        run, message = case.environment(bounded=True), "Nothing that means anything"
        limit = run.run().time_limit
        for _ in range(_MOST_MESSAGES):
            clock = run.observation.clock
            require(limit is None or clock < limit or run.done, f"an end at the time limit {limit}", clock, message)
            require(limit is None or clock <= limit, f"no time after the time limit {limit}", clock, message)
            if run.done:
                break
            waits = [one.text for one in run.legal() if one.kind == "wait"] if has_waits else []
            message = (waits or [message])[0]
            run.step(message)
        require(run.done, f"an end after at most {_MOST_MESSAGES} messages", "none", message)
        _check_over(run)
    stopped = case.environment()
    stopped.stop("stopped")
    _check_over(stopped)


def _check_over(run: AnyEnvironment) -> None:
    visible_state = view(run)
    require_equal(list(run.legal()), [], "legal commands after the end")
    for message in ("wait", "", None):
        try:
            run.step(message)
        except InputError:
            require_equal(view(run), visible_state, "state after the end", message)
        else:
            require(False, "an error, since the run is over", "none", message)
