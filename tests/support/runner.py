"""Runner of the command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

from typer import testing

from planoracle.analysis.cli import app


class CliRunner(testing.CliRunner):
    """Runner with separate and complete standard output and error, as in click 8.2 and later."""

    def __init__(self) -> None:
        mixes = "mix_stderr" in signature(testing.CliRunner.__init__).parameters
        options: dict[str, Any] = {"mix_stderr": False} if mixes else {}
        super().__init__(**options)

    @contextmanager
    def isolation(self, *args: Any, **options: Any) -> Iterator[Any]:
        with super().isolation(*args, **options) as streams:
            sys.stderr.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # as outside of tests
            yield streams


def invoke(*args: object, **options: Any) -> Any:
    """Run the command line; ``options`` are those of `CliRunner.invoke`."""
    return CliRunner().invoke(app, [str(one) for one in args], **options)
