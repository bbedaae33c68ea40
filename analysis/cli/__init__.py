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
    import threading

    from planoracle.analysis.streams import mend

    mend()
    gc.set_threshold(20_000, 20, 20)  # importing makes many objects, and no rubbish
    # Looking for plug-ins of pydantic, of which there is no use here, reads the list of all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from planoracle.analysis.cli.verbs import run

    status = run()
    if not {"joblib", "distributed"}.isdisjoint(sys.modules):  # these have to put away their processes
        from planoracle.analysis.batch.hands import SEARCH

        if all(thread.name != SEARCH for thread in threading.enumerate()):
            sys.exit(status)
        atexit._run_exitfuncs()
    # Nothing else needs putting away, which takes a tenth of the time of a short command; and a search in a thread
    # that nobody waits for any more does not survive it.
    sys.stderr.flush()
    os._exit(status)
