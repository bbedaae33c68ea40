"""Details of one plan as JSON: violations, critique, metrics and regret."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from typing import Any, cast

from planoracle.analysis.diagnosis.decisions import decisions
from planoracle.analysis.diagnosis.regret import RunRegret
from planoracle.analysis.grading.grader import Grade
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import ClockFormat, FeedbackItem, Section
from planoracle.instances.protocol.plan import COMMON_FIELDS
from planoracle.instances.text import visible

#: Maximum number of listed violations.
MAX_FAULTS = 200
#: Maximum number of characters of a plan.
MAX_PLAN = 20_000
#: Maximum number of characters of one paragraph.
MAX_PARAGRAPH = 6_000
#: Maximum number of decisions that are drawn.
MAX_DECISIONS = 1_000

# Fields that appear elsewhere on the page, or are too long for a table.
_OMITTED = {
    *(
        "format",
        "version",
        "id",
        "instance",
        "scored",
        "success",
        "violation",
        "violation_index",
        "violations",
        "benchmark",
        "model",
        "line",
    ),
    *("reason", "makespan", "optimal_makespan", "steps", "labels", "causes", "lacks", "main_score", "source"),
    *("sample", "read", "read_from", "ignored", "other_problem", "foreign", "optimum_status", "optimum_bound"),
}
# Metrics of all benchmarks.
_COMMON = {
    "executed": ("number of commands carried out", ""),
    "progress": ("share of the actions carried out", "share"),
    "goal_ratio": ("share of the tasks completed", "share"),
}


def faults(sections: Iterable[Section]) -> list[list[Any]]:
    """Return violations with explanations by command: ``[kind, command, start, end, text, subject]``."""
    findings: list[FeedbackItem] = []
    for section in sections:
        findings += section.findings
    findings.sort(key=_position_key)
    rows = []
    for finding in findings[:MAX_FAULTS]:
        fault = finding.violation
        times = fault.start, fault.end
        rows.append(_fault_row(fault.kind, fault.position, times, finding.text, fault.subject))
    return rows


def _position_key(finding: FeedbackItem) -> tuple[bool, int]:
    """Return the sort key of a finding: by command, those without a command last."""
    position = finding.violation.position
    return position is None, position or 0


def grade_faults(grade: Grade) -> list[list[Any]]:
    """Return the violations of a grade in the form of `faults`; the plan is not available."""
    rows = []
    for fault in (grade.violations or ())[:MAX_FAULTS]:
        times = fault.get("start"), fault.get("end")
        rows.append(_fault_row(fault["kind"], fault["index"], times, fault["message"], fault["subject"]))
    return rows


def _fault_row(
    kind: str, position: int | None, times: tuple[int | None, int | None], text: str, subject: str
) -> list[Any]:
    return [plain(kind, 60), position, *map(whole_or_none, times), plain(text, 1000), plain(subject)]


def prose(text: str) -> list[list[str]]:
    """Split the prose of a critique into ``[title, paragraph]``."""
    rows = []
    for line in text.splitlines():
        title, _, paragraph = line.partition(": ")
        if paragraph:
            rows.append([plain(title, 80), plain(paragraph, MAX_PARAGRAPH)])
    return rows


def metrics(grade: Grade) -> list[list[Any]]:
    """Return names and values of the metrics of a grade, those of its benchmark last."""
    values = {name: value for name, value in grade.row().items() if name not in _OMITTED}
    return [[plain(name, 60), _value_text(value)] for name, value in values.items()]


def wording(benchmarks: Iterable[str | None]) -> dict[str, tuple[str, str]]:
    """Return meaning and unit of the metrics of some benchmarks.

    >>> wording(["generic"])["progress"]
    ('share of the actions carried out', 'share')
    """
    words = dict(_COMMON)
    for name in sorted({name for name in benchmarks if name}):
        benchmark = registry.find(name)
        for column in benchmark.columns if benchmark else ():
            unit = "%" if column.unit == "percent" else column.unit
            words.setdefault(column.name, (column.meaning, unit))
    return words


def _value_text(value: Any) -> Any:
    if isinstance(value, dict):
        counts = (f"{name} {count}" for name, count in value.items())
        return plain(", ".join(counts))
    if isinstance(value, list | tuple):
        return plain(", ".join(map(str, value[:20])))
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return whole(value)
    return value


def plan_text(submission: dict[str, Any], plan_fields: Iterable[str] = ("plan",)) -> str:
    """Return the submitted plan, one entry of a list to a line, cut if it is very long."""
    names = [name for name in (*plan_fields, *COMMON_FIELDS) if name in submission]
    plan = submission[names[0]] if names else None
    entries = plan[:MAX_PLAN] if isinstance(plan, list) else [plan]
    lines = (entry if isinstance(entry, str) else _json(entry) for entry in entries)
    return plain("\n".join(lines), MAX_PLAN)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "…"


def _short_command(command: str) -> str:
    """Return a command; for a JSON object, such as a piece of a schedule, its action."""
    if not command.startswith("{"):
        return command
    try:
        return str(json.loads(command)["action"])
    except (RecursionError, ValueError, KeyError):
        return command


def regret_sheet(regret: RunRegret, clock: ClockFormat) -> dict[str, Any]:
    """Return the decisions of a run with their regrets.

    Returns
    -------
    dict
        ``decisions``: ``[kind, command, start, end, cost, status, best makespan before, after, words]``.
    """
    # Without the run, the text omits the search for a conflict.
    text = decisions(replace(regret, run=None), clock).text
    rows = cast("list[list[Any]]", [])
    for decision in regret.decisions[:MAX_DECISIONS]:
        times = map(whole_or_none, (decision.start, decision.end, decision.cost))
        makespans = decision.before, decision.after
        words = plain(_short_command(decision.command), 160)
        rows.append([decision.kind, decision.position, *times, decision.status, *makespans, words])
    return {
        "decisions": rows,
        "total": whole_or_none(regret.total),
        "no_return": regret.no_return,
        "text": plain(text, MAX_PARAGRAPH),
    }


# Browsers count with 53 bits.
_MAX_WHOLE = 2**53


def plain(text: str, limit: int = 200) -> str:
    r"""Cut a text, and escape invisible characters except line breaks and tabs, see `visible`.

    Markup stays: the page shows text as text.

    >>> plain("<b>\x1b[31m\ud800", 20), plain("abcdef", 4)
    ('<b>\\x1b[31m\\ud800', 'abc…')
    """
    escaped = visible(text[: limit + 1], keep="\n\t")
    return escaped if len(escaped) <= limit else f"{escaped[: limit - 1]}…"


def whole(number: int) -> int:
    """Return a whole number, or the nearest one that a browser holds exactly.

    >>> whole(10**400) == 2**53
    True
    """
    return max(-_MAX_WHOLE, min(_MAX_WHOLE, number))


def whole_or_none(number: int | None) -> int | None:
    """Return `whole` of a number that may be unknown."""
    return None if number is None else whole(number)


def compact_json(value: Any) -> str:
    """Write a value as compact JSON; numbers that JSON cannot represent are null."""
    return json.dumps(_json_value(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _json_value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_json_value(element) for element in value]
    if isinstance(value, dict):
        return {key: _json_value(element) for key, element in value.items()}
    return value
