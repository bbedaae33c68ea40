"""Tables of mutation tests: modules of the core, existing tests, patches that apply."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.mutation.__main__ import parts, selected_modules
from tests.mutation.faults import FOLDER, ROOT, apply, read_fault
from tests.mutation.results import explanations

PATCHES = sorted(FOLDER.glob("*.patch"))


@pytest.mark.parametrize("part", parts(), ids=lambda part: part["folder"])
def test_module_of_the_core_is_measured_or_excluded_with_a_reason(part):
    modules = list(part["modules"])
    for names in part.get("excluded", {}).values():
        modules += names
    files = [path.stem for path in (ROOT / part["folder"]).glob("*.py") if path.stem != "__init__"]
    assert sorted(modules) == sorted(files)


def test_tests_of_the_core_exist():
    for part in parts():
        assert all((ROOT / path).exists() for path in part["tests"]), part["folder"]


def test_explained_survivors_are_of_measured_modules():
    modules: list[str] = []
    for part in parts():
        modules += selected_modules(part, [])
    assert {module for module, _, _ in explanations()} <= set(modules)


@pytest.mark.skipif(not shutil.which("git"), reason="patches are applied by git")
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_planted_fault_applies_and_names_a_test(patch: Path) -> None:
    fault = read_fault(patch)
    assert apply(fault, ROOT, "--check") == 0
    file, _, name = fault.test.partition("::")
    function = name.partition("[")[0]
    assert re.search(rf"^def {function}\(", (ROOT / file).read_text("utf-8"), re.M)
    assert fault.sentence
