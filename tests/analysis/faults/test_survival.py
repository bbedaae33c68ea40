"""Faults survived: a command that meets one loses, doubles and changes no result.

``PLANORACLE_FAULTS`` is the number of tries of each command under each fault, and ``PLANORACLE_FAULT_SEED`` draws
moments, sizes and bytes. ``python -m tests.analysis.faults`` prints the table of all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest

from tests.support.fault_trials import MODEL, Command, commands
from tests.support.faults import FAULTS, FULL_DISK, can_mount
from tests.support.model_server import model_server

pytestmark = pytest.mark.slow

TRIES = int(os.environ.get("PLANORACLE_FAULTS", "1"))
SEED = int(os.environ.get("PLANORACLE_FAULT_SEED", "0"))


def cells() -> Iterator[tuple[str, str]]:
    """Yield each fault with each of its commands; runs of models take long, and few have one try."""
    for fault, (names, _) in FAULTS.items():
        for name in names:
            if name != MODEL or names == (MODEL,) or TRIES > 1:
                yield fault, name


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Command]]:
    """Commands by name; each is measured before its first fault."""
    folder = tmp_path_factory.mktemp("faults")
    with model_server() as server:
        yield commands(folder, server)


@pytest.mark.skipif(os.name != "posix", reason="needs signals and limits of resources")
@pytest.mark.parametrize(("fault", "name"), list(cells()))
def test_command_loses_doubles_and_changes_no_result(measured: dict[str, Command], fault: str, name: str) -> None:
    if name == MODEL:
        pytest.importorskip("inspect_ai", reason="needs planoracle[inspect]")
    if fault == FULL_DISK and not can_mount():
        pytest.skip("this user cannot mount a small disk")
    command = measured[name]
    if not command.rows:
        command.measure()
    _, cell = FAULTS[fault]
    print(f"PLANORACLE_FAULT_SEED={SEED}")
    tally = cell(command, TRIES, Random(f"{SEED} {fault} {name}"))
    assert tally.tries >= TRIES
    assert tally.damage == (0, 0, 0)
