"""MCP server: answers in memory and over a pipe, compared with the commands."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle import explain, grade, load, solve
from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.regret import next_commands
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig

pytest.importorskip("mcp", reason="the server of tools needs planoracle[mcp]")

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from planoracle.analysis.adapters.mcp_answers import MOST
from planoracle.analysis.adapters.mcp_server import server

ROOT = Path(__file__).resolve().parents[3]
TEA = "timearena/household1"


def answers_to(*calls, files=False, target=None):
    """Return the answers to tool calls: structured content, or the text of an error."""

    async def ask():
        async with Client(target or server(files=files)) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    answers = anyio.run(ask)
    return [one.content[0].text if one.is_error else one.structured_content for one in answers]


def test_tools_have_input_and_output_schemas():
    async def listed():
        async with Client(server()) as client:
            return (await client.list_tools()).tools, client.server_info, client.instructions

    tools, info, instructions = anyio.run(listed)
    assert [tool.name for tool in tools] == ["problems", "describe", "solve", "explain", "grade", "next"]
    assert (info.name, "planoracle" in instructions) == ("planoracle", True)
    for tool in tools:
        assert tool.description
        assert all("description" in one for one in tool.input_schema["properties"].values())
        assert tool.output_schema["properties"]
        assert tool.annotations.read_only_hint


@pytest.mark.slow
@pytest.mark.parametrize("name", sample([TEA, "recipe2plan/timed/Vada_Daikon-Radish", "asynctool/files_2"]))
def test_tools_answer_like_the_commands(name):
    best, explanation, advice = answers_to(
        ("solve", {"problem": name}), ("explain", {"problem": name}), ("next", {"problem": name})
    )
    assert best["makespan"] == best["lower_bound"] == solve(load(name), recompute=True).makespan
    assert (best["status"], best["plan"] is None) == ("optimal", False)
    assert explanation["lines"] == explain(load(name)).lines()
    expected = next_commands(load(name)).as_dict()
    assert [one["command"] for one in advice["options"]] == [one["command"] for one in expected["options"]]
    assert advice["best"] == best["makespan"]
    (verdict,) = answers_to(("grade", {"problem": name, "plan": best["plan"]}))
    expected = grade({"instance": name, "plan": best["plan"]})
    assert (verdict["scored"], verdict["success"], verdict["main_score"]) == (True, True, expected.main_score)
    assert verdict["makespan"] == verdict["optimal_makespan"] == best["makespan"]


def test_describe_returns_the_problem_statement():
    (statement,) = answers_to(("describe", {"problem": TEA}))
    run = registry.of(load(TEA)).environment(load(TEA), config=RunConfig("open"))
    assert (statement["instructions"], statement["introduction"]) == (run.instructions(), run.introduction())
    assert "kettle" in statement["introduction"]


def test_grade_has_a_report_and_regrets_on_request():
    plan = ["wash cup", "activate kettle", "brew tea with teapot"]
    short, long = answers_to(
        ("grade", {"problem": TEA, "plan": plan}), ("grade", {"problem": TEA, "plan": plan, "prices": True})
    )
    expected = grade({"instance": TEA, "plan": plan})
    assert {name: short[name] for name in ("success", "makespan", "progress")} == {
        name: getattr(expected, name) for name in ("success", "makespan", "progress")
    }
    assert [one["kind"] for one in short["violations"]] == ["dependency_violation"]
    assert "the end of the plan most: wash cup (minute 0) by 2 min" in long["report"]
    assert "the end of the plan most" not in short["report"]


def test_problem_may_be_a_document():
    document = json.loads((ROOT / "instances/examples/tea.json").read_text())
    best, advice = answers_to(("solve", {"problem": document}), ("next", {"problem": document}))
    (verdict,) = answers_to(("grade", {"problem": document, "plan": best["plan"]}))
    assert (best["makespan"], advice["best"], verdict["success"], verdict["optimal_makespan"]) == (10, 10, True, 10)


def test_next_lists_all_legal_commands_on_request():
    (advice,) = answers_to(("next", {"problem": TEA, "after": ["activate kettle"], "all_commands": True}))
    assert [(one["command"], one["cost"]) for one in advice["options"]] == [
        ("wash teapot", 0),
        ("wash cup", 0),
        ("wait", 0),
    ]


def test_problems_lists_names():
    every, some, globbed = answers_to(
        ("problems", {}), ("problems", {"pattern": "recipe2plan"}), ("problems", {"pattern": "*/timed/Vada_D*"})
    )
    assert {"recipe2plan", "timearena"} <= set(every["names"])
    assert (some["total"], len(some["names"])) == (130, MOST)
    assert globbed["names"] == ["recipe2plan/timed/Vada_Daikon-Radish"]
    assert some["sets"] == ["recipe2plan/timed", "recipe2plan/untimed"]
    assert set(some["sets"]) <= set(every["sets"])


def test_problems_lists_similar_names_of_problems_and_sets():
    typo, unknown_set = answers_to(
        ("problems", {"pattern": "timearena/houshold1"}), ("problems", {"pattern": "recipe2plan/time"})
    )
    assert (typo["names"], typo["similar"][0]) == ([], "timearena/household1")
    assert "recipe2plan/timed" in unknown_set["sets"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("solve", {"problem": "timearena/household11"}, "did you mean timearena/household1"),
        ("solve", {"problem": {"a": 1}}, "unknown format"),
        ("solve", {"problem": {"format": "planoracle/instance", "version": 1}}, "problem: "),
        ("next", {"problem": TEA, "after": {"plan": 3}}, "actions: must be a list"),
        ("next", {"problem": TEA, "profile": "mine"}, "mine"),
        ("next", {"problem": TEA, "after": "fly away"}, "plan: contains no command of this benchmark"),
        ("solve", {"problem": TEA, "second": 1}, "second: unknown argument; must be one of problem, seconds; did you"),
        ("solve", {"problem": "recipe2plan/timed"}, "is a set of 65 problems; accepted is one of them, such as"),
        ("solve", {"problem": TEA, "seconds": 1e9}, "less than or equal to 600"),
        ("solve", {}, "Field required"),
        ("solve", {"problem": f"{TEA}\x1b[31m"}, r"\x1b"),
    ],
)
def test_invalid_tool_calls_are_reported(tool, arguments, message):
    (error,) = answers_to((tool, arguments))
    assert message in error


def test_unreadable_plan_is_unscored():
    (verdict,) = answers_to(("grade", {"problem": TEA, "plan": {"actions": 3}}))
    assert (verdict["scored"], verdict["success"], verdict["main_score"]) == (False, None, None)
    assert "must be a list" in verdict["reason"]


def test_files_are_read_only_with_the_files_option(tmp_path):
    path = tmp_path / "tea.json"
    path.write_text(CliRunner().invoke(app, ["instances", "--export", TEA]).stdout.splitlines()[0])
    secret = tmp_path / "nothing.json"
    refused = answers_to(("solve", {"problem": str(path)}), ("solve", {"problem": str(secret)}))
    assert all("names no bundled problem" in one for one in refused)
    (best,) = answers_to(("solve", {"problem": str(path)}), files=True)
    assert best["makespan"] == 13


def test_problem_with_half_a_surrogate_pair_is_an_error_with_a_reason(tmp_path):
    tasks = [{"name": "a", "actions": [{"name": "b", "duration": 9, "attended": 0}]}]
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"format": "planoracle/instance", "version": 1, "name": "p\ud83d", "tasks": tasks}))
    for error in answers_to(("solve", {"problem": str(path)}), ("describe", {"problem": str(path)}), files=True):
        assert r"the problem has half a surrogate pair (\ud83d)" in error


@pytest.mark.slow
def test_server_answers_over_a_pipe():
    code = "from planoracle.analysis.cli import main; main()"
    environment = {"PLANORACLE_CACHE": os.environ["PLANORACLE_CACHE"]}
    started = StdioServerParameters(command=sys.executable, args=["-c", code, "mcp"], env=environment)
    best, error = answers_to(("solve", {"problem": TEA}), ("solve", {"problem": "tea"}), target=stdio_client(started))
    assert (best["makespan"], "names no bundled problem" in error) == (13, True)


def test_mcp_command_names_the_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = CliRunner().invoke(app, ["mcp"])
    assert "pip install 'planoracle[mcp]'" in str(result.exception)
