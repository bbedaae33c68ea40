"""``planoracle run``: run built-in agents and models on problems, and grade their plans."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis import adapters
from planoracle.analysis.batch.episode_tasks import Playing, is_row
from planoracle.analysis.batch.journal import StorageError
from planoracle.analysis.batch.problem_tasks import read_each
from planoracle.analysis.batch.tasks import ResultRow, answer_items
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.cli.batching import JobsOption, workshop
from planoracle.analysis.cli.grade import grade
from planoracle.analysis.cli.options import OptionalNamesArgument
from planoracle.analysis.cli.output import Format, FormatOption, check_folder_of
from planoracle.analysis.cli.progress import track
from planoracle.analysis.cli.prompts import PromptsOption, SettingOption, show_prompts
from planoracle.analysis.cli.submissions import ProfileOption, RuleOption, chosen_rules
from planoracle.analysis.console import complain, output_file, tell
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.folders import SUBMISSIONS
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import expand, is_file
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.prompts import load_prompts

_MODELS = "Models"


def run(
    names: OptionalNamesArgument = None,
    folder: Annotated[
        Path | None, typer.Option("--run", help="Folder for all results; the same command resumes.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", help="Built-in agent: optimal, greedy, random, a heuristic, or replay:FILE."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="Model as inspect_ai names it: openai/gpt-x, openai-api/PROVIDER/MODEL, vllm/MODEL, ... "
            "Needs planoracle[inspect].",
            metavar="PROVIDER/MODEL",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", "-k", help="Episodes per agent and problem.", min=1)] = 1,
    setting: SettingOption = "",
    prompts: PromptsOption = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show-prompts",
            help="Run nothing: show the messages to a model up to its first command; for a set or benchmark, its "
            "prompt files; without a name, all settings.",
            rich_help_panel=_MODELS,
        ),
    ] = False,
    copy: Annotated[
        Path | None,
        typer.Option(
            "--copy-prompts",
            help="Run nothing: copy the prompt files to this folder, for editing.",
            metavar="DIR",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Run the first problems only.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first sample; each further sample adds one.", min=0)] = 0,
    profile: ProfileOption = "paper",
    rule: RuleOption = None,
    form: FormatOption = Format.table,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Also write the page of planoracle report, an HTML file.", dir_okay=False),
    ] = None,
    jobs: JobsOption = None,
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", "-c", help="Calls in parallel.", min=1, rich_help_panel=_MODELS),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--model-base-url", help="Address of the model server.", rich_help_panel=_MODELS)
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(help="Sampling temperature. Default: as in the setting.", min=0.0, rich_help_panel=_MODELS),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Tokens per answer. Default: as in the setting.", min=1, rich_help_panel=_MODELS)
    ] = None,
) -> None:
    """Run agents and models on problems, and grade their plans.

    The same command resumes an interrupted run. inspect_ai runs the models and keeps their logs in DIR/logs; calls of
    an interrupted sample are repeated, and paid again.

    Exit status: 1 if an agent or model fails; its episode is then unscored, and the same command repeats it.
    """
    if show or copy is not None:
        show_prompts(names or [], setting, prompts, copy, form)
        return
    if not names:
        raise typer.BadParameter("name at least one problem", param_hint="NAME")
    if folder is None:
        raise typer.BadParameter("name a folder for the results", param_hint="--run")
    check_folder_of(page, "--report")
    if not agents and not models:
        raise typer.BadParameter("name an agent by --agent, or a model by --model", param_hint="--agent")
    rules = chosen_rules(rule or ())
    profiles(profile, rules)
    if models and rules:
        raise typer.BadParameter("models play by a whole profile, --rules; grade DIR/logs by single rules")
    problems, failed = _problems(names, limit)
    for benchmark in dict.fromkeys(problem.benchmark for _, problem in problems):
        load_prompts(benchmark, setting, prompts)
    try:
        paths: list[Path] = []
        if agents:
            work = Playing(profile, tuple(sorted(rules.items())), setting, seed)
            paths.append(_play(work, agents, [problem for _, problem in problems], samples, folder, jobs))
        if models:
            task = {"setting": setting, "profile": profile, "prompts": None if prompts is None else str(prompts)}
            options = {"max_connections": concurrency, "temperature": temperature, "max_tokens": max_tokens}
            chosen = {name: value for name, value in options.items() if value is not None}
            success, logs = _evaluate(models, problems, folder, samples, task, {**chosen, "model_base_url": base_url})
            failed |= not success
            paths += logs
    except InputError as error:
        complain(error)
        raise typer.Exit(2) from None
    files = list(dict.fromkeys(name.rpartition("#")[0] or name for name, _ in problems if is_file(name)))
    try:
        grade(paths, form=form, profile=profile, rule=rule, problems=files, page=page, jobs=jobs)
    except typer.Exit as ended:
        raise typer.Exit(ended.exit_code or int(failed)) from None


def _problems(names: list[str], limit: int | None) -> tuple[list[tuple[str, Problem]], bool]:
    """Return problems with the names they were read from, and True if one cannot be read.

    Raises
    ------
    InputError
        For two problems of one name.
    """
    problems: dict[str, tuple[str, Problem]] = {}
    failed = False
    for name in expand(names):
        for one in read_each(name):
            if isinstance(one, InputError):
                complain(one)
                failed = True
            elif one.name in problems:
                raise InputError("is the name of two problems", source=name, field="name", value=one.name)
            elif limit is None or len(problems) < limit:
                problems[one.name] = name, one
    if not problems:
        tell("there are no problems to run", "error")
        raise typer.Exit(2)
    return list(problems.values()), failed


def _play(
    work: Playing, agents: list[str], problems: list[Problem], samples: int, folder: Path, jobs: int | None
) -> Path:
    """Run the episodes that the journal of the folder lacks; return the file with all submissions."""
    episodes = [(name, one, sample) for sample in range(1, samples + 1) for one in problems for name in agents]
    items = [work.item(*episode) for episode in episodes]
    rows: list[str] = []
    with workshop(work.start, TaskLimits(), jobs, folder, None) as (pool, journal):
        played = track(answer_items(items, pool, journal, is_row), "playing", len(items))
        with closing(played) as answers:
            for item, answer in answers:
                rows.append((answer if isinstance(answer, ResultRow) else work.failure_row(item.about, answer)).text)
    path = folder / SUBMISSIONS
    try:
        with output_file(path) as stream:
            stream.writelines(f"{row}\n" for row in sorted(rows, key=_order(agents, problems)))
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def _order(agents: list[str], problems: list[Problem]) -> Any:
    """Return a key that sorts rows by agent, problem and sample."""
    ranks = {problem.name: rank for rank, problem in enumerate(problems)}

    def key(text: str) -> tuple[int, int, int]:
        row = json.loads(text)
        return agents.index(row["model"]), ranks[row["instance"]], row["sample"]

    return key


def _evaluate(
    models: list[str],
    problems: list[tuple[str, Problem]],
    folder: Path,
    samples: int,
    task: dict[str, Any],
    options: dict[str, Any],
) -> tuple[bool, list[Path]]:
    """Run models with inspect_ai; raises `InputError` if inspect_ai is not installed, or refuses the call."""
    adapters.need("inspect_ai", "inspect")
    result: tuple[bool, list[Path]] = adapters.inspect_tasks.evaluate(
        models, problems, folder / "logs", samples=samples, task=task, **options
    )
    return result
