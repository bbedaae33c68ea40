"""``planoracle run``: run built-in agents and models on problems, and grade their plans; show prompts."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.agents.model_prompts import first_requests
from planoracle.analysis.batch.entry_files import refuse_links, refuse_links_below
from planoracle.analysis.batch.episode_tasks import Playing, is_row
from planoracle.analysis.batch.tasks import ResultRow, answer_items
from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.grade import grade
from planoracle.analysis.cli.model_runs import ModelRun, generation_options
from planoracle.analysis.cli.options import OptionalNamesArgument, read_each
from planoracle.analysis.cli.output import Format, FormatOption, check_outputs, new_file, print_text, write_table
from planoracle.analysis.cli.progress import JobsOption, track, workshop
from planoracle.analysis.cli.submissions import ProfileOption, RuleOption, SubmissionSource, chosen_rules
from planoracle.analysis.console import complain, lenient, say, say_json, tell
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.folders import SUBMISSIONS
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.prompts import PromptSet, load_prompts
from planoracle.instances.protocol.setting_files import SUFFIX
from planoracle.instances.protocol.settings import Sampling, Setting
from planoracle.instances.workers.worker import TaskLimits

_MODELS = "Models"
_COLUMNS = (
    *("benchmark", "setting", "version", "title", "loop", "history", "asks", "example", "critic"),
    *("temperature", "max_tokens"),
)

SettingOption = Annotated[
    str,
    typer.Option(
        "--setting",
        help="Prompt setting: a name, also with an earlier version (closed@1), or a file *.toml of yours. "
        "planoracle run --show-prompts lists all settings.",
        metavar="NAME|FILE",
    ),
]
PromptsOption = Annotated[
    Path | None,
    typer.Option(
        "--prompts", help="Folder with prompt files that replace bundled files of the same name.", metavar="DIR"
    ),
]


def run(
    names: OptionalNamesArgument = None,
    folder: Annotated[
        Path | None,
        typer.Option("--run", help="Folder to store results in; results already in it are reused.", metavar="DIR"),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            help="Built-in agent: optimal, greedy, random, or the name of a heuristic (repeatable).",
            metavar="AGENT",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="Model by its inspect_ai name: openai/gpt-x, openai-api/PROVIDER/MODEL, vllm/MODEL (repeatable). "
            "Needs planoracle[inspect].",
            metavar="PROVIDER/MODEL",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", "-k", help="Number of episodes per agent and problem.", metavar="N", min=1)
    ] = 1,
    setting: SettingOption = "",
    prompts: PromptsOption = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show-prompts",
            help="Show prompts, without a run: for a problem, the messages up to the model's first command; for a set "
            "or benchmark, its prompt files; without a name, a list of all settings.",
            rich_help_panel=_MODELS,
        ),
    ] = False,
    copy: Annotated[
        Path | None,
        typer.Option(
            "--copy-prompts",
            help="Copy the prompt files to this folder for editing, without a run.",
            metavar="DIR",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Number of problems to run, the first ones. Default: all.", metavar="N", min=1)
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the first sample; each further sample adds one.", metavar="SEED", min=0)
    ] = 0,
    profile: ProfileOption = "paper",
    rule: RuleOption = None,
    form: FormatOption = Format.table,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Also write the HTML page of planoracle report.", metavar="FILE"),
    ] = None,
    jobs: JobsOption = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            "-c",
            help="Maximum number of parallel calls to a model.",
            metavar="N",
            min=1,
            rich_help_panel=_MODELS,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--model-base-url", help="Address of the model server.", metavar="URL", rich_help_panel=_MODELS),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            help="Sampling temperature. Default: that of the setting.",
            metavar="NUMBER",
            min=0.0,
            rich_help_panel=_MODELS,
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of tokens per answer. Default: that of the setting.",
            metavar="N",
            min=1,
            rich_help_panel=_MODELS,
        ),
    ] = None,
) -> None:
    """Run agents and models on problems, and grade their plans.

    The same command resumes an interrupted run. Each answer of a model is stored in DIR as soon as it arrives, so that
    only calls without an answer are repeated. Models run in inspect_ai, which writes its logs to DIR/logs.
    Packages, keys, files and options are checked before the first call.

    Exit status: 1 if an agent or model fails; its episode is then unscored, and the same command repeats it. 130 after
    Ctrl-C, which says how many results are stored.

    Examples
    --------
    planoracle run timearena/household1 --agent greedy --agent random --run results
    planoracle run timearena/household1 --model mockllm/model --run results
    planoracle run timearena/household1 --show-prompts
    """
    if show or copy is not None:
        return show_prompts(names or [], setting, prompts, copy, form)
    if not names:
        raise typer.BadParameter("at least one problem is required", param_hint="NAME")
    check_columns("grade")
    if folder is None:
        raise typer.BadParameter("a folder for the results is required", param_hint="--run")
    if not agents and not models:
        raise typer.BadParameter("an agent (--agent) or a model (--model) is required", param_hint="--agent")
    check_outputs(page)
    refuse_links(folder / SUBMISSIONS)
    refuse_links_below(folder / "logs")
    rules = chosen_rules(rule or ())
    profiles(profile, rules)
    if models and rules:
        raise typer.BadParameter("--set cannot be combined with --model; grade DIR/logs with --set instead")
    problems, failed = _problems(names, limit)
    for benchmark in dict.fromkeys(problem.benchmark for _, problem in problems):
        load_prompts(benchmark, setting, prompts)
    named_problems = [problem for _, problem in problems]
    paths: list[Path] = []
    try:
        for name in agents or ():
            agent(name)  # raises for an unknown name
        model_run = None
        if models:
            prompts_folder = None if prompts is None else str(prompts)
            arguments = {"setting": setting, "profile": profile, "prompts": prompts_folder}
            options = generation_options(concurrency, temperature, max_tokens, base_url)
            model_run = ModelRun(models, problems, folder, samples, arguments, options)
        if agents:
            work = Playing(profile, tuple(sorted(rules.items())), setting, seed)
            paths.append(_play(work, agents, named_problems, samples, folder, jobs))
        if model_run is not None:
            success, logs = model_run.evaluate()
            failed |= not success
            paths += logs
    except InputError as error:
        complain(error)
        raise typer.Exit(2) from None
    names_of_files = [name for name, _ in problems if catalog.is_file(name)]
    files = dict.fromkeys(name.rpartition("#")[0] or name for name in names_of_files)
    try:
        source = SubmissionSource(paths, problems=list(files))
        grade(source=source, form=form, profile=profile, rule=rule, page=page, jobs=jobs)
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
    for name in catalog.expand(names):
        for problem in read_each(name):
            if isinstance(problem, InputError):
                complain(problem, "problems")
                failed = True
            elif problem.name in problems:
                raise InputError("must be unique; two problems have it", source=name, field="name", value=problem.name)
            elif limit is None or len(problems) < limit:
                problems[problem.name] = name, problem
    if not problems:
        tell("there are no problems to run", "error")
        raise typer.Exit(2)
    return list(problems.values()), failed


def _play(
    work: Playing, agents: list[str], problems: list[Problem], samples: int, folder: Path, jobs: int | None
) -> Path:
    """Run the episodes that the journal of the folder lacks; return the file with all submissions."""
    path = folder / SUBMISSIONS
    episodes = product(range(1, samples + 1), problems, agents)
    items = [work.item(name, problem, sample) for sample, problem, name in episodes]
    ranks = {problem.name: rank for rank, problem in enumerate(problems)}
    rows: list[tuple[int, int, int, str]] = []  # by agent, problem and sample
    with workshop(work.start, TaskLimits(), jobs, folder, None) as (pool, journal):
        played = track(answer_items(items, pool, journal, is_row), "playing", len(items))
        with closing(played) as answers:
            for item, answer in answers:
                name, problem, sample = item.about
                row = answer if isinstance(answer, ResultRow) else work.failure_row(item.about, answer)
                rows.append((agents.index(name), ranks[problem.name], sample, row.text))
    with new_file(path) as stream:
        stream.writelines(f"{row}\n" for *_, row in sorted(rows))
    return path


def show_prompts(names: Sequence[str], setting: str, folder: Path | None, copy: Path | None, form: Format) -> None:
    """Write the prompts of problems, sets and benchmarks; without names, the settings of all benchmarks.

    For a problem these are the messages up to the model's first command. Answers to questions that come before the
    first command are replaced by their names, such as <answer>.

    Parameters
    ----------
    folder
        Folder with prompts that replace the bundled ones.
    copy
        Folder to which the prompt files are copied instead.
    form
        ``table`` (text) or ``json``.
    """
    if form not in (Format.table, Format.json):
        raise typer.BadParameter("must be table or json with --show-prompts", param_hint="--format")
    if not names:
        _list_settings(form)
    lenient(sys.stdout, encoding="utf-8")
    for name in names:
        is_problem = catalog.names_problem(name) or catalog.is_file(catalog.local_path(name))
        problem = catalog.single(name) if is_problem else None
        benchmark = _benchmark(name) if problem is None else registry.of(problem)
        prompts = load_prompts(benchmark, setting, folder)
        if copy is not None:
            _copy(prompts, copy)
        elif problem is None:
            _write_files(prompts, form)
        else:
            _write_messages(problem, prompts, form)


def _benchmark(name: str) -> AnyBenchmark:
    """Return the benchmark of this name, or the one of a set's problems."""
    benchmark = registry.find(name)
    if benchmark is not None:
        return benchmark
    first_name = catalog.expand([name])[0]
    return registry.of(catalog.read_problems(first_name)[0])


def _list_settings(form: Format) -> None:
    check_columns("run-settings")
    rows = []
    for benchmark in map(registry.get, registry.names()):
        rows += [_setting_row(benchmark.name, *entry) for entry in benchmark.setting_versions.items()]
    write_table(form, _COLUMNS, rows)


def _setting_row(benchmark: str, name: str, setting: Setting) -> dict[str, Any]:
    row = {
        "benchmark": benchmark,
        "setting": name,
        "version": setting.version,
        "title": setting.title,
        "loop": setting.config.loop,
        "history": setting.history,
        "asks": len(setting.asks),
        "example": bool(setting.examples),
        "critic": 0 if setting.critic is None else setting.critic.rounds,
    }
    return row | setting.sampling._asdict()


def _copy(prompts: PromptSet, folder: Path) -> None:
    place = folder / prompts.benchmark
    setting_file = place / f"{prompts.name}{SUFFIX}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, prompt in prompts.prompts.items():
            file_name = name if name.endswith(".json") else f"{name}.md"
            head = "" if prompt.version is None else f"version: {prompt.version}\n\n"
            _write_new(place / file_name, f"{head}{prompt.text}\n")
        _write_new(setting_file, prompts.setting.document)
    except FileExistsError as error:
        raise InputError("exists already; choose another folder", source=str(error.filename)) from None
    tell(f"edit the files, and run with --prompts {folder} --setting {setting_file}", "note")


def _write_new(path: Path, text: str) -> None:
    if os.path.lexists(path):
        raise InputError("exists already; choose another folder", source=str(path))
    with new_file(path) as stream:
        stream.write(text)
    say(str(path))


def _write_files(prompts: PromptSet, form: Format) -> None:
    if form is Format.json:
        texts = {name: prompt.text for name, prompt in prompts.prompts.items()}
        say_json(_record(prompts) | {"document": prompts.setting.document, "texts": texts}, indent=1)
        return
    paragraphs = [_head(prompts), f"== {prompts.name}{SUFFIX}\n{prompts.setting.document.strip()}"]
    for name, prompt in prompts.prompts.items():
        paragraphs.append(f"== {name}{prompt.version_text}\n{prompt.text}")
    print_text("\n\n".join(paragraphs))


def _write_messages(problem: Any, prompts: PromptSet, form: Format) -> None:
    import asyncio

    calls = asyncio.run(first_requests(problem, prompts))
    if form is Format.json:
        rows = [call._asdict() | {"sampling": call.sampling._asdict()} for call in calls]
        say_json({"instance": problem.name, **_record(prompts), "calls": rows}, indent=1)
        return
    print_text(f"{problem.name}\n{_head(prompts)}")
    for call in calls:
        print_text(f"\n== {call.purpose}{_sampling_text(call.sampling)}")
        for message in call.messages:
            print_text(f"[{message['role']}]\n{message['content']}")


def _record(prompts: PromptSet) -> dict[str, Any]:
    return {"benchmark": prompts.benchmark, "title": prompts.setting.title, **prompts.record()}


def _head(prompts: PromptSet) -> str:
    setting = f"setting {prompts.name} of {prompts.benchmark}: {prompts.setting.title}"
    return f"{setting}\nversion {prompts.setting.version}, prompts {prompts.versions}; digest {prompts.digest}"


def _sampling_text(sampling: Sampling) -> str:
    parts = []
    if sampling.temperature is not None:
        parts.append(f"temperature {sampling.temperature:g}")
    if sampling.max_tokens is not None:
        parts.append(f"at most {sampling.max_tokens} tokens")
    return f" ({', '.join(parts)})" if parts else ""
