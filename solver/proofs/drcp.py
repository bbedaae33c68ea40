"""DRCP proofs of bounds and of infeasibility: refutations by the solver Pumpkin.

The README of this folder says what a DRCP proof is, and how anybody can check it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.proofs.certificate import CERTIFICATES, schedule_claim
from planoracle.solver.proofs.checker import RefusedError, _Problem, check_schedule
from planoracle.solver.proofs.drcp_checker import (
    FORMAT,
    MAX_BYTES,
    NOGOOD,
    VERSION,
    CheckTimeError,
    Cumulative,
    Domains,
    Refutation,
    Statement,
    check,
    largest_makespan,
)

# Seconds of wall time of a search without limit, and for the start and the end of its process.
_MAX_SECONDS, _START = 3600.0, 10.0
# Share of the time limit for the search; the check of a proof takes less than its search.
_SEARCH = 0.75
# Largest value of a variable: Pumpkin computes with 32 bits.
_MAX_VALUE = 10**9


class NoRefutationError(InputError):
    """Problem and bound without a DRCP proof; the message is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrcpProof:
    """DRCP proof that no schedule is shorter than a bound.

    Attributes
    ----------
    bound
        Ticks. Above `planoracle.solver.proofs.largest_makespan`, it proves that there is no schedule.
    schedule
        Schedule with the makespan ``bound``, if it is part of the proof.
    steps
        Lines of the proof, see `planoracle.solver.proofs.drcp_checker`.
    """

    instance: str
    bound: int
    schedule: Schedule | None
    steps: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of bytes of the lines."""
        return sum(len(line) + 1 for line in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Return the proof for JSON, as ``drcp_checker.py`` reads it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "instance": self.instance,
            "bound": self.bound,
            **schedule_claim(self.schedule, self.bound, self.bound),
            "supposed": self.bound - 1,
            "steps": list(self.steps),
        }


def is_available() -> bool:
    """Return whether the extra ``proofs`` is installed."""
    return find_spec("pumpkin_solver") is not None


def refute(
    instance: Instance, bound: int | None, schedule: Schedule | None = None, *, time_limit: Limit = 60.0
) -> DrcpProof:
    """Return a checked DRCP proof that no schedule is shorter than a bound.

    Parameters
    ----------
    bound
        Ticks; ``None`` to prove that there is no schedule at all.
    schedule
        Schedule with the makespan ``bound``, which becomes part of the proof.
    time_limit
        Seconds of wall time, also if work is counted: Pumpkin counts none. Search and check end within the limit and
        a few seconds.

    Raises
    ------
    NoRefutationError
        If there is no proof within the limit, the conditions of `Statement` admit a schedule, the problem has a feature
        that certificates refuse, or the extra ``proofs`` is not installed.
    InternalError
        If the stand-alone checker refuses the proof.
    """
    if not is_available():
        raise NoRefutationError("the extra proofs is not installed (pip install 'planoracle[proofs]')")
    if refusal := CERTIFICATES.refusal(instance):
        raise NoRefutationError(refusal)
    deadline = Deadline(min(deadline_of(time_limit).remaining(), _MAX_SECONDS))
    document = to_document(instance)
    if bound is None:
        largest = largest_makespan(document)
        if largest is None:
            raise NoRefutationError("no horizon is known: calendars or windows without a last deadline or a time limit")
        bound = largest + 1
    try:
        statement = Statement(_Problem(document), bound - 1)
    except RefusedError as error:
        raise NoRefutationError(str(error)) from None
    lines = [] if statement.is_refuted else _search(statement, deadline)
    proof = DrcpProof(instance=instance.name, bound=bound, schedule=schedule, steps=_needed_lines(lines))
    if proof.size > MAX_BYTES:
        raise NoRefutationError(f"the proof has {proof.size} bytes, and at most {MAX_BYTES} can be read")
    try:
        return _verify(document, proof, statement, lines, deadline)
    except CheckTimeError as error:
        raise NoRefutationError(f"the proof of {proof.size} bytes was not checked: {error}") from None
    except RefusedError as error:
        raise InternalError(f"{instance.name}: the checker refuses the DRCP proof: {error}") from error


def _verify(
    document: dict[str, Any], proof: DrcpProof, statement: Statement, lines: list[str], deadline: Deadline
) -> DrcpProof:
    """Check a proof with the stand-alone checker, and complete it if it does not hold as it is."""
    check_schedule(document, proof.as_dict())
    try:
        check(document, proof.as_dict(), max_seconds=deadline.remaining())
    except CheckTimeError:
        raise
    except RefusedError:
        completed = _Completion(statement, deadline.remaining()).complete(lines)
        proof = replace(proof, steps=_needed_lines(completed))
        check(document, proof.as_dict(), max_seconds=deadline.remaining())
    return proof


class _Completion(Refutation):
    """Completion of a proof by steps that Pumpkin leaves out: earlier nogoods with one open atom."""

    def complete(self, lines: list[str]) -> list[str]:
        """Return the lines of a proof with the steps that are missing."""
        completed = []
        for line in lines:
            match = NOGOOD.fullmatch(line)
            text = line if match is None else self._completed_nogood(match)
            if not self._check_line(text):
                raise RefusedError(f"a line of Pumpkin does not hold: {line[:200]}")
            completed.append(text)
        return completed

    def _completed_nogood(self, match: re.Match[str]) -> str:
        name, numbers, steps = match.groups()
        domains = self._domains([self._literal(number) for number in numbers.split()])
        completed: list[int] = []
        for step in map(int, steps.split()):
            if not self._apply(step, domains):
                completed += self._unit_nogoods(step, domains)
            completed.append(step)
            self._apply(step, domains)
        return " ".join(map(str, ("n", name, *numbers.split(), 0, *completed)))

    def _unit_nogoods(self, step: int, domains: Domains) -> Iterator[int]:
        """Yield nogoods that reduce a variable of an inference whose premises are not implied."""
        premises, _ = self._inferences[step]
        variables = {premise.variable for premise in premises if not domains.imply(premise)}
        for name, nogood in self._nogoods.items():
            literals = [literal for literal in nogood if not domains.imply(literal)]
            if len(literals) == 1 and literals[0].variable in variables:
                self._apply(name, domains)
                yield name


def _search(statement: Statement, deadline: Deadline) -> list[str]:
    """Return the lines of a proof by Pumpkin, which runs in a process of its own."""
    if statement.parking > _MAX_VALUE:
        raise NoRefutationError(f"times must be at most {_MAX_VALUE} ticks for a DRCP proof")
    seconds = _SEARCH * deadline.remaining()
    script = Path(__file__).with_name("pumpkin.py")
    command = [sys.executable, "-P", str(script), str(seconds)]
    text = _text(statement)
    try:
        run = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=deadline.remaining() + _START, check=False
        )
    except subprocess.TimeoutExpired:
        raise NoRefutationError("Pumpkin did not end at its time limit") from None
    if run.returncode:
        raise NoRefutationError(f"Pumpkin ended with an error: {run.stderr.strip()[:200]}")
    answer = json.loads(run.stdout)
    if answer["outcome"] == "unknown":
        raise NoRefutationError("Pumpkin found no proof within the time limit")
    if answer["outcome"] == "satisfiable":
        raise NoRefutationError("the conditions that DRCP proofs use admit such a schedule")
    return [line for line in answer["lines"] if not line.startswith("c ")]


def _text(statement: Statement) -> str:
    """Return a statement for ``pumpkin.py``; a constraint has terms, a limit, tasks and a capacity."""
    constraints: list[tuple[Any, ...]] = []
    for constraint in statement.constraints:
        if isinstance(constraint, Cumulative):
            constraints.append(((), 0, constraint.tasks, constraint.capacity))
        else:
            constraints.append((constraint.terms, constraint.limit, (), 0))
    domains = list(zip(statement.lower, statement.upper, strict=True))
    return json.dumps({"domains": domains, "constraints": constraints})


def _needed_lines(lines: list[str]) -> tuple[str, ...]:
    """Return the lines of a proof that its last nogood needs, itself or by other lines."""
    atoms: set[str] = set()
    steps = {line.split()[1] for line in lines[-1:]}
    needed = []
    for line in reversed(_short_lines(lines)):
        kind, name, *tokens = line.split()
        if name not in (atoms if kind == "a" else steps):
            continue
        needed.append(line)
        if kind == "a":
            continue
        end = tokens.index("0")
        premises, reasons = tokens[:end], tokens[end + 1 :]
        if kind == "n":
            steps.update(reasons)
        else:
            premises += [token for token in reasons if ":" not in token]
            if reasons[-1] == "l:nogood":
                steps.add(reasons[-2].removeprefix("c:"))
        atoms.update(token.removeprefix("-") for token in premises)
    return tuple(reversed(needed))


def _short_lines(lines: list[str]) -> list[str]:
    """Return the lines of a proof without repeated inferences and those about initial domains.

    The checker begins with these domains.
    """
    names: dict[str, str] = {}  # of inferences, by their text
    first_names: dict[str, str] = {}
    short = []
    for line in lines:
        kind, name, text = line.split(" ", 2)
        if kind == "a":
            short.append(line)
        elif kind == "i":
            first_names[name] = "" if text.endswith("l:initial_domain") else names.setdefault(text, name)
            if first_names[name] == name:
                short.append(line)
        else:
            atoms, _, steps = f" {text} ".partition(" 0 ")
            step_names = [first_names.get(step, step) for step in steps.split()]
            short.append(" ".join((kind, name, *atoms.split(), "0", *filter(None, step_names))))
    return short
