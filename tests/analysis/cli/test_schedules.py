"""Schedules that ``solve`` shows, and progress on a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.random_instances import job_shop
from support.runner import invoke

from planoracle.instances.files.instance_file import to_document

TEA = "timearena/household1"
RADISH = "recipe2plan/timed/Vada_Daikon-Radish"
SANDWICH = "kitchens/synchronous/0_cheese_sandwich"
MAIN = "from planoracle.analysis.cli import main; main()"


def pieces(*call: object) -> list[dict[str, str]]:
    """Return the rows of ``solve --schedule`` as csv."""
    return list(csv.DictReader(io.StringIO(invoke("solve", *call, "--schedule", "-f", "csv").stdout)))


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--heuristic", "serial-lpt")])
def test_schedule_is_a_table_with_a_summary(options: tuple[str, ...]) -> None:
    lines = invoke("solve", TEA, "--schedule", *options).stdout.splitlines()
    assert lines[0].split() == ["start", "end", "action", "agent", "agent", "until", "resources", "mode", "name"]
    assert lines[2].split() == ["0", "4", "household1/activate", "kettle", "agent", "1", "kettle"]
    assert lines[9:11] == [f"{TEA}: {'feasible' if options else 'optimal'}", "makespan      13 minutes"]
    assert ("lower bound   13 minutes" in lines) == (not options)


@pytest.mark.slow
def test_schedules_of_several_problems_have_one_row_per_piece() -> None:
    names = [TEA, SANDWICH, "recipe2plan/timed/Cobbler_Pancakes"]
    rows = pieces(*names)
    assert list(rows[0])[:7] == ["instance", "start", "end", "unit", "action", "agent", "resources"]
    assert not any("{" in cell or "[" in cell for row in rows for cell in row.values())
    ends = [max(int(row["end"]) for row in rows if row["instance"] == name) for name in names]
    assert ends == [13, 12, 4080]
    result = invoke("solve", *names, "--schedule", "-f", "jsonl")
    assert [json.loads(line)["action"] for line in result.stdout.splitlines()] == [row["action"] for row in rows]
    assert re.search(r"Cobbler_Pancakes +optimal +4080", result.stderr)
    (order,) = [
        row for row in pieces("paracook/cook/own/seed_1/agent_num_2/orders_num_1") if row["action"] == "order/1"
    ]
    assert (order["start"], order["label"]) == ("0", "fried_tofu")
    assert invoke("solve", "--bundled", TEA, "--schedule").exit_code == 2


@pytest.mark.slow
def test_infeasible_problem_has_a_sentence_in_place_of_a_schedule(tmp_path: Path) -> None:
    tight = {"name": "tight", "time_limit": 1, "tasks": [{"name": "t", "actions": [{"name": "a", "duration": 2}]}]}
    (tmp_path / "tight.json").write_text(json.dumps({"format": "planoracle/instance", "version": 1} | tight))
    result = invoke("solve", tmp_path / "tight.json", "--schedule")
    assert re.fullmatch(r"tight: infeasible\nproof +no plan exists \(.+\)\nproof grade   solver\n", result.stdout)


def on_terminal(*call: object, both: bool) -> tuple[str, str]:
    """Return the output on a terminal, of standard error or both streams, and the other standard output."""
    master, slave = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, call)], stdout=slave if both else subprocess.PIPE, stderr=slave
    ) as process:
        os.close(slave)
        output = b""
        while True:
            try:
                output += os.read(master, 4096)
            except OSError:  # the program has ended
                break
        rest = b"" if both else process.communicate()[0]
    os.close(master)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()), rest.decode()


@pytest.mark.slow
def test_terminal_shows_the_schedule_and_the_incumbent(tmp_path: Path) -> None:
    pytest.importorskip("termios")
    (tmp_path / "shop.json").write_text(json.dumps(to_document(job_shop())))
    call = ["solve", tmp_path / "shop.json", "--time-limit", 4]
    output, _ = on_terminal(*call, both=True)
    assert re.search(r"solving .*best \d+, bound \d+, gap [\d.]+%", output)
    assert re.search(r"start +end +action +resources", output)
    assert re.search(r"lower bound +\d+ ticks, gap at most", output)
    output, rest = on_terminal(*call, "-f", "jsonl", both=False)
    assert "solving" in output
    assert json.loads(rest)["status"] == "feasible"
    assert on_terminal("solve", TEA, "--columns", "makespan", both=True)[0].split()[-1] == "13"


@pytest.mark.slow
def test_without_a_terminal_there_is_no_progress() -> None:
    result = subprocess.run([sys.executable, "-c", MAIN, "solve", TEA], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert result.stdout.split()[0] == "instance"


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_seconds_are_clocks_in_tables_and_numbers_in_data(form: str, tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    steps = [{"name": "boil", "duration": 4000, "attended": 60}, {"name": "pour", "duration": 5, "after": ["boil"]}]
    document = {"format": "planoracle/instance", "version": 1, "name": "tea", "unit": "second"}
    path.write_text(json.dumps(document | {"tasks": [{"name": "tea", "actions": steps}]}), encoding="utf-8")
    table = invoke("solve", path, "--schedule", "-f", form).stdout
    assert [re.findall(r"\b\d+:\d\d:\d\d\b", line) for line in table.splitlines() if "tea/" in line] == [
        ["0:00:00", "1:06:40", "0:01:00"],
        ["1:06:40", "1:06:45", "1:06:45"],
    ]
    assert [(row["start"], row["end"], row["agent_until"]) for row in pieces(path)] == [
        ("0", "4000", "60"),
        ("4000", "4005", "4005"),
    ]


def test_table_omits_agent_until_where_it_is_the_end(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text("task,duration,worker\nsaw,3,Ann\npaint,4,Ben\n", encoding="utf-8")
    assert "until" not in invoke("solve", path, "--schedule").stdout
    assert [row["agent_until"] for row in pieces(path)] == ["3", "4"]
    assert "agent until" in invoke("solve", path, "--schedule", "--columns", "action,agent_until").stdout


@pytest.mark.parametrize(
    "call",
    [
        ("solve", RADISH),
        ("compare", RADISH),
        ("solve", "--bundled", RADISH),
        pytest.param(("explain", RADISH), marks=pytest.mark.slow),
        pytest.param(("next", RADISH), marks=pytest.mark.slow),
        pytest.param(("gantt", RADISH, "-o", "radish.svg"), marks=pytest.mark.slow),
        pytest.param(("critique", "-"), marks=pytest.mark.slow),
        ("grade", "-"),
    ],
)
def test_note_reports_a_recipe_that_differs_from_the_paper(
    call: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stdin = json.dumps({"id": "a", "instance": RADISH, "plan": "Step(0, Vada, 0)"})
    errors = invoke(*call, input=stdin).stderr
    assert errors.count("note: recipe2plan: Daikon-Radish is the released recipe; Table 6 prints 1 -> 2") == 1


@pytest.mark.parametrize(("setting", "count"), [("timed", 1), ("untimed", 0)])
def test_note_reports_a_time_constraint_without_a_dependency(setting: str, count: int) -> None:
    errors = invoke("solve", f"recipe2plan/{setting}/Dinosaur-Eggs_Pizza").stderr
    assert errors.count("note: recipe2plan: the released time constraint between steps 1 and 4") == count


def test_nodes_option_limits_a_depth_first_heuristic() -> None:
    name = "recipe2plan/timed/Cobbler_Pancakes"
    for nodes, status in ((10, "unknown"), (1000, "feasible")):
        result = invoke("solve", name, "-H", "dfs", "--nodes", nodes, "-f", "json")
        assert json.loads(result.stdout)[0]["status"] == status
