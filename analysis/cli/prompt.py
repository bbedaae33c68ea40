"""``planoracle prompt``: what a model is sent, by setting; the files of the prompts, and copies to be changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.common import begun
from planoracle.analysis.cli.drawing import folded
from planoracle.analysis.cli.output import Format, Table
from planoracle.analysis.output_files import output_file
from planoracle.analysis.spoken import say, say_json, tell
from planoracle.analysis.streams import lenient

if TYPE_CHECKING:  # a help text needs none of it
    from planoracle.instances.benchmark import AnyBenchmark
    from planoracle.instances.prompted import Prompted
    from planoracle.instances.settings import Sampling

__all__ = ["PromptsOption", "SettingOption", "prompt"]

SettingOption = Annotated[
    str, typer.Option("--setting", help="How the model is asked, see `planoracle prompt --list`.", metavar="NAME")
]
PromptsOption = Annotated[
    Path | None,
    typer.Option(
        "--prompts", help="Folder with prompts of your own, in place of those of the same name.", metavar="DIR"
    ),
]

_COLUMNS = ("benchmark", "setting", "title", "loop", "history", "asks", "example", "temperature", "max_tokens")
_LEAST = ("asks", "max_tokens", "temperature", "example", "history", "loop")


class Form(StrEnum):
    """How prompts are written."""

    text = "text"
    json = "json"


def prompt(
    name: Annotated[
        str | None,
        typer.Argument(help="Name or file of a problem; or a set or benchmark.", metavar="NAME", autocompletion=begun),
    ] = None,
    setting: SettingOption = "",
    prompts: PromptsOption = None,
    listed: Annotated[bool, typer.Option("--list", help="List the settings (of the benchmark of NAME).")] = False,
    copy: Annotated[
        Path | None, typer.Option("--copy", help="Write the files to this folder, to be changed.", metavar="DIR")
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", "-f", help=f"How to write the prompts: {', '.join(Form)}.", metavar="FORMAT")
    ] = Form.text,
) -> None:
    """Show what a model is sent for a problem up to its first command; of a set or benchmark, the files of its prompts.

    In place of the answers to questions that come first stand their names, <so>. Every prompt has a version; a run
    keeps them, with a digest of all that is sent.
    """
    from planoracle.instances import registry

    if listed or name is None:
        if not listed:
            raise typer.BadParameter("name a problem, a set or a benchmark, or ask for --list", param_hint="NAME")
        _list([_benchmark(name)] if name else [registry.get(one) for one in registry.names()], form)
        return
    lenient(sys.stdout, encoding="utf-8")
    problem = _problem(name)
    benchmark = _benchmark(name) if problem is None else registry.of(problem)
    from planoracle.instances.prompted import prompted

    found = prompted(benchmark, setting, prompts)
    if copy is not None:
        _copy(found, copy)
    elif problem is None:
        _files(found, form)
    else:
        _messages(problem, found, form)


def _problem(name: str) -> Any:
    """Return the problem of a name or file, ``None`` if it is the name of several."""
    from planoracle.instances import catalogue
    from planoracle.instances.errors import InputError

    if not catalogue.names_problem(name) and not catalogue.is_file(name):
        return None
    found = catalogue.read_problems(name)
    if len(found) != 1:
        raise InputError(f"holds {len(found)} problems; name one, as {name}#NAME", source=name)
    return found[0]


def _benchmark(name: str) -> AnyBenchmark:
    """Return the benchmark of a set, or that of a name."""
    from planoracle.instances import catalogue, registry

    found = registry.find(name)
    if found is not None:
        return found
    first = next(iter(catalogue.expand([name])))
    return registry.of(catalogue.read_problems(first)[0])


def _list(benchmarks: list[AnyBenchmark], form: Form) -> None:
    table = Table(Format.json if form is Form.json else Format.table, _COLUMNS, least=_LEAST)
    for benchmark in benchmarks:
        for one in benchmark.settings.values():
            table.add(
                {
                    "benchmark": benchmark.name,
                    "setting": one.name,
                    "title": one.title,
                    "loop": one.manner.loop,
                    "history": one.history,
                    "asks": len(one.asks),
                    "example": bool(one.examples),
                    **one.sampling._asdict(),
                }
            )
    table.close()


def _copy(found: Prompted, folder: Path) -> None:
    from planoracle.instances.errors import InputError

    place = folder / found.benchmark
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, one in found.prompts.items():
            path = place / (name if name.endswith(".json") else f"{name}.md")
            head = "" if one.version is None else f"version: {one.version}\n\n"
            if path.exists():
                raise InputError("exists already; choose another folder", source=str(path))
            with output_file(path) as stream:
                stream.write(f"{head}{one.text}\n")
            say(str(path))
    except FileExistsError as error:
        raise InputError("exists already; choose another folder", source=str(error.filename)) from None
    tell(f"change them, and run with --prompts {folder}", "note")


def _files(found: Prompted, form: Form) -> None:
    if form is Form.json:
        say_json(_head(found) | {"texts": {name: one.text for name, one in found.prompts.items()}}, indent=1)
        return
    say(folded("\n".join(_told(found)), sys.stdout))
    for name, one in found.prompts.items():
        say(folded(f"\n== {name}{one.told}\n{one.text}", sys.stdout))


def _messages(problem: Any, found: Prompted, form: Form) -> None:
    import asyncio

    from planoracle.analysis.agents.shown import shown

    calls = asyncio.run(shown(problem, found))
    if form is Form.json:
        rows = [one._asdict() | {"sampling": one.sampling._asdict()} for one in calls]
        say_json({"instance": problem.name, **_head(found), "calls": rows}, indent=1)
        return
    say(folded("\n".join([problem.name, *_told(found)]), sys.stdout))
    for one in calls:
        say(folded(f"\n== {one.purpose}{_sampled(one.sampling)}", sys.stdout))
        for message in one.messages:
            say(folded(f"[{message['role']}]\n{message['content']}", sys.stdout))


def _head(found: Prompted) -> dict[str, Any]:
    return {"benchmark": found.benchmark, "title": found.setting.title, **found.record()}


def _told(found: Prompted) -> Iterator[str]:
    yield f"setting {found.name} of {found.benchmark}: {found.setting.title}"
    yield f"prompts {found.versions}; digest {found.digest}"


def _sampled(sampling: Sampling) -> str:
    parts = [] if sampling.temperature is None else [f"temperature {sampling.temperature:g}"]
    parts += [] if sampling.max_tokens is None else [f"at most {sampling.max_tokens} tokens"]
    return f" ({', '.join(parts)})" if parts else ""
