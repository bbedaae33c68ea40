"""``planoracle run``: agents play problems, from the first message to the graded table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.batching import JobsOption
from planoracle.analysis.cli.common import NamesArgument
from planoracle.analysis.cli.output import Format, FormatOption, complain
from planoracle.analysis.cli.stopping import Stopped, stoppable
from planoracle.analysis.cli.submissions import RuleOption, chosen_rules
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.analysis.live.evaluation import Evaluation
    from planoracle.analysis.live.playing import Episode, Record
    from planoracle.instances.problem import Problem

_MODELS = "Models"


def run(
    names: NamesArgument,
    agents: Annotated[
        list[str],
        typer.Option(
            "--agent", "-a", help="optimal, greedy, random, advice, human, a heuristic, replay:FILE, openai:MODEL."
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option("--run", help="Folder that keeps everything; what it holds already is not played again."),
    ],
    samples: Annotated[int, typer.Option("--samples", "-k", help="Episodes of every agent per problem.", min=1)] = 1,
    setting: Annotated[
        str, typer.Option(help="How models are asked: a setting of the paper; planoracle prompt --list lists them.")
    ] = "",
    prompts: Annotated[
        Path | None,
        typer.Option(help="Folder with prompts of your own in place of those of the setting.", file_okay=False),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many problems, the first ones.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first sample; the next one has the next.", min=0)] = 0,
    profile: Annotated[str, typer.Option("--rules", "--profile", help="Rules: paper or released.")] = "paper",
    rule: RuleOption = None,
    form: FormatOption = Format.table,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Also write the page of planoracle report, an HTML file.", dir_okay=False),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-c", help="Episodes at a time of agents that wait for answers.", min=1)
    ] = 8,
    jobs: JobsOption = None,
    hints: Annotated[bool | None, typer.Option("--hints", help="Show a human what every command costs.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Address of the models' server; else OPENAI_BASE_URL.", rich_help_panel=_MODELS),
    ] = None,
    key_variable: Annotated[
        str | None,
        typer.Option(
            help="Name of the environment variable with its key; else OPENAI_API_KEY.",
            metavar="VARIABLE",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Else that of the setting.", min=0.0, rich_help_panel=_MODELS)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Of an answer; else those of the setting.", min=1, rich_help_panel=_MODELS)
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for a whole answer.", min=0.0, rich_help_panel=_MODELS)
    ] = None,
    retries: Annotated[
        int | None, typer.Option(help="Of a request that fails.", min=0, rich_help_panel=_MODELS)
    ] = None,
    input_price: Annotated[
        str | None, typer.Option(help="Of a million tokens that are sent.", rich_help_panel=_MODELS)
    ] = None,
    output_price: Annotated[
        str | None, typer.Option(help="Of a million tokens that are answered.", rich_help_panel=_MODELS)
    ] = None,
    cached_price: Annotated[
        str | None, typer.Option(help="Of a million tokens that the server knew already.", rich_help_panel=_MODELS)
    ] = None,
    seeded: Annotated[
        bool | None,
        typer.Option("--send-seed/--no-send-seed", help="Whether seeds are sent.", rich_help_panel=_MODELS),
    ] = None,
) -> None:
    """Let agents play problems, keep all that is said, and grade.

    Whatever ends the program, also kill -9: the same command goes on where it was, and in the end everything is as if
    nothing had happened. Where a model does not answer, the episode is not scored (status 1), and is played again by
    the same command. planoracle grade DIR grades anew.
    """
    from planoracle.analysis.cli.grade import grade
    from planoracle.analysis.live.evaluation import Evaluation
    from planoracle.analysis.live.playing import Playing
    from planoracle.instances.errors import InputError

    if page is not None and not page.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {page.parent}", param_hint="--report")
    given = {
        "base_url": base_url,
        "key_variable": key_variable,
        "temperature": temperature,
        "max_tokens": max_tokens,
        "timeout": timeout,
        "retries": retries,
        "seeded": seeded,
        "input_price": input_price,
        "output_price": output_price,
        "cached_price": cached_price,
        "hints": hints,
    }
    options = tuple((name, value) for name, value in given.items() if value is not None)
    rules = tuple(sorted(chosen_rules(rule or ()).items()))
    playing = Playing(profile, rules, setting, prompts, seed, options)
    problems, failed = _problems(names, limit)
    try:
        evaluation = Evaluation(playing, agents, problems, samples)
    except InputError as error:  # an option, or what is in the environment in its place
        complain(error)
        raise typer.Exit(2) from None
    alone = any(getattr(agent, "alone", False) for agent in evaluation.agents.values())
    failed |= _played(evaluation, folder, 1 if alone else concurrency, jobs)
    try:
        grade([folder], form=form, profile=profile, rule=rule, page=page, jobs=jobs)
    except typer.Exit as ended:
        raise typer.Exit(ended.exit_code or int(failed)) from None


def _problems(names: list[str], limit: int | None) -> tuple[list[Problem], bool]:
    """Return the problems behind names, and whether there is one that cannot be read; ends the program for none."""
    from planoracle.instances.catalogue import expand, read_each
    from planoracle.instances.errors import InputError

    found: list[Problem] = []
    failed = False
    for name in expand(names):
        for one in read_each(name):
            if isinstance(one, InputError):
                complain(one)
                failed = True
            elif limit is None or len(found) < limit:
                found.append(one)
    if not found:
        tell("there is no problem to be played", "error")
        raise typer.Exit(2)
    return found, failed


def _played(evaluation: Evaluation, folder: Path, concurrency: int, jobs: int | None) -> bool:
    """Play what is left; return whether something has failed."""
    from planoracle.analysis.batch.errors import StorageError, WorkerError
    from planoracle.analysis.live.evaluation import HopelessError
    from planoracle.instances.errors import InputError

    try:
        with stoppable(), _watching(evaluation) as seen:
            evaluation.play(
                folder,
                concurrency=concurrency,
                jobs=jobs,
                seen=seen,
                told=lambda message: tell(message, "warning"),
            )
    except InputError as error:  # it is the folder of another run
        complain(error)
        raise typer.Exit(2) from None
    except Stopped:
        tell(_kept(evaluation, folder), "interrupted")
        raise
    except HopelessError as error:
        complain(error)
        tell(_kept(evaluation, folder), "note")
        raise typer.Exit(1) from None
    except (StorageError, WorkerError) as error:
        if not evaluation.records:
            raise
        raise type(error)(f"{error}; {_kept(evaluation, folder)}") from None
    return _told(evaluation, folder)


def _kept(evaluation: Evaluation, folder: Path) -> str:
    done = sum("failure" not in record for record in evaluation.records.values())
    planned = len(evaluation.agents) * len(evaluation.problems) * evaluation.samples
    return f"{done} of {planned} episodes are in {folder}; the same command goes on from there"


def _told(evaluation: Evaluation, folder: Path) -> bool:
    """Say what agents took and where their side failed; return whether it did."""
    from planoracle.analysis.agents.usage import words

    for agent in evaluation.agents:
        usage = evaluation.usage(agent)
        if usage:
            tell(f"{agent} took {words(usage)}")
    failures = evaluation.failures()
    for agent, kinds in failures.items():
        how = ", ".join(f"{kind} {times}" for kind, times in sorted(kinds.items()))
        tell(f"{agent}: not scored, since the agent's side failed: {how}", "warning")
    if failures:
        tell(_kept(evaluation, folder), "note")
    return bool(failures)


@contextmanager
def _watching(evaluation: Evaluation) -> Iterator[Callable[[Episode, Record], None]]:
    """Show on standard error how far the agents are and how well they do, if that is a terminal."""
    if not sys.stderr.isatty() or any(getattr(one, "alone", False) for one in evaluation.agents.values()):
        yield lambda episode, record: None
        return
    from rich.markup import escape

    from planoracle.analysis.cli.progress import bars
    from planoracle.analysis.live.standing import Standing

    planned = len(evaluation.problems) * evaluation.samples
    with bars() as progress:
        standings = {agent: Standing(evaluation.playing) for agent in evaluation.agents}
        tasks = {agent: progress.add_task(escape(agent), total=planned) for agent in evaluation.agents}

        def seen(episode: Episode, record: Mapping[str, Any]) -> None:
            standings[episode.agent].add(episode.problem, record)
            said = f"{episode.agent}  {standings[episode.agent]}"
            progress.update(tasks[episode.agent], advance=1, description=escape(said))

        yield seen
