"""Recorded answers of models: the verdicts stored with them beside those of the rules and the optimum.

Examples
--------
>>> rows = [{"id": "1", "model": "m", "instance": "timearena/household1", "plan": "wash cup"}]
>>> study = graded_answers(rows)
>>> verdict_table(study)[["model", "part", "answers", "valid", "optimal"]].to_dict("records")
[{'model': 'm', 'part': 'timearena/household', 'answers': 1, 'valid': 0.0, 'optimal': 0.0}]
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from planoracle.analysis.figures.colours import LINES, distinct_colours
from planoracle.analysis.figures.grouped_bars import grouped_bars
from planoracle.analysis.figures.style import DASHES, MARKERS, finish, new_axes, plain, value_axis
from planoracle.analysis.grading_api import grade
from planoracle.instances.errors import InputError

#: Verdicts on an answer, in the order of tables and figures, with their meanings.
VERDICTS: Final = {
    "recorded": "the verdict stored with the answer",
    "released": "the benchmark's released grader, run again",
    "valid": "the answer keeps all stated rules",
    "optimal": "it is valid, and proved to be as good as possible",
}
#: Violations of answers without a plan, such as those that end at a limit of tokens.
_WITHOUT_PLAN = frozenset(("no_plan", "cut_off"))
_COLUMNS = ("model", "benchmark", "set", "instance", "scored", "failure_cause", "violation", "makespan")


def graded_answers(answers: Iterable[dict[str, Any]] | str | Path) -> pd.DataFrame:
    """Return one row per recorded answer, with all verdicts.

    Parameters
    ----------
    answers
        Submissions, or the path of a file or folder, as for `planoracle.grade`.

    Returns
    -------
    Frame with the columns ``model``, ``part`` (the first two components of the name of the set), ``set``, ``instance``,
    ``size`` (the last component of the set if it is a number), ``scored``, the verdicts `VERDICTS`, ``has_plan``,
    ``failure_cause`` and ``lost`` (the share of time above the optimum, of valid answers).

    Raises
    ------
    InputError
        If nothing can be read.
    """
    rows = answers if isinstance(answers, str | Path) else list(answers)
    graded = grade(rows).to_frame()
    released = grade(rows, profile="released").to_frame()
    frame = graded[list(_COLUMNS)].copy()
    components = frame["set"].str.split("/")
    frame["part"] = components.str[:2].str.join("/")
    frame["size"] = pd.to_numeric(components.str[2], errors="coerce")
    frame["recorded"] = graded.get("recorded")
    frame["released"] = released["success"]
    frame["valid"] = graded["success"]
    frame["optimal"] = _optimal(graded)
    frame["has_plan"] = ~graded["violation"].isin(_WITHOUT_PLAN)
    gaps = graded["gap"].where(graded["success"].fillna(False))
    frame["lost"] = gaps.mask(frame["optimal"].fillna(False), 0.0)
    return frame


def _optimal(graded: pd.DataFrame) -> pd.Series[Any]:
    """Return whether grades are optimal, as their benchmark says or by weight and makespan."""
    is_best_weight = graded["best_weight"].isna() | (graded["weight"] == graded["best_weight"])
    is_shortest = graded["makespan"] == graded["optimal_makespan"]
    is_optimal = graded["success"] & is_best_weight.fillna(False) & is_shortest.fillna(False)
    stated = graded.get("optimal", pd.Series(pd.NA, index=graded.index, dtype="boolean"))
    return stated.astype("boolean").fillna(is_optimal).where(graded["scored"])


def verdict_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of right answers of every model and part by each verdict.

    Parameters
    ----------
    frame
        Result of `graded_answers`.

    Returns
    -------
    Frame with ``model``, ``part``, ``answers``, ``unscored``, a share per verdict (missing without any verdict),
    ``rejected`` and ``accepted`` (valid answers that the record calls wrong, invalid ones that it calls right),
    ``without_plan`` (share of answers) and ``lost`` (mean of valid answers).
    """
    rows = []
    for (model, part), answers in frame.groupby(["model", "part"], sort=True, observed=True):
        recorded = answers["recorded"].astype("boolean")
        valid = answers["valid"].astype("boolean")
        row: dict[str, Any] = {"model": model, "part": part, "answers": len(answers)}
        row["unscored"] = int((~answers["scored"]).sum())
        row |= {verdict: _share(answers[verdict]) for verdict in VERDICTS}
        row["rejected"] = int((valid & ~recorded).sum())
        row["accepted"] = int((~valid & recorded).sum())
        row["without_plan"] = _share(~answers["has_plan"])
        row["lost"] = answers["lost"].mean()
        rows.append(row)
    return pd.DataFrame(rows)


def _share(values: pd.Series[Any]) -> float:
    """Return the share of true values among those that are not missing; NaN if all are."""
    return float(values.astype("boolean").astype("Float64").mean()) if values.notna().any() else float("nan")


def cause_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the number of invalid answers by part, cause and model.

    Parameters
    ----------
    frame
        Result of `graded_answers`.

    Returns
    -------
    Frame with a row per part and cause, most frequent first, and a column per model.
    """
    failures = frame.dropna(subset=["failure_cause"])
    counts = failures.groupby(["part", "failure_cause", "model"], observed=True).size().unstack(fill_value=0)
    order = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    sorted_counts = counts.loc[order].sort_index(level="part", sort_remaining=False, kind="stable")
    return sorted_counts.reset_index()


def size_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of valid answers by part and size, of all answers and of those with a plan.

    Parameters
    ----------
    frame
        Result of `graded_answers`.

    Returns
    -------
    Frame with ``part``, ``size``, ``answers``, ``valid``, ``without_plan`` and ``with_plan`` (valid answers among those
    that have a plan).
    """
    sized = frame.dropna(subset=["size"])
    whole_sizes = sized.astype({"size": int})
    rows = []
    for (part, size), answers in whole_sizes.groupby(["part", "size"], sort=True, observed=True):
        row: dict[str, Any] = {"part": part, "size": size, "answers": len(answers)}
        row["valid"] = _share(answers["valid"])
        row["without_plan"] = _share(~answers["has_plan"])
        row["with_plan"] = _share(answers.loc[answers["has_plan"], "valid"])
        rows.append(row)
    return pd.DataFrame(rows)


def verdict_bars(frame: pd.DataFrame, part: str, ax: Axes | None = None) -> Axes:
    """Draw the shares of right answers of every model in a part, with a bar per verdict.

    Parameters
    ----------
    frame
        Result of `graded_answers`.
    part
        Part, such as ``asynchow/async``.
    ax
        Where to draw; without it, on a new figure.

    Raises
    ------
    InputError
        If the part has no answers.
    """
    answers = _of_part(frame, part)
    rows = []
    for verdict in VERDICTS:
        for model, own_answers in answers.groupby("model", sort=True, observed=True):
            share = _share(own_answers[verdict])
            count = int(own_answers[verdict].notna().sum())
            if count:
                rows.append({"set": verdict, "answers of": model, "success": share, "submissions": count})
    return grouped_bars(rows, "answers of", ax, about=f"Verdicts on answers in {part}", title=part)


def size_lines(frame: pd.DataFrame, part: str, ax: Axes | None = None) -> Axes:
    """Draw the share of valid answers by the size of problems, of all answers and of those with a plan.

    Parameters
    ----------
    frame
        Result of `graded_answers`.
    part
        Part whose sets are numbers, the sizes of their problems.
    ax
        Where to draw; without it, on a new figure.

    Raises
    ------
    InputError
        If the part has no answers, or no sizes.
    """
    answers = _of_part(frame, part).dropna(subset=["size"])
    if answers.empty:
        raise InputError("has no sets whose names are sizes", field="part", value=part)
    target = new_axes(ax, 6.0, 4.2)
    models = answers.groupby("model", sort=True, observed=True)
    handles = []
    for number, ((model, own_answers), colour) in enumerate(zip(models, distinct_colours(LINES), strict=False)):
        look: dict[str, Any] = {"color": colour, "marker": MARKERS[number % len(MARKERS)], "markersize": 5}
        with_plan = own_answers[own_answers["has_plan"]]
        for part_of_answers, dash in ((own_answers, "-"), (with_plan, DASHES[1])):
            shares = part_of_answers.groupby("size")["valid"].apply(_share)
            target.plot(shares.index, 100 * np.asarray(shares, dtype=float), ls=dash, lw=1.8, **look)
        handles.append(Line2D([], [], label=plain(str(model)), **look))
    handles.append(Line2D([], [], color="black", ls="-", label="all answers"))
    handles.append(Line2D([], [], color="black", ls=DASHES[1], label="answers with a plan"))
    value_axis(target.yaxis)
    target.set_ylim(-3, 103)
    target.set_label(f"Valid answers in {part} by the size of problems.")
    return finish(target, part, handles, is_new=ax is None, x="steps", y="valid answers (%)", axis="y")


def _of_part(frame: pd.DataFrame, part: str) -> pd.DataFrame:
    answers = frame[frame["part"] == part]
    if answers.empty:
        raise InputError("has no answers", field="part", value=part)
    return answers
