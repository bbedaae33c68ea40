"""Digests of content: equal for what is equal, in every process and on every machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
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
    return of_text(f"[{','.join(map(_text, parts))}]")


def of_text(text: str) -> str:
    """Return 32 hexadecimal digits that stand for a text."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


@Memo
def fingerprint(problem: Problem) -> str:
    """Return the digest of a problem with everything its rules need, its name included; worked out once."""
    return digest(problem)


def _text(value: Any) -> str:
    """Return compact JSON."""
    if isinstance(value, list | tuple):  # of which there are the most, of texts
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
    if is_dataclass(value) and not isinstance(value, type):
        parts = (_part(getattr(value, field.name)) for field in fields(value) if field.init)
        return f'{{"{type(value).__name__}":[{",".join(parts)}]}}'
    raise TypeError(f"no digest of {type(value).__name__}")


def _part(value: Any) -> str:
    """Return the same of a part: what many share, and what remembers, is worked out once."""
    return _kept(value) if isinstance(value, Remembering) else _text(value)


_kept = Memo(_text)
