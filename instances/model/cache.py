"""Caches of values computed from a problem, stored with the problem; digests of problems.

Examples
--------
>>> from planoracle.instances.model.instance import Action, Instance
>>> @ProblemCache
... def _work(instance: Instance, factor: int = 1) -> int:
...     print("adding up")
...     return factor * sum(action.attended for action in instance.actions)
>>> instance = Instance("n", (Action("t/a", "t", 5, 2), Action("t/b", "t", 3, 3)))
>>> _work(instance), _work(instance), _work(instance, 2)
adding up
adding up
(5, 5, 10)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cached_property, lru_cache, update_wrapper
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from planoracle.instances.model.problem import Problem

_A = ParamSpec("_A")
_T = TypeVar("_T")
_MISSING: Any = object()


class _HasMemos(Protocol):
    @property
    def memos(self) -> dict[object, Any]:
        """Cached values, see `CacheHolder`."""


_P = TypeVar("_P", bound=_HasMemos)


class CacheHolder:
    """Base of immutable problems that stores cached values.

    These are no part of the problem: comparisons, copies and pickles ignore them.
    """

    @cached_property
    def memos(self) -> dict[object, Any]:
        """Cached values, under keys private to each `ProblemCache`."""
        return {}

    def __repr__(self) -> str:
        """Return the name of the problem and the numbers of its parts."""
        names: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        counts = []
        for name in names:
            part = getattr(self, name)
            if isinstance(part, tuple) and part:
                counts.append(f"{len(part)} {name}")
        kind = type(self).__name__
        problem_name = getattr(self, "name", "") if "name" in names else ""
        sizes = ", ".join(counts)
        return f"<{kind} {problem_name!r}: {sizes}>"

    def __getstate__(self) -> dict[str, Any]:
        """Omit cached values, which need not support copying and pickling."""
        return {name: value for name, value in self.__dict__.items() if name != "memos"}


class ProblemCache(Generic[_P, _A, _T]):
    """Decorator: compute a function of a problem once per problem object and further arguments.

    The arguments are hashable and distinguished as written: ``f(p)``, ``f(p, 1)`` and ``f(p, n=1)`` are three calls.

    Parameters
    ----------
    compute
        Function of a problem and further arguments.
    """

    def __init__(self, compute: Callable[Concatenate[_P, _A], _T]) -> None:
        self._compute = compute
        update_wrapper(self, compute)

    def __call__(self, problem: _P, *args: _A.args, **kwargs: _A.kwargs) -> _T:
        """Return the cached value, or compute it."""
        key = (self, args, *kwargs.items()) if args or kwargs else self
        memos = problem.memos
        value: _T = memos.get(key, _MISSING)
        if value is _MISSING:
            value = memos[key] = self._compute(problem, *args, **kwargs)
        return value


#: Version of stored results; increased when their form or meaning changes.
FORMAT = 3


def digest(*parts: Any) -> str:
    """Return a digest of values (32 hexadecimal digits).

    Values are numbers, texts, dates with times (hashed as ISO text), containers, dataclasses and named tuples; others
    raise `TypeError`. Dataclasses and named tuples are hashed by field name. Fields with their default value, fields
    that the constructor does not take, and the name of the class do not count. So a digest survives a new field with a
    default, and a renamed class.

    Examples
    --------
    >>> digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})
    True
    >>> digest(1) == digest(True) or digest(1) == digest("1")
    False
    """
    return of_text(f"[{','.join(map(_text, parts))}]")


def of_text(text: str) -> str:
    """Return a digest of a text (32 hexadecimal digits)."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


@ProblemCache
def fingerprint(problem: Problem) -> str:
    """Return the digest of a problem with its name, its benchmark and all data of its rules."""
    return digest(problem)


def _text(value: Any) -> str:
    """Return compact JSON."""
    if type(value) in (list, tuple):  # the most frequent case, without recursion
        texts = [encode_basestring_ascii(entry) if type(entry) is str else _text(entry) for entry in value]
        return f"[{','.join(texts)}]"
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, Mapping):
        pairs = [f"[{_text(key)},{_text(entry)}]" for key, entry in value.items()]
        return f'{{"object":[{",".join(sorted(pairs))}]}}'
    if isinstance(value, set | frozenset):
        entries = sorted([_text(entry) for entry in value])
        return f'{{"set":[{",".join(entries)}]}}'
    if isinstance(value, datetime):
        return encode_basestring_ascii(value.isoformat())
    if isinstance(value, type) or not (is_dataclass(value) or hasattr(value, "_fields")):
        if isinstance(value, list | tuple):
            return _text(list(value))
        raise TypeError(f"no digest of {type(value).__name__}")
    kind: Any = type(value)
    parts = []
    for name, default in _defaults(kind):
        entry = getattr(value, name)
        if type(entry) is not type(default) or entry != default:
            parts.append(f'["{name}",{_part(entry)}]')
    return f'{{"object":[{",".join(parts)}]}}'


@lru_cache(maxsize=256)
def _defaults(kind: type) -> list[tuple[str, Any]]:
    """Return the sorted field names of a dataclass or named tuple, with defaults (or `MISSING`)."""
    if not is_dataclass(kind):
        defaults: Mapping[str, Any] = getattr(kind, "_field_defaults", {})
        names = sorted(getattr(kind, "_fields", ()))
        return [(name, defaults.get(name, MISSING)) for name in names]
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.init:
            value = field.default
            if field.default_factory is not MISSING:
                value = field.default_factory()
            values[field.name] = value
    return [(name, values[name]) for name in sorted(values)]


def _part(value: Any) -> str:
    """Return the text of a part; the text of a `CacheHolder`, which many problems share, is cached."""
    return _cached_text(value) if isinstance(value, CacheHolder) else _text(value)


_cached_text = ProblemCache(_text)
