"""Growth of the work of grading with the length of a line, in counted steps of the interpreter.

Every shape is graded at a size and at four times that size. Work that is n log n grows by a factor of little more than
four, quadratic work by sixteen.
"""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.line_counter import count_lines
from support.samples import sample

from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.analysis.grading.grader import Grade, Grader, grade_all
from planoracle.instances.benchmarks.asynctool.problem_model import problem_of
from planoracle.instances.errors import PlanError
from planoracle.instances.files.catalog import bundled, load, single
from planoracle.instances.model.schedule import MAX_PIECES
from tests.support.grades import all_problems, read_submissions

SMALL, FACTOR, MOST = 80, 4, 5.5

RECIPES, KITCHEN = (
    "recipe2plan/timed/Chicken-Rice_Strawberry-Cake",
    "kitchens/asynchronous/0_cheese_chicken_sandwich",
)
HOUSE, MESSAGES = "timearena/household1", next(name for name in bundled() if name.startswith("asynctool/cross"))

# Unattended settings and uses of an oven: only the oven can cause conflicts.
_OVEN = {"attended": 0, "duration": 3, "agents": []}
WORKSHOP = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "workshop",
    "agents": ["Ann", "Bob"],
    "resources": [{"name": "oven", "capacity": 2, "state": "cold"}],
    "tasks": [
        {
            "name": "t",
            "actions": [
                {"name": "heat", "uses": [{"resource": "oven", "sets": "hot"}], **_OVEN},
                {"name": "grill", "uses": [{"resource": "oven", "sets": "grill"}], **_OVEN},
                {"name": "cool", "uses": [{"resource": "oven", "amount": 2, "sets": "cold"}], **_OVEN},
                {"name": "bake", "uses": [{"resource": "oven", "requires": "hot"}], **_OVEN},
                {"name": "chop", "duration": 9, "interruptible": True},
                {"name": "knead", "duration": 5, "uses": [{"resource": "oven", "sets": "hot"}]},
                {"name": "boil", "duration": 4, "attended": 0},
                {"name": "rest", "duration": 9, "interruptible": True, "after": [{"action": "boil", "max_lag": 10**9}]},
            ],
        }
    ],
}


def piece(action: str, start: int, duration: int = 3, agent: str | None = None, mode: int = 0) -> dict[str, Any]:
    return {"action": f"t/{action}", "start": start, "duration": duration, "agent": agent, "mode": mode}


def random_pieces(n: int) -> list[dict[str, Any]]:
    random = Random(n)
    names = ("heat", "grill", "cool", "bake", "knead")
    return [piece(random.choice(names), random.randrange(n), random.randrange(2 * n)) for _ in range(n)]


Shape = Callable[[int], Any]

#: Lists of pieces for the workshop.
PIECES: dict[str, Shape] = {
    "equal": lambda n: [piece("chop", 0, 9, "Ann")] * n,
    "nested": lambda n: [piece("chop", k, 2 * (n - k) + 1, "Ann") for k in range(n)],
    "overlapping": lambda n: [piece("knead", k, n, "Ann") for k in range(n)],
    "one long, many short": lambda n: (
        [piece("knead", 0, 5, "Ann")]
        + [piece("chop", 3 * k + 9, 1, "Ann") for k in range(n // 2)]
        + [piece("boil", 3 * k + 9, 4, "Ann") for k in range(n // 2)]
    ),
    "random": random_pieces,
    "unknown agents": lambda n: [piece("chop", 3 * k, 3, f"nobody {k}") for k in range(n)],
    "long names": lambda n: [piece("chop", 3 * k, 3, "x" * 500) for k in range(n)],
    "modes": lambda n: [piece("chop", 3 * k, 3, "Ann", mode=k) for k in range(n)],
    "settings at one instant": lambda n: [piece("cool", 0)] * (n // 2) + [piece("heat", 0)] * (n // 2),
    "settings, then uses": lambda n: (
        [piece(("grill", "heat")[k % 2], 0) for k in range(n // 2)] + [piece("bake", 9 + k) for k in range(n // 2)]
    ),
    "uses over settings": lambda n: (
        [piece("heat", 2 * k, 1) for k in range(n // 2)] + [piece("bake", 1, 2 * n)] * (n // 2)
    ),
    "uses among uses": lambda n: [piece("bake", 5)] * (n // 2) + [piece("heat", 5), piece("grill", 5)] * (n // 4),
    "late": lambda n: [piece("boil", 0, 4, "Ann")] + [piece("rest", 10**9 + 9 + 3 * k, 1, "Ann") for k in range(n)],
    "cut": lambda n: (
        [piece("chop", 5 * k, 4, "Ann") for k in range(n // 2)]
        + [piece("boil", 5 * k + 2, 1, "Ann") for k in range(n // 2)]
    ),
    "in a text": lambda n: json.dumps([piece("chop", 2 * k, 1, "Ann") for k in range(n)]),
    "brackets": lambda n: "[" * n + "]" * n,
    "digits": lambda n: f'[{{"action": "t/chop", "start": {"9" * n}, "duration": 1}}]',
    "one word": lambda n: [piece("x" * n, 0)],
    "many keys": lambda n: [{f"key {k}": k for k in range(n)}],
}

#: Plans of Recipe2Plan.
STEPS: dict[str, Shape] = {
    "repeated": lambda n: "Step(1, Chicken-Rice, 00:00:01, 00:00:00)\n" * n,
    "of no length": lambda n: "Step(1, Chicken-Rice, 00:00:00, 00:00:00)\n" * n,
    "one after another": lambda n: "\n".join(f"Step(1, Chicken-Rice, 1, {k})" for k in range(n)),
    "overlapping": lambda n: "\n".join(f"Step({k % 6}, Chicken-Rice, {n}, {k // 2})" for k in range(n)),
    "unknown": lambda n: "\n".join(f"Step({k}, No-{k}, 1, {k})" for k in range(n)),
    "prose": lambda n: "Step(1, Chicken-Rice, 1, 1)\nand then\n" * n,
    "broken": lambda n: "Step(1, -step(" * n,
    "units": lambda n: "1 min 1 hour " * n + "Step(1, Chicken-Rice, 1 min 1 min 1 min 1 min, 0)",
    "spaces": lambda n: "Step(" + " " * n + "1, Chicken-Rice, 1, 1)",
    "hyphens": lambda n: "Step(1, " + "-Step" * n,
    "one recipe": lambda n: f"Step(1, {'x' * n}, 1, 1)",
    "thoughts": lambda n: "</think>" * n,
    "list": lambda n: [[1, "Chicken-Rice", 1, k] for k in range(n)],
    "answers": lambda n: [{"response": f"Step(1, Chicken-Rice, 1, {k})"} for k in range(n)],
    "answers without a step": lambda n: [{"response": "Action: Finish"}] * n,
    "brackets": lambda n: "[" * n,
}

#: Decisions of TimeArena.
DECISIONS: dict[str, Shape] = {
    "waits": lambda n: ["wait"] * n,
    "unknown": lambda n: ["fly home", "wait"] * (n // 2),
    "repeated": lambda n: ["wash cup", "wait"] * (n // 2),
    "one decision": lambda n: ["wash " * n],
    "one word": lambda n: "x" * n,
    "prose": lambda n: "I will wash cup and then go on with it\n" * n,
    "numbers": lambda n: " " * n + "1" * n + ". wash cup",
    "records": lambda n: [{"action": "pour kettle into cup"}] * n,
}

#: Kitchens of Robotouille.
ACTIONS: dict[str, Shape] = {
    "nothing": lambda n: ["Do nothing"] * n,
    "unknown": lambda n: ["Fly"] * n,
    "unknown objects": lambda n: [f"Move robot1 from table{n}{k:06} to stove1" for k in range(n)],
    "refused": lambda n: ["Cut lettuce1 on board1 using robot1"] * n,
    "text": lambda n: "Action: Do nothing\n" * n,
    "one line": lambda n: "Move robot1 " * n,
    "spaces": lambda n: "Pick up " + " " * n + "x",
    "one word": lambda n: "Pick up " + "x-" * n + "1 from",
}


def _messages() -> dict[str, Shape]:
    tasks = problem_of(load(MESSAGES)).tasks
    calls = [
        {"id": task.id, "func_name": call.name, "params": call.params}
        for task in tasks
        for call in task.reference_calls
    ]
    first = calls[0]
    return {
        "waits": lambda n: [{"content": "WAIT"}] * n,
        "all calls, again and again": lambda n: [calls[k % len(calls)] for k in range(n)],
        "one call, again and again": lambda n: [first] * n,
        "unknown tools": lambda n: [first | {"func_name": f"f{k}"} for k in range(n)],
        "unknown tasks": lambda n: [first | {"id": f"t{k}"} for k in range(n)],
        "many parameters": lambda n: [first | {"params": {f"p{k}": k for k in range(n)}}],
        "unreadable": lambda n: ["I think"] * n,
        "braces": lambda n: '{"' * n,
        "nested": lambda n: '{"a": ' * n,
        "objects in a text": lambda n: '{"content": "WAIT"}\n' * n,
        "calls in one message": lambda n: [{"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}] * n}],
        "parts of a content": lambda n: [{"content": [{"text": "WAIT"}] * n}],
    }


#: Fields of a line other than its plan.
FIELDS: dict[str, Callable[[int], dict[str, Any]]] = {
    "id": lambda n: {"id": "x" * n},
    "instance": lambda n: {"instance": "x" * n},
    "agents": lambda n: {"instance": "recipe2plan/a" + "~2" * n},
    "tasks": lambda n: {"instance": "timearena/" + "+".join(["lab1"] * n)},
    "stars": lambda n: {"instance": "recipe2plan/" + "*" * n},
    "keys": lambda n: {f"key {k}": k for k in range(n)},
    "model": lambda n: {"model": "x" * n},
}

CASES = [
    *((("workshop", "plan"), name, shape) for name, shape in PIECES.items()),
    *(((RECIPES, "plan"), name, shape) for name, shape in STEPS.items()),
    *(((HOUSE, "actions"), name, shape) for name, shape in DECISIONS.items()),
    *(((KITCHEN, "actions"), name, shape) for name, shape in ACTIONS.items()),
    *(((MESSAGES, "turns"), name, shape) for name, shape in _messages().items()),
]


@pytest.fixture(scope="module")
def grader() -> Grader:
    """One for all, so that every problem is solved once, before anything is counted."""
    return Grader(problems=all_problems())


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("growth") / "workshop.json"
    path.write_text(json.dumps(WORKSHOP))
    return str(path)


def graded(grader: Grader, submission: dict[str, Any]) -> Grade:
    line = json.dumps({"time_limit": 10_000} | submission).encode()
    (grade,) = grade_all(read_submissions(io.BytesIO(line), "lines"), grader)
    json.dumps(grade.row(trace=True))
    return grade


def peak_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_growth(work: Callable[[int], Any]) -> None:
    work(SMALL - 1)  # warms up shared caches with another line, whose results may be cached
    few, many = (count_lines(lambda n=n: work(n)) for n in (SMALL, SMALL * FACTOR))  # type: ignore[misc]
    assert many <= MOST * few
    little, much = (peak_of(lambda n=n: work(n)) for n in (SMALL, SMALL * FACTOR))  # type: ignore[misc]
    assert much <= MOST * little + 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "name", "shape"), sample(CASES, 2, several=True), ids=[f"{place[0]}: {name}" for place, name, _ in CASES]
)
def test_work_for_plan_grows_with_its_length(
    place: tuple[str, str], name: str, shape: Shape, grader: Grader, workshop: str
) -> None:
    instance = workshop if place[0] == "workshop" else place[0]
    assert_growth(lambda n: graded(grader, {"id": "a", "instance": instance, place[1]: shape(n)}))


@pytest.mark.parametrize("name", FIELDS)
def test_work_for_other_fields_grows_with_their_length(name: str, grader: Grader) -> None:
    plan = {"id": "a", "instance": HOUSE, "actions": ["wash cup"]}
    assert_growth(lambda n: graded(grader, plan | FIELDS[name](n)))


def bomb(n: int) -> list[dict[str, Any]]:
    """Every one of n pieces is to be cut n times."""
    return [piece("chop", 0, 10**6, "Ann")] * n + [piece("boil", 2 * k + 1, 1, "Ann") for k in range(n)]


def test_line_with_millions_of_steps_is_unscored_and_others_are_graded(workshop: str) -> None:
    """Before, 2,000 such pieces were four million, and an answer took a minute and gigabytes."""
    rows = [{"id": str(k), "instance": workshop, "plan": bomb(n)} for k, n in enumerate((2, 2_000, 2))]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    grades = list(grade_all(read_submissions(io.BytesIO(lines), "lines"), Grader(problems=all_problems())))
    assert [grade.scored for grade in grades] == [True, False, True]
    assert f"plan: has {2_000 * 2_001 + 2_000} pieces" in str(grades[1].reason)
    assert str(MAX_PIECES) in str(grades[1].reason)
    problem = single(workshop)
    for answer in (critique, regret, repair):
        with pytest.raises(PlanError, match="pieces after cutting at starts"):
            answer(problem, rows[1] if answer is not regret else rows[1]["plan"])


@pytest.mark.slow
def test_work_for_rejected_line_grows_with_its_length(grader: Grader, workshop: str) -> None:
    assert_growth(lambda n: graded(grader, {"id": "a", "instance": workshop, "plan": bomb(4 * n)}))


@pytest.mark.slow
def test_work_for_critique_grows_with_plan(workshop: str) -> None:
    """Check against explanations that look at all pieces, which took minutes and gigabytes."""
    problem = single(workshop)
    assert_growth(lambda n: critique(problem, [piece("knead", k, 5, "Ann") for k in range(n)], regret=False))
