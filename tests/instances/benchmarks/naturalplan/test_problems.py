"""Names and files of Natural Plan, profiles, metrics, and answers in the published files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import expand, load
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import Result

_BENCHMARK = registry.get("naturalplan")
_PLAN = "You travel to Nob Hill in 11 minutes. You wait until 2:15PM. You meet Kenneth for 90 minutes."


@pytest.mark.parametrize(
    ("published", "name"),
    [
        ("meeting_planning_example_6", "naturalplan/meeting/6"),
        ("calendar_scheduling_example_17", "naturalplan/calendar/17"),
        ("trip_planning_example_21", "naturalplan/trip/21"),
    ],
)
def test_published_name_stands_for_the_problem(published: str, name: str) -> None:
    assert load(published).name == load(f"naturalplan/{published}").name == name
    assert expand([published]) == [name]
    assert Grader().grade({"id": "1", "instance": f"naturalplan/{published}", "plan": ""}).instance == name


@pytest.mark.parametrize(
    "name", ["meeting_planning_example_7", "trip_planning_example_", "meeting_planning_example_6/x"]
)
def test_other_published_names_are_unknown(name: str) -> None:
    with pytest.raises(UnknownNameError):
        load(name)


def test_each_task_is_a_set_of_100_problems() -> None:
    for label, number in (("meeting", 6), ("calendar", 17), ("trip", 21)):
        name, members = _BENCHMARK.catalog.set_of(f"naturalplan/{label}/{number}")
        assert (name, len(members)) == (f"naturalplan/{label}", 100)
    assert _BENCHMARK.groups("naturalplan/meeting/6") == {"task": ["meeting"], "size": ["1"]}


@pytest.mark.parametrize(("name", "meaning"), [("exact", "paper"), ("official", "released")])
def test_profile_has_the_name_of_the_published_evaluation(name: str, meaning: str) -> None:
    assert _BENCHMARK.rules.profile(name) == _BENCHMARK.rules.profiles[meaning]
    assert profiles(name)["naturalplan"] == _BENCHMARK.rules.profiles[meaning]
    assert profiles(name)["generic"] == profiles(meaning)["generic"]
    assert profiles(name, {"naturalplan.refuse_unread": "false"})["naturalplan"].refuse_unread is False


def test_unknown_profile_is_an_error_that_lists_all_names() -> None:
    with pytest.raises(UnknownNameError, match="exact, official"):
        _BENCHMARK.rules.profile("strict")


def _files(shared: Path) -> list[Path]:
    return sorted((shared / "benchmarks" / "naturalplan").glob("*_100.json"))


def test_published_files_hold_the_bundled_problems_under_their_published_names(shared: Path) -> None:
    for path in _files(shared):
        document = json.loads(path.read_text("utf-8"))
        assert _BENCHMARK.recognises(document)
        for problem in _BENCHMARK.read(document, path.name):
            bundled = load(problem.name)
            assert (problem.actions, problem.calendars) == (bundled.actions, bundled.calendars)
            ways = [sorted(transitions.times) for transitions in problem.transitions]
            assert ways == [sorted(transitions.times) for transitions in bundled.transitions]


@pytest.mark.parametrize(
    "document",
    [{}, [], {"meeting_planning_example_1": {}}, {"meeting_planning_example_1": 1}, {"x": {"constraints": []}}, None],
)
def test_other_documents_are_not_recognised(document: object) -> None:
    assert not _BENCHMARK.recognises(document)


def test_faulty_record_is_an_error_with_file_and_record(shared: Path) -> None:
    document = json.loads(_files(shared)[1].read_text("utf-8"))
    name = list(document)[3]
    document[name]["constraints"][1][3] = -1
    with pytest.raises(InputError) as error:
        _BENCHMARK.read(document, "mine.json")
    assert str(error.value).startswith("mine.json")
    assert name in str(error.value)


def test_answers_in_a_published_file_are_graded_as_published(shared: Path) -> None:
    shares = {}
    grader = Grader(profiles("official"), details=False)
    for path in _files(shared):
        grades = [grader.grade(entry) for _, entry in Intake([path])]
        assert all(grade.scored for grade in grades)
        shares[path.stem.partition("_")[0]] = sum(bool(grade.success) for grade in grades)
    assert shares == {"calendar": 56, "meeting": 38, "trip": 33}


def test_answers_in_a_file_of_other_problems_are_graded_with_that_file(shared: Path, tmp_path: Path) -> None:
    document = json.loads(_files(shared)[1].read_text("utf-8"))
    renamed = {f"meeting_planning_example_{5000 + n}": record for n, record in enumerate(list(document.values())[:3])}
    path = tmp_path / "meeting_planning.json"
    path.write_text(json.dumps(renamed), encoding="utf-8")
    arguments = ["grade", str(path), "--problems", str(path), "--profile", "official", "--format", "jsonl"]
    rows = [json.loads(line) for line in CliRunner().invoke(app, arguments).stdout.splitlines()]
    assert [row["instance"] for row in rows] == list(renamed)
    assert all(row["scored"] for row in rows)


def _row(plan: object, name: str = "naturalplan/meeting/389", **fields: Any) -> dict[str, Any]:
    return Grader().grade({"id": "1", "instance": name, "plan": plan, **fields}).row()


def test_metrics_count_persons_and_lost_minutes() -> None:
    row = _row("You travel to Richmond District. You wait until 1:00PM. You meet Mary for 75 minutes.")
    figures = (row["success"], row["persons_met"], row["score"], row["best_share"], row["time_lost"], row["weight"])
    assert figures == (True, 1, 1 / 3, False, None, 1)
    plan = (
        "You travel to Richmond District. You wait until 1:00PM. You meet Mary for 75 minutes. You travel to"
        " Fisherman's Wharf. You wait until 2:45PM. You meet Sarah for 105 minutes. You travel to Mission District."
        " You wait until 9:50PM. You meet Helen for 30 minutes."
    )
    row = _row(plan)
    figures = (row["success"], row["persons_met"], row["score"], row["optimal"], row["time_lost"], row["makespan"])
    assert figures == (True, 3, 1.0, False, 5, 800)
    row = _row(plan.replace("9:50PM", "9:45PM"))
    assert (row["best_share"], row["optimal"], row["time_lost"], row["makespan"]) == (True, True, 0, 795)


class _BoundOracle(SolverOracle):
    """Oracle that has a plan for two persons, and a bound of three."""

    def best(self, problem: Problem, rules: Rules) -> Result:
        return Result(problem.name, Status.feasible, 300, 200, weight=2, weight_bound=3)


def test_figures_are_undefined_for_a_success_without_a_proved_optimum() -> None:
    plan = "You travel to Richmond District. You wait until 1:00PM. You meet Mary for 75 minutes."
    figures = []
    for text in (plan, plan.replace("75", "74")):
        grade = Grader(oracle=_BoundOracle()).grade({"id": "1", "instance": "naturalplan/meeting/389", "plan": text})
        row = grade.row()
        figures.append([row[name] for name in ("success", "score", "best_share", "optimal", "time_lost")])
    assert figures == [[True, None, None, None, None], [False, 0.0, False, False, None]]


def test_formatted_answer_counts_where_the_response_is_null() -> None:
    entry = {"person": "Kenneth", "location": "Nob Hill", "start_time": "14:15", "end_time": "15:45"}
    record = {"instance": "naturalplan/meeting/6", "response": None, "formatted": {"itinerary": [entry]}}
    assert Grader().grade(record).success
    assert not Grader().grade(record | {"response": "I have no plan."}).success


def test_recorded_verdict_is_a_metric() -> None:
    assert _row(_PLAN, "naturalplan/meeting/6", recorded_correct=False)["recorded"] is False
    assert _row(_PLAN, "naturalplan/meeting/6")["recorded"] is None
