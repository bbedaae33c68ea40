"""Checks of live runs: legal and refused commands, grades of every state, snapshots, ends."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
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
_MOST_MESSAGES = 12_000


def legal_commands(case: ContractCase) -> None:
    """Check that every legal command is accepted, as a command and as text, and is in the action space."""
    space = case.benchmark.action_space(case.problem)
    names: set[str] = set()
    if space is not None:
        names.update(space.names)
        require(len(names) == len(space.names), "different names in the action space", space)
    for _, run, message, _, random in case.moves():
        legal = list(run.legal())
        texts = {command.text for command in legal}
        require_equal(len(texts), len(legal), "number of different legal commands", message)
        for command in random.sample(legal, min(len(legal), MOST_TRIED)):
            text = command.text
            _check_accepted(run, command)
            require(space is None or space.name_of(text) in names, "a name of the action space", text)


def _check_accepted(run: AnyEnvironment, command: LegalCommand) -> None:
    """Check that a run accepts a legal command, and that its text has the same effect."""
    after, after_text = run.fork(), run.fork()
    text = command.text
    results = after.step(command).outcomes
    outcomes = [result for result in results if result.command == text] or list(results[-1:])
    has_violation = any(outcome.violation is not None for outcome in outcomes)
    is_accepted = outcomes and not is_refused(outcomes) and not has_violation
    require(is_accepted, "an accepted command", results, text)
    takes_time = any(outcome.end > outcome.start for outcome in outcomes)
    is_wait = command.kind == "wait"
    require(takes_time or not is_wait, "a wait of at least one tick", outcomes, text)
    submission = after.submission()
    require(submission != run.submission() or after.done, "a changed submission", "none", text)
    transition = after_text.step(text)
    require_equal(transition.observation, after.observation, "answer to the command as text", text)
    require_equal(after_text.submission(), submission, "submission after the command as text", text)


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
        waits = [command for command in before.legal if command.kind == "wait"]
        for wait in waits[:1]:
            waited.step(wait)
        legal = {command.text for command in before.legal}
        commands += sorted(legal.difference(commands))
        tried = set(random.sample(commands, min(len(commands), MOST_TRIED)))
        tried.update(mutate(commands, random) for _ in range(2))
        for text in sorted(tried - legal):
            after = run.fork()
            results = after.step(text).outcomes
            accepted = (result for result in results if result.kind == "act" and result.violation is None)
            accepted_texts = {result.command for result in accepted}
            require(is_open or accepted_texts <= legal, "a refusal, since the command is not legal", results, text)
            if is_refused(results) and not after.done:
                end = results[-1].end if results else before.clock
                _check_unchanged(State.of(after), before, State.of(waited), fresh, end, text)


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
    possible = [state.legal for state in (before, waited, fresh)]
    require(after.legal in possible, "the same legal commands", after.legal, text)
    clocks = (end, fresh.clock)
    require(after.clock in clocks, f"one of the clocks {clocks}", after.clock, text)
    is_same = after.situation in (before.situation, fresh.situation)
    require(is_same or after.clock != before.clock, "the same situation", after.situation, text)
    require(after.pieces in (before.pieces, fresh.pieces), "the same pieces", after.pieces, text)


def graded_states(case: ContractCase) -> None:
    """Check that after every message the replay agrees with the live run in verdict, score and times."""
    for odd in (0.0, 0.25):
        for before, run, message, results, _ in case.moves(odd):
            record, replay = run.submission(), run.run()
            stored = json.loads(json.dumps(record))
            require_equal(stored, record, "submission as JSON", message)
            require_equal(replay.rules, case.rules, "rules of the replay", message)
            verdict, steps = replay.verdict, replay.steps
            require_equal(run.verdict(), verdict, "verdict of the simulator to equal that of the replay,", message)
            _check_score(case, run, message)
            violations = {(violation.position, violation.kind) for violation in verdict.violations}
            lost = {(step.position, step.violation.kind) for step in steps if step.violation}
            require(lost <= violations, f"violations {lost} in the verdict", violations, message)
            kinds = {kind for _, kind in violations}
            refused = {result.violation.kind for result in results if result.violation}
            is_new = record != before.submission()
            require(not is_new or refused <= kinds, f"violations {refused}", violations, message)
            if not odd and not run.done:
                live_steps = list(chain.from_iterable(turn.outcomes for turn in run.turns))
                _compare_times(steps, live_steps, message)
            if isinstance(replay, ScheduleRun):
                point = replay.points[replay.stop]
                clock = point.state.clock + point.lost
                require_equal(run.observation.clock, clock, "clock of the replay", message)
            remaining = sorted({command.kind for command in run.legal()})
            is_over = remaining in ([], ["close"])
            # A plan without some optional tasks is valid, but the run can go on with them.
            may_go_on = bool(getattr(case.problem, "weights", {}))
            is_right_end = not verdict.success or is_over or may_go_on
            require(is_right_end, "the end of the run after a success", remaining, message)
            is_equal = run.done or replay.lost_at(len(steps)) != "over"
            require(is_equal, "the end of the run, as in the replay", "none", message)


def _check_score(case: ContractCase, run: AnyEnvironment, message: str) -> None:
    """Compare the main score by the state, see `MetricSet.live_row`, with that of the grade."""
    row = case.benchmark.metrics.live_row(run, case.oracle)
    if row is not None:
        score = case.grade(run).main_score
        require_equal(case.benchmark.main_score(row), score, "main score by the state to equal the grade's,", message)


def _compare_times(steps: Sequence[Step], live: Sequence[Step], message: str) -> None:
    """Compare times of commands; the replay may join parts of an interrupted action."""
    replayed, live_times = _times_of_actions(steps), _times_of_actions(live)
    starts = {start for start, _ in live_times}
    require({start for start, _ in replayed} <= starts, f"starts among {starts}", replayed, message)
    if len(replayed) == len(live_times):
        require_equal(sorted(replayed), sorted(live_times), "times of the commands carried out", message)


def _times_of_actions(steps: Sequence[Step]) -> list[tuple[int, int]]:
    return [(step.start, step.end) for step in steps if step.kind == "act"]


def snapshots(case: ContractCase) -> None:
    """Check that snapshots and forks are independent of the run and replay identically."""
    for moves in case.runs(0.1, 12):
        for before, run, message, _, random in moves:
            state = before.state
            visible_state, after = view(before), view(run)
            for copy in (before.fork(), deepcopy(before)):
                copy.step(message)
                require_equal(view(copy), after, "state of a copy after the same message", message)
                for _ in range(3):
                    if not copy.done:
                        copy.step(mutate([message, "wait"], random))
                require_equal(view(before), visible_state, "state of the run before the copy continued", message)
                require_equal(view(run), after, "state of the original run after the copy continued", message)
                copy.restore(state)
                require_equal(view(copy), visible_state, "restored state", message)
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
            if has_waits:
                waits = [command.text for command in run.legal() if command.kind == "wait"]
                message = waits[0] if waits else message
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
