"""Lack of memory: reported for the line that needs it, never as a syntax error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from planoracle.instances.benchmarks.asynctool.problem_model import parse_call
from planoracle.instances.files import strict_json


def test_lack_of_memory_is_not_reported_as_a_syntax_error(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "f(a=1)"
    assert parse_call(text).params == {"a": 1}

    def lacking(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(strict_json.ast, "parse", lacking)
    monkeypatch.setattr(strict_json, "_ROOM", 2**60)
    with pytest.raises(MemoryError):
        parse_call(text)


@pytest.mark.slow
def test_line_that_exceeds_the_memory_fails_alone() -> None:
    """A line of a million objects takes some 300 MB, which a limit of all data makes impossible."""
    code = r"""
import io, resource
from planoracle.analysis.intake.byte_streams import read_lines
from planoracle.instances.errors import InputError
heavy = b'{"plan":[' + b'{"a":"\xe4\xbd\xa0"},' * 900_000 + b"0]}"
stream = io.BytesIO(b'{"id":1}\n' + heavy + b'\n{"id":2}\n')
resource.setrlimit(resource.RLIMIT_DATA, (120 * 10**6, -1))
for number, row in read_lines(stream, "s"):
    print(number, row)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert process.stdout.splitlines() == [
        "1 {'id': 1}",
        "2 cannot be read: there is not enough memory",
        "3 {'id': 2}",
    ]
