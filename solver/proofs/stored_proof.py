"""Check of a certificate that is stored beside a result, without the modules that search for proofs."""

from __future__ import annotations

from typing import Any

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.solver.proofs.checker import RefusedError, check


def check_proof(instance: Instance, certificate: Any, makespan: int | None) -> None:
    """Raise `ValueError` for a certificate that does not hold, or proves another makespan."""
    try:
        bound = check(to_document(instance), certificate)
    except RefusedError as error:
        raise ValueError(f"its certificate is refused: {error}") from None
    if bound != makespan:
        raise ValueError(f"its certificate proves the bound {bound}, but the makespan is {makespan}")
