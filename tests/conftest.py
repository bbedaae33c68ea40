"""Shared configuration and fixtures: hypothesis profiles, caches, original benchmark files, browser."""

from __future__ import annotations

import csv
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# `from tests.strategies import ...` works under `pytest` as under `python -m pytest`.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

# Readline, which pytest imports, sets these variables for child processes without changing `os.environ`.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
    os.unsetenv(name)

# Local copies of benchmark data add problems; tests that need such a copy set the variable themselves.
for name in [name for name in os.environ if name.startswith("PLANORACLE_DATA")]:
    del os.environ[name]

# Background scripts ignore SIGINT, `nohup` ignores SIGHUP, and child processes inherit that. Tests of signals need the
# default handlers in child processes.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile("all", derandomize=True, deadline=None, database=None, max_examples=100)
settings.register_profile("quick", parent=settings.get_profile("all"), max_examples=10)
settings.load_profile("all")


def pytest_configure(config: pytest.Config) -> None:
    """Run slow tests that are selected by name despite the default ``-m "not slow"``."""
    if config.option.markexpr == "not slow" and any("::" in argument for argument in config.args):
        config.option.markexpr = ""
    if config.option.markexpr == "not slow":
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules whose tests are all slow in a quick run: to import some of them takes seconds."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return True if "\npytestmark = pytest.mark.slow" in collection_path.read_text("utf-8") else None


def pytest_collection() -> None:
    """Collect tests without the garbage collector, which would look through all of them again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exempt all tests and modules from later garbage collections."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _usual_field_limit() -> Iterator[None]:
    """Restore the limit of the length of fields, which readers of tables set for the whole process."""
    limit = csv.field_size_limit()
    yield
    csv.field_size_limit(limit)


@pytest.fixture(scope="session", autouse=True)
def _temporary_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use a temporary cache of optima instead of the cache of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANORACLE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the original benchmark files, which may not be redistributed; skip if it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"the original benchmark files are missing ({folder})")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Headless Chromium."""
    from tests.support.chromium import Chromium

    with Chromium() as chromium:
        yield chromium


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[object]:
    """Page with the report ``file`` of the test module; check for errors and requests afterwards."""
    tab = browser.page()
    tab.open(file)
    yield tab
    assert (tab.complaints(), tab.requests(), tab.dialogs()) == ([], [], 0)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for screenshots: ``REPORT_PICTURES`` or a temporary folder."""
    folder = os.environ.get("REPORT_PICTURES")
    return Path(folder) if folder else tmp_path_factory.mktemp("pictures")
