"""DRCP proofs of bounds and of infeasibility: refutations by the solver Pumpkin, in a format that anybody can check.

The README of this folder says what a DRCP proof is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.proofs import drcp_checker
from planoracle.solver.proofs.certificate import CERTIFICATES
from planoracle.solver.proofs.checker import RefusedError, _Problem, check_schedule
from planoracle.solver.proofs.drcp_checker import FORMAT, VERSION, Cumulative, Statement

# Seconds of wall time of a search without limit, and for the start and the end of its process.
_MAX_SECONDS, _START = 3600.0, 10.0
# Share of the time limit for the search; the check of a proof takes less than its search.
_SEARCH = 0.6
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
        Ticks. Above `planoracle.solver.proofs.drcp_checker.largest_makespan`, it proves that there is no schedule.
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
        has_schedule = self.schedule is not None
        return {
            "format": FORMAT,
            "version": VERSION,
            "instance": self.instance,
            "bound": self.bound,
            "makespan": self.bound if has_schedule else None,
            "gap": 0 if has_schedule else None,
            "schedule": None if self.schedule is None else [piece._asdict() for piece in self.schedule.pieces],
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
        raise NoRefutationError("DRCP proofs need the extra proofs: pip install 'planoracle[proofs]'")
    CERTIFICATES.check(instance)
    deadline = Deadline(min(deadline_of(time_limit).remaining(), _MAX_SECONDS))
    document = to_document(instance)
    if bound is None:
        largest = drcp_checker.largest_makespan(document)
        if largest is None:
            raise NoRefutationError("no horizon is known: calendars or windows without a last deadline or a time limit")
        bound = largest + 1
    try:
        statement = Statement(_Problem(document), bound - 1)
    except RefusedError as error:
        raise NoRefutationError(str(error)) from None
    steps = () if statement.is_refuted else _search(statement, deadline)
    proof = DrcpProof(instance=instance.name, bound=bound, schedule=schedule, steps=steps)
    _verify(document, proof, deadline)
    return proof


def _verify(document: dict[str, Any], proof: DrcpProof, deadline: Deadline) -> None:
    """Check a proof with the stand-alone checker, from the documents of both."""
    try:
        drcp_checker.check(document, proof.as_dict(), max_seconds=deadline.remaining())
        check_schedule(document, proof.as_dict())
    except drcp_checker.CheckTimeError as error:
        raise NoRefutationError(f"the proof of {proof.size} bytes was not checked: {error}") from None
    except RefusedError as error:
        raise InternalError(f"{proof.instance}: the checker refuses the DRCP proof: {error}") from error


def _search(statement: Statement, deadline: Deadline) -> tuple[str, ...]:
    """Return the lines of a proof by Pumpkin, which runs in a process of its own."""
    if statement.parking > _MAX_VALUE:
        raise NoRefutationError(f"times must be at most {_MAX_VALUE} ticks for a DRCP proof")
    seconds = _SEARCH * deadline.remaining()
    script = Path(__file__).with_name("pumpkin.py")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.drcp"
        command = [sys.executable, "-P", str(script), str(path), str(seconds)]
        try:
            run = subprocess.run(
                command, input=_text(statement), capture_output=True, text=True, timeout=seconds + _START, check=False
            )
        except subprocess.TimeoutExpired:
            raise NoRefutationError("Pumpkin did not end at its time limit") from None
        if run.returncode:
            raise NoRefutationError(f"Pumpkin ended with an error: {run.stderr.strip()[:200]}")
        outcome = run.stdout.strip()
        if outcome == "unknown":
            raise NoRefutationError("Pumpkin found no proof within the time limit")
        if outcome != "refuted":
            raise NoRefutationError("the conditions of DRCP proofs alone admit such a schedule")
        return _needed_lines(path.read_text().splitlines())


def _text(statement: Statement) -> str:
    """Return a statement for the script ``pumpkin.py``: domains, and terms, limit, tasks and capacity each."""
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
    last = max(number for number, line in enumerate(lines) if line.startswith("n "))
    atoms: set[str] = set()
    steps = {lines[last].split()[1]}
    needed = []
    for line in reversed(lines[: last + 1]):
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
            steps.update(token.removeprefix("c:") for token in reasons if reasons[-1] == "l:nogood")
        atoms.update(token.removeprefix("-") for token in premises)
    return tuple(reversed(needed))
