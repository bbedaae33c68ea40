"""The kinds of columns that frames have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd


class Column(NamedTuple):
    """One column: its pandas dtype, its unit (empty if it has none), what it says, and its values if they are few."""

    name: str
    dtype: str
    unit: str
    meaning: str
    values: tuple[str, ...] = ()

    @property
    def pandas(self) -> Any:
        """The dtype as an object. Text has the same storage whether pyarrow is there or not."""
        if self.dtype == "category":
            return pd.CategoricalDtype(list(self.values))
        return pd.StringDtype("python") if self.dtype == "string" else self.dtype


def text(name: str, meaning: str) -> Column:
    """Return a column of text."""
    return Column(name, "string", "", meaning)


def count(name: str, meaning: str, unit: str = "") -> Column:
    """Return a column of whole numbers."""
    return Column(name, "Int64", unit, meaning)


def ticks(name: str, meaning: str) -> Column:
    """Return a column of ticks."""
    return count(name, meaning, "ticks")


def number(name: str, meaning: str, unit: str = "") -> Column:
    """Return a column of numbers."""
    return Column(name, "Float64", unit, meaning)


def share(name: str, meaning: str) -> Column:
    """Return a column of shares, from 0 to 1 as a rule."""
    return number(name, meaning, "share")


def flag(name: str, meaning: str) -> Column:
    """Return a column of truth values."""
    return Column(name, "boolean", "", meaning)


def choice(name: str, meaning: str, values: Iterable[str]) -> Column:
    """Return a column of one of a few values."""
    return Column(name, "category", "", meaning, tuple(values))
