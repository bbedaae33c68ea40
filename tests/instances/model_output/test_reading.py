"""Extraction of plans from texts: plan, ignored lines, and unreadable answers."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.benchmarks.timearena.language import _Decisions
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.files import catalog
from planoracle.instances.model_output.cues import pieces_of
from planoracle.instances.model_output.reading import read
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.plan import Reading
from tests.support.line_counter import count_lines
from tests.support.plan_formats import PROBLEMS, submission_of
from tests.support.robotouille import actions_of
from tests.support.samples import sample

TEA = "timearena/household1"
GRAMMAR = _Decisions(world(TEA))
A, B, C, D, E = "activate kettle", "wash cup", "wait", "pour kettle into teapot", "wash teapot"


def reading_of(output: object) -> Reading[list[str]]:
    return read(output, GRAMMAR)


def graded(name: str, output: object, profile: str = "paper") -> dict[str, Any]:
    row = Grader(profiles(profile)).grade({"id": "x", "instance": name, "plan": output}).row()
    return {key: row[key] for key in ("scored", "success", "read", "read_from", "ignored", "reason")}


# --- selected part --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "steps", "read_from", "ignored"),
    [
        (f"{A}\n{B}", [A, B], "block of lines", 0),
        (f"1. {A}\n2. {B}", [A, B], "list", 0),
        (f"- {A}\n\nThen, much later:\n- {B}\n- {C}", [A, B, C], "2 lists", 0),
        (f"Draft:\n- {C}\n- {B}\n\nFinal plan:\n- {A}\n- {B}", [A, B], "list after 'Final plan'", 2),
        (f"- {A}\n- {B}\n- {C}\n\nOnce more, with care:\n- {A}\n- {B}\n- {D}", [A, B, D], "last list", 3),
        (f"- {A}\n- {B}\n\nThat is wrong.\n\n- {B}\n- {C}\n- {A}", [B, C, A], "last list", 2),
        (f"Not a real plan, just an example. Final plan:\n- {A}\n- {B}", [A, B], "list after 'Final plan:'", 0),
        (f"For example:\nNow the schedule:\n- {A}\n- {B}", [A, B], "list", 0),
        (f"- {C}\n- {D}\n\nBetter:\nNow the schedule:\n- {A}\n- {B}", [A, B], "last list", 2),
        (
            f"Final plan, short and without detours at all:\n- {A}",
            [A],
            "list after 'Final plan, short and without detours at'",
            0,
        ),
        (f"{A}\nWait, let me think.\n{B}", [A, B], "2 blocks of lines", 0),
        (f"{A}\n<think>\n{B}", [], "nothing", 0),
        (json.dumps({"plan": f"1. {A}\n2. {B}", "note": "x"}), [A, B], "list", 0),
        (f"1. {A}\n2. {B}\n3. {C}\n4. {D}\n\n| key step |\n|---|\n| {D} |", [A, B, C, D], "list", 1),
        (f"1. {A}\n2. {B}\n3. {C}\n\nFinal answer: it takes 20 minutes.", [A, B, C], "list", 0),
        (f"I might {B}, if {A} does not work out.\n```\n{A}\n{C}\n```", [A, C], "fenced block", 0),
        (f"First I {A}. Then I {B}, and {C}.", [A, B, C], "block of lines", 0),
        (f"What boils by itself comes first, so: {A}, {B},\n{D}, {C}", [A, B, D, C], "block of lines", 0),
        (f"What boils by itself comes first: {A},\n{B},\n{D}, {C},\n{C}", [A, B, D, C, C], "block of lines", 0),
        (f"What boils by itself comes first, that is {A},\n\n- {B}\n- {A}", [B, A], "list", 0),
        (f"Thought: {D}?\nAction: {A}\nObservation: {B} is possible\n{C}\nAction: {B}", [A, B], "action lines", 0),
        (f"Reasoning: first\n\n1. {D}\n\nAction: {A}", [A], "action line", 0),
        (f"Thought: not {B}! Action: {A}", [A], "action line", 0),
        (f"Action: {A}\n\nIn short:\n- {A}\n\nAction: {B}", [A, B], "action lines", 1),
        (
            f"Thought: {D}.\nSo I wait. Action: {C}\nObservation: {B}.\nThought: good. Action: {A}",
            [C, A],
            "action lines",
            0,
        ),
        (f"Thought: the last one was wrong. Action: {B} does not help.\nAction: {A}", [A], "action line", 0),
        (f"Thought: the right Action: {B}, or not.\n\n{A}", [A], "block of lines", 0),
        (f"<think>{B}</think>{A}", [A], "block of lines", 0),
        (f"{B}\n</think>\n{A}", [A], "block of lines", 0),
        (f"User: {B}\nAssistant: {A}\nUser: {D}\nAssistant: {C}", [A, C], "block of lines", 0),
        (f"I think that we {A} since it takes so very long, and that we then {B}.", [A, B], "passage", 0),
        ("", [], "nothing", 0),
        ("[]", [], "nothing", 0),
        ("I cannot do that.", [], "nothing", 0),
    ],
)
def test_plan_is_extracted_from_text(text: str, steps: list[str], read_from: str, ignored: int) -> None:
    for variant in (text, text.replace("\n", "\r\n"), f"\ufeff{text}"):
        reading = reading_of(variant)
        assert (reading.commands, reading.read_from, reading.ignored) == (steps, read_from, ignored)
        assert not reading.doubtful


@pytest.mark.parametrize(
    ("items", "lines", "steps", "ignored", "unread"),
    [
        ([A, B, D], [E], [A, B, D], 1, 1),
        ([A, B, D], [A], [A, B, D], 1, 0),
        ([A, B, D, C], [A, E], [A, B, D, C], 2, 2),
        ([A, B, D], [E, C], [A, B, D, E, C], 0, 0),
        ([A], [E], [A, E], 0, 0),
    ],
)
def test_bare_lines_are_left_out_beside_a_list_with_twice_as_many_steps(
    items: list[str], lines: list[str], steps: list[str], ignored: int, unread: int
) -> None:
    text = "\n".join(f"- {step}" for step in items) + "\n\nNext\n" + "\n".join(lines)
    reading = reading_of(text)
    assert (reading.commands, reading.ignored, reading.unread) == (steps, ignored, unread)
    assert reading_of(text.replace("Next", "Final plan:")).commands == lines
    assert reading_of(text.replace("Next", "That is wrong.\n")).commands == lines


def test_only_messages_of_the_agent_are_read_in_a_chat() -> None:
    messages = [("user", D), ("assistant", f"Let me see. {A}"), ("user", B), ("assistant", f"Action: {C}"), ("tool", D)]
    chat = [{"role": role, "content": content} for role, content in messages]
    for output in (chat, {"messages": chat}, json.dumps(chat), {"choices": [{"message": chat[1]}]}):
        assert reading_of(output).commands == [A, C][: 1 if isinstance(output, dict) and "choices" in output else 2]


# --- unread lines ---------------------------------------------------------------------------------

WORDS = ["Take the cup to the sink and clean it", "Boil the water in the kettle", "Put leaves into the teapot"]


def test_plan_with_too_many_unread_lines_is_unscored() -> None:
    row = graded(TEA, "\n".join(f"{n}. {text}" for n, text in enumerate([A, B, *WORDS], 1)))
    assert (row["scored"], row["success"], row["read"], row["ignored"]) == (False, None, 2, 3)
    assert row["reason"] == (
        "plan: cannot be graded: 3 of 5 lines that look like steps could not be read; the first is line 3: "
        "'Take the cup to the sink and clean it'; a line that can be read is 'brew tea with teapot'"
    )


@pytest.mark.parametrize(
    ("good", "bad", "scored"), [(8, 2, True), (7, 2, False), (1, 1, True), (0, 1, True), (0, 2, False)]
)
def test_unread_lines_are_tolerated_up_to_a_fifth_or_one(good: int, bad: int, scored: bool) -> None:
    text = "\n".join(f"- {one}" for one in [*[C] * good, *WORDS[:bad]])
    row = graded(TEA, text)
    assert (row["scored"], row["read"], row["ignored"]) == (scored, good, bad)
    assert graded(TEA, text, "released")["scored"]  # the released grader has no such rule


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (TEA, "1. 洗杯子\n2. 烧水"),
        (TEA, f"Observation: done\n1. {A}\n2. {B}"),
        (PROBLEMS["recipe2plan"], "Step 0 of Cobbler: 10 min at 00:00\nStep 1 of Cobbler: 2 min at 00:10"),
        (PROBLEMS["robotouille"], "1. Move the robot to the stove\n2. Pick up the patty"),
        (PROBLEMS["asynctool"], 'enter_folder(name="a")\nlist_files()\n'),
        (PROBLEMS["asynctool"], "{'func_name': enter_folder}\n{'func_name': list_files}"),
    ],
)
def test_unreadable_plan_is_unscored_instead_of_failed(name: str, text: str) -> None:
    row = graded(name, text)
    assert not row["scored"]
    assert "could not be read" in row["reason"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (f"{A}\ndance\n{B}\nfold quilt\n{C}", [A, "dance", B, "fold quilt", C]),
        (f"{A}\n\n\n{B}\n\n\ndance\n\n\n{C}", [A, B, "dance", C]),
        (f"1. {A}.\n2. Fold quilt.\n3. {C}.", [A, "fold quilt", C]),
        (f"{A}, {B}, dance, {C}, {C}", [A, B, "dance", C, C]),
        (f"{A}, fly, {B}, wash moon cup, dance, {C}", [A, "fly", B, "wash moon cup", "dance", C]),
        (f"Thus $\\boxed{{{A}, {B}, {C}}}$.", [A, B, C]),
        (f"1. {A}\n2. wash moon cup\n3. {B}", [A, "wash moon cup", B]),
        (f"{A}\nwash moon cup\n{B}", [A, "wash moon cup", B]),
        (
            f"- {A} - for it takes long\n- **Fly** - why not\n- **Wait** - for nothing else is left to do",
            [A, "fly", C],
        ),
        (f"{A}\nthen\n{B}\nGood luck!", [A, B]),
        (f"Plan, in short\n\n{A}\n{B}", [A, B]),
        (json.dumps(f"{A}\n{B}\n{C}") + "\n\nThat is all.", [A, B, C]),
        (f"{A}\\n{B}\\n{C}", [A, B, C]),
        (f"**Morning**\n\n- {B}\n- {C}\n- {B}\n- {D}\n\n**Evening**\n\n- {B}\n- {B}\n- {A}", [B, C, B, D, B, B, A]),
    ],
)
def test_invalid_commands_among_valid_ones_are_read(text: str, steps: list[str]) -> None:
    assert reading_of(text).commands == steps


@pytest.mark.parametrize("name", ["recipe2plan", "timearena", "robotouille", "asynchow"])
def test_refusal_and_empty_answer_are_failures(name: str) -> None:
    for text in ("I'm sorry, but I can't help with that. Ask somebody else.", "", "[]"):
        row = graded(PROBLEMS[name], text)
        assert (row["scored"], row["success"], row["read"], row["ignored"]) == (True, False, 0, 0)


def test_entries_of_a_list_are_all_commands() -> None:
    row = graded(TEA, ["dance", "sing", A])
    assert (row["scored"], row["read"], row["read_from"], row["ignored"]) == (True, 3, "list as given", 0)


def test_entries_of_a_log_are_all_commands_in_whatever_words() -> None:
    log = [{"action": "dance(cup)", "observation": "unknown action"}, {"action": "sing(cup)"}]
    for name in (TEA, PROBLEMS["robotouille"]):
        row = graded(name, log)
        assert (row["scored"], row["success"], row["read"]) == (True, False, 2)
        assert not graded(name, [entry["action"] for entry in log])["scored"]


# --- formats of released agents -----------------------------------------------------------------


@pytest.mark.slow
def test_recorded_runs_of_the_released_simulator_are_read_completely(shared: Path) -> None:
    folder = shared / "benchmarks/recorded/robotouille"
    logs = sorted(folder.glob("*.txt"))
    for log in logs:
        text = log.read_text(encoding="utf-8")
        assert actions_of(text) == [line[8:] for line in text.splitlines() if line.startswith("Action: ")]
    plans = [json.loads(line)["plan"] for line in (folder / "plans.jsonl").read_text(encoding="utf-8").splitlines()]
    for plan in plans:
        assert actions_of(plan) == plan.splitlines()
    assert (len(logs), len(plans)) == (9, 64)


def test_prompt_formats_of_released_robotouille_agents_are_read() -> None:
    move, cook = "Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1"
    for text in (
        f"Plan:\n{move}\n{cook}",
        f"Plan: {move}\n{cook}",
        f"Action: look around\n\nPlan:\n{move}\n{cook}",
        f"Action: {move}\nNext State Changes: robot1 is at stove1\nAction: {cook}\nNext State Changes: none",
        f"Reasoning: I could {cook.lower()}.\n\n1. or so\n\nAction:\n{move}\n\nReasoning: now\nAction: {cook}",
    ):
        assert actions_of(text) == [move, cook]


def test_table_of_steps_and_times_is_read() -> None:
    rows = "| 0 | Vada | 10 min | 00:05:00 |\n| 1 | Daikon-Radish | 00:02:00 | 15:00 |"
    submission = submission_of("recipe2plan", f"| Step | Recipe | Duration | Start |\n|---|---|---|---|\n{rows}")
    plan = registry.get("recipe2plan").parse(catalog.problem(PROBLEMS["recipe2plan"]), submission)
    assert [tuple(step) for step in plan.commands.commands] == [(0, "Vada", 600, 300), (1, "Daikon-Radish", 120, 900)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The answer is 75 days.", True),
        ("\\boxed{75\\text{ days}}", True),
        ('Step 1 takes "3 days".\n**Final Answer:** 75 days', True),
        ('<think>"3 days"</think>It is **75 days**', True),
        ('```json\n{"steps": ["9 days"], "answer": "75 days"}\n```', True),
        ("| 1 | 3 days |\n|---|---|\n\nTotal: “75 days”", True),
        ('"75days"', True),
        ("It takes 3 days.", False),
        ("I do not know.", False),
    ],
)
def test_answer_without_double_quotes_succeeds_by_the_paper_profile_only(text: str, right: bool) -> None:
    assert graded(PROBLEMS["asynchow"], text)["success"] is right
    assert graded(PROBLEMS["asynchow"], text, "released")["success"] is False


# --- limits ---------------------------------------------------------------------------------------

PARTS = [
    "<think>",
    "</think>\n",
    "[",
    '["',
    '{"',
    '{"a":',
    "{}",
    "| ",
    "|-|\n",
    "```\n",
    "**a**\n",
    "Action:\n",
    "Action: x\n",
]
PARTS += [
    "Thought: a\n",
    "Thought: a. Action: b\n",
    "\\boxed{",
    "<br>",
    "1.",
    "- ",
    "Final answer: ",
    "final ",
    ", ]",
    "['",
    "{'a'",
    "a: ",
    "wash cup, ",
]


@pytest.mark.parametrize("part", sample(PARTS))
def test_reading_time_is_linear_in_the_length(part: str) -> None:
    few, many = (count_lines(lambda n=n: reading_of(part * n)) for n in (400, 1_600))  # type: ignore[misc]
    assert many < 5 * few + 2_000


@pytest.mark.slow
def test_many_brackets_in_thoughts_are_not_a_plan() -> None:
    for name, problem in PROBLEMS.items():
        run = registry.get(name).run(catalog.problem(problem), submission_of(name, "<think>[{" * 100_000))
        assert not run.success


def test_actions_of_other_tasks_are_read_as_invalid_commands() -> None:
    """Read them as commands in all formats, since five of them end a run of TimeArena."""
    wrong = ["gather dishes", "scrape dishes into trash", "place dishes into dishwasher", "empty trash", "rinse mop"]
    plan = ["activate kettle", "wash cup", *wrong, "wash teapot"]
    shapes = [plan, "\n".join(plan), "\n".join(f"{i}. {one}" for i, one in enumerate(plan, 1))]
    grades = [Grader().grade({"instance": "timearena/household1", "plan": shape}) for shape in shapes]
    assert [(one.read, one.metrics["end"], one.success) for one in grades] == [(8, "five_invalid", False)] * 3
    for text, steps in {"wash cup\nRead carefully.\nThen fold.": 1, "wash cup\nread carefully\nfold here": 3}.items():
        assert Grader().grade({"instance": "timearena/household1", "plan": text}).read == steps


def test_long_runs_of_blanks_are_split_in_linear_time() -> None:
    """Lines of Python do not count here: all of the time is spent in one regular expression."""
    text = ("{" + " " * 999) * 100
    began = process_time()
    assert pieces_of(text) == [text]
    assert process_time() - began < 1  # seven seconds if every blank of a run is a start


def test_labels_and_dashes_after_several_blanks_begin_pieces() -> None:
    assert pieces_of("wash cup   Plan B: wait") == ["wash cup", "Plan B:", "wait"]
    assert pieces_of("wash cup   \u2013   wait") == ["wash cup", "wait"]
    assert pieces_of("the steps of Plan B: wait") == ["the steps of Plan B:", "wait"]
