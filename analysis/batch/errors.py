"""What can go wrong with a batch that is nobody's input."""

from __future__ import annotations

from planoracle.instances.errors import PlanoracleError

__all__ = ["DiedError", "StorageError", "WorkerError"]


class StorageError(PlanoracleError):
    """A run directory, or the output, cannot be used: no room, no right to write, somebody else at work in it."""


class WorkerError(PlanoracleError):
    """A process that works for us died, cannot be reached, or is of another version."""


class DiedError(WorkerError):
    """All processes that were given some work died over it."""
