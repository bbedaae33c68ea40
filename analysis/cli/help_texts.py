"""Help texts of commands: paragraphs, examples, and names of arguments and values."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

_EXAMPLES = re.compile(r"^Examples\n-+\n((?:planoracle .*\n?)+)\Z", re.MULTILINE)
_TITLE = "Examples:\n"


def help_text(documentation: str) -> str:
    r"""Return a docstring as the help text of a command.

    Each paragraph is one line, which rich wraps at the width of the terminal. The section "Examples" is the last
    paragraph, with one command per line. Brackets that rich would take for markup are escaped.

    Examples
    --------
    >>> help_text("Draw a\nplan[ner].\n\nExamples\n--------\nplanoracle a\nplanoracle b")
    'Draw a plan\\[ner].\n\nExamples:\nplanoracle a\nplanoracle b'
    """
    text, commands = cleandoc(documentation), ""
    if match := _EXAMPLES.search(text):
        text, commands = text[: match.start()], match[1]
    paragraphs = re.sub(r"(?<!\n)\n(?!\n)", " ", text.strip())
    return _escape(f"{paragraphs}\n\n{_TITLE}{commands.strip()}" if commands else paragraphs)


def examples(text: str) -> list[str]:
    """Return the commands at the end of a help text."""
    return text.partition(f"\n{_TITLE}")[2].splitlines()


class HelpCommand(TyperCommand):
    """Command whose help text is a docstring, see `help_text`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _prepare(self)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have no metavar, and arguments no type."""
        return _without_types(super().get_params(ctx))


class HelpGroup(TyperGroup):
    """Group of commands whose help text is a docstring, see `help_text`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _prepare(self)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have no metavar."""
        return _without_types(super().get_params(ctx))


def _prepare(command: TyperCommand | TyperGroup) -> None:
    """Set the help text of a command, and escape brackets in those of its parameters."""
    command.help = help_text(command.help or "")
    for parameter in command.params:
        if isinstance(text := getattr(parameter, "help", None), str):
            vars(parameter)["help"] = _escape(text)


def _without_types(parameters: list[Any]) -> list[Any]:
    """Remove the types of flags and arguments, such as ``<bool>``, from the help text."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif isinstance(parameter, TyperArgument):
            vars(parameter)["display_type_rich"] = lambda ctx: ""  # a method of later versions of typer
    return parameters


def _escape(text: str) -> str:
    return re.sub(r"\[(?=[a-z#/@])", r"\\[", text)
