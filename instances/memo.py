"""What modules work out once about a problem: kept with the problem, and gone when it goes.

Examples
--------
>>> from planoracle.instances.model import Action, Instance
>>> @Memo
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

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

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
        """What is kept, under keys that only the `Memo` that made it knows."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is kept, which need not be fit for copies and pickles."""
        return {name: value for name, value in self.__dict__.items() if name != "memos"}


class Memo(Generic[_P, _A, _T]):
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
