"""Base class of rule profiles, and the choice of a profile and of single rules by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Self, TypeVar

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


@dataclass(frozen=True)
class RuleSet(Generic[_Profile]):
    """Rules of a benchmark: profiles by name, whose single rules can be set by name.

    Attributes
    ----------
    name
        Benchmark in ``--set NAME.rule``; benchmarks that share rules share this name.
    profiles
        At least ``paper`` and ``released``.
    choices
        Possible values of the rules that are text. The others are true or false, or whole numbers.
    aliases
        Further names of profiles, such as those of the paper.
    """

    name: str
    profiles: Mapping[str, _Profile]
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def profile(self, name: str = "paper", **options: str | int | bool) -> _Profile:
        """Return a profile with single rules replaced; values may be text, as on the command line.

        Raises
        ------
        UnknownNameError
            For an unknown profile, rule or value.

        Examples
        --------
        >>> RuleSet("tea_time", {"paper": Rules()}).profile(refuse_unread="false")
        Rules(refuse_unread=False)
        """
        meaning = self.aliases.get(name, name)
        if meaning not in self.profiles:
            accepted = (*self.profiles, *self.aliases)
            raise UnknownNameError(one_of(name, accepted, "profiles"), field="profile", value=name)
        base: Any = self.profiles[meaning]
        types = {field.name: type(getattr(base, field.name)) for field in fields(base)}
        values: dict[str, str | int | bool] = {}
        for option, value in options.items():
            if option not in types:
                raise UnknownNameError(one_of(option, sorted(types), "rules"), field="rule", value=option)
            choices = self.choices.get(option)
            values[option] = _value(option, value, types[option], choices)
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
