"""The examples in the documentation do what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import planoracle


def _fail(name: str) -> None:
    raise ImportError(f"cannot import {name}")


MODULES = [module.name for module in pkgutil.walk_packages(planoracle.__path__, "planoracle.", onerror=_fail)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_many_modules_have_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    documented = [n for n in MODULES if any(found.examples for found in finder.find(importlib.import_module(n)))]
    assert len(documented) >= 8
