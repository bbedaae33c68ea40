"""Table of subcommands, the typer application that imports them on call, and exit statuses."""

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
from planoracle.analysis.cli.help_texts import HelpCommand, HelpGroup
from planoracle.analysis.console import complain, grouped_messages, say, show_warning
from planoracle.instances.errors import InputWarning, PlanoracleError, UnknownNameError
from planoracle.instances.text import visible

#: Panel of the help text, and first line of the documentation, of each subcommand: help and completion import none.
COMMANDS = {
    "solve": ("Solve", "Compute proved optimal schedules and validate them with the benchmark's rules."),
    "compare": ("Solve", "Compare reference plans and heuristics with the proved optimum."),
    "grade": ("Grade", "Replay and grade plans, or summarize files of grades."),
    "repair": ("Grade", "Compute for each plan the nearest plan that follows the rules."),
    "audit": ("Grade", "Check the validity and the optimality of published reference plans and makespans."),
    "run": ("Run", "Run agents and models on problems, and grade their plans."),
    "explain": ("Explain", "Explain why no schedule is shorter than the optimum, or why there is none."),
    "verify": ("Explain", "Check proofs that no schedule is shorter, step by step."),
    "critique": (
        "Explain",
        "Report the errors of each plan, its gap to the optimum, and its most costly decisions.",
    ),
    "regret": ("Explain", "Compute the regret of each decision: the increase in the best reachable makespan."),
    "next": ("Explain", "List the next commands that keep the best makespan reachable, and the best completion."),
    "generate": ("Create", "Generate random problems; the same seed, parameters and version give the same problems."),
    "benchmark": ("Create", "List the benchmarks, create the package of a new one, or check one."),
    "instances": ("Show", "List problems by name, prefix (BENCHMARK/SET), glob (BENCHMARK/*/Vada_*) or file."),
    "gantt": ("Show", "Draw a schedule as a Gantt chart, with one row per agent and object."),
    "report": ("Show", "Write an HTML page with a leaderboard, and each plan drawn above the optimum."),
    "mcp": (
        "Serve",
        "Serve tools by the Model Context Protocol (MCP): problems, describe, solve, explain, grade, next.",
    ),
}

# Subcommands with options for tables of tasks.
_TABLE_COMMANDS = ("solve", "compare", "explain", "gantt", "next", "run", "instances")
#: Other words for subcommands, by the call that does what they ask for.
_OTHER_WORDS = {
    "gantt NAME -o FILE.png": "plot draw chart figure",
    "instances [NAME]": "list ls show sets problems describe export",
    "benchmark list": "benchmarks rules metrics",
    "grade SUBMISSIONS": "evaluate eval score leaderboard",
    "grade SUBMISSIONS (plans) or planoracle verify FILE (proofs)": "check validate",
    "solve NAME": "optimize optimise optimum plan heuristic heuristics",
    "run NAME --agent AGENT": "play simulate agent agents",
    "explain NAME": "why prove proof",
    "repair SUBMISSIONS": "fix correct",
    "critique SUBMISSIONS": "review feedback diagnose",
    "generate BENCHMARK": "create random",
    "report SUBMISSIONS -o FILE.html": "html page dashboard",
    "compare NAME": "baseline baselines",
    "mcp": "serve server",
    "--version": "version info",
}
#: Call that does what another word for a subcommand asks for.
SYNONYMS: dict[str, str] = {}
for _call, _words in _OTHER_WORDS.items():
    SYNONYMS |= dict.fromkeys(_words.split(), _call)


def load(name: str) -> Any:
    """Import a subcommand, and return its click command."""
    from planoracle.analysis.cli import options, submissions

    module = import_module(f"planoracle.analysis.cli.{name}")
    function = module.next_ if name == "next" else getattr(module, name)
    if isinstance(function, typer.Typer):
        return typer.main.get_command(function)
    if name in _TABLE_COMMANDS:
        function = options.with_table_options(function)
    function = submissions.with_submissions(options.with_tools(options.with_data(function)))
    function = options.with_view(function)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name, cls=HelpCommand)(function)
    return typer.main.get_command(single)


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Escape control characters in usage errors."""
    try:
        yield
    except Exception as error:
        # The message of NoArgsIsHelpError is the help text.
        if isinstance(getattr(error, "message", None), str) and type(error).__name__ != "NoArgsIsHelpError":
            error.message = visible(error.message)  # type: ignore[attr-defined]
        raise


class _Commands(HelpGroup):
    """Group whose subcommands are imported when they are called."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, (panel, summary) in COMMANDS.items():
            self.commands[name] = HelpCommand(name, help=summary, rich_help_panel=panel)

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _usage_errors():
            return super().make_context(*args, **options)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _usage_errors(), grouped_messages():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in SYNONYMS:
            ctx.fail(f"there is no command {args[0]!r}; use planoracle {SYNONYMS[args[0]]}")
        name, command, arguments = super().resolve_command(ctx, args)
        return name, command and load(str(name)), arguments


app = typer.Typer(
    name="planoracle",
    cls=_Commands,
    help="""Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.

    Examples
    --------
    planoracle instances
    planoracle solve timearena/household1
    planoracle grade plans.jsonl
    """,
    context_settings={"help_option_names": ["--help", "-h"]},  # subcommands inherit the names
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_versions(context: typer.Context, is_requested: bool) -> None:
    if not is_requested:
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
        name = re.split(r"[^\w.-]", line)[0]
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = None
        packages.setdefault(extra[1] if extra else "", {})[name] = installed
    for extra_name, versions in packages.items():
        missing = [name for name, installed in versions.items() if installed is None]
        texts = [f"{name} {installed or 'is missing'}" for name, installed in versions.items()]
        if not extra_name:
            yield from texts
        elif missing:
            yield f"extra {extra_name} is not installed (missing: {', '.join(missing)})"
        else:
            yield f"extra {extra_name} is installed ({', '.join(texts)})"


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


def run_app() -> int:
    """Run the command line in this process; return its exit status."""
    status = 0
    warnings.showwarning = show_warning
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
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())  # else the interpreter complains at its end
        return 1
    except OSError as error:
        complain(f"{error.filename or 'the output cannot be written'}: {error.strerror}")
        return 1
    except MemoryError:
        complain("there is not enough memory")
        return 1
    except Exception as error:
        from planoracle.instances.protocol.registry import benchmark_error

        fault = benchmark_error(error)
        if fault is None:
            raise
        complain(fault)
        return 1
    return status
