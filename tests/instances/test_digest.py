"""Digests: those of JSON that is written in one way only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances import catalogue
from planoracle.instances.digest import digest, fingerprint, of_text


@dataclass(frozen=True)
class Pair:
    one: Any
    other: Any = ()


def plain(value: Any) -> Any:
    """Return what JSON is made of, in an order that does not depend on the process."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {"object": sorted(([plain(key), plain(entry)] for key, entry in value.items()), key=json.dumps)}
    if isinstance(value, set | frozenset):
        return {"set": sorted(map(plain, value), key=json.dumps)}
    assert is_dataclass(value)
    return {type(value).__name__: [plain(getattr(value, field.name)) for field in fields(value) if field.init]}


def whole(*parts: Any) -> str:
    return of_text(json.dumps([plain(part) for part in parts], separators=(",", ":")))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
KEYS = st.text(max_size=4) | st.integers() | st.tuples(st.text(max_size=3), st.integers())
VALUES = st.recursive(
    SCALARS | st.frozensets(KEYS, max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4) | st.builds(Pair, inner, inner)
    ),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_a_digest_is_that_of_the_json_of_it(one: Any, other: Any) -> None:
    assert digest(one, other) == whole(one, other)


@pytest.mark.parametrize("name", ["robotouille/asynchronous/6_onion_soup@84", "timearena/household1"])
def test_so_is_a_fingerprint(name: str) -> None:
    problem = catalogue.problem(name)
    assert fingerprint(problem) == whole(problem)


def test_what_is_no_value_has_none() -> None:
    with pytest.raises(TypeError, match="no digest of object"):
        digest({"a": [object()]})
