"""The command line, one module per verb. Heavy libraries are imported when a verb runs."""

from __future__ import annotations

import sys

import typer

from planoracle.analysis.cli import (
    advise,
    compare,
    compose,
    critique,
    explain,
    gantt,
    generate,
    grade,
    instances,
    regret,
    repair,
    report,
    schedule,
    schema,
    solve,
    speedup,
)
from planoracle.analysis.cli.output import complain

__all__ = ["app", "main"]

app = typer.Typer(
    name="planoracle",
    help="Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("instances")(instances.instances)
app.command("solve")(solve.solve)
app.command("schedule")(schedule.schedule)
app.command("grade")(grade.grade)
app.command("compare")(compare.compare)
app.command("compose")(compose.compose)
app.command("critique")(critique.critique)
app.command("explain")(explain.explain)
app.command("gantt")(gantt.gantt)
app.command("generate")(generate.generate)
app.command("next")(advise.next_)
app.command("regret")(regret.regret)
app.command("repair")(repair.repair)
app.command("report")(report.report)
app.command("schema")(schema.schema)
app.command("speedup")(speedup.speedup)


def main() -> None:
    """Run the command line."""
    from planoracle.instances.errors import PlanoracleError, UnknownNameError

    try:
        app()
    except PlanoracleError as error:
        complain(error)
        sys.exit(2 if isinstance(error, UnknownNameError) else 1)
    except BrokenPipeError:  # the reader of our output went away, e.g. `| head`
        sys.stderr.close()
        sys.exit(1)
