"""What greedy schedules lose, the criteria of Recipe2Plan, and ``planoracle generate``."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.difficulty import GREEDY, measure, sift, summarize
from planoracle.analysis.optimum import optimum
from planoracle.heuristics.registry import run
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import read_instance
from planoracle.instances.generate.parameters import Parameters
from planoracle.instances.generate.styles import Generated, draw, generate
from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.metrics import reference_efficiency
from planoracle.instances.recipe2plan.selection import HEURISTIC, Criteria, criteria, efficiency, reference

TIMED = [name for name in facts.names() if "/timed/" in name]


def by(method: str, instance: Instance) -> Criteria:
    """Hold recipes against the criteria, by the schedules of a heuristic."""
    return criteria(instance, lambda one: run(one, method).makespan)


def at_best(instance: Instance) -> Criteria:
    """The same by proved optima, which are found for all these."""
    return criteria(instance, lambda one: optimum(one).makespan)


def kitchen(chop: int, limit: int | None, *, autonomous: bool = True) -> Instance:
    """Boil for ten minutes and pour, within a limit; chop, in one piece, for another recipe."""
    actions = (
        Action("Tea/0", "Tea", 600, 0 if autonomous else 600),
        Action("Tea/1", "Tea", 60, 60),
        Action("Salad/0", "Salad", chop, chop),
    )
    lags = (Lag("Tea/0", "Tea/1", 0, limit),)
    return Instance("kitchen", actions, lags, benchmark="recipe2plan", unit="second", seconds_per_tick=1)


@pytest.mark.parametrize(
    ("problem", "untimed", "timed", "opportunities", "balance"),
    [
        # All ten minutes are saved by chopping meanwhile; not if the water must be poured at once.
        (kitchen(900, 0), 1.0, 0.0, True, True),
        (kitchen(900, 300), 1.0, 1.0, True, False),
        (kitchen(900, None), 1.0, 1.0, True, False),
        # Chopping is too short to save 80 %; exactly 80 % is not higher than that.
        (kitchen(300, 0), 0.5, 0.5, False, False),
        (kitchen(480, 0), 0.8, 0.8, False, False),
        (kitchen(481, 0), 481 / 600, 481 / 600, True, False),
        # Nothing runs by itself: efficiency is not defined.
        (kitchen(900, 0, autonomous=False), None, None, None, None),
    ],
)
def test_criteria_one_by_one(problem, untimed, timed, opportunities, balance) -> None:
    for found in (by(HEURISTIC, problem), at_best(problem)):
        assert (found.untimed, found.timed) == (untimed, timed)
        assert (found.opportunities, found.balance) == (opportunities, balance)
        assert found.selected == (opportunities is True and balance is True)
        assert found.row()["selected"] == found.selected


def test_without_a_schedule_nothing_is_selected() -> None:
    # To the letter, time only moves by continuous actions: nothing can be poured.
    found = by("recipe2plan-dfs-literal", kitchen(300, 0))
    assert (found.untimed, found.opportunities, found.balance, found.selected) == (None, None, None, False)
    assert criteria(kitchen(900, 0), reference).untimed is None


def test_criteria_are_about_recipes() -> None:
    with pytest.raises(InputError, match="recipe2plan"):
        criteria(catalogue.load("timearena/cooking1"), reference)


def test_references_have_the_efficiencies_of_the_paper() -> None:
    """Table 2 reports means of 86.1 % and 73.7 %."""
    found = [criteria(catalogue.load(name), reference) for name in TIMED]
    untimed = [one.untimed for one in found if one.untimed is not None]
    timed = [one.timed for one in found if one.timed is not None]
    assert (len(untimed), len(timed)) == (65, 64)
    assert round(100 * sum(untimed) / len(untimed), 1) == 86.1
    assert round(100 * sum(timed) / len(timed), 1) == 73.7
    assert sum(one.selected for one in found) == 48
    problem = catalogue.load("recipe2plan/timed/Cobbler_Pancakes")
    plan = facts.reference_plan("timed", "Cobbler_Pancakes")
    assert criteria(problem, reference).timed == reference_efficiency(problem, plan)
    assert efficiency(problem, None) is None


@pytest.mark.slow
def test_bundled_pairs_by_algorithm_1_and_by_the_optimum() -> None:
    assert sum(by(HEURISTIC, catalogue.load(name)).selected for name in TIMED) == 19
    assert sum(at_best(catalogue.load(name)).selected for name in TIMED) == 7


def test_loss_of_each_and_of_the_best() -> None:
    found = measure(catalogue.load("recipe2plan/timed/Leche-Asada_Banana-Fry"))
    assert set(found.makespans) == {*GREEDY, "recipe2plan-dfs"}
    assert (found.optimum, found.makespans["recipe2plan-dfs"]) == (4020, 5400)
    for name, loss in found.losses.items():
        assert loss == (found.makespans[name] - 4020) / 4020 >= 0
    assert found.loss == min(found.losses.values())
    row = found.row()
    assert (row["optimum"], row["greedy"], row["loss_gap"]) == (4020, found.greedy, found.loss)
    assert set(measure(catalogue.load("timearena/cooking1")).makespans) == {*GREEDY, "timearena-greedy"}


def test_failures_are_counted_and_nothing_is_measured_without_a_proof() -> None:
    stuck = measure(kitchen(300, 0), ["recipe2plan-dfs-literal", "serial-lst"])
    assert stuck.failed == ("recipe2plan-dfs-literal",)
    assert stuck.losses["recipe2plan-dfs-literal"] is None
    assert stuck.loss == stuck.losses["serial-lst"] == 0
    all_stuck = measure(kitchen(300, 0), ["recipe2plan-dfs-literal"])
    assert (all_stuck.optimum, all_stuck.greedy, all_stuck.loss) == (660, None, None)
    hasty = replace(catalogue.load("timearena/cooking1"), benchmark="generic", time_limit=3, name="hasty")
    found = measure(hasty)
    assert (found.status, found.optimum, found.loss) == ("infeasible", None, None)
    assert found.failed == GREEDY
    rushed = measure(catalogue.load("recipe2plan/timed/Leche-Asada_Banana-Fry"), time_limit=0.0)
    assert rushed.status != "optimal"
    assert (rushed.optimum, rushed.loss) == (None, None)
    with pytest.raises(UnknownNameError):
        measure(kitchen(300, 0), ["nope"])


def test_summary_counts_only_what_is_proved() -> None:
    proved = measure(kitchen(300, 0), ["recipe2plan-dfs-literal", "serial-lst"])
    slow = replace(proved, optimum=600, makespans=proved.makespans | {"serial-lst": 900})
    unproved = replace(proved, optimum=None, status="feasible")
    literal, serial, best = summarize([proved, slow, unproved])
    assert literal == {
        "method": "recipe2plan-dfs-literal",
        "problems": 2,
        "failed": 2,
        "above": 0,
        "mean_gap": None,
        "max_gap": None,
    }
    assert serial == {"method": "serial-lst", "problems": 2, "failed": 0, "above": 1, "mean_gap": 0.25, "max_gap": 0.5}
    assert best == serial | {"method": "best of these"}
    assert [row["method"] for row in summarize([])] == ["best of these"]


@pytest.mark.slow
def test_sifting_by_loss_keeps_exactly_the_hard_ones() -> None:
    draws = list(draw("generic", 1, tries=12, tasks=2, actions=6))
    losses = {one.problem.name: measure(one.problem).loss for one in draws}
    kept = [one.generated.problem.name for one in sift(draws, min_loss=0.03)]
    assert kept == [name for name, loss in losses.items() if loss is not None and loss >= 0.03]
    assert 0 < len(kept) < len(draws)
    assert len(list(sift(draws))) == 12


def test_sifting_by_the_criteria() -> None:
    draws = [Generated(catalogue.load(name), n, Parameters(), None) for n, name in enumerate(TIMED[:10])]
    kept = [one.generated.problem.name for one in sift(draws, select=True)]
    assert kept == [one.problem.name for one in draws if by(HEURISTIC, one.problem).selected]
    assert 0 < len(kept) < 10
    with pytest.raises(InputError, match="criteria"):
        list(sift([generate("robotouille")], select=True))
    with pytest.raises(InputError, match="must be of kind Instance"):
        list(sift([generate("robotouille")], min_loss=0.1))


def rows(text):
    """The rows before the summary."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def invoke(*args):
    return CliRunner().invoke(app, ["generate", *map(str, args)])


@pytest.mark.slow
def test_files_can_be_solved_and_are_not_overwritten(tmp_path) -> None:
    args = ("generic", "--count", 3, "--seed", 4, "--tasks", 2, "--actions", 5, "--out", tmp_path / "a", "-f", "jsonl")
    first = invoke(*args)
    assert first.exit_code == 0
    made = rows(first.stdout)
    assert [row["instance"] for row in made] == [f"generated/generic/v1/tasks=2,actions=5/4-{n}" for n in range(3)]
    assert "optimum" not in made[0]
    problems = [read_instance(row["file"]) for row in made]
    assert problems == [generate("generic", 4, n, tasks=2, actions=5).problem for n in range(3)]
    solved = CliRunner().invoke(app, ["solve", *(row["file"] for row in made), "-f", "jsonl"])
    assert [json.loads(line)["status"] for line in solved.stdout.splitlines()] == ["optimal"] * 3
    assert invoke(*args).stdout == first.stdout
    changed = invoke(*args, "--windows", 0.9)
    assert isinstance(changed.exception, InputError)
    assert "something else" in str(changed.exception)
    blocked = invoke("generic", "--out", made[0]["file"])
    assert isinstance(blocked.exception, InputError)
    assert str(blocked.exception) == f"{made[0]['file']}: cannot be made a folder: File exists"


def test_problems_on_standard_output_with_a_table_beside() -> None:
    plain = invoke("recipe2plan", "--count", 2)
    assert plain.exit_code == 0
    assert [json.loads(line)["benchmark"] for line in plain.stdout.splitlines()] == ["recipe2plan"] * 2
    assert plain.stderr == ""
    measured = invoke("recipe2plan", "--count", 2, "--difficulty", "--greedy", "serial-lst", "-f", "csv")
    assert measured.stdout == plain.stdout
    assert "optimum" in measured.stderr.splitlines()[0]
    assert "serial-lst" in measured.stderr


def test_heuristics_are_for_measuring() -> None:
    assert invoke("generic", "--count", 1, "--greedy", "serial-lst").exit_code == 2


def test_names_where_names_do() -> None:
    found = invoke("timearena", "--combine", "--count", 3)
    assert all(catalogue.load(name).benchmark == "timearena" for name in found.stdout.split())
    assert len(found.stdout.split()) == 3


def test_hard_ones_are_looked_for_within_limits() -> None:
    some = invoke("generic", "--count", 2, "--tasks", 2, "--actions", 6, "--min-loss", 0.03, "-f", "jsonl")
    assert some.exit_code == 0
    assert all(row["loss_gap"] >= 0.03 for row in rows(some.stderr))
    assert len(rows(some.stderr)) == 2
    none = invoke("generic", "--count", 1, "--tasks", 1, "--actions", 2, "--min-loss", 9, "--tries", 5)
    assert none.exit_code == 1
    assert none.stdout == ""
    assert "0 of 1 problems found in 5 draws" in none.stderr


@pytest.mark.slow
def test_infeasible_is_an_answer_and_a_time_out_is_not() -> None:
    hard = ("generic", "--any", "--windows", 1, "--tightness", 1, "--count", 3, "--difficulty", "-f", "jsonl")
    found = invoke(*hard)
    assert found.exit_code == 0
    assert "infeasible" in {row["status"] for row in rows(found.stderr)}
    assert invoke("generic", "--count", 1, "--difficulty", "--time-limit", 0).exit_code == 1


def test_a_style_is_told_its_name_of_today() -> None:
    now, once = (invoke(style, "--count", 2, "--tasks", 1) for style in ("generic", "own"))
    assert once.stdout == now.stdout != ""
    assert "own is called generic now" in once.stderr
    assert "called" not in now.stderr


def test_mistakes_name_the_parameter() -> None:
    for args, match in (
        (("nope",), "style"),
        (("generic", "--windows", 1.5), "windows"),
        (("timearena", "--windows", 0.5), "windows"),
        (("recipe2plan", "--combine", "--tasks", 30), "tasks"),
        (("timearena", "--select"), "benchmark"),
    ):
        failed = invoke(*args)
        assert isinstance(failed.exception, InputError)
        assert failed.exception.field == match
