"""Certificates, from files or those that ship, checked against their problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from types import NoneType
from typing import Any, Final

from planoracle.analysis.intake.lines import read_lines
from planoracle.analysis.optima import Shipped, ways_of
from planoracle.instances import proofs, registry
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.optima import key_of
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.reading import load_json, read_bytes
from planoracle.solver.result import Result

__all__ = [
    "FORMAT",
    "VERSION",
    "Verified",
    "certificates",
    "checked",
    "plan_document",
    "proof_of",
    "shipped",
    "verified",
]


#: What `planoracle explain` writes of problems whose bounds are searched: a plan that anybody can replay.
FORMAT: Final = "planoracle/plan"
VERSION: Final = 1
_KEYS = {"format", "version", "instance", "profile", "makespan", "bound", "proved", "plan"}


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a certificate, or what ships about a problem, holds.

    Attributes
    ----------
    makespan
        Ticks of its schedule or plan, which was carried out by the rules; ``None`` if it has none.
    bound
        Ticks; no schedule is shorter.
    proved
        How that is known: ``certificate``, checked step by step, or ``search``, which says so and shows nothing;
        of a bundled entry that the current code cannot derive, the release that did.
    holds
        Whether all that can be checked was found to be right.
    reason
        Why it was refused.
    """

    instance: str
    makespan: int | None
    bound: int | None
    proved: str
    holds: bool
    reason: str = ""
    profile: str = ""

    def row(self) -> dict[str, Any]:
        """Return the fields for a table."""
        return asdict(self)


def plan_document(result: Result, profile: str) -> dict[str, Any]:
    """Return what there is to verify of a result whose bound was found by search alone."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance": result.instance,
        "profile": profile,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "proved": "search",
        "plan": result.plan,
    }


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


def verified(proof: Any, problems: Mapping[str, Problem]) -> Verified:
    """Check a certificate, or a plan whose bound was searched, against the problem that it names.

    Nothing of the search for proofs is used, see `planoracle.solver.explain.checker` and ``timetable``.

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
    >>> verified(proof | {"bound": 4140}, {problem.name: problem}).reason
    'step 2 does not hold: it is added up wrongly, or neither reaches the bound nor contradicts itself'
    """
    name = proof.get("instance") if isinstance(proof, dict) else None
    if not isinstance(name, str):
        raise InputError("is no certificate: it must be an object that names its instance", field="instance")
    if name not in problems:
        raise InputError("is about none of the problems given", field="instance", value=name)
    if proof.get("format") == FORMAT:
        return _replayed(proof, problems[name])
    return checked(proof, of_kind(problems[name], Instance))


def checked(proof: Any, instance: Instance) -> Verified:
    """Check a certificate against a scheduling problem, by the two files that stand alone."""
    from planoracle.instances.files import to_document
    from planoracle.solver.explain import checker, timetable

    problem = to_document(instance)
    try:
        bound = checker.check(problem, proof)
        makespan = timetable.check(problem, proof)
    except (checker.RefusedError, timetable.RefusedError) as error:
        return Verified(instance.name, None, None, "", False, str(error))
    return Verified(instance.name, makespan, bound, "certificate", True)


def _replayed(found: dict[str, Any], problem: Problem) -> Verified:
    def refused(why: str) -> Verified:
        return Verified(problem.name, None, None, "", False, why)

    benchmark = registry.of(problem)
    makespan, bound, profile = (found.get(key) for key in ("makespan", "bound", "profile"))
    if found.keys() != _KEYS or found["version"] != VERSION or found["proved"] != "search":
        return refused(f"it is no {FORMAT} of version {VERSION}")
    if type(makespan) is not int or type(bound) not in (int, NoneType) or (bound or 0) > makespan:
        return refused("its makespan is no whole number, or below its bound")
    if not isinstance(profile, str) or profile not in benchmark.profiles:
        return refused("it is by no profile of the rules")
    try:
        run = benchmark.run(problem, {"instance": problem.name, "plan": found["plan"]}, benchmark.profiles[profile])
    except InputError as error:
        return refused(str(error))
    if not run.success or run.verdict.makespan != makespan:
        return refused(f"its plan is no success that takes {makespan} {problem.unit}s")
    return Verified(problem.name, makespan, bound, "search", True, profile=profile)


def shipped(name: str) -> Iterator[Verified]:
    """Check what ships about a bundled problem, once for all profiles that see it alike.

    Plans are replayed by the rules, schedules also by `planoracle.solver.explain.timetable`; where there is a
    certificate, it has to reach what the table of optima says.

    Examples
    --------
    >>> [(one.bound, one.proved) for one in shipped("recipe2plan/timed/Cobbler_Pancakes")]
    [(4080, 'certificate')]
    >>> [(one.bound, one.proved) for one in shipped("kitchens/synchronous/0_cheese_sandwich")]
    [(12, 'search'), (12, 'search')]
    """
    for way in ways_of(name):
        yield replace(_shipped(way), instance=name, profile=", ".join(way.profiles))


def _shipped(way: Shipped) -> Verified:
    """Check what ships about a problem as some profiles see it: its entry, and its certificate."""
    entry = way.entry or {}
    makespan, bound = entry.get("makespan"), entry.get("bound")
    try:
        way.result()
    except Exception as error:  # whatever the file holds
        return Verified("", makespan, bound, "", False, f"its plan does not hold: {type(error).__name__}: {error}")
    proof = None if way.problem.kind != "schedule" else proof_of(way.problem)
    if proof is not None:
        one = checked(proof, of_kind(way.problem, Instance))
        if one.holds and entry and (one.bound, one.makespan) != (bound, makespan):
            return replace(one, holds=False, reason=f"the table of optima says {bound} and {makespan}")
        return one
    if not entry:
        return Verified("", None, None, "", False, "nothing ships, or for another problem of that name")
    return Verified("", makespan, bound, "search" if way.derivable else str(entry["proof"]), True)


def proof_of(problem: Problem) -> dict[str, Any] | None:
    """Return the certificate that ships for a scheduling problem, not yet checked."""
    return proofs.read(type(registry.of(problem)).__module__).get(key_of(problem, None))
