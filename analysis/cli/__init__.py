"""The command line, one module per verb. Verbs and heavy libraries are imported when they are wanted."""

from __future__ import annotations

# Nothing else here: Ctrl-C is not heard in good order before `main` says so.
import os
import sys

__all__ = ["app", "main", "run"]


def __getattr__(name: str) -> object:
    """Import the verbs when somebody asks for them: `main` comes first, so that it can be stopped in good order."""
    if name not in ("app", "run"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from planoracle.analysis.cli import verbs

    return getattr(verbs, name)


def main() -> None:
    """Run the command line and end the process.

    Ctrl-C ends it at once with status 130, unless there is something to put away (see `stopping`).
    """
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as in the background
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    except KeyboardInterrupt:
        os._exit(130)
    import atexit
    import gc

    from planoracle.analysis.streams import mend

    status: int | None = None

    def leave() -> None:
        """End without the rest of what an interpreter does, which takes a tenth of the time of a short command.

        A search in a thread that nobody waits for any more does not survive it.
        """
        if status is not None:
            sys.stderr.flush()
            os._exit(status)

    atexit.register(leave)  # the first to be registered is the last to be called
    mend()
    gc.set_threshold(20_000, 20, 20)  # importing makes many objects, and no rubbish
    # Looking for plug-ins of pydantic, of which there is no use here, reads the list of all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from planoracle.analysis.cli.verbs import run

    status = run()
    if {"loky", "distributed"}.isdisjoint(sys.modules):
        leave()
    sys.exit(status)  # these put away their processes at exit
