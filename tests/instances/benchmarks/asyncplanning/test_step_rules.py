"""Verdicts on schedules of AsyncPlan-XXL, compared with the rules written out."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.benchmarks.asyncplanning.step_rules import earliest_starts
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin, step_origin
from planoracle.instances.protocol import registry

_BENCHMARK = registry.get("asyncplanning")
#: Entry of a schedule: start, name, duration in seconds.
_Entry = list[Any]


def _is_right(origin: StepOrigin, entries: list[_Entry], tolerance: int) -> bool:
    """Return whether durations and orders are kept up to a tolerance, by the first entry of every step."""
    first: dict[str, _Entry] = {}
    for entry in entries:
        first.setdefault(entry[1], entry)
    names = [f"step{number}" for number in range(1, len(origin.seconds) + 1)]
    if not set(names) <= first.keys():
        return False
    in_order = [first[name] for name in names]
    differences = [abs(entry[2] - length) for entry, length in zip(in_order, origin.seconds, strict=True)]
    gaps = []
    for before, after in origin.facts.edges:
        start, _, duration = in_order[before - 1]
        gaps.append(in_order[after - 1][0] - start - duration)
    return max(differences) <= tolerance and min(gaps, default=0) >= -tolerance


def _changed(entries: list[_Entry], random: Random) -> list[_Entry]:
    """Return a schedule with a changed start or duration, or with an entry repeated or left out."""
    changed = [list(entry) for entry in entries]
    entry = random.choice(changed)
    place = random.choice((0, 0, 0, 2))
    entry[place] += random.choice((-2, -1, -0.5, 0, 0.5, 1, 2))
    if random.random() < 0.1:
        changed.append([0, entry[1], entry[2]])
    elif random.random() < 0.1:
        changed.remove(entry)
    return changed


@pytest.mark.parametrize("name", ["asyncplanning/xxl/5/1", "asyncplanning/xxl/10/3", "asyncplanning/xxl/5/9"])
def test_schedules_near_the_optimum_have_the_verdicts_of_the_rules(name: str) -> None:
    random = Random(name)
    verdicts = []
    for profile in ("paper", "released"):
        problem = _BENCHMARK.under(load(name), PROFILES[profile])
        origin = step_origin(problem)
        starts = earliest_starts(origin.seconds, origin.facts.edges)
        assert starts is not None
        best = []
        for number, (start, duration) in enumerate(zip(starts, origin.seconds, strict=True), 1):
            best.append([int(start), f"step{number}", int(duration)])
        for _ in range(80):
            entries = _changed(best, random)
            run = _BENCHMARK.run(load(name), {"plan": entries}, PROFILES[profile])
            latest_end = max(start + duration for start, _, duration in entries)
            if profile == "paper":
                is_plain = len({entry[1] for entry in entries}) == len(entries) and min(entries)[0] >= 0
                expected = is_plain and _is_right(origin, entries, 0)
            else:
                expected = _is_right(origin, entries, 1) and round(latest_end) == origin.right_time
            assert run.success == expected, (profile, entries, run.verdict.violations)
            verdicts.append((profile, run.success))
    assert len(set(verdicts)) == 4
