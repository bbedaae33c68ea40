"""Names of actions as people and planners write them: the id, a unique step name, other separators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance

# Characters of a text in which names are searched.
_MAX_TEXT = 1_000
_TOKEN = re.compile(r"[^\W_]+")


class ActionNames:
    """Actions of a problem by their names.

    A name is the id (``tea/boil``), the step or the label if it is unique, in upper or lower case and with any
    separators (``tea boil``, ``TEA_BOIL``).

    Examples
    --------
    >>> from planoracle import Model
    >>> tea = Model("tea").task("tea").action("boil", 5).action("warm the pot", 2).build()
    >>> names = ActionNames(tea)
    >>> names.find("Boil"), names.find("tea warm_the_pot"), names.find("stir")
    ('tea/boil', 'tea/warm the pot', None)
    """

    def __init__(self, problem: Instance) -> None:
        self._problem = problem
        self._ids = problem.by_id

    @cached_property
    def _by_key(self) -> dict[str, set[str]]:
        """Ids by the keys of their names; most plans write ids and need none."""
        by_key: dict[str, set[str]] = {}
        for action in self._problem.actions:
            step = action.id.rpartition("/")[2]
            for name in (action.id, step, action.label):
                if key := key_of(name):
                    by_key.setdefault(key, set()).add(action.id)
        return by_key

    @cached_property
    def _max_tokens(self) -> int:
        """Largest number of words in a name."""
        numbers_of_tokens = (key.count("_") + 1 for key in self._by_key)
        return max(numbers_of_tokens, default=1)

    def find(self, name: object) -> str | None:
        """Return the id of the action with a name, ``None`` if there is none or more than one."""
        if not isinstance(name, str):
            return None
        if name in self._ids:
            return name
        ids = self._by_key.get(key_of(name), set())
        return next(iter(ids)) if len(ids) == 1 else None

    def resolve(self, name: object, field: str) -> str:
        """Return the id of the action with a name; raises `PlanError` if there is none or more than one."""
        action = self.find(name)
        if action is not None:
            return action
        ids = self._by_key.get(key_of(name)) if isinstance(name, str) else None
        if ids:
            choices = ", ".join(sorted(ids)[:5])
            raise PlanError(f"several actions have this name; write one of {choices}", field=field, value=name)
        raise PlanError("there is no such action", field=field, value=name)

    def is_name(self, name: object) -> bool:
        """Return whether at least one action has a name."""
        if not isinstance(name, str):
            return False
        return name in self._ids or key_of(name) in self._by_key

    def at_start(self, text: str) -> int:
        """Return the length of the longest name at the beginning of a text, 0 if there is none.

        >>> from planoracle import Model
        >>> names = ActionNames(Model("cuts").task("t").action("cut a", 5).action("cut", 2).build())
        >>> names.at_start("cut a: 0-5"), names.at_start("cut: 0-2"), names.at_start("b")
        (5, 3, 0)
        """
        return max(self._ends(text[:_MAX_TEXT]), default=0)

    def mentions(self, text: str) -> bool:
        """Return whether a text contains the name of an action."""
        text = text[:_MAX_TEXT]
        starts = (match.start() for match in _TOKEN.finditer(text))
        return any(any(self._ends(text[start:])) for start in starts)

    def _ends(self, text: str) -> Iterator[int]:
        """Yield the ends of the names at the beginning of a text."""
        key = ""
        for number, match in enumerate(_TOKEN.finditer(text)):
            if number == self._max_tokens:
                return
            if number == 0 and text[: match.start()].strip("\"'`"):
                return
            token = match[0].casefold()
            key = f"{key}_{token}" if key else token
            if key in self._by_key:
                yield match.end()


def key_of(name: str) -> str:
    """Return the letters and digits of a name, in lower case, with single separators.

    >>> key_of("Tea/warm the-pot")
    'tea_warm_the_pot'
    """
    return "_".join(_TOKEN.findall(name[:_MAX_TEXT].casefold()))
