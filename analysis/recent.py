"""What was used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """Keeps at most ``most`` values by key: those used last.

    Examples
    --------
    >>> recent = Recent(2)
    >>> [recent.get(key, lambda: f"made for {key}") for key in "aba"]
    ['made for a', 'made for b', 'made for a']
    >>> recent.put("c", "put"), recent.peek("a"), recent.peek("b")
    (None, 'made for a', None)
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._kept: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the value of a key, made if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        value = make()
        self.put(key, value)
        return value

    def put(self, key: _K, value: _V) -> None:
        """Keep a value, in place of any other of the key."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def peek(self, key: _K) -> _V | None:
        """Return the value of a key if it is there."""
        return self._kept.get(key)

    def drop(self, key: _K) -> None:
        """Forget the value of a key if it is there."""
        self._kept.pop(key, None)
