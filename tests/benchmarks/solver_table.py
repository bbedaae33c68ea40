"""Page of results of `solvers.py`: a table of sets and methods in Markdown, and exceptions.

A run is a row of the results, see the README. Ratios leave out the problems that both methods prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import exp, log
from statistics import fmean, median
from typing import Any

Run = dict[str, Any]

REFERENCES = ("plain", "release")
#: Methods that state a problem to CP-SAT as it is; small problems are compared with the faster one.
DIRECT = ("plain", "core")
#: Problems with fewer actions are small.
SMALL = 100
#: Exceptions: ratio of makespans; ratio and milliseconds of processor time; share and seconds beyond the limit.
LONGER, SLOWER, SLOW_MS, LATE, LATE_SECONDS = 1.01, 2.0, 20.0, 0.05, 0.1
#: Share of a core below which a machine was busy with other work.
BUSY = 0.8
#: Sections of exceptions of one kind show this many.
MOST = 40

LEGEND = """\
- *files*: problems that the method supports; *unknown*: neither a schedule nor a proof, errors included.
- *÷ plain*, *÷ release*: geometric mean of makespans relative to these methods, over the problems with two schedules
  of which at most one is proved; *worst*: the largest ratio to plain.
- *gap*: mean distance of makespans to the best known ones.
- *median*, *total*: processor time; *÷ direct*: geometric mean of times relative to the better of plain and core for
  this set, over the problems that both methods prove.
- *excess*: largest wall time beyond the limit; *MB*: largest peak memory of a process with one solve.
"""


def is_proved(run: Run) -> bool:
    """Return whether the answer is final."""
    return run["status"] in ("optimal", "infeasible")


def has_commit(method: str) -> bool:
    """Return whether a method runs our solver, so that its results depend on the commit."""
    return method.startswith(("ours", "release"))


def core_share(run: Run) -> float:
    """Return the share of a core that a run had; 1 for runs of less than a second."""
    return run["processor"] / run["wall"] if run.get("wall", 0) >= 1 else 1.0


def page(runs: Iterable[Run], commit: str = "", seconds: float = 0) -> str:
    """Return the page of the results.

    Parameters
    ----------
    commit
        Commit of our solver; by default, that of its last run.
    seconds
        Limit of the runs; by default, that of the last one.
    """
    rows = list(runs)
    seconds = seconds or rows[-1]["seconds"]
    rows = [row for row in rows if row["seconds"] == seconds and row["status"] != "unsupported"]
    commits = {row["method"]: row["commit"] for row in rows if has_commit(row["method"])}
    if commit:
        commits |= {method: commit for method in commits if method.startswith("ours")}
    rows = [row for row in rows if commits.get(row["method"], row["commit"]) == row["commit"]]
    cases: dict[tuple[str, str], dict[str, Run]] = {}
    for row in rows:
        cases.setdefault((row["set"], row["file"]), {})[row["method"]] = row
    methods = list(dict.fromkeys(row["method"] for row in rows))
    references = [method for method in REFERENCES if method in methods]
    names = ", ".join(f"{method} = commit {text}" for method, text in commits.items())
    releases = ", ".join(sorted({row["ortools"] for row in rows}))
    columns = ["set", "method", "files", "proved", "unknown", *(f"÷ {name}" for name in references), "worst", "gap"]
    columns += ["median (ms)", "total (ms)", "÷ direct", "excess (s)", "MB"]
    latest = [run for runs in cases.values() for run in runs.values()]
    busy = sum(core_share(run) < BUSY for run in latest)
    lines = [
        f"Limit {seconds:g} s, OR-Tools {releases}; {names}. "
        f"{busy} of {len(latest)} runs had less than {BUSY:.0%} of a core.",
        "",
        f"| {' | '.join(columns)} |",
    ]
    lines.append("|---|---|" + "---:|" * (len(columns) - 2))
    sets = list(dict.fromkeys(name for name, _ in cases))
    for name in [*sets, *(["**all**"] if len(sets) > 1 else [])]:
        members = [runs for (title, _), runs in cases.items() if title == name or name == "**all**"]
        for method in methods:
            if any(method in runs for runs in members):
                lines.append(f"| {' | '.join([name, method, *_cells(members, method, references)])} |")
    return "\n".join([*lines, "", LEGEND, *_stages(cases), *_exceptions(cases)])


def _stages(cases: dict[tuple[str, str], dict[str, Run]]) -> Iterator[str]:
    """Yield a table of the stages of our solver that settle the problems of each set, with times."""
    times: dict[tuple[str, str], list[float]] = {}
    for (name, _), runs in cases.items():
        if "ours" in runs and runs["ours"].get("stage") and is_proved(runs["ours"]):
            times.setdefault((name, runs["ours"]["stage"]), []).append(1000 * runs["ours"]["processor"])
    if times:
        yield "| set | stage that settled it | problems | median (ms) | total (ms) |\n|---|---|---:|---:|---:|"
        for (name, stage), own in sorted(times.items(), key=lambda item: (item[0][0], median(item[1]))):
            yield f"| {name} | {stage} | {len(own)} | {median(own):,.1f} | {sum(own):,.0f} |"
        yield ""


def _cells(cases: list[dict[str, Run]], method: str, references: list[str]) -> Iterator[str]:
    """Yield the cells of one set and method."""
    runs = [case[method] for case in cases if method in case]
    yield str(len(runs))
    yield str(sum(map(is_proved, runs)))
    yield str(sum(run["status"] in ("unknown", "error") for run in runs))
    ratios = {name: _ratios(cases, method, name, "makespan", _not_both_proved) for name in references}
    for name in references:
        yield _number(ratios[name], _geometric_mean, ".3f") if name != method else ""
    yield _number(ratios.get("plain", []), max, ".3f") if method != "plain" else ""
    gaps = [run["makespan"] / run["best_known"] - 1 for run in runs if _has_gap(run)]
    yield _number(gaps, fmean, ".1%")
    times = [1000 * run["processor"] for run in runs if run["status"] != "error"]
    yield _number(times, median, ",.1f")
    yield _number(times, sum, ",.0f")
    direct = [_ratios(cases, method, name, "processor", _both_proved) for name in DIRECT]
    yield _number([_geometric_mean(values) for values in direct if values], max, ".2f")
    yield _number([run["wall"] - run["seconds"] for run in runs if run["status"] != "error"], _positive_max, ".2f")
    yield _number([run["peak_mb"] for run in runs if run.get("peak_mb")], max, ".0f")


def _ratios(
    cases: list[dict[str, Run]], method: str, reference: str, field: str, compared: Callable[[Run, Run], bool]
) -> list[float]:
    """Return the ratios of a field to that of another method, over the cases to compare."""
    pairs = [(case[method], case[reference]) for case in cases if method in case and reference in case]
    return [one[field] / other[field] for one, other in pairs if compared(one, other)]


def _not_both_proved(one: Run, other: Run) -> bool:
    return bool(one.get("makespan") and other.get("makespan")) and not (is_proved(one) and is_proved(other))


def _both_proved(one: Run, other: Run) -> bool:
    return is_proved(one) and is_proved(other)


def _has_gap(run: Run) -> bool:
    return bool(run.get("makespan")) and isinstance(run["best_known"], int)


def _number(values: list[float], summary: Callable[[list[float]], float], form: str) -> str:
    return format(summary(values), form) if values else "-"


def _geometric_mean(values: list[float]) -> float:
    return exp(fmean(map(log, values)))


def _positive_max(values: list[float]) -> float:
    return max(0.0, *values)


def _exceptions(cases: dict[tuple[str, str], dict[str, Run]]) -> Iterator[str]:
    """Yield the sections of exceptions of our solver."""
    sections: dict[str, list[str]] = {
        f"longer than plain by more than {LONGER - 1:.0%}": [],
        "unknown where plain has a schedule": [],
        "not proved where plain, core or the release has a proof": [],
        f"slower than {SLOWER:g} times the better direct profile and {SLOW_MS:g} ms, small problems": [],
        f"beyond the limit by more than {LATE:.0%} + {LATE_SECONDS:g} s": [],
        "errors of any method, and answers that contradict each other": [],
    }
    longer, unknown, unproved, slower, late, wrong = sections.values()
    for (title, file), runs in cases.items():
        name = f"{title}/{file}"
        wrong += [f"{name}: {method}: {run['message']}" for method, run in runs.items() if run["status"] == "error"]
        wrong += [f"{name}: {text}" for text in _contradictions(runs)]
        ours, plain = runs.get("ours"), runs.get("plain", {})
        if ours is None or ours["status"] == "error":
            continue
        if plain.get("makespan"):
            if not ours["makespan"]:
                unknown.append(f"{name}: {ours['status']}, plain {plain['makespan']}")
            elif ours["makespan"] > LONGER * plain["makespan"]:
                excess = ours["makespan"] / plain["makespan"] - 1
                longer.append(f"{name}: {ours['makespan']}, plain {plain['makespan']} (+{excess:.1%})")
        others = [method for method in (*DIRECT, "release") if method in runs and is_proved(runs[method])]
        proofs = {method: 1000 * runs[method]["processor"] for method in others}
        milliseconds = 1000 * ours["processor"]
        if proofs and not is_proved(ours):
            method = min(proofs, key=proofs.__getitem__)
            unproved.append(f"{name}: {ours['status']}, {method} {proofs[method]:,.0f} ms")
        proofs.pop("release", None)  # speed is compared with the direct models
        if proofs:
            method = min(proofs, key=proofs.__getitem__)
            if (ours["actions"] or SMALL) < SMALL and milliseconds > max(SLOW_MS, SLOWER * proofs[method]):
                slower.append(f"{name}: {milliseconds:,.1f} ms, {method} {proofs[method]:,.1f} ms")
        if max(ours["wall"], ours["processor"]) > (1 + LATE) * ours["seconds"] + LATE_SECONDS:
            late.append(f"{name}: wall {ours['wall']:.2f} s, processor {ours['processor']:.2f} s")
    for heading, lines in sections.items():
        yield f"**{heading}**: {len(lines) or 'none'}"
        yield ""
        yield from (f"- {line}" for line in lines[:MOST])
        if len(lines) > MOST:
            yield f"- and {len(lines) - MOST} more"
        if lines:
            yield ""


def _contradictions(runs: dict[str, Run]) -> Iterator[str]:
    """Yield contradictions: a schedule shorter than a proved bound, or of an infeasible problem."""
    bounds = {method: run["lower_bound"] for method, run in runs.items() if run.get("lower_bound")}
    schedules = {method: run["makespan"] for method, run in runs.items() if run.get("makespan")}
    if bounds and schedules:
        high, low = max(bounds, key=bounds.__getitem__), min(schedules, key=schedules.__getitem__)
        if bounds[high] > schedules[low]:
            yield f"lower bound {bounds[high]} of {high}, makespan {schedules[low]} of {low}"
    for method, run in runs.items():
        if run["status"] == "infeasible" and schedules:
            yield f"infeasible by {method}, schedule of {', '.join(schedules)}"
