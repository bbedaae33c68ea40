"""Check of a proof that is stored beside a result, without the modules that search for proofs."""

from __future__ import annotations

from typing import Any

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.solver.proofs import checker, drcp_checker


def checked_bound(problem: Any, proof: Any) -> int:
    """Return the bound of a certificate or a DRCP proof of a document, which is checked.

    Raises
    ------
    RefusedError
        If it does not hold.
    """
    is_drcp = isinstance(proof, dict) and proof.get("format") == drcp_checker.FORMAT
    return drcp_checker.check(problem, proof) if is_drcp else checker.check(problem, proof)


def check_proof(instance: Instance, proof: Any, makespan: int | None) -> None:
    """Raise `ValueError` for a proof that does not hold, or proves another makespan."""
    try:
        bound = checked_bound(to_document(instance), proof)
    except checker.RefusedError as error:
        raise ValueError(f"its certificate is refused: {error}") from None
    if bound != makespan:
        raise ValueError(f"its certificate proves the bound {bound}, but the makespan is {makespan}")
