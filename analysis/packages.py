"""Packages that planoracle needs: which versions, what is installed, and under which licence each comes."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

__all__ = ["ACCEPTED", "Licence", "Requirement", "accepted", "licence_of", "licences", "parsed", "requirements"]

_VERSIONS = r"([=<>!~]=?\s*[^;()\s]+\s*)*"  # the comma belongs to the version before
_LINE = re.compile(rf"(?P<name>[A-Za-z0-9._-]+)\s*(\[[^]]*\])?\s*\(?(?P<wanted>{_VERSIONS})\)?\s*(;(?P<markers>.*))?")
_EXTRA = re.compile(r"\bextra\s*==\s*['\"]([^'\"]+)['\"]")
_BOUND = re.compile(r"(==|>=|<=|!=|<|>|~=)\s*([^,\s]+)")
_SIGNS: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that is needed.

    Attributes
    ----------
    name
        Of the package, as the index has it.
    bounds
        Comparison and version, as ``(">=", "2.9")``; all have to hold.
    extra
        The extra that needs it, ``""`` for what is always needed.

    Examples
    --------
    >>> one = parsed('pydantic<3,>=2.9; extra == "web"')
    >>> str(one), one.extra, one.admits("2.14.3"), one.admits("2.8"), one.admits("3.0")
    ('pydantic>=2.9,<3', 'web', True, False, False)
    """

    name: str
    bounds: tuple[tuple[str, str], ...] = ()
    extra: str = ""

    def __str__(self) -> str:
        return self.name + self.wanted

    @property
    def wanted(self) -> str:
        """The versions, the least first."""
        return ",".join(sign + version for sign, version in sorted(self.bounds, reverse=True))

    def admits(self, version: str) -> bool:
        """Whether a version will do; of one that is no plain release its numbers count (``2.9rc1`` as 2.9)."""
        here = _numbers(version)
        return all(_SIGNS[sign](here, _numbers(bound)) for sign, bound in self.bounds)

    @property
    def installed(self) -> str | None:
        """The version that is installed, ``None`` if there is none."""
        found = _distribution(self.name)
        return None if found is None else found.version


def parsed(line: str) -> Requirement:
    """Return what a line of ``Requires-Dist`` says; its markers but for the extra are left out of account."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        raise ValueError(f"no requirement: {line}")
    extra = _EXTRA.search(found["markers"] or "")
    return Requirement(found["name"], tuple(_BOUND.findall(found["wanted"])), extra[1] if extra else "")


def requirements(package: str = "planoracle") -> list[Requirement]:
    """Return what a package says it needs, that of its extras included; none if it is not installed as a package."""
    found = _distribution(package)
    return [] if found is None else [parsed(line) for line in found.requires or ()]


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a release, such that 2.0 and 2 are the same."""
    release = re.match(r"v?([0-9]+(\.[0-9]+)*)", version)
    numbers = [int(number) for number in release[1].split(".")] if release else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


#: Licences, by their SPDX identifiers, that ask no more of who ships planoracle than to keep notices, or to pass on
#: changes to files of the package itself.
ACCEPTED: Final = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "HPND",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    }
)
# What older packages say in place of an identifier.
_CLASSIFIERS: Final = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}
_TEXTS: Final = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "mit license": "MIT",
}
# The rest of a line is a whole licence.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of an installed package; ``extra`` is the one that brings it, ``""`` if it is always there."""

    package: str
    version: str
    licence: str
    extra: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it may be needed by planoracle, see `ACCEPTED`."""
        return accepted(self.licence)


def accepted(licence: str) -> bool:
    """Whether all that an SPDX expression asks for at once is in `ACCEPTED`.

    >>> accepted("MIT AND (Apache-2.0 OR GPL-3.0-only)"), accepted("MIT AND LGPL-3.0-only"), accepted("unknown")
    (True, False, False)
    """
    words = re.findall(r"[()]|[^\s()]+", licence)
    try:
        held = _either(words)
    except (IndexError, ValueError):
        return False
    return held and not words


def _either(words: list[str]) -> bool:
    held = _both(words)
    while words and words[0].upper() == "OR":
        del words[0]
        held |= _both(words)
    return held


def _both(words: list[str]) -> bool:
    held = _one(words)
    while words and words[0].upper() == "AND":
        del words[0]
        held &= _one(words)
    return held


def _one(words: list[str]) -> bool:
    word = words.pop(0)
    if word == "(":
        held = _either(words)
        if words.pop(0) != ")":
            raise ValueError("no end of a bracket")
        return held
    if words and words[0].upper() == "WITH":  # an exception takes nothing away
        del words[:2]
    return word in ACCEPTED


def licence_of(package: str) -> str:
    """Return what an installed package says of its licence as an SPDX expression, else as its own words."""
    found = _distribution(package)
    if found is None:
        return "unknown"
    told = found.metadata.json
    if expression := told.get("license_expression"):
        return str(expression)
    classified = [line.rpartition(" :: ")[2] for line in told.get("classifier", ()) if line.startswith("License")]
    named = [name for name in classified if name != "OSI Approved"]
    if named:
        return " AND ".join(sorted({_CLASSIFIERS.get(name, name) for name in named}))
    text = str(told.get("license", "")).strip().split("\n")[0].strip()
    return _TEXTS.get(text.lower(), text[:_LONGEST]) or "unknown"


def licences(package: str = "planoracle", extras: Iterable[str] = ()) -> Iterator[Licence]:
    """Yield the licence of all that a package needs and that is installed, and of what that needs, by name.

    Parameters
    ----------
    extras
        Those of the package that count, too.
    """
    seen = {_key(package)}
    for extra in ("", *extras):
        waiting = [one.name for one in requirements(package) if one.extra == extra]
        brought = {}
        while waiting:
            name = waiting.pop()
            found = None if _key(name) in seen else _distribution(name)
            seen.add(_key(name))
            if found is not None:
                brought[_key(name)] = Licence(name, found.version, licence_of(name), extra)
                waiting += [one.name for one in requirements(name) if not one.extra]
        yield from (brought[key] for key in sorted(brought))


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
