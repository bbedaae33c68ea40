"""What modules work out once about a problem: kept with the problem, and gone when it goes.

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
from functools import cached_property, lru_cache, update_wrapper
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from planoracle.instances.model.problem import Problem

_A = ParamSpec("_A")
_T = TypeVar("_T")
_NOTHING: Any = object()


class _Rememberer(Protocol):
    @property
    def memos(self) -> dict[object, Any]:
        """See `Remembering`."""


_P = TypeVar("_P", bound=_Rememberer)


class Remembering:
    """Base of immutable problems, with room for what is worked out about them.

    That is no part of the problem: it does not count in comparisons, and copies and pickles leave it out.
    """

    @cached_property
    def memos(self) -> dict[object, Any]:
        """What is kept, under keys that only the `ProblemCache` that made it knows."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is kept, which need not be fit for copies and pickles."""
        return {name: value for name, value in self.__dict__.items() if name != "memos"}


class ProblemCache(Generic[_P, _A, _T]):
    """A function of a problem that is worked out once for every problem (the same object) and further arguments.

    These are hashable, and are told apart as they are written: ``f(p)``, ``f(p, 1)`` and ``f(p, n=1)`` are three calls.
    """

    def __init__(self, make: Callable[Concatenate[_P, _A], _T]) -> None:
        self._make = make
        update_wrapper(self, make)

    def __call__(self, problem: _P, *args: _A.args, **kwargs: _A.kwargs) -> _T:
        """Return what is kept, or work it out."""
        key = self._key(args, kwargs) if args or kwargs else self
        memos = problem.memos
        found: _T = memos.get(key, _NOTHING)
        if found is _NOTHING:
            found = memos[key] = self._make(problem, *args, **kwargs)
        return found

    def known(self, problem: _P, *args: _A.args, **kwargs: _A.kwargs) -> _T | None:
        """Return what is kept; ``None`` if nothing is."""
        return problem.memos.get(self._key(args, kwargs))

    def _key(self, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        return (self, args, *kwargs.items()) if args or kwargs else self


#: Raised when stored results change their form or meaning.
FORMAT = 3


def digest(*parts: Any) -> str:
    """Return 32 hexadecimal digits that stand for values made of numbers, texts, containers, dataclasses, named tuples.

    A dataclass or named tuple stands for its fields by name. Fields that hold their default, fields that the
    constructor does not take, and the name of the class do not count. So a digest survives a new field with a default
    and a renamed class. Raises `TypeError` for values of other kinds.

    Examples
    --------
    >>> digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})
    True
    >>> digest(1) == digest(True) or digest(1) == digest("1")
    False
    """
    return of_text(f"[{','.join(map(_text, parts))}]")


def of_text(text: str) -> str:
    """Return 32 hexadecimal digits that stand for a text."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


@ProblemCache
def fingerprint(problem: Problem) -> str:
    """Return the digest of a problem with its name, its benchmark and everything that its rules need."""
    return digest(problem)


def _text(value: Any) -> str:
    """Return compact JSON."""
    if type(value) in (list, tuple):  # most values are texts in lists
        return f"[{','.join([encode_basestring_ascii(one) if type(one) is str else _text(one) for one in value])}]"
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, Mapping):
        pairs = sorted(f"[{_text(key)},{_text(entry)}]" for key, entry in value.items())
        return f'{{"object":[{",".join(pairs)}]}}'
    if isinstance(value, set | frozenset):
        return f'{{"set":[{",".join(sorted([_text(entry) for entry in value]))}]}}'
    if isinstance(value, type) or not (is_dataclass(value) or hasattr(value, "_fields")):
        if isinstance(value, list | tuple):
            return _text(list(value))
        raise TypeError(f"no digest of {type(value).__name__}")
    kind: Any = type(value)
    parts = [
        f'["{name}",{_part(entry)}]'
        for name, default in _defaults(kind)
        if type(entry := getattr(value, name)) is not type(default) or entry != default
    ]
    return f'{{"object":[{",".join(parts)}]}}'


@lru_cache(maxsize=256)
def _defaults(kind: type) -> list[tuple[str, Any]]:
    """Return names and defaults (`MISSING` without one) of the fields of a dataclass or named tuple, sorted by name."""
    if not is_dataclass(kind):
        defaults: Mapping[str, Any] = getattr(kind, "_field_defaults", {})
        return [(name, defaults.get(name, MISSING)) for name in sorted(getattr(kind, "_fields", ()))]
    values = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(kind)
        if field.init
    }
    return [(name, values[name]) for name in sorted(values)]


def _part(value: Any) -> str:
    """Return the text of a part; that of a `Remembering` part, which many problems share, is kept."""
    return _kept(value) if isinstance(value, Remembering) else _text(value)


_kept = ProblemCache(_text)
