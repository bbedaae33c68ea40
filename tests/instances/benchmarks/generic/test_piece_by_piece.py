"""General rules piece by piece: refusals, clocks, steps and starts, compared with their definitions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import count, cycle, islice, permutations
from random import Random
from typing import Any, NamedTuple

import pytest
from support.all_schedules import breaks
from support.changed_schedules import edges, schedules
from support.random_instances import ovens, workshop
from support.random_model_instances import model_mix
from support.samples import sample

from planoracle.instances.benchmarks.generic.rules import GenericSimulator
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Action, Instance, Lag, Mode
from planoracle.instances.model.schedule import Piece, Schedule, variant_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol import decision_points, registry
from planoracle.instances.protocol.decision_points import DecisionPoint, piece_choices, wait_words, waited
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.simulator import fold

BLOCKS, SEEDS, SCHEDULES = 40, 800, 15
#: Kinds of violations that later pieces may repair, or that are checked ahead of time.
LATER = ("missing_action", "minimum_lag", "maximum_lag")


def lagged(seed: int) -> Instance:
    """Return three actions of two tasks with time lags of every sign, some of which may pause."""
    random = Random(f"lagged {seed}")
    actions = []
    for name in ("t/0", "t/1", "u/2"):
        duration = random.choice((1, 2, 2))
        after = tuple(other.id for other in actions if random.random() < 0.2)
        modes = (Mode(after=after), Mode(duration=1))[: random.choice((1, 1, 2))]
        action = Action(name, name[0], duration, 0, random.random() < 0.5, modes, agents=())
        actions.append(action)
    lags = []
    for before, after in permutations(actions, 2):
        if random.random() < 0.4:
            minimum = random.choice((None, -3, -2, 0) if before.id > after.id else (None, -1, 0, 1, 2))
            maximum = random.choice((0, 1, 2) if minimum is None else (None, max(minimum, 0), minimum + 2))
            lags.append(Lag(before.id, after.id, minimum, maximum))
    optional = (("u", 1),) if random.random() < 0.5 else ()
    return Instance(f"lagged-{seed}", tuple(actions), tuple(lags), optional=optional)


MAKERS = (model_mix, lagged, edges, lagged, workshop, breaks, lagged, model_mix, ovens, lagged)


class Start(NamedTuple):
    """Piece of a schedule with the clock before and after it, and the reason of its refusal."""

    piece: Piece
    clock: int
    fault: tuple[Any, ...] | None
    clock_after: int


def may_pause(instance: Instance, name: str) -> bool:
    action = instance.by_id[name]
    return action.interruptible or action.pauses_in_breaks


def fault_of_rules(instance: Instance, pieces: tuple[Piece, ...]) -> tuple[Any, ...] | None:
    """Return the first violation of pieces that no later piece repairs."""
    for violation in find_violations(instance, Schedule(pieces)):
        is_paused = violation.kind == "action_duration" and may_pause(instance, violation.subject)
        is_unfinished = is_paused and not violation.case and violation.actual < violation.required
        if violation.kind not in LATER and not is_unfinished:
            return tuple(violation)
    return None


def fault_of_lags(instance: Instance, pieces: tuple[Piece, ...]) -> tuple[Any, ...] | None:
    """Return the first time lag of the last action that is broken even if all work to come starts now."""
    last = pieces[-1]
    lags = list(instance.lags)
    for name in dict.fromkeys(piece.action for piece in pieces):
        mode = next(piece.mode for piece in pieces if piece.action == name)
        lags += [Lag(before, name) for before in instance.variants[name][mode].after]
    for lag in lags:
        starts = [piece.start for piece in pieces if piece.action == lag.after]
        before = [piece for piece in pieces if piece.action == lag.before]
        if not starts or last.action not in (lag.before, lag.after):
            continue
        variants = [variant_of(instance, before[0])] if before else instance.variants[lag.before]
        work = min(variant.duration for variant in variants) - sum(piece.duration for piece in before)
        task = instance.by_id[lag.before].task
        is_begun = task not in instance.weights or any(instance.by_id[piece.action].task == task for piece in pieces)
        finish = max((piece.end for piece in before), default=0)
        is_to_come = is_begun and (work > 0 or not before)
        if not is_to_come and not before:
            continue
        if is_to_come:
            finish = max(finish, last.start) + work
        if lag.minimum is not None and min(starts) < finish + lag.minimum:
            return "minimum_lag", lag.before, lag.minimum, None if is_to_come else min(starts) - finish
        if lag.maximum is not None and not is_to_come and max(starts) > finish + lag.maximum:
            return "maximum_lag", lag.before, lag.maximum, max(starts) - finish
    return None


def fault_of_last(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> tuple[Any, ...] | None:
    """Return why the last piece is refused at a clock."""
    fault = fault_of_rules(instance, pieces) or fault_of_lags(instance, pieces)
    is_late = fault is None and pieces[-1].start < clock
    return ("agent_busy", "too_early", clock, pieces[-1].start) if is_late else fault


def clock_after(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> int:
    """Return the time after the last piece: start of work without a gap, or when a lone agent is free."""
    last = pieces[-1]
    begin = last.start
    while any(piece.end == begin > piece.start and piece[3:] == last[3:] for piece in pieces if piece[0] == last[0]):
        begin = min(piece.start for piece in pieces if piece[0] == last[0] and piece.end == begin)
    attended = variant_of(instance, last).attended
    busy = last.duration if attended and may_pause(instance, last.action) else attended
    variants = [variant for name in instance.variants for variant in instance.variants[name]]
    is_alone = len(instance.agents) == 1 and last.agent is not None and all(variant.agents for variant in variants)
    return max(clock, begin, begin if not is_alone or not busy else last.start + busy)


def starts_of(instance: Instance, schedule: Schedule, *, is_checked: bool = True) -> Iterator[Start]:
    """Yield the pieces of a schedule; refused ones change nothing."""
    executed: tuple[Piece, ...] = ()
    clock = 0
    for piece in schedule.pieces:
        pieces = (*executed, piece)
        fault = fault_of_last(instance, pieces, clock) if is_checked else None
        after = clock
        if fault is None:
            executed, after = pieces, clock_after(instance, pieces, clock)
        yield Start(piece, clock, fault, after)
        clock = after


def short(violation: Any) -> tuple[Any, ...] | None:
    """Return a violation as the definitions state it."""
    if violation is None:
        return None
    if violation.case == "too_early":
        return violation.kind, violation.case, violation.required, violation.actual
    if violation.kind in LATER:
        return violation.kind, violation.others[0].subject, violation.required, violation.actual
    return tuple(violation)


@cache
def cases(block: int) -> list[tuple[Instance, Schedule, bool]]:
    """Return schedules near the best one of some instances, with the answer of the rules."""
    rows = []
    for seed, make in zip(range(block, SEEDS, BLOCKS), cycle(MAKERS), strict=False):
        try:
            instance = make(seed)
        except InputError:  # its lags form a cycle
            continue
        for schedule, is_accepted in islice(schedules(instance, seed), SCHEDULES):
            rows.append((instance, schedule, is_accepted))
    return rows


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_live_run_refuses_exactly_the_pieces_that_break_a_rule_by_definition(block: int) -> None:
    refusals = set()
    for instance, schedule, is_accepted in cases(block):
        simulator = GenericSimulator(instance)
        state = simulator.initial()
        for start in starts_of(instance, schedule):
            state, steps = simulator.apply(state, start.piece)
            assert short(steps[-1].violation) == start.fault, (instance, schedule.pieces, start)
            assert state.point.state.clock == start.clock_after, (instance, schedule.pieces, start)
            assert steps[-1].position == len(state.point.state.pieces) - (start.fault is None)
            refusals.add(steps[-1].violation and steps[-1].violation.kind)
        assert simulator.success(state) == is_accepted or state.refused
    if block == 0:
        assert {"minimum_lag", "maximum_lag", "agent_busy", "release", None} < refusals
        assert len(refusals) > 10


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_replay_has_the_steps_and_points_up_to_the_first_refusal(block: int) -> None:
    generic = registry.get("generic")
    for instance, schedule, is_accepted in cases(block):
        run = generic.replay(instance, Plan(None, schedule))
        rows: list[tuple[str, str, int, int]] = []
        clocks = [0]
        stop = None
        for start in starts_of(instance, schedule, is_checked=not is_accepted):
            piece, clock, fault, after = start
            if fault is not None:
                stop = len(rows)
                assert short(run.fault) == fault
            if piece.start > clock:
                rows.append(("wait", wait_words(instance, piece.start - clock), clock, piece.start))
                clocks.append(piece.start)
            words = json.dumps(piece._asdict())
            if fault is not None:
                rows.append(("lost", words, piece.start, piece.start))
                clocks.append(clocks[-1])
                break
            rows.append(("act", words, piece.start, max(piece.start, after)))
            clocks.append(after)
        assert [(step.kind, step.command, step.start, step.end) for step in run.steps] == rows
        assert [point.state.clock for point in run.points] == clocks, (instance, schedule.pieces)
        assert run.stop == (len(rows) if stop is None else stop)
        assert run.verdict.success == is_accepted
        texts = [json.dumps(piece._asdict()) for piece in schedule.pieces]
        assert run.command_texts == texts
        assert list(run.targets().targets) == list(zip(count(), texts, schedule.pieces, strict=False))


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_pieces_that_may_start_are_those_that_no_rule_forbids(block: int) -> None:
    starts = 0
    for instance, schedule, is_accepted in cases(block):
        if instance.optional or not is_accepted:  # live runs refuse optional tasks
            continue
        simulator = GenericSimulator(instance)
        point = DecisionPoint(instance)
        for piece in schedule.pieces:
            point = waited(point, max(piece.start, point.state.clock))
            possible = []
            for choice, after in piece_choices(point, 1):
                pieces = (*point.state.pieces, choice)
                if fault_of_last(instance, pieces, point.state.clock) is None:
                    possible.append((choice, after))
            assert list(simulator.startable(point, 1)) == possible, (instance, point)
            only = possible[0][0].action if possible else ""
            assert [entry for entry in possible if entry[0].action == only] == list(
                simulator.startable(point, 1, {only})
            )
            starts += len(possible)
            point = simulator.after_piece(point, piece)
    assert starts > 100 or block


def test_executed_pieces_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_points, "_MAX_PIECES", 1)
    instance = Instance("pair", (Action("t/a", "t", 1, 1), Action("t/b", "t", 1, 1)))
    pieces = Piece("t/a", 0, 1, "agent"), Piece("t/b", 1, 1, "agent")
    _, steps = fold(GenericSimulator(instance), pieces)
    violation = steps[-1].violation
    assert violation is not None
    assert (violation.kind, violation.position, violation.subject) == ("too_many", 1, "t/b")
    run = registry.get("generic").replay(instance, Plan(None, Schedule(pieces)))
    with pytest.raises(PlanError, match=r"^plan: contains more than 1 executed pieces$"):
        _ = run.steps
