"""What becomes of a call before a verb is run: help texts, and the values of arguments and options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from support.runner import CliRunner

from planoracle.analysis.cli import app, calls
from planoracle.analysis.cli.index import VERBS


def command(name: str) -> Any:
    return typer.main.get_command(app).get_command(None, name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", VERBS)
def test_the_overview_says_what_the_help_text_of_a_verb_begins_with(name: str) -> None:
    assert (command(name).help or "").split("\n\n")[0] == VERBS[name].about


@pytest.mark.parametrize("columns", [20, 50, 80, 130])
@pytest.mark.parametrize("call", [(), ("solve",), ("generate",), ("benchmark",), ("benchmark", "new")])
def test_help_texts_keep_to_the_room_there_is_and_name_all_options(call: tuple[str, ...], columns: int) -> None:
    text = CliRunner().invoke(app, [*call, "--help"], env={"COLUMNS": str(columns)}).stdout
    width = max(columns, 40)
    lines = text.split("\n")
    assert max(map(len, lines)) <= width
    boxed = [line for line in lines if line.startswith(("│", "╭", "╰"))]
    assert {len(line) for line in boxed} == {width}
    found = typer.main.get_command(app)
    for name in call:
        found = found.get_command(None, name)  # type: ignore[attr-defined]
    options = [one for param in found.params if not getattr(param, "hidden", False) for one in param.opts]
    options = [one for one in options if one.startswith("-")]
    assert all(one in text for one in (*options, "--help"))


def test_a_call_of_nothing_gets_the_help_text_with_its_lines() -> None:
    for call in ((), ("benchmark",)):
        result = CliRunner().invoke(app, list(call), env={"COLUMNS": "80"})
        assert "\n╭─ Options ──" in result.stdout + result.stderr


def test_boxes_are_of_the_terminals_letters() -> None:
    class Ascii:
        encoding = "ascii"

        def isatty(self) -> bool:
            return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", Ascii())
        context = typer.main.get_command(app).make_context("planoracle", ["solve"], resilient_parsing=True)
        text = context.get_help()
    assert text.isascii()
    assert "\n+- Solve ---" in text


class _Colour(StrEnum):
    red = "red"
    deep_blue = "deep-blue"


def seen(cls: Any, *call: str) -> tuple[int, list[Any], str]:
    """What a verb is given by a call; the exit status and what is said."""
    found: list[Any] = []
    one = typer.Typer(add_completion=False, rich_markup_mode=None)

    @one.command(cls=cls)
    def verb(
        names: list[str],
        colour: _Colour = _Colour.red,
        text: str | None = None,
        texts: Annotated[list[str] | None, typer.Option()] = None,
        number: Annotated[int, typer.Option(min=0, max=9)] = 1,
        share: float = 0.5,
        flag: bool = False,
        both: Annotated[bool, typer.Option("--both/--neither")] = True,
        path: Path | None = None,
        paths: Annotated[list[Path] | None, typer.Option()] = None,
        parsed: Annotated[str | None, typer.Option(parser=lambda said: said[::-1])] = None,
    ) -> None:
        found.extend((names, colour, text, texts, number, share, flag, both, path, paths, parsed))

    result = CliRunner().invoke(one, call)
    return result.exit_code, [(type(value), value) for value in found], result.stderr


@pytest.mark.parametrize(
    "call",
    [
        "a",
        "a b --text x --colour deep-blue --texts y --texts z",
        "a --number 3 --share 2 --flag --neither --path p --paths q --paths r --parsed abc",
        "a --colour deep_blue",
        "a --colour Red",
        "a --number 10",
        "a --number x",
        "a --share x",
        "",
        "a --text",
    ],
)
def test_values_are_taken_as_typer_takes_them(call: str) -> None:
    assert seen(calls.Command, *call.split()) == seen(None, *call.split())
