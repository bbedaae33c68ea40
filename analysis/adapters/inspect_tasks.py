"""Tasks for inspect_ai, one per benchmark as ``planoracle/NAME``, and their evaluation for models.

Importing this module, the entry point of the extra ``inspect``, registers tasks, solvers and the scorer.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import anyio
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from inspect_ai import Task, eval_set, task
from inspect_ai._util.dotenv import init_dotenv
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from planoracle import __version__
from planoracle.analysis.adapters import inspect_solvers
from planoracle.analysis.adapters.inspect_answers import answers_stored_in
from planoracle.analysis.adapters.inspect_solvers import verdict_in_worker
from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.console import collect
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
_limiter: RunVar[CapacityLimiter] = RunVar("scoring")


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
        grade, explanation = await anyio.to_thread.run_sync(
            partial(verdict_in_worker, submission, profile, prices), limiter=_scoring_limiter(), abandon_on_cancel=True
        )
        plan = next(submission[name] for name in plan_fields() if name in submission)
        answer = visible(str(plan))[:2000]
        if not grade.scored:
            return Score.unscored(reason="invalid_response_format", answer=answer, explanation=explanation)
        success = bool(grade.success)
        makespan, optimum = grade.makespan, grade.optimal_makespan
        ratio, regret = _NO_VALUES
        if success and makespan and optimum:
            ratio, regret = makespan / optimum, float(makespan - optimum)
        main_score = _NO_VALUES[0] if grade.main_score is None else float(grade.main_score)
        values = {"success": float(success), "main_score": main_score, "ratio": ratio, "regret": regret}
        metadata = {name: value for name, value in grade.row().items() if name != "violations"}
        return Score(value=values, answer=answer, explanation=explanation, metadata=metadata)

    return score


def _scoring_limiter() -> CapacityLimiter:
    """Return the limiter of this event loop: one sample per processor is scored at a time."""
    try:
        return _limiter.get()
    except LookupError:
        limiter = CapacityLimiter(os.cpu_count() or 1)
        _limiter.set(limiter)
        return limiter


def _submission(state: TaskState) -> dict[str, Any]:
    """Return the submission of one of our solvers, else the answer of another solver."""
    stored = state.store.get(STORED)
    handed_in = stored["submission"] if stored else {"plan": state.output.completion}
    return {**handed_in, "instance": str(state.sample_id), "id": f"{state.sample_id}_epoch_{state.epoch}"}


def prepare(
    models: Sequence[str], problems: Iterable[tuple[str, Problem]], arguments: dict[str, Any], options: dict[str, Any]
) -> list[Task]:
    """Return the tasks of a run after a check of all its needs; no model is called.

    Parameters
    ----------
    models
        Names of models as inspect_ai takes them.
    problems
        Problems, each with the name or file from which it was read.
    arguments
        Arguments of the tasks in `TASKS`.
    options
        Arguments for `evaluate`.

    Raises
    ------
    InputError
        If a package or a key of a model's provider is missing, or a problem cannot be shown to a model.
    """
    groups: dict[str, list[str]] = {}
    for name, problem in problems:
        groups.setdefault(problem.benchmark, []).append(place_of(name, problem))
    tasks = [TASKS[benchmark](instances=names, prices=False, **arguments) for benchmark, names in groups.items()]
    generation = {name: value for name, value in options.items() if name != "model_base_url"}
    init_dotenv()  # keys of providers, which inspect_ai reads from the file .env
    for model in models:
        try:
            # The same arguments as in the run, which then uses the same object.
            get_model(model, base_url=options.get("model_base_url"), config=GenerateConfig(**generation))
        except (PrerequisiteError, ValueError, ImportError) as error:
            raise InputError(_plain(error), field="model", value=model) from None
    return tasks


def evaluate(
    models: Sequence[str],
    tasks: list[Task],
    folder: Path,
    journal: Journal,
    *,
    samples: int = 1,
    options: dict[str, Any],
) -> tuple[bool, list[Path]]:
    """Run models on the tasks of `prepare`; an interrupted call is resumed.

    Parameters
    ----------
    folder
        Folder of the logs, with nothing else in it.
    journal
        Journal of the answers, which belongs to this process as long as it is open.
    options
        More arguments of ``eval_set``.

    Returns
    -------
    tuple
        Whether all samples have ended without an error, and the files of the logs.

    Raises
    ------
    InputError
        If the folder holds logs of another call.
    """
    _set_damaged_logs_aside(folder)
    try:
        with redirect_stdout(sys.stderr), answers_stored_in(journal):  # standard output is for the table
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
                # Else inspect_ai recovers samples of a killed run from their events, without their submissions.
                log_realtime=False,
                display=None if sys.stderr.isatty() else "none",
                **options,
            )
    except PrerequisiteError as error:
        message = _plain(error)
        if "not associated with a task" in message:
            message = "contains logs of a run with other models, problems or options; use another folder"
        raise InputError(message, source=str(folder)) from None
    paths = [Path(unquote(urlsplit(log.location).path)) for log in logs]
    _remove_older_logs(folder, paths)
    return success, paths


def _remove_older_logs(folder: Path, logs: Iterable[Path]) -> None:
    """Remove logs of interrupted calls, whose samples are in the logs of this call."""
    retained = {path.resolve(strict=True) for path in logs}
    for path in _logs_in(folder):
        if path.resolve() not in retained:
            path.unlink()


def finished_samples(folder: Path) -> int:
    """Return the number of samples in the logs of a folder that ended without an error."""
    samples = set()
    for path in _logs_in(folder):
        with suppress(Exception):  # a log that is being written may be incomplete
            task_id = read_eval_log(path, header_only=True).eval.task_id
            for summary in read_eval_log_sample_summaries(path):
                if summary.completed and summary.error is None:
                    samples.add((task_id, summary.id, summary.epoch))
    return len(samples)


def _logs_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.eval"))


def _set_damaged_logs_aside(folder: Path) -> None:
    """Rename logs that cannot be read, as a process may leave them that was killed while it wrote."""
    for path in _logs_in(folder):
        try:
            read_eval_log(path, header_only=True)
            with ZipFile(path) as archive:
                is_damaged = archive.testzip() is not None
        except Exception:  # inspect_ai documents no errors of damaged logs
            is_damaged = True
        if is_damaged:
            path.rename(f"{path}.damaged")
            message = "is damaged, and was renamed to *.damaged; its samples are repeated with the stored answers"
            collect(path, message, kind="warning")


def _plain(error: Exception) -> str:
    """Return the message of an error of inspect_ai on one line, without rich's markup."""
    text = re.sub(r"\[/?[a-z ]+\]", "", str(error)).replace("\\n", " ")
    return " ".join(text.split()).removeprefix("ERROR: ")


def place_of(name: str, problem: Problem) -> str:
    """Return the name by which a problem is found again that was read by name or from a file."""
    if name == problem.name or not catalog.is_file(name) or "#" in name:
        return name
    return f"{catalog.file_path(name)}#{problem.name}"


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
        samples = _samples(benchmark, setting or prompt_set.name, instances, profile, prompts)
        config = GenerateConfig(temperature=sampling.temperature, max_tokens=sampling.max_tokens)
        return Task(
            dataset=MemoryDataset(samples, name=benchmark.name),
            solver=inspect_solvers.live(),
            scorer=planoracle(profile, prices),
            config=config,
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
    patterns = [name for name in names if name] or list(catalog.names_of(benchmark))
    if not patterns:
        raise InputError("must name problems, sets or files", field="instances")
    about = {"setting": setting, "profile": profile, "prompts": prompts}
    samples = []
    for name in catalog.expand(patterns):
        for problem in catalog.read_problems(name):
            if problem.benchmark != benchmark.name:
                message = f"is a problem of {problem.benchmark}, not {benchmark.name}"
                raise InputError(message, field="instances", value=name)
            text = benchmark.environment(problem).introduction()
            place = place_of(name, problem)
            if half := lone_surrogate([place, text]):
                raise InputError(f"has half a surrogate pair ({half}), which no log can hold", source=visible(place))
            samples.append(Sample(input=text, id=place, metadata={**about, "unit": problem.unit}))
    return samples


#: Tasks by benchmark.
TASKS = {name: _task_of(registry.get(name)) for name in registry.names()}
