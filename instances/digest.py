"""Digests of content: equal for what is equal, in every process and on every machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

from planoracle.instances.memo import Memo, Remembering
from planoracle.instances.problem import Problem

__all__ = ["FORMAT", "digest", "fingerprint", "of_text"]

#: Raised when stored results change their form or meaning.
FORMAT = 2


def digest(*parts: Any) -> str:
    """Return 32 hexadecimal digits that stand for values made of numbers, texts, containers and dataclasses.

    Fields of a dataclass that its constructor does not take (caches) do not count. Raises `TypeError` for
    values of other kinds.

    Examples
    --------
    >>> digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})
    True
    >>> digest(1) == digest(True) or digest(1) == digest("1")
    False
    """
    return of_text(json.dumps([_plain(part) for part in parts], separators=(",", ":")))


def of_text(text: str) -> str:
    """Return 32 hexadecimal digits that stand for a text."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


@Memo
def fingerprint(problem: Problem) -> str:
    """Return the digest of a problem with everything its rules need, its name included; worked out once."""
    return digest(problem)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {"object": _sorted([_plain(key), _plain(entry)] for key, entry in value.items())}
    if isinstance(value, set | frozenset):
        return {"set": _sorted(map(_plain, value))}
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: [_part(getattr(value, field.name)) for field in fields(value) if field.init]}
    raise TypeError(f"no digest of {type(value).__name__}")


def _part(value: Any) -> Any:
    """Return the same of a part: what many share, and what remembers, is worked out once."""
    return _kept(value) if isinstance(value, Remembering) else _plain(value)


_kept = Memo(_plain)


def _sorted(entries: Any) -> list[Any]:
    return sorted(entries, key=json.dumps)
