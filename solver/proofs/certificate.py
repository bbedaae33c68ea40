"""Certificates of lower bounds: a proof that a person can check by hand, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, TimeOverError, WorkLimit, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.proofs import checker
from planoracle.solver.proofs.branching import EVERYWHERE, LEAVES, Prover
from planoracle.solver.proofs.checker import FORMAT, VERSION
from planoracle.solver.proofs.derivations import MOST_ACTIONS, Arguments, Node
from planoracle.solver.proofs.proof_text import proof_lines
from planoracle.solver.proofs.steps import Load, Path, Proof, Step
from planoracle.solver.proofs.writer import critical_path, write_steps

#: Features of which optima have no certificates.
CERTIFICATES = Component("certificates", frozenset({Feature.OPTIONAL, Feature.TRANSITIONS}))

#: Default limit of work.
WORK = WorkLimit(60.0)
# Seconds per action, of the time limit, reserved for the check of the certificate.
_VERIFY = 1.5e-4

#: Kinds of proofs, from simple to complex; ``search``: the bound is below the makespan.
KINDS = ("critical path", "busy time", "chain", "supposition", "cases", "search")


def schedule_claim(schedule: Schedule | None, makespan: int | None, bound: int) -> dict[str, Any]:
    """Return the fields of a proof about its schedule, which are null without a schedule."""
    if schedule is None or makespan is None:
        return {"makespan": None, "gap": None, "schedule": None}
    pieces = [piece._asdict() for piece in schedule.pieces]
    return {"makespan": makespan, "gap": makespan - bound, "schedule": pieces}


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Proof):
    """A lower bound with its proof.

    Attributes
    ----------
    kind
        One of `KINDS`.
    makespan, gap
        Ticks. The gap is makespan minus bound, ``None`` if the makespan is unknown.
    schedule
        A schedule of that makespan, if it is part of the certificate.
    """

    instance: str
    kind: str
    makespan: int | None
    schedule: Schedule | None = None

    @property
    def gap(self) -> int | None:
        """Makespan minus bound in ticks; ``None`` if the makespan is unknown."""
        return None if self.makespan is None else self.makespan - self.bound

    @property
    def explained(self) -> bool:
        """True if the proof reaches the makespan."""
        return self.gap == 0

    def lines(self, instance: Instance) -> list[str]:
        """Return the proof in words, one line for each step."""
        return proof_lines(instance, self)

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate for JSON, as ``checker.py`` reads it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "instance": self.instance,
            "bound": self.bound,
            **schedule_claim(self.schedule, self.makespan, self.bound),
            "supposed": self.supposed,
            "steps": [step.to_json() for step in self.steps],
        }


def certificate(
    instance: Instance,
    makespan: int | None = None,
    schedule: Schedule | None = None,
    *,
    cases: bool = True,
    leaves: int = LEAVES,
    time_limit: Limit = WORK,
) -> Certificate | None:
    """Return the best lower bound on the makespan that has a proof to follow by hand.

    The order of attempts is: the longest path of the time lags; the busy time of agents or a resource (any set of
    actions, with the least time before and after them); several such arguments built on each other; the same by
    contradiction, supposing that all is done before ``makespan``; and a proof by a few cases.

    Parameters
    ----------
    makespan
        Makespan to be explained, in ticks: the optimum or the incumbent.
    schedule
        Schedule of that makespan, which becomes part of the certificate.
    cases
        Also try proofs by cases, and search for the best bound of simpler proofs; both take longer.
    leaves
        Largest number of cases; more than a person follows take minutes.
    time_limit
        Seconds of wall time, or counted work.

    Returns
    -------
    Certificate or None
        ``None`` if no bound was proved within the limit. Instances of more than 1,000 actions get the
        longest path only: tables of times would take gigabytes of memory.

    Raises
    ------
    InputError
        If the time lags contradict each other, no schedule can be as short as ``makespan``, or the instance has a
        feature that `CERTIFICATES` refuses.
    InternalError
        If the proof does not stand up to `planoracle.solver.proofs.checker.check`, or the schedule not to
        `planoracle.solver.proofs.checker.check_schedule`.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> shown = certificate(problem, 4080)
    >>> shown.kind, shown.bound, shown.explained
    ('busy time', 4080, True)
    >>> shown.steps[0].work, shown.steps[0].tail
    (3060, 1020)
    """
    CERTIFICATES.check(instance)
    limit = deadline_of(time_limit)
    reserve = _VERIFY * len(instance.actions)
    deadline = limit.sooner(limit.remaining() - reserve)
    try:
        path = critical_path(instance, deadline)
    except TimeOverError:
        return None
    if path.hops[0].source == path.hops[-1].target:
        raise InputError("has time lags that contradict each other", field="instance", value=instance.name)
    bound, supposed = path.ticks, None
    kind = KINDS[0]
    steps: tuple[Step, ...] = (path,)
    try:
        for higher, supposition, proof in _proofs(instance, makespan, deadline, cases, leaves):
            steps = write_steps(instance, proof, higher, supposition, deadline)
            bound, supposed = higher, supposition
            kind = _kind(proof, steps, supposed)
    except TimeOverError:
        pass  # the proofs written so far remain valid
    result = Certificate(
        instance=instance.name,
        kind=kind if makespan in (None, bound) else "search",
        bound=bound,
        makespan=makespan,
        schedule=schedule,
        steps=steps,
        supposed=supposed,
    )
    verify(instance, result)
    return result


def _proofs(
    instance: Instance, makespan: int | None, deadline: Deadline, cases: bool, leaves: int
) -> Iterator[tuple[int, int | None, Node]]:
    """Yield proofs with increasing bounds, and their suppositions."""
    if len(instance.actions) > MOST_ACTIONS:
        return
    base = Arguments(instance, deadline)
    low = base.bound
    simple, arguments = base.fork(), base.fork()
    simple.engage()
    if simple.bound > low:
        low = simple.bound
        yield low, None, Prover(base, low).direct(simple)
    arguments.grow(everywhere=len(arguments.event) <= EVERYWHERE, target=makespan)
    if arguments.contradictory or (makespan is not None and max(low, arguments.bound) > makespan):
        raise InputError("is shorter than the constraints allow", field="makespan", value=makespan)
    if arguments.bound > low:
        low = arguments.bound
        yield low, None, Prover(base, low).direct(arguments)
    if makespan is None or low == makespan:
        return
    prover = Prover(base, makespan, leaves)
    proof = prover.supposing()
    infers = False
    if proof is None and cases:
        infers = base.infer()
        inferred = base.fork()
        inferred.grow(everywhere=len(inferred.event) <= EVERYWHERE, target=makespan)
        if inferred.bound > low:
            low = inferred.bound
            yield low, None, Prover(base, low).direct(inferred)
        if low == makespan:
            return
        prover = Prover(base, makespan, leaves, infers=infers)
        proof = prover.supposing() or prover.by_cases()
    if proof is not None:
        yield makespan, prover.supposition_of(proof), proof
        return
    high = makespan
    while cases and high - low > 1:  # bisection over the bounds of the simpler kind
        middle = (low + high) // 2
        shorter = Prover(base, middle, infers=infers)
        better = shorter.supposing()
        if better is None:
            high = middle
        else:
            low = middle
            yield low, shorter.supposition_of(better), better


def verify(instance: Instance, certificate: Certificate) -> None:
    """Check a certificate with the stand-alone checker, from the documents of both.

    Raises
    ------
    InternalError
        Naming the first step that does not hold.
    """
    problem, proof = to_document(instance), certificate.as_dict()
    try:
        checker.check(problem, proof)
        checker.check_schedule(problem, proof)
    except checker.RefusedError as error:
        raise InternalError(f"{instance.name}: the checker refuses the certificate: {error}") from error


def _kind(proof: Node, steps: tuple[Step, ...], supposed: int | None) -> str:
    """Return the kind of a proof, one of `KINDS`."""
    if proof.choice:
        return "cases"
    if supposed is not None:
        return "supposition"
    if len(steps) == 1:
        return "critical path"
    loads = [step for step in steps if isinstance(step, Load)]
    last = steps[-1]
    if len(steps) == 2 and loads and isinstance(last, Path) and len(last.hops) == 1:
        return "busy time"
    return "chain"
