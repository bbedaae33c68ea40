"""The agent before a terminal, with a script for hands."""

from __future__ import annotations

import asyncio
import io
import re

from rich.console import Console

from planoracle import environment, load
from planoracle.analysis.agents.human import Human
from planoracle.analysis.agents.play import Played, play


def played(
    *typed: str, name: str = "timearena/household1", loop: str = "closed", width: int = 100
) -> tuple[Played, str]:
    screen = Console(file=io.StringIO(), width=width, force_terminal=False)
    hands = io.StringIO("".join(f"{line}\n" for line in typed))
    found = asyncio.run(play(environment(load(name), loop=loop), Human(hands, screen)))
    assert isinstance(screen.file, io.StringIO)
    return found, screen.file.getvalue()


def said(found: Played) -> list[str]:
    return [one.said.text for one in found.exchanges]


def test_a_number_or_the_text_of_a_command_says_it() -> None:
    found, shown = played("1", "wash teapot", "q")
    assert said(found) == ["activate kettle", "wash teapot"]
    assert "1  activate kettle" in shown
    assert "Minute 0: activate kettle begins" in shown
    assert shown.rstrip().endswith("Stopped before the end.")


def test_the_end_of_the_input_stops() -> None:
    found, _ = played("1")
    assert said(found) == ["activate kettle"]
    assert not found.environment.done


def test_what_is_not_legal_is_passed_on_as_well() -> None:
    found, shown = played("pour kettle into cup", "99", "")
    assert said(found) == ["pour kettle into cup"]
    assert "There is no command 99." in shown


def test_turns_are_taken_back() -> None:
    found, shown = played("4", "4", "1", "u 2", "2", "u", "u", "u", "1")
    assert said(found) == ["activate kettle"]
    assert found.environment.submission()["actions"] == ["activate kettle"]
    assert shown.count("Taken back.") == 3
    assert "There is nothing to take back." in shown


def test_hints_say_what_commands_cost() -> None:
    _, shown = played("h", "h")
    hinted = shown.split("stop\n")[1]
    assert "The best end within reach: 13 min in all." in hinted
    rows = [re.split(r"  +", line.strip())[1:] for line in hinted.splitlines()[1:5]]
    assert rows == [
        ["activate kettle", "keeps it"],
        ["wash teapot", "keeps it"],
        ["wash cup", "+2 min"],
        ["wait", "+1 min"],
    ]
    assert "keeps it" not in shown.split("stop\n")[2]


def test_hints_say_that_nothing_helps() -> None:
    _, shown = played(*["wait"] * 39, "h")
    assert "Nothing leads to success any more: time limit." in shown


def test_commands_are_found_by_a_part_of_their_text() -> None:
    _, shown = played("/KETT", "/nothing")
    assert "1  activate kettle" in shown.split("stop\n")[1]
    assert "wash cup" not in shown.split("stop\n")[1]
    assert "There is no such command." in shown


def test_whole_plans_end_with_an_empty_line() -> None:
    found, _ = played("wait", "wait", "", "not read", loop="open")
    assert said(found) == ["wait\nwait"]
    assert found.environment.submission()["actions"] == "wait\nwait"


def test_the_end_of_a_run_is_shown() -> None:
    plan = ("activate kettle", "wash teapot", "wash cup", "pour kettle into teapot", "brew tea with teapot")
    _, shown = played(*plan, *["wait"] * 4, "pour teapot into cup")
    assert shown.rstrip().endswith("The run is over: completed.\nDone in 15 min.")


def test_nothing_that_is_typed_steers_the_terminal() -> None:
    _, shown = played("wash \x1b[31mcup [bold]")
    assert "\x1b" not in shown
