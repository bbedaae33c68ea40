"""Tasks for inspect_ai: one for every benchmark, ``planoracle/NAME``; the entry point of the extra ``inspect``.

Importing this module registers tasks, solvers and the scorer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from planoracle import __version__
from planoracle.analysis.adapters import inspect_runs
from planoracle.analysis.adapters.inspect_scores import planoracle
from planoracle.instances import catalogue, registry
from planoracle.instances.benchmark import AnyBenchmark
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.instances.prompted import prompted


def place_of(name: str, problem: Problem) -> str:
    """Return the name by which a problem that was read from a name or file is found again."""
    return name if name == problem.name or not catalogue.is_file(name) or "#" in name else f"{name}#{problem.name}"


def _task_of(benchmark: AnyBenchmark) -> Any:
    def made(
        setting: str = "",
        instances: str | list[str] = "",
        profile: str = "paper",
        prompts: str | None = None,
        prices: bool = True,
    ) -> Task:
        asked = prompted(benchmark, setting, None if prompts is None else Path(prompts))
        sampling = asked.setting.sampling
        return Task(
            dataset=MemoryDataset(_samples(benchmark, asked.name, instances, profile, prompts), name=benchmark.name),
            solver=inspect_runs.live(),
            scorer=planoracle(profile, prices),
            config=GenerateConfig(temperature=sampling.temperature, max_tokens=sampling.max_tokens),
            fail_on_error=False,
            version=__version__,
            metadata={"setting": asked.record()},
        )

    made.__name__ = benchmark.name
    made.__doc__ = f"{benchmark.title}: run by run in the live environment, graded beside the proved optimum."
    return task(name=benchmark.name)(made)


def _samples(
    benchmark: AnyBenchmark, setting: str, instances: str | list[str], profile: str, prompts: str | None
) -> list[Sample]:
    """Return a sample for every problem; raises `InputError`."""
    given = [instances] if isinstance(instances, str) else [*instances]
    patterns = [one for one in given if one] or list(catalogue.names_of(benchmark))
    if not patterns:
        raise InputError("must name problems, sets or files", field="instances")
    about = {"setting": setting, "profile": profile, "prompts": prompts}
    found = []
    for name in catalogue.expand(patterns):
        for problem in catalogue.read_problems(name):
            if problem.benchmark != benchmark.name:
                raise InputError(
                    f"is a problem of {problem.benchmark}, not {benchmark.name}", field="instances", value=name
                )
            text = benchmark.environment(problem).introduction()
            found.append(Sample(input=text, id=place_of(name, problem), metadata={**about, "unit": problem.unit}))
    return found


#: The tasks by the names of their benchmarks.
TASKS = {name: _task_of(registry.get(name)) for name in registry.names()}
