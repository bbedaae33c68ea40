"""Command line with one module per subcommand, which is imported when it is called."""

from __future__ import annotations

# Only these: `main` handles Ctrl-C before it imports anything else.
import os
import sys

# Subcommands that need a worker in any case, and the module that the worker imports first.
_WORKERS = {
    "solve": "planoracle.analysis.batch.tasks",
    "grade": "planoracle.analysis.batch.submission_tasks",
    "report": "planoracle.analysis.report.work",
    "regret": "planoracle.analysis.diagnosis.regret",
    "critique": "planoracle.analysis.diagnosis.critique",
    "repair": "planoracle.analysis.diagnosis.repair",
}


def __getattr__(name: str) -> object:
    """Return the typer application `app`, imported when it is needed (see `main`)."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from planoracle.analysis.cli.commands import app

    return app


def _exit_at_once(*_: object) -> None:
    """End the process at Ctrl-C; messages that were collected are written."""
    if console := sys.modules.get("planoracle.analysis.console"):
        console.write_groups()
        sys.stderr.flush()
    os._exit(130)


def main() -> None:
    """Run the command line and end the process.

    Ctrl-C ends it at once with status 130, unless there is something to clean up, see
    `planoracle.analysis.cli.progress.stoppable`.
    """
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as in background jobs
            signal.signal(signal.SIGINT, _exit_at_once)
    except KeyboardInterrupt:
        os._exit(130)
    from planoracle.analysis.console import mend

    mend()
    if sys.argv[1:2] and sys.argv[1] in _WORKERS and not {"--help", "-h"}.intersection(sys.argv):
        from planoracle.instances.workers.pool import start_early

        start_early(_WORKERS[sys.argv[1]])  # while this process imports the command line
    from planoracle.analysis.cli.commands import run_app

    status = run_app()
    if "distributed" in sys.modules:  # which ends its threads at exit
        sys.exit(status)
    sys.stderr.flush()
    os._exit(status)  # without the cleanup of the interpreter, a tenth of the time of a short command
