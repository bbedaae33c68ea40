"""Exported interval models, read by CP-SAT's own reader and by a small MiniZinc reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python import cp_model
from support.random_instances import kitchen, workshop
from support.random_model_instances import model_mix
from support.runner import invoke

from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import problem
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.solver.exact.model_export import MINIZINC
from planoracle.solver.exact.search import solve
from planoracle.solver.solve import model_text

#: Durations, states, modes, windows (lags from a beginning), pauses, several agents, and time limits.
BUNDLED = ("timearena/lab1", "recipe2plan/timed/Vada_Daikon-Radish", "asynctool/files_2", "timearena/lab1+lab2~2")
TEA = "timearena/household1"


def random_instances(first: int, last: int) -> list[Instance]:
    """Return random instances with all features of the model; several of them are infeasible."""
    return [draw(seed) for seed in range(first, last) for draw in (workshop, kitchen)]


def best(model: cp_model.CpModel) -> float | None:
    """Return the optimum of a model, ``None`` if it is infeasible."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    assert status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return solver.objective_value if status == cp_model.OPTIMAL else None


def from_proto(text: str) -> float | None:
    model = cp_model.CpModel()
    assert model.proto.parse_text_format(text)
    return best(model)


class MiniZinc:
    """Reader of the subset of MiniZinc that the export uses, independent of the names in it."""

    def __init__(self, text: str) -> None:
        self.model = cp_model.CpModel()
        self.names: dict[str, Any] = {"cumulative": self.cumulative, "all_of": self.all_of}
        for line in text.splitlines():
            if match := re.fullmatch(r"var (?:bool|(\d+)\.\.(\d+)): (\w+);", line):
                least, most, name = match.groups()
                assert name not in self.names
                self.names[name] = self.model.new_int_var(int(least or 0), int(most or 1), name)
            elif line.startswith("constraint "):
                self.add(line.removeprefix("constraint ").removesuffix(";"))
        (step,) = re.findall(r"^int: step = (\d+);", text, re.M)
        self.names["makespan"] = int(step) * self.names["makespan_in_steps"]
        objective = re.search(r"^solve minimize (.*);$", text, re.M)
        term = "makespan" if objective is None else objective[1].replace("bool2int", "")
        self.model.minimize(eval(term, {}, self.names))

    def literal(self, text: str) -> Any:
        return self.names[text.removeprefix("not ")].negated() if text.startswith("not ") else self.names[text]

    def all_of(self, text: str) -> Any:
        both = self.model.new_bool_var("")
        literals = [self.literal(part) for part in text.split(" /\\ ")]
        self.model.add_bool_and(literals).only_enforce_if(both)
        self.model.add_bool_or(*(one.negated() for one in literals), both)
        return both

    def cumulative(self, starts: list[Any], sizes: list[int], needs: list[Any], capacity: int) -> None:
        spans = []
        for start, size in zip(starts, sizes, strict=True):
            spans.append(self.model.new_interval_var(start, size, self.sum(start, size), ""))
        self.model.add_cumulative(spans, needs, capacity)

    def sum(self, start: Any, size: Any) -> Any:
        """Return a new variable for the sum of two; expressions in intervals have one variable."""
        if isinstance(size, int):
            return start + size
        end = self.model.new_int_var(0, 10**6, "")
        self.model.add(end == start + size)
        return end

    def add(self, text: str) -> None:
        text = re.sub(r"bool2int\(([^()]*)\)", lambda match: f"all_of({match[1]!r})", text)
        condition, _, body = text.rpartition(" -> ")
        if body == "false" or (" \\/ " in body and "(" not in body) or re.fullmatch(r"(not )?\w+", body):
            self.model.add_bool_or([self.literal(one) for one in body.split(" \\/ ") if body != "false"])
            return
        if " in " in body:
            name, ranges = body.split(" in ")
            bounds = [[int(bound) for bound in part.split("..")] for part in ranges.split(" union ")]
            domain = cp_model.Domain.from_intervals(bounds)
            member = self.model.add_linear_expression_in_domain(self.names[name], domain)
            if condition:
                member.only_enforce_if([self.literal(one) for one in condition.split(" /\\ ")])
            return
        for part in re.split(r" /\\ (?=[^']*(?:'[^']*'[^']*)*$)", body):
            fact = eval(re.sub(r" = ", " == ", part), {}, self.names)
            if fact is not None and condition:
                self.model.add(fact).only_enforce_if([self.literal(one) for one in condition.split(" /\\ ")])
            elif fact is not None:
                self.model.add(fact)


def check(instance: Instance) -> None:
    expected = solve(instance).makespan
    assert from_proto(model_text(instance, ".pb")) == expected
    assert best(MiniZinc(model_text(instance, ".mzn")).model) == expected


@pytest.mark.parametrize("name", BUNDLED)
def test_exported_models_of_benchmarks_have_the_optimum_of_solve(name: str) -> None:
    check(problem(name))


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 40])
def test_exported_random_models_have_the_optimum_of_solve(first: int) -> None:
    for instance in random_instances(first, first + 40):
        check(instance)


def test_every_group_of_constraints_is_needed() -> None:
    start = [Action(f"t/{name}", "t", 4, 4) for name in "ac"]
    start.append(Action("t/b", "t", 7, 0, release=1))  # an agent can start it at 4, or if its own work begins at 1
    team = [Action(f"t/{agents}", "t", 2, 2, agents=tuple(agents)) for agents in ("x", "y", "xy")]
    hand = Instance("start", tuple(start)), Instance("team", tuple(team), agents=("x", "y"))
    matters: dict[str, bool] = {}
    for instance in (*random_instances(0, 12), *hand):
        text = model_text(instance, ".mzn")
        whole = best(MiniZinc(text).model)
        for block in re.split(r"\n\n(?=% )", text)[1:]:
            topic = re.split(r" of |: ", block.splitlines()[0])[0]
            matters[topic] = matters.get(topic, False) or best(MiniZinc(text.replace(block, "")).model) != whole
    assert len(matters) > 4
    assert all(matters.values()), matters


def test_variable_names_are_identifiers_that_contain_the_action() -> None:
    names = ["a b", "a_b", "茶", 'q"\\(x)', "a\nb"]
    actions = tuple(Action(f"t/{name}", "t", 2, 2, interruptible=name == "a b") for name in names)
    instance = Instance("i\n;", actions, (Lag("t/a b", "t/a_b"),), agents=("x", "y"))
    text = model_text(instance, ".mzn")
    declared = re.findall(r"^var [^:]+: ([^=]*?)(?: =.*)?;$", text, re.M)
    assert len(declared) == len(set(declared))
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in declared)
    assert {"start_1_t_a_b_2", "start_2_t_a_b", "start_3_t"} <= set(declared)
    (listed,) = re.findall(r"action = (\[.*\]);", text)
    assert json.loads(listed)[:3] == ["t/a b", "t/a_b", "t/茶"]
    assert all(line.startswith("%") for line in text.split("\n\n")[0].splitlines())
    check(instance)


def message(*call: object) -> str:
    result = invoke("solve", *call)
    assert result.exit_code
    return f"{result.exception} {result.stderr}"


def test_export_writes_one_model_and_refuses_kitchens(tmp_path: Path) -> None:
    file = tmp_path / "model.pb"
    assert invoke("solve", f"{TEA}~2", "--export", file).exit_code == 0
    assert from_proto(file.read_text()) == solve(problem(f"{TEA}~2")).makespan
    assert "timearena/household1~2" in file.read_text()
    sandwich = "kitchens/synchronous/0_cheese_sandwich"
    for call in ([TEA, "timearena/lab1", "--export", file], ["timearena", "--export", file]):
        assert invoke("solve", *call).exit_code
    assert invoke("solve", TEA, "--export", tmp_path / "model.lp").exit_code == 2
    for option in (["--export", tmp_path / "no.mzn"], ["--engine", "cp-sat"]):
        assert "has no interval model" in message(sandwich, *option)
    assert not (tmp_path / "no.mzn").exists()
    with pytest.raises(InputError, match="too large"):
        model_text(Instance("long", (Action("t/a", "t", 10**6, 0, interruptible=True),)), ".pb")
    assert invoke("solve", TEA, "-H", "improve", "--engine", "cp-sat").exit_code == 2
    assert invoke("solve", TEA, "--engine", "cpsat").exit_code == 2


@pytest.mark.parametrize("grid", [False, True])
def test_cp_sat_alone_proves_the_same_optimum(grid: bool) -> None:
    for instance in (*random_instances(0, 10), *map(problem, () if grid else BUNDLED[:3])):
        ours, alone = solve(instance, exact_grid=grid), solve(instance, exact_grid=grid, engine="cp-sat")
        assert (alone.status, alone.makespan, alone.lower_bound) == (ours.status, ours.makespan, ours.lower_bound)
        assert alone.effort.keys() == {"branches", "conflicts", "cp_sat_seconds"}
        assert (alone.grid == 1) >= grid


def test_effort_of_cp_sat_is_printed() -> None:
    row = json.loads(invoke("solve", TEA, "--engine", "cp-sat", "-f", "jsonl").stdout)
    assert (row["source"], row["makespan"], row["proof"]) == ("solved", 13, "CP-SAT alone")
    assert row["branches"] >= row["conflicts"] >= 0 < row["cp_sat_seconds"] <= row["seconds"]
    assert re.search(r"branches +conflicts +cp sat seconds", invoke("solve", TEA, "--engine", "cp-sat").stdout)
    assert re.search(
        r"CP-SAT +\d+ branches, \d+ conflicts", invoke("solve", TEA, "--engine", "cp-sat", "--schedule").stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 60])
def test_exported_models_of_the_larger_model_have_the_optimum_of_solve(first: int) -> None:
    for seed in range(first, first + 60):
        instance = model_mix(seed)
        result = solve(instance)
        text = model_text(instance, ".pb")
        expected = result.makespan
        if instance.optional and expected is not None:
            (factor,) = re.findall(r"less (\d+) for each unit of weight", text)
            expected -= int(factor) * result.weight
        assert from_proto(text) == expected, instance.name
        if not MINIZINC.refusal(instance):
            assert best(MiniZinc(model_text(instance, ".mzn")).model) == expected, instance.name


def test_minizinc_model_prefers_weight_and_lists_executed_actions() -> None:
    actions = Action("a/x", "a", 2, 2), Action("b/y", "b", 3, 3)
    instance = Instance("orders", actions, optional=(("b", 4),), time_limit=9)
    text = model_text(instance, ".mzn")
    assert "solve minimize makespan - 6 * (4 * bool2int(mode_of_optional_task_1));" in text
    assert "i in index_set(start) where fix([true, mode_of_optional_task_1][i])];" in text
    assert best(MiniZinc(text).model) == 5 - 6 * 4
