"""Submissions as tasks: what is shipped to grade them, and what their grades depend on."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.batch.limits import MAX_ANSWER, NO_LIMITS, LimitError, Limits, too_long
from planoracle.analysis.batch.work import Answer, Chunk, Item, Packed, pack
from planoracle.analysis.grade import VERSION, Grade, Grader
from planoracle.analysis.optimum import remembering
from planoracle.analysis.problems import Problems
from planoracle.analysis.profiles import profiles
from planoracle.analysis.recent import Recent
from planoracle.analysis.submissions import INTERNAL, Place
from planoracle.instances.digest import FORMAT, digest, fingerprint, of_text
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.solver.result import versions

__all__ = ["Grading", "Submissions"]

# No path is longer.
_LONGEST = 4096


@dataclass(frozen=True)
class Grading:
    """Grade submissions; all that decides how. A row is that of `Grade.row`, without ``line`` and ``source``.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name.
    trace
        As in `Grade.row`.
    cached
        Whether proved optima are kept on the disk; does not decide anything.
    limits
        What a submission may take; one that takes more is unscored.
    own_limits
        Whether a submission may set its run a limit of its own.
    """

    profile: str = "paper"
    rules: tuple[tuple[str, str], ...] = ()
    trace: bool = False
    cached: bool = True
    limits: Limits = NO_LIMITS
    own_limits: bool = True
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())

    @property
    def settings(self) -> str:
        """Digest of all that decides about grades, but problem and submission."""
        options = (self.profile, dict(self.rules), self.trace, tuple(self.limits), self.own_limits)
        return digest("grade", FORMAT, VERSION, *options, self.versions)

    def grader(self) -> Grader:
        """Return a grader that knows no files; raises `UnknownNameError` for unknown rules."""
        rules = profiles(self.profile, dict(self.rules))
        return Grader(rules, problems=Problems(), own_limits=self.own_limits, details=self.trace)

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        """Return what grades chunks in this process."""
        grader = self.grader()
        shipped: Recent[str, Problem | InputError] = Recent()

        def unpacked(packed: Packed) -> Problem | InputError:
            return shipped.get(packed.fingerprint, lambda: pickle.loads(packed.data))

        def run(chunk: Chunk) -> Iterator[Answer]:
            for name, packed in chunk.problems.items():
                grader.problems.put(name, unpacked(packed))
            try:
                with remembering(self.cached):
                    for task in chunk.tasks:
                        submission = pickle.loads(task)
                        yield self._answer(grader, submission, grader.grade(submission))
            finally:  # the same name may mean another problem to whoever asks next
                for name in chunk.problems:
                    grader.problems.forget(name)

        return run

    def refused(self, task: bytes, error: LimitError) -> Answer:
        """Return the row of a submission that takes more than it may."""
        submission = pickle.loads(task)
        grader = Grader(problems=Problems())
        return self._answer(grader, submission, grader.unscored(submission, error))

    def _answer(self, grader: Grader, submission: object, grade: Grade) -> Answer:
        text = _json(grade, trace=self.trace)
        if len(text) > MAX_ANSWER:
            grade = grader.unscored(submission, too_long("grade"))
            text = _json(grade, trace=self.trace)
        return Answer(text, lasting=not (grade.reason or "").startswith(INTERNAL))


def _json(grade: Grade, *, trace: bool) -> str:
    row = grade.row(trace=trace)
    del row["line"], row["source"]
    return json.dumps(row)


class Submissions:
    """Makes items of submissions, with the problems from files that they name.

    Parameters
    ----------
    problems
        What finds the problems.
    keyed
        Whether results are to be kept, for which everything they depend on must be known.
    """

    def __init__(self, work: Grading, problems: Problems, *, keyed: bool) -> None:
        self._settings = work.settings if keyed else None
        self._problems = problems
        self._files: Recent[str, Packed | None] = Recent(1024)

    def item(self, place: Place, entry: Any) -> Item:
        """Return the item of one submission that could be read as JSON.

        Raises
        ------
        InputError
            If it is nested too deeply, or there is not enough memory for it.
        """
        try:
            return self._item(place, entry)
        except RecursionError:
            raise InputError("is nested too deeply") from None
        except MemoryError:
            raise InputError("cannot be read: there is not enough memory") from None

    def _item(self, place: Place, entry: Any) -> Item:
        name = entry.get("instance") if isinstance(entry, dict) else None
        shipped: dict[str, Packed] = {}
        about = None
        if isinstance(name, str) and len(name) <= _LONGEST:
            packed = self._files.get(name, lambda: self._packed(name))
            if packed is not None:
                shipped, about = {name: packed}, packed.fingerprint
            elif self._settings is not None:
                about = self._bundled(name)
        key = None
        if self._settings is not None:
            key = of_text(f"{self._settings} {bool(shipped)} {about} {json.dumps(entry)}")
        return Item(str(place), place, key, pack(entry), shipped)

    def _packed(self, name: str) -> Packed | None:
        if not self._problems.in_file(name):
            return None
        try:
            problem = self._problems.find(name)
        except InputError as error:
            return Packed(digest(str(error)), pack(error))
        return Packed(fingerprint(problem), pack(problem))

    def _bundled(self, name: str) -> str:
        try:
            return fingerprint(self._problems.find(name))
        except InputError as error:
            return digest(str(error))
