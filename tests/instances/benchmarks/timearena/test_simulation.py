"""Random and hostile decisions in TimeArena, compared with a separate model of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.metrics import TimeArenaMeasurement, declare
from planoracle.instances.benchmarks.timearena.problems import RoleKey, Scenario, action_modes, load, world
from planoracle.instances.benchmarks.timearena.rules import MALFORMED, PROFILES, SILENT, WRONG, Profile, exits
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.run import simulator as simulator_of
from planoracle.instances.benchmarks.timearena.simulation import kind_of
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.plan import Target
from planoracle.instances.protocol.scoring import MetricSet
from tests.support.samples import examples, sample
from tests.support.timearena import replay

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
TEA = "timearena/household1"
SCENES = [TEA, TEA, "timearena/cooking2+cooking3", "timearena/shared/cooking1+cooking5+lab3"]
RULES = st.sampled_from([PAPER, RELEASED]) | st.builds(
    Profile,
    score_source=st.sampled_from(["replay", "increments"]),
    progress_rounding=st.sampled_from(["exact", "truncated"]),
    max_wrong_streak=st.sampled_from([1, 2, 3, 5]),
    stop_on_complete=st.booleans(),
    invalid_ticks_world=st.booleans(),
    exit_ends=st.booleans(),
    reserved_objects=st.sampled_from(["task", "released"]),
    normalize=st.booleans(),
)


class Model:
    """Arena by the rules of the released environment, with the options of a profile."""

    def __init__(self, scene: Scenario, rules: Profile, limit: float) -> None:
        self.scene, self.rules, self.limit = scene, rules, limit
        self.remaining: dict[RoleKey, int] = {}
        for thing, role in scene.roles():
            self.remaining[thing.name, role.verb, role.slot] = role.minutes
        self.work = dict(self.remaining)
        self.running: dict[RoleKey, list[str]] = {}
        #: Minute, action, kind and increment; and the score that counts after each minute.
        self.rows: list[tuple[int, str, str, float]] = []
        self.scores: list[float] = []
        self.necessary: list[bool] = []
        self.wrong = 0
        self.reported: float = 0
        #: Text, kind, first minute and end of every decision.
        self.decisions: list[tuple[str, str, int, int]] = []

    @property
    def score(self) -> float:
        finished = sum(minutes for key, minutes in self.work.items() if not self.remaining[key])
        share = 100 * finished / sum(self.work.values())
        return int(share) if self.rules.progress_rounding == "truncated" else share

    def end(self) -> str:
        is_complete = not any(self.remaining.values())
        if is_complete and (self.rules.stop_on_complete or not self.wrong):
            return "completed"
        if len(self.rows) >= self.limit:
            return "time_out"
        return "five_invalid" if self.wrong >= self.rules.max_wrong_streak else ""

    def kind_of(self, text: str) -> tuple[str, list[RoleKey]]:
        """Return the kind of a decision and its roles; the last object that is wrong decides the kind."""
        words = text.split(" ")
        keys: list[RoleKey] = []
        if len(words) == 2:
            keys = [(words[1], words[0], 0)]
        elif len(words) == 4:
            keys = [(words[1], f"{words[0]} {words[2]}", 1), (words[3], f"{words[0]} {words[2]}", 2)]
        if not keys or keys[0][1] not in self.scene.verbs:
            return "invalid_action", keys
        if any(name not in self.scene.objects for name, _, _ in keys):
            return "nonexistent_object", keys
        things = [self.scene.objects[name] for name, _, _ in keys]
        is_apart = len(things) == 2 and not self.scene.may_meet(*things)
        occupied = [name for names in self.running.values() for name in names]
        kind = ""
        for key in keys:
            if key[0] in occupied:
                kind = "object_occupied"
            if key not in self.remaining or is_apart:
                kind = "object_mismatch"
        if kind:
            return kind, keys
        needs = [need for thing, key in zip(things, keys, strict=True) for need in thing.roles[key[1:]].needs]
        if any(self.remaining[need] for need in needs):
            return "dependency_violation", keys
        return "valid" if self.remaining[keys[0]] else "repeated_completed", keys

    def pass_minute(self, text: str, kind: str, *, is_still: bool = False, necessary: bool = False) -> None:
        """Append a minute; running work advances unless it stands still."""
        for key in [] if is_still else list(self.running):
            self.remaining[key] -= 1
            if not self.remaining[key]:
                del self.running[key]
        increment: float = 0
        if kind not in SILENT:
            increment = self.score - self.reported
            self.reported = self.score
        self.rows.append((len(self.rows), text, kind, increment))
        self.scores.append(self.reported if self.rules.score_source == "increments" else self.score)
        self.necessary.append(necessary)

    def decide(self, decision: str) -> None:
        begin = len(self.rows)
        text = " ".join(decision.lower().split()) if self.rules.normalize else decision.strip()
        kind, keys = ("wait", []) if text == "wait" else self.kind_of(text)
        self.wrong = self.wrong + 1 if kind in WRONG else 0
        if kind != "valid":
            is_still = kind in MALFORMED and not self.rules.invalid_ticks_world
            necessary = kind == "wait" and not any(self.kind_of(text)[0] == "valid" for text in actions(self.scene))
            self.pass_minute(text, kind, is_still=is_still, necessary=necessary)
        elif self.scene.verbs[keys[0][1]]:
            self.occupy(text, keys[0])
        else:
            self.running[keys[0]] = [name for name, _, _ in keys]
            self.pass_minute(text, kind)
        self.decisions.append((text, kind, begin, len(self.rows)))

    def occupy(self, text: str, key: RoleKey) -> None:
        """Let the minutes of an occupying action pass: those between its first and last one only continue it."""
        minutes = self.remaining[key]
        while self.remaining[key] and len(self.rows) < self.limit:
            self.remaining[key] -= 1
            is_inner = 0 < self.remaining[key] < minutes - 1
            self.pass_minute(text, "continue" if is_inner else "valid")

    def play(self, decisions: Iterable[str]) -> str:
        """Return the end of a run."""
        for decision in decisions:
            if self.end():
                break
            if self.rules.exit_ends and decision.strip().lower() in ("exit", "quit"):
                self.decisions.append(("exit", "exit", len(self.rows), len(self.rows)))
                return "exit"
            self.decide(decision)
        return self.end() or "exhausted"


def actions(scene: Scenario) -> list[str]:
    """Return all actions with a verb of the tasks and a first object that takes part in it."""
    texts = []
    for verb in scene.verbs:
        head, _, preposition = verb.partition(" ")
        names = [name for name, thing in scene.objects.items() if any(used == verb for used, _ in thing.roles)]
        others = [f" {preposition} {other}" for other in scene.objects] if preposition else [""]
        for name in names:
            texts += [f"{head} {name}{other}" for other in others]
    return texts


def check(name: str, decisions: Sequence[str], limit: int, rules: Profile) -> Model:
    """Compare a run with that of the model, and return the model."""
    run = replay(name, decisions, limit, rules)
    model = Model(world(name, rules), rules, limit)
    end = model.play(decisions)
    record, verdict = run.record, run.verdict
    assert (record.end, run.success) == (end, end == "completed")
    assert verdict.fatal == (verdict.violations[-1] if end == "five_invalid" else None)
    assert list(map(tuple, record.steps)) == model.rows
    assert (list(record.scores), list(record.necessary)) == (model.scores, model.necessary)
    score = model.scores[-1] if model.scores else 0
    assert (record.score, 100 * verdict.progress) == pytest.approx((score, score))
    wrong = [(minute, kind) for minute, _, kind, _ in model.rows if kind in WRONG]
    assert [(violation.start, violation.kind) for violation in verdict.violations] == wrong
    assert list(verdict.idle) == [(minute, minute + 1) for minute, _, kind, _ in model.rows if kind == "wait"]
    open_tasks = {model.scene.objects[key[0]].task for key, minutes in model.remaining.items() if minutes}
    tasks = len(model.scene.tasks)
    assert (verdict.makespan, verdict.goal_ratio) == (len(model.rows), (tasks - len(open_tasks)) / tasks)
    assert sum(verdict.remaining.values()) == sum(model.remaining.values())
    for violation in filter(lambda violation: violation.case, verdict.violations):
        names = tuple(violation.subject.split(" ")[1::2])
        assert (violation.resource, violation.actual) == (names[1], names)
    steps = [(kind_of(step), step.command, step.start, step.end) for step in run.steps]
    assert steps == [(kind, text[:80], begin, end) for text, kind, begin, end in model.decisions]
    if run.impossible is None:
        check_points(run, model)
    else:
        assert not any(point.state.pieces for point in run.points)
    check_targets(run, decisions)
    return model


def check_points(run: TimeArenaRun, model: Model) -> None:
    """Compare the decision points of a run, and its completions by waits, with the decisions."""
    modes = action_modes(run.problem)
    pieces: list[Piece] = []
    texts = []
    lost = reached = 0
    assert (run.points[0].state.pieces, run.points[0].state.clock) == ((), 0)
    for number, (text, kind, begin, end) in enumerate(model.decisions, 1):
        if kind != "exit":
            texts.append(text)
        if kind in MALFORMED and not model.rules.invalid_ticks_world:
            lost += 1
        if kind == "valid":
            action, mode = modes[text]
            pieces.append(Piece(action.id, begin - lost, action.duration, run.problem.agents[0], mode))
            reached = max(reached, pieces[-1].end + lost)
        elif kind in WRONG and len(pieces) == len(run.problem.actions) and not model.rules.stop_on_complete:
            is_done = max(piece.end for piece in pieces) + lost <= end
            reached = end + 1 if is_done else reached
        point = run.points[number]
        assert (point.state.pieces, point.lost, point.reached) == (tuple(pieces), lost, reached)
        is_last = number == len(model.decisions)
        is_over = is_last and run.record.end in ("time_out", "five_invalid", "exit")
        assert point.over == (run.record.end if is_over else None)
        assert is_last or point.state.clock == end - lost
        waits = max([reached - lost, *(piece.end for piece in pieces)]) - point.state.clock
        if (is_last or number % 7 == 0) and len(text) < 100:
            completed = [*texts, *["wait"] * waits]
            lines = "\n".join(completed)
            expected = lines if parse(lines, run.simulator.world) == completed else json.dumps(completed)
            completion, verdict = run.completed(number, Schedule(()))
            assert completion == expected
            assert verdict == replay(run.problem.name, completed, None, model.rules).verdict


def check_targets(run: TimeArenaRun, decisions: Sequence[str]) -> None:
    """Compare the targets with a run of all decisions without exits, however many are wrong in a row."""
    rules = replace(run.rules, max_wrong_streak=len(decisions) + 1)
    model = Model(run.simulator.world, rules, inf)
    modes = action_modes(run.problem)
    targets: list[Target] = []
    attempts: list[tuple[Target, str]] = []
    dropped = []
    for position, decision in enumerate(decisions):
        if exits(decision, rules):
            dropped.append((position, decision.strip()[:200], "exit"))
    for position, decision in enumerate(decisions):
        if model.end() or exits(decision, rules):
            continue
        model.decide(decision)
        text, kind, begin, _ = model.decisions[-1]
        if text not in modes:
            dropped += [] if kind == "wait" else [(position, text[:80], kind)]
            continue
        action, mode = modes[text]
        target = Target(position, text, Piece(action.id, begin, action.duration, run.problem.agents[0], mode))
        if kind == "valid":
            targets.append(target)
        else:
            attempts.append((target, kind))
    for target, kind in attempts:
        if any(target.piece.action == other.piece.action for other in targets):
            dropped.append((target.position, target.command, kind))
        else:
            targets.append(target)
    result = run.targets()
    assert list(result.targets) == sorted(targets, key=lambda target: (target.piece.start, target.position))
    assert list(map(tuple, result.dropped)) == dropped
    assert (result.problem.actions, result.problem.time_limit) == (run.problem.actions, run.time_limit)


@examples(150, is_shrunk=False)
@given(st.data(), st.sampled_from(SCENES), RULES, st.integers(0, 130))
def test_any_decisions_are_replayed_by_the_rules(data: st.DataObject, name: str, rules: Profile, limit: int) -> None:
    model = Model(world(name, rules), rules, limit)
    texts = actions(model.scene)
    wrong_texts = ["sing", *texts[:: len(texts) // 4]]
    decisions: list[str] = []
    while len(decisions) < 40 and not model.end():
        # Mostly actions that can be started, so that tasks are completed.
        possible = [text for text in texts if model.kind_of(text)[0] == "valid"]
        decision = data.draw(st.sampled_from([*possible * 3, "wait", "wait", *wrong_texts]))
        decisions.append(decision)
        model.decide(decision)
    extra = data.draw(st.lists(st.sampled_from(["wait", "sing", "exit", *texts]), max_size=8))
    check(name, [*decisions, *extra], limit, rules)


@examples(150, is_shrunk=False)
@given(st.data(), st.sampled_from([TEA, "timearena/household4+household7"]), st.sampled_from([PAPER, RELEASED]))
def test_legal_actions_are_those_that_can_be_started(data: st.DataObject, name: str, rules: Profile) -> None:
    problem = load(name)
    simulator = simulator_of(problem, rules)
    model = Model(world(name, rules), rules, inf)
    texts = actions(model.scene)
    state = simulator.initial()
    starts = []
    while not model.end() and len(model.rows) < 25:
        possible = [text for text in texts if model.kind_of(text)[0] == "valid"]
        legal = [(command.text, command.kind) for command in simulator.legal(state)]
        assert sorted(legal) == sorted([*((text, "act") for text in possible), ("wait", "wait")])
        if rules is PAPER:
            choices = simulator.choices(simulator.point(state), 1, state)
            assert [(command.text, command.kind) for command in choices] == legal
        decision = data.draw(st.sampled_from([*possible, "wait", "wash wall"]))
        if decision in possible:
            starts.append(decision)
        state, _ = simulator.apply(state, decision)
        model.decide(decision)
        assert (simulator.clock(state), simulator.ended(state)) == (len(model.rows), model.end() or None)
    modes = action_modes(problem)
    pieces = [piece.action for piece in simulator.point(state).state.pieces]
    # The released reservations make the pair of tasks impossible, so that no action is a piece.
    is_possible = rules is PAPER or name == TEA
    assert pieces == ([modes[decision][0].id for decision in starts] if is_possible else [])


#: Decisions of every kind, ends of a run, and texts that are nearly one of them.
DECISIONS = (
    """
wait|wait|WAIT|activate kettle|activate kettle|wash teapot|wash cup|Wash  TEAPOT|wash|wash the cup|pour kettle onto cup
wash spoon|pour kettle into spoon|wash kettle|pour cup into kettle|pour teapot into teapot|pour kettle into tea
pour tea into kettle|pour kettle into cup|exit|\tquit |\u3000eXit\xa0|exit now|exit.|e xit|
""".strip("\n")
    .replace("\n", "|")
    .split("|")
)


@examples(500, is_shrunk=False)
@given(st.lists(st.sampled_from(DECISIONS)), st.integers(0, 12), RULES)
def test_any_decision_has_its_feedback_and_the_first_reason_ends_the_run(
    decisions: list[str], limit: int, rules: Profile
) -> None:
    check(TEA, decisions, limit, rules)


@examples(300, is_shrunk=False)
@given(st.lists(st.sampled_from(["sing", "sing", "wait", "exit"]), min_size=4), st.integers(4, 8), RULES)
def test_time_limit_precedes_wrong_streak_and_wrong_streak_precedes_exit(
    decisions: list[str], limit: int, rules: Profile
) -> None:
    check(TEA, decisions, limit, rules)


HOSTILE = [
    "",
    " ",
    "\t",
    "\n\n",
    "wash\tcup",
    "Wash cup",
    "pour teapot into teapot",
    "pour kettle into kettle",
    "brew tea with tea",
    "wash cup\0",
    "\0",
    "\ud800",
    "wash \udfff",
    "wash " * 4,
    "x" * 1_000_000,
    " " * 1_000_000,
    "wash " * 200_000,
    "ＷＡＳＨ cup",
    "wash İ",
    "wait wait",
    "None",
]


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize("text", sample(HOSTILE), ids=lambda text: ascii(text)[:25])
def test_hostile_decisions_take_one_minute_each(text: str, rules: Profile) -> None:
    model = check(TEA, [text, "wait", text, "wash teapot", text], 40, rules)
    assert model.rows[-1][2] in WRONG or text.lower().split() == ["wash", "cup"]
    check(TEA, [text] * 50, 40, rules)


class FixedValues:
    """Oracle of the best reachable makespans before and after every step."""

    def __init__(self, values: list[int | None]) -> None:
        self.fixed_values = values

    def values(self, run: object) -> list[int | None]:
        return self.fixed_values


@given(st.lists(st.tuples(st.sampled_from(["wait", "wash cup", "sing"]), st.integers(0, 2), st.booleans()), max_size=8))
def test_waits_are_costless_costly_or_unpriced(steps: list[tuple[str, int, bool]]) -> None:
    makespan = 10
    values: list[int | None] = [makespan]
    for _, delay, is_known in steps:
        makespan += delay
        values.append(makespan if is_known else None)
    costs: list[Any] = []
    for (decision, _, _), before, after in zip(steps, values, values[1:], strict=False):
        if decision == "wait":
            costs.append(None if before is None or after is None else after - before)
    run = replay(TEA, [decision for decision, _, _ in steps])
    measurement = TimeArenaMeasurement(run, FixedValues(values))  # type: ignore[arg-type]
    priced = [cost for cost in costs if cost is not None]
    assert measurement.wait_costs == costs
    assert measurement.costly_waits == sum(cost > 0 for cost in priced)


def test_shares_are_those_of_all_decisions() -> None:
    averages = {average.name: average for average in MetricSet(TimeArenaMeasurement, declare).averages(PAPER)}
    row = {"kinds": {"valid": 3, "wait": 1}}
    assert [averages[kind].terms(row) for kind in ("valid", "wait", "invalid_action")] == [(300, 4), (100, 4), (0, 4)]
