"""Certificates from files, checked against their problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any

from planoracle.analysis.intake.lines import read_lines
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json, read_bytes

__all__ = ["Verified", "certificates", "verified"]


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a certificate holds.

    Attributes
    ----------
    kind
        See `planoracle.solver.explain.certificate.KINDS`; empty where it was refused.
    bound, makespan
        Ticks; the bound is proved, the makespan what the certificate says that was reached.
    holds
        Whether every step was found to be right.
    reason
        Why it was refused.
    """

    instance: str
    kind: str
    bound: int | None
    makespan: int | None
    holds: bool
    reason: str = ""

    def row(self) -> dict[str, Any]:
        """Return the fields for a table."""
        return asdict(self)


def certificates(path: str) -> Iterator[tuple[str, Any | InputError]]:
    """Yield where each certificate of a file stands, and what it is as parsed, or the error that a line is.

    The file is one document, a list of them, or one of them in every line.
    """
    data = read_bytes(path)
    try:
        whole = load_json(data, path)
    except InputError as error:
        if b"\n" not in data.strip():
            raise
        first = error
        lines = list(read_lines(BytesIO(data), path))
        if all(isinstance(found, InputError) for _, found in lines):  # it is no file of lines
            raise first from None
        yield from ((f"{path}:{number}", found) for number, found in lines)
        return
    for number, found in enumerate(whole, 1) if isinstance(whole, list) else [(0, whole)]:
        yield (f"{path}[{number - 1}]" if number else path), found


def verified(proof: Any, problems: Mapping[str, Instance]) -> Verified:
    """Check a certificate against the problem that it names.

    Nothing of the search for proofs is used, see `planoracle.solver.explain.checker`.

    Parameters
    ----------
    proof
        As parsed.
    problems
        By name.

    Raises
    ------
    InputError
        If it names none of the problems.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> from planoracle.solver.explain.certificate import certificate
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> proof = certificate(problem, 4080).as_dict()
    >>> verified(proof, {problem.name: problem}).holds
    True
    >>> verified(proof | {"bound": 4140, "makespan": 4140}, {problem.name: problem}).reason
    'step 2 does not hold: it is added up wrongly, or neither reaches the bound nor contradicts itself'
    """
    from planoracle.instances.files import to_document
    from planoracle.solver.explain.checker import RefusedError, check

    name = proof.get("instance") if isinstance(proof, dict) else None
    if not isinstance(name, str):
        raise InputError("is no certificate: it must be an object that names its instance", field="instance")
    if name not in problems:
        raise InputError("is about none of the problems given", field="instance", value=name)
    try:
        bound = check(to_document(problems[name]), proof)
    except RefusedError as error:
        return Verified(name, "", None, None, False, str(error))
    return Verified(name, proof["kind"], bound, proof["makespan"], True)
