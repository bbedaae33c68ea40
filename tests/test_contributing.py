"""Example of the page for contributors: its metric passes its test."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import planoracle
from planoracle.instances.benchmarks.timearena.metrics import METRICS, declare
from planoracle.plugin import Metric

PAGE = (Path(__file__).resolve().parents[1] / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_metric_of_the_page_passes_the_test_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"Metric": Metric, "Sequence": Sequence, "planoracle": planoracle}
    test, declaration, function = map(textwrap.dedent, re.findall(r"^   ```python\n(.*?)^   ```", PAGE, re.M | re.S))
    exec(test, names)
    example_test = names["test_first_progress_is_the_minute_of_the_first_completed_action"]
    with pytest.raises(KeyError, match="first_progress"):
        example_test()
    exec(function, names)
    metric = eval(declaration, names)
    monkeypatch.setattr(METRICS, "declare", lambda rules: (*declare(rules), metric))
    example_test()


def test_change_note_of_the_page_has_the_form_of_change_notes() -> None:
    assert re.search(r"`changelog/[a-z-]+\.added\.md`", PAGE)
