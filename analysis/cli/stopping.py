"""Being stopped by Ctrl-C (SIGINT), SIGTERM or SIGHUP: status 128 + n, after everything has been put away."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

__all__ = ["Stopped", "stoppable"]

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Stopped(SystemExit):
    """Somebody wants the program to end, with this status."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first signal into `Stopped`; later ones do not disturb the putting away.

    Outside of this there is nothing to put away, and signals end the process at once.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for one in _SIGNALS:
            handler = signal.getsignal(one)
            if handler not in (signal.SIG_IGN, _stop, None):  # what is ignored, as in the background, stays so
                before[one] = handler
    try:
        for one in before:
            signal.signal(one, _stop)
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _stop(number: int, _frame: object) -> NoReturn:
    for one in _SIGNALS:
        if signal.getsignal(one) is _stop:
            signal.signal(one, signal.SIG_IGN)
    raise Stopped(128 + number)
