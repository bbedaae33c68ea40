"""Contract suite: all checks of a benchmark, on a sample of its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from time import perf_counter
from typing import Any

from planoracle.analysis.contract import live_checks, reading_checks, verdict_checks
from planoracle.analysis.contract.cases import BrokenContractError, ContractCase, NotApplicableError, sample
from planoracle.analysis.contract.cheat_checks import CHEAT_CHECKS
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark

#: Checks of a benchmark as a whole.
BENCHMARK_CHECKS = (
    reading_checks.names,
    reading_checks.rules,
    reading_checks.sentences,
    reading_checks.generated,
)
#: Checks of each problem by its own rules.
PROBLEM_CHECKS = (
    reading_checks.documents,
    reading_checks.plans,
    live_checks.pickles,
    verdict_checks.heuristic_plans,
    *CHEAT_CHECKS,
)
#: Checks of each problem under every rule profile.
PROFILE_CHECKS = (
    live_checks.legal_commands,
    live_checks.refused_commands,
    live_checks.graded_states,
    live_checks.snapshots,
    live_checks.ends,
    verdict_checks.optimal_plans,
    verdict_checks.continuations,
    verdict_checks.schedules,
    verdict_checks.regrets,
    verdict_checks.critiques,
    verdict_checks.repairs,
)
#: Checks of one problem under every rule profile.
HOSTILE_CHECKS = (reading_checks.hostile_messages, reading_checks.hostile_plans)
#: All checks, in the order of their results.
CHECKS = (*BENCHMARK_CHECKS, *PROBLEM_CHECKS, *PROFILE_CHECKS, *HOSTILE_CHECKS)

# Failures after which a check stops.
_MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of one check.

    Attributes
    ----------
    check, promise
        Name of the check, and the requirement that it checks.
    status
        ``passed``, ``failed`` or ``not applicable``.
    cases
        Number of problems and rule profiles for which the check passed.
    details
        Failures with problem, profile and seed, reasons for which the check is not applicable, or counts of what was
        tried.
    counts
        Number of tries by outcome, of a check that counts them.
    seconds
        Wall time.
    """

    check: str
    promise: str
    status: str
    cases: int
    details: tuple[str, ...]
    seconds: float
    counts: Mapping[str, int]

    def row(self) -> dict[str, Any]:
        """Return the result for a table."""
        row = asdict(self) | {"details": "; ".join(self.details), "seconds": round(self.seconds, 1)}
        del row["counts"]
        return row


def check_benchmark(
    benchmark: AnyBenchmark, count: int = 4, seed: int = 0, problems: Sequence[Problem] = ()
) -> Iterator[CheckResult]:
    """Run all checks on a benchmark; yield the result of each.

    Parameters
    ----------
    benchmark
        Benchmark to check.
    count
        Number of problems, drawn from the bundled ones, or generated if there are none.
    seed
        Seed of the sample and of random runs.
    problems
        Further problems.

    Raises
    ------
    InputError
        If there is no problem to check.

    Examples
    --------
    >>> from planoracle.instances.protocol import registry
    >>> results = check_benchmark(registry.get("asynchow"), count=1)
    >>> next(results).status
    'passed'
    """
    cases = list(cases_of([*sample(benchmark, count, seed), *problems], seed))
    if not cases:
        raise InputError(
            "has neither bundled problems nor a generator; give a file with --instance",
            field="benchmark",
            value=benchmark.name,
        )
    first = [case for case in cases if case.problem is cases[0].problem]
    for check in BENCHMARK_CHECKS:
        yield _result(check, [(benchmark.name, partial(check, benchmark, seed))])
    by_problem: dict[str, ContractCase] = {}
    for case in cases:
        by_problem.setdefault(case.problem.name, case)
    for checks, concerned in ((PROBLEM_CHECKS, by_problem.values()), (PROFILE_CHECKS, cases), (HOSTILE_CHECKS, first)):
        for case_check in checks:
            yield _result(case_check, [(str(case), partial(case_check, case)) for case in concerned])


def cases_of(problems: Sequence[Problem], seed: int) -> Iterator[ContractCase]:
    """Yield each problem under its own rules and under every other profile."""
    for member in problems:
        benchmark = registry.of(member)
        default_rules = benchmark.default_rules(member)
        yield ContractCase(member, "default", default_rules, seed)
        for name, rules in benchmark.rules.profiles.items():
            if rules != default_rules:
                yield ContractCase(member, name, rules, seed)


def _result(
    check: Callable[..., Counter[str] | None], cases: Sequence[tuple[str, Callable[[], Counter[str] | None]]]
) -> CheckResult:
    """Run a check on cases, each with its name."""
    began, passed = perf_counter(), 0
    failures: list[str] = []
    reasons: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for name, run in cases:
        try:
            counts.update(run() or {})
            passed += 1
        except (NotApplicableError, NoSolverError) as reason:
            reasons[str(reason)] = None
        except BrokenContractError as error:
            failures.append(f"{name}: {error}")
        except Exception as error:  # any error of the benchmark is a failed check
            fault = registry.benchmark_error(error)
            failures.append(f"{name}: {fault or f'raised {type(error).__name__}: {error}'}")
        if len(failures) == _MOST_FAILURES:
            break
    status = "passed" if passed else "not applicable"
    if failures:
        status = "failed"
    promise = (check.__doc__ or "").strip().removeprefix("Check that ").rstrip(".")
    notes = [f"{number} {result}" for result, number in counts.most_common()] if passed else reasons
    details = tuple(failures or notes)
    name = check.__name__.replace("_", " ")
    return CheckResult(name, promise, status, passed, details, perf_counter() - began, counts)
