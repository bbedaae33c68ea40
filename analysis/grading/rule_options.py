"""Rule profiles of all benchmarks, with single rules by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.text import one_of


def profiles(name: str = "paper", options: Mapping[str, str] | None = None) -> dict[str, Rules]:
    """Return the profile of that name for every benchmark.

    Parameters
    ----------
    options
        Single rules by name: ``benchmark.rule``, or ``rule`` where one benchmark alone has it.

    Raises
    ------
    UnknownNameError
        For an unknown profile, rule or value, and for an ambiguous rule name.

    Examples
    --------
    >>> chosen = profiles("released", {"zero_duration": "rejected"})
    >>> chosen["recipe2plan"].zero_duration, chosen["generic"]
    ('rejected', Rules(refuse_unread=False))
    """
    remaining = dict(options or {})
    every = [registry.get(benchmark) for benchmark in registry.names()]
    rules: dict[str, list[str]] = {}
    for owner in every:
        if owner.rules.name == owner.name:
            rules[owner.name] = [rule.name for rule in fields(owner.rules.profile(name))]
    for option in remaining:
        having = [f"{benchmark}.{option}" for benchmark, names in rules.items() if option in names]
        if len(having) > 1:
            raise UnknownNameError(f"is ambiguous; use {' or '.join(having)}", field="rule", value=option)
        prefix, _, rule = option.partition(".")
        if not having and rule not in rules.get(prefix, ()):
            _refuse_limit(option, rules)
    complete: dict[str, Rules] = {}
    for benchmark, names in rules.items():
        chosen = {}
        for rule in names:
            for key in (rule, f"{benchmark}.{rule}"):
                if key in remaining:
                    chosen[rule] = remaining.pop(key)
        complete[benchmark] = registry.get(benchmark).rules.profile(name, **chosen)
    if remaining:
        option = next(iter(remaining))
        prefix, dot, _ = option.partition(".")
        owners = {prefix} & {*rules} or rules
        accepted: set[str] = set()
        for owner_name in owners:
            accepted.update(f"{owner_name}.{rule}" if dot else rule for rule in rules[owner_name])
        raise UnknownNameError(one_of(option, sorted(accepted), "rules"), field="rule", value=option)
    return {member.name: complete[member.rules.name] for member in every}


def complete_rules(partial: Mapping[str, Rules] | None = None) -> dict[str, Rules]:
    """Return rules for every benchmark: the given ones, else those of ``paper``.

    A benchmark that shares the rules of another one gets the rules given for that one.

    >>> released = profiles("released")
    >>> complete_rules({"robotouille": released["robotouille"]})["kitchens"] == released["kitchens"]
    True
    """
    rules = dict(partial or {})
    complete = profiles() | rules
    for name in registry.names():
        owner = registry.get(name).rules.name
        if owner in rules and name not in rules:
            complete[name] = rules[owner]
    return complete


def _refuse_limit(option: str, rules: Mapping[str, Sequence[str]]) -> None:
    """Raise `UnknownNameError` for a limit, which is no rule but a field of submissions."""
    prefix, _, word = option.rpartition(".")
    for name in {prefix} & rules.keys() if prefix else rules:
        limit = registry.get(name).submission_limit
        if limit is not None and word in (("limit", "time_limit") if prefix else (limit.field,)):
            message = f"is not a rule of {name}; a submission sets the limit of its run in its field {limit.field!r}"
            raise UnknownNameError(message, field="rule", value=option)
