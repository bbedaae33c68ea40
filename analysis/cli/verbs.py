"""The verbs, each imported when it is called, and what is said of errors that end them."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from planoracle import __version__
from planoracle.analysis.cli.data import with_data
from planoracle.analysis.cli.output import complain
from planoracle.analysis.cli.view import viewable
from planoracle.analysis.spoken import say, tell
from planoracle.instances.visible import visible

__all__ = ["app", "run"]

#: Verbs by what they are for, each with the function of the module of that name that carries it out.
_PANELS = {
    "Solve": {
        "solve": "solve.solve",
        "schedule": "schedule.schedule",
        "compare": "compare.compare",
        "speedup": "speedup.speedup",
    },
    "Grade": {
        "grade": "grade.grade",
        "collect": "collect.collect",
        "summary": "summary.summary",
        "repair": "repair.repair",
        "audit": "audit.audit",
    },
    "Play": {
        "run": "run.run",
        "prompt": "prompt.prompt",
    },
    "Understand": {
        "explain": "explain.explain",
        "critique": "critique.critique",
        "regret": "regret.regret",
        "next": "advise.next_",
    },
    "Make": {
        "generate": "generate.generate",
        "compose": "compose.compose",
        "benchmark": "benchmark.benchmark",
        "schema": "schema.schema",
    },
    "Look": {
        "instances": "instances.instances",
        "optima": "optima.optima",
        "gantt": "gantt.gantt",
        "report": "report.report",
    },
    "Serve": {
        "mcp": "mcp.mcp",
    },
}
#: Those that take no names of problems.
_NAMELESS = {"benchmark", "schema"}
_VERBS = {verb: (panel, place) for panel, verbs in _PANELS.items() for verb, place in verbs.items()}


@contextmanager
def _visible_complaints() -> Iterator[None]:
    """Let complaints about the call, which may hold any name of a file, be made of characters that can be seen."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            error.message = visible(error.message)  # type: ignore[attr-defined]
        raise


def _unwrap(command: Any) -> None:
    """Let the paragraphs of a help text be broken where the terminal ends, and not where their source does."""
    if command.help:
        command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", command.help.strip())
    for part in getattr(command, "commands", {}).values():
        _unwrap(part)


class _Verbs(TyperGroup):
    """Imports a verb when it is called, or listed in a help text."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _visible_complaints():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _visible_complaints():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _VERBS:
            for verb in _VERBS:  # so that the one that was meant can be named
                self.get_command(ctx, verb)
            return None
        if cmd_name not in self.commands:
            panel, place = _VERBS[cmd_name]
            module, _, function = place.partition(".")
            found = getattr(import_module(f"planoracle.analysis.cli.{module}"), function)
            if not isinstance(found, typer.Typer):  # one that is no group of verbs itself
                single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
                single.command(cmd_name)(viewable(found if cmd_name in _NAMELESS else with_data(found)))
                found = single
            self.commands[cmd_name] = typer.main.get_command(found)
            self.commands[cmd_name].rich_help_panel = panel  # type: ignore[attr-defined]
            self.commands[cmd_name].name = cmd_name
            _unwrap(self.commands[cmd_name])
        return self.commands[cmd_name]


app = typer.Typer(
    name="planoracle",
    cls=_Verbs,
    help="Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _tell_versions(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import version

    say(f"planoracle {__version__} (ortools {version('ortools')})")
    raise typer.Exit


@app.callback()
def _planoracle(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_versions, is_eager=True, help="Say what results depend on, and end."),
    ] = False,
) -> None:
    pass


def _warn(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
    """Tell of a warning about a file; others are for developers."""
    from planoracle.instances.errors import InputWarning

    if issubclass(category, InputWarning):
        tell(message, "warning")
    else:
        tell(warnings.formatwarning(message, category, filename, lineno).rstrip())


def run() -> int:
    """Run the command line in this process; return its exit status."""
    from planoracle.instances.errors import InputWarning, PlanoracleError, UnknownNameError

    status = 0
    warnings.showwarning = _warn
    warnings.simplefilter("always", InputWarning)
    try:
        try:
            app()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except PlanoracleError as error:
        complain(error)
        return 2 if isinstance(error, UnknownNameError) else 1
    except BrokenPipeError:  # the reader of our output went away, e.g. `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains at its end
        return 1
    except OSError as error:
        complain(f"{error.filename or 'the output cannot be written'}: {error.strerror}")
        return 1
    return status
