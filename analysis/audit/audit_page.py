"""Markdown page with the faults of published references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planoracle.analysis.audit.auditor import Auditor, published_names, published_references
from planoracle.analysis.audit.finding import ReferenceFinding, ReferenceVerdict, summarize
from planoracle.analysis.cli.output import human, markdown
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.scoring import Reference

_HEAD = """\
# What is wrong with published references

Benchmarks measure plans by references: plans, times or numbers of steps that their authors have published. Here each of
them that can be bundled is held against the benchmark's own rules, and against what is proved. No number is typed here;
this writes the page:

```console
$ planoracle audit --page analysis/audit/PUBLISHED.md
```

*too high*: a plan keeps it, but a shorter one is known. *below bound*: no plan is so short, proved. *infeasible*: its
plan breaks the rules, or none completes the problem. *missing*: there should be one. *off* and *gap* are what it
differs by from the optimum. References are checked by the rules that they were made for, and by the other profiles as
well where that makes a difference.
"""
# Longer tables are collapsed.
_LONG = 20


def audited_benchmarks() -> list[AnyBenchmark]:
    """Return the benchmarks with published references or loopholes."""
    return [one for one in map(registry.get, registry.names()) if published_references(one) or one.loopholes]


def page_of(names: Iterable[str] = (), auditor: Auditor | None = None) -> str:
    """Return the page; with names, of these problems or benchmarks only."""
    auditor, requested = auditor or Auditor(), list(names)
    findings = [one for name in published_names(requested) for one in auditor.check_published(name)]
    present = {*requested, *(one.benchmark for one in findings)}
    shown_benchmarks = [one for one in audited_benchmarks() if not requested or one.name in present]
    sections = [_section(one, findings, auditor, requested or [one.name]) for one in shown_benchmarks]
    return "\n".join([_HEAD, _summary(findings), *sections])


def _section(benchmark: AnyBenchmark, every: Iterable[ReferenceFinding], auditor: Auditor, names: Sequence[str]) -> str:
    findings = [one for one in every if one.benchmark == benchmark.name]
    cited = f" ({benchmark.citation})" if benchmark.citation else ""
    parts = [f"## {benchmark.title}{cited}\n"]
    for reference in published_references(benchmark):
        parts += _reference_section(reference, [one for one in findings if one.reference == reference.published])
    problems = dict.fromkeys(one.instance or "" for one in findings)
    for profile in benchmark.rules.profiles if findings else ():
        other = auditor.with_profile(profile)
        parts += _profile_differences(
            profile, findings, [one for name in problems for one in other.check_published(name)]
        )
    parts += _loopholes(benchmark, auditor)
    if findings:
        parts.append(f"```console\n$ planoracle audit {' '.join(names)}\n```\n")
    return "\n".join(parts)


def _summary(findings: Sequence[ReferenceFinding]) -> str:
    rows = summarize(findings)
    used = [verdict.value for verdict in ReferenceVerdict if any(row[verdict] for row in rows)]
    columns = ["set", "reference", "references", *used, "mean_gap", "max_gap"]
    cells = [[human(column, row[column]) for column in columns] for row in rows]
    note = "The gaps are those of references that are too high.\n"
    return markdown([column.replace("_", " ") for column in columns], cells) + "\n" + note


def _reference_section(reference: Reference[object], findings: Sequence[ReferenceFinding]) -> list[str]:
    title = f"**{reference.published.replace('_', ' ')}**"
    if not findings:
        return [f"{title}: {reference.about} None is bundled.\n"]
    count = {verdict: sum(one.verdict == verdict for one in findings) for verdict in ReferenceVerdict}
    listed = ", ".join(f"{many} {verdict.replace('_', ' ')}" for verdict, many in count.items() if many)
    parts = [f"{title}: {reference.about} Of {len(findings)} there are {listed} (profile `{reference.profile}`).\n"]
    rows = [one for one in findings if one.verdict != ReferenceVerdict.optimal]
    if rows:
        table = _table(rows)
        long = len(rows) > _LONG
        parts.append(f"<details><summary>{len(rows)} references</summary>\n\n{table}\n</details>\n" if long else table)
    return parts


def _table(findings: Sequence[ReferenceFinding]) -> str:
    """Return a table of findings, with a column of reasons if the figures leave some open."""
    units = {one.unit for one in findings}
    unit = f" ({units.pop()}s)" if len(units) == 1 else ""
    rows = []
    for one in findings:
        least = human("optimum", one.optimum) if one.optimum is not None else f"from {one.bound}" if one.bound else "-"
        figures = [human("claimed", one.claimed), least, human("off", one.off), human("gap", one.gap)]
        rows.append([_short(one), *figures, one.verdict.replace("_", " "), _open_reason(one)])
    heads = ["problem", f"claimed{unit}", "optimum", "off", "gap", "verdict", "why"]
    width = len(heads) if any(row[-1] for row in rows) else len(heads) - 1
    return markdown(heads[:width], [row[:width] for row in rows])


def _open_reason(finding: ReferenceFinding) -> str:
    """Return the part of the reason that the figures do not show."""
    more = finding.reason.partition("; ")[2]
    is_shown = (
        finding.verdict in (ReferenceVerdict.too_high, ReferenceVerdict.below_bound) and finding.optimum is not None
    )
    return more if is_shown else finding.reason


def _short(finding: ReferenceFinding) -> str:
    return (finding.instance or "-").removeprefix(f"{finding.benchmark}/")


def _profile_differences(
    profile: str, usual: Sequence[ReferenceFinding], other: Sequence[ReferenceFinding]
) -> list[str]:
    """Return sentences about verdicts that differ under another profile."""
    before = {(one.instance, one.reference): one for one in usual}
    changed: dict[tuple[ReferenceVerdict, ReferenceVerdict], list[ReferenceFinding]] = {}
    for one in other:
        own = before.get((one.instance, one.reference))
        if own is not None and own.verdict != one.verdict:
            changed.setdefault((own.verdict, one.verdict), []).append(one)
    lines = []
    for (former, now), members in changed.items():
        names = ", ".join(f"`{_short(one)}`" for one in members)
        turned = f"{former.replace('_', ' ')} to {now.replace('_', ' ')}"
        reasons = dict.fromkeys(one.reason for one in members)
        reason = f" ({next(iter(reasons))})" if len(reasons) == 1 else ""
        lines.append(f"By profile `{profile}` {len(members)} turn from {turned}: {names}{reason}.\n")
    return lines


def _loopholes(benchmark: AnyBenchmark, auditor: Auditor) -> list[str]:
    ways = {way.name: way for way in benchmark.loopholes}
    if not ways:
        return []
    findings = list(auditor.check_loopholes(benchmark))
    listed = "\n".join(f"- *{name.replace('_', ' ')}*: {way.about}" for name, way in ways.items())
    cells = [
        [one.reference.replace("_", " "), _short(one), human("claimed", one.claimed), human("optimum", one.optimum),
         human("off", one.off), human("gap", one.gap), one.reason]
        for one in findings
    ]  # fmt: skip
    heads = ["way", "problem", "graded as", "optimum", "off", "gap", "by profile paper"]
    introduction = "What the released grader lets pass, by plans that are made of shortest ones:\n"
    return [introduction, f"{listed}\n", markdown(heads, cells)]
