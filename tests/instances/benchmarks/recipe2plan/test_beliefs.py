"""Beliefs about implicit facts of recipes: parsing of model output, and the measures of Table 9."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planoracle import load
from planoracle.analysis.agents.model_prompts import Speaker, environment_for
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.recipe2plan.beliefs import KINDS, read_beliefs, true_items, written
from planoracle.instances.benchmarks.recipe2plan.metrics import belief_table
from planoracle.instances.model.instance import Action, Instance, Resource
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.prompts import load_prompts
from tests.support.runner import invoke

PAIR = load("recipe2plan/timed/Cobbler_Pancakes")
#: Correct beliefs, in the form that our prompts request.
TRUE = {
    kind: "\n".join(f"{recipe}: {', '.join(map(written, true_items(PAIR, recipe, kind)))}" for recipe in PAIR.tasks)
    for kind in KINDS
}


def counts(submission: Any, kind: str) -> list[Any]:
    """Return for each recipe the correct and all believed items, or the reason why the belief is unread."""
    rows = [row for row in read_beliefs(PAIR, submission) if row["belief"] == kind]
    assert [row["recipe"] for row in rows] in ([], ["Cobbler", "Pancakes"])
    return [row.get("unread") or (row["right"], row["believed"]) for row in rows]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("concurrency", TRUE["concurrency"], [(3, 3), (3, 3)]),
        ("concurrency", "**Cobbler**: Steps 0, 2 and 7\n\n- pancakes: none", [(3, 3), (0, 0)]),
        ("concurrency", "Recipe 1: 0-2\nRecipe 2:\n8. heat for 3 min\n- Step 12: bake at 35 degrees", [(2, 3), (2, 2)]),
        ("concurrency", '{"Cobbler": [0, 2, 99], "Pancakes": []}', [(2, 3), (0, 0)]),
        ("concurrency", "Cobbler: autonomous: 0, 2, continuous: 1, 3\nPancakes: hm", [(2, 2), "unreadable"]),
        ("concurrency", "<think>Cobbler: 5</think>Cobbler: 0", [(1, 1), "no_recipe"]),
        ("concurrency", "the oven", ["no_recipe", "no_recipe"]),
        ("dependency", TRUE["dependency"], [(7, 7), (15, 15)]),
        ("dependency", "Cobbler: 1 -> 2 -> 3, [3, 4] → Step 5\nPancakes: 3 before 1", [(4, 4), (0, 1)]),
        ("dependency", '{"Cobbler": [[1, 2], [2, 3], [2, 3]], "Pancakes": {"2": [0, 1]}}', [(2, 2), "unreadable"]),
        ("resources", TRUE["resources"], [(3, 3), (4, 4)]),
        ("resources", "Cobbler: oven: 0, 7; microwave: 2\nPancakes:\nStove:\n- 12\n- 14", [(3, 3), (2, 2)]),
        (
            "resources",
            "Cobbler: Steps 0, 7 need the oven (350 F), 2 the stove\nPancakes: -",
            [(2, 3), "unreadable"],
        ),
        ("resources", '{"Cobbler": {"oven": [0]}, "Pancakes": [{"step": 8, "object": "microwave"}]}', [(1, 1), (1, 1)]),
    ],
)
def test_belief_texts_are_parsed(kind: str, text: str, expected: list[Any]) -> None:
    assert counts({"plan": "", kind: text}, kind) == expected
    assert counts({"plan": "", "beliefs": {kind: text}}, kind) == expected
    if text.startswith("{"):
        assert counts({"plan": "", "beliefs": {kind: json.loads(text)}}, kind) == expected
        assert counts({"plan": "", "beliefs": json.dumps({kind: json.loads(text)})}, kind) == expected
    other = next(one for one in KINDS if one != kind)
    assert counts({"plan": "", kind: text}, other) == ["missing", "missing"]


def test_object_whose_name_begins_with_another_one_is_read() -> None:
    objects = (Resource("oven"), Resource("oven rack"))
    problem = Instance("bread", (Action("Bread/0", "Bread", 60, 0),), resources=objects)
    rows = read_beliefs(problem, {"plan": "", "resources": "Bread: 0 oven rack, 1 oven, 0 oven"})
    assert [row["believed"] for row in rows if row["belief"] == "resources"] == [3]


def test_beliefs_in_released_logs_are_parsed() -> None:
    logs = {
        "Cobbler": {
            "parallel": "[0, 2, 7]",
            "physical_constraints": "Oven: [0, 7]\nMicrowave: []",
            "dependency": "1->2",
        },
        "Pancakes": {"parallel": "8]\nContinuous Actions: [0, 1]", "physical_constraints": "-", "dependency": "[0->1]"},
    }
    results = [counts({"plan": "", "beliefs": logs}, kind) for kind in KINDS]
    assert results == [[(3, 3), (1, 1)], [(1, 1), (1, 1)], [(2, 2), "unreadable"]]
    prompt = "".join(
        f"\n## Recipe {number}:{recipe}\nStep 0 (10 min): Preheat the oven to 350 degrees.\n\nThoughts on the recipe:\n"
        f"I can perform autonomous actions step {number}, 2 in parallel with other actions to speed up the process.\n"
        "The action before the arrow must be completed before the action after the arrow can be started: 1->2\n"
        "The following actions would occupy the corresponding physical objects: Steps 0, 7 requires oven\n"
        for number, recipe in enumerate(("Baked-Potato", "Cobbler", "Pancakes"))
    )
    log = [{"prompt": f"{prompt}\n## Action Sequence\nStep(1, Cobbler, 00:02:00, 00:00:00)", "response": "hm"}] * 2
    results = [counts({"plan": log}, kind) for kind in KINDS]
    assert results == [[(1, 2), (0, 1)], [(1, 1), (0, 1)], [(2, 2), (0, 2)]]


def test_beliefs_are_read_from_sections_of_a_plan() -> None:
    plan = "Plan:\nStep(0, Cobbler, 00:10:00, 00:00:00)"
    text = "## Autonomous actions\n{concurrency}\n\nDependencies:\n{dependency}\nObjects:\n{resources}\n".format(**TRUE)
    for submission in (text + plan, {"output": text + plan}, [{"role": "assistant", "content": text + plan}]):
        assert [counts(submission, kind) for kind in KINDS] == [[(3, 3)] * 2, [(7, 7), (15, 15)], [(3, 3), (4, 4)]]
    assert read_beliefs(PAIR, plan) == []
    assert read_beliefs(PAIR, {"plan": f"Thought: no parallel steps.\n{plan}"}) == []


def _words_of_table_11(steps: str, links: str, objects: str) -> str:
    return (
        f"## Thoughts on the recipe:\nThe agent can perform autonomous actions step {steps} in parallel with other "
        "actions to speed up the process.\nThe action before the arrow must be completed before the action after the "
        f"arrow can be started: {links}\nThe following actions would occupy the corresponding physical objects. The "
        f"agent can not perform the action if the object is occupied: {objects}\n"
    )


BELIEVED = {
    "Cobbler": _words_of_table_11("0, 2, 5", "1->2, 2->3", "Steps 0, 7 require oven, Steps 2 requires microwave"),
    "Pancakes": _words_of_table_11("12", "1->0", "Steps 12, 14 require stove"),
}
COUNTS_OF_BELIEVED = [[(2, 3), (1, 1)], [(2, 2), (0, 1)], [(3, 3), (2, 2)]]
DESCRIPTION = "Step 0 (10 min): Preheat the oven.\n\nStep 1 (2 min): Mix.\n\n"


@pytest.mark.parametrize(
    "heading",
    [
        "## Recipe {number}:{recipe}\n",
        "## Recipe {number}:{recipe}\n\n" + DESCRIPTION,
        "## {recipe}\n\n",
        "Recipe: {recipe}\n",
    ],
)
def test_words_of_table_11_are_read_in_the_text_of_a_plan(heading: str) -> None:
    text = ""
    for number, (recipe, beliefs) in enumerate(BELIEVED.items(), start=1):
        text += heading.format(number=number, recipe=recipe) + beliefs + "\n"
    text += "## Action Sequence\nStep(1, Cobbler, 00:02:00, 00:00:00)"
    for submission in ({"plan": text}, [{"role": "assistant", "content": text}], {"plan": "", "beliefs": text}):
        assert [counts(submission, kind) for kind in KINDS] == COUNTS_OF_BELIEVED


def test_words_of_table_11_are_read_in_fields_by_recipe_and_kind() -> None:
    by_kind = {recipe: dict(zip(KINDS, text.splitlines()[1:], strict=True)) for recipe, text in BELIEVED.items()}
    by_recipe = {kind: {recipe: texts[kind] for recipe, texts in by_kind.items()} for kind in KINDS}
    for beliefs in (BELIEVED, by_kind, by_recipe):
        assert [counts({"plan": "", "beliefs": beliefs}, kind) for kind in KINDS] == COUNTS_OF_BELIEVED


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The agent can perform the following autonomous actions in parallel: 0, 2.", (2, 2)),
        ("There are no autonomous actions.", (0, 0)),
        ("The agent cannot perform any autonomous actions.", (0, 0)),
        ("We can't execute any autonomous steps.", (0, 0)),
    ],
)
def test_denials_of_autonomous_actions_are_read(sentence: str, expected: tuple[int, int]) -> None:
    text = f"Recipe 1: Cobbler\nThoughts on the recipe:\n{sentence}\n"
    assert counts({"plan": "", "beliefs": text}, "concurrency")[0] == expected


@pytest.mark.parametrize("names_recipe", [True, False])
def test_answers_to_questions_of_the_react_setting_are_graded(names_recipe: bool) -> None:
    prompts = load_prompts(registry.of(PAIR), "react")
    environment = environment_for(PAIR, prompts)
    lines = "\n".join(TRUE.values()).splitlines()  # one recipe per question
    if not names_recipe:
        lines = [line.partition(": ")[2] for line in lines]
    answers = [*lines, "Thought: go.\nAction: Step(0, Cobbler, 00:10:00, 00:00:00)"]
    requests: list[Any] = []

    async def complete(messages: Any, sampling: Any) -> str:
        requests.append(messages)
        return answers[len(requests) - 1]

    speaker = Speaker(complete, setting=prompts)
    asyncio.run(speaker.act(environment))
    assert speaker.beliefs == TRUE
    for submission in ({"plan": "", "beliefs": speaker.beliefs}, {"plan": requests[-1]}):  # stored, or in the prompt
        assert [counts(submission, kind) for kind in KINDS] == [[(3, 3)] * 2, [(7, 7), (15, 15)], [(3, 3), (4, 4)]]


def test_grades_and_summaries_have_recall_precision_and_f1() -> None:
    beliefs = {
        "concurrency": "Cobbler: 0, 2, 7\nPancakes: none",
        "resources": {"Cobbler": {"oven": [0, 7]}},
        "dependency": "Cobbler: 1 -> 2, 2 -> 3\nPancakes: I cannot say",
    }
    grade = Grader().grade({"instance": PAIR.name, "plan": "Step(0, Cobbler, 0)", "beliefs": beliefs, "model": "m"})
    assert grade.metrics["beliefs"][1]["precision"] == 1
    averages = registry.of(PAIR).metrics.averages(Grader().rules["recipe2plan"])
    tally = Counter(next(one for one in averages if one.name == "beliefs").terms(grade.row()))
    rows = belief_table([{"model": "m", "beliefs": tally}] * 2)  # of two sets
    names = ("recall", "precision", "f1", "unread")
    measures = {(row["recipe"], row["belief"]): [row[name] for name in names] for row in rows}
    assert measures["all", "concurrency"] == [3 / 6, 1, 6 / 9, 0]
    assert measures["all", "dependency"] == [2 / 7, 1, 4 / 9, 2]
    assert measures["Pancakes", "concurrency"] == [0, None, 0, 0]
    assert measures["Pancakes", "resources"] == [None, None, None, 2]
    assert Grader().grade({"instance": PAIR.name, "plan": "Step(0, Cobbler, 0)"}).metrics["beliefs"] is None


@pytest.mark.slow
def test_collected_submissions_keep_their_beliefs_and_grade_shows_a_table(tmp_path: Path) -> None:
    row = {"id": "a", "instance": PAIR.name, "plan": "Step(0, Cobbler, 0)", "model": "m"}
    path = tmp_path / "plans.jsonl"
    rows = [row | {"concurrency": TRUE["concurrency"]}, row | {"model": "n", "beliefs": None}]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    collected = invoke("grade", path, "--collect", "-").stdout
    assert json.loads(collected.splitlines()[0])["concurrency"] == TRUE["concurrency"]
    table = invoke("grade", path).stdout.partition("\nBeliefs\n")[2]
    first = next(line.split()[1:6] for line in table.splitlines() if line.startswith("all"))
    assert first == ["concurrency", "m", "1.000", "1.000", "1.000"]
    grades = invoke("grade", path, "-f", "jsonl").stdout
    levels = map(json.loads, invoke("grade", "-", "-f", "jsonl", input=grades).stdout.splitlines())
    assert {one["model"] for one in levels if one["level"] == "beliefs"} == {"m"}
