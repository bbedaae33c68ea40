"""DRCP proofs: conditions that every schedule meets, a checker of each line, and the writer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ortools.sat.python import cp_model
from strategies import instances
from support.all_schedules import small_instances
from support.exhaustive import count_schedules, general_optimum
from support.random_agent_instances import agent_workshop, interruption_workshop
from support.random_instances import ovens, presses, workshop
from support.random_model_instances import model_mix
from support.samples import examples, sample

from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.verification.verify import verify
from planoracle.instances.files.catalog import load, problem
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs import drcp, drcp_checker
from planoracle.solver.proofs.certificate import CERTIFICATES
from planoracle.solver.proofs.checker import RefusedError, _Problem
from planoracle.solver.proofs.drcp import NoRefutationError, refute
from planoracle.solver.proofs.drcp_checker import (
    BusyInterval,
    Cumulative,
    Linear,
    Refutation,
    Statement,
    check,
    largest_makespan,
)
from planoracle.solver.proofs.feasibility import is_refuted_without_presolve

needs_pumpkin = pytest.mark.skipif(not drcp.is_available(), reason="proofs are written by planoracle[proofs]")

#: Problems with proofs of their optimum, or of infeasibility: each kind of inference occurs.
STORED = [json.loads(line) for line in (Path(__file__).parents[1] / "data/drcp.jsonl").read_text().splitlines()]
LONG = [row for row in STORED if row["proof"]["steps"]]


def raised(proof: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Return the proof with a claim of one tick more."""
    bound = proof["bound"] + 1
    return proof | {"bound": bound, "supposed": bound - 1, "makespan": None, "gap": None, "schedule": None, **fields}


# --- checker -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", STORED, ids=lambda row: row["proof"]["instance"])
def test_stored_proof_holds_and_proves_no_more(row: dict[str, Any]) -> None:
    document, proof = row["problem"], row["proof"]
    assert check(document, proof) == proof["bound"]
    if proof["schedule"] is not None:  # else there is none, so that any bound is true
        with pytest.raises(RefusedError):
            check(document, raised(proof))


@pytest.mark.parametrize("row", LONG, ids=lambda row: row["proof"]["instance"])
def test_proof_without_one_of_its_lines_is_refused(row: dict[str, Any]) -> None:
    lines = row["proof"]["steps"]
    for number in range(len(lines)):
        with pytest.raises(RefusedError):
            check(row["problem"], row["proof"] | {"steps": [*lines[:number], *lines[number + 1 :]]})


@examples(300)
@given(st.data())
def test_proof_of_the_optimum_plus_one_is_refused_whatever_its_lines(data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(LONG))
    lines = [line.split() for line in row["proof"]["steps"]]
    for _ in range(data.draw(st.integers(1, 8))):
        line = data.draw(st.sampled_from(lines))
        position = data.draw(st.integers(0, len(line) - 1))
        word = data.draw(st.sampled_from(data.draw(st.sampled_from(lines))) | st.integers(-40, 40).map(str))
        line[position : position + data.draw(st.integers(0, 1))] = [word]
    with pytest.raises(RefusedError):
        check(row["problem"], raised(row["proof"], steps=[" ".join(line) for line in lines]))


_VALUES = st.integers(0, 4)
_AMOUNTS = st.integers(1, 3)
_LITERALS = st.tuples(st.integers(0, 2), st.sampled_from((">=", "<=", "==", "!=")), st.integers(-1, 5))


@st.composite
def statements(draw: st.DrawFn) -> SimpleNamespace:
    """Draw three variables, a linear constraint and a cumulative one."""
    bounds = [sorted(draw(st.tuples(_VALUES, _VALUES))) for _ in range(3)]
    terms = tuple((variable, draw(st.sampled_from((-2, -1, 1, 3)))) for variable in range(draw(st.integers(1, 3))))
    tasks = tuple(BusyInterval(draw(st.integers(0, 2)), draw(_AMOUNTS), draw(_AMOUNTS)) for _ in range(3))
    return SimpleNamespace(
        lower=[lower for lower, _ in bounds],
        upper=[upper for _, upper in bounds],
        constraints=[Linear(terms, draw(st.integers(-6, 8))), Cumulative(tasks, draw(st.integers(1, 5)))],
        is_refuted=False,
    )


def is_met(constraint: Any, values: tuple[int, ...]) -> bool:
    """Return whether values of the variables meet a constraint, by its definition."""
    if isinstance(constraint, Linear):
        return sum(values[variable] * coefficient for variable, coefficient in constraint.terms) <= constraint.limit
    for tick in range(10):
        running = [task for task in constraint.tasks if 0 <= tick - values[task.variable] < task.duration]
        if sum(task.amount for task in running) > constraint.capacity:
            return False
    return True


def is_true(literal: tuple[int, str, int], values: tuple[int, ...]) -> bool:
    """Return whether values make a literal true."""
    variable, relation, value = literal
    comparisons = {">=": int.__ge__, "<=": int.__le__, "==": int.__eq__, "!=": int.__ne__}
    return comparisons[relation](values[variable], value)


def assignments(statement: SimpleNamespace, *constraints: int) -> Iterator[tuple[int, ...]]:
    """Yield the values in the domains that meet some constraints."""
    domains = [range(lower, upper + 1) for lower, upper in zip(statement.lower, statement.upper, strict=True)]
    for values in product(*domains):
        if all(is_met(statement.constraints[number], values) for number in constraints):
            yield values


def atom_lines(literals: list[tuple[int, str, int]]) -> list[str]:
    """Return lines that name literals 1, 2 and so on."""
    return [f"a {name} [v{literal[0]} {literal[1]} {literal[2]}]" for name, literal in enumerate(literals, 1)]


def is_accepted(statement: SimpleNamespace, *lines: str) -> bool:
    """Return whether each line holds; the proof need not be complete."""
    refutation = Refutation(statement)
    try:
        refutation.check(list(lines))
    except RefusedError as error:
        return "does not end" in str(error)
    return True


def ranges_of(statement: SimpleNamespace, facts: list[tuple[tuple[int, str, int], bool]]) -> list[range]:
    """Return the range of each variable whose literals are true or false; empty without such a value."""
    ranges = []
    for variable, (lower, upper) in enumerate(zip(statement.lower, statement.upper, strict=True)):
        about = [((0, *literal[1:]), truth) for literal, truth in facts if literal[0] == variable]
        values = []
        for value in range(lower, upper + 1):
            if all(is_true(literal, (value,)) is truth for literal, truth in about):
                values.append(value)
        ranges.append(range(min(values, default=0), max(values, default=-1) + 1))
    return ranges


def is_violated(constraint: Any, ranges: list[range]) -> bool:
    """Return whether the least sum exceeds a limit, or the tasks that run in any case exceed a capacity."""
    if isinstance(constraint, Linear):
        total = 0
        for variable, coefficient in constraint.terms:
            total += min(coefficient * value for value in ranges[variable])
        return total > constraint.limit
    for tick in range(10):
        load = 0
        for task in constraint.tasks:
            load += task.amount * all(0 <= tick - value < task.duration for value in ranges[task.variable])
        if load > constraint.capacity:
            return True
    return False


_FACTS = st.tuples(_LITERALS, st.booleans())


@examples(1500)
@given(statements(), st.lists(_FACTS, max_size=5), st.none() | _FACTS, st.integers(0, 2))
def test_inference_is_accepted_exactly_if_the_ranges_of_its_variables_violate_its_constraint(
    statement: SimpleNamespace, premises: list[Any], conclusion: Any, number: int
) -> None:
    facts = premises if conclusion is None else [*premises, conclusion]
    names = [name if truth else -name for name, (_, truth) in enumerate(facts, 1)]
    target = [] if conclusion is None else names[-1:]
    label = ("c:1 l:linear_bounds", "c:2 l:time_table", "l:initial_domain")[number]
    line = " ".join(map(str, ("i 1", *names[: len(premises)], 0, *target, label)))
    if conclusion is not None:
        literal, truth = conclusion
        facts = [*premises, (literal, not truth)]
    ranges = ranges_of(statement, facts)
    is_contradictory = not all(ranges) or (number < 2 and is_violated(statement.constraints[number], ranges))
    assert is_accepted(statement, *atom_lines([literal for literal, _ in facts]), line) == is_contradictory


@examples(200)
@given(statements(), st.data())
def test_accepted_nogood_excludes_no_solution(statement: SimpleNamespace, data: st.DataObject) -> None:
    literals = data.draw(st.lists(_LITERALS, min_size=4, max_size=6))
    lines = [
        f"a {name} [v{variable} {relation} {value}]" for name, (variable, relation, value) in enumerate(literals, 1)
    ]
    names = st.integers(1, len(literals)).flatmap(lambda name: st.sampled_from((name, -name)))
    steps: list[int] = []
    for step in range(10, 18):
        premises = " ".join(map(str, data.draw(st.lists(names, max_size=2))))
        conclusion = data.draw(st.just("") | names.map(str))
        label = data.draw(st.sampled_from(("c:1 l:linear_bounds", "c:2 l:time_table", "l:initial_domain")))
        hints = " ".join(map(str, data.draw(st.permutations(steps))))
        inference = " ".join(f"i {step} {premises} 0 {conclusion} {label}".split())
        nogood = " ".join(f"n {step} {premises} 0 {hints}".split())
        line = inference if data.draw(st.booleans()) else nogood
        if not is_accepted(statement, *lines, line):
            continue
        lines.append(line)
        steps.append(step)
        if line is nogood:
            numbers = [int(number) for number in premises.split()]
            for values in assignments(statement, 0, 1):
                atoms = [is_true(literals[abs(number) - 1], values) is (number > 0) for number in numbers]
                assert not all(atoms), (lines, values)


def test_steps_apply_only_if_all_their_atoms_but_the_conclusion_are_true() -> None:
    exactly_one = [Linear(((0, 1), (1, 1)), 1), Linear(((0, -1), (1, -1)), -1)]
    statement = SimpleNamespace(lower=[0, 0], upper=[1, 1], constraints=exactly_one, is_refuted=False)
    lines = [*atom_lines([(0, ">=", 1), (1, ">=", 1)]), "i 1 1 2 0 c:1 l:linear_bounds", "n 2 1 2 0 1"]
    lines += ["i 3 1 0 -2 c:1 l:linear_bounds", "i 4 -1 -2 0 c:2 l:linear_bounds", "i 5 -1 0 2 c:2 l:linear_bounds"]
    assert is_accepted(statement, *lines, "n 6 -1 -2 0 4", "n 7 -1 -2 0 5", "n 8 1 2 0 3")
    for nogood in ("0 2 4", "0 3 5", "0 3 4", "0 5 4", "0 4", "1 0 2", "1 0 3", "-1 0 2 5", "1 -2 0 3 5"):
        assert not is_accepted(statement, *lines, f"n 9 {nogood}")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"steps": [7]}, "texts"),
        ({"steps": ["a 1 [v0 >= 7"]}, "line 1 does not hold"),
        ({"steps": ["a 1 [v99999 >= 7]"]}, "line 1 does not hold"),
        ({"steps": ["i 1 7 0 c:1 l:linear_bounds"]}, "does not exist"),
        ({"steps": ["i 1 0 c:99999 l:linear_bounds"]}, "does not exist"),
        ({"steps": ["i 1 0 c:0 l:time_table"]}, "line 1 does not hold"),
        ({"steps": ["i 1 0 c:1 l:magic"]}, "line 1 does not hold"),
        ({"steps": ["n 1 0 5"]}, "does not exist"),
        ({"steps": ["n 1 0"]}, "line 1 does not hold"),
        ({"steps": [f"a {'1' * 50} [v0 >= 7]"]}, "line 1 does not hold"),
        ({"steps": []}, "does not end in a contradiction"),
        ({"supposed": 3}, "supposed makespan"),
        ({"makespan": None}, "all of them null"),
        ({"gap": 1}, "all of them null"),
        ({"format": "planoracle/certificate"}, "planoracle/drcp"),
        ({"version": 2}, "version 1"),
        ({"instance": "another"}, "for made/8/0"),
        ({"bound": 10**9, "supposed": 10**9 - 1, "makespan": 10**9}, "at most 100000000 ticks"),
        ({"bound": "7"}, "type int"),
    ],
)
def test_malformed_proof_is_refused_with_a_reason(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        check(STORED[0]["problem"], STORED[0]["proof"] | fields)


def test_long_check_ends_at_its_limit() -> None:
    with pytest.raises(drcp_checker.CheckTimeError, match="line 1 of"):
        check(STORED[0]["problem"], STORED[0]["proof"], max_seconds=-1.0)


def test_two_files_of_plain_python_are_enough(tmp_path: Path) -> None:
    for name in ("checker.py", "drcp_checker.py"):
        source = Path(drcp_checker.__file__).with_name(name).read_bytes()
        if b"mutmut" in source:
            pytest.skip("mutants need the package mutmut")
        (tmp_path / name).write_bytes(source)
    row = STORED[-1]
    paths = []
    for name, document in (("problem", row["problem"]), ("proof", row["proof"]), ("raised", raised(row["proof"]))):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(document))
    command = [sys.executable, "-S", tmp_path / "drcp_checker.py"]
    done = subprocess.run([*command, *paths[:2]], capture_output=True, text=True, check=True)
    assert "There is no schedule of jobs" in done.stdout
    refused = subprocess.run([*command, paths[0], paths[2]], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stderr.split(":")[0]) == (1, "refused")


# --- conditions ----------------------------------------------------------------------------------


def is_admitted(instance: Instance, horizon: int) -> bool:
    """Return whether the conditions of schedules that end by a horizon have a solution."""
    statement = Statement(_Problem(to_document(instance)), horizon)
    if statement.is_refuted:
        return False
    model = cp_model.CpModel()
    variables = []
    for lower, upper in zip(statement.lower, statement.upper, strict=True):
        variables.append(model.new_int_var(lower, upper, ""))
    for constraint in statement.constraints:
        if isinstance(constraint, Linear):
            products = [coefficient * variables[variable] for variable, coefficient in constraint.terms]
            model.add(sum(products) <= constraint.limit)
            continue
        intervals = []
        for task in constraint.tasks:
            intervals.append(model.new_fixed_size_interval_var(variables[task.variable], task.duration, ""))
        model.add_cumulative(intervals, [task.amount for task in constraint.tasks], constraint.capacity)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(model) == cp_model.OPTIMAL


def has_all_conditions(instance: Instance) -> bool:
    """Return whether the conditions of an instance state all of its rules."""
    actions = instance.actions
    variants = [variant for action in actions for variant in instance.variants[action.id]]
    demands = [demand for variant in variants for demand in variant.demands]
    agents = {variant.agents for variant in variants if variant.agents}
    may_pause = any(action.interruptible for action in actions)
    omitted = [
        any(demand.sets or demand.requires for demand in demands),
        any(variant.agents and not variant.attended for variant in variants),
        any(action.pauses_in_breaks for action in actions),
        may_pause and (len(agents) > 1 or len(variants) > len(actions)),
        not all(resource.renewable for resource in instance.resources),
        bool(instance.calendars) and len(instance.agents) > 1,
    ]
    return not any(omitted)


@pytest.mark.parametrize("block", sample(range(25), 25))
def test_conditions_admit_the_optimum_and_no_less_if_they_state_all_rules(block: int) -> None:
    refuted = complete = 0
    for instance, optimum, _ in small_instances(block, 6):
        largest = largest_makespan(to_document(instance))
        assert largest is None or optimum <= largest
        assert is_admitted(instance, optimum), instance
        is_refuted = not is_admitted(instance, optimum - 1)
        refuted += is_refuted
        if has_all_conditions(instance):
            complete += 1
            assert is_refuted, instance
    assert refuted > complete > 40


GENERATORS = (workshop, presses, ovens, agent_workshop, interruption_workshop, model_mix)


def check_conditions(instance: Instance) -> None:
    """Check that the conditions admit a schedule with the optimum, and that its proof is accepted."""
    if CERTIFICATES.refusal(instance):
        return
    result = solve(instance)
    if result.status != Status.optimal or result.grid > 1:
        return
    makespan = result.makespan
    assert makespan is not None
    if not features_of(instance) and count_schedules(instance, makespan) < 2_000:
        assert makespan == general_optimum(instance, makespan)
    assert makespan <= (largest_makespan(to_document(instance)) or makespan)
    with pytest.raises(NoRefutationError, match="admit such a schedule"):
        refute(instance, makespan + 1)
    with suppress(NoRefutationError):  # the conditions leave out some rules
        assert verify(refute(instance, makespan, result.schedule).as_dict(), instance).holds


@needs_pumpkin
@pytest.mark.parametrize("block", sample(range(12), 12))
def test_conditions_admit_the_optimum_and_a_proof_of_it_is_accepted(block: int) -> None:
    for generate in GENERATORS:
        for seed in range(block, 36, 12):
            check_conditions(generate(seed))


@needs_pumpkin
@examples(100)
@given(instances())
def test_conditions_admit_the_optimum_of_drawn_problems(instance: Instance) -> None:
    check_conditions(instance)


def _use(name: str, duration: int, *amounts: int, **fields: Any) -> Action:
    modes = tuple(Mode((Demand("oven", amount),), duration=duration - number) for number, amount in enumerate(amounts))
    return Action(f"t/{name}", "t", duration, 0, modes=modes, agents=(), **fields)


def _attended(name: str, *agents: str, **fields: Any) -> Action:
    return Action(f"t/{name}", "t", 3, 3, agents=agents or None, **fields)


OVEN = (Resource("oven", 2),)
#: Problems of which the longest paths are shorter than the optimum, which one kind of condition proves.
PROVED = {
    "capacity": Instance("p", tuple(_use(name, 4, 1) for name in "abc"), resources=OVEN),
    "agents alike": Instance("p", tuple(map(_attended, "abc")), agents=("x", "y")),
    "agents that differ": Instance(
        "p", (_attended("a", "x"), _attended("b", "y"), _attended("c", "x", "y")), agents=("x", "y")
    ),
    "modes": Instance("p", (_use("a", 4, 1, 2), _use("b", 4, 1, 2), _use("c", 4, 2)), resources=OVEN),
    "interruptions": Instance("p", tuple(_attended(name, interruptible=True) for name in "ab")),
    "windows": Instance("p", (_use("a", 4, 1, windows=((0, 3), (5, 20))),), resources=OVEN),
    "calendar": Instance("p", (_use("a", 4, 1),), resources=OVEN, calendars=(Calendar(("oven",), ((2, 3),)),)),
    "calendar of an agent": Instance(
        "p", tuple(map(_attended, "ab")), agents=("x", "y"), calendars=(Calendar(("x",), ((1, 9),), 10),)
    ),
    "predecessors of modes": Instance(
        "p",
        (
            *(Action(f"t/{name}", "t", 5, 0, agents=()) for name in "ab"),
            Action("t/c", "t", 2, 0, agents=(), modes=(Mode(after=("t/a",)), Mode(after=("t/b",)))),
        ),
    ),
}


@needs_pumpkin
@pytest.mark.parametrize("condition", PROVED)
def test_optimum_is_proved_by(condition: str) -> None:
    instance = PROVED[condition]
    result = solve(instance)
    assert result.makespan is not None
    proof = refute(instance, result.makespan, result.schedule)
    assert proof.steps
    assert verify(proof.as_dict(), instance).proved == "drcp"
    with pytest.raises(NoRefutationError, match="admit such a schedule"):
        refute(instance, result.makespan + 1)


@needs_pumpkin
def test_action_that_pauses_in_a_break_does_not_wait_for_its_end() -> None:
    rest = Calendar(("oven", "agent"), ((2, 3), (6, 8)))
    for action in (_use("a", 4, 1), Action("t/a", "t", 4, 4)):
        instance = Instance("p", (replace(action, pauses_in_breaks=True),), resources=OVEN, calendars=(rest,))
        assert solve(instance).makespan == 5
        with pytest.raises(NoRefutationError, match="admit such a schedule"):
            refute(instance, 6)


@needs_pumpkin
def test_times_that_cannot_be_used_begin_where_an_action_may_end() -> None:
    window = _use("a", 3, 1, windows=((0, 3), (5, 20)))
    modes = Action("t/a", "t", 3, 0, agents=(), modes=(Mode((Demand("oven", 1),)), Mode((Demand("oven", 2),))))
    closed = Calendar(("oven",), ((3, 100),))
    in_window = Instance("p", (window,), resources=OVEN)
    for instance in (in_window, Instance("p", (modes,), resources=OVEN, calendars=(closed,))):
        assert solve(instance).makespan == 3
        with pytest.raises(NoRefutationError, match="admit such a schedule"):
            refute(instance, 4)


def holds_by_paths(instance: Instance, bound: int) -> bool:
    """Return whether the longest paths alone prove a bound."""
    document = to_document(instance)
    proof = drcp.DrcpProof(instance=instance.name, bound=bound, schedule=None, steps=())
    try:
        return check(document, proof.as_dict()) == bound
    except RefusedError:
        return False


def test_piece_that_starts_within_a_maximum_lag_may_run_on() -> None:
    soak, knead = Action("t/a", "t", 1, 0, agents=()), Action("t/b", "t", 3, 3, interruptible=True)
    rise = Action("t/c", "t", 2, 0, agents=(), release=1)
    instance = Instance("dough", (soak, knead, rise), (Lag("t/a", "t/b", 0, 0), Lag("t/a", "t/c", 0, 0)))
    assert solve(instance).makespan == 4
    assert (holds_by_paths(instance, 4), holds_by_paths(instance, 5)) == (True, False)
    late = replace(instance, lags=(Lag("t/a", "t/b"), Lag("t/b", "t/c"), Lag("t/a", "t/c", None, 2)))
    assert solve(late).status == Status.infeasible
    assert holds_by_paths(late, 100)


def test_action_whose_modes_exceed_a_capacity_is_refuted() -> None:
    assert holds_by_paths(Instance("p", (_use("a", 4, 3, 4),), resources=OVEN), 100)
    assert not holds_by_paths(Instance("p", (_use("a", 4, 3, 2),), resources=OVEN), 100)


@needs_pumpkin
def test_infeasibility_is_proved_within_the_largest_makespan_that_counts() -> None:
    jobs = tuple(_use(name, 4, 1) for name in "abc")
    limited = Instance("limited", jobs, resources=OVEN, time_limit=7)
    chain = (Lag("t/a", "t/b", 3), Lag("t/b", "t/c", 3), Lag("t/a", "t/c", None, 9))
    together = (Lag("t/a", "t/b", -4, -4), Lag("t/a", "t/c", -4, -4))  # all three begin at the same time
    contradictory = Instance("chain", jobs, chain, resources=OVEN)
    for instance in (limited, contradictory, Instance("together", jobs, together, resources=OVEN)):
        explanation = explain(instance)
        assert (explanation.status, explanation.kind, explanation.proof_grade) == ("infeasible", "drcp", "drcp")
        verdict = verify(explanation.document, instance)
        assert verdict.holds
        assert "there is no schedule" in verdict.reason


def test_largest_makespan_is_the_limit_the_last_deadline_or_the_sum_of_separations() -> None:
    actions = (_use("a", 4, 1, release=3), _use("b", 2, 1), Action("t/c", "t", 0, 0, agents=()))
    lags = (Lag("t/a", "t/b", 5, None), Lag("t/b", "t/c", None, -6))
    plain = Instance("p", actions, lags, resources=OVEN)
    assert largest_makespan(to_document(plain)) == 3 + 4 + 2 + 1 + 5 + 6
    due = tuple(_use(name, 4, 1, deadline=deadline) for name, deadline in (("a", 9), ("b", 12)))
    assert largest_makespan(to_document(Instance("p", due, resources=OVEN))) == 12
    assert largest_makespan(to_document(Instance("p", due, resources=OVEN, time_limit=7))) == 7
    off = Instance("p", actions, resources=OVEN, calendars=(Calendar(("oven",), ((2, 3),)),))
    assert largest_makespan(to_document(off)) is None


# --- explanations and grades ---------------------------------------------------------------------


@needs_pumpkin
def test_explanation_ends_in_a_drcp_proof_where_the_certificate_ends_in_a_search() -> None:
    meeting = load("naturalplan/calendar/1")
    explanation = explain(meeting)
    assert (explanation.kind, explanation.proof_grade, explanation.explained) == ("drcp", "drcp", False)
    assert "A DRCP proof of" in explanation.lines()[-1]
    assert verify(explanation.document, meeting).holds
    assert verify(raised(explanation.document or {}), meeting).holds is False


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drcp, "is_available", lambda: False)
    with pytest.raises(NoRefutationError, match=r"planoracle\[proofs\]"):
        refute(PROVED["capacity"], 8)
    assert "planoracle[proofs]" in " ".join(explain(load("naturalplan/calendar/1")).lines())


def test_second_run_without_presolve_refutes_no_more_than_the_optimum() -> None:
    trip = problem("naturalplan/trip/21")
    assert explain(trip).proof_grade == "two solvers"
    for instance in (*PROVED.values(), *map(workshop, range(6))):
        makespan = solve(instance).makespan
        if makespan is not None:
            assert not is_refuted_without_presolve(instance, makespan + 1, NO_LIMIT)
