"""Names of problems that are written in full, or by their last part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from planoracle.analysis.intake.path_names import problem_name
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.protocol import registry

# Names in a message.
_MAX_NAMES = 5


class NameResolver:
    """Problems by their full names, and by a last part that fits exactly one of them.

    Parameters
    ----------
    named
        Names of the user's problems, which precede bundled ones.
    is_file
        Predicate for names of files that submissions may name; such a name is no part of another one.

    Examples
    --------
    >>> names = NameResolver(["soup"])
    >>> names.find("soup"), names.find("cooking1"), names.find("Cobbler_Pancakes")
    ('soup', 'timearena/cooking1', None)
    >>> names.find("timed__Cobbler_Pancakes")
    'recipe2plan/timed/Cobbler_Pancakes'
    >>> names.candidates("Cobbler_Pancakes")
    ('recipe2plan/timed/Cobbler_Pancakes', 'recipe2plan/untimed/Cobbler_Pancakes')
    """

    def __init__(self, named: Collection[str] = (), is_file: Callable[[str], bool] = lambda name: False) -> None:
        self._named = frozenset(named)
        self._is_file = is_file

    def find_full(self, text: str) -> str | None:
        """Return the problem of a full name, with ``__`` for ``/``; ``None`` without one."""
        for name in (text, text.replace("__", "/")):
            if catalog.DerivedName.of(name, self._named) is not None:
                return name
        return problem_name(text)

    def find(self, text: str) -> str | None:
        """Return the only problem that a text fits; ``None`` without one."""
        full_name = self.find_full(text)
        if full_name is not None:
            return full_name
        candidates = self.candidates(text)
        return candidates[0] if len(candidates) == 1 else None

    def candidates(self, text: str) -> tuple[str, ...]:
        """Return the problems of which a text is the last part of the name; none for a number."""
        base, agents = split_agent_suffix(text) or (text, "")
        end = base.replace("__", "/").lower()
        if not any(map(str.isalpha, end)):
            return ()
        names = [*self._tails.get(end, ()), *fitting(end)]
        return tuple(dict.fromkeys(name + agents for name in names))

    def complete(self, name: str) -> str:
        """Return the full name of the problem of a submission; other names are returned unchanged.

        Raises
        ------
        InputError
            If several problems fit.
        """
        head = name.partition("/")[0].partition("@")[0]
        if name in self._named or registry.find(head) is not None or self._is_file(name):
            return name
        candidates = self.candidates(name)
        if len(candidates) > 1:
            raise InputError(f"{fit_of(candidates)}; write the full name", field="instance", value=name)
        return candidates[0] if candidates else name

    @cached_property
    def _tails(self) -> Mapping[str, Collection[str]]:
        return _tails_of(self._named)


def fit_of(candidates: Collection[str]) -> str:
    """Return the beginning of an error about a name that fits several problems."""
    visible_names = list(candidates)[:_MAX_NAMES]
    if len(candidates) > _MAX_NAMES:
        visible_names.append(f"{len(candidates) - _MAX_NAMES} more")
    return f"fits {len(candidates)} problems: {', '.join(visible_names)}"


def fits_problem(text: str) -> bool:
    """Return True if a text is the last part of the name of a bundled problem."""
    return bool(NameResolver().candidates(text))


def fitting(end: str) -> Iterator[str]:
    """Yield the bundled problems whose names end with a text in lower case, also combined ones.

    >>> list(fitting("lab1+lab2")), list(fitting("ab1"))
    (['timearena/lab1+lab2'], [])
    """
    bundled = _tails_of(catalog.bundled()).get(end, ())
    yield from bundled
    for benchmark in registry.names():
        name = f"{benchmark}/{end}"
        if name not in bundled and catalog.names_problem(name):
            yield name


@lru_cache(maxsize=4)
def _tails_of(names: Iterable[str]) -> dict[str, list[str]]:
    """Return names by their last parts, in lower case, without the name of the benchmark."""
    tails: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        parts = name.lower().split("/")
        for start in range(1, len(parts)):
            tails["/".join(parts[start:])].append(name)
    return dict(tails)
