"""Names of machines and agents in tables of tasks: alternatives, shares and numbers in cells."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Final, NamedTuple

from planoracle.instances.errors import InputError

#: Texts for all agents.
ANY: Final = frozenset(("any", "anyone", "anybody", "all", "*"))

#: Headings whose cells may hold a number of agents.
COUNT_NAMES: Final = frozenset(
    (
        *("worker", "workers", "crew", "crews", "staff", "people", "person", "persons", "operators", "employees"),
        *("cooks", "agents"),
    )
)

_PAGE = "see .docs/limits.md"
_LITERAL = "--names {field} takes the cells as they are"
_OR = re.compile(r"(?<=\S)[\s(]+(?:or|oder|ou)\s+(?=\S)", re.IGNORECASE)
_EITHER = re.compile(r"either\s+", re.IGNORECASE)
_AND = re.compile(r"(?<=\S)(?:\s+and\s+|\s*[&+]\s*)(?=\S)", re.IGNORECASE)
_ANY = re.compile(r"any|\*|(?:any|any one)(?: of(?: the)?)? (?:machines?|resources?|one|free|available)", re.IGNORECASE)
_SLASH = re.compile(r"\s*[/\\]\s*")
_LIST = re.compile(r"\s+-?\s*|-")
_OPEN = re.compile(r"un-?assigned|not assigned|tb[acd]|\?+|nobody|no one|unknown|undefined", re.IGNORECASE)
# A word that joins names, before which a separator stands, as in "M1, or M2".
_JOINING_WORD = re.compile(r"(?:or|and|oder|und|ou|et)\s.*", re.IGNORECASE | re.DOTALL)
_TOGETHER = re.compile(r"everyone|everybody|both|(?:all|both) of .*", re.IGNORECASE)
_ANY_OF = re.compile(
    r"any|anyone|all|some|every|either|\*|"
    r"(?:any|one|either|all|some) (?:of|machines?|resources?|workers?|operators?|agents?|one|other|free|available)\b.*",
    re.IGNORECASE,
)
# Ends of names that number similar machines, and names that consist of such an end.
_NUMBER_AT_END = re.compile(r"(?P<stem>.*[^0-9])[0-9]{1,4}|(?P<words>.*\s)[a-z]", re.IGNORECASE)
_SHORT = re.compile(r"[0-9]{1,4}|[a-z]", re.IGNORECASE)
# Parts of names that number similar machines: "m1", "oven a".
_NUMBERED = re.compile(r"[0-9]+|\b[a-z](?=[0-9]*\b)")
_COUNT = re.compile(
    r"(?P<number>[0-9]{1,9})(?P<part>\.[0-9]{1,9})? ?x?"
    r"(?: ?(?:workers?|people|persons?|men|staff|operators?|agents?))?",
    re.IGNORECASE,
)
_MULTIPLE = re.compile(r"(?P<first>[0-9]+) ?[x×*] [a-z].*|(?P<before>.+?) ?[x×*] ?[0-9]+", re.I)
_JOINED = re.compile(r"/|&|\+|\s(?:and|or)\s", re.IGNORECASE)
_SHARE = re.compile(r"(?P<name>.*\S)\s*\[(?P<number>[0-9]{1,6}(?:[.,][0-9]{1,4})?)\s*(?P<unit>[^\]]*)\]", re.S)
# Shares of a resource are counted in hundredths of a percent.
_FULL = 10_000
_LONGEST_NAME = 300
# Names in a note.
_LISTED: Final = 5


class Use(NamedTuple):
    """Use of a resource by a row.

    Attributes
    ----------
    share
        Units in hundredths of a percent; ``None`` for a name without a share.
    """

    name: str
    share: int | None = None


def parse_use(text: str, names: Container[str] = ()) -> Use:
    """Return the resource and the share that a text such as ``Ann[50%]`` names.

    Parameters
    ----------
    names
        Names of the table in lower case: after one of them, a number in brackets without ``%`` is refused.

    Examples
    --------
    >>> parse_use("Joiners[200%]"), parse_use("Oven[2]")
    (Use(name='Joiners', share=20000), Use(name='Oven[2]', share=None))
    """
    match = _SHARE.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    if match is None:
        return Use(text)
    if match["unit"] == "%":
        percent = Fraction(match["number"].replace(",", "."))
        return Use(match["name"], int(percent * 100))
    if match["unit"]:
        raise InputError(f"resources that are used up are not read from tables, {_PAGE}; problem files have them")
    if match["name"].casefold() in names:
        name, number = match["name"], match["number"]
        raise InputError(f"is ambiguous; write {name}[{number}00%] for units of {name}")
    return Use(text)


def is_any(text: str) -> bool:
    """Return whether a text stands for any machine.

    >>> is_any("any"), is_any("any machine"), is_any("any of the mills")
    (True, True, False)
    """
    return _ANY.fullmatch(text) is not None


def is_numbered(name: str) -> bool:
    """Return whether a name ends with a number, as those of similar machines do.

    >>> is_numbered("M1"), is_numbered("Machine 2"), is_numbered("Saw")
    (True, True, False)
    """
    match = _NUMBER_AT_END.fullmatch(name) if len(name) <= _LONGEST_NAME else None
    return match is not None and match["stem"] is not None


def names_in_choice(text: str, names: Container[str]) -> list[str]:
    """Return the machines to choose from in a text; another text is one name.

    Parameters
    ----------
    names
        Names of all machines, in lower case.

    Examples
    --------
    >>> names_in_choice("M1 or M2", ()), names_in_choice("CNC1/2", ()), names_in_choice("Saw/Mill", ())
    (['M1', 'M2'], ['CNC1', 'CNC2'], ['Saw/Mill'])
    """
    if len(text) > _LONGEST_NAME:
        return [text]
    choice: list[str] = []
    for part in _OR.split(_EITHER.sub("", text, count=1)):
        name = part.removesuffix(")") if "(" not in part and text.count("(") == 1 else part
        pieces = _SLASH.split(name)
        is_list = _are_names([piece.casefold() for piece in pieces], names)
        choice += _long_names(pieces) if is_list else [name]
    return list(dict.fromkeys(choice))


def _long_names(parts: Sequence[str]) -> list[str]:
    """Return the names of parts of which later ones may be short, as in ``CNC1/2``."""
    first, *following = parts
    match = _NUMBER_AT_END.fullmatch(first)
    stem = "" if match is None else match["stem"] or match["words"]
    names = [first]
    for part in following:
        is_short = bool(stem) and _SHORT.fullmatch(part) is not None
        names.append(stem + part if is_short else part)
    return names


def check_machine(name: str, names: Container[str]) -> None:
    """Raise an error for a text that is no name of one machine.

    Parameters
    ----------
    names
        Names of all machines, in lower case.
    """
    if len(name) > _LONGEST_NAME:
        return
    _check_open(name, "machine")
    if _ANY_OF.fullmatch(name) or _OR.search(name):
        message = (
            "is ambiguous; write any for all machines of the table, or the machines to choose from, as in M1 or M2"
        )
        raise InputError(f"{message}; {_literal('machine')}")
    multiple = _MULTIPLE.fullmatch(name)
    if multiple and (multiple["first"] or multiple["before"].casefold() in names):
        raise InputError(f"a number of machines is written in a column amount; {_literal('machine')}")
    if _are_names(_AND.split(name.casefold()), names) or _is_list(name, names):
        raise InputError(f"several machines that are all needed are separated by ';'; {_literal('machine')}")


def listed(names: Sequence[str]) -> str:
    """Return the first names of a list for a note."""
    listed = ", ".join(names[:_LISTED])
    return f"{listed}, …" if len(names) > _LISTED else listed


def is_joint_name(name: str) -> bool:
    """Return whether a name may have been meant as several names.

    >>> is_joint_name("Saw/Mill"), is_joint_name("Saw mill")
    (True, False)
    """
    return _JOINED.search(name) is not None


def agent_names(name: str, names: Container[str]) -> list[str]:
    """Return the eligible agents that a text names; see `check_machine`."""
    if len(name) > _LONGEST_NAME:
        return [name]
    use = parse_use(name)
    if use.share not in (None, _FULL):
        raise InputError(f"a share of an agent is not supported, {_PAGE}; an action has one agent")
    _check_open(name, "agent")
    if _ANY_OF.fullmatch(name) and name.casefold() not in ANY:
        raise InputError("is ambiguous; write any, or the names of the eligible agents")
    has_choice = _OR.search(use.name) is not None
    parts = [use.name]
    if has_choice:
        parts = _OR.split(_EITHER.sub("", use.name, count=1))
    for part in parts:
        if _are_names(_AND.split(part.casefold()), names) or _TOGETHER.fullmatch(part):
            raise InputError(f"several agents for one task are not supported, {_PAGE}; an action has one agent")
        if _are_names(_SLASH.split(part.casefold()), names) or _is_list(part, names):
            raise InputError(f"is ambiguous; eligible agents are separated by ';'; {_literal('agent')}")
    return parts


def count_of(text: str) -> int | None:
    """Return the number of workers in a cell, ``None`` for another text.

    >>> count_of("2"), count_of("3 workers"), count_of("crew 2")
    (2, 3, None)

    Raises
    ------
    InputError
        For a number that is not whole.
    """
    match = _COUNT.fullmatch(text)
    if match is None:
        return None
    if match["part"] and match["part"].strip(".0"):
        raise InputError("must be a whole number of workers")
    return int(match["number"])


def _literal(field: str) -> str:
    return _LITERAL.format(field=field)


def _check_open(name: str, field: str) -> None:
    """Raise an error for a text that stands for no name."""
    if _OPEN.fullmatch(name):
        raise InputError(f"is no name; leave the cell empty for a task without {field}; {_literal(field)}")
    if _JOINING_WORD.fullmatch(name):
        message = "is no name; a choice has no separators, as in A or B or C, and ';' separates all that are needed"
        raise InputError(f"{message}; {_literal(field)}")


def _is_list(name: str, names: Container[str]) -> bool:
    """Return whether all words of a text are names, as in ``M1 M2``."""
    words = [word for word in _LIST.split(name.casefold()) if word]
    return len(words) > 1 and all(word in names for word in words)


def _are_names(parts: Sequence[str], names: Container[str]) -> bool:
    """Return whether one of several parts is a name, or all have one form, as in m1/m2 and oven a/b."""
    if len(parts) < 2 or not all(parts):
        return False
    forms = [_NUMBERED.sub("#", part) for part in parts]
    first, *following = forms
    same_form = "#" in first and len(set(forms)) == 1
    short_forms = first.endswith("#") and set(following) == {"#"}
    return same_form or short_forms or any(part in names for part in parts)


class Capacities:
    """Capacities of machines and amounts in use, in common units.

    Parameters
    ----------
    uses
        Uses of all rows.
    capacities
        Capacity of machines for which the table has one.
    """

    def __init__(self, uses: Iterable[Use], capacities: Mapping[str, int]) -> None:
        shares: dict[str, list[int]] = {}
        names: dict[str, None] = {}
        for use in uses:
            names.setdefault(use.name)
            if use.share is not None:
                shares.setdefault(use.name, []).append(use.share)
        #: Machines whose capacity is the largest share in use.
        self.assumed: list[str] = []
        self._units: dict[str, int] = {}
        self.capacities: dict[str, int] = {}
        for name in names:
            if name not in shares:
                self.capacities[name] = capacities.get(name, 1)
                continue
            largest = max(_FULL, *shares[name])
            capacity = capacities[name] * _FULL if name in capacities else largest
            if name not in capacities and largest > _FULL:
                self.assumed.append(name)
            self._units[name] = gcd(_FULL, capacity, *shares[name])
            self.capacities[name] = capacity // self._units[name]

    def amount(self, use: Use, units: int) -> int:
        """Return the amount of a use.

        Parameters
        ----------
        units
            Units in use if the use has no share.
        """
        if use.name not in self._units:
            return units
        share = units * _FULL if use.share is None else use.share
        return share // self._units[use.name]
