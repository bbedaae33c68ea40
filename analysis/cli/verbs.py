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

from planoracle import __version__
from planoracle.analysis.cli.calls import Command, Group
from planoracle.analysis.cli.data import with_data
from planoracle.analysis.cli.index import PANELS, REMOVED, VERBS
from planoracle.analysis.cli.output import complain
from planoracle.analysis.cli.paths import with_paths
from planoracle.analysis.cli.view import viewable
from planoracle.analysis.spoken import say, tell
from planoracle.instances.visible import visible

__all__ = ["app", "run"]

#: Those that take no names of problems.
_NAMELESS = {"benchmark"}


@contextmanager
def _visible_complaints() -> Iterator[None]:
    """Let complaints about the call, which may hold any name of a file, be made of characters that can be seen.

    The complaint about a removed option names its replacement.
    """
    try:
        yield
    except Exception as error:
        if replacement := _replacement_of_option(error):
            error.ctx.fail(replacement)  # type: ignore[attr-defined]
        told = hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str)
        if told and type(error).__name__ != "NoArgsIsHelpError":  # whose message is a help text
            error.message = visible(error.message)  # type: ignore[attr-defined]
        raise


def _replacement_of_option(error: Exception) -> str | None:
    option, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    return REMOVED.get(f"{context.info_name} {option}") if option and context else None


def _unwrap(command: Any) -> None:
    """Let the paragraphs of a help text be broken where the terminal ends, and not where their source does."""
    if command.help:
        command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", command.help.strip())
    for part in getattr(command, "commands", {}).values():
        _unwrap(part)


class _Verbs(Group):
    """Imports a verb when it is called."""

    def panels(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        return {panel: [(name, verb.about) for name, verb in verbs.items()] for panel, verbs in PANELS.items()}

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _visible_complaints():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _visible_complaints():
            return super().invoke(ctx)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Offer verbs by their names and texts, so that none has to be imported."""
        before = self.commands
        self.commands = {name: Command(name, help=verb.about) for name, verb in VERBS.items()}
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self.commands = before

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in REMOVED:
            ctx.fail(REMOVED[cmd_name])
        if cmd_name not in VERBS:
            for verb in VERBS:  # so that the one that was meant can be named
                self.get_command(ctx, verb)
            return None
        if cmd_name not in self.commands:
            module, _, function = VERBS[cmd_name].place.partition(".")
            found = getattr(import_module(f"planoracle.analysis.cli.{module}"), function)
            if not isinstance(found, typer.Typer):  # one that is no group of verbs itself
                single = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
                single.command(cmd_name, cls=Command)(
                    viewable(found if cmd_name in _NAMELESS else with_paths(with_data(found)))
                )
                found = single
            self.commands[cmd_name] = typer.main.get_command(found)
            self.commands[cmd_name].name = cmd_name
            _unwrap(self.commands[cmd_name])
        return self.commands[cmd_name]


app = typer.Typer(
    name="planoracle",
    cls=_Verbs,
    help="Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing what draws it takes longer than all else
)


def _show_versions(context: typer.Context, wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import version

    say(f"planoracle {__version__} (ortools {version('ortools')})")
    if context.params["verbose"]:
        for line in _installation():
            say(line)
    raise typer.Exit


def _installation() -> Iterator[str]:
    """Yield the versions of Python and of the dependencies, and which extras are installed."""
    from importlib.metadata import PackageNotFoundError, requires, version
    from platform import python_version

    yield f"python {python_version()}"
    packages: dict[str, dict[str, str | None]] = {"": {}}
    for line in requires("planoracle") or ():
        name, extra = re.split(r"[^\w.-]", line)[0], re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = None
        packages.setdefault(extra[1] if extra else "", {})[name] = installed
    for extra_name, versions in packages.items():
        missing = [name for name, installed in versions.items() if installed is None]
        if not extra_name:
            yield from (f"{name} {installed or 'is missing'}" for name, installed in versions.items())
        elif missing:
            yield f"extra {extra_name} is not installed (missing: {', '.join(missing)})"
        else:
            yield f"extra {extra_name} is installed ({', '.join(f'{name} {versions[name]}' for name in versions)})"


@app.callback()
def _planoracle(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_versions, help="Print versions of planoracle and its dependencies, and exit."
        ),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", is_eager=True, help="With --version: all dependencies and extras.")
    ] = False,
) -> None:
    pass


def _warn(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
    """Tell of a warning about a file or an installation; others are for developers."""
    from planoracle.instances.errors import InputWarning, SetupWarning

    if issubclass(category, InputWarning | SetupWarning):
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
    except MemoryError:
        complain("there is not enough memory")
        return 1
    return status
