"""Names of problems as they are written in names of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

from planoracle.instances.errors import InputError

__all__ = ["BEHIND", "NUMBERED", "candidates", "known", "nameless"]

#: Words that number samples, and a sample behind the name of a problem.
NUMBERED = r"(?:sample|epoch|run|seed|try|trial|attempt|rollout|repeat|rep|s|r|k|n)"
BEHIND = re.compile(rf"(.+?)[-_. ]+{NUMBERED}?[-_. ]?(\d{{1,9}})", re.IGNORECASE)

_OTHER = re.compile(r"[^0-9a-z]+")
# What stands for a slash where there can be none.
_SLASHES = ("__", "--", ":", "|")
# No name that can be known is longer.
_LONGEST = 500


def known(text: str) -> str | None:
    """Return the name of the problem that a text means, ``None`` if there is none or are several.

    Other letters may stand for those that names of files cannot have, and the first parts of a name may be missing
    where the rest belongs to one problem only.

    Examples
    --------
    >>> known("timearena__lab1+lab2"), known("timearena_household1"), known("household1")
    ('timearena/lab1+lab2', 'timearena/household1', 'timearena/household1')
    >>> known("recipe2plan-timed-cobbler_pancakes"), known("Cobbler_Pancakes")
    ('recipe2plan/timed/Cobbler_Pancakes', None)
    """
    from planoracle.instances import copies

    return _known(copies.given(), text)


def candidates(text: str) -> tuple[str, ...]:
    """Return the names of the bundled problems that the end of a path may mean, with or without a sample.

    Examples
    --------
    >>> candidates("Cobbler_Pancakes")
    ('recipe2plan/timed/Cobbler_Pancakes', 'recipe2plan/untimed/Cobbler_Pancakes')
    """
    from planoracle.instances import copies

    if len(text) > _LONGEST:
        return ()
    behind, slugs = BEHIND.fullmatch(text), _slugs(copies.given())
    return slugs.get(_slug(text), ()) or (slugs.get(_slug(behind[1]), ()) if behind else ())


def nameless(fits: Sequence[str], source: str) -> InputError:
    """Return what is wrong with a text whose path fits no problem, or several."""
    if not fits:
        return InputError("is text, but its path names no problem; --pattern says where the name is", source=source)
    listed = ", ".join(fits[:5]) + (f" and {len(fits) - 5} more" if fits[5:] else "")
    example = f"{{model}}/{{instance:{fits[0].rpartition('/')[0]}}}.txt"
    return InputError(f"its name fits several problems: {listed}; --pattern '{example}' selects a set", source=source)


@lru_cache(maxsize=65536)
def _known(given: object, text: str) -> str | None:
    from planoracle.instances.catalogue import names_problem

    if not text or len(text) > _LONGEST:
        return None
    plain = unquote(text)
    for name in (text, plain, *(plain.replace(slash, "/") for slash in _SLASHES if slash in plain)):
        if names_problem(name):
            return name
    fits = _slugs(given).get(_slug(text), ())
    return fits[0] if len(fits) == 1 else None


def _slug(text: str) -> str:
    return _OTHER.sub("_", text.lower()).strip("_")


@lru_cache(maxsize=8)
def _slugs(given: object) -> dict[str, tuple[str, ...]]:
    """Return bundled names by what is left of them, and of their last parts, without any special letter."""
    from planoracle.instances.catalogue import bundled

    found: dict[str, tuple[str, ...]] = {}
    for name in bundled():
        parts = name.split("/")
        for start in range(len(parts)):
            slug = _slug("/".join(parts[start:]))
            if start and not re.search("[a-z]", slug):  # a number may be anything
                continue
            if name not in (others := found.get(slug, ())):
                found[slug] = (*others, name)
    return found
