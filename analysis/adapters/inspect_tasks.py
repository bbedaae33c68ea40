"""Tasks for inspect_ai, one per benchmark as ``planoracle/NAME``, and their evaluation for models.

Importing this module, the entry point of the extra ``inspect``, registers tasks, solvers and the scorer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from functools import partial
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
from inspect_ai import Task, eval_set, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from planoracle import __version__
from planoracle.analysis.adapters import inspect_solvers
from planoracle.analysis.adapters.inspect_solvers import verdict_in_worker
from planoracle.analysis.intake.inspect_logs import STORED
from planoracle.analysis.intake.record_fields import plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.prompts import load_prompts
from planoracle.instances.text import lone_surrogate, visible

# Values of the metrics ratio and regret that a sample does not have; left out of means.
_NO_VALUES = (nan, nan)
_FIGURES = [mean(), stderr()]


@scorer(metrics={"success": _FIGURES, "main_score": _FIGURES, "ratio": _FIGURES, "regret": _FIGURES})
def planoracle(profile: str = "paper", prices: bool = True) -> Scorer:
    """Grade the submission, as ``planoracle grade`` does.

    ``success`` (0 or 1); ``main_score``, the benchmark's main figure; of successes ``ratio``, makespan by proved
    optimum, and ``regret``, their difference in ticks. A plan that cannot be read has no score.

    Parameters
    ----------
    profile
        Rules: ``paper`` or ``released``.
    prices
        Compute the cost of the first fault, which takes a search per decision.
    """

    async def score(state: TaskState, target: Target) -> Score:
        submission = _submission(state)
        grade, explanation = await anyio.to_thread.run_sync(partial(verdict_in_worker, submission, profile, prices))
        answer = visible(str(next(submission[name] for name in plan_fields() if name in submission)))[:2000]
        if not grade.scored:
            return Score.unscored(reason="invalid_response_format", answer=answer, explanation=explanation)
        success, makespan, optimum = bool(grade.success), grade.makespan, grade.optimal_makespan
        compared = (makespan / optimum, float(makespan - optimum)) if success and makespan and optimum else _NO_VALUES
        score = _NO_VALUES[0] if grade.main_score is None else float(grade.main_score)
        return Score(
            value={"success": float(success), "main_score": score, "ratio": compared[0], "regret": compared[1]},
            answer=answer,
            explanation=explanation,
            metadata={name: value for name, value in grade.row().items() if name != "violations"},
        )

    return score


def _submission(state: TaskState) -> dict[str, Any]:
    """Return the submission of one of our solvers, else the answer of another solver."""
    stored = state.store.get(STORED)
    handed_in = stored["submission"] if stored else {"plan": state.output.completion}
    return {**handed_in, "instance": str(state.sample_id), "id": f"{state.sample_id}_epoch_{state.epoch}"}


def evaluate(
    models: Sequence[str],
    problems: Iterable[tuple[str, Problem]],
    folder: Path,
    *,
    samples: int = 1,
    task: dict[str, Any],
    **options: Any,
) -> tuple[bool, list[Path]]:
    """Run models on problems; an interrupted call is resumed.

    Parameters
    ----------
    models
        Names of models as inspect_ai takes them.
    problems
        Problems, each with the name or file from which it was read.
    folder
        Folder of the logs, with nothing else in it.
    task
        Arguments of the tasks of `planoracle.analysis.adapters.inspect_tasks`.
    options
        More arguments of ``eval_set``.

    Returns
    -------
    tuple
        Whether all samples have ended without an error, and the files of the logs.

    Raises
    ------
    InputError
        If inspect_ai refuses a model, or the folder holds logs of another call.
    """
    groups: dict[str, list[str]] = {}
    for name, problem in problems:
        groups.setdefault(problem.benchmark, []).append(place_of(name, problem))
    tasks = [TASKS[benchmark](instances=names, prices=False, **task) for benchmark, names in groups.items()]
    try:
        for model in models:
            get_model(model, base_url=options.get("model_base_url"))
    except (PrerequisiteError, ValueError) as error:
        raise InputError(_plain(error), field="model") from None
    try:
        with redirect_stdout(sys.stderr):  # standard output is for the table
            success, logs = eval_set(
                tasks,
                str(folder),
                model=list(models),
                epochs=samples,
                # A sample that fails does not end the others, and the same call plays it again.
                fail_on_error=True,
                continue_on_fail=True,
                retry_attempts=0,
                retry_immediate=False,
                log_buffer=1,  # a sample is in the log as soon as it is over
                display=None if sys.stderr.isatty() else "none",
                **options,
            )
    except PrerequisiteError as error:
        message = _plain(error)
        if "not associated with a task" in message:
            message = "contains logs of a run with other models, problems or options; use another folder"
        raise InputError(message, source=str(folder)) from None
    return success, [Path(unquote(urlsplit(log.location).path)) for log in logs]


def _plain(error: Exception) -> str:
    """Return the message of an error of inspect_ai on one line, without rich's markup."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).replace("\\n", " ").split())


def place_of(name: str, problem: Problem) -> str:
    """Return the name by which a problem is found again that was read by name or from a file."""
    return name if name == problem.name or not catalog.is_file(name) or "#" in name else f"{name}#{problem.name}"


def _task_of(benchmark: AnyBenchmark) -> Any:
    def new_task(
        setting: str = "",
        instances: str | list[str] = "",
        profile: str = "paper",
        prompts: str | None = None,
        prices: bool = True,
    ) -> Task:
        prompt_set = load_prompts(benchmark, setting, None if prompts is None else Path(prompts))
        sampling = prompt_set.setting.sampling
        return Task(
            dataset=MemoryDataset(
                _samples(benchmark, prompt_set.name, instances, profile, prompts), name=benchmark.name
            ),
            solver=inspect_solvers.live(),
            scorer=planoracle(profile, prices),
            config=GenerateConfig(temperature=sampling.temperature, max_tokens=sampling.max_tokens),
            fail_on_error=False,
            version=__version__,
            metadata={"setting": prompt_set.record()},
        )

    new_task.__name__ = benchmark.name
    new_task.__doc__ = f"{benchmark.title}: runs in the live environment, graded against the proved optimum."
    return task(name=benchmark.name)(new_task)


def _samples(
    benchmark: AnyBenchmark, setting: str, instances: str | list[str], profile: str, prompts: str | None
) -> list[Sample]:
    """Return a sample for every problem; raises `InputError`."""
    names = [instances] if isinstance(instances, str) else [*instances]
    patterns = [one for one in names if one] or list(catalog.names_of(benchmark))
    if not patterns:
        raise InputError("must name problems, sets or files", field="instances")
    about = {"setting": setting, "profile": profile, "prompts": prompts}
    samples = []
    for name in catalog.expand(patterns):
        for problem in catalog.read_problems(name):
            if problem.benchmark != benchmark.name:
                raise InputError(
                    f"is a problem of {problem.benchmark}, not {benchmark.name}", field="instances", value=name
                )
            text = benchmark.environment(problem).introduction()
            place = place_of(name, problem)
            if half := lone_surrogate([place, text]):
                raise InputError(f"has half a surrogate pair ({half}), which no log can hold", source=visible(place))
            samples.append(Sample(input=text, id=place, metadata={**about, "unit": problem.unit}))
    return samples


#: Tasks by benchmark.
TASKS = {name: _task_of(registry.get(name)) for name in registry.names()}
