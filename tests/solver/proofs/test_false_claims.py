"""False claims: a bound refuses itself plus one, and forged certificates are refused."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from support.all_schedules import small_instances
from support.forgeries import forged, raised
from support.samples import sample, some_problems

from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import load, problem
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs.certificate import certificate
from planoracle.solver.proofs.checker import RefusedError, check, check_schedule

#: Seeds of each block, and forgeries of each certificate.
SEEDS, FORGERIES = 3, 12


@cache
def _certificates(block: int) -> list[tuple[Instance, int, Any, Any]]:
    """Return instances with the optimum by exhaustive search, the document and a certificate."""
    rows = []
    for instance, optimum, schedules in small_instances(block, SEEDS):
        best = next((schedule for schedule in schedules if schedule.makespan == optimum), None)
        proof = certificate(instance, None if best is None else optimum, best)
        assert proof is not None
        rows.append((instance, optimum, to_document(instance), proof.as_dict()))
    return rows


def _is_accepted(document: Any, claim: Any) -> bool:
    try:
        return check(document, claim) == claim["bound"]
    except RefusedError:
        return False


@pytest.mark.parametrize("block", sample(range(80), 80))
def test_certified_bound_is_at_most_the_optimum_and_refuses_a_higher_claim(block: int) -> None:
    tight = 0
    for instance, optimum, document, proof in _certificates(block):
        assert _is_accepted(document, proof), instance
        assert proof["bound"] <= optimum, instance
        assert check_schedule(document, proof) == proof["makespan"]
        assert certificate(instance, optimum + 1).bound <= optimum, instance
        assert not _is_accepted(document, raised(proof, optimum + 1)), instance
        tight += proof["bound"] == optimum
    assert tight > 5


@pytest.mark.parametrize("block", sample(range(80), 80))
def test_forged_certificate_of_a_bound_above_the_optimum_is_refused(block: int) -> None:
    random = Random(block)
    for instance, optimum, document, proof in _certificates(block):
        for _ in range(FORGERIES):
            claim = forged(proof, optimum + random.choice((1, 1, 2)), random)
            assert not _is_accepted(document, claim), (instance, claim)


#: Bundled problems whose certificates have orders or two cases; the quick suite has these alone.
BRANCHED = ["recipe2plan/timed/Vada_Leche-Asada", "timearena/lab4+lab5"]
PROBLEMS = [*sample(BRANCHED, 1), *(pytest.param(name, marks=pytest.mark.slow) for name in some_problems())]


@pytest.mark.parametrize("name", PROBLEMS)
def test_bound_of_a_bundled_problem_refuses_itself_plus_one(name: str) -> None:
    if not isinstance(problem(name), Instance):
        pytest.skip("kitchens have no certificate")
    instance = load(name)
    result = solve(instance)
    assert result.makespan is not None
    try:
        proof = certificate(instance, result.makespan, result.schedule)
    except InputError as error:
        pytest.skip(str(error))
    assert proof is not None
    document, claim = to_document(instance), proof.as_dict()
    assert _is_accepted(document, claim)
    assert proof.bound <= result.makespan
    assert not _is_accepted(document, raised(claim, result.makespan + 1))
    random = Random(name)
    for _ in range(FORGERIES):
        assert not _is_accepted(document, forged(claim, result.makespan + 1, random))
