"""Details of one plan as JSON: violations, critique, metrics and regret."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from typing import Any, cast

from planoracle.analysis.diagnosis.decisions import decisions
from planoracle.analysis.diagnosis.regret import DecisionRegret, RunRegret
from planoracle.analysis.grading.grader import Grade
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import ClockFormat, Section
from planoracle.instances.protocol.plan import COMMON_FIELDS
from planoracle.instances.text import visible

#: Maximum number of listed violations, and of characters of a plan and of one paragraph.
MAX_FAULTS, MAX_PLAN, MAX_PARAGRAPH = 200, 20_000, 6_000
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
    findings = [finding for section in sections for finding in section.findings]
    findings.sort(key=lambda one: (one.violation.position is None, one.violation.position or 0))
    rows = []
    for one in findings[:MAX_FAULTS]:
        fault = one.violation
        rows.append(_fault_row(fault.kind, fault.position, fault.start, fault.end, one.text, fault.subject))
    return rows


def grade_faults(grade: Grade) -> list[list[Any]]:
    """Return the violations of a grade in the form of `faults`; the plan is not available."""
    return [
        _fault_row(one["kind"], one["index"], one.get("start"), one.get("end"), one["message"], one["subject"])
        for one in (grade.violations or ())[:MAX_FAULTS]
    ]


def _fault_row(
    kind: str, position: int | None, start: int | None, end: int | None, text: str, subject: str
) -> list[Any]:
    times = [None if tick is None else whole(tick) for tick in (start, end)]
    return [plain(kind, 60), position, *times, plain(text, 1000), plain(subject)]


def prose(text: str) -> list[list[str]]:
    """Split the prose of a critique into ``[title, paragraph]``."""
    parts = (line.partition(": ") for line in text.splitlines())
    return [[plain(title, 80), plain(paragraph, MAX_PARAGRAPH)] for title, _, paragraph in parts if paragraph]


def metrics(grade: Grade) -> list[list[Any]]:
    """Return names and values of the metrics of a grade, those of its benchmark last."""
    return [[plain(name, 60), _value_text(value)] for name, value in grade.row().items() if name not in _OMITTED]


def wording(benchmarks: Iterable[str | None]) -> dict[str, tuple[str, str]]:
    """Return meaning and unit of the metrics of some benchmarks.

    >>> wording(["generic"])["progress"]
    ('share of the actions carried out', 'share')
    """
    words = dict(_COMMON)
    for name in sorted({name for name in benchmarks if name}):
        owner = registry.find(name)
        for column in owner.columns if owner else ():
            words.setdefault(column.name, (column.meaning, "%" if column.unit == "percent" else column.unit))
    return words


def _value_text(value: Any) -> Any:
    if isinstance(value, dict):
        return plain(", ".join(f"{name} {count}" for name, count in value.items()))
    if isinstance(value, list | tuple):
        return plain(", ".join(map(str, value[:20])))
    if isinstance(value, str):
        return plain(value)
    return whole(value) if isinstance(value, int) and not isinstance(value, bool) else value


def plan_text(submission: dict[str, Any], plan_fields: Iterable[str] = ("plan",)) -> str:
    """Return the submitted plan, one entry of a list to a line, cut if it is very long."""
    plan = next((submission[name] for name in (*plan_fields, *COMMON_FIELDS) if name in submission), None)
    entries = plan[:MAX_PLAN] if isinstance(plan, list) else [plan]
    return plain("\n".join(one if isinstance(one, str) else _json(one) for one in entries), MAX_PLAN)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "…"


def _command(one: DecisionRegret) -> str:
    """Return a command as text; for a JSON object, such as a piece of a schedule, its action."""
    try:
        return str(json.loads(one.command)["action"]) if one.command.startswith("{") else one.command
    except (RecursionError, ValueError, KeyError):
        return one.command


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
    for one in regret.decisions[:MAX_DECISIONS]:
        times = [None if tick is None else whole(tick) for tick in (one.start, one.end, one.cost)]
        words = plain(_command(one), 160)
        rows.append([one.kind, one.position, *times, one.status, one.before, one.after, words])
    return {
        "decisions": rows,
        "total": None if regret.total is None else whole(regret.total),
        "no_return": regret.no_return,
        "text": plain(text, MAX_PARAGRAPH),
    }


# Browsers count with 53 bits.
_MOST = 2**53


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
    return max(-_MOST, min(_MOST, number))


def compact_json(value: Any) -> str:
    """Write a value as compact JSON; numbers that JSON cannot represent are null."""
    return json.dumps(_json_value(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _json_value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_json_value(one) for one in value]
    if isinstance(value, dict):
        return {key: _json_value(one) for key, one in value.items()}
    return value
