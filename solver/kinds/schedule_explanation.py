"""Explanation of a schedule by a certificate of its optimum, or of infeasibility by a conflict."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Any

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, deadline_of
from planoracle.instances.protocol.feedback import span
from planoracle.solver.exact.search import solve
from planoracle.solver.explanation import Explanation
from planoracle.solver.proofs.certificate import CERTIFICATES, Certificate, certificate
from planoracle.solver.proofs.conflict import EXPLANATION, find_conflict
from planoracle.solver.proofs.constraints import demands_of
from planoracle.solver.proofs.drcp import DrcpProof, NoRefutationError, refute
from planoracle.solver.proofs.feasibility import is_refuted_without_presolve
from planoracle.solver.result import CERTIFICATE, DRCP, TWO_SOLVERS, Result

# Share of the remaining time for a DRCP proof; the rest is for a second run of CP-SAT.
_REFUTATION = 0.8


def explain_schedule(instance: Instance, time_limit: Limit) -> Explanation:
    """Solve a problem within half of the limit, and explain the result within the other half."""
    deadline = deadline_of(time_limit)
    result = solve(instance, time_limit=_half(deadline))
    if result.status == Status.infeasible:
        return _with_refutation(instance, result, _explain_infeasibility(instance, result, _half(deadline)), deadline)
    if refusal := CERTIFICATES.refusal(instance):
        explanation = _explain_by_search(instance, result, refusal)
    else:
        proof = certificate(instance, result.makespan, result.schedule, time_limit=_half(deadline))
        if proof is None:
            explanation = _explain_by_search(instance, result, "no certificate was found within the time limit")
        else:
            explanation = _explain_by_proof(instance, result, proof)
    if result.makespan is None or explanation.explained:
        return explanation
    return _with_refutation(instance, result, explanation, deadline)


def _half(deadline: Deadline) -> Deadline:
    return deadline.sooner(deadline.remaining() / 2)


def _with_refutation(instance: Instance, result: Result, explanation: Explanation, deadline: Deadline) -> Explanation:
    """Add a DRCP proof to an explanation, or else the verdict of a second run of CP-SAT."""
    lines = explanation.lines()
    try:
        limit = deadline.sooner(_REFUTATION * deadline.remaining())
        proof = refute(instance, result.makespan, result.schedule, time_limit=limit)
    except NoRefutationError as error:
        if not explanation.explained and not CERTIFICATES.refusal(instance):
            lines.append(f"There is no DRCP proof: {error.message}.")
    else:
        return _explain_by_refutation(result, explanation, proof)
    grade = explanation.proof_grade
    if result.status == Status.optimal and is_refuted_without_presolve(instance, result.makespan or 0, deadline):
        grade = TWO_SOLVERS
        lines.append("CP-SAT without presolve proves as well that no schedule is shorter.")
    return replace(explanation, proof_grade=grade, _lines=tuple(lines))


def _explain_by_refutation(result: Result, explanation: Explanation, proof: DrcpProof) -> Explanation:
    """Add a DRCP proof, which may settle what the search has not."""
    lines = explanation.lines()
    if result.status == Status.feasible:
        lines[0] = f"{explanation.instance}: {Status.optimal}, {result.makespan} {explanation.unit}s."
        explanation = replace(explanation, status=Status.optimal, lower_bound=result.makespan)
    return replace(
        explanation, kind=DRCP, proof_grade=DRCP, document=proof.as_dict(), _lines=(*lines, _refutation(result, proof))
    )


def _refutation(result: Result, proof: DrcpProof) -> str:
    """Return what a DRCP proof shows, in a sentence."""
    claim = "there is no schedule" if result.makespan is None else "no schedule is shorter"
    if not proof.steps:
        return f"The checker of DRCP proofs, drcp_checker.py, shows by longest paths alone that {claim}."
    return (
        f"A DRCP proof of {len(proof.steps)} lines ({proof.size} bytes) shows that {claim}: the solver Pumpkin derives "
        "a contradiction, and drcp_checker.py in plain Python, or planoracle verify, checks each line."
    )


def _explain_by_search(instance: Instance, result: Result, reason: str) -> Explanation:
    """Return the explanation of a result without a certificate."""
    objective = "no schedule was found" if result.makespan is None else span(instance, result.makespan)
    if result.weight is not None:
        objective = f"weight {result.weight} of at most {result.weight_bound}, {objective}"
    line = f"{_head(result)}, {objective}; {reason}."
    return Explanation(**_fields(result), _lines=(line,))


def _explain_infeasibility(instance: Instance, result: Result, deadline: Deadline) -> Explanation:
    refusal = EXPLANATION.refusal(instance)
    if refusal:
        return _explain_mandatory_part(instance, result, refusal, deadline)
    conflict = find_conflict(instance, time_limit=deadline)
    lines = [f"{_head(result)}."] if conflict is None else conflict.lines()
    return Explanation(**_fields(result), conflict=conflict, _lines=tuple(lines))


def _explain_mandatory_part(instance: Instance, result: Result, refusal: str, deadline: Deadline) -> Explanation:
    """Explain infeasibility by the mandatory tasks without ways and set-up times, if possible."""
    sentence = f"{_head(result)} ({result.proof}); {refusal}"
    part = _mandatory_part(instance)
    if part is None:
        return Explanation(**_fields(result), _lines=(f"{sentence}.",))
    conflict = find_conflict(part, time_limit=deadline)
    if conflict is None:
        return Explanation(**_fields(result), _lines=(f"{sentence}; without them, there is a schedule.",))
    if conflict.status != Status.infeasible:
        return Explanation(**_fields(result), _lines=(f"{sentence}.",))
    omitted = sorted(EXPLANATION.refused & features_of(instance))
    note = f"This explanation leaves out {', '.join(omitted)}."
    return Explanation(**_fields(result), conflict=conflict, _lines=(*conflict.lines(), note))


def _mandatory_part(instance: Instance) -> Instance | None:
    """Return the mandatory tasks without ways and set-up times: it is infeasible only if the problem is.

    Returns
    -------
    Instance or None
        ``None`` if no task is mandatory, or if an optional one sets a state, which others may need.
    """
    optional = instance.weights.keys()
    actions = {action.id: action for action in instance.actions if action.task not in optional}
    optional_actions = [action for action in instance.actions if action.id not in actions]
    if not actions or any(map(_sets_states, optional_actions)):
        return None
    return replace(
        instance,
        actions=tuple(_without_visits(action, actions.keys()) for action in actions.values()),
        lags=tuple(lag for lag in instance.lags if lag.before in actions and lag.after in actions),
        optional=(),
        transitions=(),
    )


def _sets_states(action: Action) -> bool:
    return any(demand.sets is not None for demand in demands_of(action))


def _without_visits(action: Action, retained: Set[str]) -> Action:
    """Return an action without place and families, whose modes follow retained actions only."""
    modes = []
    for mode in action.modes:
        demands = tuple(replace(demand, family=None) for demand in mode.demands)
        after = tuple(name for name in mode.after if name in retained)
        modes.append(replace(mode, demands=demands, after=after))
    return replace(action, modes=tuple(modes), place=None)


def _explain_by_proof(instance: Instance, result: Result, proof: Certificate) -> Explanation:
    """Return the explanation by a certificate, which may settle what the search has not."""
    fields = _fields(result)
    first_lines = _first_lines(instance, result, proof)
    if result.status == Status.feasible and proof.explained:
        fields |= {"status": Status.optimal, "lower_bound": result.makespan}
        first_lines[0] = f"{instance.name}: {Status.optimal}, {span(instance, proof.bound)}."
    if proof.explained:
        fields["proof_grade"] = CERTIFICATE
    lines = [*first_lines, *proof.lines(instance)]
    if proof.gap and result.status == Status.optimal:
        gap = span(instance, proof.gap)
        lines.append(f"The remaining {gap} up to the optimum are proved by search ({result.proof}).")
    return Explanation(
        **fields,
        kind=proof.kind,
        explained_bound=proof.bound,
        certificate=proof,
        document=proof.as_dict(),
        _lines=tuple(lines),
    )


def _first_lines(instance: Instance, result: Result, proof: Certificate) -> list[str]:
    """Return the line about the result, and the heading of the proof."""
    head = _head(result)
    if result.makespan is None:
        return [
            f"{head}; neither a schedule nor a proof of infeasibility was found within the time limit.",
            f"Lower bound for every schedule ({proof.kind}):",
        ]
    makespan = span(instance, result.makespan)
    if proof.explained:
        return [f"{head}, {makespan}.", f"Proof that no schedule is shorter ({proof.kind}):"]
    sentence = f"{head}, {makespan}."
    if result.status == Status.feasible:
        lower_bound = span(instance, max(result.lower_bound or 0, proof.bound))
        sentence = (
            f"{head}, {makespan}; the proved lower bound is {lower_bound}, "
            "and the time limit ended the search for shorter schedules."
        )
    return [sentence, f"Proof of a lower bound ({proof.kind}):"]


def _head(result: Result) -> str:
    return f"{result.instance}: {result.status}"


def _fields(result: Result) -> dict[str, Any]:
    """Return the fields that an explanation shares with its result."""
    return {
        "instance": result.instance,
        "status": result.status,
        "makespan": result.makespan,
        "lower_bound": result.lower_bound,
        "unit": result.unit,
        "weight": result.weight,
        "proof_grade": result.proof_grade,
    }
