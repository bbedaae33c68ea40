"""Errors of batches that no input causes."""

from __future__ import annotations

from planoracle.instances.errors import PlanoracleError


class StorageError(PlanoracleError):
    """A run directory or an output file cannot be used: full disk, no permission, or another process uses it."""


class WorkerError(PlanoracleError):
    """A worker process cannot be started or reached, or has another version."""
