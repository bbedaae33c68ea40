"""Submissions replayed in live runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from planoracle import environment, grade, load
from planoracle.analysis.agents.agent import PlayedRun, play
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.protocol.environment import AnyEnvironment

PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "timearena/household1+household2",
    "asynctool/similar2/01",
    "asynchow/async/829",
    "robotouille/asynchronous/0_cheese_chicken_sandwich",
)


def played(run: AnyEnvironment, name: str, seed: int = 0) -> PlayedRun:
    return asyncio.run(play(run, agent(name, seed=seed)))


def file_of(folder: Path, *submissions: dict[str, object]) -> str:
    path = folder / "runs.jsonl"
    path.write_text("".join(json.dumps({"id": str(n)} | one) + "\n" for n, one in enumerate(submissions)))
    return f"replay:{path}"


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_submission_played_again_is_the_same_submission(name: str, tmp_path: Path) -> None:
    for first in ("random", "optimal"):
        before = played(environment(load(name)), first, seed=3).environment.submission()
        again = played(environment(load(name)), file_of(tmp_path, before))
        assert again.failure is None
        assert again.environment.submission() == before


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_submission_can_be_handed_in_as_a_whole(name: str, tmp_path: Path) -> None:
    before = played(environment(load(name)), "optimal").environment.submission()
    again = played(environment(load(name), loop="open"), file_of(tmp_path, before))
    assert grade(again.environment.submission()).makespan == grade(before).makespan
    assert grade(again.environment.submission()).success


def test_seeds_take_turns_with_the_submissions_for_the_problem(tmp_path: Path) -> None:
    name = PROBLEMS[1]
    mine = [{"instance": name, "plan": ["wait"] * count + ["exit"]} for count in (1, 2)]
    file = file_of(tmp_path, mine[0], {"instance": PROBLEMS[0], "plan": ""}, mine[1])
    ends = [played(environment(load(name)), file, seed).environment.observation.clock for seed in range(3)]
    assert ends == [1, 2, 1]


def test_files_without_anything_to_say_are_no_plans_that_failed(tmp_path: Path) -> None:
    path = tmp_path / "nothing.jsonl"
    path.write_text("")
    found = played(environment(load(PROBLEMS[1])), f"replay:{path}")
    assert found.failure is not None
    assert found.failure.kind == "no_plan"
    assert "no submission for the problem" in str(found.failure)
