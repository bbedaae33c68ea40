"""The verbs, each imported when it is called, and what is said of errors that end them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from planoracle import __version__
from planoracle.analysis.cli.output import complain
from planoracle.analysis.spoken import say
from planoracle.instances.visible import visible

__all__ = ["app", "run"]

#: Verbs, and the function of the module of that name that carries them out.
_VERBS = {
    "instances": "instances.instances",
    "benchmark": "benchmark.benchmark",
    "solve": "solve.solve",
    "schedule": "schedule.schedule",
    "grade": "grade.grade",
    "collect": "collect.collect",
    "compare": "compare.compare",
    "compose": "compose.compose",
    "critique": "critique.critique",
    "explain": "explain.explain",
    "gantt": "gantt.gantt",
    "generate": "generate.generate",
    "next": "advise.next_",
    "regret": "regret.regret",
    "repair": "repair.repair",
    "report": "report.report",
    "schema": "schema.schema",
    "speedup": "speedup.speedup",
    "summary": "summary.summary",
}


@contextmanager
def _visible_complaints() -> Iterator[None]:
    """Let complaints about the call, which may hold any name of a file, be made of characters that can be seen."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            error.message = visible(error.message)  # type: ignore[attr-defined]
        raise


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
            module, _, function = _VERBS[cmd_name].partition(".")
            found = getattr(import_module(f"planoracle.analysis.cli.{module}"), function)
            if not isinstance(found, typer.Typer):  # one that is no group of verbs itself
                single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
                single.command(cmd_name)(found)
                found = single
            self.commands[cmd_name] = typer.main.get_command(found)
        return self.commands[cmd_name]


app = typer.Typer(
    name="planoracle",
    cls=_Verbs,
    help="Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.",
    no_args_is_help=True,
    add_completion=False,
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


def run() -> int:
    """Run the command line in this process; return its exit status."""
    from planoracle.instances.errors import PlanoracleError, UnknownNameError

    status = 0
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
