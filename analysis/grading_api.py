"""Function of the public API that grades."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, overload

from planoracle.analysis.frames.schema import Grades
from planoracle.analysis.grading.grader import Grade, Grader, grade_all
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError


@overload
def grade(
    submissions: dict[str, Any],
    *,
    profile: str = "paper",
    instances: Iterable[str | Path] = (),
    trust_paths: bool = False,
) -> Grade: ...
@overload
def grade(
    submissions: Iterable[dict[str, Any]] | str | Path,
    *,
    profile: str = "paper",
    instances: Iterable[str | Path] = (),
    trust_paths: bool = False,
) -> Grades: ...
def grade(
    submissions: dict[str, Any] | Iterable[dict[str, Any]] | str | Path,
    *,
    profile: str = "paper",
    instances: Iterable[str | Path] = (),
    trust_paths: bool = False,
) -> Grade | Grades:
    """Grade one submission, several, or those in a file or folder.

    A submission or line that cannot be graded gives an unscored grade with a reason.

    Parameters
    ----------
    submissions
        Objects with ``instance``, the plan and optionally ``id``, ``model``, ``sample``; a text is the path of a file
        or folder, such as that of ``planoracle run``.
    profile
        Rule profile: ``paper`` or ``released``.
    instances, trust_paths
        Folders and files of problems that submissions may name by their paths, and True if they may name any file, see
        `planoracle.analysis.grading.problem_loader.Places`. By default they may name bundled problems only.

    Returns
    -------
    Grade, or a list of grades
        The list has ``to_frame()``, which returns the frame ``grades``.

    Raises
    ------
    InputError
        For a file or folder that cannot be opened.
    UnknownNameError
        For an unknown profile.

    Examples
    --------
    >>> plan = {"id": "a", "instance": "timearena/household1", "actions": ["wash cup"]}
    >>> grade(plan).success
    False
    >>> grade([plan, plan]).to_frame()["success"].tolist()
    [False, False]
    """
    places = Places(tuple(map(str, instances)), trust_paths)
    grader = Grader(profiles(profile), problems=Problems(places=places))
    if isinstance(submissions, dict):
        return grader.grade(submissions)
    if isinstance(submissions, str | Path):
        return Grades(grade_all(Intake([submissions]), grader))
    if not isinstance(submissions, Iterable):
        raise InputError("must be a submission, several, or a path", field="submissions", value=submissions)
    return Grades(grader.grade(submission, number) for number, submission in enumerate(submissions, 1))
