"""Builder of the HTML report: data, scripts, styles and content security policy in one page."""

from __future__ import annotations

import html
import os
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from planoracle.analysis.figures.bar_colours import HELPER, MAX_TASKS
from planoracle.analysis.figures.colours import PALETTE, method_colour
from planoracle.analysis.grading.grader import Grade, MismatchCounter
from planoracle.analysis.grading.problem_loader import Places
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.report.details import compact_json, plain, wording
from planoracle.analysis.report.jobs import OnProgress, PlanWork, work_on
from planoracle.analysis.report.leaderboard import (
    LeaderboardLine,
    board,
    columns,
    lines_of,
    meanings,
    problem_row,
    scoring,
    set_name,
)
from planoracle.analysis.report.work import ReportEntry, ReportOptions
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.workers.worker import NO_LIMITS, TaskLimits
from planoracle.solver.result import versions

#: Environment variable of reproducible builds: time of the input in seconds since 1970.
EPOCH = "SOURCE_DATE_EPOCH"


def about(benchmarks: Iterable[str], profile: str, rules: Mapping[str, Rules]) -> dict[str, Any]:
    """Return versions, profile and rules of a page.

    Parameters
    ----------
    benchmarks
        Names of the benchmarks of the submissions; unknown names are omitted.
    profile, rules
        Name of the profile, and its rules for every benchmark.

    Returns
    -------
    dict
        ``versions``, ``profile``, and for each of the ``benchmarks`` its ``title``, the package that
        ``brought`` it (``None`` for ours) and its ``rules``, each ``[name, value]``.
    """
    packages = {point.name: point.dist for point in entry_points(group=registry.GROUP)}
    entries = []
    for name in sorted(set(benchmarks)):
        benchmark = registry.find(name)
        if benchmark is None:
            continue
        package = packages.get(name)
        origin = None if package is None else f"{package.name} {package.version}"
        entries.append({"title": benchmark.title, "brought": origin, "rules": _rule_values(rules[name])})
    return {"versions": versions(), "profile": profile, "benchmarks": entries}


def _rule_values(rules: Rules) -> list[list[str]]:
    """Return the name and the value, as text, of each rule."""
    return [[rule.name, _value_text(getattr(rules, rule.name))] for rule in fields(rules)]


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def date_of(source: Path, day: str | None = None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the date of submissions as ``YYYY-MM-DD``, so that the same input gives the same page.

    It is ``day``, or the date of ``SOURCE_DATE_EPOCH``, or the last change of the input, in a folder of its newest file
    (UTC). ``None`` if unknown, e.g. for a pipe.

    Raises
    ------
    InputError
        For an invalid date, and for a ``SOURCE_DATE_EPOCH`` that is not a whole number of seconds.

    Examples
    --------
    >>> date_of(Path("-"), "2026-11-22"), date_of(Path("-"), environment={"SOURCE_DATE_EPOCH": "86400"})
    ('2026-11-22', '1970-01-02')
    >>> date_of(Path("-"), environment={}) is None
    True
    """
    if day is not None:
        try:
            return date.fromisoformat(day).isoformat()
        except ValueError:
            raise InputError("must be a date such as 2026-11-22", field="date", value=day) from None
    moment = environment.get(EPOCH)
    if moment is not None:
        try:
            return _day(int(moment))
        except (ValueError, OverflowError, OSError):
            raise InputError("must be a whole number of seconds since 1970-01-01", field=EPOCH, value=moment) from None
    newest = max(_changes(source), default=None)
    return None if newest is None else _day(newest)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _changes(source: Path) -> Iterator[float]:
    """Yield the modification times of the files of an input; no link in a folder is followed."""
    if source.is_file():
        yield source.stat().st_mtime
    elif source.is_dir():
        for folder, _, names in os.walk(source):
            for name in names:
                yield os.lstat(os.path.join(folder, name)).st_mtime


#: Scripts and styles in the order of their concatenation.
_SCRIPTS = (
    *("data.js", "address.js", "download.js", "table.js", "plan.js", "drawing.js", "chart.js"),
    *("filters.js", "overview.js", "problem.js", "details.js", "start.js"),
)
_STYLES = ("base.css", "table.css", "chart.css", "media.css")
# Maximum number of sets of mismatched plans that the page names.
_WARNINGS = 5
# Number of plans of one problem in one chunk.
_TOGETHER = 100


@dataclass(frozen=True, slots=True)
class Report:
    """Report page as text, and the results of the lines.

    Attributes
    ----------
    submissions, priced
        Number of lines; number of lines with a regret.
    unscored
        Place and reason of each line that could not be read or graded.
    notes, warnings
        Notes on problems that are not from the benchmark, and warnings of plans that are probably for others, see
        `planoracle.analysis.grading.grader.MismatchCounter`; the page has them, too.
    """

    html: str
    submissions: int
    priced: int
    unscored: tuple[tuple[SourceLine, str], ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def build(
    entries: Iterable[ReportEntry],
    *,
    title: str = "Plans against the optimum",
    day: str | None = None,
    source: str | None = None,
    profile: str = "paper",
    rules: Mapping[str, str] | None = None,
    problems: Mapping[str, Problem] | None = None,
    places: Places | None = None,
    regret_seconds: float | None = None,
    processes: int | None = None,
    limits: TaskLimits = NO_LIMITS,
    on_progress: OnProgress = lambda label, done, total: None,
) -> Report:
    """Build the report page.

    The same input gives the same page.

    Parameters
    ----------
    entries
        Submissions and grades, see `planoracle.analysis.report.work.entries_of`.
    day
        Date of the submissions, see `planoracle.analysis.report.build.date_of`; without it the page has none.
    source
        Name of the file with all submissions, if it is a single one.
    profile
        ``paper`` or ``released``.
    rules
        Single rules by name, see `planoracle.analysis.grading.rule_options.profiles`.
    problems
        Problems by name, see `planoracle.analysis.grading.problem_loader.Problems`.
    places
        Files that submissions may name.
    regret_seconds
        Counted work for regrets, in seconds of a quiet core, 0 for none; by default 25.
    processes
        Number of worker processes; by default one per processor.
    limits
        Limits per plan; a plan that exceeds them has no grade, or no regret.
    on_progress
        Callback with the name of the phase, the units done, and their total.

    Raises
    ------
    UnknownNameError
        For an unknown profile or rule.

    Examples
    --------
    >>> from planoracle.analysis.report.work import entries_of
    >>> submission = {"id": "a", "instance": "timearena/household1", "actions": ["wait"]}
    >>> done = build(entries_of([(SourceLine(1), submission)]))
    >>> done.submissions, done.priced, done.unscored
    (1, 1, ())
    """
    rule_values = tuple((rules or {}).items())
    named_problems = tuple((problems or {}).items())
    options = ReportOptions(profile, rule_values, named_problems, places or Places(), limits)
    work = work_on(entries, options, regret_seconds=regret_seconds, processes=processes, on_progress=on_progress)
    lines = lines_of(work)
    grades = [line.grade for line in lines]
    on_progress("writing", 0, 1)
    notes = _notes(grades)
    warnings = tuple(MismatchCounter(grades).warnings())
    benchmarks = (grade.benchmark or "" for grade in grades)
    page_about = about(benchmarks, profile, options.rules_by_benchmark)
    page_about |= {"date": day, "source": plain(source or "")}
    chunks = _chunks(work, lines, title, page_about, options)
    text = _page(title, _remarks(notes, warnings), "".join(chunks))
    on_progress("writing", 1, 1)
    priced = sum(line.priced is not None for line in lines)
    unscored = tuple(_place_and_reason(grade) for grade in grades if not grade.scored)
    return Report(text, len(lines), priced, unscored, notes, warnings)


def _notes(grades: Iterable[Grade]) -> tuple[str, ...]:
    """Return the distinct notes of the catalogue on the problems of some grades."""
    notes = (catalog.note(grade.instance or "") for grade in grades)
    return tuple(dict.fromkeys(note for note in notes if note))


def _place_and_reason(grade: Grade) -> tuple[SourceLine, str]:
    """Return the place of a line without a score, and the reason."""
    return SourceLine(grade.line or 0, grade.source), grade.reason or ""


def _chunks(
    work: PlanWork, lines: Sequence[LeaderboardLine], title: str, page_about: dict[str, Any], options: ReportOptions
) -> Iterator[str]:
    """Yield the data as elements of the page; the first chunk has the data of the first view."""
    contents: list[str] = []
    problems: list[list[object]] = []
    names: dict[str, int] = {}
    used: set[str] = set()
    for line in lines:
        name = line.grade.instance or ""
        if name in names:
            continue
        names[name] = len(names)
        chart = work.charts.get(name)
        if chart is not None:
            contents.append(chart)
        problems.append(problem_row(_unique(name, used), set_name(line.grade), chart, len(contents)))
    places = _places(work, contents)
    benchmarks = (line.grade.benchmark for line in lines)
    index: dict[str, object] = {"title": plain(title), "about": page_about, "colours": _colours()}
    index |= {"words": wording(benchmarks), "problems": problems, "scoring": scoring(lines), "meanings": meanings()}
    index |= board(lines, options.rules_by_benchmark)
    index["rows"] = columns(lines, places, names)
    for number, content in enumerate((compact_json(index), *contents)):
        compressed = zlib.compress(content.encode(), 9)
        packed = b64encode(compressed).decode()
        yield f'<script type="application/x-planoracle" id="chunk-{number}">{packed}</script>\n'


def _colours() -> dict[str, Any]:
    """Return the colours of tasks and methods."""
    return {
        "tasks": PALETTE,
        "limit": MAX_TASKS,
        "others": HELPER,
        "methods": {name: method_colour(name) for name in ("submission", "optimum")},
    }


def _unique(name: str, used: set[str]) -> str:
    """Return a name for display that is unique even if long names are cut."""
    text, count = plain(name), 1
    while text in used:
        count += 1
        text = f"{plain(name)} ({count})"
    used.add(text)
    return text


def _places(work: PlanWork, contents: list[str]) -> list[tuple[int, int]]:
    """Add the sheets of all plans to the contents; return the chunk and position of each plan."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, (entry, *_) in enumerate(work.lines):
        groups[entry.instance or ""].append(i)
    places: dict[int, tuple[int, int]] = {}
    for members in groups.values():
        for start in range(0, len(members), _TOGETHER):
            part = members[start : start + _TOGETHER]
            sheets = ",".join(_both_sheets(work, i) for i in part)
            contents.append(f"[{sheets}]")
            for position, i in enumerate(part):
                places[i] = len(contents), position
    return [places[i] for i in range(len(work.lines))]


def _both_sheets(work: PlanWork, i: int) -> str:
    """Return the details of a plan, and its regrets or null, as a JSON list."""
    priced = work.priced.get(i)
    regrets = "null" if priced is None else priced.sheet
    return f"[{work.sheets[i].sheet},{regrets}]"


def _remarks(notes: Sequence[str], warnings: Sequence[str]) -> str:
    """Return the notes above every view, and the warnings above the first view."""
    lines = [_paragraph("remark", note) for note in notes]
    lines += [_paragraph("remark warning", warning) for warning in warnings[:_WARNINGS]]
    further = len(warnings) - _WARNINGS
    if further > 0:
        text = f"Plans in {further} more sets are also probably for other problems."
        lines.append(_paragraph("remark warning", text))
    return f'<div id="remarks">\n{"".join(lines)}</div>\n' if lines else ""


def _paragraph(style: str, text: str) -> str:
    return f'<p class="{style}">{html.escape(plain(text, 500))}</p>\n'


def _page(title: str, remarks: str, data: str) -> str:
    """Return the page. The policy admits only the script and the style with these hashes."""
    style = "\n".join(map(_read_asset, _STYLES))
    script = "\n".join(map(_read_asset, _SCRIPTS))
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    parts = {
        "TITLE": html.escape(plain(title)),
        "POLICY": policy,
        "REMARKS": remarks,
        "STYLE": style,
        "SCRIPT": script,
        "DATA": data,
    }
    # The template is split first, so that inserted text is never searched for marks.
    pieces = _read_asset("page.html").split("@@")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


def _read_asset(name: str) -> str:
    """Return the text of a file of the page."""
    return (files("planoracle.analysis.report") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = sha256(text.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
