"""AsyncHow as a benchmark: solving, grading of answers and schedules, all commands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planoracle.analysis.cli import app
from planoracle.analysis.comparison.compare import compare
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.asynchow.bundled_data import how_to, names
from planoracle.instances.benchmarks.asynchow.language import DurationAnswer, reading
from planoracle.instances.benchmarks.asynchow.problems import load
from planoracle.instances.benchmarks.asynchow.rules import PROFILES
from planoracle.instances.errors import InputError, PlanError, UnknownNameError
from planoracle.instances.files.catalog import expand, problem, set_of
from planoracle.instances.files.catalog import load as load_any
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve
from tests.support.grades import grade_rows
from tests.support.runner import CliRunner
from tests.support.samples import sample

BENCHMARK = registry.get("asynchow")
DAY = 86400

#: async/1: step 1 (15 min) and the chain of steps 2 (1 h), 3 (15 min), 4 (5 min) before step 5 (5 min).
STARTS = {"step/1": 0, "step/2": 0, "step/3": 3600, "step/4": 4500, "step/5": 4800}


def plan(**changes: int) -> list[dict[str, Any]]:
    duration = {action.id: action.duration for action in load("asynchow/async/1").actions}
    starts = STARTS | {f"step/{key[1:]}": start for key, start in changes.items()}
    return [{"action": action, "start": start, "duration": duration[action]} for action, start in starts.items()]


def graded(name: str, profile: str = "paper", **submission: Any) -> Grade:
    return Grader(profiles(profile)).grade({"id": "a", "instance": f"asynchow/{name}"} | submission)


# --- problems ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_names_and_sets_are_expanded() -> None:
    assert len(expand(["asynchow"])) == 1998
    assert len(expand(["asynchow/parallel"])) == 200
    assert expand(["asynchow/*/17~2"]) == [f"asynchow/{kind}/17~2" for kind in ("async", "parallel", "sequential")]
    assert set_of("asynchow/sequential/3~2")[0] == "asynchow/sequential~2"
    for name in ("asynchow/async/1598", "asynchow/829", "asynchow/async/829~0"):
        with pytest.raises(UnknownNameError):
            problem(name)


@pytest.mark.slow
def test_every_problem_has_as_many_agents_as_steps() -> None:
    for name in names():
        instance, facts = load(f"asynchow/{name}"), how_to(name)
        assert len(instance.agents) == len(instance.actions) == len(facts.durations)
        assert BENCHMARK.formula_optimum(instance) * (instance.seconds_per_tick or 0) == facts.answer()[0]


@pytest.mark.parametrize("name", names()[::150])
def test_solver_finds_the_longest_path(name: str) -> None:
    result = solve(load(f"asynchow/{name}"))
    assert (result.status, result.makespan) == ("optimal", BENCHMARK.formula_optimum(load(f"asynchow/{name}")))


@pytest.mark.parametrize("name", names()[77::300])
def test_fewer_agents_take_longer_and_one_agent_takes_the_total_work(name: str) -> None:
    makespans = [solve(load_any(f"asynchow/{name}~{count}")).makespan for count in (1, 2, 3)]
    work = sum(action.duration for action in load(f"asynchow/{name}").actions)
    assert work == makespans[0] >= makespans[1] >= makespans[2] >= BENCHMARK.formula_optimum(load(f"asynchow/{name}"))


def test_problem_with_two_agents_belongs_to_generic() -> None:
    instance = load_any("asynchow/parallel/2~2")  # 60, 30 and 30 seconds
    assert (instance.benchmark, instance.agents, solve(instance).makespan) == ("generic", ("agent1", "agent2"), 60)
    harder = [solve(load_any(f"asynchow/parallel/{number}~2")).makespan for number in range(20)]
    assert any(
        makespan > BENCHMARK.formula_optimum(load(f"asynchow/parallel/{number}"))
        for number, makespan in enumerate(harder)
    )


def test_steps_longer_than_a_billion_seconds_are_in_minutes() -> None:
    instance = load("asynchow/async/1420")
    assert (instance.unit, instance.seconds_per_tick) == ("minute", 60)
    assert graded("async/1420", answer='"65 years 10 min"').success


def test_profile_determines_durations_of_steps() -> None:
    paper, released = (BENCHMARK.under(load("asynchow/async/163"), PROFILES[name]) for name in ("paper", "released"))
    assert (BENCHMARK.formula_optimum(paper), BENCHMARK.formula_optimum(released)) == (13500, 6300)
    longest = BENCHMARK.under(load("asynchow/async/829"), BENCHMARK.rules.profile(length="most"))
    assert (BENCHMARK.formula_optimum(longest), solve(longest).makespan) == (78 * DAY, 78 * DAY)


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "released", "right"),
    [
        ("async/163", "1 hour 45 min", "3 hours 45 min"),
        ("async/356", "47 min", "2 hours 47 min"),
        ("async/589", "181 days 20 hours", "184 days 20 hours"),
        ("async/594", "3 days 10 hours 30 min", "4 days 10 hours 30 min"),
        ("async/829", "70 days", "72 days"),
        ("async/1113", "336 days 11 min", "336 days 1 hour 15 min"),
        ("sequential/99", "25 hours", "73 hours"),
        ("sequential/161", "2 hours 41 min", "3 hours 41 min"),
    ],
)
def test_wrong_released_answers_count_only_in_the_released_profile(name: str, released: str, right: str) -> None:
    assert graded(name, "released", answer=f'"{released}"').success
    assert not graded(name, "paper", answer=f'"{released}"').success
    assert graded(name, "paper", answer=f'"{right}"').success
    between = how_to(name).fault == "overwritten"  # then the released interval contains the right one
    assert graded(name, "released", answer=f'"{right}"').success == between


def test_grade_row_of_an_answer() -> None:
    row = graded("async/829", answer='It takes "75 days".').row()
    assert row["success"] is True
    assert row["parsed"] == [75 * DAY, 75 * DAY]
    assert row["gold"] == [72 * DAY, 78 * DAY]
    assert (row["makespan"], row["optimal_makespan"], row["complexity"]) == (72 * DAY, 72 * DAY, 12)
    wrong = graded("async/829", answer="It takes a while.").row()
    assert (wrong["success"], wrong["parsed"], wrong["violation"]) == (False, [0, 0], "no_time")
    problem = load("asynchow/async/829")
    verdict = BENCHMARK.run(problem, {"answer": "It takes a while."}).verdict
    work = sum(action.duration for action in problem.actions)
    assert (verdict.makespan, sum(verdict.remaining.values())) == (0, work)
    assert graded("async/829", answer=None).violation == graded("async/829", answer="").violation == "empty"


@pytest.mark.parametrize("answer", [30, {"time": 30}, True, [30], [{"action": "step/9", "start": 0, "duration": 1}]])
def test_invalid_answer_is_unscored(answer: Any) -> None:
    grade = graded("async/1", answer=answer)
    assert not grade.scored
    assert grade.reason


def test_submission_without_answer_is_unscored() -> None:
    assert graded("async/1").reason == "plan: is missing"


def test_accuracy_excludes_few_shot_problems() -> None:
    grades = [
        graded("async/0", answer='"360 days"'),
        graded("async/1", answer='"90 min"'),
        graded("async/2", answer=""),
        graded("async/829", plan=json.loads(_best("asynchow/async/829"))),
        graded("async/8", answer="no"),
        graded("async/1198", answer='"55 min"'),
    ]
    assert grades[-1].row()["few_shot"]
    (row,) = summarize(grade_rows(grades)).sets
    assert (row["submissions"], row["accuracy"], row["score"]) == (6, 0.5, 0.5)
    (late,) = summarize(grade_rows([graded("async/1", plan=plan(_1=4500, _5=5400))])).sets
    assert (late["accuracy"], late["score"]) == (0.0, pytest.approx(5100 / 5700))
    (wrong,) = summarize(grade_rows([graded("async/1", plan=plan()[1:])])).sets
    assert (wrong["success"], wrong["wrong_answers"]) == (0.0, {})  # plans are no answers
    assert row["wrong_answers"] == {"empty": 1, "no_time": 1, "too_long": 1}


def _best(name: str) -> str:
    schedule = solve(load(name)).schedule
    assert schedule is not None
    return BENCHMARK.render(load(name), schedule)


# --- schedules -----------------------------------------------------------------------------------


def test_schedule_without_agents_is_graded() -> None:
    row = graded("async/1", plan=plan()).row()
    assert (row["success"], row["makespan"], row["main_score"], row["parsed"]) == (True, 5100, 1.0, None)
    late = graded("async/1", plan=plan(_1=600)).row()
    assert (late["success"], late["makespan"]) == (True, 5100)
    later = graded("async/1", plan=plan(_1=4500, _5=5400)).row()
    assert (later["success"], later["makespan"], later["main_score"]) == (True, 5700, 0.0)
    assert graded("async/1", plan=json.dumps(plan())).success


def test_wrong_order_and_busy_agents_are_violations() -> None:
    assert {one["kind"] for one in graded("async/1", plan=plan(_5=0)).violations or ()} == {"minimum_lag"}
    assert graded("async/1", plan=plan()[:-1]).violation == "missing_action"
    one_agent = [piece | {"agent": "agent1"} for piece in plan()]
    assert graded("async/1", plan=one_agent).violation == "agent_busy"


def test_text_in_brackets_is_an_answer() -> None:
    answer = reading(load("asynchow/async/1"), '[My "action"] takes "5 min"', PROFILES["paper"]).commands
    assert isinstance(answer, DurationAnswer)
    with pytest.raises(PlanError):
        reading(load("asynchow/async/1"), 5, PROFILES["paper"])


def test_regret_of_schedules_and_answers() -> None:
    result = regret(load("asynchow/async/1"), {"plan": plan(_1=4500, _5=5400)})
    assert (result.optimum, result.final, result.total) == (5100, 5700, 600)
    answered = regret(load("asynchow/async/1"), {"answer": '"85 min"'})
    assert (answered.optimum, answered.final, answered.decisions) == (5100, 5100, ())


def test_critique_of_answers_and_schedules() -> None:
    text = critique(load("asynchow/async/1"), {"answer": 'It is "80 min".'}).prose()
    assert 'Time: "80 min": less than the shortest time.' in text
    assert "Result: The answer is wrong: the shortest time is 1 h 25 min." in text
    assert "plan" not in text
    right = critique(load("asynchow/async/1"), {"answer": '"85 min"'}).prose()
    assert right.startswith("Result: The answer is right: the shortest time is 1 h 25 min.")
    form = critique(load("asynchow/async/1"), {"answer": "It takes a while."})
    assert [section.key for section in form.sections if section.status == "fault"] == ["form"]
    order = critique(load("asynchow/async/1"), {"plan": plan(_5=0)}).prose()
    assert "Step 5 at 00:00:00 must start after step 1, which ends at 00:15:00" in order


def test_repair_of_answers_and_schedules() -> None:
    repaired = repair(load("asynchow/async/1"), {"answer": '"80 min"'})
    assert (repaired.status, repaired.changed, repaired.makespan) == ("optimal", True, 5100)
    moved = repair(load("asynchow/async/1"), {"plan": plan(_5=0)})
    assert (moved.moved, moved.shift, moved.makespan) == (1, 4800, 5100)
    strange = repair(load("asynchow/async/1"), {"plan": [*plan(), {"action": "step/9", "start": 0, "duration": 1}]})
    assert strange.makespan == 5100


def test_problem_without_facts_is_rejected() -> None:
    with pytest.raises(InputError, match="is not an AsyncHow problem with its facts"):
        BENCHMARK.run(replace(load("asynchow/async/1"), origin=None), '"85 min"')


def test_comparison_rejects_released_answers_below_the_optimum() -> None:
    comparison = compare(load("asynchow/async/829"))
    released = comparison.entries[0]
    assert (comparison.optimum, released.makespan, released.accepted) == (72 * DAY, 70 * DAY, False)
    assert "the shortest time of another path" in (released.reason or "")
    claims = [BENCHMARK.references[0].source(load(f"asynchow/{name}")) for name in names()]
    assert sum(claim.accepted for claim in claims) == 1990


# --- command line --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    sample(
        [
            "instances asynchow/async/829 asynchow/parallel/3~2",
            "solve asynchow/async/829~2",
            "solve asynchow/async/829 --agents 2",
            "compare asynchow/parallel/3 asynchow/async/829~2",
            "solve asynchow/async/829 -H parallel-lpt",
            "explain asynchow/async/829",
            "next asynchow/async/829",
            "compare asynchow/async/1 --agents 1,2",
            "gantt asynchow/async/1 -o {folder}/gantt.svg",
            "gantt asynchow/async/1~2 -o {folder}/gantt.svg",
            "grade {folder}/runs.jsonl",
            "grade {folder}/runs.jsonl --profile released",
            "grade {folder}/runs.jsonl --rule gold=released",
            "regret {folder}/runs.jsonl",
            "critique {folder}/runs.jsonl",
            "repair {folder}/runs.jsonl",
            "report {folder}/runs.jsonl -o {folder}/report.html",
        ],
    ),
)
def test_every_command_supports_the_benchmark(command: str, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "instance": "asynchow/async/1", "answer": '"85 min"', "model": "x"},
        {"id": "b", "instance": "asynchow/async/1", "answer": '"80 min"', "model": "x"},
        {"id": "c", "instance": "asynchow/async/1", "plan": plan(_1=4500, _5=5400), "model": "x"},
        {"id": "d", "instance": "asynchow/parallel/3~3", "plan": [], "model": "x"},
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = CliRunner().invoke(app, command.format(folder=tmp_path).split())
    assert done.exit_code == 0, done.stderr or done.exception
    if "-o" in command:
        assert (tmp_path / command.rpartition("/")[2]).stat().st_size > 1000
    else:
        assert done.stdout
