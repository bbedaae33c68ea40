"""Rule profiles of all benchmarks, built on first use, with single rules by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.text import one_of

#: Profiles that every benchmark has.
_COMMON_PROFILES = ("paper", "released")


class RulesByBenchmark(Mapping[str, Rules]):
    """Rules by benchmark, built on first use.

    So a benchmark is imported only if a submission names it.

    Parameters
    ----------
    profile
        Name of the profile.
    options
        Single rules by benchmark, by name.
    replacements
        Rules in place of those of the profile. They hold for all benchmarks that share the rules.
    """

    def __init__(
        self,
        profile: str = "paper",
        options: Mapping[str, Mapping[str, str]] | None = None,
        replacements: Mapping[str, Rules] | None = None,
    ) -> None:
        self.profile = profile
        self._options = options or {}
        self._rules: dict[str, Rules] = dict(replacements or {})
        self._replacements = frozenset(self._rules)

    def __getitem__(self, benchmark: str) -> Rules:
        if benchmark not in self._rules:
            if registry.find(benchmark) is None:
                raise KeyError(benchmark)
            self._rules[benchmark] = self._build(benchmark)
        return self._rules[benchmark]

    def _build(self, benchmark: str) -> Rules:
        rule_set = registry.get(benchmark).rules
        if rule_set.name in self._replacements:
            return self._rules[rule_set.name]
        if rule_set.name != benchmark:
            return self[rule_set.name]
        rules: Rules = rule_set.profile(self.profile, **self._options.get(benchmark, {}))
        return rules

    def __contains__(self, benchmark: object) -> bool:
        return isinstance(benchmark, str) and registry.find(benchmark) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(registry.names())

    def __len__(self) -> int:
        return len(registry.names())


def profiles(name: str = "paper", options: Mapping[str, str] | None = None) -> RulesByBenchmark:
    """Return the profile of that name for every benchmark.

    Parameters
    ----------
    name
        Profile that every benchmark has, or a further name that a benchmark has for one of these.
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
    name = _common_name(name)
    if not options and name in _COMMON_PROFILES:
        return RulesByBenchmark(name)
    names_by_benchmark: dict[str, list[str]] = {}
    for benchmark in registry.names():
        rule_set = registry.get(benchmark).rules
        if rule_set.name == benchmark:
            names_by_benchmark[benchmark] = [rule.name for rule in fields(rule_set.profile(name))]
    remaining = dict(options or {})
    _refuse_ambiguous(remaining, names_by_benchmark)
    rules = RulesByBenchmark(name, _take_options(remaining, names_by_benchmark))
    for benchmark in names_by_benchmark:
        rules[benchmark]  # raises for an unknown value
    if remaining:
        raise _unknown_rule(next(iter(remaining)), names_by_benchmark)
    return rules


def _common_name(name: str) -> str:
    """Return the profile that a further name of a benchmark stands for; other names as they are."""
    if name in _COMMON_PROFILES:
        return name
    for benchmark in registry.names():
        meaning = registry.get(benchmark).rules.aliases.get(name)
        if meaning is not None:
            return meaning
    return name


def _refuse_ambiguous(options: Iterable[str], names_by_benchmark: Mapping[str, Sequence[str]]) -> None:
    """Raise `UnknownNameError` for a name that several benchmarks have, and for a limit."""
    for option in options:
        owners = [f"{benchmark}.{option}" for benchmark, names in names_by_benchmark.items() if option in names]
        if len(owners) > 1:
            raise UnknownNameError(f"is ambiguous; use {' or '.join(owners)}", field="rule", value=option)
        prefix, _, rule = option.partition(".")
        if not owners and rule not in names_by_benchmark.get(prefix, ()):
            _refuse_limit(option, names_by_benchmark)


def _take_options(
    remaining: dict[str, str], names_by_benchmark: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, str]]:
    """Return single rules by benchmark, and remove them from those that remain."""
    chosen: dict[str, dict[str, str]] = {}
    for benchmark, names in names_by_benchmark.items():
        chosen[benchmark] = {}
        for rule in names:
            for key in (rule, f"{benchmark}.{rule}"):
                if key in remaining:
                    chosen[benchmark][rule] = remaining.pop(key)
    return chosen


def _unknown_rule(option: str, names_by_benchmark: Mapping[str, Sequence[str]]) -> UnknownNameError:
    """Return the error for a rule that no benchmark has, or not the one that it names."""
    prefix, dot, _ = option.partition(".")
    owners = [prefix] if prefix in names_by_benchmark else names_by_benchmark
    accepted: set[str] = set()
    for owner in owners:
        accepted.update(f"{owner}.{rule}" if dot else rule for rule in names_by_benchmark[owner])
    return UnknownNameError(one_of(option, sorted(accepted), "rules"), field="rule", value=option)


def complete_rules(partial: Mapping[str, Rules] | None = None) -> Mapping[str, Rules]:
    """Return rules for every benchmark: the given ones, else those of ``paper``.

    A benchmark that shares the rules of another one gets the rules given for that one.

    >>> released = profiles("released")
    >>> complete_rules({"robotouille": released["robotouille"]})["kitchens"] == released["kitchens"]
    True
    """
    if isinstance(partial, RulesByBenchmark):
        return partial
    return RulesByBenchmark(replacements=partial)


def _refuse_limit(option: str, rules: Mapping[str, Sequence[str]]) -> None:
    """Raise `UnknownNameError` for a limit, which is no rule but a field of submissions."""
    prefix, _, word = option.rpartition(".")
    for name in {prefix} & rules.keys() if prefix else rules:
        limit = registry.get(name).submission_limit
        if limit is not None and word in (("limit", "time_limit") if prefix else (limit.field,)):
            message = f"is not a rule of {name}; a submission sets the limit of its run in its field {limit.field!r}"
            raise UnknownNameError(message, field="rule", value=option)
