"""Certificates: those of files and the bundled ones, checked against their problems; new ones of bundled problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from types import NoneType
from typing import Any, Final

from planoracle.analysis.console import output_file
from planoracle.analysis.intake.archives import read_lines
from planoracle.analysis.verification.bundled_checks import BundledEntry, ways_of
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import bundled_results, registry
from planoracle.instances.protocol.bundled_results import Proofs, key_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import Result
from planoracle.solver.solve import bundled_result, solve

#: What `planoracle explain` writes of problems whose bounds are searched: a plan that anybody can replay.
FORMAT: Final = "planoracle/plan"
VERSION: Final = 1
_KEYS = {"format", "version", "instance", "profile", "makespan", "bound", "proved", "plan"}


@dataclass(frozen=True, slots=True)
class Verification:
    """Verdict on a certificate, on a plan with a claimed bound, or on a bundled optimum.

    Attributes
    ----------
    makespan
        Ticks of its schedule or plan, which was replayed by the rules; ``None`` if it has none.
    bound
        Ticks; claimed: no schedule is shorter.
    proved
        ``certificate``: checked step by step. ``search``: claimed without a certificate; of a bundled entry that the
        current code cannot derive, the release that derived it.
    holds
        True if all claims were checked, False if one is refuted, ``None`` if the bound was not checked.
    reason
        Why it does not hold, or what was not checked.
    """

    instance: str
    makespan: int | None
    bound: int | None
    proved: str
    holds: bool | None
    reason: str = ""
    profile: str = ""

    def row(self) -> dict[str, Any]:
        """Return the fields for a table."""
        return asdict(self)


def plan_document(result: Result, profile: str) -> dict[str, Any]:
    """Return the plan and the bound of a result without a certificate, as a document."""
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


def verified(proof: Any, problems: Mapping[str, Problem]) -> Verification:
    """Check a certificate, or a plan without one, against the problem that it names and its bundled optimum.

    Nothing of the search for proofs is used, see `planoracle.solver.proofs.checker` and ``timetable``.

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
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.solver.proofs.certificate import certificate
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
    return _compared(checked(proof, of_kind(problems[name], Instance)), problems[name])


def checked(proof: Any, instance: Instance) -> Verification:
    """Check a certificate against a scheduling problem, by the two files that stand alone."""
    from planoracle.instances.files.instance_file import to_document
    from planoracle.solver.proofs import checker, schedule_checker

    problem = to_document(instance)
    try:
        bound = checker.check(problem, proof)
        makespan = schedule_checker.check(problem, proof)
    except (checker.RefusedError, schedule_checker.ScheduleRefusedError) as error:
        return Verification(instance.name, None, None, "", False, str(error))
    return Verification(instance.name, makespan, bound, "certificate", True)


def _replayed(found: dict[str, Any], problem: Problem) -> Verification:
    def refused(why: str) -> Verification:
        return Verification(problem.name, None, None, "", False, why)

    benchmark = registry.of(problem)
    makespan, bound, profile = (found.get(key) for key in ("makespan", "bound", "profile"))
    if found.keys() != _KEYS or found["version"] != VERSION or found["proved"] != "search":
        return refused(f"it is no {FORMAT} of version {VERSION}")
    if type(makespan) is not int or type(bound) not in (int, NoneType) or (bound or 0) > makespan:
        return refused("its makespan is no whole number, or below its bound")
    if not isinstance(profile, str) or profile not in benchmark.rules.profiles:
        return refused("it is by no profile of the rules")
    rules = benchmark.rules.profiles[profile]
    try:
        run = benchmark.run(problem, {"instance": problem.name, "plan": found["plan"]}, rules)
    except InputError as error:
        return refused(str(error))
    if not run.success or run.verdict.makespan != makespan:
        return refused(f"its plan is no success that takes {makespan} {problem.unit}s")
    one = Verification(
        problem.name, makespan, bound, "search", bound is None or None, _unchecked(makespan, bound), profile
    )
    return _compared(one, benchmark.under(problem, rules), None if problem.kind == "schedule" else rules)


def _unchecked(makespan: int | None, bound: int | None) -> str:
    """Return what a claim without a certificate leaves open."""
    if makespan is None:
        return "no plan, and no certificate that there is none"
    return "" if bound is None else "plan holds, bound not checked"


def _compared(one: Verification, problem: Problem, rules: Rules | None = None) -> Verification:
    """Refuse what contradicts the optimum of a formula, or a bundled optimum, whose plan is replayed."""
    least, result = registry.of(problem).formula_optimum(problem), bundled_result(problem, rules)
    if least is None and (result is None or one.holds is False):
        return one
    shortest, bound = (least, least) if result is None else (result.makespan, result.lower_bound)
    if result is not None and result.status == Status.infeasible and one.makespan is not None:
        why = "it is bundled as infeasible"
    elif one.bound is not None and shortest is not None and one.bound > shortest:
        why = f"a plan of {shortest} is known"
    elif one.makespan is not None and bound is not None and one.makespan < bound:
        why = f"the known bound is {bound}"
    else:
        return one
    return replace(one, holds=False, reason=f"contradicts what is known of the problem: {why}")


def shipped(name: str) -> Iterator[Verification]:
    """Check the bundled optimum of a problem, once for all profiles that see the problem alike.

    Plans are replayed by the rules, schedules also by `planoracle.solver.proofs.schedule_checker`; where there is a
    certificate, it has to reach what the table of optima says. Without one the bound is not checked.

    Examples
    --------
    >>> [(one.bound, one.proved) for one in shipped("recipe2plan/timed/Cobbler_Pancakes")]
    [(4080, 'certificate')]
    >>> [(one.bound, one.reason) for one in shipped("kitchens/synchronous/0_cheese_sandwich")]
    [(12, 'plan holds, bound not checked'), (12, 'plan holds, bound not checked')]
    """
    for way in ways_of(name):
        yield replace(_shipped(way), instance=name, profile=", ".join(way.profiles))


def _shipped(way: BundledEntry) -> Verification:
    """Check what ships about a problem as some profiles see it: its entry, and its certificate."""
    entry = way.entry or {}
    makespan, bound = entry.get("makespan"), entry.get("bound")
    try:
        way.result()
    except Exception as error:  # whatever the file holds
        return Verification("", makespan, bound, "", False, f"its plan does not hold: {type(error).__name__}: {error}")
    proof = None if way.problem.kind != "schedule" else proof_of(way.problem)
    if proof is not None:
        one = checked(proof, of_kind(way.problem, Instance))
        if one.holds and entry and (one.bound, one.makespan) != (bound, makespan):
            return replace(one, holds=False, reason=f"the table of optima says {bound} and {makespan}")
        return one
    if not entry:
        return Verification("", None, None, "", False, "nothing ships, or for another problem of that name")
    proved = "search" if way.derivable else str(entry["proof"])
    return Verification("", makespan, bound, proved, None, _unchecked(makespan, bound))


def proof_of(problem: Problem) -> dict[str, Any] | None:
    """Return the certificate that ships for a scheduling problem, not yet checked."""
    return bundled_results.read_proofs(type(registry.of(problem)).__module__).get(key_of(problem, None))


# Cases told apart: as many as a person can follow; where those do not do, as many as a program can check.
_LEAVES = 4, 64
_WORK = WorkLimit(600.0)


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


def _kept(way: BundledEntry) -> dict[str, Any] | None:
    problem, proof = of_kind(way.problem, Instance), proof_of(way.problem)
    if proof is None:
        return None
    one = checked(proof, problem)
    wanted = one.makespan if way.entry is None else way.entry["makespan"]
    return proof if one.holds and one.bound == one.makespan == wanted else None


def _found(way: BundledEntry) -> dict[str, Any] | None:
    from planoracle.solver.proofs.certificate import certificate

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
        new.setdefault(type(registry.of(catalog.problem(name))).__module__, {}).update(certified(name))
    for package, found in new.items():
        kept = {
            key: proof
            for key, proof in bundled_results.read_proofs(package).items()
            if catalog.names_problem(proof["instance"])
        }
        if kept | found:
            path = Path(str(files(package) / "data" / bundled_results.PROOFS_FILE))
            path.parent.mkdir(exist_ok=True)
            with output_file(path) as stream:
                stream.buffer.write(bundled_results.proofs_bytes(kept | found))
