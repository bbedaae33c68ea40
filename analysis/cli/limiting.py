"""What the verbs that read submissions let a single one take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from planoracle.analysis.batch.worker import TaskLimits

__all__ = ["MEMORY", "PRICED", "SECONDS", "MemoryOption", "OwnLimitsOption", "SecondsOption", "limits_of"]

#: What a submission may take where nothing else is asked for, many times what any of ours does.
SECONDS, MEMORY = 120.0, 4000
#: The same of time where every decision is priced.
PRICED = 1200.0

SecondsOption = Annotated[
    float,
    typer.Option(help="Processor time that a submission may take; 0: any. Beyond it is unscored. (Linux)", min=0),
]
MemoryOption = Annotated[
    int,
    typer.Option(
        help="Memory, in MB, of a process at work on a submission; 0: any. Beyond it is unscored. (Linux)", min=0
    ),
]
OwnLimitsOption = Annotated[
    bool,
    typer.Option(
        "--own-limits/--no-own-limits",
        help="Whether submissions may set their runs a limit (time_limit, limit), or only problems may.",
    ),
]


def limits_of(seconds: float, memory: int) -> TaskLimits:
    """Return the limits that somebody asks for."""
    from planoracle.analysis.batch.worker import TaskLimits

    return TaskLimits(seconds or None, memory or None)
