"""The rule profiles of all benchmarks at once, as the command line takes them."""

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
        For an unknown profile, rule or value, and for a rule of several benchmarks that does not say whose.

    Examples
    --------
    >>> chosen = profiles("released", {"zero_duration": "rejected"})
    >>> chosen["recipe2plan"].zero_duration, chosen["generic"]
    ('rejected', Rules(refuse_unread=False))
    """
    left = dict(options or {})
    every = [registry.get(benchmark) for benchmark in registry.names()]
    rules = {
        one.name: [rule.name for rule in fields(one.rules.profile(name))] for one in every if one.rules.name == one.name
    }
    for option in left:
        having = [f"{benchmark}.{option}" for benchmark, known in rules.items() if option in known]
        if len(having) > 1:
            raise UnknownNameError(f"must say whose: {' or '.join(having)}", field="option", value=option)
        whose, _, rule = option.partition(".")
        if not having and rule not in rules.get(whose, ()):
            _refuse_limit(option, rules)
    found: dict[str, Rules] = {}
    for benchmark, known in rules.items():
        chosen = {rule: left.pop(key) for rule in known for key in (rule, f"{benchmark}.{rule}") if key in left}
        found[benchmark] = registry.get(benchmark).rules.profile(name, **chosen)
    if left:
        option = next(iter(left))
        every_rule = sorted({rule if "." not in option else f"{name}.{rule}" for name in rules for rule in rules[name]})
        raise UnknownNameError(one_of(option, every_rule, "rules"), field="option", value=option)
    return {one.name: found[one.rules.name] for one in every}


def completed(given: Mapping[str, Rules] | None = None) -> dict[str, Rules]:
    """Return rules for every benchmark: those given, and those of ``paper``; of another benchmark where they go by its.

    >>> completed({"robotouille": profiles("released")["robotouille"]})["kitchens"] == profiles("released")["kitchens"]
    True
    """
    rules = dict(given or {})
    every = [registry.get(benchmark) for benchmark in registry.names()]
    return (
        profiles()
        | rules
        | {one.name: rules[one.rules.name] for one in every if one.rules.name in rules and one.name not in rules}
    )


def _refuse_limit(option: str, rules: Mapping[str, Sequence[str]]) -> None:
    """Say where a limit is set that is no rule but a submission's own; raises `UnknownNameError`."""
    whose, _, word = option.rpartition(".")
    for name in {whose} & rules.keys() if whose else rules:
        limit = registry.get(name).submission_limit
        if limit is not None and word in (("limit", "time_limit") if whose else (limit.field,)):
            said = f"is no rule of {name}: a submission sets the limit of its own run in its field {limit.field!r}"
            raise UnknownNameError(said, field="option", value=option)
