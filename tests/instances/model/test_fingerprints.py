"""Digests of values and fingerprints of problems, compared with those of canonical JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.files import catalog
from planoracle.instances.model.cache import digest, fingerprint, of_text


@dataclass(frozen=True)
class Pair:
    one: Any
    other: Any = ()


def plain(value: Any) -> Any:
    """Return a JSON value whose order does not depend on the process."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        value = {name: entry for name, entry in value._asdict().items() if (name, entry) not in defaults(value)}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if is_dataclass(value):
        named = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        value = {
            name: entry
            for name, entry in named.items()
            if not any(same(entry, d) for n, d in defaults(value) if n == name)
        }
    if isinstance(value, Mapping):
        return {"object": sorted(([plain(key), plain(entry)] for key, entry in value.items()), key=json.dumps)}
    assert isinstance(value, set | frozenset)
    return {"set": sorted(map(plain, value), key=json.dumps)}


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def defaults(value: Any) -> list[tuple[str, Any]]:
    if not is_dataclass(value):
        return list(value._field_defaults.items())
    return [(field.name, field.default) for field in fields(value) if field.default is not MISSING]


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
def test_digest_equals_digest_of_canonical_json(one: Any, other: Any) -> None:
    assert digest(one, other) == whole(one, other)


@pytest.mark.parametrize("name", ["robotouille/asynchronous/6_onion_soup@84", "timearena/household1"])
def test_fingerprint_equals_digest_of_canonical_json(name: str) -> None:
    problem = catalog.problem(name)
    assert fingerprint(problem) == whole(problem)


def test_digest_of_arbitrary_object_is_rejected() -> None:
    with pytest.raises(TypeError, match="no digest of object"):
        digest({"a": [object()]})


def test_digest_ignores_class_name_and_fields_with_default_value() -> None:
    @dataclass(frozen=True)
    class Former:
        duration: int
        modes: tuple[str, ...] = ()

    @dataclass(frozen=True)
    class Later:
        windows: tuple[int, ...] = ()
        modes: tuple[str, ...] = ()
        duration: int = 0
        labels: list[str] = field(default_factory=list)

    assert digest(Former(3, ("a",))) == digest(Later(duration=3, modes=("a",)))
    assert digest(Former(3)) != digest(Later(duration=3, windows=(1,)))
    assert digest(Former(True)) != digest(Former(1))


@pytest.mark.slow
def test_fingerprint_is_independent_of_process_and_cache() -> None:
    name = "asynctool/cross2/01"
    problem = replace(catalog.load(name))
    problem.memos["something"] = 1
    code = (
        "from planoracle.instances.files.catalog import problem\n"
        "from planoracle.instances.model.cache import fingerprint\n"
        f"print(fingerprint(problem({name!r})))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == fingerprint(problem)
    slower = replace(problem.origin, delays=replace(problem.origin.delays, seed=7))  # type: ignore[type-var, union-attr]
    assert fingerprint(replace(problem, origin=slower)) != fingerprint(problem)
