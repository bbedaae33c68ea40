"""Subcommands: formats, streams and exit statuses."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from support.batches import in_workers, run_to_end
from support.runner import invoke, run_program
from support.samples import sample

import planoracle
from planoracle.analysis.cli.commands import COMMANDS, SYNONYMS, load
from planoracle.heuristics.registry import names as heuristic_names
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import instance_from_document
from planoracle.instances.protocol import registry

NAME = "recipe2plan/timed/Cobbler_Pancakes"
THREE = ["recipe2plan/timed/Cobbler_Pancakes", "recipe2plan/untimed/Vada_Daikon-Radish", "recipe2plan/timed/Tacos_*"]
REFERENCE = ", ".join(command.text for command in problems.reference_plan("recipe2plan/timed/Cobbler_Pancakes"))

OWN = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "supper",
    "unit": "minute",
    "tasks": [
        {
            "name": "soup",
            "actions": [
                {"name": "boil", "duration": 9, "attended": 0},
                {"name": "chop", "duration": 4},
                {"name": "serve", "duration": 1, "after": ["boil", "chop"]},
            ],
        }
    ],
}
# Serving takes 1 of 9 minutes, boiling 9.
INFEASIBLE = OWN | {"name": "hasty", "time_limit": 9}


def plain(text):
    """Remove colours, which some continuous integration services request."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def command(*args, stdin=b""):
    """Run the installed command line in a process of its own."""
    call = "from planoracle.analysis.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", call, *map(str, args)], input=stdin, capture_output=True, check=False, timeout=60
    )


def rows(result, form="jsonl"):
    if form == "jsonl":
        return [json.loads(line) for line in result.stdout.splitlines()]
    if form == "json":
        return json.loads(result.stdout)
    return list(csv.DictReader(io.StringIO(result.stdout)))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Folder with instances, broken files and submissions, as working directory."""
    monkeypatch.chdir(tmp_path)
    documents = {"own.json": OWN, "infeasible.json": INFEASIBLE, "broken.json": OWN | {"version": 3}, "list.json": [1]}
    for name, document in documents.items():
        Path(name).write_text(json.dumps(document))
    Path("nojson.json").write_text("{")
    good = {"id": "good", "instance": NAME, "plan": REFERENCE, "model": "m"}
    failed = {"id": "failed", "instance": NAME, "plan": "Step(0, Stew, 1 min, 0:00)", "model": "m"}
    Path("good.jsonl").write_text("\n".join(map(json.dumps, (good, failed))))
    Path("bad.jsonl").write_text("\n".join(["{", json.dumps(good), json.dumps(good | {"instance": "nope"})]))
    return tmp_path


# --- help and usage ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_that_begins_with_its_summary(name):
    assert load(name).help.split("\n\n")[0] == COMMANDS[name][1]
    result = invoke(name, "--help", env={"COLUMNS": "200"})
    text = plain(result.stdout)
    assert result.exit_code == 0
    assert COMMANDS[name][1] in text
    options = [one for param in load(name).params if not getattr(param, "hidden", False) for one in param.opts]
    assert all(one in text for one in (*options, "--help") if one.startswith("-"))


def test_help_lists_each_command_in_its_panel():
    result = invoke("--help")
    assert result.exit_code == 0
    text = plain(result.stdout)
    titles = dict.fromkeys(panel for panel, _ in COMMANDS.values())
    order = [text.index(one) for panel in titles for one in (f"─ {panel} ─", *_names(panel))]
    assert order == sorted(order)


def _names(panel):
    return [f"│ {name} " for name, (own, _) in COMMANDS.items() if own == panel]


def test_help_imports_few_modules():
    """Each further module of ours brings its libraries, and delays the help text."""
    call = "from planoracle.analysis.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", call, "--help"], capture_output=True, text=True, check=True
    )
    modules = [line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")]
    assert {name for name in modules if name.startswith("planoracle.")} == {
        "planoracle.analysis",
        "planoracle.analysis.cli",
        "planoracle.analysis.cli.commands",
        "planoracle.analysis.cli.help_texts",
        "planoracle.analysis.console",
        "planoracle.instances",
        "planoracle.instances.errors",
        "planoracle.instances.text",
    }


@pytest.mark.parametrize(
    "args",
    [
        ("dance",),
        ("solve",),
        ("compare",),
        ("grade",),
        ("gantt",),
        ("solve", NAME, "--format", "xml"),
        ("solve", NAME, "--time-limit", "-1"),
        ("solve", NAME, "--seed", "-1"),
        ("solve", NAME, "--threads", "0"),
        ("solve", NAME, "--workers", "0"),
        ("solve", NAME, "--start", "8:00"),
        ("solve", NAME, "--start", "tomorrow"),
        ("solve", NAME, "--calendar", "missing.csv"),
        ("solve", NAME, "--setups", "missing.csv"),
        ("solve", NAME, "--sed", "1"),
        ("solve", NAME, "--iterations", "x"),
    ],
)
def test_usage_error_has_exit_status_2_and_a_message_on_standard_error(args):
    result = invoke(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage" in plain(result.stderr)


def test_help_command_prints_the_same_as_the_help_option():
    assert plain(invoke("help").stdout) == plain(invoke("--help").stdout)
    assert plain(invoke("help", "benchmark", "new").stdout) == plain(invoke("benchmark", "new", "--help").stdout)
    assert "No such command 'dance'" in plain(invoke("help", "dance").stderr)


@pytest.mark.parametrize("word", ["plot", "list", "evaluate", "score", "version"])
def test_error_about_a_synonym_names_the_command(word):
    done = invoke(word, "x")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"there is no command '{word}'; use planoracle {SYNONYMS[word]}" in plain(done.stderr)


def test_synonyms_name_existing_commands():
    assert not SYNONYMS.keys() & COMMANDS.keys()
    for call in SYNONYMS.values():
        assert call.split()[0] in COMMANDS or invoke(call).exit_code == 0


def test_verbose_version_lists_dependencies_and_extras():
    done = invoke("--version", "--verbose")
    assert done.exit_code == 0
    assert f"numpy {version('numpy')}" in done.stdout.splitlines()
    assert re.search(r"^extra frames is (not )?installed \(", done.stdout, re.MULTILINE)
    assert invoke("--version").stdout.splitlines() == done.stdout.splitlines()[:1]


# --- whole processes -----------------------------------------------------------------------------


@pytest.mark.slow
def test_unknown_name_is_refused_with_a_suggestion_and_exit_status_2():
    result = command("solve", "recipe2plan/timed/Cobler_Pancakes", "--format", "jsonl")
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"did you mean recipe2plan/timed/Cobbler_Pancakes" in result.stderr
    assert b"Traceback" not in result.stderr


# --- solve ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_solve_reads_a_hand_written_file(files):
    result = invoke("solve", "own.json", "--format", "jsonl")
    assert result.exit_code == 0
    (row,) = rows(result)
    assert (row["instance"], row["status"], row["makespan"], row["unit"]) == ("supper", "optimal", 10, "minute")
    assert [(p["action"], p["start"], p["duration"]) for p in row["schedule"]] == [
        ("soup/boil", 0, 9),
        ("soup/chop", 0, 4),
        ("soup/serve", 9, 1),
    ]
    assert json.loads(row["plan"]) == row["schedule"]


@pytest.mark.parametrize("subcommand", sample(["solve", "compare", "instances"]))
@pytest.mark.parametrize("broken", sample(["broken.json", "nojson.json", "list.json"]))
def test_broken_file_is_reported_and_the_others_are_answered(files, broken, subcommand):
    result = invoke(subcommand, "own.json", broken, "recipe2plan/*/Cobbler_Pan*", NAME, "--format", "jsonl")
    assert result.exit_code == 1
    names = list(dict.fromkeys(row["instance"] for row in rows(result)))
    assert names == ["supper", NAME, NAME.replace("timed", "untimed")]
    (error,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert error.startswith(f"error: {broken}")


def test_solve_refuses_a_missing_file_before_it_solves(files):
    result = invoke("solve", NAME, "missing.json", "--format", "jsonl")
    assert isinstance(result.exception, UnknownNameError)
    assert result.stdout == ""


@pytest.mark.slow
def test_infeasible_problem_is_a_result_with_exit_status_0(files):
    result = invoke("solve", "infeasible.json", "--format", "jsonl")
    assert result.exit_code == 0
    (row,) = rows(result)
    assert row["status"] == "infeasible"
    assert (row["makespan"], row["lower_bound"], row["plan"], row["schedule"]) == (None,) * 4
    (cells,) = rows(invoke("solve", "infeasible.json", "--format", "csv"), "csv")
    assert (cells["makespan"], cells["lower_bound"]) == ("", "")
    assert "infeasible" in invoke("solve", "infeasible.json").stdout


# --- heuristics ------------------------------------------------------------------------------------


def heuristics():
    return invoke("solve", "--heuristic", "list").stdout.split()


def test_solve_lists_the_heuristics():
    assert {"recipe2plan-dfs", "improve"} < set(heuristics())
    assert len(heuristics()) == len(set(heuristics()))


@pytest.mark.slow
def test_every_heuristic_answers_with_a_schedule_or_a_reason():
    for name in heuristics():
        result = invoke("solve", NAME, "--heuristic", name, "--iterations", 5, "--format", "jsonl")
        (row,) = rows(result)
        # Rows of `greedy` name the algorithm that stands for it.
        assert row["heuristic"] == ("recipe2plan-dfs" if name == "greedy" else name)
        answered = row["makespan"] is not None
        assert answered == (row["plan"] is not None) == (row["schedule"] is not None) == (row["reason"] is None)
        assert result.exit_code == (0 if answered else 1)
        assert not answered or row["makespan"] >= 4080


def test_former_names_of_options_are_accepted():
    optimum = rows(invoke("solve", NAME, "--recompute", "--exact-grid", "--min-interruptions", "--format", "jsonl"))
    former = rows(invoke("solve", NAME, "--again", "--finest", "--fewest-pieces", "--format", "jsonl"))
    assert [row["proof"] for row in former] == [row["proof"] for row in optimum]
    assert "interruptions proved minimal" in former[0]["proof"]
    draw = ("generate", "generic", "--count", "1", "--seed", "1")
    assert invoke(*draw, "--any").stdout == invoke(*draw, "--allow-infeasible").stdout


def test_solve_by_heuristic_has_exit_status_1_without_a_schedule(files):
    result = invoke("solve", "-H", "improve", "infeasible.json", "own.json", "--format", "jsonl")
    assert result.exit_code == 1
    failed, done = rows(result)
    assert (failed["instance"], failed["makespan"], failed["schedule"]) == ("hasty", None, None)
    assert failed["reason"]
    assert (done["instance"], done["makespan"], done["reason"]) == ("supper", 10, None)


# --- grade ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["jsonl", "json", "csv"]))
def test_grade_writes_a_row_per_submission_and_averages_to_standard_error(files, form):
    result = invoke("grade", "good.jsonl", "--format", form, "--all-columns")
    assert result.exit_code == 0
    good, failed = rows(result, form)
    assert (good["id"], str(good["success"]), int(good["makespan"])) == ("good", "True", 4380)
    assert (failed["id"], str(failed["success"]), failed["violation"]) == ("failed", "False", "wrong_recipe")
    violations = json.loads(failed["violations"]) if form == "csv" else failed["violations"]
    assert violations[0]["kind"] == "wrong_recipe"
    assert "averages" in result.stderr
    assert "averages" not in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["jsonl", "json", "csv", "table"]))
def test_grade_has_exit_status_1_with_bad_lines_and_grades_the_rest(files, form):
    result = invoke("grade", "bad.jsonl", "--format", form)
    assert result.exit_code == 1
    assert "error: line 1: " in result.stderr
    assert "error: line 3: " in result.stderr
    assert "error:" not in result.stdout
    if form != "table":
        grades = rows(result, form)
        assert [str(row["scored"]) for row in grades] == ["False", "True", "False"]
        assert "is not JSON" in grades[0]["reason"]
        assert "in column " in grades[0]["reason"]  # the end of the line of a submission is not part of its JSON
        assert "no problem has this name" in grades[2]["reason"]


@pytest.mark.slow
def test_grade_reads_standard_input(files):
    text = Path("good.jsonl").read_text()
    from_stdin = invoke("grade", "-", "--format", "jsonl", input=text)
    assert (from_stdin.exit_code, from_stdin.stdout) == (0, invoke("grade", "good.jsonl", "--format", "jsonl").stdout)
    assert invoke("grade", "-", "--format", "jsonl", input="").stdout == ""
    assert rows(invoke("grade", "-", "--format", "json", input=""), "json") == []


def test_grade_refuses_a_missing_file(files):
    for paths in (["missing.jsonl"], ["good.jsonl", "missing.jsonl"]):
        result = invoke("grade", *paths)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "missing.jsonl: cannot be read" in result.stderr


@pytest.mark.slow
def test_grade_applies_single_rules(files):
    zero = {"id": "x", "instance": NAME, "plan": "Step(1, Cobbler, 0:00, 0:00)"}
    Path("zero.jsonl").write_text(json.dumps(zero))
    paper = invoke("grade", "zero.jsonl", "--format", "jsonl")
    rule = invoke("grade", "zero.jsonl", "--format", "jsonl", "--rule", "zero_duration=accepted")
    assert rows(paper)[0]["violation"] == "action_duration"
    assert rows(rule)[0]["violation"] is None
    both = ("--rule", "zero_duration=rejected", "--profile", "released", "--rule", "max_failures=3")
    assert rows(invoke("grade", "zero.jsonl", "--format", "jsonl", *both))[0]["violation"] == "action_duration"


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["jsonl", "table"]))
def test_missing_problems_are_named_on_standard_error(files, form):
    result = invoke("grade", "good.jsonl", "--format", form)
    assert "Cobbler_Daikon-Radish" in result.stderr
    assert "Cobbler_Daikon-Radish" not in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "zero_duration=perhaps"), "zero_duration: must be one of"),
        (("--rule", "patience=1"), "rule: must be one of"),
        (
            ("--set", "timearena.limit=40"),
            "rule: is not a rule of timearena; a submission sets the limit of its run in its field 'time_limit'",
        ),
        (("--set", "normalize=true"), "rule: is ambiguous; use robotouille.normalize or timearena.normalize"),
        (("--rule", "max_failures=many"), "max_failures: must be a whole number"),
        (("--rule", "ref_floor=1"), "ref_floor: must be true or false"),
        (("--profile", "mine"), "profile: must be one of"),
        (("--set", "reference=best"), "reference: must be one of"),
    ],
)
def test_unknown_rules_are_refused(files, options, message):
    result = invoke("grade", "good.jsonl", *options)
    assert isinstance(result.exception, UnknownNameError)
    assert message in str(result.exception)
    assert result.stdout == ""


def test_unknown_rules_have_exit_status_2(files):
    assert run_program("grade", "good.jsonl", "--rule", "patience=1").returncode == 2
    malformed = invoke("grade", "good.jsonl", "--rule", "zero_duration")
    assert malformed.exit_code == 2
    assert "must be RULE=VALUE" in malformed.stderr


@pytest.mark.parametrize(("heuristic", "status", "code"), [((), "infeasible", 0), (("-H", "greedy"), "unknown", 1)])
def test_solve_reports_problems_that_the_rules_exclude(heuristic, status, code):
    call = ("timearena/cooking2+cooking3", "timearena/cooking1", "--profile", "released", *heuristic, "-f", "jsonl")
    result = invoke("solve", *call)
    excluded, feasible = map(json.loads, result.stdout.splitlines())
    assert (result.exit_code, excluded["status"], excluded["makespan"]) == (code, status, None)
    assert feasible["makespan"] == 16
    reason = excluded["reason" if heuristic else "proof"]
    assert reason.startswith("excluded by the rules of the profile released")


# --- compare -------------------------------------------------------------------------------------


def test_compare_reports_missing_reference_plans(files):
    egg = "recipe2plan/timed/Pizza_Chocolate-Egg"
    comparisons = rows(invoke("compare", egg, "own.json", "infeasible.json", "--format", "jsonl"))
    outcomes = {(row["instance"], row["method"]): row["outcome"] for row in comparisons}
    assert (outcomes[egg, "heuristic_reference"], outcomes[egg, "dfs"]) == (None, "feasible")
    assert {key: outcome for key, outcome in outcomes.items() if key[0] != egg} == {
        ("supper", "optimum"): "optimal",
        ("supper", "best_heuristic"): "feasible",
        ("hasty", "optimum"): "infeasible",
        ("hasty", "best_heuristic"): "failed",
    }


def test_compare_runs_the_requested_methods_in_order(files):
    call = ("compare", NAME, "own.json", "--methods", "dfs, optimum,serial-lpt", "--format", "csv")
    comparisons = rows(invoke(*call), "csv")
    assert [(row["instance"], row["method"], row["outcome"]) for row in comparisons] == [
        (NAME, "dfs", "feasible"),
        (NAME, "optimum", "optimal"),
        (NAME, "serial-lpt", "feasible"),
        ("supper", "dfs", ""),
        ("supper", "optimum", "optimal"),
        ("supper", "serial-lpt", "feasible"),
    ]
    summary = rows(invoke(*call, "--summary"), "csv")
    assert [row["method"] for row in summary if row["set"] == "recipe2plan/timed"] == ["dfs", "optimum", "serial-lpt"]
    assert "did you mean" in str(invoke("compare", NAME, "--methods", "optimum,serial-ltp").exception)


def test_headings_name_the_unit_that_all_rows_share():
    one, several = (
        invoke("compare", *names, "--methods", "optimum").stdout for names in ([NAME], [NAME, "timearena/lab1"])
    )
    assert {"makespan (seconds)", "mean (seconds)"} <= {*re.split(r"\s{2,}", one)}
    assert "unit" not in one
    assert "(" not in several
    assert "minute" in several


def test_headings_without_a_common_unit_name_no_unit(tmp_path):
    plans = tmp_path / "plans.jsonl"
    plans.write_text('{"instance": "timearena/household1", "plan": "wash cup"}\n')
    assert "(None" not in invoke("grade", plans, "--wide").stdout


def test_compare_prints_a_table_and_a_summary():
    result = invoke("compare", NAME)
    assert result.exit_code == 0
    assert "+7.4 %" in result.stdout  # 4380 / 4080
    assert "above the optimum" in result.stdout
    assert result.stderr == ""


@pytest.mark.slow
def test_compare_runs_every_heuristic_on_problems_of_all_kinds(files):
    names = [NAME, "own.json", "robotouille/synchronous/0_cheese_sandwich"]
    comparisons = rows(invoke("compare", *names, "-H", "all", "--format", "csv"), "csv")
    meal, own, kitchen = (
        {row["method"]: row for row in comparisons if row["instance"] == name} for name in (NAME, "supper", names[2])
    )
    every = [
        name for name in heuristic_names("schedule") if name != "recipe2plan-dfs"
    ]  # its name as a reference is dfs
    for name in every:
        for row in (meal[name], own[name]):
            answered = row["makespan"] != ""
            assert row["outcome"] == ("feasible" if answered else "failed")
            assert float(row["gap"]) == int(row["makespan"]) / int(row["optimum"]) - 1 if answered else row["reason"]
    assert kitchen.keys() == {"optimum", "published"}
    assert [own[name]["makespan"] for name in ("improve", "serial-lpt", "recipe2plan-dfs")] == ["10"] * 3
    assert (meal["serial-lpt"]["makespan"], meal["asynctool-sequential"]["makespan"]) == ("4380", "")
    assert kitchen["published"]["makespan"] == "10"


def test_compare_writes_a_row_with_a_reason_for_each_failed_method(files):
    result = invoke("compare", NAME, "own.json", "-H", "serial-mts", "-H", "asynctool-sequential", "--wide")
    table = result.stdout.partition("above the optimum")[0]
    cells = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    assert [NAME, "serial-mts", "5280", "feasible", "+29.4 %"] in [row[:5] for row in cells]
    assert "supper" in {row[0] for row in cells}
    assert table.count("the sequential agent is for AsyncTool problems") == 2
    wrong = invoke("compare", NAME, "-H", "serial-mst").exception
    assert isinstance(wrong, UnknownNameError)
    assert "did you mean" in str(wrong)


def test_compare_summarizes_problems_with_more_agents_separately():
    result = invoke("compare", NAME, f"{NAME}~2")
    assert {"recipe2plan/timed", "recipe2plan/timed~2"} <= set(result.stdout.split())


# --- instances, schema, gantt --------------------------------------------------------------------


@pytest.mark.slow
def test_instances_lists_all_problems():
    assert [row["instance"] for row in rows(invoke("instances", "*", "--format", "jsonl"))] == list(catalog.bundled())


def test_instances_without_a_name_lists_the_sets():
    sets = rows(invoke("instances", "--format", "jsonl"))
    assert sum(row["problems"] for row in sets) == len(catalog.bundled())
    assert all(len(catalog.expand([row["set"]])) >= row["problems"] for row in sets)
    (timed,) = [row for row in sets if row["set"] == "recipe2plan/timed"]
    assert (timed["problems"], timed["unit"], timed["kind"]) == (65, "second", "schedule")
    assert timed["about"].startswith("Recipe2Plan: one cook")
    assert invoke("instances").stdout.count("Recipe2Plan: one cook") == 1  # for two sets


@pytest.mark.slow
def test_exported_instances_read_back_as_equal_instances(files):
    result = invoke("instances", NAME, "recipe2plan/untimed/Vada_Daikon-Radish", "own.json", "--export")
    assert result.exit_code == 0
    instances = [instance_from_document(json.loads(line), "export") for line in result.stdout.splitlines()]
    expected = [
        catalog.load(NAME),
        catalog.load("recipe2plan/untimed/Vada_Daikon-Radish"),
        *catalog.read_problems("own.json"),
    ]
    assert instances == expected
    Path("again.json").write_text(result.stdout.splitlines()[0])
    assert rows(invoke("solve", "again.json", "--format", "jsonl"))[0]["makespan"] == 4080


@pytest.mark.slow
def test_internal_error_of_one_problem_does_not_end_the_batch(files):
    broken = f"""
from planoracle.instances.errors import InternalError
from planoracle.solver.exact import search as solving

exact = solving.solve

def failing(instance, **options):
    if instance.name == {NAME!r}:
        raise InternalError("contradiction")
    return exact(instance, **options)

solving.solve = failing
"""
    status, out, err = run_to_end("solve", NAME, "own.json", "--recompute", "--format", "jsonl", env=in_workers(broken))
    assert status == 1
    assert f"error: {NAME}: internal error: contradiction" in err
    assert len(out.splitlines()) == 1


def test_gantt_refuses_unreadable_plans_long_plans_and_several_problems(tmp_path):
    plan = tmp_path / "plan.txt"
    for name, text, fault in (
        (NAME, "nothing", "contains no step"),
        (NAME, "Step(0, Cobbler, 10 min, 9999999999:00)", "too long to draw"),
        ("recipe2plan/timed", "nothing", "single problem"),
    ):
        plan.write_text(text)
        result = invoke("gantt", name, "-o", tmp_path / "x.png", "--plan", plan)
        assert isinstance(result.exception, InputError)
        assert fault in str(result.exception)
    assert invoke("gantt", NAME, "-o", tmp_path / "x.png", "--plan", plan, "-H", "improve").exit_code == 2
    alone = invoke("gantt", NAME, "-o", tmp_path / "x.png", "--against", "optimum")
    assert (alone.exit_code, "needs --plan or --heuristic" in alone.stderr) == (2, True)
    assert not (tmp_path / "x.png").exists()


def test_schema_is_json():
    result = invoke("instances", "--schema")
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert set(OWN) <= set(schema["properties"])
    schemas = {name: json.loads(invoke("instances", "--schema", name).stdout) for name in registry.names()}
    assert schemas["generic"] == schemas["recipe2plan"] == schemas["timearena"] == schema
    assert len({json.dumps(one) for one in schemas.values()}) == 4
    assert isinstance(invoke("instances", "--schema", "nobody").exception, UnknownNameError)


def test_critique_reports_only_on_failed_or_selected_plans(tmp_path):
    path = tmp_path / "plans.jsonl"
    name = "timearena/household1"
    plans = {"good": planoracle.solve(planoracle.load(name)).plan, "bad": "wash cup", "worse": "wait"}
    path.write_text("\n".join(json.dumps({"id": key, "instance": name, "plan": plan}) for key, plan in plans.items()))

    def reported(*options):
        result = invoke("critique", path, "--no-regret", "-f", "jsonl", *options)
        return [json.loads(line)["id"] for line in result.stdout.splitlines()], result.exit_code, result.stderr

    assert reported("--failed") == (["bad", "worse"], 0, "")
    assert reported("--id", "good", "--id", "worse") == (["good", "worse"], 0, "")
    assert reported("--failed", "--id", "good", "--id", "x") == ([], 1, "error: --id x: no submission has this id\n")


def test_columns_success_and_cause_are_shown_on_a_narrow_terminal(tmp_path, monkeypatch):
    path = tmp_path / "plans.jsonl"
    path.write_text(json.dumps({"id": "a-name-of-some-length-1", "instance": "timearena/household1", "plan": "wait"}))
    monkeypatch.setenv("COLUMNS", "80")
    head = invoke("grade", path).stdout.splitlines()
    assert head[0].split()[:4] == ["id", "success", "failure", "cause"]
    assert head[2].split()[1:3] == ["no", "unfinished"]
