"""Comparison of the output of commands with recorded tables; `frozen/commands.json` explains changes."""

from __future__ import annotations

import pytest

from tests.frozen.record import TABLES, commands, table
from tests.support.samples import sample

COMMANDS = commands()
NAMES = [
    pytest.param(name, marks=pytest.mark.slow) if name == "schedule_paracook_abstract" else name for name in COMMANDS
]


@pytest.mark.parametrize("name", sample(NAMES, 5))
def test_table_equals_the_recorded_one(name: str) -> None:
    entry = COMMANDS[name]
    assert entry["reason"]
    assert table(entry["command"]) == (TABLES / f"{name}.txt").read_text("utf-8")


def test_every_table_has_a_command() -> None:
    assert {path.stem for path in TABLES.iterdir()} == set(COMMANDS)
