"""Optima of problems in formats of the literature, compared with exhaustive search of start times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from hypothesis import assume, event, given
from hypothesis import strategies as st

from planoracle.instances.files.instance_file import instance_from_document, to_document
from planoracle.instances.literature import jobshop, rcpsp, reader
from planoracle.instances.model.instance import Instance
from planoracle.solver.exact.search import solve
from tests.support.samples import examples
from tests.support.start_times import Pair, min_makespan, sch_text


def at_least(d: int) -> Pair:
    return lambda one, two: two - one >= d


def check(instance: Instance, expected: int | None) -> None:
    result = solve(instance, time_limit=20)
    event(result.status)
    assert (result.status, result.makespan) == (("infeasible", None) if expected is None else ("optimal", expected))
    # The problem can be written in our own format, and reads back equal.
    assert instance_from_document(to_document(instance), "again") == instance


@dataclass
class Project:
    """Project whose first activity is the beginning and whose last activity is the end."""

    durations: list[int]
    demands: list[list[int]]
    capacities: list[int]
    arcs: dict[tuple[int, int], int]

    def optimum(self) -> int | None:
        """Return the least start of the end, which no activity may outlast, if the beginning starts at 0."""
        last = len(self.durations) - 1
        pairs: dict[tuple[int, int], list[Pair]] = defaultdict(list)
        for arc, d in self.arcs.items():
            pairs[arc].append(at_least(d))
        for i in range(last):
            pairs[i, last].append(at_least(self.durations[i]))
        pairs[0, 0].append(lambda start, _: start == 0)
        longest = [max([self.durations[i], *(d for (k, _), d in self.arcs.items() if k == i)]) for i in range(last + 1)]
        return min_makespan(self.durations, self.demands, self.capacities, pairs, sum(longest))


@st.composite
def projects(draw: st.DrawFn, *, general: bool) -> Project:
    """Draw a project; ``general``: with distances of any sign, cycles, and demands that nothing can meet."""
    last = draw(st.integers(2, 4 if general else 5))
    resources = draw(st.integers(0, 2))
    durations = [0, *draw(st.lists(st.integers(0, 3), min_size=last - 1, max_size=last - 1)), 0]
    capacities = draw(st.lists(st.integers(0 if general else 1, 3), min_size=resources, max_size=resources))
    demands = [
        [draw(st.integers(0, capacity + (draw(st.integers(0, 9)) == 0))) if general else draw(st.integers(0, capacity))
         for capacity in capacities] if 0 < k < last else [0] * resources
        for k in range(last + 1)
    ]  # fmt: skip
    if not general:
        some = draw(st.sets(st.tuples(st.integers(0, last), st.integers(0, last)).filter(lambda ij: ij[0] < ij[1])))
        return Project(durations, demands, capacities, {(i, j): durations[i] for i, j in some})
    ends = st.tuples(st.integers(0, last), st.integers(0, last)).filter(lambda ij: ij[0] != ij[1])
    arcs = draw(st.dictionaries(ends, st.integers(-6, 4), max_size=6))
    return Project(durations, demands, capacities, arcs)


def sm(project: Project) -> str:
    count = len(project.durations)
    stars = "*" * 72
    lines = [stars, "file with basedata            : tiny.bas", stars, "projects                      :  1"]
    lines += [f"jobs (incl. supersource/sink ):  {count}", "horizon                       :  99", "RESOURCES"]
    lines += [f"  - renewable                 :  {len(project.capacities)}   R", "  - nonrenewable : 0 N", stars]
    lines += ["PRECEDENCE RELATIONS:", "jobnr.    #modes  #successors   successors"]
    for k in range(count):
        after = [j + 1 for i, j in project.arcs if i == k]
        lines.append(" ".join(map(str, [k + 1, 1, len(after), *after])))
    lines += [stars, "REQUESTS/DURATIONS:", "jobnr. mode duration  R 1  R 2", "-" * 72]
    lines += [" ".join(map(str, [k + 1, 1, project.durations[k], *row])) for k, row in enumerate(project.demands)]
    return "\n".join([*lines, stars, "RESOURCEAVAILABILITIES:", "  R 1", " ".join(map(str, project.capacities)), stars])


def rcp(project: Project) -> str:
    """Return a project in the format of RCP files, all jobs in one line."""
    numbers = []
    for k, duration in enumerate(project.durations):
        after = [j + 1 for i, j in project.arcs if i == k]
        numbers += [duration, *project.demands[k], len(after), *after]
    rows = [[len(project.durations), len(project.capacities)], project.capacities, numbers]
    return "\n".join(" ".join(map(str, row)) for row in rows)


@examples(300)
@given(projects(general=True))
def test_project_with_time_lags_has_exhaustive_optimum(project: Project) -> None:
    check(
        rcpsp.read_sch(sch_text(project.arcs, project.durations, project.demands, project.capacities), "random"),
        project.optimum(),
    )


@examples(60)
@given(projects(general=False))
def test_project_with_precedences_has_exhaustive_optimum(project: Project) -> None:
    instance = rcpsp.read_sm(sm(project), "random")
    check(instance, project.optimum())
    if project.capacities:
        assert reader.read_text(rcp(project), "random") == [instance]


@st.composite
def shops(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    machines = draw(st.integers(1, 2))
    operation = st.tuples(st.integers(0, machines - 1), st.integers(0, 3))
    return draw(st.lists(st.lists(operation, min_size=machines, max_size=machines), min_size=1, max_size=3))


@examples(60)
@given(shops(), st.sampled_from([0, 1]))
def test_job_shop_has_exhaustive_optimum(jobs: list[list[tuple[int, int]]], first: int) -> None:
    machines = len(jobs[0])
    assume(not first or any(machine == machines - 1 for job in jobs for machine, _ in job))
    rows = [" ".join(f"{machine + first} {ticks}" for machine, ticks in job) for job in jobs]
    instances = jobshop.read_text("\n".join([f"{len(jobs)} {machines}", *rows]), "random")
    flat = [operation for job in jobs for operation in job]
    pairs: dict[tuple[int, int], list[Pair]] = {
        (k, k + 1): [at_least(flat[k][1])] for k in range(len(flat) - 1) if (k + 1) % machines
    }
    durations = [ticks for _, ticks in flat]
    demands = [[int(machine == m) for m in range(machines)] for machine, _ in flat]
    assert len(instances) == 1
    check(instances[0], min_makespan(durations, demands, [1] * machines, pairs, sum(durations)))
