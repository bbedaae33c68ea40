"""Groups of runs: by cause of failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planoracle.analysis.frames.schema import from_rows
from planoracle.analysis.grading.grader import NOT_SCORED
from planoracle.analysis.statistics.observations import UNNAMED

if TYPE_CHECKING:
    import pandas as pd


def failure_causes(frame: pd.DataFrame) -> pd.DataFrame:
    """Count the failures of each model by cause: frame ``causes``.

    Parameters
    ----------
    frame
        ``grades``, or that of `planoracle.analysis.statistics.grade_columns.GradeRows`; ``failure_cause`` is that of
        `planoracle.analysis.grading.grader.cause_of`.

    Returns
    -------
    pandas.DataFrame
        The most frequent cause of all models first, ``not scored`` last.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"model": ["a", "a", "b", "b"], "failure_cause": ["unfinished", None, "late", "late"]})
    >>> print(failure_causes(frame).to_string(index=False, header=False))
    b       late 2  1.0
    a unfinished 1  0.5
    """
    models = frame["model"].astype(object).fillna("").replace("", UNNAMED)
    sizes, totals = models.value_counts(), frame["failure_cause"].value_counts()
    sums: dict[Any, Any] = frame.groupby([models, frame["failure_cause"]]).size().to_dict()
    counts = [(str(model), str(cause), int(count)) for (model, cause), count in sums.items()]
    counts.sort(key=lambda one: (one[1] == NOT_SCORED, -totals[one[1]], one[1], one[0]))
    rows = [
        {"model": model, "failure_cause": cause, "count": count, "share": count / sizes[model]}
        for model, cause, count in counts
    ]
    return from_rows("causes", rows)[0]
