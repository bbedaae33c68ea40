"""Certificates for the bundled problems, found once and written into a checkout, to ship."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from planoracle.analysis.optima import Shipped, ways_of
from planoracle.analysis.output_files import output_file
from planoracle.analysis.verified import checked, proof_of
from planoracle.instances import catalogue, proofs, registry
from planoracle.instances.deadline import Work
from planoracle.instances.model import Instance
from planoracle.instances.optima import key_of
from planoracle.instances.problem import of_kind
from planoracle.instances.proofs import Proofs
from planoracle.solver.solve import solve

# Cases told apart: as many as a person can follow; where those do not do, as many as a program can check.
_LEAVES = 4, 64
_WORK = Work(600.0)


def certified(name: str) -> Proofs:
    """Return the certificates of a bundled problem in all ways in which its profiles see it, as far as it has any.

    Those that ship are kept if they hold and reach the makespan; others are found anew.
    """
    found: dict[str, dict[str, Any]] = {}
    for way in ways_of(name):
        proof = None if way.problem.kind != "schedule" else _kept(way) or _found(way)
        if proof is not None:
            found[key_of(way.problem, None)] = proof
    return found


def _kept(way: Shipped) -> dict[str, Any] | None:
    problem, proof = of_kind(way.problem, Instance), proof_of(way.problem)
    if proof is None:
        return None
    one = checked(proof, problem)
    wanted = one.makespan if way.entry is None else way.entry["makespan"]
    return proof if one.holds and one.bound == one.makespan == wanted else None


def _found(way: Shipped) -> dict[str, Any] | None:
    from planoracle.solver.explain.certificate import certificate

    problem = of_kind(way.problem, Instance)
    result = way.result() or solve(problem)
    if result.schedule is None:
        return None
    for leaves in _LEAVES:
        shown = certificate(problem, result.makespan, result.schedule, leaves=leaves, time_limit=_WORK)
        if shown is not None and shown.explained:
            return shown.as_dict()
    return None


def write(names: Iterable[str]) -> None:
    """Write the certificates of bundled problems into the files of their benchmarks, beside those of other problems."""
    new: dict[str, dict[str, dict[str, Any]]] = {}
    for name in names:
        new.setdefault(type(registry.of(catalogue.problem(name))).__module__, {}).update(certified(name))
    for package, found in new.items():
        kept = {key: proof for key, proof in proofs.read(package).items() if catalogue.names_problem(proof["instance"])}
        if kept | found:
            path = Path(str(files(package) / "data" / proofs.FILE))
            path.parent.mkdir(exist_ok=True)
            with output_file(path) as stream:
                stream.buffer.write(proofs.written(kept | found))
