"""Runners of the command line, and of functions for worker processes, in this process."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from subprocess import CompletedProcess
from typing import Any, TypeVar

import pytest
from typer import testing

from planoracle.analysis.cli import app
from planoracle.analysis.cli.commands import run_app

T = TypeVar("T")


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
    return CliRunner().invoke(app, [str(argument) for argument in args], **options)


def run_program(*args: object) -> CompletedProcess[str]:
    """Run the command line as the program does: errors become messages and exit statuses."""
    call = ["planoracle", *map(str, args)]
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        patch.setattr(sys, "argv", call)
        status = run_app()
    for stream in (output, errors):
        stream.seek(0)
    return CompletedProcess(call, status, output.read(), errors.read())


def values_in_this_process(function: Callable[..., Iterator[T]], *arguments: Any, **limits: Any) -> Iterator[T]:
    """Yield the values of a generator function without a worker: stands in for `each_in_worker`."""
    yield from function(*arguments)
