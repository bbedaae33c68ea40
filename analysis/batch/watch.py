"""Ends a process that does nothing while others wait for it.

A process that was forked may wait for ever for a lock that a thread of the other process held at that moment. It takes
no processor time then, so that no limit of it ends it.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

__all__ = ["Watch"]

# Seconds between two looks, and how many in a row must have seen it asleep, without any work in between.
_LOOK, _LOOKS = 5.0, 6


class Watch:
    """Looks at a process whenever it is waited for (``with watch:``), until it is closed.

    Attributes
    ----------
    ended
        Whether it has ended the process.
    """

    def __init__(self, pid: int) -> None:
        self.ended = False
        self._pid = pid
        self._asked, self._closed = threading.Event(), threading.Event()
        self._lock = threading.Lock()  # so that no process is ended that has been waited for already
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def __enter__(self) -> None:
        self._asked.set()

    def __exit__(self, *_: object) -> None:
        self._asked.clear()

    def close(self) -> None:
        """Look no more."""
        with self._lock:
            self._closed.set()
            self._asked.set()
        self._thread.join()  # lest others are forked beside it

    def _look(self) -> None:
        known, still = "", 0
        while not self._closed.is_set():
            self._asked.wait()
            if self._closed.wait(_LOOK):
                return
            now = _asleep(self._pid) if self._asked.is_set() else ""
            still = still + 1 if now and now == known else 0
            known = now
            with self._lock:
                if still == _LOOKS and not self._closed.is_set():
                    self.ended = True
                    os.kill(self._pid, signal.SIGKILL)
                    return


def _asleep(pid: int) -> str:
    """Return the processor time that a process has taken, ``""`` if it does not sleep."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return " ".join(fields[11:13]) if fields[0] == "S" else ""
