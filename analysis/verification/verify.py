"""Checks of certificates and plans, in files or bundled; new certificates of bundled problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from types import NoneType
from typing import Any

from planoracle.analysis.console import output_file
from planoracle.analysis.intake.byte_streams import read_lines
from planoracle.analysis.verification.bundled_checks import BundledEntry, bundled_entries, writable_path
from planoracle.instances.errors import BenchmarkError, InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol import bundled_results, registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.explanation import FORMAT, VERSION
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.proofs import checker, drcp_checker
from planoracle.solver.proofs.certificate import CERTIFICATES, certificate
from planoracle.solver.proofs.drcp import NoRefutationError, refute
from planoracle.solver.proofs.stored_proof import checked_bound
from planoracle.solver.result import DRCP, Result
from planoracle.solver.solve import bundled_proof, bundled_result, grade_of, solve

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
        ``certificate``, ``drcp``: checked step by step. ``search``: claimed without such a proof; of a bundled entry
        that the current code cannot derive, the release that derived it.
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


def read_certificates(path: str) -> Iterator[tuple[str, Any | InputError]]:
    """Yield the place and content of each certificate of a file, or the error of a line.

    The file is one document, a list of them, or one of them in every line.
    """
    data = read_bytes(path, drcp_checker.MAX_BYTES)
    try:
        content = load_json(data, path)
    except InputError as error:
        if b"\n" not in data.strip():
            raise
        first = error
        lines = list(read_lines(BytesIO(data), path))
        if all(isinstance(document, InputError) for _, document in lines):  # it is no file of lines
            raise first from None
        yield from ((f"{path}, line {number}", document) for number, document in lines)
        return
    if not isinstance(content, list):
        yield path, content
        return
    for index, document in enumerate(content):
        yield f"{path}[{index}]", document


def verify_named(proof: Any, problems: Mapping[str, Problem]) -> Verification:
    """Check a certificate, a DRCP proof, or a plan with a claimed bound, against its problem.

    Nothing of the search for proofs is used, see `planoracle.solver.proofs.checker` and `drcp_checker`.

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
    >>> verify_named(proof, {problem.name: problem}).holds
    True
    >>> verify_named(proof | {"bound": 4140}, {problem.name: problem}).reason
    'step 2 does not hold: its ticks are not the sum of its hops, or neither reaches the bound nor contradicts itself'
    """
    name = proof.get("instance") if isinstance(proof, dict) else None
    if not isinstance(name, str):
        raise InputError("must be an object with the name of its instance", field="instance")
    if name not in problems:
        raise InputError("must be the name of one of the problems", field="instance", value=name)
    if proof.get("format") == FORMAT:
        return _verify_plan(proof, problems[name])
    instance = of_kind(problems[name], Instance)
    checked = _replayed(check_certificate(proof, instance), proof, instance)
    return _refute_by_optimum(checked, instance)


def verify(document: Any, problem: Problem) -> Verification:
    """Check a certificate, or a plan with a claimed bound, of one problem.

    Parameters
    ----------
    document
        Parsed JSON document as ``planoracle explain --out`` writes it, or the field ``document`` of
        `planoracle.analysis.diagnosis.explain.Explanation`.
    problem
        Problem that the document is about.

    Returns
    -------
    Verification
        ``holds`` is True if every claim was checked, False if one is refuted, ``None`` if the bound was not checked.

    Raises
    ------
    InputError
        If the document is about another problem.

    Examples
    --------
    >>> from planoracle import explain, load
    >>> problem = load("asynctool/files_1")
    >>> verify(explain(problem).document, problem).holds
    True
    """
    return verify_named(document, {problem.name: problem})


def check_certificate(proof: Any, instance: Instance) -> Verification:
    """Check a certificate or a DRCP proof of a scheduling problem with its stand-alone checker."""
    problem = to_document(instance)
    try:
        bound = checked_bound(problem, proof)
        makespan = checker.check_schedule(problem, proof)
    except checker.RefusedError as error:
        return Verification(instance.name, None, None, "", False, str(error))
    grade, reason = grade_of(proof), ""
    largest = drcp_checker.largest_makespan(problem) if grade == DRCP else None
    if largest is not None and bound > largest:
        reason = f"there is no schedule: the proof excludes the largest makespan that counts, {largest}"
    return Verification(instance.name, makespan, bound, grade, True, reason)


def _replayed(checked: Verification, proof: Any, instance: Instance) -> Verification:
    """Refute a certificate whose schedule a rule of another package's benchmark refuses."""
    pieces = proof.get("schedule") if checked.holds else None
    if not pieces or registry.is_bundled(instance.benchmark):
        return checked
    try:
        certify(instance, Schedule.of(instance, [Piece(**piece) for piece in pieces]))
    except BenchmarkError as error:
        return replace(checked, holds=False, reason=error.message)
    return checked


def _verify_plan(document: dict[str, Any], problem: Problem) -> Verification:
    def refute(reason: str) -> Verification:
        return Verification(problem.name, None, None, "", False, reason)

    benchmark = registry.of(problem)
    makespan, bound, profile = (document.get(key) for key in ("makespan", "bound", "profile"))
    if document.keys() != _KEYS or document["version"] != VERSION or document["proved"] != "search":
        return refute(f"it is not a {FORMAT} of version {VERSION}")
    if type(makespan) is not int or type(bound) not in (int, NoneType) or (bound or 0) > makespan:
        return refute("its makespan is not a whole number, or is below its bound")
    if not isinstance(profile, str) or profile not in benchmark.rules.profiles:
        return refute("its rule profile is unknown")
    rules = benchmark.rules.profiles[profile]
    try:
        run = benchmark.run(problem, {"instance": problem.name, "plan": document["plan"]}, rules)
    except InputError as error:
        return refute(str(error))
    if not run.success or run.verdict.makespan != makespan:
        return refute(f"its plan is not a success with a makespan of {makespan} {problem.unit}s")
    reason = _open_claim(makespan, bound)
    checked = Verification(problem.name, makespan, bound, "search", bound is None or None, reason, profile)
    optimum_rules = None if kind_of(problem).has_interval_model else rules
    return _refute_by_optimum(checked, benchmark.under(problem, rules), optimum_rules)


def _open_claim(makespan: int | None, bound: int | None) -> str:
    """Return the reason why a claim without a certificate is not fully checked."""
    if makespan is None:
        return "no plan, and no certificate that there is none"
    return "" if bound is None else "plan holds, bound not checked"


def _refute_by_optimum(checked: Verification, problem: Problem, rules: Rules | None = None) -> Verification:
    """Refuse a claim that contradicts a bundled optimum or the formula of the benchmark."""
    optimum = registry.of(problem).formula_optimum(problem)
    result = bundled_result(problem, rules)
    if optimum is None and (result is None or checked.holds is False):
        return checked
    shortest, bound = (optimum, optimum) if result is None else (result.makespan, result.lower_bound)
    if result is not None and result.status == Status.infeasible and checked.makespan is not None:
        reason = "the bundled result is infeasible"
    elif checked.bound is not None and shortest is not None and checked.bound > shortest:
        reason = f"a plan with makespan {shortest} exists"
    elif checked.makespan is not None and bound is not None and checked.makespan < bound:
        reason = f"the proved lower bound is {bound}"
    else:
        return checked
    return replace(checked, holds=False, reason=f"contradicts the known optimum: {reason}")


def verify_bundled(name: str) -> Iterator[Verification]:
    """Check the bundled optimum of a problem, once for all profiles with the same problem.

    Plans are replayed by the rules, schedules also by `planoracle.solver.proofs.checker`; where there is a
    certificate, it has to reach what the table of optima says. Without one the bound is not checked.

    Examples
    --------
    >>> [(checked.bound, checked.proved) for checked in verify_bundled("recipe2plan/timed/Cobbler_Pancakes")]
    [(4080, 'certificate')]
    >>> [(checked.bound, checked.reason) for checked in verify_bundled("kitchens/synchronous/0_cheese_sandwich")]
    [(12, 'plan holds, bound not checked'), (12, 'plan holds, bound not checked')]
    """
    for way in bundled_entries(name):
        yield replace(_verify_entry(way), instance=name, profile=", ".join(way.profiles))


def _verify_entry(way: BundledEntry) -> Verification:
    """Check a bundled entry and its certificate."""
    entry = way.entry or {}
    makespan, bound = entry.get("makespan"), entry.get("bound")
    try:
        way.result()
    except Exception as error:  # whatever the file holds
        reason = f"its plan does not hold: {type(error).__name__}: {error}"
        return Verification("", makespan, bound, "", False, reason)
    proof = bundled_proof(way.problem) if kind_of(way.problem).has_interval_model else None
    if proof is not None:
        checked = check_certificate(proof, of_kind(way.problem, Instance))
        if checked.holds and entry and (checked.bound, checked.makespan) != (bound, makespan):
            reason = f"the table of optima has lower bound {bound} and makespan {makespan}"
            return replace(checked, holds=False, reason=reason)
        return checked
    if not entry:
        return Verification("", None, None, "", False, "no optimum is bundled for this problem")
    proved = "search" if way.derivable else str(entry["proof"])
    return Verification("", makespan, bound, proved, None, _open_claim(makespan, bound))


# Most cases of a proof by cases: few enough for a person, else few enough for the checker.
_LEAVES = 4, 64
_WORK = WorkLimit(600.0)
# Bytes of a DRCP proof that is stored.
_MAX_STORED = 50_000


def derive_certificates(name: str) -> bundled_results.Proofs:
    """Return the certificates of a bundled problem, one for each variant that a profile makes of it.

    A bundled certificate that holds and reaches the makespan is returned as it is; others are derived again.
    """
    proofs: dict[str, dict[str, Any]] = {}
    for way in bundled_entries(name):
        has_certificates = kind_of(way.problem).has_interval_model and not _refusal(way.problem)
        if not has_certificates:
            continue
        proof = _valid_bundled_proof(way) or _new_proof(way)
        if proof is not None:
            proofs[bundled_results.key_of(way.problem, None)] = proof
    return proofs


def _refusal(problem: Problem) -> str:
    """Return the features of a scheduling problem that certificates cannot respect, or an empty text."""
    return CERTIFICATES.refusal(of_kind(problem, Instance))


def _valid_bundled_proof(way: BundledEntry) -> dict[str, Any] | None:
    problem, proof = of_kind(way.problem, Instance), bundled_proof(way.problem)
    if proof is None:
        return None
    checked = check_certificate(proof, problem)
    expected = checked.makespan if way.entry is None else way.entry["makespan"]
    return proof if checked.holds and checked.bound == checked.makespan == expected else None


def _new_proof(way: BundledEntry) -> dict[str, Any] | None:
    problem = of_kind(way.problem, Instance)
    result = way.result() or solve(problem)
    if result.schedule is None:
        return None
    for leaves in _LEAVES:
        proof = certificate(problem, result.makespan, result.schedule, leaves=leaves, time_limit=_WORK)
        if proof is not None and proof.explained:
            return proof.as_dict()
    return _new_refutation(problem, result)


def _new_refutation(instance: Instance, result: Result) -> dict[str, Any] | None:
    """Return a DRCP proof that is small enough to be stored, ``None`` if there is none."""
    try:
        proof = refute(instance, result.makespan, result.schedule)
    except NoRefutationError:
        return None
    return proof.as_dict() if proof.size <= _MAX_STORED else None


def write_certificates(names: Iterable[str]) -> None:
    """Write the certificates of bundled problems into the data files of their benchmarks."""
    new: dict[str, dict[str, dict[str, Any]]] = {}
    for name in names:
        benchmark_name = catalog.problem(name).benchmark
        new.setdefault(benchmark_name, {}).update(derive_certificates(name))
    for benchmark_name, proofs in new.items():
        benchmark = registry.get(benchmark_name)
        former = {}
        for key, proof in benchmark.proofs.items():
            if catalog.names_problem(proof["instance"]):
                former[key] = proof
        if former | proofs:
            path = writable_path(benchmark, bundled_results.PROOFS_FILE)
            with output_file(path) as stream:
                stream.buffer.write(bundled_results.proofs_bytes(former | proofs))
