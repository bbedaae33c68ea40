"""Names of problems as they are written in names of files."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

__all__ = ["known"]

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


@lru_cache(maxsize=65536)
def _known(given: object, text: str) -> str | None:
    from planoracle.instances.catalogue import names_problem

    if not text or len(text) > _LONGEST:
        return None
    plain = unquote(text)
    for name in (text, plain, *(plain.replace(slash, "/") for slash in _SLASHES if slash in plain)):
        if names_problem(name):
            return name
    return _slugs(given).get(_slug(text))


def _slug(text: str) -> str:
    return _OTHER.sub("_", text.lower()).strip("_")


@lru_cache(maxsize=8)
def _slugs(given: object) -> dict[str, str | None]:
    """Return bundled names by what is left of them, and of their last parts, without any special letter."""
    from planoracle.instances.catalogue import bundled

    found: dict[str, str | None] = {}
    for name in bundled():
        parts = name.split("/")
        for start in range(len(parts)):
            slug = _slug("/".join(parts[start:]))
            if start and not re.search("[a-z]", slug):  # a number may be anything
                continue
            found[slug] = name if found.get(slug, name) == name else None
    return found
