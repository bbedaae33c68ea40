"""Choosing a rule profile by name and setting single rules, for every benchmark alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.text import one_of


@dataclass(frozen=True, slots=True)
class Rules:
    """Base of all profiles of rules; by itself the general rules.

    Attributes
    ----------
    refuse_unread
        A submission is not scored if at least two lines, and more than a fifth of all that look like steps, cannot be
        read; else it is graded by those that can.
    """

    refuse_unread: bool = True

    def deciding(self) -> Self:
        """Return the profile as far as it decides which plans are best, all else as usual."""
        return replace(self, refuse_unread=True)


_Profile = TypeVar("_Profile", bound=Rules)


def choose(
    profiles: Mapping[str, _Profile],
    choices: Mapping[str, Sequence[str]],
    name: str,
    options: Mapping[str, str | int | bool],
) -> _Profile:
    """Return a named profile (a dataclass) with single rules replaced.

    Parameters
    ----------
    choices
        For rules that are text, their possible values. The others are true or false, or whole numbers.
    options
        Values may be given as text, as on the command line.

    Raises
    ------
    UnknownNameError
        For an unknown profile, rule or value.
    """
    if name not in profiles:
        raise UnknownNameError(one_of(name, profiles, "profiles"), field="profile", value=name)
    base: Any = profiles[name]
    known = {field.name: type(getattr(base, field.name)) for field in fields(base)}
    values: dict[str, str | int | bool] = {}
    for option, value in options.items():
        if option not in known:
            raise UnknownNameError(one_of(option, sorted(known), "rules"), field="option", value=option)
        values[option] = _value(option, value, known[option], choices.get(option))
    chosen: _Profile = replace(base, **values)
    return chosen


def _value(option: str, value: str | int | bool, kind: type, among: Sequence[str] | None) -> str | int | bool:
    text = str(value).lower()
    if among is not None:
        if text not in among:
            raise UnknownNameError(one_of(value, among), field=option, value=value)
        return text
    if kind is bool:
        if text not in ("true", "false"):
            raise UnknownNameError("must be true or false", field=option, value=value)
        return text == "true"
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UnknownNameError("must be a whole number", field=option, value=value)
    return int(text)
