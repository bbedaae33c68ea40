"""The page itself: one file with its script, its style and all data, which needs no network and runs nothing else."""

from __future__ import annotations

import html
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from planoracle.analysis.batch.worker import NO_LIMITS, TaskLimits
from planoracle.analysis.figures.palette import PALETTE, method_colour
from planoracle.analysis.grade import Strangers
from planoracle.analysis.intake.places import Place
from planoracle.analysis.places import Places
from planoracle.analysis.report.about import about
from planoracle.analysis.report.details import packed, plain, wording
from planoracle.analysis.report.inputs import Entry
from planoracle.analysis.report.jobs import Told, Work, work_on
from planoracle.analysis.report.leaderboard import (
    Line,
    board,
    columns,
    lines_of,
    meanings,
    problem_row,
    scoring,
    set_name,
)
from planoracle.analysis.report.worker import Options
from planoracle.instances import catalogue
from planoracle.instances.problem import Problem

#: Scripts and styles in the order in which they are put together.
_SCRIPTS = (
    *("data.js", "address.js", "download.js", "table.js", "plan.js", "drawing.js", "chart.js"),
    *("filters.js", "overview.js", "problem.js", "details.js", "start.js"),
)
_STYLES = ("base.css", "table.css", "chart.css", "media.css")
# Sets of plans for other problems that the page names.
_WARNINGS = 5
# Plans of one problem that are kept in one chunk.
_TOGETHER = 100


@dataclass(frozen=True, slots=True)
class Report:
    """A page as text, and what became of the lines.

    Attributes
    ----------
    submissions, priced
        Lines in all; lines whose decisions have a price.
    unscored
        Place and reason of all that could not be read or graded.
    notes, warnings
        What is to be said of problems that are not the benchmark's, and of plans that are probably for other problems,
        see `planoracle.analysis.grade.Strangers`; it stands on the page, too.
    """

    html: str
    submissions: int
    priced: int
    unscored: tuple[tuple[Place, str], ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def build(
    entries: Iterable[Entry],
    *,
    title: str = "Plans against the optimum",
    day: str | None = None,
    profile: str = "paper",
    rules: Mapping[str, str] | None = None,
    problems: Mapping[str, Problem] | None = None,
    places: Places | None = None,
    regret_seconds: float | None = None,
    processes: int | None = None,
    limits: TaskLimits = NO_LIMITS,
    told: Told = lambda label, done, total: None,
) -> Report:
    """Build the report page.

    The same input gives the same page.

    Parameters
    ----------
    entries
        Submissions and grades, see `planoracle.analysis.report.inputs.entries_of`.
    day
        That of the submissions, see `planoracle.analysis.report.about.date_of`; without it the page has none.
    profile
        ``paper`` or ``released``.
    rules
        Single rules by name, see `planoracle.analysis.profiles.profiles`.
    problems
        Problems that are found by their own names, see there.
    places
        Which files submissions may name.
    regret_seconds
        Counted work for the prices of decisions, in seconds of a quiet core, 0 for none; by default 25.
    processes
        By default one for every processor.
    limits
        What a plan may take; one that takes more is not graded, or not priced.
    told
        Is called with what is being done, how much of it is done, and how much there is.

    Raises
    ------
    UnknownNameError
        For an unknown profile or rule.

    Examples
    --------
    >>> from planoracle.analysis.report.inputs import entries_of
    >>> done = build(entries_of([(Place(1), {"id": "a", "instance": "timearena/household1", "actions": ["wait"]})]))
    >>> done.submissions, done.priced, done.unscored
    (1, 1, ())
    """
    named = tuple((problems or {}).items()), tuple((rules or {}).items())
    options = Options(profile, *named, places or Places(), limits)
    work = work_on(entries, options, regret_seconds=regret_seconds, processes=processes, told=told)
    lines = lines_of(work)
    told("writing", 0, 1)
    notes = tuple(dict.fromkeys(filter(None, (catalogue.note(line.grade.instance or "") for line in lines))))
    warnings = tuple(Strangers().over(line.grade for line in lines).warnings())
    text = _page(title, _remarks(notes, warnings), "".join(_chunks(work, lines, title, day, options)))
    told("writing", 1, 1)
    return Report(
        html=text,
        submissions=len(lines),
        priced=sum(line.priced is not None for line in lines),
        unscored=tuple(
            (Place(line.grade.line or 0, line.grade.source), line.grade.reason or "")
            for line in lines
            if not line.grade.scored
        ),
        notes=notes,
        warnings=warnings,
    )


def _chunks(work: Work, lines: Sequence[Line], title: str, day: str | None, options: Options) -> Iterator[str]:
    """Yield the data as elements of the page: the first chunk is what the first view needs."""
    contents: list[str] = []
    problems: list[list[object]] = []
    names: dict[str, int] = {}
    shown: set[str] = set()
    for line in lines:
        name = line.grade.instance or ""
        if name in names:
            continue
        names[name] = len(names)
        chart = work.charts.get(name)
        if chart is not None:
            contents.append(chart)
        problems.append(problem_row(_unique(name, shown), set_name(line.grade), chart, len(contents)))
    places = _places(work, contents)
    overall, models = board(lines, options.chosen())
    index = {
        "title": plain(title),
        "about": about((line.grade.benchmark or "" for line in lines), options.profile, options.chosen(), day),
        "colours": {"tasks": PALETTE, "methods": {name: method_colour(name) for name in ("submission", "optimum")}},
        "words": wording(line.grade.benchmark for line in lines),
        "problems": problems,
        "scoring": scoring(lines),
        "meanings": meanings(),
        "overall": overall,
        "models": models,
        "rows": columns(lines, places, names),
    }
    for number, content in enumerate((packed(index), *contents)):
        yield f'<script type="application/x-planoracle" id="chunk-{number}">{_compressed(content)}</script>\n'


def _unique(name: str, shown: set[str]) -> str:
    """Return a name to show, different from all others also where long ones are cut."""
    text, count = plain(name), 1
    while text in shown:
        count += 1
        text = f"{plain(name)} ({count})"
    shown.add(text)
    return text


def _places(work: Work, contents: list[str]) -> list[tuple[int, int]]:
    """Add the sheets of all plans to the contents; return for every plan its chunk and its place there."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, (entry, *_) in enumerate(work.lines):
        groups[entry.instance or ""].append(i)
    places: dict[int, tuple[int, int]] = {}
    for members in groups.values():
        for start in range(0, len(members), _TOGETHER):
            part = members[start : start + _TOGETHER]
            contents.append(f"[{','.join(_sheet(work, i) for i in part)}]")
            places |= {i: (len(contents), k) for k, i in enumerate(part)}
    return [places[i] for i in range(len(work.lines))]


def _sheet(work: Work, i: int) -> str:
    priced = work.priced.get(i)
    return f"[{work.shown[i].sheet},{'null' if priced is None else priced.sheet}]"


def _compressed(text: str) -> str:
    return b64encode(zlib.compress(text.encode(), 9)).decode()


def _remarks(notes: Sequence[str], warnings: Sequence[str]) -> str:
    """Return what stands above every view; the warnings are of all plans, and stay on the first."""
    said = [("remark", note) for note in notes] + [("remark warning", one) for one in warnings[:_WARNINGS]]
    if len(warnings) > _WARNINGS:
        said.append(("remark warning", f"So are plans in {len(warnings) - _WARNINGS} more sets of a model."))
    lines = (f'<p class="{kind}">{html.escape(plain(text, 500))}</p>\n' for kind, text in said)
    return f'<div id="remarks">\n{"".join(lines)}</div>\n' if said else ""


def _page(title: str, remarks: str, data: str) -> str:
    """Put the page together. Only the script and the style with these hashes ever run or apply."""
    assets = files("planoracle.analysis.report") / "assets"
    script, style = (
        "\n".join((assets / name).read_text(encoding="utf-8") for name in names) for names in (_SCRIPTS, _STYLES)
    )
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    parts = {
        "TITLE": html.escape(plain(title)),
        "POLICY": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
        "REMARKS": remarks,
        "STYLE": style,
        "SCRIPT": script,
        "DATA": data,
    }
    # Cut at the marks first: nothing that is put in is looked at again.
    pieces = (assets / "page.html").read_text(encoding="utf-8").split("@@")
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
