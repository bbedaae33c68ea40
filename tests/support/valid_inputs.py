"""Valid problems, submissions and files as seeds of mutations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.asynctool import problems as asynctool
from planoracle.instances.benchmarks.asynctool.problem_model import problem_of
from planoracle.instances.benchmarks.kitchens import problems as kitchens
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.files.catalog import load, problem, read_problems
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.solver.solve import solve

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = tuple(sorted(str(path) for path in (ROOT / "instances/examples").glob("*.json")))

#: Small problems of every benchmark, quickly solved.
NAMES = (
    *("recipe2plan/timed/Vada_Daikon-Radish", "recipe2plan/untimed/Cobbler_Pancakes"),
    *("timearena/household1", "timearena/shared/cooking1+cooking2"),
    *("asynctool/files_1+text_2", "asynctool/cross2/01@0-1:3"),
    *(
        "kitchens/synchronous/3_burger",
        "kitchens/asynchronous/5_potato_soup",
        "kitchens/multi_agent/1_lettuce_burger",
    ),
)


@cache
def submissions(names: Sequence[str] = (*NAMES, *EXAMPLES)) -> list[dict[str, Any]]:
    """Return optimal submissions, each in all formats of its benchmark."""
    rows = []
    for name in names:
        (one,) = read_problems(name)
        for number, plan in enumerate(_forms(one, solve(one).plan)):
            more = {"limit": 40} if isinstance(one, Kitchen) else {}
            more |= {"time_limit": 60} if isinstance(one, Instance) and one.benchmark == "timearena" else {}
            rows.append({"id": f"{name} {number}", "instance": name, "plan": plan, "model": "oracle"} | more)
    return rows


def _forms(one: Any, text: Any) -> list[Any]:
    if isinstance(one, Kitchen):
        lines = text.splitlines()
        return [text, lines, [{"action": line} for line in lines], "\n".join(f"Action: {line}" for line in lines)]
    if one.benchmark == "recipe2plan":
        commands = text.replace("), ", ")\n").split("\n")
        return [text, {"response": text}, [{"response": command} for command in commands], commands]
    if one.benchmark == "timearena":
        lines = text.splitlines()
        return [text, lines, [{"action": line} for line in lines]]
    if one.benchmark == "asynctool":
        turns = [json.loads(line) for line in text.splitlines()]
        chat = [{"role": "assistant", "content": json.dumps(turn)} for turn in turns]
        return [text, turns, {"messages": chat}]
    return [text, json.loads(text)]


@cache
def documents() -> dict[str, Any]:
    """Return a document of each file format by name."""
    by_name = {Path(path).stem: json.loads(Path(path).read_bytes()) for path in EXAMPLES}
    by_name["recipe2plan"] = to_document(load(NAMES[0]))
    by_name["asynctool"] = asynctool.to_document(problem_of(load("asynctool/files_1+text_2@0-1:3")))
    by_name["kitchen"] = kitchens.to_document(problem("kitchens/asynchronous/5_potato_soup"))  # type: ignore[arg-type]
    return by_name
